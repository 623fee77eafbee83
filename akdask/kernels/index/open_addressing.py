"""Hash tables that are one sorted array with gaps.

The place of a word is named by its leading bits, or is the first free one after that; so the words that are there
ascend.  To build one is to sort.  A search goes on from the place of its word for as long as it meets smaller ones,
which it hardly ever does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from akdask.columns import full_array, new_array, slice_rows, take_rows
from akdask.kernels import compiled
from akdask.kernels.core.words import VACANT, WORD_BITS, Words
from akdask.typing import Column, NumberArray

SLOTS_OF_A_ROW = 3
"""Slots for each row, at least: with fewer, searches would visit more slots."""

CHUNK_ROWS = 2**13
"""Rows that are searched for at a time, so that what is found in between stays in the fastest cache."""

Wanted: TypeAlias = Callable[[Sequence[Column]], tuple[Words, NumberArray | None]]
"""Makes words of keys, and tells which of them are nowhere, whatever their words."""

Meet: TypeAlias = Callable[[Words, NumberArray, Sequence[Column]], tuple[NumberArray, NumberArray]]
"""Given words, slots and keys: what is found there, and which searches must go on."""


class OpenAddressingTable:
    """Where the words of a table go: `bits` is how many leading bits name a place, `shift` how many bits follow."""

    def __init__(self, nrows: int) -> None:
        self.bits = max((SLOTS_OF_A_ROW * nrows).bit_length(), 1)
        self.shift = np.uint64(WORD_BITS - self.bits)
        self._size = 1 << self.bits

    def slots(self, words: Words) -> NumberArray:
        """Return the slots where searches for words begin."""
        return (words >> self.shift).view(np.int64)

    def positions(self, words: Words) -> tuple[NumberArray, int]:
        """Return the slots of ascending words, and how many slots there are: at least one more."""
        number = np.arange(len(words))
        positions = self.slots(words)
        positions -= number
        np.maximum.accumulate(positions, out=positions)
        positions += number
        last = int(positions[-1]) if len(positions) else 0
        return positions, max(self._size, last + 1) + 1

    def vacant(self, nrows: int) -> Words:
        """Return a table without words, with room for as many, however far the last are from their slots."""
        return full_array(self._size + nrows + 1, VACANT, VACANT.dtype)

    def table(self, order: Words, words: Words) -> tuple[Words, int]:
        """Return the table of some words, and how far one of them is from its first slot, at most.

        Parameters
        ----------
        order : ndarray of uint64
            What the places are named by, ascending.
        words : ndarray of uint64
            What goes there.
        """
        if compiled.should_compile(len(words)):
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.open_addressing import lay_out

            # However far the last words are from their slots; untouched memory costs nothing.
            table = new_array(self._size + len(words) + 1, np.uint64)
            end, furthest = lay_out(read_only(order), read_only(words), self.shift, self._size, table)
            return table[:end], furthest
        positions, size = self.positions(order)
        table = full_array(size, VACANT, VACANT.dtype)
        table[positions] = words
        positions -= self.slots(order)
        return table, int(positions.max(initial=0))

    def search(
        self, keys: Sequence[Column], wanted: Wanted, meet: Meet, found: NumberArray, nothing: int
    ) -> NumberArray:
        """Fill `found` with what is met for each row of keys, `nothing` for those that are nowhere."""
        waiting: list[tuple[NumberArray, Words, NumberArray]] = []
        for start in range(0, len(found), CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, len(found))
            part = [slice_rows(key, start, stop) for key in keys]
            words, nowhere = wanted(part)
            slots = self.slots(words)
            here, on = meet(words, slots, part)
            if nowhere is not None:
                here[nowhere] = nothing
                on = on[~nowhere.take(on)]
            found[start:stop] = here
            if len(on):
                waiting.append((on + start, words.take(on), slots.take(on)))
        if waiting:
            rows, words, slots = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
            _search_on(keys, meet, found, (rows, words, slots))
        return found


def _search_on(
    keys: Sequence[Column], meet: Meet, found: NumberArray, waiting: tuple[NumberArray, Words, NumberArray]
) -> None:
    """Look at the next slots, for rows that have not met their end."""
    rows, words, slots = waiting
    while len(rows):
        slots += 1
        here, on = meet(words, slots, [take_rows(key, rows) for key in keys])
        found[rows] = here
        rows, words, slots = rows.take(on), words.take(on), slots.take(on)
