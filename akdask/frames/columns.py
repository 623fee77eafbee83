"""Columns and labels of a DataFrame: assignment, choice by name, renaming, and columns as labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array as as_array
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import position
from akdask.deferred import pd
from akdask.engine.sources import counted
from akdask.errors import ArgumentError, ArgumentTypeError, CallError, PositionError, SchemaError, UnsupportedError
from akdask.frames.alignment import Matched, RowLabels, as_labelled, on_rows_of
from akdask.frames.columnset import ColumnSet, axis_number, check_names
from akdask.frames.conversion import arrays_of, is_scalar, spread
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.missing import present_among
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.rows import as_mask

if TYPE_CHECKING:
    from akdask.frames.series import Series


Renaming = Mapping[Any, Any] | Callable[[Any], Any]


def update(frame: DataFrame, other: Any) -> None:
    other = as_labelled(other)
    if not isinstance(other, RowLabelled):
        for name in other:
            frame[name] = other[name]
        return
    if isinstance(other, Labelled):
        named: Any = other
        other = named.to_frame(str(named.name))
    given: Any = other
    own, columns = frame._columns, given._columns
    names = [name for name in own.values if name in columns.values]
    arrays = [columns.array(name) for name in names]
    found = _updated(frame._row_labels, [own.array(name) for name in names], given._row_labels, arrays)
    for name, array in zip(names, found, strict=True):
        frame[name] = array


def assign_item(frame: DataFrame, name: Any, values: Any) -> None:
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return _set_row(frame, int(name), values)
    if isinstance(name, list) and name and all(isinstance(one, str) for one in name):
        return _set_columns(frame, name, values)
    if not isinstance(name, str):
        mask = as_labelled(name)
        if isinstance(mask, DataFrame) or as_mask(unlabelled(mask)) is not None:
            return _set_where(frame, mask, values)
        raise ArgumentTypeError(
            f"a column is assigned by its name, not by {type(name).__name__}.",
            hint="to change some rows of a column: df['x'][mask] = value.",
        )
    check_names([name])
    columns = frame._columns
    if isinstance(values := as_labelled(values), RowLabelled):
        values = _column_of(values)
        if not columns.values and columns.index is None:
            columns = columns.labelled_as(values._labelled._columns)
        array = on_rows_of(RowLabels.of(columns), values)
    elif is_scalar(values):
        array = spread(columns.frame if columns.values else counted(1), values)
    else:
        array = arrays_of({name: values})[name]
    frame._content.columns = columns.having(name, array)
    frame._content.handed.pop(name, None)
    return None


def _set_where(frame: DataFrame, mask: Any, values: Any) -> None:
    """Assign to the cells or rows where a mask holds."""
    if isinstance(mask, DataFrame):
        frame._become(frame.mask(mask, values)._columns)
    else:
        frame.loc[mask] = values


def _column_of(values: Any) -> Any:
    """Return the Series that is assigned to a column: of a DataFrame its only one."""
    if isinstance(values, Labelled):
        return values
    if len(values.columns) != 1:
        raise ArgumentError(f"a column is assigned one column, not {len(values.columns)}.")
    from akdask.frames.series import column_series

    return column_series(values, values.columns[0])


def _set_columns(frame: DataFrame, names: list[str], values: Any) -> None:
    """Assign several columns: the columns of another frame in their order, or a scalar for all."""
    values = as_labelled(values)
    if isinstance(values, DataFrame):
        from akdask.frames.series import column_series

        given: list[Any] = [column_series(values, name) for name in values.columns]
    else:
        given = [values] * len(names) if is_scalar(values) else list(values)
    if len(given) != len(names):
        raise ArgumentError(f"{len(names)} columns need as many others, got {len(given)}.")
    for name, one in zip(names, given, strict=True):
        frame[name] = one


def _set_row(frame: DataFrame, position: int, values: Any) -> None:
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(f"a row is assigned as a mapping of names to values, not as {type(values).__name__}.")
    changed = {name: frame._columns.array(name) for name in values}
    for name, array in changed.items():
        array[position] = values[name]
    # Only now, so that a value that does not fit leaves the row as it was.
    frame.update(changed)


def _updated(target: RowLabels, owns: Sequence[Array], labels: RowLabels, arrays: Sequence[Array]) -> list[Array]:
    """Return columns of a target, replaced by the values of others, by labels, unless these are missing; lazy."""
    if target.are_those_of(labels):
        found, has_label = list(arrays), None
    else:
        matched = Matched.of(target, labels, arrays)
        found = [matched.array(number) for number in range(len(arrays))]
        has_label = pdarray(matched.frame, matched.has_label)
    updated = []
    for own, new in zip(owns, found, strict=True):
        is_new = pdarray(new._frame, present_among(new, new._value))
        updated.append(where(is_new if has_label is None else is_new & has_label, new, own))
    return updated


def rename(
    frame: DataFrame,
    mapper: Renaming | None,
    index: Renaming | None,
    column: Renaming | None,
    axis: int | str,
    inplace: bool,
    *,
    columns: Renaming | None,
) -> DataFrame | None:
    if column is not None and index is not None:
        raise CallError("either columns or labels of rows are renamed.", hint="columns= and index= go together.")
    column = columns if column is None else column
    if axis_number(axis) == 1:
        column = mapper if column is None else column
    else:
        index = mapper if index is None else index
    if column is None and index is None:
        raise CallError("nothing is renamed.", hint="pass columns= or index=.")
    found = frame._columns
    found = found if column is None else _renamed(found, column)
    return frame._changed(found if index is None else relabelled(found, index), inplace)


def _renamed(columns: ColumnSet, names: Any) -> ColumnSet:
    new = {name: _one(names, name) for name in columns.values}
    check_names(new.values())
    if len(set(new.values())) < len(new):
        raise ArgumentError("two columns would have the same name.", details=[str(list(new.values()))])
    return columns.renamed(new)


def relabelled(columns: ColumnSet, names: Any) -> ColumnSet:
    """Return columns with other labels of their rows, by a mapping or a function, which computes."""
    labels: Any = columns.index_array()
    labels = labels.to_strings() if isinstance(labels, Categorical) else labels
    if callable(names):
        columns.counted()
        new = _same_kind(labels, [names(label) for label in labels.tolist()])
    elif not isinstance(names, Mapping):
        raise _no_renaming(names)
    else:
        # Only for their types.
        _same_kind(labels, list(names)), _same_kind(labels, list(names.values()))
        new = reduce(lambda found, pair: where(labels == pair[0], pair[1], found), names.items(), labels)
    return columns.labelled(new, columns.index_name)


def _one(names: Any, name: str) -> Any:
    if callable(names):
        return names(name)
    if isinstance(names, Mapping):
        return names.get(name, name)
    raise _no_renaming(names)


def _no_renaming(names: Any) -> ArgumentTypeError:
    return ArgumentTypeError(f"names are changed by a mapping or a function, not by {type(names).__name__}.")


def _same_kind(labels: Array, items: list[Any]) -> Array:
    """Return items as an array of the type of labels, which they keep when some are renamed."""
    made: Array = as_array(items) if items else labels[:0]
    if made._value.dtype.kind != labels._value.dtype.kind:
        raise ArgumentTypeError(
            f"labels of {labels._value.dtype} are renamed to others of the same type, not to {made._value.dtype}."
        )
    return made


def rename_series(series: Series, name: Any, *, index: Any) -> Series:
    names = name if index is None else index
    if isinstance(names, Mapping) or callable(names):
        if series._level_names:
            raise UnsupportedError("labels of several levels are not renamed.", hint="reset_index() makes columns.")
        return series._on_columns(relabelled(series._labelled._columns, names))
    renamed = series._moved(series._labelled)
    renamed.name = name
    return renamed


def filter_columns(frame: DataFrame, items: Sequence[str] | None, like: str | None, regex: str | None) -> DataFrame:
    if sum(one is not None for one in (items, like, regex)) != 1:
        raise ArgumentError("filter takes one of items, like and regex.", hint="df[mask] chooses rows.")
    names = list(frame._columns.values)
    if items is not None:
        chosen = [name for name in items if name in names]
    elif like is not None:
        chosen = [name for name in names if like in name]
    else:
        chosen = [name for name in names if re.search(str(regex), name)]
    return frame._of(frame._columns.only(chosen))


def set_axis(frame: DataFrame, labels: Any, axis: int | str) -> DataFrame:
    changed = frame.copy()
    if axis_number(axis) == 1:
        changed.columns = list(labels)
    else:
        changed.index = labels
    return changed


def squeeze(frame: DataFrame, axis: int | str | None) -> Any:
    if len(frame.columns) != 1:
        return frame
    (name,) = frame.columns
    if axis is None and len(frame) == 1:
        return frame._column(name)[0]
    from akdask.frames.series import column_series

    return column_series(frame, name)


def set_index(frame: DataFrame, keys: Any, drop: bool, inplace: bool) -> DataFrame | None:
    if isinstance(keys, list) and len(keys) == 1:
        (keys,) = keys
    columns = frame._columns
    if isinstance(keys, str):
        labelled = columns.labelled(columns.array(keys), keys)
        if drop:
            labelled = labelled.only(name for name in columns.values if name != keys)
        return frame._changed(labelled, inplace)
    item = unlabelled(keys)
    if isinstance(item, list | tuple) and (
        not item or not pd.api.types.is_scalar(item[0]) or item[0] in columns.values
    ):
        raise ArgumentTypeError(
            "rows of a DataFrame have labels of one level.", hint="keep further keys as columns; group by several."
        )
    labels = Index(item)
    name = getattr(keys, "name", None) if isinstance(keys, Labelled | Index | pd.Index) else None
    return frame._changed(columns.labelled(labels.values, name), inplace)


def insert(frame: DataFrame, loc: int, column: str, value: Any) -> None:
    names = list(frame.columns)
    if column in names:
        raise SchemaError(f"there is a column {column!r} already.", hint="assign to it: df['x'] = …")
    if not 0 <= position(loc) <= len(names):
        raise PositionError(f"a column is inserted at 0 to {len(names)}, not at {loc}.")
    check_names([column])
    frame[column] = value
    frame._become(frame._columns.only([*names[:loc], column, *names[loc:]]))
