"""Row numbers of frames, also of those whose number of rows is unknown when the plan is written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.sources import Rows
from akdask.plan.expr.values import ColumnRef
from akdask.plan.reduce.aggregate import CountRows
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace


class RowNumbers(Frame):
    """The numbers of the rows of `frame`, from 0; they are counted when the numbers are asked for, but only once."""

    no_more_rows = True

    frame: Frame

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def position(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


def row_numbers(frame: Frame) -> tuple[Frame, ColumnRef]:
    """Return the number of each row as a column; which one does not depend on whether rows have been counted."""
    rows = frame.rows
    numbers = Rows(rows.lengths) if rows.is_fixed and rows.lengths is not None else RowNumbers(frame)
    return numbers, numbers.position


@lower.register
def _(frame: RowNumbers) -> Expr:
    lengths = frame.rows.lengths
    if lengths is not None:
        known = tuple(((), bounds) for bounds in pairwise(accumulate(lengths, initial=0)))
        return Tasks(frame._name, _number_between, known)
    calls = tuple((((0, 0),), (partition,)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _number, calls, CountRows(frame.frame))


def _number(counts: Sequence[Sequence[int]], partition: int) -> Table:
    (lengths,) = counts
    start = sum(lengths[:partition])
    return _number_between((), start, start + lengths[partition])


def _number_between(inputs: Sequence[Any], start: int, stop: int) -> Table:
    return Table({0: np.arange(start, stop)}, stop - start)
