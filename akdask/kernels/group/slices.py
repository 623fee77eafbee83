"""Rows divided by ranges of their keys into pieces that fit the processor's cache, where grouping is much faster.

Sorting a few million rows spends most of its time fetching values from memory in the order of the keys.  Rows are
therefore first brought near their place, a block at a time, and each piece is grouped for itself.
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

PIECE_ROWS = 2**16
"""Rows of a piece, about."""

BLOCK_BITS = 17
BLOCK_ROWS = 2**BLOCK_BITS
"""Rows that are brought near their place at a time."""

MOST_BITS = 10
"""Leading bits of the keys that tell pieces apart, at most: of more pieces, too little comes from each block."""


class RadixSlices:
    """Where the rows go: to pieces whose keys do not overlap, in the order of the keys; rows of a piece stay in order.

    Parameters
    ----------
    pieces : ndarray of uint16
        To which piece each row goes.
    count : int
        Number of pieces.
    """

    def __init__(self, pieces: npt.NDArray[np.uint16], count: int) -> None:
        self._pieces = pieces
        self.bounds = np.zeros(count + 1, np.int64)
        """Where each piece begins, and the last one ends."""
        np.cumsum(count_codes(pieces, count), out=self.bounds[1:])

    @classmethod
    def of(cls, keys: Sequence[Column]) -> Self | None:
        """Return where rows of some keys go; None where the first does not fit one word, or there are too few rows."""
        nrows = len(keys[0])
        wanted = min((nrows // PIECE_ROWS).bit_length(), MOST_BITS)
        if wanted < 2:
            return None
        spans, bits = _leading_spans(keys)
        if bits <= wanted:
            return None
        pieces = new_array(nrows, np.uint16)
        for start in range(0, nrows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, nrows)
            pieces[start:stop] = _leading_bits(keys[: len(spans)], spans, start, stop, wanted)
        return cls(pieces, 2**wanted)

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        blocks: list[tuple[NumberArray, NumberArray]] = vars(self).get("_blocks", [])
        return self._pieces.nbytes + self.bounds.nbytes + sum(rows.nbytes + bounds.nbytes for rows, bounds in blocks)

    def pieces(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each piece that has rows."""
        placed = [self.placed(column) for column in columns]
        bounds = pairwise(self.bounds.tolist())
        return [[slice_rows(column, start, stop) for column in placed] for start, stop in bounds if stop > start]

    def rows(self, piece: int) -> NumberArray:
        """Return the rows of a piece."""
        return np.flatnonzero(self._pieces == piece)

    def placed(self, column: Column) -> Column:
        """Return a column with its rows in the order of the pieces."""
        if not isinstance(column, np.ndarray):
            return take_rows(column, np.asarray(self.placed(np.arange(len(column)))))
        target = new_array(len(column), column.dtype)
        if compiled.should_compile(len(column)):
            from akdask.kernels.compiled.group.radix import place

            same_size = f"u{column.itemsize}"
            place(self._pieces, self.bounds[:-1], column.view(same_size), target.view(same_size))
        else:
            self._place(column, target)
        return target

    def _place(self, column: NumberArray, target: NumberArray) -> None:
        """Bring the rows of a block after the other in the order of the pieces, then slices of them to their places."""
        places = self.bounds[:-1].copy()
        for start, (rows, bounds) in zip(range(0, len(column), BLOCK_ROWS), self._blocks, strict=True):
            near = column[start : start + BLOCK_ROWS].take(rows)
            for piece in np.flatnonzero(np.diff(bounds)).tolist():
                first, last, place = int(bounds[piece]), int(bounds[piece + 1]), int(places[piece])
                target[place : place + last - first] = near[first:last]
            places += np.diff(bounds)

    @cached_property
    def _blocks(self) -> list[tuple[NumberArray, NumberArray]]:
        """For each block, its rows ordered by piece, and where each piece begins and ends among them."""
        count = len(self.bounds) - 1
        starts = range(0, len(self._pieces), BLOCK_ROWS)
        return [_by_piece(self._pieces[start : start + BLOCK_ROWS], count) for start in starts]


class SortedSlices:
    """Ranges of the keys of several runs of rows, each of them sorted: the rows of a range are slices of all runs.

    Parameters
    ----------
    cuts : ndarray of int64, shape (runs, pieces + 1)
        Where each piece begins in each run.
    """

    def __init__(self, cuts: NumberArray) -> None:
        self._cuts = cuts

    @classmethod
    def of(cls, key: NumberArray, lengths: Sequence[int]) -> Self | None:
        """Return ranges of runs of the given lengths, end to end, by their first key; None where rows are too few."""
        count = len(key) // PIECE_ROWS
        if count < 2:
            return None
        bounds = [0, *np.cumsum(lengths).tolist()]
        runs = [key[start:stop] for start, stop in pairwise(bounds)]
        longest = max(runs, key=len)
        marks = longest[np.linspace(0, len(longest), count, endpoint=False).astype(np.int64)[1:]]
        inner = [np.searchsorted(run, marks) for run in runs]
        return cls(
            np.array([[a, *(a + cuts), b] for (a, b), cuts in zip(pairwise(bounds), inner, strict=True)], np.int64)
        )

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        return self._cuts.nbytes

    def pieces(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each piece that has rows."""
        ranges = zip(self._cuts[:, :-1].T.tolist(), self._cuts[:, 1:].T.tolist(), strict=True)
        used = [[(start, stop) for start, stop in zip(*both, strict=True) if stop > start] for both in ranges]
        return [
            [concat_rows([slice_rows(column, start, stop) for start, stop in slices]) for column in columns]
            for slices in used
            if slices
        ]


def _leading_spans(keys: Sequence[Column]) -> tuple[list[tuple[int, int]], int]:
    """Return the smallest and the largest word of as many leading keys as fit one word together, and their bits."""
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
    """Return which piece each row of a block belongs to."""
    parts = [
        Key(word(slice_rows(key, start, stop), 0), low, (high - low).bit_length())
        for key, (low, high) in zip(keys, spans, strict=True)
    ]
    key = combine(parts)
    assert key is not None, "keys that do not fit one word are not scattered"
    return np.right_shift(key.codes, np.uint64(key.bits - wanted), out=key.codes)


def _by_piece(piece: NumberArray, count: int) -> tuple[NumberArray, NumberArray]:
    """Return the rows of a block ordered by piece, and where each piece begins and ends among them."""
    packed = piece.astype(np.uint32)
    packed <<= np.uint32(BLOCK_BITS)
    packed |= np.arange(len(packed), dtype=np.uint32)
    packed.sort()
    bounds = np.searchsorted(packed, np.arange(count, dtype=np.uint32) << np.uint32(BLOCK_BITS))
    packed &= np.uint32(BLOCK_ROWS - 1)
    return packed.view(np.int32), np.append(bounds, len(packed))


assert BLOCK_BITS + MOST_BITS <= WORD_BITS // 2, "pieces and rows of a block are packed into 32 bits"
