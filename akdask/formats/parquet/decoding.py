"""Arrow arrays as Parquet gives them, turned into the columns that akdask computes with.

This is the general way to read any column. It also decides the values of nulls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.arrow import lists_of
from akdask.columns.dtypes import FLOAT64, INT64, STR, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.strings import from_nulls
from akdask.columns.table import arrow_type
from akdask.deferred import pc
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.parquet.columns import DAY, UNITS, ParquetColumn
from akdask.typing import Column, NumberArray

_EXACT, _EXACT_POWER = 2**53, 22
"""Whole numbers, and powers of ten, up to which floats are exact: their quotient is the float next to the true one."""

NAT = -(2**63)
"""The nanoseconds of a time that is missing."""


def decode(array: pa.Array, column: ParquetColumn, dtype: ColumnType) -> Column:
    """Return the rows of a column in the type that it has in all files.

    Raises
    ------
    UnsupportedError
        If there are nulls where the type has no value for them.
    pyarrow.ArrowInvalid
        If a time does not fit into 64 bits of nanoseconds.
    """
    array = _plain(array)
    if dtype.kind == "list":
        return _lists(array, column, dtype)
    return _items(array, column, dtype)


def decode_positions(array: pa.DictionaryArray, column: ParquetColumn, dtype: ColumnType) -> pa.DictionaryArray:
    """Return the rows of a text column in the form of `akdask.columns.table`; for errors see `decode`."""
    indices, strings = array.indices.cast(pa.int32()), _items(array.dictionary, column, dtype)
    if indices.null_count:
        missing = _items(pa.nulls(1, pa.large_string()), column, dtype)
        indices, strings = indices.fill_null(len(strings)), pa.concat_arrays([strings, missing])
    # Positions outside of the dictionary are found here.
    return pa.DictionaryArray.from_arrays(indices, strings)


def nulls_of(array: pa.Array) -> NumberArray:
    """Return 1 for each row that is null, and 0 for the others, as int64."""
    found: NumberArray = pc.is_null(array).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _plain(array: pa.Array) -> pa.Array:
    """Return an array without dictionary and extension type."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    return array


def _items(array: pa.Array, column: ParquetColumn, dtype: ColumnType) -> Column:
    if dtype.kind == "str":
        text = _text(array)
        return from_nulls(text) if dtype.nullable or not text.null_count else text.fill_null("")
    if dtype.kind == "bigint":
        if array.null_count:
            raise UnsupportedError(f"column {column.name!r} has nulls, which integers of any size cannot be.")
        return pa.concat_arrays([array]) if array.offset else array
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan) if dtype == FLOAT64 else np.full(len(array), NAT, dtype.numpy)
    if column.scale != 1 or not _is_number(array.type):
        array = _as_number(array, column)
    if array.null_count and dtype == FLOAT64:
        valid = np.asarray(pc.is_valid(array))
        floats = np.full(len(array), np.nan)
        floats[valid] = _numbers(array.drop_null(), column, dtype)
        return floats
    if array.null_count and dtype != INT64:
        raise FileFormatError(f"column {column.name!r} has nulls, though its statistics say that it has none.")
    return _numbers(array.fill_null(NAT) if array.null_count else array, column, dtype)


def _numbers(array: pa.Array, column: ParquetColumn, dtype: ColumnType) -> NumberArray:
    """Return numbers without nulls; for errors see `widen_into`."""
    stored: NumberArray = array.to_numpy(zero_copy_only=False)
    if stored.dtype == dtype.numpy:
        return stored
    found = np.empty(len(stored), dtype.numpy)
    widen_into(found, stored, column.name)
    return found


def _is_number(stored: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(stored) or types.is_floating(stored) or types.is_boolean(stored))


def _as_number(array: pa.Array, column: ParquetColumn) -> pa.Array:
    """Return decimals as floats, and times as numbers of the unit that the column has in all files."""
    stored, types = array.type, pa.types
    if types.is_decimal(stored):
        return _of_decimals(array)
    days = types.is_date32(stored)
    narrow = days or types.is_time32(stored)
    integers = array.cast(pa.int32()).cast(pa.int64()) if narrow else array.cast(pa.int64())
    if types.is_integer(stored) or column.unit is None:
        return _multiplied(integers, column.scale)
    # By the type of the array: times of 96 bits have other units than the schema.
    given = DAY if days else UNITS["ms" if types.is_date(stored) else stored.unit]
    wanted = UNITS[column.unit]
    if given < wanted:
        numbers = np.asarray(integers.fill_null(0)) // (wanted // given)
        return pa.array(numbers, mask=np.asarray(integers.is_null()))
    return _multiplied(integers, given // wanted)


def _multiplied(integers: pa.Array, scale: int) -> pa.Array:
    return integers if scale == 1 else pc.multiply_checked(integers, pa.scalar(scale, pa.int64()))


def _of_decimals(array: pa.Array) -> pa.Array:
    """Return the floats next to decimals, which Arrow's own conversion misses by a bit."""
    scale = array.type.scale
    if pa.types.is_decimal128(array.type) and 0 <= scale <= _EXACT_POWER and not array.null_count and len(array):
        low, high = np.frombuffer(array.buffers()[1], "<i8").reshape(-1, 2)[array.offset :][: len(array)].T
        if (low >= -_EXACT).all() and (low <= _EXACT).all() and (high == low >> 63).all():
            return pa.array(low / 10.0**scale)
    return array.cast(pa.string()).cast(pa.float64())


def _text(array: pa.Array) -> pa.LargeStringArray:
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), pa.large_string())
    if not pa.types.is_large_binary(array.type):
        array = array.cast(pa.large_binary())
    # Only binary columns need validation as UTF-8.
    return array.cast(pa.large_string())


def _lists(array: pa.Array, column: ParquetColumn, dtype: ColumnType) -> pa.LargeListArray:
    """Return lists; a null is an empty list."""
    item = dtype.item
    assert item is not None, "the types of items are known"
    if pa.types.is_fixed_size_list(array.type) or array.null_count:
        array = array.cast(pa.large_list(array.type.value_field)) if not array.null_count else _without_null(array)
    offsets = np.asarray(array.offsets).astype(np.int64) if len(array) else np.zeros(1, np.int64)
    values = array.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    values = _plain(values)
    if values.null_count and item not in (FLOAT64, STR):
        raise UnsupportedError(
            f"column {column.name!r} has nulls inside of lists of {item}, and there is no value for them.",
            hint="write the lists without nulls, or as lists of floats.",
        )
    found = _items(values, column, item)
    items = found if isinstance(found, pa.Array) else pa.array(found, arrow_type(item))
    return lists_of(offsets - offsets[0], items)


def _without_null(array: pa.Array) -> pa.Array:
    """Return lists with empty ones in place of nulls, under which there may be values."""
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pc.list_flatten(array))
