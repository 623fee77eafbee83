"""Radix partitioning of rows to the ranges between splitters, by compiled loops: nothing need be sorted for it."""

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


class RadixPartitioning:
    """The ranges that rows belong to, by their only key.

    Parameters
    ----------
    splitters : Splitters
        Bounds of the ranges; the key has one word.
    expected : int
        Expected number of rows; repeated rows may be more.
    """

    def __init__(self, splitters: Splitters, expected: int) -> None:
        assert splitters.spans is not None, "keys have one word"
        self.nrows = 0
        self._splitters = splitters
        self._ranges = RangePartitioner(
            word(splitters.columns[0], 0, splitters.ascending[0]), splitters.rows, *splitters.spans[0]
        )
        self._numbers, self._packed = new_array(expected, np.uint16), new_array(expected, np.uint64)

    def add(self, key: Column, rows: NumberArray | None) -> None:
        """Find the ranges of some rows."""
        numbers = np.zeros(len(key), np.int64) if rows is None else rows
        self._find(word(key, 0, self._splitters.ascending[0]), numbers)

    def add_packed(self, key: Column, rows: NumberArray) -> Words:
        """Find the ranges of some rows, pack their keys with row numbers, and return the full keys."""
        start, words = self.nrows, word(key, 0, self._splitters.ascending[0])
        self._find(words, rows)
        self._packed = with_capacity(self._packed, start, self.nrows)
        return self._ranges.pack(
            words, rows, self._splitters.lost, self._splitters.shift, self._packed[start : self.nrows]
        )

    def _find(self, words: Words, rows: NumberArray) -> None:
        start, self.nrows = self.nrows, self.nrows + len(words)
        self._numbers = with_capacity(self._numbers, start, self.nrows)
        self._ranges.of(words, rows, self._numbers[start : self.nrows])

    @property
    def packed(self) -> Words:
        """The packed keys of all rows, by range."""
        return self.partitioned(self._packed)

    def partitioned(self, column: Column) -> Column:
        """Return a column of all rows, by range."""
        return self._slices.partitioned(column[: self.nrows])

    @property
    def bounds(self) -> NumberArray:
        """Where each range begins, and the last one ends."""
        return self._slices.bounds

    def partitions(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield the first row of each new partition, the row after its last, and the bounds of its ranges."""
        bounds = self._slices.bounds[:: self._splitters.within].tolist()
        for number, (start, stop) in enumerate(pairwise(bounds)):
            first = number * self._splitters.within
            yield start, stop, (self._slices.bounds[first : first + self._splitters.within + 1] - start).tolist()

    @cached_property
    def _slices(self) -> RadixSlices:
        return RadixSlices(self._numbers[: self.nrows], len(self._splitters.rows) + 1)
