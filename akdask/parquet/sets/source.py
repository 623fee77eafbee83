"""The rows of a set as the lazy layer scans them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any

import numpy as np

from akdask import config
from akdask.errors import MissingDatasetError
from akdask.parquet.metadata.annotations import Annotation
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.description import ParquetFileDescription
from akdask.parquet.reading.chunks import first_dictionary
from akdask.parquet.reading.partitions import RowGroupPartitions
from akdask.parquet.reading.reader import ConstantPlace, ParquetPart, StoredPlace
from akdask.parquet.reading.row_group_part import RowGroup
from akdask.parquet.reading.statistics import bounds_of, constant, of_stretches, unbounded
from akdask.schema import FLOAT64, ColumnType
from akdask.storage.data.source import Bounds
from akdask.storage.formats.objects import CATEGORIES, NA_CODES, ORDERED, UNIT, ZONE, ObjType


@dataclass(frozen=True)
class SetColumn:
    """A column on which the files agree.

    Parameters
    ----------
    name : str
        Its name.
    kind : ObjType
        What is made of it.
    dtype : ColumnType
        Its type in all files.
    values : list, optional
        Its value in each file, if folders name it.
    of_nulls : bool, default False
        Whether its rows tell which rows of the stored column are null.
    annotation : Annotation, optional
        What akdask noted when it wrote the files.
    is_ordered : bool, default False
        Whether it is text as positions in dictionaries whose order means something.
    unit, zone : str, optional
        What times count in all files, and their zone.
    """

    name: str
    kind: ObjType
    dtype: ColumnType
    values: list[Any] | None = None
    of_nulls: bool = False
    annotation: Annotation | None = None
    is_ordered: bool = False
    unit: str | None = None
    zone: str | None = None

    @property
    def params(self) -> dict[str, Any]:
        """What the object is made with: the labels of a Categorical, where the files note them; how times count."""
        if self.unit is not None:
            return {UNIT: self.unit, ZONE: self.zone}
        noted = self.annotation
        if self.kind != ObjType.CATEGORICAL or noted is None or noted.labels is None:
            return {}
        found = {CATEGORIES: noted.labels, NA_CODES: noted.na}
        return found | ({ORDERED: True} if noted.ordered else {})


class _Types(Mapping[str, ColumnType]):
    def __init__(self, found: Mapping[str, SetColumn]) -> None:
        self._found = found

    def __getitem__(self, name: str) -> ColumnType:
        return self._found[name].dtype

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class ParquetSource:
    """The rows of a set; implements `akdask.storage.data.source.Source`.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    columns : mapping of str to SetColumn
        All columns; which of them can be read is found when they are asked for.
    partitions : RowGroupPartitions
        How the rows are cut.
    label : str
        How a user names the set.
    """

    def __init__(
        self,
        files: Sequence[ParquetFileDescription],
        columns: Mapping[str, SetColumn],
        partitions: RowGroupPartitions,
        label: str,
    ) -> None:
        self._files = files
        self._found = columns
        self._partitions = partitions
        self._label = label
        self._bounds: dict[str, Bounds | None] = {}

    @cached_property
    def token(self) -> str:
        """Changes whenever a file, the partitions or the columns change."""
        digest = blake2b(digest_size=16)
        digest.update(repr([file.file for file in self._files]).encode(errors="surrogateescape"))
        # Which columns there are, and of what types, is told by the files.
        digest.update(type(self._found).__name__.encode())
        for numbers in (self._partitions.files, self._partitions.starts, self._partitions.stops):
            digest.update(numbers.tobytes())
        return digest.hexdigest()

    @property
    def label(self) -> str:
        """How a user names the set, for plans and messages."""
        return self._label

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns with their types, which are found when they are asked for."""
        return _Types(self._found)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows in each partition."""
        return tuple(self._partitions.lengths.tolist())

    @cached_property
    def paths(self) -> list[str]:
        """The file of each partition."""
        return [self._files[file].file.path for file in self._partitions.files.tolist()]

    def part(self, index: int, columns: Sequence[str]) -> ParquetPart:
        """Return one partition, reduced to the given columns.

        Raises
        ------
        MissingDatasetError
            If there is no such column.
        """
        file = int(self._partitions.files[index])
        groups = self._partitions.groups_of(index)
        found = {name: self._place(self._files[file], file, groups, self.column(name)) for name in columns}
        start, stop = int(self._partitions.starts[index]), int(self._partitions.stops[index])
        described, check = self._files[file], None
        if described.sums is not None and config.get("verify_checksums"):
            check = partial(described.sums.check_once, described.file, is_proven=described.is_proven)
        return ParquetPart(described.file, start, stop, groups, found, check)

    def column(self, name: str) -> SetColumn:
        """Return a column; for errors see `part`."""
        if name not in self._found:
            raise MissingDatasetError(f"{self.label} has no column {name!r}.")
        return self._found[name]

    def params(self, name: str) -> dict[str, Any]:
        """Return what the object of a column is made with; reads the first dictionary of one whose order matters."""
        column = self.column(name)
        if column.params or not column.is_ordered or column.kind != ObjType.CATEGORICAL:
            return column.params
        for file in self._files:
            stored = file.columns.get(name)
            if stored is not None and file.nrows:
                return {CATEGORIES: first_dictionary(file.file, stored), ORDERED: True}
        return {}

    def _place(
        self, file: ParquetFileDescription, number: int, groups: Sequence[RowGroup], column: SetColumn
    ) -> StoredPlace | ConstantPlace:
        if column.values is not None:
            return ConstantPlace(_known(column.values[number], column.dtype), column.dtype)
        stored = file.columns.get(column.name)
        if stored is None:  # a file without rows
            return ConstantPlace(_known(None, column.dtype), column.dtype)
        chunks = file.chunks_of(stored)[groups[0].number : groups[-1].number + 1] if groups else file.chunks[0, :0]
        return StoredPlace(stored.in_unit(column.unit), column.dtype, chunks, column.of_nulls)

    def bounds(self, column: str) -> Bounds | None:
        """Return what statistics tell of the values of a column in each partition, None if they tell nothing."""
        if column not in self._bounds:
            self._bounds[column] = self._find_bounds(self.column(column))
        return self._bounds[column]

    def _find_bounds(self, column: SetColumn) -> Bounds | None:
        if column.values is not None:
            found = [constant(_known(value, column.dtype), column.dtype) for value in column.values]
            return _joined([one for one in found if one is not None]).take(self._partitions.files)
        everything = unbounded(column.dtype, len(self._partitions.files))
        if column.of_nulls or everything is None:
            return None
        of_groups = [self._bounds_in(file, column) for file in self._files]
        known = [bounds for bounds in of_groups if bounds is not None]
        if not known:
            return None
        of_all = _joined(
            [
                unbounded(column.dtype, len(file.rows)) if bounds is None else bounds  # type: ignore[misc]
                for file, bounds in zip(self._files, of_groups, strict=True)
            ]
        )
        stretches = zip(self._partitions.first.tolist(), self._partitions.last.tolist(), strict=True)
        return of_stretches(of_all, everything, stretches)

    def _bounds_in(self, file: ParquetFileDescription, column: SetColumn) -> Bounds | None:
        stored: ParquetColumn | None = file.columns.get(column.name)
        if stored is None or stored.dtype is None or not stored.is_flat:
            return None
        return bounds_of(stored.in_unit(column.unit), column.dtype, file.chunks_of(stored))


def _known(value: Any, dtype: ColumnType) -> Any:
    """Return a value of all rows of a file, with what is missing as it is in columns that are stored."""
    if value is not None:
        return value
    if dtype.kind == "str":
        return None if dtype.nullable else ""
    return np.nan if dtype == FLOAT64 else 0


def _joined(bounds: Sequence[Bounds]) -> Bounds:
    sides = ([getattr(one, side) for one in bounds] for side in ("minima", "maxima", "nans"))
    return Bounds(*map(np.concatenate, sides))
