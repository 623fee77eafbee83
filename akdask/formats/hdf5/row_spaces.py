"""Row spaces of a set of files, for plans to scan: their partitions, and the checks of what these hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask import config
from akdask.caches import cached_results
from akdask.columns.dtypes import STR, ColumnType
from akdask.errors import FileFormatError, MissingDatasetError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.hdf5.description import (
    SUMMARY,
    ColumnLocation,
    ColumnSchema,
    FileDescription,
    ObjectSchema,
    bounds_of,
    columns_of,
    datasets_of,
    has_bounds,
    ranges_beside,
)
from akdask.formats.hdf5.foreign import OBJECTS
from akdask.formats.hdf5.readers import ExtentReader, Hdf5PartReader
from akdask.formats.hdf5.strings import scan_starts
from akdask.records import record
from akdask.storage import tuning as storage_tuning
from akdask.storage.files import FileIdentity, is_remote
from akdask.storage.manifest import VERIFIED, Checksum, differing_error, sum_of_ranges
from akdask.storage.ranges import ELSEWHERE, OUTSIDE, Extent, PartitionRanges, range_reader, split_rows
from akdask.storage.source import Bounds


def check_extent(reader: ExtentReader, extent: Extent, expected: int) -> None:
    """Read a dataset whole and compare.

    Raises
    ------
    FileFormatError
        If the checksum is another, or the data cannot be read.
    """
    found = Checksum()
    step = storage_tuning.BLOCK_BYTES // np.dtype(extent.dtype).itemsize
    buffer = np.empty(min(step, extent.length), extent.dtype)
    for start in range(0, extent.length, step):
        block = buffer[: min(step, extent.length - start)]
        reader.read_into(block, extent, start)
        found.add(block)
    if found.value != expected:
        raise differing_error(f"dataset {extent.dataset!r} of {reader.file.path!r}", found.value, expected)


@record
class Beside:
    """The bytes of a file beside its datasets, which distinguish a damaged copy from a rewritten file.

    Parameters
    ----------
    ranges : tuple of (int, int)
        Where they start and stop.
    checksum : int
        Their checksum at the time of writing.
    """

    ranges: tuple[tuple[int, int], ...]
    checksum: int

    @classmethod
    def of(cls, file: FileDescription) -> Beside | None:
        """Return the bytes beside the datasets of a file, None if they have no checksum."""
        return None if file.beside is None else cls(tuple(ranges_beside(file)), file.beside)

    def is_as_written(self, file: FileIdentity) -> bool:
        """Read them and compare checksums; for errors see `check_extent`."""
        with range_reader(file) as reader:
            return sum_of_ranges(reader, self.ranges, "metadata") == self.checksum


def check_once(file: FileIdentity, extent: Extent, expected: int, beside: Beside | None = None) -> None:
    """Do `check_extent` unless this process has found the dataset of the file to be right already.

    An unproven file (`beside`) is valid if the bytes beside its datasets differ as well: then another program has
    written it.
    """
    if is_right(file, extent, expected):
        return
    try:
        with ExtentReader(file) as reader:
            check_extent(reader, extent, expected)
    except FileFormatError:
        if beside is None or beside.is_as_written(file):
            raise
        return
    VERIFIED.put((file, extent, expected), None)


def is_right(file: FileIdentity, extent: Extent, expected: int) -> bool:
    """Whether this process has found that a dataset matches its checksum."""
    return (file, extent, expected) in VERIFIED


def summed_datasets(file: FileDescription) -> Iterator[tuple[Extent, int]]:
    """Yield the datasets of a file whose checksums are known, with these."""
    if file.summaries is not None:
        for dataset, slot, summary in zip(datasets_of(file.objects), file.slots.tolist(), file.summaries, strict=True):
            if summary["known"]:
                yield Extent(dataset.path, dataset.dtype, *slot), int(summary["checksum"])


def damages_of(file: FileDescription) -> list[tuple[str | None, str]] | None:
    """Compare all bytes of a file with their checksums, and name the differing datasets; None for bytes beside them.

    Returns
    -------
    list of (str or None, str), or None
        Dataset and damage; None if the file was rewritten since it was described.
    """
    found: list[tuple[str | None, str]] = []
    with ExtentReader(file.file) as reader:
        for extent, checksum in summed_datasets(file):
            try:
                check_extent(reader, extent, checksum)
            except FileFormatError as error:
                found.append((extent.dataset, " ".join([error.message, *error.details])))
            else:
                VERIFIED.put((file.file, extent, checksum), None)
    beside = Beside.of(file)
    if beside is not None and not beside.is_as_written(file.file):
        if found and not file.is_proven:
            return None
        found.append((None, "what describes the data is not what was written."))
    return found


@record
class Hdf5Part:
    """One partition: a row range of one file, and where its columns lie.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that the places are of.
    start, stop : int
        Rows of the file.
    columns : mapping of name to ColumnLocation
        Only the columns that will be read.
    checksums : tuple of (Extent, int)
        Datasets to be checked before.
    beside : Beside, optional
        The bytes beside the datasets, if the file is an unproven copy.
    """

    file: FileIdentity
    start: int
    stop: int
    columns: Mapping[str, ColumnLocation]
    checksums: tuple[tuple[Extent, int], ...] = ()
    beside: Beside | None = None

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.stop - self.start

    @property
    def is_remote(self) -> bool:
        """Whether the file is not on this machine."""
        return is_remote(self.file.path)

    def open(self) -> Hdf5PartReader:
        """Return a reader, to be used in a ``with`` statement.

        Raises
        ------
        FileFormatError
            If a dataset to be checked differs from its checksum.
        """
        for extent, checksum in self.checksums:
            check_once(self.file, extent, checksum, self.beside)
        return Hdf5PartReader(self.file, self.start, self.stop, self.columns)


class Layouts:
    """Where columns lie in each of the described files, without an object for each column of each file.

    Parameters
    ----------
    files : sequence of FileDescription
        In the order of the set.
    """

    def __init__(self, files: Sequence[FileDescription]) -> None:
        self.files = files
        # Files of one set are mostly made alike, so there are few layouts and many files of each.
        numbers: dict[tuple[ObjectSchema, ...], int] = {}
        self._table_of = np.zeros(len(files), np.intp)
        for index, file in enumerate(files):
            if index and file.objects == files[index - 1].objects:
                self._table_of[index] = self._table_of[index - 1]
            else:
                self._table_of[index] = numbers.setdefault(file.objects, len(numbers))
        self._tables = [columns_of(objects) for objects in numbers]
        self._members = [np.flatnonzero(self._table_of == number) for number in range(len(numbers))]
        self._slots = [np.stack([files[index].slots for index in found.tolist()]) for found in self._members]

    @cached_property
    def is_proven(self) -> bool:
        """Whether all known bounds of values were proven to belong to these very bytes."""
        return all(file.is_proven for file in self.files)

    @cached_property
    def outside(self) -> frozenset[str]:
        """Columns with data that is, or may be, in other files."""
        return self._columns_where(lambda offsets: offsets == OUTSIDE)

    def is_chunked(self, column: str) -> bool:
        """Whether in some file the elements of a column are not one run of bytes."""
        return column in self._chunked

    @cached_property
    def _chunked(self) -> frozenset[str]:
        return self._columns_where(lambda offsets: offsets < 0)

    def _columns_where(self, test: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]]) -> frozenset[str]:
        """Return the columns with a dataset in a file whose offset passes a test."""
        found: set[str] = set()
        for table, slots in zip(self._tables, self._slots, strict=True):
            positions = np.flatnonzero(test(slots[:, :, 0]).any(axis=0))
            if len(positions):
                first = {position: name for name, (position, _) in table.items()}
                starts = np.array(sorted(first))
                owners = starts[np.searchsorted(starts, positions, side="right") - 1]
                found.update(first[owner] for owner in owners.tolist())
        return frozenset(found)

    def chunks(self, column: str) -> npt.NDArray[np.int64]:
        """Return the number of elements per chunk of a column's first dataset, in every file; 0 without chunks."""
        found = np.zeros(len(self.files), np.int64)
        for table, members, slots in zip(self._tables, self._members, self._slots, strict=True):
            if column in table:
                offsets = slots[:, table[column][0], 0]
                found[members] = np.where((offsets < 0) & (offsets != OUTSIDE), ELSEWHERE - offsets, 0)
        return found

    def lengths(self, column: str) -> npt.NDArray[np.int64]:
        """Return the number of elements of a column's first dataset in every file; 0 where it is missing."""
        found = np.zeros(len(self.files), np.int64)
        for table, members, slots in zip(self._tables, self._members, self._slots, strict=True):
            if column in table:
                found[members] = slots[:, table[column][0], 1]
        return found

    def rows(self, column: str) -> npt.NDArray[np.int64]:
        """Return the number of a column's rows in every file; -1 where only the data tells, 0 where it is missing."""
        found = np.zeros(len(self.files), np.int64)
        for table, members, slots in zip(self._tables, self._members, self._slots, strict=True):
            if column in table:
                position, schema = table[column]
                found[members] = slots[:, position + len(schema.datasets) - 1, 1] if schema.tells_rows else -1
        return found

    def bounds(self, column: str, dtype: ColumnType) -> Bounds | None:
        """Return known bounds of a column's values in every file, None if there are none.

        An unproven file has no known bounds until its bytes have been compared.
        """
        summaries = np.zeros(len(self.files), SUMMARY)
        for table, members in zip(self._tables, self._members, strict=True):
            position, schema = table.get(column, (0, None))
            if schema is None or not has_bounds(dtype, schema.datasets[0].dtype):
                continue
            for index in members.tolist():
                known = self.files[index].summaries
                if known is not None and (self.files[index].is_proven or self._is_right(index, position, schema)):
                    summaries[index] = known[position]
        return bounds_of(dtype, summaries)

    def _is_right(self, index: int, position: int, schema: ColumnSchema) -> bool:
        """Whether the first dataset of a column of a file, at a position, was compared with its checksum."""
        file, dataset = self.files[index], schema.datasets[0]
        if file.summaries is None or not file.summaries[position]["known"]:
            return False
        extent = Extent(dataset.path, dataset.dtype, *file.slots[position].tolist())
        return is_right(file.file, extent, int(file.summaries[position]["checksum"]))

    def place(self, index: int, column: str, dtype: ColumnType, *, use_segments: bool) -> ColumnLocation:
        """Return the location of one column in one file; without rows, if the file lacks it."""
        entry = self._tables[int(self._table_of[index])].get(column)
        if entry is None:
            return ColumnLocation(dtype, (Extent(column, "<i8", ELSEWHERE, 0),))
        position, schema = entry
        slots = self.files[index].slots[position : position + len(schema.datasets)].tolist()
        extents = tuple(
            Extent(found.path, found.dtype, *slot) for found, slot in zip(schema.datasets, slots, strict=True)
        )
        return ColumnLocation(dtype, extents if use_segments or dtype != STR else extents[:1])

    def checksums(self, index: int, column: str) -> Iterator[int | None]:
        """Yield the checksums of a column's datasets in one file, None where they are unknown."""
        position, schema = self._tables[int(self._table_of[index])].get(column, (0, None))
        summaries = self.files[index].summaries
        if schema is not None and summaries is not None:
            for summary in summaries[position : position + len(schema.datasets)]:
                yield int(summary["checksum"]) if summary["known"] else None


class Hdf5Source:
    """A row space of a set of HDF5 files.  Immutable; implements `akdask.storage.source.Source`.

    Parameters
    ----------
    layouts : Layouts
        Where the columns lie.
    columns : mapping of str to ColumnType
        Columns of this row space.
    ranges : PartitionRanges
        The partitions.
    label : str
        How a user names the set.
    use_segments : bool
        False to derive the starts of strings from their NULs, ignoring stored segments.
    """

    def __init__(
        self,
        layouts: Layouts,
        columns: Mapping[str, ColumnType],
        ranges: PartitionRanges,
        label: str,
        *,
        use_segments: bool,
    ) -> None:
        self._layouts = layouts
        self._columns = dict(columns)
        self._ranges = ranges
        self._label = label
        self._use_segments = use_segments
        self._bounds: dict[str, Bounds | None] = {}
        self._parts: dict[tuple[tuple[str, ...], bool], dict[int, Hdf5Part]] = {}

    @cached_property
    def token(self) -> str:
        """Changes whenever a file, the partitions or the columns change."""
        digest = blake2b(digest_size=16)
        digest.update(repr([file.file for file in self._layouts.files]).encode(errors="surrogateescape"))
        digest.update(repr([(name, str(dtype)) for name, dtype in self._columns.items()]).encode())
        for numbers in (self._ranges.files, self._ranges.starts, self._ranges.stops):
            digest.update(numbers.tobytes())
        digest.update(bytes([self._use_segments]))
        return digest.hexdigest()

    @property
    def label(self) -> str:
        """How a user names the set, for plans and messages."""
        return self._label

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """Columns of this row space with their types."""
        return self._columns

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows in each partition."""
        return tuple(self._ranges.lengths.tolist())

    @property
    def npartitions_by_size(self) -> int:
        """Number of partitions that the bytes of files alone ask for."""
        return self._ranges.by_size

    def bounds(self, column: str) -> Bounds | None:
        """Return known bounds of a column's values in each partition; None if unknown."""
        if column not in self._bounds or not self._layouts.is_proven:
            found = self._layouts.bounds(column, self._columns[column])
            self._bounds[column] = None if found is None else found.take(self._ranges.files)
        return self._bounds[column]

    @property
    def paths(self) -> list[str]:
        """The file of each partition."""
        return [self._layouts.files[file].file.path for file in self._ranges.files.tolist()]

    def part(self, index: int, columns: Sequence[str]) -> Hdf5Part:
        """Return one partition, reduced to the given columns.

        Raises
        ------
        MissingDatasetError
            If a column is not of this row space.
        """
        wanted = (tuple(columns), bool(config.get("verify_checksums")))
        if len(columns) * len(self._ranges.files) > tuning.HDF5_SELECTION_PARTS:
            return self._part(index, *wanted)
        if wanted not in self._parts:
            # If several threads do the same, the last result is cached.
            self._parts = dict([*self._parts.items(), (wanted, {})][-tuning.HDF5_SELECTIONS :])
        parts = self._parts.get(wanted, {})
        if index not in parts:
            parts[index] = self._part(index, *wanted)
        return parts[index]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_parts": {}}

    def _part(self, index: int, columns: Sequence[str], verify: bool) -> Hdf5Part:
        file = int(self._ranges.files[index])
        locations = {}
        for name in columns:
            dtype = self._columns.get(name)
            if dtype is None:
                raise MissingDatasetError(f"{self.label} has no column {name!r} in this row space.")
            locations[name] = self._layouts.place(file, name, dtype, use_segments=self._use_segments)
        start, stop = int(self._ranges.starts[index]), int(self._ranges.stops[index])
        checksums = self._checksums(file, locations) if verify else ()
        described = self._layouts.files[file]
        beside = Beside.of(described) if verify and not described.is_proven else None
        return Hdf5Part(described.file, start, stop, locations, tuple(checksums), beside)

    def _checksums(self, file: int, locations: Mapping[str, ColumnLocation]) -> Iterator[tuple[Extent, int]]:
        for name, place in locations.items():
            # Segments that are not read come last.
            for extent, checksum in zip(place.extents, self._layouts.checksums(file, name), strict=False):
                if checksum is not None:
                    yield extent, checksum


_MOST_ROWS = 2**63
_FEW = 64  # limit of partitions per file
_TIGHTEST = 1032  # to 1, the tightest that deflate packs


@record
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
        self._ranges: dict[bytes, PartitionRanges] = {}
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
        """Return the source with a column; reads strings without segments to count them.

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

    def _source(self, columns: Mapping[str, ColumnSchema], ranges: PartitionRanges) -> Hdf5Source:
        return Hdf5Source(
            self._layouts,
            {name: schema.dtype for name, schema in columns.items()},
            ranges,
            self._options.label,
            use_segments=not self._options.calc_string_offsets,
        )

    def _stored_rows(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        """Return the rows in each file, -1 where only the data gives them."""
        rows = self._layouts.rows(name)
        if schema.dtype != STR:
            return rows
        if self._options.calc_string_offsets and schema.datasets[0].dtype != OBJECTS:
            rows[:] = -1
        return np.where((rows < 0) & (self._layouts.lengths(name) == 0), 0, rows)

    def _counted_rows(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        rows = self._stored_rows(name, schema)
        for index in np.flatnonzero(rows < 0).tolist():
            place = self._layouts.place(index, name, STR, use_segments=False)
            rows[index] = _count_strings(self._layouts.files[index].file, place.extents[0])
        return rows

    def _split(self, rows: npt.NDArray[np.int64], columns: Mapping[str, ColumnSchema]) -> PartitionRanges:
        """Cut rows into partitions, limited in number, at bounds of chunks, so that few chunks are unpacked twice."""
        sizes = [self._nbytes(name, schema) for name, schema in columns.items()]
        if sum(rows.tolist()) >= _MOST_ROWS:
            raise FileFormatError(f"the files of {self._options.label} claim {sum(rows.tolist()):,} rows.")
        nbytes, limit = np.max(sizes, axis=0), self._options.partition_size
        if not any(map(self._layouts.is_chunked, columns)):
            return split_rows(rows, nbytes, limit)
        # External or absent data is not in the file, so a file is cut by the unpacked size of its own data.
        stored = np.array([file.file.size for file in self._layouts.files], np.int64)
        most = _FEW + stored // limit * _TIGHTEST
        grain = np.ones(len(rows), np.int64)
        for name, size in zip(columns, sizes, strict=True):
            chunk, length = self._layouts.chunks(name), self._layouts.lengths(name)
            large = chunk * np.maximum(size // np.maximum(length, 1), 1) > limit // tuning.HDF5_CHUNK_SHARE
            has_rows = length == rows
            most = np.where(large, np.minimum(most, -(-length // np.maximum(chunk, 1))), most)
            grain = np.where(large & has_rows, np.maximum(grain, chunk), grain)
        return split_rows(rows, nbytes, limit, most, grain)

    def _nbytes(self, name: str, schema: ColumnSchema) -> npt.NDArray[np.int64]:
        limbs = len(schema.datasets) if schema.dtype.kind == "bigint" else 1
        return self._layouts.lengths(name) * (limbs * np.dtype(schema.datasets[0].dtype).itemsize)


@cached_results("counted strings of HDF5 files", 4096)
def _count_strings(file: FileIdentity, values: Extent) -> int:
    with ExtentReader(file) as reader:
        return len(scan_starts(reader, values)) - 1
