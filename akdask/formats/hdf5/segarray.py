"""SegArray: the values of all lists end to end, and the start of each list among the values of its file.

Values are numbers, integers of any size or strings.  Servers write a share without values as an empty dataset, whose
type may differ from that of the values in other files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.columns.arrow import lists_of, offsets_of, values_of
from akdask.columns.dtypes import BOOL, INT64, STR, UINT8, ColumnType, list_of
from akdask.columns.table import empty, type_of
from akdask.deferred import pa
from akdask.errors import FileFormatError, SchemaError
from akdask.formats.hdf5 import bigint, layout, pdarray, strings
from akdask.formats.hdf5.description import (
    ColumnLocation,
    ColumnSchema,
    DatasetSchema,
    Described,
    Elements,
    ObjectSchema,
    Slot,
)
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, StoredGroup, group_of
from akdask.storage.objects import SEGMENTS, VALUES, Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

_AMBIGUOUS = ("|u1", "<u8")
"""Types of empty datasets that servers write for numbers as well as for strings or integers of any size."""

_Items = tuple[ColumnType | None, tuple[DatasetSchema, ...], tuple[Slot, ...]]


def describe(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a group of ``values`` and ``segments``; the values may be a group themselves."""
    group = group_of(node)
    segments, slot = group.describe(group.find_values(SEGMENTS, "offsets"), SEGMENTS)
    if segments.dtype[1] not in "iu":
        raise NotFlatError(f"holds {segments.dtype} as segments, not integers")
    item, datasets, slots = _describe_items(group, is_bool=group.integer(layout.IS_BOOL) == 1)
    column = ColumnSchema(group.path, list_of(item), (*datasets, segments))
    return Described(ObjectSchema(group.path, kind, ((VALUES, column),)), (*slots, slot))


def _describe_items(group: StoredGroup, *, is_bool: bool) -> _Items:
    found = group.find_values(VALUES)
    if found is None:
        raise NotFlatError(f"has no member {VALUES!r}")
    node = group.open(found)
    if isinstance(node, StoredDataset):
        dataset, slot = node.describe()
        dtype: ColumnType | None = BOOL if is_bool and dataset.dtype[1] in "iub" else None
        if dtype is None and (slot[1] or dataset.dtype not in _AMBIGUOUS):
            dtype = pdarray.number_type(node, dataset.dtype)
        return dtype, (dataset,), (slot,)
    return _describe_group(group_of(node))


def _describe_group(items: StoredGroup) -> _Items:
    """Distinguish integers of any size from strings by the members of the group, which may lack attributes."""
    path = items.find_values(VALUES)
    if bigint.is_bigint(items) and not items.find(f"{layout.LIMB}0") and path:
        dataset, slot = items.describe(path, VALUES)
        if slot[1]:
            raise NotFlatError("has values of bigint without limbs")
        return None, (dataset,), (slot,)
    describe_items = bigint.describe_column if bigint.is_bigint(items) else strings.describe_column
    column, slots = describe_items(items.path, items)
    if not column.tells_rows:
        raise NotFlatError("has strings without segments")
    return column.dtype, column.datasets, slots


def read(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> pa.LargeListArray:
    """Read the values of the wanted lists only; `out` is not used."""
    from akdask.formats.hdf5.codecs import read_column  # which has this function in its table

    *stored, segments = place.extents
    if place.dtype.item is None:
        raise AssertionError("the type of the values is settled when the files of a set are compared")
    items = ColumnLocation(place.dtype.item, tuple(stored))
    bounds = strings.read_bounds(elements, ColumnLocation(place.dtype, (stored[-1], segments)), start, stop)
    first, last = int(bounds[0]), int(bounds[-1])
    if first < 0 or last > stored[-1].length or (bounds[1:] < bounds[:-1]).any():
        raise FileFormatError(
            f"dataset {segments.dataset!r} of {elements.file.path!r} holds no valid segments.",
            details=[f"rows {start} to {stop} start from {first} to {last} of {stored[-1].length} values"],
            hint="segments ascend from 0; the file is damaged or of another format.",
        )
    values = read_column(elements, items, first, last) if last > first else empty(items.dtype)
    return lists_of(bounds - first, values)


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out a group of values and segments, which start at 0 in every file."""
    from akdask.formats.hdf5.new_file import NewDataset, NewGroup, NewObject

    column = columns[spec.members[VALUES]]
    item = spec.dtype.item if spec.dtype is not None else None
    if item is None or type_of(column).kind != "list":
        raise SchemaError(f"{spec.name!r} is to be written as SegArray, but the values are {type_of(column)}.")
    made = _lay_out_items(spec, values_of(column, item), item, tables)
    segments, leaf = f"{spec.name}/{SEGMENTS}", spec.name.rpartition("/")[2]
    starts = NewDataset(segments, "<i8", len(column), alias=f"{spec.name}/{leaf}_{SEGMENTS}", local_to=_counting(made))
    group = NewGroup(spec.name, ObjType.SEGARRAY, ((layout.IS_BOOL, 1),) if item == BOOL else ())
    return NewObject.group(group, [made, NewObject((starts,), {segments: [offsets_of(column)[:-1]]})])


def _lay_out_items(spec: ObjectSpec, values: Column, item: ColumnType, tables: Columns) -> NewObject:
    path, leaf = f"{spec.name}/{VALUES}", spec.name.rpartition("/")[2]
    if item == STR:
        return strings.group_of_strings(path, values)
    if item.kind == "bigint":
        return bigint.group_of_limbs(path, values, item, bigint.number_of_limbs(spec, tables))
    # Servers distinguish lists of bytes from lists of text by their type.
    item = INT64 if item == UINT8 else item
    return pdarray.numbers(path, values, item, alias=f"{spec.name}/{leaf}_{VALUES}")


def _counting(made: NewObject) -> str:
    """Return the dataset of the values that has one element for each of them."""
    return made.parts[-1].path
