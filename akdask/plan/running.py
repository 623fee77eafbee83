"""Running totals across partitions: those within each partition on top of the total of all before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.columns import Table
from akdask.kernels.reduce import REDUCTIONS, TOTALS
from akdask.kernels.scan import SCANS
from akdask.plan import sinks
from akdask.plan._dask import Expr
from akdask.plan.lower import lower
from akdask.plan.node import Frame
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.rowwise import Project
from akdask.plan.tables import Tasks
from akdask.plan.values import ColumnRef, Value
from akdask.schema import RowSpace


class Running(Frame):
    """A scan (`akdask.kernels.scan`) of the only column of a projection."""

    frame: Project
    scan: str

    @property
    def rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The running totals."""
        return ColumnRef(self._name, 0, TOTALS[self.frame.values[0].dtype])

    def describe(self) -> str:
        return f"{self.scan} {self.frame.values[0]!r}"


@lower.register
def _(frame: Running) -> Expr:
    project, reduction = frame.frame, SCANS[frame.scan].reduction

    def sink(compile_these: Compile, values: Sequence[Value]) -> sinks.Sink:
        return sinks.Reduce(compile_these([]), (), compile_these(values), ((0, reduction),))

    totals = pipeline(project.frame, project.values, sink, f"totals for {frame.scan}")
    count = project.npartitions
    offsets = Tasks(f"offsets {frame._name}", _offsets, ((_all(count), (reduction,)),), totals)
    calls = tuple((((0, index), (1, 0)), (frame.scan, index)) for index in range(count))
    return Tasks(frame._name, _accumulate, calls, project, offsets)


def _all(count: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, index) for index in range(count))


def _offsets(totals: Sequence[list[Any]], name: str) -> list[Any]:
    """Return for each partition the total of those before it, None where these have no rows."""
    merge = REDUCTIONS[name].merge
    before: list[Any] = [None]
    for (total,) in totals:
        last = before[-1]
        before.append(total if last is None else last if total is None else merge(last, total))
    return before


def _accumulate(inputs: Sequence[Any], scan: str, index: int) -> Table:
    table, before = inputs
    return Table({0: SCANS[scan].accumulate(table.columns[0], before[index])}, table.nrows)
