"""Rules on metadata: storage, names, attributes, and the agreement of the files of a set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.metadata import Attribute, FileMetadata, Foreign, Node, StoredDataset, StoredGroup, rows_of
from akdask.formats.hdf5.validation import Finding, Placed, SetContext, Severity, rule
from akdask.storage.files import exists
from akdask.storage.locales import missing_locales, split_locale
from akdask.storage.objects import CODES, PERMUTATION, SEGMENTS, VALUES, ObjType

_COMMON_FILTERS = {1, 2, 3}  # deflate, shuffle, fletcher32: part of HDF5 wherever it is built


@rule("file.readable", Severity.ERROR)
def readable(context: SetContext) -> Iterator[Finding]:
    """Every file is whole, readable HDF5 from its first byte on."""
    yield from ((file.path, "", file.problem) for file in context.files if file.problem is not None)


@rule("root.objects", Severity.ERROR)
def root_objects(context: SetContext) -> Iterator[Finding]:
    """The root group holds objects and nothing else; a server that reads all of a file tries to read each child."""
    for placed in context.objects.values():
        for file, node in placed:
            if isinstance(node, Foreign):
                yield file.path, node.path, node.text
            elif isinstance(node, StoredGroup) and node.kind is None and "ObjType" not in node.attributes:
                yield file.path, node.path, "is a group of no known layout; a name with a slash makes such groups"


@rule("root.metadata", Severity.NOTE)
def root_metadata(context: SetContext) -> Iterator[Finding]:
    """There is no group _arkouda_metadata; load_all of releases since v2022.11.10 fails on it."""
    for file in context.readable:
        if layout.METADATA_GROUP in file.root.members:
            yield file.path, "", "has one, as releases from v2021.11.02 to v2022.10.13 write it"


@rule("members.readable", Severity.ERROR)
def members_readable(context: SetContext) -> Iterator[Finding]:
    """Everything inside an object is a group or dataset that can be opened."""
    for path, placed in context.by_path.items():
        if "/" in path:
            yield from ((file.path, path, node.text) for file, node in placed if isinstance(node, Foreign))


@rule("dataset.rank", Severity.ERROR)
def rank(context: SetContext) -> Iterator[Finding]:
    """Every dataset has one dimension; servers read others past the end of their buffers."""
    for file, node in context.datasets():
        if (node.shape is None or len(node.shape) != 1) and not _is_old_arrayview(node):
            yield file.path, node.path, f"has shape {node.shape}"


@rule("dataset.numbers", Severity.ERROR)
def numbers(context: SetContext) -> Iterator[Finding]:
    """Every dataset holds integers or floats of at most 8 bytes."""
    for file, node in context.datasets():
        if node.type.family != "enum" and (node.type.family not in {"integer", "float"} or node.type.size > 8):
            yield file.path, node.path, f"holds {node.type}, {node.type.size} bytes each"


@rule("dataset.width", Severity.NOTE)
def width(context: SetContext) -> Iterator[Finding]:
    """Numbers take 8 bytes, little end first, as servers write them; others are widened when they are read."""
    for file, node in context.datasets():
        is_number = node.type.family in {"integer", "float"} and node.type.size <= 8
        is_byte = node.type.family == "integer" and node.type.size == 1
        if is_number and not is_byte and (node.type.size != 8 or not node.type.is_little_endian):
            yield file.path, node.path, f"holds {node.type}"


@rule("dataset.storage", Severity.NOTE)
def storage(context: SetContext) -> Iterator[Finding]:
    """Datasets are contiguous, as servers write them."""
    for file, node in context.datasets():
        if node.storage in {"chunked", "compact"}:
            yield file.path, node.path, f"is {node.storage}"


@rule("dataset.filters", Severity.WARNING)
def filters(context: SetContext) -> Iterator[Finding]:
    """Compression is one that every HDF5 has: servers without the filter cannot read the dataset."""
    for file, node in context.datasets():
        rare = [str(number) for number in node.filters if number not in _COMMON_FILTERS]
        if rare:
            yield file.path, node.path, f"needs HDF5 filter {', '.join(rare)}"


@rule("dataset.inside", Severity.WARNING)
def inside(context: SetContext) -> Iterator[Finding]:
    """The data of a file lies in that file, not in others that it names."""
    for file, node in context.datasets():
        if node.storage in {"external", "virtual"}:
            yield file.path, node.path, f"is {node.storage}"


@rule("bool.enum", Severity.ERROR)
def bool_enum(context: SetContext) -> Iterator[Finding]:
    """No dataset is an HDF5 enum, as h5py stores bool; servers reject the class."""
    for file, node in context.datasets():
        if node.type.family == "enum":
            yield file.path, node.path, "is an enum: store uint8, with isBool=1"


@rule("bool.type", Severity.ERROR)
def bool_type(context: SetContext) -> Iterator[Finding]:
    """What isBool marks is stored as unsigned bytes."""
    for file, node in context.datasets():
        if _is_bool(node) and node.type.family != "enum" and str(node.type) != "uint8":
            yield file.path, node.path, f"holds {node.type}"


@rule("bool.marked", Severity.WARNING)
def bool_marked(context: SetContext) -> Iterator[Finding]:
    """Bytes that are not those of strings say by isBool whether they are bools; otherwise they come as integers."""
    strings = {
        id(node) for _, placed in context.groups(ObjType.STRINGS) for _, g in placed for node in g.members.values()
    }
    for file, node in context.datasets():
        is_byte = node.type.family == "integer" and node.type.size == 1
        is_told = "isBool" in node.attributes or "booleans" in node.path
        if is_byte and node.nrows and id(node) not in strings and not is_told:
            yield file.path, node.path, f"holds {node.type}, and has no isBool"


@rule("bool.values", Severity.WARNING)
def bool_values(context: SetContext) -> Iterator[Finding]:
    """Bools are 0 or 1; what a server makes of other values is not defined."""
    for file, node in context.datasets():
        facts = context.numbers(file, node) if _is_bool(node) else None
        if facts is not None and (facts.minimum < 0 or facts.maximum > 1):
            yield file.path, node.path, f"has values from {facts.minimum} to {facts.maximum}"


def _is_bool(node: StoredDataset) -> bool:
    attribute = node.attributes.get("isBool")
    return attribute is not None and attribute.value == 1


def _is_old_arrayview(node: StoredDataset) -> bool:
    """Whether it is of v2022.07.28 to v2022.10.13, which stored arrays flat; their kind is a text attribute."""
    attribute = node.attributes.get("ObjType")
    return attribute is not None and attribute.value == ObjType.ARRAYVIEW.label


_LONGEST_NAME = 255
_MOST_MISSING = 1000  # a file of a very high number may be alone
_MOST_LEVELS = 10


@rule("files.numbering", Severity.ERROR)
def numbering(context: SetContext) -> Iterator[Finding]:
    """The files of a set are numbered from 0 without a gap."""
    missing = (path for path in missing_locales(file.path for file in context.files) if not exists(path))
    for path in islice(missing, _MOST_MISSING):
        yield path, "", "is missing, a higher locale exists: its rows are lost"


@rule("files.padding", Severity.NOTE)
def padding(context: SetContext) -> Iterator[Finding]:
    """Locales are numbered with at least four digits, as releases since November 2020 do."""
    for file in context.files:
        found = split_locale(file.path)
        if found and len(found[1]) < 4:
            yield file.path, "", f"_LOCALE{found[1]} should be _LOCALE{found[1]:0>4}"


@rule("files.pattern", Severity.WARNING)
def pattern(context: SetContext) -> Iterator[Finding]:
    """File names have none of the characters * ? [ that servers take for patterns."""
    for file in context.files:
        name = os.path.basename(file.path)
        if any(character in name for character in "*?["):
            yield file.path, "", "a server expands the name as a pattern when it is given alone"


@rule("files.format", Severity.WARNING)
def file_format(context: SetContext) -> Iterator[Finding]:
    """File_Format is 1 in files with a locale number, 0 in single files; an update cuts rows by it."""
    for file in context.readable:
        stored = file.root.attributes.get("File_Format")
        expected = layout.SINGLE if split_locale(file.path) is None else layout.DISTRIBUTED
        if stored is not None and stored.value != expected:
            yield file.path, "", f"File_Format is {stored.value}, by the name of the file it should be {expected}"


@rule("files.releases", Severity.WARNING)
def releases(context: SetContext) -> Iterator[Finding]:
    """An object is of one release in all files; otherwise some may be left over from a wider set."""
    for name, placed in context.objects.items():
        known = None
        for file, node in placed:
            attribute = getattr(node, "attributes", {}).get("arkouda_version")
            found = None if attribute is None else attribute.value
            known = found if known is None else known
            if found is not None and found != known:
                yield file.path, name, f"is of {found}, in the files before of {known}"


@rule("names.comma", Severity.WARNING)
def comma(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns have no comma; servers list names with commas between them."""
    for file, path, name in _names(context):
        if "," in name:
            yield file, path, "a server lists this as two names"


@rule("names.length", Severity.WARNING)
def length(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns take at most 255 bytes, the room that servers have for one."""
    for file, path, name in _names(context):
        size = len(name.encode(errors="surrogateescape"))
        if size > _LONGEST_NAME:
            yield file, path, f"takes {size} bytes"


@rule("names.utf8", Severity.WARNING)
def utf8(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns are UTF-8."""
    for file, path, name in _names(context):
        if any("\udc80" <= character <= "\udcff" for character in name):
            yield file, path.encode(errors="backslashreplace").decode(), "has bytes that are not"


@rule("names.levels", Severity.WARNING)
def levels(context: SetContext) -> Iterator[Finding]:
    """There are at most ten keys or levels; clients order more of them as text, KEY_10 before KEY_2."""
    for kinds, stem in (((ObjType.GROUPBY,), "KEY_"), ((ObjType.INDEX, ObjType.MULTIINDEX), "IDX_")):
        for path, placed in context.groups(*kinds):
            count = max(len(group.numbered(stem)) for _, group in placed)
            if count > _MOST_LEVELS:
                yield placed[0][0].path, path, f"has {count}"


def _names(context: SetContext) -> Iterator[tuple[str, str, str]]:
    """Yield file, path and name of all objects and of the columns of DataFrames."""
    for file in context.readable:
        for name, node in file.objects.items():
            yield file.path, node.path, name
            if isinstance(node, StoredGroup) and node.kind == ObjType.DATAFRAME:
                yield from ((file.path, member.path, column) for column, member in node.members.items())


_INTEGERS = (
    "File_Format",
    "ObjType",
    "isBool",
    "isBigInt",
    "MaxBits",
    "NumLimbs",
    "NumKeys",
    "NumCols",
    "NumIdx",
    "Rank",
)
_EVERYWHERE = ("ObjType", "file_version", "arkouda_version")
_NEVER_WRITTEN = {ObjType.UNKNOWN, ObjType.BITVECTOR, ObjType.SERIES}
_INFERRED = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.ARRAYVIEW}


@rule("attribute.scalar", Severity.ERROR)
def scalar(context: SetContext) -> Iterator[Finding]:
    """Attributes that servers read as one number are one: more overrun their buffers."""
    for file, path, name, attribute in _integers(context):
        if attribute.shape not in {(), (1,)}:
            yield file.path, path, f"{name} has shape {attribute.shape}"


@rule("attribute.integer", Severity.ERROR)
def integer(context: SetContext) -> Iterator[Finding]:
    """Attributes that servers read as integers are integers; of old, ObjType may be the text ArrayView."""
    for file, path, name, attribute in _integers(context):
        if attribute.type.family != "integer" and attribute.value != ObjType.ARRAYVIEW.label:
            yield file.path, path, f"{name} is {attribute.type}"


@rule("attribute.type", Severity.NOTE)
def exact_type(context: SetContext) -> Iterator[Finding]:
    """Attributes have the types that servers write: int64, float32, text of fixed length, all scalars."""
    expected = dict.fromkeys(_INTEGERS, "int64") | {"file_version": "float32", "arkouda_version": "text"}
    for file, path, name, attribute in _attributes(context):
        differs = name in expected and (str(attribute.type) != expected[name] or attribute.shape == (1,))
        if differs and not (name in _INTEGERS and attribute.type.family != "integer"):
            yield file.path, path, f"{name} is {attribute.type} of shape {attribute.shape}, not {expected[name]}"


@rule("attribute.complete", Severity.NOTE)
def complete(context: SetContext) -> Iterator[Finding]:
    """Objects and their members have ObjType, file_version and arkouda_version; releases leave some out."""
    for placed in context.by_path.values():
        for file, node in placed:
            if file.era == "v2" and not isinstance(node, Foreign) and node.kind is not None:
                missing = [name for name in _EVERYWHERE if name not in node.attributes]
                if missing:
                    yield file.path, node.path, f"has no {', '.join(missing)}"


@rule("object.kind", Severity.ERROR)
def kind(context: SetContext) -> Iterator[Finding]:
    """ObjType is a number that the schema has, of a kind that servers store."""
    for placed in context.by_path.values():
        for file, node in placed:
            number = _objtype(node)
            if number is not None and (number not in set(ObjType) or ObjType(number) in _NEVER_WRITTEN):
                yield file.path, node.path, f"has ObjType {number}"


@rule("object.inferred", Severity.ERROR)
def inferred(context: SetContext) -> Iterator[Finding]:
    """An object without ObjType is plain numbers or Strings; servers take others for one of these."""
    for placed in context.objects.values():
        for file, node in placed:
            if not isinstance(node, StoredGroup) or node.kind is None or "ObjType" in node.attributes:
                continue
            if node.kind not in _INFERRED:
                yield file.path, node.path, f"is {node.kind.label} by its members, and has no ObjType"


def _objtype(node: Node) -> int | None:
    attribute = None if isinstance(node, Foreign) else node.attributes.get("ObjType")
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else None


def _integers(context: SetContext) -> Iterator[tuple[FileMetadata, str, str, Attribute]]:
    return (found for found in _attributes(context) if found[2] in _INTEGERS)


def _attributes(context: SetContext) -> Iterator[tuple[FileMetadata, str, str, Attribute]]:
    for file in context.readable:
        yield from ((file, "", name, found) for name, found in file.root.attributes.items())
    for path, placed in context.by_path.items():
        for file, node in placed:
            if isinstance(node, (StoredGroup, StoredDataset)):
                yield from ((file, path, name, found) for name, found in node.attributes.items())


_PROBED = {
    ObjType.STRINGS: (VALUES,),
    ObjType.SEGARRAY: (SEGMENTS, VALUES),
    ObjType.CATEGORICAL: (CODES,),
    ObjType.GROUPBY: (PERMUTATION,),
    ObjType.INDEX: ("IDX_0",),
    ObjType.MULTIINDEX: ("IDX_0",),
    ObjType.DATAFRAME: ("Index",),
}
"""Members that a server needs in every file before it reads an object."""


@rule("set.objects", Severity.ERROR)
def objects(context: SetContext) -> Iterator[Finding]:
    """Every file has every object, if only an empty share of it; servers stop at the first that has not."""
    for name, placed in context.objects.items():
        present = {file.path for file, _ in placed}
        yield from ((file.path, name, "is not there") for file in context.readable if file.path not in present)


@rule("set.members", Severity.ERROR)
def members(context: SetContext) -> Iterator[Finding]:
    """Every file has the members of an object that servers look for."""
    for path, placed in context.groups(*_PROBED):
        for file, group in placed:
            lacking = [name for name in _PROBED[group.kind or ObjType.UNKNOWN] if name not in group.members]
            if lacking:
                yield file.path, path, f"has no {' and no '.join(lacking)}"


@rule("set.rest", Severity.WARNING)
def rest(context: SetContext) -> Iterator[Finding]:
    """Every file has all members that an object has in any file; servers take others for empty."""
    for path, placed in context.groups(*_PROBED):
        every = {name: None for _, group in placed for name in group.members}
        for file, group in placed:
            probed = _PROBED[group.kind or ObjType.UNKNOWN]
            lacking = [name for name in every if name not in (*group.members, *probed, SEGMENTS)]
            if lacking and group.kind != ObjType.SEGARRAY:
                yield file.path, path, f"has no {', '.join(lacking)}, other files have"


@rule("set.kind", Severity.ERROR)
def kinds_agree(context: SetContext) -> Iterator[Finding]:
    """An object is of one kind in all files."""
    for path, placed in _comparable(context):
        _, first = placed[0]
        for file, node in placed[1:]:
            if _kind_of(node) != _kind_of(first):
                yield file.path, path, f"is {_kind_of(node)}, in the first file {_kind_of(first)}"


@rule("set.class", Severity.ERROR)
def hdf5_class(context: SetContext) -> Iterator[Finding]:
    """A dataset is of one HDF5 class in all files, integers or floats."""
    for file, node, first in _datasets(context):
        if node.type.family != first.type.family:
            yield file, node.path, f"holds {node.type}, in the first file {first.type}"


@rule("set.width", Severity.ERROR)
def widths_agree(context: SetContext) -> Iterator[Finding]:
    """A dataset has one width and one sign in all files; servers refuse others unless types are not strict."""
    for file, node, first in _datasets(context):
        same = (node.type.size, node.type.is_signed) == (first.type.size, first.type.is_signed)
        if node.type.family == first.type.family and not same:
            yield file, node.path, f"holds {node.type}, in the first file {first.type}"


@rule("set.bool", Severity.ERROR)
def is_bool(context: SetContext) -> Iterator[Finding]:
    """What isBool says is the same in all files with rows; the first file decides."""
    for file, node, first in _datasets(context):
        if node.nrows and first.nrows and _marked(node) != _marked(first):
            yield file, node.path, f"has isBool={_marked(node)}, in the first file it is {_marked(first)}"


def _comparable(context: SetContext) -> Iterator[tuple[str, list[Placed]]]:
    """Yield nodes of one path; empty datasets that replace the groups inside a SegArray are left out."""
    for path, placed in context.by_path.items():
        inner = "/" in path
        found = [(f, n) for f, n in placed if not isinstance(n, Foreign) and not (inner and _stands_for_nothing(n))]
        if len(found) > 1:
            yield path, list(found)


def _stands_for_nothing(node: Node) -> bool:
    """Whether servers write this dataset for SegArray values without elements."""
    if isinstance(node, StoredGroup):
        return any(isinstance(member, StoredDataset) and not member.nrows for member in node.members.values())
    return rows_of(node) == 0


def _datasets(context: SetContext) -> Iterator[tuple[str, StoredDataset, StoredDataset]]:
    """Yield for each dataset of later files the path of the file, the dataset, and that of the first file."""
    for placed in context.by_path.values():
        found = [(file, node) for file, node in placed if isinstance(node, StoredDataset)]
        yield from ((file.path, node, found[0][1]) for file, node in found[1:])


def _kind_of(node: Node) -> str:
    if isinstance(node, Foreign) or node.kind is None:
        return "of no known kind"
    return f"{node.kind.label} in a {'group' if isinstance(node, StoredGroup) else 'dataset'}"


def _marked(node: StoredDataset) -> int:
    attribute = node.attributes.get("isBool")
    return 1 if attribute is not None and attribute.value == 1 else 0
