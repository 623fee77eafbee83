"""What is known of one file without its data: columns, row groups, and where each column chunk lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from akdask.errors import FileFormatError
from akdask.parquet.columns import ParquetColumn, columns_of
from akdask.storage.data.source import TEXT_BYTES
from akdask.storage.paths.files import FileIdentity

CHUNK = np.dtype(
    [
        ("offset", "<i8"),  # of the first page, that of the dictionary if there is one
        ("size", "<i8"),  # bytes of all pages in the file
        ("unpacked", "<i8"),  # bytes of all pages, unpacked
        ("values", "<i8"),  # with nulls; of lists their items
        ("nulls", "<i8"),  # -1 where unknown
        ("codec", "|i1"),  # position in CODECS
        ("bounded", "?"),  # minimum and maximum hold: the bits of the physical type
        ("spelled", "?"),  # low and high hold: the first bytes of text
        ("minimum", "<u8"),
        ("maximum", "<u8"),
        ("low", f"S{TEXT_BYTES}"),
        ("high", f"S{TEXT_BYTES}"),
    ]
)
"""What is known of the part of a column in one row group."""

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW", "LZ4", "LZO")
_NUMPY = {"INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8", "BOOLEAN": "?"}


class ChunkTable(Protocol):
    """The column chunks of a file."""

    def of_leaf(self, leaf: int) -> npt.NDArray[np.void]:
        """Return those of one leaf, shape (nrowgroups,), dtype `CHUNK`."""
        ...


@dataclass(frozen=True)
class FileSchema:
    """What files have in common that are made alike.

    Parameters
    ----------
    columns : tuple of ParquetColumn
        All columns, in the order of the file.
    footer : bytes
        The footer of one of them, from which a manifest makes the columns again.
    leaves : int
        Leaves of the schema.
    """

    columns: tuple[ParquetColumn, ...]
    footer: bytes = field(repr=False)
    leaves: int

    @classmethod
    def of(cls, metadata: pq.FileMetaData, footer: bytes) -> FileSchema:
        """Return what a footer tells; for errors see `columns_of`."""
        return cls(columns_of(metadata), footer, len(metadata.schema))

    @cached_property
    def named(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return {column.name: column for column in self.columns}


@dataclass(frozen=True, slots=True, eq=False)
class FileDescription:
    """One file.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    schema : FileSchema
        Its columns.
    rows : ndarray, shape (nrowgroups,), int64
        Rows of each row group.
    chunks : ChunkTable
        Where the columns lie.
    """

    file: FileIdentity
    schema: FileSchema
    rows: npt.NDArray[np.int64]
    chunks: ChunkTable

    @property
    def columns(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return self.schema.named

    @property
    def nrows(self) -> int:
        """Rows of all row groups."""
        return sum(self.rows.tolist())

    def stored(self) -> FileDescription:
        """Return the same with all chunks at hand."""
        table = [self.chunks.of_leaf(leaf) for leaf in range(self.schema.leaves)]
        chunks = StoredChunks(np.stack(table) if table else np.zeros((0, len(self.rows)), CHUNK))
        return replace(self, chunks=chunks)

    def at(self, path: str) -> FileDescription:
        """Return the description of the file when it is in another place."""
        return replace(self, file=replace(self.file, path=path))


class StoredChunks:
    """Column chunks as a manifest tells of them; implements `ChunkTable`.

    Parameters
    ----------
    table : ndarray, shape (nleaves, nrowgroups), dtype `CHUNK`
        All of them.
    """

    def __init__(self, table: npt.NDArray[np.void]) -> None:
        self.table = table

    def of_leaf(self, leaf: int) -> npt.NDArray[np.void]:
        """Return the chunks of one leaf."""
        found: npt.NDArray[np.void] = self.table[leaf]
        return found


class FooterChunks:
    """Column chunks as a footer tells of them; implements `ChunkTable`.  Leaves are looked at when they are asked for.

    Parameters
    ----------
    path : str
        The file, for messages.
    metadata : pyarrow.parquet.FileMetaData
        Its footer.
    end : int
        Where the footer begins: all chunks end before.
    """

    def __init__(self, path: str, metadata: pq.FileMetaData, end: int) -> None:
        self._path = path
        self._metadata = metadata
        self._end = end
        self._found: dict[int, npt.NDArray[np.void]] = {}

    def of_leaf(self, leaf: int) -> npt.NDArray[np.void]:
        """Return the chunks of one leaf.

        Raises
        ------
        FileFormatError
            If one does not lie in the file, or has not as many values as its row group has rows.
        """
        if leaf not in self._found:
            self._found[leaf] = self._described(leaf)
        return self._found[leaf]

    def _described(self, leaf: int) -> npt.NDArray[np.void]:
        count = self._metadata.num_row_groups
        found = np.zeros(count, CHUNK)
        column = self._metadata.schema.column(leaf)
        for number in range(count):
            group = self._metadata.row_group(number)
            chunk = group.column(leaf)
            found[number] = _record(chunk, column)
            problem = self._problem(found[number], chunk, column, group.num_rows)
            if problem:
                raise FileFormatError(
                    f"column {column.path!r} of {self._path!r} cannot be read: {problem}.",
                    details=[f"row group {number}"],
                    hint="the file is damaged; write it again, or read its other columns.",
                )
        return found

    def _problem(self, found: Any, chunk: Any, column: Any, rows: int) -> str | None:
        start, size = int(found["offset"]), int(found["size"])
        if chunk.file_path:
            return f"its data is in another file, {chunk.file_path!r:.100}"
        if start < 4 or size < 0 or start + size > self._end:
            return f"its data would end at byte {start + size:,} of {self._end:,}"
        if found["values"] < 0 or (column.max_repetition_level == 0 and found["values"] != rows):
            return f"it has {found['values']:,} values for {rows:,} rows"
        if rows and not size:
            return "it has no data"
        return None


def _record(chunk: Any, column: Any) -> tuple[Any, ...]:
    pages = [chunk.data_page_offset, chunk.dictionary_page_offset if chunk.has_dictionary_page else None]
    # Some writers say 0 where there is no dictionary.
    offset = min(page for page in pages if page)
    codec = CODECS.index(chunk.compression) if chunk.compression in CODECS else -1
    known = (offset, chunk.total_compressed_size, chunk.total_uncompressed_size, chunk.num_values)
    statistics = chunk.statistics if chunk.is_stats_set else None
    if statistics is None:
        return (*known, -1, codec, False, False, 0, 0, b"", b"")
    nulls = statistics.null_count if statistics.has_null_count else -1
    if not 0 <= nulls <= chunk.num_values:
        nulls = -1
    return (*known, nulls, codec, *_extremes(statistics, column))


def _extremes(statistics: Any, column: Any) -> tuple[Any, ...]:
    nothing = (False, False, 0, 0, b"", b"")
    if not statistics.has_min_max:
        return nothing
    low, high = statistics.min_raw, statistics.max_raw
    if column.physical_type in _NUMPY:
        low, high = (np.array(side).astype(_NUMPY[column.physical_type]) for side in (low, high))
        return (True, False, *(int.from_bytes(side.tobytes(), "little") for side in (low, high)), b"", b"")
    if column.physical_type == "BYTE_ARRAY" and isinstance(low, bytes) and isinstance(high, bytes):
        return (False, True, 0, 0, low[:TEXT_BYTES], high[:TEXT_BYTES])
    return nothing
