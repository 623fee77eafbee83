"""How often each whole number occurs: a table of counts for each partition, added up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.errors import ArgumentError
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.tables import Tasks
from akdask.schema import FLOAT64, INT64, RowSpace
from akdask.typing import NumberArray

MOST_COUNTS = 2**28


class Bincount(Frame):
    """The counts of the numbers from 0 to the largest in the first column of `frame`, at least `fewest`.

    A second column, where there is one, has what each number counts.
    """

    frame: Project
    fewest: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, 1)

    @property
    def count(self) -> ColumnRef:
        """The counts."""
        return ColumnRef(self._name, 0, INT64 if len(self.frame.values) == 1 else FLOAT64)


@lower.register
def _(frame: Bincount) -> Expr:
    count = frame.frame.npartitions
    calls = tuple((((0, partition),), (frame.fewest,)) for partition in range(count))
    counts = Tasks(f"counts {frame._name}", _counts, calls, frame.frame)
    everything = tuple((0, partition) for partition in range(count))
    return Tasks(frame._name, _added, ((everything, (frame.count.dtype.numpy,)),), counts)


def _counts(tables: Sequence[Table], fewest: int) -> NumberArray:
    (table,) = tables
    numbers: Any = table.columns[0]
    if table.nrows and (numbers.min() < 0 or numbers.max() >= MOST_COUNTS):
        raise ArgumentError(
            f"bincount counts numbers from 0 to {MOST_COUNTS - 1}.",
            details=[f"numbers: {numbers.min()} to {numbers.max()}"],
            hint="value_counts counts any elements.",
        )
    return np.bincount(numbers.astype(np.int64), table.columns.get(1), minlength=fewest)


def _added(counts: Sequence[NumberArray], dtype: np.dtype[Any]) -> Table:
    # NumPy gives integers for no rows, whatever they weigh.
    total = np.zeros(max(map(len, counts)), dtype)
    for part in counts:
        total[: len(part)] += part
    return Table({0: total}, len(total))
