"""Strings as Arkouda stores them, each ended by NUL, and as Arrow holds them, end to end without.

The bytes of all rows are the *values*; the start of each string among them is its *segment*.  Both directions work on
blocks of a hundred thousand rows, which mostly stay in the core's cache between the steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from akdask import compiled
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.operators.sort.top_k import PrefixRange
from akdask.typing import NumberArray

BLOCK_ROWS = 2**17
"""Rows of a block: fewer cost more calls, more no longer fit in the cache."""

_BLOCK_BYTES = 2**22

_NUL = np.zeros(1, np.uint8)
_COUNTED = np.arange(BLOCK_ROWS)


class StringError(Exception):
    """An invalid string: the first bad row, and its error."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(row, text)
        self.row = row
        self.text = text


def starts_from_ends(ends: Sequence[NumberArray]) -> NumberArray:
    """Return the start of each string and the end of the last, from blocks of positions of NULs."""
    bounds = np.concatenate([np.zeros(1, np.int64), *ends])
    bounds[1:] += 1
    return bounds


def decode(values: NumberArray, bounds: NumberArray) -> pa.LargeStringArray:
    """Turn bytes with NULs into an Arrow array.

    Parameters
    ----------
    values : ndarray, uint8
        Bytes of these strings only.
    bounds : ndarray, shape (n + 1,), int64
        Where each string starts in the dataset, and the end of the last.

    Returns
    -------
    LargeStringArray, length n
        Shares no memory with `values`.

    Raises
    ------
    StringError
        If a string does not end with its one NUL, or is not UTF-8.
    """
    count = len(bounds) - 1
    if compiled.should_compile_text(count):
        return _decode_compiled(values, bounds)
    ends = bounds - bounds[0] if bounds[0] else bounds
    if not (ends[1:] > ends[:-1]).all() or len(values) - np.count_nonzero(values) != count:
        raise _misplaced(values, ends)
    ended = pa.Array.from_buffers(pa.large_binary(), count, [None, pa.py_buffer(ends), pa.py_buffer(values)])
    strings = pc.binary_slice(ended, 0, -1)
    text = offsets_and_bytes(strings)[1]
    # Each string has lost one byte.  There were as many NULs, so if none is left, the lost bytes were NULs.
    if text.view(np.int8).min(initial=1) > 0:
        return strings.view(pa.large_string())
    if not text.all():
        raise _misplaced(values, ends)
    return _as_utf8(strings)


def _decode_compiled(values: NumberArray, bounds: NumberArray) -> pa.LargeStringArray:
    from akdask.formats.hdf5.null_terminated_loops import without_nuls

    found = without_nuls(values, bounds)
    count = len(bounds) - 1
    if found is None or found[0][-1] + count != len(values):
        raise _misplaced(values, bounds - bounds[0])
    offsets, text, is_ascii = found
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    if is_ascii:
        return pa.Array.from_buffers(pa.large_string(), count, buffers)
    return _as_utf8(pa.Array.from_buffers(pa.large_binary(), count, buffers))


def _first_nuls(values: NumberArray, count: int) -> NumberArray:
    """Return the positions of the first NULs, not many more than wanted: they may be billions."""
    found, total = [np.empty(0, np.int64)], 0
    for start in range(0, len(values), _BLOCK_BYTES):
        found.append(np.flatnonzero(values[start : start + _BLOCK_BYTES] == 0) + start)
        total += len(found[-1])
        if total >= count:
            break
    return np.concatenate(found)


def _misplaced(values: NumberArray, bounds: NumberArray) -> StringError:
    ends = bounds[1:] - 1
    nuls = _first_nuls(values, len(ends) + 1)
    shared = min(len(nuls), len(ends))
    differs = np.flatnonzero(nuls[:shared] != ends[:shared])
    row = int(differs[0]) if len(differs) else shared
    if row >= len(ends):
        return StringError(len(ends) - 1, "there are bytes after its NUL")
    return StringError(row, "it does not end with its one NUL where the next segment starts")


def _as_utf8(strings: pa.LargeBinaryArray) -> pa.LargeStringArray:
    try:
        return strings.cast(pa.large_string())
    except pa.ArrowInvalid:
        for row, text in enumerate(strings.to_pylist()):
            try:
                text.decode()
            except UnicodeDecodeError as error:
                raise StringError(row, f"it is not UTF-8 ({error.reason} at byte {error.start})") from None
        raise


def encode(strings: pa.LargeStringArray, prefixes: PrefixRange) -> Iterator[NumberArray]:
    """Yield the bytes of strings, each ended by NUL, in blocks.

    Parameters
    ----------
    strings : LargeStringArray
        Strings without nulls.
    prefixes : PrefixRange
        Records the prefixes of each block, while it is in the cache.

    Raises
    ------
    StringError
        If a string contains NUL.
    """
    offsets, data = offsets_and_bytes(strings)
    start = 0
    while start < len(strings):
        fitting = np.searchsorted(offsets[start + 1 : start + BLOCK_ROWS + 1], offsets[start] + _BLOCK_BYTES)
        stop = min(start + max(int(fitting), 1), len(strings))
        part = strings.slice(start, stop - start)
        if compiled.should_compile_text(stop - start):
            from akdask.formats.hdf5.null_terminated_loops import with_nuls

            values = with_nuls(part, prefixes.least, prefixes.most)
        else:
            prefixes.add(part)
            values = _with_nuls(part)
        if values is None:
            nul = int(np.argmin(data[offsets[start] - offsets[0] :])) + offsets[start]
            raise StringError(int(np.searchsorted(offsets, nul, side="right")) - 1, "contains NUL")
        yield values
        start = stop


def _with_nuls(strings: pa.LargeStringArray) -> NumberArray | None:
    """Join strings with NUL and an empty last one: Arrow's quickest way to copy many short runs of bytes."""
    bounds, text = offsets_and_bytes(strings)
    if not text.min(initial=1):
        return None
    if len(strings) == 1:
        return np.append(text, _NUL)
    count = len(bounds)
    offsets = np.empty(count + 1, np.int32)
    np.subtract(bounds, bounds[0], out=offsets[:-1], casting="unsafe")
    offsets[-1] = offsets[-2]
    # The list has one row: all strings.  Offsets of 32 bits suffice for a block, and Arrow joins no others.
    words = pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    listed = pa.Array.from_buffers(
        pa.list_(pa.binary()), 1, [None, pa.py_buffer(np.array([0, count], np.int32))], children=[words]
    )
    joined = pc.binary_join(listed, pa.scalar(b"\0"))
    return np.frombuffer(joined.buffers()[2], np.uint8, len(text) + count - 1)


def segments_of(strings: pa.LargeStringArray) -> Iterator[NumberArray]:
    """Yield the starts of strings among their encoded bytes, in blocks; the first start is 0."""
    offsets, _ = offsets_and_bytes(strings)
    for start in range(0, len(strings), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(strings))
        # There is a NUL for each string before.
        segments = np.add(offsets[start:stop], _COUNTED[: stop - start], out=new_array(stop - start, np.int64))
        segments += start - offsets[0]
        yield segments
