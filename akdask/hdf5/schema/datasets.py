"""Metadata of one HDF5 dataset, through the few low-level calls that a set of thousands of files can afford."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from h5py import h5d, h5t

from akdask.hdf5.schema.description import DatasetSchema, Slot
from akdask.hdf5.schema.layout import H5Object
from akdask.storage.data.extents import ELSEWHERE, OUTSIDE

MAX_COMPRESSION_RATIO = 2**12
"""Bytes that one stored byte may stand for where all have to be looked at: filters pack a thousand zeros into one."""

_MOST_BYTES = 2**63  # that can be counted


class NotFlatError(Exception):
    """The dataset is no one-dimensional array of plain numbers; codecs turn this into a `Problem`."""


def is_dataset(node: H5Object) -> bool:
    """Whether an open object is a dataset."""
    return isinstance(node, h5d.DatasetID)


def describe_dataset(node: H5Object, path: str, *, flat: bool = True) -> tuple[DatasetSchema, Slot]:
    """Return stored type, offset and number of elements of a dataset of numbers; one dimension, if it must be flat.

    Raises
    ------
    NotFlatError
        If it has another rank or another type.
    """
    shape = node.shape
    if shape is None or (flat and len(shape) != 1):
        raise NotFlatError(f"has shape {shape}, not one dimension")
    dtype, is_canonical = _stored_type(node.get_type().encode())
    length: int = math.prod(shape)
    # The name of a type ends with its number of bytes, at most eight.
    if length >= _MOST_BYTES // 8 and length * int(dtype[2:]) >= _MOST_BYTES:
        raise NotFlatError(f"claims {length:,} elements, more than can be counted")
    offset = node.get_offset() if is_canonical else None
    return _schema(path, dtype), (_place(node, length) if offset is None else offset, length)


def _place(node: H5Object, length: int) -> int:
    """Return what stands for the offset of data that is not one run of bytes of the file."""
    made = node.get_create_plist()
    if is_outside(made):
        return OUTSIDE
    if made.get_layout() != h5d.CHUNKED:
        return ELSEWHERE
    # Rows that are stored together: for an array of several dimensions, those of all chunks along the others.
    stored_rows = int(made.get_chunk()[0] * math.prod(node.shape[1:]))
    return ELSEWHERE - min(stored_rows, length)


def is_outside(made: H5Object) -> bool:
    """Whether a dataset with these creation properties may keep its data in other files."""
    return made.get_layout() == h5d.VIRTUAL or bool(made.get_external_count())


def is_plain(node: H5Object, dtype: np.dtype[Any]) -> bool:
    """Whether the stored elements of a dataset are exactly what NumPy means by a type."""
    return _stored_type(node.get_type().encode()) == (dtype.str, True)


@lru_cache(maxsize=65536)
def _schema(path: str, dtype: str) -> DatasetSchema:
    return DatasetSchema(path, dtype)


@lru_cache(maxsize=1024)
def _stored_type(encoded: bytes) -> tuple[str, bool]:
    """NumPy's name of an HDF5 type, and whether the bytes on disk are exactly what NumPy means by it."""
    kind = h5t.decode(encoded)
    try:
        dtype = kind.dtype
    except (TypeError, ValueError) as error:
        raise NotFlatError(f"has a type that NumPy does not have ({error})") from None
    if dtype.kind not in "iufb" or dtype.itemsize > 8:
        raise NotFlatError(f"holds {dtype}, not numbers")
    return dtype.str, bool(kind.equal(h5t.py_create(dtype)))
