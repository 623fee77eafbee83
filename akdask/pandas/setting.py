"""Values put into lazy frames and Series: by label of a column, by mask, label and position of rows.

Each function returns a new object.  The types of columns stay as pandas keeps them; where they would change otherwise,
pandas does it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.elementwise import where
from akdask.engine.alignment import align_by_plan
from akdask.engine.values import Call
from akdask.frames.alignment import put_on_rows_of
from akdask.frames.columnset import VALUES
from akdask.frames.dtypes import missing_rows
from akdask.pandas.face import in_pandas, lazy_kind
from akdask.pandas.labels import (
    arranged,
    column_labels,
    computed,
    data_names,
    framed,
    labels_of_frame,
    probe,
    relabelled,
    row_labels,
    series_of,
)
from akdask.pandas.lazy import LazyFrame, LazySeries, as_labels, is_lazy_type
from akdask.pandas.refusals import ArrangementError, NotLazyError
from akdask.pandas.selection import asked, check_cell, check_labels_meet, labels_of_rows, row_mask, values_on_rows_of


def with_item(frame: LazyFrame, key: Any, value: Any) -> LazyFrame:
    """Return a frame after ``frame[key] = value``."""
    if isinstance(key, pandas.Index | range):
        key = list(key)
    if isinstance(key, list):
        return with_columns(frame, key, value)
    if lazy_kind(key) is not None:
        if labels_of_frame(frame) is not None:
            raise NotLazyError("rows are assigned under labels")
        made = frame.copy()
        made[key] = value
        return _same_types(frame, LazyFrame.under(made))
    if isinstance(key, slice | np.ndarray) or not isinstance(key, Hashable):
        raise NotLazyError("rows are chosen by position")
    return with_column(frame, key, value)


def with_columns(frame: LazyFrame, names: list[Any], value: Any) -> LazyFrame:
    """Return a frame after an assignment to several columns."""
    if any(isinstance(name, bool | np.bool_) for name in names) or not names:
        raise NotLazyError("the key is a mask")
    items: Any
    if lazy_kind(value) == "frame":
        items = [arranged(value, probe(value).iloc[:, number]) for number in range(len(data_names(value)))]
    elif isinstance(value, np.ndarray) and value.ndim == 2:
        items = list(value.T)
    elif isinstance(value, list | tuple) and all(np.isscalar(item) or item is None for item in value):
        items = value
    elif np.isscalar(value) or value is None or isinstance(value, pandas.Timestamp | pandas.Timedelta):
        items = [value] * len(names)
    else:
        raise NotLazyError("values of several columns")
    if len(items) != len(names):
        raise NotLazyError("there are not as many values as columns")
    for name, item in zip(names, items, strict=True):
        frame = with_column(frame, name, item)
    return frame


def with_column(frame: LazyFrame, name: Any, value: Any) -> LazyFrame:
    """Return a frame with one more column, or with one replaced."""
    if lazy_kind(value) == "frame":
        if len(data_names(value)) != 1:
            raise NotLazyError("a frame of several columns is assigned to a column")
        value = series_of(value, name)
    value = values_on_rows_of(frame, value)
    if lazy_kind(value) in (None, "series") and not _is_one(value) and not len(frame):
        raise NotLazyError("a frame without rows takes those of the values")
    if lazy_kind(value) is None:
        value = _as_pandas_has_it(value, len(frame))
    if labels_of_frame(frame) is None and isinstance(name, str):
        made = frame.copy()
        made[name] = value
        return LazyFrame.under(made)
    column = _column(frame, value)
    row = probe(frame)
    number = len(row.columns) + 1

    def put(row: pandas.DataFrame) -> pandas.DataFrame:
        row[name] = number
        return row

    return arranged(frame, asked(put, row), column)  # type: ignore[no-any-return]


def _as_pandas_has_it(value: Any, count: int) -> Any:
    """Return a value of a new column, or its values, such that the column gets the type that pandas gives it."""
    if isinstance(value, pandas.Series | pandas.DataFrame | dict):
        raise NotLazyError("values in memory have labels of their own")
    if np.isscalar(value) and type(value) in (int, float, bool, str):
        return value  # The usual types are the same.
    row = pandas.DataFrame({"old": [0]} if _is_one(value) else {"old": np.zeros(count)})
    row = asked(lambda row: row.assign(new=value), row)
    dtype = row["new"].dtype
    if not is_lazy_type(dtype):
        raise NotLazyError(f"the values are of type {dtype}")
    values = row["new"] if len(row) == count else pandas.Series(np.repeat(row["new"].array, count))
    return as_labels(pandas.Index(values)).values


def _is_one(value: Any) -> bool:
    return np.isscalar(value) or value is None or not hasattr(value, "__len__")


def _column(frame: LazyFrame, value: Any) -> Array:
    """Return a value as a column on the rows of a frame."""
    own = frame._columns
    levels = labels_of_frame(frame)
    is_labelled = levels is None or not levels.levels
    made = LazyFrame._of(own if is_labelled else own.labelled(None))
    name = max(own.values, key=len) + "_"
    made[name] = value
    return made._columns.array(name)


def _same_types(before: LazyFrame, after: LazyFrame) -> LazyFrame:
    """Return a changed frame, unless types of columns that it had are others."""
    old, new = before._columns, after._columns
    for name in old.values:
        if old.array(name).dtype != new.array(name).dtype or type(old.kinds[name]) is not type(new.kinds[name]):
            raise NotLazyError(f"the type of column {name!r} changes")
    return after


# rows


def with_rows(frame: LazyFrame, indexer: str, key: Any, value: Any) -> LazyFrame:
    """Return a frame after an assignment by `loc`, `iloc`, `at` or `iat`."""
    check_cell(indexer, key if isinstance(key, tuple) else [key])
    rows, names = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
    by_label = indexer in ("loc", "at")
    names = in_pandas(names)
    is_new = by_label and isinstance(names, Hashable) and names not in column_labels(frame)
    if is_new and isinstance(rows, slice) and rows == slice(None):
        return with_column(frame, names, value)
    if is_new:
        mask = _mask(frame, rows, by_label)[0]
        return with_column(frame, names, _new_column(frame, mask, value))
    try:
        mask, numbers = _mask(frame, rows, by_label)
    except ArrangementError as error:
        if by_label and isinstance(error.error, KeyError):
            return _enlarged(frame, rows, names, value)
        raise
    chosen = probe(frame)
    chosen = asked(lambda row: row.loc[:, names] if by_label else row.iloc[:, names], chosen)
    columns = [chosen.iloc[0]] if isinstance(chosen, pandas.Series) else list(chosen.iloc[0])
    is_row = not isinstance(rows, slice | list | np.ndarray) and lazy_kind(rows) is None
    items = _items(value, len(columns), is_row, isinstance(chosen, pandas.Series))
    own = frame._columns
    for number, item in zip(columns, items, strict=True):
        name = data_names(frame)[int(number) - 1]
        if by_label and isinstance(rows, slice) and rows == slice(None) and _is_one(item) and pandas.isna(item):
            raise NotLazyError("all values become missing")
        own = own.having(name, _put(frame, own.array(name), mask, numbers, item))
    return relabelled(LazyFrame._of(own), frame)  # type: ignore[no-any-return]


def with_entries(series: LazySeries, indexer: str | None, key: Any, value: Any) -> LazySeries:
    """Return a Series after an assignment by label or position."""
    frame = framed(series, VALUES)
    if not len(series):
        raise NotLazyError("a Series without values takes the type of the value")
    check_cell(indexer, key)
    try:
        mask, numbers = _mask(series, key, indexer in ("loc", "at"), is_item=indexer is None)
    except ArrangementError as error:
        if isinstance(error.error, KeyError) and indexer not in ("iloc", "iat"):
            made = LazyFrame._of(_enlarged(frame, key, slice(None), [value])._columns)
            return series._on_columns(made._columns)
        raise
    own = series._labelled._columns
    return series._on_columns(own.having(VALUES, _put(frame, own.array(VALUES), mask, numbers, value)))


def _mask(lazy: Any, rows: Any, by_label: bool, *, is_item: bool = False) -> tuple[Array, Any]:
    """Return which rows a key chooses, as a lazy mask, and their numbers if they are known."""
    mask = row_mask(lazy, rows)
    if mask is not None:
        return mask, None
    rows, count = in_pandas(rows), len(lazy)
    labels = row_labels(framed(lazy, VALUES) if isinstance(lazy, LazySeries) else lazy) if by_label or is_item else None
    if is_item and isinstance(rows, list | np.ndarray | pandas.Index) and labels is not None and not labels.is_unique:
        raise NotLazyError("labels repeat")
    every = pandas.Series(np.arange(count), labels)
    numbers = asked(lambda all_: all_[rows] if is_item else all_.loc[rows] if by_label else all_.iloc[rows], every)
    numbers = np.atleast_1d(np.asarray(numbers))
    found = np.zeros(count, bool)
    found[numbers] = True
    return array(found), numbers


def _items(value: Any, count: int, is_row: bool, is_column: bool) -> list[Any]:
    """Return the values to assign to each of some columns."""
    kind = lazy_kind(value)
    if is_column and (kind in ("series", "array") or not isinstance(value, list | tuple | np.ndarray)):
        return [value]
    if kind is None and (np.isscalar(value) or value is None or isinstance(value, pandas.Timestamp | pandas.Timedelta)):
        return [value] * count
    if is_column and not is_row:
        return [value]
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1 and len(value) == count and not is_column:
        return list(value)
    raise NotLazyError("the values have labels of their own, or fit neither rows nor columns")


def _pandas_type(column: Array) -> Any:
    """Return the type that pandas has for a column."""
    if isinstance(column, Categorical):
        raise NotLazyError("categories are looked up")
    empty = LazyFrame.of({VALUES: column}).head(0)
    return computed(empty)[VALUES].dtype


def _put(frame: LazyFrame, column: Array, mask: Array, numbers: Any, value: Any) -> Array:
    """Return a column with a value, or with values, where a mask holds."""
    dtype, kind = _pandas_type(column), lazy_kind(value)
    if kind in ("series", "array"):
        return _put_column(frame, column, dtype, mask, value)
    if kind is not None:
        raise NotLazyError("the value is lazy")
    if isinstance(value, list | tuple | np.ndarray | pandas.Series | pandas.Index):
        return _put_list(column, dtype, numbers, value)
    entry = asked(lambda one: _after(one, value), pandas.Series([_filler(dtype)] * 2, dtype=dtype))
    item = entry.iloc[0]
    if pandas.isna(item):
        if numbers is not None and len({*numbers.tolist()}) in (0, len(frame)):
            raise NotLazyError("no value becomes missing, or all do")
        if entry.dtype not in (dtype, np.float64):
            raise NotLazyError("the type of the column changes")
        if entry.dtype != dtype:
            column = column.astype(np.float64)  # also where no row is chosen
        rows, (own, lacks) = align_by_plan("assign", [(column._frame, column._value), (mask._frame, mask._value)])
        found: Array = missing_rows(column, rows, own, lacks)
        return found
    if entry.dtype != dtype:
        raise NotLazyError("the type of the column changes")
    return _of_type(
        where(mask, item.item() if isinstance(item, np.generic) and dtype.kind in "ifb" else item, column), column
    )


def _of_type(found: Array, column: Array) -> Array:
    if found.dtype != column.dtype:
        raise NotLazyError("the type of the column changes")
    return found


def _after(entries: pandas.Series, value: Any) -> pandas.Series:
    entries.iloc[0] = value
    return entries


def _filler(dtype: Any) -> Any:
    """Return a value of a type of pandas."""
    if isinstance(dtype, np.dtype):
        return np.zeros(1, dtype)[0]
    return "" if isinstance(dtype, pandas.StringDtype) else pandas.Timestamp(0, tz=dtype.tz)


def _put_list(column: Array, dtype: Any, numbers: Any, value: Any) -> Array:
    """Return a column with a list of values in rows of given numbers."""
    if numbers is None:
        raise NotLazyError("the rows are not counted")
    if isinstance(value, pandas.Series | pandas.Index):
        raise NotLazyError("the values have labels of their own")
    if len(value) != len(numbers):
        raise NotLazyError("there are not as many values as rows")

    def after(entries: pandas.Series) -> pandas.Series:
        entries.iloc[:] = value
        return entries

    entries = asked(after, pandas.Series([_filler(dtype)] * max(len(numbers), 1), dtype=dtype).iloc[: len(numbers)])
    if entries.dtype != dtype or entries.isna().any() or not len(numbers):
        raise NotLazyError("the type of the column changes")
    made = LazyFrame.of({VALUES: column})
    made[VALUES][numbers] = as_labels(pandas.Index(entries)).values
    return _of_type(made._columns.array(VALUES), column)


def _put_column(frame: LazyFrame, column: Array, dtype: Any, mask: Array, value: Any) -> Array:
    """Return a column with values of another one, by labels, where a mask holds."""
    values = value.values if lazy_kind(value) == "series" else value
    given = _pandas_type(values)
    if given != dtype and not (dtype == np.float64 and given == np.int64):
        raise NotLazyError("the values are of another type")
    labels = labels_of_rows(frame)
    if lazy_kind(value) == "array":
        raise NotLazyError("an array has values for the chosen rows")
    if given != dtype:
        values = (value := value.astype("float64")).values
    if labels.are_those_of(value._row_labels):
        if labels.levels and not row_labels(frame).is_unique:
            raise NotLazyError("labels come twice")
        found = where(mask, values, column)
    elif dtype == np.float64 and len(labels.levels) < 2 and not value._level_names:
        check_labels_meet(frame, value)
        found = put_on_rows_of(labels, column, mask, value)
    else:
        raise NotLazyError("labels of several levels, or of integers, are not aligned lazily")
    return _of_type(found, column)


def _new_column(frame: LazyFrame, mask: Array, value: Any) -> Array:
    """Return a new column with a value where a mask holds, missing elsewhere."""
    if lazy_kind(value) is not None or not _is_one(value) or value is None:
        raise NotLazyError("the values of a new column are a list")
    made = pandas.DataFrame({"old": [0, 1]})
    made.loc[[True, False], "new"] = value
    item = made["new"].iloc[0]
    if pandas.isna(item) or not is_lazy_type(made["new"].dtype):
        raise NotLazyError("the type of a new column has no lazy form")
    is_number = isinstance(item, np.generic) and item.dtype.kind in "ifb"
    column = _column(frame, item.item() if is_number else _as_pandas_has_it(item, len(frame)))
    if _pandas_type(column) != made["new"].dtype:
        raise NotLazyError("the type of a new column is another one")
    rows, (own, holds) = align_by_plan("assign", [(column._frame, column._value), (mask._frame, mask._value)])
    found: Array = missing_rows(column, rows, own, Call("logical_not", holds))
    return found


def _enlarged(frame: LazyFrame, label: Any, names: Any, value: Any) -> LazyFrame:
    """Return a frame with one more row, if no type of a column changes."""
    is_all = isinstance(names, slice) and names == slice(None)
    known = labels_of_frame(frame)
    if not is_all or (known is not None and known.levels) or not np.isscalar(label):
        raise NotLazyError("a new row has missing values, or several levels")
    if isinstance(label, bool) or not isinstance(value, list | tuple) or len(value) != len(data_names(frame)):
        raise NotLazyError("a new row has values for some columns")
    own = frame._columns
    inner = data_names(frame)
    for name, item in zip(inner, value, strict=True):
        dtype = _pandas_type(own.array(name))
        entry = pandas.DataFrame({name: pandas.Series([_filler(dtype)] * 2, dtype=dtype)})
        entry.loc[2] = [item]
        if entry[name].dtype != dtype or pandas.isna(item):
            raise NotLazyError("the type of a column changes")
    made = LazyFrame._of(own)
    made.loc[label] = list(value)
    return relabelled(_same_types(frame, made), frame)  # type: ignore[no-any-return]
