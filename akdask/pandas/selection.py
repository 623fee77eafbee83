"""Rows of lazy frames and Series by labels and positions, as pandas' indexers choose them.

pandas itself says which rows a key or a method chooses: it is called on *row numbers*, a frame or Series with the
labels of the rows, in memory, whose values are the numbers of the rows.  The lazy columns then take the rows that the
result names.  Masks stay lazy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.creation import array
from akdask.columns.dtypes import BOOL
from akdask.deferred import loaded_module
from akdask.engine.alignment import align_by_plan
from akdask.frames.alignment import RowLabels, mask_on_rows_of
from akdask.frames.columnset import LACKING, VALUES, ColumnSet, level_column
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import missing_rows
from akdask.frames.indexing import CellIndexer, FrameILocIndexer, FrameLocIndexer, ILocIndexer
from akdask.frames.series import Series
from akdask.pandas import tuning
from akdask.pandas.face import in_pandas, lazy_kind
from akdask.pandas.labels import (
    FrameLabels,
    arranged,
    column_labels,
    computed,
    data_names,
    framed,
    labelled,
    labels_of_frame,
    probe,
    relabelled,
    row_labels,
    series_of,
    unused,
)
from akdask.pandas.lazy import LazyFrame, LazySeries, as_labels
from akdask.pandas.refusals import ArrangementError, NotLazyError

# rows by number


def taken(lazy: Any, numbers: Any) -> Any:
    """Return rows by their numbers or by a lazy mask, with their labels."""
    if isinstance(lazy, Series):
        return lazy._rows(_as_slice(numbers))
    plain = frame_without_labels(lazy)
    return relabelled(LazyFrame.under(plain._rows(_as_slice(numbers))), lazy)


def frame_without_labels(frame: LazyFrame) -> LazyFrame:
    """Return the columns of a frame, levels among them, without what pandas calls them."""
    return LazyFrame._of(frame._columns)


def _as_slice(numbers: Any) -> Any:
    """Return consecutive numbers as a slice, which plans need not hold."""
    if not isinstance(numbers, np.ndarray) or not len(numbers):
        return numbers
    first, last = int(numbers[0]), int(numbers[-1])
    if last - first + 1 == len(numbers) and (len(numbers) == 1 or bool((np.diff(numbers) == 1).all())):
        return slice(first, last + 1)
    return numbers


def row_mask(lazy: Any, key: Any) -> Array | None:
    """Return a lazy mask as one of the rows of a frame or Series; None if the key is none.

    Raises
    ------
    NotLazyError
        If both have labels of several levels that may differ.
    """
    kind = lazy_kind(key)
    if kind == "array":
        return key if key._value.dtype == BOOL else None
    if kind != "series" or key._labelled._columns.array(VALUES)._value.dtype != BOOL:
        return None
    labels = labels_of_rows(lazy)
    if len(labels.levels) > 1 or key._level_names:
        if not labels.are_those_of(key._row_labels):
            raise NotLazyError("labels of several levels are not aligned lazily")
        found: Array = key.values
        return found
    mask: Array = mask_on_rows_of(labels, key)
    return mask


def labels_of_rows(lazy: Any) -> RowLabels:
    """Return the labels of the rows of a frame or Series, levels or not."""
    if isinstance(lazy, Series):
        return lazy._row_labels
    labels, columns = labels_of_frame(lazy), lazy._columns
    if labels is None or not labels.levels:
        return RowLabels.of(columns)
    return RowLabels(columns.frame, tuple(columns.array(name) for name, _ in labels.levels))


def values_on_rows_of(frame: LazyFrame, given: Any) -> Any:
    """Return the values to assign to a column: a Series with the labels of the frame as its values, others as they are.

    Raises
    ------
    NotLazyError
        If the labels have several levels and may differ.
    """
    if lazy_kind(given) != "series":
        return given
    labels = labels_of_rows(frame)
    if labels.are_those_of(given._row_labels):
        return given.values
    if len(labels.levels) > 1 or given._level_names:
        raise NotLazyError("labels of several levels are not aligned lazily")
    check_labels_meet(frame, given)
    return given


def check_labels_meet(frame: LazyFrame, series: LazySeries) -> None:
    """Raise a NotLazyError if labels of one side alone have a frequency, as those of different kinds never meet."""
    frequencies = loaded_module("akdask.pandas.frequencies")
    if frequencies is not None and frequencies.is_regular(series) != frequencies.is_regular(frame):
        raise NotLazyError("labels of one side alone have a frequency")


# rows by labels


def by_labels(lazy: Any, call: Callable[[Any], Any], *, is_repeatable: bool = True, fill_value: Any = None) -> Any:
    """Return the rows of a lazy frame or Series that a function of pandas' objects chooses.

    Parameters
    ----------
    lazy : LazyFrame or LazySeries
        The rows.
    call : callable
        Takes row numbers, and returns some of them, with whatever labels.
    is_repeatable : bool, default True
        Whether the function returns the same again for other values.
    fill_value : scalar, optional
        Value of rows that are not there.

    Raises
    ------
    ArrangementError
        With the error that pandas raises.
    NotLazyError
        If the frame has too many cells, or the result is none of rows.
    """
    if isinstance(lazy, Series):
        frame = framed(lazy, lazy.name)
        numbers = pandas.Series(np.arange(len(lazy)), row_labels(frame), name=lazy.name)
        found = asked(call, numbers)
        if isinstance(found, pandas.Series):
            made = rows_at(frame, found.to_numpy(), [0], found.index, pandas.Index([VALUES]), fill_value)
            return series_of(made, found.name)
        return _cell(frame, found, 0)
    labels, names = row_labels(lazy), column_labels(lazy)
    shape = len(labels), len(names)
    if shape[0] * shape[1] > tuning.NUMBERED_VALUES:
        raise NotLazyError("there are too many cells")

    def of_columns() -> Any:
        if not is_repeatable:
            raise NotLazyError("names of columns repeat")
        numbers = np.broadcast_to(np.arange(shape[1]), shape)
        return call(pandas.DataFrame(numbers, labels, names, copy=False))

    found = asked(
        call, pandas.DataFrame(np.broadcast_to(np.arange(shape[0])[:, None], shape), labels, names, copy=False)
    )
    if isinstance(found, pandas.DataFrame):
        columns = _chosen_columns(found, names, of_columns)
        if not columns:
            raise NotLazyError("no column is left")
        return rows_at(lazy, found.iloc[:, 0].to_numpy(), columns, found.index, found.columns, fill_value)
    if isinstance(found, pandas.Series):
        rows, columns = found.to_numpy(), [int(number) for number in of_columns()]
        if not columns:
            raise NotLazyError("no row is left")
        if len({*columns}) == 1:
            made = rows_at(lazy, rows, columns[:1], found.index, pandas.Index([VALUES]), fill_value)
            return series_of(made, found.name)
        return _row(lazy, rows, columns, found)
    return _cell(lazy, found, of_columns())


def asked(call: Callable[[Any], Any], numbers: Any) -> Any:
    """Call a function with numbers, and raise errors of pandas as they are."""
    try:
        return call(numbers)
    except NotLazyError:
        raise
    except Exception as error:
        raise ArrangementError(error) from error


def _chosen_columns(found: pandas.DataFrame, names: pandas.Index, again: Callable[[], Any]) -> list[int]:
    if found.columns.equals(names):
        return list(range(len(names)))
    if names.is_unique and names.nlevels == found.columns.nlevels:
        columns = names.get_indexer(found.columns)
        if (columns >= 0).all():
            return [int(number) for number in columns]
    if not len(found):
        raise NotLazyError("no row is left")
    return [int(number) for number in again().iloc[0]]


def _row(frame: LazyFrame, rows: Any, columns: Sequence[int], found: pandas.Series) -> pandas.Series:
    """Return one row, as pandas has it."""
    if len({*rows.tolist()}) != 1:
        raise NotLazyError("its result is neither a row nor a column")
    row = computed(taken(frame, np.array([int(rows[0])]))).iloc[:, list(columns)].iloc[0]
    named: pandas.Series = row.set_axis(found.index).rename(found.name)
    return named


def _cell(frame: LazyFrame, row: Any, column: Any) -> Any:
    """Return one value, as pandas has it."""
    if not hasattr(row, "__index__") or not hasattr(column, "__index__"):
        raise NotLazyError("its result is no value")
    only = arranged(frame, probe(frame).iloc[:, [int(column)]])
    return computed(taken(only, np.array([int(row)]))).iloc[0, 0]


def rows_at(
    frame: LazyFrame,
    numbers: Any,
    columns: Sequence[int],
    labels: pandas.Index,
    names: pandas.Index,
    fill_value: Any = None,
) -> LazyFrame:
    """Return rows by their numbers, some of the columns, with labels that are known.

    Parameters
    ----------
    frame : LazyFrame
        The rows.
    numbers : numpy.ndarray
        Numbers of rows, NaN for rows that are not there.
    columns : sequence of int
        Numbers of columns.
    labels, names : pandas.Index
        Labels of the rows and columns.
    fill_value : scalar, optional
        Value of rows that are not there; missing unless given.
    """
    if numbers.dtype.kind == "f":
        lacks = np.isnan(numbers)
        numbers = np.where(lacks, 0, numbers).astype(np.int64)
    else:
        lacks = np.zeros(len(numbers), bool)
    own, known, data = frame._columns, labels_of_frame(frame), data_names(frame)
    if LACKING in own.values:
        raise NotLazyError("the values are lists")
    inner = [f"column {number}" for number in range(len(columns))]
    wanted = {new: data[old] for new, old in zip(inner, columns, strict=True)}
    levels = known.levels if known else ()
    if not lacks.any() and _are_taken(labels, row_labels(frame), numbers):
        values = dict(wanted)
        values.update((column, column) for column, _ in levels)
        taken_rows = LazyFrame._of(_selected(own, values))._rows(_as_slice(numbers))
        return named_by(LazyFrame.under(taken_rows), FrameLabels(names, levels))
    if lacks.any() and not len(frame):
        raise NotLazyError("there are no rows")
    found = LazyFrame._of(_selected(own, wanted))._rows(_as_slice(numbers))._columns
    if lacks.any():
        found = _with_missing(found, lacks, fill_value)
    return with_labels_of(LazyFrame._of(found), labels, names)


def _are_taken(labels: pandas.Index, own: pandas.Index, numbers: Any) -> bool:
    """Return whether labels are those of the rows of numbers."""
    if labels.nlevels != own.nlevels or list(labels.names) != list(own.names):
        return False
    if labels is own and len(numbers) == len(own):
        return True
    taken_labels = own.take(numbers)
    frequencies = [getattr(one, "freq", None) for one in (labels, taken_labels)]
    return labels.dtype == taken_labels.dtype and labels.equals(taken_labels) and frequencies[0] == frequencies[1]


def _selected(columns: ColumnSet, names: dict[str, str]) -> ColumnSet:
    """Return columns under new names, of which several may have the same values."""
    values = {new: columns.values[old] for new, old in names.items()}
    kinds = dict(columns.kinds)
    kinds.update((new, columns.kinds[old]) for new, old in names.items())
    return replace(columns, values=values, kinds=kinds)


def _with_missing(columns: ColumnSet, lacks: Any, fill_value: Any) -> ColumnSet:
    """Return columns whose rows are missing where a mask holds."""
    mask = array(lacks)
    if fill_value is not None:
        filled = LazyFrame._of(columns.labelled(None))
        for name in filled._columns.values:
            before = filled._columns.array(name)._value.dtype
            filled.loc[mask, name] = fill_value
            if filled._columns.array(name)._value.dtype != before:
                raise NotLazyError("values to fill with are of another type")
        return filled._columns
    arrays = {}
    for name in columns.values:
        own = columns.array(name)
        rows, (value, missing) = align_by_plan("reindex", [(own._frame, own._value), (mask._frame, mask._value)])
        arrays[name] = missing_rows(own, rows, value, missing)
    return ColumnSet.of(arrays)


def with_labels_of(frame: LazyFrame, labels: pandas.Index, names: pandas.Index) -> LazyFrame:
    """Return a frame of data columns with labels of rows and columns that are in memory."""
    own = frame._columns
    if isinstance(labels, pandas.MultiIndex):
        taken_names = list(own.values)
        levels = []
        arrays = dict(zip(taken_names, map(own.array, taken_names), strict=True))
        for number, name in enumerate(labels.names):
            column = unused(level_column(number), arrays)
            levels.append((column, name))
            arrays[column] = as_labels(_plain_labels(labels.get_level_values(number))).values
        return named_by(LazyFrame._of(ColumnSet.of(arrays)), FrameLabels(names, tuple(levels)))
    is_range = isinstance(labels, pandas.RangeIndex) and labels.equals(pandas.RangeIndex(len(labels)))
    index = None if is_range else as_labels(_counted_labels(labels)).values
    return named_by(LazyFrame._of(own.labelled(index, labels.name)), FrameLabels(names))


def _counted_labels(labels: pandas.Index) -> pandas.Index:
    """Return labels, those of a range as numbers."""
    return pandas.Index(labels.to_numpy(), name=labels.name) if isinstance(labels, pandas.RangeIndex) else labels


def _plain_labels(labels: pandas.Index) -> pandas.Index:
    """Return labels without a frequency, and not as a range."""
    labels = _counted_labels(labels)
    if getattr(labels, "freq", None) is not None:
        return labels._with_freq(None) if hasattr(labels, "_with_freq") else labels
    return labels


def named_by(frame: LazyFrame, labels: FrameLabels) -> LazyFrame:
    """Return a frame with the names that labels say, where they are text that does not repeat, as its own names."""
    own, levels = frame._columns, {name for name, _ in labels.levels}
    inner = [name for name in own.values if name not in levels]
    outer = list(labels.columns)
    is_plain = labels.columns.nlevels == 1 and labels.columns.is_unique and not levels & {*outer}
    if is_plain and all(isinstance(name, str) for name in outer):
        own = own.renamed(dict(zip(inner, outer, strict=True)))
    return labelled(LazyFrame._of(own), labels)


# keys


def located(frame: LazyFrame, key: Any) -> Any:
    """Return the cells of a frame that `loc` chooses."""
    rows, names = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
    mask = row_mask(frame, rows)
    if mask is None and not _is_all(rows):
        key = in_pandas(key)
        return by_labels(frame, lambda numbers: numbers.loc[key])
    if names is not None:
        names = in_pandas(names)
        frame = arranged(frame, asked(lambda columns: columns.loc[:, names], probe(frame)))
    return frame if mask is None else taken(frame, mask)


def positioned(frame: LazyFrame, key: Any) -> Any:
    """Return the cells of a frame that `iloc` chooses."""
    rows, names = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
    chosen: Any = frame
    if names is not None:
        names = in_pandas(names)
        chosen = arranged(frame, asked(lambda columns: columns.iloc[:, names], probe(frame)))
    mask = rows if lazy_kind(rows) == "array" and rows._value.dtype == BOOL else None
    if mask is None and _is_all(rows):
        return chosen
    if mask is not None:
        return taken(chosen, mask)
    return _at_positions(chosen, rows)


def _at_positions(lazy: Any, rows: Any) -> Any:
    numbers = _numbers_at(in_pandas(rows), len(lazy))
    if isinstance(numbers, int):
        return computed(taken(lazy, np.array([numbers]))).iloc[0]
    return taken(lazy, numbers)


def _numbers_at(rows: Any, count: int) -> Any:
    """Return the number of a row, or a slice or array of numbers, that `iloc` chooses among so many rows."""
    is_integer = isinstance(rows, int | np.integer) and not isinstance(rows, bool)
    if (is_integer and -count <= rows < count) or (isinstance(rows, slice) and _is_of_integers(rows)):
        found: Any = range(count)[rows]  # It takes no memory for the rows that are left out.
        if isinstance(found, range):
            start, stop, step = found.start, found.stop, found.step
            return slice(start, stop) if step == 1 and found else np.arange(start, stop, step)
        return found
    numbers = asked(lambda every: every.iloc[rows], pandas.Series(np.arange(count)))
    return numbers.to_numpy() if isinstance(numbers, pandas.Series) else int(numbers)


def _is_of_integers(rows: slice) -> bool:
    return rows.step != 0 and all(type(bound) in (int, type(None)) for bound in (rows.start, rows.stop, rows.step))


def _is_all(rows: Any) -> bool:
    return isinstance(rows, slice) and rows == slice(None)


def check_cell(indexer: str | None, key: Any) -> None:
    """Refuse keys of `at` and `iat` that are no scalars."""
    parts = key if isinstance(key, tuple) else (key,)
    if indexer in ("at", "iat") and not all(isinstance(one, tuple) or pandas.api.types.is_scalar(one) for one in parts):
        raise NotLazyError("the key names no cell")


def chosen(indexer: Any, key: Any) -> Any:
    """Return the cells that an indexer chooses."""
    if isinstance(indexer, FrameLocIndexer):
        return located(indexer._frame, key)
    if isinstance(indexer, FrameILocIndexer):
        return positioned(indexer._frame, key)
    if isinstance(indexer, CellIndexer):
        if indexer._by_position:
            row, column = key
            only = arranged(indexer._frame, asked(lambda columns: columns.iloc[:, [column]], probe(indexer._frame)))
            return _at_positions(only, row).iloc[0]
        return by_labels(indexer._frame, lambda numbers: numbers.at[key])
    series: Any = indexer.series
    mask = row_mask(series, key)
    if mask is not None:
        return taken(series, mask)
    if _is_all(key):
        return series
    if isinstance(indexer, ILocIndexer):
        return _at_positions(series, key)
    key = in_pandas(key)
    return by_labels(series, lambda numbers: numbers.loc[key])


def entries(series: LazySeries, key: Any) -> Any:
    """Return the values of a Series that a key chooses."""
    mask = row_mask(series, key)
    if mask is not None:
        return taken(series, mask)
    key = in_pandas(key)
    return by_labels(series, lambda numbers: numbers[key])


def rows_of_frame(frame: LazyFrame, key: Any) -> Any:
    """Return the rows that a key of a frame chooses: a mask, or a slice."""
    mask = row_mask(frame, key)
    if mask is not None:
        return taken(frame, mask)
    if isinstance(key, DataFrame):
        raise NotLazyError("cells are chosen by another frame")
    key = in_pandas(key)
    return by_labels(frame, lambda numbers: numbers[key])


INDEXERS: Mapping[str, Callable[..., Any]] = {"__getitem__": chosen}
