"""The rows with the smallest or the largest values of a column."""

from __future__ import annotations

import numpy as np

from akdask.columns import take_rows
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
