"""Strategies: the ways to group the rows of a partition, and to merge the groups of partitions.

Sorted aggregation numbers or sorts rows by key, and reduces them to a table sorted by key. It accepts any rows. A table
may wait on disk. The rows of one key range are read from there without the rest, so tables need not be written a second
time when they are split.

Hashed aggregation makes a table sorted by the hashes of the keys, since long text takes long to sort. Where tables of
both kinds meet, all are sorted by hashes. Only the result is put in order, if anybody minds.

Direct-index aggregation reduces few groups block by block. Keys of a narrow range are the positions of results. Strings
are numbered first, and so are numbers that are too far apart for a slot each.

Dense aggregation groups by one integer key of close values, with one slot for each value. Slots of several tables are
merged in place, which is faster than sorting the rows of all tables.

Radix aggregation is in a module of its own.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import numpy_numbers
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table, concat_rows, decoded, is_encoded, slice_rows, take_rows
from akdask.deferred import is_arrow, pa
from akdask.engine.memory import OnDisk, Spillable
from akdask.engine.reduction import GroupState
from akdask.engine.slices import CutSlices
from akdask.engine.spill import TableOnDisk
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import HASH, Aggregation, SlotTable, by_hash, is_hashed, new_slot_table
from akdask.operators.group.grouping import GroupCodes, are_too_many, group_rows
from akdask.operators.keys.keys import SlotGrid, span, word
from akdask.operators.keys.string_codes import layout_of
from akdask.operators.keys.tables import TextTable, WordTable
from akdask.operators.sort.kernels import are_before, comparable
from akdask.records import record
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.operators.keys.string_codes import EncodedStrings


class TableMerge(Protocol):
    """Merges tables that are sorted by key."""

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide the range of a row in the result."""
        ...

    @property
    def reduces(self) -> bool:
        """Whether merging drops rows, the same in any order of the tables."""
        ...

    @property
    def rounds(self) -> bool:
        """Whether rounding depends on the steps in which tables are merged."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; at least one must be given."""
        ...

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, KeyGrouping | None]:
        """Merge tables to one, and return the grouping of their rows, if reusable, to pass as `known` next time."""
        ...

    def finish(self, table: Table) -> Table:
        """Return the results."""
        ...


class RowAggregation(Protocol):
    """Makes tables of rows, sorted by key."""

    @property
    def nkeys(self) -> int:
        """Number of keys, which are the first columns."""
        ...

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may be encoded strings."""
        ...

    def group(self, keys: Sequence[Column | EncodedStrings]) -> KeyGrouping:
        """Return rows by key."""
        ...

    def grouped(self, grouping: Any, values: Sequence[Column]) -> Table:
        """Return the table of rows that have been grouped."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; at least one must be given."""
        ...


class KeyGrouping(Protocol):
    """A grouping of rows by their keys, cached for later aggregations of the same rows."""

    kind: ClassVar[str]
    """The strategy that made the grouping."""

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        ...


class GroupSplitters(Protocol):
    """The keys at which ranges begin."""

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each of `count` ranges of a table sorted by key, without a copy."""
        ...


class KeySample(ABC):
    """A sample of a partial table's keys, to choose splitters from."""

    precedence: ClassVar[int]
    """If there are several kinds of samples, the one of the highest precedence chooses the splitters."""

    @classmethod
    @abstractmethod
    def choose_splitters(cls, samples: Sequence[Any], count: int) -> GroupSplitters:
        """Return splitters that divide the rows of all samples into `count` ranges."""


class PartialTable(Spillable):
    """Groups of the rows of one partition, or of one range of their keys."""

    __slots__ = ()

    precedence: ClassVar[int]
    """If there are several kinds of partial tables, the one of the highest precedence decides how all are merged."""

    @property
    @abstractmethod
    def nrows(self) -> int:
        """Number of rows in the table."""

    @abstractmethod
    def table(self) -> Table:
        """Return the groups, sorted by key."""

    @abstractmethod
    def sample(self, nkeys: int, most: int, number: int) -> KeySample:
        """Return a sample of the keys, of at most so many rows, chosen by the number of the table."""

    @abstractmethod
    def split(self, splitters: Any, count: int, nkeys: int) -> list[Self]:
        """Return the rows of each of `count` ranges, without a copy."""

    def slices(self, splitters: Any, count: int, nkeys: int) -> Sequence[Sequence[PartialTable]]:
        """Return the ranges for an exchange: one part for each."""
        return [[item] for item in self.split(splitters, count, nkeys)]

    @abstractmethod
    def own(self) -> Self:
        """Return a copy that keeps nothing else in memory."""

    def to_disk(self) -> OnDisk:
        from akdask.engine.spill import ItemOnDisk

        return ItemOnDisk(self)

    @classmethod
    @abstractmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[Any], known: Any | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        """Merge partial tables that are all of this kind, or sorted.

        If `caches`, also return the grouping of their rows, if it can be reused: it is `known` the next time.
        """

    def small_table(self, most: int) -> Table | None:
        """Return the table if it has so few rows that merging it before the split pays; None otherwise."""
        return None


class GroupStrategy(ABC):
    """A way of grouping the rows of a partition; an object holds the partial results of one partition.

    Parameters
    ----------
    aggregation : RowAggregation
        The reductions.
    """

    caches: ClassVar[bool] = True
    """Whether a grouping can be added again, with other values, by later aggregations of the same rows."""

    def __init__(self, aggregation: Any) -> None:
        self.aggregation = aggregation

    @abstractmethod
    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> Any | None:
        """Return the grouping of the rows, which `add` takes; None to leave the rows to another strategy."""

    @abstractmethod
    def add(self, grouping: Any, values: Sequence[Column]) -> None:
        """Add rows that have been grouped."""

    @abstractmethod
    def finish(self) -> PartialTable:
        """Return the groups of all rows."""


def merge_partial_tables(
    merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None = None, *, caches: bool = False
) -> tuple[Table, KeyGrouping | None]:
    """Merge partial tables of one key range, at least one; see `PartialTable.merge`."""
    leading = max(parts, key=lambda part: part.precedence)
    return leading.merge(merging, parts, known, caches=caches)


def choose_splitters(samples: Sequence[KeySample], count: int) -> GroupSplitters:
    """Return splitters that divide the rows of all samples into `count` ranges; at least one sample must be given."""
    precedence = max(sample.precedence for sample in samples)
    leading = [sample for sample in samples if sample.precedence == precedence]
    return leading[0].choose_splitters(leading, count)


GOLDEN_RATIO = (5**0.5 - 1) / 2
"""Its multiples lie evenly between integers, however many there are."""


class SortedAggregation(GroupStrategy):
    """Groups rows by sorting them, or by numbering possible keys."""

    _table: Table

    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> KeyGrouping | None:
        """Return the rows by key."""
        grouping: KeyGrouping = self.aggregation.group(keys)
        return grouping

    def add(self, grouping: KeyGrouping, values: Sequence[Column]) -> None:
        """Make the table of all rows of the partition."""
        self._table = self.aggregation.grouped(grouping, values)

    def finish(self) -> GroupTable:
        """Return the table."""
        return GroupTable(self._table)


class HashedAggregation(SortedAggregation):
    """Groups rows by the hashes of their keys, some of which are long text."""

    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> KeyGrouping | None:
        """Return the rows by hash; None if no key is text, or some are encoded. The plan decides which text is long."""
        is_text = [is_arrow(key, "LargeStringArray") for key in keys]
        are_plain = all(text or isinstance(key, np.ndarray) for text, key in zip(is_text, keys, strict=True))
        return self.aggregation.group_by_hash(keys) if any(is_text) and are_plain else None


def have_long_text(keys: Sequence[Column]) -> bool:
    """Whether the codes of a sample of keys with text take several words, so that hashes are sorted sooner."""
    if len(keys[0]) < tuning.FEWEST_HASHED:
        return False
    bits, step, is_too_long = 0, max(len(keys[0]) // tuning.DICTIONARY_SAMPLE, 1), False
    for key in keys:
        some = slice_rows(key, 0, len(key), step)
        if isinstance(some, np.ndarray):
            low, high = span(some) or (0, 0)
            bits += (high - low).bit_length()
        elif not is_arrow(some, "LargeStringArray"):
            return False
        else:
            layout = layout_of(some)
            is_too_long |= layout is None
            bits += 0 if layout is None else layout.bits
    return is_too_long or bits > tuning.MOST_CODE_BITS


@record
class GroupTable(PartialTable):
    """A table sorted by key or by hash: one row for each group, or all rows if they are only arranged."""

    precedence = 1

    rows: Table

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.rows)

    @property
    def nrows(self) -> int:
        return self.rows.nrows

    def table(self) -> Table:
        return self.rows

    def small_table(self, most: int) -> Table | None:
        return self.rows if self.nrows <= most else None

    def sample(self, nkeys: int, most: int, number: int) -> TableSample:
        return sample_of(self.rows, nkeys, most, number)

    def split(self, splitters: Any, count: int, nkeys: int) -> list[GroupTable]:
        return [GroupTable(table) for table in splitters.split_table(self.rows, count, nkeys)]

    def own(self) -> GroupTable:
        return GroupTable(self.rows.own())

    def to_disk(self) -> OnDisk:
        return GroupTableOnDisk.of(self.rows)

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        tables = [part.table() for part in parts]
        # One table without rows stands for all if there are no others, and has the columns' types.
        used = [table for table in tables if table.nrows] or tables[:1]
        if not caches or len(used) == 1:
            return merging.merge(used), None
        kind = "hashed" if any(map(is_hashed, used)) else "sorted"
        return merging.merge_cached(used, known if known is not None and known.kind == kind else None)


def sample_of(table: Table, nkeys: int, most: int, number: int) -> TableSample:
    """Return a sample of the keys of a table, or of their hashes; see `PartialTable.sample`."""
    if is_hashed(table):
        return HashSample.of([table.columns[HASH]], most, number)
    return TableSample.of(leading_keys(table, nkeys), most, number)


@record
class TableSample(KeySample):
    """Some keys of a table, and the number of rows that they stand for."""

    precedence: ClassVar[int] = 1

    nrows: int
    keys: list[Column]

    @classmethod
    def of(cls, keys: Sequence[Column], most: int, number: int) -> Self:
        """Return evenly spaced rows of sorted keys.

        The first row depends on the table's number. Otherwise samples of similar tables would have about the same few
        keys, with no choice of splitters between them.
        """
        nrows = len(keys[0])
        count = min(nrows, most)
        positions = ((np.arange(count) + (number + 0.5) * GOLDEN_RATIO % 1) * (nrows / max(count, 1))).astype(np.int64)
        return cls(nrows, [take_rows(key, positions) for key in keys])

    @classmethod
    def choose_splitters(cls, samples: Sequence[TableSample], count: int) -> GroupSplitters:
        """Return keys that split the rows into parts of about equal size; fewer than `count` parts of few rows."""
        return KeySplitters(cls._chosen(samples, count))

    @staticmethod
    def _chosen(samples: Sequence[TableSample], count: int) -> list[list[Any]]:
        total = sum(sample.nrows for sample in samples)
        if total <= tuning.FEW_SPLIT_ROWS or count == 1:
            return []
        used = [sample for sample in samples if sample.nrows]
        keys = [concat_rows(columns) for columns in zip(*(sample.keys for sample in used), strict=True)]
        weights = np.concatenate([np.full(len(item.keys[0]), item.nrows / len(item.keys[0])) for item in used])
        runs = group_rows(keys)
        assert runs.permutation is not None, "rows were grouped by sorting"
        before = np.cumsum(weights[runs.permutation])
        wanted = total * np.arange(1, count) / count
        rows = runs.permutation[np.searchsorted(before, wanted).clip(max=len(before) - 1)]
        return [[comparable(key, row) for key in keys] for row in rows.tolist()]


@record
class HashSample(TableSample):
    """Some hashes of a table."""

    precedence: ClassVar[int] = 2

    @classmethod
    def choose_splitters(cls, samples: Sequence[TableSample], count: int) -> GroupSplitters:
        """Return hashes that split the rows into parts of about equal size."""
        return HashSplitters(cls._chosen(samples, count))


@record
class KeySplitters:
    """The keys at which ranges begin, except for the first range; few rows have fewer ranges."""

    keys: list[list[Any]]

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each range, without a copy; surplus ranges get none."""
        return [table.slice(start, stop) for start, stop in pairwise(self.bounds(table, count, nkeys).tolist())]

    def rows(self, table: Table, number: int, nkeys: int) -> NumberArray:
        """Return the rows of one range of a table in any order."""
        keys = leading_keys(table, nkeys)
        found = np.full(table.nrows, number <= len(self.keys))
        if 0 < number <= len(self.keys):
            found &= ~are_before(keys, self.keys[number - 1])
        if number < len(self.keys):
            found &= are_before(keys, self.keys[number])
        return np.flatnonzero(found)

    def bounds(self, table: Table, count: int, nkeys: int) -> NumberArray:
        """Return the first row of each of `count` ranges of a table, and the end of the last."""
        return _bounds(leading_keys(table, nkeys), self.keys, count)


@record
class HashSplitters:
    """The hashes at which ranges begin, except for the first range."""

    hashes: list[list[Any]]

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each range, sorted by hash; surplus ranges get none."""
        hashed = by_hash(table, nkeys)
        bounds = _bounds([hashed.columns[HASH]], self.hashes, count)
        return [hashed.slice(start, stop) for start, stop in pairwise(bounds.tolist())]


def _bounds(keys: Sequence[Column], splitters: Sequence[Sequence[Any]], count: int) -> NumberArray:
    """Return the first row of each of `count` ranges of ascending rows, and the end of the last."""
    found, nrows = [_search(keys, splitter) for splitter in splitters], len(keys[0])
    return np.maximum.accumulate(np.array([0, *found, *[nrows] * (count - len(found))], np.int64))


def as_one_kind(parts: Sequence[PartialTable]) -> list[PartialTable]:
    """Convert partial tables to one kind, to share splitters; tables of lower precedence become sorted ones."""
    precedence = max(part.precedence for part in parts)
    return [part if part.precedence == precedence else GroupTable(part.table()) for part in parts]


def leading_keys(table: Table, nkeys: int) -> list[Column]:
    """Return the leading keys of a table, by which it is split."""
    return [table.columns[number] for number in range(nkeys)]


def _search(keys: Sequence[Column], splitter: Sequence[Any]) -> int:
    """Return the first of ascending rows that is not below the splitter."""
    start, stop = 0, len(keys[0])
    for key, value in zip(keys, splitter, strict=True):
        start, stop = (_bisect(key, value, start, stop, side) for side in ("left", "right"))
    return start


def _bisect(column: Column, value: Any, start: int, stop: int, side: Any) -> int:
    if isinstance(column, np.ndarray):
        return start + int(np.searchsorted(column[start:stop], value, side))
    while start < stop:
        middle = (start + stop) // 2
        found = comparable(column, middle)
        if found < value or (side == "right" and found == value):
            start = middle + 1
        else:
            stop = middle
    return start


@record
class GroupTableOnDisk(PartialTable):
    """Rows of a partial table that is on disk.

    Parameters
    ----------
    rows : TableOnDisk
        All rows of the table.
    count : int
        The number of steps.
    firsts : Table
        The first row of each step.
    used : range
        The steps that contain the rows.
    part : tuple of (KeySplitters, int, int), optional
        The range of rows within these steps: the splitters on either side, the number of leading keys, and the number
        of the range.
    """

    precedence: ClassVar[int] = GroupTable.precedence

    rows: TableOnDisk
    count: int
    firsts: Table
    used: range
    part: tuple[KeySplitters, int, int] | None = None

    @classmethod
    def of(cls, table: Table) -> GroupTableOnDisk:
        """Write a table that is sorted by key to disk."""
        count = max(min(max(table.nbytes // tuning.STEP_BYTES, tuning.FEWEST_STEPS), tuning.MOST_STEPS, table.nrows), 1)
        firsts = table.take(np.arange(count if table.nrows else 0) * table.nrows // count).own()
        return cls(TableOnDisk(table), count, firsts, range(count))

    def __sizeof__(self) -> int:
        return 0

    @property
    def nrows(self) -> int:
        """Number of rows, or more, since the keys within steps are not read."""
        start, stop = self._bounds
        return stop - start

    @property
    def _bounds(self) -> tuple[int, int]:
        start, stop = (number * self.rows.nrows // self.count for number in (self.used.start, self.used.stop))
        return start, stop

    def table(self) -> Table:
        table = self.rows.read(*self._bounds)
        if self.part is None:
            return table
        splitters, nkeys, number = self.part
        return splitters.split_table(table, number + 2, nkeys)[number]

    def small_table(self, most: int) -> Table | None:
        return self.table() if self.nrows <= most else None

    def sample(self, nkeys: int, most: int, number: int) -> TableSample:
        return replace(sample_of(self.firsts, nkeys, most, number), nrows=self.nrows)

    def split(self, splitters: Any, count: int, nkeys: int) -> list[PartialTable]:  # type: ignore[override]
        if not isinstance(splitters, KeySplitters):
            return list(GroupTable(self.table()).split(splitters, count, nkeys))
        return [part for (part,) in CutTableOnDisk(self, splitters, count, nkeys)]

    def slices(self, splitters: Any, count: int, nkeys: int) -> Any:
        if not isinstance(splitters, KeySplitters):
            return super().slices(splitters, count, nkeys)
        return CutTableOnDisk(self, splitters, count, nkeys)

    def open(self) -> GroupTableOnDisk:
        """Return this table, which reads its rows when they are used."""
        return self

    def own(self) -> GroupTable:  # type: ignore[override]
        return GroupTable(self.table().own())

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        return GroupTable.merge(merging, parts, known, caches=caches)


class CutTableOnDisk(CutSlices):
    """The rows of each key range of a table on disk, read when they are taken."""

    is_on_disk = True

    def __init__(self, table: GroupTableOnDisk, splitters: KeySplitters, count: int, nkeys: int) -> None:
        super().__init__(count)
        self._table, self._splitters, self._nkeys = table, splitters, nkeys
        self._bounds = splitters.bounds(table.firsts, count, nkeys)

    def cut(self, number: int) -> list[GroupTableOnDisk]:
        """Return the rows of one range; its first row may be in the step before the first one that begins within it."""
        start, stop = self._bounds[number : number + 2].tolist()
        # There may be fewer splitters than ranges; the ranges after the last splitter are empty.
        keys = self._splitters.keys
        near = KeySplitters(keys[max(number - 1, 0) : number + 1])
        place = min(number, 1) if number <= len(keys) else 2
        return [replace(self._table, used=range(max(start - 1, 0), stop), part=(near, self._nkeys, place))]

    def __sizeof__(self) -> int:
        return self._bounds.nbytes


# --------------------------------------------------------------------------------------------------------- direct index


class Dictionary:
    """Distinct strings in order of appearance, for a key with few of them."""

    def __init__(self) -> None:
        self.values: pa.LargeStringArray = pa.nulls(0, pa.large_string())
        """The strings, which grow."""
        self._table = TextTable()
        self._asked: tuple[pa.LargeStringArray, NumberArray] | None = None
        self._is_in_order = False

    def codes(self, strings: pa.LargeStringArray | pa.DictionaryArray) -> NumberArray | None:
        """Return the position of each string, after adding new strings; None if there are too many.

        Of dictionary-encoded text, the strings of the dictionary are added, unless these are more than the rows.
        """
        if is_encoded(strings):
            known = self._codes_of_dictionary(strings.dictionary, len(strings))
            if known is None:
                return self.codes(decoded(strings))
            # The first dictionary mostly has the strings in the same order.
            indices: NumberArray = numpy_numbers(strings.indices)
            return indices if self._is_in_order else known.take(indices)
        is_first = not len(self.values) and len(strings) >= max(tuning.MOST_STRINGS, tuning.DICTIONARY_SAMPLE)
        if is_first and are_too_many(strings, tuning.MOST_STRINGS):
            return None
        codes = self._table.numbers(strings, tuning.MOST_STRINGS)
        if codes is None:
            # Some of the new strings were added.
            self._table = TextTable()
            self._table.numbers(self.values, tuning.MOST_STRINGS)
        elif self._table.count > len(self.values):
            self.values = self._table.strings()
        return codes

    def _codes_of_dictionary(self, strings: pa.LargeStringArray, nrows: int) -> NumberArray | None:
        """Return the positions of the strings of a dictionary, which blocks share; None if they are more than rows."""
        if self._asked is None or self._asked[0].buffers()[1].address != strings.buffers()[1].address:
            known = self.codes(strings) if len(strings) <= nrows else None
            if known is None:
                return None
            self._asked = strings, known
            self._is_in_order = bool((known == np.arange(len(known))).all())
        return self._asked[1]


class NumberDictionary:
    """Distinct numbers in order of appearance, for a key with few values that are far apart."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.values: NumberArray = np.empty(0, dtype)
        """The numbers, which grow."""
        self._table = WordTable()

    def codes(self, column: NumberArray) -> NumberArray | None:
        """Return the position of each number, after adding new numbers; None, from then on, if there are too many."""
        words = word(column, 0)
        if not len(self.values) and are_too_many(words, tuning.MOST_NUMBERS):
            return None
        found = self._table.numbers(words, tuning.MOST_NUMBERS)
        if found is None:
            return None
        codes, met = found
        if len(met):
            self.values = np.concatenate([self.values, column.take(met)])
        return codes


class DirectIndexRows(NamedTuple):
    """Rows by key: the keys as numbers, and the slot of each row if it is known without probing."""

    keys: list[NumberArray]
    codes: NumberArray | None


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
        if numbers and grid is not None and self._table is not None and not self._table.grid.covers(grid):
            grid = self._table.grid.grown_by(grid, numbers[0].dtype, self._most_slots)
            self._widen(self._table, grid)
        if numbers is None or grid is None or (self._table is None and not self._fits(grid)):
            self.closed = True
            return None
        if self._table is None:
            self._table = new_slot_table(self.aggregation, grid, numbers, values)
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
            self._waiting.append(([_own(column) for column in keys], [_own(column) for column in values]))
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
        """Return the keys with positions in place of numbers, widest first, until they fit; None if these are many."""
        numbers = list(keys)
        grids = [SlotGrid.around([key]) for key in keys]
        spans = [np.inf if grid is None else grid.nslots for grid in grids]
        for place in sorted(range(len(keys)), key=spans.__getitem__, reverse=True):
            if self._fits(SlotGrid.around(numbers)):
                break
            if not self._dictionaries[place]:
                self._dictionaries[place] = dictionary = NumberDictionary(keys[place].dtype)
                codes = dictionary.codes(keys[place])
                if codes is None:
                    return None
                numbers[place] = codes
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


def _own(column: Column) -> Column:
    """Return a copy of an array that may lie in a buffer which the next block overwrites."""
    return column.copy() if isinstance(column, np.ndarray) else column


# --------------------------------------------------------------------------------------------------------- dense tables


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

    def sample(self, nkeys: int, most: int, number: int) -> TableSample:
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
