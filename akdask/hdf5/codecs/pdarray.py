"""pdarray, Datetime, Timedelta and IPv4: one dataset of numbers."""

from __future__ import annotations

from functools import lru_cache

from akdask.hdf5 import layout
from akdask.hdf5.datasets import NotFlatError, describe_dataset, is_dataset
from akdask.hdf5.description import ColumnSchema, DatasetSchema, Described, ObjectSchema
from akdask.hdf5.layout import H5Object, ObjType
from akdask.hdf5.members import Members
from akdask.schema import BOOL, ColumnType

KINDS = (ObjType.PDARRAY, ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)


def describe(name: str, kind: ObjType, node: H5Object) -> Described:
    """Describe a dataset of numbers, or the group with ``booleans`` that bools were until v2022.10.13."""
    if not is_dataset(node):
        members = Members(node, name)
        dataset, slot = members.dataset(members.find(layout.OLD_BOOLEANS), layout.OLD_BOOLEANS)
        return Described(_schema(name, kind, dataset, BOOL), (slot,))
    dataset, slot = describe_dataset(node, name)
    return Described(_schema(name, kind, dataset, number_type(node, dataset.dtype)), (slot,))


def number_type(node: H5Object, stored: str) -> ColumnType:
    """Return what a dataset of numbers is read as; bools are integers with ``isBool`` = 1, or an HDF5 enum."""
    # Eight-byte integers are never bools, and most columns have eight bytes: that saves looking for the attribute.
    if stored == "|b1" or (stored[2:] != "8" and layout.read_integer(node, layout.IS_BOOL) == 1):
        return BOOL
    found = layout.column_type_of(stored)
    if found is None:
        raise NotFlatError(f"holds {stored}, which no column type can hold")
    return found


@lru_cache(maxsize=65536)
def _schema(name: str, kind: ObjType, dataset: DatasetSchema, dtype: ColumnType) -> ObjectSchema:
    return ObjectSchema(name, kind, ((layout.VALUES, ColumnSchema(name, dtype, dataset)),))
