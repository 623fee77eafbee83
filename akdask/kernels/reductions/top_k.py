"""The first or last rows in the order of some columns, and the range of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from akdask.columns import slice_rows, take_rows
from akdask.deferred import pa, pc
from akdask.kernels.core.words import Words
from akdask.kernels.keys.normalized import word, word_count
from akdask.typing import Column, NumberArray

SAMPLE, MANY = 256, 4
"""Rows for each that is wanted, which give a bound for all, if these are so many times more."""


def first_rows(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> NumberArray:
    """Return the positions of the `count` first rows in order, or of the ``-count`` last ones; all if there are fewer.

    The order is that of `akdask.kernels.keys.sort.argsort`.  Positions ascend.

    Examples
    --------
    >>> keys = [np.array([3, 1, 2, 1, 1])]
    >>> first_rows(keys, [True], 2).tolist(), first_rows(keys, [True], -2).tolist()
    ([1, 3], [0, 2])
    """
    wanted, taken = abs(count), list[NumberArray]()
    rows: NumberArray = np.arange(len(columns[0]))
    for column, upwards in zip(columns, ascending, strict=True):
        for number in range(word_count(column)):
            if wanted >= len(rows):
                break
            words = _words(column, number, upwards, count, rows if taken else None)
            bound = np.partition(words, wanted - 1)[wanted - 1]
            before = rows[words < bound]
            taken.append(before)
            wanted -= len(before)
            rows = rows[words == bound]
    taken.append(rows[:wanted] if count > 0 else rows[max(len(rows) - wanted, 0) :])
    return np.sort(np.concatenate(taken))


class Bound(NamedTuple):
    """What later rows must be within to be among the first or last ones, by the first of the columns."""

    word: np.uint64
    """The first word of the last row that is among them by now."""
    value: np.generic | None
    """The value there, where the order of values is that of the words; NaN, which comes last, has none."""


def rows_within(columns: Sequence[Column], ascending: Sequence[bool], count: int, bound: Bound | None) -> NumberArray:
    """Return the positions of the rows that may be among the first or last ones, given the bound of earlier rows."""
    if bound is None:
        return _first_rows_of_many(columns, ascending, count)
    # Of rows that are equal the earlier ones come first.
    ties_lose = count > 0 and len(columns) == 1 and word_count(columns[0]) == 1
    if bound.value is not None:
        # Many times faster than making words of all rows.
        compare = (np.less, np.less_equal) if ascending[0] == (count > 0) else (np.greater, np.greater_equal)
        return np.flatnonzero(compare[0 if ties_lose else 1](columns[0], bound.value))
    words = _words(columns[0], 0, ascending[0], count)
    return np.flatnonzero(words < bound.word if ties_lose else words <= bound.word)


def bound_of(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> Bound | None:
    """Return the bound that later rows must be within to be among the first or last ones; None if there is none yet."""
    column = columns[0]
    if not count or len(column) < abs(count):
        return None
    words = _words(column, 0, ascending[0], count)
    last = int(words.argmax())
    # The last of all rows are those with NaN.
    is_plain = isinstance(column, np.ndarray) and column.dtype.kind in ("iubf" if count > 0 else "iub")
    value = column[last] if is_plain else None
    is_nan = isinstance(value, np.floating) and bool(np.isnan(value))
    return Bound(words[last], None if is_nan else value)


def _first_rows_of_many(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> NumberArray:
    """Return the positions of rows that may be the first or last ones, where nothing is known of earlier rows yet."""
    several = SAMPLE * max(abs(count), 1)
    if len(columns[0]) <= MANY * several:
        return first_rows(columns, ascending, count)
    # Some rows give a bound for the others.
    some = [slice_rows(column, 0, several) for column in columns]
    found = first_rows(some, ascending, count)
    bound = bound_of([take_rows(column, found) for column in some], ascending, count)
    others = [slice_rows(column, several, len(column)) for column in columns]
    return np.concatenate([found, several + rows_within(others, ascending, count, bound)])


def _words(column: Column, number: int, upwards: bool, count: int, rows: NumberArray | None = None) -> Words:
    words = word(column, number, upwards, rows)
    return words if count > 0 else ~words


PREFIX_BYTES = 16
"""First bytes of strings by which `PrefixRange` orders them."""


class PrefixRange:
    """The first 16 bytes of the smallest and of the largest of strings that come in blocks.

    Both are stored as two words, their first bytes in the highest bits, which a compiled loop widens on its way.
    They are found when first asked for, since not every file that is written has a manifest.

    Examples
    --------
    >>> found = PrefixRange()
    >>> found.add(pa.array(["tcp", "a string of many letters", "udp"], pa.large_string()))
    >>> found.bounds
    (b'a string of many', b'udp')
    """

    def __init__(self) -> None:
        self.least, self.most = np.full(2, 2**64 - 1, np.uint64), np.zeros(2, np.uint64)
        self._waiting: list[pa.LargeStringArray] = []

    def add(self, strings: pa.LargeStringArray) -> None:
        """Take in at least one string, without nulls or NULs."""
        self._waiting.append(strings)

    @property
    def bounds(self) -> tuple[bytes, bytes] | None:
        """The bytes; None if there were no strings."""
        while self._waiting:
            self._widen(self._waiting.pop())
        if self.least.tolist() > self.most.tolist():
            return None
        least, most = (words.astype(">u8").tobytes().rstrip(b"\0") for words in (self.least, self.most))
        return least, most

    def _widen(self, strings: pa.LargeStringArray) -> None:
        extremes = pc.min_max(strings.cast(pa.large_binary()))
        low, high = (_prefix_words(extremes[side].as_py()) for side in ("min", "max"))
        self.least[:] = min(low, self.least.tolist())
        self.most[:] = max(high, self.most.tolist())


def _prefix_words(text: bytes) -> list[int]:
    words: list[int] = np.frombuffer(text[:PREFIX_BYTES].ljust(PREFIX_BYTES, b"\0"), ">u8").tolist()
    return words
