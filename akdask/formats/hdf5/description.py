"""Description of a file, known without reading data: objects, their columns, and position and summary of each dataset.

Files of one set mostly agree in everything but offsets and lengths.  So a description is two things: schemas, small
shared objects that are equal for equal objects, and one array of numbers for each file.

The summary of a dataset is one record, made from the blocks that are written while they are in the processor's cache.
Minimum and maximum are stored as eight bytes of the dataset's type.  For strings they are the first eight bytes, which
have the order of the strings, except that they may tie.

`Elements` are the stored elements of the datasets: the input of codecs, independent of how bytes are found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.cluster import check_memory
from akdask.columns import tuning
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType
from akdask.columns.memory import scratch
from akdask.errors import AkdaskError
from akdask.formats.hdf5.null_terminated import PrefixRange
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.manifest import Checksum
from akdask.storage.objects import ObjType
from akdask.storage.ranges import Extent
from akdask.storage.source import TEXT_BYTES, Bounds
from akdask.typing import NumberArray


@record
class DatasetSchema:
    """Path of a flat dataset in the file, and NumPy's name of its stored type."""

    path: str
    dtype: str


Slot: TypeAlias = tuple[int, int]
"""Offset and length of a dataset, in the order of the datasets of a schema."""


@record
class ColumnSchema:
    """One column of an object, and the datasets that it is stored in, in the order of their slots.

    Numbers have one dataset, and so has text that Arkouda did not write.  Its Strings have ``values`` and mostly
    ``segments``.  Lists have the datasets of their items and then ``segments``.  Integers of any size have one dataset
    for each limb.
    """

    name: str
    dtype: ColumnType
    datasets: tuple[DatasetSchema, ...]

    @property
    def tells_rows(self) -> bool:
        """Whether the last dataset has one element for each row, as all but strings without segments have."""
        return self.dtype != STR or len(self.datasets) > 1 or self.datasets[0].dtype[1] == "O"


@record
class Problem:
    """Why an object that is listed cannot be read."""

    error: type[AkdaskError]
    text: str


@record
class ObjectSchema:
    """One object: its kind, columns and children.

    Parameters
    ----------
    name : str
        Path in the file, for a root object its name.
    kind : ObjType
        Kind of the object.
    members : tuple of (str, ColumnSchema)
        Members that hold data.
    children : tuple of (str, ObjectSchema)
        Members that are objects themselves: the keys of a GroupBy, the columns of a DataFrame.
    params : tuple of (str, value)
        Numbers and tuples of numbers that attributes hold, such as the shape of an array.
    problem : Problem, optional
        Why the object cannot be read; it has no members then.
    """

    name: str
    kind: ObjType
    members: tuple[tuple[str, ColumnSchema], ...] = ()
    children: tuple[tuple[str, ObjectSchema], ...] = ()
    params: tuple[tuple[str, Any], ...] = ()
    problem: Problem | None = None

    @property
    def columns(self) -> Iterator[ColumnSchema]:
        """All columns, the object's own before its children's: the order of the slots."""
        for _, column in self.members:
            yield column
        for _, child in self.children:
            yield from child.columns


@record
class Described:
    """A codec's description of one object in one file; slots are in the order of the datasets of its columns."""

    schema: ObjectSchema
    slots: tuple[Slot, ...] = ()


@record(eq=False)
class FileDescription:
    """All root objects of one file.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that is described.
    objects : tuple of ObjectSchema
        In byte order of their names.
    slots : ndarray, shape (ndatasets, 2), int64
        Offset and length of every dataset, in the order of objects, columns and their datasets.
    column_order : str or None
        The private root attribute with the users' order of columns, as stored.
    summaries : ndarray, shape (ndatasets,), optional
        Summaries of each dataset by the writer (`akdask.formats.hdf5.description.SUMMARY`).
    beside : int, optional
        Checksum of all bytes beside the datasets.
    is_proven : bool, default True
        Whether the summaries belong to this very file, and not to the original of a copy.
    """

    file: FileIdentity
    objects: tuple[ObjectSchema, ...]
    slots: npt.NDArray[np.int64]
    column_order: str | None
    summaries: npt.NDArray[np.void] | None = None
    beside: int | None = None
    is_proven: bool = True

    def at(self, path: str) -> FileDescription:
        """Return the description of the file once it is renamed."""
        return replace(self, file=replace(self.file, path=path))


def columns_of(objects: tuple[ObjectSchema, ...]) -> dict[str, tuple[int, ColumnSchema]]:
    """Return for each column of a file the position of its first slot, and its schema."""
    found: dict[str, tuple[int, ColumnSchema]] = {}
    position = 0
    for schema in objects:
        for column in schema.columns:
            found[column.name] = (position, column)
            position += len(column.datasets)
    return found


def datasets_of(objects: Iterable[ObjectSchema]) -> Iterator[DatasetSchema]:
    """Yield the datasets of some objects, in the order of their slots."""
    for schema in objects:
        for column in schema.columns:
            yield from column.datasets


def ranges_beside(file: FileDescription) -> Iterator[tuple[int, int]]:
    """Yield the ranges of bytes of a file, start and stop, that are in none of its datasets."""
    position = 0
    sizes = (np.dtype(dataset.dtype).itemsize for dataset in datasets_of(file.objects))
    for (offset, length), size in sorted(zip(file.slots.tolist(), sizes, strict=True)):
        if offset >= 0 and length:
            if offset > position:
                yield position, offset
            position = max(position, offset + length * size)
    if position < file.file.size:
        yield position, file.file.size


def differing(files: Iterable[FileDescription]) -> Iterator[FileDescription]:
    """Yield files whose schema differs from that of the file before; mostly the first file only."""
    previous: FileDescription | None = None
    for file in files:
        if previous is None or previous.objects != file.objects:
            yield file
        previous = file


@record
class ColumnLocation:
    """Location of one column in one file: everything that a worker needs to read it."""

    dtype: ColumnType
    extents: tuple[Extent, ...]

    @property
    def is_as_in_memory(self) -> bool:
        """Whether numbers have the same width in the file and in memory; the bytes of bools may have any value."""
        stored = np.dtype(self.extents[0].dtype)
        return stored.itemsize == 1 if self.dtype == BOOL else stored == self.dtype.numpy

    @property
    def is_widened(self) -> bool:
        """Whether integers are stored in fewer bytes than they have in memory, or floats, in the order of its bytes."""
        stored, wide = np.dtype(self.extents[0].dtype), self.dtype.numpy
        alike = stored.kind in "iu" if wide.kind in "iu" else stored.kind == wide.kind == "f"
        return alike and stored.isnative and stored.itemsize < wide.itemsize and np.can_cast(stored, wide)


SUMMARY = np.dtype(
    [
        ("known", "?"),  # the checksum holds
        ("bounded", "?"),  # minimum, maximum and nans hold
        ("spelled", "?"),  # low and high are bytes of strings
        ("ascending", "?"),  # no element is less than the one before
        ("checksum", "<u8"),
        ("minimum", "<u8"),
        ("maximum", "<u8"),
        ("nans", "<i8"),
        ("low", f"S{TEXT_BYTES}"),
        ("high", f"S{TEXT_BYTES}"),
    ]
)
"""The summary of one dataset of one file."""

_GLANCE = 64  # elements that usually suffice to see that a block is unsorted
_STORED = {INT64: "<i8", UINT64: "<u8", UINT8: "|u1", FLOAT64: "<f8", BOOL: "|u1", STR: "|u1"}
"""Types of columns that have bounds, and how they must be stored."""

_WIDEST: dict[ColumnType, tuple[Any, Any]] = {
    INT64: (-(2**63), 2**63 - 1),
    UINT64: (0, 2**64 - 1),
    UINT8: (0, 2**8 - 1),
    FLOAT64: (-np.inf, np.inf),
    BOOL: (False, True),
    STR: (b"", b"\xff" * TEXT_BYTES),
}


class DatasetSummary:
    """The summary of one dataset, whose elements come in blocks.

    Parameters
    ----------
    dtype : str
        NumPy's name of the stored type.
    prefixes : PrefixRange, optional
        If the dataset holds the bytes of strings: the range of these, to be taken instead of that of the bytes.
    """

    def __init__(self, dtype: str, prefixes: PrefixRange | None = None) -> None:
        self._prefixes = prefixes
        self._checksum = Checksum()
        self._dtype = np.dtype(dtype)
        self._range: tuple[Any, Any] | None = None
        self._nans = 0
        self._ascending = True
        self._last: Any = None

    def add(self, block: NumberArray) -> None:
        """Add the next elements, a contiguous array of the stored type; fastest where it fits into the cache."""
        self._checksum.add(block)
        if self._prefixes is None and len(block):
            rises = _rises(block[:_GLANCE]) and _rises(block)
            self._ascending = self._ascending and rises and (self._last is None or bool(block[0] >= self._last))
            self._last = block[-1]
            self._widen(*(block[[0, -1]] if rises else self._extremes(block)))

    def _extremes(self, block: NumberArray) -> tuple[Any, Any]:
        """Return the smallest and largest element, inverted infinities if all are NaN; counts NaN."""
        low, high = block.min(), block.max()
        if not np.isnan(low):
            return low, high
        missing = np.isnan(block)
        self._nans += int(np.count_nonzero(missing))
        return np.min(block, initial=np.inf, where=~missing), np.max(block, initial=-np.inf, where=~missing)

    def _widen(self, low: Any, high: Any) -> None:
        self._range = (low, high) if self._range is None else (min(self._range[0], low), max(self._range[1], high))

    @property
    def record(self) -> npt.NDArray[np.void]:
        """The summary, shape (), dtype `SUMMARY`."""
        found = np.zeros((), SUMMARY)
        found["known"], found["checksum"] = True, self._checksum.value
        if self._prefixes is not None:
            bounds = self._prefixes.bounds
            if bounds is not None:
                found["spelled"] = True
                found["low"], found["high"] = bounds
            return found
        found["ascending"], found["nans"] = self._ascending, self._nans
        if self._range is not None:
            found["bounded"] = True
            found["minimum"], found["maximum"] = (_bits(value, self._dtype) for value in self._range)
        return found


def _rises(block: NumberArray) -> bool:
    """Whether no element is less than the one before; False with NaN, which compares False."""
    return bool((block[1:] >= block[:-1]).all()) and bool(block[0] == block[0])


def _bits(value: Any, dtype: np.dtype[Any]) -> int:
    return int.from_bytes(np.asarray(value, dtype).tobytes(), "little")


def has_bounds(dtype: ColumnType, stored: str) -> bool:
    """Whether the summary of a column's first dataset of this stored type can bound the column."""
    return _STORED.get(dtype) == stored


def bounds_of(dtype: ColumnType, summaries: npt.NDArray[np.void]) -> Bounds | None:
    """Return the bounds of a column in some files, from the summaries of its first dataset in each of them.

    A missing summary is zeros.  None if there are no bounds at all.
    """
    bounded = summaries["spelled" if dtype == STR else "bounded"]
    if not bounded.any():
        return None
    if dtype == STR:
        minima, maxima = summaries["low"], summaries["high"]
    else:
        minima, maxima = (_numbers(summaries[side], dtype) for side in ("minimum", "maximum"))
    low, high = (np.asarray(side, minima.dtype) for side in _WIDEST[dtype])
    nans = np.where(bounded, summaries["nans"] > 0, dtype == FLOAT64)
    return Bounds(np.where(bounded, minima, low), np.where(bounded, maxima, high), nans)


def _numbers(bits: NumberArray, dtype: ColumnType) -> NumberArray:
    if dtype.itemsize == 1:
        return bits.astype(dtype.numpy)
    return np.ascontiguousarray(bits).view(_STORED[dtype])


class Elements(ABC):
    """The elements of all datasets of one file.

    Parameters
    ----------
    file : FileIdentity
        The file.
    """

    def __init__(self, file: FileIdentity) -> None:
        self.file = file
        self._found: dict[str, NumberArray] = {}

    @abstractmethod
    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on.

        Raises
        ------
        FileFormatError
            If the file ends before, or the dataset cannot be read.
        """

    def read(self, extent: Extent, start: int, count: int) -> NumberArray:
        """Return elements in scratch memory, which the next call of this thread uses again.

        Raises
        ------
        TransferError
            If they would exceed the memory limit of this process, even though the file is small.
        """
        dtype = np.dtype(extent.dtype)
        nbytes = count * dtype.itemsize
        if nbytes > tuning.MOST_SCRATCH_BYTES:
            check_memory(nbytes, f"these rows of dataset {extent.dataset!r} take", "read fewer rows")
        stored = scratch(nbytes).view(dtype)
        self.read_into(stored, extent, start)
        return stored

    def cached(self, extent: Extent, find: Callable[[Elements, Extent], NumberArray]) -> NumberArray:
        """Return a function's result for a dataset, computed once."""
        if extent.dataset not in self._found:
            self._found[extent.dataset] = find(self, extent)
        return self._found[extent.dataset]
