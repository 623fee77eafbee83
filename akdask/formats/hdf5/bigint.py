"""Integers of any size: a group of one uint64 dataset for each 64 bits, the lowest first.

Servers store no negative numbers, and take the number of limbs from the first file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.columns.bigint import LIMB, from_unsigned, limbs_of, modulo_power, with_limbs
from akdask.columns.dtypes import ColumnType, bigint_of
from akdask.columns.table import type_of
from akdask.deferred import is_arrow, pa
from akdask.errors import SchemaError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.description import ColumnLocation, ColumnSchema, Elements, Slot
from akdask.formats.hdf5.metadata import NotFlatError, StoredGroup
from akdask.storage.objects import LIMBS, Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import Attributes, NewObject

_MOST_LIMBS = 2**14  # of a megabit each, beyond which no attribute is believed


def is_bigint(group: StoredGroup) -> bool:
    """Whether a group holds limbs."""
    return bool(group.integer(layout.IS_BIGINT)) or group.find(f"{layout.LIMB}0") is not None


def describe_column(name: str, group: StoredGroup) -> tuple[ColumnSchema, tuple[Slot, ...]]:
    """Describe the column of integers that a group of limbs holds.

    Raises
    ------
    NotFlatError
        If a limb is missing, of another type, or not as long as the others.
    """
    found = [group.describe(group.find(f"{layout.LIMB}{n}"), f"{layout.LIMB}{n}") for n in range(_count(group))]
    for dataset, slot in found:
        if np.dtype(dataset.dtype).kind not in "iu" or np.dtype(dataset.dtype).itemsize != 8:
            raise NotFlatError(f"holds {dataset.dtype} as {dataset.path.rpartition('/')[2]}, not 64-bit integers")
        if slot[1] != found[0][1][1]:
            raise NotFlatError(f"has limbs of {found[0][1][1]} and of {slot[1]} elements")
    dtype = bigint_of(group.integer(layout.MAX_BITS))
    return ColumnSchema(name, dtype, tuple(dataset for dataset, _ in found)), tuple(slot for _, slot in found)


def _count(group: StoredGroup) -> int:
    """Return the file's own number of limbs: files of one set may differ in it."""
    told = group.integer(layout.NUM_LIMBS)
    if told is None:
        return max(sum(name.startswith(layout.LIMB.encode()) for name in group.names), 1)
    if not 0 < told <= _MOST_LIMBS:
        raise NotFlatError(f"has {told} limbs")
    return told


def read(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> pa.FixedSizeBinaryArray:
    """Read integers, limb by limb; `out` is not used."""
    limbs = np.empty((stop - start, len(place.extents)), np.uint64)
    for number, stored in enumerate(place.extents):
        limbs[:, number] = elements.read(stored, start, stop - start)
    is_limited = 0 < place.dtype.max_bits < LIMB * limbs.shape[1]
    return from_unsigned(modulo_power(limbs, place.dtype.max_bits) if is_limited else limbs)


def number_of_limbs(spec: ObjectSpec, tables: Columns) -> int:
    """Return how many limbs the elements of an object are written with, the same in every file."""
    column: Any = tables[spec.tables[LIMBS]]
    return int(column[0])


def group_of_limbs(
    path: str,
    column: Column,
    dtype: ColumnType,
    count: int,
    *,
    kind: ObjType = ObjType.PDARRAY,
    attributes: Attributes = (),
) -> NewObject:
    """Lay out integers as limbs.

    Raises
    ------
    SchemaError
        If the column holds anything else, or an integer that does not fit.
    """
    from akdask.formats.hdf5.new_file import NewDataset, NewGroup, NewObject

    if not is_arrow(column, "FixedSizeBinaryArray"):
        raise SchemaError(f"{path!r} is to be written as bigint, but the values are {type_of(column)}.")
    limbs = with_limbs(limbs_of(column), count)
    if limbs[:, count:].any():
        raise SchemaError(f"{path!r} cannot be written with {count} limbs: there are integers below 0 or too large.")
    size = ((layout.IS_BIGINT, 1), (layout.MAX_BITS, dtype.max_bits), (layout.NUM_LIMBS, count))
    names = [f"{path}/{layout.LIMB}{number}" for number in range(count)]
    datasets = tuple(NewDataset(name, "<u8", len(limbs)) for name in names)
    return NewObject(
        (NewGroup(path, kind, (*size, *attributes)), *datasets),
        {name: [np.ascontiguousarray(limbs[:, n])] for n, name in enumerate(names)},
    )
