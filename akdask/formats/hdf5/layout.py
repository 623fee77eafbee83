"""Names, numbers and attributes of Arkouda's HDF5 schema, to the byte.

Members are called in files as in `akdask.storage.objects`.

Sources: Arkouda's ``HDF5Msg.chpl`` and ``ServerConfig.chpl``; the schema documents name some members differently.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from h5py import h5a, h5s, h5t

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT8, UINT64, ColumnType
from akdask.storage.objects import ObjType

H5Object: TypeAlias = Any
"""A low-level h5py identifier: h5py has no annotations."""


METADATA_GROUP = "_arkouda_metadata"
"""Empty root group that marks files of v2021.11.02 to v2022.10.13; never an object."""

OLD_BOOLEANS = "booleans"
LIMB = "Limb_"
"""Prefix of the numbered datasets of a bigint pdarray; number 0 has the lowest 64 bits."""

FILE_FORMAT = b"File_Format"
OBJ_TYPE = b"ObjType"
IS_BOOL = b"isBool"
IS_BIGINT = b"isBigInt"
MAX_BITS = b"MaxBits"
NUM_LIMBS = b"NumLimbs"
FILE_VERSION = b"file_version"
ARKOUDA_VERSION = b"arkouda_version"
RANK = b"Rank"
SHAPE = b"Shape"
NUM_KEYS = b"NumKeys"
NUM_COLS = b"NumCols"
NUM_IDX = b"NumIdx"
COLUMN_ORDER = b"akdask_columns"
"""Attribute of akdask's own on root and DataFrames: names as the user ordered them, as JSON.  Servers ignore it."""
INNER_KIND = b"akdask_ObjType"
"""akdask's own attribute: the type of a member where servers demand a plain pdarray, as for levels and keys."""

SINGLE, DISTRIBUTED = 0, 1
"""Values of ``File_Format``."""

WRITTEN_VERSION = b"v2026.07.15 (akdask)"
"""The Arkouda release whose layout is written; readers ignore the text."""

WRITTEN_TYPES = {INT64: "<i8", UINT64: "<u8", FLOAT64: "<f8", BOOL: "|u1", UINT8: "|u1"}
"""How numbers are stored.  Servers write no narrow ones, and read bytes that ``isBool`` does not mark as integers."""

_MOST_INTEGERS = 2**16  # of an attribute, far more than an array has dimensions
_LARGEST_TEXT = 2**24  # bytes of an attribute that is read; new-style files may have large ones
_LARGEST_ATTRIBUTE = 60_000  # HDF5 keeps an attribute of an old-style file within one message of 64 KiB


def column_type_of(stored: str, *, is_bool: bool = False) -> ColumnType | None:
    """Return the type as which a stored number type is read, None if Arkouda does not read it.

    Signed and narrow unsigned integers become int64, 8-byte unsigned uint64, floats float64.
    """
    dtype = np.dtype(stored)
    match dtype.kind:
        case "i":
            return INT64
        case "u":
            return UINT64 if dtype.itemsize == 8 else INT64
        case "f" if dtype.itemsize <= 8:
            return FLOAT64
    return None


def read_integer(node: H5Object, name: bytes) -> int | None:
    """Return an integer attribute of any width, scalar or of one element; None if absent or not a number."""
    if not h5a.exists(node, name):
        return None
    attribute = h5a.open(node, name)
    # Checking type and shape for every dataset of every file would double the cost.  HDF5 does not check how much it
    # writes: eight bytes hold at most eight integers, for which the buffer has room.
    value = np.zeros(8, np.int64)
    try:
        if attribute.get_storage_size() > 8:
            return None
        attribute.read(value, h5t.NATIVE_INT64)
    except (OSError, RuntimeError, SystemError, TypeError, ValueError):
        return None
    return int(value[0])


def read_integers(node: H5Object, name: bytes) -> tuple[int, ...] | None:
    """Return an attribute of one or several integers; None if it is absent or neither."""
    if not h5a.exists(node, name):
        return None
    attribute = h5a.open(node, name)
    shape = attribute.shape
    # Of no element, of several dimensions, or more of them than an attribute of a file can hold.
    if attribute.get_type().get_class() != h5t.INTEGER or shape is None or len(shape) > 1:
        return None
    if math.prod(shape) > _MOST_INTEGERS:
        return None
    value = np.zeros(shape, np.int64)
    attribute.read(value, h5t.NATIVE_INT64)
    return tuple(value.ravel().tolist())


def read_text(node: H5Object, name: bytes) -> str | None:
    """Return a string attribute, of fixed or variable length; None if absent or not a string."""
    return text_of(h5a.open(node, name)) if h5a.exists(node, name) else None


def text_of(attribute: H5Object) -> str | None:
    """Return the text of an open attribute; None if it is no string."""
    if attribute.get_type().get_class() != h5t.STRING or attribute.shape not in {(), (1,)}:
        return None
    if attribute.get_storage_size() > _LARGEST_TEXT:
        return None
    value = np.zeros((), attribute.dtype)
    attribute.read(value)
    text: Any = value.item()
    raw = text if isinstance(text, bytes) else str(text).encode()
    return raw.rstrip(b"\0").decode(errors="replace")


def write_integer(node: H5Object, name: bytes, value: int | tuple[int, ...]) -> None:
    """Write an int64 attribute: a scalar, or one dimension of several."""
    space = h5s.create_simple((len(value),)) if isinstance(value, tuple) else _scalar()
    h5a.create(node, name, h5t.STD_I64LE, space).write(np.asarray(value, np.int64))


def write_text(node: H5Object, name: bytes, text: bytes) -> None:
    """Write a scalar string attribute of fixed length, ended by NUL, as HDF5 calls it from C does."""
    h5a.create(node, name, _text_type(len(text) + 1), _scalar()).write(np.asarray(text, f"S{len(text) + 1}"))


def write_kind(node: H5Object, kind: ObjType) -> None:
    """Write the attributes that every group and dataset of an object has."""
    write_integer(node, OBJ_TYPE, kind)
    h5a.create(node, FILE_VERSION, h5t.IEEE_F32LE, _scalar()).write(np.asarray(2.0, np.float32))
    write_text(node, ARKOUDA_VERSION, WRITTEN_VERSION)


def write_column_order(node: H5Object, names: Sequence[str]) -> None:
    """Store the users' order of columns, unless it is too long for an attribute; then the order is alphabetical."""
    if h5a.exists(node, COLUMN_ORDER):
        h5a.delete(node, COLUMN_ORDER)
    text = json.dumps(names).encode()
    if len(text) < _LARGEST_ATTRIBUTE:
        write_text(node, COLUMN_ORDER, text)


def in_stored_order(names: Collection[str], order: str | None) -> list[str]:
    """Return names of objects in a file's stored order; names that it does not mention last, in byte order."""
    try:
        listed = json.loads(order) if order else []
    except (ValueError, RecursionError):
        listed = []
    known = [name for name in listed if isinstance(name, str) and name in names] if isinstance(listed, list) else []
    rest = sorted(set(names) - {*known, METADATA_GROUP}, key=lambda name: name.encode(errors="surrogateescape"))
    return [*dict.fromkeys(known), *rest]


@cache
def _scalar() -> H5Object:
    return h5s.create(h5s.SCALAR)


@cache
def _text_type(size: int) -> H5Object:
    kind = h5t.C_S1.copy()
    kind.set_size(size)
    kind.set_strpad(h5t.STR_NULLTERM)
    return kind
