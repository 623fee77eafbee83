"""Numbers for strings in the order in which they are met, found in a hash table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.compiler import Item, compiled
from akdask.operators.keys.keys import FIRST, HALF, LAST_BITS, SECOND, Words
from akdask.operators.keys.loop_words import BITS, BYTES, MARGIN, NONE, ONE, Text, put_word, readable, word_at
from akdask.typing import NumberArray

BLOCK_ROWS = np.uint64(2**8)
"""Rows of which hashes and tags stay in the core's smallest cache."""

FEWEST = 2**10
"""Strings that there is memory for at first."""

SLOTS = 2**14
"""Slots at first; with more of them, and never more than half in use, a table does not fit the core's cache."""

FIRST_BITS, QUARTER, SIXTEEN, LONGEST = ~LAST_BITS, np.uint64(4), BYTES + BYTES, BYTES + BYTES + BYTES
ALL, TWO, THREE, FOUR = np.uint64(2**64 - 1), ONE + ONE, ONE + ONE + ONE, QUARTER
THIRD = np.uint64(0xA24BAED4963EE407)
ALL_THREE = np.uint64((int(FIRST) + int(SECOND) + int(THIRD)) % 2**64)


class Numbering:
    """Different strings in the order in which they were met, and where to find them by their hashes.

    A slot has half of a string's hash in the upper half, and in the lower one its number, counted from 1; the leading
    bits of the hash say where to look for it first.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of strings that are there."""
        self._slots = np.zeros(SLOTS, np.uint64)
        # An empty slot leads to a length that no string has.
        self._tags = np.full(4 * FEWEST + 4, ALL, np.uint64)
        self._ends = np.zeros(FEWEST + 1, np.uint64)
        self._text = np.zeros(32 * FEWEST, np.uint8)

    def strings(self) -> pa.LargeStringArray:
        """Return the strings that are there."""
        ends = self._ends[: self.count + 1].astype(np.int64)
        text = self._text[: int(ends[-1])].copy()
        return pa.LargeStringArray.from_buffers(self.count, pa.py_buffer(ends), pa.py_buffer(text))

    def numbers(self, strings: pa.LargeStringArray, limit: int) -> NumberArray | None:
        """Return the number of each string, after adding new ones; None as soon as there are too many."""
        numbers = np.empty(len(strings), np.int64)
        for first, offsets, text in readable(strings):
            into = numbers[first:].view(np.uint64)
            row = 0
            while row < len(offsets) - 1:
                table = self._slots, self._tags, self._ends, self._text, np.uint64(self.count)
                row, self.count = map(int, _number(offsets, text, np.uint64(row), *table, into))
                if self.count > limit:
                    return None
                if row < len(offsets) - 1:
                    self._grow(int(offsets[row + 1] - offsets[row]))
        return numbers

    def _grow(self, length: int) -> None:
        """Make memory for one more string of some length, and for as many more as there are."""
        used = int(self._ends[self.count])
        if used + length + MARGIN > len(self._text):
            self._text = _longer(self._text[:used], 2 * (used + length + MARGIN))
        if self.count + 1 == len(self._ends):
            self._ends = _longer(self._ends, 2 * self.count + 1)
            self._tags = _longer(self._tags, 8 * self.count + 4)
            if len(self._slots) < 2 * len(self._ends):
                slots = np.zeros(2 * len(self._slots), np.uint64)
                _move(self._slots, slots)
                self._slots = slots


def _longer(array: npt.NDArray[Item], size: int) -> npt.NDArray[Item]:
    """Return a longer array; memory that is not used costs nothing."""
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer


@compiled
def _number(
    offsets: Words,
    text: Text,
    first: np.uint64,
    slots: Words,
    tags: Words,
    ends: Words,
    known: Text,
    count: np.uint64,
    numbers: Words,
) -> tuple[np.uint64, np.uint64]:
    """Give numbers to strings from a row on; return the row for which memory is missing, and how many are known.

    The first two words of a string and the last are its tags.  They overlap where it is shorter than three words, and
    what lies behind one of fewer than 8 bytes is moved out.  So strings of up to 24 bytes take the same steps: the
    processor loses more by guessing wrong which come next.  Where the strings of a block have one word at most, only
    that is looked at.  Loops over what is adjacent take several rows at a time, so that other loops read the strings.

    Parameters
    ----------
    offsets, text : ndarray
        The strings.
    first : uint64
        The first of them that has no number.
    slots : ndarray of uint64
        Where to find known strings.
    tags : ndarray of uint64
        The length and the tags of each known string, one after the other.
    ends, known : ndarray
        Where known strings end, and their bytes.
    count : uint64
        How many there are.
    numbers : ndarray of uint64
        Filled.
    """
    base, nrows, size = offsets[0], np.uint64(len(offsets) - 1), np.uint64(len(known))
    last_slot, moved = np.uint64(len(slots) - 1), _leading(len(slots))
    hashes, ones, twos, threes, misses = np.empty((5, BLOCK_ROWS), np.uint64)
    while first < nrows:
        rows = min(BLOCK_ROWS, nrows - first)
        longest = NONE
        for number in range(rows):
            longest = max(longest, offsets[first + number + ONE] - offsets[first + number])
        few, many = (rows, NONE) if longest <= BYTES else (NONE, rows)
        for number in range(few):
            ones[number] = word_at(text, offsets[first + number] - base)
        for number in range(few):
            # The words are all the same.
            length = offsets[first + number + ONE] - offsets[first + number]
            bits = HALF - QUARTER * length
            one = (ones[number] << bits) << bits
            found = length + (one ^ (one >> HALF)) * ALL_THREE
            found = (found ^ (found >> HALF)) * FIRST
            hashes[number], ones[number] = found ^ (found >> HALF), one
        for number in range(many):
            start, stop = offsets[first + number] - base, offsets[first + number + ONE] - base
            last = max(stop, start + BYTES) - BYTES
            ones[number], twos[number] = word_at(text, start), word_at(text, min(start + BYTES, last))
            threes[number] = word_at(text, last)
        for number in range(many):
            length = offsets[first + number + ONE] - offsets[first + number]
            bits = HALF - QUARTER * min(length, BYTES)
            one, two, three = ones[number], twos[number], threes[number]
            one, two, three = (one << bits) << bits, (two << bits) << bits, (three << bits) << bits
            found = length + (one ^ (one >> HALF)) * FIRST
            found += (two ^ (two >> HALF)) * SECOND + (three ^ (three >> HALF)) * THIRD
            hashes[number], ones[number], twos[number], threes[number] = found, one, two, three
        for number in range(many if longest > LONGEST else NONE):
            ahead, stop = offsets[first + number] - base + SIXTEEN, offsets[first + number + ONE] - base
            found = hashes[number]
            while ahead + BYTES < stop:
                found = (found ^ (found >> HALF) ^ word_at(text, ahead)) * SECOND
                ahead += BYTES
            hashes[number] = found
        for number in range(many):
            found = hashes[number]
            found = (found ^ (found >> HALF)) * FIRST
            hashes[number] = found ^ (found >> HALF)
        if len(slots) > SLOTS:
            # Memory answers for many rows at a time, if none of them has to be compared before the next is asked for.
            for number in range(rows):
                numbers[first + number] = slots[hashes[number] >> moved] & LAST_BITS
            for number in range(rows):
                numbers[first + number] = tags[FOUR * numbers[first + number]]
        # Most are found where they are looked for first.
        all_differ = missed = NONE
        for number in range(few):
            entry = slots[hashes[number] >> moved] & LAST_BITS
            length, tag = offsets[first + number + ONE] - offsets[first + number], FOUR * entry
            differ = (tags[tag] ^ length) | (tags[tag + ONE] ^ ones[number])
            numbers[first + number], misses[number] = entry - ONE, differ
            all_differ |= differ
        for number in range(many):
            entry = slots[hashes[number] >> moved] & LAST_BITS
            length, tag = offsets[first + number + ONE] - offsets[first + number], FOUR * entry
            differ = (tags[tag] ^ length) | (tags[tag + ONE] ^ ones[number]) | np.uint64(length > LONGEST)
            differ |= (tags[tag + TWO] ^ twos[number]) | (tags[tag + THREE] ^ threes[number])
            numbers[first + number], misses[number] = entry - ONE, differ
            all_differ |= differ
        for number in range(rows if all_differ != NONE else NONE):
            # Nothing is guessed here; a row that is not one of those that are missed is written over by the next.
            differ = misses[number]
            misses[missed] = number
            missed += np.uint64(differ != NONE)
        for miss in range(missed):
            number = misses[miss]
            if longest <= BYTES:
                twos[number] = threes[number] = ones[number]
            start, stop = offsets[first + number] - base, offsets[first + number + ONE] - base
            length, half, slot = stop - start, hashes[number] & FIRST_BITS, hashes[number] >> moved
            while True:
                entry = slots[slot]
                tag = FOUR * (entry & LAST_BITS)
                if entry == NONE:
                    used = ends[count]
                    if count + ONE == np.uint64(len(ends)) or used + length + BYTES > size:
                        return first + number, count
                    for ahead in range(NONE, length, BYTES):
                        put_word(known, used + ahead, word_at(text, start + ahead))
                    count += ONE
                    entry, tag = half | count, FOUR * count
                    slots[slot], ends[count] = entry, used + length
                    tags[tag], tags[tag + ONE] = length, ones[number]
                    tags[tag + TWO], tags[tag + THREE] = twos[number], threes[number]
                    break
                if entry & FIRST_BITS == half:
                    differ = (tags[tag] ^ length) | (tags[tag + ONE] ^ ones[number])
                    differ |= (tags[tag + TWO] ^ twos[number]) | (tags[tag + THREE] ^ threes[number])
                    ahead, like = SIXTEEN, ends[(entry & LAST_BITS) - ONE]
                    while ahead + BYTES < length and differ == NONE:
                        differ = word_at(text, start + ahead) ^ word_at(known, like + ahead)
                        ahead += BYTES
                    if differ == NONE:
                        break
                slot = (slot + ONE) & last_slot
            numbers[first + number] = (entry & LAST_BITS) - ONE
        first += rows
    return nrows, count


@compiled
def _move(slots: Words, into: Words) -> None:
    """Put the entries of a table into a larger one."""
    last, moved = np.uint64(len(into) - 1), _leading(len(into))
    for entry in slots:
        if entry != NONE:
            slot = entry >> moved
            while into[slot] != NONE:
                slot = (slot + ONE) & last
            into[slot] = entry


@compiled
def _leading(size: int) -> np.uint64:
    """Return how far a hash is moved to the right for its leading bits to be the number of a slot."""
    bits = BITS
    while size > 1:
        size >>= 1
        bits -= ONE
    return bits
