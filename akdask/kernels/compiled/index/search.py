"""Searches in tables with gaps, whose words ascend.

Nearly all the time would go into waiting for slots from memory, so those of many rows are asked for at once.
"""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.prefetch import AHEAD, prefetch
from akdask.kernels.core.words import FIRST, HALF, SECOND, VACANT, Words
from akdask.typing import NumberArray

ONE = np.uint64(1)
NO_ROW = np.uint64(2**64 - 1)
"""The bits of -1."""


@compiled
def find_hashed(words: Words, shift: np.uint64, table: Words, has_vacant: bool, found: NumberArray) -> None:
    """Tell which words of numbers have hashes that are in a table; `has_vacant` tells it of the one that gaps have."""
    hashes = np.empty(AHEAD, np.uint64)
    for row in range(len(words) + AHEAD):
        waiting = row % AHEAD
        if row >= AHEAD:
            hashed = hashes[waiting]
            slot = hashed >> shift
            # Mostly it is one of two slots; a branch on which of them would be guessed wrong too often.
            slot += np.uint64(table[slot] < hashed)
            while table[slot] < hashed:
                slot += ONE
            found[row - AHEAD] = (table[slot] == hashed) & (has_vacant | (hashed != VACANT))
        if row < len(words):
            hashed = words[row] * FIRST
            hashed ^= hashed >> HALF
            hashed *= SECOND
            hashes[waiting] = hashed ^ (hashed >> HALF)
            prefetch(table, hashes[waiting] >> shift)


@compiled
def find_packed(
    words: Words,
    low: np.uint64,
    width: np.uint64,
    spare: np.uint64,
    dropped_bits: np.uint64,
    shift: np.uint64,
    nrows: np.uint64,
    table: Words,
    found: Words,
) -> None:
    """Find the rows that are packed with tags in a table, those of words from `low` on and no further than `width`."""
    leading = ~((ONE << spare) - ONE)
    tags = np.empty(AHEAD, np.uint64)
    for row in range(len(words) + AHEAD):
        waiting = row % AHEAD
        if row >= AHEAD:
            slot, wanted = tags[waiting] >> shift, tags[waiting] << dropped_bits
            # A word with the same tag is larger by its row, a vacant one by no row that there is.  Conditions are
            # looked at together, since nobody can guess which gaps look smaller than a tag, nor which rows match.
            beyond = table[slot] - wanted
            slot += np.uint64((np.int64(beyond) < 0) & (table[slot] != VACANT))
            beyond = table[slot] - wanted
            while (np.int64(beyond) < 0) & (table[slot] != VACANT):
                slot += ONE
                beyond = table[slot] - wanted
            matches = (beyond < nrows) & (words[row - AHEAD] - low <= width)
            found[row - AHEAD] = beyond if matches else NO_ROW
        if row < len(words):
            tag = ((words[row] - low) << spare) * FIRST
            tag ^= (tag >> HALF) & leading
            tags[waiting] = tag * SECOND
            prefetch(table, tags[waiting] >> shift)


@compiled
def meet_pairs(hashes: Words, slots: Words, table: Words, found: Words) -> None:
    """Find the first row beside each hash, from the slots on where it would be; `slots` become those where it ended."""
    last = len(hashes) - 1
    for row in range(len(hashes)):
        prefetch(table, np.uint64(slots[min(row + AHEAD, last)]))
        slot = slots[row]
        while table[slot, 0] < hashes[row]:
            slot += ONE
        slots[row] = slot
        # Without a branch, for the same reason.
        found[row] = table[slot, 1] | (np.uint64(table[slot, 0] == hashes[row]) - ONE)


@compiled
def matched(found: NumberArray, positions: NumberArray, rows: NumberArray) -> int:
    """Keep what was found of those rows that have a match, and where these are; return how many there are.

    Both have room for one more: each row is written, and only counted where it has a match.
    """
    count = 0
    for row in range(len(found)):
        positions[count] = row
        rows[count] = found[row]
        count += found[row] >= 0
    return count


@compiled
def search_sorted(table: Words, words: Words, after_equals: bool, found: NumberArray) -> None:
    """Find how many words of a table in order, which has some, are less than each word, or not greater."""
    lows = np.empty(AHEAD, np.int64)
    for first in range(0, len(words), AHEAD):
        count = min(AHEAD, len(words) - first)
        lows[:count] = 0
        size = len(table)
        while size > 1:
            half = size >> 1
            for row in range(count):
                middle, wanted = table[lows[row] + half - 1], words[first + row]
                lows[row] += half if (middle < wanted) | (after_equals & (middle == wanted)) else 0
            size -= half
        for row in range(count):
            last, wanted = table[lows[row]], words[first + row]
            found[first + row] = lows[row] + ((last < wanted) | (after_equals & (last == wanted)))
