"""Check that the files of a set agree about its objects, and report all differences at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, list_of
from akdask.errors import InconsistentFilesError
from akdask.formats.hdf5.description import ColumnSchema, FileDescription, ObjectSchema, differing
from akdask.formats.hdf5.layout import column_type_of
from akdask.storage.objects import Difference, ObjType, differing_error

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


@dataclass(frozen=True, slots=True)
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
            if member in children:
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
