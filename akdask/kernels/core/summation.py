"""Sums of floats that are the same to the last bit, however rows are read and whoever adds them up.

Rounding makes a sum depend on the order of its additions, so the order is fixed.  Rows are counted from the first of
their partition, before any filter.  `UNIT` of them make a unit; lane l of a unit adds up the rows l, l + `LANES`, … in
order, and the lanes are joined by adding the second half of them to the first until one is left.  Rows that a filter
leaves out add 0.  The sums of units are then added up exactly and rounded once, so that it does not matter in what
order, by which task or on which machine.  Rows come in blocks that begin where a unit begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.columns.scratch import scratch
from akdask.typing import NumberArray

UNIT = 2**15
"""Rows that are added up by themselves."""

LANES = 2**8
"""Sums side by side within a unit: a processor adds several at a time."""

FEW = 32
"""Of one row in so many under a mask, or fewer, only these are looked at, not the places between them."""

FEW_PLACES = 2
"""The same of rows that have been selected."""

FEW_DISTANCES = 8
"""The same where the distances of rows from a mean are added up as well."""

DIGITS = 53
"""Bits of the mantissa of a float64."""

SCALE = 1022 + 2 * DIGITS
"""Every float64 is a whole multiple of ``2 ** -SCALE``, also where its mantissa is written with all its bits."""

Floats = npt.NDArray[np.float64]


class Places(NamedTuple):
    """Where rows stand that were selected from a block.

    Parameters
    ----------
    positions : ndarray of int64
        Ascending, counted from where a unit begins.
    extent : int
        Number of places.
    """

    positions: NumberArray
    extent: int


@dataclass(frozen=True, slots=True)
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
    return sum(_scaled_each(numbers))


def _scaled_each(numbers: Floats) -> Iterator[int]:
    """Yield finite numbers times ``2 ** SCALE``."""
    mantissas, exponents = np.frexp(numbers)
    whole = np.ldexp(mantissas, DIGITS).astype(np.int64).tolist()
    shifts = (exponents + (SCALE - DIGITS)).tolist()
    for number, shift in zip(whole, shifts, strict=True):
        yield number << shift


def nearest(numerator: int, denominator: int) -> np.float64:
    """Return the float nearest to a fraction; infinite where it is too large."""
    try:
        return np.float64(numerator / denominator)
    except OverflowError:
        return np.float64(np.inf if numerator > 0 else -np.inf)


def sum_exactly(column: NumberArray, mask: NumberArray | None = None, places: Places | None = None) -> ExactSum:
    """Return the sum of rows that begin where a unit does.

    Parameters
    ----------
    column : ndarray
        Any numbers; they are added up as float64.
    mask : ndarray of bool, optional
        Which rows count.
    places : Places, optional
        Where the rows stand, if not one beside the other.
    """
    if places is not None:
        return ExactSum.of(_placed_sums(column, mask, places))
    rows = column.astype(np.float64, copy=False)
    if mask is None:
        return ExactSum.of(unit_sums(rows))
    if np.count_nonzero(mask) * FEW <= len(mask):
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


def _placed_sums(column: NumberArray, mask: NumberArray | None, places: Places) -> Floats:
    values, places = _selected(column, mask, places)
    if len(values) * FEW_PLACES <= places.extent:
        return _sparse_sums(values, places)
    return unit_sums(spread_out(values, places, 0.0))


def _selected(column: NumberArray, mask: NumberArray | None, places: Places | None) -> tuple[NumberArray, Places]:
    """Return the rows under a mask, and where they stand."""
    if mask is None:
        return column, places or Places(np.arange(len(column)), len(column))
    rows = np.flatnonzero(mask)
    found = Places(rows, len(mask)) if places is None else Places(places.positions.take(rows), places.extent)
    return column.take(rows), found


def spread_out(values: NumberArray, places: Places, between: float) -> Floats:
    """Return rows at their places, and a number between them, in memory that this thread uses again."""
    rows = scratch(places.extent * values.itemsize).view(np.float64)[: places.extent]
    rows.fill(between)
    rows[places.positions] = values
    return rows


def _sparse_sums(values: NumberArray, places: Places) -> Floats:
    """Add up the rows of each lane, which NumPy does in their order."""
    return _sums_of_lanes(values, _numbered_lanes(places.positions), -(-places.extent // UNIT))


def _numbered_lanes(positions: NumberArray) -> NumberArray:
    """Return the number of the lane that each row belongs to, counted through all units."""
    # Dividing by powers of two; NumPy would take the sign of each position into account.
    lanes: NumberArray = positions >> (UNIT.bit_length() - 1)
    lanes <<= LANES.bit_length() - 1
    lanes |= positions & (LANES - 1)
    return lanes


def _sums_of_lanes(values: NumberArray, lanes: NumberArray, units: int) -> Floats:
    sums = np.bincount(lanes, values, units * LANES).astype(np.float64, copy=False)
    return _halved(np.add, sums.reshape(units, LANES))


def _reduce_units(ufunc: np.ufunc, rows: Floats, mask: NumberArray | None) -> Floats:
    whole = len(rows) - len(rows) % UNIT
    units = _lanes(ufunc, rows[:whole].reshape(-1, UNIT // LANES, LANES), _shaped(mask, whole))
    if whole < len(rows):
        rest, marks = rows[whole:], None if mask is None else mask[whole:]
        units = np.concatenate([units, _lanes_of_part(ufunc, rest, marks)[np.newaxis]])
    return _halved(ufunc, units)


def _shaped(mask: NumberArray | None, whole: int) -> NumberArray | None:
    return None if mask is None else mask[:whole].reshape(-1, UNIT // LANES, LANES)


def _lanes(ufunc: np.ufunc, rows: NumberArray, mask: NumberArray | None) -> Floats:
    """Return the lanes of units: NumPy goes over the rows in order, as lanes lie side by side in memory."""
    if mask is None:
        lanes: Floats = ufunc.reduce(rows, axis=1)
        return lanes
    return np.asarray(np.einsum("kij,kij->kj", rows, mask, dtype=np.float64, casting="unsafe"))


def _lanes_of_part(ufunc: np.ufunc, rows: Floats, mask: NumberArray | None) -> Floats:
    """Return the lanes of a unit that the rows do not fill."""
    if mask is not None:
        rows = rows * mask
    whole = len(rows) - len(rows) % LANES
    lanes = np.full(LANES, float(ufunc.identity))
    if whole:
        lanes = ufunc.reduce(rows[:whole].reshape(-1, LANES), axis=0)
    rest = lanes[: len(rows) - whole]
    ufunc(rest, rows[whole:], out=rest)
    return lanes


def _halved(ufunc: np.ufunc, lanes: Floats) -> Floats:
    """Return the lanes of each unit joined."""
    # The same lane of all units lies side by side, so that each step is one call on neighbours.
    joined: Floats = np.ascontiguousarray(lanes.T)
    width = LANES // 2
    while width:
        joined = ufunc(joined[:width], joined[width:])
        width //= 2
    sums: Floats = joined[0]
    return sums


@dataclass(frozen=True, slots=True)
class Moments:
    """What variances are found from, without rounding where rows are joined.

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
    def of(cls, column: NumberArray, mask: NumberArray | None, places: Places | None) -> Moments:
        """Return those of rows that begin where a unit does; see `sum_exactly`."""
        if places is None and (mask is None or np.count_nonzero(mask) * FEW_DISTANCES > len(mask)):
            found = cls._of_units(column.astype(np.float64, copy=False), mask)
            # What was not selected may have spoilt the sums, where it is not finite or very large.
            if mask is None or not (found.within.special or found.total.special):
                return found
        values, places = _selected(column, mask, places)
        return cls._of_placed(values.astype(np.float64, copy=False), places)

    @classmethod
    def _of_units(cls, rows: Floats, mask: NumberArray | None) -> Moments:
        """Go over all rows, a unit at a time, which stays in the core's cache."""
        sums = unit_sums(rows, mask)
        units = [slice(start, min(start + UNIT, len(rows))) for start in range(0, len(rows), UNIT)]
        counts = np.array([unit.stop - unit.start if mask is None else np.count_nonzero(mask[unit]) for unit in units])
        means = sums / np.maximum(counts, 1)
        within, room = np.empty(len(units)), np.empty(UNIT)
        for number, unit in enumerate(units):
            distances = np.subtract(rows[unit], means[number], out=room[: unit.stop - unit.start])
            np.square(distances, out=distances)
            (within[number],) = unit_sums(distances, None if mask is None else mask[unit])
        return cls._joined(counts, sums, within)

    @classmethod
    def _of_placed(cls, values: Floats, places: Places) -> Moments:
        units = -(-places.extent // UNIT)
        lanes = _numbered_lanes(places.positions)
        sums = _sums_of_lanes(values, lanes, units)
        counts = np.diff(places.positions.searchsorted(np.arange(units + 1) * UNIT))
        distances = values - np.repeat(sums / np.maximum(counts, 1), counts)
        return cls._joined(counts, sums, _sums_of_lanes(np.square(distances, out=distances), lanes, units))

    @classmethod
    def _joined(cls, counts: NumberArray, sums: Floats, within: Floats) -> Moments:
        """Return those of units, of which the number of rows, the sum, and the squared distances are given."""
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
        # What divisions lost may leave a trace below zero.
        scaled = (self.within.scaled << (SCALE + GUARD)) + max(between, 0)
        return nearest(scaled, 1 << (2 * SCALE + GUARD))


GUARD = 64
"""Bits of quotients beyond those of the numbers."""
