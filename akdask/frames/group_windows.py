"""Windows within groups: moving, expanding and decaying ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import arange
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import FLOAT64
from akdask.engine.values import Call, cast
from akdask.errors import ArgumentError, ArgumentTypeError, MissingAttributeError
from akdask.frames.columnset import names_of
from akdask.frames.expanding import DecayingColumn, Weights
from akdask.frames.windows import (
    Arranged,
    NamedReductions,
    WindowReductions,
    as_integer,
    checked_quantile,
    chosen_numbers,
    ends_of,
    is_span,
    reach_of,
    reduced_by,
    running_of_groups,
    span_of,
    span_windows,
    taken,
)
from akdask.operators.windows.plan import TOTAL


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
        self._result: Callable[[Any], Any] | None = None

    def _with_results(self, result: Callable[[Any], Any]) -> Self:
        """Return the same windows with reductions that are made of their rows, such as the Series of one column."""
        made = copy(self)
        made._result = result
        return made

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
        rows = self._groups.df._with_columns(arranged.back(found))
        return rows if self._result is None else self._result(rows)

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
