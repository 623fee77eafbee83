"""Arrow arrays that share memory with NumPy: of numbers, truth values and bytes, and of lists.

`pyarrow.array`, `pyarrow.scalar` and `to_numpy` import pandas, to find out whether they are given an object of it.  A
column of lists is an Arrow large_list, whose values are a column of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.deferred import is_arrow, pa, pc
from akdask.typing import Column, NumberArray


def arrow_numbers(values: Any, dtype: Any = None, missing: NumberArray | None = None) -> pa.Array:
    """Return numbers or truth values as an Arrow array of their own type, or of another NumPy dtype; some are null.

    >>> arrow_numbers(np.array([1, 2])).to_pylist(), arrow_numbers([0, 1], np.bool_).to_pylist()
    ([1, 2], [False, True])
    >>> arrow_numbers([1, 2], missing=np.array([True, False])).to_pylist()
    [None, 2]
    """
    array = np.ascontiguousarray(values, dtype)
    stored = np.packbits(array, bitorder="little") if array.dtype == np.bool_ else array
    valid = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [valid, pa.py_buffer(stored)])


def arrow_bytes(items: Sequence[bytes], dtype: pa.DataType) -> pa.Array:
    """Return bytes as an Arrow array of type binary or string, or of their large kinds.

    >>> arrow_bytes([b"a", b"", b"bc"], pa.string()).to_pylist()
    ['a', '', 'bc']
    """
    is_large = pa.types.is_large_string(dtype) or pa.types.is_large_binary(dtype)
    offsets = np.cumsum([0, *map(len, items)], dtype=np.int64 if is_large else np.int32)
    return pa.Array.from_buffers(dtype, len(items), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(items))])


def arrow_text(items: Sequence[str]) -> pa.LargeStringArray:
    """Return some strings as a column of text; `pyarrow.array` is faster for many.

    >>> arrow_text(["a", "", "bc"]).to_pylist()
    ['a', '', 'bc']
    """
    return arrow_bytes([item.encode() for item in items], pa.large_string())


def numpy_numbers(array: pa.Array) -> Any:
    """Return an Arrow array of numbers or truth values, none of them missing, as a NumPy array: numbers share memory.

    >>> numpy_numbers(arrow_numbers([True, False, True]).slice(1)).tolist()
    [False, True]
    """
    data, start, count = array.buffers()[1], array.offset, len(array)
    if pa.types.is_boolean(array.type):
        bits = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        return np.unpackbits(bits, count=start + count, bitorder="little")[start:].view(np.bool_)
    dtype = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(data, dtype, count, start * dtype.itemsize) if count else np.empty(0, dtype)


def are_null(array: pa.Array) -> NumberArray:
    """Return which rows of an Arrow array are null.

    >>> are_null(pa.array([1, None, 3]).slice(1)).tolist()
    [True, False]
    """
    valid, start = array.buffers()[0], array.offset
    if valid is None:
        return np.full(len(array), pa.types.is_null(array.type))
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), count=start + len(array), bitorder="little")
    found: NumberArray = bits[start:] == 0
    return found


def nulls_for_nan(rows: Any) -> Any:
    """Return an Arrow table, or chunked array, in which missing floats are null.

    >>> nulls_for_nan(pa.table({"x": [0.5, float("nan")], "y": [1, 2]})).to_pydict()
    {'x': [0.5, None], 'y': [1, 2]}
    """
    if is_arrow(rows, "Table"):
        for position, field in enumerate(rows.schema):
            if pa.types.is_floating(field.type):
                rows = rows.set_column(position, field, nulls_for_nan(rows.column(position)))
        return rows
    return pc.if_else(pc.is_nan(rows), pa.scalar(None, rows.type), rows) if pa.types.is_floating(rows.type) else rows


def offsets_of(lists: pa.LargeListArray) -> NumberArray:
    """Return where each list starts among `values_of`, and where the last ends: shape (n + 1,), int64."""
    offsets = numpy_numbers(lists.offsets) if len(lists) else np.zeros(1, np.int64)
    starts: NumberArray = offsets - offsets[0]
    return starts


def values_of(lists: pa.LargeListArray, item: ColumnType) -> Column:
    """Return the values of all lists, end to end, as a column of the type `item`."""
    offsets = lists.offsets
    values = lists.values.slice(offsets[0].as_py(), offsets[-1].as_py() - offsets[0].as_py()) if len(lists) else None
    return from_arrow(lists.values[:0] if values is None else values, item)


def lists_of(offsets: NumberArray, values: Column) -> pa.LargeListArray:
    """Return lists of values, given where each starts and the last ends."""
    items = values if is_arrow(values, "Array") else arrow_numbers(values)
    return pa.LargeListArray.from_arrays(arrow_numbers(offsets, np.int64), items)


def from_arrow(values: Any, item: ColumnType) -> Column:
    """Return an Arrow array as a column: numbers as NumPy arrays."""
    if not item.is_number:
        return values
    numbers = values.to_numpy(zero_copy_only=False) if values.null_count else numpy_numbers(values)
    return numbers.astype(item.numpy, copy=False)
