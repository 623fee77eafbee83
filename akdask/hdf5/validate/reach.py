"""Which releases of Arkouda can read a set, by what it is made of.

Kinds of objects and forms of storage came and went: every one that a set has narrows the releases that read all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from akdask.hdf5.metadata.file_metadata import DatasetMetadata, Group, Node, rows_of
from akdask.hdf5.schema.layout import METADATA_GROUP, OLD_BOOLEANS
from akdask.hdf5.validate.context import Placed, SetContext
from akdask.storage.formats.objects import SEGMENTS, VALUES, ObjType


@dataclass(frozen=True, slots=True)
class Span:
    """Releases that know a form of storage: the first and the last, None where there is no bound."""

    form: str
    oldest: str | None = None
    newest: str | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """Releases that can read every object of a set.

    Parameters
    ----------
    oldest, newest : str or None
        The first and the last of them, None where there is no bound.
    reasons : tuple of str
        What sets the bounds, and what to mind within them.
    """

    oldest: str | None
    newest: str | None
    reasons: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no release reads all objects, because some came after others had gone."""
        return self.oldest is not None and self.newest is not None and self.oldest > self.newest

    def __str__(self) -> str:
        if self.is_empty:
            return f"no release reads all of it: some needs {self.oldest} or later, some {self.newest} or earlier"
        match self.oldest, self.newest:
            case None, None:
                return "all releases"
            case oldest, None:
                return f"{oldest} and later"
            case None, newest:
                return f"up to {newest}"
            case oldest, newest:
                return f"{oldest} to {newest}"


_SPANS = {
    ObjType.SEGARRAY: Span("SegArray", "v2023.03.01"),
    ObjType.CATEGORICAL: Span("Categorical", "v2023.05.05"),
    ObjType.GROUPBY: Span("GroupBy", "v2023.06.16"),
    ObjType.DATAFRAME: Span("DataFrame", "v2023.09.06"),
    ObjType.DATETIME: Span("Datetime", "v2023.09.06"),
    ObjType.TIMEDELTA: Span("Timedelta", "v2023.09.06"),
    ObjType.IPV4: Span("IPv4", "v2023.09.06"),
    ObjType.INDEX: Span("Index", "v2023.10.06"),
    ObjType.MULTIINDEX: Span("MultiIndex", "v2023.10.06"),
    ObjType.ARRAYVIEW: Span("ArrayView", "v2022.11.10", "v2024.06.21"),
}
_OLD_ARRAYVIEW = Span("ArrayView of the old form", "v2022.07.28", "v2022.10.13")
_OLD_BOOL = Span("bool of the old form", "v2020.10", "v2022.10.13")
_BOOL = Span("bool (integers before)", "v2022.11.10")
_BIGINT = Span("bigint", "v2023.06.16")
_NESTED = Span("SegArray of Strings or bigint", "v2023.06.16")
_NESTED_EMPTY = Span("SegArray of Strings with files without rows", "v2023.09.06")
_EMPTY_INSIDE = Span("SegArray with a file without rows before others", "v2023.03.24")
_NO_SEGMENTS = Span("Strings without segments, with calc_string_offsets=True", "v2021.08.20")


def reach_of(context: SetContext) -> Reach:
    """Return which releases can read the set, provided that it keeps the rules.

    Sources: the kinds that ``ServerConfig.chpl`` and ``HDF5Msg.chpl`` know at each of Arkouda's release tags.
    """
    spans = {(span, name) for name, placed in context.objects.items() for span in _spans_of(placed)}
    ordered = sorted(spans, key=lambda pair: (pair[0].oldest or "", pair[0].newest or "", pair[1]))
    oldest = max((span.oldest for span, _ in spans if span.oldest), default=None)
    newest = min((span.newest for span, _ in spans if span.newest), default=None)
    remarks = _remarks(context, oldest or "", newest or "v9999")
    return Reach(oldest, newest, (*(_told(span, name) for span, name in ordered), *remarks))


def _told(span: Span, name: str) -> str:
    since = f"since {span.oldest}" if span.oldest else ""
    until = f"until {span.newest}" if span.newest else ""
    return f"{name}: {span.form} {' '.join(filter(None, (since, until)))}"


def _spans_of(placed: list[Placed]) -> Iterator[Span]:
    """Yield what an object requires, judged by its shares in all files."""
    for _, node in placed:
        if isinstance(node, (Group, DatasetMetadata)):
            yield from _spans_of_node(node)
    groups = [node for _, node in placed if isinstance(node, Group) and node.kind == ObjType.SEGARRAY]
    rows = [rows_of(group) for group in groups]
    if 0 in rows and any(rows[rows.index(0) :]):
        yield _EMPTY_INSIDE
    if 0 in rows and any(_has_strings(group) for group in groups):
        yield _NESTED_EMPTY


def _spans_of_node(node: Group | DatasetMetadata) -> Iterator[Span]:
    attribute = node.attributes.get("ObjType")
    if attribute is not None and attribute.value == ObjType.ARRAYVIEW.label:
        yield _OLD_ARRAYVIEW
    elif attribute is not None and node.kind in _SPANS:
        yield _SPANS[node.kind]
    if isinstance(node, DatasetMetadata):
        marked = node.attributes.get("isBool")
        if marked is not None and marked.value == 1:
            yield _BOOL
        return
    match node.kind:
        case ObjType.PDARRAY:
            yield _OLD_BOOL if OLD_BOOLEANS in node.members else _BIGINT
        case ObjType.STRINGS if SEGMENTS not in node.members:
            yield _NO_SEGMENTS
        case ObjType.SEGARRAY if isinstance(node.members.get(VALUES), Group):
            yield _NESTED
        case ObjType.DATAFRAME | ObjType.INDEX | ObjType.MULTIINDEX | ObjType.GROUPBY:
            columns = (member for member in node.members.values() if isinstance(member, (Group, DatasetMetadata)))
            yield from (span for column in columns for span in _spans_of_node(column))


def _has_strings(group: Group) -> bool:
    inner = group.group(VALUES)
    return inner is not None and inner.kind == ObjType.STRINGS


def _remarks(context: SetContext, oldest: str, newest: str) -> Iterator[str]:
    """Yield what to mind of single releases inside the bounds."""
    if newest >= "v2022.11.10" and any(METADATA_GROUP in file.root.members for file in context.readable):
        yield f"load_all of releases since v2022.11.10 fails on the group {METADATA_GROUP}; read by name"
    bare = [name for name, placed in context.objects.items() if any(_is_bare(node) for _, node in placed)]
    if bare and oldest <= "v2022.11.10" <= newest:
        yield f"{', '.join(bare[:5])}{' …' if len(bare) > 5 else ''}: without ObjType, which v2022.11.10 refuses"
    if oldest <= "v2022.12.09" <= newest and any(_is_group(context, name) for name in bare):
        yield "v2022.12.09 takes Strings without ObjType for pdarrays"


def _is_group(context: SetContext, name: str) -> bool:
    return any(isinstance(node, Group) for _, node in context.objects[name])


def _is_bare(node: Node) -> bool:
    return isinstance(node, (Group, DatasetMetadata)) and "ObjType" not in node.attributes
