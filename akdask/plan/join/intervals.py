"""Intervals as a replicated index, in which every block of other rows is looked up."""

from __future__ import annotations

from collections.abc import Sequence

from akdask.columns import Table
from akdask.kernels.index.intervals import IntervalIndex, interval_index
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Replica, Value
from akdask.plan.task.combine import all_partitions
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace


class BuildIntervals(Frame):
    """An index of the intervals that the rows of `frame` are, in one partition.

    Of the columns the first `ndim` are lower bounds, as many are upper ones, and another may break ties.
    """

    frame: Project
    ndim: int
    as_line: bool

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    def find(self, values: Sequence[Value]) -> Call:
        """Return the number of the best interval that holds each value, -1 where there is none."""
        return Call("find_interval", Replica(self, 0, INT64), *values)


@lower.register
def _(frame: BuildIntervals) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _index, ((everything, (frame.ndim, frame.as_line)),), frame.frame)


def _index(tables: Sequence[Table], ndim: int, as_line: bool) -> list[IntervalIndex]:
    columns = list(Table.concat(tables).columns.values())
    tiebreak = columns[2 * ndim] if len(columns) > 2 * ndim else None
    return [interval_index(columns[:ndim], columns[ndim : 2 * ndim], tiebreak, as_line=as_line)]
