"""Rules on the members of the root group, and on the storage of datasets."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.metadata import Dataset, Foreign, Group
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule
from akdask.storage.objects import ObjType

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
            elif isinstance(node, Group) and node.kind is None and "ObjType" not in node.attributes:
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


def _is_bool(node: Dataset) -> bool:
    attribute = node.attributes.get("isBool")
    return attribute is not None and attribute.value == 1


def _is_old_arrayview(node: Dataset) -> bool:
    """Whether it is of v2022.07.28 to v2022.10.13, which stored arrays flat; their kind is a text attribute."""
    attribute = node.attributes.get("ObjType")
    return attribute is not None and attribute.value == ObjType.ARRAYVIEW.label
