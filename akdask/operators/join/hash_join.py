"""Hash joins of two large sides: rows go to buckets by the hash of their keys, and matches back to their partition.

No process holds a whole side. The result has the row order of a broadcast join. Matches go to the partition of their
left row, and are sorted by its position there. All matches of a left row are in one bucket, in order of the right rows.

A heavy key has more rows on the left side than a bucket should have. It is not confined to one bucket: its left rows go
to the buckets of their partitions, and its right rows to all buckets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import BOOL, ColumnType
from akdask.columns.rows import empty, take_rows
from akdask.columns.table import Table
from akdask.engine.exchange import buffer_bytes, exchange
from akdask.engine.node import ColumnIdentity, Frame, RowSpace, lower, rows_decided_by
from akdask.engine.rowwise import MatchRows, Project, Tasks, Union
from akdask.engine.slices import CutTable, CutTables, Slices, spilled
from akdask.engine.tokens import token
from akdask.engine.values import ColumnRef, describe
from akdask.operators.join.key_index import check_distinct, index_keys, key_set
from akdask.operators.join.matches import NO_ROW, MatchMultiplicity
from akdask.operators.keys import hashing
from akdask.operators.keys.hashing import bucket_order, buckets_of
from akdask.operators.keys.words import Words
from akdask.operators.sort import splitters
from akdask.operators.sort.runs import RangedRows, SortPartition, join_runs
from akdask.operators.values.lookup import lookup_found
from akdask.typing import Column, NumberArray

POSITION = ("position",)
"""Name of the position of a row in its partition."""

FOUND = ("found",)
"""Name of the column that marks rows with a match."""

Kind: TypeAlias = Literal["inner", "left", "once", "mark"]
"""Rows of the left side that a join keeps: rows with a match, all, or each once, with its only match or a mark."""

KEEPING_ROWS = ("once", "mark")
"""Kinds of joins whose rows are the rows of the left side."""

BLOCK_ROWS = 2**16
"""Rows that are split at a time, which stay in the cache of the core."""

SLICE_ROWS = 2**6
"""Rows that are split at a time for each of many buckets, since each slice has a fixed cost."""

SAMPLED = 2**12
"""Sampled rows of a partition, to find heavy keys."""

FEW = 16
"""A sampled key with up to this number of rows is not heavy."""

PAIRS = 2**20
"""Pairs of rows made at a time."""

Pairs: TypeAlias = tuple[NumberArray | None, Table]
"""Matches of left rows in order, and the left row of each; None if they are all rows, each once."""

Search: TypeAlias = Callable[[Table], Iterator[Pairs]]
"""Yields the matches of left rows."""


Origin: TypeAlias = tuple[int, int, int]
"""The number of a left partition, its number of rows, and the number of the rows in question."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    rows = splitters.sample_positions(0, table.nrows, max(table.nrows // SAMPLED, 1))
    hashes, counts = np.unique(
        hashing.hash_rows([take_rows(table.columns[name], rows) for name in by]), return_counts=True
    )
    return hashes[counts > max(2 * len(rows) / count, FEW)]


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
    rows = max(BLOCK_ROWS, SLICE_ROWS * count)
    for start in range(0, table.nrows, rows):
        block = table.slice(start, min(start + rows, table.nrows))
        yield start, block, hashing.hash_rows([block.columns[name] for name in by])


def concat_buckets(shares: Sequence[HashBucket]) -> list[HashBucket]:
    """Concatenate the parts of each side in row order, to tables that keep nothing else in memory."""
    sides = [[share for share in shares if share.origins], [share for share in shares if not share.origins]]
    return [HashBucket.joined(side) if len(side) > 1 else _own(side[0]) for side in sides if side]


def _own(share: HashBucket) -> HashBucket:
    return HashBucket(share.table.own(), share.origins)


@dataclass(frozen=True, slots=True)
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
            for positions, rows in multiplicity.pairs(found, self.kind != "inner", PAIRS):
                yield positions, self._paired(left, positions, right, rows)

        return search

    def _paired(self, left: Table, positions: NumberArray | None, right: Table, rows: NumberArray) -> Table:
        columns: dict[Hashable, Column] = {}
        take = take_rows if self.kind == "inner" else lookup_found
        for name in (POSITION, *self.names):
            if name in left.columns:
                column = left.columns[name]
                columns[name] = column if positions is None else take_rows(column, positions)
            else:
                columns[name] = rows != NO_ROW if name == FOUND else take(right.columns[name], rows)
        return Table(columns, len(rows))


def _left_sides(shares: Sequence[HashBucket]) -> Iterator[HashBucket]:
    """Yield the rows of the left side, several small parts at once."""
    waiting: list[HashBucket] = []
    nrows = 0
    for share in shares:
        if not share.origins:
            continue
        if waiting and nrows + share.table.nrows > PAIRS:
            yield HashBucket.joined(waiting)
            waiting, nrows = [], 0
        waiting.append(share)
        nrows += share.table.nrows
    if waiting:
        yield HashBucket.joined(waiting)


@dataclass(frozen=True, slots=True)
class _AsRanges:
    """Cuts rows into ranges of positions, each of which is sorted within the cache of the core.

    `sizes` has the lengths of their partitions.
    """

    sizes: NumberArray

    def __call__(self, table: Table, number: int, bounds: list[int]) -> RangedRows:
        nrows, by = int(self.sizes[number]), ((POSITION, True),)
        if nrows <= splitters.RANGE:
            return RangedRows(table, by, bounds)
        starts = np.searchsorted(table.columns[POSITION], np.arange(0, nrows, splitters.RANGE))
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
