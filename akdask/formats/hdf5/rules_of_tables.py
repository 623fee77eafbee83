"""Rules on objects of several columns: bigint, ArrayView, Index, DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from akdask.formats.hdf5.metadata import Attribute, Dataset, FileMetadata, Group, Node, rows_of
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule, total_rows
from akdask.storage.objects import ObjType

_INDEX = "Index"
_LEVELS = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.CATEGORICAL}


@rule("bigint.limbs", Severity.ERROR)
def limbs(context: SetContext) -> Iterator[Finding]:
    """A bigint has NumLimbs members Limb_0, Limb_1 and so on, of uint64, of one length."""
    for file, group in _bigints(context):
        found = group.numbered("Limb_")
        stored = _number(group.attributes.get("NumLimbs"))
        if list(found) != list(range(len(found))) or stored != len(found):
            yield file.path, group.path, f"NumLimbs is {stored}, limbs are {', '.join(map(str, found)) or 'none'}"
        elif any(str(node.type) != "uint64" for node in found.values() if isinstance(node, Dataset)):
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
                elif number == 0 and kind == ObjType.PDARRAY and isinstance(node, Group):
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
                if isinstance(node, Group) and "ObjType" not in node.attributes:
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


def _bigints(context: SetContext) -> Iterator[tuple[FileMetadata, Group]]:
    for _, placed in context.groups(ObjType.PDARRAY, ObjType.ARRAYVIEW):
        yield from ((file, group) for file, group in placed if "booleans" not in group.members)


def _is_inside_segarray(context: SetContext, group: Group) -> bool:
    outer = context.by_path.get(group.path.rpartition("/")[0], [])
    return any(_kind(node) == ObjType.SEGARRAY for _, node in outer)


def _elements(views: list[tuple[FileMetadata, Node]]) -> int:
    """Count the elements of an array in all files; for a multidimensional one of old files, over all dimensions."""
    return sum(prod(n.shape or (0,)) if isinstance(n, Dataset) else rows_of(n) or 0 for _, n in views)


def _kind(node: Node) -> ObjType | None:
    return node.kind if isinstance(node, (Group, Dataset)) else None


def _attributes(node: Node) -> dict[str, Attribute]:
    return dict(node.attributes) if isinstance(node, (Group, Dataset)) else {}


def _number(attribute: Attribute | None) -> int | None:
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else None
