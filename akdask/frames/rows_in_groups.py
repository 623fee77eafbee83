"""Rows within their groups: running results, numbers, and rows before or after them in the group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import arange, full
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BOOL, INT64, NOT_A_TIME
from akdask.engine.alignment import align, align_by_plan
from akdask.engine.rowwise import Project
from akdask.engine.sources import row_numbers
from akdask.engine.times import halves, is_missing_time, of_halves, with_missing_times
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentTypeError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dtypes import missing_rows
from akdask.frames.missing import can_be_missing, present
from akdask.frames.windows import but_missing, difference, last_valid, never_lacks, shifted
from akdask.operators.reduce.extremes import NOWHERE
from akdask.operators.windows import tuning
from akdask.operators.windows.plan import (
    PreviousInGroup,
    RunningInOrder,
    RunningOfGroups,
)
from akdask.records import record


@record
class Arranged:
    """The rows of groups, with rows of a group adjacent; counts rows.

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
        found = full(self.groups._row_count, -1, dtype="int64")
        found[self.positions] = arange(len(self.positions))
        return found

    def columns(self, columns: ColumnSet, names: Sequence[str]) -> ColumnSet:
        """Return columns on the arranged rows."""
        return ColumnSet.of({name: columns.array(name)[self.positions] for name in names})

    def back(self, arrays: Mapping[str, Array], fill_value: Any = None) -> dict[str, Array]:
        """Return arrays of the arranged rows on the rows as they came, with rows in no group missing, or filled."""
        inverse = self.inverse
        if len(self.positions) == self.groups._row_count:
            return {name: array[inverse] for name, array in arrays.items()}
        return {name: taken_rows(array, inverse, fill_value) for name, array in arrays.items()}


def taken_rows(array: Array, positions: pdarray, fill_value: Any = None) -> Any:
    """Return the elements at positions, missing or filled where these are negative; lazy."""
    lacks = positions < 0
    # A row without one takes the first, if only to be made missing.
    moved = array[where(lacks, 0, positions)] if len(array) else empty_rows(array, positions)
    if fill_value is not None:
        return where(lacks, fill_value, moved)
    frame, (value, lacking) = align_by_plan("take", [(moved._frame, moved._value), (lacks._frame, lacks._value)])
    return missing_rows(array, frame, value, lacking)


def empty_rows(array: Array, rows: pdarray) -> Array:
    """Return an array of a kind whose elements stand for nothing, on the rows of another one."""
    dtype = array._value.dtype
    return array._like(rows._frame, Constant("" if dtype.kind == "str" else dtype.numpy.type(0)))


def lacks_group(groups: GroupBy) -> pdarray | None:
    """Return which rows have a missing key, None where no key can be missing; lazy."""
    columns = ColumnSet.of({str(number): key for number, key in enumerate(groups._arrays)})
    may_lack = [name for name, value in columns.values.items() if can_be_missing(columns.kinds[name], value)]
    if not may_lack:
        return None
    lacks: Value = Call("logical_not", present(columns, may_lack[0]))
    for name in may_lack[1:]:
        lacks = Call("logical_or", lacks, Call("logical_not", present(columns, name)))
    return pdarray(columns.frame, lacks)


def numbers_of_rows(groups: GroupBy) -> Any:
    """Return the number of each row's group, -1 for rows in none; lazy."""
    numbers, lacks = groups.broadcast(arange(groups.ngroups)), lacks_group(groups)
    return numbers if lacks is None or not groups.dropna else where(lacks, -1, numbers)


def keeps_states(groups: GroupBy, npartitions: int) -> bool:
    """Return whether running results of all groups at the ends of all partitions are few beside the rows."""
    return groups.ngroups * npartitions * tuning.ROWS_PER_STATE <= groups._row_count


def numbers_in_groups(groups: GroupBy) -> pdarray:
    """Return the number of each row within its group, from 0, -1 for rows in none; counts rows."""
    numbers: pdarray = numbers_of_rows(groups)
    if keeps_states(groups, numbers.npartitions):
        in_group = as_type(numbers >= 0, np.int64)
        found: pdarray = running_of_groups("cumsum", in_group, numbers, groups.ngroups) - 1
        return found
    arranged = Arranged(groups)
    counts = arange(len(arranged.positions)) - groups.segments[arranged.numbers]
    found = full(groups._row_count, -1, dtype="int64")
    found[arranged.positions] = counts
    return found


def previous_in_groups(groups: GroupBy) -> pdarray:
    """Return the position of the row before each row in its group, -1 for none; lazy."""
    numbers = numbers_of_rows(groups)
    frame, values = align("look back", [(numbers._frame, numbers._value), row_numbers(numbers._frame)])
    node = PreviousInGroup(Project(frame, (0, 1), tuple(values)), groups.ngroups)
    return pdarray(node, node.column(0))


def filled_rows_in_groups(
    groups: GroupBy, columns: ColumnSet, name: str, *, backwards: bool, limit: int | None
) -> pdarray:
    """Return the position of the last row of its group up to each row where a column is present, -1 for none; lazy.

    It is the next row with `backwards`, and no more than `limit` rows of the group away.
    """
    numbers = numbers_of_rows(groups)
    scan, none = ("cummin", NOWHERE) if backwards else ("cummax", -1)
    there = pdarray(columns.frame, present(columns, name)) & (numbers >= 0)

    def last(positions: Any) -> Any:
        known = where(there, positions, none)
        return running_of_groups(scan, known, numbers, groups.ngroups, backwards=backwards)

    row = pdarray(*row_numbers(columns.frame))
    found = last(row)
    lacks = found == none
    if limit is not None:
        place = numbers_in_groups(groups)
        lacks |= abs(place - last(place)) > limit
    return where(lacks, -1, found)


def running_times_of_groups(name: str, array: TimeArray, groups: pdarray, count: int | None = None) -> TimeArray:
    """Return running results of times or spans, as `running_of_groups`, NaT where one is missing; lazy."""
    value, lacks = array._value, is_missing_time(array._value)
    if name == "cumsum":
        sums = [running_of_groups("cumsum", pdarray(array._frame, half), groups, count) for half in halves(value)]
        frame, (high, low, here) = align_by_plan(
            "add up", [*((one._frame, one._value) for one in sums), (array._frame, lacks)]
        )
        return array._like(frame, with_missing_times(of_halves(high, low), here))
    if name == "cummin":
        value = Call("where", lacks, Constant(np.int64(-NOT_A_TIME - 1)), value)
    found = running_of_groups(name, pdarray(array._frame, value), groups, count)
    frame, (extreme, here) = align_by_plan("run along", [(found._frame, found._value), (array._frame, lacks)])
    return array._like(frame, with_missing_times(extreme, here))


def running_of_groups(
    name: str, values: Array, groups: pdarray, count: int | None = None, *, backwards: bool = False
) -> pdarray:
    """Return running results within each of `count` groups, or of arranged rows if their number is not given; lazy.

    With `backwards` they begin at the last row of each of `count` groups.
    """
    if values._value.dtype.is_nullable_number:
        found: pdarray = but_missing(values, name, lambda there: running_of_groups(name, there, groups, count))
        return found
    frame, (value, numbers) = align_by_plan(
        "scan groups", [(values._frame, values._value), (groups._frame, groups._value)]
    )
    if value.dtype == BOOL:
        value = cast(value, INT64)
    project = Project(frame, (0, 1), (value, numbers))
    node = RunningOfGroups(project, name) if count is None else RunningInOrder(project, name, count, backwards)
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
        frame, (value, lacks) = align_by_plan("shift", [(array._frame, array._value), (crosses._frame, crosses._value)])
        found[name] = missing_rows(array, frame, value, lacks)
    return found


def differences_in_groups(columns: ColumnSet, numbers: pdarray, periods: int) -> dict[str, Array]:
    """Return the differences of columns of arranged rows and rows further up within their groups; lazy."""
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
        own = [both.values[item] for item in ("n", *rows)]
        items = [filled, *sources, *((both.frame, value) for value in own)]
        frame, (value, *aligned) = align_by_plan("fill groups", items)
        group, *source = aligned[: len(own)]
        number, *row = aligned[len(own) :]
        lacks = Call("not_equal", group, number)
        if limit is not None:
            far = Call("greater", Call("absolute", Call("subtract", row[0], source[0])), Constant(limit))
            lacks = Call("logical_or", lacks, far)
        found[name] = missing_rows(kind, frame, value, lacks)
    return found
