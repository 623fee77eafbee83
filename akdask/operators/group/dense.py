"""Dense aggregation: groups by one integer key of close values, with one slot for each value and without sorting.

Slots of several tables are merged in place, which is faster than sorting the rows of all tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table
from akdask.engine.reduction import GroupState
from akdask.operators.group.direct_index import MOST_SLOTS
from akdask.operators.group.grouping import SLOTS_PER_ROW
from akdask.operators.group.row_groups import GroupCodes
from akdask.operators.group.sorted import SAMPLES, KeySplitters, TableSample
from akdask.operators.group.strategy import GroupStrategy, KeyGrouping, PartialTable, TableMerge
from akdask.operators.group.table import Aggregation
from akdask.operators.keys.slots import SlotGrid
from akdask.typing import Column, NumberArray

CHUNK = 2**16
"""Slots that are merged at a time.  Every table begins at a multiple, so that it has all slots of a chunk or none."""


class DenseAggregation(GroupStrategy):
    """Groups rows by one integer key of close values, for reductions that ufuncs merge in place."""

    caches = False
    _table: DenseTable

    def accepts(self, keys: Sequence[Column], values: Sequence[Column]) -> DenseKeys | None:
        """Return the slots of the rows; None for too many slots or other types."""
        are_numbers = all(isinstance(column, np.ndarray) for column in values)
        grid = _grid(keys) if self.aggregation.merges_in_place and are_numbers else None
        return None if grid is None else DenseKeys(grid, grid.codes(keys), keys[0].dtype)

    def add(self, grouping: DenseKeys, values: Sequence[Column]) -> None:
        """Make the table of all rows of the partition."""
        grid, codes, dtype = grouping
        occupied = full_array(grid.nslots, False, np.bool_)
        occupied[codes] = True
        states = self.aggregation.partial(GroupCodes(codes, grid.nslots), values)
        self._table = DenseTable(self.aggregation, dtype, grid.lows[0], occupied, states)

    def finish(self) -> DenseTable:
        """Return the table."""
        return self._table


class DenseKeys(NamedTuple):
    """The key range of the slots, and the slot of each row."""

    grid: SlotGrid
    codes: NumberArray
    dtype: np.dtype[Any]


class DenseTable(PartialTable):
    """Partial results of rows, one slot for each possible value of the key; see `DenseAggregation`.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    dtype : numpy.dtype
        Type of the key.
    low : int
        The key of the first slot.
    occupied : ndarray of bool
        The mask of slots with rows.
    states : sequence of states
        One for each step, with a row for each slot.
    """

    precedence = 0

    def __init__(
        self,
        aggregation: Aggregation,
        dtype: np.dtype[Any],
        low: int,
        occupied: npt.NDArray[np.bool_],
        states: Sequence[GroupState],
    ) -> None:
        self.aggregation = aggregation
        self.dtype = dtype
        self.low = low
        self.occupied = occupied
        self.states = states

    @property
    def high(self) -> int:
        """The key after the key of the last slot."""
        return self.low + len(self.occupied)

    def __sizeof__(self) -> int:
        return self.occupied.nbytes + sum(column.nbytes for state in self.states for column in state)

    @property
    def nrows(self) -> int:
        return len(self.occupied)

    def between(self, start: float, stop: float) -> DenseTable:
        """Return the slots of keys from `start` up to `stop`, which may be infinite, without a copy."""
        first, last = (int(min(max(key, self.low), self.high)) - self.low for key in (start, stop))
        states = [tuple(column[first:last] for column in state) for state in self.states]
        return DenseTable(self.aggregation, self.dtype, self.low + first, self.occupied[first:last], states)

    def table(self) -> Table:
        return merge_dense_tables([self])

    def sample(self, nkeys: int, most: int = SAMPLES, number: int = 0) -> TableSample:
        return TableSample.of([self._keys_of(np.flatnonzero(self.occupied))], most, number)

    def split(self, splitters: KeySplitters, count: int, nkeys: int) -> list[DenseTable]:
        edges = [-math.inf, *(int(key) for (key,) in splitters.keys), math.inf]
        return [self.between(*edge) for edge in pairwise(edges)] + [self.between(0, 0)] * (count - len(edges) + 1)

    def own(self) -> DenseTable:
        states = [tuple(column.copy() for column in state) for state in self.states]
        return DenseTable(self.aggregation, self.dtype, self.low, self.occupied.copy(), states)

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[DenseTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        return merge_dense_tables(parts), None

    def _keys_of(self, slots: npt.NDArray[np.int64]) -> Column:
        (keys,) = SlotGrid((self.low,), (len(self.occupied),)).keys(slots, [self.dtype])
        return keys


def _grid(keys: Sequence[Column]) -> SlotGrid | None:
    """Return the slots of the only key; None for too many, or for few enough to use direct-index aggregation."""
    (key, *others) = keys
    is_one_number = isinstance(key, np.ndarray) and not others and len(key)
    found = SlotGrid.within([key], SLOTS_PER_ROW * len(key)) if is_one_number else None
    if found is None or found.nslots <= MOST_SLOTS:
        return None
    low = found.lows[0] - found.lows[0] % CHUNK
    return SlotGrid((low,), (-(-(found.lows[0] + found.nslots - low) // CHUNK) * CHUNK,))


def merge_dense_tables(tables: Sequence[DenseTable]) -> Table:
    """Merge tables to groups sorted by key; at least one table must be given, and all split at the same keys.

    Groups are counted first, so that each is written once.
    """
    used = [table for table in tables if len(table.occupied)] or tables[:1]
    aggregation, chunks = used[0].aggregation, _chunks(used)
    occupied = [_merge_occupied(parts) for parts in chunks]
    nrows = sum(map(np.count_nonzero, occupied))
    keys = new_array(nrows, used[0].dtype)
    states = [tuple(new_array(nrows, column.dtype) for column in state) for state in used[0].states]
    scratch = [tuple(np.empty(CHUNK, column.dtype) for column in state) for state in states]
    start = 0
    for parts, has_rows in zip(chunks, occupied, strict=True):
        slots = np.flatnonzero(has_rows)
        rows = slice(start, start + len(slots))
        keys[rows] = parts[0]._keys_of(slots)
        merged = _merge_states(parts, [tuple(column[: len(has_rows)] for column in state) for state in scratch])
        for columns, targets in zip(merged, states, strict=True):
            for column, target in zip(columns, targets, strict=True):
                column.take(slots, out=target[rows], mode="clip")
        start = rows.stop
    return aggregation.table([keys], states)


def _chunks(tables: Sequence[DenseTable]) -> list[list[DenseTable]]:
    """Yield the tables in chunks: for each chunk of slots, all tables that have it."""
    start, stop = min(table.low for table in tables), max(table.high for table in tables)
    edges = pairwise([start, *range(start - start % CHUNK + CHUNK, stop, CHUNK), stop])
    chunks = [[table.between(*edge) for table in tables if table.low <= edge[0] < table.high] for edge in edges]
    return [parts for parts in chunks if parts]


def _merge_occupied(parts: Sequence[DenseTable]) -> npt.NDArray[np.bool_]:
    """Return the mask of slots with rows in any of several tables of the same slots."""
    first, *others = (part.occupied for part in parts)
    return reduce(np.logical_or, others, first)


def _merge_states(parts: Sequence[DenseTable], buffer: Sequence[GroupState]) -> Sequence[GroupState]:
    """Merge the states of several tables of the same slots, in the buffer unless there is only one table."""
    first, *others = (part.states for part in parts)
    if not others:
        return first
    for state, targets in zip(first, buffer, strict=True):
        for column, target in zip(state, targets, strict=True):
            np.copyto(target, column)
    for other in others:
        parts[0].aggregation.merge_in_place(buffer, other)
    return buffer
