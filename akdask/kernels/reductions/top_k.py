"""The rows with the smallest or the largest values of a column."""

from __future__ import annotations

import numpy as np

from akdask.columns import take_rows
from akdask.deferred import pa, pc
from akdask.kernels.core.words import Words
from akdask.kernels.keys.normalized import word
from akdask.kernels.keys.sort import argsort
from akdask.typing import Column, NumberArray


def smallest(column: Column, count: int) -> NumberArray:
    """Return the positions of the `count` first rows in order, in order; all if there are fewer.

    Examples
    --------
    >>> smallest(np.array([3, 1, 2, 1]), 3).tolist()
    [1, 3, 2]
    """
    few = _candidates(word(column, 0), count)
    return few[argsort([take_rows(column, few)], [True])[:count]]


def largest(column: Column, count: int) -> NumberArray:
    """Return the positions of the `count` last rows in order, in order; all if there are fewer.

    Examples
    --------
    >>> largest(np.array([3, 1, 2, 3]), 3).tolist()
    [2, 0, 3]
    """
    few = _candidates(~word(column, 0), count)
    return few[argsort([take_rows(column, few)], [True])[-count:]]


def _candidates(words: Words, count: int) -> NumberArray:
    """Return the positions of all rows whose first word is not after that of rank `count`."""
    if count >= len(words):
        return np.arange(len(words))
    return np.flatnonzero(words <= np.partition(words, count - 1)[count - 1])


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
