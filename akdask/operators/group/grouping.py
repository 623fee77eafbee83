"""Groupings: rows grouped by key once, in slices that fit the cache, for any number of reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.memory import new_array
from akdask.columns.table import Table, TableBuilder, concat_rows, nbytes, slice_rows, take_rows
from akdask.engine.reduction import GroupState, RowGroups
from akdask.operators.group import loops, tuning
from akdask.operators.group.dictionary import DictionaryColumns
from akdask.operators.group.row_groups import GroupCodes, SortedGroups, count_codes, group_rows, number_rows
from akdask.operators.keys.keys import WORD_BITS, Key, SlotGrid, combine, span, word
from akdask.operators.keys.string_codes import EncodedStrings
from akdask.operators.sort.kernels import MAX_PACKED_ROWS
from akdask.typing import Column, NumberArray


class RadixSlices:
    """The slice of each row; slices have ascending ranges of keys, and rows of a slice keep their order.

    Parameters
    ----------
    numbers : ndarray of uint16
        The slice of each row.
    count : int
        Number of slices.
    """

    def __init__(self, numbers: npt.NDArray[np.uint16], count: int) -> None:
        self._numbers = numbers
        self.bounds = np.zeros(count + 1, np.int64)
        """The first position of each slice, and the end of the last."""
        np.cumsum(count_codes(numbers, count), out=self.bounds[1:])

    @classmethod
    def of(cls, keys: Sequence[Column]) -> Self | None:
        """Return the slices of rows by their keys; None if the first key is not one word, or rows are few."""
        nrows = len(keys[0])
        wanted = min((nrows // tuning.SLICE_ROWS).bit_length(), tuning.MOST_SLICE_BITS)
        if wanted < 2:
            return None
        spans, bits = _leading_spans(keys)
        if bits <= wanted:
            return None
        numbers = new_array(nrows, np.uint16)
        for start in range(0, nrows, tuning.BLOCK_ROWS):
            stop = min(start + tuning.BLOCK_ROWS, nrows)
            numbers[start:stop] = _leading_bits(keys[: len(spans)], spans, start, stop, wanted)
        return cls(numbers, 2**wanted)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._numbers.nbytes + self.bounds.nbytes

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        partitioned = [self.partitioned(column) for column in columns]
        bounds = pairwise(self.bounds.tolist())
        return [[slice_rows(column, start, stop) for column in partitioned] for start, stop in bounds if stop > start]

    def rows(self, number: int) -> NumberArray:
        """Return the rows of a slice."""
        return np.flatnonzero(self._numbers == number)

    def partitioned(self, column: Column) -> Column:
        """Return a column with its rows in the order of the slices."""
        if not isinstance(column, np.ndarray):
            return take_rows(column, np.asarray(self.partitioned(np.arange(len(column)))))
        target, same_size = new_array(len(column), column.dtype), f"u{column.itemsize}"
        values = np.ascontiguousarray(column).view(same_size)
        loops.partition(self._numbers, self.bounds[:-1].copy(), values, target.view(same_size))
        return target


class SortedSlices:
    """Key ranges of several sorted runs of rows; the rows of a range are slices of all runs.

    Parameters
    ----------
    bounds : ndarray of int64, shape (runs, slices + 1)
        Bounds of the slices in each run.
    """

    def __init__(self, bounds: NumberArray) -> None:
        self._bounds = bounds

    @classmethod
    def of(cls, key: NumberArray, lengths: Sequence[int]) -> Self | None:
        """Return ranges of concatenated runs of the given lengths, by their first key; None if rows are few."""
        count = len(key) // tuning.SLICE_ROWS
        if count < 2:
            return None
        bounds = [0, *np.cumsum(lengths).tolist()]
        runs = [key[start:stop] for start, stop in pairwise(bounds)]
        longest = max(runs, key=len)
        splitters = longest[np.linspace(0, len(longest), count, endpoint=False).astype(np.int64)[1:]]
        inner = [np.searchsorted(run, splitters) for run in runs]
        return cls(
            np.array([[a, *(a + found), b] for (a, b), found in zip(pairwise(bounds), inner, strict=True)], np.int64)
        )

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._bounds.nbytes

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        ranges = zip(self._bounds[:, :-1].T.tolist(), self._bounds[:, 1:].T.tolist(), strict=True)
        used = [[(start, stop) for start, stop in zip(*both, strict=True) if stop > start] for both in ranges]
        return [
            [concat_rows([slice_rows(column, start, stop) for start, stop in slices]) for column in columns]
            for slices in used
            if slices
        ]


def _leading_spans(keys: Sequence[Column]) -> tuple[list[tuple[int, int]], int]:
    """Return the smallest and largest words of the leading keys that fit one word, and their bits."""
    spans, bits = [], 0
    for key in keys:
        found = span(key)
        if found is None or bits + (found[1] - found[0]).bit_length() > WORD_BITS:
            break
        spans.append(found)
        bits += (found[1] - found[0]).bit_length()
    return spans, bits


def _leading_bits(
    keys: Sequence[Column], spans: Sequence[tuple[int, int]], start: int, stop: int, wanted: int
) -> NumberArray:
    """Return the slice of each row of a block."""
    parts = [
        Key(word(slice_rows(key, start, stop), 0), low, (high - low).bit_length())
        for key, (low, high) in zip(keys, spans, strict=True)
    ]
    key = combine(parts)
    assert key is not None, "keys that do not fit one word are not partitioned"
    return np.right_shift(key.codes, np.uint64(key.bits - wanted), out=key.codes)


Reduce: TypeAlias = Callable[[RowGroups, Sequence[Column]], list[GroupState]]
"""Makes the states of reductions of some rows."""


@dataclass(frozen=True, slots=True)
class GroupedSlice:
    """Some of the rows by group.

    Parameters
    ----------
    groups : SortedGroups or GroupCodes
        The groups.
    slots : ndarray of int64 or None
        The numbers of groups with rows; None if all have rows.
    nbytes : int
        Bytes that they occupy.
    """

    groups: SortedGroups | GroupCodes
    slots: NumberArray | None
    nbytes: int

    @property
    def count(self) -> int:
        """The number of groups with rows."""
        return self.groups.count if self.slots is None else len(self.slots)

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups with rows."""
        states = reduce(self.groups, values)
        self.groups.forget_values()
        if self.slots is None or len(self.slots) == self.groups.count:
            return states
        return [tuple(take_rows(column, self.slots) for column in state) for state in states]


class Grouping:
    """Rows grouped by key; many rows are cut into slices that fit the processor's cache.

    Parameters
    ----------
    keys : sequence of columns, or of encoded strings
        At least one, the first the most significant.
    runs : sequence of int, optional
        Lengths of runs of rows that are sorted by key, if known.
    """

    kind: ClassVar[str] = "sorted"

    def __init__(self, keys: Sequence[Column | EncodedStrings], runs: Sequence[int] | None = None) -> None:
        self.nrows = len(keys[0])
        numbered = DictionaryColumns(keys)
        self._division = _division(numbered.columns, runs)
        self._slices: list[GroupedSlice] = []
        unique: list[Sequence[NumberArray]] = []
        # Allocated at once; for each slice it would be new memory, which the system has to clear.
        codes = new_array(self.nrows, np.int32)
        for numbers in self._divided(numbered.columns):
            grouped, found = _grouped(numbers, codes)
            codes = codes[len(numbers[0]) :]
            self._slices.append(grouped)
            unique.append(found)
        self.keys = numbered.restored([concat_rows(columns) for columns in zip(*unique, strict=True)])
        """The keys of the groups, ascending."""
        parts = [self._division, *self._slices]
        self.nbytes = sum(part.nbytes for part in parts if part is not None) + sum(map(nbytes, self.keys))
        """Bytes that it takes."""

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups for columns on the same rows as the keys."""
        if self._division is None:
            return self._slices[0].reduce(reduce, values)
        output, widths = TableBuilder(len(self.keys[0])), []
        for item, columns in zip(self._slices, self._divided(values), strict=True):
            states = item.reduce(reduce, columns)
            widths = [len(state) for state in states]
            output.add(Table(dict(enumerate(chain.from_iterable(states))), item.count))
        joined = iter(output.table().columns.values())
        return [tuple(islice(joined, width)) for width in widths]

    def _divided(self, columns: Sequence[Column]) -> list[Sequence[Column]]:
        return [columns] if self._division is None else list(self._division.slices(columns))


def _division(keys: Sequence[NumberArray], runs: Sequence[int] | None) -> RadixSlices | SortedSlices | None:
    """Return how rows are cut into slices; None if the slots or rows fit the cache already."""
    if runs is not None:
        return SortedSlices.of(keys[0], runs)
    few = len(keys[0]) and SlotGrid.within(keys, min(tuning.FEW_SLOTS, tuning.SLOTS_PER_ROW * len(keys[0]))) is not None
    return None if few else RadixSlices.of(keys)


def _grouped(keys: Sequence[NumberArray], buffer: npt.NDArray[np.int32]) -> tuple[GroupedSlice, Sequence[NumberArray]]:
    """Return some rows by group, and the keys; only keys of a large span are sorted, since numbering slots is faster.

    The group numbers may be written to `buffer`, and stay there.
    """
    grid = SlotGrid.within(keys, tuning.SLOTS_PER_ROW * len(keys[0])) if len(keys[0]) else None
    if grid is not None:
        codes = GroupCodes(grid.codes(keys), grid.nslots)
        slots = np.flatnonzero(codes.sizes())
        size = codes.codes.nbytes + codes.sizes().nbytes + slots.nbytes
        return GroupedSlice(codes, slots, size), grid.keys(slots, [key.dtype for key in keys])
    if len(keys[0]) < MAX_PACKED_ROWS:
        codes, firsts = number_rows(keys, buffer[: len(keys[0])])
        # Sizes are counted when they are first used.
        nbytes_with_sizes = codes.codes.nbytes + np.dtype(np.int64).itemsize * codes.count
        return GroupedSlice(codes, None, nbytes_with_sizes), [key.take(firsts) for key in keys]
    runs = group_rows(keys)
    assert runs.permutation is not None, "rows were grouped by sorting"
    firsts = runs.firsts()
    return GroupedSlice(runs, None, runs.permutation.nbytes + runs.segments.nbytes), [key.take(firsts) for key in keys]
