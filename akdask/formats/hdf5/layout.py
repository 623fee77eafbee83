"""Names, numbers and attributes of Arkouda's HDF5 schema, to the byte.

Members are called in files as in `akdask.storage.objects`.

Sources: Arkouda's ``HDF5Msg.chpl`` and ``ServerConfig.chpl``; the schema documents name some members differently.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT8, UINT64, ColumnType
from akdask.formats.hdf5.low_level import h5a, h5s, h5t
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
