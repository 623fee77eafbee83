"""Rows with those of each group together, and back in the order that they came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange, full
from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.frame_core.analysis.kinds import missing_rows
from akdask.collections.frame_core.analysis.moving.windows import difference, last_valid, never_lacks, shifted
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import present
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.time.timearray import TimeArray
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_integers import recombined, separated
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.times import halves, is_missing_time, of_halves, with_missing_times
from akdask.plan.expr.values import Call, Constant, cast
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.neighbours import RunningOfGroups
from akdask.plan.task.align import align
from akdask.schema import BOOL, INT64
from akdask.schema.times import NOT_A_TIME


@dataclass(frozen=True)
class Arranged:
    """The rows of groups, those of each group together; counts rows.

    Parameters
    ----------
    groups : GroupBy
        The groups.
    """

    groups: GroupBy

    @cached_property
    def positions(self) -> pdarray:
        """Where each of the arranged rows came from."""
        return self.groups.permutation

    @cached_property
    def numbers(self) -> pdarray:
        """The number of the group of each arranged row."""
        found: pdarray = self.groups.broadcast(arange(self.groups.ngroups))[self.positions]
        return found

    @cached_property
    def inverse(self) -> pdarray:
        """Where each row is among the arranged ones, -1 for rows in no group."""
        found = full(self.groups.length, -1, dtype="int64")
        found[self.positions] = arange(len(self.positions))
        return found

    def columns(self, columns: ColumnSet, names: Sequence[str]) -> ColumnSet:
        """Return columns on the arranged rows."""
        return ColumnSet.of({name: columns.array(name)[self.positions] for name in names})

    def back(self, arrays: Mapping[str, Array], fill_value: Any = None) -> dict[str, Array]:
        """Return arrays of the arranged rows on the rows as they came, with rows in no group missing, or filled."""
        inverse = self.inverse
        if len(self.positions) == self.groups.length:
            return {name: array[inverse] for name, array in arrays.items()}
        lacks = inverse < 0
        found: dict[str, Any] = {}
        for name, array in arrays.items():
            # A row that is in no group takes the first one, if only to be made missing.
            moved = array[where(lacks, 0, inverse)] if len(self.positions) else empty_rows(array, inverse)
            if fill_value is not None:
                found[name] = where(lacks, fill_value, moved)
                continue
            frame, (value, lacking) = align("arrange", [(moved._frame, moved._value), (lacks._frame, lacks._value)])
            found[name] = missing_rows(array, frame, value, lacking)
        return found


def empty_rows(array: Array, rows: pdarray) -> Array:
    """Return an array of a kind whose elements stand for nothing, on the rows of another one."""
    dtype = array._value.dtype
    return array._like(rows._frame, Constant("" if dtype.kind == "str" else dtype.numpy.type(0)))


def numbers_in_groups(groups: GroupBy) -> pdarray:
    """Return the number of each row within its group, from 0, -1 for rows in none; counts rows."""
    arranged = Arranged(groups)
    starts = groups.segments[arranged.numbers]
    counts = arange(len(arranged.positions)) - starts
    found = full(groups.length, -1, dtype="int64")
    found[arranged.positions] = counts
    return found


def running_times_of_groups(name: str, array: TimeArray, groups: pdarray) -> TimeArray:
    """Return running results of arranged times or spans, anew for each group, NaT where one is missing; lazy."""
    value, lacks = array._value, is_missing_time(array._value)
    if name == "cumsum":
        sums = [running_of_groups("cumsum", pdarray(array._frame, half), groups) for half in halves(value)]
        frame, (high, low, here) = align("add up", [*((one._frame, one._value) for one in sums), (array._frame, lacks)])
        return array._like(frame, with_missing_times(of_halves(high, low), here))
    if name == "cummin":
        value = Call("where", lacks, Constant(np.int64(-NOT_A_TIME - 1)), value)
    found = running_of_groups(name, pdarray(array._frame, value), groups)
    frame, (extreme, here) = align("run along", [(found._frame, found._value), (array._frame, lacks)])
    return array._like(frame, with_missing_times(extreme, here))


def running_of_groups(name: str, values: Array, groups: pdarray) -> pdarray:
    """Return running results of arranged rows, anew for each group; lazy."""
    frame, (value, numbers) = align("scan groups", [(values._frame, values._value), (groups._frame, groups._value)])
    if value.dtype == BOOL:
        value = cast(value, INT64)
    node = RunningOfGroups(Project(frame, (0, 1), (value, numbers)), name)
    return pdarray(node, node.column(0))


def shifted_in_groups(columns: ColumnSet, numbers: pdarray, periods: int, fill_value: Any = None) -> dict[str, Array]:
    """Return columns of arranged rows a number of rows further down within their groups; lazy."""
    moved = shifted(columns, columns.values, periods, fill_value)
    earlier = shifted(ColumnSet.of({"n": numbers}), ["n"], periods, fill_value=-1)["n"]
    crosses = earlier != numbers
    found: dict[str, Any] = {}
    for name, array in moved.items():
        if fill_value is not None:
            found[name] = where(crosses, fill_value, array)
            continue
        frame, (value, lacks) = align("shift", [(array._frame, array._value), (crosses._frame, crosses._value)])
        found[name] = missing_rows(array, frame, value, lacks)
    return found


def differences_in_groups(columns: ColumnSet, numbers: pdarray, periods: int) -> dict[str, Array]:
    """Return the differences of columns of arranged rows and those further up within their groups; lazy."""
    earlier = shifted_in_groups(columns, numbers, periods)
    return {name: difference(columns.array(name), earlier[name]) for name in columns.values}


def filled_in_groups(
    columns: ColumnSet, numbers: pdarray, *, backwards: bool, limit: int | None = None
) -> dict[str, Array]:
    """Return columns of arranged rows with the last value of the group that is not missing where one is; lazy.

    No more than `limit` in a row are filled.
    """
    found = {}
    for name in columns.values:
        if columns.values[name].dtype.kind == "list":
            raise ArgumentTypeError("lists are never missing.", hint="choose other columns.")
        kind = columns.kinds[name]
        rows = {} if limit is None else {"r": pdarray(*row_numbers(columns.frame))}
        both = ColumnSet.of({"v": columns.array(name), "n": numbers, **rows})
        if never_lacks(kind, columns.values[name]):
            found[name] = columns.array(name)
            continue
        is_valid = present(both, "v")
        filled, *sources = (last_valid(both.frame, value, is_valid, backwards) for value in both.values.values())
        apart = separated([filled[1]])
        own = [both.values[item] for item in ("n", *rows)]
        items = [*((filled[0], part) for part in apart), *sources, *((both.frame, value) for value in own)]
        frame, aligned = align("fill groups", items)
        (value,) = recombined([filled[1]], aligned[: len(apart)])
        group, *source = aligned[len(apart) : len(apart) + len(own)]
        number, *row = aligned[len(apart) + len(own) :]
        lacks = Call("not_equal", group, number)
        if limit is not None:
            far = Call("greater", Call("absolute", Call("subtract", row[0], source[0])), Constant(limit))
            lacks = Call("logical_or", lacks, far)
        found[name] = missing_rows(kind, frame, value, lacks)
    return found
