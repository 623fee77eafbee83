"""Frames whose rows depend on other rows: shifts, windows, fills, scans, expanding reductions and recurrences.

A partition's needs of others, such as a halo of some rows or the state of all rows before it, are found in a chain of
small tasks. Each takes the task before it and a part of its own partition.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from akdask._dask import Expr, List, Task, TaskRef
from akdask.columns.dtypes import BOOL, FLOAT64, NULLABLE_STR, ColumnType, unlimited
from akdask.columns.memory import new_array
from akdask.columns.summation import sum_integers
from akdask.columns.table import Table, concat_rows, spread, take_rows
from akdask.deferred import without_collection
from akdask.engine.alignment import row_bounds, slices_of_range
from akdask.engine.node import Frame, Node, RowSpace, lower
from akdask.engine.pipeline import Compile, pipeline
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.sinks import Reduce, Sink
from akdask.engine.values import ColumnRef, Value
from akdask.errors import ArgumentError
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.operators.windows.kernels import (
    SCANS,
    are_exact_as_floats,
    expanded_results,
    expanded_states,
    first_of_equals,
    last_total,
    linear_recurrence,
    merged_states,
    previous_in_group,
    reduced_integers,
    reduced_spans,
    reduced_windows,
    running_by_group,
    running_in_order,
    running_sums_by_group,
    span_blocks,
    span_ends,
    span_starts,
    window_quantiles,
)
from akdask.typing import NumberArray

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


class Differences(Frame):
    """The difference of each row of the only column and the row `distance` places before, where there is one.

    Of bools, whether they differ.  `given` are the partition lengths of `frame`.
    """

    no_more_rows = True

    frame: Project
    distance: int
    given: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Partition lengths: the first rows are missing."""
        return tuple(max(stop - max(start, self.distance), 0) for start, stop in row_bounds(self.given))

    @property
    def result(self) -> ColumnRef:
        """The differences."""
        return ColumnRef(self._name, 0, self.frame.values[0].dtype)

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        return _differences_of(self, next(iter(names)), arrays) if len(names) == 1 else None


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


class RunningInOrder(WithNeighbours):
    """Running results of column 0 of the projection for each of `count` groups, whose rows need not be adjacent.

    Column 1 has the number of each row's group, -1 for none.  With `backwards` they begin at the last row.
    """

    frame: Project
    scan: str
    count: int
    backwards: bool


class PreviousInGroup(WithNeighbours):
    """The position of the row before each row in one of `count` groups, -1 for none.

    Column 0 of the projection has the number of each row's group, -1 for none, column 1 the position of the row.
    """

    frame: Project
    count: int


TOTAL = "total"


# ------------------------------------------------------------------------------------------- shifts and windows of rows


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
def _(frame: Differences) -> Expr:
    return _differences_of(frame, 0)


def _differences_of(frame: Differences, name: Hashable, *arrays: Node) -> Expr:
    """Return tables of differences, or write them to an array of all rows."""
    starts = list(accumulate(frame.given, initial=0))
    calls = []
    for first, stop in row_bounds(frame.lengths):
        slices = slices_of_range(starts, first, stop + frame.distance) if first < stop else [(0, 0, 0)]
        refs = (*((0, number) for number, _, _ in slices), *((1, 0) for _ in arrays))
        bounds = tuple((start, end) for _, start, end in slices)
        calls.append((refs, (bounds, frame.distance, (name, first, stop))))
    return Tasks(f"{frame._name} {bool(arrays)}", _differences, tuple(calls), frame.frame, *arrays)


def _differences(
    inputs: Sequence[Any], bounds: Sequence[tuple[int, int]], distance: int, place: tuple[Hashable, int, int]
) -> Table:
    """Return the differences of rows in slices of partitions, the first of which have none."""
    parts = [
        next(iter(table.columns.values()))[start:stop] for table, (start, stop) in zip(inputs, bounds, strict=False)
    ]
    name, first, last = place
    is_alone = len(inputs) == len(bounds)
    out = new_array(last - first, parts[0].dtype) if is_alone else inputs[-1][name][first:last]
    difference = np.not_equal if out.dtype == np.bool_ else np.subtract
    ends = list(accumulate(map(len, parts), initial=0))
    row = 0
    # Each slice minus the one as far before: pieces end where one of the two does.
    for stop in sorted({min(max(end - shift, 0), len(out)) for end in ends for shift in (0, distance)}):
        if stop > row:
            upper, lower = (_rows_from(parts, ends, row + shift, stop - row) for shift in (distance, 0))
            with np.errstate(all="ignore"):
                difference(upper, lower, out=out[row:stop])
            row = stop
    return Table({0: out} if is_alone else {}, len(out))


def _rows_from(parts: Sequence[NumberArray], ends: Sequence[int], first: int, count: int) -> NumberArray:
    """Return some rows of one of several parts; the first of all is given."""
    number = bisect_right(ends, first) - 1
    return parts[number][first - ends[number] : first - ends[number] + count]


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
            found[number] = reduced_windows(name, rows, width, first, least=least, ddof=ddof)
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


# --------------------------------------------------------------------------------------------------- the last valid row


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


# -------------------------------------------------------------------------------------------- running results of groups


@lower.register
def _(frame: RunningOfGroups) -> Expr:
    return _after_earlier(frame, _last_group, _merged, (frame.scan,), _run, (frame.scan,))


def _after_earlier(  # noqa: PLR0917 - two steps and what they take
    frame: WithNeighbours,
    summarize: Callable[..., Any],
    merge: Callable[..., Any],
    merged_by: tuple[Any, ...],
    run: Callable[..., Table],
    given: tuple[Any, ...],
    *,
    backwards: bool = False,
) -> Expr:
    """Return tasks that compute each partition from its rows and the merged summaries of those before it, or after."""
    numbers = range(frame.npartitions)
    parts = Tasks(f"parts {frame._name}", summarize, tuple((((0, number),), given) for number in numbers), frame.frame)
    before = PartitionChain(f"before {frame._name}", merge, merged_by, backwards, parts)
    return Tasks(
        frame._name, run, tuple((((0, number), (1, number)), given) for number in numbers), frame.frame, before
    )


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


@lower.register
def _(frame: RunningInOrder) -> Expr:
    given = (frame.scan, frame.count, frame.backwards)
    step = (frame.scan,)
    return _after_earlier(
        frame, _states_of_groups, _merged_states, step, _run_in_order, given, backwards=frame.backwards
    )


def _states_of_groups(tables: Sequence[Table], scan: str, count: int, backwards: bool) -> Any:
    (table,) = tables
    values, groups = (table.columns[number][:: -1 if backwards else 1] for number in (0, 1))
    return running_in_order(scan, values, groups, count, None)[1]


def _merged_states(earlier: Any, part: Any, scan: str) -> Any:
    return part if earlier is None else running_in_order(scan, part, np.arange(len(part)), len(part), earlier)[1]


def _run_in_order(inputs: Sequence[Any], scan: str, count: int, backwards: bool) -> Table:
    table, before = inputs
    values, groups = (table.columns[number][:: -1 if backwards else 1] for number in (0, 1))
    found = running_in_order(scan, values, groups, count, before)[0]
    return Table({0: np.ascontiguousarray(found[:: -1 if backwards else 1]), 1: table.columns[1]}, table.nrows)


@lower.register
def _(frame: PreviousInGroup) -> Expr:
    return _after_earlier(frame, _last_rows_of_groups, _later_rows, (), _find_previous, (frame.count,))


def _last_rows_of_groups(tables: Sequence[Table], count: int) -> Any:
    (table,) = tables
    return previous_in_group(table.columns[0], table.columns[1], count, None)[1]


def _later_rows(earlier: Any, part: Any) -> Any:
    return part if earlier is None else np.maximum(earlier, part)


def _find_previous(inputs: Sequence[Any], count: int) -> Table:
    table, before = inputs
    groups, positions = table.columns[0], table.columns[1]
    return Table({0: previous_in_group(groups, positions, count, before)[0], 1: positions}, table.nrows)


# --------------------------------------------------------------------------------- expanding reductions and recurrences


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
    before = PartitionChain(f"totals before {frame._name}", _merged_totals, (frame.name,), False, parts)
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


def _merged_totals(earlier: States | None, part: States | None, name: str) -> States | None:
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


# ---------------------------------------------------------------------------------------------------- windows of a span


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
    ends = Tasks(f"ends {frame._name}", _span_end, calls, frame.frame)
    before = PartitionChain(f"spans before {frame._name}", _span_further, (frame.span, frame.with_bound), False, ends)
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


def _span_end(tables: Sequence[Table], span: int, with_bound: bool) -> Table:
    """Return the last rows of a partition that windows of later partitions contain."""
    (table,) = tables
    if not table.nrows:
        return table.own()
    groups, measure = table.columns[GROUP], table.columns[MEASURE]
    bound = max(int(measure[-1]) - span, NOT_A_TIME)
    is_out = measure < bound if with_bound else measure <= bound
    beyond = np.flatnonzero((groups != groups[-1]) | is_out)
    return table.slice(int(beyond[-1]) + 1 if len(beyond) else 0, table.nrows).own()


def _span_further(earlier: Table | None, part: Table, span: int, with_bound: bool) -> Table:
    return part if earlier is None else _span_end([Table.concat([earlier, part])], span, with_bound)


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
    blocks = span_blocks(groups, measure, span + (ahead or 0))
    found = {
        number: reduced_spans(
            name, column, starts, slice(first, stop), least=least, ddof=ddof, q=q, ends=ends, blocks=blocks
        )
        for number, column in rows.columns.items()
        if number not in (GROUP, MEASURE)
    }
    return Table(found, table.nrows)


# ---------------------------------------------------------------------------------------------------------------- scans


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

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        return _running(self, next(iter(names)), arrays) if len(names) == 1 else None

    def describe(self) -> str:
        return f"{self.scan} {self.frame.values[0]!r}"


@lower.register
def _(frame: RunningScan) -> Expr:
    return _running(frame, 0)


def _running(frame: RunningScan, name: Hashable, *arrays: Node) -> Expr:
    """Return tables of running results, or write them to an array of all rows."""
    project = frame.frame
    reduction = ScalarReduction(SCANS[frame.scan].reduction, project.values[0].dtype)

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return Reduce(compile_these([]), (), compile_these(values), ((0, reduction),), reduction.adds_floats)

    totals = pipeline(project.frame, project.values, sink, f"totals for {frame.scan}")
    count = project.npartitions
    offsets = Tasks(f"offsets {frame._name}", _offsets, ((_all(count), (reduction,)),), totals)
    lengths = (frame.rows.lengths or ()) if arrays else (0,) * count
    calls = tuple(
        (((0, index), (1, 0), *((2, 0) for _ in arrays)), (frame.scan, index, (name, first)))
        for index, (first, _) in enumerate(row_bounds(lengths))
    )
    return Tasks(f"{frame._name} {bool(arrays)}", _accumulate, calls, project, offsets, *arrays)


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


def _accumulate(inputs: Sequence[Any], scan: str, index: int, place: tuple[Hashable, int]) -> Table:
    table, before, *arrays = inputs
    name, first = place
    out = arrays[0][name][first : first + table.nrows] if arrays else None
    found = SCANS[scan].accumulate(table.columns[0], before[index], out)
    return Table({} if arrays else {0: found}, table.nrows)
