"""Windows within groups, moving, expanding and decaying ones, and the bins of time of resampled groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import arange
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.sorting import argsort, insertion_points
from akdask.arrays.time_bins import LAST_DAYS, MOST_BINS, Binning, TimeBins, TimeExtent
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, NOT_A_TIME
from akdask.engine.values import Call, Constant, Value, cast, nearest_floats
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingAttributeError,
    UnsupportedError,
    errors_end_at_caller,
)
from akdask.frames.columnset import ColumnSet, names_of
from akdask.frames.expanding import DecayingColumn, Weights
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.index import MultiIndex
from akdask.frames.resampling import BIN, Resampler, label_name, times_of
from akdask.frames.rows_in_groups import Arranged, running_of_groups
from akdask.frames.series import Series
from akdask.frames.windows import (
    NamedReductions,
    WindowReductions,
    as_integer,
    checked_quantile,
    chosen_numbers,
    ends_of,
    is_span,
    of_values,
    reach_of,
    reduced_by,
    span_of,
    span_windows,
)
from akdask.operators.values.times import DAY
from akdask.operators.windows.plan import TOTAL
from akdask.records import record


@errors_end_at_caller
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

    adds_integers: ClassVar[bool] = True
    """Whether sums and means of integers are sums of integers."""

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

        def reduce(name: str, values: Mapping[str, Value]) -> Mapping[str, Array]:
            given = {column: pdarray(columns.frame, value) for column, value in values.items()}
            return self._of_groups(given, arranged, name, ddof, q)

        if name == "count" or not self.adds_integers:
            # Counts need no particular type of values.
            found = reduce(name, {column: nearest_floats(value) for column, value in columns.values.items()})
        else:
            found = of_values(reduce, name, columns.values, self._least)
        rows = self._groups.df._with_columns(arranged.back(found))
        return rows if self._result is None else self._result(rows)

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        raise NotImplementedError


@errors_end_at_caller
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
            name, values = "sum", {column: _is_present(array) for column, array in given.items()}
        return span_windows(values, arranged.numbers, measure, name, *reach, self._least, ddof, q, self._ends)


@errors_end_at_caller
class GroupExpanding(GroupWindows):
    """Windows of each row and all rows of its group before it."""

    def _of_groups(
        self, given: Mapping[str, pdarray], arranged: Arranged, name: str, ddof: int, q: float
    ) -> Mapping[str, Array]:
        return {column: self._expanded(array, arranged.numbers, name, ddof) for column, array in given.items()}

    def _expanded(self, array: Any, numbers: pdarray, name: str, ddof: int) -> Any:
        there = _is_present(array)
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


@errors_end_at_caller
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
    adds_integers = False

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


def _is_present(array: Any) -> pdarray:
    return pdarray(array._frame, cast(Call("isfinite", array._value), FLOAT64))


# ----------------------------------------------------------------------------------------------------- resampled groups


GROUP = "number of group"
"""What the numbers of groups are called among the keys."""


@errors_end_at_caller
@record
class GroupBins:
    """The bins of each group: a number for each row, and the labels of the bins of a group by their numbers.

    Parameters
    ----------
    numbers : pdarray of int64
        The number of the bin of each row; numbers of a group need not begin with 0.
    shared : TimeBins, optional
        Bins that all groups share.
    starts : pdarray of int64, optional
        Where the first bin of each group begins, if groups have bins of their own.
    step, label : int
        Length of these bins, and offset of the label from the beginning of a bin.
    """

    numbers: pdarray
    shared: TimeBins | None
    starts: Any = None
    step: int = 0
    label: int = 0

    def labels(self, times: TimeArray, group: Any, number: Any) -> TimeArray:
        """Return the labels of bins, by the position of their group and their number."""
        if self.shared is not None:
            found = times._like(number._frame, self.shared._label(number._value))
        else:
            ticks = self.starts[group] + number * self.step + self.label
            found = times._like(ticks._frame, ticks._value)
        return found._lacking(False)


@errors_end_at_caller
class GroupResampler(Resampler[Any]):
    """Rows of each group in bins of time, as ``df.groupby("k").resample("D", on="t")`` gives them.

    Parameters
    ----------
    groups : DataFrameGroupBy
        The groups.
    binning : Binning
        Specification of the bins.
    on : str, optional
        The column of the times, the labels of the rows unless given.

    Notes
    -----
    Results have a row for each bin of a group from its first to its last; a DataFrame has the keys and the times as
    columns, as with several keys, and a Series has labels of several levels.
    """

    def __init__(self, groups: DataFrameGroupBy, binning: Binning, on: str | None) -> None:
        df = groups.df
        times = times_of(df, on)
        number: Any = groups.gb.broadcast(arange(groups.gb.ngroups) + 1) - 1
        there = pdarray(times._frame, Call("not_equal", times._value, Constant(NOT_A_TIME)))
        selected: Any = there & (number >= 0)
        self._binning, self._on, self._as_index = binning, on, True
        self._one, self._series_name = False, None
        self._names = [name for name in groups._columns(None) if name != on]
        self._df = df._rows(selected)
        self._times = times[selected]._lacking(False)
        self._number = number[selected]
        keys = groups.gb.unique_keys
        self._keys: dict[str, Any] = dict(
            zip(groups.gb_key_names, keys if isinstance(keys, tuple) else (keys,), strict=True)
        )
        self._group_bins = _bins_of(binning, self._times, self._number)

    @cached_property
    def _groups(self) -> DataFrameGroupBy:
        return DataFrameGroupBy(GroupBy([self._number, self._group_bins.numbers]), self._df, [GROUP, BIN])

    @cached_property
    def _in_order(self) -> GroupResampler:
        if bool(pdarray(self._times._frame, self._times._value).is_sorted()):
            return self
        moved = copy(self)
        moved.__dict__.pop("_groups", None)
        order = argsort(self._times)
        moved._df, moved._times, moved._number = self._df._rows(order), self._times[order], self._number[order]
        moved._group_bins = replace(self._group_bins, numbers=self._group_bins.numbers[order])
        return moved

    @cached_property
    def _rows_of_results(self) -> tuple[Any, Any, Any]:
        """The position of the group and the number of the bin of each row of results, and the groups that have rows."""
        by_group = GroupBy(self._number)
        groups, first = by_group.min(self._group_bins.numbers)
        last: Any = by_group.max(self._group_bins.numbers)[1]
        counts: Any = last - first + 1
        total = int(counts.sum()) if len(groups) else 0
        if total > MOST_BINS:
            raise ArgumentError(f"there would be {total:,} bins.", hint="take longer ones.")
        begins: Any = cumsum(counts) - counts
        row: Any = arange(total)
        position: Any = insertion_points(begins, row, side="right") - 1
        return position, row - (begins - first)[position], groups

    @cached_property
    def _place(self) -> tuple[Any, Any] | None:
        group, number = self._groups.gb.unique_keys
        position, wanted, groups = self._rows_of_results
        if len(group) == len(wanted):
            return None
        width = int(wanted.max()) + 1
        count = len(next(iter(self._keys.values())))
        if width * count >= np.iinfo(np.int64).max:
            raise ArgumentError("there are too many groups and bins to number them together.", hint="take longer bins.")
        pairs: Any = group * width + number
        sought: Any = groups[position] * width + wanted
        at: Any = insertion_points(pairs, sought)
        return at, pairs[at] != sought

    def _labels(self) -> tuple[dict[str, Any], TimeArray]:
        position, number, groups = self._rows_of_results
        keys = {name: key[groups][position] for name, key in self._keys.items()}
        return keys, self._group_bins.labels(self._times, position, number)

    def __len__(self) -> int:
        return len(self._rows_of_results[1])

    @property
    def ngroups(self) -> int:
        """Number of bins of all groups, empty ones included."""
        return len(self)

    def size(self) -> Any:
        """Return the number of rows in each bin of each group, as a Series; lazy."""
        return self._labelled(self._spread("size", self._groups.gb.size()[1]), self._series_name if self._one else None)

    def _frame(self, results: Mapping[str, Array]) -> Any:
        keys, labels = self._labels()
        name = label_name(self._df, self._on)
        return self._df._of(ColumnSet.of({**keys, "index" if name is None else str(name): labels, **results}))

    def _series(self, found: Any, column: str) -> Any:
        return self._labelled(found._columns.array(column), self._series_name)

    def _labelled(self, values: Any, name: Any) -> Any:
        keys, labels = self._labels()
        names = [*self._keys, label_name(self._df, self._on)]
        return Series(values, name, MultiIndex([*keys.values(), labels], names=names))

    def __iter__(self) -> Any:
        raise UnsupportedError(
            "bins of groups are not iterated over.", hint="iterate over df.groupby([…, ak.Grouper(…)])."
        )

    def get_group(self, name: Any) -> Any:
        """Refuse: rows of a group and a bin are rows of ``df.groupby(["k", ak.Grouper(…)])``."""
        raise UnsupportedError("bins of groups have no get_group.", hint="ask df.groupby([…, ak.Grouper(…)]) for it.")

    def _filled(self, method: str | None, limit: int | None, fill_value: Any = None) -> Any:
        raise UnsupportedError(
            "bins of groups are reduced only.", hint="df.groupby('k').apply(lambda rows: rows.resample('D').ffill())"
        )

    def _in_pandas(self) -> Any:
        raise UnsupportedError(
            "bins of groups take names of reductions.",
            hint="df.groupby('k').apply(lambda rows: rows.resample('D', on='t').apply(function)) takes functions.",
        )


def _bins_of(binning: Binning, times: TimeArray, number: Any) -> GroupBins:
    """Return the bins of each group.

    Raises
    ------
    UnsupportedError
        If bins by the calendar begin at another multiple in each group.
    """
    zone, span, origin = times._form.zone, binning.frequency.span, binning.grouper.origin
    if span is None or (binning.frequency.is_days and zone is not None):
        offset = binning.frequency.offset
        ends_on_right = offset.rule_code.split("-")[0] in LAST_DAYS
        if offset.n == 1 and binning.is_right_closed == ends_on_right:
            return _shared(binning, times)
    elif (
        not isinstance(origin, str) or origin == "epoch" or (origin == "start_day" and not DAY % span and zone is None)
    ):
        return _shared(binning, times)
    elif origin in ("start", "start_day") and zone is None:
        return _own(binning, times, number, span)
    raise UnsupportedError(
        f"bins of {binning.frequency.offset} begin at times of their own in each group.",
        details=[f"origin: {origin}, closed: {binning.grouper.closed}"],
        hint="df.groupby('k').apply(lambda rows: rows.resample(…).sum()) finds them in pandas.",
    )


def _shared(binning: Binning, times: TimeArray) -> GroupBins:
    bins = binning.bins(times)
    return GroupBins(bins.numbers, bins)


def _own(binning: Binning, times: TimeArray, number: Any, span: int) -> GroupBins:
    """Return bins of fixed length that are counted from the first time of each group; see `Binning._of_span`."""
    ticks: Any = pdarray(times._frame, times._value)
    extent = TimeExtent(0, 0, False, times._form.unit, None)
    step, right = extent.ticks(span), binning.is_right_closed
    offset = binning.grouper.offset
    shift = 0 if offset is None else extent.ticks(int(offset.as_unit("ns").value))
    by_group = GroupBy(number)
    first: Any = by_group.min(ticks)[1]
    day = extent.ticks(DAY)
    begin: Any = first // day * day if binning.grouper.origin == "start_day" else first
    past: Any = (first - begin - shift) % step
    starts: Any = first - past
    if right:
        # No number is negative, so that a group and a bin make one number together.
        starts = where(past > 0, starts, starts - step)
    numbers: Any = (ticks - by_group.broadcast(starts) - int(right)) // step
    return GroupBins(numbers, None, starts, step, step if binning.is_right_labelled else 0)


def resampler_of_groups(
    groups: DataFrameGroupBy, rule: Any, on: str | None, asked: Mapping[str, Any]
) -> GroupResampler:
    """Return the rows of each group in bins of time; see `DataFrameGroupBy.resample`."""
    binning = Binning.of("resample", rule, **asked)
    if not isinstance(times_of(groups.df, on), Datetime):
        raise ArgumentTypeError("groups are resampled by times, not by spans.")
    return GroupResampler(groups, binning, on)


def resampler_of_column(groups: Any, rule: Any, asked: Mapping[str, Any]) -> Any:
    """Return the values of each group in bins of the times that label them; see `SeriesGroupBy.resample`."""
    made = resampler_of_groups(groups._groups, rule, None, asked)
    made._names, made._one, made._series_name = [groups._groups._columns(None)[0]], True, groups._series.name
    made._keys = dict(zip(groups._names, made._keys.values(), strict=True))
    return made
