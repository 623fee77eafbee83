"""Rules on what the files of one set must have in common.  The server believes the first file about all."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.formats.hdf5.metadata import Dataset, Foreign, Group, Node, rows_of
from akdask.formats.hdf5.validation import Finding, Placed, SetContext, Severity, rule
from akdask.storage.objects import CODES, PERMUTATION, SEGMENTS, VALUES, ObjType

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
def kind(context: SetContext) -> Iterator[Finding]:
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
def width(context: SetContext) -> Iterator[Finding]:
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
    if isinstance(node, Group):
        return any(isinstance(member, Dataset) and not member.nrows for member in node.members.values())
    return rows_of(node) == 0


def _datasets(context: SetContext) -> Iterator[tuple[str, Dataset, Dataset]]:
    """Yield for each dataset of later files the path of the file, the dataset, and that of the first file."""
    for placed in context.by_path.values():
        found = [(file, node) for file, node in placed if isinstance(node, Dataset)]
        yield from ((file.path, node, found[0][1]) for file, node in found[1:])


def _kind_of(node: Node) -> str:
    if isinstance(node, Foreign) or node.kind is None:
        return "of no known kind"
    return f"{node.kind.label} in a {'group' if isinstance(node, Group) else 'dataset'}"


def _marked(node: Dataset) -> int:
    attribute = node.attributes.get("isBool")
    return 1 if attribute is not None and attribute.value == 1 else 0
