"""A sorted column as a broadcast table, in which every block of other rows is searched."""

from __future__ import annotations

from collections.abc import Sequence

from akdask.columns import Table
from akdask.kernels.index.sorted_keys import SortedKeys
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Replica, Value
from akdask.plan.task.combine import all_partitions
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace


class SortedTable(Frame):
    """All rows of the one column of `frame`, which ascends, in one partition."""

    frame: Project

    @classmethod
    def of(cls, frame: Frame, value: Value) -> SortedTable:
        """Return a sorted column of a frame."""
        return cls(Project(frame, (0,), (value,)))

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    def search(self, value: Value, side: str) -> Call:
        """Return where values of the same type would be inserted."""
        (column,) = self.frame.values
        return Call("searchsorted", Replica(self, 0, column.dtype), value, side=side)


@lower.register
def _(frame: SortedTable) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _in_order, ((everything, ()),), frame.frame)


def _in_order(tables: Sequence[Table]) -> list[SortedKeys]:
    (column,) = Table.concat(tables).columns.values()
    return [SortedKeys(column)]
