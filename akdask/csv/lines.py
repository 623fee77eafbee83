"""Where the rows of a CSV file lie: how many there are, and where the file may be cut.

All bytes are looked at once, some at a time, by vector operations.  A line break ends a row unless it is inside quotes;
as fields are quoted from their first byte to their last, the number of quotes before it tells which.  In a file where
a quote stands anywhere else that number tells nothing: such a file is not cut, and its rows are counted by the parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.storage.data.extents import ALIGNED_ROWS, MANY
from akdask.storage.data.ranges import range_reader
from akdask.storage.paths.files import FileIdentity

BLOCK = 2**20
"""Bytes that are looked at at a time."""

_QUOTE, _FEED, _RETURN = 34, 10, 13

Bytes = npt.NDArray[np.uint8]


class ByteRange(NamedTuple):
    """Rows of a file: bytes ``start`` to ``stop``, and how many rows they are."""

    start: int
    stop: int
    nrows: int


class StrayQuoteError(ValueError):
    """A quote stands inside a field that does not begin with one, or the last one is never closed."""


@dataclass(frozen=True, slots=True)
class Lines:
    """How rows are told apart.

    Parameters
    ----------
    delimiter : bytes
        What stands between fields.
    keeps_blank : bool
        Whether a line without any byte is a row; otherwise it is passed over.
    """

    delimiter: bytes
    keeps_blank: bool


def byte_ranges(file: FileIdentity, start: int, lines: Lines, limit: int, block: int = BLOCK) -> list[ByteRange]:
    """Return the rows of a file in ranges of about `limit` bytes, at least one.

    Parameters
    ----------
    file : FileIdentity
        The file.
    start : int
        Where the first row begins.
    lines : Lines
        How rows are told apart.
    limit : int
        Bytes of a range.
    block : int
        Bytes to look at at a time.

    Raises
    ------
    StrayQuoteError
        If the quotes do not tell where rows end.
    """
    scan = _Scan(lines, start, -(-(file.size - start) // limit), file.size)
    room = np.empty(block, np.uint8)
    position, kept = start, 0
    with range_reader(file) as reader:
        while position < file.size:
            size = min(block - kept, file.size - position)
            reader.read_into(room[kept : kept + size], position, "CSV")
            position += size
            data = room[: kept + size]
            # What a return is depends on the byte that follows.
            kept = int(data[-1] == _RETURN and position < file.size)
            scan.add(data[: len(data) - kept])
            if kept:
                room[0] = _RETURN
    return scan.finish()


class _Scan:
    """Counts rows block by block, and cuts where enough bytes have come and a unit of rows is full."""

    def __init__(self, lines: Lines, start: int, pieces: int, size: int) -> None:
        self._lines = lines
        self._position = start
        self._size = size
        self._step = -(-(size - start) // max(pieces, 1))
        self._grain = 0
        self._rows = 0
        self._line_start = start
        self._tail = b"\n"
        self._inside = False
        self._first = ByteRange(start, start, 0)
        self._ranges: list[ByteRange] = []

    def add(self, data: Bytes) -> None:
        """Count the rows that end in a block."""
        is_plain = not self._inside and not (data == _QUOTE).any() and not (data == _RETURN).any()
        breaks = data == _FEED
        cuts = self._position + len(data) >= self._first.start + self._step
        if is_plain and not cuts:
            self._count(breaks)
        else:
            self._add_ends(*(self._plain_ends(breaks) if is_plain else self._ends(data)))
        self._position += len(data)
        self._tail = (self._tail + data[-len(self._lines.delimiter) :].tobytes())[-len(self._lines.delimiter) :]
        if not self._grain and self._rows:
            # As in other formats, large ranges begin at multiples of the rows by which floats are added up.
            expected = self._rows * self._step // max(self._position - self._first.start, 1)
            self._grain = ALIGNED_ROWS if expected >= MANY * ALIGNED_ROWS else 1

    def finish(self) -> list[ByteRange]:
        """Return the ranges, after the last block."""
        if self._inside:
            raise StrayQuoteError
        if self._line_start < self._size:
            self._rows += 1
        rest = self._rows - sum(found.nrows for found in self._ranges)
        if rest or not self._ranges:
            self._ranges.append(ByteRange(self._first.start, self._size, rest))
        return self._ranges

    def _count(self, breaks: npt.NDArray[np.bool_]) -> None:
        """Count rows where nobody wants to know where they end."""
        count = int(np.count_nonzero(breaks))
        if not count:
            return
        if not self._lines.keeps_blank:
            count -= int(np.count_nonzero(breaks[1:] & breaks[:-1]))
            count -= int(breaks[0] and self._line_start == self._position)
        self._rows += count
        last = len(breaks) - 1 - int(np.argmax(breaks[::-1]))
        self._line_start = self._position + last + 1

    def _plain_ends(self, breaks: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        ends = np.flatnonzero(breaks)
        return ends, ends

    def _ends(self, data: Bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return where lines end, and where their content does: a return before a line feed is part of the break."""
        quotes = np.flatnonzero(data == _QUOTE)
        outside = (np.arange(len(quotes)) + self._inside) % 2 == 0
        self._check_quotes(data, quotes, quotes[outside])
        ends = np.flatnonzero((data == _FEED) | (data == _RETURN))
        ends = ends[(np.searchsorted(quotes, ends) + self._inside) % 2 == 0]
        self._inside = bool((len(quotes) + self._inside) % 2)
        is_return = data[ends] == _RETURN
        follows = np.zeros(len(ends), np.bool_)
        follows[1:] = is_return[:-1] & (ends[1:] == ends[:-1] + 1) & ~is_return[1:]
        content = ends - follows
        is_part = np.zeros(len(ends), np.bool_)
        is_part[:-1] = follows[1:]
        return ends[~is_part], content[~is_part]

    def _check_quotes(self, data: Bytes, quotes: npt.NDArray[np.int64], opening: npt.NDArray[np.int64]) -> None:
        """Refuse quotes that open nothing: before one that does is a delimiter, a line break, or the one of a pair."""
        delimiter = self._lines.delimiter
        padded = np.concatenate([np.frombuffer(self._tail, np.uint8), data])
        before = opening + len(self._tail)
        last = padded[before - 1]
        fits = (last == _FEED) | (last == _RETURN) | (last == _QUOTE)
        is_parted = before >= len(delimiter)
        for back, byte in enumerate(reversed(delimiter), 1):
            is_parted &= padded[np.maximum(before - back, 0)] == byte
        if not (fits | is_parted).all():
            raise StrayQuoteError

    def _add_ends(self, ends: npt.NDArray[np.int64], content: npt.NDArray[np.int64]) -> None:
        """Count rows by where they end, and cut behind one if enough bytes have come."""
        if not len(ends):
            return
        if not self._lines.keeps_blank:
            starts = np.concatenate([[self._line_start - self._position], ends[:-1] + 1])
            rows = ends[content > starts]
        else:
            rows = ends
        self._line_start = self._position + int(ends[-1]) + 1
        grain = self._grain or 1
        while True:
            target = self._first.start + self._step - self._position
            index = max(int(np.searchsorted(rows, target)), 0)
            total = -(-(self._rows + index + 1) // grain) * grain
            if target >= self._size - self._position or total - self._rows > len(rows):
                break
            stop = self._position + int(rows[total - self._rows - 1]) + 1
            done = sum(found.nrows for found in self._ranges)
            self._ranges.append(ByteRange(self._first.start, stop, total - done))
            self._first = ByteRange(stop, stop, 0)
        self._rows += len(rows)


def last_end(data: bytes, lines: Lines) -> int:
    """Return where the last whole row of some bytes ends, 0 if there is none.

    Raises
    ------
    StrayQuoteError
        If the quotes do not tell.
    """
    scan = _Scan(lines, 0, 1, len(data) + 1)
    scan.add(np.frombuffer(data.removesuffix(b"\r"), np.uint8))
    return scan._line_start
