"""The rows that are drawn: which columns, labelled by what, and whether they may be brought here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from akdask.collections.core.array import Array
from akdask.collections.frame.dataframe import DataFrame
from akdask.collections.frame_core.analysis.kinds import numbers_among
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.series.base import VALUES
from akdask.collections.series.series import Series
from akdask.collections.time.timearray import TimeArray
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError
from akdask.plotting.axis_values import AxisValues
from akdask.plotting.canvas import by_pandas

MOST_POINTS = 10_000
"""Rows up to which each is drawn: more than a screen has pixels across."""

MOST_BARS = 1000
"""Rows up to which each has a bar or a slice, with its label."""


@dataclass(frozen=True, slots=True)
class DrawnRows:
    """Columns that are drawn, and the labels of their rows.

    Parameters
    ----------
    columns : ColumnSet
        The columns.
    is_series : bool
        Whether pandas draws them as a Series, without a legend.
    name : hashable
        What a Series is called.
    bring : callable
        Returns all of them as pandas has them; computes.
    """

    columns: ColumnSet
    is_series: bool
    name: Any
    bring: Callable[[], Any]

    @classmethod
    def of(cls, data: DataFrame | Series) -> DrawnRows:
        """Return the rows of a DataFrame or Series."""
        if isinstance(data, Series):
            name = VALUES if data.name is None else str(data.name)
            columns = data._labelled._columns.only([VALUES]).renamed({VALUES: name})
            return cls(columns, True, data.name, data.to_pandas)
        return cls.of_columns(data._columns)

    @classmethod
    def of_columns(cls, columns: ColumnSet) -> DrawnRows:
        """Return all columns of a DataFrame."""
        return cls(columns, False, None, lambda: DataFrame._of(columns).to_pandas())

    def __len__(self) -> int:
        """Return the number of rows; counts them, once, where it is open."""
        return sum(self.columns.counted()) if self.columns.values else 0

    def chosen(self, x: Any = None, y: Any = None) -> DrawnRows:
        """Return the columns `y`, by name or position, labelled by the column `x`.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        if self.is_series:
            if x is not None or y is not None:
                raise ArgumentError("a Series has no columns x and y.", hint="its labels are drawn along the axis.")
            return self
        columns = self.columns
        if x is not None:
            label = self.named(x)
            columns = columns.labelled(columns.array(label), label)
            columns = columns.only(name for name in columns.values if name != label or _names(self, y, label))
        if y is None:
            return self.of_columns(columns)
        is_one = isinstance(y, str | int)
        names = [self.named(item) for item in ([y] if is_one else y)]
        chosen = columns.only(names)
        if not is_one:
            return self.of_columns(chosen)
        return DrawnRows(chosen, True, names[0], lambda: DataFrame._of(chosen).to_pandas()[names[0]])

    def named(self, column: Any) -> str:
        """Return the name of a column that is given by name or position."""
        if not isinstance(column, int):
            self.columns.array(column)
            return str(column)
        names = list(self.columns.values)
        try:
            return names[column]
        except IndexError:
            raise PositionError(f"there is no column {column} of {len(names)}.") from None

    def numbers(self, kind: str) -> list[str]:
        """Return the columns of numbers; bool are none, as in pandas.

        Raises
        ------
        ArgumentTypeError
            If there are none.
        """
        names = [name for name in numbers_among(self.columns) if self.columns.values[name].dtype.kind != "bool"]
        return self._some(kind, names)

    def plottable(self, kind: str) -> list[str]:
        """Return the columns of numbers, or those of times if there are none."""
        numbers = [name for name in numbers_among(self.columns) if self.columns.values[name].dtype.kind != "bool"]
        return self._some(kind, numbers or self._times())

    def keys(self, by: Any) -> list[str]:
        """Return the columns that rows are grouped by, none of None."""
        return [] if by is None else [self.named(name) for name in ([by] if isinstance(by, str) else by)]

    def beside(self, kind: str, keys: Iterable[str], names: Iterable[str]) -> list[str]:
        """Return those of some columns that are no keys.

        Raises
        ------
        ArgumentTypeError
            If there are none.
        """
        keys = set(keys)
        found = [name for name in names if name not in keys]
        if not found:
            raise ArgumentTypeError(
                f"{kind} draws numbers, and there are none beside the keys.", hint="pass column='x'."
            )
        return found

    def axis_values(self, kind: str, names: Iterable[str]) -> list[AxisValues]:
        """Return columns as what stands on an axis."""
        return [AxisValues.of(kind, self.columns.array(name), name) for name in names]

    def labels(self, kind: str) -> AxisValues:
        """Return the labels of the rows as what stands on an axis."""
        name = self.columns.index_name
        return AxisValues.of(kind, self.columns.index_array(), "" if name is None else str(name))

    def drawn_by_pandas(self, kind: str, options: dict[str, Any]) -> Any:
        """Bring all rows and let pandas draw them."""
        if not options.get("include_bool"):
            self._some(kind, [*numbers_among(self.columns), *self._times()])
        return by_pandas(self.bring(), kind, **self.labelled(kind, options))

    def labelled(self, kind: str, options: dict[str, Any]) -> dict[str, Any]:
        """Return options, with what the values of a Series are called where pandas would write nothing."""
        axis = {"hist": "xlabel", "kde": "xlabel", "barh": "xlabel"}.get(kind, "ylabel")
        is_named = self.is_series and self.name is not None and kind != "pie"
        return {axis: str(self.name), **options} if is_named else options

    def demand_few(self, kind: str) -> None:
        """Check that each row can have a mark.

        Raises
        ------
        ArgumentError
            If there are too many, or none.
        """
        if not len(self):
            raise ArgumentError(f"{kind} draws a mark for each row, and there is none.")
        if len(self) > MOST_BARS:
            raise ArgumentError(
                f"{kind} draws a mark for each row, and there are {len(self):,}: up to {MOST_BARS:,} have room.",
                hint="reduce them first: groupby, resample, value_counts, nlargest or head; plot.hist counts in bins.",
            )

    def _times(self) -> list[str]:
        return [name for name, kind in self._kinds() if isinstance(kind, TimeArray)]

    def _kinds(self) -> Iterable[tuple[str, Array]]:
        return [(name, self.columns.kinds[name]) for name in self.columns.values]

    def _some(self, kind: str, names: Sequence[str]) -> list[str]:
        if not names:
            raise ArgumentTypeError(
                f"{kind} draws numbers, and no column has some.",
                details=[f"{name}: {column._type_name()}" for name, column in self._kinds()],
                hint="count what there is of each, as in df.groupby('x').size().plot.bar().",
            )
        return list(names)


def _names(rows: DrawnRows, y: Any, label: str) -> bool:
    """Whether a column is chosen to be drawn."""
    given = [] if y is None else [y] if isinstance(y, str | int) else y
    return label in [rows.named(item) for item in given]
