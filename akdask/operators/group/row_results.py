"""Results for each row that one task finds from all rows: ranks within groups, and which rows are the edges of groups.

For ranks, rows are sorted once, and equal ones walked. For edges, they are grouped, by the hashes of long text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import BOOL, FLOAT64
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table, take_rows
from akdask.engine.alignment import all_partitions, row_bounds
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.reduction import GroupState, RowGroups
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef
from akdask.operators.group.grouping import DictionaryColumns, GroupCodes, Grouping, group_sorted
from akdask.operators.group.strategies import have_long_text
from akdask.operators.keys.hashing import are_same_keys, hash_rows
from akdask.operators.keys.keys import SlotGrid
from akdask.operators.keys.tables import number_words
from akdask.operators.sort.kernels import argsort
from akdask.typing import Column, NumberArray


class RanksInGroups(Frame):
    """The rank of each row within its group, as float64, NaN for rows that have none.

    Columns of `frame` are whether a row has a rank, the `nkeys` keys of its group, and what ranks follow, which
    `ascending` has the directions of.  `method` is one of pandas', and `pct` divides by the last rank of the group.
    """

    no_more_rows = True

    frame: Project
    nkeys: int
    ascending: tuple[bool, ...]
    method: str
    pct: bool

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def rank(self) -> ColumnRef:
        """The ranks."""
        return ColumnRef(self._name, 0, FLOAT64)

    def describe(self) -> str:
        return f"Ranks ({self.method}) in groups"


class EdgeRows(Frame):
    """Which rows are the first, the last or the only ones of their groups, whose keys are the columns of `frame`."""

    no_more_rows = True

    frame: Project
    which: str

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def is_edge(self) -> ColumnRef:
        """The answers."""
        return ColumnRef(self._name, 0, BOOL)

    def describe(self) -> str:
        return f"Whether rows are the {self.which} of groups"


@lower.register
def _(frame: RanksInGroups) -> Expr:
    return _of_all(frame, _ranks_of_some, frame.nkeys, frame.ascending, frame.method, frame.pct)


@lower.register
def _(frame: EdgeRows) -> Expr:
    return _of_all(frame, edge_rows, frame.which)


def _of_all(frame: RanksInGroups | EdgeRows, find: Callable[..., NumberArray], *arguments: Any) -> Expr:
    """Return tasks of each partition's results, which one task finds in the columns of all."""
    everything = all_partitions(frame.npartitions)
    found = Tasks(f"find {frame._name}", _found, ((everything, (find, arguments)),), frame.frame)
    return Tasks(frame._name, _partition, tuple((((0, 0),), (number,)) for number in range(frame.npartitions)), found)


def _found(tables: Sequence[Table], find: Callable[..., NumberArray], arguments: Sequence[Any]) -> list[Table]:
    found = find(list(Table.concat(tables).columns.values()), *arguments)
    return [Table({0: found[first:stop]}, stop - first) for first, stop in row_bounds([part.nrows for part in tables])]


def _partition(found: Sequence[list[Table]], number: int) -> Table:
    return found[0][number]


def edge_rows(keys: Sequence[Column], which: str) -> NumberArray:
    """Return which rows are the `which` (first, last or only) ones with their keys, of which NaN are equal.

    Examples
    --------
    >>> edge_rows([np.array([7, 5, 7]), np.array([0.5, 0.5, 0.5])], "last").tolist()
    [False, True, True]
    """
    rows = np.arange(len(keys[0]))

    def edges(groups: RowGroups, columns: Sequence[Column]) -> list[GroupState]:
        found = groups.reduce(np.maximum if which == "last" else np.minimum, np.asarray(columns[0]))
        return [(found, groups.sizes())]

    ((found, sizes),) = edges(by_hash, [rows]) if (by_hash := _by_hash(keys)) else Grouping(keys).reduce(edges, [rows])
    is_edge = full_array(len(rows), False, np.bool_)
    is_edge[np.asarray(found)[np.asarray(sizes) == 1] if which == "only" else np.asarray(found)] = True
    return is_edge


def _by_hash(keys: Sequence[Column]) -> GroupCodes | None:
    """Return rows numbered by the hashes of their keys; None where these need not be hashed, or hashes are equal."""
    if not have_long_text(keys):
        return None
    numbers, firsts = number_words([hash_rows(keys)])
    return GroupCodes(numbers, len(firsts)) if are_same_keys(keys, firsts.take(numbers)) else None


def _ranks_of_some(columns: Sequence[Column], *arguments: Any) -> NumberArray:
    """Return the ranks of rows of which the first column says that they have one, NaN for others."""
    has_rank, *ranked = columns
    if has_rank.all():
        return ranks(ranked, *arguments)
    found, there = full_array(len(has_rank), np.nan, np.float64), np.flatnonzero(has_rank)
    found[there] = ranks([take_rows(column, there) for column in ranked], *arguments)
    return found


def ranks(columns: Sequence[Column], nkeys: int, ascending: Sequence[bool], method: str, pct: bool) -> NumberArray:
    """Return the rank of each row within its group.

    Parameters
    ----------
    columns : sequence of columns
        The keys of groups, `nkeys` of them, and what rows are ranked by, of which NaN are equal.
    ascending : sequence of bool
        The direction of each of the latter.
    method : {"average", "min", "max", "first", "dense"}
        Which of their ranks equal rows get.
    pct : bool
        Whether to divide ranks by the number of rows in the group, or of different ones if they are dense.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> ranks([np.array([1, 2, 1, 1]), np.array([5, 9, 5, 3])], 1, [True], "average", False).tolist()
    [2.5, 1.0, 2.5, 1.0]
    """
    keys, by = _narrow(columns[:nkeys]), list(columns[nkeys:])
    order = argsort([*keys, *by], [*[True] * len(keys), *ascending])
    equals = group_sorted([take_rows(column, order) for column in (*keys, *by)])
    sizes, firsts = equals.sizes(), order[equals.segments]
    # Equal rows of a group are adjacent, too, and counted from its first ones.
    groups = group_sorted([column[firsts] for column in keys or [np.zeros(equals.nrows, np.bool_)]])
    starts = equals.segments[groups.segments]
    below = equals.segments - groups.spread(starts)
    found: NumberArray
    match method:
        case "average":
            found = below + (sizes + 1) / 2
        case "max":
            found = below + sizes
        case "dense":
            found = np.arange(1, len(firsts) + 1) - groups.spread(groups.segments)
        case _:
            found = below + 1
    placed = equals.spread(found.astype(np.float64))
    if method == "first":
        placed += np.arange(equals.nrows) - equals.spread(equals.segments)
    if pct:
        last = groups.sizes() if method == "dense" else np.diff(starts, append=equals.nrows)
        placed /= equals.spread(groups.spread(last))
    in_place = new_array(equals.nrows, np.float64)
    in_place[order] = placed
    return in_place


def _narrow(keys: Sequence[Column]) -> list[NumberArray]:
    """Return numbers in the order of keys, and of few combinations of keys one column."""
    numbers = DictionaryColumns(keys).columns
    grid = SlotGrid.within(numbers, len(numbers[0])) if numbers and len(numbers[0]) else None
    return numbers if grid is None else [grid.codes(numbers)]
