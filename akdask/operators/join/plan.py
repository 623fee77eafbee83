"""Joins: pairs of rows of two frames with the same keys, tests of membership, and the tables of categories.

This module chooses the strategy. The other side is broadcast to every task, or, if it is too large, both sides are
exchanged by hash. Both strategies give the same pairs, order and row space.

In a hash join rows go to buckets by the hash of their keys. No process holds a whole side. Matches go to the partition
of their left row, and are sorted by its position there. All matches of a left row are in one bucket, in order of the
right rows. A heavy key has more rows on the left side than a bucket should have. It is not confined to one bucket: its
left rows go to the buckets of their partitions, and its right rows to all buckets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from akdask._dask import Expr
from akdask.cluster import buffer_bytes, check_memory
from akdask.columns.dtypes import BOOL, INT64, STR, ColumnType
from akdask.columns.table import Table, concat_rows, empty, take_rows
from akdask.deferred import pa, pc
from akdask.engine.alignment import Aligned, align_by_plan, all_partitions, max_rows, partition_count
from akdask.engine.exchange import exchange
from akdask.engine.node import ColumnIdentity, Frame, RowSpace, lower, rows_decided_by
from akdask.engine.rowwise import Filter, MatchRows, Project, Tasks, Union, column_identity
from akdask.engine.slices import CutTable, CutTables, Slices, spilled
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value, describe, token
from akdask.errors import FileFormatError, NonUniqueError, warn
from akdask.operators.join import tuning
from akdask.operators.join.key_tables import (
    EMPTY,
    KeyIndex,
    KeySet,
    MatchMultiplicity,
    check_distinct,
    index_keys,
    key_set,
    repeated_key,
)
from akdask.operators.keys import hashing
from akdask.operators.keys.hashing import bucket_order, buckets_of
from akdask.operators.keys.keys import Words
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.operators.sort import partition
from akdask.operators.sort import tuning as sort_tuning
from akdask.records import record
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.operators.join.intervals import IntervalIndex
    from akdask.operators.sort.ranges import RangedRows

INDEX, MULTIPLICITY = 0, 1
"""Fields of the result of an index."""

Need = Literal["rows", "unique rows", "all rows", "only rows"]


class BuildKeySet(Frame):
    """The set of all rows of `frame`, in one partition."""

    frame: Project

    @classmethod
    def of(cls, frame: Frame, keys: Sequence[Value]) -> BuildKeySet:
        """Return the set of the keys of all rows of a frame."""
        return cls(_project(frame, keys))

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    def has(self, keys: Sequence[Value]) -> Call:
        """Return whether a row with the given keys exists."""
        return Call("is_among", Replica(self, 0, INT64), *keys)


class BuildIndex(Frame):
    """An index of the rows of `frame` by all its columns, in one partition.

    It finds the first row with given keys. With ``unique rows``, a second such row gives a warning, with ``only rows``
    an error. With ``all rows``, the index also finds the other rows.
    """

    frame: Project
    need: Need

    @classmethod
    def of(cls, frame: Frame, keys: Sequence[Value], need: Need = "rows") -> BuildIndex:
        """Return the index of the rows of a frame by some keys."""
        return cls(_project(frame, keys), need)

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([2 if self.need == "all rows" else 1])

    @property
    def multiplicity(self) -> Replica:
        """The rows that share the keys of another."""
        return Replica(self, MULTIPLICITY, INT64)

    def find(self, keys: Sequence[Value]) -> Call:
        """Return the first row that has the given keys, -1 without one."""
        return Call("find_rows", Replica(self, INDEX, INT64), *keys)


def _project(frame: Frame, keys: Sequence[Value]) -> Project:
    return Project(frame, tuple(range(len(keys))), tuple(keys))


@lower.register
def _(frame: BuildKeySet) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _key_set, ((everything, ()),), frame.frame)


@lower.register
def _(frame: BuildIndex) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _index, ((everything, (frame.need,)),), frame.frame)


def _key_set(tables: Sequence[Table]) -> list[KeySet]:
    return [key_set(list(Table.concat(tables).columns.values()))]


def _index(tables: Sequence[Table], need: Need) -> list[KeyIndex | MatchMultiplicity]:
    keys = list(Table.concat(tables).columns.values())
    index = index_keys(keys)
    if need == "only rows":
        check_distinct(keys, index)
    if need == "unique rows":
        _warn_of_repeated(keys, index)
    return [index, MatchMultiplicity(index.firsts)] if need == "all rows" else [index]


def _warn_of_repeated(keys: Sequence[Column], index: KeyIndex) -> None:
    firsts = index.firsts
    if firsts is None:
        return
    again, shown = repeated_key(keys, firsts)
    rows = f"rows {int(firsts[again])} and {again}"
    warn(f"keys repeat, such as {shown} in {rows}: what belongs to the first of them is found.", UserWarning)


class BuildIntervals(Frame):
    """An index of the rows of `frame` as intervals, in one partition.

    The first `ndim` columns are lower bounds, the next `ndim` upper bounds, and another one may break ties.
    """

    frame: Project
    ndim: int
    as_line: bool

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    def find(self, values: Sequence[Value]) -> Call:
        """Return the number of the best interval that holds each value, -1 without one."""
        return Call("find_interval", Replica(self, 0, INT64), *values)


@lower.register
def _(frame: BuildIntervals) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _interval_index, ((everything, (frame.ndim, frame.as_line)),), frame.frame)


def _interval_index(tables: Sequence[Table], ndim: int, as_line: bool) -> list[IntervalIndex]:
    from akdask.operators.join.intervals import interval_index

    columns = list(Table.concat(tables).columns.values())
    tiebreak = columns[2 * ndim] if len(columns) > 2 * ndim else None
    return [interval_index(columns[:ndim], columns[ndim : 2 * ndim], tiebreak, as_line=as_line)]


POSITION = ("position",)
"""Name of the position of a row in its partition."""

FOUND = ("found",)
"""Name of the column that marks rows with a match."""

Kind: TypeAlias = Literal["inner", "left", "once", "mark"]
"""Rows of the left side that a join keeps: rows with a match, all, or each once, with its only match or a mark."""

KEEPING_ROWS = ("once", "mark")
"""Kinds of joins whose rows are the rows of the left side."""


Pairs: TypeAlias = tuple[NumberArray | None, Table]
"""Matches of left rows in order, and the left row of each; None if they are all rows, each once."""

Search: TypeAlias = Callable[[Table], Iterator[Pairs]]
"""Yields the matches of left rows."""


Origin: TypeAlias = tuple[int, int, int]
"""The number of a left partition, its number of rows, and the number of the rows in question."""


@record
class HashBucket:
    """Rows of a bucket: from left partitions, one after the other, or from the right side, without origins.

    Rows of many partitions are one table, since each has few, and all are looked up at once.
    """

    table: Table
    origins: tuple[Origin, ...] = ()

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.table)

    @staticmethod
    def joined(shares: Sequence[HashBucket]) -> HashBucket:
        """Return the rows of several parts of the same side."""
        table = Table.concat([share.table for share in shares])
        return HashBucket(table, tuple(chain.from_iterable(share.origins for share in shares)))


@record
class _LeftPart:
    """Makes parts of a left partition."""

    number: int
    nrows: int

    def __call__(self, table: Table, *_: Any) -> HashBucket:
        return HashBucket(table, ((self.number, self.nrows, table.nrows),))


def _right_part(table: Table, *_: Any) -> HashBucket:
    return HashBucket(table)


def heavy_keys(tables: Sequence[Table], by: Sequence[Hashable], count: int) -> Words:
    """Return the hashes of keys that hold more of a partition's rows than two of `count` buckets should.

    The keys are sampled.  This is the function of a task.
    """
    (table,) = tables
    rows = partition.sample_positions(0, table.nrows, max(table.nrows // tuning.SAMPLED_ROWS, 1))
    hashes, counts = np.unique(
        hashing.hash_rows([take_rows(table.columns[name], rows) for name in by]), return_counts=True
    )
    return hashes[counts > max(2 * len(rows) / count, tuning.FEW_SAMPLED)]


def all_heavy_keys(hashes: Sequence[Words]) -> Words:
    """Return the hashes that are heavy in any partition.  This is the function of a task."""
    return np.unique(np.concatenate(hashes))


def split_left(
    inputs: tuple[Table, Words], number: int, by: Sequence[Hashable], count: int, memory_budget: int | None
) -> Slices:
    """Split the rows of a partition into buckets, in a spill file if they take more than `memory_budget` bytes.

    This is the function of a task. Rows of heavy keys go to the bucket of their partition.
    """
    table, heavy = inputs
    tables: list[CutTable] = []
    for start, block, hashes in _hashed_blocks(table, by, count):
        buckets = buckets_of(hashes, count)
        if len(heavy):
            buckets[np.isin(hashes, heavy, kind="sort")] = number % count
        order, bounds = bucket_order(buckets, count)
        taken = block.take(order)
        tables.append((Table({**taken.columns, POSITION: order + start}, taken.nrows), bounds))
    return spilled(CutTables(count, tables, _LeftPart(number, table.nrows)), memory_budget, concat_buckets)


def split_right(inputs: tuple[Table, Words], by: Sequence[Hashable], count: int, memory_budget: int | None) -> Slices:
    """Split the rows of a partition like `split_left`, but send rows of heavy keys to all buckets."""
    table, heavy = inputs
    tables: list[CutTable] = []
    shared: list[HashBucket] = []
    for _, block, hashes in _hashed_blocks(table, by, count):
        is_heavy = np.isin(hashes, heavy, kind="sort")
        light = np.flatnonzero(~is_heavy)
        order, bounds = bucket_order(buckets_of(hashes[light], count), count)
        tables.append((block.take(light[order]), bounds))
        if len(light) < block.nrows:
            shared.append(HashBucket(block.take(np.flatnonzero(is_heavy))))
    return spilled(CutTables(count, tables, _right_part, shared), memory_budget, concat_buckets)


def _hashed_blocks(table: Table, by: Sequence[Hashable], count: int) -> Iterator[tuple[int, Table, Words]]:
    rows = max(tuning.BLOCK_ROWS, tuning.SLICE_ROWS * count)
    for start in range(0, table.nrows, rows):
        block = table.slice(start, min(start + rows, table.nrows))
        yield start, block, hashing.hash_rows([block.columns[name] for name in by])


def concat_buckets(shares: Sequence[HashBucket]) -> list[HashBucket]:
    """Concatenate the parts of each side in row order, to tables that keep nothing else in memory."""
    sides = [[share for share in shares if share.origins], [share for share in shares if not share.origins]]
    return [HashBucket.joined(side) if len(side) > 1 else _own(side[0]) for side in sides if side]


def _own(share: HashBucket) -> HashBucket:
    return HashBucket(share.table.own(), share.origins)


@record
class JoinBucket:
    """Join the rows of one bucket, and split the result by the partitions of the left rows.

    Parameters
    ----------
    left, right : tuple of hashable
        Names of the keys.
    dtypes : tuple of (hashable, ColumnType)
        All columns of the right side.
    names : tuple of hashable
        The columns wanted in the result.
    kind : {"inner", "left", "once", "mark"}
        The left rows to keep.
    npartitions : int
        Number of partitions of the left side.
    memory_budget : int, optional
        Results of more bytes go to a spill file; None keeps them in this process.
    """

    left: tuple[Hashable, ...]
    right: tuple[Hashable, ...]
    dtypes: tuple[tuple[Hashable, ColumnType], ...]
    names: tuple[Hashable, ...]
    kind: Kind
    npartitions: int
    memory_budget: int | None

    @property
    def token(self) -> str:
        dtypes = tuple((name, str(dtype)) for name, dtype in self.dtypes)
        return token("pair", self.left, self.right, dtypes, self.names, self.kind, self.npartitions)

    def pack(self, shares: Sequence[HashBucket]) -> list[HashBucket]:
        """Concatenate the parts of each side."""
        return concat_buckets(shares)

    def __call__(self, shares: Sequence[HashBucket]) -> Slices:
        from akdask.operators.sort.ranges import join_runs

        right = self._right([share.table for share in shares if not share.origins])
        keys = [right.columns[name] for name in self.right]
        search = self._membership_search(keys) if self.kind == "mark" else self._match_search(keys, right)
        tables: list[CutTable] = []
        sizes = np.zeros(self.npartitions, np.int64)
        for left in _left_sides(shares):
            numbers, nrows, counts = np.array(left.origins).T
            sizes[numbers] = nrows
            ends = np.zeros(self.npartitions + 1, np.int64)
            np.add.at(ends, numbers + 1, counts)
            np.cumsum(ends, out=ends)
            for positions, table in search(left.table):
                tables.append((table, ends if positions is None else np.searchsorted(positions, ends)))
        return spilled(CutTables(self.npartitions, tables, _AsRanges(sizes)), self.memory_budget, join_runs)

    def _right(self, tables: Sequence[Table]) -> Table:
        return Table.concat(tables) if tables else Table({name: empty(dtype) for name, dtype in self.dtypes}, 0)

    def _membership_search(self, keys: Sequence[Column]) -> Search:
        members = key_set(keys)

        def search(left: Table) -> Iterator[Pairs]:
            found = members.has([left.columns[name] for name in self.left])
            yield None, Table({POSITION: left.columns[POSITION], FOUND: found}, left.nrows)

        return search

    def _match_search(self, keys: Sequence[Column], right: Table) -> Search:
        index = index_keys(keys)
        if self.kind == "once":
            check_distinct(keys, index)
        multiplicity = MatchMultiplicity(index.firsts)

        def search(left: Table) -> Iterator[Pairs]:
            found = index.find([left.columns[name] for name in self.left])
            for positions, rows in multiplicity.pairs(found, self.kind != "inner", tuning.PAIRS):
                yield positions, self._paired(left, positions, right, rows)

        return search

    def _paired(self, left: Table, positions: NumberArray | None, right: Table, rows: NumberArray) -> Table:
        from akdask.operators.values.lookup import lookup_found

        columns: dict[Hashable, Column] = {}
        take = take_rows if self.kind == "inner" else lookup_found
        for name in (POSITION, *self.names):
            if name in left.columns:
                column = left.columns[name]
                columns[name] = column if positions is None else take_rows(column, positions)
            else:
                columns[name] = rows != EMPTY if name == FOUND else take(right.columns[name], rows)
        return Table(columns, len(rows))


def _left_sides(shares: Sequence[HashBucket]) -> Iterator[HashBucket]:
    """Yield the rows of the left side, several small parts at once."""
    waiting: list[HashBucket] = []
    nrows = 0
    for share in shares:
        if not share.origins:
            continue
        if waiting and nrows + share.table.nrows > tuning.PAIRS:
            yield HashBucket.joined(waiting)
            waiting, nrows = [], 0
        waiting.append(share)
        nrows += share.table.nrows
    if waiting:
        yield HashBucket.joined(waiting)


@record
class _AsRanges:
    """Cuts rows into ranges of positions, each of which is sorted within the cache of the core.

    `sizes` has the lengths of their partitions.
    """

    sizes: NumberArray

    def __call__(self, table: Table, number: int, bounds: list[int]) -> RangedRows:
        from akdask.operators.sort.ranges import RangedRows

        nrows, by = int(self.sizes[number]), ((POSITION, True),)
        if nrows <= sort_tuning.RANGE_ROWS:
            return RangedRows(table, by, bounds)
        starts = np.searchsorted(table.columns[POSITION], np.arange(0, nrows, sort_tuning.RANGE_ROWS))
        return RangedRows(table, by, [*starts.tolist(), table.nrows])


class HashJoin(Frame):
    """The columns `names` of pairs of rows whose columns `left_by` and `right_by` are equal.

    `kind` says whether rows of `left` without a match are kept; `FOUND` marks them. `match` is the identity of the
    pairs. Columns matched alike share rows.
    """

    left: Project
    left_by: tuple[Hashable, ...]
    right: Project
    right_by: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    kind: Kind
    buckets: int
    match: ColumnIdentity

    @cached_property
    def planned_rows(self) -> RowSpace:
        """The rows of a `MatchRows` of the same pairs."""
        if self.kind in KEEPING_ROWS:
            return self.left.rows
        return rows_decided_by(MatchRows.__name__.lower(), [self.match], self.npartitions)

    @cached_property
    def npartitions(self) -> int:
        return self.left.npartitions

    def on_moved_rows(self) -> HashJoin:
        return HashJoin(*self.operands[:-1], self.match.moved())

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.dtype_of(name))

    def dtype_of(self, name: Hashable) -> ColumnType:
        """Return the type of a column."""
        if name == FOUND:
            return BOOL
        return (self.left if name in self.left.names else self.right).column(name).dtype

    def describe(self) -> str:
        keys = [
            ", ".join(describe(side.values[side.names.index(name)]) for name in by)
            for side, by in ((self.left, self.left_by), (self.right, self.right_by))
        ]
        return f"Join ({self.kind}) by hash of {keys[0]} and of {keys[1]}"


@lower.register
def _(frame: HashJoin) -> Expr:
    from akdask.operators.sort.ranges import SortPartition

    left, right, count = frame.left, frame.right, frame.buckets
    lefts, rights = range(left.npartitions), range(right.npartitions)
    memory_budget = buffer_bytes(len(lefts) + len(rights))
    samples = tuple((((0, number),), (frame.left_by, count)) for number in lefts)
    heavy = Tasks(f"heavy {frame._name}", heavy_keys, samples, left)
    everything = tuple((0, number) for number in lefts)
    all_heavy = Tasks(f"all heavy {frame._name}", all_heavy_keys, ((everything, ()),), heavy)
    calls = tuple((((0, number), (1, number)), (number, frame.left_by, count, memory_budget)) for number in lefts)
    others = tuple((((0, number), (1, 0)), (frame.right_by, count, memory_budget)) for number in rights)
    shares = Union(
        Tasks(f"split left {frame._name}", split_left, calls, left, heavy),
        Tasks(f"split right {frame._name}", split_right, others, right, all_heavy),
    )
    types = tuple((name, right.column(name).dtype) for name in right.names)
    pair = JoinBucket(
        frame.left_by, frame.right_by, types, frame.names, frame.kind, left.npartitions, buffer_bytes(count)
    )
    pairs = exchange(shares, count, pair)
    return exchange(pairs, left.npartitions, SortPartition(frame.names, tuple(map(frame.dtype_of, frame.names))))


_NO_PAIRS = ColumnIdentity("no pairs")
"""The identity of pairs if rows stay unchanged, marked or with their only match."""


@record
class JoinSide:
    """Rows of a frame, their join keys, and the wanted columns."""

    frame: Frame
    keys: Sequence[Value]
    columns: Sequence[Value] = ()

    @property
    def fits_broadcast(self) -> bool:
        """Whether the side is small enough to broadcast."""
        from akdask.operators.rows.plan import fits_broadcast

        return fits_broadcast(self.frame, [*self.keys, *self.columns])

    def is_small_beside(self, other: JoinSide) -> bool:
        """Whether the other side has, or may have, many times as many rows, and is searched for these.

        More rows are enough where the other side cannot be broadcast: both would be exchanged.
        """
        rows, others = max_rows(self.frame), max_rows(other.frame)
        if rows is None:
            return False
        if others is None:
            return rows <= tuning.SMALL_SIDE and self.fits_broadcast
        is_small = tuning.SMALLER_SIDE * rows <= others or (rows < others and not other.fits_broadcast)
        return is_small and self.fits_broadcast

    def having_match(self, other: JoinSide) -> JoinSide:
        """Return the rows whose keys occur on the other side."""
        is_wanted = BuildKeySet.of(other.frame, other.keys).has(self.keys)
        few = Filter(self.frame, is_wanted, column_identity(self.frame, is_wanted))
        return JoinSide(few, self.keys, self.columns)

    def numbered(self) -> JoinSide:
        """Return the side with the number of each row as another column."""
        given = [*self.keys, *self.columns]
        frame, values = align_by_plan("number", [*((self.frame, value) for value in given), row_numbers(self.frame)])
        return JoinSide(frame, values[: len(self.keys)], values[len(self.keys) :])


@record
class JoinedColumns:
    """Columns of both sides on the rows of a join; `lacks` marks rows without a match."""

    frame: Frame
    left: Sequence[Value]
    right: Sequence[Value]
    lacks: Value


def join_rows(left: JoinSide, right: JoinSide, *, keep_all: bool) -> JoinedColumns:
    """Return the rows of one side, each repeated for every row of the other with the same keys.

    Rows keep their order. The matches of one row are in the order of the other side.

    Parameters
    ----------
    left, right : JoinSide
        Keys of both have the same types.
    keep_all : bool
        Keep rows without a match once, with NaN, 0, False or an empty string in the columns of the other side.
    """
    from akdask.operators.rows.plan import broadcast_columns

    if left.is_small_beside(right):
        if not keep_all:
            return _joined_from_right(left, right)
        right = right.having_match(left)
    match = _matched(left, right, keep_all)
    if not right.fits_broadcast:
        return _exchanged(left, right, keep_all, match.match)
    look_up = "lookup_found" if match.keep_all else "lookup"
    row = match.row
    found = [Call(look_up, column, row) for column in broadcast_columns(right.frame, right.columns)]
    return JoinedColumns(match, left.columns, found, Call("less", row, Constant(0)))


def join_row_numbers(left: JoinSide, right: JoinSide) -> tuple[JoinedColumns, Value]:
    """Return the rows of one side that have matches, and the row numbers of the matches on the other side."""
    if right.fits_broadcast and not left.is_small_beside(right):
        return join_rows(left, right, keep_all=False), _matched(left, right, False).row
    paired = join_rows(left, right.numbered(), keep_all=False)
    return paired, paired.right[-1]


def match_once(left: JoinSide, right: JoinSide) -> JoinedColumns:
    """Return the rows of one side unchanged, each with the only row of the other side that has the same keys.

    Rows without a match have NaN, 0, False or an empty string in the columns of the other side.

    Raises
    ------
    NonUniqueError
        When it is computed, if two rows of `right` have the same keys.
    """
    from akdask.operators.rows.plan import broadcast_columns

    if right.fits_broadcast:
        row = BuildIndex.of(right.frame, right.keys, "only rows").find(left.keys)
        found = [Call("lookup_found", column, row) for column in broadcast_columns(right.frame, right.columns)]
        return JoinedColumns(left.frame, left.columns, found, Call("less", row, Constant(0)))
    theirs = _names("right", right)
    names = (*dict.fromkeys(theirs[value] for value in right.columns), FOUND)
    joined = _hash_join(JoinSide(left.frame, left.keys), right, "once", names, _NO_PAIRS)
    columns = [joined.column(theirs[value]) for value in right.columns]
    return JoinedColumns(joined, (), columns, Call("logical_not", joined.column(FOUND)))


def has_match(left: JoinSide, right: JoinSide) -> Aligned:
    """Return the mask of rows of one side whose keys occur on the other."""
    if left.is_small_beside(right):
        right = right.having_match(left)
    if right.fits_broadcast:
        return left.frame, BuildKeySet.of(right.frame, right.keys).has(left.keys)
    joined = _hash_join(JoinSide(left.frame, left.keys), JoinSide(right.frame, right.keys), "mark", (FOUND,), _NO_PAIRS)
    return joined, joined.column(FOUND)


def _matched(left: JoinSide, right: JoinSide, keep_all: bool) -> MatchRows:
    index = BuildIndex.of(right.frame, right.keys, "all rows")
    names = tuple(column_identity(left.frame, key) for key in left.keys)
    match = ColumnIdentity(token("match", names, index, keep_all))
    return MatchRows(left.frame, index.find(left.keys), index.multiplicity, keep_all, match)


def _joined_from_right(left: JoinSide, right: JoinSide) -> JoinedColumns:
    """Return the rows of `left` that have matches, found for each row of `right`, in the order of `left`."""
    from akdask.operators.rows.plan import broadcast_columns
    from akdask.operators.sort.plan import sorted_rows

    match = _matched(right, left, keep_all=False)
    ordered, (row, *columns) = sorted_rows(
        [(match, match.row)], [True], [(match, value) for value in (match.row, *right.columns)]
    )
    found = [Call("lookup", column, row) for column in broadcast_columns(left.frame, left.columns)]
    return JoinedColumns(ordered, found, columns, Constant(False))


def _exchanged(left: JoinSide, right: JoinSide, keep_all: bool, match: ColumnIdentity) -> JoinedColumns:
    mine, theirs = _names("left", left), _names("right", right)
    wanted = dict.fromkeys([*(mine[value] for value in left.columns), *(theirs[value] for value in right.columns)])
    names = (*wanted, FOUND) if keep_all else tuple(wanted)
    joined = _hash_join(left, right, "left" if keep_all else "inner", names, match)
    return JoinedColumns(
        joined,
        [joined.column(mine[value]) for value in left.columns],
        [joined.column(theirs[value]) for value in right.columns],
        Call("logical_not", joined.column(FOUND)) if keep_all else Constant(False),
    )


def _hash_join(
    left: JoinSide, right: JoinSide, kind: Kind, names: tuple[Hashable, ...], match: ColumnIdentity
) -> HashJoin:
    mine, theirs = _names("left", left), _names("right", right)
    return HashJoin(
        Project(left.frame, tuple(mine.values()), tuple(mine)),
        tuple(mine[key] for key in left.keys),
        Project(right.frame, tuple(theirs.values()), tuple(theirs)),
        tuple(theirs[key] for key in right.keys),
        names,
        kind,
        max(partition_count(left.frame), partition_count(right.frame)),
        match,
    )


def _names(side: str, rows: JoinSide) -> dict[Value, Hashable]:
    """Name all needed values of a side, each once."""
    return {value: (side, number) for number, value in enumerate(dict.fromkeys([*rows.keys, *rows.columns]))}


LABEL = "label"
IS_NA = "is_na"
CODE = "code"

_COPIES = 3


class Distinct(Frame):
    """The distinct values of one column in ascending order, in one partition."""

    aggregate: Aggregate

    @classmethod
    def of(cls, frame: Frame, value: Value) -> Distinct:
        """Return the distinct values of a column."""
        return cls(Aggregate(frame, (AggregateExpr("distinct", value),)))

    @property
    def values(self) -> ColumnRef:
        """The column."""
        return ColumnRef(self._name, 0, self.operands[0].reductions[0].dtype)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, 1)


class UniqueLabels(Frame):
    """Labels in one partition; computing them raises if one occurs twice."""

    labels: Frame

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.labels.rows


class CategoryTable(Frame):
    """The categories of a Categorical, in one partition: a column of labels, and one that marks the NA label.

    `labels` is a one-partition frame with one column, the labels. `na` is the NA label, which is appended if the labels
    lack it, or a one-partition frame with one column, its codes.
    """

    labels: Frame
    na: Frame | str

    # Without an annotation, which would make it an operand.
    is_ordered = False
    """Whether the order of the labels has a meaning, as in pandas' ordered categories."""

    is_arranged = False
    """Whether sorts use the order of the labels, as pandas does for all categories, and not their text."""

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.labels.rows if isinstance(self.na, Frame) else RowSpace(self._name, 1)

    def in_order(self, is_ordered: bool = True) -> CategoryTable:
        """Return the table of the same labels, ordered or not."""
        if self.is_ordered == is_ordered:
            return self
        return (OrderedTable if is_ordered else ArrangedTable)(self.labels, self.na)

    def arranged(self) -> CategoryTable:
        """Return the table of the same labels, whose order sorts use."""
        return self if self.is_arranged else ArrangedTable(self.labels, self.na)

    @property
    def codes(self) -> ColumnRef:
        """The codes of the labels: their numbers."""
        return ColumnRef(self._name, CODE, INT64)

    @property
    def label(self) -> ColumnRef:
        """The labels."""
        return ColumnRef(self._name, LABEL, STR)

    @property
    def is_na(self) -> ColumnRef:
        """The mask of the NA label."""
        return ColumnRef(self._name, IS_NA, BOOL)

    @property
    def all_labels(self) -> Replica:
        """All labels, broadcast to a task."""
        return Replica(self, LABEL, STR)

    def code_of(self, strings: Value) -> Call:
        """Return the codes of strings, -1 for strings that are no label."""
        return BuildIndex.of(self, [self.label]).find([strings])

    @property
    def na_code(self) -> Replica:
        """The code of the NA label."""
        return Replica(Aggregate(self, (AggregateExpr("argmax", self.is_na),)), 0, INT64)


class ArrangedTable(CategoryTable):
    """The categories of a Categorical whose order sorts use, but comparisons do not."""

    labels: Frame
    na: Frame | str

    is_arranged = True


class OrderedTable(CategoryTable):
    """The categories of a Categorical whose order means something: lo < mid < hi."""

    labels: Frame
    na: Frame | str

    is_ordered = True
    is_arranged = True


@lower.register
def _(frame: Distinct) -> Expr:
    return Tasks(frame._name, _as_table, ((((0, 0),), ()),), frame.aggregate)


@lower.register
def _(frame: UniqueLabels) -> Expr:
    return Tasks(frame._name, _checked, ((((0, 0),), ()),), frame.labels)


@lower.register
def _(frame: CategoryTable) -> Expr:
    replicated = [frame.labels, *([frame.na] if isinstance(frame.na, Frame) else [])]
    # The pairs of every partition, their keys, and their marks are in memory at the same time.
    nbytes = sum((part.rows.size or 0) * STR.itemsize for part in replicated) * _COPIES
    check_memory(nbytes, "the categories of a Categorical take", "write it with fewer categories")
    if isinstance(frame.na, Frame):
        return Tasks(frame._name, _marked, ((((0, 0), (1, 0)), ()),), frame.labels, frame.na)
    return Tasks(frame._name, _completed, ((((0, 0),), (frame.na,)),), frame.labels)


def _as_table(results: Sequence[list[Column]]) -> Table:
    ((column,),) = results
    return Table({0: column}, len(column))


def _checked(tables: Sequence[Table]) -> Table:
    labels = _only_column(tables[0])
    counts = pc.value_counts(labels)
    again = counts.filter(pc.greater(counts.field("counts"), 1))
    if len(again):
        raise NonUniqueError(
            f"the category {again[0]['values'].as_py()!r:.100} occurs more than once.",
            details=[f"categories: {len(labels)}, of which {len(counts)} differ"],
            hint="pass each category once.",
        )
    return tables[0]


def _marked(tables: Sequence[Table]) -> Table:
    labels, codes = map(_only_column, tables)
    is_na = np.zeros(len(labels), np.bool_)
    inside = (codes >= 0) & (codes < len(labels))
    if not inside.all():
        raise FileFormatError(
            f"the NA code {int(codes[~inside][0])} names none of the categories.",
            details=[f"categories: {len(labels)}"],
            hint="the Categorical is damaged; write it again.",
        )
    is_na[codes] = True
    return Table({LABEL: labels, IS_NA: is_na, CODE: np.arange(len(labels))}, len(labels))


def _completed(tables: Sequence[Table], na: str) -> Table:
    labels = _only_column(tables[0])
    found = pc.index(labels, pa.scalar(na, pa.large_string())).as_py()
    if found < 0:
        found = len(labels)
        labels = concat_rows([labels, pa.array([na], pa.large_string())])
    is_na = np.zeros(len(labels), np.bool_)
    is_na[found] = True
    return Table({LABEL: labels, IS_NA: is_na, CODE: np.arange(len(labels))}, len(labels))


def _only_column(table: Table) -> Any:
    (column,) = table.columns.values()
    return column
