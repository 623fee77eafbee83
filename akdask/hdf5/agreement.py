"""Whether the files of a set agree about an object.  All that is wrong is told at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from akdask.errors import FileError, InconsistentFilesError
from akdask.hdf5.description import ColumnSchema, FileDescription, ObjectSchema, differing

_MOST_MESSAGES = 10


def check_agreement(
    files: Sequence[FileDescription], names: Sequence[str], *, strict_types: bool, allow_errors: bool
) -> tuple[Sequence[FileDescription], dict[str, ObjectSchema]]:
    """Return the files to read and the schema of each object.

    The first file that has an object decides what it is.  An object must be in every file; members that a file lacks
    have no rows there.

    Raises
    ------
    InconsistentFilesError
        If files lack an object or disagree about it.
    ObjTypeError, UnsupportedError
        If an object is of an unknown kind, or of one that cannot be read.
    FileError
        If, with `allow_errors`, no file is left.
    """
    schemas = _references(files, names)
    problems: dict[int, list[str]] = {}
    for index, file in enumerate(files):
        if index and file.objects == files[index - 1].objects:
            found = problems.get(index - 1, [])
        else:
            found = list(_differences(file, schemas, strict_types))
        if found:
            problems[index] = found
    if not problems:
        return files, schemas
    told = [f"{files[index].file.path}: {text}" for index, texts in problems.items() for text in texts]
    if not allow_errors:
        raise InconsistentFilesError(
            "the files of the set do not agree.",
            details=told,
            hint="allow_errors=True leaves such files out; strict_types=False accepts other widths and signs.",
        )
    rest = [file for index, file in enumerate(files) if index not in problems]
    if not rest:
        raise FileError("no file of the set has all that is asked for.", details=told)
    warn_of_skipped(told, len(problems))
    return rest, schemas


def warn_of_skipped(told: Sequence[str], count: int) -> None:
    """Tell in one warning how many files are left out, and why."""
    shown = "\n".join(told[:_MOST_MESSAGES])
    warnings.warn(f"{count} file{'s are' if count > 1 else ' is'} left out:\n{shown}", RuntimeWarning, stacklevel=5)


def _references(files: Sequence[FileDescription], names: Sequence[str]) -> dict[str, ObjectSchema]:
    """Take each schema from the first file that has the object, with the members that only later files have."""
    wanted = dict.fromkeys(names)
    found: dict[str, ObjectSchema] = {}
    for file in differing(files):
        for schema in file.objects:
            if schema.name not in wanted:
                continue
            known = found.setdefault(schema.name, schema)
            if schema.problem is not None and known is schema:
                raise schema.problem.error(
                    f"dataset {schema.name!r} of {file.file.path!r} {schema.problem.text}.",
                    hint="name the other datasets to read only those.",
                )
            if schema.kind == known.kind and schema.members != known.members:
                found[schema.name] = replace(known, members=tuple((dict(schema.members) | dict(known.members)).items()))
    return {name: found[name] for name in names}


def _differences(file: FileDescription, schemas: Mapping[str, ObjectSchema], strict_types: bool) -> Iterator[str]:
    """Tell what a file lacks, or has otherwise."""
    present = {schema.name: schema for schema in file.objects}
    for name, reference in schemas.items():
        found = present.get(name)
        if found is None:
            yield f"has no object {name!r}"
        elif found.problem is not None:
            yield f"{name!r} {found.problem.text}"
        elif found.kind != reference.kind:
            yield f"{name!r} is {found.kind.label}, elsewhere {reference.kind.label}"
        elif found != reference:
            expected = dict(reference.members)
            for member, column in found.members:
                yield from _type_differences(column, expected[member], strict_types)


def _type_differences(found: ColumnSchema, reference: ColumnSchema, strict_types: bool) -> Iterator[str]:
    """HDF5 classes must agree, width and sign only if types are strict; byte order never matters."""
    here, there = np.dtype(found.values.dtype), np.dtype(reference.values.dtype)
    same_class = (here.kind == "f") == (there.kind == "f") and found.dtype.is_number == reference.dtype.is_number
    same = (here.kind, here.itemsize, found.dtype) == (there.kind, there.itemsize, reference.dtype)
    if not same_class or (strict_types and not same):
        yield f"{found.name!r} is {_stored_as(found)}, elsewhere {_stored_as(reference)}"


def _stored_as(column: ColumnSchema) -> str:
    stored = np.dtype(column.values.dtype).name
    return stored if stored == column.dtype.name else f"{column.dtype.name} stored as {stored}"
