"""Histograms and bincounts: edges of bins, which may depend on all rows, and the number of rows in each bin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.columns.table import Table
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.pipeline import Compile, pipeline
from akdask.engine.rowwise import Project, Tables, Tasks
from akdask.engine.sinks import Sink
from akdask.engine.values import BroadcastInput, ColumnRef, Program, Replica, Value, token
from akdask.errors import ArgumentError
from akdask.operators.reduce import loops
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, TreeReduce
from akdask.records import record
from akdask.typing import NumberArray


def bin_edges(low: Any, high: Any, bins: int) -> NumberArray:
    """Return the edges of bins of equal width; around a single value they span 1, as in NumPy.

    Raises
    ------
    ArgumentError
        If a bound is not finite, or the bins are too narrow for float64.
    """
    if not np.isfinite(low) or not np.isfinite(high):
        raise ArgumentError(
            f"histogram: there are no bins from {low} to {high}.", hint="pass range=(low, high), both finite."
        )
    try:
        return np.histogram_bin_edges(np.array([low, high], np.float64), bins)
    except ValueError as error:
        raise ArgumentError(
            f"histogram: float64 does not tell {bins} bins from {low} to {high} apart.", hint="ask for fewer bins."
        ) from error


def count_in_bins(counts: NumberArray, columns: Sequence[NumberArray], edges: Sequence[NumberArray]) -> None:
    """Add the number of rows in each bin to `counts`; last bins include their right edges.

    Parameters
    ----------
    counts : ndarray of int64
        Counts of earlier rows, in row-major order of the bins.
    columns : sequence of ndarray
        One for each dimension.
    edges : sequence of ndarray of float64
        Edges of bins of equal width in each dimension.

    Examples
    --------
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> counts = np.zeros(4, np.int64)
    >>> count_in_bins(counts, [np.array([0, 2, 2]), np.array([1, 0, 0])], [edges, edges])
    >>> counts.tolist()
    [0, 1, 2, 0]
    """
    columns = [column.view(np.uint8) if column.dtype == np.bool_ else column for column in columns]
    if len(columns) == 1:
        # NumPy has a faster way for bins of equal width than for given edges.
        (column,), (bounds,) = columns, edges
        counts += np.histogram(column, len(bounds) - 1, (bounds[0], bounds[-1]))[0]
    elif len(columns) == 2 and _have_steps(edges):
        x, y = (np.ascontiguousarray(column, np.float64) for column in columns)
        loops.add_pairs(counts, x, y, *edges)
    elif _have_steps(edges):
        add_numbered(counts, columns, edges, _bins_of_steps)
    else:
        add_numbered(counts, columns, edges, bins_between)


Numbering = Callable[[NumberArray, NumberArray], NumberArray]


def add_numbered(
    counts: NumberArray, columns: Sequence[NumberArray], edges: Sequence[NumberArray], numbering: Numbering
) -> None:
    """Do the same as `count_in_bins`, for any number of dimensions; a function finds the bins in each."""
    bins_of_rows = np.zeros(len(columns[0]), np.int64)
    inside = np.ones(len(columns[0]), np.bool_)
    for column, bounds in zip(columns, edges, strict=True):
        bins = len(bounds) - 1
        numbers = numbering(column, bounds)
        inside &= (numbers >= 0) & (numbers < bins)
        bins_of_rows = bins_of_rows * bins + numbers
    np.add.at(counts, bins_of_rows[inside], 1)


def bins_between(column: NumberArray, bounds: NumberArray) -> NumberArray:
    """Return the bin of each row, for any widths; the number of bins or -1 for rows in no bin."""
    # NaN sort after all edges, so that they are in no bin either.
    numbers: NumberArray = bounds.searchsorted(column, "right") - 1
    numbers[column == bounds[-1]] -= 1
    return numbers


def _bins_of_steps(column: NumberArray, bounds: NumberArray) -> NumberArray:
    """Return the bins of rows for bins of equal width: calculated, then corrected by the edges."""
    # Edges are floats, and NumPy compares integers with them as floats.
    rows = column.astype(np.float64, copy=False)
    bins = len(bounds) - 1
    inside = (rows >= bounds[0]) & (rows <= bounds[-1])
    if not inside.all():
        rows = np.where(inside, rows, bounds[0])
    numbers: NumberArray = ((rows - bounds[0]) * _steps(bounds)).astype(np.int64)
    np.minimum(numbers, bins - 1, out=numbers)
    numbers -= rows < bounds[numbers]
    numbers += (rows >= bounds[numbers + 1]) & (numbers < bins - 1)
    numbers[~inside] = -1
    return numbers


def _steps(bounds: NumberArray) -> Any:
    """Return the number of bins in a unit."""
    with np.errstate(over="ignore", divide="ignore"):
        return (len(bounds) - 1) / (bounds[-1] - bounds[0])


def _have_steps(edges: Sequence[NumberArray]) -> bool:
    """Whether bins can be calculated: not if they are at the limits of float64."""
    return all(0 < _steps(bounds) < np.inf for bounds in edges)


class Edges(Frame):
    """The edges of `bins` bins of equal width from the smallest to the largest value, or between given bounds.

    The extremes of `searched`, of which the value is one, are found in one pass over the rows.
    """

    frame: Frame
    value: Value
    bins: int
    bounds: tuple[float, float] | None
    searched: tuple[Value, ...]

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.bins + 1])

    @property
    def edge(self) -> ColumnRef:
        """The edges."""
        return ColumnRef(self._name, 0, FLOAT64)


class Histogram(Frame):
    """The number of rows in each bin, in row-major order where the edges have several dimensions.

    All edges are of values of one frame.  Last bins include their right edges.
    """

    edges: tuple[Edges, ...]

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([prod(edges.bins for edges in self.edges)])

    @property
    def count(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)

    def describe(self) -> str:
        values = ", ".join(repr(edges.value) for edges in self.edges)
        return f"Histogram of {values}  {' x '.join(str(edges.bins) for edges in self.edges)} bins"


@record
class CountInBins:
    """Counts the rows in each bin."""

    program: Program
    edges: tuple[BroadcastInput, ...]
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> NumberArray:
        edges = [partition.replicas[item.position][item.field] for item in self.edges]
        counts = np.zeros(prod(len(bounds) - 1 for bounds in edges), np.int64)
        for block in partition.blocks():
            count_in_bins(counts, block.evaluate(self.program), edges)
        return counts


def _edges(results: Sequence[list[Any]], position: int, bins: int) -> Table:
    low, high = results[0][2 * position : 2 * position + 2]
    return Table({0: bin_edges(low, high, bins)}, bins + 1)


@record
class AddCounts:
    """Adds the counts of some partitions, and makes a column of the last ones."""

    are_last: bool

    @property
    def token(self) -> str:
        return token("add counts", self.are_last)

    def __call__(self, counts: Sequence[NumberArray]) -> NumberArray | Table:
        total = sum(counts[1:], counts[0])
        return Table({0: total}, len(total)) if self.are_last else total


@lower.register
def _(frame: Edges) -> Expr:
    if frame.bounds is not None:
        edges = bin_edges(*frame.bounds, frame.bins)
        return Tables(f"edges {frame._name}", (Table({0: edges}, len(edges)),), _determ_token=f"edges {frame._name}")
    wanted = [AggregateExpr(name, value) for value in frame.searched for name in ("min", "max")]
    position = frame.searched.index(frame.value)
    return Tasks(frame._name, _edges, ((((0, 0),), (position, frame.bins)),), Aggregate(frame.frame, tuple(wanted)))


@lower.register
def _(frame: Histogram) -> Expr:
    count = len(frame.edges)

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        # One by one, since dimensions may have the same edges.
        inputs = [step for value in values[count:] for step in compile_these([value]).steps]
        return CountInBins(
            compile_these(values[:count]), tuple(step for step in inputs if isinstance(step, BroadcastInput))
        )

    values = [*(edges.value for edges in frame.edges), *(Replica(edges, 0, FLOAT64) for edges in frame.edges)]
    counts = pipeline(frame.edges[0].frame, values, sink, "count in bins")
    return TreeReduce(AddCounts(False), AddCounts(True), counts)


MOST_COUNTS = 2**28


class Bincount(Frame):
    """The counts of the numbers from 0 to the largest in the first column of `frame`, at least `fewest`.

    A second column, if present, has the weight of each number.
    """

    frame: Project
    fewest: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, 1)

    @property
    def count(self) -> ColumnRef:
        """The counts."""
        return ColumnRef(self._name, 0, INT64 if len(self.frame.values) == 1 else FLOAT64)


@lower.register
def _(frame: Bincount) -> Expr:
    count = frame.frame.npartitions
    calls = tuple((((0, partition),), (frame.fewest,)) for partition in range(count))
    counts = Tasks(f"counts {frame._name}", _counts, calls, frame.frame)
    everything = tuple((0, partition) for partition in range(count))
    return Tasks(frame._name, _added, ((everything, (frame.count.dtype.numpy,)),), counts)


def _counts(tables: Sequence[Table], fewest: int) -> NumberArray:
    (table,) = tables
    numbers: Any = table.columns[0]
    if table.nrows and (numbers.min() < 0 or numbers.max() >= MOST_COUNTS):
        raise ArgumentError(
            f"bincount counts numbers from 0 to {MOST_COUNTS - 1}.",
            details=[f"numbers: {numbers.min()} to {numbers.max()}"],
            hint="value_counts counts any elements.",
        )
    return np.bincount(numbers.astype(np.int64), table.columns.get(1), minlength=fewest)


def _added(counts: Sequence[NumberArray], dtype: np.dtype[Any]) -> Table:
    # NumPy gives integers for no rows, whatever their weights.
    total = np.zeros(max(map(len, counts)), dtype)
    for part in counts:
        total[: len(part)] += part
    return Table({0: total}, len(total))
