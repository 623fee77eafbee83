"""Rewrites of sorts: columns of the same rows are sorted together, and positions are sorted in place of text.

Text in the rows of a sort is copied into slices, again when ranges are sorted, and again when partitions are joined. If
it is in this process's memory, or is looked up in a table there, positions take its place in 8 bytes. Text that nobody
reads is then never copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from akdask.cluster import memory, shares_memory
from akdask.columns.table import Table, nbytes
from akdask.engine.memory import SpillableResult, result_in
from akdask.engine.node import Frame, Node
from akdask.engine.optimizer import Inlined, Need, Rule, inputs_first, rewritten
from akdask.engine.rowwise import Chain, Project, Zip
from akdask.engine.sources import Literal, Persisted
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value
from akdask.operators.rewrite_rules import find_needs
from akdask.operators.rows import tuning as rows_tuning
from akdask.operators.rows.plan import broadcast_columns, fits_broadcast
from akdask.operators.sort.plan import Sort
from akdask.operators.sort.ranges import ROW


def share_sorts(plans: Sequence[Node]) -> list[Node]:
    """Return plans with one sort for all columns of the same rows and keys."""
    nodes = inputs_first(plans)
    alike: defaultdict[str, dict[str, Sort]] = defaultdict(dict)
    for node in nodes:
        # Nodes with inputs of their own may depend on another sort.
        if type(node) is Sort and not any(value.awaits for value in node.frame.values):
            alike[f"{node.order.token} {node.frame.frame._name}"][node._name] = node
    merged: dict[str, Inlined] = {}
    for sorts in alike.values():
        if len(sorts) > 1:
            merged.update(_merged_sorts(list(sorts.values())))
    if not merged:
        return list(plans)
    rules: dict[type, Sequence[Rule]] = {Sort: (lambda sort, need: merged.get(sort._name),), Zip: (_each_once,)}
    return rewritten(plans, nodes, find_needs(nodes, plans), rules)


def _merged_sorts(sorts: list[Sort]) -> dict[str, Inlined]:
    """Return the merged place of each sort's columns; all sorts have the same keys and rows."""
    first = sorts[0]
    keys = [first.frame.values[first.frame.names.index(name)] for name in first.by]
    numbers = dict.fromkeys(value for sort in sorts for value in sort.frame.values)
    names: dict[Value, Hashable] = {value: number for number, value in enumerate(numbers)}
    if first.order.straddle:
        names[first.frame.values[first.frame.names.index(ROW)]] = ROW
    carried = {
        sort._name: {name: names[sort.frame.values[sort.frame.names.index(name)]] for name in sort.names}
        for sort in sorts
    }
    wanted = dict.fromkeys(name for moved_names in carried.values() for name in moved_names.values())
    project = Project(first.frame.frame, tuple(names.values()), tuple(names))
    sort = Sort(project, tuple(names[key] for key in keys), tuple(wanted), first.order)
    return {
        name: Inlined(sort, {old: sort.column(new) for old, new in moved_names.items()}, keeps_rows=True)
        for name, moved_names in carried.items()
    }


def _each_once(zipped: Zip, need: Need) -> Frame:
    frames = tuple({frame._name: frame for frame in zipped.frames}.values())
    return frames[0] if len(frames) == 1 else Zip(frames)


LOOKS_UP = frozenset({"lookup", "lookup_found", "take"})
"""Operations that take rows of a whole table, their first argument, at positions."""

POSITIONS = "positions"


class FoundText(NamedTuple):
    """A column of a whole table at positions, which are values of the rows."""

    operation: str
    table: Value
    positions: Value
    params: Mapping[str, Any]

    @classmethod
    def of(cls, value: Value) -> FoundText | None:
        """Return the table and positions of a value, None if it is not text taken from a table."""
        if value.dtype.kind != "str" or not isinstance(value, Call) or value.operation not in LOOKS_UP:
            return None
        table, positions = value.args
        is_found = isinstance(table, Replica) and not isinstance(positions, Replica | Constant)
        return cls(value.operation, table, positions, value.params) if is_found else None

    def at(self, positions: Value) -> Value:
        """Return the column at other positions."""
        return Call(self.operation, self.table, positions, **self.params)


def carry_positions(plans: Sequence[Node]) -> list[Node]:
    """Return plans in which sorted rows carry positions of text where possible.

    This rewrite comes last, since other rules would not recognise the columns afterwards.
    """
    nodes = inputs_first(plans)
    if not any(isinstance(node, Sort) and _has_text(node) for node in nodes) or not shares_memory():
        return list(plans)
    return rewritten(plans, nodes, find_needs(nodes, plans), {Project: (_with_positions,), Sort: (_carrying,)})


def _has_text(sort: Sort) -> bool:
    """Whether text is carried by a sort; a sort of text alone uses codes, from which the text is made again."""
    return sort.names != sort.by and any(sort.dtype_of(name).kind == "str" for name in sort.names)


def _carrying(sort: Sort, need: Need) -> Inlined | None:
    """Return a sort that carries positions of text, and the columns taken at these; None without such columns.

    Numbers that are sorted by text are taken so too, since sorting row numbers alone is faster.
    """
    if not _has_text(sort):
        return None
    project = sort.frame
    values = dict(zip(project.names, project.values, strict=True))
    is_by_text = [sort.dtype_of(name).kind for name in sort.by] == ["str"]
    sought = {name: values[name] for name in sort.names if is_by_text or values[name].dtype.kind == "str"}
    found = dict(_found(project.frame, sought, values.get(ROW)))
    if not found:
        return None
    carried: dict[Value, Hashable] = {values[name]: name for name in sort.by}
    if ROW in values:
        carried[values[ROW]] = ROW
    for number, value in enumerate(found[name].positions if name in found else values[name] for name in sort.names):
        carried.setdefault(value, (POSITIONS, number))
    names = {name: carried[found[name].positions if name in found else values[name]] for name in sort.names}
    wanted = tuple(dict.fromkeys(names.values()))
    result = Sort(Project(project.frame, tuple(carried.values()), tuple(carried)), sort.by, wanted, sort.order)
    columns = {name: result.column(names[name]) for name in sort.names}
    return Inlined(
        result,
        {name: found[name].at(column) if name in found else column for name, column in columns.items()},
        keeps_rows=True,
    )


def _with_positions(project: Project, need: Need) -> Inlined | None:
    """Return columns beside others, with positions of text in place of text; readers take the text."""
    if not all(isinstance(reader, Zip) for reader in need.readers):
        return None
    columns = dict(zip(project.names, project.values, strict=True))
    found = {name: text for name in project.names if (text := FoundText.of(columns[name])) is not None}
    if not found:
        return None
    others = {name: value for name, value in columns.items() if name not in found}
    at = {text.positions: (POSITIONS, number) for number, text in enumerate(found.values())}
    result = Project(project.frame, (*others, *at.values()), (*others.values(), *at))
    looked_up = {name: text.at(result.column(at[text.positions])) for name, text in found.items()}
    return Inlined(result, {name: result.column(name) for name in others} | looked_up, keeps_rows=True)


def _found(frame: Frame, columns: Mapping[Hashable, Value], row: Value | None) -> Iterator[tuple[Hashable, FoundText]]:
    """Yield the columns of a frame that can be taken at positions: at `row`, the row number, or at others."""
    stored = {}
    for name, value in columns.items():
        looked_up = FoundText.of(value)
        if looked_up is not None:
            yield name, looked_up
        elif isinstance(value, ColumnRef) and value != row:
            stored[name] = value
    if row is not None and stored and _are_here(frame, list(stored.values())):
        distinct = list(dict.fromkeys(stored.values()))
        tables = dict(zip(distinct, broadcast_columns(frame, distinct), strict=True))
        for name, value in stored.items():
            yield name, FoundText("lookup", tables[value], row, {})


def _are_here(frame: Frame, columns: Sequence[ColumnRef]) -> bool:
    """Whether columns are in this process's memory, with room to join the partitions of each."""
    chain = Chain.of(frame)
    bases = {base._name: base for base in chain.bases}
    if chain.selections or not fits_broadcast(frame, columns):
        return False
    size = 0
    for column in columns:
        tables = _tables(bases[column.source])
        if tables is None:
            return False
        size += sum(nbytes(table.columns[column.name]) for table in tables)
    return size <= memory() // rows_tuning.BROADCAST_SHARE_HERE


def _tables(base: Frame) -> list[Table] | None:
    """Return the partitions of a node in this process's memory, None for others."""
    if isinstance(base, Literal):
        return list(base.tables)
    if not isinstance(base, Persisted):
        return None
    results = [result_in(base.graph[key]) for key in base.keys]
    tables = [result.in_memory if isinstance(result, SpillableResult) else result for result in results]
    return tables if all(isinstance(table, Table) for table in tables) else None
