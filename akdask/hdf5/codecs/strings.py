"""Strings: a group of values, bytes that each end in NUL, and segments, where each string starts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pyarrow as pa

from akdask.columns import offsets_and_bytes, type_of
from akdask.errors import SchemaError
from akdask.hdf5.datasets import NotFlatError
from akdask.hdf5.description import ColumnSchema, DatasetSchema, Described, ObjectSchema, Slot
from akdask.hdf5.layout import H5Object
from akdask.hdf5.members import Members
from akdask.hdf5.newfile import NewDataset, NewGroup, NewObject, Share
from akdask.hdf5.nulended import StringError, encode, segments_of
from akdask.kernels.reductions.top_k import PrefixRange
from akdask.schema import STR
from akdask.storage.objects import SEGMENTS, VALUES, Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray, StringArray

KINDS = (ObjType.STRINGS,)


def describe(name: str, kind: ObjType, node: H5Object) -> Described:
    """Describe a group of ``values`` and ``segments``; files of any age may lack segments."""
    column, slots = describe_column(name, Members(node, name))
    return Described(_schema(name, kind, column), slots)


def describe_column(name: str, members: Members) -> tuple[ColumnSchema, tuple[Slot, ...]]:
    """Describe the column of strings that a group holds.

    Raises
    ------
    NotFlatError
        If a member is missing or of another type.
    """
    values, slot = members.dataset(members.find_values(VALUES), VALUES)
    if values.dtype not in {"|u1", "|i1"}:
        raise NotFlatError(f"holds {values.dtype} as values, not bytes")
    found = members.find_values(SEGMENTS)
    if found is None:
        return _column(name, values, None), (slot,)
    segments, segment_slot = members.dataset(found, SEGMENTS)
    if segments.dtype[1] not in "iu":
        raise NotFlatError(f"holds {segments.dtype} as segments, not integers")
    return _column(name, values, segments), (slot, segment_slot)


@lru_cache(maxsize=65536)
def _column(name: str, values: DatasetSchema, segments: DatasetSchema | None) -> ColumnSchema:
    return ColumnSchema(name, STR, (values,) if segments is None else (values, segments))


@lru_cache(maxsize=65536)
def _schema(name: str, kind: ObjType, column: ColumnSchema) -> ObjectSchema:
    return ObjectSchema(name, kind, ((VALUES, column),))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out a group with bytes and, unless the object says otherwise, segments."""
    made = group_of_strings(spec.name, columns[spec.members[VALUES]])
    return made if spec.params.get(SEGMENTS, True) else made.without(f"{spec.name}/{SEGMENTS}")


def group_of_strings(path: str, strings: Column) -> NewObject:
    """Lay out strings; the segments start at 0 in every file.

    The members are there under their documented names too, ``<leaf>_values`` and ``<leaf>_segments``.

    Raises
    ------
    SchemaError
        If the column holds numbers; when the bytes are made, if a string contains NUL.
    """
    if not isinstance(strings, pa.LargeStringArray):
        raise SchemaError(f"{path!r} is to be written as Strings, but the values are {type_of(strings)}.")
    rows = strings.fill_null("") if strings.null_count else strings
    values, segments = f"{path}/{VALUES}", f"{path}/{SEGMENTS}"
    leaf = path.rpartition("/")[2]
    nbytes = len(offsets_and_bytes(rows)[1]) + len(rows)
    parts = (
        NewGroup(path, ObjType.STRINGS),
        NewDataset(values, "|u1", nbytes, alias=f"{path}/{leaf}_{VALUES}"),
        NewDataset(segments, "<i8", len(rows), alias=f"{path}/{leaf}_{SEGMENTS}", local_to=values),
    )
    prefixes = PrefixRange()
    return NewObject(parts, {values: _encoded(path, rows, prefixes), segments: segments_of(rows)}, {values: prefixes})


def _encoded(path: str, rows: StringArray, prefixes: PrefixRange) -> Iterator[NumberArray]:
    try:
        yield from encode(rows, prefixes)
    except StringError as error:
        details = [f"row {error.row} {error.text}"]
        raise SchemaError(f"{path!r} cannot be written as Strings.", details=details) from None
