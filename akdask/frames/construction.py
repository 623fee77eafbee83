"""Construction of DataFrames and Series from any data that a user passes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from akdask.arrays.array import Array, Labelled, of_rows, special, unlabelled, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import check_names, names_of
from akdask.arrays.creation import array
from akdask.arrays.elementwise import operand
from akdask.arrays.scalar import Scalar
from akdask.arrays.stored_arrays import open_prefix, read_objects
from akdask.arrays.timearray import CLASSES, Moment
from akdask.arrays.writing import Path
from akdask.columns.dtypes import SPAN, TIME
from akdask.columns.table import Table
from akdask.deferred import is_pandas, pd
from akdask.engine.node import Frame
from akdask.engine.sources import as_column, counted, literal_table
from akdask.engine.values import Constant
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.alignment import RowLabels, as_labelled, on_all_labels, on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.series import Series
from akdask.storage.locales import Filenames
from akdask.storage.registry import format_named, open_files


def columns_of(initialdata: Any, index: Any, columns: Sequence[str] | None) -> ColumnSet:
    """Return the columns and labels of the arguments of `DataFrame`."""
    named, found = split_index(named_items(initialdata, columns))
    labels = found if index is None else Index(index)
    if isinstance(initialdata, Mapping):
        named, labels = _on_common_labels(named, labels)
    if labels is not None and all(map(is_scalar, named.values())):
        named = {name: spread(labels.values._frame, item) for name, item in named.items()}
    arrays = arrays_of(named)
    return ColumnSet.of(arrays) if labels is None else ColumnSet.of(arrays, labels.values, labels.name)


def from_pandas(rows: pd.DataFrame) -> DataFrame:
    if not is_pandas(rows, "DataFrame"):
        raise ArgumentTypeError(f"from_pandas takes a pandas DataFrame, got {type(rows).__name__}.")
    return DataFrame(rows)


def from_records(data: Any, columns: Sequence[str] | None, exclude: Sequence[str] | None) -> DataFrame:
    try:
        names: Any = columns
        without: Any = exclude
        made = pd.DataFrame.from_records(data, columns=names, exclude=without)
    except (TypeError, ValueError, AssertionError) as error:
        raise ArgumentError(f"from_records: {error}.") from error
    return DataFrame(made)


def from_dict(data: Mapping[str, Any], orient: str, columns: Sequence[str] | None) -> DataFrame:
    if orient == "columns":
        return DataFrame(dict(data))
    if orient != "index":
        raise ArgumentError(f"from_dict: orient={orient!r} is neither 'columns' nor 'index'.")
    names: Any = columns
    return DataFrame(pd.DataFrame.from_dict(dict(data), orient="index", columns=names))


def load(prefix_path: Path, file_format: str, *, widen: bool) -> DataFrame:
    objects = read_objects(open_prefix(prefix_path, file_format, widen=widen))
    # A snapshot of one DataFrame is a set with one object.
    (first, *rest) = objects.values()
    return first if isinstance(first, DataFrame) and not rest else DataFrame(objects)


def read_csv(filename: Filenames, delimiter: str, *, dtypes: Any, widen: bool) -> DataFrame:
    options = {"column_delim": delimiter, "dtypes": dtypes, "widen": widen}
    return DataFrame(read_objects(open_files(filename, format_named("CSV"), **options)))


def _on_common_labels(named: dict[str, Any], labels: Index | None) -> tuple[dict[str, Any], Index | None]:
    """Return columns of which Series are on given labels, or on all labels that one of them has; and these."""
    items = {name: as_labelled(item) for name, item in named.items()}
    series = {name: item for name, item in items.items() if isinstance(item, Series)}
    if not series:
        return named, labels
    if labels is not None:
        target = RowLabels(labels._levels[0]._frame, tuple(labels._levels))
        return items | {name: on_rows_of(target, item) for name, item in series.items()}, labels
    first, *others = series.values()
    found, arrays = first._row_labels, [first.values]
    for item in others:
        joined = on_all_labels(found, arrays, item._row_labels, [item.values])
        found, arrays = joined.labels, [*joined.ones, *joined.others]
    items |= dict(zip(series, arrays, strict=True))
    # Rows of a DataFrame have labels of one level.
    return items, Index(found.levels[0], first.index.name) if len(found.levels) == 1 else None


def named_items(data: Any, columns: Sequence[str] | None) -> dict[str, Any]:
    """Return the columns for a DataFrame, by name."""
    columns = None if columns is None else names_of(columns)
    if data is None:
        return {name: [] for name in columns or ()}
    if is_pandas(data, "DataFrame"):
        named = {str(name): data[name] for name in data.columns}
        numbers = pd.RangeIndex(len(data))
        is_numbered = isinstance(data.index, pd.RangeIndex) and data.index.identical(numbers)
        index: dict[str, Any] = {} if is_numbered else {"index": data.index}
        return {**{name: named[name] for name in columns or named}, **index}
    if isinstance(data, DataFrame):
        given = data._columns if columns is None else data._columns.only(columns)
        index = {} if given.index is None else {"index": Index(given.index_array(), given.index_name)}
        return {**{name: given.array(name) for name in given.values}, **index}
    if isinstance(data, Mapping):
        return {name: data[name] for name in columns} if columns is not None else dict(data)
    if isinstance(data, str | Array) or not isinstance(data, Sequence | np.ndarray):
        raise ArgumentError(
            f"a DataFrame is not made of {type(data).__name__}.",
            hint="pass a dict of names and arrays, or a list of arrays.",
        )
    if isinstance(data, np.ndarray) and data.ndim == 2:
        data = list(data.T)
    elif data and all(isinstance(row, Mapping) for row in data):
        rows: Any = pd.DataFrame.from_records(list(data), columns=columns)
        return {str(name): rows[name] for name in rows.columns}
    names = [str(number) for number in range(len(data))] if columns is None else columns
    if len(names) != len(data):
        raise ArgumentError(f"{len(data)} arrays need as many names, got {len(names)}.")
    return dict(zip(names, data, strict=True))


def split_index(named: dict[str, Any]) -> tuple[dict[str, Any], Index | None]:
    """Take out the column that is the index by its name, as in Arkouda."""
    check_names(named)
    index = [name for name in named if name.lower() == "index"]
    if not index:
        return named, None
    return {name: item for name, item in named.items() if name != index[0]}, Index(named[index[0]])


def arrays_of(named: Mapping[str, Any]) -> dict[str, Array]:
    """Make arrays of columns, all data in memory as one frame; scalars take the rows of the others."""
    arrays: dict[str, Array] = {}
    at_hand: dict[str, Any] = {}
    scalars: dict[str, Any] = {}
    for name, item in named.items():
        if isinstance(item, Array):
            arrays[name] = of_rows(item)
        elif isinstance(item, Labelled):
            arrays[name] = item.values
        elif is_scalar(item):
            scalars[name] = item
        elif is_pandas(getattr(item, "dtype", None), "CategoricalDtype"):
            arrays[name] = Categorical(item)
        elif (made := special(item)) is not None:
            arrays[name] = made
        else:
            at_hand[name] = as_column(list(item) if isinstance(item, range) else item)
    arrays.update(_literals(at_hand))
    frame = next((array._frame for array in arrays.values()), None) or counted(1)
    arrays.update({name: spread(frame, item) for name, item in scalars.items()})
    return {name: arrays[name] for name in named}


def _literals(columns: Mapping[str, Any]) -> dict[str, Array]:
    """Put columns at hand into one frame for each number of rows, so that it can be said which do not fit."""
    made: dict[str, Array] = {}
    for length in dict.fromkeys(len(column) for column in columns.values()):
        same: dict[Hashable, Any] = {name: column for name, column in columns.items() if len(column) == length}
        frame = literal_table(Table(same, length))
        made.update({str(name): wrap(frame, frame.column(name)) for name in same})
    return made


def spread(frame: Frame, item: Any) -> Array:
    """Return a scalar as a column on the rows of a frame; a time gives a column of times, None gives NaN."""
    if item is None:
        item = np.nan
    elif isinstance(item, np.datetime64 | np.timedelta64 | datetime | timedelta):
        moment = Moment.of(item, TIME if _is_time(item) else SPAN)
        form = replace(moment.form, unit="ns", may_lack=moment.is_missing)
        return CLASSES[form.kind].of(frame, Constant(moment.number_in("ns")), form)
    return wrap(frame, operand(item)[1])


def _is_time(item: Any) -> bool:
    return isinstance(item, np.datetime64 | datetime)


def is_scalar(item: Any) -> bool:
    """Whether an item stands for every row: a plain value, or a lazy scalar."""
    if isinstance(item, Scalar | bool | int | float | str | bytes | np.generic):
        return True
    return not hasattr(item, "__len__") and bool(pd.api.types.is_scalar(item))


def series_parts(data: Any, name: Any, index: Any) -> tuple[Any, Index | None, Any]:
    """Return the values, the labels if any, and the name of the arguments of `Series`."""
    labels = None if index is None else Index.factory(index)
    if isinstance(data, tuple | list) and len(data) == 2 and _is_labelled_pair(data):
        labels = Index.factory(data[0]) if labels is None else labels
        data = data[1]
    elif isinstance(data, tuple):
        raise ArgumentTypeError("a tuple that makes a Series is a pair of labels and values.", hint="pass a list.")
    if isinstance(data, Mapping):
        labels = Index(list(data)) if labels is None else labels
        data = list(data.values())
    elif isinstance(data, Series):
        labels = data._given_labels() if labels is None else labels
    elif is_pandas(data, "Series"):
        labels = Index.factory(data.index) if labels is None and not _is_numbered(data.index) else labels
    if name is None and (isinstance(data, Labelled) or is_pandas(data, "Series")):
        name = getattr(data, "name", None)
    return _values(data), labels, name


def _values(data: Any) -> Any:
    """Convert the values of a Series to an array."""
    data = unlabelled(data)
    if isinstance(data, Array):
        return of_rows(data).copy()  # Later assignments to the given array do not change the Series.
    if is_pandas(data, "Categorical") or is_pandas(getattr(data, "dtype", None), "CategoricalDtype"):
        return Categorical(data)
    if isinstance(data, str) or not hasattr(data, "__len__"):
        raise ArgumentTypeError(f"a Series is made of an array or a sequence, not of {type(data).__name__}.")
    made = special(data)
    return array(data) if made is None else made


def _is_labelled_pair(data: Any) -> bool:
    """Whether two items are labels and values, as groups give them."""
    labels, values = data
    is_labels = isinstance(labels, Array | Index) or (
        isinstance(labels, list | tuple) and (isinstance(data, tuple) or all(isinstance(key, Array) for key in labels))
    )
    return is_labels and isinstance(values, Array | Series)


def _is_numbered(index: pd.Index) -> bool:
    """Whether pandas' labels are the numbers of the rows."""
    return isinstance(index, pd.RangeIndex) and index.identical(pd.RangeIndex(len(index)))
