"""A set of HDF5 files: its objects, on which the files agree, and the sources to scan."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from akdask import config
from akdask.cluster import partition_size
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, list_of
from akdask.errors import InconsistentFilesError, MissingDatasetError
from akdask.formats.hdf5.description import ColumnSchema, FileDescription, ObjectSchema, differing
from akdask.formats.hdf5.inspect import inspect_ahead, inspect_file
from akdask.formats.hdf5.layout import column_type_of, in_stored_order
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.hdf5.metadata import EMPTY_GROUP
from akdask.formats.hdf5.row_spaces import Layouts, ReadOptions, RowSpaces
from akdask.records import record
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
    differing_error,
    warn_of_left_out,
)
from akdask.storage.registry import SetOpener, manifest_describer, shown, warn_of_skipped
from akdask.typing import NumberArray

_HINT = "allow_errors=True leaves such files out; strict_types=False accepts other widths and signs"
_MOST_REASONS = 2


class Agreement:
    """The schema of each object of a set, and the files that differ from it.

    The first readable file with an object decides its schema.  An object must be in every file; members missing from a
    file have no rows there.

    Parameters
    ----------
    files : sequence of FileDescription
        In the order of the set.
    strict_types : bool
        Whether width and sign of numbers must agree too.
    widen : bool, default False
        Whether numbers of all types go together, in one that has all of them.
    """

    def __init__(self, files: Sequence[FileDescription], *, strict_types: bool, widen: bool = False) -> None:
        self._files = files
        rules = _Rules(strict_types=strict_types and not widen, widen=widen)
        self.schemas = _references(files, rules)
        self._problems: list[dict[str, list[str]]] = []
        for index, file in enumerate(files):
            if index and file.objects == files[index - 1].objects:
                self._problems.append(self._problems[-1])
            else:
                self._problems.append(_differences(file, self.schemas, rules))

    @property
    def agreed(self) -> dict[str, ObjectSchema]:
        """Objects that can be read from every file."""
        disputed = {name for problems in self._problems for name in problems}
        return {k: schema for k, schema in self.schemas.items() if k not in disputed and schema.problem is None}

    @property
    def unreadable(self) -> dict[str, str]:
        """Objects that cannot be read from any file, and why."""
        return {name: schema.problem.text for name, schema in self.schemas.items() if schema.problem is not None}

    def check_readable(self, names: Collection[str]) -> None:
        """Raise the error of the first object that cannot be read at all."""
        for name in names:
            problem = self.schemas[name].problem
            if problem is not None:
                path = next(f.file.path for f in self._files if any(schema.name == name for schema in f.objects))
                raise problem.error(
                    f"dataset {name!r} of {path!r} {problem.text}.",
                    hint="name the other datasets to read only those.",
                )

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """Objects that some files lack, have otherwise, or cannot read, though others can."""
        told: dict[str, list[tuple[str, str]]] = {}
        for file, problems in zip(self._files, self._problems, strict=True):
            for name, messages in problems.items():
                if self.schemas[name].problem is None:
                    told.setdefault(name, []).extend((file.file.path, message) for message in messages)
        widened = _Rules(strict_types=False, widen=True)
        can_widen = {
            name for name in told if not any(name in _differences(file, self.schemas, widened) for file in self._files)
        }
        return {
            name: Difference(
                "; ".join(list(dict.fromkeys(text for _, text in found))[:_MOST_REASONS]),
                [f"{path}: {text}" for path, text in found],
                can_widen=name in can_widen,
            )
            for name, found in told.items()
        }

    def dissenters(self, names: Collection[str]) -> dict[int, list[str]]:
        """Return for each file that lacks an object, or has it differently, the difference."""
        return {
            index: [f"{self._files[index].file.path}: {text}" for name in names for text in problems.get(name, ())]
            for index, problems in enumerate(self._problems)
            if not problems.keys().isdisjoint(names)
        }

    def error(self, names: Collection[str]) -> InconsistentFilesError:
        """Return the error that lists all differences in some objects."""
        found = {name: self.differences[name] for name in names if name in self.differences}
        return differing_error(found, _HINT)


@record
class _Rules:
    """Which types of numbers agree: those of one width and sign only, or also floats and integers."""

    strict_types: bool
    widen: bool


def _references(files: Sequence[FileDescription], rules: _Rules) -> dict[str, ObjectSchema]:
    """Take each schema from the first file that can read the object, with the members that only later files have."""
    found: dict[str, ObjectSchema] = {}
    for file in differing(files):
        for schema in file.objects:
            known = found.setdefault(schema.name, schema)
            if schema == known or schema.problem is not None:
                continue
            found[schema.name] = _joined(known, schema, rules) if known.problem is None else schema
    return {name: _settled(schema) for name, schema in found.items()}


def _settled(schema: ObjectSchema) -> ObjectSchema:
    """Give lists that are empty in every file the type that their dataset is read as, or strings for bytes."""
    members = tuple((member, _with_items(column)) for member, column in schema.members)
    children = tuple((member, _settled(child)) for member, child in schema.children)
    if members == schema.members and children == schema.children:
        return schema
    return replace(schema, members=members, children=children)


def _with_items(column: ColumnSchema) -> ColumnSchema:
    if not _is_empty_list(column):
        return column
    stored = column.datasets[0].dtype
    return replace(column, dtype=list_of(STR if stored == "|u1" else column_type_of(stored)))


def _joined(known: ObjectSchema, other: ObjectSchema, rules: _Rules) -> ObjectSchema:
    """Return an object with the members of two files; members of both are those of the first file."""
    if other.kind != known.kind:
        return known
    members = dict(other.members) | {
        member: _typed(column, dict(other.members).get(member), rules) for member, column in known.members
    }
    others = dict(other.children)
    children = others | {
        member: _joined(child, others[member], rules) if member in others else child for member, child in known.children
    }
    return replace(known, members=tuple(members.items()), children=tuple(children.items()))


def _typed(known: ColumnSchema, other: ColumnSchema | None, rules: _Rules) -> ColumnSchema:
    """Return the column whose item type is known, as that of empty lists is not, or the common type of all numbers."""
    if other is None:
        return known
    if _is_empty_list(known):
        return other
    wanted = None if rules.strict_types else _common(known.dtype, other.dtype, rules)
    return known if wanted in (None, known.dtype) else replace(known, dtype=wanted)


def _common(known: ColumnType, other: ColumnType, rules: _Rules) -> ColumnType | None:
    """Return the type of numbers of two types, None if they do not go together."""
    found = {known, other}
    if len(found) == 1:
        return known
    if found <= {INT64, UINT64, UINT8}:
        return INT64 if INT64 in found else UINT64
    return FLOAT64 if rules.widen and found <= {FLOAT64, INT64, UINT64, UINT8} else None


def _is_empty_list(column: ColumnSchema) -> bool:
    return column.dtype.kind == "list" and column.dtype.item is None


def _differences(file: FileDescription, schemas: Mapping[str, ObjectSchema], rules: _Rules) -> dict[str, list[str]]:
    """Return for each object the members that a file lacks or has differently."""
    present = {schema.name: schema for schema in file.objects}
    told = {}
    for name, reference in schemas.items():
        found = present.get(name)
        if found is not reference and (differences := list(_object_differences(name, found, reference, rules))):
            told[name] = differences
    return told


def _object_differences(name: str, found: ObjectSchema | None, reference: ObjectSchema, rules: _Rules) -> Iterator[str]:
    if found is None:
        yield f"has no object {name!r}"
    elif found.problem is not None:
        yield f"{name!r} {found.problem.text}"
    elif found.kind != reference.kind:
        yield f"{name!r} is {found.kind.label}, elsewhere {reference.kind.label}"
    elif found.params != reference.params and found.kind == ObjType.ARRAYVIEW:
        yield f"{name!r} is of shape {dict(found.params)['shape']}, elsewhere {dict(reference.params)['shape']}"
    else:
        expected = dict(reference.members)
        for member, column in found.members:
            if member in expected:
                yield from _type_differences(column, expected[member], rules)
        children = dict(reference.children)
        for member, child in found.children:
            if member in children and (child.problem is None or children[member].problem is None):
                yield from _object_differences(child.name, child, children[member], rules)


def _type_differences(found: ColumnSchema, reference: ColumnSchema, rules: _Rules) -> Iterator[str]:
    """HDF5 classes must agree, width and sign only if types are strict; byte order never matters.

    Classes of numbers may differ where numbers are widened; bools are no numbers.
    """
    if _is_empty_list(found) or _is_empty_list(reference):
        return
    here, there = np.dtype(found.datasets[0].dtype), np.dtype(reference.datasets[0].dtype)
    is_widened = found.dtype.is_number and rules.widen
    same_class = is_widened or (here.kind == "f") == (there.kind == "f")
    same_class = same_class and _class(found.dtype) == _class(reference.dtype)
    same = (here.kind, here.itemsize, found.dtype) == (there.kind, there.itemsize, reference.dtype)
    if not same_class or (rules.strict_types and not same):
        yield f"{found.name!r} is {_stored_as(found)}, elsewhere {_stored_as(reference)}"


def _class(dtype: ColumnType) -> str:
    """Return the part of a type that must agree even if types are not strict."""
    items = "" if dtype.item is None else _class(dtype.item)
    return "number" if dtype.is_number and dtype != BOOL else f"{dtype.kind} {items}"


def _stored_as(column: ColumnSchema) -> str:
    stored = np.dtype(column.datasets[0].dtype).name
    dtype = column.dtype.item or column.dtype
    limit = f" of {dtype.max_bits} bits" if dtype.max_bits > 0 else ""
    return stored if stored == column.dtype.name else f"{column.dtype.name}{limit} stored as {stored}"


_SAMPLE = 2**12
"""Number of segments that are read to distinguish them from columns with the same name."""

_SAMPLED_PARTITIONS = 16
"""Partitions, and with them files, that are opened for that."""


@record
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

    @property
    def is_of_akdask(self) -> bool:
        """Whether akdask wrote the first file: it notes the order of the columns there."""
        return self._files[0].column_order is not None

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
        odd = {
            child.name: child.problem.text
            for schema in schemas.values()
            for _, child in schema.children
            if child.problem is not None
        }
        warn_of_left_out(self._options.label, {}, odd)
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
            # Groups without members hide nothing.
            return [name for name, reason in unreadable.items() if reason != EMPTY_GROUP]
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
    children = {member: _stored(child, spaces) for member, child in schema.children if child.problem is None}
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
