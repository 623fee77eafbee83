"""A set of Parquet files: its columns, and the source to scan."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from akdask import config
from akdask.cluster import partition_size
from akdask.columns.dtypes import (
    FLOAT64,
    INT64,
    NULLABLE_INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    finer,
)
from akdask.errors import ArgumentError, FileFormatError, MissingDatasetError, UnsupportedError
from akdask.formats.parquet.chunks import count_nulls, first_dictionary
from akdask.formats.parquet.columns import Annotation, FileSchema, ParquetColumn, ParquetFileDescription, with_nulls
from akdask.formats.parquet.footers import ParquetManifest, inspect_ahead, inspect_file
from akdask.formats.parquet.reader import (
    ConstantPlace,
    ParquetPart,
    RowGroup,
    RowGroupPartitions,
    StoredPlace,
    partitions_of,
)
from akdask.formats.parquet.statistics import bounds_of, constant, extremes_of, of_stretches, unbounded
from akdask.records import record
from akdask.storage.files import absolute, exists, is_folder
from akdask.storage.locales import MAGIC, Filenames, has_magic, names_of
from akdask.storage.objects import (
    CATEGORIES,
    LEVEL,
    NA_CODES,
    ORDERED,
    SERVERS_DIFFER,
    UNIT,
    VALUES,
    ZONE,
    Difference,
    ObjType,
    StoredColumn,
    StoredObject,
    differing_error,
    warn_of_left_out,
)
from akdask.storage.registry import SetOpener, manifest_describer, shown, warn_of_skipped
from akdask.storage.source import Bounds, Extremes


@record
class SetColumn:
    """A column on which the files agree.

    Parameters
    ----------
    name : str
        Its name.
    kind : ObjType
        Kind of the object made of it.
    dtype : ColumnType
        Its type in all files.
    values : list, optional
        Its value in each file, if folders name it.
    of_nulls : bool, default False
        Whether its rows are the nulls of the stored column.
    annotation : Annotation, optional
        akdask's annotation at the time of writing.
    is_ordered : bool, default False
        Whether it is text as positions in dictionaries whose order means something.
    unit, zone : str, optional
        Unit and zone of times in all files.
    servers_differ : bool, default False
        Whether an Arkouda server reads it otherwise; see `SERVERS_DIFFER`.
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
    servers_differ: bool = False

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the object: a Categorical's labels, where annotated; unit and zone of times."""
        if self.unit is not None:
            return {UNIT: self.unit, ZONE: self.zone}
        if self.servers_differ:
            return {SERVERS_DIFFER: True}
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
    """The rows of a set; implements `akdask.storage.source.Source`.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    columns : mapping of str to SetColumn
        All columns; a column's readability is checked when it is first used.
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
        # The files determine the columns and their types.
        digest.update(type(self._found).__name__.encode())
        digest.update(repr(sorted(set().union(*(file.schema.integers for file in self._files)))).encode())
        digest.update(repr(any(file.schema.counts_decimals for file in self._files)).encode())
        for numbers in (self._partitions.files, self._partitions.starts, self._partitions.stops):
            digest.update(numbers.tobytes())
        return digest.hexdigest()

    @property
    def label(self) -> str:
        """How a user names the set, for plans and messages."""
        return self._label

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns with their types, found on access."""
        return _Types(self._found)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows in each partition."""
        return tuple(self._partitions.lengths.tolist())

    @cached_property
    def paths(self) -> list[str]:
        """The file of each partition."""
        return [self._files[file].file.path for file in self._partitions.files.tolist()]

    @property
    def npartitions_by_size(self) -> int:
        """Number of partitions that the bytes of row groups alone ask for."""
        return self._partitions.by_size

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

    def may_have_nulls(self, name: str) -> bool:
        """Return whether rows of a column may be null, as far as metadata tell."""
        found = ((file, file.columns.get(name)) for file in self._files)
        return any(
            column is None or (column.is_optional and bool((file.chunks_of(column)["nulls"] != 0).any()))
            for file, column in found
        )

    def params(self, name: str) -> dict[str, Any]:
        """Return the parameters of a column's object; reads the first dictionary of ordered Categoricals."""
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
        """Return bounds of a column's values in each partition from statistics; None without statistics."""
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

    def extremes(self, column: str) -> Extremes | None:
        """Return the least and the greatest number of a column from statistics; see `akdask.storage.source`."""
        found, sides = self.column(column), []
        files = [file for file in self._files if file.nrows]
        if found.values is not None or found.of_nulls or sum(self.lengths) != sum(file.nrows for file in files):
            return None
        for file in files:
            stored = file.columns.get(column)
            if stored is None:
                return None
            sides.append(extremes_of(stored.in_unit(found.unit), found.dtype, file.chunks_of(stored)))
        known = [side for side in sides if side is not None]
        if not known or len(known) < len(sides):
            return None
        least, greatest = min(low for low, _ in known), max(high for _, high in known)
        return Extremes(least, greatest, found.dtype == FLOAT64 or self.may_have_nulls(column))

    def _bounds_in(self, file: ParquetFileDescription, column: SetColumn) -> Bounds | None:
        stored = file.columns.get(column.name)
        if stored is None:
            return None
        return bounds_of(stored.in_unit(column.unit), column.dtype, file.chunks_of(stored))


def _known(value: Any, dtype: ColumnType) -> Any:
    """Return the constant value of a file's rows in its stored form, including missing values."""
    if value is not None:
        return value
    if dtype.nullable:
        return None
    return "" if dtype.kind == "str" else np.nan if dtype == FLOAT64 else 0


def _joined(bounds: Sequence[Bounds]) -> Bounds:
    sides = ([getattr(one, side) for one in bounds] for side in ("minima", "maxima", "nans"))
    return Bounds(*map(np.concatenate, sides))


_MISSING = "__HIVE_DEFAULT_PARTITION__"
_INT = re.compile(r"-?(0|[1-9]\d{0,17})")


def roots_of(filenames: Filenames) -> tuple[str, ...]:
    """Return the root folders, below which folders name columns: the user's folders, and the parent of a pattern."""
    found = []
    for name in map(absolute, names_of(filenames)):
        if has_magic(name) and not exists(name):
            found.append(MAGIC.split(name)[0].rpartition("/")[0])
        elif is_folder(name):
            found.append(name.rstrip("/"))
    return tuple(found)


def folder_columns(paths: Sequence[str], roots: Sequence[str]) -> dict[str, tuple[ColumnType, list[Any]]]:
    """Return the columns that folders name on the way to all of some files: type, and value for each file.

    Only folders below `roots` do: names of other folders do not describe rows.  A column is integer if all its known
    values are; a missing value is None.

    Examples
    --------
    >>> found = folder_columns(["d/year=2024/a.parquet", "d/year=2025/b.parquet"], ["d"])
    >>> found["year"][0].name, found["year"][1]
    ('int64', [2024, 2025])
    """
    named = {folder: _named(_below(folder, roots)) for folder in {os.path.dirname(path) for path in paths}}
    found = [named[os.path.dirname(path)] for path in paths]
    names = [name for name in found[0] if all(name in values for values in named.values())] if found else []
    return {name: _typed([values[name] for values in found]) for name in names}


def _below(folder: str, roots: Sequence[str]) -> str:
    """Return a path relative to the longest root that contains it; empty if none does."""
    inside = [root for root in roots if folder.startswith(f"{root}/")]
    return folder[len(max(inside, key=len)) + 1 :] if inside else ""


def _named(folder: str) -> dict[str, str | None]:
    parts = (part.partition("=") for part in folder.split("/"))
    return {
        unquote(name): None if value == _MISSING else unquote(value) for name, equals, value in parts if name and equals
    }


def _typed(values: list[str | None]) -> tuple[ColumnType, list[Any]]:
    known = [value for value in values if value is not None]
    if not known or not all(map(_INT.fullmatch, known)):
        return STR if len(known) == len(values) else NULLABLE_STR, list(values)
    dtype = INT64 if len(known) == len(values) else NULLABLE_INT64
    return dtype, [None if value is None else int(value) for value in values]


_LABELLED = {ObjType.STRINGS, ObjType.CATEGORICAL}


class ColumnAgreement:
    """The columns on which the files of a set agree.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    roots : sequence of str
        Folders below which folders name columns.
    widen : bool, default False
        Whether numbers of different types go together, in one that has all of them.
    """

    def __init__(
        self, files: Sequence[ParquetFileDescription], roots: Sequence[str] = (), *, widen: bool = False
    ) -> None:
        self.files = files
        self._widen = widen
        # Files of one set are mostly made alike, so there are few schemas and many files of each.
        self._members: dict[int, list[int]] = {}
        for number, file in enumerate(files):
            self._members.setdefault(id(file.schema), []).append(number)
        self._folders = folder_columns([file.file.path for file in files], roots)

    @property
    def _schemas(self) -> list[tuple[FileSchema, list[int]]]:
        return [(self.files[members[0]].schema, members) for members in self._members.values()]

    @cached_property
    def names(self) -> list[str]:
        """All columns, in the order of the first file that has any, then of other files, then of folders."""
        stored = (column.name for schema, _ in self._schemas for column in schema.columns)
        return list(dict.fromkeys([*stored, *self._folders]))

    def stored(self, name: str) -> list[ParquetColumn]:
        """Return a column as each kind of file has it that has any."""
        return [schema.named[name] for schema, _ in self._schemas if name in schema.named]

    def kind(self, name: str) -> ObjType:
        """Return the kind of a column, also of one that cannot be read."""
        if name in self._folders:
            return ObjType.STRINGS if self._folders[name][0].kind == "str" else ObjType.PDARRAY
        return _kind(self._known(name))

    def has(self, name: str) -> bool:
        """Whether any of the files has a column, or folders name it."""
        return name in self._folders or any(name in schema.named for schema, _ in self._schemas)

    def check_readable(self, names: Sequence[str]) -> None:
        """Refuse columns that cannot be read.

        Raises
        ------
        UnsupportedError
            If there are any; all are listed.
        """
        told = {name: refusal for name in names if (refusal := self.refusal(name)) is not None}
        if told:
            others = [name for name in self.names if self.refusal(name) is None]
            raise UnsupportedError(
                f"{len(told)} column{'s' if len(told) > 1 else ''} cannot be read.",
                details=[f"{name!r}: {refusal}" for name, refusal in told.items()],
                hint=f"name the columns to read, such as datasets={others!r:.200}.",
            )

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """Columns that some files have and others do not, or have in a type that does not go with theirs."""
        found = {}
        for name in self.names:
            lacking = self.lacking(name)
            if lacking:
                paths = [self.files[number].file.path for number in lacking]
                found[name] = Difference(f"{len(paths)} of {len(self.files)} files do not have it", paths)
            elif name not in self._folders and self.refusal(name) is None and self._joined_type(name) is None:
                types = self._types_of(name)
                told = [f"{self.files[number].file.path}: {stored}" for stored, number in types.items()]
                known = [column.dtype for column in self._known(name)]
                found[name] = Difference(f"it is {' and '.join(types)}", told, can_widen=_common(known) is not None)
        return found

    def _types_of(self, name: str) -> dict[str, int]:
        """Return the types that a column has, each with a file that has it so."""
        found: dict[str, int] = {}
        for schema, members in self._schemas:
            if name in schema.named:
                column = schema.named[name]
                kind = "" if column.kind in (ObjType.PDARRAY, ObjType.UNKNOWN) else f"{column.kind.label} of "
                found.setdefault(f"{kind}{column.shown_type}", members[0])
        return found

    def _known(self, name: str) -> list[ParquetColumn]:
        """Return a column in each schema that reveals its type: not where it has no rows, or only nulls."""
        with_rows = [
            schema.named[name]
            for schema, members in self._schemas
            if name in schema.named and any(self.files[number].nrows for number in members)
        ]
        columns = with_rows or self.stored(name)
        return [column for column in columns if not pa.types.is_null(column.stored)] or columns

    def _joined_type(self, name: str) -> ColumnType | None:
        """Return the type of a column in all files where none has nulls, None if there is none."""
        return self._type_of(self._known(name))

    def _type_of(self, known: Sequence[ParquetColumn]) -> ColumnType | None:
        kinds = {column.kind for column in known}
        zones = {getattr(column.stored, "tz", None) for column in known}
        if (len(kinds) > 1 and not kinds <= _LABELLED) or len(zones) > 1:
            return None
        if len({column.fraction for column in known}) > 1:
            return None
        dtypes = list(dict.fromkeys(column.dtype for column in known))
        if len(dtypes) == 1:
            return dtypes[0]
        found = _common(dtypes)
        return found if self._widen or not _is_more_than_width(dtypes) else None

    def lacking(self, name: str) -> list[int]:
        """Return the files with rows that do not have a column."""
        if name in self._folders:
            return []
        without = [members for schema, members in self._schemas if name not in schema.named]
        return [number for members in without for number in members if self.files[number].nrows]

    def unlike_first(self, names: Collection[str]) -> set[int]:
        """Return the files with rows that lack a column, or have it in a type that does not go with the first one's."""
        found = set()
        for name in names:
            found.update(self.lacking(name))
            known = [(schema.named[name], members) for schema, members in self._schemas if name in schema.named]
            first = self._known(name)[0]
            for column, members in known:
                pair = [column, first]
                if not pa.types.is_null(column.stored) and self._type_of(pair) is None:
                    found.update(members)
        return found

    def refusal(self, name: str) -> str | None:
        """Return why a column cannot be read, None if it can."""
        if name in self._folders:
            return None
        return next((column.refusal for column in self.stored(name) if column.refusal), None)

    def column(self, name: str) -> SetColumn:
        """Return a column's common type in all files; reads data only where nothing else reveals nulls.

        Raises
        ------
        InconsistentFilesError
            If files have it in types that do not go together.
        UnsupportedError
            If it cannot be read.
        """
        if name in self._folders:
            return SetColumn(name, self.kind(name), *self._folders[name])
        refusal = self.refusal(name)
        if refusal is not None:
            raise UnsupportedError(f"column {name!r} cannot be read: {refusal}.")
        known, dtype = self._known(name), self._joined_type(name)
        if dtype is None:
            raise self.differences[name].error(name)
        annotations = {column.annotation for column in known}
        annotation = known[0].annotation if len(annotations) == 1 else None
        kind = _kind(known)
        lacking = with_nulls(dtype, kind)
        is_text = STR in (dtype, dtype.item)
        if lacking != dtype and (self._may_have_nulls(name) if is_text else self._has_nulls(name)):
            dtype = lacking
        if kind == ObjType.IPV4 and (dtype == FLOAT64 or dtype.is_nullable_number):
            kind = ObjType.PDARRAY
        stored = [column.stored for column in known]
        is_ordered = all(pa.types.is_dictionary(one) and one.ordered for one in stored)
        units = [column.unit for column in known if column.unit is not None]
        zones = list(dict.fromkeys(column.zone for column in known))
        zone = zones[0] if len(zones) == 1 else "UTC"
        unit = finer(*units) if units else None
        return SetColumn(
            name,
            kind,
            dtype,
            annotation=annotation,
            is_ordered=is_ordered,
            unit=unit,
            zone=zone if units else None,
            servers_differ=annotation is None and _servers_differ(kind, dtype, known),
        )

    def nulls(self, name: str) -> SetColumn:
        """Return the column of another column's nulls."""
        found = self.column(name)
        values = None if found.values is None else [int(value in ("", None)) for value in found.values]
        return replace(
            found, kind=ObjType.PDARRAY, dtype=INT64, values=values, of_nulls=True, annotation=None, is_ordered=False
        )

    def _may_have_nulls(self, name: str) -> bool:
        for schema, members in self._schemas:
            column = schema.named.get(name)
            if column is None or not column.is_optional:
                continue
            if any((self.files[number].chunks_of(column)["nulls"] != 0).any() for number in members):
                return True
        return False

    def _has_nulls(self, name: str) -> bool:
        for schema, members in self._schemas:
            column = schema.named.get(name)
            if column is None or not column.is_optional:
                continue
            counts = [self.files[number].chunks_of(column)["nulls"] for number in members]
            joined = np.concatenate(counts)
            if column.is_nested:  # lists that are null or empty are counted, too
                counts = [np.where(count == 0, 0, -1) for count in counts]
            elif (joined > 0).any():
                return True
            if (joined != 0).any() and self._have_nulls(column, members, counts):
                return True
        return False

    def _have_nulls(self, column: ParquetColumn, members: Sequence[int], counts: Sequence[Any]) -> bool:
        """Look for nulls in the row groups whose statistics do not count them."""
        unknown = zip(members, (tuple(np.flatnonzero(count < 0).tolist()) for count in counts), strict=True)
        return any(groups and count_nulls(self.files[number].file, column, groups) for number, groups in unknown)


class ColumnsOfSet(Mapping[str, SetColumn]):
    """The columns of a set by name, each resolved on access.

    Parameters
    ----------
    agreement : ColumnAgreement
        The columns on which the files agree.
    """

    def __init__(self, agreement: ColumnAgreement) -> None:
        self._agreement = agreement
        self._found: dict[str, SetColumn] = {}

    def __getitem__(self, name: str) -> SetColumn:
        if name not in self._found:
            if name not in self:
                raise KeyError(name)
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> SetColumn:
        return self._agreement.column(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._agreement.has(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._agreement.names)

    def __len__(self) -> int:
        return len(self._agreement.names)


class NullsOfSet(ColumnsOfSet):
    """For each column of a set, a column of its nulls."""

    def _find(self, name: str) -> SetColumn:
        return self._agreement.nulls(name)


def _servers_differ(kind: ObjType, dtype: ColumnType, columns: Sequence[ParquetColumn]) -> bool:
    """Whether a server reads columns otherwise: as wider numbers, or nulls of text as empty, as it alone writes it."""
    if kind == ObjType.STRINGS:
        return all(column.is_of_server for column in columns)
    return kind == ObjType.PDARRAY and dtype.plain == UINT8


def _kind(columns: Sequence[ParquetColumn]) -> ObjType:
    known = [column for column in columns if not pa.types.is_null(column.stored)] or columns
    kinds = {column.kind for column in known}
    return ObjType.STRINGS if len(kinds) > 1 and kinds <= _LABELLED else known[0].kind


def _common(dtypes: Sequence[ColumnType | None]) -> ColumnType | None:
    """Return the common type of several number types, None if there is none."""
    found = set(dtypes)
    if FLOAT64 in found and found <= {FLOAT64, INT64, UINT64, UINT8}:
        return FLOAT64
    if found <= {INT64, UINT64, UINT8}:
        return INT64 if INT64 in found else UINT64
    return None


def _is_more_than_width(dtypes: Collection[ColumnType | None]) -> bool:
    """Whether number types differ in more than width: bytes agree with any integers.

    Examples
    --------
    >>> _is_more_than_width([UINT8, INT64]), _is_more_than_width([FLOAT64, INT64])
    (False, True)
    """
    return len({dtype for dtype in dtypes if dtype != UINT8}) > 1 or FLOAT64 in dtypes


_MOST_ROWS = 2**62


@record
class ParquetReadOptions:
    """How a set is read.

    Parameters
    ----------
    read_nested : bool
        Whether lists are read unless they are named.
    null_indices : bool
        Whether the nulls of columns are read, instead of their values.
    partition_size : int
        Bytes of a column of a partition.
    manifest : bool
        Use the manifest of the set.
    roots : tuple of str
        Folders below which folders name columns.
    widen : bool
        Whether numbers of different types go together.
    as_integers : frozenset of str
        Days, times and decimals that are integers.
    decimals : str
        What all other decimals are, ``float`` or ``integer``.
    label : str
        How a user names the set.
    """

    read_nested: bool
    null_indices: bool
    partition_size: int
    manifest: bool
    roots: tuple[str, ...]
    widen: bool
    as_integers: frozenset[str]
    decimals: str
    label: str


class ParquetSet:
    """The Parquet files of one set, described but not read; implements `akdask.storage.objects.StoredSet`.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    options : ParquetReadOptions
        How they are read.
    allow_errors : bool
        Leave out files that lack a requested column, with a warning.
    """

    def __init__(
        self, files: Sequence[ParquetFileDescription], options: ParquetReadOptions, *, allow_errors: bool
    ) -> None:
        if options.as_integers:
            schemas = {id(file.schema): file.schema.with_integers(options.as_integers) for file in files}
            files = [replace(file, schema=schemas[id(file.schema)]) for file in files]
        if options.decimals == "integer":
            schemas = {id(file.schema): file.schema.with_counts() for file in files}
            files = [replace(file, schema=schemas[id(file.schema)]) for file in files]
        self._files = tuple(files)
        self._options = options
        self._allow_errors = allow_errors

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.file.path for file in self._files)

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all columns, in the order of the first file, including unreadable ones."""
        found = {name: self._agreement.kind(name) for name in self._agreement.names}
        if self._options.read_nested:
            return found
        return {name: kind for name, kind in found.items() if kind != ObjType.SEGARRAY}

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return the columns of the given names, all that can be read if None, ready to be scanned.

        Reads no data, except where an integer column may have nulls and no statistics count them.

        Raises
        ------
        MissingDatasetError
            If there is no column of a name.
        InconsistentFilesError
            If a file lacks a column, or has it in another type; all such files are listed.
        UnsupportedError
            If a column is of a type that cannot be read.
        """
        agreement = self._agreement
        wanted = self._readable() if names is None else list(dict.fromkeys(names))
        missing = [name for name in wanted if not agreement.has(name)]
        if missing:
            raise MissingDatasetError(
                f"{self._options.label} has no column {', '.join(map(repr, missing))}.",
                details=[f"columns: {', '.join(agreement.names)}"],
                hint="name some of these, or none for all.",
            )
        agreement.check_readable(wanted)
        source = self._source_of(wanted)
        return {name: _stored(source, name) for name in wanted}

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Columns that the files have differently, and how."""
        return {name: found for name, found in self._agreement.differences.items() if name in self.kinds}

    def _readable(self) -> list[str]:
        """Return the columns that are read where none are named.

        These are the readable columns that the files have alike.  If files may be left out, they are those of the first
        file.
        """
        refusals = {name: self._agreement.refusal(name) for name in self.kinds}
        unreadable = {name: refusal for name, refusal in refusals.items() if refusal is not None}
        differing = {name: found for name, found in self.differences.items() if self._leaves_out(name)}
        differing = {name: found for name, found in differing.items() if name not in unreadable}
        rest = [name for name in self.kinds if name not in differing and name not in unreadable]
        if not rest and differing:
            raise differing_error(differing)
        if not rest:
            return list(unreadable)
        warn_of_left_out(self._options.label, differing, unreadable)
        return rest

    def _leaves_out(self, name: str) -> bool:
        """Whether a column that files have differently is left out, rather than the files."""
        return not self._allow_errors or name not in next(
            (file.schema.named for file in self._files if file.schema.columns), {}
        )

    @cached_property
    def _agreement(self) -> ColumnAgreement:
        return ColumnAgreement(self._files, self._options.roots, widen=self._options.widen)

    @cached_property
    def _source(self) -> ParquetSource:
        return self._source_over(self._agreement)

    def _source_of(self, names: Sequence[str]) -> ParquetSource:
        differing = {name: found for name in names if (found := self._agreement.differences.get(name)) is not None}
        if not differing:
            return self._source
        error = differing_error(differing)
        unlike = self._agreement.unlike_first(differing)
        if not self._allow_errors or len(unlike) == len(self._files):
            raise error
        warn_of_skipped(error.details, len(unlike))
        rest = [file for number, file in enumerate(self._files) if number not in unlike]
        return self._source_over(ColumnAgreement(rest, self._options.roots, widen=self._options.widen))

    def _source_over(self, agreement: ColumnAgreement) -> ParquetSource:
        rows = sum(file.nrows for file in agreement.files)
        if rows >= _MOST_ROWS:
            raise FileFormatError(f"the files of {self._options.label} claim {rows:,} rows.")
        partitions = partitions_of(agreement.files, self._options.partition_size)
        columns = (NullsOfSet if self._options.null_indices else ColumnsOfSet)(agreement)
        return ParquetSource(agreement.files, columns, partitions, self._options.label)


def _stored(source: ParquetSource, name: str) -> StoredObject:
    column = source.column(name)
    found = StoredObject(name, column.kind, {VALUES: StoredColumn(source, name)}, params=source.params(name))
    if column.kind != ObjType.INDEX:
        return found
    return StoredObject(name, column.kind, {}, {f"{LEVEL}0": replace(found, kind=ObjType.PDARRAY)}, {"count": 1})


def open_set(
    filenames: Filenames,
    *,
    allow_errors: bool = False,
    read_nested: bool = True,
    null_indices: bool = False,
    widen: bool = False,
    as_integers: frozenset[str] = frozenset(),
    decimals: str = "float",
) -> ParquetSet:
    """Open a set of Parquet files: find them and read their footers.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file, a folder or a glob pattern.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning.
    read_nested : bool, default True
        Read lists as well, unless columns are named.
    null_indices : bool, default False
        Return for each column which of its rows are null, as 0 and 1.
    widen : bool, default False
        Read numbers that files have in different types in one that has all of them.
    as_integers : frozenset of str
        Columns of days, times, or decimals whose digits fit into 64 bits, to be read as integers.
    decimals : {"float", "integer"}
        What all other decimals are read as.

    Returns
    -------
    ParquetSet
        The same one as before, if the files have not changed.

    Raises
    ------
    MissingFileError, InconsistentFilesError, FileFormatError
        If files are missing, missing from within a set, or not readable as Parquet.
    ArgumentError
        If `decimals` is none of these.
    """
    if decimals not in _DECIMALS:
        raise ArgumentError(f"decimals is one of {', '.join(map(repr, _DECIMALS))}, not {decimals!r}.")
    label = f"read_parquet({shown(filenames)})"
    options = ParquetReadOptions(
        read_nested,
        null_indices,
        partition_size(),
        config.get("manifest"),
        roots_of(filenames),
        widen,
        as_integers,
        decimals,
        label,
    )
    return _OPENER.open(
        filenames,
        options,
        lambda files: ParquetSet(files, options, allow_errors=allow_errors),
        allow_errors=allow_errors,
    )


_DECIMALS = ("float", "integer")

_OPENER: SetOpener[ParquetFileDescription, ParquetSet] = SetOpener(
    "Parquet", manifest_describer(ParquetManifest, inspect_ahead, inspect_file)
)
