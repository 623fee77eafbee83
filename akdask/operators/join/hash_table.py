"""Hash tables that are one sorted array with gaps.

The place of a word is named by its leading bits, or is the first free one after that; so the words that are there
ascend.  To build one is to sort.  A search goes on from the place of its word for as long as it meets smaller ones,
which it hardly ever does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from akdask import compiled
from akdask.columns.memory import full_array, new_array
from akdask.columns.rows import slice_rows, take_rows
from akdask.columns.table import Sized
from akdask.deferred import pc
from akdask.operators.keys import hashing
from akdask.operators.keys.keys import Key, pack_words, row_bits, span, unpack_rows, word
from akdask.operators.keys.words import FIRST, HALF, LAST, SECOND, VACANT, WORD_BITS, Words
from akdask.operators.rows.gather import gather
from akdask.operators.values.strings import unpack_bools
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
            from akdask.compiler import read_only
            from akdask.operators.join.loops import lay_out

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


TELLING_BITS = 6
"""Bits of a slot number stored with a word, at least: no word is that many slots away from its own slot."""

EMPTY = -1
"""Stands for a row where there is none."""

NOBODY: NumberArray = np.empty(0, np.int64)
"""The rows that must go on searching, after a loop that searched to the end."""


def packable_spans(keys: Sequence[Column]) -> list[tuple[int, int]] | None:
    """Return the ranges of the words of all keys, None if these leave no room for a row number in one word."""
    nrows = len(keys[0])
    spans = [found for key in keys if (found := span(key)) is not None]
    dropped_bits = nrows.bit_length() + _span_bits(spans) - WORD_BITS
    fits = dropped_bits <= 0 or OpenAddressingTable(nrows).bits - dropped_bits >= TELLING_BITS
    return spans if fits and len(spans) == len(keys) else None


def _span_bits(spans: Sequence[tuple[int, int]]) -> int:
    return sum((high - low).bit_length() for low, high in spans)


def hashed_words(keys: Sequence[Column]) -> tuple[Words, None]:
    """Return the words of searches for hashes."""
    return hashing.hash_rows(keys), None


class PackedIndex(Sized):
    """Words of key and row number, for keys whose ranges leave room for one.

    Keys are mixed well, in such a way that different ones stay different: these are tags.  Where a row number takes
    more bits than a tag has to spare, the leading ones of the tag are left out, for they name the place of the word.
    """

    def __init__(self, keys: Sequence[Column], spans: Sequence[tuple[int, int]]) -> None:
        nrows = len(keys[0])
        self._keys = list(keys)
        self._spans = spans
        self._nrows = np.uint64(nrows)
        spare = min(nrows.bit_length(), WORD_BITS - _span_bits(spans))
        dropped_bits = nrows.bit_length() - spare
        self._spare, self._dropped_bits = np.uint64(spare), np.uint64(dropped_bits)
        self._spare_mask = np.uint64((1 << spare) - 1)
        self._layout = OpenAddressingTable(nrows)
        self._slots, furthest, self._later = self._inserted() if compiled.should_compile(nrows) else self._laid_out()
        self.is_sound = furthest < 1 << (self._layout.bits - dropped_bits - 1)
        """Whether the remaining bits order any two words, which is true for words of neighbouring slots."""

    def _laid_out(self) -> tuple[Words, int, NumberArray]:
        """Return the table, how far a word is from its first slot, and the rows whose key has come before."""
        order, words, later = self._sorted_words()
        return *self._layout.table(order, words), later

    def _inserted(self) -> tuple[Words, int, NumberArray]:
        """Return the same without sorting."""
        from akdask.compiler import read_only
        from akdask.operators.join.loops import insert_packed

        words, low, _ = self._words_in_range(self._keys)
        table, later = self._layout.vacant(len(words)), new_array(len(words), np.int64)
        end, furthest, count = insert_packed(
            read_only(words), low, self._spare, self._dropped_bits, self._layout.shift, table, later
        )
        return table[:end], furthest, later[:count].copy()

    def _sorted_words(self) -> tuple[Words, Words, NumberArray]:
        """Return what the words are in order of, one word for each key, and the rows whose key has come before."""
        tags, _ = self._tags(self._keys)
        if self._dropped_bits:
            order, rows = _sorted_with_rows(tags)
            words = order << self._dropped_bits
            words |= rows.view(np.uint64)
        else:
            tags |= np.arange(len(tags), dtype=np.uint64)
            tags.sort()
            order = words = tags
        again = np.flatnonzero((order[1:] ^ order[:-1]) <= self._spare_mask) + 1
        if not len(again):
            return order, words, again
        row_mask = np.uint64((1 << int(self._nrows).bit_length()) - 1)
        later = (words[again] & row_mask).view(np.int64)
        words = np.delete(words, again)
        return np.delete(order, again) if self._dropped_bits else words, words, later

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._later)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        if not compiled.should_compile(len(found)):
            return self._layout.search(keys, self._tags, self._meet, found, EMPTY)
        from akdask.compiler import read_only
        from akdask.operators.join.loops import find_packed

        words, low, width = self._words_in_range(keys)
        table, rows = read_only(self._slots), found.view(np.uint64)
        find_packed(
            read_only(words), low, width, self._spare, self._dropped_bits, self._layout.shift, self._nrows, table, rows
        )
        return found

    def _words_in_range(self, keys: Sequence[Column]) -> tuple[Words, np.uint64, np.uint64]:
        """Return one word for each row, the lowest that is in the table, and how far the last is from that, at most."""
        if len(keys) == 1:
            low, high = self._spans[0]
            return word(keys[0], 0), np.uint64(low), np.uint64(high - low)
        distances, outside = self._distances(keys)
        if outside is not None:
            distances[outside] = LAST
        return distances, np.uint64(0), np.uint64((1 << _span_bits(self._spans)) - 1)

    def _meet(self, tags: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        words = self._slots.take(slots)
        filled = words != VACANT
        # A word with the same tag is larger by its row, a vacant one by no row that there is.
        words -= tags << self._dropped_bits
        before = np.flatnonzero((words.view(np.int64) < 0) & filled)
        return _rows_or_empty(words, words < self._nrows), before

    def _tags(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return the tags of keys, whose lowest bits are to spare, and which of them lie outside the ranges."""
        tags, outside = self._distances(keys)
        tags <<= self._spare
        tags *= FIRST
        tags ^= (tags >> HALF) & ~self._spare_mask
        tags *= SECOND
        return tags, outside

    def _distances(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return how far keys are from the lowest ones, in one word, and which of them lie outside the ranges."""
        distances, outside = None, None
        for key, (low, high) in zip(keys, self._spans, strict=True):
            distance = word(key, 0)
            distance -= np.uint64(low)
            beyond = distance > np.uint64(high - low)
            if beyond.any():
                outside = beyond if outside is None else outside | beyond
            if distances is None:
                distances = distance
            else:
                distances <<= np.uint64((high - low).bit_length())
                distances |= distance
        assert distances is not None, "an index has keys"
        return distances, outside


class HashIndex(Sized):
    """Hashes, each with the number of its row beside it, so that both are read at once."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)
        self._exact = hashing.is_exact(keys)
        hashes, rows, self._unsure = self._distinct(*_sorted_with_rows(hashing.hash_rows(keys)))
        self._layout = OpenAddressingTable(len(keys[0]))
        positions, size = self._layout.positions(hashes)
        slots = new_array(2 * size, np.uint64).reshape(size, 2)
        slots[:, 0], slots[:, 1] = VACANT, np.int64(EMPTY).view(np.uint64)
        slots[positions, 0], slots[positions, 1] = hashes, rows.view(np.uint64)
        self._slots = slots

    def _distinct(self, hashes: Words, rows: NumberArray) -> tuple[Words, NumberArray, NumberArray]:
        """Leave out rows whose key has come before; return as well the rows of which some have."""
        again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        if not len(again):
            return hashes, rows, again
        unsure = rows[again]
        if not self._exact:
            # Keys that differ from the first with the same hash stay.
            begins = np.ones(len(hashes), np.bool_)
            begins[again] = False
            leading = np.flatnonzero(begins)[np.cumsum(begins)[again] - 1]
            again = again[_equal(self._keys, rows[leading], self._keys, rows[again])]
        return np.delete(hashes, again), np.delete(rows, again), unsure

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._unsure)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        return self._layout.search(keys, hashed_words, self._meet, found, EMPTY)

    def _meet(self, hashes: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        if compiled.should_compile(len(hashes)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import meet_pairs

            words = np.empty(len(hashes), np.uint64)
            meet_pairs(hashes, slots.view(np.uint64), read_only(self._slots), words)
            found, before = words.view(np.int64), NOBODY
        else:
            # As one complex number, both halves of a slot are taken at once.
            pairs = self._slots.view(np.complex128)[:, 0].take(slots).view(np.uint64).reshape(-1, 2)
            found, before = _rows_or_empty(pairs[:, 1], pairs[:, 0] == hashes), np.flatnonzero(pairs[:, 0] < hashes)
        if self._exact:
            return found, before
        met = np.flatnonzero(found != EMPTY)
        differ = met[~_equal(self._keys, found.take(met), keys, met)]
        found[differ] = EMPTY
        return found, np.concatenate([before, differ])


def _rows_or_empty(rows: Words, there: NumberArray) -> NumberArray:
    """Return row numbers as int64, -1 where they are not there; without a branch, which is several times faster."""
    found = there.astype(np.uint64)
    found -= np.uint64(1)
    found |= rows
    return found.view(np.int64)


def _sorted_with_rows(hashes: Words) -> tuple[Words, NumberArray]:
    """Return hashes in order with the rows that they have, those of equal ones ascending."""
    shift = row_bits(len(hashes))
    packed = pack_words(Key(hashes, 0, WORD_BITS), shift)
    packed.sort()
    rows = unpack_rows(packed, shift)
    ordered: Words = np.asarray(gather(hashes, rows))
    # The bits that gave way to the row number are not in order yet; few hashes differ in them only.
    tied = np.flatnonzero(ordered[1:] < ordered[:-1])
    if len(tied):
        same = np.flatnonzero((packed[1:] ^ packed[:-1]) < np.uint64(1 << shift))
        positions = np.union1d(same, same + 1)
        order = positions[np.lexsort([rows[positions], ordered[positions]])]
        ordered[positions], rows[positions] = ordered[order], rows[order]
    return ordered, rows


def _firsts(index: PackedIndex | HashIndex, keys: Sequence[Column], unsure: NumberArray) -> NumberArray | None:
    """Return the first row with the keys of each, given those that may not be first themselves."""
    if not len(unsure):
        return None
    firsts = np.arange(len(keys[0]))
    firsts[unsure] = index.find([take_rows(key, unsure) for key in keys])
    return None if bool((firsts[unsure] == unsure).all()) else firsts


def _equal(left: Sequence[Column], left_rows: NumberArray, right: Sequence[Column], rows: NumberArray) -> NumberArray:
    """Return whether rows of two tables have equal keys, pair by pair."""
    equal = np.ones(len(rows), np.bool_)
    for column, other in zip(left, right, strict=True):
        ours, theirs = take_rows(column, left_rows), take_rows(other, rows)
        if isinstance(ours, np.ndarray):
            equal &= word(ours, 0) == word(theirs, 0)
        else:
            equal &= unpack_bools(pc.equal(ours, theirs))
    return equal
