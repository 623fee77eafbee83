"""Groups of the rows of a DataFrame: by columns, arrays, labels of rows or bins of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.arrays.array import Array, Labelled
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.deferred import is_pandas
from akdask.errors import ArgumentError
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.groupby import DataFrameGroupBy


def groupby(
    frame: DataFrame,
    keys: Any,
    use_series: bool,
    as_index: bool,
    dropna: bool,
    *,
    sort: bool,
    level: Any,
    observed: bool,
    group_keys: bool,
) -> DataFrameGroupBy | GroupBy:
    if level is not None:
        keys = _labels_as_key(frame, keys, level)
    several = isinstance(keys, list | tuple)
    given = list(keys) if several else [keys]
    if any(is_pandas(key, "Grouper") for key in given):
        from akdask.frames.resampling import grouped_by_time

        binned: DataFrameGroupBy = grouped_by_time(frame, given, use_series, as_index, dropna)
        return binned
    names, arrays = keys_of(frame, given)
    groups = ColumnGroups(arrays if several else arrays[0], dropna=dropna)
    if not use_series:
        return groups
    return DataFrameGroupBy(groups, frame, names, as_index, observed, sort=sort, group_keys=group_keys)


def _labels_as_key(frame: DataFrame, keys: Any, level: Any) -> Any:
    if keys is not None:
        raise ArgumentError("rows are grouped either by keys or by a level of their labels.")
    labels: Any = frame.index
    if level not in (0, -1, labels.name) or isinstance(level, bool):
        raise ArgumentError(f"the labels of a DataFrame have one level, and not {level!r}.", hint="pass level=0.")
    return labels


def keys_of(frame: DataFrame, keys: Sequence[Any]) -> tuple[list[str], list[Array]]:
    """Return the names and arrays of keys, which are columns by name, or arrays with the rows of the frame."""
    names, arrays = [], []
    for number, key in enumerate(keys):
        item = on_rows_of(frame._row_labels, key)
        if isinstance(item, Array):
            given = getattr(key, "name", None) if isinstance(key, Labelled) else None
            names.append(given if isinstance(given, str) else f"key_{number}")
            arrays.append(item)
        else:
            names += names_of(item)
            arrays += [frame._columns.array(name) for name in names_of(item)]
    if not arrays:
        raise ArgumentError("rows are grouped by at least one column.", hint=f"columns: {', '.join(frame.columns)}.")
    return names, arrays


def filter_by_range(frame: DataFrame, keys: str | Sequence[str], low: int, high: int | None) -> pdarray:
    if low < 0 or (high is not None and high < low):
        raise ArgumentError(f"group sizes range from low to high, neither below 0; got low={low}, high={high}.")
    groups = frame.groupby(keys, use_series=False)
    sizes = groups.broadcast(groups.size()[1])
    # Rows that are in no group have the size 0.
    mask: pdarray = sizes >= max(low, 1)
    return mask if high is None else mask & (sizes <= high)
