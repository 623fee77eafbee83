"""Text stays where it is while rows are sorted: these carry its positions, and it is taken where somebody reads it.

Text that is sorted along is copied in slices for each new partition, range by range when these are put in order, and
when partitions are joined.  Where it is in the memory of this process, or is looked up in a table that is there,
positions say as much in 8 bytes, and text that nobody reads is not copied at all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from akdask._distributed import shares_memory
from akdask.cluster import memory
from akdask.columns.rows import nbytes
from akdask.columns.table import Table
from akdask.engine.needs import Need, inputs_first
from akdask.engine.node import Frame, Node
from akdask.engine.pending import PendingResult, result_in
from akdask.engine.rowwise import Chain, Project, Zip
from akdask.engine.sources import Literal, Persisted
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value
from akdask.operators.rewrite_rules import find_needs
from akdask.operators.rewriting import Inlined, rewritten
from akdask.operators.rows.take import SHARE_HERE, broadcast_columns, fits_broadcast
from akdask.operators.sort.runs import ROW
from akdask.operators.sort.sort import Sort

LOOKS_UP = frozenset({"lookup", "lookup_found", "take"})
"""Operations that find rows of a whole table, their first argument, at positions."""

POSITIONS = "positions"


class FoundText(NamedTuple):
    """A column that is found in a whole table at positions, which are values of the rows, by an operation."""

    operation: str
    table: Value
    positions: Value
    params: Mapping[str, Any]

    @classmethod
    def of(cls, value: Value) -> FoundText | None:
        """Return how text is found, None if a value is not text that is found so."""
        if value.dtype.kind != "str" or not isinstance(value, Call) or value.operation not in LOOKS_UP:
            return None
        table, positions = value.args
        is_found = isinstance(table, Replica) and not isinstance(positions, Replica | Constant)
        return cls(value.operation, table, positions, value.params) if is_found else None

    def at(self, positions: Value) -> Value:
        """Return the column at other positions."""
        return Call(self.operation, self.table, positions, **self.params)


def carry_positions(plans: Sequence[Node]) -> list[Node]:
    """Return plans in which sorted rows carry the positions of text where they can.

    It comes last: what looks for sorted rows finds their columns no more.
    """
    nodes = inputs_first(plans)
    if not any(isinstance(node, Sort) and _has_text(node) for node in nodes) or not shares_memory():
        return list(plans)
    return rewritten(plans, nodes, find_needs(nodes, plans), {Project: (_with_positions,), Sort: (_carrying,)})


def _has_text(sort: Sort) -> bool:
    """Whether text is sorted along; text alone is sorted as codes, of which it is made anew."""
    return sort.names != sort.by and any(sort.dtype_of(name).kind == "str" for name in sort.names)


def _carrying(sort: Sort, need: Need) -> Inlined | None:
    """Return a sort that carries positions of text, and the columns that are found by them; None if there are none.

    Numbers that are sorted by text are found so too: the numbers of rows alone are put in order sooner.
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
    """Return columns that stand beside others with positions of text, which is looked up by their readers."""
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
    """Yield those of some columns of a frame that can be found by positions: `row`, the number of each, or others."""
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
    """Whether columns are in the memory of this process, which has room to join the partitions of each."""
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
    return size <= memory() // SHARE_HERE


def _tables(base: Frame) -> list[Table] | None:
    """Return the partitions of a node that is in the memory of this process, None for others."""
    if isinstance(base, Literal):
        return list(base.tables)
    if not isinstance(base, Persisted):
        return None
    results = [result_in(base.graph[key]) for key in base.keys]
    tables = [result.in_memory if isinstance(result, PendingResult) else result for result in results]
    return tables if all(isinstance(table, Table) for table in tables) else None
