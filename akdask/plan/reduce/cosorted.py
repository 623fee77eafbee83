"""Whether the rows of several columns are in order: within each partition, and from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from akdask.columns import Table
from akdask.kernels.keys.sort import is_ascending
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.tables import Tasks
from akdask.schema import BOOL, RowSpace


class Cosorted(Frame):
    """Whether the rows of `frame` ascend by its columns, the first one first: one bool in one row."""

    frame: Project

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    @property
    def ascending(self) -> ColumnRef:
        """The answer."""
        return ColumnRef(self._name, 0, BOOL)


@lower.register
def _(frame: Cosorted) -> Expr:
    count = frame.frame.npartitions
    calls = tuple((((0, partition),), ()) for partition in range(count))
    parts = Tasks(f"ascending {frame._name}", _part, calls, frame.frame)
    everything = tuple((0, partition) for partition in range(count))
    return Tasks(frame._name, _joined, ((everything, ()),), parts)


def _part(tables: Sequence[Table]) -> tuple[bool, Table]:
    """Return whether the rows of a partition ascend, and its first and last row."""
    (table,) = tables
    edges = np.array([0, table.nrows - 1] if table.nrows else [], np.int64)
    return is_ascending(list(table.columns.values())), table.take(edges)


def _joined(parts: Sequence[tuple[bool, Table]]) -> Table:
    edges = Table.concat([table for _, table in parts])
    ascending = all(flag for flag, _ in parts) and is_ascending(list(edges.columns.values()))
    return Table({0: np.array([ascending])}, 1)
