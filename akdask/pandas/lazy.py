"""Lazy frames and columns under pandas' rules, and the way from and to pandas' own objects."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.rules import PANDAS
from akdask.arrays.scalar import Scalar
from akdask.arrays.strings import Strings
from akdask.engine.alignment import max_rows
from akdask.engine.rowwise import Chain, Filter, Zip, numbers_in_order
from akdask.engine.sources import RowNumbers, Rows
from akdask.frames.columnset import INDEX, VALUES, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.series import Series
from akdask.operators.rows.plan import STORED
from akdask.pandas import tuning
from akdask.pandas.arguments import EQUIVALENT
from akdask.pandas.face import faced, lazy_argument
from akdask.pandas.refusals import NotLazyError

LAZY_KINDS = {
    "i8": "int64",
    "u8": "uint64",
    "u1": "uint8",
    "f8": "float64",
    "b1": "bool",
}
"""NumPy types of columns that the engine computes with; times and spans come on top."""


class LazyFrame(DataFrame):
    """Columns on common rows whose operations follow pandas wherever Arkouda contradicts it."""

    _rules = PANDAS

    @classmethod
    def under(cls, frame: DataFrame) -> LazyFrame:
        """Return a frame under pandas' rules; it shares no assignment with the given one."""
        return frame if type(frame) is cls else cls._of(frame._columns)


class LazySeries(Series):
    """A column with labels whose operations follow pandas wherever Arkouda contradicts it."""

    _rules = PANDAS

    @classmethod
    def under(cls, series: Series) -> LazySeries:
        """Return a Series under pandas' rules; it shares no assignment with the given one."""
        if type(series) is cls:
            return series
        made = cls.__new__(cls)
        made.name, made._level_names, made._labelled = series.name, series._level_names, series._labelled
        return made


def is_lazy_type(dtype: Any) -> bool:
    """Return whether the engine computes with values of a type of pandas and gives the same type back."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "mM" or dtype.str[1:] in LAZY_KINDS
    if isinstance(dtype, pandas.StringDtype):
        return dtype.na_value is not pandas.NA
    if isinstance(dtype, pandas.CategoricalDtype):
        return dtype.categories.dtype == "str"
    return isinstance(dtype, pandas.DatetimeTZDtype)


def lazy_frame(rows: pandas.DataFrame) -> LazyFrame:
    """Return pandas' rows as lazy columns.

    Raises
    ------
    NotLazyError
        If the lazy form could not give the same frame back: labels of columns that are not text or repeat, labels of
        rows of several levels, columns of types that the engine does not compute with.
    """
    if _has_frequency(rows.index):
        from akdask.pandas.frequencies import with_frequency, without_frequency

        regular = rows.index
        made = lazy_frame(rows.set_axis(without_frequency(regular)))
        return LazyFrame._of(with_frequency(made._columns, regular))
    check_names(rows.columns)
    other = [name for name, dtype in rows.dtypes.items() if not is_lazy_type(dtype)]
    labels, coding = _plain_labels(rows.index)
    if labels is not rows.index:
        rows = rows.set_axis(labels)
    if not other and coding is None:
        return LazyFrame(rows)
    from akdask.pandas.encoded import encoded, with_codings

    pairs = {str(name): encoded(rows[name]) for name in other}
    plain = rows.copy(deep=False)
    for name, (numbers, _) in pairs.items():
        plain[name] = numbers
    made = LazyFrame(plain)
    codings: dict[Any, Any] = {name: coding for name, (_, coding) in pairs.items()}
    if coding is not None:
        codings[INDEX] = coding
    return LazyFrame._of(with_codings(made._columns, codings))


def as_series(given: Any, name: Hashable = None) -> LazySeries:
    """Return an array or Series of akdask under pandas' rules."""
    found = LazySeries.under(given) if isinstance(given, Series) else LazySeries(given)
    named = found.copy()
    named.name = name
    return named


def check_names(names: pandas.Index) -> None:
    """Raise NotLazyError unless columns are named by different texts."""
    is_text = names.nlevels == 1 and (names.dtype != object or not len(names))
    if not is_text or names.name is not None or not all(isinstance(name, str) for name in names):
        raise NotLazyError("columns are not named by plain text")
    if not len(names) or not names.is_unique or isinstance(names, pandas.CategoricalIndex):
        raise NotLazyError("names of columns repeat, or there are none")


def lazy_series(column: pandas.Series) -> LazySeries:
    """Return a column of pandas as a lazy one.

    Raises
    ------
    NotLazyError
        As for `lazy_frame`.
    """
    if isinstance(column.index, pandas.MultiIndex):
        from akdask.pandas.labels import lazily, series_of

        return series_of(lazily(column.to_frame(VALUES)), column.name)
    # Explained plans then have the name that users know.
    name = column.name if isinstance(column.name, str) else VALUES
    return column_of(lazy_frame(pandas.DataFrame({name: column})), name, column.name)


def column_of(frame: DataFrame, name: str, called: Hashable) -> LazySeries:
    """Return a column of a lazy frame with the labels of its rows."""
    made = LazySeries.__new__(LazySeries)
    made.name, made._level_names = called, ()
    made._labelled = DataFrame._of(frame._columns.only([name]).renamed({name: VALUES}))
    return made


def _plain_labels(labels: pandas.Index) -> tuple[pandas.Index, Any]:
    """Return labels that the engine takes, and what their numbers stand for, None if they are the labels themselves."""
    if isinstance(labels, pandas.RangeIndex):
        is_plain = labels.start == 0 and labels.step == 1 and labels.name is None
        return labels if is_plain else pandas.Index(labels.to_numpy(), name=labels.name), None
    if isinstance(labels.dtype, pandas.CategoricalDtype | pandas.PeriodDtype) and not labels.hasnans:
        from akdask.pandas.encoded import encoded

        numbers, coding = encoded(labels)
        return pandas.Index(numbers, name=labels.name), coding
    _check_labels(labels)
    return labels, None


def _check_labels(labels: pandas.Index) -> None:
    if labels.nlevels > 1:
        raise NotLazyError("rows have labels of several levels")
    if isinstance(labels, pandas.RangeIndex):
        if labels.start or labels.step != 1 or labels.name is not None:
            raise NotLazyError("labels are a range of their own")
        return
    if not is_lazy_type(labels.dtype) or isinstance(labels.dtype, pandas.CategoricalDtype):
        raise NotLazyError(f"labels are of type {labels.dtype}")


def _has_frequency(labels: pandas.Index) -> bool:
    return isinstance(labels, pandas.DatetimeIndex | pandas.TimedeltaIndex) and labels.freq is not None


def plain(rows: Any, masked: frozenset[Hashable] = frozenset()) -> Any:
    """Return computed rows with the types that pandas gives where values are missing: floats and objects.

    Columns that were of pandas' nullable types in the first place, `masked`, stay so.
    """
    if isinstance(rows, pandas.Series):
        return rows if VALUES in masked else _plain_column(rows)
    found = {
        name: _plain_column(rows[name])
        for name, dtype in rows.dtypes.items()
        if _is_masked(dtype) and name not in masked
    }
    return rows.assign(**found) if found else rows


def _is_masked(dtype: Any) -> bool:
    return isinstance(dtype, pandas.Int64Dtype | pandas.UInt64Dtype | pandas.UInt8Dtype | pandas.BooleanDtype)


def _plain_column(column: pandas.Series) -> pandas.Series:
    if not _is_masked(column.dtype):
        return column
    if isinstance(column.dtype, pandas.BooleanDtype):
        return column.astype(object).where(column.notna(), np.nan)
    return column.astype("float64")


def labels_of(frame: DataFrame | Series) -> pandas.Index:
    """Return the labels of the rows as pandas has them; computes the labels alone, and counts rows without any."""
    columns: ColumnSet = frame._columns if isinstance(frame, DataFrame) else frame._labelled._columns
    if columns.index is None:
        return pandas.RangeIndex(sum(columns.counted()), name=columns.index_name)
    labels = LazyFrame._of(columns.only([])).to_pandas().index
    labels.name = columns.index_name
    return counted_labels(columns, labels)


def counted_labels(columns: ColumnSet, labels: pandas.Index) -> pandas.Index:
    """Return labels of rows; of rows chosen from a range, as a range where they are one, as pandas has them."""
    numbers = [base.position for base in columns.frame.bases if isinstance(base, Rows | RowNumbers)]
    if columns.index is None or columns.index not in numbers or labels.dtype != np.int64:
        return labels
    every = pandas.RangeIndex(labels.max() + 1 if len(labels) else 0, name=labels.name)
    return every.take(labels.to_numpy())


def as_labels(index: Any) -> Index:
    """Return labels of pandas as lazy ones."""
    if _has_frequency(index):
        from akdask.pandas.frequencies import index_of

        return index_of(index)
    _check_labels(index)
    return Index(index.array if isinstance(index, pandas.RangeIndex) else index, name=index.name)


def kind_of(given: Any) -> str | None:
    """Return which lazy object of akdask something is: a frame, series, index, scalar or array; None for others."""
    if type(given) is Scalar:
        return "scalar"  # It shows itself as a number.
    for kind, name in KINDS.items():
        if isinstance(given, kind):
            return name
    return None


KINDS: dict[type, str] = {DataFrame: "frame", Series: "series", Index: "index", Array: "array"}


def keeps_equal_rows(column: Series, kind: str, key: Callable[[Any], Any] | None) -> bool:
    """Return whether pandas keeps the order of equal values by which rows are sorted: it does with text of any kind."""
    if kind not in EQUIVALENT["kind"]:
        raise NotLazyError("there is no such sort")
    return kind != "quicksort" or (key is None and isinstance(column.values, Strings))


def rows_found_once(rows: Any) -> Any:
    """Return a lazy frame or Series whose rows are in memory, if which rows there are has to be computed, of few.

    Sorts ask for the keys first, and selections and joins below would be computed for these and for the other columns.
    """
    frame = rows._columns.frame if isinstance(rows, DataFrame) else rows._labelled._columns.frame
    most = None if frame.rows.is_fixed else max_rows(frame)
    return rows if most is None or most > tuning.SORTED_BY_PANDAS else rows.persist()


def key_of_selected(frame: LazyFrame, name: str) -> tuple[LazyFrame, Series, pdarray] | None:
    """Return stored rows that filters select some of, a column of these, and their numbers among all; None for others.

    The column and the numbers are in memory: so filters are asked once, and other columns of few rows alone are read.
    """
    columns = frame._columns
    chain = Chain.of(columns.frame)
    base = chain.bases[0] if len(chain.bases) == 1 else Zip(chain.bases)
    are_filters = bool(chain.selections) and all(isinstance(node, Filter) for node in chain.selections)
    are_stored = all(isinstance(one, STORED) for one in chain.bases)
    if not (are_filters and are_stored) or columns.index is None:
        return None
    if base.rows.size is None or base.rows.size >= tuning.SELECTED_ROWS:
        return None
    numbers = pdarray(*numbers_in_order(columns.frame))
    found = LazyFrame._of(ColumnSet.of({"key": columns.array(name), "number": numbers})).persist()
    return frame._of(replace(columns, frame=base)), column_of(found, "key", name), found._columns.array("number")


def order_of_pandas(
    column: Series, ascending: bool, kind: str, na_position: str, key: Callable[[Any], Any] | None = None
) -> np.ndarray[Any, Any] | None:
    """Return the positions that put a column in pandas' order, None for columns too long for it.

    pandas' quicksort leaves equal values in an order of its own, which shows in the first rows of a sorted frame.
    Longer columns are sorted by the engine, which keeps the order of equal values.
    """
    if kind != "quicksort" or len(column) > tuning.SORTED_BY_PANDAS:
        return None
    if key is not None:
        found = lazy_argument(key(faced(column)))
        if not isinstance(found, Series) or len(found) != len(column):
            raise NotLazyError("the key of a sort gives no column")
        column = found
    rows: Any = column.to_pandas().reset_index(drop=True)
    positions: np.ndarray[Any, Any] = rows.sort_values(ascending=ascending, na_position=na_position).index.to_numpy()
    return positions
