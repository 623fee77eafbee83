"""Sorted runs: the rows of several blocks, each block in order, from which the value of any rank is found.

Runs are not merged, since that would take memory for all rows twice.  A value of some rank is found by bisecting
normalized keys (`akdask.kernels.keys.normalized`), at most 64 times; each step looks at a few rows of each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.kernels.core.words import SIGN, Words
from akdask.kernels.keys.normalized import word
from akdask.typing import NumberArray

REPEATS = 2
"""Rows of each distinct value, on average, from which on distinct values are counted instead."""

FAN_IN = 32
"""Runs of counted values that are merged into one."""

MOST_MERGED = 2**16
"""Values of a run that is not merged any more."""


@dataclass(frozen=True, slots=True)
class Run:
    """Ascending normalized keys of some rows.

    Parameters
    ----------
    words : ndarray of uint64
        The keys.
    until : ndarray of int64, shape (len(words) + 1,), optional
        How many rows the keys before each position stand for; every key for one row if it is not given.
    """

    words: Words
    until: NumberArray | None = None

    @classmethod
    def of(cls, words: Words) -> Run:
        """Return a run of some keys in ascending order, at least one; where many are equal, of the distinct ones."""
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        if REPEATS * len(firsts) > len(words):
            return cls(words)
        return cls(words.take(firsts), np.append(firsts, len(words)))

    @classmethod
    def merge(cls, runs: Sequence[Run]) -> Run:
        """Return one run of several with counts."""
        words = np.concatenate([run.words for run in runs])
        counts = np.concatenate([np.diff(run.until) for run in runs if run.until is not None])
        order = np.argsort(words, kind="stable")
        words, until = words.take(order), np.append(0, np.cumsum(counts.take(order)))
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        return cls(words.take(firsts), until.take(np.append(firsts, len(words))))

    @property
    def can_merge(self) -> bool:
        """Whether it is worth merging with others."""
        return self.until is not None and len(self.words) <= MOST_MERGED

    def rows_before(self, position: int) -> int:
        """Return how many rows the keys before a position stand for."""
        return position if self.until is None else int(self.until[position])


@dataclass(frozen=True, slots=True)
class SortedRuns:
    """Rows of numbers in sorted runs; floats without NaN, which are counted.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the numbers.
    runs : tuple of Run
        In any order.
    missing : int
        Number of NaN.
    """

    dtype: np.dtype[Any]
    runs: tuple[Run, ...] = ()
    missing: int = 0

    @classmethod
    def of(cls, rows: NumberArray) -> SortedRuns:
        """Return some rows as one run."""
        missing = 0
        if rows.dtype.kind == "f":
            are_missing = np.isnan(rows)
            missing = int(np.count_nonzero(are_missing))
            rows = rows[~are_missing] if missing else rows
        words = word(rows, 0)
        words.sort()
        return cls(rows.dtype, (Run.of(words),) if len(words) else (), missing)

    def __sizeof__(self) -> int:
        return sum(run.words.nbytes + (0 if run.until is None else run.until.nbytes) for run in self.runs)

    def __add__(self, other: SortedRuns) -> SortedRuns:
        runs = (*self.runs, *other.runs)
        counted = [run for run in runs if run.can_merge]
        if len(counted) >= FAN_IN:
            runs = (*(run for run in runs if not run.can_merge), Run.merge(counted))
        return SortedRuns(self.dtype, runs, self.missing + other.missing)

    @property
    def nrows(self) -> int:
        """Number of rows that are not NaN."""
        return sum(run.rows_before(len(run.words)) for run in self.runs)

    def select(self, ranks: NumberArray) -> NumberArray:
        """Return the rows of some ranks among all in ascending order, counted from 0; there must be as many rows."""
        words = np.array([self._select(rank) for rank in ranks.tolist()], np.uint64)
        match self.dtype.kind:
            case "f":
                return np.where(words >= SIGN, words ^ SIGN, ~words).view(np.float64)
            case "i":
                return (words ^ SIGN).view(np.int64)
        return words.astype(self.dtype)

    def _select(self, rank: int) -> int:
        """Return the smallest key that, with all below it, stands for more rows than `rank`."""
        bounds = [(0, len(run.words)) for run in self.runs]
        low, high = min(int(run.words[0]) for run in self.runs), max(int(run.words[-1]) for run in self.runs)
        while low < high:
            middle = (low + high) // 2
            found = [
                start + int(run.words[start:stop].searchsorted(np.uint64(middle), "right"))
                for run, (start, stop) in zip(self.runs, bounds, strict=True)
            ]
            before = sum(run.rows_before(position) for run, position in zip(self.runs, found, strict=True))
            if before > rank:
                high = middle
                bounds = [(start, position) for (start, _), position in zip(bounds, found, strict=True)]
            else:
                low = middle + 1
                bounds = [(position, stop) for (_, stop), position in zip(bounds, found, strict=True)]
        return low
