"""Pages of flat columns of numbers, read into their final memory.

Only pages with wanted rows are read.  `NumberPageReader` is the fast path for most numbers: plain ones and dictionaries
of them, including times of any unit, uncompressed or compressed by Snappy or Zstandard; for text see
`akdask.formats.parquet.text_pages`.  Anything else raises `NoPlainPagesError`, and the general path,
`akdask.formats.parquet.chunks`, reads it.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.caches import Cache, cached_attribute
from akdask.columns import tuning
from akdask.columns.dtypes import FLOAT64, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.memory import new_array, scratch
from akdask.columns.nullable import NullableColumn
from akdask.formats import tuning as formats_tuning
from akdask.formats.parquet import loops
from akdask.formats.parquet.codecs import claimed_size, unpack_zstandard
from akdask.formats.parquet.columns import NAT, ParquetColumn
from akdask.formats.parquet.page_lists import (
    UNCOMPRESSED,
    ChunkPlace,
    DictionaryPage,
    FindPages,
    NoPlainPagesError,
    PageField,
    PageList,
    PageTable,
    is_one_run,
    page_with,
)
from akdask.formats.parquet.thrift import CODECS
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader
from akdask.storage.source import Stretch
from akdask.typing import NumberArray

MARGIN = 64  # bytes behind packed data that loops read
WIDEST = 32  # bits of a position in a dictionary
_LONGEST_RUN = 8  # bytes that tell of a run of levels: its length, and the level
_NO_FILE = -1  # the descriptor where loops are given the bytes
_NO_WORDS = np.zeros(1, np.uint64)
_NAN_BITS = int(np.array(np.nan).view(np.uint64))
_NO_BYTES = np.zeros(0, np.uint8)
ALL_ROWS = np.zeros(0, np.int64)
_NO_DICTIONARIES = np.zeros((0, 6), np.int64)
NO_MASK = np.zeros(0, np.bool_)
_LEVELS = np.array([0, 1], np.uint8)
_SMALLEST_MEMORY = 2**14  # bytes
_IN_MEMORY, _NULLS, _LOADED = range(3)
"""The state of loops: where the page begins that is held in memory, the nulls that they have met, and the number of the
dictionary that they have read; -1 for none."""

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

Words: TypeAlias = tuple[Ints, NumberArray, int]
"""Dictionaries that loops read; the numbers of one, or room for them; and their number, if they are there."""


def _padded(nvalues: int, itemsize: int) -> int:
    """Return how many numbers there are room for behind a dictionary: all that positions of its bits may name."""
    return max(1 << max(nvalues - 1, 0).bit_length(), nvalues + MARGIN // itemsize)


def _dictionary_of(first: int, page: DictionaryPage | None, *, is_packed: bool) -> tuple[int, ...]:
    """Return the dictionary of a row group, which begins with some row, as loops read it."""
    if page is None:
        return first, 0, 0, 0, 0, 0
    return first, page.offset, page.packed, page.unpacked, is_packed, page.nvalues


class UnpackedPage(NamedTuple):
    """A page in memory."""

    first: int
    """Its first row in the row group."""

    data: Bytes
    """Its bytes, and `MARGIN` more."""

    start: int
    """Where the values begin."""

    stop: int

    valid: Bools | None
    """Which rows are not null; None if all are."""


def _memory_for(size: int) -> Bytes:
    """Return memory for a page of some bytes, and for somewhat larger ones, as pages of a column are of like sizes."""
    return np.empty(max(_padded(size, 1), _SMALLEST_MEMORY) + MARGIN, np.uint8)


class PagesOfLoop(NamedTuple):
    """What loops decode, in the order of their arguments, and memory for it."""

    descriptor: int
    """The file that they read pages from, `_NO_FILE` where the bytes are given."""

    given: Bytes
    base: int
    """Where the given bytes begin in the file."""

    packed: Bytes
    """Memory for a page as it is in the file."""

    pages: PageTable
    unpacked: Bytes
    state: Ints


class PageReader(ABC):
    """Reads and unpacks pages of a flat column, of one row group after the other.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    column : ParquetColumn
        The column.
    itemsize : int
        Bytes of a plain number; 0 for text, of which only headers are read.
    """

    def __init__(self, ranges: RangeReader, column: ParquetColumn, itemsize: int) -> None:
        self._ranges, self._column, self._itemsize = ranges, column, itemsize
        # Whether loops decode plain pages.
        self._is_plain = False
        # Memory for a page as it is in the file, unpacked, and for the numbers of a dictionary.
        self._packed = self._unpacked = _NO_BYTES
        self._words_memory = np.empty(0, np.uint64)
        self._state = np.empty(3, np.int64)

    def open(self, place: ChunkPlace, find_pages: FindPages) -> None:
        """Go to a row group; the one before is left.

        Parameters
        ----------
        place : ChunkPlace
            Where the pages lie.
        find_pages : callable
            Returns the positions of the pages from an index.

        Raises
        ------
        NoPlainPagesError
            If another reader is needed; reading may raise it too.
        """
        codec = CODECS[place.codec] if place.codec >= 0 else ""
        if codec not in {"UNCOMPRESSED", "SNAPPY", "ZSTD"}:
            raise NoPlainPagesError
        self._codec, self._nrows = codec, place.nrows
        # Loops unpack Snappy.
        self._by_loop = codec != "ZSTD"
        self._list = PageList(self._ranges, place, self._column, self._itemsize, find_pages)
        self._state[:] = -1, 0, -1
        # The file in memory, if it has the chunk there.
        self._window = self._ranges.in_window(0, self._ranges.file.size, place.offset, place.offset + place.size)
        self._sized: PageTable | None = None
        self._reads_pages = False
        for name in self._OF_CHUNK:
            self.__dict__.pop(name, None)

    _OF_CHUNK: ClassVar[tuple[str, ...]] = ("_dictionary",)
    """Attributes that are computed once for a chunk."""

    # bytes

    def _check(self, data: Bytes, checksum: int) -> None:
        """Compare the bytes of a page in the file with their checksum."""
        if checksum >= 0 and zlib.crc32(data.data) != checksum:
            raise self._list.damaged("a page is not what was written: its checksum is another")

    def _unpacked_page(self, page: npt.NDArray[np.int64]) -> UnpackedPage:
        """Return a page in memory."""
        offset, packed, unpacked = page[[PageField.OFFSET, PageField.PACKED, PageField.UNPACKED]].tolist()
        # Levels of pages of the second version come first, and are not packed.
        plain = max(int(page[PageField.LEVELS]), 0) if page[PageField.IS_PACKED] else unpacked
        data = np.empty(unpacked + MARGIN, np.uint8)
        self._read_bytes(offset, packed, unpacked, plain, int(page[PageField.CHECKSUM]), data)
        start, valid = self._behind_levels(page, data)
        return UnpackedPage(int(page[PageField.FIRST]), data, start, unpacked, valid)

    def _dictionary_bytes(self, page: DictionaryPage, into: Bytes | None = None) -> Bytes:
        """Return the bytes of a dictionary, and `MARGIN` more, in some memory if there is room."""
        is_plain = self._codec == "UNCOMPRESSED"
        if is_plain and page.packed != page.unpacked:
            raise self._list.damaged("its dictionary has another size than it tells")
        if into is None or len(into) < page.unpacked + MARGIN:
            into = np.empty(page.unpacked + MARGIN, np.uint8)
        self._read_bytes(page.offset, page.packed, page.unpacked, page.unpacked if is_plain else 0, page.checksum, into)
        return into

    def _read_bytes(  # noqa: PLR0917 - those of a page
        self, offset: int, packed: int, unpacked: int, plain: int, checksum: int, found: Bytes
    ) -> None:
        """Read a page, of which the first bytes are not packed in the file, to memory that has `MARGIN` more."""
        is_packed = not plain == unpacked == packed
        # Packed bytes go to memory that the next page reuses.
        raw = scratch(packed + MARGIN) if is_packed else found
        self._ranges.read_into(raw[:packed], offset, self._column.name)
        self._check(raw[:packed], checksum)
        if is_packed:
            found[:plain] = raw[:plain]
            self._unpack(raw[plain:], packed - plain, found[plain:], unpacked - plain)

    def _unpack(self, packed: Bytes, size: int, into: Bytes, unpacked: int) -> None:
        """Unpack bytes; there are `MARGIN` more behind them, as there are behind the unpacked ones."""
        if claimed_size(self._codec, packed[:size]) != unpacked:
            # The rest of the reused memory would pass for data.
            raise NoPlainPagesError
        if self._codec == "SNAPPY":
            if not loops.unpack(packed, unpacked, into):
                raise self._list.damaged("a page cannot be unpacked")
            return
        try:
            unpack_zstandard(packed[:size], into[:unpacked])
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._list.damaged(f"a page cannot be unpacked: {error}") from error

    # many pages

    def _decode(
        self,
        pages: PageTable,
        start: int,
        out: NumberArray,
        rows: NumberArray = ALL_ROWS,
        missing: Bools = NO_MASK,
    ) -> int:
        """Decode rows of some pages in one loop; return the number of rows done, behind which a page is read alone.

        `out` begins with row `start`, or has some rows, counted from it; so has `missing`, if it has any.
        """
        if not self._by_loop:
            return 0
        if pages is not self._sized:
            self._sized = pages
            self._reads_pages = self._ranges.dense_file is not None and self._reserve(pages)
        if self._reads_pages:
            return self._decode_from_file(pages, start, out, rows, missing)
        if len(rows):
            rows, start = rows + start, 0
        return self._decode_batches(pages, start, out, rows, missing)

    def _reserve(self, pages: PageTable) -> bool:
        """Make room for each of some pages and the dictionary; return whether a loop may read them."""
        _, _, _, packed, unpacked, _, _, _, _, checksum = self._list.largest(pages)
        dictionary, nwords = self._list.dictionary, 0
        if dictionary is not None:
            packed, unpacked = max(packed, dictionary.packed), max(unpacked, dictionary.unpacked)
            checksum = max(checksum, dictionary.checksum)
            nwords = _padded(dictionary.nvalues, 8) if self._is_plain else 0
        return checksum < 0 and self._has_memory(packed, unpacked, nwords)

    def _has_memory(self, packed: int, unpacked: int, nwords: int) -> bool:
        """Make room for a page and words of a dictionary, unless a page is too large for loops."""
        if max(packed, unpacked) > tuning.MOST_SCRATCH_BYTES // 4:
            return False
        if len(self._packed) < packed + MARGIN and not len(self._window):
            self._packed, self._state[_IN_MEMORY] = _memory_for(packed), -1
        if len(self._unpacked) < unpacked + MARGIN:
            self._unpacked, self._state[_IN_MEMORY] = _memory_for(unpacked), -1
        if len(self._words_memory) < nwords:
            self._words_memory = new_array(nwords, np.uint64)
            self._state[_LOADED] = -1
        return True

    def _decode_from_file(
        self, pages: PageTable, start: int, out: NumberArray, rows: NumberArray, missing: Bools
    ) -> int:
        """Decode rows in a loop that reads the pages."""
        given = self._pages_of_file(pages)
        done = self._loop(given, start, rows, missing, out)
        self._note_done(pages, start + int(rows[done] if len(rows) else done) if done < len(out) else None)
        return done

    def _pages_of_file(self, pages: PageTable) -> PagesOfLoop:
        """Return pages that a loop reads, or has in the window."""
        descriptor = self._ranges.dense_file
        if descriptor is None or len(self._window):
            descriptor = _NO_FILE
        return PagesOfLoop(descriptor, self._window, 0, self._packed, pages, self._unpacked, self._state)

    def _note_done(self, pages: PageTable, row: int | None) -> None:
        """Take notice of nulls that a loop has met, and of the row that it did not decode."""
        nulls = int(self._state[_NULLS])
        if nulls:
            self._state[_NULLS] = 0
            self._note_nulls(nulls)
        if row is not None:
            # One page that loops do not support means more of them, which would be read in vain.
            page = pages[page_with(pages, row)]
            self._by_loop = bool(page[PageField.IS_PLAIN]) and not self._is_plain

    def _decode_batches(self, pages: PageTable, start: int, out: NumberArray, rows: NumberArray, missing: Bools) -> int:
        """Decode rows of pages that are read some at a time."""
        row = 0
        while row < len(out):
            first = int(rows[row]) if len(rows) else start + row
            number = page_with(pages, first)
            stop = int(rows[-1]) + 1 if len(rows) else start + len(out)
            last = int(pages[:, PageField.FIRST].searchsorted(stop))
            some = self._batched(pages[number:last].tolist(), first, stop, rows[row:])
            if not some:
                break
            behind = some[-1][PageField.FIRST] + some[-1][PageField.NROWS]
            count = int(rows.searchsorted(behind)) - row if len(rows) else min(behind, stop) - first
            here = slice(row, row + count)
            if not all(page[PageField.IS_PLAIN] for page in some):
                # What dictionaries are read into is used before.
                self._load_dictionary()
            data, unpacked, base = self._read_batch(some)
            # Memory of a page unpacked is anybody's after the loop.
            self._state[_IN_MEMORY] = -1
            given = PagesOfLoop(_NO_FILE, data, base, _NO_BYTES, np.array(some, np.int64), unpacked, self._state)
            begin = (0, rows[here]) if len(rows) else (first, rows)
            done = self._loop(given, *begin, missing[here], out[here])
            row += done
            if done < count:
                self._note_done(pages, int(rows[row]) if len(rows) else start + row)
                return row
        self._note_done(pages, None)
        return row

    def _read_batch(self, pages: Sequence[Sequence[int]]) -> tuple[Bytes, Bytes, int]:
        """Return the bytes of some pages, room for one of them unpacked, and where the bytes begin in the file."""
        base, last = pages[0][PageField.OFFSET], pages[-1]
        size = last[PageField.OFFSET] + last[PageField.PACKED] - base
        largest = max([page[PageField.UNPACKED] for page in pages])
        memory = scratch(size + largest + 2 * MARGIN)
        data, unpacked = memory[: size + MARGIN], memory[size + MARGIN :]
        self._ranges.read_into(data[:size], base, self._column.name)
        for page in pages:
            at = page[PageField.OFFSET] - base
            self._check(data[at : at + page[PageField.PACKED]], page[PageField.CHECKSUM])
        return data, unpacked, base

    def _batched(
        self, pages: Sequence[Sequence[int]], start: int, stop: int, rows: NumberArray
    ) -> Sequence[Sequence[int]]:
        """Return the first of some pages that can be read together, of all rows or of some."""
        found: list[Sequence[int]] = []
        base = behind = 0
        for page in pages:
            first, nrows, offset, packed, unpacked, _, _, is_plain, values, _ = page
            # Of a large page that is read in part, the next rows are wanted next.
            is_small = unpacked <= formats_tuning.PARQUET_SMALL_PAGE
            if len(rows):
                if rows.searchsorted(first) == rows.searchsorted(first + nrows):
                    continue
                # Bytes between pages are not read.
                fits = is_small and not (found and offset - behind > formats_tuning.PARQUET_NEAR_BYTES)
            else:
                fits = (is_small or (first >= start and first + nrows <= stop)) and values < 0
            base, behind = base if found else offset, offset + packed
            if (
                not fits
                or (is_plain and not self._is_plain)
                or max(packed, unpacked) > tuning.MOST_SCRATCH_BYTES // 4
                or (found and behind - base > formats_tuning.PARQUET_BATCH_BYTES)
            ):
                break
            found.append(page)
        return found

    @abstractmethod
    def _load_dictionary(self) -> None:
        """Read the dictionary, unless that was done before."""

    @abstractmethod
    def _loop(self, given: PagesOfLoop, start: int, rows: NumberArray, missing: Bools, out: NumberArray) -> int:
        """Decode rows of given pages, and return how many."""

    @abstractmethod
    def _note_nulls(self, count: int) -> None:
        """Take notice of a number of nulls in some pages."""

    # nulls

    def _behind_levels(self, page: npt.NDArray[np.int64], data: Bytes) -> tuple[int, Bools | None]:
        """Return where the values of a page begin, and which rows are not null, None if all are."""
        size, start, length = int(page[PageField.LEVELS]), 0, len(data) - MARGIN
        if not self._column.is_optional:
            return max(size, 0), None
        if size < 0:
            start = 4
            size = int.from_bytes(data[:4].tobytes(), "little") if length >= start else length
        if size > length - start:
            raise self._list.damaged("levels are longer than their page")
        return start + size, self._validity(data, start, start + size, int(page[PageField.NROWS]))

    def _validity(self, data: Bytes, start: int, stop: int, count: int) -> Bools | None:
        """Return which rows are not null, None if all are, by the levels between two bytes."""
        if is_one_run(data[start : min(stop, start + _LONGEST_RUN)].tobytes(), count):
            return None
        found = np.empty(count, np.uint8)
        if not loops.look_up(data, start, stop, 1, _LEVELS, len(_LEVELS), 0, found):
            # Arrow forgives a last run whose rows behind the page have no bytes.
            raise NoPlainPagesError
        return None if found.all() else found.view(np.bool_)


class NumberPageReader(PageReader):
    """Reads rows of a flat column of numbers, in any order in one row group after the other.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    column : ParquetColumn
        The column.
    dtype : ColumnType
        The type of its rows.

    Raises
    ------
    NoPlainPagesError
        If another reader is needed; `open` and `read` may raise it too.
    """

    def __init__(self, ranges: RangeReader, column: ParquetColumn, dtype: ColumnType) -> None:
        plain = column.plain
        if plain is None or not (dtype.is_number or dtype.is_nullable_number):
            raise NoPlainPagesError
        super().__init__(ranges, column, np.dtype(plain).itemsize)
        self._dtype = dtype.plain
        self._is_nullable = dtype.nullable
        self._stored = np.dtype(plain)
        self._scale, self._divisor = column.scale, column.divisor
        # Whether plain pages hold the very numbers of the column.
        self._is_stored = self._stored == self._dtype.numpy and self._scale == self._divisor == 1
        is_integer = self._stored.kind == "i" and self._stored.itemsize in (4, 8)
        # Whether loops make numbers of the column from those of plain pages.
        self._is_plain = self._is_stored or (is_integer and (self._dtype.numpy.kind in "iMm" or self._divisor != 1))
        # How loops do that, and the bits of the number in rows without one.
        width = self._stored.itemsize if self._is_plain else 0
        absent_word = _NAN_BITS if self._dtype == FLOAT64 else self._absent % 2**64
        self._about = width, self._scale, self._divisor, absent_word

    _OF_CHUNK = ("_dictionary", "_dictionaries")

    def open(self, place: ChunkPlace, find_pages: FindPages) -> None:
        """Go to a row group; see `PageReader.open`."""
        super().open(place, find_pages)
        # Loops write words.
        self._by_loop &= self._dtype.itemsize == 8
        self._current: UnpackedPage | None = None
        self._decoded: tuple[int, NumberArray, Bools] | None = None

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> NumberArray | NullableColumn:
        """Return rows of the row group; for `out` see `akdask.storage.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        pages = self._list.covering(start, stop)
        found = np.empty(stop - start, self._dtype.numpy) if out is None else out[: stop - start]
        missing = self._mask(stop - start)
        row = self._decode(pages, start, found, missing=missing)
        while row < len(found):
            page = pages[page_with(pages, start + row)]
            self._read_page(page, start, found, missing)
            row = int(page[PageField.FIRST] + page[PageField.NROWS]) - start
            if row < len(found):
                row += self._decode(pages, start + row, found[row:], missing=missing[row:])
        return self._with_nulls(found, missing)

    def read_rows(
        self, rows: NumberArray, first: int = 0, out: NumberArray | None = None
    ) -> NumberArray | NullableColumn:
        """Return the rows of the row group at ascending positions from some row on, at least one.

        For errors see `read`.
        """
        pages = self._list.covering(first + int(rows[0]), first + int(rows[-1]) + 1)
        found = np.empty(len(rows), self._dtype.numpy) if out is None else out[: len(rows)]
        missing = self._mask(len(rows))
        row = self._decode(pages, first, found, rows, missing)
        if row < len(rows):
            self._read_pages(pages, rows[row:] + first, found[row:], missing[row:])
        return self._with_nulls(found, missing)

    def _read_pages(self, pages: PageTable, rows: NumberArray, found: NumberArray, missing: Bools) -> None:
        """Read rows whose first page is read alone."""
        row = 0
        while row < len(rows):
            page = pages[page_with(pages, int(rows[row]))]
            here = slice(row, row + int(rows[row:].searchsorted(page[PageField.FIRST] + page[PageField.NROWS])))
            some = rows[here]
            start, stop = int(some[0]), int(some[-1]) + 1
            between, lacking = np.empty(stop - start, self._dtype.numpy), self._mask(stop - start)
            self._read_page(page, start, between, lacking)
            found[here] = between[some - start]
            if self._is_nullable:
                missing[here] = lacking[some - start]
            row = here.stop
            if row < len(rows):
                row += self._decode(pages, 0, found[row:], rows[row:], missing[row:])

    def _mask(self, nrows: int) -> Bools:
        """Return room for which of some rows are missing, if the column has that."""
        return np.zeros(nrows, np.bool_) if self._is_nullable else NO_MASK

    def _with_nulls(self, found: NumberArray, missing: Bools) -> NumberArray | NullableColumn:
        return NullableColumn(found, missing if missing.any() else None) if self._is_nullable else found

    def _loop(self, given: PagesOfLoop, start: int, rows: NumberArray, missing: Bools, out: NumberArray) -> int:
        return self._decoded_rows(given, start, rows, missing, self._words(given.pages, start, rows, len(out)), out)

    def _decoded_rows(  # noqa: PLR0917 - those of `_loop`, and words
        self, given: PagesOfLoop, start: int, rows: NumberArray, missing: Bools, words: Words, out: NumberArray
    ) -> int:
        how = start, rows, self._column.is_optional, missing, *words
        return loops.decode_pages(*(*given, *how, *self._about, out.view(np.uint64)))

    def _load_dictionary(self) -> None:
        self._dictionary  # noqa: B018 - computed on first use

    def _words(self, pages: PageTable, start: int, rows: NumberArray, count: int) -> Words:
        """Return dictionaries that a loop has to read, numbers of one or room for them, and their number."""
        if "_dictionary" in self.__dict__:
            return _NO_DICTIONARIES, *self._dictionary
        page = self._list.dictionary
        if page is None or not page.nvalues:
            return _NO_DICTIONARIES, _NO_WORDS, 0
        if self._reads_pages and self._is_plain:
            return self._dictionaries, self._words_memory, 0
        # None is needed of plain pages.
        first, last = (start + rows[0], start + rows[-1]) if len(rows) else (start, start + count - 1)
        begin, end = pages[:, PageField.FIRST].searchsorted((first, last), "right")
        if pages[begin - 1 : end, PageField.IS_PLAIN].all():
            return _NO_DICTIONARIES, _NO_WORDS, 0
        return _NO_DICTIONARIES, *self._dictionary

    @cached_attribute
    def _dictionaries(self) -> Ints:
        """The dictionary as loops read it."""
        return np.array([_dictionary_of(0, self._list.dictionary, is_packed=self._codec != "UNCOMPRESSED")])

    @property
    def _absent(self) -> Any:
        """The number in rows without one."""
        if self._dtype == FLOAT64:
            return np.nan
        # Other columns without room for nulls have none.
        return 0 if self._is_nullable or self._dtype.numpy.kind == "u" else NAT

    def _note_nulls(self, count: int) -> None:
        if count and not self._has_value_for_nulls:
            raise self._list.damaged("it has nulls, though its statistics say that it has none")

    @property
    def _has_value_for_nulls(self) -> bool:
        is_known = self._dtype == FLOAT64 or self._is_nullable
        return is_known or self._column.with_nulls() == self._column.dtype

    def stretches(self) -> list[Stretch] | None:
        """Return the stretches of all rows; None where their stored form differs from that in memory."""
        descriptor = self._ranges.dense_file
        if descriptor is None or self._is_nullable or not self._is_stored:
            return None
        pages = self._list.up_to(self._nrows)
        offsets = pages[:, PageField.VALUES]
        if (offsets < 0).any():
            return None
        return [
            Stretch(descriptor, *where)
            for where in zip(offsets.tolist(), pages[:, PageField.NROWS].tolist(), strict=True)
        ]

    # one page

    def _read_page(self, page: npt.NDArray[np.int64], start: int, out: NumberArray, missing: Bools) -> None:
        """Read the wanted rows of a page, `start` being the first row that is wanted of the row group."""
        before, nrows = page[PageField.FIRST], page[PageField.NROWS]
        first, end = max(start - before, 0), min(start + len(out) - before, nrows)
        target = out[before + first - start : before + end - start]
        valid: Bools | None = None
        if page[PageField.VALUES] >= 0:
            self._read_values(int(page[PageField.VALUES] + first * self._stored.itemsize), target)
        elif self._decoded is not None and self._decoded[0] == before:
            valid = self._decoded[2]
            target[:] = self._decoded[1][first:end]
        else:
            current = self._page(page)
            valid = current.valid
            if valid is None:
                self._values(current, page, first, target)
                return
            values = target if len(target) == nrows else np.empty(nrows, self._dtype.numpy)
            self._spread(current, page, valid, values)
            if values is not target:
                self._decoded = int(before), values, valid
                target[:] = values[first:end]
        if valid is not None and self._is_nullable:
            at = before + first - start
            np.logical_not(valid[first:end], out=missing[at : at + end - first])

    def _read_values(self, offset: int, out: NumberArray) -> None:
        """Read plain values from a place in the file."""
        if self._is_stored:
            self._ranges.read_into(out, offset, self._column.name)
        else:
            stored = scratch(len(out) * self._stored.itemsize)
            self._ranges.read_into(stored, offset, self._column.name)
            self._convert(stored, out)

    def _convert(self, stored: Bytes, out: NumberArray) -> None:
        """Fill an array with the numbers of the column that some bytes of a page, or of the dictionary, stand for."""
        width = self._stored.itemsize
        if self._stored.kind == "V" or self._divisor != 1:
            is_done = loops.divide(stored, width, self._stored.kind == "V", self._divisor, out)
        elif self._scale != 1:
            is_done = loops.multiply(stored, width, self._scale, out)
        else:
            widen_into(out, stored.view(self._stored), self._column.name)
            return
        if not is_done:
            # The general path has an answer for each decimal, and names the row of a time.
            raise NoPlainPagesError

    def _spread(self, current: UnpackedPage, page: npt.NDArray[np.int64], valid: Bools, out: NumberArray) -> None:
        """Fill an array with all rows of a page with nulls."""
        self._note_nulls(len(valid))
        some = np.empty(int(np.count_nonzero(valid)), out.dtype)
        self._values(current, page, 0, some)
        out[:] = self._absent
        out[valid] = some

    def _values(self, current: UnpackedPage, page: npt.NDArray[np.int64], skipped: int, out: NumberArray) -> None:
        """Fill an array with valid values of a page, skipping the first ones."""
        if page[PageField.IS_PLAIN]:
            itemsize = self._stored.itemsize
            if (skipped + len(out)) * itemsize > current.stop - current.start:
                raise self._list.damaged("a page has fewer bytes than its rows")
            # Of another width, or of the same bytes at any address.
            begin = current.start + skipped * itemsize
            self._convert(current.data[begin : begin + len(out) * itemsize], out)
        elif len(out):
            self._look_up(current, skipped, out)

    def _look_up(self, current: UnpackedPage, skipped: int, out: NumberArray) -> None:
        data, start, stop = current.data, current.start, current.stop
        words, nwords = self._dictionary
        if start >= stop or data[start] > WIDEST or not nwords:
            raise self._list.damaged("positions in its dictionary are wider than 32 bits, or there is none")
        if not loops.look_up(data, start + 1, stop, int(data[start]), words, nwords, skipped, out.view(words.dtype)):
            raise self._list.damaged("positions in its dictionary are not as many as its rows, or name no value")

    @cached_attribute
    def _dictionary(self) -> tuple[NumberArray, int]:
        """The dictionary, padded to the range of its positions' bits; and its length."""
        page = self._list.dictionary
        if page is None or not page.nvalues:
            return _NO_WORDS, 0
        words = new_array(_padded(page.nvalues, self._dtype.itemsize), np.dtype(f"u{self._dtype.itemsize}"))
        raw = self._dictionary_bytes(page, words.view(np.uint8) if self._is_stored else None)
        if not np.may_share_memory(raw, words):
            stored = raw[: page.nvalues * self._stored.itemsize]
            self._convert(stored, words.view(self._dtype.numpy)[: page.nvalues])
        return words, page.nvalues

    def _page(self, page: npt.NDArray[np.int64]) -> UnpackedPage:
        """Return a page in memory, and keep it, as the next rows are wanted next."""
        if self._current is None or self._current.first != page[PageField.FIRST]:
            self._current = None
            self._current = self._unpacked_page(page)
        return self._current


class JoinedPages(NamedTuple):
    """The pages of a column in several row groups, one after the other."""

    table: PageTable
    dictionaries: Ints
    """The dictionary of each row group, as loops read it."""


_JOINED: Cache[tuple[FileIdentity, int, int, bool], JoinedPages] = Cache(
    "pages of several Parquet chunks", nbytes=2**24, size=lambda pages: pages.table.nbytes + pages.dictionaries.nbytes
)


class JoinedPageReader(NumberPageReader):
    """Reads rows of a flat column of numbers in several row groups at once, if its pages are of the most usual kinds.

    Parameters
    ----------
    ranges, column, dtype
        As of `NumberPageReader`.
    chunks : sequence of ChunkPlace
        The chunks of all row groups of a partition.

    Raises
    ------
    NoPlainPagesError
        If another reader is needed.
    FileFormatError
        If headers are damaged.
    """

    def __init__(
        self, ranges: RangeReader, column: ParquetColumn, dtype: ColumnType, chunks: Sequence[ChunkPlace]
    ) -> None:
        super().__init__(ranges, column, dtype)
        codecs = {UNCOMPRESSED, CODECS.index("SNAPPY")}
        if ranges.dense_file is None or not self._is_plain or self._dtype.itemsize != 8:
            raise NoPlainPagesError
        if not codecs.issuperset(chunk.codec for chunk in chunks):
            raise NoPlainPagesError
        key = (ranges.file, chunks[0].offset, chunks[-1].offset, column.is_optional)
        self._pages = _JOINED.get(key) or _JOINED.put(key, self._joined(chunks))
        self._state[:] = -1, 0, -1
        ends = chunks[0].offset, chunks[-1].offset + chunks[-1].size
        self._window = ranges.in_window(0, ranges.file.size, min(ends), max(ends))
        packed, unpacked = self._pages.table[:, [PageField.PACKED, PageField.UNPACKED]].max(axis=0).tolist()
        _, _, of_packed, of_unpacked, _, nvalues = self._pages.dictionaries.max(axis=0).tolist()
        nwords = _padded(nvalues, 8) if nvalues else 0
        if not self._has_memory(max(packed, of_packed), max(unpacked, of_unpacked), nwords):
            raise NoPlainPagesError

    def _joined(self, chunks: Sequence[ChunkPlace]) -> JoinedPages:
        tables, dictionaries, first = list[PageTable](), list[tuple[int, ...]](), 0
        for chunk in chunks:
            listed = PageList(self._ranges, chunk, self._column, self._itemsize, lambda: None)
            table, dictionary = listed.up_to(chunk.nrows).copy(), listed.dictionary
            table[:, PageField.FIRST] += first
            tables.append(table)
            dictionaries.append(_dictionary_of(first, dictionary, is_packed=chunk.codec != UNCOMPRESSED))
            first += chunk.nrows
            if (table[:, PageField.CHECKSUM] >= 0).any() or (dictionary is not None and dictionary.checksum >= 0):
                raise NoPlainPagesError
        return JoinedPages(np.concatenate(tables), np.array(dictionaries, np.int64))

    def read_across(
        self, start: int, nrows: int, out: NumberArray | None = None, rows: NumberArray = ALL_ROWS
    ) -> NumberArray | NullableColumn | None:
        """Return rows from row `start` on, or at ascending positions behind it; None if a page is unusual.

        Parameters
        ----------
        start : int
            The row that positions are counted from.
        nrows : int
            How many rows there are, at least one.
        out, rows : ndarray, optional
            As of `NumberPageReader.read` and `read_rows`.
        """
        found = np.empty(nrows, self._dtype.numpy) if out is None else out[:nrows]
        missing, words = self._mask(nrows), self._words_memory if len(self._words_memory) else _NO_WORDS
        given = self._pages_of_file(self._pages.table)
        done = self._decoded_rows(given, start, rows, missing, (self._pages.dictionaries, words, 0), found)
        has_nulls, self._state[_NULLS] = self._state[_NULLS] > 0, 0
        if done < nrows or (has_nulls and not self._has_value_for_nulls):
            return None
        return self._with_nulls(found, missing)
