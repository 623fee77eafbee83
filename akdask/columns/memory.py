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


def release_unused() -> None:
    """Give freed memory back to the system."""
    pa.default_memory_pool().release_unused()
