"""Tables on disk: each column is read when it is used, since a task may need few of the kept columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from akdask.columns.arrow import arrow_numbers
from akdask.columns.lists import lists_of
from akdask.columns.memory import new_array
from akdask.columns.table import Table
from akdask.deferred import pa
from akdask.engine.spill import SpillFile, UnnamedFile, naming_the_folder, spill_space
from akdask.typing import Column, NumberArray


class TableOnDisk:
    """The columns of a table in a spill file.

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
        self.numbers = {name: number for number, name in enumerate(table.columns)}
        # Tables of one column each, whose pickles hold nothing but its rows.
        self.file = SpillFile(Table({name: column}, table.nrows) for name, column in table.columns.items())

    def open(self) -> Table:
        """Return the table; columns that have been read stay in memory as long as the table."""
        return Table(ColumnsOnDisk(self), self.nrows)


class ColumnsOnDisk(Mapping[Hashable, Column]):
    """The columns of a table on disk, by name."""

    def __init__(self, table: TableOnDisk) -> None:
        self._table = table
        self._read: dict[Hashable, Column] = {}

    def __getitem__(self, name: Hashable) -> Column:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = self._table.file[self._table.numbers[name]].columns[name]
        return found

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._table.numbers)

    def __len__(self) -> int:
        return len(self._table.numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._table.numbers


class ColumnOnDisk(NamedTuple):
    """A column on disk.

    Parameters
    ----------
    name : hashable
        Its name in the table.
    dtype : numpy.dtype or pyarrow.DataType
        Type of its rows in memory.
    kind : pyarrow.DataType
        Type of its rows in the file.
    starts : tuple of int
        Position of each of its buffers in the file.
    """

    name: Hashable
    dtype: Any
    kind: Any
    starts: tuple[int, ...]


class RowsOnDisk:
    """The rows of a table, in an unnamed file.

    Parameters
    ----------
    table : Table
        The rows.

    Raises
    ------
    WriteError
        If the disk is full or cannot be written to.
    """

    def __init__(self, table: Table) -> None:
        self.nrows = table.nrows
        arrays = [_as_arrow(column) for column in table.columns.values()]
        batch = pa.RecordBatch.from_arrays(arrays, list(map(str, range(len(arrays)))))
        with naming_the_folder() as folder, spill_space().file_in(folder) as file:
            self._file = file
            starts = file.append_batch(batch)
        self._columns = [
            ColumnOnDisk(name, getattr(column, "dtype", array.type), array.type, of_column)
            for (name, column), array, of_column in zip(table.columns.items(), arrays, starts, strict=True)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows, for other processes."""
        return RowsOnDisk, (self.read(0, self.nrows),)

    def read(self, start: int, stop: int) -> Table:
        """Return the rows from `start` up to `stop`."""
        with naming_the_folder():
            columns = {column.name: self._read(column, start, stop) for column in self._columns}
        return Table(columns, stop - start)

    def _read(self, column: ColumnOnDisk, start: int, stop: int) -> Column:
        if isinstance(column.dtype, np.dtype):
            return _numbers(self._file, column.starts[1], column.dtype, start, stop)
        return _array(self._file, column.kind, iter(column.starts), start, stop)


def _as_arrow(column: Column) -> pa.Array:
    """Return a column as Arrow writes it; numbers and truth values keep their width."""
    if not isinstance(column, np.ndarray):
        assert not column.null_count, "what is missing is a sentinel"
        return column
    return arrow_numbers(column.view(np.uint8) if column.dtype == np.bool_ else column)


def _array(file: UnnamedFile, kind: Any, starts: Iterator[int], start: int, stop: int) -> pa.Array:
    """Return some rows of an Arrow array without nulls, whose buffers begin at given positions of a file."""
    if pa.types.is_null(kind):
        return pa.nulls(stop - start)
    next(starts)  # the null type
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


def _numbers(file: UnnamedFile, first: int, dtype: np.dtype[Any], start: int, stop: int) -> NumberArray:
    found = new_array(stop - start, dtype)
    file.read_into(found.view(np.uint8).data, first + dtype.itemsize * start)
    return found
