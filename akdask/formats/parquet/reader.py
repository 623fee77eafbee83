"""Partitions of a set and their readers, which read columns page by page where possible, else through Arrow."""

from __future__ import annotations

import sys
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import field
from functools import partial
from operator import attrgetter
from types import TracebackType
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import concat_rows, concat_text, decoded, empty, spread
from akdask.deferred import pq
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats import tuning
from akdask.formats.parquet.chunks import (
    ArrowChunkReader,
    Int96ChunkReader,
    decode,
    errors_naming,
    is_text,
    nulls_of,
    open_parquet,
)
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.page_lists import ChunkPlace, NoPlainPagesError
from akdask.formats.parquet.pages import ALL_ROWS, JoinedPageReader, NumberPageReader
from akdask.formats.parquet.statistics import (
    PageLocations,
    bounds_of,
    concat_chunks,
    has_order,
    have_bounds,
    page_locations,
    page_statistics,
    without_values,
)
from akdask.formats.parquet.text_pages import TextPageReader
from akdask.records import record
from akdask.storage import decoded_columns
from akdask.storage.decoded_columns import FileColumn
from akdask.storage.files import FileIdentity, is_remote
from akdask.storage.ranges import ALIGNED_ROWS, RangeReader, range_reader, split_rows
from akdask.storage.source import PartReader, RowBounds, RowRanges, Stretch, joined_in, stretch_of
from akdask.typing import Column, NumberArray


@record
class RowGroup:
    """The part of one row group of a file that belongs to a partition.

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


@record
class RowGroupPart:
    """A row range of one file; subclasses add `open` to complete `akdask.storage.source.Part`.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that was inspected.
    start, stop : int
        Rows of the file.
    groups : tuple of RowGroup
        The row groups with these rows.
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


ChunkReader: TypeAlias = NumberPageReader | TextPageReader | ArrowChunkReader

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
        self._opened: dict[str, pq.ParquetFile] = {}
        self._chunks: dict[str, tuple[int, ChunkReader]] = {}

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
        """Return rows of a column; see `akdask.storage.source.PartReader.read`."""
        if stop <= start:
            return empty(self._dtype(column))
        parts, row = [], 0
        for number, begin, end in self._within_groups(start, stop):
            target = None if out is None else out[row : row + end - begin]
            parts.append(self._read(column, number, begin, end, target))
            row += end - begin
        if out is None or len(parts) == 1:
            return concat_rows(parts)
        return joined_in(out, parts)

    def _within_groups(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield the row groups that have some rows, by number, and the first and last of these in each."""
        for number, group in enumerate(self._part.groups):
            first = self._part.start - group.first
            begin, end = max(first + start, 0), min(first + stop, group.nrows)
            if begin < end:
                yield number, begin, end

    @abstractmethod
    def _chunk_ranges(self, column: str) -> Iterator[tuple[int, int]]:
        """Yield the bounds of a column's bytes in each row group, of which some will be read."""

    @abstractmethod
    def _dtype(self, column: str) -> ColumnType:
        """Return the type of a column."""

    @abstractmethod
    def _open_chunk(self, column: str, number: int) -> ChunkReader:
        """Return a reader of a column in a row group of the partition, which it counts from 0."""

    def _read(self, column: str, number: int, start: int, stop: int, out: NumberArray | None) -> Column:
        return self._chunk(column, number).read(start, stop, out)

    def _chunk(self, column: str, number: int) -> ChunkReader:
        known = self._chunks.get(column)
        if known is None or known[0] != number:
            # That of the row group before is left, whether this one can be opened or not.
            self._chunks.pop(column, None)
            known = self._chunks[column] = number, self._open_chunk(column, number)
        return known[1]

    def _arrow_file(self, int96_unit: Literal["s", "us", "ns"] = "us") -> pq.ParquetFile:
        """Return the file opened by Arrow, on first use; see `open_parquet`."""
        if int96_unit not in self._opened:
            self._opened[int96_unit] = open_parquet(self._ranges, int96_unit)
        return self._opened[int96_unit]


@record
class StoredPlace:
    """A column that the file stores.

    Parameters
    ----------
    column : ParquetColumn
        The column in this file.
    dtype : ColumnType
        The type that it has in all files.
    chunks : ndarray, shape (ngroups,), dtype `CHUNK`
        Its metadata in the footer for each row group of the partition.
    of_nulls : bool, default False
        Whether the nulls of its rows are read, instead of their values.
    """

    column: ParquetColumn
    dtype: ColumnType
    chunks: npt.NDArray[np.void] = field(compare=False)
    of_nulls: bool = False


@record
class ConstantPlace:
    """A column with one value in all rows of a file: of its path, or missing."""

    value: Any
    dtype: ColumnType


@record
class ParquetPart(RowGroupPart):
    """One partition of a set; implements `akdask.storage.source.Part`.

    Its rows are those of `RowGroupPart`.

    Parameters
    ----------
    columns : mapping of name to StoredPlace or ConstantPlace
        Only the columns that will be read.
    check : callable, optional
        Compares all bytes of the file with its checksums before the first read.
    """

    columns: Mapping[str, StoredPlace | ConstantPlace]
    check: Callable[[], object] | None = field(default=None, compare=False)

    def open(self) -> ParquetPartReader:
        """Return a reader, to be used in a ``with`` statement.

        Raises
        ------
        FileFormatError
            If the file is to be checked, and differs from its checksums.
        """
        if self.check is not None:
            self.check()
        return ParquetPartReader(self)


class _ColumnPages(NamedTuple):
    """A column's reader of pages, None if all are read in the general way, and where its chunks are."""

    reader: NumberPageReader | TextPageReader | None
    chunks: list[ChunkPlace]
    find: Callable[[int], PageLocations | None]


def _size_of_bounds(found: tuple[RowBounds | None]) -> int:
    # A start, two bounds, and what is known of missing values.
    return sys.getsizeof(found) if found[0] is None else 4 * found[0].starts.nbytes


_BOUNDS: Cache[Hashable, tuple[RowBounds | None]] = Cache(
    "bounds of rows of Parquet files", nbytes=2**24, size=_size_of_bounds
)
"""Bounds of all rows of partitions, in their row groups and pages."""


class ParquetPartReader(RowGroupPartReader[ParquetPart]):
    """Reads row ranges of one partition.

    Parameters
    ----------
    part : ParquetPart
        The partition.
    """

    def __init__(self, part: ParquetPart) -> None:
        super().__init__(part)
        self._columns: dict[str, FileColumn] = {}
        self._keeps_columns = not part.is_remote and decoded_columns.keeps_any()
        self._page_readers: dict[str, _ColumnPages] = {}
        self._joined: dict[str, JoinedPageReader | None] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                for column in self._columns.values():
                    column.finish()
        finally:
            self._columns.clear()
            self._page_readers.clear()
            self._joined.clear()
            super().__exit__(kind, error, trace)

    def _chunk_ranges(self, column: str) -> Iterator[tuple[int, int]]:
        """Yield where the chunks of a column begin, and where they end as far as rows of the partition reach."""
        place = self._part.columns[column]
        if isinstance(place, ConstantPlace):
            return
        for chunk, group in zip(place.chunks, self._part.groups, strict=True):
            # Only the headers of the pages before a row reveal its position.  Pages are about equally long.
            wanted = min(self._part.stop - group.first, group.nrows)
            offset, size = int(chunk["offset"]), int(chunk["size"])
            yield offset, offset + (size * wanted // group.nrows if wanted < group.nrows else size)

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column; see `akdask.storage.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        FileError
            If the file has changed since the set was opened.
        """
        place = self._part.columns[column]
        if isinstance(place, ConstantPlace) and stop > start:
            return self._constant(place, stop - start, out)
        known = self._column(column) if stop > start else None
        found = None if known is None else known.rows(start, stop)
        return self._from_file(column, start, stop, out) if found is None else decoded(found)

    def _from_file(self, column: str, start: int, stop: int, out: NumberArray | None) -> Column:
        found = self._across(column, list(self._within_groups(start, stop)), start, stop - start, out)
        return super().read(column, start, stop, out) if found is None else found

    def read_text(self, column: str, start: int, stop: int) -> Any:
        """Return rows of a column of text; see `akdask.storage.source.PartReader.read_text`.

        For errors see `read`.
        """
        if stop <= start or isinstance(self._part.columns[column], ConstantPlace):
            return self.read(column, start, stop)
        known = self._column(column)
        found = None if known is None else known.rows(start, stop)
        return self._text_from_file(column, start, stop) if found is None else found

    def _text_from_file(self, column: str, start: int, stop: int) -> Any:
        return concat_text([self._text(column, *where) for where in self._within_groups(start, stop)])

    def read_rows(self, column: str, rows: NumberArray, out: NumberArray | None = None) -> Any:
        """Return some rows of a column; see `akdask.storage.source.PartReader.read_rows`.

        For errors see `read`.
        """
        place = self._part.columns[column]
        if isinstance(place, ConstantPlace):
            return self._constant(place, len(rows), out)
        rows = np.ascontiguousarray(rows)
        known = self._column(column)
        at_once = None if known is None else known.take(rows, out)
        if at_once is not None:
            return at_once
        groups = list(self._within_groups(int(rows[0]), int(rows[-1]) + 1))
        if len(rows) * tuning.PARQUET_JOINED_ROWS >= rows[-1] - rows[0]:
            at_once = self._across(column, groups, 0, len(rows), out, rows)
            if at_once is not None:
                return at_once
        if len(groups) > 1 and out is None and place.dtype.is_number:
            out = new_array(len(rows), place.dtype.numpy)
        parts, row = [], 0
        for number, _, end in groups:
            start = self._part.start - self._part.groups[number].first
            last = row + int(rows[row:].searchsorted(end - start)) if len(groups) > 1 else len(rows)
            if row == last:
                continue
            found = self._rows(column, number, rows[row:last], start, None if out is None else out[row:last])
            if found is None:
                return None
            parts.append(found)
            row = last
        return concat_text(parts) if out is None or not isinstance(parts[0], np.ndarray) else out[:row]

    def _across(  # noqa: PLR0917 - those of `JoinedPageReader.read_across`
        self,
        column: str,
        groups: Sequence[tuple[int, int, int]],
        start: int,
        nrows: int,
        out: NumberArray | None,
        rows: NumberArray = ALL_ROWS,
    ) -> Any:
        """Return rows of several row groups that one loop reads; None where each of them is to be read alone."""
        if len(groups) < 2 or self._part.is_remote:
            return None
        if column not in self._joined:
            place, pages, found = self._stored(column), self._pages_of(column), None
            if isinstance(pages.reader, NumberPageReader):
                with suppress(NoPlainPagesError, FileFormatError):
                    found = JoinedPageReader(self._ranges, place.column, place.dtype, pages.chunks)
            self._joined[column] = found
        reader = self._joined[column]
        before = self._part.start - self._part.groups[0].first
        return None if reader is None else reader.read_across(start + before, nrows, out, rows)

    def _column(self, column: str) -> FileColumn | None:
        """Return the partition's rows of a column, None if they are not to be kept."""
        if not self._keeps_columns:
            return None
        known = self._columns.get(column)
        if known is None:
            place, part = self._stored(column), self._part
            is_text = place.dtype.kind == "str"
            read = partial(self._encoded_from_file if is_text else self._from_file, column)
            key = (part.file, place.column, place.dtype, place.of_nulls, part.start, part.stop)
            known = self._columns[column] = FileColumn(key, part.nrows, place.dtype, read)
        return known

    def _encoded_from_file(self, column: str, start: int, stop: int, out: None) -> Any:
        return self._text_from_file(column, start, stop)

    def _rows(self, column: str, number: int, rows: NumberArray, start: int, out: NumberArray | None) -> Any:
        """Return some rows of a row group, counted from row `start`; None where pages cannot be read alone."""
        chunk = self._chunk(column, number)
        try:
            if isinstance(chunk, NumberPageReader):
                return chunk.read_rows(rows, start, out)
            if isinstance(chunk, TextPageReader):
                rows = rows + start
                return chunk.read_text(int(rows[0]), int(rows[-1]) + 1, rows)
        except NoPlainPagesError:
            self._chunks[column] = number, self._general_chunk(column, number)
        except FileFormatError:
            pass  # reading all rows tells, if Arrow cannot read them either
        return None

    def _text(self, column: str, number: int, start: int, stop: int) -> Any:
        """Return rows of a row group, maybe encoded."""
        chunk = self._chunk(column, number)
        if isinstance(chunk, TextPageReader):
            try:
                return chunk.read_text(start, stop)
            except (NoPlainPagesError, FileFormatError):
                pass
        return self._read(column, number, start, stop, None)

    def _read(self, column: str, number: int, start: int, stop: int, out: NumberArray | None) -> Column:
        try:
            return super()._read(column, number, start, stop, out)
        except NoPlainPagesError:
            self._chunks[column] = number, self._general_chunk(column, number)
            return self._chunk(column, number).read(start, stop, out)
        except FileFormatError as error:
            return self._read_leniently(column, number, start, stop, out, error)

    def _read_leniently(  # noqa: PLR0917 - those of `_read`, and why it failed
        self, column: str, number: int, start: int, stop: int, out: NumberArray | None, error: FileFormatError
    ) -> Column:
        """Read what is not as the format says through Arrow, which reads some of it; else the error stays."""
        _, failed = self._chunks.pop(column, (number, None))
        if isinstance(failed, ArrowChunkReader):
            raise error
        try:
            chunk = self._general_chunk(column, number)
            found = chunk.read(start, stop, out)
        except AkdaskError:
            raise error from None
        self._chunks[column] = number, chunk
        return found

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return the stretches of a column's rows; None where their stored form differs from that in memory."""
        place = self._part.columns[column]
        if isinstance(place, ConstantPlace) or place.of_nulls:
            return None
        known = self._column(column)
        if known is not None and isinstance(known.in_memory, np.ndarray):
            return [stretch_of(known.in_memory)]
        found: list[Stretch] = []
        for number, group in enumerate(self._part.groups):
            try:
                chunk = self._chunk(column, number)
                some = chunk.stretches() if isinstance(chunk, NumberPageReader) else None
            except (NoPlainPagesError, FileFormatError):  # reading tells
                return None
            if some is None:
                return None
            found += _within(some, self._part.start - group.first, self._part.stop - group.first, place.dtype.itemsize)
        # Each begins a unit in which floats are added up, and these are counted from the first row of the partition.
        return found if all(stretch.nrows % ALIGNED_ROWS == 0 for stretch in found[:-1]) else None

    def row_bounds(self, column: str, within: RowRanges) -> RowBounds | None:
        """Return bounds of a column in row groups; of pages in row groups with rows of the given ranges.

        Indexes of remote files are not read: pages are fetched ahead before an index would arrive.
        """
        place, part = self._part.columns[column], self._part
        if isinstance(place, ConstantPlace) or place.of_nulls or not place.column.is_flat:
            return None
        if part.is_remote or within.tolist() not in ([], [[0, part.nrows]]):
            return self._found_bounds(place, within)
        key = (part.file, place.column, place.dtype, part.start, part.stop, len(within))
        known = _BOUNDS.get(key)
        if known is None:
            known = _BOUNDS.put(key, (self._found_bounds(place, within),))
        return known[0]

    def _found_bounds(self, place: StoredPlace, within: RowRanges) -> RowBounds | None:
        groups = self._part.groups
        first, known = np.array([group.first for group in groups]), place.chunks
        if len(within):
            if (
                self._part.is_remote
                or not have_bounds(known).any()
                or not (place.dtype.kind == "str" or has_order(place.column))
            ):
                return None
            starts, chunks = zip(*self._pages(place, within), strict=True)
            first, known = np.concatenate(starts), concat_chunks(chunks)
        elif len(groups) == 1:
            return None  # it was considered before the task existed
        first = first - self._part.start
        # Rows before and behind the partition are excluded.
        last_before = np.searchsorted(first, 0, "right") - 1
        rows = slice(int(last_before), int(np.searchsorted(first, self._part.nrows)))
        bounds = bounds_of(place.column, place.dtype, known[rows])
        if bounds is None:
            return None
        return RowBounds(np.maximum(first[rows], 0), without_values(bounds, place.dtype, known[rows]))

    def _pages(
        self, place: StoredPlace, within: RowRanges
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.void]]]:
        """Yield the first rows in the file of each row group's pages, and the bounds of the pages or the group."""
        for group, chunk, has_bounds in zip(self._part.groups, place.chunks, have_bounds(place.chunks), strict=True):
            first = group.first - self._part.start
            is_wanted = ((within[:, 0] < first + group.nrows) & (within[:, 1] > first)).any()
            known = page_statistics(self._ranges, chunk, place.column) if is_wanted and has_bounds else None
            if known is None:
                yield np.array([group.first]), chunk.reshape(1)
            else:
                yield group.first + known[0].firsts, known[1]

    def _constant(self, place: ConstantPlace, nrows: int, out: NumberArray | None) -> Column:
        if out is None:
            return spread(place.value, place.dtype, nrows)
        out[:nrows] = place.value
        return out[:nrows]

    def _dtype(self, column: str) -> ColumnType:
        return self._part.columns[column].dtype

    def _open_chunk(self, column: str, number: int) -> ChunkReader:
        pages = self._pages_of(column)
        if pages.reader is not None:
            try:
                pages.reader.open(pages.chunks[number], partial(pages.find, number))
            except NoPlainPagesError:
                pass
            else:
                return pages.reader
        return self._general_chunk(column, number)

    def _pages_of(self, column: str) -> _ColumnPages:
        known = self._page_readers.get(column)
        if known is not None:
            return known
        place = self._stored(column)

        def find(number: int) -> PageLocations | None:
            return page_locations(self._ranges, place.chunks[number])

        kind = TextPageReader if place.dtype.kind == "str" else NumberPageReader
        reader: NumberPageReader | TextPageReader | None = None
        if not place.of_nulls and not self._as_digits(place.column):
            with suppress(NoPlainPagesError):
                reader = kind(self._ranges, place.column, place.dtype)
        nrows = [group.nrows for group in self._part.groups]
        known = self._page_readers[column] = _ColumnPages(reader, ChunkPlace.all_of(place.chunks, nrows), find)
        return known

    def _general_chunk(self, column: str, number: int) -> ArrowChunkReader:
        place, group = self._stored(column), self._part.groups[number]
        path = self._part.file.path
        with errors_naming(path, place.column.name):
            as_digits = not place.of_nulls and self._as_digits(place.column)
            decoded: Any = partial(decode, column=place.column, dtype=place.dtype, as_digits=as_digits)
            how = nulls_of if place.of_nulls else decoded
            if place.column.physical == "INT96" and not place.of_nulls:
                units = (self._arrow_file(int96_unit="ns"), self._arrow_file(int96_unit="s"))
                return Int96ChunkReader(*units, group.number, place.column, how, path)
            return ArrowChunkReader(self._arrow_file(), group.number, place.column, how, path)

    def _as_digits(self, column: ParquetColumn) -> bool:
        return not is_text(self._part.file, column) if column.digits is None else column.digits

    def _stored(self, column: str) -> StoredPlace:
        place = self._part.columns[column]
        assert isinstance(place, StoredPlace), "what is the same in all rows has no chunks"
        return place


def _within(stretches: Sequence[Stretch], start: int, stop: int, itemsize: int) -> Iterator[Stretch]:
    """Yield the parts of stretches between two rows."""
    row = 0
    for descriptor, offset, nrows, _ in stretches:
        begin, end = max(start - row, 0), min(stop - row, nrows)
        if begin < end:
            yield Stretch(descriptor, offset + begin * itemsize, end - begin)
        row += nrows


_ITEMSIZE = 8

Ints = npt.NDArray[np.int64]


@record(eq=False)
class RowGroupPartitions:
    """The partitions of a set, in the order of its rows.

    Parameters
    ----------
    files : ndarray, shape (npartitions,), int64
        The file of each.
    starts, stops : ndarray, shape (npartitions,), int64
        Its rows of that file.
    first, last : ndarray, shape (npartitions,), int64
        Its row groups, counted over all files; `last` is exclusive.
    groups : tuple of sequence of RowGroup
        The row groups of each file.
    counted : ndarray, shape (nfiles + 1,), int64
        Row groups of all files before each.
    by_size : int
        Number of partitions that the bytes alone ask for, as no file is cut for several threads.
    """

    files: Ints
    starts: Ints
    stops: Ints
    first: Ints
    last: Ints
    groups: tuple[Sequence[RowGroup], ...]
    counted: Ints
    by_size: int

    @property
    def lengths(self) -> Ints:
        """Rows in each partition."""
        return self.stops - self.starts

    def groups_of(self, index: int) -> tuple[RowGroup, ...]:
        """Return the row groups that a partition has rows of."""
        file = int(self.files[index])
        before = int(self.counted[file])
        return tuple(self.groups[file][int(self.first[index]) - before : int(self.last[index]) - before])


_FIRST = attrgetter("first")


def partitions_of(files: Sequence[ParquetFileDescription], limit: int) -> RowGroupPartitions:
    """Cut the rows of files into partitions, so that a column of one takes at most `limit` bytes where possible.

    Each file has one partition at least, also one without rows.
    """
    units: list[tuple[int, int, int, int, int]] = []  # file, first and last group, first row, rows
    groups: list[list[RowGroup]] = []
    counted = np.zeros(len(files) + 1, np.int64)
    most = max(1, min(tuning.PARQUET_PARTITION_ROWS, limit // _ITEMSIZE))
    for number, file in enumerate(files):
        before, row, found = int(counted[number]), 0, list[RowGroup]()
        begun: list[int] = [before, before, 0, 0]
        for group, nrows in enumerate(file.rows.tolist()):
            found.append(RowGroup(group, row, nrows))
            if begun[3] and begun[3] + nrows > most:
                units.append((number, *begun))  # type: ignore[arg-type]
                begun = [before + group, before + group, row, 0]
            begun[1], begun[3] = before + group + 1, begun[3] + nrows
            row += nrows
        units.append((number, *begun))  # type: ignore[arg-type]
        groups.append(found)
        counted[number + 1] = before + len(found)
    file_of, first, last, begin, rows = np.array(units, np.int64).reshape(-1, 5).T
    # Divided, not multiplied: no number of rows is too large for that.
    sizes = np.minimum(rows, 2**59) * _ITEMSIZE
    ranges = split_rows(rows, sizes, limit)
    starts, stops = (side + begin[ranges.files] for side in (ranges.starts, ranges.stops))
    firsts, lasts = first[ranges.files], last[ranges.files]
    for index in np.flatnonzero(ranges.stops - ranges.starts < rows[ranges.files]).tolist():
        number = int(file_of[ranges.files[index]])
        before, found = int(counted[number]), groups[number]
        firsts[index] = before + bisect_right(found, starts[index], key=_FIRST) - 1
        lasts[index] = before + bisect_left(found, stops[index], key=_FIRST)
    return RowGroupPartitions(
        file_of[ranges.files], starts, stops, firsts, lasts, tuple(groups), counted, ranges.by_size
    )
