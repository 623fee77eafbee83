"""Rows that are brought to the ranges between marks, where loops are compiled: nothing needs to be sorted for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np

from akdask.columns import new_array, with_capacity
from akdask.kernels.core.words import Words
from akdask.kernels.group.slices import RadixSlices
from akdask.kernels.keys.normalized import word
from akdask.kernels.keys.range_partition import RangePartitioner
from akdask.plan.sort.splitters import Splitters
from akdask.typing import Column, NumberArray


class RadixPlacement:
    """Where rows go, by their only key.

    Parameters
    ----------
    marks : Marks
        Between the ranges; the key has one word.
    expected : int
        Number of rows that may come; more, where rows are repeated.
    """

    def __init__(self, marks: Splitters, expected: int) -> None:
        assert marks.spans is not None, "keys have one word"
        self.nrows = 0
        self._marks = marks
        self._ranges = RangePartitioner(word(marks.columns[0], 0, marks.ascending[0]), marks.rows, *marks.spans[0])
        self._numbers, self._packed = new_array(expected, np.uint16), new_array(expected, np.uint64)

    def add(self, key: Column, rows: NumberArray | None) -> None:
        """Find the ranges of some rows."""
        numbers = np.zeros(len(key), np.int64) if rows is None else rows
        self._find(word(key, 0, self._marks.ascending[0]), numbers)

    def add_packed(self, key: Column, rows: NumberArray) -> Words:
        """Find the ranges of some rows, pack their keys with their numbers, and return their whole keys."""
        start, words = self.nrows, word(key, 0, self._marks.ascending[0])
        self._find(words, rows)
        self._packed = with_capacity(self._packed, start, self.nrows)
        return self._ranges.pack(words, rows, self._marks.lost, self._marks.shift, self._packed[start : self.nrows])

    def _find(self, words: Words, rows: NumberArray) -> None:
        start, self.nrows = self.nrows, self.nrows + len(words)
        self._numbers = with_capacity(self._numbers, start, self.nrows)
        self._ranges.of(words, rows, self._numbers[start : self.nrows])

    @property
    def packed(self) -> Words:
        """The keys of all rows, packed with their numbers, those of each range together."""
        return self.placed(self._packed)

    def placed(self, column: Column) -> Column:
        """Return a column of all rows with those of each range together."""
        return self._scatter.partitioned(column[: self.nrows])

    def shares(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield where the rows of each new partition begin and end, and its ranges among them."""
        bounds = self._scatter.bounds[:: self._marks.within].tolist()
        for number, (start, stop) in enumerate(pairwise(bounds)):
            first = number * self._marks.within
            yield start, stop, (self._scatter.bounds[first : first + self._marks.within + 1] - start).tolist()

    @cached_property
    def _scatter(self) -> RadixSlices:
        return RadixSlices(self._numbers[: self.nrows], len(self._marks.rows) + 1)
