"""Windows with individual bounds: spans of time, and windows within groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.column_names import names_of
from akdask.arrays.creation import arange
from akdask.arrays.datetimes import Datetime
from akdask.arrays.operators import cast as as_type
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.engine.alignment import align_by_plan
from akdask.engine.rowwise import Project
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, MissingAttributeError, UnsupportedError
from akdask.frames.alignment import Owner
from akdask.frames.columnset import ColumnSet
from akdask.frames.dtypes import demand_some_numbers
from akdask.frames.expanding import DecayingColumn, Weights
from akdask.frames.window_reductions import (
    NamedReductions,
    WindowReductions,
    checked_quantile,
    chosen_numbers,
    reduced_by,
    taken,
)
from akdask.frames.windows import Arranged, as_integer, ends_of, is_span, running_of_groups, span_of
from akdask.operators.windows.expanding import GROUP, MEASURE, SpanWindows
from akdask.operators.windows.neighbours import TOTAL


class SpanRolling(WindowReductions[Owner]):
    """Windows of rows less than a span before each, as ``df.rolling("1h", on="t")`` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        The object that was windowed, whose class and labels reductions get.
    columns : ColumnSet
        The columns to reduce.
    window : str or timedelta
        How far windows reach back.
    min_periods : int, optional
        Fewest rows that must not be missing, 1 unless given.
    on : str, optional
        The column that says when each row was, the labels of the rows unless given.
    closed : {"right", "left", "both", "neither"}, optional
        Which ends belong to a window: the row itself, and rows a whole span before it.  The row alone unless given.
    center : bool, default False
        Let windows reach half a span back, and half a span on.
    step : int, optional
        Refused, as in pandas.
    """

    reductions = (*WindowReductions.reductions, "median")

    def __init__(
        self,
        owner: Owner,
        columns: ColumnSet,
        window: Any,
        min_periods: Any = None,
        on: str | None = None,
        closed: str | None = None,
        center: bool = False,
        step: int | None = None,
    ) -> None:
        self._span, self._ends, self._center = span_of(window), ends_of(closed), center
        if step is not None:
            raise UnsupportedError("step is not supported with frequency windows", hint="as in pandas; .iloc[::step].")
        self._on = on
        self._all = columns
        times: Any = columns.index_array() if on is None else columns.array(on)
        self._least = 1 if min_periods is None else as_integer("min_periods", min_periods)
        if self._least < 0:
            raise ArgumentError(f"min_periods is not negative: got {min_periods!r}.")
        if not isinstance(times, Datetime):
            raise ArgumentTypeError(
                f"a window of {window!r} needs a column of times, not {times._type_name()}.",
                hint="name it: df.rolling('1h', on='t'), or label the rows by it: df.set_index('t').",
            )
        columns = columns.only(name for name in columns.values if name != on)
        super().__init__(owner, columns, demand_some_numbers("rolling", columns))
        self._times = times

    def median(self, numeric_only: bool = False) -> Owner:
        """Return the median of each window, as float64; lazy."""
        return self._reduced("quantile", numeric_only=numeric_only)

    def quantile(self, q: float, interpolation: str = "linear", numeric_only: bool = False) -> Owner:
        """Return a quantile of each window, between two values in proportion, as float64; lazy."""
        return self._reduced("quantile", q=checked_quantile(q, interpolation), numeric_only=numeric_only)

    def _windows(self, name: str, values: Mapping[str, Value], ddof: int = 1, q: float = 0.5) -> Owner:
        by_name = {column: pdarray(self._columns.frame, value) for column, value in values.items()}
        zero: Any = pdarray(self._times._frame, Constant(np.int64(0)))
        when = pdarray(self._times._frame, self._times._value)
        found = span_windows(
            by_name,
            zero,
            when,
            name,
            *reach_of(self._span, self._times, self._ends, center=self._center),
            self._least,
            ddof,
            q,
            self._ends,
        )
        return self._owner._with_columns(self._with_times(found))

    def _with_times(self, found: Mapping[str, Array]) -> dict[str, Array]:
        """Return results with the column of times where the frame has it."""
        both = dict(found) if self._on is None else {**found, self._on: self._times}
        return {column: both[column] for column in self._all.values if column in both}


class GroupWindows(NamedReductions[Any]):
    """Windows of the rows of each group, as ``df.groupby("k").rolling(3)`` gives them; results count rows.

    Results have the rows and labels of the frame, so that they can be put beside its columns.  Results of pandas have
    the keys as an outer level of labels, and the rows group by group.

    Parameters
    ----------
    groups : object
        The groups, which have ``gb``, ``df``, and a way to return columns of the rows of the frame.
    names : list of str
        The columns to reduce.
    least : int
        Fewest rows that must not be missing.
    """

    def __init__(self, groups: Any, names: Sequence[str], least: int) -> None:
        self._groups = groups
        self._names = list(names)
        self._least = least

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Return the windows of some columns.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        chosen = copy(self)
        chosen._names = names_of(names)
        self._groups.df._columns.only(chosen._names)
        return chosen

    def __getattr__(self, name: str) -> Any:
        """Return the windows of the column of that name."""
        groups = self.__dict__.get("_groups")
        if groups is None or name.startswith("_") or name not in groups.df._columns.values:
            raise MissingAttributeError(
                f"windows of groups have no reduction or column {name!r}.",
                hint=f"reductions: {', '.join(self.reductions)}.",
            )
        return self[name]

    def count(self, numeric_only: bool = False) -> Any:
        """Return the number of values of each window that are not NaN, as float64; counts rows."""
        return self._reduced("count", numeric_only=numeric_only)

    def agg(self, func: str) -> Any:
        """Return the reduction of that name; counts rows.

        Raises
        ------
        ArgumentError
            If there is none.
        """
        return reduced_by(self, func)

    aggregate = agg

    def _reduced(self, name: str, ddof: int = 1, numeric_only: bool = False, q: float = 0.5) -> Any:
        arranged = Arranged(self._groups.gb)
        names = chosen_numbers("windows of groups", self._groups.df._columns, self._names, numeric_only)
        columns = arranged.columns(self._groups.df._columns, names)
        # Counts need no particular type of values.
        given = {
            column: pdarray(columns.frame, cast(value, FLOAT64) if name == "count" else taken(name, value))
            for column, value in columns.values.items()
        }
        found = self._of_groups(given, arranged, name, ddof, q)
        return self._groups.df._with_columns(arranged.back(found))

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        raise NotImplementedError


class GroupRolling(GroupWindows):
    """Moving windows of the rows of each group: a number of rows, or a span of time.

    Parameters
    ----------
    groups : object
        The groups.
    names : list of str
        The columns to reduce.
    window : int or str
        How many rows, or how far in time.
    min_periods : int, optional
        Fewest rows that must not be missing: all of a number of rows, 1 of a span, unless given.
    times : Datetime, optional
        When each row was.
    closed : {"right", "left", "both", "neither"}, optional
        Which ends belong to a window; see `SpanRolling`.
    center : bool, default False
        Let a row stand in the middle of its window.
    """

    reductions = (*WindowReductions.reductions, "median")

    def __init__(
        self,
        groups: Any,
        names: Sequence[str],
        window: Any,
        min_periods: Any,
        times: Any,
        closed: str | None = None,
        center: bool = False,
    ) -> None:
        self._times, self._ends, self._center = times, ends_of(closed), center
        self._span = as_integer("window", window) if times is None else span_of(window)
        least = (self._span if times is None else 1) if min_periods is None else as_integer("min_periods", min_periods)
        if self._span < 1 or least < 0 or (times is None and least > self._span):
            raise ArgumentError(
                f"a window has at least 1 row, and min_periods are from 0 to that: got window={window!r}, "
                f"min_periods={min_periods!r}."
            )
        super().__init__(groups, names, least)

    def median(self) -> Any:
        """Return the median of each window, as float64; counts rows."""
        return self.quantile(0.5)

    def quantile(self, q: float, interpolation: str = "linear") -> Any:
        """Return a quantile of each window, between two values in proportion, as float64; counts rows."""
        return self._reduced("quantile", q=checked_quantile(q, interpolation))

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        if self._times is None:
            measure: Any = arange(len(arranged.positions))
            after = (self._span - 1) // 2 if self._center else 0
            reach = self._span - after, after - (not self._ends[1]) if self._center else None
        else:
            times = self._times[arranged.positions]
            measure = pdarray(times._frame, times._value)
            reach = reach_of(self._span, times, self._ends, center=self._center)
        values = dict(given)
        if name == "count":
            name, values = "sum", {column: _is_there(array) for column, array in given.items()}
        return span_windows(values, arranged.numbers, measure, name, *reach, self._least, ddof, q, self._ends)


class GroupExpanding(GroupWindows):
    """Windows of each row and all rows of its group before it."""

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        return {column: self._expanded(array, arranged.numbers, name, ddof) for column, array in given.items()}

    def _expanded(self, array: Any, numbers: pdarray, name: str, ddof: int) -> Any:
        there = _is_there(array)
        known = running_of_groups("cumsum", there, numbers)
        if name in ("min", "max"):
            nothing = np.inf if name == "min" else -np.inf
            found: Any = running_of_groups(f"cum{name}", where(there > 0, array, nothing), numbers)
            return where(known >= max(self._least, 1), found, np.nan)
        if name == "count":
            rows = running_of_groups("cumsum", as_type(numbers >= 0, np.float64), numbers)
            return where(rows >= self._least, known, np.nan)
        if array.dtype.kind == "f":
            total = running_of_groups("cumsum", where(there > 0, array, 0.0), numbers)
        else:
            total = running_of_groups(TOTAL, array, numbers)
        if name == "sum":
            return where(known >= self._least, total, np.nan)
        mean = total / known
        if name == "mean":
            return where(known >= max(self._least, 1), mean, np.nan)
        squares = running_of_groups("cumsum", self._steps(array, there, known, mean), numbers)
        variance = where(known >= max(self._least, ddof + 1), squares / (known - ddof), np.nan)
        return variance if name == "var" else variance**0.5

    @staticmethod
    def _steps(array: Any, there: Any, known: Any, mean: Any) -> Any:
        """Return the increment that each value adds to the sum of squared deviations of its group."""
        # (x - mean before) * (x - mean after), of which the former follows from the latter.
        apart = where(there > 0, array - mean, 0.0)
        return where((there > 0) & (known > 1), apart * apart * known / (known - 1), 0.0)


class GroupDecaying(GroupWindows):
    """Windows of each row and all rows of its group before it, with weights that decay.

    Parameters
    ----------
    groups : object
        The groups.
    names : list of str
        The columns to reduce.
    weights : Weights
        How weights decay.
    """

    reductions = ("mean", "sum", "var", "std")

    def __init__(self, groups: Any, names: Sequence[str], weights: Weights) -> None:
        super().__init__(groups, names, weights.least)
        self._weights = weights
        self._bias = False

    def var(  # type: ignore[override]  # pandas' signature
        self, bias: bool = False, numeric_only: bool = False
    ) -> Any:
        """Return the weighted variance of each window, as float64; counts rows.  See `Decaying.var`."""
        return self._biased(bias)._reduced("var", numeric_only=numeric_only)

    def std(  # type: ignore[override]  # pandas' signature
        self, bias: bool = False, numeric_only: bool = False
    ) -> Any:
        """Return the weighted standard deviation of each window, as float64; counts rows.  See `Decaying.var`."""
        return self._biased(bias)._reduced("std", numeric_only=numeric_only)

    def _biased(self, bias: bool) -> GroupDecaying:
        chosen = copy(self)
        chosen._bias = bias
        return chosen

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        if name not in self.reductions:
            raise ArgumentError(f"ewm has no {name}.", hint=f"take one of {', '.join(self.reductions)}.")
        weights = self._weights.arranged(arranged.positions)
        params = {"bias": self._bias} if name in ("var", "std") else {}
        return {
            column: getattr(DecayingColumn(array, weights, arranged.numbers), name)(**params)
            for column, array in given.items()
        }


def span_windows(
    values: Mapping[str, pdarray],
    groups: Any,
    measure: Any,
    name: str,
    span: int,
    ahead: int | None,
    least: int,
    ddof: int,
    q: float,
    ends: tuple[bool, bool],
) -> dict[str, Array]:
    """Return reductions of the rows less than a span before each one, in its group; lazy.

    Rows of a group are adjacent, and their measure ascends.  `ends` tells whether a window includes rows a whole span
    before its row, and the row itself.  Windows that reach further include rows up to `ahead` after it.
    """
    given = [*values.values(), groups, measure]
    frame, found = align_by_plan("reduce spans of", [(array._frame, array._value) for array in given])
    columns = [taken(name, value) for value in found[:-2]]
    project = Project(
        frame, (*range(len(columns)), GROUP, MEASURE), (*columns, cast(found[-2], INT64), cast(found[-1], INT64))
    )
    node = SpanWindows(project, name, span, least, ddof, q, *ends, ahead)
    return {column: pdarray(node, node.column(number)) for number, column in enumerate(values)}


def in_units(span: int, times: Datetime, with_bound: bool) -> int:
    """Return nanoseconds in the unit of times, in which rows are whole numbers apart.

    Less than a span with a fraction is less than the next whole number, and up to it is up to the one before.
    """
    ticks = span * times._form.per_second
    return ticks // 10**9 if with_bound else -(-ticks // 10**9)


def reach_of(span: int, times: Datetime, ends: tuple[bool, bool], *, center: bool) -> tuple[int, int | None]:
    """Return how far windows of so many nanoseconds reach back and on, in the unit of times."""
    if not center:
        return in_units(span, times, ends[0]), None
    half = span * times._form.per_second // 10**9 // 2
    return half, half - (not ends[1])


def group_windows(
    groups: Any,
    names: Sequence[str],
    window: Any,
    min_periods: Any,
    center: bool,
    on: str | None,
    closed: str | None,
) -> GroupRolling:
    """Return moving windows of groups; see `DataFrameGroupBy.rolling`."""
    times = None
    if is_span(window):
        columns = groups.df._columns
        times = columns.index_array() if on is None else columns.array(on)
        if not isinstance(times, Datetime):
            raise ArgumentTypeError(
                f"a window of {window!r} needs a column of times.", hint="name it: groups.rolling('1h', on='t')."
            )
    return GroupRolling(groups, [name for name in names if name != on], window, min_periods, times, closed, center)


def _is_there(array: Any) -> pdarray:
    return pdarray(array._frame, cast(Call("isfinite", array._value), FLOAT64))
