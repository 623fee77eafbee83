"""Strings: bytes that each end in NUL, and where each string starts.

In memory there are no NULs, and Arrow offsets in place of segments; nothing outside this module knows of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from akdask.hdf5 import layout
from akdask.hdf5.datasets import NotFlatError
from akdask.hdf5.description import ColumnSchema, DatasetSchema, Described, ObjectSchema, Slot
from akdask.hdf5.layout import H5Object, ObjType
from akdask.hdf5.members import Members
from akdask.schema import STR
from akdask.typing import NumberArray

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
    return ColumnSchema(name, STR, values, segments)


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
    nuls = np.flatnonzero(values == 0)
    ends = bounds[1:] - (bounds[0] + 1)
    # As many NULs as strings, each at the end of one: this proves that segments rise and that none is inside.
    if len(nuls) != count or not np.array_equal(nuls, ends):
        raise _misplaced(nuls, ends)
    offsets = bounds - bounds[0]
    offsets -= np.arange(count + 1)
    data = values[values != 0]
    strings = pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(data))
    if len(data) and data.max() >= 0x80:
        _check_utf8(strings)
    return strings


def _misplaced(nuls: NumberArray, ends: NumberArray) -> StringError:
    shared = min(len(nuls), len(ends))
    differs = np.flatnonzero(nuls[:shared] != ends[:shared])
    row = int(differs[0]) if len(differs) else shared
    if row >= len(ends):
        return StringError(len(ends) - 1, "there are bytes after its NUL")
    return StringError(row, "it does not end with its one NUL where the next segment starts")


def _check_utf8(strings: pa.LargeStringArray) -> None:
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid:
        for row, text in enumerate(strings.cast(pa.large_binary())):
            try:
                text.as_py().decode()
            except UnicodeDecodeError as error:
                raise StringError(row, f"it is not UTF-8 ({error.reason} at byte {error.start})") from None
        raise
