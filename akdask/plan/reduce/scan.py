"""Scans across partitions: the running results within each partition on top of the result of all before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from akdask.columns import Table
from akdask.kernels.aggregates.registry import ScalarReduction
from akdask.kernels.reductions.scan import SCANS
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef, Value
from akdask.plan.task import operators
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace, unlimited


class RunningScan(Frame):
    """A scan (`akdask.kernels.reductions.scan`) of the only column of a projection."""

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

    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        return operators.Reduce(compile_these([]), (), compile_these(values), ((0, reduction),), reduction.adds_floats)

    totals = pipeline(project.frame, project.values, sink, f"totals for {frame.scan}")
    count = project.npartitions
    offsets = Tasks(f"offsets {frame._name}", _offsets, ((_all(count), (reduction,)),), totals)
    calls = tuple((((0, index), (1, 0)), (frame.scan, index)) for index in range(count))
    return Tasks(frame._name, _accumulate, calls, project, offsets)


def _all(count: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, index) for index in range(count))


def _offsets(totals: Sequence[list[Any]], reduction: ScalarReduction) -> list[Any]:
    """Return for each partition the result of those before it, None where these have no rows."""
    state: Any = None
    before: list[Any] = [None]
    for (total,) in totals:
        # Of no rows there is no extreme, which has an empty tuple for its state.
        if total is not None and not (isinstance(total, tuple) and not total):
            state = reduction.merge(state, total)
        before.append(None if state is None else reduction.finalize(state))
    return before


def _accumulate(inputs: Sequence[Any], scan: str, index: int) -> Table:
    table, before = inputs
    return Table({0: SCANS[scan].accumulate(table.columns[0], before[index])}, table.nrows)
