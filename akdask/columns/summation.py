"""Exact sums of integers beyond 64 bits, and sums of floats that are the same for any blocks, threads and workers.

A group's sum of integers is stored as its lower 64 bits, as int64, and the number of times ``2 ** 64`` is added to
them, as int32: nearly always 0.  Quotients are rounded once.

Rounding makes a sum of floats depend on the order of its additions, so the order is fixed.  Rows are counted from the
first of their partition, before any filter.  `UNIT` consecutive rows form a unit.  Within a unit, accumulator k adds up
the rows k, k + `ACCUMULATORS`, … in order. Then the second half of the accumulators is added to the first half until
one is left.  Rows that a filter drops add 0.  The sums of units are added up exactly and rounded once, so that neither
the order of the units nor the task or machine that computed them matters.  Blocks of rows begin where a unit begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.columns import tuning
from akdask.columns.exact import EXACT
from akdask.columns.memory import scratch
from akdask.records import record
from akdask.typing import NumberArray

# ------------------------------------------------------------------------------------------------------------- integers

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


def sum_integers(integers: NumberArray) -> int:
    """Return the sum of integers or bools.

    Examples
    --------
    >>> sum_integers(np.array([2**63 - 1, 2**63 - 1, -1])) == 2**64 - 3
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


# --------------------------------------------------------------------------------------------------------------- floats

UNIT = 2**15
"""Rows whose sum is computed separately."""

ACCUMULATORS = 2**8
"""Partial sums of a unit: the processor adds to several at a time."""

DIGITS = 53
"""Bits of the mantissa of a float64."""

SCALE = 1022 + 2 * DIGITS
"""Every float64 is a whole multiple of ``2 ** -SCALE``, also where its mantissa is written with all its bits."""

Floats = npt.NDArray[np.float64]


class UnitPositions(NamedTuple):
    """The positions of selected rows within the units of summation.

    Parameters
    ----------
    offsets : ndarray of int64
        Ascending, counted from the start of the first unit.
    extent : int
        Number of rows before the selection.
    """

    offsets: NumberArray
    extent: int


@record
class ExactSum:
    """A sum of floats without rounding.

    Parameters
    ----------
    scaled : int
        The sum of the finite ones, times ``2 ** SCALE``.
    special : float
        The sum of the others: infinite, NaN, or 0 if there are none.
    """

    scaled: int = 0
    special: float = 0.0

    @classmethod
    def of(cls, numbers: Floats) -> ExactSum:
        """Return the sum of some numbers.

        Examples
        --------
        >>> float(ExactSum.of(np.array([1e300, 1.0, -1e300])).rounded())
        1.0
        """
        finite = np.isfinite(numbers)
        if finite.all():
            return cls(_scaled(numbers))
        return cls(_scaled(numbers[finite]), float(sum(numbers[~finite].tolist())))

    def __add__(self, other: ExactSum) -> ExactSum:
        return ExactSum(self.scaled + other.scaled, self.special + other.special)

    def rounded(self) -> np.float64:
        """Return the nearest float."""
        if self.special != 0:
            return np.float64(np.nan if np.isnan(self.special) else self.special)
        return nearest(self.scaled, 1 << SCALE)


def _scaled(numbers: Floats) -> int:
    if not len(numbers):
        return 0
    mantissas, exponents = np.frexp(numbers)
    order = np.argsort(exponents)
    integers = np.ldexp(mantissas[order], DIGITS).astype(np.int64)
    shifts = exponents[order] + (SCALE - DIGITS)
    # Those with the same exponent are added first: there are few, and each takes a number of many digits.
    starts = np.flatnonzero(np.diff(shifts, prepend=-1))
    high, low = (np.add.reduceat(half, starts).tolist() for half in halves(integers))
    return sum(
        ((upper << HALF) + lower) << shift
        for upper, lower, shift in zip(high, low, shifts[starts].tolist(), strict=True)
    )


def _scaled_each(numbers: Floats) -> Iterator[int]:
    """Yield finite numbers times ``2 ** SCALE``."""
    mantissas, exponents = np.frexp(numbers)
    nfull = np.ldexp(mantissas, DIGITS).astype(np.int64).tolist()
    shifts = (exponents + (SCALE - DIGITS)).tolist()
    for number, shift in zip(nfull, shifts, strict=True):
        yield number << shift


def nearest(numerator: int, denominator: int) -> np.float64:
    """Return the float nearest to a fraction; infinite on overflow."""
    try:
        return np.float64(numerator / denominator)
    except OverflowError:
        return np.float64(np.inf if numerator > 0 else -np.inf)


def sum_exactly(
    column: NumberArray, mask: NumberArray | None = None, positions: UnitPositions | None = None
) -> ExactSum:
    """Return the sum of rows that begin where a unit does.

    Parameters
    ----------
    column : ndarray
        Numbers of any type, summed as float64.
    mask : ndarray of bool, optional
        Which rows count.
    positions : UnitPositions, optional
        Positions of the rows, if they are not adjacent.
    """
    if positions is not None:
        return ExactSum.of(_placed_sums(column, mask, positions))
    # Those of integers that are neither sums nor means are variances, of floats.
    rows = column.astype(np.float64, copy=False)
    if mask is None:
        return ExactSum.of(unit_sums(rows))
    if np.count_nonzero(mask) * tuning.FEW_SELECTED <= len(mask):
        return ExactSum.of(_sparse_sums(*_selected(rows, mask, None)))
    sums = unit_sums(rows, mask)
    if not np.isfinite(sums).all():
        # NaN or infinity times False is NaN: rows that were not selected may have spoilt the sum.
        sums = unit_sums(np.where(mask, rows, 0.0))
    return ExactSum.of(sums)


def unit_sums(rows: Floats, mask: NumberArray | None = None) -> Floats:
    """Return the sum of each unit; only finite numbers may be masked."""
    return _reduce_units(np.add, rows, mask)


def unit_products(rows: Floats) -> Floats:
    """Return the product of each unit."""
    return _reduce_units(np.multiply, rows, None)


def _placed_sums(column: NumberArray, mask: NumberArray | None, positions: UnitPositions) -> Floats:
    values, positions = _selected(column, mask, positions)
    if len(values) * tuning.FEW_PLACED <= positions.extent:
        return _sparse_sums(values, positions)
    return unit_sums(spread_out(values, positions, 0.0))


def _selected(
    column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None
) -> tuple[NumberArray, UnitPositions]:
    """Return the rows under a mask, and their positions."""
    if mask is None:
        return column, positions or UnitPositions(np.arange(len(column)), len(column))
    rows = np.flatnonzero(mask)
    found = (
        UnitPositions(rows, len(mask))
        if positions is None
        else UnitPositions(positions.offsets.take(rows), positions.extent)
    )
    return column.take(rows), found


def spread_out(values: NumberArray, positions: UnitPositions, between: float) -> Floats:
    """Return rows at their positions with a constant between them, in memory that this thread reuses."""
    rows = scratch(positions.extent * np.dtype(np.float64).itemsize).view(np.float64)
    rows.fill(between)
    rows[positions.offsets] = values
    return rows


def _sparse_sums(values: NumberArray, positions: UnitPositions) -> Floats:
    """Add up the rows of each accumulator, in order, as NumPy does."""
    return _sum_accumulators(values, _accumulator_numbers(positions.offsets), -(-positions.extent // UNIT))


def _accumulator_numbers(positions: NumberArray) -> NumberArray:
    """Return the accumulator of each row, numbered through all units."""
    # Divided by powers of two; NumPy would check the sign of each position.
    accumulators: NumberArray = positions >> (UNIT.bit_length() - 1)
    accumulators <<= ACCUMULATORS.bit_length() - 1
    accumulators |= positions & (ACCUMULATORS - 1)
    return accumulators


def _sum_accumulators(values: NumberArray, accumulators: NumberArray, units: int) -> Floats:
    sums = np.bincount(accumulators, values, units * ACCUMULATORS).astype(np.float64, copy=False)
    return _halved(np.add, sums.reshape(units, ACCUMULATORS))


def _reduce_units(ufunc: np.ufunc, rows: Floats, mask: NumberArray | None) -> Floats:
    nfull = len(rows) - len(rows) % UNIT
    units = _accumulate(ufunc, rows[:nfull].reshape(-1, UNIT // ACCUMULATORS, ACCUMULATORS), _shaped(mask, nfull))
    if nfull < len(rows):
        rest, rest_mask = rows[nfull:], None if mask is None else mask[nfull:]
        units = np.concatenate([units, _accumulate_rest(ufunc, rest, rest_mask)[np.newaxis]])
    return _halved(ufunc, units)


def _shaped(mask: NumberArray | None, nfull: int) -> NumberArray | None:
    return None if mask is None else mask[:nfull].reshape(-1, UNIT // ACCUMULATORS, ACCUMULATORS)


def _accumulate(ufunc: np.ufunc, rows: NumberArray, mask: NumberArray | None) -> Floats:
    """Return the accumulators of units: NumPy adds rows in order, as accumulators are adjacent in memory."""
    if mask is None:
        accumulators: Floats = ufunc.reduce(rows, axis=1)
        return accumulators
    return np.asarray(np.einsum("kij,kij->kj", rows, mask, dtype=np.float64, casting="unsafe"))


def _accumulate_rest(ufunc: np.ufunc, rows: Floats, mask: NumberArray | None) -> Floats:
    """Return the accumulators of a unit that the rows do not fill."""
    if mask is not None:
        rows = rows * mask
    nfull = len(rows) - len(rows) % ACCUMULATORS
    accumulators = np.full(ACCUMULATORS, float(ufunc.identity))
    if nfull:
        accumulators = ufunc.reduce(rows[:nfull].reshape(-1, ACCUMULATORS), axis=0)
    rest = accumulators[: len(rows) - nfull]
    ufunc(rest, rows[nfull:], out=rest)
    return accumulators


def _halved(ufunc: np.ufunc, accumulators: Floats) -> Floats:
    """Return the sum of the accumulators of each unit."""
    # The same accumulators of all units are adjacent, so that each step is one call.
    joined: Floats = np.ascontiguousarray(accumulators.T)
    width = ACCUMULATORS // 2
    while width:
        joined = ufunc(joined[:width], joined[width:])
        width //= 2
    sums: Floats = joined[0]
    return sums


@record
class Moments:
    """The state of a variance, merged without rounding.

    Parameters
    ----------
    count : int
        Number of rows.
    total : ExactSum
        Their sum.
    within : ExactSum
        The sums over units of the squared distances from the mean of the unit.
    squares : int
        The sum over units of the squared sum divided by the number of rows, times ``2 ** (2 * SCALE + GUARD)``.
    """

    count: int
    total: ExactSum
    within: ExactSum
    squares: int

    @classmethod
    def of(cls, column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> Moments:
        """Return the moments of rows that begin where a unit does; see `sum_exactly`."""
        if positions is None and (mask is None or np.count_nonzero(mask) * tuning.FEW_SELECTED > len(mask)):
            # Variances of integers are those of the nearest floats, as pandas' are.
            found = cls._of_units(column.astype(np.float64, copy=False), mask)
            # Unselected rows may have spoilt the sums, if they are not finite or very large.
            if mask is None or not (found.within.special or found.total.special):
                return found
        values, positions = _selected(column, mask, positions)
        return cls._of_placed(values.astype(np.float64, copy=False), positions)

    @classmethod
    def _of_units(cls, rows: Floats, mask: NumberArray | None) -> Moments:
        """Compute unit by unit, so that each unit stays in the core's cache."""
        sums = unit_sums(rows, mask)
        units = [slice(start, min(start + UNIT, len(rows))) for start in range(0, len(rows), UNIT)]
        counts = np.array([unit.stop - unit.start if mask is None else np.count_nonzero(mask[unit]) for unit in units])
        means = sums / np.maximum(counts, 1)
        within, buffer = np.empty(len(units)), np.empty(UNIT)
        for number, unit in enumerate(units):
            distances = np.subtract(rows[unit], means[number], out=buffer[: unit.stop - unit.start])
            np.square(distances, out=distances)
            (within[number],) = unit_sums(distances, None if mask is None else mask[unit])
        return cls.joined(counts, sums, within)

    @classmethod
    def _of_placed(cls, values: Floats, positions: UnitPositions) -> Moments:
        units = -(-positions.extent // UNIT)
        accumulators = _accumulator_numbers(positions.offsets)
        sums = _sum_accumulators(values, accumulators, units)
        counts = np.diff(positions.offsets.searchsorted(np.arange(units + 1) * UNIT))
        distances = values - np.repeat(sums / np.maximum(counts, 1), counts)
        return cls.joined(counts, sums, _sum_accumulators(np.square(distances, out=distances), accumulators, units))

    @classmethod
    def joined(cls, counts: NumberArray, sums: Floats, within: Floats) -> Moments:
        """Return the moments of units, given the number of rows, the sum, and the squared distances of each."""
        known = np.flatnonzero((counts > 0) & np.isfinite(sums))
        scaled = zip(_scaled_each(sums[known]), counts[known].tolist(), strict=True)
        squares = sum((total**2 << GUARD) // count for total, count in scaled)
        return cls(int(counts.sum()), ExactSum.of(sums), ExactSum.of(within), squares)

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.count + other.count,
            self.total + other.total,
            self.within + other.within,
            self.squares + other.squares,
        )

    def distances(self) -> np.float64:
        """Return the sum of the squared distances of all rows from their mean."""
        if self.within.special or self.total.special:
            return np.float64(self.within.special + 0 * self.total.special)
        if not self.count:
            return np.float64(0)
        between = self.squares - (self.total.scaled**2 << GUARD) // self.count
        # Rounding in divisions may leave a tiny negative number.
        scaled = (self.within.scaled << (SCALE + GUARD)) + max(between, 0)
        return nearest(scaled, 1 << (2 * SCALE + GUARD))


GUARD = 64
"""Bits of quotients beyond those of the numbers."""
