"""Numbers for the values of a key in the order in which they are met, found in a hash table."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys.keys import FIRST, HALF, Words
from akdask.typing import NumberArray

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@compiled
def number_words(
    words: Words, start: np.uint64, table: Words, moved: np.uint64, met: Words, count: np.uint64, codes: NumberArray
) -> tuple[np.uint64, np.uint64]:
    """Give numbers to words from a row on; return the row for which there is no place, and how many are known.

    Parameters
    ----------
    words : ndarray of uint64
    start : uint64
        The first row that has no number.
    table : ndarray of uint64
        Of each slot the word, and its number counted from 1, or 0.  At least one slot stays empty.
    moved : uint64
        How far a hash is moved to the right for its leading bits to be the number of a slot.
    met : ndarray of uint64
        Filled with the row of each new word; as many as there may be.
    count : uint64
        How many words are known.
    codes : ndarray of int64
        Filled.
    """
    last, capacity = np.uint64(len(table)) - ONE, np.uint64(len(met))
    for row in range(start, np.uint64(len(words))):
        word = words[row]
        slot = TWO * (((word ^ (word >> HALF)) * FIRST) >> moved)
        while table[slot + ONE] != ZERO and table[slot] != word:
            slot = (slot + TWO) & last
        if table[slot + ONE] == ZERO:
            if count == capacity:
                return np.uint64(row), count
            met[count] = row
            count += ONE
            table[slot], table[slot + ONE] = word, count
        codes[row] = np.int64(table[slot + ONE] - ONE)
    return np.uint64(len(words)), count
