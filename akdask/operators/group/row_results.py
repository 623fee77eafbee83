"""Ranks of rows within their groups, where one task takes all rows: these are sorted once, and equal ones walked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import FLOAT64
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table, take_rows
from akdask.engine.alignment import all_partitions, row_bounds
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef
from akdask.operators.group.grouping import DictionaryColumns, group_sorted
from akdask.operators.keys.keys import SlotGrid
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


@lower.register
def _(frame: RanksInGroups) -> Expr:
    arguments = (frame.nkeys, frame.ascending, frame.method, frame.pct)
    everything = all_partitions(frame.npartitions)
    ranked = Tasks(f"rank {frame._name}", _rank_partitions, ((everything, arguments),), frame.frame)
    return Tasks(frame._name, _partition, tuple((((0, 0),), (number,)) for number in range(frame.npartitions)), ranked)


def _rank_partitions(tables: Sequence[Table], *arguments: Any) -> list[Table]:
    """Return the ranks of the rows of each partition among those of all."""
    has_rank, *columns = Table.concat(tables).columns.values()
    found = full_array(len(has_rank), np.nan, np.float64)
    there = None if has_rank.all() else np.flatnonzero(has_rank)
    ranked = ranks(columns if there is None else [take_rows(column, there) for column in columns], *arguments)
    found[slice(None) if there is None else there] = ranked
    bounds = row_bounds([table.nrows for table in tables])
    return [Table({0: found[start:stop]}, stop - start) for start, stop in bounds]


def _partition(ranked: Sequence[list[Table]], number: int) -> Table:
    return ranked[0][number]


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
