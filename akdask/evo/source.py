"""The rows of a blob as a source of plans: one partition for each run of row groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import ColumnType
from akdask.engine.values import token
from akdask.errors import FileFormatError
from akdask.evo.decoding import ColumnDecoding
from akdask.evo.errors import BlobFormatError, ContentError, place_of
from akdask.formats.parquet.chunks import ArrowChunkReader
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.page_list import bounds_of, of_stretches, unbounded, without_values
from akdask.formats.parquet.reader import RowGroup, RowGroupPart, RowGroupPartReader, partitions_of
from akdask.storage.source import Bounds, RowBounds, RowRanges
from akdask.typing import Column, NumberArray


@dataclass(frozen=True)
class BlobColumn:
    """One column of a blob.

    Parameters
    ----------
    stored : ParquetColumn
        The column in the file.
    decoding : ColumnDecoding
        How it is read.
    """

    stored: ParquetColumn
    decoding: ColumnDecoding

    @property
    def as_read(self) -> ParquetColumn:
        """The column in the file, with times in the unit in which they are read."""
        return self.stored if self.decoding.as_microseconds else self.stored.in_unit("ns")


@dataclass(frozen=True, slots=True)
class BlobPart(RowGroupPart):
    """One partition of a blob; implements `akdask.storage.source.Part`.

    Its rows are those of `RowGroupPart`.

    Parameters
    ----------
    columns : mapping of str to BlobColumn
        Only the columns that will be read.
    chunks : mapping of str to tuple of (int, int)
        Of each column, where its bytes begin and end in each row group.
    statistics : mapping of str to ndarray, dtype `CHUNK`
        Bounds in the file of the row groups, for columns that are read as stored.
    """

    columns: Mapping[str, BlobColumn]
    chunks: Mapping[str, tuple[tuple[int, int], ...]]
    statistics: Mapping[str, npt.NDArray[np.void]]

    def open(self) -> BlobPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return BlobPartReader(self)


class BlobPartReader(RowGroupPartReader[BlobPart]):
    """Reads row ranges of one partition of a blob.

    Damage is a `BlobFormatError`, and values that the role of the array forbids are a `ContentError`.

    Parameters
    ----------
    part : BlobPart
        The partition.
    """

    def _chunk_ranges(self, column: str) -> Iterator[tuple[int, int]]:
        yield from self._part.chunks[column]

    def _dtype(self, column: str) -> ColumnType:
        return self._part.columns[column].decoding.dtype

    def row_bounds(self, column: str, within: RowRanges) -> RowBounds | None:
        """Return bounds from statistics of each row group; see `akdask.storage.source.PartReader`."""
        part = self._part
        known = part.statistics.get(column)
        # A single row group was considered before the task existed, and within row groups nothing is known.
        if known is None or len(part.groups) < 2 or len(within):
            return None
        dtype = part.columns[column].decoding.dtype
        bounds = bounds_of(part.columns[column].as_read, dtype, known)
        starts = np.array([group.first - part.start for group in part.groups], np.int64)
        return None if bounds is None else RowBounds(np.maximum(starts, 0), without_values(bounds, dtype, known))

    def _read(self, column: str, number: int, start: int, stop: int, out: NumberArray | None) -> Column:
        group = self._part.groups[number].number
        try:
            return super()._read(column, number, start, stop, out)
        except ContentError as error:
            where = place_of(blob=self._part.file.path, column=column, row_group=group)
            raise ContentError(error.message, details=[where, *error.details], hint=error.hint) from error
        except FileFormatError as error:
            raise BlobFormatError(
                f"{place_of(blob=self._part.file.path, column=column, row_group=group)} cannot be read.",
                details=[error.message, *error.details],
                hint="the blob is damaged; fetch or write it again, and see akdask.evo.validate.",
            ) from error

    def _open_chunk(self, column: str, number: int) -> ArrowChunkReader:
        wanted = self._part.columns[column]
        group = self._part.groups[number].number
        return ArrowChunkReader(self._arrow_file(), group, wanted.stored, wanted.decoding, self._part.file.path)


class BlobSource:
    """The rows of a blob; implements `akdask.storage.source.Source`.

    Parameters
    ----------
    file : ParquetFileDescription
        The file.
    columns : mapping of str to BlobColumn
        The columns that can be read.
    start, stop : int
        Rows of the file.
    limit : int
        Bytes of a column of a partition.
    """

    def __init__(
        self, file: ParquetFileDescription, columns: Mapping[str, BlobColumn], start: int, stop: int, limit: int
    ) -> None:
        self._file, self._found = file, dict(columns)
        self._parts = tuple(_parts(file, start, stop, limit))

    @cached_property
    def token(self) -> str:
        """Changes whenever the file, the rows or how columns are read change."""
        how = [(name, column.stored.leaf, *_identity(column.decoding)) for name, column in self._found.items()]
        rows = [(start, stop) for start, stop, _ in self._parts]
        text = repr((self._file.file, rows, how))
        return blake2b(text.encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def label(self) -> str:
        """How a user names it, for plans and messages."""
        return f"read_blob({self._file.file.path!r})"

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns with their types."""
        return {name: column.decoding.dtype for name, column in self._found.items()}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows in each partition."""
        return tuple(stop - start for start, stop, _ in self._parts)

    @property
    def paths(self) -> Sequence[str]:
        """The file of each partition."""
        return [self._file.file.path] * len(self._parts)

    def part(self, index: int, columns: Sequence[str]) -> BlobPart:
        """Return one partition, reduced to the given columns."""
        start, stop, groups = self._parts[index]
        found = {name: self._found[name] for name in columns}
        chunks = {name: tuple(self._ranges(column.stored, groups)) for name, column in found.items()}
        rows = slice(groups[0].number, groups[-1].number + 1) if groups else slice(0)
        statistics = {
            name: self._file.chunks_of(column.stored)[rows]
            for name, column in found.items()
            if column.decoding.is_plain
        }
        return BlobPart(self._file.file, start, stop, groups, found, chunks, statistics)

    def _ranges(self, stored: ParquetColumn, groups: Sequence[RowGroup]) -> Iterator[tuple[int, int]]:
        chunks = self._file.chunks_of(stored)
        for group in groups:
            offset, size = int(chunks[group.number]["offset"]), int(chunks[group.number]["size"])
            yield offset, offset + size

    def bounds(self, column: str) -> Bounds | None:
        """Return bounds from statistics of each partition, None for values that are not read as stored."""
        stored, decoding = self._found[column].stored, self._found[column].decoding
        everything = unbounded(decoding.dtype, len(self._parts))
        if everything is None or not decoding.is_plain:
            return None
        of_groups = bounds_of(self._found[column].as_read, decoding.dtype, self._file.chunks_of(stored))
        if of_groups is None:
            return None
        stretches = [(groups[0].number, groups[-1].number + 1) if groups else (0, 0) for _, _, groups in self._parts]
        return of_stretches(of_groups, everything, stretches)


def _identity(decoding: ColumnDecoding) -> tuple[Any, ...]:
    lookup = decoding.lookup
    shown = None if lookup is None else token(lookup.keys.to_pylist(), lookup.values.to_pylist())
    how = (decoding.may_be_null, decoding.missing, decoding.becomes, decoding.as_microseconds, decoding.is_complete)
    return (decoding.stored, *how, shown)


def _parts(
    file: ParquetFileDescription, start: int, stop: int, limit: int
) -> Iterator[tuple[int, int, tuple[RowGroup, ...]]]:
    """Yield the rows of each partition, with their row groups; an empty one if there are no rows."""
    partitions = partitions_of([file], limit)
    some = False
    for index, (first, last) in enumerate(zip(partitions.starts.tolist(), partitions.stops.tolist(), strict=True)):
        begin, end = max(first, start), min(last, stop)
        if begin < end:
            groups = partitions.groups_of(index)
            yield begin, end, tuple(g for g in groups if g.first < end and g.first + g.nrows > begin)
            some = True
    if not some:
        yield start, start, ()
