"""Matches of two tables: pairs of rows with equal keys, each row repeated for every match."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from akdask import compiled
from akdask.columns.table import Sized
from akdask.operators.keys.keys import Key, pack_words, row_bits, unpack_rows
from akdask.typing import NumberArray

NO_ROW = -1


class MatchMultiplicity(Sized):
    """The rows of a table that have the same keys as a given row.

    Parameters
    ----------
    firsts : ndarray of int64 or None
        For each row of the table, the first row with the same keys; None where all keys differ.

    Examples
    --------
    >>> multiplicity = MatchMultiplicity(np.array([0, 1, 0]))
    >>> [(left.tolist(), right.tolist()) for left, right in multiplicity.pairs(np.array([1, -1, 0]), True, 10)]
    [([0, 1, 2, 2], [1, -1, 0, 2])]
    """

    def __init__(self, firsts: NumberArray | None) -> None:
        self._counts: NumberArray | None = None
        if firsts is None:
            return
        nrows = len(firsts)
        shift = row_bits(nrows)
        packed = pack_words(Key(firsts.view(np.uint64), 0, shift), shift)
        packed.sort()
        counts = np.bincount(firsts, minlength=nrows)
        # One more of each, which position -1 finds, for rows without a match.
        self._order = np.append(unpack_rows(packed, shift), NO_ROW)
        self._starts = np.append(np.cumsum(counts) - counts, nrows)
        self._counts = np.append(counts, 0)

    def pairs(self, found: NumberArray, keep_all: bool, limit: int) -> Iterator[tuple[NumberArray | None, NumberArray]]:
        """Yield pairs of equal rows, at most `limit` at a time.

        Parameters
        ----------
        found : ndarray of int64
            For each row of the other table, the first row of this one with the same keys, -1 if there is none.
        keep_all : bool
            Whether rows without a match are paired with -1; otherwise they are left out.
        limit : int
            Largest number of pairs to yield at a time.

        Yields
        ------
        positions : ndarray of int64 or None
            Rows of the other table, ascending; None where they are all of them, each once.
        rows : ndarray of int64
            Rows of this one, ascending for each row of the other.
        """
        if self._counts is None:
            yield _first_matches(found, keep_all)
            return
        counts = self._counts.take(found, mode="wrap")
        if keep_all:
            np.maximum(counts, 1, out=counts)
        until = np.cumsum(counts)
        total = int(until[-1]) if len(until) else 0
        starts = self._starts.take(found, mode="wrap") - (until - counts)
        for first in range(0, total, limit):
            last = min(first + limit, total)
            # The rows that the pairs from first to last belong to, and the number of pairs of each.
            low, high = int(until.searchsorted(first, "right")), int(until.searchsorted(last, "left")) + 1
            here = np.minimum(until[low:high], last) - np.maximum(until[low:high] - counts[low:high], first)
            positions = np.repeat(np.arange(low, high), here)
            slots = np.arange(first, last) + np.repeat(starts[low:high], here)
            yield positions, self._order.take(slots)


def _first_matches(found: NumberArray, keep_all: bool) -> tuple[NumberArray | None, NumberArray]:
    if keep_all:
        return None, found
    if compiled.should_compile(len(found)):
        from akdask.compiler import read_only
        from akdask.operators.join.loops import matched

        positions, rows = np.empty(len(found) + 1, np.int64), np.empty(len(found) + 1, np.int64)
        count = matched(read_only(found), positions, rows)
        return (None, found) if count == len(found) else (positions[:count], rows[:count])
    positions = np.flatnonzero(found != NO_ROW)
    return (None, found) if len(positions) == len(found) else (positions, found.take(positions))
