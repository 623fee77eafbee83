"""The first rows of each group, other in order."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys.keys import Words
from akdask.typing import NumberArray


@compiled
def keep_first(
    codes: NumberArray,
    keys: Words,
    positions: NumberArray,
    count: int,
    words: Words,
    rows: NumberArray,
    start: int,
    stop: int,
) -> None:
    """Find the rows of each group with the smallest words, of equal words those with the smallest positions.

    Parameters
    ----------
    codes : ndarray of int64 or int32
        The group of each row.
    keys, positions : ndarray of uint64 and of int64
        What rows are ordered by.
    count : int
        How many rows of each group.
    words : ndarray of uint64, shape (groups * count,)
        The words of the rows that are kept, all the largest one at first.
    rows : ndarray of int64, shape (groups * count,)
        All -1 at first; the rows of each group so far, in order.
    start, stop : int
        Rows that are looked at.
    """
    wanted = np.uint64(count)
    one = np.uint64(1)
    for row in range(start, stop):
        key, first = keys[row], np.uint64(codes[row]) * wanted
        at = first + wanted - one
        # Most rows come behind the last that is kept.
        if words[at] < key:
            continue
        if words[at] == key and rows[at] >= 0 and positions[rows[at]] < positions[row]:
            continue
        while at > first:
            before = at - one
            other = rows[before]
            if other >= 0 and (words[before] < key or (words[before] == key and positions[other] < positions[row])):
                break
            words[at], rows[at] = words[before], other
            at = before
        words[at], rows[at] = key, row
