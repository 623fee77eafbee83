"""NumPy arrays and bytes as Arrow arrays that share their memory.

`pyarrow.array` checks whether its argument is an object of pandas, and imports pandas for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.deferred import pa


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
