"""A loop that orders the few rows whose packed keys are equal by all of their words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray

FEW = 32
"""Rows of a group up to which each is compared with those before it until its place is found."""


@compiled
def order_few(groups: Words, words: Words, order: NumberArray, left: npt.NDArray[np.bool_]) -> int:
    """Order the rows of each small group, and find the large ones whose rows are not all equal.

    Parameters
    ----------
    groups : ndarray of uint64
        The number of the group of each row; ascending.
    words : ndarray of uint64, shape (words, rows)
        What rows are ordered by, the most significant first.
    order : ndarray of int64
        The positions of the rows, in order: changed.
    left : ndarray of bool
        Filled with whether a row is in a group that is left to be ordered.

    Returns
    -------
    int
        How many rows are left.
    """
    nwords, nrows, count, start = len(words), len(groups), 0, 0
    while start < nrows:
        stop = start + 1
        while stop < nrows and groups[stop] == groups[start]:
            stop += 1
        is_left = False
        if stop - start > FEW:
            for number in range(nwords):
                for row in range(start + 1, stop):
                    is_left |= words[number, row] != words[number, start]
        else:
            for row in range(start + 1, stop):
                place = row
                while place > start:
                    before, number = order[place - 1], 0
                    while number < nwords - 1 and words[number, before] == words[number, row]:
                        number += 1
                    if words[number, before] <= words[number, row]:
                        break
                    order[place] = before
                    place -= 1
                order[place] = row
        for row in range(start, stop):
            left[row] = is_left
        count += (stop - start) * is_left
        start = stop
    return count
