"""Frames whose rows depend on all earlier rows: expanding reductions, recurrences, time spans and scans."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import FLOAT64, ColumnType, unlimited
from akdask.columns.summation import sum_integers
from akdask.columns.table import Table
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.pipeline import Compile, Reduce, Sink, pipeline
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef, Value
from akdask.errors import ArgumentError
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.operators.windows.kernels import (
    SCANS,
    expanded_results,
    expanded_states,
    first_of_equals,
    linear_recurrence,
    merged_states,
    reduced_integers,
    reduced_spans,
    span_ends,
    span_starts,
)
from akdask.operators.windows.neighbours import PartitionChain, WithNeighbours

States = dict[Hashable, Any]
"""The state of a reduction, by column."""


class Expanded(WithNeighbours):
    """A reduction of each row and all rows before it, for each column of the projection.

    Columns are float64; sums and means also take integers.
    """

    frame: Project
    name: str
    least: int
    ddof: int

    def dtype_of(self, name: Hashable) -> ColumnType:
        return FLOAT64

    def describe(self) -> str:
        return f"{self.name} of all rows so far"


class Recurrence(WithNeighbours):
    """``y = factor * y + term``, row by row from 0.

    Columns 0 and 1 of the projection are factors and terms, float64. The results replace column 1.
    """

    frame: Project

    def describe(self) -> str:
        return "Recurrence"


@lower.register
def _(frame: Expanded) -> Expr:
    count = frame.npartitions
    parts = Tasks(
        f"totals {frame._name}", _total, tuple((((0, number),), (frame.name,)) for number in range(count)), frame.frame
    )
    before = PartitionChain(f"totals before {frame._name}", _merged, (frame.name,), False, parts)
    reduction = (frame.name, frame.least, frame.ddof)
    calls = tuple((((0, number), (1, number)), reduction) for number in range(count))
    return Tasks(frame._name, _expand, calls, frame.frame, before)


def _total(tables: Sequence[Table], name: str) -> States | None:
    (table,) = tables
    if not table.nrows:
        return None
    return {number: _last_state(name, column) for number, column in table.columns.items()}


def _last_state(name: str, column: Any) -> Any:
    """Return the state of a reduction of a whole column; for integers, their number and their sum."""
    if column.dtype.kind != "f":
        return len(column), sum_integers(column)
    return tuple(part[-1:] for part in expanded_states(name, column))


def _merged(earlier: States | None, part: States | None, name: str) -> States | None:
    if earlier is None or part is None:
        return part if earlier is None else earlier
    return {number: _merged_state(name, state, part[number]) for number, state in earlier.items()}


def _merged_state(name: str, one: Any, other: Any) -> Any:
    if isinstance(one[1], int):
        return one[0] + other[0], one[1] + other[1]
    return merged_states(name, one, other)


def _expand(inputs: Sequence[Any], name: str, least: int, ddof: int) -> Table:
    table, before = inputs
    found = {}
    for number, column in table.columns.items():
        if column.dtype.kind != "f":
            begins, ends = np.zeros(len(column), np.int64), np.arange(1, len(column) + 1)
            known = (0, 0) if before is None else before[number]
            found[number] = reduced_integers(name, column, begins, ends, least=least, before=known)
            continue
        states = expanded_states(name, column)
        merged = states if before is None else merged_states(name, before[number], states)
        found[number] = expanded_results(name, merged, least=least, ddof=ddof)
    return Table(found, table.nrows)


@lower.register
def _(frame: Recurrence) -> Expr:
    count = frame.npartitions
    parts = Tasks(f"last {frame._name}", _last, tuple((((0, number),), ()) for number in range(count)), frame.frame)
    before = PartitionChain(f"last before {frame._name}", _continued, (), False, parts)
    calls = tuple((((0, number), (1, number)), ()) for number in range(count))
    return Tasks(frame._name, _recur, calls, frame.frame, before)


def _last(tables: Sequence[Table]) -> tuple[float, float]:
    """Return the product of all factors of a partition, and its last result from 0."""
    (table,) = tables
    products, results = linear_recurrence(*_both(table))
    return (float(products[-1]), float(results[-1])) if table.nrows else (1.0, 0.0)


def _continued(earlier: tuple[float, float] | None, part: tuple[float, float]) -> tuple[float, float]:
    if earlier is None:
        return part
    return earlier[0] * part[0], earlier[1] * part[0] + part[1]


def _recur(inputs: Sequence[Any]) -> Table:
    table, before = inputs
    factors, terms = _both(table)
    products, results = linear_recurrence(factors, terms)
    return Table({0: factors, 1: results if before is None else results + products * before[1]}, table.nrows)


def _both(table: Table) -> tuple[Any, Any]:
    return table.columns[0], table.columns[1]


NOT_A_TIME = np.iinfo(np.int64).min

GROUP, MEASURE = "group", "measure"
"""Names of the columns with each row's group and its measure."""


class SpanWindows(WithNeighbours):
    """A reduction of all columns of the projection but `GROUP` and `MEASURE`, which are int64.

    All other columns are float64; sums and means also take integers.

    Rows of a group are adjacent, and their measure ascends. Windows end with their row or before it, or reach `ahead`
    after it.
    """

    frame: Project
    name: str
    span: int
    least: int
    ddof: int
    q: float
    with_bound: bool
    with_row: bool
    ahead: int | None = None

    def dtype_of(self, name: Hashable) -> ColumnType:
        return FLOAT64

    def describe(self) -> str:
        return f"{self.name} of spans"


@lower.register
def _(frame: SpanWindows) -> Expr:
    count = frame.npartitions
    calls = tuple((((0, number),), (frame.span, frame.with_bound)) for number in range(count))
    ends = Tasks(f"ends {frame._name}", _end, calls, frame.frame)
    before = PartitionChain(f"spans before {frame._name}", _further, (frame.span, frame.with_bound), False, ends)
    reduction = (frame.name, frame.span, frame.least, frame.ddof, frame.q, frame.with_bound, frame.with_row)
    if frame.ahead is None:
        wanted = tuple((((0, number), (1, number)), reduction) for number in range(count))
        return Tasks(frame._name, _reduce, wanted, frame.frame, before)
    to_head = tuple((((0, number),), (frame.ahead,)) for number in range(count))
    heads = Tasks(f"heads {frame._name}", _head, to_head, frame.frame)
    after = PartitionChain(f"spans after {frame._name}", _nearer, (frame.ahead,), True, heads)
    reaching = (*reduction, frame.ahead)
    within = tuple((((0, number), (1, number), (2, number)), reaching) for number in range(count))
    return Tasks(frame._name, _reduce, within, frame.frame, before, after)


def _end(tables: Sequence[Table], span: int, with_bound: bool) -> Table:
    """Return the last rows of a partition that windows of later partitions contain."""
    (table,) = tables
    if not table.nrows:
        return table.own()
    groups, measure = table.columns[GROUP], table.columns[MEASURE]
    bound = max(int(measure[-1]) - span, NOT_A_TIME)
    is_out = measure < bound if with_bound else measure <= bound
    beyond = np.flatnonzero((groups != groups[-1]) | is_out)
    return table.slice(int(beyond[-1]) + 1 if len(beyond) else 0, table.nrows).own()


def _further(earlier: Table | None, part: Table, span: int, with_bound: bool) -> Table:
    return part if earlier is None else _end([Table.concat([earlier, part])], span, with_bound)


def _head(tables: Sequence[Table], ahead: int) -> Table:
    """Return the first rows of a partition that windows of earlier partitions contain."""
    (table,) = tables
    if not table.nrows:
        return table.own()
    groups, measure = table.columns[GROUP], table.columns[MEASURE]
    bound = min(int(measure[0]) + ahead, -NOT_A_TIME - 1)
    beyond = np.flatnonzero((groups != groups[0]) | (measure > bound))
    return table.slice(0, int(beyond[0]) if len(beyond) else table.nrows).own()


def _nearer(later: Table | None, part: Table, ahead: int) -> Table:
    return part if later is None else _head([Table.concat([part, later])], ahead)


def _reduce(  # noqa: PLR0917 - the parameters of the node
    inputs: Sequence[Any],
    name: str,
    span: int,
    least: int,
    ddof: int,
    q: float,
    with_bound: bool,
    with_row: bool,
    ahead: int | None = None,
) -> Table:
    table, above, *below = inputs
    parts = [part for part in (above, table, *below) if part is not None]
    rows = table if len(parts) == 1 else Table.concat(parts)
    groups, measure = rows.columns[GROUP], rows.columns[MEASURE]
    first = 0 if above is None else above.nrows
    stop = first + table.nrows
    if table.nrows and measure.min() == NOT_A_TIME:
        raise ArgumentError("windows of a span of time need rows whose times are not missing.", hint="drop them first.")
    if ((measure[1:] < measure[:-1]) & (groups[1:] == groups[:-1])).any():
        raise ArgumentError(
            "windows of a span of time need rows in the order of their times.",
            hint="sort them first: df.sort_values('t').",
        )
    starts = span_starts(groups, measure, span, with_bound=with_bound)
    ends = None if with_row else first_of_equals(groups, measure)
    if ahead is not None:
        # A window of less than a unit still has its own row.
        starts, ends = np.minimum(starts, np.arange(rows.nrows)), span_ends(groups, measure, ahead)
    found = {
        number: reduced_spans(name, column, starts, slice(first, stop), least=least, ddof=ddof, q=q, ends=ends)
        for number, column in rows.columns.items()
        if number not in (GROUP, MEASURE)
    }
    return Table(found, table.nrows)


class RunningScan(Frame):
    """A scan (`akdask.operators.windows.kernels`) of the only column of a projection."""

    no_more_rows = True

    frame: Project
    scan: str

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The running results."""
        return ColumnRef(self._name, 0, SCANS[self.scan].types[unlimited(self.frame.values[0].dtype)])

    def describe(self) -> str:
        return f"{self.scan} {self.frame.values[0]!r}"


@lower.register
def _(frame: RunningScan) -> Expr:
    project = frame.frame
    reduction = ScalarReduction(SCANS[frame.scan].reduction, project.values[0].dtype)

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return Reduce(compile_these([]), (), compile_these(values), ((0, reduction),), reduction.adds_floats)

    totals = pipeline(project.frame, project.values, sink, f"totals for {frame.scan}")
    count = project.npartitions
    offsets = Tasks(f"offsets {frame._name}", _offsets, ((_all(count), (reduction,)),), totals)
    calls = tuple((((0, index), (1, 0)), (frame.scan, index)) for index in range(count))
    return Tasks(frame._name, _accumulate, calls, project, offsets)


def _all(count: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, index) for index in range(count))


def _offsets(totals: Sequence[list[Any]], reduction: ScalarReduction) -> list[Any]:
    """Return for each partition the result of all rows before it, None if there are none."""
    state: Any = None
    before: list[Any] = [None]
    for (total,) in totals:
        # No rows have no extreme; its state is an empty tuple.
        if total is not None and not (isinstance(total, tuple) and not total):
            state = reduction.merge(state, total)
        before.append(None if state is None else reduction.finalize(state))
    return before


def _accumulate(inputs: Sequence[Any], scan: str, index: int) -> Table:
    table, before = inputs
    return Table({0: SCANS[scan].accumulate(table.columns[0], before[index])}, table.nrows)
