"""Slot tables: groups by integer keys of a narrow range, which index the results, without sorting.

By direct index few groups are reduced block by block. The slots of a grid are the combinations of possible keys.
Strings are numbered first, and so are numbers that are too far apart for a slot each.

Dense aggregation groups by one integer key of close values, with one slot for each value. Slots of several tables are
merged in place, which is faster than sorting the rows of all tables.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table, concat_rows, take_rows
from akdask.deferred import is_arrow
from akdask.engine.reduction import GroupState
from akdask.operators.group import loops, tuning
from akdask.operators.group.aggregation import Accumulators, Aggregation
from akdask.operators.group.dictionary import Dictionary, NumberDictionary
from akdask.operators.group.grouping import GroupCodes
from akdask.operators.group.strategies import (
    GroupStrategy,
    GroupTable,
    KeyGrouping,
    KeySplitters,
    PartialTable,
    TableMerge,
    TableSample,
)
from akdask.operators.keys.keys import WORD_BITS, SlotGrid
from akdask.typing import Column, NumberArray


class DirectIndexRows(NamedTuple):
    """Rows by key: the keys as numbers, and the slot of each row if it is known without probing."""

    keys: list[NumberArray]
    codes: NumberArray | None


class SlotTable(ABC):
    """Partial results of blocks of rows, one slot of a grid for each group.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    grid : SlotGrid
        Holds the keys of the rows that will be added.
    dtypes : sequence of dtypes
        Types of the keys.
    """

    def __init__(self, aggregation: Aggregation, grid: SlotGrid, dtypes: Sequence[np.dtype[np.generic]]) -> None:
        self.grid = grid
        self._aggregation = aggregation
        self._dtypes = dtypes

    @property
    @abstractmethod
    def fewest_rows(self) -> int:
        """Rows that are worth adding at a time."""

    @abstractmethod
    def codes_within(self, keys: Sequence[NumberArray]) -> NumberArray | None:
        """Return the slots of rows; None if the grid lacks some, or a check would be slow."""

    @abstractmethod
    def add(self, codes: NumberArray, values: Sequence[Column]) -> None:
        """Add the rows of a block, given their slots."""

    @abstractmethod
    def widened(self, grid: SlotGrid) -> SlotTable | None:
        """Return a table that continues in a larger grid; None if a new one is faster."""

    @abstractmethod
    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""

    def _selected(self, slots: NumberArray, states: Sequence[GroupState]) -> Table:
        return self._aggregation.select_slots(self.grid.keys(slots, self._dtypes), states, slots)


class BlockTable(SlotTable):
    """Results of each block, which are summed; works for all reductions."""

    def __init__(self, aggregation: Aggregation, grid: SlotGrid, dtypes: Sequence[np.dtype[np.generic]]) -> None:
        super().__init__(aggregation, grid, dtypes)
        self._pending: list[list[GroupState]] = []
        self._occupied = np.zeros(grid.nslots, np.bool_)
        self._all_occupied = False

    @property
    def fewest_rows(self) -> int:
        # All slots are touched.
        return self.grid.nslots

    def codes_within(self, keys: Sequence[NumberArray]) -> NumberArray | None:
        # Checking that the grid holds a block takes as long as finding the block's own grid.
        return None

    def add(self, codes: NumberArray, values: Sequence[Column]) -> None:
        groups = GroupCodes(codes, self.grid.nslots)
        if not self._all_occupied:
            np.logical_or(self._occupied, groups.sizes() > 0, out=self._occupied)
            self._all_occupied = bool(self._occupied.all())
        states = self._aggregation.partial(groups, values)
        are_numbers = all(isinstance(column, np.ndarray) for state in states for column in state)
        if self._aggregation.merges_in_place and are_numbers:
            if self._pending:
                self._aggregation.merge_in_place(self._pending[0], states)
                return
            # Several reductions may share one array of sums.
            states = [tuple(map(np.copy, state)) for state in states]
        self._pending.append(states)
        if len(self._pending) == tuning.PENDING_BLOCKS:
            self._pending = [self._total()]

    def widened(self, grid: SlotGrid) -> None:
        return None

    def table(self) -> Table:
        return self._selected(np.flatnonzero(self._occupied), self._total())

    def _total(self) -> list[GroupState]:
        if len(self._pending) == 1:
            return self._pending[0]
        return self._aggregation.merge_slots(self._pending, self.grid.nslots)


class AccumulatorTable(SlotTable):
    """Accumulators, which add rows in order across blocks."""

    fewest_rows = 0

    def __init__(
        self,
        aggregation: Aggregation,
        grid: SlotGrid,
        dtypes: Sequence[np.dtype[np.generic]],
        accumulators: Accumulators,
    ) -> None:
        super().__init__(aggregation, grid, dtypes)
        self._accumulators = accumulators
        self._codes: npt.NDArray[np.int32] = np.empty(0, np.int32)

    def codes_within(self, keys: Sequence[NumberArray]) -> NumberArray | None:
        if len(self._codes) < len(keys[0]):
            self._codes = np.empty(len(keys[0]), np.int32)
        codes = self._codes[: len(keys[0])]
        for number, (key, low, size) in enumerate(zip(keys, self.grid.lows, self.grid.sizes, strict=True)):
            if not loops.encode(np.ascontiguousarray(key), low % 2**WORD_BITS, size, size if number else 0, codes):
                return None
        return codes

    def add(self, codes: NumberArray, values: Sequence[Column]) -> None:
        self._accumulators.add(codes, values)

    def widened(self, grid: SlotGrid) -> AccumulatorTable:
        slots = grid.codes(self.grid.keys(np.arange(self.grid.nslots), self._dtypes))
        moved = self._accumulators.moved(slots, grid.nslots)
        return AccumulatorTable(self._aggregation, grid, self._dtypes, moved)

    def table(self) -> Table:
        return self._selected(np.flatnonzero(self._accumulators.occupied), self._accumulators.states())


class DirectIndexAggregation(GroupStrategy):
    """Groups blocks as long as their keys span few slots; the grid grows for wider blocks.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    nrows : int
        Largest number of rows of all blocks.
    """

    def __init__(self, aggregation: Aggregation, nrows: int) -> None:
        super().__init__(aggregation)
        self._most_slots = min(tuning.MOST_SLOTS, max(nrows, tuning.FEWEST_SLOTS))
        self._done: list[Table] = []
        self._table: SlotTable | None = None
        self._waiting: list[tuple[list[Column], list[Column]]] = []
        self._dictionaries: list[Dictionary | NumberDictionary | None] = []
        """The dictionary that numbers the values of each key; None for keys of close numbers."""
        self.closed = False
        """Whether no more blocks are accepted."""
        self.has_rows = False
        """Whether a block has been added."""

    def accepts(self, keys: Sequence[Column], values: Sequence[Column]) -> DirectIndexRows | None:
        """Return the rows of a block by key, at least one; None, for this and all later blocks, if slots are many."""
        numbers = None if self.closed else self._numbers(keys)
        codes = None if numbers is None or self._table is None else self._table.codes_within(numbers)
        if numbers is not None and codes is not None:
            return DirectIndexRows(numbers, codes)
        grid = None if numbers is None else SlotGrid.around(numbers)
        if numbers is not None and not self.has_rows and not self._fits(grid):
            numbers = self._with_far_numbers(numbers)
            grid = None if numbers is None else SlotGrid.around(numbers)
        if grid is not None and self._table is not None and not self._table.grid.covers(grid):
            grid = grid.united(self._table.grid)
            self._widen(self._table, grid)
        if numbers is None or grid is None or (self._table is None and not self._fits(grid)):
            self.closed = True
            return None
        if self._table is None:
            self._table = _new_table(self.aggregation, grid, numbers, values)
        return DirectIndexRows(numbers, None)

    def add(self, grouping: DirectIndexRows, values: Sequence[Column]) -> None:
        """Add the rows of a block; few rows are copied until more come."""
        table, keys = self._open_table, grouping.keys
        self.has_rows = True
        if grouping.codes is not None:
            table.add(grouping.codes, values)
        elif not self._waiting and len(keys[0]) >= table.fewest_rows:
            table.add(self._codes(keys), values)
        else:
            self._waiting.append(([own(column) for column in keys], [own(column) for column in values]))
            if sum(len(waiting[0]) for waiting, _ in self._waiting) >= table.fewest_rows:
                self._add_waiting()

    def tables(self) -> list[Table]:
        """Return the tables of all blocks; they may share groups."""
        self._close_table()
        if not any(self._dictionaries):
            return self._done
        return [self.aggregation.relabelled(table, self._restored(table)) for table in self._done]

    def finish(self, others: Sequence[Table] = ()) -> GroupTable:
        """Return the groups of all rows, merged with the given groups of rows that were not accepted."""
        return GroupTable(self.aggregation.merge([*self.tables(), *others]))

    @property
    def _open_table(self) -> SlotTable:
        assert self._table is not None, "rows are added after they were accepted"
        return self._table

    def _fits(self, grid: SlotGrid | None) -> bool:
        return grid is not None and grid.nslots <= self._most_slots

    def _numbers(self, keys: Sequence[Column]) -> list[NumberArray] | None:
        """Return the keys with numbers in place of strings; None for too many strings, or for other types."""
        if not self._dictionaries:
            self._dictionaries = [
                Dictionary() if is_arrow(key, "LargeStringArray", "DictionaryArray") else None for key in keys
            ]
        numbers = []
        for key, dictionary in zip(keys, self._dictionaries, strict=True):
            codes = dictionary.codes(key) if dictionary else key if isinstance(key, np.ndarray) else None
            if codes is None:
                return None
            numbers.append(codes)
        return numbers

    def _with_far_numbers(self, keys: Sequence[NumberArray]) -> list[NumberArray] | None:
        """Return the keys with positions in place of numbers that are far apart; None if these are too many."""
        numbers = []
        for place, key in enumerate(keys):
            codes: NumberArray | None = key
            if not self._dictionaries[place] and not self._fits(SlotGrid.around([key])):
                self._dictionaries[place] = dictionary = NumberDictionary(key.dtype)
                codes = dictionary.codes(key)
            if codes is None:
                return None
            numbers.append(codes)
        return numbers

    def _restored(self, table: Table) -> list[Column]:
        """Return the keys of a table in place of their numbers."""
        parts = zip(self.aggregation.keys(table), self._dictionaries, strict=True)
        return [take_rows(dictionary.values, key) if dictionary else key for key, dictionary in parts]

    def _codes(self, keys: Sequence[NumberArray]) -> NumberArray:
        codes = self._open_table.codes_within(keys)
        return self._open_table.grid.codes(keys) if codes is None else codes

    def _widen(self, table: SlotTable, grid: SlotGrid) -> None:
        wider = table.widened(grid) if grid.nslots <= self._most_slots else None
        if wider is None:
            self._close_table()
        else:
            self._table = wider

    def _add_waiting(self) -> None:
        keys, values = (
            [concat_rows(parts) for parts in zip(*blocks, strict=True)] for blocks in zip(*self._waiting, strict=True)
        )
        self._open_table.add(self._codes(keys), values)
        self._waiting.clear()

    def _close_table(self) -> None:
        if self._table is None:
            return
        if self._waiting:
            self._add_waiting()
        self._done.append(self._table.table())
        self._table = None


def _new_table(
    aggregation: Aggregation, grid: SlotGrid, keys: Sequence[NumberArray], values: Sequence[Column]
) -> SlotTable:
    dtypes = [key.dtype for key in keys]
    if not Accumulators.accept(aggregation, values):
        return BlockTable(aggregation, grid, dtypes)
    return AccumulatorTable(aggregation, grid, dtypes, Accumulators(aggregation, grid.nslots, values))


def own(column: Column) -> Column:
    """Return a copy of an array that may lie in a buffer which the next block overwrites."""
    return column.copy() if isinstance(column, np.ndarray) else column


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

    def sample(self, nkeys: int, most: int = tuning.TABLE_SAMPLES, number: int = 0) -> TableSample:
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
    found = SlotGrid.within([key], tuning.SLOTS_PER_ROW * len(key)) if is_one_number else None
    if found is None or found.nslots <= tuning.MOST_SLOTS:
        return None
    low = found.lows[0] - found.lows[0] % tuning.CHUNK_SLOTS
    return SlotGrid((low,), (-(-(found.lows[0] + found.nslots - low) // tuning.CHUNK_SLOTS) * tuning.CHUNK_SLOTS,))


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
    scratch = [tuple(np.empty(tuning.CHUNK_SLOTS, column.dtype) for column in state) for state in states]
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
    edges = pairwise(
        [start, *range(start - start % tuning.CHUNK_SLOTS + tuning.CHUNK_SLOTS, stop, tuning.CHUNK_SLOTS), stop]
    )
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
