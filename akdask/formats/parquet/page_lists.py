"""Lists of the pages of flat columns: their places, from headers or an index.

Headers are read once, and as far as rows are wanted.  Pages of other kinds than most raise `NoPlainPagesError`, and the
general path, `akdask.formats.parquet.chunks`, reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.errors import FileFormatError
from akdask.formats import tuning as formats_tuning
from akdask.formats.parquet import loops
from akdask.formats.parquet.columns import ParquetColumn
from akdask.formats.parquet.statistics import PageLocations
from akdask.formats.parquet.thrift import CODECS, CutShortError, Struct, ThriftError, integers, read_struct
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader

_DATA, _INDEX, _DICTIONARY, _DATA_V2 = 0, 1, 2, 3
PLAIN, RLE = 0, 3
UNCOMPRESSED = CODECS.index("UNCOMPRESSED")
_PLAIN_DICTIONARY, _RLE_DICTIONARY = 2, 8
_HEADS = (128, 2**12, 2**16, 2**22)  # bytes of a header that are tried
_LARGEST = 2**28  # bytes of a page, unpacked; larger ones are read by the general path
_MOST_ROWS = 2**24  # of a page: more are decoded some at a time, in the general way


class PageField(IntEnum):
    """The columns of a table of pages, of int64."""

    FIRST = 0
    """First row of the page in the row group."""

    NROWS = 1
    OFFSET = 2
    """Position of the page in the file, after its header."""

    PACKED = 3
    """Bytes of the page in the file."""

    UNPACKED = 4
    LEVELS = 5
    """Bytes of unpacked definition levels before the values; -1 if they are packed with the values."""

    IS_PACKED = 6
    IS_PLAIN = 7
    """Whether the page has values, not positions in a dictionary."""

    VALUES = 8
    """Position of the values if the file has them as in memory, one after the other; otherwise -1."""

    CHECKSUM = 9
    """Checksum of the page's bytes in the file; -1 without one."""


PageTable = npt.NDArray[np.int64]
"""A row for each page, with the columns of `PageField`."""

_NO_PAGES: PageTable = np.empty((0, len(PageField)), np.int64)

FindPages: TypeAlias = Callable[[], PageLocations | None]


class NoPlainPagesError(Exception):
    """Only the general reader supports this column chunk."""


class DictionaryPage(NamedTuple):
    """Position of the dictionary's numbers."""

    nvalues: int
    offset: int
    packed: int
    unpacked: int
    checksum: int


@record
class ChunkPlace:
    """Position of a column's part in a row group.

    Parameters
    ----------
    offset, size : int
        Its pages in the file.
    codec : int
        The position of the name of its codec in `akdask.formats.parquet.thrift.CODECS`.
    nrows : int
        Rows of the row group.
    """

    offset: int
    size: int
    codec: int
    nrows: int

    @classmethod
    def all_of(cls, chunks: npt.NDArray[np.void], nrows: Sequence[int]) -> list[ChunkPlace]:
        """Return the places of a column's chunks from the footer, given the rows of their row groups."""
        fields = (chunks[name].tolist() for name in ("offset", "size", "codec"))
        return list(map(cls, *fields, nrows))


class ListedPages(NamedTuple):
    """The pages of a chunk."""

    dictionary: DictionaryPage | None
    table: PageTable
    largest: list[int]
    """The largest number in each column of the table."""

    @classmethod
    def of(cls, dictionary: DictionaryPage | None, table: PageTable) -> ListedPages:
        """Return some pages, at least one."""
        return cls(dictionary, table, table.max(axis=0).tolist())


_LISTED: Cache[tuple[FileIdentity, int, bool], ListedPages] = Cache(
    "pages of Parquet chunks", nbytes=2**24, size=lambda pages: pages.table.nbytes
)
"""Pages of chunks by file, place and whether there are levels: headers are read once."""


class PageList:
    """The pages of a chunk, listed as far as they were requested.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    place : ChunkPlace
        Where the pages lie.
    column : ParquetColumn
        The column.
    itemsize : int
        Bytes of a plain number; 0 for text, of which only headers are read.
    find_pages : callable
        Returns the positions of pages from an index; called when pages are skipped.
    """

    def __init__(
        self,
        ranges: RangeReader,
        place: ChunkPlace,
        column: ParquetColumn,
        itemsize: int,
        find_pages: FindPages,
    ) -> None:
        self._ranges, self._column, self._nrows = ranges, column, place.nrows
        self._is_packed = place.codec != UNCOMPRESSED
        self._itemsize = itemsize
        self._key = (ranges.file, place.offset, column.is_optional)
        self._place, self._find_pages = place, find_pages
        self._indexed: PageLocations | None = None
        self._found_at: dict[int, tuple[int, ...]] = {}
        self._begin()
        self.dictionary: DictionaryPage | None = None
        self._table = _NO_PAGES
        self._largest: list[int] | None = None
        known = _LISTED.get(self._key)
        if known is not None:
            self.dictionary, self._table, self._largest = known
            self._listed = self._nrows

    def _begin(self) -> None:
        self._at, self._end = self._place.offset, self._place.offset + self._place.size
        self._found: list[tuple[int, ...]] = []
        self._listed = 0

    def covering(self, start: int, stop: int) -> PageTable:
        """Return the pages with some rows, in order, and maybe others; all have rows.

        Headers of earlier pages are skipped if an index has the positions of the wanted ones.

        Raises
        ------
        FileFormatError
            If headers are damaged.
        NoPlainPagesError
            If another reader is needed.
        """
        if self._indexed is None and start > self._listed:
            # A header takes a loop as long as a hundredth of a page of an index.
            few_before = start <= formats_tuning.PARQUET_LISTED_ROWS * (stop - start)
            if self._ranges.dense_file is None or not few_before:
                self._indexed = self._find_pages()
        if self._indexed is not None:
            found = self._by_index(self._indexed, start, stop)
            if found is not None:
                return found
            # The index is not that of these pages: from now on it is as if there were none.
            self._find_pages = lambda: None
        return self.up_to(stop)

    def up_to(self, rows: int) -> PageTable:
        """Return the pages of the first rows, and maybe others, by their headers alone; for errors see `covering`."""
        if self._indexed is not None:
            self._indexed = None
            self._begin()
        if self._listed < rows:
            while self._listed < rows:
                if not self._list_usual(rows):
                    self._list_page()
            self._table = np.array(self._found, np.int64).reshape(-1, _NO_PAGES.shape[1])
            if self._listed == self._nrows:
                found = _LISTED.put(self._key, ListedPages.of(self.dictionary, self._table))
                self._largest = found.largest
        return self._table

    def largest(self, pages: PageTable) -> list[int]:
        """Return the largest number in each column of some pages that it has returned."""
        if self._largest is not None and pages is self._table:
            return self._largest
        found: list[int] = pages.max(axis=0).tolist()
        return found

    def _by_index(self, locations: PageLocations, start: int, stop: int) -> PageTable | None:
        """Return the pages of some rows at the positions in an index, None if they are not there."""
        first, last = np.searchsorted(locations.firsts, start, "right") - 1, np.searchsorted(locations.firsts, stop)
        try:
            if self.dictionary is None and self._place.offset < locations.offsets[0]:
                self._list_dictionary(int(locations.offsets[0]))
            for number in range(int(first), int(last)):
                if number not in self._found_at:
                    self._found_at[number] = self._page_at(locations, number)
        except (FileFormatError, LookupError):
            return None
        return np.array([self._found_at[number] for number in range(int(first), int(last))], np.int64)

    def _list_dictionary(self, end: int) -> None:
        """Note the dictionary; `LookupError` if it does not end at the first page."""
        self._at, self._end = self._place.offset, end
        self._list_page()
        if self.dictionary is None or self._at != end:
            raise LookupError

    def _page_at(self, locations: PageLocations, number: int) -> tuple[int, ...]:
        """Return a page; `LookupError` if it is not at its position in the index."""
        self._at, self._listed, self._found = int(locations.offsets[number]), int(locations.firsts[number]), []
        self._end = self._at + int(locations.sizes[number])
        self._list_page()
        if self._at != self._end or len(self._found) != 1:
            raise LookupError
        (page,) = self._found
        has_values = page[PageField.IS_PLAIN] or self.dictionary is not None
        if page[PageField.NROWS] != locations.rows[number] or not has_values:
            raise LookupError
        return page

    def _list_usual(self, rows: int) -> bool:
        """Note the next pages of the first rows as far as their headers are usual; return whether there are any."""
        descriptor = self._ranges.dense_file
        if descriptor is None:
            return False
        state, dictionary = np.array([self._at, self._listed]), np.full(len(DictionaryPage._fields), -1)
        found = np.empty((formats_tuning.PARQUET_PAGES_AT_ONCE, _NO_PAGES.shape[1]), np.int64)
        count = loops.list_pages(
            descriptor,
            state,
            self._end,
            self._nrows,
            rows,
            self._itemsize,
            self._is_packed,
            self._column.is_optional,
            dictionary,
            found,
        )
        begun = self._at
        self._at, self._listed = state.tolist()
        self._found += map(tuple, found[:count].tolist())
        if dictionary[0] >= 0:
            self.dictionary = DictionaryPage(*dictionary.tolist())
        return self._at > begun

    def _list_page(self) -> None:
        """Note the next page.  Where it raises, the list has not moved on: asking again gives the same answer."""
        if self._at >= self._end:
            raise self.damaged(f"it ends after {self._listed:,} of {self._nrows:,} rows")
        header, size, behind = self._header()
        kind, unpacked, packed = integers(header, 1, 2, 3)
        offset = self._at + size
        if not (0 <= packed <= self._end - offset and unpacked >= 0):
            raise self.damaged(f"a page would have {packed:,} bytes")
        if unpacked > _LARGEST:
            raise NoPlainPagesError
        if kind == _DICTIONARY:
            self._note_dictionary(header, offset)
        elif kind in (_DATA, _DATA_V2):
            self._add_page(header, offset, behind)
        self._at = offset + packed

    def _header(self) -> tuple[Struct, int, bytes]:
        """Return the header of the next page, its size, and some of the bytes behind it."""
        for size in _HEADS:
            some = np.empty(min(size, self._end - self._at), np.uint8)
            self._ranges.read_into(some, self._at, self._column.name)
            raw = some.tobytes()
            try:
                header, length = read_struct(raw)
            except CutShortError as error:
                if len(some) < size:
                    raise self.damaged(str(error)) from None
            except ThriftError as error:
                raise self.damaged(str(error)) from None
            else:
                return header, length, raw[length:]
        raise NoPlainPagesError

    def _add_page(self, header: Struct, offset: int, behind: bytes) -> None:
        """Note a data page, given its header, where its bytes lie, and the first of them."""
        kind, unpacked, packed = integers(header, 1, 2, 3)
        levels, is_packed = -1, self._is_packed
        if kind == _DATA:
            nrows, encoding, of_levels = integers(header.get(5), 1, 2, 3)
            if self._column.is_optional and of_levels != RLE:
                raise NoPlainPagesError
        else:
            about = header.get(8)
            nrows, encoding, levels, of_lists = integers(about, 1, 4, 5, 6)
            is_packed = is_packed and (not isinstance(about, dict) or about.get(7, True) is True)
            if not 0 <= levels <= min(packed, unpacked) or of_lists > 0:
                raise self.damaged("its levels are longer than their page")
        if not 0 <= nrows <= self._nrows - self._listed:
            raise self.damaged(f"a page would have {nrows:,} rows")
        if encoding not in (PLAIN, _PLAIN_DICTIONARY, _RLE_DICTIONARY) or nrows > _MOST_ROWS:
            raise NoPlainPagesError
        if not is_packed and packed != unpacked:
            if self._is_packed:
                raise NoPlainPagesError  # old writers say so of pages that are, and Arrow knows which
            raise self.damaged("a page has another size than it tells")
        checksum = _checksum(header)
        # Checksums are of whole pages, so their values cannot be read alone.
        is_bare = not is_packed and encoding == PLAIN and checksum < 0
        before = self._before_values(behind[:packed], levels, nrows) if is_bare else -1
        if before >= 0 and before + nrows * self._itemsize > packed:
            raise self.damaged("a page has fewer bytes than its rows")
        values = offset + before if before >= 0 else -1
        if nrows:
            is_plain = encoding == PLAIN
            self._found.append(
                (self._listed, nrows, offset, packed, unpacked, levels, is_packed, is_plain, values, checksum)
            )
        self._listed += nrows

    def _before_values(self, start: bytes, levels: int, nrows: int) -> int:
        """Return how many bytes of a page are before its values, -1 where some may be null."""
        if not self._column.is_optional:
            return max(levels, 0)
        before = 4 if levels < 0 else 0
        size = levels if levels >= 0 else int.from_bytes(start[:4], "little")
        if size > len(start) - before:
            return -1
        return before + size if is_one_run(start[before : before + size], nrows) else -1

    def _note_dictionary(self, header: Struct, offset: int) -> None:
        unpacked, packed = integers(header, 2, 3)
        (count,) = integers(header.get(7), 1)
        if not 0 <= count * self._itemsize <= unpacked:
            raise self.damaged("its dictionary is shorter than it tells")
        self.dictionary = DictionaryPage(count, offset, packed, unpacked, _checksum(header))

    def no_text(self) -> FileFormatError:
        """Return the error for bytes that are no text."""
        return no_text(self._column.name, self._ranges.file.path)

    def damaged(self, problem: str) -> FileFormatError:
        """Return the error for a damaged column."""
        return FileFormatError(
            f"column {self._column.name!r} of {self._ranges.file.path!r} cannot be read: {problem}.",
            hint="the file is damaged; leave it out or write it again.",
        )


def page_with(pages: PageTable, row: int) -> int:
    """Return the number of the page that has a row."""
    return int(pages[:, PageField.FIRST].searchsorted(row, "right")) - 1


def no_text(column: str, path: str) -> FileFormatError:
    """Return the error for bytes of any kind, which are valid Parquet; akdask has no type for them."""
    return FileFormatError(
        f"column {column!r} of {path!r} has bytes that are not UTF-8, and is not read as text.",
        hint="name the other columns to read only those; or write it as text, or as lists of uint8.",
    )


def _checksum(header: Struct) -> int:
    found: Any = header.get(4)
    return found & 0xFFFFFFFF if type(found) is int else -1


def is_one_run(levels: bytes, nrows: int) -> bool:
    """Whether definition levels are a single run without nulls."""
    header = shift = 0
    for at, byte in enumerate(levels[:6]):
        header, shift = header | (byte & 127) << shift, shift + 7
        if byte < 128:
            return not header & 1 and header >> 1 >= nrows and levels[at + 1 : at + 2] == b"\x01"
    return False
