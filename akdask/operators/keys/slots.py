"""Slots of dense aggregation: all combinations of small integer keys, numbered without sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self

import numpy as np

from akdask.operators.keys.keys import GLANCE, least_and_most
from akdask.operators.keys.words import WORD_BITS, Words
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class SlotGrid:
    """All combinations of the values that integer keys can have, numbered in the order of the keys.

    Parameters
    ----------
    lows : tuple of int
        The smallest value of each key.
    sizes : tuple of int
        The number of values from there on.
    """

    lows: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def around(cls, keys: Sequence[Column]) -> Self | None:
        """Return the smallest grid that holds some rows, at least one; None if a key is of another type."""
        lows, sizes = [], []
        for key in keys:
            if not isinstance(key, np.ndarray) or key.dtype.kind not in "iub":
                return None
            low, high = least_and_most(key)
            lows.append(low)
            sizes.append(high - low + 1)
        return cls(tuple(lows), tuple(sizes))

    @classmethod
    def within(cls, keys: Sequence[Column], most: int) -> Self | None:
        """Return the same grid, or None above `most` slots, which the first rows usually show."""
        if len(keys[0]) > GLANCE:
            grid = cls.around([key[:GLANCE] for key in keys])
            if grid is None or grid.nslots > most:
                return None
        grid = cls.around(keys)
        return None if grid is None or grid.nslots > most else grid

    @property
    def nslots(self) -> int:
        """Number of combinations."""
        return prod(self.sizes)

    def covers(self, other: SlotGrid) -> bool:
        """Whether it contains all slots of the other grid."""
        return self.united(other) == self

    def united(self, other: SlotGrid) -> SlotGrid:
        """Return the grid that contains the slots of both."""
        lows = tuple(map(min, self.lows, other.lows))
        ends = [max(a + n, b + m) for a, n, b, m in zip(self.lows, self.sizes, other.lows, other.sizes, strict=True)]
        return SlotGrid(lows, tuple(end - low for end, low in zip(ends, lows, strict=True)))

    def codes(self, keys: Sequence[Column]) -> NumberArray:
        """Return the slot of each row, as int64."""
        codes = _distances(keys[0], self.lows[0])
        for number, (key, low, size) in enumerate(zip(keys[1:], self.lows[1:], self.sizes[1:], strict=True)):
            # An array of the caller must stay unchanged.
            codes = np.multiply(codes, size, out=None if number == 0 and codes is keys[0] else codes)
            codes += _distances(key, low)
        return codes

    def codes_within(self, keys: Sequence[Column]) -> NumberArray:
        """Return the slot of each row, as int64; rows outside the grid get `nslots`."""
        codes, outside = None, None
        for key, low, size in zip(keys, self.lows, self.sizes, strict=True):
            # A value below the lowest wraps around to a distance of at least the size.
            wide = key.view(np.uint8) if key.dtype == np.bool_ else key
            unsigned = wide.view(f"u{wide.itemsize}")
            distance = (unsigned - np.array(low, wide.dtype).view(unsigned.dtype)).astype(np.uint64, copy=False)
            if len(keys) == 1:
                return np.minimum(distance, np.uint64(size), out=distance).view(np.int64)
            beyond = distance >= np.uint64(size)
            outside = beyond if outside is None else outside | beyond
            codes = distance if codes is None else codes * np.uint64(size) + distance
        assert codes is not None, "a grid has keys"
        codes[outside] = self.nslots
        return codes.view(np.int64)

    def offset_codes(self, keys: Sequence[Column]) -> tuple[Words, np.uint64]:
        """Return words, and the offset to subtract from them to get the slot of each row.

        Rows outside the grid get any number from `nslots` on.
        """
        key, low = keys[0], self.lows[0]
        if len(keys) == 1 and key.dtype.itemsize == 8:
            return np.ascontiguousarray(key).view(np.uint64), np.uint64(low % 2**WORD_BITS)
        return self.codes_within(keys).view(np.uint64), np.uint64(0)

    def keys(self, codes: NumberArray, dtypes: Sequence[np.dtype[np.generic]]) -> list[NumberArray]:
        """Return the keys of slots, in the given types."""
        columns = []
        for number in range(len(self.lows) - 1, -1, -1):
            distance = codes
            if number:
                codes, distance = np.divmod(codes, self.sizes[number])
            dtype, low = dtypes[number], self.lows[number]
            columns.append(distance.astype(dtype) + dtype.type(low) if low else distance.astype(dtype))
        return columns[::-1]


def _distances(key: NumberArray, low: int) -> NumberArray:
    """Return the distances of values from the lowest, as int64; the values themselves if these are the distances."""
    wide = key.view(np.uint8) if key.dtype == np.bool_ else key
    # Unsigned keys may exceed int64; their distances from the lowest do not.
    near = wide - wide.dtype.type(low) if low else wide
    distances: NumberArray = near.astype(np.int64, copy=False)
    return distances
