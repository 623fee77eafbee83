"""Keys of rows block by block, each key of a block once, where nothing but the keys is wanted and few of them differ.

A block is sorted within the caches of a core, 3 to 4 ns a row, and what is left of it is grouped with what is left of
all others.  Grouping all rows at once takes ten times as long where they are floats, or integers that lie far apart.
"""

from __future__ import annotations

import numpy as np

from akdask.typing import NumberArray

FEWER = 8
"""How many times fewer keys than rows a block has, at least, for this to go on."""

DTYPES = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64)))
"""The types of keys that are sorted so fast."""


class DistinctKeys:
    """The keys of the blocks of a partition, as long as few of them differ."""

    def __init__(self) -> None:
        self.closed = False
        self._parts: list[NumberArray] = []

    @property
    def has_rows(self) -> bool:
        """Whether any block was taken."""
        return bool(self._parts)

    def add(self, keys: NumberArray) -> bool:
        """Take the keys of a block, and tell whether they were taken: not once there was a block with many."""
        if not self.closed:
            found = distinct(keys)
            self.closed = len(found) * FEWER > len(keys)
            if not self.closed:
                self._parts.append(found)
        return not self.closed

    def with_others(self, keys: NumberArray) -> NumberArray:
        """Return the keys that were taken, and others behind them."""
        return np.concatenate([*self._parts, keys]) if self._parts else keys


def distinct(keys: NumberArray) -> NumberArray:
    """Return the different keys of some rows in ascending order; all NaN are one, and so are the two zeros.

    Examples
    --------
    >>> distinct(np.array([2.5, np.nan, 1.5, np.nan, 2.5])).tolist()
    [1.5, 2.5, nan]
    """
    ordered = np.sort(keys)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    if ordered.dtype == np.float64:
        first[1:] &= ordered[:-1] == ordered[:-1]
    found = ordered[first]
    if ordered.dtype == np.float64:
        # Of zeros that differ in sign, the first of the rows stands for both, as it does where all rows are grouped.
        at = int(np.searchsorted(found, 0.0))
        if at < len(found) and found[at] == 0:
            found[at] = keys[np.argmax(keys == 0)]
    return found
