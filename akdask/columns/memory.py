"""Memory of large arrays, from the pool where Arrow keeps what is freed for whoever asks next.

The C library gives the space of arrays beyond 32 MiB back to the system when they are freed, and asks for new space for
the next ones, whose pages the system must then find and clear: several times as long as it takes to fill them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

LARGE = 2**20
"""Bytes from which on it matters."""


def new_array(nrows: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of one dimension whose items are not set.

    Examples
    --------
    >>> array = new_array(2**20, np.float64)
    >>> array.dtype, len(array), array.flags.writeable
    (dtype('float64'), 1048576, True)
    """
    dtype = np.dtype(dtype)
    size = nrows * dtype.itemsize
    if size < LARGE or dtype.hasobject:
        return np.empty(nrows, dtype)
    return np.frombuffer(pa.allocate_buffer(size), dtype)


def with_room(array: npt.NDArray[Any], used: int, needed: int) -> npt.NDArray[Any]:
    """Return the array if it has as many items as needed, else one twice as long that begins with those in use.

    Examples
    --------
    >>> array = with_room(np.array([1, 2, 3]), 2, 4)
    >>> array[:2].tolist(), len(array)
    ([1, 2], 8)
    """
    if needed <= len(array):
        return array
    longer = new_array(2 * needed, array.dtype)
    longer[:used] = array[:used]
    return longer


def release_unused() -> None:
    """Give freed memory back to the system."""
    pa.default_memory_pool().release_unused()
