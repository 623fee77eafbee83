"""Missing values of a DataFrame: NaN, NaT, missing text, and missing elements of Categoricals."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, INT64, NULLABLE_BOOL, NULLABLE_STR, TIME
from akdask.engine import missing as missing_integers
from akdask.engine.missing import filled_text, is_present
from akdask.engine.run import run
from akdask.engine.times import is_present_time
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.alignment import as_labelled, columns_on_rows_of
from akdask.frames.columnset import VALUES, ColumnSet, axis_number, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.row_labelled import Owner, RowLabelled
from akdask.operators.reduce.plan import Aggregate, AggregateExpr

if TYPE_CHECKING:
    from akdask.frames.series import Series


def dropna(
    frame: DataFrame,
    axis: int | str,
    how: str | None,
    thresh: int | None,
    ignore_index: bool,
    *,
    subset: str | Sequence[str] | None,
) -> DataFrame:
    if how is not None and thresh is not None:
        raise ArgumentTypeError("dropna takes either how= or thresh=, not both.")
    if how not in (None, "any", "all"):
        raise ArgumentError(f"how={how!r} is neither 'any' nor 'all'.")
    columns = frame._columns
    looked_at = list(columns.values if subset is None else columns.only(names_of(subset)).values)
    if axis_number(axis) == 1:
        if subset is not None:
            raise ArgumentError("subset= chooses columns by which rows are left out; it goes with axis=0.")
        remaining = columns.only(_full_columns(columns, how, thresh))
    elif looked_at:
        mask = _full_rows([present(columns, name) for name in looked_at], how, thresh)
        remaining = columns.on(lambda frame, values: filter_columns(frame, values, columns.frame, mask))
    else:
        remaining = columns
    return frame._of(remaining.labelled(None) if ignore_index else remaining)


def fillna(frame: DataFrame, value: Any) -> DataFrame:
    value = as_labelled(value)
    if isinstance(value, DataFrame):
        return _filled_from_frame(frame, value)
    if isinstance(value, RowLabelled):
        by_name: Any = value
        value = {str(name): item for name, item in by_name.to_pandas().items() if name in frame._columns.values}
    columns, named = frame._columns, isinstance(value, Mapping)
    values = value if named else dict.fromkeys(columns.values, value)
    for name, item in values.items():
        array = columns.array(name)
        wanted = _kind_of_filling(item)
        if wanted is None:
            raise ArgumentTypeError(
                f"what is missing is filled with text, a number, a bool or a time, not a {type(item).__name__}."
            )
        if _fills(wanted, array):
            columns = columns.having(name, filled_array(array, item))
        elif named and not (wanted == "numbers" and array._value.dtype.kind in ("int", "uint")):
            raise ArgumentTypeError(
                f"column {name!r} of {array._describe()} is not filled with {wanted}.",
                hint="text is filled with a str, floats with a number, times with a Timestamp.",
            )
        elif can_be_missing(array, array._value):
            missing = missing_integers.negated(present(columns, name))
            given, _ = missing_integers.integers_and_missing(columns.values[name])
            demanded = Call("demand_present", given, missing, column=name, filling=wanted)
            columns = columns.having(name, array._like(columns.frame, demanded))
    return frame._of(columns)


def _filled_from_frame(frame: DataFrame, other: DataFrame) -> DataFrame:
    columns, given = frame._columns, other._columns
    names = [
        name
        for name, value in columns.values.items()
        if name in given.values and can_be_missing(columns.kinds[name], value)
    ]
    arrays = columns_on_rows_of(frame._row_labels, other._row_labels, [given.array(name) for name in names])
    for name, array in zip(names, arrays, strict=True):
        is_present = pdarray(frame._columns.frame, present(frame._columns, name))
        columns = columns.having(name, where(is_present, frame._columns.array(name), array))
    return frame._of(columns)


def mark_missing(owner: Owner, *, missing: bool) -> Owner:
    columns = owner._value_columns()
    if isinstance(owner, DataFrame):
        are_present = {name: present(columns, name) for name in columns.values}
    else:
        series: Any = owner
        are_present = {VALUES: _present(series)}
    return owner._with_columns(
        {
            name: pdarray(columns.frame, missing_integers.negated(is_present) if missing else is_present)
            for name, is_present in are_present.items()
        }
    )


def present(columns: ColumnSet, name: str) -> Value:
    """Return where a column has a value."""
    return present_among(columns.kinds[name], columns.values[name])


def present_among(kind: Array, value: Value) -> Value:
    """Return which values of a column, given an array like it, are not missing."""
    if isinstance(kind, Categorical):
        return Call("invert", kind._missing_among(value))
    if isinstance(kind, TimeArray):
        return is_present_time(value)
    if missing_integers.lacks_numbers(value.dtype):
        return missing_integers.negated(missing_integers.is_missing(value))
    if value.dtype == NULLABLE_STR:
        return is_present(value)
    if value.dtype.kind == "list":
        return Call("equal", value, value)  # NaN differs from itself.
    return Constant(np.bool_(True))  # The column need not be read.


def of_columns(function: Callable[..., Any], *sides: Any) -> Any:
    """Return a function of the values of columns; no comparison of two Categoricals holds where both are missing."""
    found = function(*sides)
    if function not in (operator.eq, operator.ne) or not all(isinstance(side, Categorical) for side in sides):
        return found
    for side in sides:
        found = found | side.isna() if function is operator.ne else found & ~side.isna()
    return found


def can_be_missing(kind: Array, value: Value) -> bool:
    """Whether values of a column, given an array like it, may be missing."""
    return isinstance(kind, Categorical | TimeArray) or value.dtype == FLOAT64 or value.dtype.nullable


def _is_number(item: Any) -> bool:
    return isinstance(item, int | float | np.integer | np.floating) and not isinstance(item, bool)


def _fills(kind: str, array: Array) -> bool:
    """Whether values of a kind fill missing elements of an array."""
    if kind == "bools":
        return array._value.dtype == NULLABLE_BOOL
    return kind == _filled_with(array)


def _filled_with(array: Array) -> str | None:
    """Return the kind of values that fill missing elements of an array: text, numbers, times, or None."""
    if isinstance(array, TimeArray):
        return "times" if array._is == TIME else "spans of time"
    if isinstance(array, Categorical):
        return "text"
    dtype = array._value.dtype
    return "text" if dtype.kind == "str" else "numbers" if missing_integers.lacks_numbers(dtype) else None


def _kind_of_filling(item: Any) -> str | None:
    """Return the kind of a filling value: text, numbers, times, or None for other values."""
    if isinstance(item, str):
        return "text"
    if isinstance(item, np.datetime64 | datetime.datetime):
        return "times"
    if isinstance(item, np.timedelta64 | datetime.timedelta):
        return "spans of time"
    if isinstance(item, bool | np.bool_):
        return "bools"
    return "numbers" if _is_number(item) else None


def filled_array(array: Array, item: Any) -> Any:
    """Return an array with a value in place of missing elements."""
    if isinstance(array, Categorical):
        return where(array.isna(), item, array)
    if isinstance(array, TimeArray):
        found: Any = where(pdarray(array._frame, is_present_time(array._value)), array, item)
        return found._lacking(False)
    return array._like(array._frame, _filled(array._value, item))


def _filled(value: Value, item: Any) -> Value:
    if value.dtype.kind == "str":
        return filled_text(value, item)
    return missing_integers.filled(value, Constant(item))


def _full_rows(are_present: list[Value], how: str | None, thresh: int | None) -> Value:
    """Return which rows have enough values."""
    if thresh is None:
        return reduce(lambda one, other: Call("logical_or" if how == "all" else "logical_and", one, other), are_present)
    return Call("greater_equal", how_many(are_present), Constant(int(thresh)))


def how_many(are_present: Sequence[Value]) -> Value:
    """Return how many of some bool values hold in each row, as int64."""
    counts: list[Value] = [cast(is_present, INT64) for is_present in are_present]
    return reduce(lambda one, other: Call("add", one, other), counts)


def _full_columns(columns: ColumnSet, how: str | None, thresh: int | None) -> list[str]:
    """Return the columns that have enough values; computes."""
    if not columns.values:
        return []
    wanted: list[Any] = [AggregateExpr("count_nonzero", present(columns, name)) for name in columns.values]
    (counts,) = run(Aggregate(columns.frame, tuple(wanted)))
    least = thresh if thresh is not None else 1 if how == "all" else sum(columns.counted())
    return [name for name, count in zip(columns.values, counts, strict=True) if count >= least]


def fill_series(series: Series, value: Any) -> Series:
    values = series.values
    filling = series._on_rows(value)
    if isinstance(values, Strings | Categorical) and isinstance(filling, str):
        return series._with(values.fillna(filling))
    if isinstance(values, TimeArray):
        filled = where(~series.isna().values, values, filling)
        return series._with(filled if isinstance(filling, Array) else filled._lacking(False))
    if isinstance(values, Strings | Categorical):
        if isinstance(filling, str | Strings | Categorical):
            return series._with(where(series.isna().values, filling, values))
        raise ArgumentTypeError(
            f"missing elements of {values._describe()} are filled with text, not a {type(filling).__name__}.",
            hint="fillna('…') fills them.",
        )
    if not missing_integers.lacks_numbers(values._value.dtype):
        return series._with(values)
    if isinstance(filling, str | Strings):
        raise ArgumentTypeError("NaN is filled with a number, not with text.", hint="make text of it: astype(str).")
    found: Any = where(series.isna().values, filling, values)
    return series._with(values._like(found._frame, found._value) if isinstance(values, pdarray) else found)


def _present(series: Series) -> Value:
    if series._lacking is not None:
        return missing_integers.negated(series._lacking._value)
    if series.values._value.dtype.kind == "list":
        raise ArgumentTypeError("lists are never missing.", hint="ask for s.values.lengths == 0.")
    return present(series._labelled._columns, VALUES)
