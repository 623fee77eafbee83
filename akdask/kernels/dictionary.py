"""Strings as numbers: the position of each in a table of the different ones, so that they are grouped like integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.columns import concat_rows, take_rows
from akdask.kernels.sort import argsort
from akdask.typing import Column, NumberArray

MOST_STRINGS = 2**15
"""Different strings for which a table grows from block to block; of more, finding the new ones takes too long."""


class Numbered:
    """Columns with numbers in the place of strings, in the same order.

    Parameters
    ----------
    columns : sequence of columns
        Numbers stay what they are.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns: list[NumberArray] = []
        self._tables: list[pa.LargeStringArray | None] = []
        for column in columns:
            numbers, table = (column, None) if isinstance(column, np.ndarray) else ranked(column)
            self.columns.append(numbers)
            self._tables.append(table)

    def restored(self, columns: Sequence[Column]) -> list[Column]:
        """Return rows of the columns with their strings."""
        return [
            column if table is None else take_rows(table, column)
            for column, table in zip(columns, self._tables, strict=True)
        ]


def ranked(strings: pa.LargeStringArray) -> tuple[NumberArray, pa.LargeStringArray]:
    """Return for each string its position among the different ones in the order of their bytes, and these."""
    encoded = strings.dictionary_encode()
    order = argsort([encoded.dictionary], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks.take(_indices(encoded)), take_rows(encoded.dictionary, order)


class Dictionary:
    """Different strings in the order in which they were met."""

    def __init__(self) -> None:
        self.strings: pa.LargeStringArray = pa.array([], pa.large_string())

    def codes(self, strings: pa.LargeStringArray) -> NumberArray | None:
        """Return the position of each string, after adding those that are new; None if they are too many."""
        encoded = strings.dictionary_encode()
        if len(encoded.dictionary) > MOST_STRINGS:
            return None
        places = pc.index_in(encoded.dictionary, value_set=self.strings)
        if places.null_count:
            new = encoded.dictionary.filter(places.is_null())
            if len(self.strings) + len(new) > MOST_STRINGS:
                return None
            self.strings = concat_rows([self.strings, new])
            places = pc.index_in(encoded.dictionary, value_set=self.strings)
        codes: NumberArray = places.to_numpy().astype(np.int64).take(_indices(encoded))
        return codes


def _indices(encoded: pa.DictionaryArray) -> NumberArray:
    # NumPy takes by indices of other widths only after a copy.
    indices: NumberArray = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices
