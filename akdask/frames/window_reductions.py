"""The base classes of windows: reductions of moving, expanding and other windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from operator import index
from typing import Any, ClassVar, Generic, TypeVar

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import FLOAT64, INT64, UINT64
from akdask.engine.rowwise import Project
from akdask.engine.values import Value, cast, widened
from akdask.errors import ArgumentError, MissingAttributeError, UnsupportedError
from akdask.frames.alignment import Owner
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import demand_numbers, numbers_among
from akdask.frames.missing import present
from akdask.operators.windows.kernels import INTEGER_WINDOWS
from akdask.operators.windows.neighbours import WithNeighbours

Result = TypeVar("Result")


class NamedReductions(Generic[Result]):
    """Reductions of windows, by name; lazy, except that windows of groups count rows.

    Of a DataFrame, `numeric_only` leaves out columns without numbers, which are an error otherwise.
    """

    reductions: ClassVar[tuple[str, ...]] = ("sum", "mean", "min", "max", "var", "std", "count")
    """Names that `agg` takes."""

    def _reduced(self, name: str, ddof: int = 1, numeric_only: bool = False) -> Result:
        raise NotImplementedError

    def sum(self, numeric_only: bool = False) -> Result:
        """Return the sum of each window, as float64."""
        return self._reduced("sum", numeric_only=numeric_only)

    def mean(self, numeric_only: bool = False) -> Result:
        """Return the mean of each window, as float64."""
        return self._reduced("mean", numeric_only=numeric_only)

    def min(self, numeric_only: bool = False) -> Result:
        """Return the smallest value of each window, as float64."""
        return self._reduced("min", numeric_only=numeric_only)

    def max(self, numeric_only: bool = False) -> Result:
        """Return the largest value of each window, as float64."""
        return self._reduced("max", numeric_only=numeric_only)

    def var(self, ddof: int = 1, numeric_only: bool = False) -> Result:
        """Return the variance of each window, as float64."""
        return self._reduced("var", ddof=ddof, numeric_only=numeric_only)

    def std(self, ddof: int = 1, numeric_only: bool = False) -> Result:
        """Return the standard deviation of each window, as float64."""
        return self._reduced("std", ddof=ddof, numeric_only=numeric_only)


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
        return self._windows(name, {one: taken(name, self._columns.values[one]) for one in names}, ddof, q)

    def _windows(self, name: str, values: Mapping[str, Value], ddof: int = 1, q: float = 0.5) -> Owner:
        made: dict[str, Array] = {}
        if values:
            project = Project(self._columns.frame, tuple(range(len(values))), tuple(values.values()))
            node = self._node(project, name, index(ddof), q)
            made = {column: pdarray(node, node.column(number)) for number, column in enumerate(values)}
        return self._stepped(self._owner._with_columns(self._with_times(made)))

    def _with_times(self, found: Mapping[str, Array]) -> dict[str, Array]:
        """Return results with the column that is no part of the windows, where there is one."""
        return dict(found)

    def _stepped(self, rows: Any) -> Any:
        """Return the rows that results are wanted of."""
        return rows if self._step in (None, 1) else rows.iloc[:: self._step]


def chosen_numbers(operation: str, columns: ColumnSet, names: Sequence[str], numeric_only: bool) -> Sequence[str]:
    """Return the names of columns to reduce; columns without numbers raise, or are left out by `numeric_only`."""
    if numeric_only:
        numbers = set(numbers_among(columns))
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

    Values must stay exact before they are reduced: where wide integers cancel, only rounding errors would remain.
    """
    is_wide = value.dtype in (INT64, UINT64)
    return value if is_wide and name in INTEGER_WINDOWS else widened(value, FLOAT64)


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
