"""Which columns of a set share rows, and how their rows are cut into partitions.

Both depend on the files alone, never on which columns someone asks for, so that columns from two calls fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from akdask import config
from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.codecs.strings import scan_starts
from akdask.hdf5.reading.read import ExtentReader
from akdask.hdf5.reading.source import Hdf5Source, Layouts
from akdask.hdf5.schema.description import ColumnSchema
from akdask.schema import STR
from akdask.storage.data.extents import Extent, RowRanges, split_rows
from akdask.storage.paths.files import FileIdentity

_MOST_ROWS = 2**63
_FEW = 64  # partitions that a file may have, whatever it holds
_TIGHTEST = 1032  # to 1, the tightest that deflate packs
_MUCH = 8  # a chunk of more than this part of a partition is not to be unpacked twice


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a set is read.

    Parameters
    ----------
    strict_types : bool
        Demand that width and sign of numbers agree over the files.
    widen : bool
        Read numbers that files have in different types in one that has all of them.
    calc_string_offsets : bool
        Find where strings start from their NULs, even where segments are stored.
    partition_size : int
        Bytes of the largest column of a partition.
    manifest : bool
        Use the manifest of the set.
    label : str
        How a user names the set.
    """

    strict_types: bool
    widen: bool
    calc_string_offsets: bool
    partition_size: int
    manifest: bool
    label: str


class RowSpaces:
    """Sources for all columns of a set.

    Parameters
    ----------
    layouts : Layouts
        Where the columns lie in the files.
    columns : mapping of str to ColumnSchema
        Columns on which the files agree.
    options : ReadOptions
        How they are read.
    """

    def __init__(self, layouts: Layouts, columns: Mapping[str, ColumnSchema], options: ReadOptions) -> None:
        self._layouts = layouts
        self._options = options
        self._ranges: dict[bytes, RowRanges] = {}
        self._sources: dict[str, Hdf5Source] = {}
        known: dict[bytes, dict[str, ColumnSchema]] = {}
        for name, schema in columns.items():
            rows = self._stored_rows(name, schema)
            if rows.min(initial=0) >= 0:
                known.setdefault(rows.tobytes(), {})[name] = schema
        for key, schemas in known.items():
            self._ranges[key] = self._split(np.frombuffer(key, np.int64), schemas)
            self._sources.update(dict.fromkeys(schemas, self._source(schemas, self._ranges[key])))

    def source(self, name: str, schema: ColumnSchema) -> Hdf5Source:
        """Return the source that has a column; reads the strings that have no segments, to count them.

        Raises
        ------
        UnsupportedError
            If the column's data is in other files, and the settings do not allow that.
        """
        if name in self._layouts.outside and not config.get("external_files"):
            raise UnsupportedError(
                f"dataset {name!r} of {self._options.label} keeps its data in other files, or may do so.",
                hint="if the set is to be trusted, allow it with ak.config.set(external_files=True).",
            )
        if name not in self._sources:
            rows = self._counted_rows(name, schema)
            ranges = self._ranges.get(rows.tobytes())
            if ranges is None:
                ranges = self._split(rows, {name: schema})
            self._sources[name] = self._source({name: schema}, ranges)
        return self._sources[name]

    def _source(self, columns: Mapping[str, ColumnSchema], ranges: RowRanges) -> Hdf5Source:
        return Hdf5Source(
            self._layouts,
            {name: schema.dtype for name, schema in columns.items()},
            ranges,
            self._options.label,
            use_segments=not self._options.calc_string_offsets,
        )

    def _stored_rows(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        """Return rows in each file, -1 where only the data tells."""
        rows = self._layouts.rows(name)
        if schema.dtype != STR:
            return rows
        if self._options.calc_string_offsets:
            rows[:] = -1
        return np.where((rows < 0) & (self._layouts.lengths(name) == 0), 0, rows)

    def _counted_rows(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        rows = self._stored_rows(name, schema)
        for index in np.flatnonzero(rows < 0).tolist():
            place = self._layouts.place(index, name, STR, use_segments=False)
            rows[index] = _count_strings(self._layouts.files[index].file, place.extents[0])
        return rows

    def _split(self, rows: npt.NDArray[np.int64], columns: Mapping[str, ColumnSchema]) -> RowRanges:
        """Cut rows into partitions, limited in number, at bounds of chunks, so that few chunks are unpacked twice."""
        sizes = [self._nbytes(name, schema) for name, schema in columns.items()]
        if sum(rows.tolist()) >= _MOST_ROWS:
            raise FileFormatError(f"the files of {self._options.label} claim {sum(rows.tolist()):,} rows.")
        nbytes, limit = np.max(sizes, axis=0), self._options.partition_size
        if not any(map(self._layouts.is_chunked, columns)):
            return split_rows(rows, nbytes, limit)
        # Of what is not in the file there is nothing to read, so a file is cut by what it holds, unpacked.
        stored = np.array([file.file.size for file in self._layouts.files], np.int64)
        most = _FEW + stored // limit * _TIGHTEST
        grain = np.ones(len(rows), np.int64)
        for name, size in zip(columns, sizes, strict=True):
            chunk, length = self._layouts.chunks(name), self._layouts.lengths(name)
            large = chunk * np.maximum(size // np.maximum(length, 1), 1) > limit // _MUCH
            has_rows = length == rows
            most = np.where(large, np.minimum(most, -(-length // np.maximum(chunk, 1))), most)
            grain = np.where(large & has_rows, np.maximum(grain, chunk), grain)
        return split_rows(rows, nbytes, limit, most, grain)

    def _nbytes(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        limbs = len(schema.datasets) if schema.dtype.kind == "bigint" else 1
        return self._layouts.lengths(name) * (limbs * np.dtype(schema.datasets[0].dtype).itemsize)


@lru_cache(maxsize=4096)
def _count_strings(file: FileIdentity, values: Extent) -> int:
    with ExtentReader(file) as reader:
        return len(scan_starts(reader, values)) - 1
