"""Rows of one partition of a set, read as the columns that are computed with."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from akdask.columns import empty, new_array
from akdask.columns.bigint import LIMB, from_unsigned, modulo_power
from akdask.columns.lists import lists_of
from akdask.columns.scratch import scratch
from akdask.errors import FileFormatError
from akdask.hdf5.description import ColumnPlace
from akdask.hdf5.nulended import StringError, decode, starts_from_ends
from akdask.hdf5.scattered import ScatteredReader
from akdask.schema import BOOL
from akdask.storage.extents import Extent
from akdask.storage.files import FileIdentity
from akdask.storage.read import range_reader
from akdask.storage.source import Stretch
from akdask.typing import Column, NumberArray, StringArray

_SCAN = 8 * 2**20  # bytes looked at in one go where strings have no segments


class ExtentReader:
    """Reads elements of datasets of one file as they are stored; holds it open only inside ``with``.

    Contiguous data is read past HDF5, outside its lock; for anything else the file is opened as HDF5.
    """

    def __init__(self, file: FileIdentity) -> None:
        self.file = file
        self._ranges = range_reader(file)
        self._elsewhere: ScatteredReader | None = None

    def __enter__(self) -> Self:
        self._ranges.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ranges.__exit__(kind, error, trace)
        if self._elsewhere is not None:
            self._elsewhere.close()

    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on.

        Raises
        ------
        FileFormatError
            If the file ends before, or the dataset cannot be read.
        """
        if extent.offset >= 0:
            self._ranges.read_into(out, extent.offset + start * out.itemsize, extent.dataset)
        elif len(out):
            if self._elsewhere is None:
                self._elsewhere = ScatteredReader(self._ranges)
            self._elsewhere.read_into(out, extent, start)

    def dense_file(self, extent: Extent) -> int | None:
        """Return the descriptor of the file if the elements lie in it one after the other, all written."""
        return None if extent.offset < 0 else self._ranges.dense_file


class Hdf5PartReader:
    """Reads row ranges of one partition; implements `akdask.storage.source.PartReader`.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that the places are of.
    start, stop : int
        Rows of the file that are the partition.
    columns : mapping of name to ColumnPlace
        Where the columns lie.
    """

    def __init__(self, file: FileIdentity, start: int, stop: int, columns: Mapping[str, ColumnPlace]) -> None:
        self._file = file
        self._start = start
        self._stop = stop
        self._columns = columns
        self._extents = ExtentReader(file)
        self._starts: dict[str, NumberArray] = {}

    def __enter__(self) -> Self:
        self._extents.__enter__()
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
        start, stop = start + self._start, stop + self._start
        return self._read(place, start, stop, out)

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return where the rows of a column lie, None where they are not stored as they are in memory."""
        place = self._columns[column]
        if not place.dtype.is_number or not _is_as_wide(place):
            return None
        (stored,) = place.extents
        descriptor = self._extents.dense_file(stored)
        if descriptor is None:
            return None
        offset = stored.offset + self._start * place.dtype.itemsize
        return [Stretch(descriptor, offset, self._stop - self._start)]

    def _read(self, place: ColumnPlace, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of the file."""
        match place.dtype.kind:
            case "str":
                return self._read_strings(place, start, stop)
            case "list":
                return self._read_lists(place, start, stop)
            case "bigint":
                return self._read_bigints(place, start, stop)
        target = new_array(stop - start, place.dtype.numpy) if out is None else out[: stop - start]
        return (
            self._read_bools(place, start, target) if place.dtype == BOOL else self._read_numbers(place, start, target)
        )

    def _read_numbers(self, place: ColumnPlace, start: int, out: NumberArray) -> NumberArray:
        (stored,) = place.extents
        if _is_as_wide(place):
            self._extents.read_into(out, stored, start)
        else:
            np.copyto(out, self._read_stored(stored, start, len(out)), casting="unsafe")
        return out

    def _read_bools(self, place: ColumnPlace, start: int, out: NumberArray) -> NumberArray:
        """Anything but 0 is true, while NumPy's bool must be 0 or 1 in memory."""
        (stored,) = place.extents
        if not _is_as_wide(place):
            np.not_equal(self._read_stored(stored, start, len(out)), 0, out=out)
            return out
        raw = out.view(np.uint8)
        # An HDF5 enum is a type of its own to h5py, but its bytes are the same.
        self._extents.read_into(out if stored.dtype == "|b1" else raw.view(stored.dtype), stored, start)
        if raw.max() > 1:
            np.not_equal(raw, 0, out=out)
        return out

    def _read_bigints(self, place: ColumnPlace, start: int, stop: int) -> pa.FixedSizeBinaryArray:
        limbs = np.empty((stop - start, len(place.extents)), np.uint64)
        for number, stored in enumerate(place.extents):
            limbs[:, number] = self._read_stored(stored, start, stop - start)
        is_limited = 0 < place.dtype.max_bits < LIMB * limbs.shape[1]
        return from_unsigned(modulo_power(limbs, place.dtype.max_bits) if is_limited else limbs)

    def _read_lists(self, place: ColumnPlace, start: int, stop: int) -> pa.LargeListArray:
        """Read the values of the wanted lists only."""
        *stored, segments = place.extents
        if place.dtype.item is None:
            raise AssertionError("the type of the values is settled when the files of a set are compared")
        items = ColumnPlace(place.dtype.item, tuple(stored))
        bounds = self._bounds(ColumnPlace(place.dtype, (stored[-1], segments)), start, stop)
        first, last = int(bounds[0]), int(bounds[-1])
        if first < 0 or last > stored[-1].length or (bounds[1:] < bounds[:-1]).any():
            raise FileFormatError(
                f"dataset {segments.dataset!r} of {self._file.path!r} holds no valid segments.",
                details=[f"rows {start} to {stop} start from {first} to {last} of {stored[-1].length} values"],
                hint="segments ascend from 0; the file is damaged or of another format.",
            )
        return lists_of(bounds - first, self._read(items, first, last) if last > first else empty(items.dtype))

    def _read_stored(self, extent: Extent, start: int, count: int) -> NumberArray:
        """Read into scratch memory, which the next call of this thread uses again."""
        dtype = np.dtype(extent.dtype)
        stored = scratch(count * dtype.itemsize).view(dtype)
        self._extents.read_into(stored, extent, start)
        return stored

    def _read_strings(self, place: ColumnPlace, start: int, stop: int) -> StringArray:
        limit = place.extents[0].length
        bounds = self._bounds(place, start, stop)
        first, last = int(bounds[0]), int(bounds[-1])
        if not 0 <= first <= last <= limit:
            raise self._damaged(place, start, f"segments reach from {first} to {last} of {limit} bytes")
        try:
            return decode(self._read_stored(place.extents[0], first, last - first).view(np.uint8), bounds)
        except StringError as error:
            raise self._damaged(place, start + error.row, error.text) from None

    def _bounds(self, place: ColumnPlace, start: int, stop: int) -> NumberArray:
        """Return the starts of the strings of some rows, and the end of the last."""
        if len(place.extents) == 1:
            starts = self._starts_of_partition(place)
            return starts[start - self._start : stop - self._start + 1]
        values, segments = place.extents
        is_last = stop == segments.length
        bounds = new_array(stop - start + 1, np.int64)
        count = len(bounds) - is_last
        if np.dtype(segments.dtype) == bounds.dtype:
            self._extents.read_into(bounds[:count], segments, start)
        else:
            bounds[:count] = self._read_stored(segments, start, count)
        if is_last:
            bounds[-1] = values.length
        if start == 0 and bounds[0] != 0:
            raise self._damaged(place, 0, f"the first string starts at byte {bounds[0]}, not 0")
        return bounds

    def _starts_of_partition(self, place: ColumnPlace) -> NumberArray:
        """Without segments only counting NULs from the first byte of the file on finds a row; do that once."""
        key = place.extents[0].dataset
        if key not in self._starts:
            starts = scan_starts(self._extents, place.extents[0])
            self._starts[key] = starts[self._start : self._stop + 1]
        return self._starts[key]

    def _damaged(self, place: ColumnPlace, row: int, text: str) -> FileFormatError:
        return FileFormatError(
            f"dataset {place.extents[0].dataset!r} of {self._file.path!r} holds no valid strings.",
            details=[f"row {row} of the file: {text}"],
            hint="with calc_string_offsets=True the stored segments are not used.",
        )


def _is_as_wide(place: ColumnPlace) -> bool:
    """Whether numbers are stored as they are in memory; bools may be any bytes."""
    stored = np.dtype(place.extents[0].dtype)
    return stored.itemsize == 1 if place.dtype == BOOL else stored == place.dtype.numpy


def scan_starts(extents: ExtentReader, values: Extent) -> NumberArray:
    """Return the start of every string and the end of the last, from the NULs alone.

    Raises
    ------
    FileFormatError
        If the last string has no NUL.
    """
    ends = []
    for start in range(0, values.length, _SCAN):
        block = np.empty(min(_SCAN, values.length - start), np.uint8)
        extents.read_into(block.view(values.dtype), values, start)
        ends.append(np.flatnonzero(block == 0) + start)
    starts = starts_from_ends(ends)
    if starts[-1] != values.length:
        raise FileFormatError(
            f"dataset {values.dataset!r} of {extents.file.path!r} does not end with NUL, as strings do."
        )
    return starts
