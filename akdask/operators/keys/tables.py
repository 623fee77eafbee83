"""Key tables: the distinct keys of rows, each with a number, for groups, joins, sets, distinct values and lookups.

There are three kinds, and one rule of equality, that of words: numbers are equal exactly, ``0.0`` equals ``-0.0``, all
NaN are one key, and so is all missing text.

- A `SlotGrid` numbers the combinations of integers of a close range by their distances; nothing is searched for.
- A `WordTable` is a hash table of words.  A slot has a word and its number, so that no search reads anything else.  The
  leading bits of a mixed word are its place.  Numbers count words as they are met, or are those of the first rows.
- A `TextTable` is a hash table of strings, which are numbered as they are met, and kept.

In a `KeyTable` of first rows the word of a string is its hash, and several words become one: side by side where their
ranges fit 64 bits, otherwise their hash.  Rows whose hashes are equal are compared when a table is made, and once for
each row that is looked for, with the only row that it can equal.  Where keys have the same hash all the same, strings
are numbered, and columns one after the other.

Only what wants the order of keys sorts, and then the distinct keys.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from akdask.columns.memory import full_array, new_array
from akdask.columns.strings import offsets_and_bytes, with_margin
from akdask.columns.table import Sized, slice_rows, take_rows
from akdask.deferred import pa
from akdask.interruption import interruptible_ranges
from akdask.operators.keys import hashing, loops, tuning
from akdask.operators.keys.keys import WORD_BITS, Key, Words, combine, word
from akdask.typing import Column, NumberArray

T = TypeVar("T")

UNKNOWN = -1
"""The number of a key that is not in a table."""

_NO_ROWS: NumberArray = np.empty(0, np.int64)


class WordTable(Sized):
    """Distinct words, in a hash table.

    Examples
    --------
    >>> table = WordTable()
    >>> numbers, met = table.numbers(np.array([7, 5, 7], np.uint64))
    >>> numbers.tolist(), met.tolist(), table.find(np.array([5, 6], np.uint64)).tolist()
    ([0, 1, 0], [0, 1], [1, -1])
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of known words."""
        self._slots = _vacant(2 * tuning.FEWEST_KEYS)

    def numbers(
        self, words: Words, most: int = 2**62, out: NumberArray | None = None
    ) -> tuple[NumberArray, NumberArray] | None:
        """Return the number of each word, after adding new ones, and the rows of these; None above `most` words."""
        numbers = np.empty(len(words), np.int64) if out is None else out
        known, met = self.count, new_array(self.count + len(words), np.int64)
        for start, stop in interruptible_ranges(range(1, len(words) + 1)):
            row = start
            while row < stop:
                firsts_met = met[: min(_capacity(self._slots), most)]
                row, self.count = loops.number_words(
                    words[:stop], _NO_ROWS, row, self._slots, self.count, firsts_met, numbers
                )
                if row < stop:
                    if self.count >= most:
                        return None
                    slots = _vacant(4 * len(self._slots))
                    loops.move_words(self._slots, slots)
                    self._slots = slots
        return numbers, met[known : self.count]

    @classmethod
    def of_rows(cls, words: Words) -> tuple[WordTable, NumberArray | None]:
        """Return the table of some words, whose numbers are their first rows, and the number of each row.

        Numbers are None where all words differ.  Parts of large tables are made by threads of their own, with the same
        numbers.

        Examples
        --------
        >>> table, firsts = WordTable.of_rows(np.array([7, 5, 7], np.uint64))
        >>> firsts.tolist(), table.find(np.array([5, 6], np.uint64)).tolist()
        ([0, 1, 0], [1, -1])
        """
        table, nrows = cls(), len(words)
        table._slots = new_array(2 << max((3 * nrows).bit_length(), 1), np.uint64).reshape(-1, 2)
        found = made_in_parts(partial(table._insert, words), nrows, len(table._slots))
        # Words without a place in their part are looked for in the next ones: few, unless keys are chosen for it.
        later = np.concatenate([rows for *_, rows in found])
        firsts_later, met = np.empty(len(later), np.int64), np.empty(len(later), np.int64)
        if len(later):
            loops.number_words(words.take(later), later, 0, table._slots, 0, met, firsts_later)
        repeated = [*(rows for rows, *_ in found), later]
        firsts_of_repeated = [*(firsts for _, firsts, _ in found), firsts_later]
        table.count = nrows - sum(map(len, repeated)) + int(np.count_nonzero(firsts_later == later))
        if table.count == nrows:
            return table, None
        firsts = np.arange(nrows)
        for rows, firsts_of in zip(repeated, firsts_of_repeated, strict=True):
            firsts[rows] = firsts_of
        return table, firsts

    def _insert(self, words: Words, part: int, parts: int) -> tuple[NumberArray, NumberArray, NumberArray]:
        """Put words of a part of the table there; return rows with earlier words, these, and rows without a place."""
        size = len(self._slots) // parts
        self._slots[part * size : (part + 1) * size] = 0
        # Memory that is not used costs nothing.
        repeated, firsts, later = (new_array(len(words), np.int64) for _ in range(3))
        counts = np.zeros(2, np.int64)
        for start, stop in interruptible_ranges(range(1, len(words) + 1)):
            loops.insert_words(words[:stop], start, part, parts, self._slots, repeated, firsts, later, counts)
        known, left = counts.tolist()
        return repeated[:known], firsts[:known], later[:left]

    def find(self, words: Words, out: NumberArray | None = None) -> NumberArray:
        """Return the number of each word, -1 for words that are not known."""
        numbers = np.empty(len(words), np.int64) if out is None else out
        for start, stop in interruptible_ranges(range(1, len(words) + 1)):
            loops.find_words(words[start:stop], self._slots, numbers[start:stop])
        return numbers


def made_in_parts(make: Callable[[int, int], T], nrows: int, nslots: int) -> list[T]:
    """Make equal parts of a table of some rows, each by a thread of its own; few rows by this one.

    `make` takes the number of a part, and how many there are: a power of two, as the number of slots.
    """
    threads = min(_cores(), tuning.MOST_PARTS) if nrows >= tuning.ROWS_OF_THREADS else 1
    parts = min(1 << (threads.bit_length() - 1), nslots)
    if parts == 1:
        return [make(0, 1)]
    with ThreadPoolExecutor(parts) as pool:
        made = [pool.submit(copy_context().run, make, part, parts) for part in range(parts)]
    return [future.result() for future in made]


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _vacant(nslots: int) -> Words:
    slots: Words = full_array(2 * nslots, 0, np.uint64).reshape(-1, 2)
    return slots


def _capacity(slots: Words) -> int:
    """Return how many words a table may have: searches are short where three of eight slots are vacant."""
    return len(slots) * 5 // 8


def number_words(words: Sequence[Words], out: NumberArray | None = None) -> tuple[NumberArray, NumberArray]:
    """Return the number of each row's key of one or several words, as keys are met, and the first row of each.

    Examples
    --------
    >>> numbers, firsts = number_words([np.array([7, 7, 7], np.uint64), np.array([2**60, 0, 2**60], np.uint64)])
    >>> numbers.tolist(), firsts.tolist()
    ([0, 1, 0], [0, 1])
    """
    (first, *others) = words
    if not others:
        found = WordTable().numbers(first, out=out)
        assert found is not None, "no words are too many"
        return found
    packed = combine([Key.of(column) for column in words])
    if packed is not None:
        return number_words([packed.codes], out)
    numbers, firsts = number_words([hashing.hash_words(words)], out)
    if not all(loops.check_words(column, column.take(firsts), numbers) for column in words):
        # Numbers are exact, and those of two columns fit one word.
        (before, _), (last, _) = number_words(words[:-1]), number_words(words[-1:])
        return number_words([(before.astype(np.uint64) << np.uint64(WORD_BITS // 2)) | last.view(np.uint64)], out)
    return numbers, firsts


# ------------------------------------------------------------------------------------------------------------- strings


class TextTable:
    """Distinct strings in order of appearance, and a hash table to find them.

    A slot has half of a string's hash in the upper half, and in the lower one its number, counted from 1. The leading
    bits of the hash are the number of the first slot to look at. A string's tags are its length and some of its words,
    which mostly tell it from others without a look at its bytes.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of known strings."""
        # Memory for some strings of 32 bytes.
        most = tuning.FEWEST_KEYS
        self._slots = np.zeros(4 * most, np.uint64)
        self._tags = np.empty((most + 1, 4), np.uint64)
        # The length of no string, to which vacant slots lead.
        self._tags[0] = 2**WORD_BITS - 1
        self._ends = np.zeros(most + 1, np.uint64)
        self._text = np.empty(32 * most, np.uint8)

    def strings(self) -> pa.LargeStringArray:
        """Return the known strings."""
        ends = self._ends[: self.count + 1].astype(np.int64)
        text = self._text[: int(ends[-1])].copy()
        return pa.LargeStringArray.from_buffers(self.count, pa.py_buffer(ends), pa.py_buffer(text))

    def numbers(self, strings: pa.LargeStringArray, most: int) -> NumberArray | None:
        """Return the number of each string, after adding new ones; None as soon as more than `most` are known."""
        numbers = np.empty(len(strings), np.int64)
        for first, offsets, text in with_margin(strings):
            into, row = numbers[first:].view(np.uint64), 0
            while row < len(offsets) - 1:
                row, self.count = loops.number_strings(offsets, text, row, *self._table, into)
                if self.count > most:
                    return None
                if row < len(offsets) - 1:
                    self._reserve(int(offsets[row + 1] - offsets[row]))
        return numbers

    def find(self, strings: pa.LargeStringArray, out: NumberArray | None = None) -> NumberArray:
        """Return the number of each string, -1 for strings that are not known."""
        numbers = np.empty(len(strings), np.int64) if out is None else out
        for first, offsets, text in with_margin(strings):
            loops.find_strings(offsets, text, 0, *self._table, numbers[first:].view(np.uint64))
        return numbers

    @property
    def _table(self) -> tuple[Words, Words, Words, npt.NDArray[np.uint8], int]:
        return self._slots, self._tags, self._ends, self._text, self.count

    def _reserve(self, length: int) -> None:
        """Make memory for one more string of some length, and for as many more as there are."""
        used = int(self._ends[self.count])
        if used + length + WORD_BITS // 8 > len(self._text):
            self._text = _longer(self._text[:used], 2 * (used + length + WORD_BITS // 8))
        if self.count + 1 == len(self._ends):
            size = 2 * self.count + 1
            self._ends, self._tags = _longer(self._ends, size), _longer(self._tags, size)
            if len(self._slots) < 4 * self.count:
                slots = np.zeros(2 * len(self._slots), np.uint64)
                loops.move_strings(self._slots, slots)
                self._slots = slots


def _longer(array: NumberArray, size: int) -> NumberArray:
    """Return a longer array; unused memory costs nothing."""
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


# -------------------------------------------------------------------------------------------------- keys of any columns


class KeyTable(Sized):
    """The keys of some rows, each with the first row that has it.

    Parameters
    ----------
    columns : sequence of columns
        At least one, of numbers or strings.

    Examples
    --------
    >>> table = KeyTable([np.array([7, 7, 7]), np.array([0.0, 2.5, -0.0])])
    >>> table.firsts.tolist(), table.find([np.array([7, 8]), np.array([2.5, 2.5])]).tolist()
    ([0, 1, 0], [1, -1])
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = list(columns)
        self._text_tables: list[TextTable | None] = [None] * len(columns)
        self.firsts: NumberArray | None = None
        """For each row, the first row with the same key; None if all keys differ."""
        is_sound = self._fill()
        if not is_sound and not all(isinstance(column, np.ndarray) for column in columns):
            # The numbers of different strings differ, as their hashes may not.
            self._text_tables = [None if isinstance(column, np.ndarray) else TextTable() for column in columns]
            is_sound = self._fill()
        self._rest: KeyTable | None = None
        if not is_sound:
            # Different keys have the same hash: the first columns are numbered beside the last, which is exact.
            self._rest = KeyTable(self._words[:-1])
            self._last = KeyTable(self._words[-1:])
            self._pairs = KeyTable([self._rest.find(self._words[:-1]), self._last.find(self._words[-1:])])
            self.firsts = self._pairs.firsts

    def _fill(self) -> bool:
        """Make the table of words, some of which may be hashes; return whether different keys differ in these."""
        self._words = [
            self._known_words(column) if text is None else _words_of(text.numbers(column, len(column)))
            for text, column in zip(self._text_tables, self._columns, strict=True)
        ]
        keys = [Key.of(words) for words in self._words] if len(self._words) > 1 else []
        self._spans = [(key.low, key.bits) for key in keys]
        self._are_combined = sum(key.bits for key in keys) > WORD_BITS
        self._table, self.firsts = WordTable.of_rows(self._packed(self._words)[0])
        if self.firsts is None or not self._are_hashed:
            return True
        rows = np.flatnonzero(self.firsts != np.arange(len(self.firsts)))
        of_words, columns = ([take_rows(column, rows) for column in some] for some in (self._words, self._columns))
        return self._have_keys(of_words, columns, self.firsts[rows])

    @property
    def _are_hashed(self) -> bool:
        """Whether different keys may have the same word."""
        return self._are_combined or any(map(self._is_hash, range(len(self._columns))))

    def _is_hash(self, number: int) -> bool:
        return self._text_tables[number] is None and not isinstance(self._columns[number], np.ndarray)

    @staticmethod
    def _known_words(column: Column) -> Words:
        return word(column, 0) if isinstance(column, np.ndarray) else hashing.hash_rows([column])

    def find(self, columns: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the first row with the key of each row, as int64; -1 for those without one."""
        found = np.empty(len(columns[0]), np.int64) if out is None else out
        for start in range(0, len(found), tuning.BLOCK_ROWS):
            stop = min(start + tuning.BLOCK_ROWS, len(found))
            self._find([slice_rows(column, start, stop) for column in columns], found[start:stop])
        return found

    def _find(self, columns: Sequence[Column], found: NumberArray) -> None:
        words = [
            self._known_words(column) if text is None else _words_of(text.find(column))
            for text, column in zip(self._text_tables, columns, strict=True)
        ]
        if self._rest is not None:
            both = [self._rest.find(words[:-1]), self._last.find(words[-1:])]
            self._pairs.find(both, found)
            return
        key, outside = self._packed(words)
        self._table.find(key, found)
        if outside is not None:
            found[outside] = UNKNOWN
        if self._are_hashed:
            self._have_keys(words, columns, found)

    def _packed(self, words: Sequence[Words]) -> tuple[Words, NumberArray | None]:
        """Return one word for each key, and the mask of keys beyond the ranges of the table's."""
        if len(words) == 1:
            return words[0], None
        if self._are_combined:
            return hashing.hash_words(words), None
        key, outside = np.zeros(len(words[0]), np.uint64), np.zeros(len(words[0]), np.bool_)
        for column, (low, bits) in zip(words, self._spans, strict=True):
            distances = column - np.uint64(low)
            outside |= distances > np.uint64((1 << bits) - 1)
            # NumPy leaves shifts by all 64 bits undefined; the other columns are the same everywhere then.
            key = (key << np.uint64(min(bits, WORD_BITS - 1))) | distances
        return key, outside

    def _have_keys(self, words: Sequence[Words], columns: Sequence[Column], rows: NumberArray) -> bool:
        """Return whether some rows of the table have given keys; those that have not become unknown."""
        same = True
        # Each column is looked at, whatever the others are.
        for number, (given, column) in enumerate(zip(words, columns, strict=True)):
            if self._is_hash(number):
                known, given_text = offsets_and_bytes(self._columns[number]), offsets_and_bytes(column)
                same &= loops.check_strings(*_unsigned(given_text), *_unsigned(known), rows)
            elif self._are_combined:
                same &= loops.check_words(given, self._words[number], rows)
        return same


def _unsigned(strings: tuple[NumberArray, NumberArray]) -> tuple[Words, NumberArray]:
    offsets, text = strings
    return offsets.view(np.uint64), text


def _words_of(numbers: NumberArray | None) -> Words:
    """Return the numbers of strings as words."""
    assert numbers is not None, "strings are no more than their rows"
    return numbers.view(np.uint64)
