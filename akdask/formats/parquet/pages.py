"""Read pages of flat numeric columns one by one: only pages with wanted rows, into their final memory.

This is the fast path for most files: plain numbers and dictionaries of them, including times of any unit, uncompressed
or compressed by Snappy or Zstandard.  Anything else raises `NoPlainPagesError`, and the general path,
`akdask.formats.parquet.chunks`, reads it.
"""

from __future__ import annotations

import zlib
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask import compiled
from akdask.columns.dtypes import FLOAT64, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.memory import LARGEST_REUSED, new_array, scratch
from akdask.formats.parquet.columns import ParquetColumn
from akdask.formats.parquet.decoding import NAT
from akdask.formats.parquet.page_fields import PageField
from akdask.formats.parquet.page_list import ChunkPlace, FindPages, NoPlainPagesError, PageList, PageTable, is_one_run
from akdask.formats.parquet.thrift import CODECS
from akdask.storage.ranges import RangeReader
from akdask.storage.source import Stretch
from akdask.typing import NumberArray

_MARGIN = 64  # bytes behind packed data that compiled loops read; see `akdask.formats.parquet.page_loops`
_SMALL = 2**18  # bytes of a page, unpacked: unpacking it again is as fast as caching it
_NO_WORDS = np.zeros(1, np.uint64)
_LEVELS = np.array([0, 1], np.uint64)

Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]


class UnpackedPage(NamedTuple):
    """A page in memory."""

    first: int
    """Its first row in the row group."""

    data: Bytes
    """Its bytes; positions are followed by `_MARGIN` more."""

    start: int
    """Where the values begin."""

    stop: int

    valid: Bools | None
    """Which rows are not null; None if all are."""


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
    find_pages : callable, optional
        Returns the positions of the pages from an index.

    Raises
    ------
    NoPlainPagesError
        If another reader is needed; `read` may raise it too.
    """

    def __init__(
        self,
        ranges: RangeReader,
        place: ChunkPlace,
        column: ParquetColumn,
        dtype: ColumnType,
        find_pages: FindPages = lambda: None,
    ) -> None:
        codec = CODECS[place.codec] if place.codec >= 0 else ""
        plain = column.plain
        if plain is None or codec not in {"UNCOMPRESSED", "SNAPPY", "ZSTD"} or not dtype.is_number:
            raise NoPlainPagesError
        self._ranges, self._column, self._dtype, self._codec = ranges, column, dtype, codec
        self._nrows = place.nrows
        self._stored = np.dtype(plain)
        self._scale = column.scale
        self._list = PageList(ranges, place, column, self._stored.itemsize, find_pages)
        # Compiled loops write words.
        self._in_words = dtype.itemsize == 8
        self._in_batches = self._in_words and codec != "ZSTD"
        self._current: UnpackedPage | None = None
        self._decoded: tuple[int, NumberArray] | None = None

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> NumberArray:
        """Return rows of the row group; for `out` see `akdask.storage.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        pages = self._list.covering(start, stop)
        found = np.empty(stop - start, self._dtype.numpy) if out is None else out[: stop - start]
        firsts = pages[:, PageField.FIRST]
        number, last = int(np.searchsorted(firsts, start, "right")) - 1, int(np.searchsorted(firsts, stop))
        while number < last:
            number += self._read_batch(pages[number:last], start, found)
            if number < last:
                self._read_page(pages[number], start, found)
                number += 1
        return found

    def stretches(self) -> list[Stretch] | None:
        """Return the stretches of all rows; None where their stored form differs from that in memory."""
        descriptor = self._ranges.dense_file
        if descriptor is None or self._stored != self._dtype.numpy or self._scale != 1:
            return None
        pages = self._list.up_to(self._nrows)
        offsets = pages[:, PageField.VALUES]
        if (offsets < 0).any():
            return None
        return [
            Stretch(descriptor, *where)
            for where in zip(offsets.tolist(), pages[:, PageField.NROWS].tolist(), strict=True)
        ]

    # many pages

    def _read_batch(self, pages: PageTable, start: int, out: NumberArray) -> int:
        """Read rows of some pages in one compiled loop; return the number of pages done, others are read alone.

        Pages with nulls or narrower numbers are not supported, nor pages whose values need no decoding.
        """
        if not self._in_batches or pages[0, PageField.VALUES] >= 0 or not compiled.load():
            return 0
        pages = pages[: self._batched(pages, start, start + len(out))]
        if not len(pages):
            return 0
        from akdask.formats.parquet.page_loops import decode_pages

        base = int(pages[0, PageField.OFFSET])
        size = int(pages[-1, PageField.OFFSET] + pages[-1, PageField.PACKED]) - base
        largest = int(pages[:, PageField.UNPACKED].max())
        if size + largest > LARGEST_REUSED // 2:
            return 0
        words, nwords = (_NO_WORDS, 0) if pages[:, PageField.IS_PLAIN].all() else self._dictionary
        # Unpacked bytes go behind packed ones: the system would have to clear new memory for every chunk.
        memory = scratch(size + largest + 2 * _MARGIN)
        data, unpacked = memory[: size + _MARGIN], memory[size + _MARGIN :]
        self._ranges.read_into(data[:size], base, self._column.name)
        self._check_each(pages, data, base)
        first = max(int(pages[0, PageField.FIRST]) - start, 0)
        end = int(pages[-1, PageField.FIRST] + pages[-1, PageField.NROWS]) - start
        target = out[first:end].view(np.uint64)
        is_optional = self._column.is_optional
        done = decode_pages(data, base, pages, words, nwords, unpacked, start + first, target, is_optional=is_optional)
        if done and self._scale != 1:
            self._in_nanoseconds(out[first : int(pages[done - 1, [PageField.FIRST, PageField.NROWS]].sum()) - start])
        # One page with nulls means more of them, which would be read in vain.
        self._in_batches = done == len(pages)
        return done

    def _batched(self, pages: PageTable, start: int, stop: int) -> int:
        """Return how many of some pages, from the first on, can be read together."""
        first, end = pages[:, PageField.FIRST], pages[:, PageField.FIRST] + pages[:, PageField.NROWS]
        # Of a large page that is read in part, the next rows are wanted next.
        fits = ((first >= start) & (end <= stop)) | (pages[:, PageField.UNPACKED] <= _SMALL)
        fits &= pages[:, PageField.VALUES] < 0
        if self._stored != self._dtype.numpy:
            fits &= pages[:, PageField.IS_PLAIN] == 0
        if self._current is not None or self._decoded is not None:
            fits &= first >= start
        return len(fits) if fits.all() else int(fits.argmin())

    def _check_each(self, pages: PageTable, data: Bytes, base: int) -> None:
        for page in pages[pages[:, PageField.CHECKSUM] >= 0]:
            at = page[PageField.OFFSET] - base
            self._check(data[at : at + page[PageField.PACKED]], page[PageField.CHECKSUM])

    def _check(self, data: Bytes, checksum: int) -> None:
        """Compare the bytes of a page in the file with their checksum."""
        if checksum >= 0 and zlib.crc32(data.data) != checksum:
            raise self._list.damaged("a page is not what was written: its checksum is another")

    # one page

    def _read_page(self, page: npt.NDArray[np.int64], start: int, out: NumberArray) -> None:
        """Read the wanted rows of a page, `start` being the first row that is wanted of the row group."""
        before, nrows = page[PageField.FIRST], page[PageField.NROWS]
        first, end = max(start - before, 0), min(start + len(out) - before, nrows)
        target = out[before + first - start : before + end - start]
        if page[PageField.VALUES] >= 0:
            self._read_values(int(page[PageField.VALUES] + first * self._stored.itemsize), target)
        elif self._decoded is not None and self._decoded[0] == before:
            target[:] = self._decoded[1][first:end]
        else:
            current = self._unpacked_page(page)
            if current.valid is None:
                self._values(current, page, first, target)
                return
            values = target if len(target) == nrows else np.empty(nrows, self._dtype.numpy)
            self._spread(current, page, current.valid, values)
            if values is not target:
                self._decoded = int(before), values
                target[:] = values[first:end]

    def _read_values(self, offset: int, out: NumberArray) -> None:
        """Read plain values from a place in the file."""
        if self._stored == out.dtype:
            self._ranges.read_into(out, offset, self._column.name)
        else:
            stored = scratch(len(out) * self._stored.itemsize).view(self._stored)
            self._ranges.read_into(stored, offset, self._column.name)
            widen_into(out, stored, self._column.name)
        self._in_nanoseconds(out)

    def _in_nanoseconds(self, out: NumberArray) -> None:
        """Multiply stored times, all valid, by the nanoseconds of their unit."""
        if self._scale == 1 or not len(out):
            return
        most = (2**63 - 1) // self._scale
        if out.min() < -most or out.max() > most:
            # The general path names the row.
            raise NoPlainPagesError
        np.multiply(out, self._scale, out=out)

    def _spread(self, current: UnpackedPage, page: npt.NDArray[np.int64], valid: Bools, out: NumberArray) -> None:
        """Fill an array with all rows of a page with nulls."""
        if self._dtype != FLOAT64 and self._column.with_nulls() == FLOAT64:
            raise self._list.damaged("it has nulls, though its statistics say that it has none")
        some = np.empty(int(np.count_nonzero(valid)), out.dtype)
        self._values(current, page, 0, some)
        out[:] = np.nan if self._dtype == FLOAT64 else NAT
        out[valid] = some

    def _values(self, current: UnpackedPage, page: npt.NDArray[np.int64], skipped: int, out: NumberArray) -> None:
        """Fill an array with valid values of a page, skipping the first ones."""
        if page[PageField.IS_PLAIN]:
            itemsize = self._stored.itemsize
            if (skipped + len(out)) * itemsize > current.stop - current.start:
                raise self._list.damaged("a page has fewer bytes than its rows")
            # Of another width, or of the same bytes at any address.
            numbers = np.frombuffer(current.data, self._stored, len(out), current.start + skipped * itemsize)
            widen_into(out, numbers, self._column.name)
        elif len(out):
            self._look_up(current.data, current.stop, skipped, out)
        self._in_nanoseconds(out)

    def _look_up(self, data: Bytes, stop: int, skipped: int, out: NumberArray) -> None:
        if not self._in_words or not compiled.load():
            raise NoPlainPagesError
        from akdask.compiler import read_only
        from akdask.formats.parquet.bit_packed_loops import WIDEST, look_up_some

        words, nwords = self._dictionary
        if not stop or data[0] > WIDEST or not nwords:
            raise self._list.damaged("positions in its dictionary are wider than 32 bits, or there is none")
        positions, known = read_only(data), read_only(words)
        if not look_up_some(positions, 1, stop, int(data[0]), known, nwords, skipped, out.view(np.uint64)):
            raise self._list.damaged("positions in its dictionary are not as many as its rows, or name no value")

    # bytes

    @cached_property
    def _dictionary(self) -> tuple[NumberArray, int]:
        """The dictionary, padded to the range of its positions' bits; and its length."""
        page = self._list.dictionary
        if page is None or not page.nvalues:
            return _NO_WORDS, 0
        raw = self._bytes(page.offset, page.packed, page.checksum)
        if self._codec != "UNCOMPRESSED":
            raw = self._decompressed(raw, page.unpacked)
        words = new_array(1 << (page.nvalues - 1).bit_length(), np.uint64)
        numbers = np.frombuffer(raw, self._stored, page.nvalues)
        widen_into(words.view(self._dtype.numpy)[: page.nvalues], numbers, self._column.name)
        return words, page.nvalues

    def _bytes(self, offset: int, size: int, checksum: int) -> Bytes:
        """Return the stored bytes of a page, in memory that the next page reuses."""
        found = scratch(size)
        self._ranges.read_into(found, offset, self._column.name)
        self._check(found, checksum)
        return found

    def _unpacked_page(self, page: npt.NDArray[np.int64]) -> UnpackedPage:
        """Return a page in memory, and keep it, as the next rows are wanted next."""
        first = int(page[PageField.FIRST])
        if self._current is None or self._current.first != first:
            self._current = None
            data = self._unpacked(page)
            start, valid = self._behind_levels(page, data)
            size = len(data)
            if not page[PageField.IS_PLAIN]:
                data, start, size = _with_margin(data[start:]), 0, size - start
            self._current = UnpackedPage(first, data, start, size, valid)
        return self._current

    def _unpacked(self, page: npt.NDArray[np.int64]) -> Bytes:
        """Return the bytes of a page, levels of its second version before the values."""
        offset, packed, unpacked = page[[PageField.OFFSET, PageField.PACKED, PageField.UNPACKED]].tolist()
        raw = self._bytes(offset, packed, int(page[PageField.CHECKSUM]))
        if not page[PageField.IS_PACKED]:
            return raw if not page[PageField.IS_PLAIN] else raw.copy()
        levels = max(int(page[PageField.LEVELS]), 0)
        values = self._decompressed(raw[levels:], unpacked - levels)
        return np.concatenate([raw[:levels], values]) if levels else values

    def _decompressed(self, packed: Bytes, size: int) -> Bytes:
        if _claimed(self._codec, packed) != size:
            # The rest of the reused memory would pass for data.
            raise NoPlainPagesError
        try:
            unpacked = _unpacker(self._codec).decompress(pa.py_buffer(packed), decompressed_size=size)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._list.damaged(f"a page cannot be unpacked: {error}") from error
        return np.frombuffer(unpacked, np.uint8)

    # nulls

    def _behind_levels(self, page: npt.NDArray[np.int64], data: Bytes) -> tuple[int, Bools | None]:
        """Return where the values of a page begin, and which rows are not null, None if all are."""
        size, start, length = int(page[PageField.LEVELS]), 0, len(data)
        if not self._column.is_optional:
            return max(size, 0), None
        if size < 0:
            start = 4
            size = int.from_bytes(data[:4].tobytes(), "little") if length >= start else length
        if size > length - start:
            raise self._list.damaged("levels are longer than their page")
        return start + size, self._validity(data[start : start + size], int(page[PageField.NROWS]))

    def _validity(self, levels: Bytes, count: int) -> Bools | None:
        """Return which rows are not null, None if all are."""
        raw = levels.tobytes()
        if is_one_run(raw, count):
            return None
        found = self._validity_at_once(levels, count)
        if found is None:
            found = np.empty(count, np.bool_)
            self._fill_validity(raw, found)
        return None if found.all() else found

    def _validity_at_once(self, levels: Bytes, count: int) -> Bools | None:
        """Return the validity by a compiled loop, None where it cannot."""
        if not compiled.load():
            return None
        from akdask.formats.parquet.bit_packed_loops import MARGIN, look_up

        found = np.empty(count, np.uint64)
        padded = _with_margin(levels)[: len(levels) + MARGIN]
        return found.astype(np.bool_) if look_up(padded, 1, _LEVELS, found) else None

    def _fill_validity(self, raw: bytes, found: Bools) -> None:
        at, row, count = 0, 0, len(found)
        while row < count:
            header, at = self._varint(raw, at)
            length, value = header >> 1, raw[at] if at < len(raw) else 0
            if header & 1:
                levels = np.frombuffer(raw[at : at + length], np.uint8)
                bits = np.unpackbits(levels, bitorder="little")[: count - row]
                at, length = at + length, len(bits)
                found[row : row + length] = bits
            else:
                at, length = at + 1, min(length, count - row)
                found[row : row + length] = value & 1
            if not length:
                raise self._list.damaged("levels end before their rows")
            row += length

    def _varint(self, raw: bytes, at: int) -> tuple[int, int]:
        header, shift = 0, 0
        while True:
            if at >= len(raw) or shift > 35:
                raise self._list.damaged("levels end before their rows")
            byte, at = raw[at], at + 1
            header, shift = header | (byte & 127) << shift, shift + 7
            if byte < 128:
                return header, at


@cache
def _unpacker(codec: str) -> pa.Codec:
    """Return the decompressor of pages, which any number of threads may use."""
    return pa.Codec(codec.lower())


def _with_margin(data: Bytes) -> Bytes:
    found = np.empty(len(data) + _MARGIN, np.uint8)
    found[: len(data)] = data
    return found


def _claimed(codec: str, packed: Bytes) -> Any:
    """Return the unpacked size that compressed data claims, None if it does not claim any."""
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
