"""Row numbers of frames, also of those whose number of rows is unknown when the plan is written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

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
    counts = [CountRows(frame.frame)] if lengths is None else []
    inputs = tuple((number, 0) for number in range(len(counts)))
    calls = tuple((inputs, (partition, lengths)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _number, calls, *counts)


def _number(counts: Sequence[Sequence[int]], partition: int, known: Sequence[int] | None) -> Table:
    (lengths,) = counts if known is None else [known]
    start, length = sum(lengths[:partition]), lengths[partition]
    return Table({0: np.arange(start, start + length)}, length)
