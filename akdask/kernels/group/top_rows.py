"""The first rows of each group in the order of some columns, without sorting the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from akdask.columns import Table, full_array, nbytes, take_rows
from akdask.kernels import compiled
from akdask.kernels.group.dictionary import DictionaryColumns
from akdask.kernels.group.row_groups import group_sorted, number_rows
from akdask.kernels.keys.normalized import word, word_count
from akdask.kernels.keys.slots import SlotGrid
from akdask.kernels.keys.sort import MAX_PACKED_ROWS, argsort
from akdask.typing import Column, NumberArray

MOST = 8
"""Rows of a group that are kept in order while rows come; of more, sorting is faster."""


@dataclass(frozen=True, slots=True)
class RowKeys:
    """Rows by their keys, not grouped yet: how depends on how many are wanted."""

    kind: ClassVar[str] = "sorted"

    keys: Sequence[Column]

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        return sum(map(nbytes, self.keys))


@dataclass(frozen=True, slots=True)
class TopRows:
    """Tables of the first rows of each group, sorted by key, those of a group in order: keys, what orders, positions.

    Parameters
    ----------
    nkeys : int
        Number of keys, which are the first columns.
    ascending : tuple of bool
        The direction of each of the columns that order the rows; equal rows are ordered by their positions.
    count : int
        How many rows of each group to keep, at most.
    """

    nkeys: int
    ascending: tuple[bool, ...]
    count: int

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide to which range of the result a row belongs."""
        return self.nkeys

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may come as encoded strings: none, as rows are chosen by all their columns."""
        return 0

    @property
    def rounds(self) -> bool:
        """Whether the last bits depend on the steps in which tables are merged: nothing is added up."""
        return False

    @property
    def reduces(self) -> bool:
        """Whether merging leaves fewer rows, the same whatever the order of the tables."""
        return True

    def group(self, keys: Sequence[Column]) -> RowKeys:
        """Return rows by key."""
        return RowKeys(keys)

    def grouped(self, grouping: RowKeys, values: Sequence[Column]) -> Table:
        """Return the table of the first rows of each group."""
        keys = grouping.keys
        *by, positions = values
        rows = self._kept(keys, by, np.asarray(positions))
        if rows is None:
            rows = self._sorted(keys, by, positions)
        columns = [take_rows(column, rows) for column in (*keys, *values)]
        return Table(dict(enumerate(columns)), len(rows))

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        columns = list(Table.concat(tables).columns.values())
        return self.grouped(self.group(columns[: self.nkeys]), columns[self.nkeys :])

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, None]:
        """Return one table of several; their grouping is not cached."""
        return self.merge(tables), None

    def finish(self, table: Table) -> Table:
        """Return the positions of the rows."""
        (*_, positions) = table.columns.values()
        return Table({0: positions}, table.nrows)

    def _sorted(self, keys: Sequence[Column], by: Sequence[Column], positions: Column) -> NumberArray:
        """Return the rows by sorting all."""
        order = argsort([*keys, *by, positions], [*[True] * len(keys), *self.ascending, True])
        groups = group_sorted([take_rows(key, order) for key in keys])
        ranks = np.arange(groups.nrows) - np.repeat(groups.segments, groups.sizes())
        return order[ranks < self.count]

    def _kept(self, keys: Sequence[Column], by: Sequence[Column], positions: NumberArray) -> NumberArray | None:
        """Return the same rows by a loop that keeps the first rows of each group; None where that gains nothing."""
        nrows = len(positions)
        is_one_word = len(by) == 1 and word_count(by[0]) == 1
        if not (nrows and 0 < self.count <= MOST and is_one_word and compiled.should_compile(nrows)):
            return None
        codes, ngroups = _numbered(keys, max(nrows // self.count, 1))
        if ngroups * self.count > 2 * nrows:
            return None
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.group.top_rows import keep_first

        rows = full_array(ngroups * self.count, -1, np.int64)
        words = np.empty(len(rows), np.uint64)
        given = word(by[0], 0, self.ascending[0])
        keep_first(read_only(codes), read_only(given), read_only(positions), self.count, words, rows)
        return rows[rows >= 0]


def _numbered(keys: Sequence[Column], most: int) -> tuple[NumberArray, int]:
    """Return the number of each row's group, in the order of the keys, and how many there may be.

    There may be groups without rows if there are at most `most`.
    """
    numbers = DictionaryColumns(keys).columns
    grid = SlotGrid.within(numbers, most)
    if grid is not None:
        return grid.codes(numbers), grid.nslots
    if len(numbers[0]) >= MAX_PACKED_ROWS:
        return np.zeros(0, np.int64), len(numbers[0])
    groups, _ = number_rows(numbers, np.empty(len(numbers[0]), np.int32))
    return groups.codes, groups.count
