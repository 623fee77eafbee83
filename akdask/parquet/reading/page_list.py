"""Where the pages of a flat column of numbers lie in a row group, told by their headers, of which each is read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import FileFormatError
from akdask.kernels import compiled
from akdask.kernels.core.page_fields import PageField
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.recent import Recent
from akdask.parquet.metadata.row_groups import CODECS
from akdask.parquet.metadata.thrift import CutShortError, Struct, ThriftError, integers, read_struct
from akdask.parquet.reading.page_index import PageLocations
from akdask.storage.data.ranges import RangeReader
from akdask.storage.paths.files import FileIdentity

_DATA, _INDEX, _DICTIONARY, _DATA_V2 = 0, 1, 2, 3
PLAIN, RLE = 0, 3
UNCOMPRESSED = CODECS.index("UNCOMPRESSED")
_PLAIN_DICTIONARY, _RLE_DICTIONARY = 2, 8
_HEADS = (128, 2**12, 2**16, 2**22)  # bytes of a header that are tried
_LARGEST = 2**28  # bytes of a page, unpacked; those of others are read in the general way
_MOST_ROWS = 2**24  # of a page: more are decoded some at a time, in the general way

PageTable = npt.NDArray[np.int64]
"""A row for each page, with the columns of `PageField`."""


FindPages: TypeAlias = Callable[[], PageLocations | None]


class NoPlainPagesError(Exception):
    """A column chunk is made in a way that only the general reader knows."""


class DictionaryPage(NamedTuple):
    """Where the numbers lie that positions stand for."""

    nvalues: int
    offset: int
    packed: int
    unpacked: int
    checksum: int


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where the part of a column in a row group lies.

    Parameters
    ----------
    offset, size : int
        Its pages in the file.
    codec : int
        The position of the name of its codec in `akdask.parquet.metadata.row_groups.CODECS`.
    nrows : int
        Rows of the row group.
    """

    offset: int
    size: int
    codec: int
    nrows: int

    @classmethod
    def of(cls, chunk: np.void, nrows: int) -> ChunkPlace:
        """Return where a chunk lies of which the footer tells, given the rows of its row group."""
        return cls(int(chunk["offset"]), int(chunk["size"]), int(chunk["codec"]), nrows)


_LISTED: Recent[tuple[FileIdentity, int, bool], tuple[DictionaryPage | None, PageTable]] = Recent(1024)
"""Pages of the chunks that were read last, by file, place and whether there are levels: headers are read once."""


class PageList:
    """The pages of a chunk, as far as they were asked for.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    place : ChunkPlace
        Where the pages lie.
    column : ParquetColumn
        The column.
    itemsize : int
        Bytes of a plain number; 0 for text, of which only headers are looked at.
    find_pages : callable
        Returns where an index says that they lie; asked when pages are passed over.
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
        self._table: PageTable = np.empty((0, len(PageField)), np.int64)
        known = _LISTED.get(self._key)
        if known is not None:
            self.dictionary, self._table = known
            self._listed = self._nrows

    def _begin(self) -> None:
        """Begin with the first page."""
        self._at, self._end = self._place.offset, self._place.offset + self._place.size
        self._found: list[tuple[int, ...]] = []
        self._listed = 0

    def covering(self, start: int, stop: int) -> PageTable:
        """Return the pages that have some rows, in order, and maybe others; all have rows.

        Headers of pages before are not read if an index tells where the wanted ones lie.

        Raises
        ------
        FileFormatError
            If headers are damaged.
        NoPlainPagesError
            If another reader is needed.
        """
        if self._indexed is None and start > self._listed:
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
                self._list_page()
            self._table = np.array(self._found, np.int64).reshape(-1, len(PageField))
            if self._listed == self._nrows:
                _LISTED.add(self._key, (self.dictionary, self._table))
        return self._table

    def _by_index(self, locations: PageLocations, start: int, stop: int) -> PageTable | None:
        """Return the pages of some rows where an index says that they lie, None if they do not."""
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
        """Note the dictionary; `LookupError` if it does not reach up to the first page."""
        self._at, self._end = self._place.offset, end
        self._list_page()
        if self.dictionary is None or self._at != end:
            raise LookupError

    def _page_at(self, locations: PageLocations, number: int) -> tuple[int, ...]:
        """Return a page; `LookupError` if it is not where an index says that it lies."""
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
        # Positions of numbers are for a compiled loop, those of text for Arrow.
        has_dictionaries = compiled.INSTALLED or not self._itemsize
        known = (PLAIN, _PLAIN_DICTIONARY, _RLE_DICTIONARY) if has_dictionaries else (PLAIN,)
        if encoding not in known or nrows > _MOST_ROWS:
            raise NoPlainPagesError
        if not is_packed and packed != unpacked:
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

    def damaged(self, problem: str) -> FileFormatError:
        """Return the error that tells what is wrong with the column."""
        return FileFormatError(
            f"column {self._column.name!r} of {self._ranges.file.path!r} cannot be read: {problem}.",
            hint="the file is damaged; leave it out or write it again.",
        )


def _checksum(header: Struct) -> int:
    found: Any = header.get(4)
    return found & 0xFFFFFFFF if type(found) is int else -1


def is_one_run(levels: bytes, nrows: int) -> bool:
    """Whether definition levels are one run that tells that no row is null."""
    header = shift = 0
    for at, byte in enumerate(levels[:6]):
        header, shift = header | (byte & 127) << shift, shift + 7
        if byte < 128:
            return not header & 1 and header >> 1 >= nrows and levels[at + 1 : at + 2] == b"\x01"
    return False
