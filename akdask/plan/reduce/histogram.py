"""Histograms: the edges of the bins, which may depend on all rows, and how many rows fall into each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.kernels.reductions.histogram import bin_edges, count_in_bins
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import ColumnRef, Replica, Value
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr, TreeReduce
from akdask.plan.task import operators
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.program import BroadcastInput, Program
from akdask.plan.task.tables import Tables, Tasks
from akdask.schema import FLOAT64, INT64, RowSpace
from akdask.typing import NumberArray


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


@dataclass(frozen=True, slots=True)
class CountInBins:
    """Count the rows in each bin."""

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


@dataclass(frozen=True, slots=True)
class AddCounts:
    """Add up counts of some partitions, and make a column of the last ones."""

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

    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        # One by one, since dimensions may have the same edges.
        inputs = [step for value in values[count:] for step in compile_these([value]).steps]
        return CountInBins(
            compile_these(values[:count]), tuple(step for step in inputs if isinstance(step, BroadcastInput))
        )

    values = [*(edges.value for edges in frame.edges), *(Replica(edges, 0, FLOAT64) for edges in frame.edges)]
    counts = pipeline(frame.edges[0].frame, values, sink, "count in bins")
    return TreeReduce(AddCounts(False), AddCounts(True), counts)
