"""Reductions of times: exact in whole numbers, as floats do not hold nanoseconds since 1970.

Each takes int64 numbers of one unit, NaT being the smallest, and gives one of them or NaT.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.columns.dtypes import INT64, NOT_A_TIME
from akdask.columns.exact import EXACT
from akdask.engine.reduction import AdjacentRowGroups, DistinctForm, Reduction, ScalarForm, State, giving, select_rows
from akdask.errors import TimeOverflowError
from akdask.operators.reduce.quantiles import RankedRows, ranked_rows, ranks_of
from akdask.records import record
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from fractions import Fraction

_HALF = 32


@record
class TimeTotal:
    """The number of times among some rows, their sum, and the number of NaT."""

    count: int = 0
    total: int = 0
    missing: int = 0

    @classmethod
    def of(cls, column: NumberArray, mask: NumberArray | None) -> TimeTotal:
        """Return the total of the rows where a mask holds."""
        rows = select_rows(column, mask)
        missing = int(np.count_nonzero(rows == NOT_A_TIME)) if len(rows) and rows.min() == NOT_A_TIME else 0
        # Sums of both halves of the numbers do not overflow for 2**32 rows.
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
    # Fractions of a unit are truncated, as in pandas.
    size = abs(state.total) // state.count
    return np.int64(size if state.total >= 0 else -size)


def _ranked_rows(column: NumberArray, mask: NumberArray | None) -> State:
    return RankedRows.of(select_rows(column, mask))


def _quantile(state: RankedRows, q: float | Sequence[float] = 0.5, method: str = "linear") -> Any:
    """Return one quantile or an array of several, NaT where a row is NaT or there are none."""
    wanted = np.atleast_1d(np.asarray(q, np.float64))
    found = np.full(len(wanted), NOT_A_TIME)
    if state.nrows:
        low, high, weight = ranks_of(np.full(len(wanted), state.nrows), wanted, method)
        first, of_low, of_high = np.split(state.select(np.concatenate([[0], low, high])), [1, 1 + len(low)])
        if first[0] != NOT_A_TIME:
            found = times_between(of_low, of_high, weight, low)
    return found if np.ndim(q) else found[0]


def _quantile_of_groups(
    groups: AdjacentRowGroups,
    values: NumberArray,
    counts: NumberArray,
    missing: NumberArray,
    *,
    q: float = 0.5,
    method: str = "linear",
) -> NumberArray:
    """Return a quantile of each group; NaT if an unskipped row is NaT, or if there are no rows."""
    of_low, of_high, weight, low, rows = ranked_rows(groups, values, counts, missing, q, method)
    found = times_between(of_low, of_high, weight, low)
    # NaT that are not skipped are the first values of their groups.
    starts = groups.segments
    found[(rows == 0) | ((values[starts] == NOT_A_TIME) & ~missing[starts])] = NOT_A_TIME
    return found


def times_between(low: NumberArray, high: NumberArray, weight: NumberArray, rank: NumberArray) -> NumberArray:
    """Return numbers between two others, exactly where floats do not hold them; the rest of a unit is cut off.

    Parameters
    ----------
    low, high : ndarray of int64
        The numbers, the lower ones first.
    weight : ndarray of float64
        How far from the lower number to the higher one.
    rank : ndarray of int64
        The rank of the lower number, from 0: the weight is what a float of this size has behind the point.

    Examples
    --------
    >>> times_between(np.array([3, -8]), np.array([8, -3]), np.array([0.5, 0.5]), np.array([0, 0])).tolist()
    [5, -5]
    """
    if np.isin(weight, (0.0, 0.5)).all():
        middle = (low & high) + ((low ^ high) >> 1)
        middle += (middle < 0) & ((low ^ high) & 1 == 1)
        return np.where(weight == 0.5, middle, low)
    found = np.empty(len(low), np.int64)
    near = (low > -EXACT) & (high < EXACT)
    if near.any():
        start, end, share = (item[near].astype(np.float64) for item in (low, high, weight))
        # As NumPy, and thereby pandas, takes quantiles: from the nearer side.
        found[near] = np.where(share < 0.5, start + (end - start) * share, end - (end - start) * (1 - share))
    if not near.all():
        found[~near] = _exactly_between(*(item[~near] for item in (low, high, weight, rank)))
    return found


def _exactly_between(low: NumberArray, high: NumberArray, weight: NumberArray, rank: NumberArray) -> NumberArray:
    """Return numbers between others that floats do not hold."""
    pairs = list(zip(weight.tolist(), (4 * np.spacing(rank + 1.0)).tolist(), strict=True))
    meant = {pair: _fraction(*pair) for pair in set(pairs)}
    over = np.array([meant[pair].numerator for pair in pairs], object)
    under = np.array([meant[pair].denominator for pair in pairs], object)
    start, end = low.astype(object), high.astype(object)
    exact = start * under + (end - start) * over
    found: NumberArray = np.where(exact < 0, -(-exact // under), exact // under).astype(np.int64)
    return found


def _fraction(weight: float, tolerance: float) -> Fraction:
    """Return the number that a weight is meant as: 2/3 or 0.3, of which a float has the first digits."""
    from fractions import Fraction

    exact = Fraction(weight)
    for meant in (exact.limit_denominator(LARGEST_DENOMINATOR), Fraction(round(weight * DECIMALS), DECIMALS)):
        if abs(exact - meant) <= tolerance:
            return meant
    return exact


LARGEST_DENOMINATOR = 10_000
"""Of weights that are fractions of small numbers, as those between ranges of the same size are."""

DECIMALS = 10**12

TIME_SUM = Reduction("time_sum", giving(INT64, INT64), scalar=ScalarForm(TimeTotal.of, add, _sum))
TIME_MEAN = Reduction("time_mean", giving(INT64, INT64), scalar=ScalarForm(TimeTotal.of, add, _mean))
TIME_QUANTILE = Reduction(
    "time_quantile",
    giving(INT64, INT64),
    scalar=ScalarForm(_ranked_rows, add, _quantile),
    distinct=DistinctForm(_quantile_of_groups, of_numbers=True),
)
