"""Aggregations: tables of groups, sorted by key, with the states of their reductions, and tables of slots.

Accumulators have one slot for each group. They continue from block to block, so floats are added in row order. Loops go
over a column once for all its reductions. The slots of a slot table are the combinations of possible keys.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from copy import copy
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns import summation
from akdask.columns.strings import missing_rows
from akdask.columns.table import Table, concat_rows, take_rows
from akdask.deferred import is_arrow
from akdask.engine.reduction import AccumulatorForm, DistinctForm, GroupedForm, GroupState, RowGroups
from akdask.operators.group import loops, tuning
from akdask.operators.group.grouping import (
    GroupCodes,
    Grouping,
    HashedGrouping,
    StackedGroups,
    are_too_many,
    group_rows,
    group_sorted,
)
from akdask.operators.keys.hashing import hash_rows
from akdask.operators.keys.keys import WORD_BITS, SlotGrid, word
from akdask.operators.keys.string_codes import EncodedStrings
from akdask.operators.keys.tables import WordTable
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.operators.sort.kernels import argsort
from akdask.records import record
from akdask.typing import Column, NumberArray


@record
class AggregationStep:
    """One reduction of columns of the rows.

    Parameters
    ----------
    name : str
        A key of ``REDUCTIONS``, of a reduction with a grouped form.
    columns : tuple of int
        Positions of its arguments among the values: a column, and the row numbers if they matter.
    skipna : bool
        Whether NaN are left out.
    params : tuple of (str, object)
        Arguments of the last step.
    """

    name: str
    columns: tuple[int, ...]
    skipna: bool = True
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def form(self) -> GroupedForm:
        """The grouped form of the reduction."""
        form = REDUCTIONS[self.name].grouped
        assert form is not None, "steps are made of reductions with a grouped form"
        return form


@record
class Aggregation:
    """Reductions of rows with equal keys to one row.

    Tables have the keys under the names 0, 1, … and the states under (step, number). They are sorted by the keys. Long
    text takes long to sort, so a table may have the hash of keys under the name `HASH` instead, and is sorted by this
    and by the values. Tables of both kinds are merged to one by hashes.

    Parameters
    ----------
    nkeys : int
        Number of columns that the rows are grouped by.
    steps : tuple of AggregationStep
        The reductions.
    rounds : bool
        Whether floats are added or multiplied, so that all tables have to be merged at once and in order.
    nvalues : int
        Number of last keys that are values, of which the distinct ones of each group are found: they are not hashed.
    """

    nkeys: int
    steps: tuple[AggregationStep, ...]
    rounds: bool = False
    nvalues: int = 0

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide the range of a row in the result."""
        return self.nkeys - self.nvalues

    @property
    def reduces(self) -> bool:
        """Whether merging drops rows, the same in any order of the tables."""
        return not self.rounds

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may be encoded strings: all."""
        return self.nkeys

    def group(self, keys: Sequence[Column | EncodedStrings]) -> Grouping:
        """Return rows by key."""
        return Grouping(keys)

    def group_by_hash(self, keys: Sequence[Column]) -> HashedGrouping:
        """Return rows by the hash of their keys."""
        return HashedGrouping.of_rows(keys, self.cut_keys)

    def rows(self, keys: Sequence[Column], values: Sequence[Column]) -> Table:
        """Return the table of some rows."""
        return self.grouped(Grouping(keys), values)

    def grouped(self, grouping: Grouping | HashedGrouping, values: Sequence[Column]) -> Table:
        """Return the table of rows that have been grouped."""
        return self._with_hashes(grouping, self.table(grouping.keys, grouping.reduce(self.partial, values)))

    def table(self, keys: Sequence[Column], states: Sequence[GroupState]) -> Table:
        """Return the table of groups given by their keys, with their states."""
        named: dict[Hashable, Column] = dict(enumerate(keys))
        named |= {(step, number): column for step, state in enumerate(states) for number, column in enumerate(state)}
        return Table(named, len(keys[0]))

    def select_slots(self, keys: Sequence[Column], states: Sequence[GroupState], slots: NumberArray) -> Table:
        """Return the table of groups given by their keys, with the states in some slots."""
        return self.table(keys, [tuple(take_rows(column, slots) for column in state) for state in states])

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; they may share groups, and at least one must be given."""
        return tables[0] if len(tables) == 1 else self.merge_cached(tables, None)[0]

    def merge_cached(
        self, tables: Sequence[Table], known: Grouping | HashedGrouping | None
    ) -> tuple[Table, Grouping | HashedGrouping]:
        """Merge tables to one, and return the grouping of their rows, which may be known."""
        if any(map(is_hashed, tables)):
            tables = [by_hash(table, self.cut_keys) for table in tables]
        grouping = known or self.group_again(tables)
        return self.merge_grouped(grouping, tables), grouping

    def group_again(self, tables: Sequence[Table]) -> Grouping | HashedGrouping:
        """Return the groups of the concatenated rows of tables of one kind."""
        keys = [concat_rows(parts) for parts in zip(*map(self.keys, tables), strict=True)]
        if not is_hashed(tables[0]):
            return Grouping(keys)
        hashes = np.concatenate([np.asarray(table.columns[HASH]) for table in tables])
        return HashedGrouping.of_hashes(hashes, keys, self.cut_keys)

    def merge_grouped(self, grouping: Grouping | HashedGrouping, tables: Sequence[Table]) -> Table:
        """Merge tables whose rows have been grouped."""
        columns = [concat_rows([table.columns[name] for table in tables]) for name in self._state_names(tables[0])]
        widths = [len(state) for state in self._states(tables[0])]

        def again(groups: RowGroups, parts: Sequence[Column]) -> list[GroupState]:
            remaining = iter(parts)
            return self._again(groups, [tuple(islice(remaining, width)) for width in widths])

        return self._with_hashes(grouping, self.table(grouping.keys, grouping.reduce(again, columns)))

    @staticmethod
    def _with_hashes(grouping: Grouping | HashedGrouping, table: Table) -> Table:
        if isinstance(grouping, Grouping):
            return table
        return Table({HASH: grouping.hashes, **table.columns}, table.nrows)

    def relabelled(self, table: Table, keys: Sequence[Column]) -> Table:
        """Return a table with other keys, of the same lengths, sorted by these."""
        permutation = group_rows(keys).permutation
        assert permutation is not None, "rows were grouped by sorting"
        return self._with_keys(table, keys).take(permutation)

    def partial(self, groups: RowGroups, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of some rows."""
        states = []
        for step in self.steps:
            columns = [values[number] for number in step.columns] or [None]
            states.append(step.form.partial(groups, *columns, skipna=step.skipna))
        return states

    def merge_slots(self, layers: Sequence[Sequence[GroupState]], nslots: int) -> list[GroupState]:
        """Merge the states of several sets of rows of the same groups."""
        states = [
            tuple(concat_rows(columns) for columns in zip(*parts, strict=True)) for parts in zip(*layers, strict=True)
        ]
        return self._again(StackedGroups(len(layers), nslots), states)

    @property
    def keeps_values(self) -> bool:
        """Whether a state holds all values of its group."""
        return any(step.form.keeps_values for step in self.steps)

    @property
    def merges_in_place(self) -> bool:
        """Whether states of the same groups can be merged in place, column by column."""
        return all(step.form.merges_in_place for step in self.steps)

    def merge_in_place(self, totals: Sequence[GroupState], more: Sequence[GroupState]) -> None:
        """Merge states of the same groups into the first ones; see `merges_in_place`."""
        for step, total, state in zip(self.steps, totals, more, strict=True):
            step.form.merge_in_place(total, state, skipna=step.skipna)

    def finish(self, table: Table) -> Table:
        """Return the keys and the results, with numbers as names, beside the hashes if there are any."""
        results = [
            step.form.finalize(*state, **dict(step.params))
            for step, state in zip(self.steps, self._states(table), strict=True)
        ]
        hashes: dict[Hashable, Column] = {HASH: table.columns[HASH]} if is_hashed(table) else {}
        return Table(hashes | dict(enumerate([*self.keys(table), *results])), table.nrows)

    def keys(self, table: Table) -> list[Column]:
        """Return the key columns of a table."""
        return [table.columns[number] for number in range(self.nkeys)]

    def _states(self, table: Table) -> list[GroupState]:
        states: list[list[Column]] = [[] for _ in self.steps]
        for name in self._state_names(table):
            states[name[0]].append(table.columns[name])
        return [tuple(state) for state in states]

    def _state_names(self, table: Table) -> list[tuple[int, int]]:
        return [name for name in table.columns if isinstance(name, tuple)]

    def _again(self, groups: RowGroups, states: Sequence[GroupState]) -> list[GroupState]:
        return [
            step.form.merge(groups, *state, skipna=step.skipna) for step, state in zip(self.steps, states, strict=True)
        ]

    def _with_keys(self, table: Table, keys: Sequence[Column]) -> Table:
        return Table({**table.columns, **dict(enumerate(keys))}, table.nrows)


HASH = "hash"
"""The name of the hashes by which a table is sorted, if it is not sorted by the keys."""


def is_hashed(table: Table) -> bool:
    """Whether a table is sorted by the hash of its keys."""
    return HASH in table.columns


def by_hash(table: Table, cut_keys: int) -> Table:
    """Return a table of groups sorted by the hash of its first keys, given in any order that has these adjacent."""
    if is_hashed(table):
        return table
    hashes = hash_rows([table.columns[number] for number in range(cut_keys)])
    # The sort is stable: values stay in order.
    return Table({HASH: hashes, **table.columns}, table.nrows).take(argsort([hashes], [True]))


def without_hashes(table: Table) -> Table:
    """Return a table without the hashes, if it has any."""
    return Table({name: column for name, column in table.columns.items() if name != HASH}, table.nrows)


def in_order(table: Table, nkeys: int) -> Table:
    """Return a table of groups sorted by its keys."""
    if not is_hashed(table):
        return table
    return without_hashes(table).take(argsort([table.columns[number] for number in range(nkeys)], [True] * nkeys))


COUNT = (AggregationStep("size", ()),)
FIRST = (AggregationStep("min", (0,)),)
"""Name of the first row's number, if row numbers are carried."""


@record
class DistinctValues:
    """Tables of distinct (keys, value) with row counts, from which the last step computes a value for each group.

    Parameters
    ----------
    nkeys : int
        Number of keys; the value is one key more of the tables.
    name : str
        A key of ``REDUCTIONS``, of a reduction with a form for distinct values.
    skipna : bool
        Whether NaN and missing text are left out.
    times : bool
        Whether values are times; then the smallest number, NaT, is left out.
    params : tuple of (str, object)
        Arguments of the reduction.
    """

    nkeys: int
    name: str
    skipna: bool = True
    times: bool = False
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def cut_keys(self) -> int:
        """Number of keys that decide the range of a row in the result: all but the value."""
        return self.nkeys

    @property
    def rounds(self) -> bool:
        """False: nothing is added up, so that the steps of merging do not matter."""
        return False

    @property
    def reduces(self) -> bool:
        """Whether merging drops rows, the same in any order of the tables."""
        return True

    @property
    def aggregation(self) -> Aggregation:
        """The aggregation that makes the tables of rows."""
        steps = COUNT + FIRST if self._form.by_position else COUNT
        return Aggregation(self.nkeys + 1, steps, nvalues=1)

    @property
    def _form(self) -> DistinctForm:
        form = REDUCTIONS[self.name].distinct
        assert form is not None, "only reductions with such a form are asked for"
        return form

    def keys(self, table: Table) -> list[Column]:
        """Return the keys, without the value."""
        return self.aggregation.keys(table)[: self.nkeys]

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one."""
        return self.aggregation.merge(tables)

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, None]:
        """Merge tables to one; their grouping is not cached."""
        return self.merge(tables), None

    def finish(self, table: Table) -> Table:
        """Return the keys and the result of each group."""
        finished = self.aggregation.finish(table)
        columns = [finished.columns[number] for number in range(len(finished.columns) - is_hashed(table))]
        keys, (values, counts, *firsts) = columns[: self.nkeys], columns[self.nkeys :]
        missing = self._missing(values) if self.skipna else np.zeros(table.nrows, np.bool_)
        groups = group_sorted(keys)
        result = self._form.compute(groups, values, counts, missing, *firsts, **dict(self.params))
        named: dict[Hashable, Column] = dict(enumerate(take_rows(key, groups.segments) for key in keys))
        if is_hashed(table):
            named[HASH] = take_rows(table.columns[HASH], groups.segments)
        return Table({**named, self.nkeys: result}, groups.count)

    def _missing(self, values: Column) -> NumberArray:
        """Return the mask of values that are left out."""
        if self.times:
            return np.equal(values, np.iinfo(np.int64).min)
        if is_arrow(values, "LargeStringArray"):
            return missing_rows(values)
        is_float = isinstance(values, np.ndarray) and values.dtype == np.float64
        return np.isnan(values) if is_float else np.zeros(len(values), np.bool_)


SORTED_FAST = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64)))
"""Types of keys that sort this fast."""


class DistinctKeys:
    """The distinct keys of the blocks of a partition, as long as they are few, or blocks bring few new ones.

    Used if only the key of groups is wanted: the rows themselves are not kept then.
    """

    def __init__(self) -> None:
        self.closed = False
        self._known = WordTable()
        self._parts: list[NumberArray] = []

    @property
    def has_rows(self) -> bool:
        """Whether any block was accepted."""
        return bool(self._parts)

    def add(self, keys: NumberArray) -> bool:
        """Add the keys of a block, and return whether they were accepted; many new ones make it the last.

        None are accepted where a sample of the first block shows that too many are distinct.
        """
        words = None if self.closed else word(keys, 0)
        self.closed = self.closed or (not self._parts and are_too_many(words, tuning.MOST_KNOWN_KEYS))
        if words is None or self.closed:
            return False
        found = self._known.numbers(words)
        assert found is not None, "no keys are too many"
        _, met = found
        self._parts.append(keys.take(met))
        are_many = len(met) * tuning.FEWEST_ROWS_OF_A_KEY > len(keys)
        self.closed = are_many and self._known.count > tuning.MOST_KNOWN_KEYS
        return True

    def with_others(self, keys: NumberArray) -> NumberArray:
        """Return the distinct keys of the accepted blocks, then the others."""
        return np.concatenate([*self._parts, keys]) if self._parts else keys


TOTAL, ROWS, LEAST, MOST = range(4)
"""The fields of a slot; only the total if no extremes are needed and another column counts the rows."""

Name: TypeAlias = tuple[int, np.dtype[Any]]
"""The number of a column, and the type of its totals."""


class Accumulators:
    """Partial results of rows, one slot for each group, of reductions that have a form for accumulators.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    count : int
        Number of slots.
    values : sequence of ndarray
        Some rows of the reduced columns, for their types.
    """

    def __init__(self, aggregation: Aggregation, count: int, values: Sequence[Column]) -> None:
        self._steps = aggregation.steps
        self._names = [_name(step, values) for step in self._steps]
        of_extremes = {name for name, step in zip(self._names, self._steps, strict=True) if _form(step).extremes}
        exact = {name for name, step in zip(self._names, self._steps, strict=True) if _form(step).exact}
        self._columns: dict[Name, Accumulator] = {}
        for name in dict.fromkeys(name for name in self._names if name):
            self._columns[name] = Accumulator(count, name[1], name in of_extremes, self._counter, exact=name in exact)
        self._sizes = np.zeros(0 if self._columns else count, np.int64)

    @property
    def _counter(self) -> Accumulator | None:
        """The first column, which counts the rows for all columns."""
        return next(iter(self._columns.values()), None)

    @staticmethod
    def accept(aggregation: Aggregation, values: Sequence[Column]) -> bool:
        """Whether accumulators can compute the aggregation of such rows."""
        return all(isinstance(column, np.ndarray) for column in values) and all(
            _is_accepted(step, values) for step in aggregation.steps
        )

    def add(self, codes: NumberArray, values: Sequence[Column], first: int = 0) -> None:
        """Add rows, given the codes of their slots and the code of the first slot."""
        if not self._columns:
            loops.count_rows(codes, first, self._sizes)
        for (number, _), accumulator in self._columns.items():
            accumulator.add(codes, first, np.asarray(values[number]))

    def moved(self, slots: NumberArray, count: int) -> Accumulators:
        """Return the accumulators with `count` slots, given the new position of each slot."""
        result = copy(self)
        result._columns = {}
        for name, column in self._columns.items():
            result._columns[name] = column.moved(slots, count, result._counter)
        result._sizes = np.zeros(count if len(self._sizes) else 0, np.int64)
        if len(self._sizes):
            result._sizes[slots] = self._sizes
        return result

    @property
    def occupied(self) -> NumberArray:
        """Numbers that are not 0 for slots with rows."""
        return self._sizes if self._counter is None else self._counter.rows

    def states(self) -> list[GroupState]:
        """Return the state of each step."""
        return [
            (self.occupied.astype(np.int64),) if name is None else _form(step).state(self._columns[name])
            for step, name in zip(self._steps, self._names, strict=True)
        ]


class Accumulator:
    """The running state of a column in each slot: the `Slots` of reductions.

    The fields of a slot are adjacent in memory.

    Parameters
    ----------
    nslots : int
    dtype : numpy.dtype
        Type of the totals.
    extremes : bool
        Whether to find the smallest and largest values.
    counter : Accumulator, optional
        The accumulator of another column that counts the same rows.
    exact : bool
        Whether sums of integers must not wrap.
    """

    def __init__(
        self,
        nslots: int,
        dtype: np.dtype[Any],
        extremes: bool,
        counter: Accumulator | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self._counter = counter
        self._is_exact = exact and dtype.kind != "f"
        self._largest = 0
        self._high: NumberArray | None = None
        """The sums of the upper halves, once the totals may wrap."""
        self._width = 4 if extremes else 2 if counter is None else 1
        self._slots = np.zeros((nslots, self._width), dtype)
        self._nans = np.zeros(nslots, np.int64)
        if extremes:
            floats = dtype.kind == "f"
            self._slots[:, LEAST] = np.inf if floats else np.iinfo(dtype).max
            self._slots[:, MOST] = -np.inf if floats else np.iinfo(dtype).min

    def add(self, codes: NumberArray, first: int, values: NumberArray) -> None:
        """Add rows."""
        if self._is_exact:
            self._add_high(codes, first, values)
        loop = {1: loops.add_values, 2: loops.count_and_add, 4: loops.count_and_compare}[self._width]
        loop(codes, first, np.ascontiguousarray(values), self._slots.reshape(-1), self._nans)

    def moved(self, slots: NumberArray, count: int, counter: Accumulator | None) -> Accumulator:
        """Return the accumulator with `count` slots, given the new position of each slot, and its row counter."""
        result = Accumulator(count, self._slots.dtype, self._width > LEAST, counter, exact=self._is_exact)
        result._slots[slots], result._nans[slots] = self._slots, self._nans
        result._largest = self._largest
        if self._high is not None:
            result._high = np.zeros(count, np.int64)
            result._high[slots] = self._high
        return result

    def _add_high(self, codes: NumberArray, first: int, integers: NumberArray) -> None:
        """Add the upper halves of integers, as soon as totals may wrap with them."""
        if self._high is None:
            self._largest += summation.largest_sum(integers)
            if self._largest <= summation.MOST:
                return
            self._high, _ = summation.halves(self.totals)
        high, _ = summation.halves(integers)
        loops.add_values(codes, first, np.ascontiguousarray(high), self._high, self._nans)

    @property
    def rows(self) -> NumberArray:
        """The number of rows in each slot, in the type of totals."""
        return self._slots[:, ROWS] if self._counter is None else self._counter.rows

    @property
    def sizes(self) -> NumberArray:
        """The number of rows in each slot."""
        return self.rows.astype(np.int64)

    @property
    def counts(self) -> NumberArray:
        """The number of values that are not NaN."""
        return self.sizes - self._nans

    @property
    def totals(self) -> NumberArray:
        """The sums; sums of integers wrap."""
        return self._slots[:, TOTAL]

    @property
    def wide_totals(self) -> summation.WideTotals:
        """The sums of integers, and how often they have wrapped."""
        if self._high is None:
            return summation.wide_totals(self.totals)
        return summation.completed_totals(self.totals, self._high)

    @property
    def minima(self) -> NumberArray:
        """The smallest values, NaN for slots without values."""
        return self._extremes(LEAST)

    @property
    def maxima(self) -> NumberArray:
        """The largest values, NaN for slots without values."""
        return self._extremes(MOST)

    def _extremes(self, number: int) -> NumberArray:
        extremes = self._slots[:, number]
        # Slots with nothing but NaN keep this initial value.
        return np.where(self.counts > 0, extremes, np.nan) if extremes.dtype.kind == "f" else extremes


def _form(step: AggregationStep) -> AccumulatorForm:
    assert step.form.accumulated is not None, "other steps are not accepted"
    return step.form.accumulated


def _is_accepted(step: AggregationStep, values: Sequence[Column]) -> bool:
    if step.form.accumulated is None or not step.columns:
        return step.form.accumulated is not None
    dtype = values[step.columns[0]].dtype
    return (dtype == np.float64 and step.skipna) or dtype in (np.int64, np.uint64)


def _name(step: AggregationStep, values: Sequence[Column]) -> Name | None:
    """Return the key of the totals of a step; None if it counts rows, whatever their values."""
    if not step.columns:
        return None
    (number,) = step.columns
    return number, values[number].dtype


# ---------------------------------------------------------------------------------------------------------- slot tables


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


def new_slot_table(
    aggregation: Aggregation, grid: SlotGrid, keys: Sequence[NumberArray], values: Sequence[Column]
) -> SlotTable:
    """Return an empty table for rows like the given ones."""
    dtypes = [key.dtype for key in keys]
    if not Accumulators.accept(aggregation, values):
        return BlockTable(aggregation, grid, dtypes)
    return AccumulatorTable(aggregation, grid, dtypes, Accumulators(aggregation, grid.nslots, values))
