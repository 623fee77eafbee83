"""Which elements a dataset has: numbers that NumPy has as well, or text."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from h5py import h5t

from akdask.hdf5.schema.layout import H5Object

TEXT = np.dtype(np.str_)
"""Type of elements that are text, of whatever length."""

_CLASSES = {
    h5t.ENUM: "an enumeration, as h5py stores booleans",
    h5t.COMPOUND: "compounds",
    h5t.OPAQUE: "opaque bytes",
    h5t.REFERENCE: "references",
    h5t.VLEN: "lists",
    h5t.ARRAY: "arrays",
    h5t.BITFIELD: "bit fields",
    h5t.TIME: "times",
}


class UnknownElementsError(Exception):
    """Elements of a type that is no number of NumPy and no text."""


class StoredElements(NamedTuple):
    """Type and number of the elements of a dataset.

    Parameters
    ----------
    dtype : numpy.dtype
        The stored type, of either byte order; `TEXT`.
    size : int
        How many there are, whatever the rank; 0 of a null dataspace.
    """

    dtype: np.dtype[Any]
    size: int


def elements_of(dataset: H5Object) -> StoredElements:
    """Return the elements of an open dataset.

    Raises
    ------
    UnknownElementsError
        If they are neither numbers of up to 64 bits nor text.
    """
    shape = dataset.shape
    return StoredElements(_dtype(dataset.get_type().encode()), 0 if shape is None else math.prod(shape))


@lru_cache(maxsize=256)
def _dtype(encoded: bytes) -> np.dtype[Any]:
    kind = h5t.decode(encoded)
    stored = kind.get_class()
    if stored == h5t.STRING:
        return TEXT
    if stored not in {h5t.INTEGER, h5t.FLOAT}:
        raise UnknownElementsError(_CLASSES.get(stored, "elements of an unknown class"))
    try:
        dtype: np.dtype[Any] = np.dtype(kind.dtype)
    except (TypeError, ValueError):
        raise UnknownElementsError(f"numbers of {kind.get_size()} bytes") from None
    if dtype.itemsize > 8 or (dtype.kind == "f" and dtype.itemsize < 4) or dtype.kind not in "iuf":
        raise UnknownElementsError(f"{dtype} numbers")
    return dtype
