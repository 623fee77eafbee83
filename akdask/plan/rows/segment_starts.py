"""Where segments start: those of lists among their values, and those of groups among their rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace


class SegmentStarts(Frame):
    """Where each segment starts, from the lengths that are the one column of `frame`."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def starts(self) -> ColumnRef:
        """The starts, int64: the sum of all lengths before."""
        return ColumnRef(self._name, 0, INT64)


@lower.register
def _(frame: SegmentStarts) -> Expr:
    # One task adds up the totals of all partitions: if each did so for itself, references would grow with the square.
    count = frame.npartitions
    totals = Tasks(f"total {frame._name}", _total, tuple((((0, k),), ()) for k in range(count)), frame.frame)
    firsts = Tasks(f"first {frame._name}", _firsts, ((tuple((0, k) for k in range(count)), ()),), totals)
    calls = tuple((((0, partition), (1, 0)), (partition,)) for partition in range(count))
    return Tasks(frame._name, _starts, calls, frame.frame, firsts)


def _total(tables: Sequence[Table]) -> int:
    (lengths,) = tables[0].columns.values()
    return int(lengths.sum())


def _firsts(totals: Sequence[int]) -> list[int]:
    return list(accumulate(totals, initial=0))


def _starts(inputs: Sequence[Any], partition: int) -> Table:
    table, firsts = inputs
    (lengths,) = table.columns.values()
    return Table({0: np.cumsum(lengths) - lengths + firsts[partition]}, table.nrows)
