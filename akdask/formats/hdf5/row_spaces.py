"""Row spaces of a set of files, for plans to scan: their partitions, and the reading of rows of one partition.

A reader finds the bytes of its rows and decodes them by codecs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask import config
from akdask.caches import cached_results
from akdask.columns.dtypes import STR, ColumnType
from akdask.columns.table import concat_text, empty, take_rows
from akdask.engine.sources import near_rows
from akdask.errors import AkdaskError, FileFormatError, MissingDatasetError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.hdf5.chunks import ChunkReader, ChunkStore, boxes, check_chunk, index_of
from akdask.formats.hdf5.codecs import read_column
from akdask.formats.hdf5.description import (
    SUMMARY,
    ColumnLocation,
    ColumnSchema,
    Elements,
    FileDescription,
    ObjectSchema,
    bounds_of,
    columns_of,
    datasets_of,
    has_bounds,
    ranges_beside,
)
from akdask.formats.hdf5.foreign import OBJECTS, STEP, FieldReader, dataset_of, is_plain_record
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import HDF5_ERRORS, is_in_parts, open_hdf5
from akdask.formats.hdf5.low_level import h5d, h5i, h5p, h5py
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, root_of
from akdask.formats.hdf5.null_terminated import Characters
from akdask.formats.hdf5.strings import read_characters, read_strings_at, scan_starts
from akdask.records import record
from akdask.storage import tuning as storage_tuning
from akdask.storage.files import FileIdentity, changed_error, is_remote, is_unchanged
from akdask.storage.manifest import VERIFIED, Checksum, differing_error, sum_of_ranges
from akdask.storage.ranges import ELSEWHERE, OUTSIDE, Extent, PartitionRanges, RangeReader, range_reader, split_rows
from akdask.storage.remote import Stream
from akdask.storage.source import IN_MEMORY, Bounds, PartReader, Stretch, address_of
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.storage.windows import Window

ElementRange: TypeAlias = tuple[Extent, int, int]
"""Elements of a dataset, from one to another."""


class ChunkedReader:
    """Reads elements of datasets of a file that HDF5 opens besides the given reader.

    Parameters
    ----------
    ranges : RangeReader
        Reads bytes of the file.
    expected : sequence of ElementRange
        Extents to be read from remote files, whose chunks are fetched ahead.
    """

    def __init__(self, ranges: RangeReader, expected: Sequence[ElementRange] = ()) -> None:
        self._ranges = ranges
        self._expected = expected
        self._file = ranges.file
        self._hdf5: Any = None
        self._readers: dict[tuple[str, str], ChunkReader | FieldReader | _LibraryReader] = {}
        self._chunks = ChunkStore()

    def close(self) -> None:
        """Close the objects of HDF5."""
        self._readers.clear()
        if self._hdf5 is not None:
            self._hdf5.close()

    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on.

        Raises
        ------
        FileFormatError
            If the dataset is damaged, or does not match the extent.
        """
        try:
            key = (extent.dataset, out.dtype.str)
            if key not in self._readers:
                self._readers[key] = self._reader(extent, out.dtype)
            self._readers[key].read_into(self._ranges, out, start)
        except AkdaskError:
            raise
        except (NotFlatError, *HDF5_ERRORS) as error:
            # The library reads remote files by itself: apparent damage may come from two states of the file.
            if is_remote(self._file.path) and not is_unchanged(self._file):
                raise changed_error(self._file) from error
            raise FileFormatError(
                f"dataset {extent.dataset!r} of {self._file.path!r} cannot be read.",
                details=[str(error)],
                hint="the file may be damaged, or compressed with a filter that is not installed.",
            ) from error

    def _expect(self) -> None:
        streams: list[Stream] = []
        for extent, start, stop in self._expected:
            # Readers of the dataset raise the errors.
            with suppress(AkdaskError, NotFlatError, *HDF5_ERRORS):
                dtype = np.dtype(extent.dtype)
                reader = self._readers[extent.dataset, dtype.str] = self._reader(extent, dtype)
                if isinstance(reader, ChunkReader):
                    streams.append(reader.index.byte_ranges(start, stop))
        self._ranges.expect(streams)

    def _reader(self, extent: Extent, dtype: np.dtype[Any]) -> ChunkReader | FieldReader | _LibraryReader:
        if self._hdf5 is None:
            self._hdf5 = open_hdf5(self._file.path, self._file)
            # Opened by name a second time: a file that has been put in its place between both is another one.
            if not is_remote(self._file.path) and not is_unchanged(self._file):
                raise changed_error(self._file)
            self._expect()
        root = root_of(self._hdf5)
        dataset = root.at(dataset_of(extent.dataset))
        if not isinstance(dataset, StoredDataset) or dataset.shape is None:
            raise NotFlatError("it is not the dataset that the set was described with")
        is_part = STEP in extent.dataset or not dataset.is_array_of_numbers
        if not is_part and math.prod(dataset.shape) != extent.length:
            raise NotFlatError("it is not the dataset that the set was described with")
        node, access = dataset.opened, h5p.create(h5p.DATASET_ACCESS)
        if dataset.is_outside != (extent.offset == OUTSIDE):
            raise NotFlatError("it keeps its data in other files")
        if extent.offset == OUTSIDE:
            _allow_outside(dataset, self._file.path, access)
        elif dataset.storage == "chunked" and is_in_parts(self._hdf5):
            check_chunk(math.prod(node.get_create_plist().get_chunk()) * node.dtype.itemsize)
        elif dataset.storage == "chunked" and not node.dtype.hasobject:
            index = index_of(self._file, extent.dataset, node)
            has_block = bool(self._hdf5.id.get_create_plist().get_userblock())
            if index.is_own and not is_part and dataset.is_plain(dtype) and not has_block:
                return ChunkReader(index, dtype, extent.dataset, self._chunks)
            # The library unpacks what it can: it converts the wanted field alone.
            if index.is_own and not has_block and is_plain_record(node) and not dataset.is_unpacked_by_library:
                name = dataset_of(extent.dataset)
                return FieldReader(node, extent.dataset, ChunkReader(index, node.dtype, name, self._chunks))
            nbytes = math.prod(index.chunk) * len(index.fill)
            check_chunk(nbytes)
            access.set_chunk_cache(521, max(nbytes, 2**20), 0.75)
        elif (
            dataset.storage == "compact"
            and not is_part
            and node.get_storage_size() < extent.length * node.dtype.itemsize
        ):
            raise NotFlatError("fewer bytes are stored than it has")
        # Access properties only count when a dataset is opened that is not open yet.
        name = h5i.get_name(node)
        del node, dataset
        opened = h5d.open(root.opened, name, access)
        return FieldReader(opened, extent.dataset) if is_part else _LibraryReader(opened)


_DEEPEST = 8  # virtual datasets of virtual datasets
_SAME = "."
"""Name by which a virtual dataset means its own file."""


def _allow_outside(dataset: StoredDataset, path: str, access: H5Object) -> None:
    """Check the external files of a dataset, and set `access` so that only these are read.

    Parameters
    ----------
    dataset : StoredDataset
        A dataset whose data may be in other files.
    path : str
        Its file.
    access : low-level h5py property list
        With which the dataset will be opened.

    Raises
    ------
    NotFlatError
        If a file is missing, is none, or is not below the folder.
    """
    if is_remote(path):
        raise NotFlatError("it keeps its data in other files, which are read on this machine only")
    folder = os.path.dirname(os.path.abspath(path))
    _check(dataset, path, os.path.realpath(folder), _DEEPEST)
    access.set_efile_prefix(os.fsencode(folder))
    access.set_virtual_prefix(os.fsencode(folder))


def _check(dataset: StoredDataset, path: str, folder: str, depth: int) -> None:
    if not depth:
        raise NotFlatError("its data is in virtual datasets of virtual datasets without end")
    for name, source in _sources(dataset.opened.get_create_plist()):
        found = path if name == _SAME and source is not None else _below(folder, os.path.dirname(path), name)
        if source is not None:
            _check_source(found, source, folder, depth)


def _sources(made: H5Object) -> Iterator[tuple[str, str | None]]:
    """Yield the files with data, and the datasets in them; None if all bytes of the file are data."""
    for index in range(made.get_external_count()):
        yield os.fsdecode(made.get_external(index)[0]), None
    if made.get_layout() == h5d.VIRTUAL:
        for index in range(made.get_virtual_count()):
            name, dataset = made.get_virtual_filename(index), made.get_virtual_dsetname(index)
            if "%" in name or "%" in dataset:
                raise NotFlatError(f"its data is in files of the pattern {name!r}, and these are not read")
            yield name, dataset


def _below(folder: str, start: str, name: str) -> str:
    found = os.path.realpath(os.path.join(start, name))
    if os.pardir in name.split("/") or os.path.commonpath([folder, found]) != folder:
        raise NotFlatError(f"its data is in {name!r}, which is not below the folder of the file")
    if not os.path.isfile(found):
        raise NotFlatError(f"its data is in {name!r}, which is no file")
    return found


def _check_source(path: str, dataset: str, folder: str, depth: int) -> None:
    """Check the file of a virtual dataset's source: its data may be elsewhere again."""
    with open_hdf5(path) as opened:
        source = root_of(opened).at(dataset)
        if not isinstance(source, StoredDataset):
            raise NotFlatError(f"its data is in {dataset!r} of {path!r}, which is no dataset")
        if source.is_outside:
            _check(source, path, folder, depth - 1)


class _LibraryReader:
    """Reads elements of a dataset through HDF5."""

    def __init__(self, node: H5Object) -> None:
        self._dataset = h5py.Dataset(node)

    def read_into(self, ranges: RangeReader, out: NumberArray, start: int) -> None:
        """Fill an array with the elements from `start` on, counted in row-major order."""
        # If a file disables fill values, the library does not touch the memory of elements that were never written.
        out[:] = 0
        done = 0
        for box in boxes(self._dataset.shape, start, start + len(out)):
            sizes = tuple(side.stop - side.start for side in box)
            count = math.prod(sizes)
            self._dataset.read_direct(out[done : done + count].reshape(sizes), box)
            done += count


class ExtentReader(Elements):
    """Reads stored elements of datasets of one file, which is open only inside ``with``.

    Contiguous data is read past HDF5, outside its lock; for all other data the file is opened by HDF5.

    Parameters
    ----------
    file : FileIdentity
        The file.
    keeps_windows : bool, default False
        Whether datasets stay in windows, to be read again later.
    """

    def __init__(self, file: FileIdentity, *, keeps_windows: bool = False) -> None:
        super().__init__(file)
        self._ranges = range_reader(file)
        self._keeps_windows = keeps_windows
        self._windows: dict[Extent, Window | None] = {}
        self._expected: list[ElementRange] = []
        self._elsewhere: ChunkedReader | None = None

    def __enter__(self) -> Self:
        self._ranges.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ranges.__exit__(kind, error, trace)
        if self._elsewhere is not None:
            self._elsewhere.close()
        if any(window is not None and window.is_torn for window in self._windows.values()):
            raise changed_error(self.file) from error

    def expect(self, elements: Iterable[ElementRange]) -> None:
        """Begin to fetch the elements that will be read, where fetching takes long."""
        if not is_remote(self.file.path):
            return
        streams: list[Stream] = []
        for extent, start, stop in elements:
            if extent.offset >= 0:
                size = np.dtype(extent.dtype).itemsize
                streams.append([(extent.offset + start * size, extent.offset + stop * size)])
            else:
                self._expected.append((extent, start, stop))  # where they are is known when the file is open as HDF5
        self._ranges.expect(streams)

    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on; for errors see `Elements`."""
        if extent.offset >= 0:
            stored = self.in_window(extent, start, start + len(out)) if len(out) else None
            if stored is not None:
                out.view(np.uint8)[:] = stored[start * out.itemsize : (start + len(out)) * out.itemsize]
            else:
                self._ranges.read_into(out, extent.offset + start * out.itemsize, extent.dataset)
        elif len(out):
            if self._elsewhere is None:
                self._elsewhere = ChunkedReader(self._ranges, self._expected)
            self._elsewhere.read_into(out, extent, start)

    def in_window(self, extent: Extent, start: int, stop: int) -> NumberArray | None:
        """Return the bytes of all elements in a window, to be looked at once, None unless some elements are there.

        Other processes may write to the file meanwhile.  If it gets shorter, an error follows when it is closed.
        """
        descriptor, size = self.dense_file(extent), np.dtype(extent.dtype).itemsize
        if descriptor is None or not self._keeps_windows or extent.length * size < storage_tuning.LEAST_WINDOW_BYTES:
            return None
        from akdask.storage.windows import are_cached, window_of  # few rows have no window

        if extent not in self._windows:
            self._windows[extent] = window_of(self.file, descriptor, extent.offset, extent.length * size)
        window = self._windows[extent]
        first, last = extent.offset + start * size, extent.offset + stop * size - 1
        return None if window is None or not are_cached(descriptor, first, last) else window.numbers

    def dense_file(self, extent: Extent) -> int | None:
        """Return the descriptor of the file if the elements lie in it one after the other, all written."""
        return None if extent.offset < 0 else self._ranges.dense_file


class ChosenElements(Elements):
    """Reads some elements of a dataset in a window, as if these were all.

    Parameters
    ----------
    file : FileIdentity
        The file.
    stored : ndarray of uint8
        The bytes of all elements.
    positions : ndarray of int64
        Which elements are read.
    """

    def __init__(self, file: FileIdentity, stored: NumberArray, positions: NumberArray) -> None:
        super().__init__(file)
        self._stored, self._positions = stored, positions

    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements at the positions from number `start` on."""
        take_rows(self._stored.view(out.dtype), self._positions[start : start + len(out)], out)


class Hdf5PartReader(PartReader):
    """Reads row ranges of one partition; implements `akdask.storage.source.PartReader`.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that the places are of.
    start, stop : int
        Rows of the file that are the partition.
    columns : mapping of name to ColumnLocation
        Where the columns lie.
    """

    def __init__(self, file: FileIdentity, start: int, stop: int, columns: Mapping[str, ColumnLocation]) -> None:
        self._start = start
        self._stop = stop
        self._columns = columns
        self._extents = ExtentReader(file, keeps_windows=True)
        self._characters: dict[str, Characters] = {}

    def __enter__(self) -> Self:
        self._extents.__enter__()
        self._extents.expect(
            found for place in self._columns.values() for found in _elements_of(place, self._start, self._stop)
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._extents.__exit__(kind, error, trace)

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows `start` to `stop` of a column, counted from the first row of the partition.

        Parameters
        ----------
        column : str
            A column of the part.
        start, stop : int
            A row range within the partition.
        out : ndarray, optional
            Buffer of the column's dtype with at least ``stop - start`` elements; ignored unless the column is numbers.

        Returns
        -------
        ndarray or Arrow array
            A view of `out` if that was given; valid until the next read into it.

        Raises
        ------
        FileFormatError
            If the data is damaged or the file ends early.
        FileError
            If the file has changed since the set was opened.
        """
        place = self._columns[column]
        if stop <= start:
            return empty(place.dtype)
        return read_column(self._extents, place, start + self._start, stop + self._start, out)

    def read_text(self, column: str, start: int, stop: int) -> Any:
        """Return rows of a column of text, single characters as positions in a dictionary of few; see `read`."""
        place, known = self._columns[column], self._characters.get(column)
        if known is None:
            known = self._characters[column] = Characters()
        found = read_characters(self._extents, place, start + self._start, stop + self._start, known)
        return self.read(column, start, stop) if found is None else found

    def read_rows(self, column: str, rows: NumberArray, out: NumberArray | None = None) -> Any:
        """Return few rows of text of several letters, and numbers in a window; None for others.

        See `PartReader.read_rows`.
        """
        place = self._columns[column]
        if place.dtype.is_number:
            return self._numbers_in_window(place, rows + self._start, out)
        if place.dtype.kind != "str" or len(place.extents) != 2 or place.extents[0].dtype == OBJECTS:
            return None
        values, segments = place.extents
        if tuning.HDF5_FEW_STRINGS * len(rows) > rows[-1] - rows[0] or values.length == 2 * segments.length:
            return None
        parts = []
        for first, last in near_rows(rows, tuning.BLOCK_ROWS):
            part = read_strings_at(self._extents, place, rows[first:last] + self._start)
            if part is None:
                return None
            parts.append(part)
        return concat_text(parts)

    def _numbers_in_window(self, place: ColumnLocation, rows: NumberArray, out: NumberArray | None) -> Any:
        """Return numbers at ascending positions in a dataset, None unless they are in a window."""
        (stored,) = place.extents
        found = self._extents.in_window(stored, int(rows[0]), int(rows[-1]) + 1)
        # Loops that take rows want them at even addresses.
        if found is None or address_of(found) % np.dtype(stored.dtype).itemsize:
            return None
        return read_column(ChosenElements(self._extents.file, found, rows), place, 0, len(rows), out)

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return where the rows of a column lie, None where they are stored neither as in memory nor narrower."""
        place = self._columns[column]
        if not place.dtype.is_number or not (place.is_as_in_memory or place.is_widened):
            return None
        (stored,) = place.extents
        descriptor = self._extents.dense_file(stored)
        if descriptor is None:
            return None
        dtype, offset = np.dtype(stored.dtype), stored.offset
        found = self._extents.in_window(stored, self._start, self._stop) if self._start < self._stop else None
        if found is not None:
            descriptor, offset = IN_MEMORY, address_of(found)
        offset += self._start * dtype.itemsize
        return [Stretch(descriptor, offset, self._stop - self._start, dtype.name if place.is_widened else "")]


def _elements_of(place: ColumnLocation, start: int, stop: int) -> Iterator[ElementRange]:
    """Yield which elements of its datasets some rows of a column have.

    The last dataset has an element for each row, and the datasets before it are cut in proportion: the positions of the
    values of strings or lists are known only once their segments have been read.
    """
    rows = place.extents[-1].length
    is_counted = place.dtype == STR and len(place.extents) == 1
    for extent in place.extents:
        if is_counted:
            yield extent, 0, extent.length
        elif rows:
            after = stop + (len(place.extents) > 1)  # the first segment behind the rows marks their end
            yield extent, extent.length * start // rows, min(-(-extent.length * after // rows), extent.length)


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
