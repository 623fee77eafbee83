"""Strings: bytes that each end in NUL, and where each string starts.

In memory there are no NULs, and Arrow offsets in place of segments; nothing outside this module knows of either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.columns import type_of
from akdask.errors import SchemaError
from akdask.hdf5 import layout
from akdask.hdf5.datasets import NotFlatError
from akdask.hdf5.description import ColumnSchema, DatasetSchema, Described, ObjectSchema, Slot
from akdask.hdf5.layout import H5Object, ObjType
from akdask.hdf5.members import Members
from akdask.hdf5.newfile import Columns, NewDataset, NewGroup, NewObject, ObjectSpec, Share
from akdask.schema import STR
from akdask.typing import Column, NumberArray

KINDS = (ObjType.STRINGS,)

_ROWS_AT_ONCE = 2**16
_PAST_THE_END = 2**40


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
    values, slot = members.dataset(members.find_values(layout.VALUES), layout.VALUES)
    if values.dtype not in {"|u1", "|i1"}:
        raise NotFlatError(f"holds {values.dtype} as values, not bytes")
    found = members.find_values(layout.SEGMENTS)
    if found is None:
        return _column(name, values, None), (slot,)
    segments, segment_slot = members.dataset(found, layout.SEGMENTS)
    if segments.dtype[1] not in "iu":
        raise NotFlatError(f"holds {segments.dtype} as segments, not integers")
    return _column(name, values, segments), (slot, segment_slot)


@lru_cache(maxsize=65536)
def _column(name: str, values: DatasetSchema, segments: DatasetSchema | None) -> ColumnSchema:
    return ColumnSchema(name, STR, (values,) if segments is None else (values, segments))


@lru_cache(maxsize=65536)
def _schema(name: str, kind: ObjType, column: ColumnSchema) -> ObjectSchema:
    return ObjectSchema(name, kind, ((layout.VALUES, column),))


class StringError(Exception):
    """Bytes that are no valid strings: the first bad row, and what is wrong with it."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(row, text)
        self.row = row
        self.text = text


def starts_from_ends(ends: Sequence[NumberArray]) -> NumberArray:
    """Return the start of each string and the end of the last, from blocks of positions of NULs."""
    bounds = np.concatenate([np.zeros(1, np.int64), *ends])
    bounds[1:] += 1
    return bounds


def decode(values: NumberArray, bounds: NumberArray) -> pa.LargeStringArray:
    """Turn bytes with NULs into an Arrow array.

    Parameters
    ----------
    values : ndarray, uint8
        Bytes of these strings only.
    bounds : ndarray, shape (n + 1,), int64
        Where each string starts in the dataset, and the end of the last.

    Raises
    ------
    StringError
        If a string does not end with its one NUL, or is not UTF-8.
    """
    count = len(bounds) - 1
    offsets = bounds - bounds[0]
    ends = offsets[1:] - 1
    # As many NULs as strings, and one before each bound: so none is inside a string.
    rising = bool((offsets[1:] > offsets[:-1]).all())
    if not rising or len(values) - np.count_nonzero(values) != count or values.take(ends).any():
        raise _misplaced(np.flatnonzero(values == 0), ends)
    ended = pa.Array.from_buffers(pa.large_binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(values)])
    strings = pc.binary_slice(ended, 0, -1)
    return strings.view(pa.large_string()) if values.max(initial=0) < 0x80 else _as_utf8(strings)


def _misplaced(nuls: NumberArray, ends: NumberArray) -> StringError:
    shared = min(len(nuls), len(ends))
    differs = np.flatnonzero(nuls[:shared] != ends[:shared])
    row = int(differs[0]) if len(differs) else shared
    if row >= len(ends):
        return StringError(len(ends) - 1, "there are bytes after its NUL")
    return StringError(row, "it does not end with its one NUL where the next segment starts")


def _as_utf8(strings: pa.LargeBinaryArray) -> pa.LargeStringArray:
    try:
        return strings.cast(pa.large_string())
    except pa.ArrowInvalid:
        for row, text in enumerate(strings.to_pylist()):
            try:
                text.decode()
            except UnicodeDecodeError as error:
                raise StringError(row, f"it is not UTF-8 ({error.reason} at byte {error.start})") from None
        raise


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out a group with bytes and segments."""
    return group_of_strings(spec.name, columns[spec.members[layout.VALUES]])


def group_of_strings(path: str, strings: Column) -> NewObject:
    """Lay out strings; the segments start at 0 in every file.

    The members are there under their documented names too, ``<leaf>_values`` and ``<leaf>_segments``.

    Raises
    ------
    SchemaError
        If the column holds numbers, or a string contains NUL.
    """
    if not isinstance(strings, pa.LargeStringArray):
        raise SchemaError(f"{path!r} is to be written as Strings, but the values are {type_of(strings)}.")
    rows = strings.fill_null("") if strings.null_count else strings
    offsets, data = _buffers(rows)
    if np.count_nonzero(data) != len(data):
        row = int(np.searchsorted(offsets - offsets[0], np.flatnonzero(data == 0)[0], side="right")) - 1
        raise SchemaError(f"{path!r} cannot be written as Strings.", details=[f"row {row} contains NUL"])
    values, segments = f"{path}/{layout.VALUES}", f"{path}/{layout.SEGMENTS}"
    leaf = path.rpartition("/")[2]
    parts = (
        NewGroup(path, ObjType.STRINGS),
        NewDataset(values, "|u1", len(data) + len(rows), alias=f"{path}/{leaf}_{layout.VALUES}"),
        NewDataset(segments, "<i8", len(rows), alias=f"{path}/{leaf}_{layout.SEGMENTS}", local_to=values),
    )
    starts = offsets[:-1] - offsets[0]
    starts += np.arange(len(rows))
    return NewObject(parts, {values: _encode(rows), segments: [starts]})


def _buffers(strings: pa.LargeStringArray) -> tuple[NumberArray, NumberArray]:
    """Return the offsets of an array, and the bytes from the first to the last of them."""
    if not len(strings):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, offset_buffer, data_buffer = strings.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64, len(strings) + 1, 8 * strings.offset)
    start, stop = int(offsets[0]), int(offsets[-1])
    return offsets, np.frombuffer(data_buffer, np.uint8, stop - start, start) if stop > start else np.empty(0, np.uint8)


def _encode(strings: pa.LargeStringArray) -> Iterator[NumberArray]:
    """Yield the bytes of strings, each ended by NUL, in pieces that stay in the processor's cache."""
    for start in range(0, len(strings), _ROWS_AT_ONCE):
        block = strings.slice(start, _ROWS_AT_ONCE).view(pa.large_binary())
        yield _buffers(pc.binary_replace_slice(block, _PAST_THE_END, _PAST_THE_END, b"\0"))[1]
