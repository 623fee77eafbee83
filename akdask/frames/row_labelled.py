"""What a Series and a DataFrame have in common: rows with labels, and what is done to their values alike."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays.array import Array, Collection
from akdask.arrays.families import member, scan, shown_by
from akdask.arrays.writable import Registered
from akdask.errors import errors_end_at_caller
from akdask.frames.columnset import ColumnSet

if TYPE_CHECKING:
    from akdask.frames.alignment import RowLabels
    from akdask.frames.expanding import Decaying, Expanding
    from akdask.frames.index import Index
    from akdask.frames.windows import Rolling, SpanRolling

P = ParamSpec("P")
Owner = TypeVar("Owner", bound="RowLabelled")

NOT_GIVEN = object()
"""Stands for an argument that is not given, where None means a missing value."""

OPERATORS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "sub": (operator.sub, "less", "[0, 1]"),
    "mul": (operator.mul, "times", "[4, 6]"),
    "div": (operator.truediv, "divided as float64 by", "[1.0, 1.5]"),
    "floordiv": (operator.floordiv, "divided, and rounded down, by", "[1, 1]"),
    "mod": (operator.mod, "modulo", "[0, 1]"),
    "pow": (operator.pow, "raised to", "[4, 9]"),
    "eq": (operator.eq, "are equal to", "[True, False]"),
    "ne": (operator.ne, "are not equal to", "[False, True]"),
    "lt": (operator.lt, "are less than", "[False, False]"),
    "le": (operator.le, "are not more than", "[True, False]"),
    "gt": (operator.gt, "are more than", "[False, True]"),
    "ge": (operator.ge, "are not less than", "[True, True]"),
}
"""Operators that are methods, too, by names of these: the function, its verb, and its results of 2 and 3 with 2."""


def operator_method(
    name: str, template: Callable[Concatenate[Owner, Callable[..., Any], P], Owner]
) -> Callable[Concatenate[Owner, P], Owner]:
    """Return the method of an operator: a template (`member`) that computes with the function that is its second."""
    function, what, shown = OPERATORS[name]
    return member(template, name, function, what=what, shown=shown)


_OF_ROWS = """
>>> ak.Series([2, 4, 3]).{name}().tolist()
{of_all}
"""


@shown_by(_OF_ROWS)
def _scanned(rows: Owner, name: str) -> Owner:
    """Return {what} of each value and all before it, missing ones left out, which stay missing; lazy.

    Raises
    ------
    ArgumentTypeError
        If values are no numbers.
    """
    from akdask.frames import windows

    return windows.running(rows, name)


@errors_end_at_caller
class RowLabelled(NDArrayOperatorsMixin, Registered, Collection):
    """Lazy rows with labels, which operators align: `Series` and `DataFrame`."""

    @property
    def index(self) -> Index:
        """The labels of the rows."""
        raise NotImplementedError

    @property
    def _row_labels(self) -> RowLabels:
        raise NotImplementedError

    def _value_columns(self) -> ColumnSet:
        """Return the columns, without columns that are only labels."""
        raise NotImplementedError

    def _with_columns(self, arrays: Mapping[str, Array]) -> Self:
        """Return an object of this kind with other columns and the same labels."""
        raise NotImplementedError

    def _rows(self, key: Any) -> Self:
        """Return the rows that a mask, positions or a slice choose."""
        raise NotImplementedError

    # plan

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted, ()

    @property
    def npartitions(self) -> int:
        """Number of partitions.

        Examples
        --------
        >>> ak.DataFrame({"x": ak.arange(6)}).repartition(3).npartitions
        3
        """
        return self.rows.npartitions

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with the object: ``df.pipe(f, 1)`` for ``f(df, 1)``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.pipe(lambda rows, name: rows[name].sum().item(), "y")
        7
        """
        return func(self, *args, **kwargs)

    # selection

    def between_time(self, start_time: Any, end_time: Any, inclusive: str = "both") -> Self:
        """Return the rows whose labels lie between two times of day; lazy.

        Parameters
        ----------
        start_time, end_time : datetime.time or str
            The bounds, such as ``"09:30"``, by the clocks of the labels; over midnight where the first is later.
        inclusive : {"both", "neither", "left", "right"}
            Which of them count as between.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times, or a bound is none.
        ArgumentError
            If `inclusive` is something else.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2]}, index=ak.Datetime(["2024-01-31T08:00", "2024-02-01T10:00"]))
        >>> df.between_time("09:30", "17:00")["x"].tolist()
        [2]
        """
        from akdask.arrays.calendar import within_day

        chosen = within_day("between_time", self.index.values, start_time, end_time, inclusive)
        return self._rows(chosen)

    def at_time(self, time: Any) -> Self:
        """Return the rows whose labels have a time of day; lazy.  See `between_time`.

        Examples
        --------
        >>> times = ak.Datetime(["2024-01-01 09:30", "2024-01-02 10:00"])
        >>> ak.DataFrame({"x": [1, 2]}, index=times).at_time("09:30")["x"].tolist()
        [1]
        """
        from akdask.arrays.calendar import within_day

        return self._rows(within_day("at_time", self.index.values, time, time))

    def where(self, cond: Any, other: Any = None) -> Self:
        """Return the values where a condition holds, and others elsewhere; lazy.  See `mask`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 5]})
        >>> df.where(df["x"] > 4, 0).to_pandas()["x"].tolist()
        [0, 5]
        """
        from akdask.frames import elementwise

        return elementwise.choose(self, cond, other, invert=True)

    def mask(self, cond: Any, other: Any = None) -> Self:
        """Return the values with others where a condition holds; lazy.

        Parameters
        ----------
        cond : array of bool, Series, DataFrame of bool, or function of this object that returns one
            The choice: row by row, or of a DataFrame cell by cell, by the names of the columns.  Series and DataFrames
            go by their labels; rows and columns that they lack get the other values.
        other : scalar, array, Series or DataFrame, optional
            Replacements, aligned by labels if they have any; missing values unless given.

        Raises
        ------
        ArgumentTypeError
            If the condition is no bool.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 5, 9]})
        >>> df.mask(df["x"] > 4, 0).to_pandas()["x"].tolist()
        [1, 0, 0]
        """
        from akdask.frames import elementwise

        return elementwise.choose(self, cond, other, invert=False)

    # missing values

    def isna(self) -> Self:
        """Return where values are missing, as bool; lazy.

        Raises
        ------
        ArgumentTypeError
            If the values of a Series are lists.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3.0, float("nan")], "y": [1, 2]})
        >>> df.isna().to_pandas()
               x      y
        0  False  False
        1   True  False
        >>> ak.Series([1.0, float("nan")], index=[5, 7]).isna().to_pandas().to_dict()
        {5: False, 7: True}
        """
        from akdask.frames import missing

        return missing.mark_missing(self, missing=True)

    def notna(self) -> Self:
        """Return where values are not missing, as bool; lazy.  See `isna`.

        Examples
        --------
        >>> ak.Series([3.0, float("nan"), 3.0]).notna().tolist()
        [True, False, True]
        """
        from akdask.frames import missing

        return missing.mark_missing(self, missing=False)

    def isnull(self) -> Self:
        """Return where values are missing; the same as `isna`.

        Examples
        --------
        >>> ak.DataFrame({"x": [1.0, np.nan]}).isnull()["x"].tolist()
        [False, True]
        """
        return self.isna()

    def notnull(self) -> Self:
        """Return where values are not missing; the same as `notna`.

        Examples
        --------
        >>> ak.DataFrame({"x": [1.0, np.nan]}).notnull()["x"].tolist()
        [True, False]
        """
        return self.notna()

    def ffill(self, *, limit: int | None = None) -> Self:
        """Fill missing values with the last value before them; lazy.

        Parameters
        ----------
        limit : int, optional
            Fill no more than so many in a row.

        Raises
        ------
        ArgumentError
            If the limit is below 1.

        Examples
        --------
        >>> ak.Series([1.0, float("nan"), 3.0]).ffill().tolist()
        [1.0, 1.0, 3.0]
        """
        from akdask.frames import windows

        return windows.fill_along(self, backwards=False, limit=limit)

    def bfill(self, *, limit: int | None = None) -> Self:
        """Fill missing values with the next value after them; lazy.  See `ffill`.

        Examples
        --------
        >>> ak.DataFrame({"x": [np.nan, 2.0]}).bfill()["x"].tolist()
        [2.0, 2.0]
        """
        from akdask.frames import windows

        return windows.fill_along(self, backwards=True, limit=limit)

    # values

    def abs(self) -> Self:
        """Return the absolute values; lazy.

        Raises
        ------
        ArgumentTypeError
            If values are no numbers.

        Examples
        --------
        >>> ak.DataFrame({"x": [-1, 2]}).abs()["x"].tolist()
        [1, 2]
        """
        from akdask.frames import elementwise

        return elementwise.absolute(self)

    def round(self, decimals: int | Mapping[str, int] = 0) -> Self:
        """Return numbers rounded to a number of decimals, half to even; other values stay; lazy.

        Parameters
        ----------
        decimals : int, or mapping of str to int
            Digits for all values, or of a DataFrame by the names of columns; -1 rounds to tens, integers too.

        Examples
        --------
        >>> ak.Series([1.25, 2.346]).round(1).tolist()
        [1.2, 2.3]
        >>> ak.Series([15, 25, -5]).round(-1).tolist()
        [20, 20, 0]
        """
        from akdask.frames import elementwise

        return elementwise.round_values(self, decimals)

    def clip(self, lower: Any = None, upper: Any = None) -> Self:
        """Return numbers, times and ordered labels bounded below and above; all else stays; lazy.

        Parameters
        ----------
        lower, upper : number, time, array, Series or DataFrame, optional
            The bounds of all values, of each row, or of each value.  None or a missing bound is no bound.  A Series or
            DataFrame is aligned by labels; values whose labels it lacks become missing.  Of two scalar bounds the
            lesser is the lower one, as in pandas.

        Raises
        ------
        ArgumentTypeError
            If a Series of times has bounds of another kind; of a DataFrame such columns stay as they are.

        Examples
        --------
        >>> ak.Series([1, 5, 9]).clip(2, 6).tolist()
        [2, 5, 6]
        """
        from akdask.frames import elementwise

        return elementwise.clip(self, lower, upper)

    def replace(self, to_replace: Any, value: Any = NOT_GIVEN) -> Self:
        """Return the values with some of them replaced by others; lazy.

        Parameters
        ----------
        to_replace : scalar, list, or mapping
            Old values: one, several, or a mapping of old values to new ones; of a DataFrame also such mappings by
            column, and with `value` a mapping with the old values of each column.
        value : scalar, list, or mapping
            New values, one for all or one for each old value, or of a DataFrame those of each column; None and
            NaN stand for a missing value.

        Returns
        -------
        DataFrame or Series
            Values of other types than the old ones stay as they are.

        Raises
        ------
        ArgumentError
            If there are not as many new values as old ones.

        Examples
        --------
        >>> ak.Series(["a", "b", "a"]).replace({"a": "z"}).tolist()
        ['z', 'b', 'z']
        >>> ak.DataFrame({"x": [1, 2]}).replace([1, 2], 0).to_pandas()["x"].tolist()
        [0, 0]
        """
        from akdask.frames import elementwise

        return elementwise.replace(self, to_replace, value)

    def rank(
        self, method: str = "average", ascending: bool = True, pct: bool = False, *, na_option: str = "keep"
    ) -> Self:
        """Return the rank of each value in its column, from 1, as float64 with NaN for missing values; lazy.

        Parameters
        ----------
        method : {"average", "min", "max", "first", "dense"}
            Rank of equal values: the mean of their ranks, the smallest, the largest, ranks in the order of the rows, or
            ranks without gaps.
        ascending : bool, default True
            Whether the smallest value has the first rank.
        pct : bool, default False
            Divide ranks by the number of them.
        na_option : {"keep", "top", "bottom"}
            Whether missing values have no rank, the first ones or the last ones.

        Raises
        ------
        ArgumentError
            If there is no such method or option.

        Examples
        --------
        >>> ak.DataFrame({"x": [20, 10, 20]}).rank().to_pandas()["x"].tolist()
        [2.5, 1.0, 2.5]
        """
        from akdask.frames import sorting

        return sorting.rank(self, method, ascending, pct, na_option=na_option)

    # windows

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: None = None,
        on: str | None = None,
        closed: str | None = None,
        step: int | None = None,
        method: str = "single",
        *,
        numeric_only: bool = False,
    ) -> Rolling[Self] | SpanRolling[Self]:
        """Return moving windows of rows, to be reduced: ``df.rolling(3).mean()``; lazy.

        Parameters
        ----------
        window : int, str, pandas offset or timedelta
            Rows of a window; or a span of time such as ``"90min"``, whose length does not depend on the calendar: the
            rows less than that before each one, which must be in the order of their times.
        min_periods : int, optional
            Fewest rows of a window that must exist and not be missing; with fewer the result is NaN.  All rows unless
            given, of a span 1.
        center : bool, default False
            Let a row stand in the middle of its window, otherwise it is the last one.  Of spans, half is after it.
        win_type : None
            All rows of a window weigh the same; windows of SciPy are refused.
        on : str, optional
            For a span, the column of times, which stays as it is; the labels of the rows unless given, and of a Series.
        closed : {"right", "left", "both", "neither"}, optional
            Which ends belong to a window: on the right the row itself, on the left the row a whole window before it.
            The row alone unless given.
        step : int, optional
            Return the results of one row in so many, from the first one.  Not for spans, as in pandas.
        method : {"single"}
            Accepted for compatibility with pandas, which has ``"table"`` for functions of users.
        numeric_only : bool, default False
            Leave out columns of a DataFrame without numbers.

        Returns
        -------
        Rolling or SpanRolling

        Raises
        ------
        ArgumentError
            If `window` is less than 1, or `min_periods` is not from 0 to `window`; of spans, when it is computed, if
            the times are not in order.
        ArgumentTypeError
            If they are no whole numbers, values are no numbers, or there are no times.
        UnsupportedError
            If `win_type` is given, or `method` is another one.

        Notes
        -----
        Follows ``rolling`` of pandas: infinite values count as missing.  Each window is summed on its own,
        which is more exact than the running sums of pandas.

        Examples
        --------
        >>> ak.Series([1, 2, 4, 8]).rolling(2).sum().tolist()
        [nan, 3.0, 6.0, 12.0]
        >>> times = ak.Datetime(ak.array([0, 50, 70, 200]), unit="m")
        >>> ak.Series([1, 2, 4, 8], index=times).rolling("1h").sum().tolist()
        [1.0, 3.0, 6.0, 8.0]
        """
        from akdask.frames import windows

        return windows.rolling(
            self, window, min_periods, center, win_type, on, closed, step, method, numeric_only=numeric_only
        )

    def expanding(self, min_periods: int = 1, method: str = "single") -> Expanding[Self]:
        """Return windows of each row and all rows before it, to be reduced: ``df.expanding().mean()``; lazy.

        Parameters
        ----------
        min_periods : int, default 1
            Fewest rows that must not be missing; with fewer the result is NaN.
        method : {"single"}
            Accepted for compatibility with pandas; see `rolling`.

        Raises
        ------
        ArgumentError
            If `min_periods` is negative.
        ArgumentTypeError
            If it is no whole number, or values are no numbers.

        Notes
        -----
        Follows ``expanding`` of pandas: infinite values count as missing.

        Examples
        --------
        >>> ak.Series([1, 2, 6]).expanding().mean().tolist()
        [1.0, 1.5, 3.0]
        """
        from akdask.frames import expanding

        return expanding.expanding(self, min_periods, method)

    def ewm(
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int | None = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        times: Any = None,
        method: str = "single",
    ) -> Decaying[Self]:
        """Return windows from the first row to each row, with weights that decay: ``df.ewm(span=5).mean()``; lazy.

        Parameters
        ----------
        com, span, halflife, alpha : float
            How fast weights decay: one of them.  They become ``1 - alpha`` times as much with each row, where alpha is
            ``1 / (1 + com)``, ``2 / (span + 1)`` or ``1 - 0.5 ** (1 / halflife)``.  Beside `times`, halflife is a span
            such as ``"2D"``.
        min_periods : int, default 0
            Fewest rows that must not be missing, at least 1; with fewer the result is NaN.
        adjust : bool, default True
            Divide by the sum of the weights; otherwise weigh each value by `alpha`, and the result before by the rest.
        ignore_na : bool, default False
            Let weights decay only with values that are not missing.
        times : Datetime or Series, optional
            The time of each row; weights halve with each `halflife`.
        method : {"single"}
            Accepted for compatibility with pandas; see `rolling`.

        Raises
        ------
        ArgumentError
            If not exactly one of the four is given, or it is out of range.
        ArgumentTypeError
            If values are no numbers, or `times` is no array of times.
        UnsupportedError
            If `method` is another one.

        Notes
        -----
        Follows ``ewm`` of pandas as it is documented.  Where `alpha` is 0.5, values are missing, and neither
        `adjust` nor `ignore_na` is given, pandas has other weights than it documents.

        Examples
        --------
        >>> ak.Series([8.0, 0.0, 4.0]).ewm(alpha=0.5, adjust=False).mean().tolist()
        [8.0, 4.0, 4.0]
        """
        from akdask.frames import expanding

        return expanding.ewm(self, com, span, halflife, alpha, min_periods, adjust, ignore_na, times, method)

    def shift(self, periods: int = 1, freq: Any = None, axis: int = 0, fill_value: Any = None) -> Self:
        """Return the values `periods` rows further down, or up if negative, with the labels where they were; lazy.

        Parameters
        ----------
        periods : int, default 1
            How many rows.
        freq : str, pandas offset or timedelta, optional
            Leave the values where they are, and move the times that label them by `periods` times it.
        axis : 0
            Accepted for compatibility with pandas.
        fill_value : scalar, optional
            Value of rows without a source; missing unless given.

        Raises
        ------
        ArgumentTypeError
            If `periods` is no whole number, or labels are no times that `freq` could move.
        ArgumentError
            If pandas refuses `freq`, or it is given beside `fill_value`.
        UnsupportedError
            If values have nothing for missing elements, as lists have not.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2, 3]}).shift().to_pandas()["x"].tolist()
        [<NA>, 1, 2]
        >>> ak.Series([1, 2, 3]).shift().tolist()
        [nan, 1.0, 2.0]
        >>> ak.Series([1, 2, 3]).shift(-1, fill_value=0).tolist()
        [2, 3, 0]
        >>> ak.Series([1], index=ak.Datetime(["2024-01-31"])).shift(2, freq="MS").index[0]
        Timestamp('2024-03-01 00:00:00')
        """
        from akdask.frames import windows

        return windows.shift(self, periods, freq, axis, fill_value)

    def diff(self, periods: int = 1) -> Self:
        """Return each value less the one `periods` rows before, or after if negative; lazy.

        Returns
        -------
        DataFrame or Series
            Of float64, with NaN where there is no such row; of times, spans with NaT.  Bools count as 0 and 1.

        Raises
        ------
        ArgumentTypeError
            If values are neither numbers nor times.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 4, 9]}).diff().to_pandas()["x"].tolist()
        [nan, 3.0, 5.0]
        """
        from akdask.frames import windows

        return windows.diff(self, periods)

    def pct_change(self, periods: int = 1) -> Self:
        """Return the relative change from the value `periods` rows before, as float64; lazy.

        Missing values are not filled first.

        Raises
        ------
        ArgumentTypeError
            If values are no numbers.

        Examples
        --------
        >>> ak.Series([4.0, 5.0, 10.0]).pct_change().tolist()
        [nan, 0.25, 1.0]
        """
        from akdask.frames import windows

        return windows.pct_change(self, periods)

    cumsum = scan("cumsum", _scanned)
    cumprod = scan("cumprod", _scanned)
    cummin = scan("cummin", _scanned)
    cummax = scan("cummax", _scanned)

    # times that are labels

    def tz_convert(self, tz: Any) -> Self:
        """Return the same rows, whose labels are the same times on the clocks of another zone; lazy.

        Parameters
        ----------
        tz : str, tzinfo or None
            The zone, see `Datetime.tz_convert`.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times with a zone.

        Examples
        --------
        >>> s = ak.Series([1], index=ak.Datetime(["2024-07-01T12:00"]))
        >>> s.tz_localize("UTC").tz_convert("Europe/Berlin").index[0]
        Timestamp('2024-07-01 14:00:00+0200', tz='Europe/Berlin')
        """
        from akdask.frames import windows

        return windows.with_index(self, lambda labels: labels.tz_convert(tz))

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Self:
        """Return the same rows, labelled by the times at which the clocks of a zone show the labels; lazy.

        Parameters
        ----------
        tz : str, tzinfo or None
            The zone.
        ambiguous, nonexistent : str, bool, array of bool or timedelta
            Treatment of times that clocks show twice or not at all; see `Datetime.tz_localize`.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times without a zone.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1]}, index=ak.Datetime(["2024-07-01"]))
        >>> df.tz_localize("Europe/Berlin").index.to_pandas()[0]
        Timestamp('2024-07-01 00:00:00+0200', tz='Europe/Berlin')
        """
        from akdask.frames import windows

        return windows.with_index(self, lambda labels: labels.tz_localize(tz, ambiguous, nonexistent))

    def asfreq(self, freq: Any, method: str | None = None, *, normalize: bool = False, fill_value: Any = None) -> Self:
        """Return the rows at regular times from the first to the last one, by their labels; computes these.

        Parameters
        ----------
        freq : str, pandas offset or timedelta
            How far the times are apart.
        method : {"ffill", "pad", "bfill", "backfill"}, optional
            Take the last row before a time, or the next one after it, where none is of that time.
        normalize : bool
            Label the rows by the start of their day.
        fill_value : scalar, optional
            Value of times without a row; missing unless given.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times.
        ArgumentError
            If pandas refuses the frequency, or two rows have the same label.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2]}, index=ak.Datetime(["2024-01-31", "2024-03-31"]))
        >>> df.asfreq("ME", fill_value=0).to_pandas()["x"].tolist()
        [1, 0, 2]
        """
        from akdask.frames import resampling

        return resampling.asfreq(self, freq, method, normalize=normalize, fill_value=fill_value)

    # pictures, text and NumPy

    @property
    def plot(self) -> Any:
        """Pictures of the values, as in pandas: ``df.plot.line()``, ``df.plot(kind="hist")``; see `Plots`.

        Examples
        --------
        >>> axes = ak.DataFrame({"x": [3, 1, 3]}).plot()
        >>> axes.get_lines()[0].get_ydata().tolist()
        [3, 1, 3]
        """
        from akdask.plotting import Plots

        return Plots(self)

    @property
    def hvplot(self) -> Any:
        """Interactive pictures by hvPlot: ``df.hvplot.scatter("x", "y", by="kind")``; computes when it draws.

        hvPlot gets the columns that the arguments name, or all where it may draw others, as without ``y``.  Its
        arguments and results are those for frames of pandas.  All rows come into this process: for many, draw
        `bins2d`, or pass ``rasterize=True``.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [3, 1], "z": [0, 0]}).hvplot.scatter("x", "y")  # doctest: +SKIP
        :Scatter   [x]   (y)
        """
        from akdask.plotting import InteractivePlots

        return InteractivePlots(self)

    def to_markdown(
        self, mode: str = "wt", index: bool = True, tablefmt: str = "grid", storage_options: Any = None, **kwargs: Any
    ) -> str | None:
        """Return the rows as a table in text, or write it to a file; computes.  For small frames.

        Parameters
        ----------
        mode : str
            How a file is opened that is named by ``buf=``.
        index : bool
            Number the rows.
        tablefmt : str, default "grid"
            A format of the package tabulate, which must be installed.
        storage_options : dict, optional
            Options with which fsspec opens a URL.
        **kwargs
            Further arguments of ``pandas.DataFrame.to_markdown``.

        Examples
        --------
        >>> print(ak.DataFrame({"x": [3, 1]}).to_markdown(tablefmt="pipe"))
        |    |   x |
        |---:|----:|
        |  0 |   3 |
        |  1 |   1 |
        """
        from akdask.frames import display

        return display.to_markdown(self, mode, index, tablefmt, storage_options, **kwargs)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array, of a DataFrame of two dimensions; see `pdarray.to_numpy`.  Computes.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.to_numpy()
        array([[1, 3],
               [2, 4]])
        """
        return np.asarray(self, dtype=dtype)
