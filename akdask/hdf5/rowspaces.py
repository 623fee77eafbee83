"""Which columns of a set share rows, and how their rows are cut into partitions.

Both depend on the files alone, never on which columns someone asks for, so that columns from two calls fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from akdask.hdf5.description import ColumnSchema
from akdask.hdf5.read import ExtentReader, scan_starts
from akdask.hdf5.source import Hdf5Source, Layouts
from akdask.schema import STR
from akdask.storage.extents import Extent, RowRanges, split_rows
from akdask.storage.files import FileIdentity


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a set is read.

    Parameters
    ----------
    strict_types : bool
        Demand that width and sign of numbers agree over the files.
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
        known: dict[bytes, dict[str, npt.NDArray[np.int64]]] = {}
        for name, schema in columns.items():
            rows = self._stored_rows(name, schema)
            if rows.min(initial=0) >= 0:
                known.setdefault(rows.tobytes(), {})[name] = self._nbytes(name, schema)
        for key, sizes in known.items():
            rows = np.frombuffer(key, np.int64)
            self._ranges[key] = split_rows(rows, np.max(list(sizes.values()), axis=0), options.partition_size)
            source = self._source({name: columns[name] for name in sizes}, self._ranges[key])
            self._sources.update(dict.fromkeys(sizes, source))

    def source(self, name: str, schema: ColumnSchema) -> Hdf5Source:
        """Return the source that has a column; reads the strings that have no segments, to count them."""
        if name not in self._sources:
            rows = self._counted_rows(name, schema)
            ranges = self._ranges.get(rows.tobytes())
            if ranges is None:
                ranges = split_rows(rows, self._nbytes(name, schema), self._options.partition_size)
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

    def _nbytes(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        limbs = len(schema.datasets) if schema.dtype.kind == "bigint" else 1
        return self._layouts.lengths(name) * (limbs * np.dtype(schema.datasets[0].dtype).itemsize)


@lru_cache(maxsize=4096)
def _count_strings(file: FileIdentity, values: Extent) -> int:
    with ExtentReader(file) as reader:
        return len(scan_starts(reader, values)) - 1
