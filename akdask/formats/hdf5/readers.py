"""Readers of HDF5 files: of the stored elements of datasets, and of the rows of one partition.

A reader finds the bytes of its rows and decodes them by codecs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np

from akdask.columns.dtypes import STR
from akdask.columns.table import concat_text, empty, take_rows
from akdask.engine.sources import near_rows
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5.chunks import ChunkReader, ChunkStore, boxes, check_chunk, index_of
from akdask.formats.hdf5.codecs import read_column
from akdask.formats.hdf5.description import ColumnLocation, Elements
from akdask.formats.hdf5.foreign import OBJECTS, STEP, FieldReader, dataset_of, is_plain_record
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import HDF5_ERRORS, is_in_parts, open_hdf5
from akdask.formats.hdf5.low_level import h5d, h5i, h5p, h5py
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, root_of
from akdask.formats.hdf5.null_terminated import Characters
from akdask.formats.hdf5.strings import read_characters, read_strings_at
from akdask.storage.files import FileIdentity, changed_error, is_remote, is_unchanged
from akdask.storage.ranges import NO_BYTES, OUTSIDE, Extent, RangeReader, range_reader
from akdask.storage.remote import Stream
from akdask.storage.source import IN_MEMORY, PartReader, Stretch, address_of
from akdask.typing import Column, NumberArray

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
        self._expected: list[ElementRange] = []
        self._elsewhere: ChunkedReader | None = None

    def __enter__(self) -> Self:
        self._ranges.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._elsewhere is not None:
                self._elsewhere.close()
        finally:
            self._ranges.__exit__(kind, error, trace)

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
            stored = self.in_window(extent, start, start + len(out))
            if len(stored):
                out.view(np.uint8)[:] = stored[start * out.itemsize : (start + len(out)) * out.itemsize]
            else:
                self._ranges.read_into(out, extent.offset + start * out.itemsize, extent.dataset)
        elif len(out):
            if self._elsewhere is None:
                self._elsewhere = ChunkedReader(self._ranges, self._expected)
            self._elsewhere.read_into(out, extent, start)

    def in_window(self, extent: Extent, start: int, stop: int) -> NumberArray:
        """Return the bytes of all elements in a window where some are to be read; see `RangeReader.in_window`."""
        if extent.offset < 0 or not self._keeps_windows or start >= stop:
            return NO_BYTES
        begin, size = extent.offset, np.dtype(extent.dtype).itemsize
        return self._ranges.in_window(begin, begin + extent.length * size, begin + start * size, begin + stop * size)

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
        if not len(found) or address_of(found) % np.dtype(stored.dtype).itemsize:
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
        found = self._extents.in_window(stored, self._start, self._stop)
        if len(found):
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
