"""Arrow strings as NumPy sees them: offsets, and the bytes of all rows end to end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns.arrow import arrow_bytes, arrow_numbers, arrow_text
from akdask.columns.memory import new_array, with_capacity
from akdask.deferred import is_arrow, pa, pc
from akdask.errors import ArgumentError
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


MARGIN = 72
"""Bytes that compiled loops may read after the end of a string: ``MARGIN`` of ``native/text.hpp``."""


def with_margin(strings: pa.Array) -> Iterator[tuple[int, NumberArray, NumberArray]]:
    """Yield strings with readable memory after each: most strings in place, the last from a copy.

    Yields
    ------
    first : int
        The number of the first row.
    offsets : ndarray of uint64
        First byte of each string, and the end of the last.
    text : ndarray of uint8
        Their bytes from the first offset on; no byte after the last string is NUL.
    """
    offsets, text = offsets_and_bytes(strings)
    padded = _with_margin_in_place(strings, int(offsets[0]), len(text))
    if padded is not None:
        yield 0, offsets.view(np.uint64), padded
        return
    inner = int(np.searchsorted(offsets[1:], offsets[-1] - MARGIN, side="right"))
    for first, stop in pairwise(sorted({0, inner, len(strings)})):
        some = text[offsets[first] - offsets[0] :]
        if stop == len(strings):
            some = np.concatenate([some, np.ones(MARGIN, np.uint8)])
        yield first, offsets[first : stop + 1].view(np.uint64), some


def _with_margin_in_place(strings: pa.Array, start: int, size: int) -> NumberArray | None:
    """Return the bytes of strings and the margin after them; None if their memory ends before."""
    data = strings.buffers()[2]
    if data is None or start + size + MARGIN > data.size:
        return None
    found = np.frombuffer(data, np.uint8, size + MARGIN, start)
    return found if found[size:].all() else None


class StringsBuilder:
    """Joins arrays end to end as they come, in memory that is allocated once; each may be released when the next comes.

    Joining a list of arrays takes twice the memory, and allocating that takes longer than copying. A single array is
    not copied.

    Parameters
    ----------
    nrows : int
        Strings in all, as far as is known.
    nbytes : int, optional
        Total bytes; estimated from the first arrays if unknown.

    Examples
    --------
    >>> builder = StringsBuilder(3)
    >>> builder.append(pa.array(["a", "bc"], pa.large_string()))
    >>> builder.append(pa.array(["d"], pa.large_string()))
    >>> builder.finish().to_pylist()
    ['a', 'bc', 'd']
    """

    def __init__(self, nrows: int, nbytes: int = 0) -> None:
        self._offsets = np.zeros(1, np.int64)
        self._data = np.empty(0, np.uint8)
        self._nrows, self._nbytes = nrows, nbytes
        self._row = 0
        self._alone: StringArray | None = None

    def append(self, strings: StringArray) -> None:
        """Append the rows of an array; nulls become empty, as columns have none."""
        strings = strings.fill_null("") if strings.null_count else strings
        if not self._row and self._alone is None:
            self._alone = strings
            return
        if self._alone is not None:
            self._offsets = new_array(self._nrows + 1, np.int64)
            self._offsets[0] = 0
            self._data = new_array(self._nbytes, np.uint8)
            alone, self._alone = self._alone, None
            self._copy(alone)
        self._copy(strings)

    def _copy(self, strings: StringArray) -> None:
        offsets, text = offsets_and_bytes(strings)
        row, position = self._row, int(self._offsets[self._row])
        self._row = row + len(strings)
        self._offsets = with_capacity(self._offsets, row + 1, self._row + 1)
        self._reserve(position, position + len(text))
        np.add(offsets[1:], position - offsets[0], out=self._offsets[row + 1 : self._row + 1])
        self._data[position : position + len(text)] = text

    def finish(self) -> StringArray:
        """Return the array of all rows that came."""
        if self._alone is not None:
            return self._alone
        offsets = self._offsets[: self._row + 1]
        data = self._data[: int(offsets[-1])]
        return pa.LargeStringArray.from_buffers(self._row, pa.py_buffer(offsets), pa.py_buffer(data))

    def _reserve(self, used: int, needed: int) -> None:
        """Allocate memory for all rows, extrapolating from the rows so far; untouched memory costs nothing."""
        if needed > len(self._data):
            expected = 1.05 * needed / self._row * (len(self._offsets) - 1)
            grown = new_array(max(needed, int(expected)), np.uint8)
            grown[:used] = self._data[:used]
            self._data = grown


SENTINEL = b"\xff"
"""The marker of a missing string."""


def from_nulls(strings: Any) -> StringArray:
    """Return an array of large strings whose nulls have become sentinels.

    Examples
    --------
    >>> missing_rows(from_nulls(pa.array(["a", None], pa.large_string()))).tolist()
    [False, True]
    """
    if not strings.null_count:
        return strings
    return strings.view(pa.large_binary()).fill_null(SENTINEL).view(pa.large_string())


def make_missing(strings: StringArray, missing: NumberArray) -> StringArray:
    """Return strings with missing text in some rows."""
    (sentinel,) = arrow_bytes([SENTINEL], pa.large_binary())
    return pc.if_else(arrow_numbers(missing), sentinel, strings.view(pa.large_binary())).view(pa.large_string())


def missing_rows(strings: StringArray) -> NumberArray:
    """Return which strings are missing."""
    offsets, data = offsets_and_bytes(strings)
    found: NumberArray = np.diff(offsets) == len(SENTINEL)
    rows = np.flatnonzero(found)
    found[rows] = data[offsets[rows] - offsets[0]] == SENTINEL[0]
    return found


def with_nulls(strings: Any) -> Any:
    """Return an array, or a chunked one, whose sentinels have become nulls.

    Examples
    --------
    >>> with_nulls(from_nulls(pa.array(["a", None], pa.large_string()))).to_pylist()
    ['a', None]
    """
    if is_arrow(strings, "ChunkedArray"):
        return pa.chunked_array([with_nulls(chunk) for chunk in strings.chunks], strings.type)
    missing = missing_rows(strings)
    if not missing.any():
        return strings
    # Arrow's functions look at the bytes below nulls as well, which would be no text.
    (empty,), (null,) = arrow_text([""]), pa.nulls(1, pa.large_string())
    rows = arrow_numbers(missing)
    return pc.if_else(rows, null, pc.if_else(rows, empty, strings))


def demanded(strings: StringArray) -> StringArray:
    """Return the strings, none of which may be missing.

    Raises
    ------
    ArgumentError
        If one is.
    """
    missing = missing_rows(strings)
    if missing.any():
        raise ArgumentError(
            "some of the text is missing, where there is nothing for what is missing to become.",
            details=[f"row {int(missing.argmax())} of a block of {len(missing)}"],
            hint="put other text in its place, with fillna('…'), or leave it out, with dropna().",
        )
    return strings


def text_at(strings: StringArray, position: int) -> str | None:
    """Return one string, None if it is missing."""
    data: bytes = strings[position].as_buffer().to_pybytes()
    return None if data == SENTINEL else data.decode()


def filled(strings: StringArray, text: Any) -> StringArray:
    """Return strings with missing ones replaced: by one string, or by one for each row."""
    missing = missing_rows(strings)
    if not missing.any():
        return strings
    instead = text if is_arrow(text, "Array") else arrow_text([text])[0]
    return pc.if_else(arrow_numbers(missing), instead, strings)
