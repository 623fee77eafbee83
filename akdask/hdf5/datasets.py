"""Metadata of one HDF5 dataset, through the few low-level calls that a set of thousands of files can afford."""

from __future__ import annotations

import math
from functools import lru_cache

from h5py import h5d, h5t

from akdask.hdf5.description import DatasetSchema, Slot
from akdask.hdf5.layout import H5Object
from akdask.storage.extents import ELSEWHERE


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
    offset = node.get_offset() if is_canonical else None
    return _schema(path, dtype), (ELSEWHERE if offset is None else offset, math.prod(shape))


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
