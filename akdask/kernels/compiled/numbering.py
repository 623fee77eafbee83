"""Numbers for strings in the order in which they are met, from a hash table that holds them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.words import AT_ONCE, BITS, BYTES, MARGIN, NONE, ONE, Text, put_word, readable, word_at
from akdask.kernels.hashing import FIRST, HALF, LAST_BITS, SECOND
from akdask.kernels.keys import Words
from akdask.typing import NumberArray

FEWEST = 2**10
"""Strings that there is room for at first; half of the slots stay empty."""

MANY_SLOTS = np.uint64(2**14)
"""Slots of a table that does not fit the core's cache, with the strings."""

FIRST_BITS, QUARTER, TWO = ~LAST_BITS, np.uint64(4), BYTES + BYTES
THIRD = np.uint64(0xA24BAED4963EE407)


class Numbering:
    """Different strings in the order in which they were met, and where to find them by their hashes.

    A slot has half of a string's hash in the upper half, and in the lower one its number, counted from 1; the leading
    bits of the hash say where to look for it first.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of strings that are there."""
        self._slots = np.zeros(2 * FEWEST, np.uint64)
        self._ends = np.zeros(FEWEST + 1, np.uint64)
        self._text = np.zeros(32 * FEWEST, np.uint8)

    def strings(self) -> pa.LargeStringArray:
        """Return the strings that are there."""
        ends = self._ends[: self.count + 1].astype(np.int64)
        text = self._text[: int(ends[-1])].copy()
        return pa.LargeStringArray.from_buffers(self.count, pa.py_buffer(ends), pa.py_buffer(text))

    def numbers(self, strings: pa.LargeStringArray, limit: int) -> NumberArray | None:
        """Return the number of each string, after adding those that are new; None as soon as there are too many."""
        numbers = np.empty(len(strings), np.int64)
        for first, offsets, text in readable(strings):
            row = 0
            while row < len(offsets) - 1:
                done, known = np.uint64(row), np.uint64(self.count)
                into = numbers[first:].view(np.uint64)
                row, self.count = map(
                    int, _number(offsets, text, done, self._slots, self._ends, self._text, known, into)
                )
                if self.count > limit:
                    return None
                if row < len(offsets) - 1:
                    self._grow(int(offsets[row + 1] - offsets[row]))
        return numbers

    def _grow(self, length: int) -> None:
        """Make room for one more string of some length, and for as many more as there are."""
        used = int(self._ends[self.count])
        if used + length + MARGIN > len(self._text):
            self._text = np.append(self._text[:used], np.zeros(used + length + MARGIN, np.uint8))
        if self.count + 1 == len(self._ends):
            self._ends = np.append(self._ends, np.zeros(self.count, np.uint64))
            slots = np.zeros(2 * len(self._slots), np.uint64)
            _move(self._slots, slots)
            self._slots = slots


@compiled
def _number(
    offsets: Words,
    text: Text,
    first: np.uint64,
    slots: Words,
    ends: Words,
    known: Text,
    count: np.uint64,
    numbers: Words,
) -> tuple[np.uint64, np.uint64]:
    """Give numbers to strings from a row on; return the row for which there is no more room, and how many are known.

    Words of a string overlap where its length is no multiple of 8, and are the same where it has 8 bytes or fewer; what
    lies behind one of fewer is moved out.  So strings of up to 24 bytes take the same steps, for the processor loses
    more by guessing wrong which come next.

    Parameters
    ----------
    offsets, text : ndarray
        The strings.
    first : uint64
        The first of them that has no number.
    slots : ndarray of uint64
        Where to find known strings.
    ends, known : ndarray
        Where they end, and their bytes.
    count : uint64
        How many there are.
    numbers : ndarray of uint64
        Filled.
    """
    base, nrows, room = offsets[0], np.uint64(len(offsets) - 1), np.uint64(len(known))
    last_slot, moved = np.uint64(len(slots) - 1), _leading(len(slots))
    hashes, warmed = np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.uint64)
    while first < nrows:
        rows = min(AT_ONCE, nrows - first)
        for number in range(rows):
            start, stop = offsets[first + number] - base, offsets[first + number + ONE] - base
            length = stop - start
            places = HALF - QUARTER * min(length, BYTES)
            last = max(stop, start + BYTES) - BYTES
            one, three = word_at(text, start), word_at(text, last)
            two = word_at(text, min(start + BYTES, last))
            one, two, three = (one << places) << places, (two << places) << places, (three << places) << places
            found = length + (one ^ (one >> HALF)) * FIRST
            found += (two ^ (two >> HALF)) * SECOND + (three ^ (three >> HALF)) * THIRD
            ahead = start + TWO
            while ahead < last:
                found = (found ^ (found >> HALF) ^ word_at(text, ahead)) * SECOND
                ahead += BYTES
            found = (found ^ (found >> HALF)) * FIRST
            hashes[number] = found ^ (found >> HALF)
        if last_slot >= MANY_SLOTS:
            # What is fetched from memory for several rows comes together; looking closer, the first is waited for.
            for number in range(rows):
                warmed[number] = slots[hashes[number] >> moved] & LAST_BITS
            for number in range(rows):
                warmed[number] = ends[max(warmed[number], ONE) - ONE]
            for number in range(rows):
                warmed[number] = word_at(known, warmed[number])
        for number in range(rows):
            start, stop = offsets[first + number] - base, offsets[first + number + ONE] - base
            length, half, slot = stop - start, hashes[number] & FIRST_BITS, hashes[number] >> moved
            places = HALF - QUARTER * min(length, BYTES)
            last = max(stop, start + BYTES) - BYTES
            while True:
                entry = slots[slot]
                if entry == NONE:
                    used = ends[count]
                    if count + ONE == np.uint64(len(ends)) or used + length + TWO > room:
                        return first + number, count
                    for ahead in range(NONE, length, BYTES):
                        put_word(known, used + ahead, word_at(text, start + ahead))
                    count += ONE
                    entry = half | count
                    slots[slot] = entry
                    ends[count] = used + length
                    break
                if entry & FIRST_BITS == half:
                    like = ends[(entry & LAST_BITS) - ONE]
                    if ends[entry & LAST_BITS] - like == length:
                        like -= start
                        second = min(start + BYTES, last)
                        differ = word_at(text, start) ^ word_at(known, like + start)
                        differ |= word_at(text, second) ^ word_at(known, like + second)
                        differ |= word_at(text, last) ^ word_at(known, like + last)
                        ahead = start + TWO
                        while ahead < last:
                            differ |= word_at(text, ahead) ^ word_at(known, like + ahead)
                            ahead += BYTES
                        if (differ << places) << places == NONE:
                            break
                slot = (slot + ONE) & last_slot
            numbers[first + number] = (entry & LAST_BITS) - ONE
        first += rows
    return nrows, count


@compiled
def _leading(size: int) -> np.uint64:
    """Return how far a hash is moved to the right for its leading bits to be the number of one of so many slots."""
    places = BITS
    while size > 1:
        size >>= 1
        places -= ONE
    return places


@compiled
def _move(slots: Words, into: Words) -> None:
    """Find places for the entries of a table in a larger one."""
    last, moved = np.uint64(len(into) - 1), _leading(len(into))
    for entry in slots:
        if entry != NONE:
            slot = entry >> moved
            while into[slot] != NONE:
                slot = (slot + ONE) & last
            into[slot] = entry
