"""Sorted and reindexed rows of a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, unlabelled
from akdask.arrays.column_names import names_of
from akdask.arrays.creation import full
from akdask.arrays.elementwise import where
from akdask.arrays.keys import comparable_keys
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import argsort, coargsort, directions
from akdask.engine.alignment import align_by_plan
from akdask.engine.node import Frame
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import missing_rows
from akdask.frames.index import Index, MultiIndex, check_na_position, is_there
from akdask.frames.missing import present
from akdask.frames.rows_by_label import kind_of
from akdask.frames.windows import empty_rows
from akdask.operators.sort.plan import sorted_rows

if TYPE_CHECKING:
    from akdask.frames.series import Series


def sort_values(
    frame: DataFrame,
    by: str | Sequence[str] | None,
    ascending: bool | Sequence[bool],
    *,
    na_position: str,
    ignore_index: bool,
    key: Callable[[Any], Any] | None,
) -> DataFrame:
    columns = frame._columns
    if by is None and not columns.values:
        return frame._of(columns)
    if na_position not in ("first", "last"):
        raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
    names = names_of(columns.values if by is None else by)
    keys = [columns.array(name) for name in names]
    if key is not None:
        from akdask.frames.series import column_series

        keys = [_key_of(key(column_series(frame, name))) for name in names]
    upwards = directions(ascending, len(keys))
    if na_position == "first":
        keys, upwards = _missing_first(keys, upwards)
    ordered = _sorted(columns, keys, upwards)
    return frame._of(ordered.labelled(None) if ignore_index else ordered)


def sort_index(frame: DataFrame, ascending: bool, *, na_position: str, ignore_index: bool) -> DataFrame:
    columns = frame._columns
    keys: list[Array] = [columns.index_array()]
    upwards = [ascending]
    if na_position == "first":
        keys, upwards = _missing_first(keys, upwards)
    else:
        check_na_position(na_position)
    ordered = _sorted(columns, keys, upwards)
    return frame._of(ordered.labelled(None) if ignore_index else ordered)


def permutation(frame: DataFrame, keys: Sequence[str], ascending: bool | Sequence[bool]) -> pdarray:
    columns = frame._columns
    if not columns.values:
        positions: pdarray = columns.index_array()
        return positions
    return coargsort([columns.array(name) for name in names_of(keys)], ascending=ascending)


def apply_permutation(frame: DataFrame, perm: pdarray) -> None:
    if len(perm) != len(frame):
        raise ArgumentError(f"a permutation of {len(frame)} rows has as many positions, not {len(perm)}.")
    frame._changed(
        frame._columns.on(lambda rows, values: row_tools.take_columns(rows, values, *perm._as_operand())),
        inplace=True,
    )


def _key_of(found: Any) -> Array:
    given = unlabelled(found)
    if not isinstance(given, Array):
        raise ArgumentTypeError(f"key returns what to sort by, a Series or an array, not {type(found).__name__}.")
    return given


def _missing_first(keys: Sequence[Array], ascending: Sequence[bool]) -> tuple[list[Array], list[bool]]:
    """Return keys, each after a key that is True where it is not missing."""
    found: list[tuple[Array, bool]] = []
    for key, upwards in zip(keys, ascending, strict=True):
        columns = ColumnSet.of({"key": key})
        found += [(pdarray(columns.frame, present(columns, "key")), True), (key, upwards)]
    return [key for key, _ in found], [upwards for _, upwards in found]


def _sorted(columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool]) -> ColumnSet:
    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        payload = [(frame, value) for value in values]
        by = [key._sort_key(up) for key, up in zip(keys, ascending, strict=True)]
        ordered, columns = sorted_rows(by, ascending, payload)
        return ordered, list(columns)

    return columns.on(select)


def reindex(frame: DataFrame, labels: Any, index: Any, columns: Sequence[str] | None, fill_value: Any) -> DataFrame:
    if labels is not None and index is not None:
        raise ArgumentError("reindex: labels and index mean the same.", hint="pass one.")
    wanted = labels if index is None else index
    found = frame._columns if wanted is None else reindexed(frame._columns, wanted, fill_value)
    if columns is None:
        return frame._of(found)
    missing = np.nan if fill_value is None else fill_value
    size = sum(found.counted())
    arrays = {name: found.array(name) if name in found.values else full(size, missing) for name in names_of(columns)}
    return frame._of(found.beside(arrays))


def reindexed(columns: ColumnSet, labels: Any, fill_value: Any = None) -> ColumnSet:
    """Return the rows of columns that have given labels, missing or filled where there is none; counts rows."""
    wanted = labels if isinstance(labels, Index) else Index(labels)
    if isinstance(wanted, MultiIndex):
        raise ArgumentError("labels of several levels are not looked for by reindex.", hint="merge on the levels.")
    sought = Index(wanted).values
    own = columns.index_array()
    has_rows = sum(columns.counted()) > 0
    if has_rows and kind_of(own) == kind_of(sought):
        keys, others = comparable_keys("reindex", sought, own)
        positions = pdarray(keys.frame, others.indexed("only rows").find(keys.values))
    else:
        positions = full(sought.size, -1, dtype="int64")
    lacks = positions < 0
    at = where(lacks, 0, positions)
    found = {}
    for name in columns.values:
        array = columns.array(name)
        moved: Array = array[at] if has_rows else empty_rows(array, positions)
        if fill_value is not None:
            found[name] = where(lacks, fill_value, moved)
            continue
        frame, (value, lacking) = align_by_plan("reindex", [(moved._frame, moved._value), (lacks._frame, lacks._value)])
        found[name] = missing_rows(moved, frame, value, lacking)
    return ColumnSet.of(found, sought, wanted.name if wanted.name is not None else columns.index_name)


def sort_series_index(series: Series, ascending: bool, *, na_position: str) -> Series:
    if na_position == "first" and not isinstance(series.index, MultiIndex):
        labels = series.index.values
        return series._rows(coargsort([is_there(labels), labels], ascending=[True, ascending]))
    check_na_position(na_position)
    return series._rows(series.index.argsort(ascending=ascending))


def sort_series(series: Series, ascending: bool, *, na_position: str, ignore_index: bool) -> Series:
    if na_position not in ("first", "last"):
        raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
    if na_position == "last":
        ordered = series._rows(argsort(series.values, ascending=ascending))
    else:
        ordered = series._rows(coargsort([series.notna().values, series.values], ascending=[True, ascending]))
    return ordered.reset_index(drop=True) if ignore_index else ordered


def reindex_series(series: Series, index: Any, fill_value: Any) -> Series:
    if series._level_names:
        raise ArgumentError("labels of several levels are not looked for by reindex.", hint="use locate.")
    return series._on_columns(reindexed(series._labelled._columns, index, fill_value))
