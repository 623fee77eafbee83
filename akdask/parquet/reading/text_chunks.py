"""Column chunks of text read as positions in their dictionaries, whose strings are then made or compared once each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow.parquet as pq

from akdask.columns.dictionary_text import decoded, is_encoded, joined
from akdask.kernels.core.page_fields import PageField
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.reading.chunks import BATCH_ROWS, ArrowChunkReader, errors_naming
from akdask.parquet.reading.decoding import decode, decode_positions
from akdask.parquet.reading.page_list import ChunkPlace, NoPlainPagesError, PageList
from akdask.schema import ColumnType
from akdask.storage.data.ranges import RangeReader
from akdask.typing import Column, NumberArray

FEWEST_ROWS = 2**12
"""Rows of a chunk below which it takes longer to have its file opened once more."""

REPEATS = 2
"""How often strings are repeated, on average, where it is faster to read positions."""


class TextChunkReader(ArrowChunkReader):
    """Reads rows of flat text in one row group, as strings or as positions in dictionaries.

    Where the writer has given up the dictionary, strings are read from there on.

    Parameters
    ----------
    open_file : callable
        Returns the open file, by which columns of some names are read as positions.
    group : int
        The row group.
    column : ParquetColumn
        The column.
    dtype : ColumnType
        The type that it has in all files.
    path : str
        The path of the file, for messages.
    """

    def __init__(
        self, open_file: Callable[..., pq.ParquetFile], group: int, column: ParquetColumn, dtype: ColumnType, path: str
    ) -> None:
        encoded = partial(decode_positions, column=column, dtype=dtype)
        super().__init__(open_file(column.name), group, column, encoded, path)
        self._open_file, self._dtype = open_file, dtype

    @staticmethod
    def accepts(ranges: RangeReader, place: ChunkPlace, column: ParquetColumn, dtype: ColumnType) -> bool:
        """Whether to read a column chunk of an open file in this way: if its dictionary has few strings."""
        is_text = dtype.kind == "str" and column.is_flat and column.physical == "BYTE_ARRAY"
        if not is_text or place.nrows < FEWEST_ROWS:
            return False
        pages = PageList(ranges, place, column, 0, lambda: None)
        try:
            (is_plain, *_) = pages.up_to(1)[:, PageField.IS_PLAIN]
        except NoPlainPagesError:
            return False
        known = pages.dictionary
        return known is not None and not is_plain and REPEATS * known.nvalues <= min(place.nrows, BATCH_ROWS)

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of the row group as strings; `out` is for numbers."""
        found: Column = decoded(self.read_text(start, stop))
        return found

    def read_text(self, start: int, stop: int) -> Any:
        """Return rows of the row group; see `akdask.storage.data.source.PartReader.read_text`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        with errors_naming(self._path, self._column.name):
            return joined(list(self._slices(start, stop)))

    def _next(self, wanted: int) -> None:
        super()._next(wanted)
        current: Any = self._current
        if is_encoded(current) and REPEATS * len(current.dictionary) > len(current):
            self._read_by(self._open_file(), partial(decode, column=self._column, dtype=self._dtype))
