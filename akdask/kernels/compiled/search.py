"""Searches in tables with gaps, whose words ascend.

Nearly all the time goes into fetching slots from memory.  The processor fetches those of many rows at once, for it
guesses rightly that most searches end where they begin.
"""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.gapped import VACANT
from akdask.kernels.hashing import FIRST, HALF, SECOND
from akdask.kernels.keys import Words
from akdask.typing import NumberArray

ONE = np.uint64(1)
NO_ROW = np.uint64(2**64 - 1)
"""The bits of -1."""


@compiled
def find_hashed(words: Words, shift: np.uint64, table: Words, has_vacant: bool, found: NumberArray) -> None:
    """Tell which words of numbers have hashes that are in a table; `has_vacant` tells it of the one that gaps have."""
    for row in range(len(words)):
        hashed = words[row] * FIRST
        hashed ^= hashed >> HALF
        hashed *= SECOND
        hashed ^= hashed >> HALF
        slot = hashed >> shift
        while table[slot] < hashed:
            slot += ONE
        found[row] = (table[slot] == hashed) & (has_vacant | (hashed != VACANT))


@compiled
def find_packed(
    words: Words,
    low: np.uint64,
    width: np.uint64,
    spare: np.uint64,
    cut: np.uint64,
    shift: np.uint64,
    nrows: np.uint64,
    table: Words,
    found: Words,
) -> None:
    """Find the rows that are packed with tags in a table, those of words from `low` on and no further than `width`."""
    kept = ~((ONE << spare) - ONE)
    for row in range(len(words)):
        distance = words[row] - low
        tag = (distance << spare) * FIRST
        tag ^= (tag >> HALF) & kept
        tag *= SECOND
        slot, wanted = tag >> shift, tag << cut
        # A word with the same tag is larger by its row, a vacant one by no row that there is.  Conditions are looked at
        # together, since nobody can guess which gaps look smaller than a tag, nor which rows have a match.
        beyond = table[slot] - wanted
        while (np.int64(beyond) < 0) & (table[slot] != VACANT):
            slot += ONE
            beyond = table[slot] - wanted
        found[row] = beyond if (beyond < nrows) & (distance <= width) else NO_ROW


@compiled
def meet_pairs(hashes: Words, slots: Words, table: Words, found: Words) -> None:
    """Find the first row beside each hash, from the slots on where it would be; `slots` become those where it ended."""
    for row in range(len(hashes)):
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
