"""Schema of a file, known without reading data: objects, their columns, and the position of each.

Files of one set mostly agree in everything but offsets and lengths.  So a description is two things: schemas, small
shared objects that are equal for equal objects, and one array of numbers for each file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import BOOL, STR, ColumnType
from akdask.errors import AkdaskError
from akdask.storage.files import FileIdentity
from akdask.storage.objects import ObjType
from akdask.storage.ranges import Extent


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """Path of a flat dataset in the file, and NumPy's name of its stored type."""

    path: str
    dtype: str


Slot: TypeAlias = tuple[int, int]
"""Offset and length of a dataset, in the order of the datasets of a schema."""


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column of an object, and the datasets that it is stored in, in the order of their slots.

    Numbers have one dataset.  Strings have ``values`` and mostly ``segments``.  Lists have the datasets of their items
    and then ``segments``.  Integers of any size have one dataset for each limb.
    """

    name: str
    dtype: ColumnType
    datasets: tuple[DatasetSchema, ...]

    @property
    def tells_rows(self) -> bool:
        """Whether the last dataset has one element for each row, as all but strings without segments have."""
        return self.dtype != STR or len(self.datasets) > 1


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an object that is listed cannot be read."""

    error: type[AkdaskError]
    text: str


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Described:
    """A codec's description of one object in one file; slots are in the order of the datasets of its columns."""

    schema: ObjectSchema
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, eq=False)
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
        Summaries of each dataset by the writer (`akdask.formats.hdf5.statistics.SUMMARY`).
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


@dataclass(frozen=True, slots=True)
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
