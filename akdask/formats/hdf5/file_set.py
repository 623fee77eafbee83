"""A set of HDF5 files: its objects, and the sources to scan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from akdask import config
from akdask.cluster import partition_size
from akdask.columns.dtypes import INT64, STR, UINT64
from akdask.errors import MissingDatasetError
from akdask.formats.hdf5.agreement import Agreement
from akdask.formats.hdf5.description import ColumnSchema, FileDescription, ObjectSchema, differing
from akdask.formats.hdf5.inspect import inspect_ahead, inspect_file
from akdask.formats.hdf5.layout import in_stored_order
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.hdf5.row_spaces import Layouts, ReadOptions, RowSpaces
from akdask.storage.locales import Filenames
from akdask.storage.objects import (
    CATEGORIES,
    CODES,
    NA_CODES,
    PERMUTATION,
    SEGMENTS,
    VALUES,
    Difference,
    ObjType,
    StoredColumn,
    StoredObject,
    warn_of_left_out,
)
from akdask.storage.registry import SetOpener, manifest_describer, shown, warn_of_skipped
from akdask.typing import NumberArray

_SAMPLE = 2**12
"""Number of segments that are read to distinguish them from columns with the same name."""

_SAMPLED_PARTITIONS = 16
"""Partitions, and with them files, that are opened for that."""


@dataclass(frozen=True, slots=True)
class LegacyObject:
    """Root objects that belong together.

    Parameters
    ----------
    name : str
        Prefix of their names.
    kind : ObjType
        Kind of the combined object.
    members : mapping of str to str
        Names of the root objects, by member.
    """

    name: str
    kind: ObjType
    members: Mapping[str, str]


ENDS: dict[ObjType, dict[str, str]] = {
    ObjType.SEGARRAY: {SEGMENTS: "_segments", VALUES: "_values"},
    ObjType.CATEGORICAL: {CODES: ".codes", CATEGORIES: ".categories"},
}
OPTIONAL_ENDS: dict[ObjType, dict[str, str]] = {
    ObjType.SEGARRAY: {},
    ObjType.CATEGORICAL: {NA_CODES: "._akNAcode", PERMUTATION: ".permutation", SEGMENTS: ".segments"},
}


def find_legacy_objects(kinds: Mapping[str, ObjType]) -> dict[str, LegacyObject]:
    """Return the legacy objects that the names of a set's objects suggest, by name; reads no data."""
    found: dict[str, LegacyObject] = {}
    for kind, ends in ENDS.items():
        first = next(iter(ends.values()))
        for root in kinds:
            name = root.removesuffix(first)
            complete = root.endswith(first) and name and all(f"{name}{end}" in kinds for end in ends.values())
            if complete and name not in kinds:
                members = ends | OPTIONAL_ENDS[kind]
                named = {member: f"{name}{end}" for member, end in members.items() if f"{name}{end}" in kinds}
                found.setdefault(name, LegacyObject(name, kind, named))
    return found


def combined(legacy: LegacyObject, objects: Mapping[str, StoredObject]) -> StoredObject | None:
    """Return the combined object of a legacy object's members; None if they do not fit together.

    Parameters
    ----------
    legacy : LegacyObject
        The members by name.
    objects : mapping of str to StoredObject
        The set's objects under these names.  A sample of the segments is read to validate them.
    """
    plain = {ObjType.PDARRAY, ObjType.STRINGS}
    if any(objects[root].kind not in plain for root in legacy.members.values()):
        return None
    members = {member: objects[root].members[VALUES] for member, root in legacy.members.items()}
    fits = _is_segarray(members) if legacy.kind is ObjType.SEGARRAY else _is_categorical(members)
    return StoredObject(legacy.name, legacy.kind, members) if fits else None


def _is_categorical(members: Mapping[str, StoredColumn]) -> bool:
    wanted = {member: STR if member == CATEGORIES else INT64 for member in members}
    return all(_type(column) == wanted[member] for member, column in members.items())


def _is_segarray(members: Mapping[str, StoredColumn]) -> bool:
    """Whether numbers can be segments: positions in the values that begin at 0 and never fall.

    Reads at most `_SAMPLE` segments.  All of them are checked when they are used.
    """
    segments, values = members[SEGMENTS], members[VALUES]
    if _type(segments) not in (INT64, UINT64) or _type(values) == STR:
        return False
    sample = _sample(segments).astype(np.int64)
    if not len(sample):
        return True
    return bool(sample[0] == 0 and sample[-1] <= sum(values.source.lengths) and (np.diff(sample) >= 0).all())


def _type(column: StoredColumn) -> object:
    return column.source.columns[column.column]


def _sample(column: StoredColumn) -> NumberArray:
    """Return the first numbers of a column, and the last one."""
    filled = [(index, count) for index, count in enumerate(column.source.lengths) if count]
    if not filled:
        return np.empty(0, np.int64)
    found, left = [], _SAMPLE
    for index, count in filled[:_SAMPLED_PARTITIONS]:
        if left:
            found.append(_rows(column, index, 0, min(count, left)))
            left -= len(found[-1])
    last, end = filled[-1]
    return np.concatenate([*found, _rows(column, last, end - 1, end)])


def _rows(column: StoredColumn, partition: int, start: int, stop: int) -> NumberArray:
    with column.source.part(partition, [column.column]).open() as reader:
        return np.asarray(reader.read(column.column, start, stop))


class FileSet:
    """The HDF5 files of one set, described but not read; implements `akdask.storage.objects.StoredSet`.

    Parameters
    ----------
    files : sequence of FileDescription
        In the order of the rows.
    options : ReadOptions
        How they are read.
    allow_errors : bool
        Leave out files that lack a requested object, with a warning.
    """

    def __init__(self, files: Sequence[FileDescription], options: ReadOptions, *, allow_errors: bool) -> None:
        self._files = tuple(files)
        self._options = options
        self._allow_errors = allow_errors

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.file.path for file in self._files)

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all objects by name, including unreadable ones.

        Names are in the stored order of the first file, if akdask wrote it, else in byte order.
        """
        found = {schema.name: schema.kind for file in reversed(list(differing(self._files))) for schema in file.objects}
        return {name: found[name] for name in in_stored_order(found, self._files[0].column_order)}

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return objects, all if no names are given, ready to be scanned; for errors see `select`.

        Objects that old releases stored as several root objects are returned as one object, unless the parts are named.
        """
        present = self._readable() if names is None else list(self.kinds)
        legacy_objects = find_legacy_objects({name: self.kinds[name] for name in present})
        wanted = {name: legacy for name, legacy in legacy_objects.items() if names is None or name in names}
        if not wanted:
            return self.select(present if names is None else names)
        parts = self.select([root for legacy in wanted.values() for root in legacy.members.values()])
        complete = {name: made for name, legacy in wanted.items() if (made := combined(legacy, parts)) is not None}
        used = {root: name for name in complete for root in legacy_objects[name].members.values()}
        if names is not None:
            found = self.select([name for name in names if name not in complete])
            return {name: complete[name] if name in complete else found[name] for name in dict.fromkeys(names)}
        rest = self.select([name for name in present if name not in used])
        order = dict.fromkeys(used.get(name, name) for name in present)
        return {name: complete[name] if name in complete else rest[name] for name in order}

    def select(self, datasets: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return the named objects in their stored form, all if None, ready to be scanned.

        Reads no data, except where Strings have no segments and must be counted.

        Raises
        ------
        MissingDatasetError
            If a name is in none of the files.
        InconsistentFilesError
            If files disagree about an object, or lack it; all disagreements are listed.
        ObjTypeError, UnsupportedError
            If an object is of an unknown kind, or of one that cannot be read.
        """
        names = self._readable() if datasets is None else list(dict.fromkeys(datasets))
        missing = [name for name in names if name not in self.kinds]
        if missing:
            raise MissingDatasetError(
                f"{self._options.label} has no dataset {', '.join(map(repr, missing))}.",
                details=[f"datasets: {', '.join(self.kinds)}"],
                hint="name some of these, or none for all.",
            )
        self._agreement.check_readable(names)
        schemas = {name: self._agreement.schemas[name] for name in names}
        spaces = self._row_spaces_of(schemas)
        found = {name: _stored(schema, spaces) for name, schema in schemas.items()}
        return {name: _of_rest(stored) for name, stored in found.items()} if self._allow_errors else found

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Objects that the files have differently, and how."""
        return self._agreement.differences

    def _readable(self) -> list[str]:
        """Return the objects that are read where none are named.

        These are the readable objects that the files have alike.  If files may be left out, they are those of the first
        file.
        """
        first = {schema.name for schema in self._files[0].objects}
        differing = {
            name: found
            for name, found in self.differences.items()
            if not self._allow_errors or (name not in first and len(self._files) > 1)
        }
        unreadable = self._agreement.unreadable | self._outside_objects()
        rest = [name for name in self.kinds if name not in differing and name not in unreadable]
        if not rest and differing:
            raise self._agreement.error(differing)
        if not rest:
            return list(unreadable)
        warn_of_left_out(self._options.label, differing, unreadable)
        return rest

    def _outside_objects(self) -> dict[str, str]:
        """Return the objects with data in other files, where the settings do not allow that, and the reason."""
        outside = frozenset() if config.get("external_files") else self._layouts.outside
        if not outside:
            return {}
        return {
            name: "keeps its data in other files, which ak.config.set(external_files=True) allows"
            for name, schema in self._agreement.schemas.items()
            if not outside.isdisjoint(column.name for column in schema.columns)
        }

    @cached_property
    def _layouts(self) -> Layouts:
        return Layouts(self._files)

    @cached_property
    def _agreement(self) -> Agreement:
        return Agreement(self._files, strict_types=self._options.strict_types, widen=self._options.widen)

    @cached_property
    def _row_spaces(self) -> RowSpaces:
        return RowSpaces(self._layouts, _columns(self._agreement.agreed), self._options)

    def _row_spaces_of(self, schemas: Mapping[str, ObjectSchema]) -> RowSpaces:
        dissenters = self._agreement.dissenters(schemas)
        if not dissenters:
            return self._row_spaces
        error = self._agreement.error(schemas)
        if not self._allow_errors or len(dissenters) == len(self._files):
            raise error
        warn_of_skipped(error.details, len(dissenters))
        rest = [file for index, file in enumerate(self._files) if index not in dissenters]
        return RowSpaces(Layouts(rest), _columns(schemas), self._options)


def _columns(schemas: Mapping[str, ObjectSchema]) -> dict[str, ColumnSchema]:
    return {column.name: column for schema in schemas.values() for column in schema.columns}


def _stored(schema: ObjectSchema, spaces: RowSpaces) -> StoredObject:
    members = {
        member: StoredColumn(spaces.source(column.name, column), column.name) for member, column in schema.members
    }
    children = {member: _stored(child, spaces) for member, child in schema.children}
    return StoredObject(schema.name, schema.kind, members, children, dict(schema.params))


def _of_rest(stored: StoredObject) -> StoredObject:
    """Return a multidimensional array with the rows of the files that were not left out."""
    shape = stored.params.get("shape", ())
    if stored.kind != ObjType.ARRAYVIEW or len(shape) < 2 or not (beside := math.prod(shape[1:])):
        return stored
    nrows, rest = divmod(sum(stored.members[VALUES].source.lengths), beside)
    return stored if rest else replace(stored, params={**stored.params, "shape": (nrows, *shape[1:])})


def open_set(
    filenames: Filenames,
    *,
    strict_types: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False,
    widen: bool = False,
    label: str | None = None,
) -> FileSet:
    """Open a set of HDF5 files: find them and read their metadata.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file or a glob pattern.
    strict_types : bool, default True
        Demand that width and sign of numbers agree over the files too.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning.
    calc_string_offsets : bool, default False
        Find where strings start from their NULs, even where segments are stored.
    widen : bool, default False
        Read numbers that files have in different types in one that has all of them.
    label : str, optional
        How plans and messages name the set.

    Returns
    -------
    FileSet
        The same one as before, if the files have not changed.

    Raises
    ------
    MissingFileError, InconsistentFilesError, FileFormatError
        If files are missing, missing from within a set, or not readable as HDF5.
    """
    options = ReadOptions(
        strict_types,
        widen,
        calc_string_offsets,
        partition_size(),
        config.get("manifest"),
        label or f"read_hdf({shown(filenames)})",
    )
    return _OPENER.open(
        filenames,
        options,
        lambda files: FileSet(files, options, allow_errors=allow_errors),
        allow_errors=allow_errors,
    )


_OPENER: SetOpener[FileDescription, FileSet] = SetOpener(
    "HDF5", manifest_describer(HdfManifest, inspect_ahead, inspect_file)
)
