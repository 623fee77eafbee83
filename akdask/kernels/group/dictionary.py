"""Keys as numbers: strings by their bits or their position in a table, so that they are grouped like integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from akdask.columns import concat_rows, take_rows
from akdask.columns.dictionary_text import decoded, is_encoded
from akdask.columns.dispatch import by_column, of_arrow
from akdask.deferred import pa, pc
from akdask.kernels import compiled
from akdask.kernels.keys.encoded_strings import EncodedStrings, StringEncoder
from akdask.kernels.keys.normalized import from_words, word, word_count
from akdask.kernels.keys.sort import argsort
from akdask.kernels.keys.string_codes import strings_of
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.kernels.compiled.group.dictionary import Numbering

MOST_STRINGS = 2**15
"""Different strings for which a table grows from block to block; of more, finding the new ones takes too long."""

SAMPLE = 2**12
"""Strings that are looked at before all are; of `MOST_STRINGS` different ones, a sixteenth of them repeat."""


class DictionaryColumns:
    """Columns with numbers instead of anything else, in the same order.

    Parameters
    ----------
    columns : sequence of columns
        Numbers stay what they are; strings, encoded or not, and integers of any size become one or several columns of
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
        """Return rows of the numbers as what they stand for."""
        remaining = iter(columns)
        return [restore(list(islice(remaining, count))) for count, restore in self._restore]


Restore: TypeAlias = Callable[[Sequence[NumberArray]], Column]


@by_column
def _numbers(column: Any) -> tuple[Sequence[NumberArray], Restore]:
    """Return numbers for each row, in the order of the values, and what makes values of numbers."""
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
    """Return for each string its position among the different ones in the order of their bytes, and these."""
    codes, different = _encoded(strings)
    order = argsort([different], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks.take(codes), take_rows(different, order)


def _encoded(strings: pa.LargeStringArray) -> tuple[NumberArray, pa.LargeStringArray]:
    """Return for each string its position among the different ones in the order in which they come, and these."""
    if compiled.should_compile_text(len(strings)):
        from akdask.kernels.compiled.group.dictionary import Numbering

        numbering = Numbering()
        codes = numbering.numbers(strings, len(strings))
        assert codes is not None, "there are no more different strings than strings"
        return codes, numbering.strings()
    encoded = strings.dictionary_encode()
    return _indices(encoded), encoded.dictionary


class Dictionary:
    """Different strings in the order in which they were met."""

    def __init__(self) -> None:
        self._numbering: Numbering | None = None

    @cached_property
    def strings(self) -> pa.LargeStringArray:
        """The strings, to which others are added."""
        return pa.nulls(0, pa.large_string())

    def codes(self, strings: pa.LargeStringArray | pa.DictionaryArray) -> NumberArray | None:
        """Return the position of each string, after adding those that are new; None if they are too many.

        Of `akdask.columns.dictionary_text` the strings of the dictionary are added, unless these are more than rows.
        """
        if is_encoded(strings):
            if len(strings.dictionary) > len(strings):
                return self.codes(decoded(strings))
            known = self.codes(strings.dictionary)
            return None if known is None else known.take(_indices(strings))
        if not len(self.strings) and _mostly_distinct(strings):
            return None
        if compiled.should_compile_text(len(strings)):
            return self._compiled_codes(strings)
        encoded = strings.dictionary_encode()
        if len(encoded.dictionary) > MOST_STRINGS:
            return None
        if not len(self.strings):
            self.strings = encoded.dictionary
            return _indices(encoded)
        positions = pc.index_in(encoded.dictionary, value_set=self.strings)
        if positions.null_count:
            new = encoded.dictionary.filter(positions.is_null())
            if len(self.strings) + len(new) > MOST_STRINGS:
                return None
            self.strings = concat_rows([self.strings, new])
            positions = pc.index_in(encoded.dictionary, value_set=self.strings)
        codes: NumberArray = positions.to_numpy().astype(np.int64)[_indices(encoded)]
        return codes

    def _compiled_codes(self, strings: pa.LargeStringArray) -> NumberArray | None:
        from akdask.kernels.compiled.group.dictionary import Numbering

        if self._numbering is None:
            self._numbering = Numbering()
            self._numbering.numbers(self.strings, MOST_STRINGS)
        codes = self._numbering.numbers(strings, MOST_STRINGS)
        if codes is None:
            # It may hold some of the new ones.
            self._numbering = None
        elif self._numbering.count > len(self.strings):
            self.strings = self._numbering.strings()
        return codes


def _mostly_distinct(strings: pa.LargeStringArray) -> bool:
    """Whether there are so many strings, nearly all different, that a sample shows that they are too many."""
    if len(strings) < max(MOST_STRINGS, SAMPLE):
        return False
    some = strings[:: len(strings) // SAMPLE]
    return len(some.unique()) * 16 > len(some) * 15


def _indices(encoded: pa.DictionaryArray) -> NumberArray:
    # NumPy takes by indices of other widths only after a copy.
    indices: NumberArray = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices
