"""Keys as numbers: strings by their bits or by their position in a dictionary, so that they group like integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask import compiled
from akdask.columns.table import by_column, concat_rows, decoded, is_encoded, of_arrow, take_rows
from akdask.deferred import pa, pc
from akdask.operators.group import tuning
from akdask.operators.keys.keys import FIRST, HALF, WORD_BITS, Words, from_words, word, word_count
from akdask.operators.keys.string_codes import EncodedStrings, StringEncoder, strings_of
from akdask.operators.sort.kernels import argsort
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.operators.group.dictionary_loops import Numbering


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
    codes, different = _encoded(strings)
    order = argsort([different], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks.take(codes), take_rows(different, order)


def _encoded(strings: pa.LargeStringArray) -> tuple[NumberArray, pa.LargeStringArray]:
    """Return the position of each string among the distinct strings in order of appearance, and these strings."""
    if compiled.should_compile_text(len(strings)):
        from akdask.operators.group.dictionary_loops import Numbering

        numbering = Numbering()
        codes = numbering.numbers(strings, len(strings))
        assert codes is not None, "there are no more different strings than strings"
        return codes, numbering.strings()
    encoded = strings.dictionary_encode()
    return _indices(encoded), encoded.dictionary


class Dictionary:
    """Distinct strings in order of appearance."""

    def __init__(self) -> None:
        self._numbering: Numbering | None = None

    @cached_property
    def values(self) -> pa.LargeStringArray:
        """The strings, which grow."""
        return pa.nulls(0, pa.large_string())

    def codes(self, strings: pa.LargeStringArray | pa.DictionaryArray) -> NumberArray | None:
        """Return the position of each string, after adding new strings; None if there are too many.

        Of dictionary-encoded text, the strings of the dictionary are added, unless these are more than the rows.
        """
        if is_encoded(strings):
            if len(strings.dictionary) > len(strings):
                return self.codes(decoded(strings))
            known = self.codes(strings.dictionary)
            return None if known is None else known.take(_indices(strings))
        is_first = not len(self.values) and len(strings) >= max(tuning.MOST_STRINGS, tuning.DICTIONARY_SAMPLE)
        if is_first and _are_too_many(strings, tuning.MOST_STRINGS):
            return None
        if compiled.should_compile_text(len(strings)):
            return self._compiled_codes(strings)
        encoded = strings.dictionary_encode()
        if len(encoded.dictionary) > tuning.MOST_STRINGS:
            return None
        if not len(self.values):
            self.values = encoded.dictionary
            return _indices(encoded)
        positions = pc.index_in(encoded.dictionary, value_set=self.values)
        if positions.null_count:
            new = encoded.dictionary.filter(positions.is_null())
            if len(self.values) + len(new) > tuning.MOST_STRINGS:
                return None
            self.values = concat_rows([self.values, new])
            positions = pc.index_in(encoded.dictionary, value_set=self.values)
        codes: NumberArray = positions.to_numpy().astype(np.int64)[_indices(encoded)]
        return codes

    def _compiled_codes(self, strings: pa.LargeStringArray) -> NumberArray | None:
        from akdask.operators.group.dictionary_loops import Numbering

        if self._numbering is None:
            self._numbering = Numbering()
            self._numbering.numbers(self.values, tuning.MOST_STRINGS)
        codes = self._numbering.numbers(strings, tuning.MOST_STRINGS)
        if codes is None:
            # It may hold some of the new strings.
            self._numbering = None
        elif self._numbering.count > len(self.values):
            self.values = self._numbering.strings()
        return codes


class NumberDictionary:
    """Distinct numbers in order of appearance, for a key with few values that are far apart.

    Compiled loops probe the slot of a word's hash and the slots after it. NumPy probes the first slot only. It looks up
    the rest one by one, which are few after the first rows.
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.values: NumberArray = np.empty(0, dtype)
        """The numbers, which grow."""
        self._is_compiled = compiled.is_loaded()
        self._reserve(tuning.FEWEST_NUMBERS)

    def codes(self, column: NumberArray) -> NumberArray | None:
        """Return the position of each number, after adding new numbers; None if there are too many."""
        words = word(column, 0)
        if not len(self.values) and _are_too_many(words, tuning.MOST_NUMBERS):
            return None
        codes, row = np.empty(len(words), np.int64), 0
        while row < len(words):
            stop, met = self._number(words, row, len(self.values), codes)
            if len(met):
                self.values = np.concatenate([self.values, column.take(met)])
            if stop < self._end(row, len(words)):
                if self._capacity >= tuning.MOST_NUMBERS:
                    return None
                self._reserve(2 * self._capacity)
            row = stop
        return codes

    def _end(self, row: int, nrows: int) -> int:
        """Return the end of the rows that are numbered at a time; a few first rows show NumPy most of the words."""
        return nrows if self._is_compiled or row else min(tuning.DICTIONARY_SAMPLE, nrows)

    def _reserve(self, capacity: int) -> None:
        self._capacity = capacity
        size = tuning.SLOTS_PER_NUMBER * capacity
        self._moved = np.uint64(WORD_BITS + 1 - size.bit_length())
        self._table = np.zeros((size, 2), np.uint64)
        self._code_of: dict[int, int] = {}
        known = word(self.values, 0)
        if self._is_compiled:
            self._number(known, 0, 0, np.empty(len(known), np.int64))
        else:
            self._enter(known, 0)

    def _number(self, words: Words, row: int, known: int, codes: NumberArray) -> tuple[int, NumberArray]:
        """Assign numbers to words from a row on; return the row that has no room, and the rows of new words."""
        if not self._is_compiled:
            return self._number_by_numpy(words, row, known, codes)
        from akdask.compiler import read_only
        from akdask.operators.group.number_loops import number_words

        met = np.empty(self._capacity, np.uint64)
        arguments = np.uint64(row), self._table.reshape(-1), self._moved, met, np.uint64(known), codes
        row, count = map(int, number_words(read_only(words), *arguments))
        return row, met[known:count].astype(np.int64)

    def _number_by_numpy(self, words: Words, row: int, known: int, codes: NumberArray) -> tuple[int, NumberArray]:
        stop = self._end(row, len(words))
        some = words[row:stop]
        slots = self._slots(some)
        found = self._table[:, 1].take(slots).astype(np.int64) - 1
        missed = np.flatnonzero((self._table[:, 0].take(slots) != some) | (found < 0))
        different, firsts, inverse = np.unique(some.take(missed), return_index=True, return_inverse=True)
        numbers = np.array([self._code_of.get(one, -1) for one in different.tolist()], np.int64)
        new = np.flatnonzero(numbers < 0)
        new = new[np.argsort(firsts[new])]
        if known + len(new) > self._capacity:
            return row, np.empty(0, np.int64)
        numbers[new] = np.arange(known, known + len(new))
        self._enter(different[new], known)
        found[missed] = numbers.take(inverse)
        codes[row:stop] = found
        return stop, row + missed.take(firsts[new])

    def _enter(self, words: Words, first: int) -> None:
        """Store words in the slots that NumPy probes, if these are free, and all of them in a dict."""
        numbers = np.arange(first, first + len(words))
        self._code_of.update(zip(words.tolist(), numbers.tolist(), strict=True))
        slots, firsts = np.unique(self._slots(words), return_index=True)
        is_free = self._table[slots, 1] == 0
        slots, firsts = slots[is_free], firsts[is_free]
        self._table[slots, 0], self._table[slots, 1] = words[firsts], numbers[firsts] + 1

    def _slots(self, words: Words) -> NumberArray:
        return (((words ^ (words >> HALF)) * FIRST) >> self._moved).astype(np.int64)


def _are_too_many(values: Any, most: int) -> bool:
    """Whether a sample of strings or words shows that all are distinct, or more than `most` of many."""
    some = values[:: max(len(values) // tuning.DICTIONARY_SAMPLE, 1)]
    different = np.unique(some) if isinstance(some, np.ndarray) else some.unique()
    # So many would be distinct if all values were equally frequent.
    return len(different) > most * -math.expm1(-len(some) / most)


def _indices(encoded: pa.DictionaryArray) -> NumberArray:
    # NumPy takes by indices of other widths only after copying them.
    indices: NumberArray = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices
