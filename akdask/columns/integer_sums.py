"""Exact sums of integers beyond 64 bits, and their quotients, rounded once.

A group's sum is stored as its lower 64 bits, as int64, and the number of times ``2 ** 64`` is added to them, as int32:
nearly always 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.columns.exact import EXACT
from akdask.typing import NumberArray

HALF = 32
"""Bits of the lower half."""

LOW = 2**HALF - 1

MOST = 2**63 - 1
"""The largest sum that int64 and uint64 hold."""

FEW_BITS = 29
"""Bits of a divisor beside which ``rounded_once`` has enough of the quotient."""

WideTotals = tuple[NumberArray, NumberArray]


def largest_sum(integers: NumberArray) -> int:
    """Return a bound on the absolute value of the sum of any of the rows.

    Examples
    --------
    >>> largest_sum(np.array([1, -5, 2])), largest_sum(np.array([], np.int64))
    (15, 0)
    """
    if integers.dtype == np.bool_ or not len(integers):
        return len(integers)
    return max(int(integers.max()), -int(integers.min())) * len(integers)


def sum_exactly(integers: NumberArray) -> int:
    """Return the sum of integers or bools.

    Examples
    --------
    >>> sum_exactly(np.array([2**63 - 1, 2**63 - 1, -1])) == 2**64 - 3
    True
    """
    if integers.dtype == np.bool_:
        return int(np.count_nonzero(integers))
    if integers.dtype.itemsize < 8 or largest_sum(integers) <= MOST:
        return int(np.add.reduce(integers))
    return (int(np.add.reduce(integers >> HALF)) << HALF) + int(np.add.reduce(integers & LOW))


def completed(total: int, high: int) -> int:
    """Return a sum whose lower 64 bits are known, given the sum of the upper halves of the same rows.

    Examples
    --------
    >>> completed(-2, 2 * (2**31 - 1)) == 2 * (2**63 - 1)
    True
    """
    return (high << HALF) + (total - (high << HALF)) % 2**64


def halves(integers: NumberArray) -> tuple[NumberArray, NumberArray]:
    """Return how often ``2 ** 32`` is in integers, and the rest: sums of either do not overflow.

    Examples
    --------
    >>> [half.tolist() for half in halves(np.array([-1, 2**32 + 5]))]
    [[-1, 1], [4294967295, 5]]
    """
    return (integers >> HALF).astype(np.int64, copy=False), (integers & LOW).astype(np.int64, copy=False)


def wide_totals(totals: NumberArray) -> WideTotals:
    """Return sums that 64 bits hold.

    Examples
    --------
    >>> [column.tolist() for column in wide_totals(np.array([5, 2**64 - 1], np.uint64))]
    [[5, -1], [0, 1]]
    """
    signed = totals.view(np.int64)
    if totals.dtype == np.int64:
        return signed, np.zeros(len(totals), np.int32)
    return signed, (signed < 0).astype(np.int32)


def joined_halves(high: NumberArray, low: NumberArray) -> WideTotals:
    """Return sums, given the sums of both halves of the same integers."""
    upper = high + (low >> HALF)
    totals = (upper << HALF) | (low & LOW)
    return totals, ((upper - (totals >> HALF)) >> HALF).astype(np.int32)


def completed_totals(totals: NumberArray, high: NumberArray) -> WideTotals:
    """Return sums whose lower 64 bits are known, given the sums of the upper halves of the same integers."""
    low = totals.view(np.uint64) - (high.view(np.uint64) << HALF)
    return joined_halves(high + (low >> HALF).astype(np.int64), (low & LOW).astype(np.int64))


def add_totals(left: WideTotals, right: WideTotals) -> None:
    """Add sums to others, in place."""
    (totals, wraps), (more, more_wraps) = left, right
    is_negative, before = more < 0, totals.copy()
    totals += more
    wraps += more_wraps
    wraps += (~is_negative & (totals < before)).astype(np.int32)
    wraps -= (is_negative & (totals > before)).astype(np.int32)


def quotients(totals: NumberArray, wraps: NumberArray, counts: NumberArray) -> npt.NDArray[np.float64]:
    """Return the floats nearest to sums divided by numbers of rows; NaN where both are 0.

    Examples
    --------
    >>> quotients(*wide_totals(np.array([2**53 + 1, 2**62 + 3, -7])), np.array([1, 3, 2])).tolist()
    [9007199254740992.0, 1.5372286728091292e+18, -3.5]
    """
    found: npt.NDArray[np.float64] = np.divide(totals, counts, dtype=np.float64)
    if wraps.any() or (len(totals) and not -EXACT <= totals.min() <= totals.max() <= EXACT):
        # Dividing by a power of two does not round a second time.
        is_rounded_twice = (np.abs(totals) > EXACT) & ((counts & (counts - 1)) != 0)
        large = np.flatnonzero(is_rounded_twice | (wraps != 0))
        found[large] = _rounded_once(totals[large], wraps[large], counts[large])
    return found


def _rounded_once(totals: NumberArray, wraps: NumberArray, counts: NumberArray) -> npt.NDArray[np.float64]:
    """Divide sums above `EXACT`, with more bits behind the point than floats keep.

    If a remainder is left behind these bits, the last bit is set, so that no number lies in the middle of two floats
    unless the quotient does.
    """
    # Long division in halves of 32 bits: the upper half, then its remainder with the lower half.
    upper, rest = np.divmod((wraps.astype(np.int64) << HALF) + (totals >> HALF), counts)
    # Quotients of more bits are computed by Python's integers at the end.
    fits = (counts < 2**FEW_BITS) & (upper == upper << HALF >> HALF)
    lower, rest = np.divmod((rest << HALF) | (totals & LOW), counts)
    floors = (upper << HALF) + lower
    # Further bits behind the point, as many as int64 has room for.
    bits = np.maximum(62 - np.maximum(np.frexp(floors)[1], np.frexp(counts)[1]), 0).astype(np.int64)
    behind, left = np.divmod(rest << bits, counts)
    found: npt.NDArray[np.float64] = np.ldexp((((floors << bits) + behind) | (left != 0)).astype(np.float64), -bits)
    others = np.flatnonzero(~fits)
    parts = zip(totals[others].tolist(), wraps[others].tolist(), counts[others].tolist(), strict=True)
    found[others] = [(total + (wrapped << 64)) / count for total, wrapped, count in parts]
    return found
