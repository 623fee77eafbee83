"""Row windows of DataFrames and Series: shifts, differences, moving windows, fills and running results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from operator import index
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from akdask.arrays.array import Array, Labelled
from akdask.arrays.calendar import frequency_of, is_offset
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.elementwise import elementwise, where
from akdask.arrays.families import reduction, shown_by
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cummax, cummin, cumprod, cumsum
from akdask.arrays.timearray import TimeArray, may_lack
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NOT_A_TIME, NULLABLE_INT64, NULLABLE_UINT64, UINT64
from akdask.engine.alignment import align, align_by_plan
from akdask.engine.missing import filled as without_gaps
from akdask.engine.missing import is_missing, lacks_numbers, negated, parts
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant, Value, cast, nearest_floats, with_missing
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingAttributeError,
    UnsupportedError,
    errors_end_at_caller,
)
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import demand_numbers, demand_some_numbers, missing_rows, missing_where, numbers_among
from akdask.frames.missing import present
from akdask.frames.row_labelled import Owner
from akdask.operators.windows.kernels import INTEGER_WINDOWS
from akdask.operators.windows.plan import (
    GROUP,
    MEASURE,
    LastValid,
    Shifted,
    SpanWindows,
    Windows,
    WithNeighbours,
)

SCANS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "cumsum": (cumsum, 0.0),
    "cumprod": (cumprod, 1.0),
    "cummin": (cummin, np.inf),
    "cummax": (cummax, -np.inf),
}
"""Running results by name, and the number that changes none of them."""


Result = TypeVar("Result")


_OF_WINDOWS = """
>>> ak.DataFrame({"v": [2, 4, 3]}).rolling(2).{name}()["v"].tolist()
{of_windows}
"""


@shown_by(_OF_WINDOWS)
def _of_windows(windows: NamedReductions[Result], name: str, numeric_only: bool = False) -> Result:
    """Return {what} of each window, as float64.

    Parameters
    ----------
    numeric_only : bool
        Leave out columns without numbers, which are an error otherwise.
    """
    return windows._reduced(name, numeric_only=numeric_only)


@shown_by(_OF_WINDOWS)
def _spread_of_windows(
    windows: NamedReductions[Result], name: str, ddof: int = 1, numeric_only: bool = False
) -> Result:
    """Return {what} of each window, as float64.

    Parameters
    ----------
    ddof : int, default 1
        Subtracted from the number of values.
    numeric_only : bool
        Leave out columns without numbers, which are an error otherwise.
    """
    return windows._reduced(name, ddof=ddof, numeric_only=numeric_only)


@errors_end_at_caller
class NamedReductions(Generic[Result]):
    """Reductions of windows, by name; lazy, except that windows of groups count rows.

    Of a DataFrame, `numeric_only` leaves out columns without numbers, which are an error otherwise.
    """

    reductions: ClassVar[tuple[str, ...]] = ("sum", "mean", "min", "max", "var", "std", "count")
    """Names that `agg` takes."""

    def _reduced(self, name: str, ddof: int = 1, numeric_only: bool = False) -> Result:
        raise NotImplementedError

    sum = reduction("sum", _of_windows)
    mean = reduction("mean", _of_windows)
    min = reduction("min", _of_windows)
    max = reduction("max", _of_windows)
    var = reduction("var", _spread_of_windows)
    std = reduction("std", _spread_of_windows)


@errors_end_at_caller
class WindowReductions(NamedReductions[Owner]):
    """Reductions of the window that each row has: rows around it, or all before it.

    Parameters
    ----------
    owner : DataFrame or Series
        The object that was windowed, whose class and labels reductions get.
    columns : ColumnSet
        The columns to reduce.
    names : list of str
        Names of the columns to reduce, which have numbers.
    """

    _step: int | None = None
    _least: int

    def __init__(self, owner: Owner, columns: ColumnSet, names: Sequence[str]) -> None:
        self._owner = owner
        self._columns = columns
        self._names = names

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        """Return the windows of all columns of a projection, reduced."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """Return the windows of the column of that name."""
        return column_of(self, name)

    def count(self, numeric_only: bool = False) -> Owner:
        """Return the number of values of each window that are not NaN, as float64; lazy.

        As in pandas, `min_periods` counts all rows then, missing or not.
        """
        columns = self._columns
        names = chosen_numbers("count of windows", columns, self._names, numeric_only)
        return self._windows("sum", {name: cast(present(columns, name), FLOAT64) for name in names})

    def __getitem__(self, names: str | list[str]) -> Any:
        """Return the windows of some columns: ``df.rolling(3)[["x", "y"]]``.  One name gives windows of a Series.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        return chosen_columns(self, names)

    def agg(self, func: str | Sequence[str]) -> Any:
        """Return the reduction of that name, or of a Series several as the columns of a DataFrame; lazy.

        Raises
        ------
        ArgumentError
            If there is no reduction, or several for a DataFrame.
        """
        return aggregated(self, func)

    aggregate = agg

    def _reduced(self, name: str, ddof: int = 1, numeric_only: bool = False, q: float = 0.5) -> Owner:
        names = chosen_numbers(f"{name} of windows", self._columns, self._names, numeric_only)
        values = {one: self._columns.values[one] for one in names}
        found = of_values(lambda name, values: self._arrays(name, values, ddof, q), name, values, self._least)
        return self._with_results(found)

    def _windows(self, name: str, values: Mapping[str, Value]) -> Owner:
        return self._with_results(self._arrays(name, values))

    def _arrays(self, name: str, values: Mapping[str, Value], ddof: int = 1, q: float = 0.5) -> dict[str, Array]:
        if not values:
            return {}
        project = Project(self._columns.frame, tuple(range(len(values))), tuple(values.values()))
        node = self._node(project, name, index(ddof), q)
        return {column: pdarray(node, node.column(number)) for number, column in enumerate(values)}

    def _with_results(self, found: Mapping[str, Array]) -> Owner:
        return self._stepped(self._owner._with_columns(self._with_times(found)))

    def _with_times(self, found: Mapping[str, Array]) -> dict[str, Array]:
        """Return results with the column that is no part of the windows, where there is one."""
        return dict(found)

    def _stepped(self, rows: Any) -> Any:
        """Return the rows that results are wanted of."""
        return rows if self._step in (None, 1) else rows.iloc[:: self._step]


def shift(owner: Owner, periods: int, freq: Any, axis: int, fill_value: Any) -> Owner:
    columns = owner._value_columns()
    if axis not in (0, "index"):
        raise ArgumentError("shift moves rows.", hint="leave axis out; df.T.shift() moves columns in pandas.")
    if freq is not None:
        if fill_value is not None:
            raise ArgumentError("shift with freq leaves no gaps to fill.", hint="pass freq or fill_value.")
        return _labelled_later(owner, _periods(periods), freq)
    return owner._with_columns(shifted(columns, columns.values, _periods(periods), fill_value))


def _labelled_later(owner: Owner, periods: int, freq: Any) -> Owner:
    """Return the same rows with labels that are moved by a multiple of a frequency."""
    labels: Any = owner.index
    moved: Any = owner.copy()
    if not isinstance(labels.values, TimeArray):
        raise ArgumentTypeError(f"shift with freq moves labels that are times, and not {labels.dtype}.")
    offset = frequency_of(freq, asked="shift").offset
    if periods:
        moved.index = type(labels)(labels.values + offset * periods, labels.name)
    return moved


def with_index(owner: Owner, change: Callable[[Any], Any]) -> Owner:
    labels: Any = owner.index
    moved: Any = owner.copy()
    moved.index = change(labels)
    return moved


def diff(owner: Owner, periods: int) -> Owner:
    columns, periods = owner._value_columns(), _periods(periods)
    demand_numbers("diff", columns, _but_times(columns))
    earlier = shifted(columns, columns.values, periods)
    return owner._with_columns({name: difference(columns.array(name), earlier[name]) for name in columns.values})


def pct_change(owner: Owner, periods: int) -> Owner:
    columns = owner._value_columns()
    names = demand_numbers("pct_change", columns, columns.values)
    earlier = shifted(columns, names, _periods(periods))
    # A quotient is a float; beside missing ones no integer becomes another.
    floats = {name: in_floats(columns.array(name)) for name in names}
    return owner._with_columns({name: floats[name] / in_floats(earlier[name]) - 1 for name in names})


def in_floats(array: Array) -> Array:
    """Return numbers as the floats nearest to them."""
    return pdarray(array._frame, nearest_floats(array._value))


def rolling(
    owner: Owner,
    window: Any,
    min_periods: int | None,
    center: bool,
    win_type: None,
    on: str | None,
    closed: str | None,
    step: int | None,
    method: str,
    *,
    numeric_only: bool,
) -> Any:
    columns = owner._value_columns()
    if numeric_only:
        columns = columns.only([name for name in columns.values if name == on or name in numbers_among(columns)])
    demand_plain_windows(win_type, method, center)
    if is_span(window):
        return SpanRolling(owner, columns, window, min_periods, on, closed, center, step)
    return Rolling(owner, columns, window, min_periods, center, closed, on, step)


def fill_along(owner: Owner, *, backwards: bool, limit: int | None) -> Owner:
    columns = owner._value_columns()
    checked_limit(limit)
    return owner._with_columns({name: _filled_along(columns, name, backwards, limit) for name in columns.values})


def running(owner: Owner, name: str) -> Owner:
    columns = owner._value_columns()
    demand_numbers(name, columns, _but_times(columns))
    return owner._with_columns({column: _running(name, columns.array(column)) for column in columns.values})


@errors_end_at_caller
class Rolling(WindowReductions[Owner]):
    """Moving windows of rows, as `DataFrame.rolling` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        The object that was windowed, whose class and labels reductions get.
    columns : ColumnSet
        The columns to reduce.
    window : int
        Rows of a window.
    min_periods : int, optional
        Fewest that must not be missing.
    center : bool
        Whether a row stands in the middle of its window.
    closed : {"right", "left", "both", "neither"}, optional
        Which ends belong to a window; see `DataFrame.rolling`.
    on : str, optional
        A column that stays as it is.
    step : int, optional
        Return the results of one row in so many.
    """

    reductions = (*WindowReductions.reductions, "median")

    def __init__(
        self,
        owner: Owner,
        columns: ColumnSet,
        window: Any,
        min_periods: Any,
        center: bool,
        closed: str | None = None,
        on: str | None = None,
        step: int | None = None,
    ) -> None:
        self._step, self._all, self._on = checked_step(step), columns, on
        if on is not None:
            columns.array(on)
            columns = columns.only(name for name in columns.values if name != on)
        self._width = as_integer("window", window, hint="a span of time is text, such as '90min'.")
        self._least = self._width if min_periods is None else as_integer("min_periods", min_periods)
        if self._width < 1 or not 0 <= self._least <= self._width:
            raise ArgumentError(
                f"a window has at least 1 row, and min_periods are from 0 to that: got window={window!r}, "
                f"min_periods={min_periods!r}."
            )
        super().__init__(owner, columns, demand_some_numbers("rolling", columns))
        with_bound, with_row = ends_of(closed)
        # Rows after the row itself; -1 where it is not in its window.
        self._after = ((self._width - 1) // 2 if center else 0) - (not with_row)
        self._before = self._width - 1 - (self._width - 1) // 2 * center + with_bound

    def _with_times(self, found: Mapping[str, Array]) -> dict[str, Array]:
        if self._on is None:
            return dict(found)
        both = {**found, self._on: self._all.array(self._on)}
        return {column: both[column] for column in self._all.values if column in both}

    def median(self, numeric_only: bool = False) -> Owner:
        """Return the median of each window, as float64; lazy.  See `quantile`."""
        return self._reduced("quantile", numeric_only=numeric_only)

    def quantile(self, q: float, interpolation: str = "linear", numeric_only: bool = False) -> Owner:
        """Return a quantile of each window, between two values in proportion, as float64; lazy.

        Every window is sorted by itself, so that the time grows with the width of the windows.

        Parameters
        ----------
        q : float
            Which quantile, from 0 to 1.
        interpolation : {"linear"}
            Interpolation between two values; other methods of pandas are refused.
        numeric_only : bool, default False
            Leave out columns without numbers.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1.

        Examples
        --------
        >>> ak.Series([1, 9, 4, 8]).rolling(3).median().tolist()
        [nan, nan, 4.0, 8.0]
        """
        return self._reduced("quantile", q=checked_quantile(q, interpolation), numeric_only=numeric_only)

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        before, after = self._before, self._after
        if after < 0:
            # They are the windows of the row above, with which there is one row less before it; there is NaN above all.
            project = Project(project.frame, project.names, tuple(map(nearest_floats, project.values)))
            above = Shifted(project, 1, (np.nan,) * len(project.names))
            values: list[Value] = [above.column(column) for column in project.names]
            if not before:
                # One row without itself is none.
                values = [Call("multiply", value, Constant(np.nan)) for value in values]
            project = Project(above, project.names, tuple(values))
            before, after = max(before - 1, 0), 0
        return Windows(project, name, before, after, self._least, ddof, q)


def span_of(window: Any) -> int:
    """Return the nanoseconds of a span of time.

    Raises
    ------
    ArgumentError
        If it is none, depends on the calendar, or is not longer than nothing.
    """
    found = frequency_of(window, asked="rolling")
    if found.span is None:
        raise ArgumentError(
            f"passed window {window} is not compatible with a datetimelike index: its length depends on the calendar.",
            hint="take a fixed one such as '30D'; groups by the calendar are resample('MS').",
        )
    if found.span < 1:
        raise ArgumentError(f"a window of {window!r} has no length.")
    return found.span


def is_span(window: Any) -> bool:
    """Whether a window is a span of time, and not a number of rows."""
    return isinstance(window, str | np.timedelta64) or hasattr(window, "total_seconds") or is_offset(window)


def demand_plain_windows(win_type: Any, method: str, center: Any = False) -> None:
    """Refuse arguments that windows do not support.

    Raises
    ------
    UnsupportedError
        If rows have weights, or a function wants all columns at once.
    ArgumentError
        If there is no such method, or `center` is no bool.
    """
    if not isinstance(center, bool | np.bool_):
        raise ArgumentError("center must be a boolean", hint=f"not {center!r}.")
    if win_type is not None:
        raise UnsupportedError(
            f"all rows of a window weigh the same: win_type={win_type!r} is not built.",
            hint="leave it out, or series.to_pandas().rolling(…) where the data fit into memory.",
        )
    if method not in ("single", "table"):
        raise ArgumentError("method must be 'table' or 'single'.", hint=f"not {method!r}.")
    if method == "table":
        raise UnsupportedError("windows are reduced column by column.", hint="leave method='table' out.")


def checked_step(step: Any) -> int | None:
    """Return how many rows there are from one result to the next."""
    if step is not None and as_integer("step", step) < 1:
        raise ArgumentError(f"step={step} is less than one row.", hint="pass a number from 1, or none.")
    return step


def ends_of(closed: str | None) -> tuple[bool, bool]:
    """Return whether a window includes the row a whole window before its row, and the row itself.

    Raises
    ------
    ArgumentError
        If `closed` is something else than pandas has.
    """
    if closed not in (None, "right", "left", "both", "neither"):
        raise ArgumentError("closed must be 'right', 'left', 'both' or 'neither'", hint=f"not {closed!r}.")
    return closed in ("left", "both"), closed in (None, "right", "both")


def shifted(columns: ColumnSet, names: Iterable[str], periods: int, fill_value: Any = None) -> dict[str, Array]:
    """Return columns a number of rows further down, with missing values or others where there is no row; lazy."""
    names = list(names)
    if not periods or not names:
        return {name: columns.array(name) for name in names}
    values = [columns.values[name] for name in names]
    fillings = [_filling(columns.kinds[name], value, fill_value) for name, value in zip(names, values, strict=True)]
    node = Shifted(Project(columns.frame, tuple(range(len(values))), tuple(values)), periods, tuple(fillings))
    moved = [node.column(number) for number in range(len(values))]
    found: dict[str, Array] = {}
    for name, value, filling in zip(names, moved, fillings, strict=True):
        kind = columns.kinds[name]
        if fill_value is not None:
            found[name] = where(pdarray(node, node.outside), fill_value, kind._like(node, value))
        else:
            is_complete = filling is None or filling != 0
            kind = may_lack(kind)
            found[name] = kind._like(node, value) if is_complete else missing_rows(kind, node, value, node.outside)
    return found


def _filling(kind: Array, value: Value, fill_value: Any) -> Any:
    """Return the value of a column outside the frame if it is known already; otherwise 0 or empty text."""
    if fill_value is not None or isinstance(kind, Categorical):
        return "" if value.dtype.kind == "str" else 0
    if value.dtype.kind == "str":
        return None
    if isinstance(kind, TimeArray):
        return NOT_A_TIME
    return np.nan if value.dtype == FLOAT64 else 0


def difference(values: Array, earlier: Array) -> Array:
    """Return values minus values of other rows; missing where either is.

    They are float64, spans of time, or int64 of integers some of which may be missing, whose differences wrap as in
    pandas.
    """
    if isinstance(values, TimeArray):
        spans: Array = values - earlier
        return spans
    if values._value.dtype == NULLABLE_INT64:
        steps: Array = elementwise("subtract", values, earlier)
        return steps
    if values._value.dtype.plain not in (INT64, UINT64):
        found: Array = as_type(values, np.float64) - as_type(earlier, np.float64)
        return found
    # Integers are subtracted as such; only their difference becomes a float.
    later, before = (parts(array._value) or (array._value,) for array in (values, earlier))
    framed = [(array._frame, part) for array, own in ((values, later), (earlier, before)) for part in own]
    frame, aligned = align("subtract", framed)
    value: Value = Call("difference", aligned[0], aligned[len(later)])
    for lacks in (*aligned[1 : len(later)], *aligned[len(later) + 1 :]):
        value = Call("where", lacks, Constant(np.nan), value)
    return pdarray(frame, value)


def checked_limit(limit: Any) -> None:
    """Refuse limits that are no whole number from 1."""
    if limit is not None and as_integer("limit", limit) < 1:
        raise ArgumentError(f"limit={limit} fills nothing.", hint="pass a number from 1, or none.")


def _filled_along(columns: ColumnSet, name: str, backwards: bool, limit: int | None) -> Array:
    kind, value = columns.kinds[name], columns.values[name]
    if value.dtype.kind == "list":
        raise ArgumentTypeError("lists are never missing.", hint="leave the column out.")
    if never_lacks(kind, value):
        return columns.array(name)
    is_valid = present(columns, name)
    apart = parts(value)
    frame, moved, valid = columns.frame, value if apart is None else apart[0], is_valid
    row: Value = Constant(0)
    if limit is not None:
        frame, (moved, valid, row) = align("fill", [(frame, moved), (frame, valid), row_numbers(frame)])

    def along(column: Value) -> tuple[LastValid, Value]:
        node = LastValid(Project(frame, (0, 1), (column, valid)), backwards)
        return node, node.column(0)

    if apart is None and limit is None:
        node, filled = along(moved)
        return kind._like(node, filled)
    common, (filled, is_filled, source, valid, row) = align(
        "fill", [along(moved), along(valid), along(row), (frame, valid), (frame, row)]
    )
    if apart is not None:
        filled = with_missing(filled, negated(is_filled), name)
    if limit is not None:
        steps = Call("absolute", Call("subtract", row, source))
        lacks = Call("logical_and", negated(valid), Call("greater", steps, Constant(limit)))
        filled = missing_where(kind, filled, lacks, name)
    return kind._like(common, filled)


def never_lacks(kind: Array, value: Value) -> bool:
    """Whether no element of a column can be missing: integers and bools without missing values."""
    is_plain = isinstance(kind, pdarray) and not isinstance(kind, TimeArray)
    return is_plain and value.dtype.is_number and value.dtype != FLOAT64


def last_valid(frame: Frame, value: Value, is_valid: Value, backwards: bool) -> tuple[Frame, Value]:
    """Return for each row the last valid value before it, or the first one after it; without one its own value."""
    node = LastValid(Project(frame, (0, 1), (value, is_valid)), backwards)
    return node, node.column(0)


def _running(name: str, array: Array) -> Array:
    scan, _ = SCANS[name]
    if isinstance(array, TimeArray):
        return array._scanned(name, skipna=True)
    if not lacks_numbers(array._value.dtype):
        found: Array = scan(array)
        return found
    return but_missing(array, name, scan)


def but_missing(array: Array, name: str, scan: Callable[[pdarray], Array]) -> Any:
    """Return running results of numbers, missing where a number is, which changes no result after it."""
    values, missing = parts(array._value) or (array._value, Call("isnan", array._value))
    neutral: Any = SCANS[name][1]
    if values.dtype == BOOL:
        values = cast(values, INT64)
    if values.dtype != FLOAT64:
        limits = np.iinfo(values.dtype.numpy)
        neutral = values.dtype.numpy.type(min(max(neutral, limits.min), limits.max))
    running = scan(pdarray(array._frame, Call("where", missing, Constant(neutral), values)))
    frame, (total, lacks) = align_by_plan("scan", [(running._frame, running._value), (array._frame, missing)])
    return missing_rows(running, frame, total, lacks)


def _but_times(columns: ColumnSet) -> list[str]:
    return [name for name in columns.values if not isinstance(columns.kinds[name], TimeArray)]


def _periods(periods: Any) -> int:
    return as_integer("periods", periods)


def as_integer(name: str, number: Any, hint: str | None = None) -> int:
    """Return a whole number as an int; refuse anything else."""
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer):
        raise ArgumentTypeError(f"{name} is a whole number, not {number!r}.", hint=hint)
    return int(number)


def chosen_numbers(operation: str, columns: ColumnSet, names: Sequence[str], numeric_only: bool) -> Sequence[str]:
    """Return the names of columns to reduce; columns without numbers raise, or are left out by `numeric_only`.

    As in pandas, `numeric_only` leaves out bools, too.
    """
    if numeric_only:
        numbers = {name for name in numbers_among(columns) if columns.values[name].dtype.kind != "bool"}
        names = [name for name in names if name in numbers]
    return demand_numbers(operation, columns, names)


def checked_quantile(q: Any, interpolation: str) -> float:
    """Return which quantile of windows is wanted.

    Raises
    ------
    ArgumentError
        If it is not from 0 to 1.
    UnsupportedError
        If it is not between two values in proportion.
    """
    if not 0 <= q <= 1:
        raise ArgumentError(f"a quantile is from 0 to 1, not {q!r}.")
    if interpolation != "linear":
        raise UnsupportedError(
            f"quantiles of windows lie between two values in proportion, and not {interpolation!r}.",
            hint="leave interpolation out.",
        )
    return float(q)


def chosen_columns(windows: Any, names: str | list[str]) -> Any:
    """Return windows of some columns; one name gives windows of a Series."""
    chosen: Any = copy(windows)
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        windows._columns.array(name)
    chosen._names = wanted
    chosen._owner = windows._owner if not isinstance(names, str) else _OneColumn(windows._columns, names)
    return chosen


def column_of(windows: Any, name: str) -> Any:
    """Return the windows of the column of a name, as an attribute.

    Raises
    ------
    MissingAttributeError
        If there is none.
    """
    if name.startswith("_") or name not in windows.__dict__.get("_names", ()):
        raise MissingAttributeError(
            f"windows have no reduction or column {name!r}.",
            hint=f"reductions: {', '.join(windows.reductions)}; to_pandas() has others where the data fit into memory.",
        )
    return windows[name]


def aggregated(windows: Any, func: str | Sequence[str]) -> Any:
    """Return the reduction of a name, or of a Series several as the columns of a DataFrame.

    Raises
    ------
    ArgumentError
        If there is no reduction, or several for a DataFrame.
    """
    if isinstance(func, str):
        return reduced_by(windows, func)
    owner: Any = windows._owner
    if not isinstance(owner, Labelled | _OneColumn):
        raise ArgumentError("windows of a DataFrame are reduced by one name.", hint="choose a column first.")
    found = {name: reduced_by(windows, name) for name in func}
    return DataFrame({name: one.values for name, one in found.items()}, next(iter(found.values())).index)


def reduced_by(windows: Any, name: str) -> Any:
    """Return the reduction of windows that has a name."""
    if name not in windows.reductions:
        raise ArgumentError(
            f"windows are not reduced by {name!r}.", hint=f"take one of {', '.join(windows.reductions)}."
        )
    return getattr(windows, name)()


def taken(name: str, value: Value) -> Value:
    """Return a column as input for a reduction of windows: wide integers for sums and means, otherwise floats.

    Where wide integers are added up and cancel, only rounding errors of floats would remain.
    """
    is_wide = value.dtype in (INT64, UINT64)
    return value if is_wide and name in INTEGER_WINDOWS else nearest_floats(value)


def of_values(
    reduce: Callable[[str, Mapping[str, Value]], Mapping[str, Array]],
    name: str,
    values: Mapping[str, Value],
    least: int,
) -> dict[str, Array]:
    """Return reductions of windows of columns; sums and means of integers with missing rows are those of integers.

    Parameters
    ----------
    reduce : callable
        Reduces columns by a name.
    name : str
        The reduction.
    values : mapping of str to Value
        The columns.
    least : int
        Fewest values of a window that are not missing.
    """
    wide = [one for one, value in values.items() if value.dtype in _NULLABLE and name in INTEGER_WINDOWS]
    found = dict(reduce(name, {one: taken(name, value) for one, value in values.items() if one not in wide}))
    if wide:
        totals: Any = reduce("sum", {one: without_gaps(values[one], Constant(0)) for one in wide})
        counts: Any = reduce("sum", {one: cast(negated(is_missing(values[one])), FLOAT64) for one in wide})
        for one in wide:
            result = totals[one] / counts[one] if name == "mean" else totals[one]
            found[one] = where(counts[one] >= least, result, np.nan)
    return {one: found[one] for one in values}


_NULLABLE = (NULLABLE_INT64, NULLABLE_UINT64)


class _OneColumn:
    """The column of a DataFrame that windows were chosen of: results are Series.

    Parameters
    ----------
    columns : ColumnSet
        The columns of the frame.
    name : str
        Which of them.
    """

    def __init__(self, columns: ColumnSet, name: str) -> None:
        self._columns = columns
        self._name = name

    def _with_columns(self, arrays: Mapping[str, Array]) -> Any:
        from akdask.frames.series import series_of

        return series_of(self._columns, arrays[self._name], self._name)


@errors_end_at_caller
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

    def _arrays(self, name: str, values: Mapping[str, Value], ddof: int = 1, q: float = 0.5) -> dict[str, Array]:
        by_name = {column: pdarray(self._columns.frame, value) for column, value in values.items()}
        zero: Any = pdarray(self._times._frame, Constant(np.int64(0)))
        when = pdarray(self._times._frame, self._times._value)
        return span_windows(
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

    def _with_times(self, found: Mapping[str, Array]) -> dict[str, Array]:
        """Return results with the column of times where the frame has it."""
        both = dict(found) if self._on is None else {**found, self._on: self._times}
        return {column: both[column] for column in self._all.values if column in both}


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
