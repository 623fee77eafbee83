"""Columns of files as they were decoded, in memory for later computations.

Rows of a column that lie together, those of a partition, are one entry. Its key names the file in the state that was
described, so that a changed file never finds it; readers open the file all the same, which tells that it has changed.
Columns are kept when they are read for the second time, and only if all of their rows are read: a program that reads
once takes no memory, and a filter that skips pages leaves nothing behind. Text that is parsed costs so much more than
memory that its columns are kept the first time, where there is room. Entries are read-only.

The least recently used go first. Nothing goes for what was last read so long ago that entries of more bytes than all
may take were read since: rows that do not fit into memory would drive each other out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any

from akdask import cluster, config
from akdask.caches import Cache
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import concat_text, read_only, slice_rows, take_rows
from akdask.errors import AkdaskError
from akdask.storage import tuning
from akdask.typing import Column, NumberArray


def _limit() -> int:
    limit = config.get("cache_size")
    return cluster.process_memory() // tuning.DECODED_SHARE if limit is None else int(limit)


def _size(column: Any) -> int:
    return int(column.nbytes)


_columns: Cache[Hashable, Any] = Cache("decoded columns of files", nbytes=_limit, size=_size)


class _Readings:
    """How many bytes of columns were read between the last two readings of each."""

    def __init__(self) -> None:
        self._total = 0
        self.was_memory_short = False
        self.totals: Cache[Hashable, int] = Cache("columns of files that were read", entries=tuning.READ_COLUMNS)

    def between(self, key: Hashable, size: int) -> int | None:
        """Note that a column is read, and return the bytes that were read since, None if it is the first time."""
        self._total += size
        before = self.totals.get(key)
        self.totals.put(key, self._total)
        return None if before is None else self._total - before


_readings = _Readings()


def keeps_any() -> bool:
    """Whether there is memory for columns at all."""
    return _limit() > 0


def find(key: Hashable) -> Any:
    """Return a column, None if it is not in memory."""
    return _columns.get(key)


def is_wanted(key: Hashable, size: int, *, at_once: bool = False) -> bool:
    """Note that a column of about so many bytes is read, and return whether it is worth keeping.

    What is read for the first time is kept only `at_once`, drives nothing out, and stays in the file once memory was
    short.
    """
    between, limit = _readings.between(key, size), _limit()
    if _columns.nbytes + size <= limit:
        return between is not None or (at_once and not _readings.was_memory_short)
    return between is not None and max(between, size) <= limit


def keep(key: Hashable, column: Column) -> Column:
    """Keep a column, which nobody changes from here on, and return it."""
    return _columns.put(key, read_only(column))


def release() -> bool:
    """Drop all columns, for want of memory, and return whether there were any; to be kept, each is read twice again."""
    found = len(_columns) > 0
    _columns.clear()
    _readings.totals.clear()
    _readings.was_memory_short = True
    return found


class FileColumn:
    """Rows of a column that one reader reads: in memory, or on their way there, or in the file.

    Parameters
    ----------
    key : hashable
        Names the rows.
    nrows : int
        Their number.
    dtype : ColumnType
        Their type.
    read : callable
        Reads rows from the file, given the first, the one behind the last, and an array for numbers, or None.
    """

    def __init__(
        self, key: Hashable, nrows: int, dtype: ColumnType, read: Callable[[int, int, NumberArray | None], Any]
    ) -> None:
        self._key, self._nrows, self._dtype, self._read = key, nrows, dtype, read
        size = nrows * (dtype.itemsize if dtype.is_number else tuning.TEXT_ROW_BYTES)
        # In this order: columns in memory are read as well.
        self._is_wanted = is_wanted(key, size)
        self.in_memory: Any = find(key)
        self._numbers: NumberArray | None = None
        self._parts: list[Any] = []
        self._filled = 0

    def rows(self, start: int, stop: int) -> Any:
        """Return rows, None if they are to be read from the file."""
        if self.in_memory is None:
            return self._read_up_to(stop) if self._is_wanted and start == self._filled < stop else None
        return slice_rows(self.in_memory, start, stop)

    def take(self, rows: NumberArray, out: NumberArray | None = None) -> Any:
        """Return rows at ascending positions, at least one; None if they are to be read from the file."""
        if self.in_memory is not None:
            return take_rows(self.in_memory, rows, out)
        first, stop = self._filled, int(rows[-1]) + 1
        if not self._is_wanted or rows[0] < first or tuning.FEW_ROWS_READ * len(rows) < stop - first:
            return None
        try:
            return take_rows(self._read_up_to(stop), rows - first, out)
        except AkdaskError:
            # Damage may be in other rows.
            self._is_wanted = False
            return None

    def finish(self) -> None:
        """Read the last rows as well, if they alone are missing."""
        if self.in_memory is None and self._nrows - self._filled < self._filled // tuning.LAST_ROWS_SHARE:
            with suppress(AkdaskError):
                self._read_up_to(self._nrows)

    def _read_up_to(self, stop: int) -> Any:
        """Read the next rows to memory, and return them."""
        start = self._filled
        if self._dtype.is_number:
            if self._numbers is None:
                self._numbers = new_array(self._nrows, self._dtype.numpy)
            found = read_only(self._read(start, stop, self._numbers[start:stop]))
        else:
            found = self._read(start, stop, None)
            self._parts.append(found)
        self._filled = stop
        if stop == self._nrows:
            self.in_memory = keep(self._key, concat_text(self._parts) if self._numbers is None else self._numbers)
            self._parts = []
        return found
