"""`Resampler`: rows grouped by bins of time, with a row for each bin from the first to the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial, reduce
from typing import Any, Generic, TypeVar

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.calendar import EXAMPLES, frequency_of
from akdask.arrays.creation import arange, array, full
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.elementwise import cast, where
from akdask.arrays.families import reduction, shown_by
from akdask.arrays.group_reductions import GROUP_REDUCTIONS, has_meaning
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.sorting import argsort, insertion_points
from akdask.arrays.time_bins import Binning, demand_times
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NOT_A_TIME
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.values import Call, Constant
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingAttributeError,
    MissingColumnError,
    MissingLabelError,
    errors_end_at_caller,
)
from akdask.frames.columnset import VALUES, ColumnSet, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import is_number, missing_rows, numbers_among
from akdask.frames.group_reductions import Reduced, calls_of, edge_values, reduce_at_once
from akdask.frames.groupby import DataFrameGroupBy, keys_of
from akdask.frames.index import MultiIndex
from akdask.frames.row_labelled import Owner
from akdask.frames.rows_in_groups import empty_rows
from akdask.frames.series import Series, column_series

Rows = TypeVar("Rows", bound=Any)


BIN = "bin of time"
"""What the numbers of bins are called among the keys of groups."""


OF_NOTHING = {"sum": 0, "count": 0, "size": 0, "nunique": 0, "prod": 1, "any": 0, "all": 1}
"""What some reductions find of no rows; others find nothing."""


OHLC = {"open": "first", "high": "max", "low": "min", "close": "last"}


OF_ANY_TYPE = frozenset({"count", "first", "last", "nunique", "size"})
"""Reductions of columns of any type."""


OF_ROWS = (
    "cumsum",
    "cumprod",
    "cummin",
    "cummax",
    "shift",
    "diff",
    "rank",
    "ngroup",
    "cumcount",
    "head",
    "tail",
    "nth",
)
"""Methods of groups whose results have rows of the frame."""


FILLING = {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill", None: None}


_OF_BINS = """
>>> times = ak.Datetime(["2026-01-01T08", "2026-01-01T16", "2026-01-02T08"])
>>> ak.DataFrame({"t": times, "v": [2, 4, 3]}).resample("D", on="t").{name}()["v"].tolist()
{of_groups}
"""


@shown_by(_OF_BINS)
def _of_many_in_bins(bins: Resampler[Rows], name: str, numeric_only: bool = False, min_count: int = 0) -> Any:
    """Return {what} of each bin; lazy.

    Of no rows sums are 0, products 1, and others missing.  First and last values go by time.

    Parameters
    ----------
    numeric_only : bool
        Leave out times; text is left out in any case.
    min_count : int, default 0
        Fewest values, without which the result is missing.
    """
    return bins._each(name, numeric_only, min_count)


@shown_by(_OF_BINS)
def _of_bins(bins: Resampler[Rows], name: str, numeric_only: bool = False) -> Any:
    """Return {what} of each bin, missing of no rows; lazy.

    Parameters
    ----------
    numeric_only : bool
        Leave out times; text is left out in any case.
    """
    return bins._each(name, numeric_only)


@shown_by(_OF_BINS)
def _spread_of_bins(bins: Resampler[Rows], name: str, ddof: int = 1, numeric_only: bool = False) -> Any:
    """Return {what} of each bin, missing where it has no more than `ddof` values; lazy.

    Parameters
    ----------
    ddof : int, default 1
        Subtracted from the number of values.
    numeric_only : bool
        Leave out times; text is left out in any case.
    """
    return bins._each(name, numeric_only, ddof=ddof)


@shown_by(_OF_BINS)
def _of_all_in_bins(bins: Resampler[Rows], name: str) -> Any:
    """Return {what} of each bin; lazy."""
    return bins._each(name)


@errors_end_at_caller
class Resampler(Generic[Rows]):
    """Rows grouped by bins of time, as `DataFrame.resample` gives them.

    Parameters
    ----------
    df : DataFrame
        The rows.
    binning : Binning
        Specification of the bins.
    on : str, optional
        The column of the times, the labels of the rows unless given.
    as_index : bool
        Label the rows of results by the bins; otherwise these are a column.

    Notes
    -----
    Results have one row for each bin from the first to the last.  Of no rows sums and counts are 0, and other results
    missing.  As in pandas, first and last values go by time and not by the order of the rows.
    """

    def __init__(self, df: Rows, binning: Binning, on: str | None, as_index: bool = True) -> None:
        # The copy keeps the grouped columns, as later assignments may change the frame.
        self._df = df.copy()
        self._binning = binning
        self._on = on
        self._as_index = as_index
        self._names: list[str] = [name for name in df._columns.values if name != on]
        # Of one column, results are Series of a name.
        self._one = False
        self._series_name: Any = None
        self._bins = binning.bins(times_of(df, on))

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Return the same bins with only some columns to reduce; of one name, results are Series.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        chosen = copy(self)
        chosen._names = names_of(names)
        self._df._columns.only(chosen._names)
        chosen._one, chosen._series_name = isinstance(names, str), names
        return chosen

    def __getattr__(self, name: str) -> Any:
        """Return the bins with only the column of that name, ``r.x`` for ``r["x"]``, or a method of groups of rows."""
        if name in OF_ROWS:
            return self._of_rows(name)
        if name.startswith("_") or name not in self._df._columns.values:
            raise MissingAttributeError(f"bins of time have no reduction or column {name!r}.")
        return self[name]

    def __len__(self) -> int:
        return self._bins.count

    @property
    def ngroups(self) -> int:
        """Number of bins, empty ones included."""
        return self._bins.count

    # one value for each bin

    def agg(self, func: Any = None, *args: Any, **named: Any) -> Any:
        """Return reductions of each bin; lazy.

        Parameters
        ----------
        func : str, list of str, callable, or mapping of column to str or list of str, optional
            Names of reductions, for all columns that they have a meaning for, or for each.  Several of one column are
            called ``column_reduction``.  A function gets the values of each bin as a pandas Series, in this process, so
            that all rows must fit into its memory; it computes.
        *args
            Further arguments of a function.
        **named : (str, str or callable), of one column str or callable
            Results by name: ``total=("x", "sum")``.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        MissingColumnError
            If there is no such column.
        """
        if func is None and not named:
            raise ArgumentError("agg needs the name of a reduction.")
        if isinstance(func, str) and (args or {"numeric_only", "min_count", "ddof", "q"} & {*named}):
            return getattr(self, func)(*args, **named)
        if self._one:
            return self._agg_of_one(func, args, named)
        if isinstance(func, str) and not named:
            return self._each(func)
        calls = calls_of(func, named, self._names)
        if any(callable(how) for _, _, how in calls):
            return _lazy(self._in_pandas().agg(func, *args, **named))
        self._df._columns.only([column for _, column, _ in calls])
        return self._reduced(calls)

    aggregate = agg

    def _agg_of_one(self, func: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        (column,) = self._names
        wanted = named or (func if isinstance(func, list | tuple | Mapping) else {column: func})
        if not isinstance(wanted, Mapping):
            wanted = {call[0].removeprefix(f"{column}_"): call[2] for call in calls_of(list(wanted), {}, [column])}
        calls = [(name, *call[1:]) for name, how in wanted.items() for call in calls_of(how, {}, [column])]
        if any(callable(how) for _, _, how in calls):
            return _lazy(self._in_pandas().agg(func, *args, **named))
        found = self._reduced(calls)
        is_series = not named and not isinstance(func, list | tuple | Mapping)
        return self._series(found, column) if is_series else found

    def size(self) -> Any:
        """Return the number of rows in each bin, as a Series; lazy."""
        sizes = self._spread("size", self._groups.gb.size()[1])
        found = self._frame({"size": sizes})
        if not self._as_index:
            return found
        series: Any = column_series(found, "size")
        series.name = self._series_name if self._one else None
        return series

    sum = reduction("sum", _of_many_in_bins)
    prod = reduction("prod", _of_many_in_bins)
    min = reduction("min", _of_many_in_bins)
    max = reduction("max", _of_many_in_bins)
    first = reduction("first", _of_many_in_bins)
    last = reduction("last", _of_many_in_bins)
    mean = reduction("mean", _of_bins)
    median = reduction("median", _of_bins)
    std = reduction("std", _spread_of_bins)
    var = reduction("var", _spread_of_bins)

    def sem(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """Return the standard error of the mean of each bin; lazy.  See `sum`."""
        return self.std(ddof, numeric_only) / self._each("count", numeric_only, like="std") ** 0.5

    def quantile(self, q: float = 0.5, numeric_only: bool = False) -> Any:
        """Return a quantile of each bin; lazy.  See `sum`.

        Raises
        ------
        ArgumentError
            If `q` is not one number from 0 to 1.
        """
        if not isinstance(q, int | float | np.number):
            raise ArgumentError("one quantile of bins is found at a time.", hint="call quantile for each.")
        return self._each("quantile", numeric_only, q=float(q))

    count = reduction("count", _of_all_in_bins)
    nunique = reduction("nunique", _of_all_in_bins)

    def ohlc(self) -> Any:
        """Return the first, largest, smallest and last value of each bin, as a DataFrame; lazy.

        Of several columns they are called ``x_open``, ``x_high``, ``x_low`` and ``x_close``, where pandas has labels of
        two levels.

        Examples
        --------
        >>> prices = ak.Series([3, 5, 4], index=ak.Datetime(["2024-01-01", "2024-01-05", "2024-01-09"]))
        >>> prices.resample("MS").ohlc().to_pandas().iloc[0].tolist()
        [3, 5, 3, 4]
        """
        names = self._with_meaning("mean", numeric_only=True)
        return self._reduced(
            [(name if self._one else f"{column}_{name}", column, how) for column in names for name, how in OHLC.items()]
        )

    # functions, rows

    def apply(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the rows of each bin in this process, and combine its results as pandas does; computes.

        Names of reductions are passed to `agg`, whose results are lazy.
        """
        if isinstance(func, str | list | tuple | Mapping):
            return self.agg(func, *args, **kwargs)
        return self._in_pandas().apply(func, *args, **kwargs)

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with the resampler."""
        return func(self, *args, **kwargs)

    def transform(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Return for each row the reduction of its bin, or a running result; see `DataFrameGroupBy`.

        Rows are in the order of their times, as in pandas.
        """
        return self._of_rows("transform")(func, *args, **kwargs)

    def get_group(self, name: Any) -> Any:
        """Return the rows of one bin, by its label; computes whether there is one.

        Raises
        ------
        MissingLabelError
            If there are no rows in a bin of that label.
        """
        rows = self._in_order
        wanted: Any = rows._bins.labels_of_rows() == name
        found = rows._df._rows(wanted)[self._names]
        if not len(found):
            raise MissingLabelError(f"there are no rows in a bin {name!r}.")
        return self._series(found, self._names[0]) if self._one else found

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over labels and rows of bins that have some; computes the labels, and whether there are rows."""
        rows = self._in_order
        numbers: Any = rows._bins.numbers
        for number, label in enumerate(self._bins.labels()):
            found = rows._df._rows(numbers == number)[self._names]
            yield label, self._series(found, self._names[0]) if self._one else found

    # other times

    def ffill(self, limit: int | None = None) -> Any:
        """Return for the time of each bin the row of that time or the last one before it; computes.

        Parameters
        ----------
        limit : int, optional
            How many times in a row take the same one.

        Raises
        ------
        ArgumentError
            If the times are a column, as in pandas, or two rows have the same.
        """
        return self._filled("ffill", limit)

    def bfill(self, limit: int | None = None) -> Any:
        """Return for the time of each bin the row of that time or the next one after it; computes.  See `ffill`."""
        return self._filled("bfill", limit)

    def asfreq(self, fill_value: Any = None) -> Any:
        """Return the row of the time of each bin, missing or filled where there is none; computes.  See `ffill`."""
        return self._filled(None, None, fill_value)

    def nearest(self, limit: int | None = None) -> Any:
        """Return the row nearest to the time of each bin, by pandas in this process; computes."""
        return _lazy(self._in_pandas().nearest(limit=limit))

    def interpolate(self, method: str = "linear", **kwargs: Any) -> Any:
        """Interpolate values at the time of each bin, by pandas in this process; computes."""
        return _lazy(self._in_pandas().interpolate(method, **kwargs))

    # how

    @cached_property
    def _in_order(self) -> Resampler[Rows]:
        """The same bins of the rows in the order of their times; computes whether they are in that order."""
        times = self._bins.times
        if bool(pdarray(times._frame, times._value).is_sorted()):
            return self
        moved = copy(self)
        moved.__dict__.pop("_groups", None)
        moved._df = self._df._rows(argsort(times))
        moved._bins = replace(self._bins, times=times_of(moved._df, self._on))
        return moved

    @cached_property
    def _groups(self) -> DataFrameGroupBy:
        return DataFrameGroupBy(GroupBy(self._bins.numbers), self._df, [BIN])

    @cached_property
    def _place(self) -> tuple[Any, Any] | None:
        """The position of the result of each bin, and which bins have none; None if all have one.  Counts groups."""
        keys = cast(self._groups.gb.unique_keys, np.int64)
        size = len(keys)
        if size == self._bins.count:
            return None
        at: Any = full(self._bins.count, -1, dtype="int64")
        at[keys] = arange(size)
        lacks = at < 0
        return where(lacks, 0, at), lacks

    def _with_meaning(self, how: str, numeric_only: bool) -> list[str]:
        columns = self._df._columns
        numbers = set(numbers_among(columns))
        name = GROUP_REDUCTIONS.get(how.lower(), how)
        wide = name in OF_ANY_TYPE

        def has(column: str) -> bool:
            if column in numbers:
                return name in ("last", "sem") or has_meaning(name, columns.array(column))
            if numeric_only:
                return False
            return wide or (isinstance(columns.kinds[column], TimeArray) and has_meaning(name, columns.array(column)))

        return [column for column in self._names if has(column)]

    def _each(
        self, how: str, numeric_only: bool = False, min_count: int = 0, *, like: str | None = None, **params: Any
    ) -> Any:
        """Return a reduction of all columns that it has a meaning for."""
        if how == "size":
            return self.size()
        if how in ("ohlc", "sem"):
            return getattr(self, how)()
        if how not in OF_ANY_TYPE and how.lower() not in GROUP_REDUCTIONS:
            raise ArgumentError(
                f"bins are not reduced by {how!r}.", details=[f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"]
            )
        names = self._with_meaning(like or how, numeric_only)
        if self._one and not names:
            values = self._df._columns.array(self._names[0])
            raise ArgumentTypeError(f"{how} of bins has no meaning for {values._type_name()}.")
        found = self._reduced([(name, name, how) for name in names], min_count, **params)
        return self._series(found, names[0]) if self._one else found

    def _reduced(self, calls: Sequence[Reduced], min_count: int = 0, **params: Any) -> Any:
        """Return reductions by name."""
        found: dict[str, Array] = {}
        for last, how in ((False, "first"), (True, "last")):
            names = [column for _, column, one in calls if one == how]
            if names:
                ordered = self._in_order
                edges = edge_values(ordered._groups, names, last=last)._columns
                found |= {name: edges.array(column) for name, column, one in calls if one == how}
        rest = [call for call in calls if call[0] not in found]
        if rest:
            reduced = reduce_at_once(self._groups, rest, **params)._columns
            found |= {name: reduced.array(name) for name, _, _ in rest}
        if min_count > 0:
            counts = reduce_at_once(self._groups, [(name, column, "count") for name, column, _ in calls])._columns
            found = {name: _with_least(array, counts.array(name), min_count) for name, array in found.items()}
            return self._frame({name: self._spread("least", found[name]) for name, _, _ in calls})
        return self._frame({name: self._spread(how, found[name]) for name, _, how in calls})

    def _spread(self, how: str, found: Array) -> Array:
        """Extend results of bins with rows to all bins."""
        if self._place is None:
            return found
        at, lacks = self._place
        if not len(found):
            return empty_rows(found, lacks)
        taken = found[at]
        frame, (value, lacking) = align_by_plan(
            "resample", [(taken._frame, taken._value), (lacks._frame, lacks._value)]
        )
        how = how.lower()
        if how in OF_NOTHING and (is_number(found) or isinstance(found, Timedelta)):
            filling = Constant(value.dtype.numpy.type(OF_NOTHING[how]))
            return found._like(frame, Call("where", lacking, filling, value))
        return missing_rows(found, frame, value, lacking)

    def _frame(self, results: Mapping[str, Array]) -> Any:
        labels, name = self._bins.labels(), label_name(self._df, self._on)
        if self._as_index:
            return self._df._of(ColumnSet.of(results, labels, name))
        return self._df._of(ColumnSet.of({"index" if name is None else str(name): labels, **results}))

    def _series(self, found: Any, column: str) -> Any:
        series: Any = column_series(found, column)
        series.name = self._series_name
        return series

    def _of_rows(self, name: str) -> Callable[..., Any]:
        groups = self._in_order._groups
        from akdask.frames.series_groupby import groups_of_column

        chosen: Any = groups_of_column(groups, self._names[0]) if self._one else groups[self._names]

        def call(*args: Any, **kwargs: Any) -> Any:
            found = getattr(chosen, name)(*args, **kwargs)
            if self._one and isinstance(found, Series):
                found.name = self._series_name
            return found

        return call

    def _filled(self, method: str | None, limit: int | None, fill_value: Any = None) -> Any:
        if self._on is not None:
            raise ArgumentError(
                "Upsampling from level= or on= selection is not supported, use .set_index(...) to explicitly set index "
                "to datetime-like"
            )
        found = rows_at(
            self._df._of(self._df._columns.only(self._names)), self._bins.filled(), method, limit, fill_value
        )
        return self._series(found, self._names[0]) if self._one else found

    def _in_pandas(self) -> Any:
        """Return pandas' resampler of the computed rows."""
        grouper = self._binning.grouper
        wanted = [*self._names, *([] if self._on is None else [self._on])]
        given = self._df._of(self._df._columns.only(wanted)).to_pandas()
        asked = {name: getattr(grouper, name) for name in ("closed", "label", "origin", "offset")}
        if self._binning.frequency.span is None:
            # They have no effect, as pandas has warned before.
            asked |= {"origin": "start_day", "offset": None}
        offset = self._binning.frequency.offset
        if self._one and self._on is None:
            return given[self._names[0]].rename(self._series_name).resample(offset, **asked)
        resampler: Any = given.resample(offset, on=self._on, **asked)
        return resampler[self._names[0]] if self._one else resampler


def rows_at(df: Rows, targets: TimeArray, method: str | None, limit: int | None, fill_value: Any) -> Rows:
    """Return a row for each of some times: the row of that label, the last one before, or the next one after.

    Parameters
    ----------
    df : DataFrame
        Rows that are labelled by times.
    targets : TimeArray
        The times, ascending.
    method : {"ffill", "bfill"}, optional
        Which row to take if no row has that time; none unless given.
    limit : int, optional
        Most consecutive times that take the same row.
    fill_value : scalar, optional
        Value of times that take no row; missing unless given.

    Raises
    ------
    ArgumentError
        If two rows have the same label.
    """
    times: Any = df._columns.index_array()
    there = pdarray(times._frame, Call("not_equal", times._value, Constant(NOT_A_TIME)))
    df = df._rows(there)
    times = df._columns.index_array()
    if not bool(pdarray(times._frame, times._value).is_sorted()):
        df = df._rows(argsort(times))
    columns = df._columns
    times = columns.index_array()
    ticks: Any = pdarray(times._frame, times._value)
    size = len(ticks)
    if size > 1 and bool((ticks[1:] == ticks[:-1]).any()):
        raise ArgumentError(
            "cannot reindex on an axis with duplicate labels.", hint="reduce the rows of a time: resample(…).first()."
        )
    sought: Any = pdarray(targets._frame, targets._value)
    if method == "bfill":
        at: Any = insertion_points(ticks, sought, side="left")
        lacks = at >= size
    else:
        at = insertion_points(ticks, sought, side="right") - 1
        lacks = at < 0
    if size:
        at = where(lacks, 0, at)
        of_row = ticks[at]
        if method is None:
            lacks = lacks | (of_row != sought)
        elif limit is not None:
            number: Any = arange(len(sought))
            # The number of times between this one and its row, -1 at the time of the row itself.
            if method == "ffill":
                earlier = number - insertion_points(sought, of_row, side="right")
            else:
                earlier = insertion_points(sought, of_row, side="left") - 1 - number
            lacks = lacks | (earlier >= int(limit))
    found: dict[str, Array] = {}
    for name in columns.values:
        array = columns.array(name)
        moved: Array = array[at] if size else empty_rows(array, sought)
        if fill_value is not None:
            found[name] = where(lacks, fill_value, moved)
            continue
        frame, (value, lacking) = align_by_plan(
            "take rows", [(moved._frame, moved._value), (lacks._frame, lacks._value)]
        )
        found[name] = missing_rows(moved, frame, value, lacking)
    found_rows: Rows = df._of(ColumnSet.of(found, targets, columns.index_name))
    return found_rows


def regular_rows(df: Rows, freq: Any, method: str | None, normalize: bool, fill_value: Any) -> Rows:
    """Return the rows at regular times; see `DataFrame.asfreq`."""
    if method not in FILLING:
        raise ArgumentError(f"asfreq: method={method!r} is neither 'ffill' nor 'bfill'.")
    asked = frequency_of(freq, asked="asfreq")
    times = demand_times("asfreq", df._columns.index_array())
    if isinstance(times, Timedelta):
        raise ArgumentTypeError("asfreq takes rows that are labelled by times, not by spans.")
    targets: Any = _range_of(times, asked.offset)
    found = rows_at(df, targets, FILLING[method], None, fill_value)
    if not normalize:
        return found
    labelled: Rows = found._of(found._columns.labelled(targets.normalize(), found._columns.index_name))
    return labelled


def _range_of(times: TimeArray, offset: Any) -> Any:
    there: Any = pdarray(times._frame, Call("not_equal", times._value, Constant(NOT_A_TIME)))
    known: Any = times[there]
    if not len(known):
        return known
    try:
        found = pd.date_range(value_of(known.min()), value_of(known.max()), freq=offset)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(f"asfreq: {error}", hint=f"take another frequency, {EXAMPLES}") from error
    unit: Any = times._form.unit
    ticks: Any = array(found.as_unit(unit).asi8)
    return times._like(ticks._frame, ticks._value)._lacking(False)


def resampler(df: Rows, rule: Any, on: str | None, level: Any, asked: Mapping[str, Any]) -> Resampler[Rows]:
    """Return the rows grouped by bins of time; see `DataFrame.resample`."""
    binning = Binning.of("resample", rule, **asked)
    if level is not None:
        if on is not None:
            raise ArgumentError("The Grouper cannot specify both a key and a level!", hint="pass on or level.")
        _demand_level(df._columns.index_name, level)
    return Resampler(df, binning, on)


def values_in_bins(series: Series, binning: Binning, level: Any = None) -> Resampler[Any]:
    """Return the values of a Series in bins of the times that label them."""
    index = series.index
    if isinstance(index, MultiIndex):
        if level is None:
            raise ArgumentTypeError(
                "resample needs labels of one level, of times.", hint="say which of the levels has them: level=0."
            )
        index = index.get_level_values(level)
    elif level is not None:
        _demand_level(index.name, level)
    df = DataFrame._of(ColumnSet.of({VALUES: series.values}, index.values, index.name))
    made: Any = Resampler(df, binning, None)[VALUES]
    made._series_name = series.name
    return made


def Grouper(
    key: str | None = None,
    level: Any = None,
    freq: Any = None,
    sort: bool = False,
    dropna: bool = True,
    *,
    closed: str | None = None,
    label: str | None = None,
    origin: Any = "start_day",
    offset: Any = None,
) -> Any:
    """Return a key of `groupby`: bins of time, or a column or level by its name.

    Parameters
    ----------
    key : str, optional
        The column, the labels of the rows unless given.
    level : int or str, optional
        The level of the labels.
    freq : str, pandas offset or timedelta, optional
        How far bins of time are apart, as in `DataFrame.resample`.
    sort : bool
        Accepted for compatibility with pandas; keys are in order in any case.
    dropna : bool, default True
        Accepted for compatibility with pandas; rows without a time are in no bin.
    closed, label, origin, offset
        As in `DataFrame.resample`.

    Returns
    -------
    pandas.Grouper
        For `groupby`.  As the only key it has all bins from the first to the last, beside other keys only bins with
        rows.

    Raises
    ------
    ArgumentError
        If pandas refuses an argument.

    Examples
    --------
    >>> df = ak.DataFrame({"t": ak.Datetime(["2024-01-31", "2024-02-01"]), "k": ["a", "a"], "x": [1, 2]})
    >>> df.groupby(["k", ak.Grouper(key="t", freq="MS")]).sum()["x"].tolist()
    [1, 2]
    """
    if key is not None and level is not None:
        raise ArgumentError("The Grouper cannot specify both a key and a level!", hint="pass key or level.")
    if freq is None:
        return pd.Grouper(key=key, level=level, sort=sort, dropna=dropna)
    asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
    return Binning.of("Grouper", freq, key=key, level=level, dropna=dropna, **asked).grouper


def grouped_by_time(df: Rows, keys: Sequence[Any], use_series: bool, as_index: bool, dropna: bool) -> Any:
    """Return rows grouped by keys of which some are groupers of pandas; see `DataFrame.groupby`."""
    if len(keys) == 1 and keys[0].freq is not None and use_series:
        _check_keys(df, keys[0])
        return Resampler(df, Binning.of_grouper("Grouper", keys[0]), keys[0].key, as_index)
    found = {number: _grouped_by(df, key) for number, key in enumerate(keys) if is_pandas(key, "Grouper")}
    binned = [number for number in found if keys[number].freq is not None]
    if not dropna and binned:
        # Rows without a time are in no bin, even if groups include other missing keys.
        frame, values = align_by_plan(
            "group", [(found[number][1]._frame, found[number][1]._value) for number in binned]
        )
        there = pdarray(
            frame,
            reduce(partial(Call, "logical_and"), [Call("not_equal", value, Constant(NOT_A_TIME)) for value in values]),
        )
        present = {number: (name, label[there]) for number, (name, label) in found.items()}
        keys = [
            key if number in found or isinstance(key, str) else unlabelled(key)[there]
            for number, key in enumerate(keys)
        ]
        df, found = df._rows(there), present
    names: list[str] = []
    arrays: list[Array] = []
    for number, key in enumerate(keys):
        if number in found:
            name, label = found[number]
            names.append(f"key_{number}" if name is None else str(name))
            arrays.append(label)
        else:
            more, others = keys_of(df, [key])
            names += more
            arrays += others
    groups = ColumnGroups(arrays if len(arrays) > 1 else arrays[0], dropna=dropna)
    return DataFrameGroupBy(groups, df, names, as_index) if use_series else groups


def values_grouped_by_time(series: Series, grouper: Any) -> Any:
    """Return the values of a Series grouped by a grouper of pandas; see `Series.groupby`."""
    if grouper.key is not None:
        raise MissingColumnError(
            f"a Series has no column {grouper.key!r}.", hint="leave key out: its labels are meant."
        )
    if grouper.freq is None:
        return series.groupby(level=grouper.level)
    return values_in_bins(series, Binning.of_grouper("Grouper", grouper), grouper.level)


def _grouped_by(df: Any, grouper: Any) -> tuple[Any, Array]:
    """Return the name and the array that a grouper stands for."""
    _check_keys(df, grouper)
    columns = df._columns
    name = columns.index_name if grouper.key is None else grouper.key
    if grouper.freq is not None:
        binning = Binning.of_grouper("Grouper", grouper)
        return name, binning.bins(times_of(df, grouper.key)).labels_of_rows()
    return name, columns.index_array() if grouper.key is None else columns.array(grouper.key)


def _check_keys(df: Any, grouper: Any) -> None:
    if grouper.key is not None:
        df._columns.array(grouper.key)
    elif grouper.level is not None:
        _demand_level(df._columns.index_name, grouper.level)


def _demand_level(name: Any, level: Any) -> None:
    if level not in (0, -1) and (name is None or level != name):
        raise ArgumentError(f"the labels have one level, and not {level!r}.", hint="pass level=0.")


def times_of(df: Any, on: str | None) -> TimeArray:
    """Return the times that assign rows to bins: a column, or the labels of the rows.

    Raises
    ------
    ArgumentTypeError
        If they are no times.
    """
    columns = df._columns
    names = [name for name in columns.values if isinstance(columns.kinds[name], Datetime)]
    return demand_times("resample", columns.index_array() if on is None else columns.array(on), names)


def label_name(df: Any, on: str | None) -> Any:
    """Return the name of the labels of bins."""
    return df._columns.index_name if on is None else on


def _with_least(found: Array, counts: Array, least: int) -> Array:
    """Return results that are missing where there are too few values."""
    frame, (value, count) = align_by_plan("count", [(found._frame, found._value), (counts._frame, counts._value)])
    return missing_rows(found, frame, value, Call("less", count, Constant(least)))


def _lazy(found: Any) -> Any:
    """Return a result of pandas as a lazy DataFrame or Series."""
    if not isinstance(found, pd.DataFrame):
        return Series(found)
    if found.columns.nlevels > 1:
        found = found.set_axis(["_".join(map(str, name)) for name in found.columns], axis=1)
    return DataFrame(found)


def resample(
    frame: DataFrame,
    rule: Any,
    closed: str | None,
    label: str | None,
    on: str | None,
    level: Any,
    origin: Any,
    offset: Any,
) -> Any:
    asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
    return resampler(frame, rule, on, level, asked)


def asfreq(rows: Owner, freq: Any, method: str | None, *, normalize: bool, fill_value: Any) -> Owner:
    if not isinstance(rows, Series):
        return regular_rows(rows, freq, method, normalize, fill_value)
    if rows._level_names:
        raise ArgumentError("asfreq takes labels of one level.")
    return rows._moved(regular_rows(rows._labelled, freq, method, normalize, fill_value))


def resample_series(
    series: Series,
    rule: Any,
    closed: str | None,
    label: str | None,
    on: None,
    level: Any,
    origin: Any,
    offset: Any,
    group_keys: bool,
) -> Any:
    if on is not None:
        raise ArgumentError(f"a Series has no column {on!r}.", hint="its labels are the times, or level= of them.")
    asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
    return values_in_bins(series, Binning.of("resample", rule, **asked), level)
