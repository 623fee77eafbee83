"""The keys of some rows as a replicated set or index, in which every block of other rows is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from akdask.columns import Table
from akdask.errors import warn
from akdask.kernels.index.key_index import KeyIndex, check_distinct, index_keys, repeated_key
from akdask.kernels.index.matches import MatchMultiplicity
from akdask.kernels.index.membership import KeySet, key_set
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Replica, Value
from akdask.plan.task.combine import all_partitions
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace
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

    It finds the first row with given keys.  With ``unique rows``, a second one gives a warning, with ``only rows`` an
    error; with ``all rows``, the index also finds the others.
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
        """Return the first row that has the given keys, -1 where there is none."""
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
