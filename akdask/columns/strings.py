"""Arrow strings as NumPy sees them: offsets, and the bytes of all rows end to end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from akdask.typing import NumberArray, StringArray


def offsets_and_bytes(strings: pa.Array) -> tuple[NumberArray, NumberArray]:
    """Return the offsets of an array of large strings or large binaries, and the bytes that they enclose.

    Returns
    -------
    offsets : ndarray, shape (n + 1,), int64
        The first is not 0 where the array is a slice of another.
    data : ndarray, uint8
        The bytes from the first offset to the last.  Both are views.

    Examples
    --------
    >>> offsets, data = offsets_and_bytes(pa.array(["a", "bc", "d"], pa.large_string())[1:])
    >>> offsets.tolist(), data.tobytes()
    ([1, 3, 4], b'bcd')
    """
    if not len(strings):
        # Arrow need not allocate offsets for no strings.
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, offset_buffer, data_buffer = strings.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64, len(strings) + 1, 8 * strings.offset)
    start, stop = int(offsets[0]), int(offsets[-1])
    return offsets, np.frombuffer(data_buffer, np.uint8, stop - start, start) if stop > start else np.empty(0, np.uint8)


def join_strings(pieces: Iterable[StringArray], nrows: int, nbytes: int) -> StringArray:
    """Join arrays without nulls end to end as they come, in memory that is taken once.

    Joining a list of them takes twice the memory, and most of the time goes into fetching it from the system.

    Parameters
    ----------
    pieces : iterable of LargeStringArray
        Together `nrows` strings of `nbytes` bytes.
    nrows, nbytes : int
        The size of the result.
    """
    offsets, data = np.zeros(nrows + 1, np.int64), np.empty(nbytes, np.uint8)
    row = position = 0
    for piece in pieces:
        bounds, text = offsets_and_bytes(piece)
        np.add(bounds[1:], position - bounds[0], out=offsets[row + 1 : row + len(bounds)])
        data[position : position + len(text)] = text
        row, position = row + len(piece), position + len(text)
    return pa.LargeStringArray.from_buffers(nrows, pa.py_buffer(offsets), pa.py_buffer(data))
