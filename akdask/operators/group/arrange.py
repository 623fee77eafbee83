"""Plan nodes of groups' rows: rows sorted by group, group values broadcast to rows, and first rows of each group."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import INT64
from akdask.columns.rows import nbytes
from akdask.columns.table import Table
from akdask.engine.alignment import all_partitions
from akdask.engine.node import Frame, RowSpace, lower, rows_decided_by
from akdask.engine.rowwise import Project, Tasks, column_identity
from akdask.engine.values import ColumnRef, Value, describe
from akdask.errors import ArgumentError
from akdask.operators.group.aggregate import GroupIdentity
from akdask.operators.group.merge import merge_by_range, table_bytes
from akdask.operators.group.partial import group_partitions
from akdask.operators.group.sorted_rows import Arrangement, RowsPerGroup, TopRows
from akdask.operators.join.key_index import KeyIndex, index_keys
from akdask.operators.values.lookup import lookup_found
from akdask.typing import Column


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


@dataclass(frozen=True, slots=True)
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
