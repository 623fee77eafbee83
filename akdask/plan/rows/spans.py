"""Reductions of the rows that lie less than a span before each row, within its group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.errors import ArgumentError
from akdask.kernels.reductions.spans import first_of_equals, reduced_spans, span_ends, span_starts
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.rowwise import Project
from akdask.plan.rows.neighbours import PartitionChain, WithNeighbours
from akdask.plan.task.tables import Tasks
from akdask.schema import FLOAT64, ColumnType

NOT_A_TIME = np.iinfo(np.int64).min

GROUP, MEASURE = "group", "measure"
"""Names of the columns of the projection that tell which rows belong together, and where each is."""


class SpanWindows(WithNeighbours):
    """A reduction of all columns of the projection but `GROUP` and `MEASURE`, which are int64.

    All others are float64, or for sums and means integers.

    Rows of a group stand together, and their measure ascends.  Windows end with their row, or before it, unless `ahead`
    says how far after it rows are within them.
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
    """Return the last rows of a partition, those that are in the windows of rows below it."""
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
    """Return the first rows of a partition, those that are in the windows of rows above it."""
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
        # A window that reaches less than a unit back still has its row.
        starts, ends = np.minimum(starts, np.arange(rows.nrows)), span_ends(groups, measure, ahead)
    found = {
        number: reduced_spans(name, column, starts, slice(first, stop), least=least, ddof=ddof, q=q, ends=ends)
        for number, column in rows.columns.items()
        if number not in (GROUP, MEASURE)
    }
    return Table(found, table.nrows)
