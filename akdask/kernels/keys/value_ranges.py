"""Values split into few ranges, in which they stay in order, and ranges sorted: for sorts of nothing but one key."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from akdask.columns import new_array
from akdask.kernels import compiled
from akdask.kernels.core.words import LAST, SIGN, Words
from akdask.kernels.keys.normalized import word
from akdask.typing import Column, NumberArray

MOST_RANGES = 16
"""Ranges up to which values are compared with every splitter: faster than a search where they are few."""


class ValueRanges:
    """Ranges of values, which begin at splitters.

    Parameters
    ----------
    splitters : column of numbers
        Where the second and all further ranges begin; in order.
    rows : ndarray of int64
        Numbers of the rows from which on values equal to a splitter belong to its range.
    ascending : bool
        The direction.

    Examples
    --------
    >>> ranges = ValueRanges(np.array([5, 5]), np.array([0, 3]), True)
    >>> values, bounds = ranges.split(np.array([9, 5, 1, 7, 5]), 0)
    >>> values.tolist(), bounds
    ([1, 5, 9, 7, 5], [0, 1, 2, 5])
    """

    def __init__(self, splitters: Column, rows: NumberArray, ascending: bool) -> None:
        self._splitters, self._rows, self._ascending = word(splitters, 0, ascending), rows, ascending

    def split(self, values: NumberArray, first: int) -> tuple[NumberArray, list[int]]:
        """Return values by range, in their order within each, and the bounds of the ranges.

        Parameters
        ----------
        values : ndarray of numbers
            At most as many as stay in the cache of the core.
        first : int
            The number of the row of the first one; the others follow one another.
        """
        numbers = np.empty(len(values), np.uint8)
        beyond = np.zeros(len(self._rows), np.uint64)
        words, flipped = self._words(values)
        inner = self._rows[(self._rows > first) & (self._rows < first + len(values))] - first
        for start, stop in pairwise([0, *np.unique(inner).tolist(), len(values)]):
            splitters = self._least_words(first + start)
            number_words(words[start:stop], flipped, splitters, numbers[start:stop], beyond[: len(splitters)])
        bounds = [0, *(len(values) - beyond.astype(np.int64)).tolist(), len(values)]
        return by_number(numbers, values, bounds), bounds

    def _words(self, values: NumberArray) -> tuple[Words, np.uint64]:
        """Return words of values, and which of their bits to flip."""
        if values.dtype.kind in "iu" and values.itemsize == SIGN.itemsize:
            flipped = SIGN if values.dtype.kind == "i" else np.uint64(0)
            return np.ascontiguousarray(values).view(np.uint64), flipped if self._ascending else flipped ^ LAST
        return word(values, 0, self._ascending), np.uint64(0)

    def _least_words(self, row: int) -> Words:
        """Return the least words beyond each splitter in rows from a number on; none for the last if there are none."""
        is_after = self._rows > row
        some = ~(is_after & (self._splitters == LAST))
        least: Words = self._splitters[some] + is_after[some].astype(np.uint64)
        return least


def number_words(words: Words, flipped: np.uint64, splitters: Words, numbers: NumberArray, beyond: Words) -> None:
    """Count for each word the splitters that are no larger, and add for each splitter the words that are no smaller."""
    if compiled.should_compile(len(words)):
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.keys.value_ranges import number_words as number_compiled

        number_compiled(read_only(words), flipped, read_only(splitters), numbers, beyond)
        return
    flipped_words = words ^ flipped if flipped else words
    numbers[:] = 0
    for number, splitter in enumerate(splitters):
        is_beyond = flipped_words >= splitter
        numbers += is_beyond
        beyond[number] += np.uint64(np.count_nonzero(is_beyond))


def by_number(numbers: NumberArray, values: NumberArray, bounds: Sequence[int]) -> NumberArray:
    """Return values by the numbers of their ranges, whose bounds are known."""
    if compiled.should_compile(len(values)):
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.keys.value_ranges import write_ranges

        split, same_size = new_array(len(values), values.dtype), f"u{values.itemsize}"
        positions = np.array(bounds[:-1], np.uint64)
        write_ranges(numbers, read_only(values.view(same_size)), positions, split.view(same_size))
        return split
    return values.take(np.argsort(numbers, kind="stable"))


def sort_values(parts: Sequence[NumberArray], ascending: bool, out: NumberArray) -> NumberArray:
    """Write the values of all parts in order, as the rows are that `argsort` puts in order, to the last bit.

    Parameters
    ----------
    parts : sequence of ndarray of integers, floats or bool
        At least one; of the same type.
    ascending : bool
        The direction.  Missing values come last in both.
    out : ndarray
        As long as all parts together.

    Returns
    -------
    ndarray
        `out`.

    Examples
    --------
    >>> sort_values([np.array([2.0, np.nan]), np.array([3.0, 0.0, -0.0])], False, np.empty(5)).tolist()
    [3.0, 2.0, 0.0, -0.0, nan]
    """
    np.concatenate(parts, out=out)
    out.sort()
    present = out[: len(out) - _missing(out)]
    if not ascending:
        present[:] = present[::-1].copy()
    if out.dtype.kind == "f":
        _restore_equals(parts, present, out[len(present) :], ascending)
    return out


def _missing(ordered: NumberArray) -> int:
    """Return how many of some ascending values are NaN."""
    if ordered.dtype.kind != "f" or not len(ordered) or not np.isnan(ordered[-1]):
        return 0
    # They are last, and all equal to NumPy's search.
    return len(ordered) - int(np.searchsorted(ordered, ordered[-1]))


def _restore_equals(parts: Sequence[NumberArray], present: NumberArray, missing: NumberArray, ascending: bool) -> None:
    """Put floats that are equal but differ in bits in their order: NumPy may make zeros alike, and NaN."""
    around = present if ascending else present[::-1]
    first, stop = np.searchsorted(around, 0.0, "left"), np.searchsorted(around, 0.0, "right")
    if first < stop:
        zeros = around[first:stop] if ascending else around[first:stop][::-1]
        np.concatenate([part[part == 0] for part in parts], out=zeros)
    if len(missing):
        np.concatenate([part[np.isnan(part)] for part in parts], out=missing)
