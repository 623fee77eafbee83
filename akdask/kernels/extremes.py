"""The rows with the smallest or the largest values of a column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.columns import take_rows
from akdask.kernels import compiled
from akdask.kernels.keys import Words, word
from akdask.kernels.sort import argsort
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
"""First bytes of strings by which `prefix_range` orders them."""


def prefix_range(strings: pa.LargeStringArray) -> tuple[bytes, bytes]:
    """Return the first 16 bytes of the smallest and of the largest string, of at least one, without nulls or NULs.

    Examples
    --------
    >>> prefix_range(pa.array(["tcp", "a string of many letters", "udp"], pa.large_string()))
    (b'a string of many', b'udp')
    """
    if compiled.pays(len(strings)):
        from akdask.kernels.compiled.prefixes import prefix_words

        least, most = (words.astype(">u8").tobytes().rstrip(b"\0") for words in prefix_words(strings))
        return least, most
    extremes = pc.min_max(strings.cast(pa.large_binary()))
    return extremes["min"].as_py()[:PREFIX_BYTES], extremes["max"].as_py()[:PREFIX_BYTES]
