"""Pages of flat columns of numbers, read one by one: only those with wanted rows, and into the memory where they go.

This is the fast way for what most files have: plain numbers and dictionaries of them, not packed or packed by Snappy or
Zstandard.  For anything else `NoPlainPagesError` sends to the general way, `akdask.parquet.reading.chunks`.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns.scratch import LARGEST_REUSED, scratch
from akdask.errors import FileFormatError
from akdask.kernels import compiled
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.recent import Recent
from akdask.parquet.metadata.row_groups import CODECS
from akdask.parquet.metadata.thrift import CutShortError, Struct, ThriftError, integers, read_struct
from akdask.parquet.reading.decoding import NAT
from akdask.schema import FLOAT64, ColumnType
from akdask.storage.data.ranges import RangeReader
from akdask.storage.data.source import Stretch
from akdask.storage.paths.files import FileIdentity
from akdask.typing import NumberArray

_DATA, _INDEX, _DICTIONARY, _DATA_V2 = 0, 1, 2, 3
_PLAIN, _PLAIN_DICTIONARY, _RLE, _RLE_DICTIONARY = 0, 2, 3, 8
_HEADS = (128, 2**12, 2**16, 2**22)  # bytes of a header that are tried
_LARGEST = 2**28  # bytes of a page, unpacked; those of others are read in the general way
_MOST_ROWS = 2**24  # of a page: more are decoded some at a time, in the general way
_MARGIN = 64  # bytes behind packed ones that compiled loops read; see `akdask.kernels.compiled.pages`

_NO_WORDS = np.zeros(1, np.uint64)

Bytes = npt.NDArray[np.uint8]


class NoPlainPagesError(Exception):
    """A column chunk is made in a way that only the general reader knows."""


class Page(NamedTuple):
    """Where a data page lies, and how it is made."""

    first: int
    """Its first row in the row group."""

    nrows: int
    offset: int
    packed: int
    """Bytes in the file."""

    unpacked: int
    encoding: int
    levels: int
    """Bytes of definition levels before the values that are never packed; -1 where they are packed with them."""

    is_packed: bool
    values: int
    """Where the values lie in the file, one after the other; -1 where they are packed, or some are null or may be."""

    checksum: int | None

    def is_within(self, start: int, stop: int) -> bool:
        """Whether all of its rows are between two."""
        return start <= self.first and self.first + self.nrows <= stop


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


_LISTED: Recent[tuple[FileIdentity, int, bool], tuple[Page | None, list[Page]]] = Recent(1024)
"""Pages of the chunks that were read last, by file, place and whether there are levels: headers are read once."""


class PageReader:
    """Reads rows of a flat column of numbers in one row group, in any order.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    place : ChunkPlace
        Where the pages lie.
    column : ParquetColumn
        The column.
    dtype : ColumnType
        The type of its rows.
    verify : bool
        Whether to compare pages with their checksums, where they have such.

    Raises
    ------
    NoPlainPagesError
        If another reader is needed; `read` may find that too.
    """

    def __init__(
        self, ranges: RangeReader, place: ChunkPlace, column: ParquetColumn, dtype: ColumnType, *, verify: bool
    ) -> None:
        codec = CODECS[place.codec] if place.codec >= 0 else ""
        if column.plain is None or codec not in {"UNCOMPRESSED", "SNAPPY", "ZSTD"} or not dtype.is_number:
            raise NoPlainPagesError
        self._ranges, self._column, self._dtype, self._verify = ranges, column, dtype, verify
        self._codec, self._nrows = codec, place.nrows
        self._stored = np.dtype(column.plain)
        self._key = (ranges.file, place.offset, column.is_optional)
        self._at, self._end = place.offset, place.offset + place.size
        self._dictionary_page: Page | None = None
        self._pages: list[Page] = []
        self._listed = 0
        known = _LISTED.get(self._key)
        if known is not None:
            self._dictionary_page, self._pages = known
            self._listed = self._nrows
        self._decoded: tuple[int, NumberArray] | None = None

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> NumberArray:
        """Return rows of the row group; for `out` see `akdask.storage.data.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        self._list_pages(stop)
        found = np.empty(stop - start, self._dtype.numpy) if out is None else out[: stop - start]
        number, last = self._page_of(start), self._page_of(stop - 1) + 1
        while number < last:
            number += self._read_batch(number, last, start, found)
            if number < last:
                page = self._pages[number]
                begin, end = max(start, page.first), min(stop, page.first + page.nrows)
                if begin < end:
                    self._read_rows(number, begin - page.first, end - page.first, found[begin - start : end - start])
                number += 1
        return found

    def _read_batch(self, number: int, last: int, start: int, out: NumberArray) -> int:
        """Read rows of some pages in one compiled loop; return how many pages were done, others are to be read alone.

        Pages with nulls, and of narrower numbers, are not for it, nor those whose values need no decoding.
        """
        stop = start + len(out)
        # Of a page that is read in part, the next rows are wanted next.
        pages = list(takewhile(lambda page: page.values < 0 and page.is_within(start, stop), self._pages[number:last]))
        is_fit = self._codec != "ZSTD" and self._stored == self._dtype.numpy and not self._verify
        if not pages or not is_fit or not compiled.load():
            return 0
        from akdask.kernels.compiled.pages import Field, decode_pages

        base = pages[0].offset
        size = pages[-1].offset + pages[-1].packed - base
        largest = max(page.unpacked for page in pages)
        if size + largest > LARGEST_REUSED // 2:
            return 0
        table = np.array(
            [(*page[:5], page.levels, page.is_packed, page.encoding == _PLAIN) for page in pages], np.int64
        )
        words = _NO_WORDS if table[:, Field.IS_PLAIN].all() else self._dictionary.view(np.uint64)
        if not len(words):
            return 0
        # Unpacked bytes go behind packed ones: new memory for every chunk would have to be cleared by the system.
        data, memory = np.split(scratch(size + largest + 2 * _MARGIN), [size + _MARGIN])
        self._ranges.read_into(data[:size], base, self._column.name)
        first = pages[0].first
        target = out[first - start : pages[-1].first + pages[-1].nrows - start].view(np.uint64)
        return decode_pages(data, base, table, words, memory, first, target, is_optional=self._column.is_optional)

    def _page_of(self, row: int) -> int:
        """Return the number of the page that has a row; of several that begin there the last, which is not empty."""
        return bisect_right(self._pages, row, key=itemgetter(0)) - 1

    def stretches(self) -> list[Stretch] | None:
        """Return where all rows lie, None where they are not stored as they are in memory."""
        descriptor = self._ranges.dense_file
        if descriptor is None or self._verify or self._stored != self._dtype.numpy:
            return None
        self._list_pages(self._nrows)
        if any(page.values < 0 for page in self._pages):
            return None
        return [Stretch(descriptor, page.values, page.nrows) for page in self._pages]

    # pages

    def _list_pages(self, rows: int) -> None:
        """Go over headers until the pages of the first rows are known."""
        while self._listed < rows:
            if self._at >= self._end:
                raise self._damaged(f"it ends after {self._listed:,} of {self._nrows:,} rows")
            header, size, behind = self._header()
            kind, unpacked, packed = integers(header, 1, 2, 3)
            offset = self._at + size
            if not (0 <= packed <= self._end - offset and unpacked >= 0):
                raise self._damaged(f"a page would have {packed:,} bytes")
            if unpacked > _LARGEST:
                raise NoPlainPagesError
            self._at = offset + packed
            if kind == _DICTIONARY:
                self._note_dictionary(header, offset)
            elif kind in (_DATA, _DATA_V2):
                self._add_page(header, offset, behind)
        if self._listed == self._nrows and self._key not in _LISTED:
            _LISTED.add(self._key, (self._dictionary_page, self._pages))

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
                    raise self._damaged(str(error)) from None
            except ThriftError as error:
                raise self._damaged(str(error)) from None
            else:
                return header, length, raw[length:]
        raise NoPlainPagesError

    def _add_page(self, header: Struct, offset: int, behind: bytes) -> None:
        """Note a data page, given its header, where its bytes lie, and the first of them."""
        kind, unpacked, packed, checksum = integers(header, 1, 2, 3, 4)
        levels, is_packed = -1, self._codec != "UNCOMPRESSED"
        if kind == _DATA:
            nrows, encoding, of_levels = integers(header.get(5), 1, 2, 3)
            if self._column.is_optional and of_levels != _RLE:
                raise NoPlainPagesError
        else:
            about = header.get(8)
            nrows, encoding, levels, of_lists = integers(about, 1, 4, 5, 6)
            is_packed = is_packed and (not isinstance(about, dict) or about.get(7, True) is True)
            if not 0 <= levels <= min(packed, unpacked) or of_lists > 0:
                raise self._damaged("its levels are longer than their page")
        if not 0 <= nrows <= self._nrows - self._listed:
            raise self._damaged(f"a page would have {nrows:,} rows")
        known = (_PLAIN, _PLAIN_DICTIONARY, _RLE_DICTIONARY) if compiled.INSTALLED else (_PLAIN,)
        if encoding not in known or nrows > _MOST_ROWS:
            raise NoPlainPagesError
        if not is_packed and packed != unpacked:
            raise self._damaged("a page has another size than it tells")
        before = -1 if is_packed or encoding != _PLAIN else self._before_values(behind[:packed], levels, nrows)
        if before >= 0 and before + nrows * self._stored.itemsize > packed:
            raise self._damaged("a page has fewer bytes than its rows")
        values = offset + before if before >= 0 else -1
        crc = checksum & 0xFFFFFFFF if 4 in header else None
        self._pages.append(
            Page(self._listed, nrows, offset, packed, unpacked, encoding, levels, is_packed, values, crc)
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
        levels_read = np.frombuffer(start, np.uint8, size, before)
        return before + size if self._validity(levels_read, nrows) is None else -1

    def _note_dictionary(self, header: Struct, offset: int) -> None:
        unpacked, packed = integers(header, 2, 3)
        (count,) = integers(header.get(7), 1)
        if not 0 <= count * self._stored.itemsize <= unpacked:
            raise self._damaged("its dictionary is shorter than it tells")
        is_packed = self._codec != "UNCOMPRESSED"
        self._dictionary_page = Page(0, count, offset, packed, unpacked, _PLAIN, 0, is_packed, -1, None)

    @cached_property
    def _dictionary(self) -> NumberArray:
        """The numbers that positions stand for; none where there is no dictionary."""
        page = self._dictionary_page
        if page is None:
            return np.empty(0, self._dtype.numpy)
        found = self._unpacked(page)[: page.nrows * self._stored.itemsize].view(self._stored)
        return found.astype(self._dtype.numpy)

    # bytes

    def _bytes(self, page: Page) -> Bytes:
        """Return the bytes of a page as they are stored, in memory that is used again for the next."""
        found = scratch(page.packed + _MARGIN)[: page.packed]
        self._ranges.read_into(found, page.offset, self._column.name)
        if self._verify and page.checksum is not None and zlib.crc32(found.data) != page.checksum:
            raise self._damaged("a page is not what was written: its checksum is another")
        return found

    def _unpacked(self, page: Page) -> Bytes:
        """Return the bytes of a page, levels of its second version before the values."""
        found = self._bytes(page)
        if not page.is_packed:
            return found
        levels = max(page.levels, 0)
        size = page.unpacked - levels
        packed = found[levels:]
        if _claimed(self._codec, packed) != size:
            # What is left of the memory that it is unpacked to would be taken for data.
            raise NoPlainPagesError
        try:
            unpacked = pa.Codec(self._codec.lower()).decompress(pa.py_buffer(packed), decompressed_size=size)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._damaged(f"a page cannot be unpacked: {error}") from error
        values = np.frombuffer(unpacked, np.uint8)
        return np.concatenate([found[:levels], values]) if levels else values

    # rows

    def _read_rows(self, number: int, start: int, stop: int, out: NumberArray) -> None:
        page = self._pages[number]
        if page.values >= 0 and self._stored == out.dtype and not self._verify:
            self._ranges.read_into(out, page.values + start * out.itemsize, self._column.name)
            return
        if self._decoded is not None and self._decoded[0] == number:
            out[:] = self._decoded[1][start:stop]
            return
        if stop - start == page.nrows:
            self._decode(page, out)
            return
        values = np.empty(page.nrows, self._dtype.numpy)
        if not self._read_batch(number, number + 1, page.first, values):
            self._decode(page, values)
        self._decoded = number, values
        out[:] = values[start:stop]

    def _decode(self, page: Page, out: NumberArray) -> None:
        """Fill an array with all rows of a page."""
        # Before the page, which is read into the same memory.
        words = None if page.encoding == _PLAIN else self._dictionary
        data = self._unpacked(page)
        valid: npt.NDArray[np.bool_] | None = None
        if self._column.is_optional:
            size = page.levels
            if size < 0:
                size = int.from_bytes(data[:4].tobytes(), "little")
                data = data[4:]
            if size > len(data):
                raise self._damaged("levels are longer than their page")
            valid = self._validity(data[:size], page.nrows)
            data = data[size:]
        elif page.levels > 0:
            data = data[page.levels :]
        if valid is None:
            self._values(words, data, out)
            return
        if self._dtype != FLOAT64 and self._column.with_nulls() == FLOAT64:
            raise self._damaged("it has nulls, though its statistics say that it has none")
        some = np.empty(int(np.count_nonzero(valid)), out.dtype)
        self._values(words, data, some)
        out[:] = np.nan if self._dtype == FLOAT64 else NAT
        out[valid] = some

    def _validity(self, levels: Bytes, count: int) -> npt.NDArray[np.bool_] | None:
        """Return which rows are not null, None if all are."""
        found: npt.NDArray[np.bool_] | None = None
        raw, at, row = levels.tobytes(), 0, 0
        while row < count:
            header, shift = 0, 0
            while True:
                if at >= len(raw) or shift > 35:
                    raise self._damaged("levels end before their rows")
                byte, at = raw[at], at + 1
                header, shift = header | (byte & 127) << shift, shift + 7
                if byte < 128:
                    break
            length, value = header >> 1, raw[at] if at < len(raw) else 0
            if not header & 1 and value == 1 and not row and length >= count:
                return None
            if found is None:
                found = np.empty(count, np.bool_)
            if header & 1:
                bits = np.unpackbits(levels[at : at + length], bitorder="little")[: count - row]
                at, length = at + length, len(bits)
                found[row : row + length] = bits
            else:
                at, length = at + 1, min(length, count - row)
                found[row : row + length] = value & 1
            if not length:
                raise self._damaged("levels end before their rows")
            row += length
        return None if found is None or found.all() else found

    def _values(self, words: NumberArray | None, data: Bytes, out: NumberArray) -> None:
        """Fill an array with the values of a page, none of which is null: plain ones, or those of a dictionary."""
        if words is not None:
            self._look_up(words, data, out)
            return
        size = len(out) * self._stored.itemsize
        if size > len(data):
            raise self._damaged("a page has fewer bytes than its rows")
        # Of another width, or of the same bytes at any address.
        out[:] = np.frombuffer(data, self._stored, len(out))

    def _look_up(self, words: NumberArray, data: Bytes, out: NumberArray) -> None:
        if not len(out):
            return
        if not compiled.load():
            raise NoPlainPagesError
        from akdask.kernels.compiled.bit_packed import MARGIN, WIDEST, look_up

        if not len(data) or data[0] > WIDEST or not len(words):
            raise self._damaged("positions in its dictionary are wider than 32 bits, or there is none")
        packed = np.empty(len(data) - 1 + MARGIN, np.uint8)
        packed[: len(data) - 1] = data[1:]
        packed[len(data) - 1 :] = 0
        if not look_up(packed, int(data[0]), words.view(np.uint64), out.view(np.uint64)):
            raise self._damaged("positions in its dictionary are not as many as its rows, or name no value")

    def _damaged(self, problem: str) -> FileFormatError:
        return FileFormatError(
            f"column {self._column.name!r} of {self._ranges.file.path!r} cannot be read: {problem}.",
            hint="the file is damaged; leave it out or write it again.",
        )


def _claimed(codec: str, packed: Bytes) -> Any:
    """Return how many bytes something packed says that it has unpacked, None if it does not say so."""
    head = packed[:18].tobytes()
    if codec == "SNAPPY":
        size = 0
        for place, byte in enumerate(head[:5]):
            size |= (byte & 127) << 7 * place
            if byte < 128:
                return size
        return None
    return _claimed_by_frame(head)


def _claimed_by_frame(head: bytes) -> int | None:
    """Return the content size of a Zstandard frame."""
    if head[:4] != b"\x28\xb5\x2f\xfd" or len(head) < 5:
        return None
    descriptor = head[4]
    is_single = descriptor >> 5 & 1
    width = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    at = 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3]
    size = int.from_bytes(head[at : at + width], "little")
    return None if not width or at + width > len(head) else size + 256 if width == 2 else size
