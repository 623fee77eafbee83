"""pdarray, Datetime, Timedelta and IPv4: one dataset of numbers; integers of any size are a group.

An ArrayView is stored flat in row-major order with its shape as attributes.  Files of v2022.07.28 to v2022.10.13, and
foreign ones, may store it with its true rank instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.dtypes import BOOL, UINT8, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.memory import new_array
from akdask.errors import SchemaError
from akdask.formats.hdf5 import bigint, layout
from akdask.formats.hdf5.description import (
    ColumnLocation,
    ColumnSchema,
    DatasetSchema,
    Described,
    Elements,
    ObjectSchema,
)
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, StoredGroup
from akdask.storage.objects import VALUES, Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import Attributes, NewObject, Share

_WITH_BYTES = (ObjType.PDARRAY, ObjType.ARRAYVIEW)
"""Kinds whose bytes stay bytes unless they are bools; times and addresses have 64 bits."""


def describe(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a dataset of numbers, a group of limbs, or the ``booleans`` that bools were until v2022.10.13."""
    if isinstance(node, StoredDataset):
        return describe_numbers(node, kind)
    if bigint.is_bigint(node):
        column, slots = bigint.describe_column(node.path, node)
        return Described(ObjectSchema(node.path, kind, ((VALUES, column),)), slots)
    dataset, slot = node.describe(node.find(layout.OLD_BOOLEANS), layout.OLD_BOOLEANS)
    return Described(_schema(node.path, kind, dataset, BOOL), (slot,))


def describe_shaped(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the flat values of an ArrayView, and the shape.

    The shape of a dataset of true rank begins with -1: each file has rows of its own.
    """
    if isinstance(node, StoredDataset) and node.shape and len(node.shape) > 1:
        found = describe_numbers(node, kind, flat=False)
        shape = (-1, *node.shape[1:]) if math.prod(node.shape[1:]) else node.shape
    else:
        found = describe(node, kind)
        stored = node.integers(layout.SHAPE)
        if stored is None:
            raise NotFlatError("has no shape")
        shape = stored
    return replace(found, schema=replace(found.schema, params=(*found.schema.params, ("shape", shape))))


def describe_numbers(node: StoredDataset, kind: ObjType, *, flat: bool = True) -> Described:
    """Describe a dataset of numbers; one-dimensional, if it must be flat."""
    dataset, slot = node.describe(flat=flat)
    dtype = number_type(node, dataset.dtype)
    if dataset.dtype == "|u1" and dtype != BOOL and kind in _WITH_BYTES:
        dtype = UINT8
    return Described(_schema(node.path, kind, dataset, dtype), (slot,))


def number_type(node: StoredDataset, stored: str) -> ColumnType:
    """Return the type of a column of stored numbers; bools are integers with ``isBool`` = 1, or an HDF5 enum."""
    # Eight-byte integers are never bools, and most columns have eight bytes: that saves looking for the attribute.
    if stored == "|b1" or (stored[2:] != "8" and node.integer(layout.IS_BOOL) == 1):
        return BOOL
    found = layout.column_type_of(stored)
    if found is None:
        raise NotFlatError(f"holds {stored}, which no column type can hold")
    return found


@cached_results("schemas of HDF5 arrays", 65536)
def _schema(name: str, kind: ObjType, dataset: DatasetSchema, dtype: ColumnType) -> ObjectSchema:
    return ObjectSchema(name, kind, ((VALUES, ColumnSchema(name, dtype, (dataset,))),))


def read(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> NumberArray:
    """Read numbers, converted from their stored type to the column's."""
    target = new_array(stop - start, place.dtype.numpy) if out is None else out[: stop - start]
    (stored,) = place.extents
    if place.dtype == BOOL:
        _read_bools(elements, place, start, target)
    elif place.is_as_in_memory:
        elements.read_into(target, stored, start)
    else:
        widen_into(target, elements.read(stored, start, len(target)), stored.dataset)
    return target


def _read_bools(elements: Elements, place: ColumnLocation, start: int, out: NumberArray) -> None:
    """Anything but 0 is true, while NumPy's bool must be 0 or 1 in memory."""
    (stored,) = place.extents
    if not place.is_as_in_memory:
        np.not_equal(elements.read(stored, start, len(out)), 0, out=out)
        return
    raw = out.view(np.uint8)
    # An HDF5 enum is a type of its own to h5py, but its bytes are the same.
    elements.read_into(out if stored.dtype == "|b1" else raw.view(stored.dtype), stored, start)
    if raw.max() > 1:
        np.not_equal(raw, 0, out=out)


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out one dataset: 64-bit numbers, or bools as bytes.  Integers of any size have one for each limb."""
    values, attributes = columns[spec.members[VALUES]], _attributes(spec.params)
    if spec.dtype is not None and spec.dtype.kind == "bigint":
        count = bigint.number_of_limbs(spec, tables)
        return bigint.group_of_limbs(spec.name, values, spec.dtype, count, kind=spec.kind, attributes=attributes)
    if spec.dtype is None or not spec.dtype.is_number:
        raise SchemaError(f"{spec.name!r} cannot be written as a {spec.kind.label}: its type is {spec.dtype}.")
    return numbers(spec.name, values, spec.dtype, spec.kind, attributes=attributes)


def _attributes(params: Mapping[str, Any]) -> Attributes:
    """Return the attributes of multidimensional arrays, and of types that servers may not know."""
    found: list[tuple[bytes, int | tuple[int, ...]]] = []
    if "shape" in params:
        found += [(layout.RANK, len(params["shape"])), (layout.SHAPE, params["shape"])]
    if "inner_kind" in params:
        found.append((layout.INNER_KIND, params["inner_kind"]))
    return tuple(found)


def numbers(
    path: str,
    values: Column,
    dtype: ColumnType,
    kind: ObjType = ObjType.PDARRAY,
    alias: str | None = None,
    *,
    attributes: Attributes = (),
) -> NewObject:
    """Lay out a dataset of numbers, with another name in the same group if there is to be one.

    Raises
    ------
    SchemaError
        If the values are of another kind than `dtype`.
    """
    from akdask.formats.hdf5.new_file import NewDataset, NewObject

    stored = layout.WRITTEN_TYPES[dtype]
    try:
        typed = np.asarray(values).astype(dtype.numpy, casting="same_kind", copy=False)
    except TypeError:
        found = np.asarray(values).dtype
        raise SchemaError(f"{path!r} is to be written as {dtype}, but the values are {found}.") from None
    data = np.ascontiguousarray(typed).astype(stored, copy=False)
    made = NewDataset(path, stored, len(data), kind, dtype == BOOL, alias, attributes=attributes)
    return NewObject((made,), {path: [data]})
