"""Keys as numbers: strings by their bits or by their position in a dictionary, so that they group like integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.strings import with_margin
from akdask.columns.table import by_column, decoded, is_encoded, of_arrow, take_rows
from akdask.deferred import pa
from akdask.operators.group import loops, tuning
from akdask.operators.keys.keys import WORD_BITS, Words, from_words, word, word_count
from akdask.operators.keys.string_codes import EncodedStrings, StringEncoder, strings_of
from akdask.operators.sort.kernels import argsort_packed
from akdask.typing import Column, NumberArray


class DictionaryColumns:
    """Columns with numbers in place of other values, in the same order.

    Parameters
    ----------
    columns : sequence of columns
        Numbers stay unchanged. Strings, encoded or not, and integers of any size become one or several columns of
        numbers.
    """

    def __init__(self, columns: Sequence[Column | EncodedStrings]) -> None:
        self.columns: list[NumberArray] = []
        self._restore: list[tuple[int, Restore]] = []
        for column in columns:
            numbers, restore = _numbers(column)
            self.columns += numbers
            self._restore.append((len(numbers), restore))

    def restored(self, columns: Sequence[NumberArray]) -> list[Column]:
        """Return rows of the numbers as the values that they stand for."""
        remaining = iter(columns)
        return [restore(list(islice(remaining, count))) for count, restore in self._restore]


Restore: TypeAlias = Callable[[Sequence[NumberArray]], Column]


@by_column
def _numbers(column: Any) -> tuple[Sequence[NumberArray], Restore]:
    """Return numbers for each row, in the order of the values, and the function that makes values from numbers."""
    return [column], lambda numbers: numbers[0]


@of_arrow(_numbers, "FixedSizeBinaryArray")
def _(integers: pa.FixedSizeBinaryArray) -> tuple[Sequence[NumberArray], Restore]:
    return [word(integers, number) for number in range(word_count(integers))], from_words


@of_arrow(_numbers, "LargeStringArray")
def _(strings: pa.LargeStringArray) -> tuple[Sequence[NumberArray], Restore]:
    coding = StringEncoder(len(strings))
    coding.append(strings)
    encoded = coding.finish()
    if isinstance(encoded, EncodedStrings):
        return _numbers(encoded)
    ranks, table = ranked(strings)
    return [ranks], lambda numbers: take_rows(table, numbers[0])


@_numbers.register(EncodedStrings)
def _(encoded: EncodedStrings) -> tuple[Sequence[NumberArray], Restore]:
    return encoded.codes, partial(strings_of, encoded.form)


def ranked(strings: pa.LargeStringArray) -> tuple[NumberArray, pa.LargeStringArray]:
    """Return for each string its position among the distinct strings in byte order, and the distinct strings."""
    numbering = Numbering()
    codes = numbering.numbers(strings, len(strings))
    assert codes is not None, "there are no more different strings than strings"
    different = numbering.strings()
    order = argsort_packed([different], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks.take(codes), take_rows(different, order)


def ranks_of_repeated(strings: pa.LargeStringArray) -> NumberArray | None:
    """Return the positions of strings among the distinct ones in byte order; None if few of them occur again."""
    if len(strings) < tuning.DICTIONARY_SAMPLE or _are_too_many(strings, len(strings) // tuning.REPEATED):
        return None
    return ranked(strings)[0]


FEWEST_STRINGS = 2**10
"""Strings that a table has memory for at first, of 32 bytes each."""

SLOTS = 2**14
"""Slots of a table at first; with more of them, and never more than half in use, it does not fit the core's cache."""


class Numbering:
    """Distinct strings in order of appearance, and a hash table to find them.

    A slot has half of a string's hash in the upper half, and in the lower one its number, counted from 1. The leading
    bits of the hash are the number of the first slot to look at. A string's tags are its length and some of its words,
    which mostly tell it from others without a look at its bytes.
    """

    def __init__(self) -> None:
        self.count = 0
        """Number of known strings."""
        self._slots = np.zeros(SLOTS, np.uint64)
        self._tags = np.empty((FEWEST_STRINGS + 1, 4), np.uint64)
        self._ends = np.zeros(FEWEST_STRINGS + 1, np.uint64)
        self._text = np.empty(32 * FEWEST_STRINGS, np.uint8)

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
                table = self._slots, self._tags, self._ends, self._text, self.count
                row, self.count = loops.number_strings(offsets, text, row, *table, into)
                if self.count > most:
                    return None
                if row < len(offsets) - 1:
                    self._reserve(int(offsets[row + 1] - offsets[row]))
        return numbers

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
                loops.move_slots(self._slots, slots)
                self._slots = slots


def _longer(array: NumberArray, size: int) -> NumberArray:
    """Return a longer array; unused memory costs nothing."""
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


class Dictionary:
    """Distinct strings in order of appearance, for a key with few of them."""

    def __init__(self) -> None:
        self.values: pa.LargeStringArray = pa.nulls(0, pa.large_string())
        """The strings, which grow."""
        self._numbering = Numbering()

    def codes(self, strings: pa.LargeStringArray | pa.DictionaryArray) -> NumberArray | None:
        """Return the position of each string, after adding new strings; None if there are too many.

        Of dictionary-encoded text, the strings of the dictionary are added, unless these are more than the rows.
        """
        if is_encoded(strings):
            if len(strings.dictionary) > len(strings):
                return self.codes(decoded(strings))
            known = self.codes(strings.dictionary)
            # NumPy takes by indices of other widths only after copying them.
            return (
                None if known is None else known.take(strings.indices.to_numpy(zero_copy_only=False).astype(np.int64))
            )
        is_first = not len(self.values) and len(strings) >= max(tuning.MOST_STRINGS, tuning.DICTIONARY_SAMPLE)
        if is_first and _are_too_many(strings, tuning.MOST_STRINGS):
            return None
        codes = self._numbering.numbers(strings, tuning.MOST_STRINGS)
        if codes is None:
            # Some of the new strings were added.
            self._numbering = Numbering()
            self._numbering.numbers(self.values, tuning.MOST_STRINGS)
        elif self._numbering.count > len(self.values):
            self.values = self._numbering.strings()
        return codes


class NumberDictionary:
    """Distinct numbers in order of appearance, for a key with few values that are far apart."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.values: NumberArray = np.empty(0, dtype)
        """The numbers, which grow."""
        self._reserve(tuning.FEWEST_NUMBERS)

    def codes(self, column: NumberArray) -> NumberArray | None:
        """Return the position of each number, after adding new numbers; None if there are too many."""
        words = word(column, 0)
        if not len(self.values) and _are_too_many(words, tuning.MOST_NUMBERS):
            return None
        codes, row = np.empty(len(words), np.int64), 0
        while row < len(words):
            row, met = self._number(words, row, len(self.values), codes)
            if len(met):
                self.values = np.concatenate([self.values, column.take(met)])
            if row < len(words):
                if self._capacity >= tuning.MOST_NUMBERS:
                    return None
                self._reserve(2 * self._capacity)
        return codes

    def _reserve(self, capacity: int) -> None:
        self._capacity = capacity
        size = tuning.SLOTS_PER_NUMBER * capacity
        self._shift = WORD_BITS + 1 - size.bit_length()
        self._table = np.zeros(2 * size, np.uint64)
        known = word(self.values, 0)
        self._number(known, 0, 0, np.empty(len(known), np.int64))

    def _number(self, words: Words, row: int, known: int, codes: NumberArray) -> tuple[int, NumberArray]:
        """Assign numbers to words from a row on; return the row that has no room, and the rows of new words."""
        met = np.empty(self._capacity, np.uint64)
        row, count = loops.number_words(words, row, self._table, self._shift, met, known, codes)
        return row, met[known:count].view(np.int64)


def _are_too_many(values: Any, most: int) -> bool:
    """Whether a sample of strings or words shows that all are distinct, or more than `most` of many."""
    some = values[:: max(len(values) // tuning.DICTIONARY_SAMPLE, 1)]
    different = np.unique(some) if isinstance(some, np.ndarray) else some.unique()
    # So many would be distinct if all values were equally frequent.
    return len(different) > most * -math.expm1(-len(some) / most)
