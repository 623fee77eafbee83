"""How tables with gaps are filled, and how the words that go there are mixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.gapped import VACANT
from akdask.kernels.hashing import FIRST, HALF, SECOND
from akdask.kernels.keys import Words

STRETCH = 2**12
"""Slots that are filled at a time, so that they are in the fastest cache when words come there."""


@compiled
def mix(words: Words) -> None:
    """Spread every bit of each word over all, in place."""
    for row in range(len(words)):
        word = words[row] * FIRST
        word ^= word >> HALF
        word *= SECOND
        words[row] = word ^ (word >> HALF)


@compiled
def mix_tags(tags: Words, spare: np.uint64, kept: np.uint64) -> None:
    """Move keys above spare bits, and spread every bit of each over those that are kept for it, in place."""
    for row in range(len(tags)):
        tag = (tags[row] << spare) * FIRST
        tag ^= (tag >> HALF) & kept
        tags[row] = tag * SECOND


@compiled
def lay_out(order: Words, words: Words, shift: np.uint64, size: int, table: Words) -> tuple[int, int]:
    """Put words in a table of at least so many slots, and one more after the last; `order` is what ascends.

    Returns
    -------
    end : int
        The slot after all that are needed.
    furthest : int
        How far a word is from the slot that its leading bits name, at most.
    """
    row, free, furthest = 0, 0, 0
    for start in range(0, len(table), STRETCH):
        if row == len(words) and start > max(size, free):
            break
        stop = min(start + STRETCH, len(table))
        table[start:stop] = VACANT
        while row < len(words):
            first: Any = np.int64(order[row] >> shift)
            place = max(free, first)
            if place >= stop:
                break
            table[place] = words[row]
            furthest = max(furthest, place - first)
            free = place + 1
            row += 1
    return max(size, free) + 1, furthest
