"""A loop that finds the extremes of strings by their first two words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.texts import ALL, cut, swapped
from akdask.kernels.compiled.words import BYTES, NONE, ONE, Text, readable, word_at
from akdask.kernels.keys import Words


def prefix_words(strings: pa.LargeStringArray) -> tuple[Words, Words]:
    """Return the first two words of the smallest and of the largest string, their first bytes in the highest places."""
    least, most = np.full(2, ALL), np.full(2, NONE)
    for _, offsets, text in readable(strings):
        _widen(offsets, text, least, most)
    return least, most


@compiled
def _widen(offsets: Words, text: Text, least: Words, most: Words) -> None:
    """Make two words smaller, and two larger, where those of a string are."""
    low, high = least[0], most[0]
    for row in range(np.uint64(len(offsets) - 1)):
        at, stop = offsets[row] - offsets[0], offsets[row + ONE] - offsets[0]
        first = swapped(cut(word_at(text, at), at, stop))
        # Mostly it lies between, so the second word need not be looked at.
        if low < first < high:
            continue
        second = swapped(cut(word_at(text, at + BYTES), at + BYTES, stop))
        if first < least[0] or (first == least[0] and second < least[1]):
            low = least[0] = first
            least[1] = second
        if first > most[0] or (first == most[0] and second > most[1]):
            high = most[0] = first
            most[1] = second
