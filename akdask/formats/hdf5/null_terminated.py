"""Strings as Arkouda stores them, each ended by NUL, and as Arrow holds them, end to end without.

The bytes of all rows are the *values*; the start of each string among them is its *segment*.  Both directions work on
blocks of a hundred thousand rows, which mostly stay in the core's cache between the steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from akdask.columns.memory import new_array
from akdask.columns.strings import MARGIN, offsets_and_bytes
from akdask.deferred import pa
from akdask.formats import tuning
from akdask.formats.hdf5 import loops
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray

_CHUNK = 32
"""Bytes that loops write beyond the end of strings."""

_COUNTED = np.arange(tuning.BLOCK_ROWS)


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
    offsets, text = new_array(count + 1, np.int64), new_array(len(values) + MARGIN, np.uint8)
    found = loops.take_nuls_off(values, bounds, offsets, text)
    if found < 0 or offsets[-1] + count != len(values):
        raise _misplaced(values, bounds - bounds[0])
    # Some bytes are NUL or not ASCII.
    if found and len(values) - np.count_nonzero(values) != count:
        raise _misplaced(values, bounds - bounds[0])
    text = text[: int(offsets[-1]) + MARGIN]
    # So a caller that reads a little further need not copy.
    text[-MARGIN:] = 1
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    if found:
        return _as_utf8(pa.Array.from_buffers(pa.large_binary(), count, buffers))
    return pa.Array.from_buffers(pa.large_string(), count, buffers)


class Characters:
    """The strings of a column that are one ASCII character each, in order of appearance."""

    def __init__(self) -> None:
        self._numbers = np.full(128, -1, np.int32)
        self._count = 0
        self._strings: pa.LargeStringArray | None = None

    def decode(self, values: NumberArray) -> pa.DictionaryArray | None:
        """Return strings of two bytes each as positions among the characters; None if any is of another kind."""
        numbers, known = new_array(len(values) // 2, np.int32), self._numbers.copy()
        count = loops.number_characters(values, known, self._count, numbers)
        if count < 0:
            return None
        if count > self._count or self._strings is None:
            self._numbers, self._count = known, count
            # Unknown characters come first.
            text, offsets = np.argsort(known)[-count:].astype(np.uint8), np.arange(count + 1)
            self._strings = pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text))
        indices = pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])
        return pa.DictionaryArray.from_arrays(indices, self._strings, safe=False)


def _first_nuls(values: NumberArray, count: int) -> NumberArray:
    """Return the positions of the first NULs, not many more than wanted: they may be billions."""
    found, total = [np.empty(0, np.int64)], 0
    for start in range(0, len(values), BLOCK_BYTES):
        positions = np.flatnonzero(values[start : start + BLOCK_BYTES] == 0)
        positions += start
        found.append(positions)
        total += len(positions)
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


class PrefixRange:
    """The first 16 bytes of the smallest and of the largest string of several blocks.

    Both are two words, their first bytes in the highest bits, which `encode` widens on its way.
    """

    def __init__(self) -> None:
        self.least, self.most = np.full(2, 2**64 - 1, np.uint64), np.zeros(2, np.uint64)

    @property
    def bounds(self) -> tuple[bytes, bytes] | None:
        """The bytes; None if there were no strings."""
        if self.least.tolist() > self.most.tolist():
            return None
        least, most = (words.astype(">u8").tobytes().rstrip(b"\0") for words in (self.least, self.most))
        return least, most


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
        fitting = np.searchsorted(offsets[start + 1 : start + tuning.BLOCK_ROWS + 1], offsets[start] + BLOCK_BYTES)
        stop = min(start + max(int(fitting), 1), len(strings))
        bounds = offsets[start : stop + 1]
        text = data[bounds[0] - offsets[0] : bounds[-1] - offsets[0]]
        values = new_array(len(text) + stop - start + _CHUNK, np.uint8)
        if loops.put_nuls_on(text, bounds, values, prefixes.least, prefixes.most):
            nul = int(np.argmin(data[offsets[start] - offsets[0] :])) + offsets[start]
            raise StringError(int(np.searchsorted(offsets, nul, side="right")) - 1, "contains NUL")
        yield values[:-_CHUNK]
        start = stop


def segments_of(strings: pa.LargeStringArray) -> Iterator[NumberArray]:
    """Yield the starts of strings among their encoded bytes, in blocks; the first start is 0."""
    offsets, _ = offsets_and_bytes(strings)
    for start in range(0, len(strings), tuning.BLOCK_ROWS):
        stop = min(start + tuning.BLOCK_ROWS, len(strings))
        # There is a NUL for each string before.
        segments = np.add(offsets[start:stop], _COUNTED[: stop - start], out=new_array(stop - start, np.int64))
        segments += start - offsets[0]
        yield segments
