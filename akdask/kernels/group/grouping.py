"""Rows that have been grouped by key, to be reduced as often as wanted without sorting again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns import Table, concat_rows, nbytes, new_array, take_rows
from akdask.kernels import compiled
from akdask.kernels.aggregates.by_group import GroupState, RowGroups
from akdask.kernels.group.dictionary import DictionaryColumns
from akdask.kernels.group.row_groups import GroupCodes, SortedGroups, group_rows, number_rows
from akdask.kernels.group.slices import RadixSlices, SortedSlices
from akdask.kernels.keys.encoded_strings import EncodedStrings
from akdask.kernels.keys.output import Output
from akdask.kernels.keys.slots import SlotGrid
from akdask.kernels.keys.sort import MAX_PACKED_ROWS
from akdask.typing import Column, NumberArray

SLOTS_PER_ROW = 2
"""Slots that take less time than sorting a row does."""

FEW_SLOTS = 2**16
"""Slots that fit the processor's cache."""

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
        Which of them have rows; None if all do.
    nbytes : int
        Bytes that they occupy.
    """

    groups: SortedGroups | GroupCodes
    slots: NumberArray | None
    nbytes: int

    @property
    def count(self) -> int:
        """How many groups have rows."""
        return self.groups.count if self.slots is None else len(self.slots)

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups that have rows."""
        states = reduce(self.groups, values)
        self.groups.forget_values()
        if self.slots is None or len(self.slots) == self.groups.count:
            return states
        return [tuple(take_rows(column, self.slots) for column in state) for state in states]


class Grouping:
    """Rows grouped by key, in slices that fit the processor's cache where there are many.

    Parameters
    ----------
    keys : sequence of columns, or of encoded strings
        At least one, the first the most significant.
    runs : sequence of int, optional
        How many rows follow each other in the order of the keys, where it is known.
    """

    kind: ClassVar[str] = "sorted"

    def __init__(self, keys: Sequence[Column | EncodedStrings], runs: Sequence[int] | None = None) -> None:
        self.nrows = len(keys[0])
        numbered = DictionaryColumns(keys)
        self._division = _division(numbered.columns, runs)
        self._slices: list[GroupedSlice] = []
        unique: list[Sequence[NumberArray]] = []
        # Taken at once, since for each slice it would be new memory, which has to be found and cleared.
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
        """Bytes that it occupies."""

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups, of columns with the rows of the keys."""
        if self._division is None:
            return self._slices[0].reduce(reduce, values)
        output, widths = Output(len(self.keys[0])), []
        for item, columns in zip(self._slices, self._divided(values), strict=True):
            states = item.reduce(reduce, columns)
            widths = [len(state) for state in states]
            output.add(Table(dict(enumerate(chain.from_iterable(states))), item.count))
        joined = iter(output.table().columns.values())
        return [tuple(islice(joined, width)) for width in widths]

    def _divided(self, columns: Sequence[Column]) -> list[Sequence[Column]]:
        return [columns] if self._division is None else list(self._division.slices(columns))


def _division(keys: Sequence[NumberArray], runs: Sequence[int] | None) -> RadixSlices | SortedSlices | None:
    """Return how rows are divided into slices; None where these gain nothing, as slots or rows fit the cache."""
    if runs is not None:
        return SortedSlices.of(keys[0], runs)
    few = len(keys[0]) and SlotGrid.within(keys, min(FEW_SLOTS, SLOTS_PER_ROW * len(keys[0]))) is not None
    return None if few else RadixSlices.of(keys)


def _grouped(keys: Sequence[NumberArray], buffer: npt.NDArray[np.int32]) -> tuple[GroupedSlice, Sequence[NumberArray]]:
    """Return some rows by group, and the keys; sort only where these span much, since numbering slots is faster.

    The numbers of the rows may be written to `buffer`, and stay there.
    """
    grid = SlotGrid.within(keys, SLOTS_PER_ROW * len(keys[0])) if len(keys[0]) else None
    if grid is not None:
        codes = GroupCodes(grid.codes(keys), grid.nslots)
        slots = np.flatnonzero(codes.sizes())
        size = codes.codes.nbytes + codes.sizes().nbytes + slots.nbytes
        return GroupedSlice(codes, slots, size), grid.keys(slots, [key.dtype for key in keys])
    if 0 < len(keys[0]) < MAX_PACKED_ROWS and compiled.should_compile(len(keys[0])):
        codes, firsts = number_rows(keys, buffer[: len(keys[0])])
        # Sizes are counted when they are asked for.
        nbytes_with_sizes = codes.codes.nbytes + np.dtype(np.int64).itemsize * codes.count
        return GroupedSlice(codes, None, nbytes_with_sizes), [key.take(firsts) for key in keys]
    runs = group_rows(keys)
    assert runs.permutation is not None, "rows were grouped by sorting"
    firsts = runs.firsts()
    return GroupedSlice(runs, None, runs.permutation.nbytes + runs.segments.nbytes), [key.take(firsts) for key in keys]
