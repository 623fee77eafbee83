"""Rows of one partition of a set: where their bytes are; codecs turn these into columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

import numpy as np

from akdask.columns import empty
from akdask.hdf5.codecs import read_column
from akdask.hdf5.encoding.elements import Elements
from akdask.hdf5.reading.chunked import ChunkedReader, ElementRange
from akdask.hdf5.schema.description import ColumnLocation
from akdask.schema import STR
from akdask.storage.data.extents import Extent
from akdask.storage.data.ranges import range_reader
from akdask.storage.data.read_ahead import Stream
from akdask.storage.data.source import PartReader, Stretch
from akdask.storage.paths.files import FileIdentity, is_remote
from akdask.typing import Column, NumberArray


class ExtentReader(Elements):
    """Reads elements of datasets of one file as they are stored; holds it open only inside ``with``.

    Contiguous data is read past HDF5, outside its lock; for anything else the file is opened as HDF5.
    """

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._ranges = range_reader(file)
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

    def expect(self, elements: Iterable[ElementRange]) -> None:
        """Begin to fetch what will be read, if that takes long."""
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
            self._ranges.read_into(out, extent.offset + start * out.itemsize, extent.dataset)
        elif len(out):
            if self._elsewhere is None:
                self._elsewhere = ChunkedReader(self._ranges, self._expected)
            self._elsewhere.read_into(out, extent, start)

    def dense_file(self, extent: Extent) -> int | None:
        """Return the descriptor of the file if the elements lie in it one after the other, all written."""
        return None if extent.offset < 0 else self._ranges.dense_file


class Hdf5PartReader(PartReader):
    """Reads row ranges of one partition; implements `akdask.storage.data.source.PartReader`.

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
        self._extents = ExtentReader(file)

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
            One of the columns that the part was asked for.
        start, stop : int
            A row range within the partition.
        out : ndarray, optional
            Buffer of the column's dtype with at least ``stop - start`` elements; ignored for what is no number.

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

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return where the rows of a column lie, None where they are stored neither as in memory nor narrower."""
        place = self._columns[column]
        if not place.dtype.is_number or not (place.is_as_in_memory or place.is_widened):
            return None
        (stored,) = place.extents
        descriptor = self._extents.dense_file(stored)
        if descriptor is None:
            return None
        dtype = np.dtype(stored.dtype)
        offset = stored.offset + self._start * dtype.itemsize
        return [Stretch(descriptor, offset, self._stop - self._start, dtype.name if place.is_widened else "")]


def _elements_of(place: ColumnLocation, start: int, stop: int) -> Iterator[ElementRange]:
    """Yield which elements of its datasets some rows of a column have.

    The last dataset has an element for each row, and those before it are cut in proportion: where the values of some
    strings or lists lie is only known when their segments have been read.
    """
    rows = place.extents[-1].length
    is_counted = place.dtype == STR and len(place.extents) == 1
    for extent in place.extents:
        if is_counted:
            yield extent, 0, extent.length
        elif rows:
            after = stop + (len(place.extents) > 1)  # the first segment behind the rows tells where they end
            yield extent, extent.length * start // rows, min(-(-extent.length * after // rows), extent.length)
