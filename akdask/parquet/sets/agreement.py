"""Which columns the files of a set have in common, and of what type: files are compared by name, never by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.errors import InconsistentFilesError, UnsupportedError
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.description import FileSchema, ParquetFileDescription
from akdask.parquet.reading.chunks import count_nulls
from akdask.parquet.sets.hive import folder_columns
from akdask.parquet.sets.source import SetColumn
from akdask.schema import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT8, UINT64, ColumnType
from akdask.storage.formats.objects import ObjType

_INTEGRAL = (INT64, UINT64, UINT8, BOOL)
_LABELLED = {ObjType.STRINGS, ObjType.CATEGORICAL}


class ColumnAgreement:
    """What the files of a set agree about.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    roots : sequence of str
        Folders below which folders name columns.
    """

    def __init__(self, files: Sequence[ParquetFileDescription], roots: Sequence[str] = ()) -> None:
        self.files = files
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
        """Columns of the first file that has any, then those of folders."""
        first = next((file.schema.columns for file in self.files if file.schema.columns), ())
        return list(dict.fromkeys([*(column.name for column in first), *self._folders]))

    def stored(self, name: str) -> list[ParquetColumn]:
        """Return a column as each kind of file has it that has any."""
        return [schema.named[name] for schema, _ in self._schemas if name in schema.named]

    def kind(self, name: str) -> ObjType:
        """Return the kind of a column, also of one that cannot be read."""
        if name in self._folders:
            return ObjType.STRINGS if self._folders[name][0].kind == "str" else ObjType.PDARRAY
        return _kind(self.stored(name))

    def has(self, name: str) -> bool:
        """Whether any of the files has a column, or folders name it."""
        return name in self._folders or any(name in schema.named for schema, _ in self._schemas)

    def check_readable(self, names: Sequence[str]) -> None:
        """Refuse columns that cannot be read.

        Raises
        ------
        UnsupportedError
            If there are any; all are told.
        """
        told = {name: refusal for name in names if (refusal := self.refusal(name)) is not None}
        if told:
            others = [name for name in self.names if self.refusal(name) is None]
            raise UnsupportedError(
                f"{len(told)} column{'s' if len(told) > 1 else ''} cannot be read.",
                details=[f"{name!r}: {refusal}" for name, refusal in told.items()],
                hint=f"name the columns to read, such as datasets={others!r:.200}.",
            )

    def lacking(self, name: str) -> list[int]:
        """Return the files with rows that do not have a column."""
        if name in self._folders:
            return []
        without = [members for schema, members in self._schemas if name not in schema.named]
        return [number for members in without for number in members if self.files[number].nrows]

    def refusal(self, name: str) -> str | None:
        """Return why a column cannot be read, None if it can."""
        if name in self._folders:
            return None
        return next((column.refusal for column in self.stored(name) if column.refusal), None)

    def column(self, name: str) -> SetColumn:
        """Return a column as it is in all files; looks at data only where nothing else tells whether there are nulls.

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
        columns = self.stored(name)
        known = [column for column in columns if not pa.types.is_null(column.stored)] or columns
        dtypes = dict.fromkeys(column.dtype for column in known)
        kinds = {column.kind for column in known}
        if len(kinds) > 1 and not kinds <= _LABELLED:
            raise self._disagreement(name, known)
        found = next(iter(dtypes)) if len(dtypes) == 1 else _common(list(dtypes))
        if found is None:
            raise self._disagreement(name, known)
        dtype = found
        annotations = {column.annotation for column in known}
        annotation = known[0].annotation if len(annotations) == 1 else None
        if dtype in _INTEGRAL and _kind(known) not in (ObjType.DATETIME, ObjType.TIMEDELTA) and self._has_nulls(name):
            dtype = FLOAT64
        elif dtype == STR and self._may_have_nulls(name):
            dtype = NULLABLE_STR
        kind = ObjType.PDARRAY if dtype == FLOAT64 and _kind(known) == ObjType.IPV4 else _kind(known)
        return SetColumn(name, kind, dtype, annotation=annotation)

    def nulls(self, name: str) -> SetColumn:
        """Return the column that tells which rows of another are null."""
        found = self.column(name)
        values = None if found.values is None else [int(value in ("", None)) for value in found.values]
        return replace(found, kind=ObjType.PDARRAY, dtype=INT64, values=values, of_nulls=True, annotation=None)

    def _may_have_nulls(self, name: str) -> bool:
        """Whether statistics do not rule out that there are nulls."""
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
            if (joined > 0).any() or ((joined < 0).any() and self._have_nulls(column, members, counts)):
                return True
        return False

    def _have_nulls(self, column: ParquetColumn, members: Sequence[int], counts: Sequence[Any]) -> bool:
        """Look for nulls in the row groups whose statistics do not tell."""
        unknown = zip(members, (tuple(np.flatnonzero(count < 0).tolist()) for count in counts), strict=True)
        return any(groups and count_nulls(self.files[number].file, column, groups) for number, groups in unknown)

    def _disagreement(self, name: str, columns: Sequence[ParquetColumn]) -> InconsistentFilesError:
        found: Mapping[str, int] = {}
        for schema, members in self._schemas:
            if name in schema.named:
                found = {**found, f"{schema.named[name].stored}": members[0]}
        return InconsistentFilesError(
            f"the files have column {name!r} in types that do not go together.",
            details=[f"{self.files[number].file.path}: {stored}" for stored, number in found.items()],
            hint="read the files of each type by themselves.",
        )


class ColumnsOfSet(Mapping[str, SetColumn]):
    """The columns of a set by name, each found when it is asked for.

    Parameters
    ----------
    agreement : ColumnAgreement
        What the files agree about.
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
    """For each column of a set one that tells which of its rows are null."""

    def _find(self, name: str) -> SetColumn:
        return self._agreement.nulls(name)


def _kind(columns: Sequence[ParquetColumn]) -> ObjType:
    known = [column for column in columns if not pa.types.is_null(column.stored)] or columns
    kinds = {column.kind for column in known}
    return ObjType.STRINGS if len(kinds) > 1 and kinds <= _LABELLED else known[0].kind


def _common(dtypes: Sequence[ColumnType | None]) -> ColumnType | None:
    """Return the type that takes the numbers of several, None if there is none."""
    if FLOAT64 in dtypes and set(dtypes) <= {FLOAT64, INT64, UINT64, UINT8}:
        return FLOAT64
    if UINT8 in dtypes and len(dtypes) == 2 and set(dtypes) <= {INT64, UINT64, UINT8}:
        return next(dtype for dtype in dtypes if dtype != UINT8)
    return None
