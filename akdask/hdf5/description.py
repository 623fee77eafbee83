"""What is known of a file without reading data: objects, the columns they are made of, and where each lies.

Files of one set mostly agree in everything but offsets and lengths.  So a description is two things: schemas, small
shared objects that are equal for equal objects, and one array of numbers for each file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import AkdaskError
from akdask.hdf5.layout import ObjType
from akdask.schema import ColumnType
from akdask.storage.extents import Extent
from akdask.storage.files import FileIdentity


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """Path of a flat dataset in the file, and NumPy's name of its stored type."""

    path: str
    dtype: str


Slot: TypeAlias = tuple[int, int]
"""Offset and length of a dataset, in the order of the datasets of a schema."""


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column of an object: numbers in one dataset, or Strings in `values` with or without `segments`."""

    name: str
    dtype: ColumnType
    values: DatasetSchema
    segments: DatasetSchema | None = None

    @property
    def datasets(self) -> tuple[DatasetSchema, ...]:
        """The datasets, in the order of their slots."""
        return (self.values,) if self.segments is None else (self.values, self.segments)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an object that is listed cannot be read."""

    error: type[AkdaskError]
    text: str


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """One root object: its kind and, for each member that holds data, the column.

    An object that cannot be read has no members and a `problem`.
    """

    name: str
    kind: ObjType
    members: tuple[tuple[str, ColumnSchema], ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """What a codec says about one object of one file."""

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
        Offset and length of every dataset, in the order of objects, members, `values` before `segments`.
    column_order : str or None
        The private root attribute that keeps the users' order, as it is stored.
    """

    file: FileIdentity
    objects: tuple[ObjectSchema, ...]
    slots: npt.NDArray[np.int64]
    column_order: str | None


def columns_of(objects: tuple[ObjectSchema, ...]) -> dict[str, tuple[int, ColumnSchema]]:
    """Return for each column of a file the position of its first slot, and its schema."""
    found: dict[str, tuple[int, ColumnSchema]] = {}
    position = 0
    for schema in objects:
        for _, column in schema.members:
            found[column.name] = (position, column)
            position += len(column.datasets)
    return found


def differing(files: Iterable[FileDescription]) -> Iterator[FileDescription]:
    """Leave out files that are made as the one before; mostly the first alone is left."""
    previous: FileDescription | None = None
    for file in files:
        if previous is None or previous.objects != file.objects:
            yield file
        previous = file


@dataclass(frozen=True, slots=True)
class ColumnPlace:
    """Where one column lies in one file: all that a worker needs to read it."""

    dtype: ColumnType
    values: Extent
    segments: Extent | None = None
