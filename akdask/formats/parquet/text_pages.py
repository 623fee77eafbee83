"""Pages of flat text: strings, or positions in the dictionary of their chunk, which stay positions for who takes these.

Pages are unpacked and walked over once; then only the wanted rows are copied.  Encodings of differences raise
`NoPlainPagesError`, and the general path, `akdask.formats.parquet.chunks`, reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.caches import cached_attribute
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.strings import SENTINEL
from akdask.columns.table import CHUNK, decoded
from akdask.formats.parquet import loops
from akdask.formats.parquet.columns import ParquetColumn
from akdask.formats.parquet.page_lists import (
    ChunkPlace,
    FindPages,
    NoPlainPagesError,
    PageField,
    PageTable,
    page_with,
)
from akdask.formats.parquet.pages import MARGIN, WIDEST, Bools, Bytes, PageReader, PagesOfLoop, UnpackedPage
from akdask.storage.ranges import RangeReader
from akdask.typing import Column, NumberArray, StringArray

Codes = npt.NDArray[np.int32]
_ALL: Codes = np.empty(0, np.int32)
_ALL_VALID = np.empty(0, np.bool_)


class UnpackedText(NamedTuple):
    """Strings of a page or of a dictionary, where they were unpacked."""

    data: Bytes
    """Their bytes, among others, and `MARGIN` more."""

    starts: npt.NDArray[np.uint32]
    lengths: npt.NDArray[np.uint32]


class PageRows(NamedTuple):
    """Some rows of a page."""

    strings: UnpackedText
    codes: Codes | None
    """Positions of the rows among the strings, None for each string in order."""

    from_dictionary: bool
    """Whether the strings are the dictionary."""

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return len(self.strings.starts) if self.codes is None else len(self.codes)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        lengths = self.strings.lengths
        return int(lengths.sum(dtype=np.int64)) if self.codes is None else loops.size_of_strings(lengths, self.codes)


class TextPageReader(PageReader):
    """Reads rows of a flat column of text, in any order in one row group after the other.

    Parameters
    ----------
    ranges, column, dtype
        As of `akdask.formats.parquet.pages.NumberPageReader`.

    Raises
    ------
    NoPlainPagesError
        If another reader is needed; `open` and reading may raise it too.
    """

    def __init__(self, ranges: RangeReader, column: ParquetColumn, dtype: ColumnType) -> None:
        if dtype.kind != "str" or not column.is_flat or column.physical != "BYTE_ARRAY":
            raise NoPlainPagesError
        super().__init__(ranges, column, 0)
        # Rows without a string get what stands behind all others.
        self._missing = len(SENTINEL) if dtype.nullable else 0

    _OF_CHUNK = ("_dictionary", "_strings")

    def open(self, place: ChunkPlace, find_pages: FindPages) -> None:
        """Go to a row group; see `akdask.formats.parquet.pages.PageReader.open`."""
        super().open(place, find_pages)
        self._has_nulls = False
        self._found: tuple[int, UnpackedText | Codes] | None = None

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of the row group as strings; for errors see `read_text`."""
        return decoded(self.read_text(start, stop))

    def read_text(self, start: int, stop: int, rows: NumberArray | None = None) -> Any:
        """Return rows of the row group; see `akdask.storage.source.PartReader.read_text`.

        Parameters
        ----------
        start, stop : int
        rows : ndarray of int64, optional
            Only these of them, in ascending order.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        pages = self._list.covering(start, stop)
        found = self._decoded_codes(pages, start, stop, rows) if start < stop else None
        parts = list(self._parts(pages, start, stop, rows)) if found is None else [found]
        if parts and all(part.from_dictionary for part in parts) and self._keeps_codes:
            codes = [part.codes for part in parts if part.codes is not None]
            positions = codes[0] if len(codes) == 1 else np.concatenate(codes)
            indices = pa.Array.from_buffers(pa.int32(), len(positions), [None, pa.py_buffer(positions)])
            return pa.DictionaryArray.from_arrays(indices, self._strings, safe=False)
        return _joined(parts)

    def _decoded_codes(self, pages: PageTable, start: int, stop: int, rows: NumberArray | None) -> PageRows | None:
        """Return the positions of rows in the dictionary, None where a page is to be looked at alone."""
        first = page_with(pages, start if rows is None else int(rows[0]))
        if pages[first, PageField.IS_PLAIN]:
            return None
        codes = np.empty(stop - start if rows is None else len(rows), np.int32)
        done = self._decode(pages, start, codes) if rows is None else self._decode(pages, 0, codes, rows)
        if done < len(codes):
            return None
        return PageRows(self._dictionary, codes, from_dictionary=True)

    def _load_dictionary(self) -> None:
        self._dictionary  # noqa: B018 - computed on first use

    def _loop(self, given: PagesOfLoop, start: int, rows: NumberArray, missing: Bools, out: NumberArray) -> int:
        known = len(self._dictionary.starts) - 1
        return loops.decode_positions(*(*given, start, rows, self._column.is_optional, missing, known, out))

    def _note_nulls(self, count: int) -> None:
        self._has_nulls |= count > 0

    @property
    def _keeps_codes(self) -> bool:
        """Whether the dictionary has few strings beside rows, and all that rows have."""
        return 2 * len(self._dictionary.starts) <= self._nrows and (self._missing > 0 or not self._has_nulls)

    def _parts(self, pages: PageTable, start: int, stop: int, rows: NumberArray | None) -> Iterator[PageRows]:
        for page in pages:
            first, nrows = page[[PageField.FIRST, PageField.NROWS]].tolist()
            begin, end = max(start - first, 0), min(stop - first, nrows)
            if begin >= end:
                continue
            if rows is None:
                yield self._part(page, slice(begin, end))
                continue
            some = rows[np.searchsorted(rows, first + begin) : np.searchsorted(rows, first + end)]
            if len(some):
                yield self._part(page, (some - first).astype(np.int32))

    def _part(self, page: npt.NDArray[np.int64], rows: slice | Codes) -> PageRows:
        found = self._page(page)
        if isinstance(found, np.ndarray):
            return PageRows(self._dictionary, found[rows], from_dictionary=True)
        if isinstance(rows, slice):
            return PageRows(
                UnpackedText(found.data, found.starts[rows], found.lengths[rows]), None, from_dictionary=False
            )
        return PageRows(found, rows, from_dictionary=False)

    def _page(self, page: npt.NDArray[np.int64]) -> UnpackedText | Codes:
        """Return the strings of a page or their positions, and keep them, as the next rows are wanted next."""
        first = int(page[PageField.FIRST])
        if self._found is None or self._found[0] != first:
            self._found = None
            current = self._unpacked_page(page)
            nrows = int(page[PageField.NROWS])
            found = self._placed(current, nrows) if page[PageField.IS_PLAIN] else self._codes(current, nrows)
            self._found = first, found
        return self._found[1]

    def _placed(self, current: UnpackedPage, nrows: int) -> UnpackedText:
        """Return the strings of some bytes, each behind its length."""
        starts, lengths = np.empty(nrows, np.uint32), np.empty(nrows, np.uint32)
        valid = _ALL_VALID if current.valid is None else current.valid
        current.data[current.stop : current.stop + len(SENTINEL)] = np.frombuffer(SENTINEL, np.uint8)
        size = loops.place_strings(current.data, current.start, current.stop, valid, self._missing, starts, lengths)
        if size < 0:
            raise self._list.damaged("a page has fewer bytes than its rows") if size == -1 else self._list.no_text()
        return UnpackedText(current.data, starts, lengths)

    def _codes(self, current: UnpackedPage, nrows: int) -> Codes:
        """Return the positions of all rows of a page in the dictionary; missing text is behind its last string."""
        data, start, valid = current.data, current.start, current.valid
        known = len(self._dictionary.starts) - 1
        codes = np.empty(nrows if valid is None else int(np.count_nonzero(valid)), np.int32)
        if len(codes):
            if start >= current.stop or data[start] > WIDEST or not known:
                raise self._list.damaged("positions in its dictionary are wider than 32 bits, or there is none")
            if not loops.find_positions(data, start + 1, current.stop, int(data[start]), known, codes):
                raise self._list.damaged("positions in its dictionary are not as many as its rows, or name no value")
        if valid is None:
            return codes
        self._has_nulls = True
        found = np.full(nrows, known, np.int32)
        found[valid] = codes
        return found

    @cached_attribute
    def _dictionary(self) -> UnpackedText:
        """The strings of the dictionary, and behind them that of rows without a string."""
        page = self._list.dictionary
        size, count = (0, 0) if page is None else (page.unpacked, page.nvalues)
        data = np.empty(MARGIN, np.uint8) if page is None else self._dictionary_bytes(page)
        valid = np.arange(count + 1) < count
        return self._placed(UnpackedPage(0, data, 0, size, valid), count + 1)

    @cached_attribute
    def _strings(self) -> StringArray:
        """The strings of the dictionary; it has the string of rows without one if there may be such rows."""
        data, starts, lengths = self._dictionary
        count = len(starts) if self._missing else len(starts) - 1
        return _joined([PageRows(UnpackedText(data, starts[:count], lengths[:count]), None, from_dictionary=True)])


def _joined(parts: Sequence[PageRows]) -> StringArray:
    """Return rows one after the other."""
    offsets = new_array(sum(part.nrows for part in parts) + 1, np.int64)
    data = new_array(sum(part.nbytes for part in parts) + CHUNK, np.uint8)
    offsets[0] = row = 0
    for strings, codes, _ in parts:
        begin, row = row, row + (len(strings.starts) if codes is None else len(codes))
        rows = _ALL if codes is None else codes
        loops.append_strings(*strings, rows, codes is None, offsets[begin : row + 1], data)
    return pa.LargeStringArray.from_buffers(row, pa.py_buffer(offsets), pa.py_buffer(data))
