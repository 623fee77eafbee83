"""Datasets of types that Arkouda does not write: text, records, complex numbers, lists of their own, names of numbers.

A record is a DataFrame with a column for each field, ``outer.inner`` for a field of a field, ``field.0`` for a number
of an array, and complex numbers are the fields ``real`` and ``imag``.  A column that is part of a dataset has a path
with its steps after ``//``, which no path in a file can have: ``table//outer//inner``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import lists_of
from akdask.columns.dtypes import BOOL, INT64, STR, UINT8, ColumnType, list_of
from akdask.columns.table import empty
from akdask.deferred import pa
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.chunks import ChunkReader, boxes
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
from akdask.formats.hdf5.low_level import h5py, h5t
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset
from akdask.storage.objects import SERVERS_DIFFER, UNIT, VALUES, ObjType
from akdask.storage.ranges import RangeReader
from akdask.typing import Column

STEP = "//"
"""Between the path of a dataset and the parts of its elements."""

OBJECTS = "|O8"
"""Stored type of text and lists: NumPy's objects, which the library makes."""

_MOST_PARTS = 4096  # columns of one dataset
_UNITS = ("s", "ms", "us", "ns")

Steps: TypeAlias = tuple[str, ...]
DType: TypeAlias = np.dtype[Any]
Values: TypeAlias = npt.NDArray[Any]


def dataset_of(path: str) -> str:
    """Return the path in the file of the dataset that a column is, or is a part of."""
    return path.partition(STEP)[0]


def describe_foreign(node: StoredDataset, kind: ObjType) -> Described:
    """Describe a dataset of any type and rank; one without dimensions has one row.

    Raises
    ------
    NotFlatError
        If no part of it can be a column.
    """
    try:
        dtype: DType = h5t.decode(node.opened.get_type().encode()).dtype
    except (TypeError, ValueError) as error:
        raise NotFlatError(f"has a type that NumPy does not have ({error})") from None
    base, inner = _without_shape(dtype)
    shape = (*(node.shape or ()), *inner) if node.shape is not None else (0,)
    slot: Slot = (node.place(), math.prod(shape))
    if base.names is None and base.kind != "c":
        return _described_alone(node.path, base, shape, slot, kind)
    slot = (slot[0], math.prod(node.shape) if node.shape is not None else 0)
    parts = list(_parts(dtype, ()))
    if len(parts) > _MOST_PARTS:
        raise NotFlatError(f"has records of {len(parts):,} fields")
    children: dict[str, ObjectSchema] = {}
    slots: list[Slot] = []
    for steps, part in parts:
        found = _member(STEP.join((node.path, *steps)), part)
        if found.problem is None:
            slots.append(slot)
        children[".".join(steps)] = found
    problems = [child.problem.text for child in children.values() if child.problem is not None]
    if len(problems) == len(children):
        raise NotFlatError(problems[0] if problems else "has records without fields")
    return Described(ObjectSchema(node.path, ObjType.DATAFRAME, children=tuple(children.items())), tuple(slots))


def _described_alone(path: str, dtype: DType, shape: Sequence[int], slot: Slot, kind: ObjType) -> Described:
    found = _member(path, dtype)
    if found.problem is not None:
        raise NotFlatError(found.problem.text)
    if found.kind is ObjType.PDARRAY and kind in {ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4}:
        found = replace(found, kind=kind)
    if found.kind in {ObjType.PDARRAY, ObjType.STRINGS} and len(shape) > 1:
        first = -1 if math.prod(shape[1:]) else shape[0]
        found = replace(found, kind=ObjType.ARRAYVIEW, params=(("shape", (first, *shape[1:])),))
    return Described(found, (slot,))


def _without_shape(dtype: DType) -> tuple[DType, tuple[int, ...]]:
    return (dtype, ()) if dtype.subdtype is None else (dtype.base, dtype.shape)


def _parts(dtype: DType, steps: Steps) -> Iterator[tuple[Steps, DType]]:
    """Yield the columns that elements of a type have, with the steps that lead to them."""
    base, shape = _without_shape(dtype)
    if shape:
        if math.prod(shape) > _MOST_PARTS:
            yield steps, np.dtype(f"V{max(dtype.itemsize, 1)}")
            return
        for number in range(math.prod(shape)):
            yield from _parts(base, (*steps, str(number)))
    elif base.names is not None:
        for name in base.names:
            yield from _parts(base[name], (*steps, name))
    elif base.kind == "c":
        part = np.empty(0, base).real.dtype
        yield from (((*steps, name), part) for name in ("real", "imag"))
    else:
        yield steps, base


def _member(path: str, dtype: DType) -> ObjectSchema:
    """Return the object that a column of elements is; with a problem if they cannot be held."""

    def made(kind: ObjType, column: ColumnType, stored: str, *params: tuple[str, Any]) -> ObjectSchema:
        schema = ColumnSchema(path, column, (DatasetSchema(path, stored),))
        return ObjectSchema(path, kind, ((VALUES, schema),), params=params)

    if dtype.kind == "S" or h5py.check_string_dtype(dtype) or _names(dtype):
        return made(ObjType.STRINGS, STR, OBJECTS)
    listed = h5py.check_vlen_dtype(dtype)
    if listed is not None:
        item = _item_type(np.dtype(listed))
        if item is not None:
            return made(ObjType.SEGARRAY, list_of(item), OBJECTS)
    elif dtype.kind in "mM" and np.datetime_data(dtype)[0] in _UNITS and np.datetime_data(dtype)[1] == 1:
        kind = ObjType.DATETIME if dtype.kind == "M" else ObjType.TIMEDELTA
        return made(kind, INT64, "<i8", (UNIT, np.datetime_data(dtype)[0]))
    elif dtype.kind == "b":
        return made(ObjType.PDARRAY, BOOL, "|b1")
    elif dtype.kind in "iuf":
        # Numbers of more than eight bytes are the nearest ones of eight.
        stored = dtype.str if dtype.itemsize <= 8 else "<f8"
        found = UINT8 if stored == "|u1" else layout.column_type_of(stored)
        if found is not None:
            return made(ObjType.PDARRAY, found, stored, *([(SERVERS_DIFFER, True)] if found == UINT8 else []))
    text = f"holds {_described(dtype)}, which no column type can hold"
    return ObjectSchema(path, ObjType.UNKNOWN, problem=Problem(UnsupportedError, text))


def _described(dtype: DType) -> str:
    if h5py.check_ref_dtype(dtype):
        return "references to objects"
    listed = h5py.check_vlen_dtype(dtype)
    if listed is not None:
        return f"lists of {_described(np.dtype(listed))}"
    return f"opaque bytes ({dtype.itemsize} each)" if dtype.kind == "V" else str(dtype)


def _names(dtype: DType) -> dict[int, str] | None:
    """Return the names of numbers, None if they have none; truth values are a type of their own."""
    named = h5py.check_enum_dtype(dtype)
    return None if named is None or dtype.kind == "b" else {number: name for name, number in named.items()}


def _item_type(dtype: DType) -> ColumnType | None:
    if h5py.check_string_dtype(dtype):
        return STR
    if dtype.kind == "b":
        return BOOL
    return layout.column_type_of(dtype.str) if dtype.kind in "iuf" and dtype.subdtype is None else None


def is_plain_record(node: Any) -> bool:
    """Whether the stored bytes of an open dataset's elements are those of NumPy's records."""
    dtype: DType = node.dtype
    if dtype.names is None or dtype.hasobject:
        return False
    return bool(node.get_type().equal(h5t.py_create(dtype)))


class FieldReader:
    """Reads a part of the elements of a dataset through HDF5.

    Parameters
    ----------
    node : low-level h5py object
        The dataset, open.
    path : str
        The path of the part.
    chunks : ChunkReader, optional
        Reads whole elements, where their chunks can be unpacked without the library.
    """

    def __init__(self, node: Any, path: str, chunks: ChunkReader | None = None) -> None:
        self._dataset = h5py.Dataset(node)
        if self._dataset.dtype.hasobject:
            from akdask.formats.hdf5.global_heaps import check_heaps

            check_heaps(node, tuning.HDF5_SEARCHED_FOR_TEXT)
        self._chunks = chunks
        self._steps = path.split(STEP)[1:]

    def read_into(self, ranges: RangeReader, out: Values, start: int) -> None:
        """Fill an array with the elements from `start` on, counted in row-major order."""
        dtype: DType = self._dataset.id.dtype
        names, (base, inner) = _names(_without_shape(dtype)[0]), _without_shape(dtype)
        if self._steps:
            inner = ()
        width = math.prod(inner)
        first, last = (start // width, -(-(start + len(out)) // width)) if width else (0, 0)
        found = [self._part(block) for block in self._blocks(ranges, first, last)]
        values = np.concatenate(found) if len(found) != 1 else found[0]
        if self._steps:
            base, names = values.dtype, _names(values.dtype)
        values = values.ravel()[start - first * width :][: len(out)]
        if names is not None:
            out[:] = [names.get(number, str(number)) for number in values.tolist()]
        elif out.dtype == object:
            out[:] = values
        elif base.kind in "mM":
            out[:] = values.view(np.int64) if values.dtype.isnative else values.astype("<i8")
        else:
            out[:] = values

    def _blocks(self, ranges: RangeReader, start: int, stop: int) -> Iterator[Values]:
        shape = self._dataset.shape
        if self._chunks is not None:
            elements = np.empty(stop - start, self._dataset.dtype)
            self._chunks.read_into(ranges, elements, start)
            yield elements[self._steps[0]]
            return
        if not shape:
            yield np.asarray(self._dataset[()]).reshape((1, *_without_shape(self._dataset.dtype)[1]))
            return
        source: Any = self._dataset
        # Only the wanted field is converted; h5py has no selection of fields of fields.
        if self._steps and self._dataset.dtype.names is not None:
            source = self._dataset.fields(self._steps[0])
        for box in boxes(shape, start, stop):
            count = math.prod(side.stop - side.start for side in box)
            found = np.asarray(source[box])
            yield found.reshape((count, *found.shape[len(shape) :]))

    def _part(self, block: Values) -> Values:
        """Return the part of each row."""
        steps = self._steps
        if self._dataset.shape and self._dataset.dtype.names is not None:
            steps = steps[1:]
        for step in steps:
            if block.ndim > 1:
                block = block.reshape(len(block), -1)[:, int(step)]
            elif block.dtype.kind == "c":
                block = block.real if step == "real" else block.imag
            else:
                block = block[step]
        return block


def read_objects(elements: Elements, place: ColumnLocation, start: int, stop: int) -> Column:
    """Read text or lists that the library makes.

    Raises
    ------
    FileFormatError
        If elements of lists are not of their type.
    """
    (stored,) = place.extents
    found = np.empty(stop - start, object)
    elements.read_into(found, stored, start)
    if place.dtype == STR:
        return _strings(found.tolist())
    item = place.dtype.item
    if item is None:
        raise AssertionError("the type of the items is known from the type of the dataset")
    offsets = np.zeros(len(found) + 1, np.int64)
    np.cumsum([len(one) for one in found], out=offsets[1:])
    if item == STR:
        return lists_of(offsets, _strings([text for one in found for text in one]))
    if not offsets[-1]:
        return lists_of(offsets, empty(item))
    try:
        values = np.concatenate(list(found)).astype(item.numpy, copy=False)
    except (TypeError, ValueError) as error:
        raise FileFormatError(
            f"dataset {stored.dataset!r} of {elements.file.path!r} holds no lists: {error}."
        ) from None
    return lists_of(offsets, values)


def _strings(found: list[Any]) -> pa.Array:
    return pa.array([_text(one) for one in found], pa.large_string())


def _text(one: Any) -> str:
    """Return text; bytes that are no UTF-8 are Latin-1, in which each is a character."""
    if isinstance(one, str):
        return one
    raw = bytes(one) if isinstance(one, bytes | np.bytes_) else b""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
