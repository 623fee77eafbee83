"""Rows divided by ranges of their keys into slices that fit the processor's cache, where grouping is much faster.

Sorting a few million rows spends most of its time fetching values from memory in the order of the keys.  Rows are
therefore first partitioned by the leading bits of their keys, a block at a time, and each slice is grouped for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from akdask.columns import concat_rows, new_array, slice_rows, take_rows
from akdask.kernels import compiled
from akdask.kernels.core.words import WORD_BITS
from akdask.kernels.group.row_groups import count_codes
from akdask.kernels.keys.normalized import Key, combine, span, word
from akdask.typing import Column, NumberArray

SLICE_ROWS = 2**16
"""Rows of a slice, about."""

BLOCK_BITS = 17
BLOCK_ROWS = 2**BLOCK_BITS
"""Rows that are partitioned at a time."""

MOST_BITS = 10
"""Leading bits of the keys that tell slices apart, at most: of more slices, too little comes from each block."""


class RadixSlices:
    """To which slice each row goes: their keys do not overlap and ascend, and rows of a slice stay in order.

    Parameters
    ----------
    numbers : ndarray of uint16
        The slice of each row.
    count : int
        Number of slices.
    """

    def __init__(self, numbers: npt.NDArray[np.uint16], count: int) -> None:
        self._numbers = numbers
        self.bounds = np.zeros(count + 1, np.int64)
        """Where each slice begins, and the last one ends."""
        np.cumsum(count_codes(numbers, count), out=self.bounds[1:])

    @classmethod
    def of(cls, keys: Sequence[Column]) -> Self | None:
        """Return where rows of some keys go; None where the first does not fit one word, or there are too few rows."""
        nrows = len(keys[0])
        wanted = min((nrows // SLICE_ROWS).bit_length(), MOST_BITS)
        if wanted < 2:
            return None
        spans, bits = _leading_spans(keys)
        if bits <= wanted:
            return None
        numbers = new_array(nrows, np.uint16)
        for start in range(0, nrows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, nrows)
            numbers[start:stop] = _leading_bits(keys[: len(spans)], spans, start, stop, wanted)
        return cls(numbers, 2**wanted)

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        blocks: list[tuple[NumberArray, NumberArray]] = vars(self).get("_blocks", [])
        return self._numbers.nbytes + self.bounds.nbytes + sum(rows.nbytes + bounds.nbytes for rows, bounds in blocks)

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        partitioned = [self.partitioned(column) for column in columns]
        bounds = pairwise(self.bounds.tolist())
        return [[slice_rows(column, start, stop) for column in partitioned] for start, stop in bounds if stop > start]

    def rows(self, number: int) -> NumberArray:
        """Return the rows of a slice."""
        return np.flatnonzero(self._numbers == number)

    def partitioned(self, column: Column) -> Column:
        """Return a column with its rows in the order of the slices."""
        if not isinstance(column, np.ndarray):
            return take_rows(column, np.asarray(self.partitioned(np.arange(len(column)))))
        target = new_array(len(column), column.dtype)
        if compiled.should_compile(len(column)):
            from akdask.kernels.compiled.group.radix import partition

            same_size = f"u{column.itemsize}"
            partition(self._numbers, self.bounds[:-1], column.view(same_size), target.view(same_size))
        else:
            self._partition(column, target)
        return target

    def _partition(self, column: NumberArray, target: NumberArray) -> None:
        """Bring the rows of a block in the order of the slices, then those of each slice to their positions."""
        positions = self.bounds[:-1].copy()
        for start, (rows, bounds) in zip(range(0, len(column), BLOCK_ROWS), self._blocks, strict=True):
            ordered = column[start : start + BLOCK_ROWS].take(rows)
            for number in np.flatnonzero(np.diff(bounds)).tolist():
                first, last, at = int(bounds[number]), int(bounds[number + 1]), int(positions[number])
                target[at : at + last - first] = ordered[first:last]
            positions += np.diff(bounds)

    @cached_property
    def _blocks(self) -> list[tuple[NumberArray, NumberArray]]:
        """For each block, its rows ordered by slice, and where each slice begins and ends among them."""
        count = len(self.bounds) - 1
        starts = range(0, len(self._numbers), BLOCK_ROWS)
        return [_by_slice(self._numbers[start : start + BLOCK_ROWS], count) for start in starts]


class SortedSlices:
    """Ranges of the keys of several runs of rows, each of them sorted: the rows of a range are slices of all runs.

    Parameters
    ----------
    bounds : ndarray of int64, shape (runs, slices + 1)
        Where each slice begins in each run.
    """

    def __init__(self, bounds: NumberArray) -> None:
        self._bounds = bounds

    @classmethod
    def of(cls, key: NumberArray, lengths: Sequence[int]) -> Self | None:
        """Return ranges of runs of the given lengths, end to end, by their first key; None where rows are too few."""
        count = len(key) // SLICE_ROWS
        if count < 2:
            return None
        bounds = [0, *np.cumsum(lengths).tolist()]
        runs = [key[start:stop] for start, stop in pairwise(bounds)]
        longest = max(runs, key=len)
        splitters = longest[np.linspace(0, len(longest), count, endpoint=False).astype(np.int64)[1:]]
        inner = [np.searchsorted(run, splitters) for run in runs]
        return cls(
            np.array([[a, *(a + found), b] for (a, b), found in zip(pairwise(bounds), inner, strict=True)], np.int64)
        )

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        return self._bounds.nbytes

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        ranges = zip(self._bounds[:, :-1].T.tolist(), self._bounds[:, 1:].T.tolist(), strict=True)
        used = [[(start, stop) for start, stop in zip(*both, strict=True) if stop > start] for both in ranges]
        return [
            [concat_rows([slice_rows(column, start, stop) for start, stop in slices]) for column in columns]
            for slices in used
            if slices
        ]


def _leading_spans(keys: Sequence[Column]) -> tuple[list[tuple[int, int]], int]:
    """Return the smallest and the largest word of the leading keys that fit one word, and their bits."""
    spans, bits = [], 0
    for key in keys:
        found = span(key)
        if found is None or bits + (found[1] - found[0]).bit_length() > WORD_BITS:
            break
        spans.append(found)
        bits += (found[1] - found[0]).bit_length()
    return spans, bits


def _leading_bits(
    keys: Sequence[Column], spans: Sequence[tuple[int, int]], start: int, stop: int, wanted: int
) -> NumberArray:
    """Return which slice each row of a block belongs to."""
    parts = [
        Key(word(slice_rows(key, start, stop), 0), low, (high - low).bit_length())
        for key, (low, high) in zip(keys, spans, strict=True)
    ]
    key = combine(parts)
    assert key is not None, "keys that do not fit one word are not partitioned"
    return np.right_shift(key.codes, np.uint64(key.bits - wanted), out=key.codes)


def _by_slice(numbers: NumberArray, count: int) -> tuple[NumberArray, NumberArray]:
    """Return the rows of a block ordered by slice, and where each slice begins and ends among them."""
    packed = numbers.astype(np.uint32)
    packed <<= np.uint32(BLOCK_BITS)
    packed |= np.arange(len(packed), dtype=np.uint32)
    packed.sort()
    bounds = np.searchsorted(packed, np.arange(count, dtype=np.uint32) << np.uint32(BLOCK_BITS))
    packed &= np.uint32(BLOCK_ROWS - 1)
    return packed.view(np.int32), np.append(bounds, len(packed))


assert BLOCK_BITS + MOST_BITS <= WORD_BITS // 2, "slices and rows of a block are packed into 32 bits"
