"""Loops that make numbers of floats, which order like them."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys.keys import LAST, SIGN, Words

NONE, LAST_BIT, INFINITY = np.uint64(0), np.uint64(63), np.uint64(0x7FF0 << 48)


@compiled
def float_word(bits: np.uint64, inverted: np.uint64) -> np.uint64:
    """Return the word of a float, given its bits; `inverted` has those that are to be the other way round."""
    # -0.0 is 0.0; of positive numbers the sign is flipped, of negative ones all bits are.
    plain = NONE if bits == SIGN else bits
    word = plain ^ (SIGN | (NONE - (plain >> LAST_BIT))) ^ inverted
    return LAST if bits & ~SIGN > INFINITY else word


@compiled
def float_words(bits: Words, inverted: np.uint64, words: Words) -> None:
    """Write the words of floats, given their bits; `inverted` has those that are to be the other way round."""
    for row in range(len(bits)):
        words[row] = float_word(bits[row], inverted)
