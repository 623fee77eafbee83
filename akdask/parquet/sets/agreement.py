"""Which columns the files of a set have in common, and of what type: files are compared by name, never by position."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.errors import UnsupportedError
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.description import FileSchema, ParquetFileDescription
from akdask.parquet.reading.chunks import count_nulls
from akdask.parquet.sets.hive import folder_columns
from akdask.parquet.sets.source import SetColumn
from akdask.schema import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT8, UINT64, ColumnType
from akdask.schema.times import finer
from akdask.storage.formats.differences import Difference
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
        """All columns, in the order of the first file that has any, then of others, then those of folders."""
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
                found.setdefault(f"{kind}{column.stored}", members[0])
        return found

    def _known(self, name: str) -> list[ParquetColumn]:
        """Return a column as each kind of file has it that tells a type: not where there are no rows, or only nulls."""
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
        known, dtype = self._known(name), self._joined_type(name)
        if dtype is None:
            raise self.differences[name].error(name)
        annotations = {column.annotation for column in known}
        annotation = known[0].annotation if len(annotations) == 1 else None
        if dtype in _INTEGRAL and _kind(known) not in (ObjType.DATETIME, ObjType.TIMEDELTA) and self._has_nulls(name):
            dtype = FLOAT64
        elif dtype == STR and self._may_have_nulls(name):
            dtype = NULLABLE_STR
        kind = ObjType.PDARRAY if dtype == FLOAT64 and _kind(known) == ObjType.IPV4 else _kind(known)
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
        )

    def nulls(self, name: str) -> SetColumn:
        """Return the column that tells which rows of another are null."""
        found = self.column(name)
        values = None if found.values is None else [int(value in ("", None)) for value in found.values]
        return replace(
            found, kind=ObjType.PDARRAY, dtype=INT64, values=values, of_nulls=True, annotation=None, is_ordered=False
        )

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
    found = set(dtypes)
    if FLOAT64 in found and found <= {FLOAT64, INT64, UINT64, UINT8}:
        return FLOAT64
    if found <= {INT64, UINT64, UINT8}:
        return INT64 if INT64 in found else UINT64
    return None


def _is_more_than_width(dtypes: Collection[ColumnType | None]) -> bool:
    """Whether a type that takes the numbers of several is no mere matter of width: bytes go with any integers.

    Examples
    --------
    >>> _is_more_than_width([UINT8, INT64]), _is_more_than_width([FLOAT64, INT64])
    (False, True)
    """
    return len({dtype for dtype in dtypes if dtype != UINT8}) > 1 or FLOAT64 in dtypes
