"""Histograms: the edges of the bins, which may depend on all rows, and how many rows fall into each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.errors import ArgumentError
from akdask.plan import sinks
from akdask.plan._dask import Expr
from akdask.plan.blocks import Lot, Partition
from akdask.plan.lower import lower
from akdask.plan.node import Frame
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Program, Whole
from akdask.plan.reduce import Aggregate, Reduction
from akdask.plan.tables import Tables, Tasks
from akdask.plan.values import ColumnRef, Replica, Value
from akdask.schema import FLOAT64, INT64, RowSpace
from akdask.typing import NumberArray


class Edges(Frame):
    """The edges of `bins` bins of equal width from the smallest to the largest value, or between given bounds."""

    frame: Frame
    value: Value
    bins: int
    bounds: tuple[float, float] | None

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.bins + 1])

    @property
    def edge(self) -> ColumnRef:
        """The edges."""
        return ColumnRef(self._name, 0, FLOAT64)


class Histogram(Frame):
    """The number of rows in each bin, the last of which includes its right edge."""

    edges: Edges

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.edges.bins])

    @property
    def count(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)

    def describe(self) -> str:
        return f"Histogram of {self.edges.value!r}  {self.edges.bins} bins"


@dataclass(frozen=True, slots=True)
class CountInBins:
    """Count the rows in each bin."""

    program: Program
    edges: Whole
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | Lot) -> NumberArray:
        edges = partition.replicas[self.edges.position][self.edges.field]
        counts = np.zeros(len(edges) - 1, np.int64)
        for block in partition.blocks():
            (values,) = block.evaluate(self.program)
            # NumPy has a faster way for bins of equal width than for given edges.
            counts += np.histogram(_as_number(values), len(counts), (edges[0], edges[-1]))[0]
        return counts


def _as_number(values: Any) -> NumberArray:
    return values.view(np.uint8) if values.dtype == np.bool_ else values


def _edges(results: Sequence[list[Any]], bins: int) -> Table:
    ((low, high),) = results
    return Table({0: bin_edges(low, high, bins)}, bins + 1)


def bin_edges(low: Any, high: Any, bins: int) -> NumberArray:
    """Return the edges of bins of equal width; around a single value, as NumPy does, they span 1.

    Raises
    ------
    ArgumentError
        If a bound is not finite.
    """
    if not np.isfinite(low) or not np.isfinite(high):
        raise ArgumentError(
            f"histogram: there are no bins from {low} to {high}.", hint="pass range=(low, high), both finite."
        )
    return np.histogram_bin_edges(np.array([low, high], np.float64), bins)


def _added(counts: Sequence[NumberArray]) -> Table:
    total = np.sum(counts, axis=0)
    return Table({0: total}, len(total))


@lower.register
def _(frame: Edges) -> Expr:
    if frame.bounds is not None:
        edges = bin_edges(*frame.bounds, frame.bins)
        return Tables(f"edges {frame._name}", (Table({0: edges}, len(edges)),), _determ_token=f"edges {frame._name}")
    extremes = Aggregate(frame.frame, (Reduction("min", frame.value), Reduction("max", frame.value)))
    return Tasks(frame._name, _edges, ((((0, 0),), (frame.bins,)),), extremes)


@lower.register
def _(frame: Histogram) -> Expr:
    edges = frame.edges

    def sink(compile_these: Compile, values: Sequence[Value]) -> sinks.Sink:
        (whole,) = compile_these(values[1:]).steps
        assert isinstance(whole, Whole), "a replica is whole"
        return CountInBins(compile_these(values[:1]), whole)

    counts = pipeline(edges.frame, [edges.value, Replica(edges, 0, FLOAT64)], sink, "count in bins")
    everything = tuple((0, index) for index in range(counts.npartitions))
    return Tasks(frame._name, _added, ((everything, ()),), counts)
