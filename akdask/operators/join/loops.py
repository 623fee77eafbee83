"""How tables with gaps are filled, and how the words that go there are mixed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.compiler import compiled
from akdask.operators.keys.keys import FIRST, HALF, LAST, SECOND, VACANT, Words
from akdask.operators.keys.prefetch import AHEAD, prefetch
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


BYTE_SHIFT = np.uint64(3)
BIT_MASK = np.uint64(7)


@compiled
def mark(words: Words, low: np.uint64, bits: npt.NDArray[np.uint8]) -> None:
    """Set the bit of the cell of each word, all of which have one."""
    for row in range(len(words)):
        slot = words[row] - low
        bits[slot >> BYTE_SHIFT] |= ONE << (slot & BIT_MASK)


@compiled
def look_up_bits(
    words: Words, low: np.uint64, nslots: np.uint64, bits: npt.NDArray[np.uint8], found: NumberArray
) -> None:
    """Tell whether the bit of the cell of each word is set."""
    for row in range(len(words)):
        slot = min(words[row] - low, nslots)
        found[row] = (bits[slot >> BYTE_SHIFT] >> (slot & BIT_MASK)) & ONE


@compiled
def put_rows(words: Words, low: np.uint64, rows: NumberArray) -> None:
    """Put the first row of each cell there."""
    for row in range(len(words) - 1, -1, -1):
        rows[words[row] - low] = row


@compiled
def look_up_rows(words: Words, low: np.uint64, nslots: np.uint64, rows: NumberArray, found: NumberArray) -> None:
    """Find the row in the cell of each word."""
    last = len(words) - 1
    for row in range(len(words)):
        prefetch(rows, min(words[min(row + AHEAD, last)] - low, nslots))
        found[row] = rows[min(words[row] - low, nslots)]
