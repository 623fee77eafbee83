"""Arrow arrays that share memory with NumPy: of numbers, truth values and bytes, and of lists.

`pyarrow.array` checks whether its argument is an object of pandas, and imports pandas for that.  A column of lists is
an Arrow large_list, whose values are a column of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.deferred import is_arrow, pa
from akdask.typing import Column, NumberArray


def arrow_numbers(values: Any, dtype: Any = None) -> pa.Array:
    """Return numbers or truth values as an Arrow array of their own type, or of another NumPy dtype.

    >>> arrow_numbers(np.array([1, 2])).to_pylist(), arrow_numbers([0, 1], np.bool_).to_pylist()
    ([1, 2], [False, True])
    """
    array = np.ascontiguousarray(values, dtype)
    stored = np.packbits(array, bitorder="little") if array.dtype == np.bool_ else array
    return pa.Array.from_buffers(pa.from_numpy_dtype(array.dtype), len(array), [None, pa.py_buffer(stored)])


def arrow_bytes(items: Sequence[bytes], dtype: pa.DataType) -> pa.Array:
    """Return bytes as an Arrow array of type binary or string.

    >>> arrow_bytes([b"a", b"", b"bc"], pa.string()).to_pylist()
    ['a', '', 'bc']
    """
    offsets = np.cumsum([0, *map(len, items)], dtype=np.int32)
    return pa.Array.from_buffers(dtype, len(items), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(items))])


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


def offsets_of(lists: pa.LargeListArray) -> NumberArray:
    """Return where each list starts among `values_of`, and where the last ends: shape (n + 1,), int64."""
    offsets = np.asarray(lists.offsets) if len(lists) else np.zeros(1, np.int64)
    starts: NumberArray = offsets - offsets[0]
    return starts


def values_of(lists: pa.LargeListArray, item: ColumnType) -> Column:
    """Return the values of all lists, end to end, as a column of the type `item`."""
    offsets = lists.offsets
    values = lists.values.slice(offsets[0].as_py(), offsets[-1].as_py() - offsets[0].as_py()) if len(lists) else None
    return from_arrow(lists.values.slice(0, 0) if values is None else values, item)


def lists_of(offsets: NumberArray, values: Column) -> pa.LargeListArray:
    """Return lists of values, given where each starts and the last ends."""
    items = values if is_arrow(values, "Array") else pa.array(values)
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), items)


def from_arrow(values: Any, item: ColumnType) -> Column:
    """Return an Arrow array as a column: numbers as NumPy arrays."""
    if not item.is_number:
        return values
    return values.to_numpy(zero_copy_only=False).astype(item.numpy, copy=False)
