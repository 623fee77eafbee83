"""Partitions of a set and their readers: row ranges of a file, over one or several row groups."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

import pyarrow.parquet as pq

from akdask.columns import concat_rows, empty
from akdask.columns.rows import spread
from akdask.parquet.chunks import ChunkReader, errors_naming, open_parquet
from akdask.parquet.columns import ParquetColumn
from akdask.schema import INT64, ColumnType
from akdask.storage.data.ranges import RangeReader, range_reader
from akdask.storage.data.source import PartReader
from akdask.storage.paths.files import FileIdentity
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group of a file, as far as it is of a partition.

    Parameters
    ----------
    number : int
        Its number in the file.
    first : int
        Its first row in the file.
    nrows : int
        Its rows.
    """

    number: int
    first: int
    nrows: int


class Place(Protocol):
    """Where the rows of a column are in one file."""

    dtype: ColumnType


@dataclass(frozen=True, slots=True)
class StoredPlace:
    """A column that the file stores.

    Parameters
    ----------
    column : ParquetColumn
        The column in this file.
    dtype : ColumnType
        The type that it has in all files.
    of_nulls : bool, default False
        Whether not its rows are wanted, but which of them are null.
    """

    column: ParquetColumn
    dtype: ColumnType
    of_nulls: bool = False


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """A column with one value in all rows of a file: of its path, or missing."""

    value: Any
    dtype: ColumnType


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """One partition: a row range of one file; implements `akdask.storage.data.source.Part`.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that was looked at.
    start, stop : int
        Rows of the file.
    groups : tuple of RowGroup
        The row groups that have them.
    columns : mapping of name to StoredPlace or ConstantPlace
        Only the columns that will be read.
    """

    file: FileIdentity
    start: int
    stop: int
    groups: tuple[RowGroup, ...]
    columns: Mapping[str, StoredPlace | ConstantPlace]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.stop - self.start

    def open(self) -> ParquetPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return ParquetPartReader(self)


class ParquetPartReader(PartReader):
    """Reads row ranges of one partition.

    Parameters
    ----------
    part : ParquetPart
        The partition.
    """

    def __init__(self, part: ParquetPart) -> None:
        self._part = part
        self._ranges: RangeReader = range_reader(part.file)
        self._stack = ExitStack()
        self._opened: pq.ParquetFile | None = None
        self._chunks: dict[tuple[str, int], ChunkReader] = {}

    def __enter__(self) -> Self:
        self._stack.enter_context(self._ranges)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.clear()
        self._opened = None
        self._stack.close()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column; see `akdask.storage.data.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        FileError
            If the file has changed since the set was opened.
        """
        place = self._part.columns[column]
        if stop <= start:
            return empty(place.dtype)
        if isinstance(place, ConstantPlace):
            return self._constant(place, stop - start, out)
        pieces = []
        first = self._part.start + start
        for group in self._part.groups:
            begin, end = max(first, group.first), min(self._part.start + stop, group.first + group.nrows)
            if begin < end:
                target = None if out is None else out[begin - first : end - first]
                pieces.append(self._chunk(column, place, group).read(begin - group.first, end - group.first, target))
        return concat_rows(pieces) if out is None else out[: stop - start]

    def _constant(self, place: ConstantPlace, nrows: int, out: NumberArray | None) -> Column:
        if out is None:
            return spread(place.value, place.dtype, nrows)
        out[:nrows] = place.value
        return out[:nrows]

    def _chunk(self, name: str, place: StoredPlace, group: RowGroup) -> ChunkReader:
        known = self._chunks.get((name, group.number))
        if known is None:
            # Of the row groups that were gone through before, nothing is held.
            self._chunks = {key: chunk for key, chunk in self._chunks.items() if key[0] != name}
            path = self._part.file.path
            with errors_naming(path, place.column.name):
                if self._opened is None:
                    self._opened = open_parquet(self._ranges)
                dtype = None if place.of_nulls else place.dtype
                known = ChunkReader(self._opened, path, group.number, group.nrows, place.column, dtype)
            self._chunks[name, group.number] = known
        return known


NULLS = INT64
"""The type of what tells which rows are null."""
