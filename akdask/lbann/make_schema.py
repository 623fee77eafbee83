"""Schemas made from a sample: every field with an ordering, and its other possible metadata as comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from akdask.errors import FileFormatError
from akdask.formats.hdf5.library_file import TEXT, LibraryFile, NotThereError, StoredData, UnknownElementsError
from akdask.formats.hdf5.open_files import OPEN_FILES
from akdask.lbann.errors import MissingSampleError, SampleError
from akdask.lbann.schema_document import MAX_DEPTH
from akdask.lbann.schema_nodes import METADATA
from akdask.storage.recovery import recover_naming

_STEP = 10  # so that fields can be put between others
_INDENT = "  "
_MOST_FIELDS = 10**6
_DEEPEST = MAX_DEPTH - 4  # maps of metadata are one level deeper
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ_OTHERWISE = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_IMAGES, _VOLUMES = 2, 3


class GeneratedSchemas(NamedTuple):
    """The YAML texts of two schemas.

    Parameters
    ----------
    data : str
        Describes all fields of the sample.
    experiment : str
        Selects all fields that can be read.
    """

    data: str
    experiment: str


@dataclass(slots=True)
class _Group:
    """A group of the sample: its members by name, in order."""

    members: dict[str, _Group | StoredData | str] = field(default_factory=dict)


def generate(path: str, sample_id: str) -> GeneratedSchemas:
    """Make a data schema and an experiment schema from a sample.

    Parameters
    ----------
    path : str
        A file.
    sample_id : str
        Path of a sample in it.

    Returns
    -------
    GeneratedSchemas
        Fields have an ``ordering`` in steps of ten, counted through the sample, and each level has its ``metadata``;
        other possible metadata are comments.  Unreadable fields are comments.

    Raises
    ------
    MissingSampleError
        If there is no such file or sample, or it has no fields.
    SampleError
        If the file cannot be read.
    """
    recover_naming([path])
    try:
        with OPEN_FILES.lease(path) as file:
            if not file.library.has_group(sample_id):
                raise MissingSampleError("the file has no such sample.", file=path, sample=sample_id)
            sample = _group(file.library, sample_id.strip("/"), _DEEPEST, [_MOST_FIELDS])
    except FileNotFoundError:
        raise MissingSampleError("there is no such file.", file=path) from None
    except NotThereError as error:
        raise SampleError(f"the sample {error}.", file=path, sample=sample_id) from None
    except FileFormatError as error:
        raise SampleError("the file cannot be read.", file=path, details=error.details, hint=error.hint) from error
    except OSError as error:
        raise SampleError("the file cannot be read.", file=path, details=[error.strerror or str(error)]) from error
    if not any(True for _ in _fields(sample)):
        raise MissingSampleError("the sample has no fields that can be read.", file=path, sample=sample_id)
    return GeneratedSchemas("\n".join(_data(sample)) + "\n", "\n".join(_experiment(sample)) + "\n")


def _group(library: LibraryFile, path: str, depth: int, left: list[int]) -> _Group:
    """Return the members of a group; `left` has one number, the limit of further members."""
    if not depth:
        raise NotThereError("has groups in each other without end")
    found = _Group()
    for name, is_group in library.members(path):
        left[0] -= 1
        if left[0] < 0:
            raise NotThereError(f"has more than {_MOST_FIELDS:,} members")
        below = f"{path}/{name}"
        if problem := _problem_of(name):
            found.members[name] = problem
        elif is_group:
            found.members[name] = _group(library, below, depth - 1, left)
        else:
            found.members[name] = _dataset(library, below)
    return found


def _problem_of(name: str) -> str:
    if name == METADATA:
        return "no field can be called 'metadata'"
    return "" if name.isprintable() and not any("\ud800" <= one <= "\udfff" for one in name) else "not a name for YAML"


def _dataset(library: LibraryFile, path: str) -> StoredData | str:
    try:
        return library.description(path)
    except UnknownElementsError as error:
        return f"it holds {error}"
    except (NotThereError, FileFormatError) as error:
        return f"it {error}" if isinstance(error, NotThereError) else "it is damaged"


def _fields(group: _Group) -> Iterator[StoredData]:
    for member in group.members.values():
        if isinstance(member, _Group):
            yield from _fields(member)
        elif isinstance(member, StoredData):
            yield member


def _data(sample: _Group) -> Iterator[str]:
    yield "# Data schema. What stands in comments is not in force."
    ordering = [0]
    yield from _data_level(sample, "", ordering)


def _data_level(group: _Group, indent: str, ordering: list[int]) -> Iterator[str]:
    """Yield the lines of one level; `ordering` has one number, that of the last field."""
    yield f"{indent}{METADATA}:"
    yield f"{indent}{_INDENT}# coerce: float"
    for name, member in group.members.items():
        match member:
            case str():
                yield f"{indent}# {_key(name)}:  left out, as {member}"
            case StoredData():
                ordering[0] += _STEP
                yield f"{indent}{_key(name)}:  # {_shown(member)}"
                yield f"{indent}{_INDENT}{METADATA}:"
                yield f"{indent}{_INDENT * 2}ordering: {ordering[0]}"
                yield from (f"{indent}{_INDENT * 2}# {line}" for line in _possible(member))
            case _Group() if any(True for _ in _fields(member)):
                yield f"{indent}{_key(name)}:"
                yield from _data_level(member, indent + _INDENT, ordering)


def _possible(data: StoredData) -> Iterator[str]:
    if data.elements.dtype == TEXT:
        return
    shape = data.shape or ()
    if len(shape) in {_IMAGES, _VOLUMES}:
        yield f"dims: {list(shape)}"
        yield "channels: 1"
    elif len(shape) == _VOLUMES + 1:
        yield f"dims: {list(shape[:-1])}"
        yield f"channels: {shape[-1]}"
        yield "layout: dhwc"
        yield "transpose: cdhw"
    if data.elements.dtype.kind != "f":
        yield "coerce: float"
    n = shape[-1] if len(shape) == _VOLUMES + 1 else 0
    yield f"scale: {[1.0] * n if n else 1.0}"
    yield f"bias: {[0.0] * n if n else 0.0}"


def _experiment(sample: _Group) -> Iterator[str]:
    yield "# Experiment schema: the fields to use. Leave out lines of fields that are not wanted."
    yield f"{METADATA}:"
    yield f"{_INDENT}# pack: samples"
    yield f"{_INDENT}# coerce: float"
    yield from _experiment_level(sample, "")


def _experiment_level(group: _Group, indent: str) -> Iterator[str]:
    for name, member in group.members.items():
        match member:
            case StoredData() if member.elements.dtype == TEXT:
                yield f"{indent}{_key(name)}:  # text cannot be packed"
            case StoredData():
                yield f"{indent}{_key(name)}:"
            case _Group() if any(True for _ in _fields(member)):
                yield f"{indent}{_key(name)}:"
                yield from _experiment_level(member, indent + _INDENT)


def _key(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in _READ_OTHERWISE else json.dumps(name)


def _shown(data: StoredData) -> str:
    kind = "text" if data.elements.dtype == TEXT else str(data.elements.dtype.newbyteorder("="))
    shape = " x ".join(map(str, data.shape or ()))
    return f"{kind}, {shape}" if shape else kind
