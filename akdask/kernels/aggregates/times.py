"""Reductions of times: exact in whole numbers, as floats do not hold nanoseconds since 1970.

Each takes int64 numbers of one unit, NaT being the smallest, and gives one of them or NaT.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.deferred import DeferredModule
from akdask.errors import TimeOverflowError
from akdask.kernels.aggregates.quantiles import ranks_of
from akdask.kernels.aggregates.select import select_rows
from akdask.kernels.aggregates.specification import Reduction, ScalarForm, State, giving
from akdask.schema import INT64
from akdask.schema.times import NOT_A_TIME
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.kernels.aggregates import runs
else:
    runs = DeferredModule("akdask.kernels.aggregates.runs")

_HALF = 32


@dataclass(frozen=True, slots=True)
class TimeTotal:
    """How many times some rows have, their sum, and how many are NaT."""

    count: int = 0
    total: int = 0
    missing: int = 0

    @classmethod
    def of(cls, column: NumberArray, mask: NumberArray | None) -> TimeTotal:
        """Return the total of the rows where a mask holds."""
        rows = select_rows(column, mask)
        missing = int(np.count_nonzero(rows == NOT_A_TIME)) if len(rows) and rows.min() == NOT_A_TIME else 0
        # Sums of both halves of the numbers do not overflow for four thousand million rows.
        high = int(np.add.reduce(rows >> _HALF))
        low = int(np.add.reduce(rows & np.int64(2**_HALF - 1)))
        return cls(len(rows) - missing, (high << _HALF) + low - missing * NOT_A_TIME, missing)

    def __add__(self, other: TimeTotal) -> TimeTotal:
        return TimeTotal(self.count + other.count, self.total + other.total, self.missing + other.missing)


def _sum(state: State) -> Any:
    if state.missing:
        return np.int64(NOT_A_TIME)
    if not NOT_A_TIME < state.total < -NOT_A_TIME:
        raise TimeOverflowError(
            f"the sum of {state.count} spans of time is {state.total} of their unit, more than 64 bits hold.",
            hint="a coarser unit holds more: as_unit('us').",
        )
    return np.int64(state.total)


def _mean(state: State) -> Any:
    if state.missing or not state.count:
        return np.int64(NOT_A_TIME)
    # Fractions of a unit are cut off, as pandas does.
    size = abs(state.total) // state.count
    return np.int64(size if state.total >= 0 else -size)


def _sorted_runs(column: NumberArray, mask: NumberArray | None) -> State:
    return runs.SortedRuns.of(select_rows(column, mask))


def _quantile(state: runs.SortedRuns, q: float | Sequence[float] = 0.5, method: str = "linear") -> Any:
    """Return one quantile or an array of several, NaT where a row is NaT or there are none."""
    wanted = np.atleast_1d(np.asarray(q, np.float64))
    found = np.full(len(wanted), NOT_A_TIME)
    if state.nrows and int(state.select(np.zeros(1, np.int64))[0]) != NOT_A_TIME:
        low, high, weight = ranks_of(np.full(len(wanted), state.nrows), wanted, method)
        pairs = zip(state.select(low).tolist(), state.select(high).tolist(), weight.tolist(), strict=True)
        found = np.array([start + _part(end - start, share) for start, end, share in pairs], np.int64)
    return found if np.ndim(q) else found[0]


def _part(distance: int, share: float) -> int:
    """Return a part of a distance, cut off to whole numbers."""
    return distance // 2 if share == 0.5 else math.floor(distance * share)


TIME_SUM = Reduction("time_sum", giving(INT64, INT64), scalar=ScalarForm(TimeTotal.of, add, _sum))
TIME_MEAN = Reduction("time_mean", giving(INT64, INT64), scalar=ScalarForm(TimeTotal.of, add, _mean))
TIME_QUANTILE = Reduction("time_quantile", giving(INT64, INT64), scalar=ScalarForm(_sorted_runs, add, _quantile))
