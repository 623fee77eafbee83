"""Spill files: results and slices of partitions on the disk of a worker, which are read in part.

An item is pickled with its buffers out of band. They are written unchanged and read at once, to arrays that a sort may
write to. Of a `TableOnDisk`, each column is read when it is used, and any range of its rows without the rest. Arrow's
IPC format takes as many bytes, but a schema with each small slice takes long to write, and a batch without a schema
lacks the bounds and positions of a slice.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import IO, Any, NamedTuple
from weakref import finalize, ref

import dask
import numpy as np

from akdask.caches import after_fork
from akdask.cluster import worker_folder
from akdask.columns.arrow import arrow_numbers, lists_of
from akdask.columns.memory import new_array
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import Table, is_slice, own_rows, slice_rows, type_of
from akdask.deferred import pa
from akdask.engine import tuning
from akdask.errors import AkdaskError, WriteError
from akdask.typing import Column, NumberArray

ALIGNMENT = 64
"""Alignment of buffers in bytes, for Arrow's kernels."""


class SpillFile:
    """A file without a name; one thread at a time appends to it, and any number of threads read it.

    Parameters
    ----------
    folder : str
        The folder on whose disk it is.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 -- closed with this object
        self.nbytes = 0
        finalize(self, _close, self._file)

    def append(self, item: Any) -> list[int]:
        """Append an item: the buffers of its arrays, and the pickle that makes the arrays again.

        Returns
        -------
        list of int
            The position of each buffer.
        """
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(item, 5, buffer_callback=buffers.append)
        raw = [buffer.raw() for buffer in buffers]
        sizes = np.array([len(pickled), *(len(buffer) for buffer in raw)])
        parts: list[bytes | memoryview] = [np.array([len(sizes)]).tobytes(), sizes.tobytes(), pickled]
        end = sum(map(len, parts))
        starts = []
        for buffer in raw:
            padding = -end % ALIGNMENT
            parts += [bytes(padding), buffer]
            starts.append(self.nbytes + end + padding)
            end += padding + len(buffer)
        for part in [b"".join(parts)] if end <= tuning.SMALL_ITEM_BYTES else parts:
            self._write(part)
        self.nbytes += end
        return starts

    def truncate(self, nbytes: int) -> None:
        """Remove the bytes that were appended since the file had the given size."""
        with suppress(OSError):
            self._file.truncate(nbytes)
            self._file.seek(nbytes)
        self.nbytes = nbytes

    def read(self, start: int, stop: int) -> Any:
        """Read the item between two positions."""
        content = new_array(stop - start, np.uint8)
        memory = content.data
        self.read_into(memory, start)
        count = int(content[:8].view(np.int64)[0])
        first, *sizes = content[8 : 8 * (1 + count)].view(np.int64).tolist()
        begin = 8 * (1 + count)
        at, buffers = begin + first, []
        for size in sizes:
            at += -at % ALIGNMENT
            buffers.append(memory[at : at + size])
            at += size
        return pickle.loads(memory[begin : begin + first], buffers=buffers)

    def read_into(self, memory: memoryview, start: int) -> None:
        """Fill memory with the bytes from a position on."""
        done = 0
        while done < len(memory):
            count = os.preadv(self._file.fileno(), [memory[done:]], start + done)
            if not count:
                raise OSError(f"a file of {self.nbytes} bytes ends at byte {start + done}")
            done += count

    def _write(self, part: bytes | memoryview) -> None:
        rest = memoryview(part)
        while rest:
            rest = rest[self._file.write(rest) :]


class SpillSpace:
    """The files that are not full, each for one thread at a time; a file lives as long as something in it is needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: list[ref[SpillFile]] = []

    @contextmanager
    def file_in(self, folder: str) -> Iterator[SpillFile]:
        """Give the caller a file in a folder to append to; an error truncates the file again."""
        file = self._take(folder)
        start = file.nbytes
        try:
            yield file
        except BaseException:
            file.truncate(start)
            raise
        finally:
            if file.nbytes < tuning.SPILL_FILE_BYTES:
                with self._lock:
                    self._files.append(ref(file))

    def _take(self, folder: str) -> SpillFile:
        with self._lock:
            there = [(name, file) for name in self._files if (file := name()) is not None]
            found = next((pair for pair in there if pair[1].folder == folder), None)
            self._files = [name for name, _ in there if found is None or name is not found[0]]
        return SpillFile(folder) if found is None else found[1]


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):
        file.close()


_space = SpillSpace()


def spill_space() -> SpillSpace:
    """Return the spill space of this process."""
    return _space


def _reset_in_child() -> None:
    """Forget the parent's files in a forked process, which may read but not append to them."""
    global _space  # noqa: PLW0603 - there is one for the process
    _space = SpillSpace()


after_fork(_reset_in_child)


def spill_folder() -> str:
    """Return the folder for spilled data: the worker's, or Dask's for temporary files."""
    return worker_folder() or dask.config.get("temporary_directory", None) or gettempdir()


@contextmanager
def naming_the_folder() -> Iterator[str]:
    """Give the caller the spill folder; errors of the operating system then name it."""
    folder = spill_folder()
    try:
        yield folder
    except AkdaskError:
        raise
    except OSError as error:
        raise WriteError(
            f"rows that do not fit in memory cannot be kept on disk: {error.strerror or error}.",
            details=[f"folder: {folder}"],
            hint="free space there, or choose a folder: dask.config.set(temporary_directory=…) or TMPDIR for this "
            "process, local_directory for Dask's workers.",
        ) from error


class _StoredColumn(NamedTuple):
    """A column in a file.

    Parameters
    ----------
    start, stop : int
        The bytes of the item that is the column.
    kind : numpy.dtype, pyarrow.DataType or ColumnType
        Type of its rows.
    buffers : tuple of int
        Position of each of its buffers, -1 for an Arrow array's bits of missing rows if it has none; empty if only all
        rows can be read.
    """

    start: int
    stop: int
    kind: Any
    buffers: tuple[int, ...]


class TableOnDisk:
    """A table in an unnamed file.

    Parameters
    ----------
    table : Table
        The table to write.

    Raises
    ------
    WriteError
        If the disk is full or cannot be written to.
    """

    def __init__(self, table: Table) -> None:
        self.nrows = table.nrows
        with naming_the_folder() as folder, spill_space().file_in(folder) as file:
            self._file = file
            self._columns = {name: _stored(file, column) for name, column in table.columns.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows, for other processes."""
        return TableOnDisk, (self.read(0, self.nrows),)

    def open(self) -> Table:
        """Return the table; columns that have been read stay in memory as long as the table."""
        return Table(ColumnsOnDisk(self), self.nrows)

    def read(self, start: int, stop: int) -> Table:
        """Return the rows from `start` up to `stop`."""
        return Table({name: self.read_column(name, start, stop) for name in self._columns}, stop - start)

    def read_column(self, name: Hashable, start: int, stop: int) -> Column:
        """Return a column of the rows from `start` up to `stop`."""
        column = self._columns[name]
        with naming_the_folder():
            is_all = stop - start == self.nrows
            if is_all or not column.buffers:
                found: Column = self._file.read(column.start, column.stop)
                return found if is_all else own_rows(slice_rows(found, start, stop))
            if isinstance(column.kind, np.dtype):
                return _numbers(self._file, column.buffers[0], column.kind, start, stop)
            return _array(self._file, column.kind, iter(column.buffers), start, stop)

    def __iter__(self) -> Iterator[Hashable]:
        """Iterate over the names of the columns."""
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class ColumnsOnDisk(Mapping[Hashable, Column]):
    """The columns of a table on disk, by name."""

    def __init__(self, table: TableOnDisk) -> None:
        self._table = table
        self._read: dict[Hashable, Column] = {}

    def __getitem__(self, name: Hashable) -> Column:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = self._table.read_column(name, 0, self._table.nrows)
        return found

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


class ItemOnDisk:
    """An object of any class in an unnamed file, which is read as a whole.

    Parameters
    ----------
    item : object
        The object to write.

    Raises
    ------
    WriteError
        If the disk is full or cannot be written to.
    """

    def __init__(self, item: Any) -> None:
        with naming_the_folder() as folder, spill_space().file_in(folder) as file:
            self._file, self._start = file, file.nbytes
            file.append(item)
            self._stop = file.nbytes

    def open(self) -> Any:
        """Return the object."""
        with naming_the_folder():
            return self._file.read(self._start, self._stop)


def _stored(file: SpillFile, column: Column) -> _StoredColumn:
    """Write a column, and return where it is."""
    start = file.nbytes
    if isinstance(column, np.ndarray):
        numbers = tuple(file.append(column))
        return _StoredColumn(start, file.nbytes, column.dtype, numbers)
    if isinstance(column, NullableColumn):
        file.append(own_rows(column))
        return _StoredColumn(start, file.nbytes, type_of(column), ())
    if is_slice(column) or not _is_plain(column):
        column = own_rows(column)
    found = iter(file.append(column))
    buffers = [-1 if buffer is None else next(found) for buffer in column.buffers()] if _is_plain(column) else []
    return _StoredColumn(start, file.nbytes, column.type, tuple(buffers))


def _is_plain(column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether all buffers of an Arrow array begin with its first row, and no row is missing."""
    if not isinstance(column, pa.Array) or column.offset or column.null_count:
        return False
    kind = column.type
    if pa.types.is_large_list(kind):
        return pa.types.is_null(kind.value_type) or _is_plain(column.values)
    is_read_in_part = ("is_large_string", "is_fixed_size_binary", "is_integer", "is_floating", "is_boolean")
    return any(getattr(pa.types, name)(kind) for name in is_read_in_part)


def _array(file: SpillFile, kind: Any, starts: Iterator[int], start: int, stop: int) -> pa.Array:
    """Return some rows of an Arrow array without nulls, whose buffers begin at given positions of a file."""
    if pa.types.is_null(kind):
        return pa.nulls(stop - start)
    next(starts)  # no rows are missing
    if pa.types.is_boolean(kind):
        bits = _numbers(file, next(starts), np.dtype(np.uint8), start // 8, -(-stop // 8))
        return pa.Array.from_buffers(kind, stop - start, [None, pa.py_buffer(bits)], offset=start % 8)
    if pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
        data = _numbers(file, next(starts), np.dtype(np.uint8), width * start, width * stop)
        return pa.Array.from_buffers(kind, stop - start, [None, pa.py_buffer(data)])
    if not (pa.types.is_large_list(kind) or pa.types.is_large_string(kind)):
        dtype = np.dtype(kind.to_pandas_dtype())
        return arrow_numbers(_numbers(file, next(starts), dtype, start, stop))
    offsets = (
        _numbers(file, next(starts), np.dtype(np.int64), start, stop + 1) if stop > start else np.zeros(1, np.int64)
    )
    first, last = int(offsets[0]), int(offsets[-1])
    offsets -= first
    if pa.types.is_large_list(kind):
        return lists_of(offsets, _array(file, kind.value_type, starts, first, last))
    data = _numbers(file, next(starts), np.dtype(np.uint8), first, last)
    return pa.LargeStringArray.from_buffers(stop - start, pa.py_buffer(offsets), pa.py_buffer(data))


def _numbers(file: SpillFile, first: int, dtype: np.dtype[Any], start: int, stop: int) -> NumberArray:
    found = new_array(stop - start, dtype)
    file.read_into(found.view(np.uint8).data, first + dtype.itemsize * start)
    return found
