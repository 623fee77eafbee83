"""Replicated key sets and indexes as plan nodes, in which every block of other rows is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from akdask._dask import Expr
from akdask.columns.dtypes import INT64
from akdask.columns.table import Table
from akdask.engine.alignment import all_partitions
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import Call, Replica, Value
from akdask.errors import warn
from akdask.operators.join.interval_index import IntervalIndex, interval_index
from akdask.operators.join.key_index import KeyIndex, KeySet, check_distinct, index_keys, key_set, repeated_key
from akdask.operators.join.matches import MatchMultiplicity
from akdask.typing import Column

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
    columns = list(Table.concat(tables).columns.values())
    tiebreak = columns[2 * ndim] if len(columns) > 2 * ndim else None
    return [interval_index(columns[:ndim], columns[ndim : 2 * ndim], tiebreak, as_line=as_line)]
