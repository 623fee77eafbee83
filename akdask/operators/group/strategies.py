"""Strategies, which group the rows of a partition and merge the groups of partitions, and the general one: sorting.

Sorted aggregation numbers or sorts rows by key, and reduces them to a table sorted by key. It accepts any rows. A table
may wait on disk. The rows of one key range are read from there without the rest, so tables need not be written a second
time when they are split.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from akdask.columns.table import Table, concat_rows, take_rows, to_objects
from akdask.deferred import is_arrow
from akdask.engine.memory import OnDisk, Spillable
from akdask.engine.slices import CutSlices
from akdask.engine.spill import TableOnDisk
from akdask.operators.group import tuning
from akdask.operators.group.grouping import group_rows
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
    def sample(self, nkeys: int, most: int, number: int = 0) -> KeySample:
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

    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> KeyGrouping:
        """Return the rows by key."""
        grouping: KeyGrouping = self.aggregation.group(keys)
        return grouping

    def add(self, grouping: KeyGrouping, values: Sequence[Column]) -> None:
        """Make the table of all rows of the partition."""
        self._table = self.aggregation.grouped(grouping, values)

    def finish(self) -> GroupTable:
        """Return the table."""
        return GroupTable(self._table)


@dataclass(frozen=True, slots=True)
class GroupTable(PartialTable):
    """A table sorted by key: one row for each group, or all rows if they are only arranged."""

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

    def sample(self, nkeys: int, most: int = tuning.TABLE_SAMPLES, number: int = 0) -> TableSample:
        return TableSample.of(leading_keys(self.rows, nkeys), most, number)

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
        return merging.merge_cached(used, known if known is not None and known.kind == "sorted" else None)


@dataclass(frozen=True, slots=True)
class TableSample(KeySample):
    """Some keys of a table, and the number of rows that they stand for."""

    precedence: ClassVar[int] = 1

    nrows: int
    keys: list[Column]

    @classmethod
    def of(cls, keys: Sequence[Column], most: int = tuning.TABLE_SAMPLES, number: int = 0) -> TableSample:
        """Return evenly spaced rows of sorted keys.

        The first row depends on the table's number. Otherwise samples of similar tables would have about the same few
        keys, with no choice of splitters between them.
        """
        nrows = len(keys[0])
        count = min(nrows, most)
        positions = ((np.arange(count) + (number + 0.5) * GOLDEN_RATIO % 1) * (nrows / max(count, 1))).astype(np.int64)
        return cls(nrows, [take_rows(key, positions) for key in keys])

    @classmethod
    def choose_splitters(cls, samples: Sequence[TableSample], count: int) -> KeySplitters:
        """Return keys that split the rows into parts of about equal size; fewer than `count` parts of few rows."""
        total = sum(sample.nrows for sample in samples)
        if total <= tuning.FEW_SPLIT_ROWS or count == 1:
            return KeySplitters([])
        used = [sample for sample in samples if sample.nrows]
        keys = [concat_rows(columns) for columns in zip(*(sample.keys for sample in used), strict=True)]
        weights = np.concatenate([np.full(len(item.keys[0]), item.nrows / len(item.keys[0])) for item in used])
        runs = group_rows(keys)
        assert runs.permutation is not None, "rows were grouped by sorting"
        before = np.cumsum(weights[runs.permutation])
        wanted = total * np.arange(1, count) / count
        rows = runs.permutation[np.searchsorted(before, wanted).clip(max=len(before) - 1)]
        return KeySplitters([[_comparable(key, row) for key in keys] for row in rows.tolist()])


@dataclass(frozen=True, slots=True)
class KeySplitters:
    """The keys at which ranges begin, except for the first range; few rows have fewer ranges."""

    keys: list[list[Any]]

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each range, without a copy; surplus ranges get none."""
        return [table.slice(start, stop) for start, stop in pairwise(self.bounds(table, count, nkeys).tolist())]

    def bounds(self, table: Table, count: int, nkeys: int) -> NumberArray:
        """Return the first row of each of `count` ranges of a table, and the end of the last."""
        keys = leading_keys(table, nkeys)
        found = [_search(keys, key) for key in self.keys]
        return np.maximum.accumulate(np.array([0, *found, *[table.nrows] * (count - len(found))], np.int64))


def as_one_kind(parts: Sequence[PartialTable]) -> list[PartialTable]:
    """Convert partial tables to one kind, to share splitters; tables of lower precedence become sorted ones."""
    precedence = max(part.precedence for part in parts)
    return [part if part.precedence == precedence else GroupTable(part.table()) for part in parts]


def leading_keys(table: Table, nkeys: int) -> list[Column]:
    """Return the leading keys of a table, by which it is split."""
    return [table.columns[number] for number in range(nkeys)]


def _comparable(column: Column, position: int) -> Any:
    """Return a value in a form that compares like the column's values."""
    if isinstance(column, np.ndarray):
        return column[position]
    if is_arrow(column, "FixedSizeBinaryArray"):
        return to_objects(column.slice(position, 1))[0]
    return column[position].as_buffer().to_pybytes()


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
        found = _comparable(column, middle)
        if found < value or (side == "right" and found == value):
            start = middle + 1
        else:
            stop = middle
    return start


@dataclass(frozen=True, slots=True)
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

    def sample(self, nkeys: int, most: int, number: int = 0) -> TableSample:
        sample = TableSample.of(leading_keys(self.firsts, nkeys), most, number)
        return replace(sample, nrows=self.nrows)

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
