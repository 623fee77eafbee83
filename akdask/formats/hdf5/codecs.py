"""Describe objects in files, read their columns, and lay them out in new files, by tables of kinds.

- pdarray, Datetime, Timedelta and IPv4 are one dataset of numbers.  An ArrayView is stored flat in row-major order with
  its shape as attributes.  Files of v2022.07.28 to v2022.10.13, and foreign ones, may store it with its true rank
  instead.
- Integers of any size are a group of one uint64 dataset for each 64 bits, the lowest first.  Servers store no negative
  numbers, and take the number of limbs from the first file.
- Strings are a group of values, bytes that each end in NUL, and segments, where each string starts.
- A SegArray has the values of all lists end to end, and the start of each list among the values of its file.  Values
  are numbers, integers of any size or strings.  Servers write a share without values as an empty dataset, whose type
  may differ from that of the values in other files.
- A Categorical has codes for each row, and the labels that the codes index.
- A DataFrame, as snapshots hold it, has one object for each column, and the labels of the rows as ``Index``.  Servers
  store no order of columns, so akdask adds a private attribute; without it columns come in the byte order of names.
- A GroupBy has the keys, and the permutation and segments that bring equal keys together.  Parts have positions in all
  rows, so joining files does not change them.
- An Index has one object for each level, ``IDX_0``, ``IDX_1`` and so on.  In files of servers in single-file mode,
  numeric levels have no attributes; their types are inferred.

No part of the last four is repeated in every file.  Each is cut on its own, so labels are complete only when all files
are read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from akdask.caches import cached_results
from akdask.cluster import check_memory
from akdask.columns.arrow import lists_of, offsets_of, values_of
from akdask.columns.bigint import LIMB, from_unsigned, limbs_of, modulo_power, with_limbs
from akdask.columns.dtypes import BOOL, INT64, STR, UINT8, ColumnType, bigint_of, list_of
from akdask.columns.exact import widen_into
from akdask.columns.memory import new_array
from akdask.columns.table import empty, slice_rows, type_of
from akdask.deferred import is_arrow, pa
from akdask.errors import FileFormatError, SchemaError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.description import (
    ColumnLocation,
    ColumnSchema,
    DatasetSchema,
    Described,
    Elements,
    ObjectSchema,
    Problem,
    Slot,
)
from akdask.formats.hdf5.foreign import OBJECTS, describe_foreign, read_objects
from akdask.formats.hdf5.metadata import (
    Foreign,
    NotFlatError,
    StoredDataset,
    StoredGroup,
    StoredNode,
    group_of,
)
from akdask.formats.hdf5.strings import (
    describe_string_column,
    describe_strings,
    group_of_strings,
    lay_out_strings,
    read_bounds,
    read_strings,
)
from akdask.storage.objects import (
    CATEGORIES,
    CODES,
    KEY,
    LEVEL,
    LIMBS,
    NA_CODES,
    PERMUTATION,
    ROW_LABELS,
    SEGMENTS,
    SERVERS_DIFFER,
    UNIQUE_KEY_IDX,
    VALUES,
    Columns,
    ObjectSpec,
    ObjType,
)
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import Attributes, NewObject, Share


class Describe(Protocol):
    """Describes objects of a kind."""

    def __call__(self, node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
        """Return schema and places of an object of an open file.

        Raises
        ------
        NotFlatError
            If the object does not have the structure of its kind; the text continues "the object …".
        """
        ...


class LayOut(Protocol):
    """Lays out objects of a kind."""

    def __call__(self, spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
        """Return an object's layout in one partition's file.

        Raises
        ------
        SchemaError
            If a column cannot be stored as the object wants it.
        """
        ...


class ReadColumn(Protocol):
    """Reads columns of a type."""

    def __call__(
        self, elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
    ) -> Column:
        """Return rows `start` to `stop` of the file, at least one.

        `out`, where given, is a contiguous array of the column's dtype with at least as many elements.  Numbers are
        read into it, and the result is a view of it.

        Raises
        ------
        FileFormatError
            If the data is damaged, or the file ends early.
        """
        ...


class Codec(NamedTuple):
    """How objects of a kind are described and laid out."""

    describe: Describe
    lay_out: LayOut


# -------------------------------------------------------------------------------------------------------------- numbers

_WITH_BYTES = (ObjType.PDARRAY, ObjType.ARRAYVIEW)
"""Kinds whose bytes stay bytes unless they are bools; times and addresses have 64 bits."""


def describe_array(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a dataset of numbers, a group of limbs, or the ``booleans`` that bools were until v2022.10.13."""
    if isinstance(node, StoredDataset):
        return describe_numbers(node, kind)
    if is_bigint(node):
        column, slots = describe_limbs(node.path, node)
        return Described(ObjectSchema(node.path, kind, ((VALUES, column),)), slots)
    dataset, slot = node.describe(node.find(layout.OLD_BOOLEANS), layout.OLD_BOOLEANS)
    return Described(_array_schema(node.path, kind, dataset, BOOL), (slot,))


def describe_shaped(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the flat values of an ArrayView, and the shape.

    The shape of a dataset of true rank begins with -1: each file has rows of its own.
    """
    if isinstance(node, StoredDataset) and node.shape and len(node.shape) > 1:
        found = describe_numbers(node, kind, flat=False)
        shape = (-1, *node.shape[1:]) if math.prod(node.shape[1:]) else node.shape
    else:
        found = describe_array(node, kind)
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
    schema = _array_schema(node.path, kind, dataset, dtype)
    if dtype == UINT8 and node.integer(layout.OBJ_TYPE) is None:
        schema = replace(schema, params=((SERVERS_DIFFER, True),))
    return Described(schema, (slot,))


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
def _array_schema(name: str, kind: ObjType, dataset: DatasetSchema, dtype: ColumnType) -> ObjectSchema:
    return ObjectSchema(name, kind, ((VALUES, ColumnSchema(name, dtype, (dataset,))),))


def read_numbers(
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


def lay_out_numbers(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out one dataset: 64-bit numbers, or bools as bytes.  Integers of any size have one for each limb."""
    values, attributes = columns[spec.members[VALUES]], _attributes(spec.params)
    if spec.dtype is not None and spec.dtype.kind == "bigint":
        count = number_of_limbs(spec, tables)
        return group_of_limbs(spec.name, values, spec.dtype, count, kind=spec.kind, attributes=attributes)
    if spec.dtype is None or not spec.dtype.is_number:
        raise SchemaError(f"{spec.name!r} cannot be written as a {spec.kind.label}: its type is {spec.dtype}.")
    return dataset_of_numbers(spec.name, values, spec.dtype, spec.kind, attributes=attributes)


def _attributes(params: Mapping[str, Any]) -> Attributes:
    """Return the attributes of multidimensional arrays, and of types that servers may not know."""
    found: list[tuple[bytes, int | tuple[int, ...]]] = []
    if "shape" in params:
        found += [(layout.RANK, len(params["shape"])), (layout.SHAPE, params["shape"])]
    if "inner_kind" in params:
        found.append((layout.INNER_KIND, params["inner_kind"]))
    return tuple(found)


def dataset_of_numbers(
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


# ------------------------------------------------------------------------------------------------- integers of any size

_MOST_LIMBS = 2**14  # of a megabit each, beyond which no attribute is believed


def is_bigint(group: StoredGroup) -> bool:
    """Whether a group holds limbs."""
    return bool(group.integer(layout.IS_BIGINT)) or group.find(f"{layout.LIMB}0") is not None


def describe_limbs(name: str, group: StoredGroup) -> tuple[ColumnSchema, tuple[Slot, ...]]:
    """Describe the column of integers that a group of limbs holds.

    Raises
    ------
    NotFlatError
        If a limb is missing, of another type, or not as long as the others.
    """
    found = [group.describe(group.find(f"{layout.LIMB}{n}"), f"{layout.LIMB}{n}") for n in range(_count_limbs(group))]
    for dataset, slot in found:
        if np.dtype(dataset.dtype).kind not in "iu" or np.dtype(dataset.dtype).itemsize != 8:
            raise NotFlatError(f"holds {dataset.dtype} as {dataset.path.rpartition('/')[2]}, not 64-bit integers")
        if slot[1] != found[0][1][1]:
            raise NotFlatError(f"has limbs of {found[0][1][1]} and of {slot[1]} elements")
    dtype = bigint_of(group.integer(layout.MAX_BITS))
    return ColumnSchema(name, dtype, tuple(dataset for dataset, _ in found)), tuple(slot for _, slot in found)


def _count_limbs(group: StoredGroup) -> int:
    """Return the file's own number of limbs: files of one set may differ in it."""
    told = group.integer(layout.NUM_LIMBS)
    if told is None:
        return max(sum(name.startswith(layout.LIMB.encode()) for name in group.names), 1)
    if not 0 < told <= _MOST_LIMBS:
        raise NotFlatError(f"has {told} limbs")
    return told


def read_integers(
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


# ---------------------------------------------------------------------------------------------------------------- lists

_AMBIGUOUS = ("|u1", "<u8")
"""Types of empty datasets that servers write for numbers as well as for strings or integers of any size."""

_Items = tuple[ColumnType | None, tuple[DatasetSchema, ...], tuple[Slot, ...]]


def describe_segarray(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
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
            dtype = number_type(node, dataset.dtype)
        return dtype, (dataset,), (slot,)
    return _describe_item_group(group_of(node))


def _describe_item_group(items: StoredGroup) -> _Items:
    """Distinguish integers of any size from strings by the members of the group, which may lack attributes."""
    path = items.find_values(VALUES)
    if is_bigint(items) and not items.find(f"{layout.LIMB}0") and path:
        dataset, slot = items.describe(path, VALUES)
        if slot[1]:
            raise NotFlatError("has values of bigint without limbs")
        return None, (dataset,), (slot,)
    describe_items = describe_limbs if is_bigint(items) else describe_string_column
    column, slots = describe_items(items.path, items)
    if not column.tells_rows:
        raise NotFlatError("has strings without segments")
    return column.dtype, column.datasets, slots


def read_lists(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> pa.LargeListArray:
    """Read the values of the wanted lists only; `out` is not used."""
    *stored, segments = place.extents
    if place.dtype.item is None:
        raise AssertionError("the type of the values is settled when the files of a set are compared")
    items = ColumnLocation(place.dtype.item, tuple(stored))
    bounds = read_bounds(elements, ColumnLocation(place.dtype, (stored[-1], segments)), start, stop)
    first, last = int(bounds[0]), int(bounds[-1])
    if first < 0 or last > stored[-1].length or (bounds[1:] < bounds[:-1]).any():
        raise FileFormatError(
            f"dataset {segments.dataset!r} of {elements.file.path!r} holds no valid segments.",
            details=[f"rows {start} to {stop} start from {first} to {last} of {stored[-1].length} values"],
            hint="segments ascend from 0; the file is damaged or of another format.",
        )
    values = read_column(elements, items, first, last) if last > first else empty(items.dtype)
    return lists_of(bounds - first, values)


def lay_out_segarray(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
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
        return group_of_strings(path, values)
    if item.kind == "bigint":
        return group_of_limbs(path, values, item, number_of_limbs(spec, tables))
    # Servers distinguish lists of bytes from lists of text by their type.
    item = INT64 if item == UINT8 else item
    return dataset_of_numbers(path, values, item, alias=f"{spec.name}/{leaf}_{VALUES}")


def _counting(made: NewObject) -> str:
    """Return the dataset of the values that has one element for each of them."""
    return made.parts[-1].path


# --------------------------------------------------------------------------------------- objects that consist of others

Found: TypeAlias = tuple[ColumnSchema, tuple[Slot, ...]]
"""A column of an object, and where its datasets are."""

INNER_KINDS = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
"""Kinds that servers do not take as levels or keys, where they are written as the numbers that they are."""

COLUMN_KINDS = (ObjType.PDARRAY, ObjType.STRINGS, ObjType.SEGARRAY, ObjType.CATEGORICAL, *INNER_KINDS)
"""Kinds of members.  Others would be no columns, and might hold themselves."""

OPTIONAL = (PERMUTATION, SEGMENTS)
"""Members of a Categorical that group the rows by their codes."""

_WRONG_GROUPING = "v2023.05.05"
"""This release wrote the codes as both `permutation` and `segments`."""

PARTS = (SEGMENTS, PERMUTATION, UNIQUE_KEY_IDX)
"""Members of a GroupBy beside the keys."""


def _describe_member(group: StoredGroup, encoded: bytes) -> Described:
    """Describe a member that must be a readable object.

    Raises
    ------
    NotFlatError
        If it is none.
    """
    found = describe_object(group, encoded, COLUMN_KINDS)
    name = group.path_of(encoded)
    if found is None:
        raise NotFlatError(f"has a member {name!r} that is neither group nor dataset")
    if found.schema.problem is not None:
        raise NotFlatError(f"has a member {name!r} that {found.schema.problem.text}")
    node = group.open(encoded)
    inner = node.integer(layout.INNER_KIND) if isinstance(node, StoredNode) else None
    if found.schema.kind != ObjType.PDARRAY or inner not in INNER_KINDS:
        return found
    return replace(found, schema=replace(found.schema, kind=ObjType(inner)))


def _describe_numbered(group: StoredGroup, prefix: str) -> dict[str, Described]:
    """Describe the members ``KEY_0``, ``KEY_1`` and so on, in the order of their numbers.

    Raises
    ------
    NotFlatError
        If there are none, or one of them cannot be read.
    """
    wanted = re.compile(re.escape(prefix.encode()) + rb"(\d+)", re.IGNORECASE)
    found = {int(match[1]): match[0] for match in map(wanted.fullmatch, group.names) if match}
    if not found:
        raise NotFlatError(f"has no member {prefix}0")
    return {f"{prefix}{number}": _describe_member(group, found[number]) for number in sorted(found)}


def _describe_integers(group: StoredGroup, member: str) -> Found:
    """Describe a member that must be a dataset of integers.

    Raises
    ------
    NotFlatError
        If it is missing, or is none.
    """
    dataset, slot = group.describe(group.find(member), member)
    if dataset.dtype[1] not in "iu":
        raise NotFlatError(f"holds {dataset.dtype} as {member}, not integers")
    # Judged like any dataset: its type may be an unsigned number where a signed one is needed.
    dtype = layout.column_type_of(dataset.dtype) or INT64
    return ColumnSchema(f"{group.path}/{member}", dtype, (dataset,)), (slot,)


def _describe_group(
    name: str,
    kind: ObjType,
    columns: Mapping[str, Found],
    children: Mapping[str, Described] | None = None,
    count: int | None = None,
) -> Described:
    """Return the description of an object that consists of columns and other objects.

    `count` is the number of numbered members, from an attribute.
    """
    children = children or {}
    schema = ObjectSchema(
        name,
        kind,
        tuple((member, column) for member, (column, _) in columns.items()),
        tuple((member, child.schema) for member, child in children.items()),
        () if count is None else (("count", count),),
    )
    slots = [slot for _, own in columns.values() for slot in own]
    slots += [slot for child in children.values() for slot in child.slots]
    return Described(schema, tuple(slots))


def _lay_out_children(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> list[NewObject]:
    """Lay out the children of an object."""
    return [lay_out_object(child, columns, tables, share) for child in spec.children.values()]


def _lay_out_group(
    spec: ObjectSpec,
    columns: Columns,
    tables: Columns,
    share: Share,
    attributes: Attributes,
    *,
    column_order: tuple[str, ...] = (),
) -> NewObject:
    """Lay out a group that contains other objects only."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    return NewObject.group(
        NewGroup(spec.name, spec.kind, attributes, column_order), _lay_out_children(spec, columns, tables, share)
    )


def describe_categorical(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a Categorical: codes, categories, NA code and, where there are any, permutation and segments."""
    group = group_of(node)
    labels = group.subgroup(group.find(CATEGORIES), CATEGORIES)
    found = {
        CODES: _describe_integers(group, CODES),
        CATEGORIES: describe_string_column(f"{group.path}/{CATEGORIES}", labels),
    }
    wanted = [NA_CODES] if group.find(NA_CODES) else []
    if all(map(group.find, OPTIONAL)) and group.text(layout.ARKOUDA_VERSION) != _WRONG_GROUPING:
        wanted += OPTIONAL
    found.update((member, _describe_integers(group, member)) for member in wanted)
    return _describe_group(group.path, kind, found)


def lay_out_categorical(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out this partition's codes of a Categorical, and its share of all other parts."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    labels = tables[spec.tables[CATEGORIES]]
    na_codes = tables[spec.tables[NA_CODES]]
    made = (
        dataset_of_numbers(f"{spec.name}/{CODES}", columns[spec.members[CODES]], INT64),
        group_of_strings(f"{spec.name}/{CATEGORIES}", _share(labels, share)),
        dataset_of_numbers(f"{spec.name}/{NA_CODES}", _share(na_codes, share), INT64),
        # Permutation and segments are children, for they have other numbers of rows than the codes.
        *_lay_out_children(spec, columns, tables, share),
    )
    return NewObject.group(NewGroup(spec.name, ObjType.CATEGORICAL), made)


def _share(table: Column, share: Share) -> Column:
    rows = share.of(len(table))
    return slice_rows(table, rows.start, rows.stop)


def describe_dataframe(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the columns of a DataFrame in the user's order, and ``Index`` first where there is one."""
    group = group_of(node)
    labels = group.find(ROW_LABELS)
    odd = [member for member in group.names if not _is_text(member)]
    if odd:  # pandas has no such names
        raise NotFlatError(f"has a column whose name is no UTF-8: {odd[0]!r}")
    encoded = {member.decode(): member for member in group.names if member != labels}
    order = layout.in_stored_order(encoded, group.text(layout.COLUMN_ORDER))
    children = {} if labels is None else {ROW_LABELS: _describe_member(group, labels)}
    children.update((column, _describe_member(group, encoded[column])) for column in order)
    return _describe_group(group.path, kind, {}, children)


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def lay_out_dataframe(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the columns of a DataFrame, and the labels of its rows."""
    order = tuple(name for name in spec.children if name != ROW_LABELS)
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_COLS, len(order)),), column_order=order)


def describe_groupby(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the parts of a GroupBy, and the keys in the order of their numbers."""
    group = group_of(node)
    columns = {part: _describe_integers(group, part) for part in PARTS}
    keys = _describe_numbered(group, KEY)
    return _describe_group(group.path, kind, columns, keys, group.integer(layout.NUM_KEYS))


def lay_out_groupby(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the keys and the parts of a GroupBy, which are children too: their numbers of rows differ."""
    keys = [name for name in spec.children if name.startswith(KEY)]
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_KEYS, len(keys)),))


def describe_index(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the levels of an Index or a MultiIndex, in the order of their numbers."""
    levels = _describe_numbered(group_of(node), LEVEL)
    return _describe_group(node.path, kind, {}, levels, node.integer(layout.NUM_IDX))


def lay_out_index(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the levels of an Index or a MultiIndex."""
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_IDX, len(spec.children)),))


# ------------------------------------------------------------------------------------------------------------ all kinds

_NUMBERS = Codec(describe_array, lay_out_numbers)
_INDEX = Codec(describe_index, lay_out_index)

CODECS: dict[ObjType, Codec] = {
    ObjType.PDARRAY: _NUMBERS,
    ObjType.DATETIME: _NUMBERS,
    ObjType.TIMEDELTA: _NUMBERS,
    ObjType.IPV4: _NUMBERS,
    ObjType.ARRAYVIEW: Codec(describe_shaped, lay_out_numbers),
    ObjType.STRINGS: Codec(describe_strings, lay_out_strings),
    ObjType.SEGARRAY: Codec(describe_segarray, lay_out_segarray),
    ObjType.CATEGORICAL: Codec(describe_categorical, lay_out_categorical),
    ObjType.INDEX: _INDEX,
    ObjType.MULTIINDEX: _INDEX,
    ObjType.DATAFRAME: Codec(describe_dataframe, lay_out_dataframe),
    ObjType.GROUPBY: Codec(describe_groupby, lay_out_groupby),
}
"""Codecs by kind of object."""

READERS: dict[str, ReadColumn] = {
    "int": read_numbers,
    "uint": read_numbers,
    "float": read_numbers,
    "bool": read_numbers,
    "bigint": read_integers,
    "str": read_strings,
    "list": read_lists,
}
"""Readers by kind of column type."""


def read_column(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> Column:
    """Return rows of a column of any type; see `ReadColumn`.

    Raises
    ------
    TransferError
        If they would take more memory than this process may use for them: a short list may claim any number of values.
    """
    if place.extents[0].dtype == OBJECTS:
        return read_objects(elements, place, start, stop)
    if stop - start > tuning.HDF5_UNCHECKED_ROWS:
        check_memory(tuning.HDF5_COPIES * (stop - start) * place.dtype.itemsize, "these rows take", "read fewer rows")
    return READERS[place.dtype.kind](elements, place, start, stop, out)


def describe_object(
    group: StoredGroup, encoded: bytes, allowed: Collection[ObjType] = tuple(ObjType)
) -> Described | None:
    """Describe one member of a group, or root, as an object; None if it is neither group nor dataset.

    Errors in one object do not affect the others, so they are noted in its description, including a kind that is not
    allowed there.
    """
    name, kind = group.path_of(encoded), ObjType.UNKNOWN
    try:
        node = group.open(encoded)
        if isinstance(node, Foreign):
            return None
        found = node.find_kind()
        if isinstance(found, Problem):
            return Described(ObjectSchema(name, kind, problem=found))
        kind = found
        codec = CODECS.get(kind) if kind in allowed else None
        if codec is None:
            return _unreadable(name, kind, f"is of kind {kind.label}, which cannot be read")
        # Arkouda's objects have no other parts than Arkouda's.
        is_part = len(allowed) < len(ObjType)
        return codec.describe(node, kind) if is_part else _described(codec, node, kind)
    except NotFlatError as error:
        return _unreadable(name, kind, str(error))


def _described(codec: Codec, node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe an object as its kind; a dataset that is none of Arkouda's numbers as what it is."""
    try:
        return codec.describe(node, kind)
    except NotFlatError:
        if isinstance(node, StoredDataset) and not node.is_array_of_numbers:
            return describe_foreign(node, kind)
        raise


_MOST_GROUPS = 2**16
_DEEPEST = 64


def describe_members(group: StoredGroup, depth: int = 0, seen: set[int] | None = None) -> Iterator[Described]:
    """Describe the objects below the root, those in groups of no known layout by their paths.

    A group is looked into once, whatever links lead to it.
    """
    seen = {group.address} if seen is None else seen
    for encoded in group.names:
        if not depth and encoded == layout.METADATA_GROUP.encode():
            continue
        found = describe_object(group, encoded)
        if found is None:
            continue
        node = _foreign_group(group, encoded) if found.schema.problem is not None else None
        if node is None or depth == _DEEPEST or len(seen) == _MOST_GROUPS:
            yield found
        elif node.address not in seen:
            seen.add(node.address)
            inner = list(describe_members(node, depth + 1, seen))
            # A group that holds nothing but itself is listed, not lost.
            yield from inner or [found]


def _foreign_group(group: StoredGroup, encoded: bytes) -> StoredGroup | None:
    """Return a member that is a group with members, and not marked as one of Arkouda's objects."""
    try:
        node = group.open(encoded)
    except NotFlatError:
        return None
    return node if isinstance(node, StoredGroup) and not node.is_marked and node.names else None


def _unreadable(name: str, kind: ObjType, text: str) -> Described:
    return Described(ObjectSchema(name, kind, problem=Problem(UnsupportedError, text)))


def lay_out_object(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Return the layout of an object of any kind in one partition's file; for errors see `LayOut`."""
    return CODECS[spec.kind].lay_out(spec, columns, tables, share)
