"""The tasks of a hash join: both sides are split into buckets by the hash of their keys, and buckets are joined.

Rows of the left side keep their position: their matches go back to the partitions that they came from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal, TypeAlias

import numpy as np

from akdask.columns import Table, empty, take_rows
from akdask.kernels.core.words import Words
from akdask.kernels.index.key_index import index_keys
from akdask.kernels.index.matches import NO_ROW, MatchMultiplicity
from akdask.kernels.index.membership import key_set
from akdask.kernels.keys import hashing
from akdask.kernels.keys.hashing import bucket_order, buckets_of
from akdask.kernels.rowwise.lookup import lookup_found
from akdask.plan.expr.tokens import token
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort import splitters
from akdask.plan.sort.runs import RangedRows, join_runs
from akdask.schema import ColumnType
from akdask.typing import Column, NumberArray

POSITION = ("position",)
"""Name of the position of a row in its partition."""

FOUND = ("found",)
"""Name of the column that tells which rows have a match."""

Kind: TypeAlias = Literal["inner", "left", "mark"]
"""Which rows of the left side a join keeps: those with a match, all, or each once, with whether it has a match."""

BLOCK_ROWS = 2**16
"""Rows that are split at a time, so that they stay in the cache of the core."""

SLICE_ROWS = 2**6
"""Rows that are split at a time for each bucket, where buckets are many: what a slice takes by itself is not little."""

SAMPLED = 2**12
"""Sampled rows of a partition, to find heavy keys."""

FEW = 16
"""A sampled key with this number of rows or fewer is not heavy."""

PAIRS = 2**20
"""Pairs of rows made at a time."""

Search: TypeAlias = Callable[[Table], Iterator[Table]]
"""Yields the matches of rows of the left side, in order of position."""


@dataclass(frozen=True, slots=True)
class HashBucket:
    """Rows of a bucket: from partition `number` of the left side, which has `nrows`, or from the right side (None)."""

    table: Table
    number: int | None
    nrows: int

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.table)

    @staticmethod
    def joined(shares: Sequence[HashBucket]) -> HashBucket:
        """Return the rows of several parts of the same partition, or of the right side."""
        return HashBucket(Table.concat([share.table for share in shares]), shares[0].number, shares[0].nrows)


def heavy_keys(tables: Sequence[Table], by: Sequence[Hashable], count: int) -> Words:
    """Return the hashes of keys that hold more of a partition's rows than two of `count` buckets should.

    Judged by a sample: the function of a task.
    """
    (table,) = tables
    rows = splitters.sample_positions(0, table.nrows, max(table.nrows // SAMPLED, 1))
    hashes, counts = np.unique(
        hashing.hash_rows([take_rows(table.columns[name], rows) for name in by]), return_counts=True
    )
    return hashes[counts > max(2 * len(rows) / count, FEW)]


def all_heavy_keys(hashes: Sequence[Words]) -> Words:
    """Return the hashes that are heavy in any partition: the function of a task."""
    return np.unique(np.concatenate(hashes))


def split_left(
    inputs: tuple[Table, Words], number: int, by: Sequence[Hashable], count: int, memory_budget: int | None
) -> Slices:
    """Split the rows of a partition into buckets, in a spill file if they take more than `memory_budget` bytes.

    The function of a task.  Rows of heavy keys go to the bucket of their partition.
    """
    table, heavy = inputs
    slices: list[list[HashBucket]] = [[] for _ in range(count)]
    for start, block, hashes in _hashed_blocks(table, by, count):
        buckets = buckets_of(hashes, count)
        if len(heavy):
            buckets[np.isin(hashes, heavy, kind="sort")] = number % count
        order, bounds = bucket_order(buckets, count)
        taken = block.take(order)
        placed = Table({**taken.columns, POSITION: order + start}, taken.nrows)
        _append_slices(slices, placed, bounds, number, table.nrows)
    return spilled(slices, memory_budget, concat_buckets)


def split_right(inputs: tuple[Table, Words], by: Sequence[Hashable], count: int, memory_budget: int | None) -> Slices:
    """Split the rows of a partition like `split_left`; those of heavy keys go to all buckets."""
    table, heavy = inputs
    slices: list[list[HashBucket]] = [[] for _ in range(count)]
    for _, block, hashes in _hashed_blocks(table, by, count):
        is_heavy = np.isin(hashes, heavy, kind="sort")
        light = np.flatnonzero(~is_heavy)
        order, bounds = bucket_order(buckets_of(hashes[light], count), count)
        _append_slices(slices, block.take(light[order]), bounds, None, table.nrows)
        if len(light) < block.nrows:
            shared = HashBucket(block.take(np.flatnonzero(is_heavy)), None, table.nrows)
            for bucket in slices:
                bucket.append(shared)
    return spilled(slices, memory_budget, concat_buckets)


def _hashed_blocks(table: Table, by: Sequence[Hashable], count: int) -> Iterator[tuple[int, Table, Words]]:
    rows = max(BLOCK_ROWS, SLICE_ROWS * count)
    for start in range(0, table.nrows, rows):
        block = table.slice(start, min(start + rows, table.nrows))
        yield start, block, hashing.hash_rows([block.columns[name] for name in by])


def _append_slices(
    slices: Sequence[list[HashBucket]], table: Table, bounds: NumberArray, number: int | None, nrows: int
) -> None:
    for bucket, (first, last) in zip(slices, pairwise(bounds.tolist()), strict=True):
        if first < last:
            bucket.append(HashBucket(table.slice(first, last), number, nrows))


def concat_buckets(shares: Sequence[HashBucket]) -> list[HashBucket]:
    """Return one part for each partition and one of the right side, which keep nothing else in memory."""
    joined = [HashBucket.joined(list(same)) for _, same in groupby(shares, lambda share: share.number)]
    return [HashBucket(share.table.own(), share.number, share.nrows) for share in joined]


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
    kind : {"inner", "left", "mark"}
        Which rows of the left side are kept.
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
        """Return one part for each partition, and one of the right side."""
        return concat_buckets(shares)

    def __call__(self, shares: Sequence[HashBucket]) -> Slices:
        right = self._right([share.table for share in shares if share.number is None])
        keys = [right.columns[name] for name in self.right]
        search = self._membership_search(keys) if self.kind == "mark" else self._match_search(keys, right)
        slices: list[list[RangedRows]] = [[] for _ in range(self.npartitions)]
        lefts = (share for share in shares if share.number is not None)
        for number, same in groupby(lefts, lambda share: share.number):
            share = HashBucket.joined(list(same))
            assert number is not None, "left"
            slices[number] += [_as_ranges(table, share.nrows) for table in search(share.table)]
        return spilled(slices, self.memory_budget, join_runs)

    def _right(self, tables: Sequence[Table]) -> Table:
        return Table.concat(tables) if tables else Table({name: empty(dtype) for name, dtype in self.dtypes}, 0)

    def _membership_search(self, keys: Sequence[Column]) -> Search:
        members = key_set(keys)

        def search(left: Table) -> Iterator[Table]:
            found = members.has([left.columns[name] for name in self.left])
            yield Table({POSITION: left.columns[POSITION], FOUND: found}, left.nrows)

        return search

    def _match_search(self, keys: Sequence[Column], right: Table) -> Search:
        index = index_keys(keys)
        multiplicity = MatchMultiplicity(index.firsts)

        def search(left: Table) -> Iterator[Table]:
            found = index.find([left.columns[name] for name in self.left])
            for positions, rows in multiplicity.pairs(found, self.kind == "left", PAIRS):
                yield self._paired(left, positions, right, rows)

        return search

    def _paired(self, left: Table, positions: NumberArray | None, right: Table, rows: NumberArray) -> Table:
        columns: dict[Hashable, Column] = {}
        take = lookup_found if self.kind == "left" else take_rows
        for name in (POSITION, *self.names):
            if name in left.columns:
                column = left.columns[name]
                columns[name] = column if positions is None else take_rows(column, positions)
            else:
                columns[name] = rows != NO_ROW if name == FOUND else take(right.columns[name], rows)
        return Table(columns, len(rows))


def _as_ranges(table: Table, nrows: int) -> RangedRows:
    """Cut rows into ranges of positions, each of which is sorted within the cache of the core."""
    starts = np.arange(0, max(nrows, 1), splitters.RANGE)
    bounds = np.searchsorted(table.columns[POSITION], starts).tolist()
    return RangedRows(table, ((POSITION, True),), [*bounds, table.nrows])
