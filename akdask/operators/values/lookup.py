"""Look-ups in a whole table: rows by position, and positions by keys; strided views of tables.

The table is the first argument, the same for every block. The other arguments go row by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from akdask.columns import loops
from akdask.columns.arrow import arrow_bytes
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, UINT8, UINT64, ColumnType
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import SENTINEL, make_missing, text_at
from akdask.columns.table import gather, is_scalar, slice_rows, spread, take_rows
from akdask.deferred import pa
from akdask.engine.operations import Operation, Rule, scalar_type
from akdask.errors import AlignmentError, ArgumentError, FileFormatError, PositionError
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.operators.join.intervals import IntervalIndex
    from akdask.operators.join.key_tables import KeyIndex, KeySet, Side, SortedKeys

NAN_BITS = int(np.float64(np.nan).view(np.uint64))


def _lookup(table: Any, positions: Any, out: Any = None) -> Any:
    """Return the table's rows at the positions, which must all exist; -1 is not the last one."""
    found = gather(table, positions, out)
    if found is not None:
        return found
    check_codes(positions, len(table))
    if np.ndim(positions) == 0 and not isinstance(table, np.ndarray):
        number = int(positions)
        if isinstance(table, NullableColumn):
            return slice_rows(table, number, number + 1).to_list()[0]
        return text_at(table, number) if pa.types.is_large_string(table.type) else table[number].as_py()
    return take_rows(table, positions, out)


def check_codes(positions: Any, size: int) -> None:
    """Raise PositionError unless all positions exist in a table of some size."""
    if not np.size(positions):
        return
    low, high = np.min(positions), np.max(positions)
    if low < 0 or high >= size:
        raise PositionError(
            f"the code {low if low < 0 else high} has no category.",
            details=[f"categories: {size}"],
            hint="codes run from 0 to the number of categories less one; a damaged file can hold others.",
        )


def _lookup_type(table: ColumnType, positions: ColumnType) -> ColumnType | None:
    return table if positions == INT64 else None


def from_start(positions: NumberArray, total: int) -> NumberArray:
    """Return positions in an array of some rows, counted from its start; negative ones count from its end.

    Raises
    ------
    PositionError
        If a position does not exist.
    """
    outside = (positions < -total) | (positions >= total)
    if outside.any():
        raise PositionError(
            f"position {int(positions[outside][0])} is outside an array of {total} rows.",
            hint=f"positions run from {-total} to {total - 1}.",
        )
    return np.where(positions < 0, positions + total, positions).astype(np.int64, copy=False)


def _from_start(positions: NumberArray, out: Any = None, *, length: int) -> NumberArray:
    """Return positions along a dimension, counted from its start; each must exist."""
    found = from_start(positions, length)
    if out is None:
        return found
    out[...] = found
    return np.asarray(out)


def _integer_type(positions: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if positions.kind in ("int", "uint") else None


def _take(table: Any, positions: Any, out: Any = None) -> Any:
    """Return the table's rows at positions; negative ones count from the end."""
    found = gather(table, positions, out)
    return take_rows(table, from_start(positions, len(table)), out) if found is None else found


def _take_type(table: ColumnType, positions: ColumnType) -> ColumnType | None:
    return table if positions in (INT64, UINT64, UINT8) else None


def _stored_position(positions: Any, out: Any = None, *, size: int, of: str) -> Any:
    """Return positions from a file unchanged, after checking that each exists; none counts from the end.

    Raises
    ------
    FileFormatError
        If a position does not exist.
    """
    low, high = (int(np.min(positions)), int(np.max(positions))) if np.size(positions) else (0, -1)
    if low < 0 or high >= size:
        raise FileFormatError(
            f"{of!r} holds {low if low < 0 else high}, which is none of {size} positions.",
            hint="the file is damaged: write the object again.",
        )
    return positions.astype(np.int64, copy=False)


def _stored_position_type(positions: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if positions in (INT64, UINT64) else None


def lookup_found(table: Any, positions: Any, out: Any = None, *, missing_text: bool = False) -> Any:
    """Return the table's rows at the positions; for position -1 NaN, 0, False, missing, or empty text."""
    is_float = isinstance(table, np.ndarray) and table.dtype.kind == "f"
    taken = gather(table, positions, out, NAN_BITS if is_float else 0)
    missing = positions < 0
    if isinstance(table, NullableColumn):
        lacks = lookup_found(table.mask, positions)
        return NullableColumn.of(lookup_found(table.values, positions), lacks | missing)
    if taken is not None:
        return make_missing(taken, missing) if missing_text else taken
    if not isinstance(table, np.ndarray):
        with_nothing = pa.concat_arrays([table, _nothing(table.type, missing_text=missing_text)])
        return take_rows(with_nothing, np.where(missing, len(table), positions))
    if not len(table):
        found = np.zeros(len(positions), table.dtype) if out is None else out
    else:
        found = table.take(positions, out=out, mode="clip")
    found[missing] = np.nan if is_float else 0
    return found


def _nothing(kind: pa.DataType, *, missing_text: bool) -> pa.Array:
    """Return one row with the value for no match."""
    if not pa.types.is_large_string(kind):
        return pa.array([bytes(kind.byte_width)], kind)
    return arrow_bytes([SENTINEL if missing_text else b""], kind)


def _fillable_type(table: ColumnType, positions: ColumnType, *, missing_text: bool = False) -> ColumnType | None:
    if missing_text:
        return NULLABLE_STR if table.kind == "str" and positions == INT64 else None
    return _lookup_type(table, positions) if table.kind != "list" else None


def _of_labelled(mask: Any, has_label: Any, out: Any = None) -> Any:
    """Return a mask, after checking that each row has a label in it."""
    if not np.all(has_label):
        from akdask.pandas_errors import MaskLabelsError

        raise MaskLabelsError(
            "a mask has no value for some labels of the rows that it is to choose from.",
            details=[f"rows without one: {np.size(has_label) - np.count_nonzero(has_label)} in this block"],
            hint="take the mask of the same rows, or pass an array: df[mask.values].",
        )
    return _as_given(mask, out)


def _of_same_labels(found: Any, is_same: Any, out: Any = None) -> Any:
    """Return the result of a comparison, after checking that both sides have the same labels."""
    if not np.all(is_same):
        raise AlignmentError(
            "only Series with the same labels in the same order are compared.",
            hint="bring one to the labels of the other by reindex, or compare arrays: s.values < other.values.",
        )
    return _as_given(found, out)


def _of_extremes(positions: NumberArray, is_full: Any, out: Any = None, *, name: str, skipna: bool) -> Any:
    """Return the positions of groups' extremes, after checking that each group has one."""
    if not np.all(is_full) or np.any(np.less(positions, 0)):
        raise ArgumentError(
            f"{name} of a group that has {'only missing values' if skipna else 'a missing value'}.",
            hint="leave them out first: df.dropna(subset=[…])." if skipna else "skipna=True leaves them out.",
        )
    return _as_given(positions, out)


def _as_given(values: Any, out: Any) -> Any:
    if out is None:
        return values
    out[...] = values
    return out


def _guarded_type(values: ColumnType, holds: ColumnType) -> ColumnType | None:
    return BOOL if values == holds == BOOL else None


def _extremes_type(positions: ColumnType, is_full: ColumnType, **_: Any) -> ColumnType | None:
    return _integer_type(positions) if is_full == BOOL else None


def _find_rows(index: KeyIndex | IntervalIndex, *keys: Any, out: Any = None) -> Any:
    """Return the first row of an indexed table that has the same keys, or that holds them, -1 without one."""
    return _search(index.find, keys, out)


def _is_member(members: KeySet, *keys: Any, out: Any = None) -> Any:
    """Return the mask of keys in a set."""
    return _search(members.has, keys, out)


def _search(search: Callable[..., Any], keys: Sequence[Any], out: Any) -> Any:
    """Look up keys; single values are repeated for every row."""
    nrows = next((len(key) for key in keys if not is_scalar(key)), None)
    columns = [spread(key, scalar_type(key), nrows or 1) if is_scalar(key) else key for key in keys]
    return search(columns)[0] if nrows is None else search(columns, out)


def _found_type(result: ColumnType) -> Rule:
    """Return the type rule of look-ups, which take an index without a type, and keys of any type."""
    return lambda _, *keys: result if keys and all(key.is_number or key.kind == "str" for key in keys) else None


def _interval_type(_: ColumnType, *values: ColumnType) -> ColumnType | None:
    return INT64 if values and all(value.is_number or value.kind == "bigint" for value in values) else None


def _searchsorted(table: SortedKeys, values: Any, out: Any = None, *, side: Side) -> Any:
    """Return the number of rows of a sorted table before each value, or up to it."""
    return _search(lambda columns, found=None: table.search(columns[0], side, found), [values], out)


def _searchsorted_type(table: ColumnType, values: ColumnType, side: str) -> ColumnType | None:
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side={side!r} is neither 'left' nor 'right'.")
    are_numbers = table.is_number and values.is_number
    return INT64 if table == values or are_numbers or table.kind == values.kind == "bigint" else None


# -------------------------------------------------------------------------------------------------------- strided views
# Elements of an arrangement are numbered in row-major order, as in NumPy.  Element i has positions along the dimensions
# of `shape`; in the flat table, its position is `offset` plus the sum of these times `strides`.


Lengths = tuple[int, ...]


def strided_positions(
    rows: NumberArray, out: Any = None, *, shape: Lengths, strides: Lengths, offset: int
) -> NumberArray:
    """Return the positions of an arrangement's elements in the flat array.

    Examples
    --------
    >>> strided_positions(np.arange(6), shape=(3, 2), strides=(1, 3), offset=0).tolist()
    [0, 3, 1, 4, 2, 5]
    """
    found = np.full(len(rows), offset, np.int64) if out is None else out
    found[...] = offset
    rest = rows
    for number in range(len(shape) - 1, 0, -1):
        quotient = rest // shape[number]
        if strides[number]:
            found += (rest - quotient * shape[number]) * strides[number]
        rest = quotient
    if shape and strides[0]:
        found += rest * strides[0]
    return found


def strided(table: Any, rows: NumberArray, out: Any = None, *, shape: Lengths, strides: Lengths, offset: int) -> Any:
    """Return elements of an arrangement of a flat table: blocks of successive rows are copied without positions.

    Examples
    --------
    >>> strided(np.array([5, 6, 7, 8, 9, 10]), np.arange(1, 5), shape=(3, 2), strides=(1, 3), offset=0).tolist()
    [8, 6, 9, 7]
    """
    if not isinstance(table, np.ndarray) or not loops.are_successive(np.ascontiguousarray(rows)):
        return take_rows(table, strided_positions(rows, shape=shape, strides=strides, offset=offset), out)
    found = np.empty(len(rows), table.dtype) if out is None else out
    if len(rows):
        size = table.dtype.itemsize
        view = as_strided(table[offset:], shape, [stride * size for stride in strides], writeable=False)
        _copy_rows(view, int(rows[0]), int(rows[-1]) + 1, found)
    return found


def _copy_rows(view: NumberArray, start: int, stop: int, out: NumberArray) -> None:
    """Copy elements `start` to `stop` in row-major order: part of a row, whole rows, part of a row."""
    if view.ndim <= 1:
        out[...] = view[start:stop]
        return
    inner = math.prod(view.shape[1:])
    first, last = -(-start // inner), stop // inner
    if first > last:
        _copy_rows(view[last], start - last * inner, stop - last * inner, out)
        return
    head, body = first * inner - start, (last - first) * inner
    if head:
        _copy_rows(view[first - 1], inner - head, inner, out[:head])
    out[head : head + body].reshape(last - first, *view.shape[1:])[...] = view[first:last]
    if head + body < len(out):
        _copy_rows(view[last], 0, len(out) - head - body, out[head + body :])


def _positions_type(rows: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if rows == INT64 else None


def _elements_type(table: ColumnType, rows: ColumnType, **_: Any) -> ColumnType | None:
    return table if rows == INT64 else None


LOOKUP_OPERATIONS: dict[str, Operation] = {
    "lookup": Operation("lookup", 2, _lookup_type, _lookup),
    "take": Operation("take", 2, _take_type, _take),
    "from_start": Operation("from_start", 1, _integer_type, _from_start),
    "stored_position": Operation("stored_position", 1, _stored_position_type, _stored_position),
    "searchsorted": Operation("searchsorted", 2, _searchsorted_type, _searchsorted),
    "lookup_found": Operation("lookup_found", 2, _fillable_type, lookup_found),
    "find_rows": Operation("find_rows", None, _found_type(INT64), _find_rows, of_distinct=True),
    "find_interval": Operation("find_interval", None, _interval_type, _find_rows),
    "of_labelled": Operation("of_labelled", 2, _guarded_type, _of_labelled),
    "of_extremes": Operation("of_extremes", 2, _extremes_type, _of_extremes),
    "of_same_labels": Operation("of_same_labels", 2, _guarded_type, _of_same_labels),
    "is_among": Operation("is_among", None, _found_type(BOOL), _is_member, of_distinct=True),
    "strided": Operation("strided", 2, _elements_type, strided),
    "strided_position": Operation("strided_position", 1, _positions_type, strided_positions),
}
