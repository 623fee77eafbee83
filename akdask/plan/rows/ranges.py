"""Concatenated ranges of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
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


class ConcatRanges(Frame):
    """A row for each number of ranges, which begin at the first column of `frame` and have the lengths in the second.

    Numbers of one range are `stride` apart.
    """

    frame: Project
    stride: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, self.frame.npartitions)

    @property
    def number(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


@lower.register
def _(frame: ConcatRanges) -> Expr:
    calls = tuple((((0, partition),), (frame.stride,)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _numbers, calls, frame.frame)


def _numbers(tables: Sequence[Table], stride: int) -> Table:
    starts: Any
    starts, lengths = tables[0].columns.values()
    total = int(lengths.sum())
    before = np.cumsum(lengths) - lengths
    numbers = np.repeat(starts - stride * before, lengths) + stride * np.arange(total)
    return Table({0: numbers}, total)
