"""How tables with gaps are filled, and how the words that go there are mixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.prefetch import AHEAD, prefetch
from akdask.kernels.core.words import FIRST, HALF, LAST, SECOND, VACANT, Words
from akdask.typing import NumberArray

ONE = np.uint64(1)

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
def insert_packed(
    words: Words,
    low: np.uint64,
    spare: np.uint64,
    dropped_bits: np.uint64,
    shift: np.uint64,
    table: Words,
    later: NumberArray,
) -> tuple[int, int, int]:
    """Put the rows of words, packed with their tags, where sorting them first would have put them.

    A word takes the place of the first one that is larger, which moves on to the next place, and so on.

    Parameters
    ----------
    words : ndarray of uint64
        Keys, the lowest of which is `low`.
    spare, dropped_bits, shift : uint64
        Bits of a tag that are to spare, leading bits of it that a packed word lacks, and bits after those that name
        the place of a word.
    table : ndarray of uint64
        Vacant slots, as many as there are names of places, and one for each word and one more.
    later : ndarray of int64
        Room for the rows whose key has come before.

    Returns
    -------
    end : int
        The slot after all that are needed.
    furthest : int
        How far a word is from the slot that its leading bits name, at most, counted in the bits that are left.
    count : int
        How many rows are in `later`.
    """
    leading, row_mask = ~((ONE << spare) - ONE), (ONE << (spare + dropped_bits)) - ONE
    home = shift + dropped_bits
    near = LAST >> home
    tags = np.empty(AHEAD, np.uint64)
    count, free, furthest = 0, np.uint64(len(table) - len(words) - 1), ONE - ONE
    for row in range(len(words) + AHEAD):
        waiting = row % AHEAD
        if row >= AHEAD:
            slot, word = tags[waiting] >> shift, (tags[waiting] << dropped_bits) | np.uint64(row - AHEAD)
            while table[slot] != VACANT:
                if (word ^ table[slot]) <= row_mask:
                    break
                if np.int64(word - table[slot]) < 0:
                    furthest = max(furthest, (slot - (word >> home)) & near)
                    word, table[slot] = table[slot], word
                slot += ONE
            if table[slot] == VACANT:
                furthest = max(furthest, (slot - (word >> home)) & near)
                table[slot] = word
                free = max(free, slot + ONE)
            else:
                later[count] = row - AHEAD
                count += 1
        if row < len(words):
            tag = ((words[row] - low) << spare) * FIRST
            tag ^= (tag >> HALF) & leading
            tags[waiting] = tag * SECOND
            prefetch(table, tags[waiting] >> shift)
    return int(free + ONE), int(furthest), count


@compiled
def lay_out(order: Words, words: Words, shift: np.uint64, size: int, table: Words) -> tuple[int, int]:
    """Put words in a table with at least as many slots as their number, and one more; `order` ascends.

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
            slot_number = max(free, first)
            if slot_number >= stop:
                break
            table[slot_number] = words[row]
            furthest = max(furthest, slot_number - first)
            free = slot_number + 1
            row += 1
    return max(size, free) + 1, furthest
