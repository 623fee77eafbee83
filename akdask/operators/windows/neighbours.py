"""Frames whose rows depend on rows before or after them, also in other partitions: shifts, windows, fills, group scans.

A partition's needs of others, such as a halo of some rows, are found in a chain of small tasks. Each takes the task
before it and a part of its own partition.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr, List, Task, TaskRef
from akdask.columns.dtypes import BOOL, FLOAT64, NULLABLE_STR, ColumnType
from akdask.columns.table import Table, concat_rows, spread, take_rows
from akdask.deferred import without_collection
from akdask.engine.node import Frame, Node, RowSpace, lower
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef
from akdask.operators.windows.kernels import (
    are_exact_as_floats,
    last_total,
    reduced_integers,
    reduced_windows,
    running_by_group,
    running_sums_by_group,
    window_quantiles,
)

OUTSIDE = "outside"
"""Name of the column that marks rows from outside the frame."""


class PartitionChain(Node):
    """For each partition the summary of all partitions before it, or after it if `backwards`; None for the first.

    `step` merges the summary with the part of a partition, and takes further arguments.
    """

    token: str
    step: Callable[..., Any]
    args: tuple[Any, ...]
    backwards: bool
    parts: Expr

    @property
    def npartitions(self) -> int:
        count: int = self.parts.npartitions
        return count

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        keys: list[Hashable] = list(self.parts.__dask_keys__())
        order = range(self.npartitions)[:: -1 if self.backwards else 1]
        graph: dict[Any, Any] = {}
        earlier: list[Any] = []
        for number in order:
            key = (self._name, number)
            graph[key] = Task(key, _stepped, self.step, List(*earlier), *self.args)
            earlier = [TaskRef(key), TaskRef(keys[number])]
        return graph


def _stepped(step: Callable[..., Any], earlier: Sequence[Any], *args: Any) -> Any:
    return step(*earlier, *args) if earlier else None


class WithNeighbours(Frame):
    """Base of frames with the rows of one projection, each computed from rows before or after it as well."""

    no_more_rows = True

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.operands[0].rows

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.dtype_of(name))

    def dtype_of(self, name: Hashable) -> ColumnType:
        """Return the type of a column."""
        dtype: ColumnType = self.operands[0].column(name).dtype
        return dtype


class Shifted(WithNeighbours):
    """The rows `periods` places further down, or up if negative; rows from outside get the columns' fill values."""

    frame: Project
    periods: int
    fillings: tuple[Any, ...]

    def dtype_of(self, name: Hashable) -> ColumnType:
        dtype = super().dtype_of(name)
        return NULLABLE_STR if self.fillings[self.frame.names.index(name)] is None else dtype

    @property
    def outside(self) -> ColumnRef:
        """The mask of rows from outside the frame."""
        return ColumnRef(self._name, OUTSIDE, BOOL)

    def describe(self) -> str:
        return f"Shift by {self.periods}"


class Windows(WithNeighbours):
    """A reduction of the `before` rows before each one, the row itself and the `after` rows after it.

    It reduces each column of the projection. Columns are float64; sums and means also take integers.
    """

    frame: Project
    name: str
    before: int
    after: int
    least: int
    ddof: int
    q: float

    def dtype_of(self, name: Hashable) -> ColumnType:
        return FLOAT64

    def describe(self) -> str:
        return f"{self.name} of {self.before + 1 + self.after} rows"


class LastValid(WithNeighbours):
    """For each row, column 0 of the last row up to it, or of the first row from it on, where column 1 holds."""

    frame: Project
    backwards: bool


class RunningOfGroups(WithNeighbours):
    """Running results of column 0 of the projection for each group; column 1 has the groups, row by row.

    Results of `TOTAL` are the floats nearest to the running sums of integers.
    """

    frame: Project
    scan: str

    def dtype_of(self, name: Hashable) -> ColumnType:
        return FLOAT64 if name == 0 and self.scan == TOTAL else super().dtype_of(name)


TOTAL = "total"


# halos


def _end(tables: Sequence[Table], count: int) -> tuple[int, Table]:
    """Return the number of rows of a partition, and its last ones, or its first ``-count``."""
    (table,) = tables
    found = (
        table.slice(max(table.nrows - count, 0), table.nrows) if count > 0 else table.slice(0, min(-count, table.nrows))
    )
    return table.nrows, found.own()


def _further(earlier: tuple[int, Table] | None, part: tuple[int, Table], count: int) -> tuple[int, Table]:
    """Return the number of rows so far, and the last ones of them, or the first ``-count`` of the rows that follow."""
    if earlier is None:
        return part
    nrows, rows = earlier[0] + part[0], [earlier[1], part[1]]
    if part[1].nrows >= abs(count):
        return nrows, part[1]
    joined = Table.concat(rows if count > 0 else rows[::-1])
    return nrows, _end([joined], count)[1]


def _halos(frame: WithNeighbours, count: int) -> PartitionChain:
    """Return for each partition the `count` rows before it, or the ``-count`` after it, as far as they exist."""
    project: Project = frame.operands[0]
    calls = tuple((((0, number),), (count,)) for number in range(project.npartitions))
    ends = Tasks(f"ends {count} {frame._name}", _end, calls, project)
    return PartitionChain(f"halos {count} {frame._name}", _further, (count,), count < 0, ends)


@lower.register
def _(frame: Shifted) -> Expr:
    dtypes = tuple(value.dtype for value in frame.frame.values)
    calls = tuple(
        (((0, number), (1, number)), (frame.periods, dtypes, frame.fillings)) for number in range(frame.npartitions)
    )
    return Tasks(frame._name, _shift, calls, frame.frame, _halos(frame, frame.periods))


def _shift(inputs: Sequence[Any], periods: int, dtypes: Sequence[ColumnType], fillings: Sequence[Any]) -> Table:
    table, halo = inputs
    nrows = table.nrows
    beside = table.slice(0, 0) if halo is None else halo[1]
    missing = min(abs(periods) - beside.nrows, nrows)
    left = nrows - missing
    few = min(beside.nrows, left)
    # Rows from the next partition, and rows that stay: each is copied once, to its place.
    if periods > 0:
        beside, own = beside.slice(0, few), table.slice(0, left - few)
    else:
        beside, own = beside.slice(beside.nrows - few, beside.nrows), table.slice(nrows - left + few, nrows)
    outside = np.zeros(nrows, np.bool_)
    outside[slice(0, missing) if periods > 0 else slice(left, nrows)] = True
    columns: dict[Hashable, Any] = {OUTSIDE: outside}
    for (name, column), dtype, filling in zip(own.columns.items(), dtypes, fillings, strict=True):
        parts = [spread(filling, dtype, missing), beside.columns[name], column]
        columns[name] = concat_rows([part for part in parts[:: 1 if periods > 0 else -1] if len(part)] or [column])
    return Table(columns, nrows)


@lower.register
def _(frame: Windows) -> Expr:
    reductions = (frame.name, (frame.before, frame.after), frame.least, frame.ddof, frame.q)
    halos = [_halos(frame, count) for count in (frame.before, -frame.after) if count]
    inputs = [0, 1] if frame.before else [0]
    inputs += [len(inputs)] if frame.after else []
    calls = tuple((tuple((node, number) for node in inputs), reductions) for number in range(frame.npartitions))
    return Tasks(frame._name, _reduce_windows, calls, frame.frame, *halos)


def _reduce_windows(  # noqa: PLR0917 - the parameters of the node
    inputs: Sequence[Any], name: str, around: tuple[int, int], least: int, ddof: int, q: float
) -> Table:
    table, *halos = inputs
    before, after = around
    above = halos[0] if before else None
    below = halos[-1] if after else None
    first = 0 if above is None else above[0]
    found = {}
    for number, column in table.columns.items():
        width = before + 1 + after
        if column.dtype.kind != "f":
            parts = [column[:0] if halo is None else halo[1].columns[number] for halo in (above, below)]
            if not are_exact_as_floats([parts[0], column, parts[1]], width):
                found[number] = _reduce_integers(name, parts[0], column, parts[1], around, least)
                continue
        edges = [_edge(above, number, before), column, _edge(below, number, after, is_after=True)]
        rows = np.concatenate(edges)
        if name == "quantile":
            found[number] = window_quantiles(rows, width, q, least=least)
        else:
            found[number] = reduced_windows(name, rows, width, first - before, least=least, ddof=ddof)
    return Table(found, table.nrows)


def _reduce_integers(  # noqa: PLR0917 - what the caller knows
    name: str, above: Any, column: Any, below: Any, around: tuple[int, int], least: int
) -> Any:
    """Return sums or means of windows of integers; windows at the ends of the frame have fewer rows."""
    rows = np.concatenate([above, column, below])
    at = np.arange(len(above), len(above) + len(column))
    begins, ends = np.maximum(at - around[0], 0), np.minimum(at + around[1] + 1, len(rows))
    return reduced_integers(name, rows, begins, ends, least=least, before=(0, 0))


def _edge(halo: tuple[int, Table] | None, number: Hashable, count: int, *, is_after: bool = False) -> Any:
    """Return rows of a halo, with NaN for rows outside the frame."""
    edge = np.full(count, np.nan)
    if halo is not None and halo[1].nrows:
        rows = halo[1].columns[number]
        edge[slice(0, len(rows)) if is_after else slice(count - len(rows), count)] = rows
    return edge


# the last valid row


@lower.register
def _(frame: LastValid) -> Expr:
    project, backwards = frame.frame, frame.backwards
    count = project.npartitions
    parts = Tasks(
        f"valid {frame._name}", _last_valid, tuple((((0, number),), (backwards,)) for number in range(count)), project
    )
    before = PartitionChain(f"valid before {frame._name}", _latest, (), backwards, parts)
    calls = tuple((((0, number), (1, number)), (backwards,)) for number in range(count))
    return Tasks(frame._name, _fill, calls, project, before)


def _last_valid(tables: Sequence[Table], backwards: bool) -> Table | None:
    (table,) = tables
    rows = np.flatnonzero(table.columns[1])
    return table.take(rows[:1] if backwards else rows[-1:]).own() if len(rows) else None


def _latest(earlier: Table | None, part: Table | None) -> Table | None:
    return earlier if part is None else part


def _fill(inputs: Sequence[Any], backwards: bool) -> Table:
    table, known = inputs
    column, valid, nrows = table.columns[0], table.columns[1], table.nrows
    rows = np.arange(nrows)
    if backwards:
        at = np.minimum.accumulate(np.where(valid, rows, nrows)[::-1])[::-1]
        lacking = at == nrows
    else:
        at = np.maximum.accumulate(np.where(valid, rows, -1))
        lacking = at < 0
    if known is not None:
        column = concat_rows([column, known.columns[0]])
        at = np.where(lacking, nrows, at)
    else:
        # These have no valid row before them, and stay unchanged.
        at = np.where(lacking, rows, at)
    return Table({0: take_rows(column, at), 1: valid}, nrows)


# groups


@lower.register
def _(frame: RunningOfGroups) -> Expr:
    count = frame.npartitions
    parts = Tasks(
        f"last {frame._name}",
        _last_group,
        tuple((((0, number),), (frame.scan,)) for number in range(count)),
        frame.frame,
    )
    before = PartitionChain(f"groups before {frame._name}", _merged, (frame.scan,), False, parts)
    calls = tuple((((0, number), (1, number)), (frame.scan,)) for number in range(count))
    return Tasks(frame._name, _run, calls, frame.frame, before)


def _last_group(tables: Sequence[Table], scan: str) -> tuple[Any, bool]:
    """Return the group and result of the last row, and whether all rows belong to that group."""
    (table,) = tables
    column, groups = table.columns[0], table.columns[1]
    last = last_total(column, groups) if scan == TOTAL else running_by_group(scan, column, groups, None)[1]
    return last, bool(table.nrows and groups[0] == groups[-1])


def _merged(earlier: Any, part: tuple[Any, bool], scan: str) -> Any:
    last, is_one = part
    if earlier is None or last is None or not is_one or earlier[0] != last[0]:
        return last if last is not None else earlier
    if scan == TOTAL:
        return last[0], earlier[1] + last[1]
    more = np.array([last[1]])
    return running_by_group(scan, more, np.array([last[0]]), earlier)[1]


def _run(inputs: Sequence[Any], scan: str) -> Table:
    table, before = inputs
    column, groups = table.columns[0], table.columns[1]
    if scan == TOTAL:
        found = running_sums_by_group(column, groups, before)
    else:
        found, _ = running_by_group(scan, column, groups, before)
    return Table({0: found, 1: groups}, table.nrows)
