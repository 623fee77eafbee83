"""Objects that releases until 2023 stored as several root objects, told by the ends of their names.

SegArrays were ``<name>_segments`` and ``<name>_values``, Categoricals ``<name>.codes``, ``<name>.categories`` and more.
Columns of users may have such names by chance; only what can be nothing else becomes an object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from akdask.schema import INT64, STR, UINT64
from akdask.storage.formats.objects import (
    CATEGORIES,
    CODES,
    NA_CODES,
    PERMUTATION,
    SEGMENTS,
    VALUES,
    ObjType,
    StoredColumn,
    StoredObject,
)
from akdask.typing import NumberArray

_SAMPLE = 2**12
"""Segments that are read to tell them from columns that are only called so."""

_SAMPLED_PARTITIONS = 16
"""Partitions, and with them files, that are opened for that."""


@dataclass(frozen=True, slots=True)
class LegacyObject:
    """Root objects that belong together.

    Parameters
    ----------
    name : str
        What they begin with.
    kind : ObjType
        What they make up.
    members : mapping of str to str
        Names of the root objects, by what they are.
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
    """Return the object that the members of a legacy object make up; None if they do not fit together.

    Parameters
    ----------
    legacy : LegacyObject
        The members by name.
    objects : mapping of str to StoredObject
        What the set holds under these names.  Of segments a sample is read, to see whether they are segments.
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

    Reads no more of them than `_SAMPLE`, however many there are.  Those of all rows are checked when they are used.
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
