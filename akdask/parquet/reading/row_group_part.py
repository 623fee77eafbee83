"""Partitions that are rows of some row groups of a file, and what their readers have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

import pyarrow.parquet as pq

from akdask.columns import concat_rows, empty
from akdask.parquet.reading.chunks import ArrowChunkReader, open_parquet
from akdask.parquet.reading.pages import PageReader
from akdask.schema import ColumnType
from akdask.storage.data.ranges import RangeReader, range_reader
from akdask.storage.data.source import PartReader
from akdask.storage.paths.files import FileIdentity, is_remote
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


@dataclass(frozen=True, slots=True)
class RowGroupPart:
    """A row range of one file; what is missing of `akdask.storage.data.source.Part` is `open`.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that was looked at.
    start, stop : int
        Rows of the file.
    groups : tuple of RowGroup
        The row groups that have them.
    columns : mapping of str to object
        Only the columns that will be read.
    """

    file: FileIdentity
    start: int
    stop: int
    groups: tuple[RowGroup, ...]
    columns: Mapping[str, Any]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.stop - self.start

    @property
    def is_remote(self) -> bool:
        """Whether the file is not on this machine."""
        return is_remote(self.file.path)


PartT = TypeVar("PartT", bound=RowGroupPart)


class RowGroupPartReader(PartReader, Generic[PartT]):
    """Reads row ranges of one partition, row group by row group.

    Parameters
    ----------
    part : RowGroupPart
        The partition.
    """

    def __init__(self, part: PartT) -> None:
        self._part = part
        self._ranges: RangeReader = range_reader(part.file)
        self._stack = ExitStack()
        self._opened: dict[tuple[str, ...], pq.ParquetFile] = {}
        self._chunks: dict[tuple[str, int], PageReader | ArrowChunkReader] = {}

    def __enter__(self) -> Self:
        self._stack.enter_context(self._ranges)
        if self._part.is_remote:
            # Headers of pages are gone over before the pages are read.
            self._ranges.expect([list(self._chunk_ranges(column)) for column in self._part.columns], goes_back=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.clear()
        self._opened.clear()
        self._stack.close()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column; see `akdask.storage.data.source.PartReader.read`."""
        if stop <= start:
            return empty(self._dtype(column))
        parts, row = [], 0
        for number, begin, end in self._within_groups(start, stop):
            target = None if out is None else out[row : row + end - begin]
            parts.append(self._read(column, number, begin, end, target))
            row += end - begin
        return concat_rows(parts) if out is None else out[: stop - start]

    def _within_groups(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield the row groups that have some rows, by number, and the first and last of these in each."""
        for number, group in enumerate(self._part.groups):
            first = self._part.start - group.first
            begin, end = max(first + start, 0), min(first + stop, group.nrows)
            if begin < end:
                yield number, begin, end

    @abstractmethod
    def _chunk_ranges(self, column: str) -> Iterator[tuple[int, int]]:
        """Yield where the bytes of a column begin and end in each row group, of which some will be read."""

    @abstractmethod
    def _dtype(self, column: str) -> ColumnType:
        """Return the type of a column."""

    @abstractmethod
    def _open_chunk(self, column: str, number: int) -> PageReader | ArrowChunkReader:
        """Return a reader of a column in a row group of the partition, which it counts from 0."""

    def _read(self, column: str, number: int, start: int, stop: int, out: NumberArray | None) -> Column:
        """Return rows of a row group."""
        return self._chunk(column, number).read(start, stop, out)

    def _chunk(self, column: str, number: int) -> PageReader | ArrowChunkReader:
        known = self._chunks.get((column, number))
        if known is None:
            # Of the row groups that were gone through before, nothing is held.
            self._chunks = {key: chunk for key, chunk in self._chunks.items() if key[0] != column}
            known = self._chunks[column, number] = self._open_chunk(column, number)
        return known

    def _arrow_file(self, *encoded: str, int96_unit: Literal["s", "us", "ns"] = "us") -> pq.ParquetFile:
        """Return the file opened by Arrow, which is done when it is first asked for; see `open_parquet`."""
        key = (int96_unit, *encoded)
        if key not in self._opened:
            self._opened[key] = open_parquet(self._ranges, encoded, int96_unit)
        return self._opened[key]
