"""Rules on Strings, lists, groupings and tables, and, last, on data that no other rule has read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from akdask.errors import FileError
from akdask.formats.hdf5.manifest import verify
from akdask.formats.hdf5.metadata import Attribute, FileMetadata, Node, StoredDataset, StoredGroup, rows_of
from akdask.formats.hdf5.validation import (
    Finding,
    NumberFacts,
    SetContext,
    Severity,
    StringFacts,
    counted,
    fingerprint,
    rule,
    total_rows,
)
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, PERMUTATION, SEGMENTS, VALUES, ObjType


@rule("strings.values", Severity.ERROR)
def values(context: SetContext) -> Iterator[Finding]:
    """The values of Strings are unsigned bytes."""
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            found = group.members.get(VALUES)
            if found is not None and not (isinstance(found, StoredDataset) and str(found.type) == "uint8"):
                yield file.path, found.path, f"is {found.type if isinstance(found, StoredDataset) else 'no dataset'}"


@rule("strings.segments", Severity.WARNING)
def has_segments(context: SetContext) -> Iterator[Finding]:
    """Strings have segments; without, servers want calc_string_offsets=True."""
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            if SEGMENTS not in group.members and VALUES in group.members:
                yield file.path, group.path, "has no segments"


@rule("strings.terminated", Severity.ERROR)
def terminated(context: SetContext) -> Iterator[Finding]:
    """Every string ends in a NUL byte, the last of a file too."""
    for file, group, facts in _strings(context):
        if not facts.is_terminated:
            yield file.path, group.path, "the last byte is not NUL"


@rule("strings.count", Severity.ERROR)
def count(context: SetContext) -> Iterator[Finding]:
    """There are as many NUL bytes as segments; a string cannot contain one."""
    for file, group, facts in _strings(context):
        segments = group.dataset(SEGMENTS)
        if segments is not None and facts.is_terminated and facts.nuls != segments.nrows:
            yield file.path, group.path, f"{facts.nuls} NUL bytes, {segments.nrows} segments"


@rule("strings.agree", Severity.ERROR)
def agree(context: SetContext) -> Iterator[Finding]:
    """Segments are where the NUL bytes say that strings start; servers use now the ones, now the others."""
    for file, group, facts in _strings(context):
        segments = group.dataset(SEGMENTS)
        complete = segments is not None and facts.is_terminated and facts.nuls == segments.nrows
        if complete and facts.astray is not None and _in_order(context, file, group):
            yield file.path, group.path, f"segment {facts.astray} does not follow a NUL byte"


@rule("strings.utf8", Severity.WARNING)
def utf8(context: SetContext) -> Iterator[Finding]:
    """Strings are UTF-8; clients cannot show others."""
    for file, group, facts in _strings(context):
        if facts.not_utf8 is not None:
            yield file.path, group.path, facts.not_utf8


@rule("segments.integers", Severity.ERROR)
def integers(context: SetContext) -> Iterator[Finding]:
    """Segments are a dataset of 8-byte integers."""
    for _, placed in context.groups(ObjType.STRINGS, ObjType.SEGARRAY, ObjType.CATEGORICAL, ObjType.GROUPBY):
        for file, group in placed:
            found = group.members.get(SEGMENTS)
            if found is None:
                continue
            if not isinstance(found, StoredDataset) or (found.type.family, found.type.size) != ("integer", 8):
                yield file.path, found.path, f"is {found.type if isinstance(found, StoredDataset) else 'no dataset'}"


@rule("segments.start", Severity.ERROR)
def start(context: SetContext) -> Iterator[Finding]:
    """The first segment of each file is 0: Strings and SegArray count from the first value in their file."""
    for file, group, facts, _ in _segments(context):
        if facts.first != 0:
            yield file.path, group.path, f"the first segment is {facts.first}"


@rule("segments.order", Severity.ERROR)
def order(context: SetContext) -> Iterator[Finding]:
    """Segments never decrease."""
    for file, group, facts, _ in _segments(context):
        if facts.fall is not None:
            yield file.path, group.path, f"segment {facts.fall} is smaller than the one before"


@rule("segments.inside", Severity.ERROR)
def inside(context: SetContext) -> Iterator[Finding]:
    """No segment starts before the first value or after the last."""
    for file, group, facts, size in _segments(context):
        if size is not None and (facts.minimum < 0 or facts.maximum > size):
            yield file.path, group.path, f"segments from {facts.minimum} to {facts.maximum} of {size} values"


@rule("segarray.values", Severity.ERROR)
def segarray_values(context: SetContext) -> Iterator[Finding]:
    """The values of a SegArray without segments are none: each belongs to a segment."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        for file, group in placed:
            segments = group.dataset(SEGMENTS)
            size = _size_of_values(context, file, group)
            if segments is not None and not segments.nrows and size:
                yield file.path, group.path, f"has {size} values and no segments"


@rule("segarray.limbs", Severity.ERROR)
def limbs(context: SetContext) -> Iterator[Finding]:
    """A SegArray of bigint has the same NumLimbs in every file; servers take that of the first for all."""
    for path, placed in context.groups(ObjType.SEGARRAY):
        known: dict[int, str] = {}
        for file, group in placed:
            inner = group.group(VALUES)
            stored = None if inner is None else inner.attributes.get("NumLimbs")
            if stored is not None and stored.value not in known:
                known[stored.value] = file.path
        if len(known) > 1:
            yield list(known.values())[1], path, f"NumLimbs is {' and '.join(map(str, known))}"


@rule("segarray.bool", Severity.WARNING)
def segarray_bool(context: SetContext) -> Iterator[Finding]:
    """The first file of a SegArray of bool has isBool=1 on its values; else servers give integers."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        file, group = placed[0]
        first = group.dataset(VALUES)
        flags = [node.attributes.get("isBool") for node in (group, first) if node is not None]
        if first is not None and [None if flag is None else flag.value for flag in flags] == [1, None]:
            yield file.path, first.path, "has no isBool, the group has"


@rule("segarray.nested", Severity.WARNING)
def nested(context: SetContext) -> Iterator[Finding]:
    """A SegArray of Strings or bigint keeps its structure in files without values; else servers misjudge its type."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        inner = [group.members.get(VALUES) for _, group in placed]
        if any(isinstance(node, StoredGroup) for node in inner):
            (file, _), first = placed[0], inner[0]
            if isinstance(first, StoredDataset) and not first.nrows:
                yield file.path, first.path, "is an empty dataset in the first file, a group in others"


def _strings(context: SetContext) -> Iterator[tuple[FileMetadata, StoredGroup, StringFacts]]:
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            facts = context.strings(file, group)
            if facts is not None:
                yield file, group, facts


def _segments(context: SetContext) -> Iterator[tuple[FileMetadata, StoredGroup, NumberFacts, int | None]]:
    """Yield files and groups that have segments, with the facts of these and the number of values."""
    for _, placed in context.groups(ObjType.STRINGS, ObjType.SEGARRAY):
        for file, group in placed:
            facts = context.numbers(file, group.dataset(SEGMENTS))
            if facts is not None:
                yield file, group, facts, _size_of_values(context, file, group)


def _size_of_values(context: SetContext, file: FileMetadata, group: StoredGroup) -> int | None:
    found = group.members.get(VALUES)
    return None if found is None else context.rows(file, found)


def _in_order(context: SetContext, file: FileMetadata, group: StoredGroup) -> bool:
    """Whether segments follow the rules whose findings are more exact."""
    facts, size = context.numbers(file, group.dataset(SEGMENTS)), _size_of_values(context, file, group)
    if facts is None or size is None:
        return False
    return facts.first == 0 and facts.fall is None and facts.minimum >= 0 and facts.maximum <= size


Parts = Sequence[tuple[FileMetadata, StoredGroup]]
"""One object: its groups in all files."""

_WRONG_GROUPING = "v2023.05.05"
"""This release wrote the codes of a Categorical as both permutation and segments; readers ignore them."""

_KEY_KINDS = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.CATEGORICAL}


@rule("categorical.members", Severity.ERROR)
def members(context: SetContext) -> Iterator[Finding]:
    """A Categorical has codes and NA_Codes, datasets of 8-byte integers, and categories, a group of Strings."""
    for _, placed in context.groups(ObjType.CATEGORICAL):
        for file, group in placed:
            for name in (CODES, NA_CODES):
                found = group.dataset(name)
                if found is not None and (found.type.family, found.type.size) != ("integer", 8):
                    yield file.path, found.path, f"holds {found.type}"
            found_labels = group.group(CATEGORIES)
            if found_labels is None or found_labels.kind != ObjType.STRINGS:
                yield file.path, group.path, f"has no {CATEGORIES} that are Strings"


@rule("categorical.codes", Severity.ERROR)
def codes(context: SetContext) -> Iterator[Finding]:
    """Codes are positions of categories, from 0 to their number, in all files together; -1 is none."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        labels = _rows(context, placed, CATEGORIES)
        for file, facts in _facts(context, placed, CODES):
            if labels is not None and (facts.minimum < 0 or facts.maximum >= labels):
                yield file.path, path, f"codes from {facts.minimum} to {facts.maximum}, {labels} categories"


@rule("categorical.na-code", Severity.ERROR)
def na_code(context: SetContext) -> Iterator[Finding]:
    """NA_Codes has one entry in all files together, the position of the category of missing values."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        labels, count = _rows(context, placed, CATEGORIES), _rows(context, placed, NA_CODES)
        if count not in {None, 1}:
            yield placed[0][0].path, path, f"NA_Codes has {count} entries"
        for file, facts in _facts(context, placed, NA_CODES):
            if labels is not None and not 0 <= facts.minimum <= facts.maximum < labels:
                yield file.path, path, f"NA_Codes is {facts.minimum}, {labels} categories"


@rule("categorical.shares", Severity.ERROR)
def shares(context: SetContext) -> Iterator[Finding]:
    """Each file has its share of the categories; repeated in every file they give wrong labels."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        known = set()
        for file, group in placed:
            labels = group.group(CATEGORIES)
            facts = None if labels is None else context.strings(file, labels)
            if facts is not None and facts.nuls:
                if (facts.nuls, facts.checksum) in known:
                    yield file.path, path, "has the same categories as a file before"
                known.add((facts.nuls, facts.checksum))


@rule("grouping.parts", Severity.ERROR)
def parts(context: SetContext) -> Iterator[Finding]:
    """Permutation and segments come together; a Categorical may have neither."""
    for path, placed in _grouped(context):
        has = [any(name in group.members for _, group in placed) for name in (PERMUTATION, SEGMENTS)]
        if has[0] != has[1]:
            there, absent = (PERMUTATION, SEGMENTS) if has[0] else (SEGMENTS, PERMUTATION)
            yield placed[0][0].path, path, f"has {there}, and no {absent}"


@rule("grouping.permutation", Severity.ERROR)
def permutation(context: SetContext) -> Iterator[Finding]:
    """The permutation has every row number of the set once."""
    for path, placed in _grouped(context):
        found = [(file, node) for file, group in placed if (node := group.dataset(PERMUTATION)) is not None]
        rows = sum(node.nrows for _, node in found)
        if not context.is_complete:
            continue
        prints = [context.fingerprint(file, node) for file, node in found if node.type.family == "integer"]
        known = [value for value in prints if value is not None]
        if found and len(known) == len(found) and sum(known) % 2**64 != fingerprint(counted(rows)):
            yield found[0][0].path, path, f"is no permutation of {rows} rows"


@rule("grouping.rows", Severity.ERROR)
def rows(context: SetContext) -> Iterator[Finding]:
    """The permutation is as long as the codes of a Categorical, or as each key of a GroupBy."""
    for path, placed in _grouped(context):
        expected = _rows(context, placed, PERMUTATION)
        if not any(PERMUTATION in group.members for _, group in placed) or expected is None:
            continue
        for name in [CODES, *_keys(placed)] if placed[0][1].kind == ObjType.CATEGORICAL else _keys(placed):
            found = _rows(context, placed, name)
            if found is not None and found != expected:
                yield placed[0][0].path, f"{path}/{name}", f"has {found} rows, the permutation {expected}"


@rule("grouping.segments", Severity.ERROR)
def segments(context: SetContext) -> Iterator[Finding]:
    """Segments of groups count rows of the whole set: from 0 on, never less than before, below the number of rows."""
    for path, placed in _grouped(context):
        size, before = _rows(context, placed, PERMUTATION), None
        for file, facts in _facts(context, placed, SEGMENTS):
            if before is None and facts.first != 0 and context.is_complete:
                yield file.path, path, f"the first segment is {facts.first}"
            if facts.fall is not None or (before is not None and facts.first < before):
                yield file.path, path, f"segment {facts.fall or 0} of the file is smaller than the one before"
            if size is not None and facts.maximum >= size:
                yield file.path, path, f"segments reach {facts.maximum}, there are {size} rows"
            before = facts.last


@rule("groupby.keys", Severity.ERROR)
def keys(context: SetContext) -> Iterator[Finding]:
    """NumKeys is the number of keys, which are KEY_0, KEY_1 and so on."""
    for path, placed in context.groups(ObjType.GROUPBY):
        for file, group in placed:
            stored, found = group.attributes.get("NumKeys"), list(group.numbered("KEY_"))
            if stored is None or found != list(range(len(found))) or stored.value != len(found) or not found:
                told = "no NumKeys" if stored is None else f"NumKeys={stored.value}"
                yield file.path, path, f"has {told}, and keys {', '.join(f'KEY_{n}' for n in found) or 'none'}"


@rule("groupby.key-kinds", Severity.ERROR)
def key_kinds(context: SetContext) -> Iterator[Finding]:
    """Keys are pdarrays, Strings or Categoricals; servers refuse others."""
    for _, placed in context.groups(ObjType.GROUPBY):
        for file, group in placed:
            for node in group.numbered("KEY_").values():
                kind = getattr(node, "kind", None)
                if kind not in _KEY_KINDS:
                    yield file.path, node.path, f"is {'of no known kind' if kind is None else kind.label}"


@rule("groupby.unique-keys", Severity.ERROR)
def unique_keys(context: SetContext) -> Iterator[Finding]:
    """There is one unique_key_idx for each segment, a row of the set."""
    for path, placed in context.groups(ObjType.GROUPBY):
        size = _rows(context, placed, PERMUTATION)
        groups, found = (_rows(context, placed, name) for name in (SEGMENTS, "unique_key_idx"))
        if None not in {found, groups} and found != groups:
            yield placed[0][0].path, path, f"{found} entries of unique_key_idx, {groups} segments"
        for file, facts in _facts(context, placed, "unique_key_idx"):
            if size is not None and not 0 <= facts.minimum <= facts.maximum < size:
                yield file.path, path, f"unique_key_idx from {facts.minimum} to {facts.maximum}, {size} rows"


@rule("groupby.float-keys", Severity.WARNING)
def float_keys(context: SetContext) -> Iterator[Finding]:
    """Of several keys none is float64; clients of releases since v2023.10.06 cannot load them."""
    for _, placed in context.groups(ObjType.GROUPBY):
        file, group = placed[0]
        found = group.numbered("KEY_").values()
        floats = [node for node in found if isinstance(node, StoredDataset) and node.type.family == "float"]
        if floats and len(found) > 1:
            yield file.path, floats[0].path, "is float64, one of several keys"


def _grouped(context: SetContext) -> Iterator[tuple[str, Parts]]:
    for path, placed in context.groups(ObjType.CATEGORICAL, ObjType.GROUPBY):
        version = placed[0][1].attributes.get("arkouda_version")
        is_wrong = placed[0][1].kind == ObjType.CATEGORICAL and version and version.value == _WRONG_GROUPING
        if not is_wrong:
            yield path, placed


def _keys(placed: Parts) -> list[str]:
    return [f"KEY_{number}" for number in placed[0][1].numbered("KEY_")]


def _rows(context: SetContext, placed: Parts, member: str) -> int | None:
    found: list[tuple[FileMetadata, Node | None]] = [(file, group.members.get(member)) for file, group in placed]
    return total_rows(context, found)


def _facts(context: SetContext, placed: Parts, member: str) -> Iterator[tuple[FileMetadata, NumberFacts]]:
    """Yield the facts of a member of integers for each file that has some."""
    for file, group in placed:
        facts = context.numbers(file, group.dataset(member))
        if facts is not None:
            yield file, facts


_INDEX = "Index"
_LEVELS = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.CATEGORICAL}


@rule("bigint.limbs", Severity.ERROR)
def bigint_limbs(context: SetContext) -> Iterator[Finding]:
    """A bigint has NumLimbs members Limb_0, Limb_1 and so on, of uint64, of one length."""
    for file, group in _bigints(context):
        found = group.numbered("Limb_")
        stored = _number(group.attributes.get("NumLimbs"))
        if list(found) != list(range(len(found))) or stored != len(found):
            yield file.path, group.path, f"NumLimbs is {stored}, limbs are {', '.join(map(str, found)) or 'none'}"
        elif any(str(node.type) != "uint64" for node in found.values() if isinstance(node, StoredDataset)):
            yield file.path, group.path, "has limbs of another type than uint64"
        elif len({rows_of(node) for node in found.values()}) > 1:
            yield file.path, group.path, f"has limbs of lengths {[rows_of(node) for node in found.values()]}"


@rule("bigint.max-bits", Severity.ERROR)
def max_bits(context: SetContext) -> Iterator[Finding]:
    """A bigint has MaxBits, -1 or more than 0."""
    for file, group in _bigints(context):
        stored = _number(group.attributes.get("MaxBits"))
        if stored is None or stored == 0 or stored < -1:
            yield file.path, group.path, f"MaxBits is {stored}"


@rule("bigint.agree", Severity.ERROR)
def bigint_agree(context: SetContext) -> Iterator[Finding]:
    """A bigint has the same NumLimbs and MaxBits in every file; servers take those of the first for all."""
    known: dict[str, list[int | None]] = {}
    for file, group in _bigints(context):
        found = [_number(group.attributes.get(name)) for name in ("NumLimbs", "MaxBits")]
        first = known.setdefault(group.path, found)
        if found != first and not _is_inside_segarray(context, group):
            yield file.path, group.path, f"NumLimbs and MaxBits are {found}, in the first file {first}"


@rule("arrayview.shape", Severity.ERROR)
def shape(context: SetContext) -> Iterator[Finding]:
    """An ArrayView has Rank and Shape, the same in every file, that fit the number of its elements."""
    for path, placed in context.by_path.items():
        views = [
            (file, node) for file, node in placed if _number(_attributes(node).get("ObjType")) == ObjType.ARRAYVIEW
        ]
        shapes = [_attributes(node).get("Shape") for _, node in views]
        for (file, node), stored in zip(views, shapes, strict=True):
            rank = _number(_attributes(node).get("Rank"))
            if stored is None or not isinstance(stored.value, list) or rank != len(stored.value):
                yield file.path, path, f"has Rank {rank} and Shape {None if stored is None else stored.value}"
            elif shapes[0] is not None and stored.value != shapes[0].value:
                yield file.path, path, f"has Shape {stored.value}, in the first file {shapes[0].value}"
            elif node is views[0][1] and context.is_complete and prod(stored.value) != (found := _elements(views)):
                yield file.path, path, f"has Shape {stored.value}, and {found} elements"


@rule("index.levels", Severity.ERROR)
def levels(context: SetContext) -> Iterator[Finding]:
    """Members of an Index are its levels, IDX_0, IDX_1 and so on; servers read any other member as one."""
    for path, placed in context.groups(ObjType.INDEX, ObjType.MULTIINDEX):
        for file, group in placed:
            numbers = group.numbered("IDX_")
            if list(numbers) != list(range(len(numbers))) or len(numbers) != len(group.members):
                yield file.path, path, f"has members {', '.join(group.members)}"


@rule("index.level-kinds", Severity.ERROR)
def level_kinds(context: SetContext) -> Iterator[Finding]:
    """Levels are pdarrays, Strings or Categoricals, the first of them no bigint; others are refused or dropped."""
    for _, placed in context.groups(ObjType.INDEX, ObjType.MULTIINDEX):
        for file, group in placed:
            for number, node in group.numbered("IDX_").items():
                kind = _kind(node)
                if kind not in _LEVELS:
                    yield file.path, node.path, f"is {'of no known kind' if kind is None else kind.label}"
                elif number == 0 and kind == ObjType.PDARRAY and isinstance(node, StoredGroup):
                    yield file.path, node.path, "is bigint, which servers write and then refuse"


@rule("index.rows", Severity.ERROR)
def index_rows(context: SetContext) -> Iterator[Finding]:
    """The levels of an Index have as many rows as each other."""
    yield from _unequal_rows(context, ObjType.INDEX, ObjType.MULTIINDEX)


@rule("dataframe.index", Severity.ERROR)
def dataframe_index(context: SetContext) -> Iterator[Finding]:
    """A DataFrame has a member Index, numbers or Strings."""
    for path, placed in context.groups(ObjType.DATAFRAME):
        for file, group in placed:
            found = group.members.get(_INDEX)
            if found is not None and _kind(found) not in {ObjType.PDARRAY, ObjType.STRINGS}:
                kind = _kind(found)
                yield file.path, path, f"has an Index that is {'of no known kind' if kind is None else kind.label}"


@rule("dataframe.rows", Severity.ERROR)
def dataframe_rows(context: SetContext) -> Iterator[Finding]:
    """The columns of a DataFrame have as many rows as its Index."""
    yield from _unequal_rows(context, ObjType.DATAFRAME)


@rule("dataframe.reserved", Severity.ERROR)
def reserved(context: SetContext) -> Iterator[Finding]:
    """No column of a DataFrame is called index in another case; clients take it for the Index."""
    for path, placed in context.groups(ObjType.DATAFRAME):
        for file, group in placed:
            taken = [name for name in group.members if name != _INDEX and name.lower() == _INDEX.lower()]
            if taken:
                yield file.path, path, f"has a column {taken[0]!r}"


@rule("dataframe.column-kinds", Severity.WARNING)
def column_kinds(context: SetContext) -> Iterator[Finding]:
    """Columns of a DataFrame have an ObjType; without, servers take groups for Strings."""
    for _, placed in context.groups(ObjType.DATAFRAME):
        for file, group in placed:
            for node in group.members.values():
                if isinstance(node, StoredGroup) and "ObjType" not in node.attributes:
                    yield file.path, node.path, "has no ObjType"


@rule("counts.agree", Severity.NOTE)
def counts(context: SetContext) -> Iterator[Finding]:
    """NumCols is the number of columns of a DataFrame, NumIdx of levels of an Index; nobody reads them."""
    for name, kinds in (("NumCols", (ObjType.DATAFRAME,)), ("NumIdx", (ObjType.INDEX, ObjType.MULTIINDEX))):
        for path, placed in context.groups(*kinds):
            for file, group in placed:
                stored, found = _number(group.attributes.get(name)), len([m for m in group.members if m != _INDEX])
                if stored != found:
                    yield file.path, path, f"{name} is {stored}, there are {found}"


def _unequal_rows(context: SetContext, *kinds: ObjType) -> Iterator[Finding]:
    """Yield members whose rows, over all files, are not as many as those of the first."""
    for path, placed in context.groups(*kinds):
        names = list(dict.fromkeys(name for _, group in placed for name in group.members))
        totals = {name: total_rows(context, [(file, g.members.get(name)) for file, g in placed]) for name in names}
        first = _INDEX if _INDEX in totals else next(iter(totals), "")
        for name, found in totals.items():
            if None not in {found, totals[first]} and found != totals[first]:
                yield placed[0][0].path, f"{path}/{name}", f"has {found} rows, {first} has {totals[first]}"


def _bigints(context: SetContext) -> Iterator[tuple[FileMetadata, StoredGroup]]:
    for _, placed in context.groups(ObjType.PDARRAY, ObjType.ARRAYVIEW):
        yield from ((file, group) for file, group in placed if "booleans" not in group.members)


def _is_inside_segarray(context: SetContext, group: StoredGroup) -> bool:
    outer = context.by_path.get(group.path.rpartition("/")[0], [])
    return any(_kind(node) == ObjType.SEGARRAY for _, node in outer)


def _elements(views: list[tuple[FileMetadata, Node]]) -> int:
    """Count the elements of an array in all files; for a multidimensional one of old files, over all dimensions."""
    return sum(prod(n.shape or (0,)) if isinstance(n, StoredDataset) else rows_of(n) or 0 for _, n in views)


def _kind(node: Node) -> ObjType | None:
    return node.kind if isinstance(node, (StoredGroup, StoredDataset)) else None


def _attributes(node: Node) -> dict[str, Attribute]:
    return dict(node.attributes) if isinstance(node, (StoredGroup, StoredDataset)) else {}


def _number(attribute: Attribute | None) -> int | None:
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else None


@rule("data.readable", Severity.ERROR)
def readable(context: SetContext) -> Iterator[Finding]:
    """All data can be read: it is not cut short, and its filters can undo what they did."""
    for file, node in context.datasets():
        if node.storage != "contiguous" and node.shape:
            context.read_through(file, node)
    for (path, name), text in context.damage.items():
        yield path, name, text


@rule("data.checksums", Severity.ERROR)
def checksums(context: SetContext) -> Iterator[Finding]:
    """All data is what was written, where a manifest beside the set has checksums of it."""
    if not context.read_data or not context.readable:
        return
    try:
        damages = verify([file.path for file in context.readable]).damages
    except FileError as error:
        yield context.readable[0].path, "", " ".join([error.message, *error.details])
        return
    for damage in damages:
        yield damage.path, damage.dataset or "", damage.text
