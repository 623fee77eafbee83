"""Rows of groups: sorted by group, the first ones by other columns, some at random, and group values on all rows.

An aggregation of the rows of each group runs as aggregations of columns do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import INT64
from akdask.columns.memory import full_array
from akdask.columns.table import Table, nbytes, take_rows
from akdask.engine.alignment import all_partitions
from akdask.engine.node import Frame, RowSpace, lower, rows_decided_by
from akdask.engine.rowwise import Project, Tasks, column_identity
from akdask.engine.values import ColumnRef, Value, describe
from akdask.errors import ArgumentError
from akdask.interruption import interruptible_ranges
from akdask.operators.group import loops, tuning
from akdask.operators.group.grouping import DictionaryColumns, SortedGroups, group_rows, group_sorted, number_rows
from akdask.operators.group.plan import GroupIdentity, group_partitions, merge_by_range, table_bytes
from akdask.operators.join.key_tables import KeyIndex, index_keys
from akdask.operators.keys.keys import SlotGrid, word, word_count
from akdask.operators.sort.kernels import MAX_PACKED_ROWS, argsort
from akdask.operators.values.lookup import lookup_found
from akdask.operators.values.random import rows_in_groups
from akdask.records import record
from akdask.typing import Column, NumberArray


@record
class RowsPerGroup:
    """A choice of rows of each group.

    Parameters
    ----------
    kind : {"head", "tail", "sample"}
        The first ones, the last ones, or a random choice.
    count : int, optional
        Largest number of rows.
    share : float, optional
        Share of the group, instead of a number.
    replace : bool
        Whether a row may be chosen several times.
    seed : int
        Names the stream of random numbers.  The last carried column has the position in it of the first number of each
        row's group, so that partitions do not matter.
    weighted : bool
        Whether the carried column before that has the weights of the rows.
    """

    kind: str
    count: int | None = None
    share: float = 1.0
    replace: bool = False
    seed: int = 0
    weighted: bool = False


@record
class RowOrder:
    """Rows by key: the keys, and the permutation that sorts them."""

    kind: ClassVar[str] = "sorted"

    keys: Sequence[Column]
    permutation: NumberArray

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self.permutation.nbytes + sum(map(nbytes, self.keys))


class GroupedAgain:
    """Merges tables by grouping the rows of all again; the grouping is not cached."""

    __slots__ = ()

    nkeys: int

    def group(self, keys: Sequence[Column]) -> Any:
        """Return the groups of rows by their keys."""
        raise NotImplementedError

    def grouped(self, grouping: Any, values: Sequence[Column]) -> Table:
        """Return the table of grouped rows."""
        raise NotImplementedError

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        columns = list(Table.concat(tables).columns.values())
        return self.grouped(self.group(columns[: self.nkeys]), columns[self.nkeys :])

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, None]:
        """Merge tables to one, without a grouping to cache."""
        return self.merge(tables), None


@record
class Arrangement(GroupedAgain):
    """Tables of rows sorted by key, with the columns that they carry; equal keys stay in their order.

    Parameters
    ----------
    nkeys : int
        Number of keys, which are the first columns.
    some : RowsPerGroup, optional
        The rows to keep at the end.
    """

    nkeys: int
    some: RowsPerGroup | None = None

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide the range of a row in the result."""
        return self.nkeys

    @property
    def rounds(self) -> bool:
        """False: nothing is added up, so that the steps of merging do not matter."""
        return False

    @property
    def reduces(self) -> bool:
        """False: merging keeps all rows, in order."""
        return False

    def keys(self, table: Table) -> list[Column]:
        """Return the key columns of a table."""
        return [table.columns[number] for number in range(self.nkeys)]

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may be encoded strings: none, as the rows keep their keys."""
        return 0

    def group(self, keys: Sequence[Column]) -> RowOrder:
        """Return the order of rows by key."""
        permutation = group_rows(keys).permutation
        assert permutation is not None, "rows were grouped by sorting"
        return RowOrder(keys, permutation)

    def grouped(self, grouping: RowOrder, values: Sequence[Column]) -> Table:
        """Return the table of rows in order."""
        columns = [take_rows(column, grouping.permutation) for column in (*grouping.keys, *values)]
        return Table(dict(enumerate(columns)), len(grouping.permutation))

    def finish(self, table: Table) -> Table:
        """Return the chosen rows, without their keys."""
        if self.some is not None:
            groups = group_sorted(self.keys(table))
            table = table.take(_chosen(groups, self.some, list(table.columns.values())[self.nkeys :]))
        carried = list(table.columns.values())[self.nkeys :]
        return Table(dict(enumerate(carried)), table.nrows)


def _chosen(groups: SortedGroups, some: RowsPerGroup, carried: Sequence[Column]) -> NumberArray:
    sizes = groups.sizes()
    counts = np.round(sizes * some.share).astype(np.int64) if some.count is None else np.full(len(sizes), some.count)
    if some.kind != "sample":
        counts = np.minimum(counts, sizes) if some.count is None or some.count >= 0 else np.maximum(sizes + counts, 0)
        starts = groups.segments if some.kind == "head" else groups.segments + sizes - counts
        return _ranges(starts, counts)
    weights = np.asarray(carried[-2], np.float64) if some.weighted else None
    _check_sample(groups, some, counts, weights)
    begins = np.asarray(carried[-1])[groups.segments]
    how: dict[str, Any] = {"seed": some.seed, "replace": some.replace, "weights": weights}
    drawn = rows_in_groups(sizes, counts, begins, **how)
    return drawn + np.repeat(groups.segments, counts)


def _check_sample(groups: SortedGroups, some: RowsPerGroup, counts: NumberArray, weights: NumberArray | None) -> None:
    """Raise ArgumentError if a group is too small for the choice, or weights are invalid."""
    sizes = groups.sizes()
    too_many = np.flatnonzero(counts > sizes)
    if too_many.size and not some.replace:
        group = too_many[0]
        raise ArgumentError(
            f"{counts[group]} rows cannot be chosen from a group of {sizes[group]}.",
            hint="replace=True chooses rows several times.",
        )
    if weights is None or not groups.nrows:
        return
    totals = groups.reduce(np.add, weights)
    if not (weights >= 0).all() or not ((totals > 0) & np.isfinite(totals)).all():
        raise ArgumentError(
            "the odds of rows are finite and not negative, and above 0 for one row of each group at least."
        )
    above = groups.reduce(np.add, (weights > 0).astype(np.int64))
    if not some.replace and (counts > above).any():
        group = np.flatnonzero(counts > above)[0]
        raise ArgumentError(
            f"{counts[group]} rows cannot be chosen from a group with odds above 0 for {above[group]}.",
            hint="replace=True chooses rows several times.",
        )


def _ranges(starts: NumberArray, counts: NumberArray) -> NumberArray:
    """Return ``start, start + 1, …`` for each start, `count` numbers each, concatenated."""
    total = int(counts.sum())
    first = np.cumsum(counts) - counts
    positions: NumberArray = np.arange(total) + np.repeat(starts - first, counts)
    return positions


# ------------------------------------------------------------------------------- the first rows in the order of others


@record
class RowKeys:
    """Rows by their keys, not grouped yet; the way of grouping depends on the number of wanted rows."""

    kind: ClassVar[str] = "sorted"

    keys: Sequence[Column]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(map(nbytes, self.keys))


@record
class TopRows(GroupedAgain):
    """Tables of each group's first rows, sorted by key and order: keys, ordering columns, positions.

    Parameters
    ----------
    nkeys : int
        Number of keys, which are the first columns.
    ascending : tuple of bool
        The direction of each of the columns that order the rows; equal rows are ordered by their positions.
    count : int
        Largest number of rows of each group.
    """

    nkeys: int
    ascending: tuple[bool, ...]
    count: int

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide the range of a row in the result."""
        return self.nkeys

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may be encoded strings: none, as rows are chosen by all their columns."""
        return 0

    @property
    def rounds(self) -> bool:
        """False: nothing is added up, so that the steps of merging do not matter."""
        return False

    @property
    def reduces(self) -> bool:
        """True: merging drops rows, the same in any order of the tables."""
        return True

    def group(self, keys: Sequence[Column]) -> RowKeys:
        """Return rows by key."""
        return RowKeys(keys)

    def grouped(self, grouping: RowKeys, values: Sequence[Column]) -> Table:
        """Return the table of the first rows of each group."""
        keys = grouping.keys
        *by, positions = values
        rows = self._by_loop(keys, by, np.asarray(positions))
        if rows is None:
            rows = self._sorted(keys, by, positions)
        columns = [take_rows(column, rows) for column in (*keys, *values)]
        return Table(dict(enumerate(columns)), len(rows))

    def finish(self, table: Table) -> Table:
        """Return the positions of the rows, with the columns that they are grouped and ordered by."""
        *decide, positions = table.columns.values()
        return Table(dict(enumerate([positions, *decide])), table.nrows)

    def _sorted(self, keys: Sequence[Column], by: Sequence[Column], positions: Column) -> NumberArray:
        """Return the rows by sorting all."""
        order = argsort([*keys, *by, positions], [*[True] * len(keys), *self.ascending, True])
        groups = group_sorted([take_rows(key, order) for key in keys])
        ranks = np.arange(groups.nrows) - np.repeat(groups.segments, groups.sizes())
        found: NumberArray = order[ranks < self.count]
        return found

    def _by_loop(self, keys: Sequence[Column], by: Sequence[Column], positions: NumberArray) -> NumberArray | None:
        """Return these rows by a loop that keeps the first rows of each group; None if that gains nothing."""
        nrows = len(positions)
        is_one_word = len(by) == 1 and word_count(by[0]) == 1
        if not (nrows and 0 < self.count <= tuning.MOST_TOP_ROWS and is_one_word):
            return None
        codes, ngroups = _numbered(keys, max(nrows // self.count, 1))
        if ngroups * self.count > 2 * nrows:
            return None
        rows = full_array(ngroups * self.count, -1, np.int64)
        words = full_array(len(rows), 2**64 - 1, np.uint64)
        given, positions = word(by[0], 0, self.ascending[0]), np.ascontiguousarray(positions)
        for first, stop in interruptible_ranges(range(1, nrows + 1)):
            loops.keep_first(codes, given, positions, self.count, words, rows, first, stop)
        return rows[rows >= 0]


def _numbered(keys: Sequence[Column], most: int) -> tuple[NumberArray, int]:
    """Return the number of each row's group, in the order of the keys, and an upper bound of the numbers.

    Up to `most` groups, some may have no rows.
    """
    numbers = DictionaryColumns(keys).columns
    grid = SlotGrid.within(numbers, most)
    if grid is not None:
        return np.ascontiguousarray(grid.codes(numbers)), grid.nslots
    if len(numbers[0]) >= MAX_PACKED_ROWS:
        return np.zeros(0, np.int64), len(numbers[0])
    groups, _ = number_rows(numbers)
    return groups.codes, groups.count


class RowsByGroup(Frame):
    """Columns of the rows sorted by key, with all rows or some rows of each group; equal keys keep their order.

    `identity` is the identity of the groups.
    """

    no_more_rows = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    carried: tuple[Value, ...]
    some: RowsPerGroup | None

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.identity.rows("arranged", self.frame, self.keys, repr(self.some))

    def column(self, number: int) -> ColumnRef:
        """Return one of the carried columns."""
        return ColumnRef(self._name, number, self.carried[number].dtype)

    def describe(self) -> str:
        wanted = "Rows" if self.some is None else f"{self.some.kind.capitalize()} of groups"
        return f"{wanted} by {', '.join(map(describe, self.keys))}"


class BroadcastToRows(Frame):
    """The value of each row's group.

    `frame` has the keys of the rows. `groups` has the distinct keys, in any partitions, then the values of the groups.
    Rows with other keys get `fill`.
    """

    no_more_rows = True

    frame: Project
    groups: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def value(self) -> ColumnRef:
        """The values."""
        return ColumnRef(self._name, 0, self.groups.values[-1].dtype)


class GroupNumbers(Frame):
    """The number of each row's group, in one partition, -1 for rows in no group.

    `permutation` has the row numbers by group, `segments` the first position of each group in it. `size` is the number
    of rows.
    """

    permutation: Project
    segments: Project
    size: int

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.size])

    @property
    def number(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


@record
class GroupValues:
    """The values of all groups, and the index that finds the group of a row by its keys."""

    index: KeyIndex
    values: Column

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.index) + nbytes(self.values)


@lower.register
def _(frame: RowsByGroup) -> Expr:
    arrangement = Arrangement(len(frame.keys), frame.some)
    values = (*frame.keys, *frame.carried)
    tables = group_partitions(frame.frame, values, arrangement, frame.describe())
    return merge_by_range(frame._name, tables, frame.npartitions, arrangement, nbytes=table_bytes(frame.frame, values))


@lower.register
def _(frame: BroadcastToRows) -> Expr:
    # One task indexes the groups for all; if each task took all partitions, references would grow with the product.
    everything = all_partitions(frame.groups.npartitions)
    groups = Tasks(f"index {frame._name}", _index_groups, ((everything, ()),), frame.groups)
    calls = tuple((((0, number), (1, 0)), ()) for number in range(frame.npartitions))
    return Tasks(frame._name, _spread, calls, frame.frame, groups)


@lower.register
def _(frame: GroupNumbers) -> Expr:
    inputs = [
        tuple((number, partition) for partition in range(node.npartitions))
        for number, node in enumerate((frame.permutation, frame.segments))
    ]
    calls = (((*inputs[0], *inputs[1]), (len(inputs[0]), frame.size)),)
    return Tasks(frame._name, _number_groups, calls, frame.permutation, frame.segments)


def _number_groups(tables: Sequence[Table], count: int, size: int) -> Table:
    (permutation,) = Table.concat(tables[:count]).columns.values()
    (segments,) = Table.concat(tables[count:]).columns.values()
    bounds = np.append(segments, len(permutation))
    numbers = np.full(size, -1)
    valid = bool((np.diff(bounds) > 0).all()) and bounds[0] == 0 and not _outside(permutation, size)
    if valid:
        numbers[permutation] = np.repeat(np.arange(len(segments)), np.diff(bounds))
    if not valid or np.count_nonzero(numbers >= 0) != len(permutation):
        raise ArgumentError(
            "permutation and segments do not describe groups.",
            details=[f"rows: {size}, permutation: {len(permutation)}, segments: {len(segments)}"],
            hint="segments rise from 0, and the permutation holds numbers of rows, each at most once.",
        )
    return Table({0: numbers}, size)


def _outside(permutation: Any, size: int) -> bool:
    return bool(len(permutation)) and bool(permutation.min() < 0 or permutation.max() >= size)


def _index_groups(tables: Sequence[Table]) -> GroupValues:
    *keys, values = Table.concat(tables).columns.values()
    return GroupValues(index_keys(keys), values)


def _spread(inputs: tuple[Table, GroupValues]) -> Table:
    table, groups = inputs
    found = groups.index.find(list(table.columns.values()))
    return Table({0: lookup_found(groups.values, found)}, table.nrows)


class TopRowsOfGroups(Frame):
    """Positions of each group's first `count` rows in the order of the columns `by`, and these columns.

    Rows are sorted by group; equal rows are ordered by their `positions`. `identity` is the identity of the groups.
    """

    no_more_rows = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    by: tuple[Value, ...]
    ascending: tuple[bool, ...]
    positions: Value
    count: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.identity.rows("first of groups", self.frame, self.keys, self.ascending, self.count)
        deciding = (*self.identity.keys, *(column_identity(self.frame, value) for value in self.by))
        return rows_decided_by("first of groups by", deciding, rows.npartitions, rows.token)

    @property
    def position(self) -> ColumnRef:
        """The positions."""
        return ColumnRef(self._name, 0, INT64)

    @cached_property
    def known(self) -> dict[Value, ColumnRef]:
        """The columns of the result that need not be taken from `frame`, by their values there."""
        decide = enumerate((*self.keys, *self.by), 1)
        return {self.positions: self.position} | {
            value: ColumnRef(self._name, number, value.dtype) for number, value in decide
        }

    def describe(self) -> str:
        by = zip(self.by, self.ascending, strict=True)
        order = ", ".join(f"{describe(value)}{'' if upwards else ' descending'}" for value, upwards in by)
        return f"First {self.count} of groups by {', '.join(map(describe, self.keys))} in order of {order}"


@lower.register
def _(frame: TopRowsOfGroups) -> Expr:
    top = TopRows(len(frame.keys), frame.ascending, frame.count)
    values = (*frame.keys, *frame.by, frame.positions)
    partials = group_partitions(frame.frame, values, top, frame.describe())
    return merge_by_range(frame._name, partials, frame.npartitions, top, nbytes=table_bytes(frame.frame, values))
