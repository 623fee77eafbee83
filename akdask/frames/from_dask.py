"""Import of Dask's arrays and DataFrames as lazy objects, without computing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from akdask._dask import Task, TaskRef
from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.wrap import wrap
from akdask.columns.dtypes import INT64, NULLABLE_STR, PER_SECOND, SPAN, TIME, ColumnType, TimeForm, column_type
from akdask.columns.strings import from_nulls
from akdask.columns.table import Table
from akdask.deferred import pa, pd
from akdask.engine.node import RowSpace
from akdask.engine.sources import Persisted, as_column
from akdask.engine.tokens import token
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError, TimeOverflowError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.operators.values.times import checked_zone, numbers_of

INDEX = ("index",)
"""Name of the labels of rows among the columns of a partition; no column can have it."""

_TIMES = {"M": Datetime, "m": Timedelta}


def from_dask(data: Any) -> Any:
    """Return a Dask DataFrame, Series or array of one dimension as lazy objects with the same partitions.

    Partition lengths are unknown, except for arrays with known chunks; they are counted when an operation needs them.
    Labels of the rows are kept, unless they are plain numbers from 0 without a name.  Known categories of Dask give
    Categoricals, unknown ones text.

    Parameters
    ----------
    data : dask.dataframe.DataFrame, dask.dataframe.Series or dask.array.Array
        A collection of Dask.

    Raises
    ------
    ArgumentTypeError
        If it is of another kind, or has a column of a type that no column can hold.
    ArgumentError
        If an array has several dimensions.
    """
    meta = getattr(data, "_meta", None)
    if isinstance(meta, pd.DataFrame):
        return _frame(data, meta)
    if isinstance(meta, pd.Series):
        return _frame(data.to_frame("values"), meta.to_frame("values"))["values"]
    if isinstance(meta, np.ndarray) and hasattr(data, "chunks"):
        return _array(data)
    raise ArgumentTypeError(
        f"a {type(data).__name__} is no Dask DataFrame, Series or array.", hint="use ak.array(…) or ak.from_arrow(…)."
    )


def _frame(data: Any, meta: pd.DataFrame) -> DataFrame:
    names = list(meta.columns)
    bad = [repr(name) for name in names if type(name) is not str]
    if bad or len(set(names)) < len(names):
        raise ArgumentTypeError("columns are named by str, each by another.", details=bad)
    columns: dict[Hashable, Any] = {name: meta[name].dtype for name in names}
    has_labels = not _is_numbered(meta.index)
    if has_labels:
        columns[INDEX] = meta.index.dtype
    arrays = _arrays(data, columns, [math.nan] * data.npartitions)
    index = Index(arrays.pop(INDEX), meta.index.name) if has_labels else None
    return DataFrame(arrays, index=index)


def _is_numbered(index: pd.Index[Any]) -> bool:
    """Whether labels are the default of Dask: numbers without a name, from 0 in each partition or across them."""
    return index.name is None and (isinstance(index, pd.RangeIndex) or pd.api.types.is_integer_dtype(index.dtype))


def _array(data: Any) -> Array:
    if data.ndim != 1:
        raise ArgumentError(f"an array has one dimension, not {data.ndim}.", hint="pass data.ravel().")
    return _arrays(data, {0: data.dtype}, data.chunks[0])[0]


def _arrays(data: Any, columns: Mapping[Hashable, Any], lengths: Sequence[float]) -> dict[Any, Array]:
    """Return the columns of a Dask collection on the rows of one frame."""
    schema = tuple((name, _type_of(name, dtype)) for name, dtype in columns.items())
    known = {name: dtype.categories for name, dtype in columns.items() if _has_categories(dtype)}
    units = {name: form.unit for name, dtype in columns.items() if (form := _form_of(dtype)) is not None}
    convert = partial(_table, schema=schema, categories=known, units=units)
    optimized = data.optimize() if hasattr(data, "optimize") else data
    graph = dict(optimized.__dask_graph__())
    given = _flat(optimized.__dask_keys__())
    name = f"from-dask-{token(str(given[0]), schema)}"
    keys = [(name, number) for number in range(len(given))]
    graph.update({ours: Task(ours, convert, TaskRef(theirs)) for ours, theirs in zip(keys, given, strict=True)})
    is_known = not any(map(math.isnan, lengths))
    rows = RowSpace.of_lengths(list(map(int, lengths))) if is_known else RowSpace(name, len(keys))
    frame = Persisted(name, graph, tuple(keys), rows, schema)
    return {column: _lazy(frame, column, dtype, columns[column]) for column, dtype in schema}


def _flat(keys: Any) -> list[Any]:
    return [key for item in keys for key in _flat(item)] if isinstance(keys, list) else [keys]


def _lazy(frame: Persisted, name: Hashable, dtype: ColumnType, given: Any) -> Array:
    value = ColumnRef(frame._name, name, dtype)
    if _has_categories(given):
        return Categorical.from_codes(pdarray(frame, value), [*map(str, given.categories)], ordered=bool(given.ordered))
    form = _form_of(given)
    return wrap(frame, value) if form is None else _TIMES[given.kind].of(frame, value, form)


def _has_categories(dtype: Any) -> bool:
    """Whether a type is that of categories that Dask knows, all of which are text."""
    if not isinstance(dtype, pd.CategoricalDtype):
        return False
    known = [item for item in dtype.categories if isinstance(item, str) and item != "__UNKNOWN_CATEGORIES__"]
    return bool(known) and len(known) == len(dtype.categories)


def _type_of(name: Any, dtype: Any) -> ColumnType:
    if _has_categories(dtype) or getattr(dtype, "kind", "") in _TIMES:
        return INT64
    is_text = isinstance(dtype, pd.StringDtype | pd.CategoricalDtype) or dtype == np.dtype(object)
    if isinstance(dtype, pd.ArrowDtype):
        is_text = pa.types.is_string(dtype.pyarrow_dtype) or pa.types.is_large_string(dtype.pyarrow_dtype)
    try:
        if is_text:
            return NULLABLE_STR
        plain = getattr(dtype, "numpy_dtype", dtype)
        # Named as types of data in memory are, so that bytes stay bytes.
        return column_type(plain.name if plain == np.uint8 else plain)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"no column can hold {name!r}, whose type is {dtype}.") from None


def _table(
    part: Any,
    schema: Sequence[tuple[Hashable, ColumnType]],
    categories: Mapping[Hashable, pd.Index[Any]],
    units: Mapping[Hashable, str],
) -> Table:
    """Return a partition of Dask's as a table: the function of its tasks.

    Raises
    ------
    SchemaError
        If it is not of the types that Dask has told.
    """
    columns = {}
    for name, dtype in schema:
        given = part if name == 0 and isinstance(part, np.ndarray) else part.index if name == INDEX else part[name]
        if name in units and getattr(given.dtype, "kind", "") in _TIMES:
            columns[name] = _numbers(name, given, given.dtype.kind, units[name])
        else:
            columns[name] = _column(name, given, dtype, categories.get(name))
    return Table(columns, len(part))


def _column(name: Hashable, given: Any, dtype: ColumnType, categories: pd.Index[Any] | None) -> Any:
    if categories is not None:
        codes = np.asarray(pd.Categorical(given, categories=categories).codes, np.int64)
        return np.where(codes < 0, len(categories), codes)
    if dtype.kind == "str":
        text = pa.array(given, from_pandas=True)
        return from_nulls(as_column(text.cast(pa.large_string())))
    found = as_column(np.asarray(given))
    if not isinstance(found, np.ndarray) or found.dtype != dtype.numpy:
        raise SchemaError(
            f"{name!r} has {given.dtype} in a partition, where Dask has told of {dtype}.",
            hint="give Dask the right types as meta.",
        )
    return found


def _numbers(name: Hashable, given: Any, kind: str, unit: str) -> Any:
    """Return times or spans as numbers of the unit that Dask has told of.

    Raises
    ------
    TimeOverflowError
        If 64 bits do not hold one.
    """
    try:
        return numbers_of(given, kind, unit)[0]
    except TimeOverflowError as error:
        raise TimeOverflowError(
            f"{name!r} has times that do not fit into 64 bits of {unit}.",
            details=error.details,
            hint="give Dask the right types as meta, or pass them as numbers.",
        ) from error


def _form_of(dtype: Any) -> TimeForm | None:
    """Return the form of times of a type, None for types without times."""
    if isinstance(dtype, pd.DatetimeTZDtype):
        return TimeForm(TIME, dtype.unit, checked_zone(dtype.tz))
    if getattr(dtype, "kind", "") not in _TIMES:
        return None
    unit = np.datetime_data(dtype)[0]
    return TimeForm(
        TIME if dtype.kind == "M" else SPAN, unit if unit in PER_SECOND else "ns" if unit == "generic" else "s"
    )
