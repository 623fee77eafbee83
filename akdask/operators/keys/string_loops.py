"""Words of strings, in loops."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys.keys import HALF
from akdask.operators.keys.loop_words import BYTES

ALL, QUARTER = np.uint64(2**64 - 1), np.uint64(4)
DOUBLE, BYTES_OF_PAIRS, PAIRS_OF_QUADS = np.uint64(16), np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)


@compiled
def swapped(word: np.uint64) -> np.uint64:
    """Return a word with its bytes the other way round."""
    word = ((word >> BYTES) & BYTES_OF_PAIRS) | ((word & BYTES_OF_PAIRS) << BYTES)
    word = ((word >> DOUBLE) & PAIRS_OF_QUADS) | ((word & PAIRS_OF_QUADS) << DOUBLE)
    return (word >> HALF) | (word << HALF)


@compiled
def leading_bytes(word: np.uint64, at: np.uint64, stop: np.uint64) -> np.uint64:
    """Return a word without the bytes that are behind the end of its string."""
    # Half of the places twice, for a shift by all 64 is undefined; and nothing here has to be guessed.
    shift = HALF - QUARTER * min(stop - min(at, stop), BYTES)
    return word & ((ALL >> shift) >> shift)
