"""Strings in files: a group of values, bytes that each end in NUL, and segments, where each string starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.caches import cached_results
from akdask.cluster import check_memory
from akdask.columns.dtypes import STR
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import copied_strings, type_of
from akdask.deferred import is_arrow, pa
from akdask.errors import FileFormatError, SchemaError
from akdask.formats.hdf5.description import (
    ColumnLocation,
    ColumnSchema,
    DatasetSchema,
    Described,
    Elements,
    ObjectSchema,
    Slot,
)
from akdask.formats.hdf5.metadata import (
    MAX_COMPRESSION_RATIO,
    NotFlatError,
    StoredDataset,
    StoredGroup,
    group_of,
)
from akdask.formats.hdf5.null_terminated import (
    Characters,
    PrefixRange,
    StringError,
    decode,
    encode,
    segments_of,
    starts_from_ends,
)
from akdask.storage.objects import (
    SEGMENTS,
    VALUES,
    Columns,
    ObjectSpec,
    ObjType,
)
from akdask.storage.ranges import Extent
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import Column, NumberArray, StringArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share


def describe_strings(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a group of ``values`` and ``segments``; files of any age may lack segments."""
    column, slots = describe_string_column(node.path, group_of(node))
    return Described(_strings_schema(node.path, kind, column), slots)


def describe_string_column(name: str, group: StoredGroup) -> tuple[ColumnSchema, tuple[Slot, ...]]:
    """Describe the column of strings that a group holds.

    Raises
    ------
    NotFlatError
        If a member is missing or of another type.
    """
    name_of_values = group.find_values(VALUES)
    values, slot = group.describe(name_of_values, VALUES)
    if values.dtype not in {"|u1", "|i1"}:
        raise NotFlatError(f"holds {values.dtype} as values, not bytes")
    found = group.find_values(SEGMENTS)
    if found is None and name_of_values is not None:
        # All bytes are scanned for the starts of strings, so a length is refused that the file cannot unpack to.
        stored = group.storage_size(name_of_values)
        if slot[1] > stored * MAX_COMPRESSION_RATIO:
            raise NotFlatError(f"has strings without segments, and {stored:,} bytes for the {slot[1]:,} that it claims")
        return _string_column(name, values, None), (slot,)
    segments, segment_slot = group.describe(found, SEGMENTS)
    if segments.dtype[1] not in "iu":
        raise NotFlatError(f"holds {segments.dtype} as segments, not integers")
    return _string_column(name, values, segments), (slot, segment_slot)


@cached_results("columns of HDF5 strings", 65536)
def _string_column(name: str, values: DatasetSchema, segments: DatasetSchema | None) -> ColumnSchema:
    return ColumnSchema(name, STR, (values,) if segments is None else (values, segments))


@cached_results("schemas of HDF5 strings", 65536)
def _strings_schema(name: str, kind: ObjType, column: ColumnSchema) -> ObjectSchema:
    return ObjectSchema(name, kind, ((VALUES, column),))


def read_strings(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> StringArray:
    """Read the bytes of the wanted strings only; `out` is not used."""
    limit = place.extents[0].length
    bounds = read_bounds(elements, place, start, stop)
    first, last = int(bounds[0]), int(bounds[-1])
    if not 0 <= first <= last <= limit:
        raise _damaged(elements, place, start, f"segments reach from {first} to {last} of {limit} bytes")
    try:
        return decode(elements.read(place.extents[0], first, last - first).view(np.uint8), bounds)
    except StringError as error:
        raise _damaged(elements, place, start + error.row, error.text) from None


def read_strings_at(elements: Elements, place: ColumnLocation, rows: NumberArray) -> StringArray | None:
    """Read strings of ascending rows with segments, without decoding those between; None if they are not valid."""
    start, stop = int(rows[0]), int(rows[-1]) + 1
    bounds = read_bounds(elements, place, start, stop)
    starts, ends = bounds[rows - start], bounds[rows - (start - 1)]
    first, last = int(starts[0]), int(ends[-1])
    ascend = bool((starts < ends).all() and (ends[:-1] <= starts[1:]).all())
    if not ascend or first < 0 or last > place.extents[0].length:
        return None
    found = np.append(0, np.cumsum(ends - starts))
    values = elements.read(place.extents[0], first, last - first).view(np.uint8)
    copied = copied_strings(values, (starts - first).view(np.uint64), found.view(np.uint64))
    try:
        return decode(copied[: found[-1]], found)
    except StringError:
        return None


def read_characters(
    elements: Elements, place: ColumnLocation, start: int, stop: int, known: Characters
) -> pa.DictionaryArray | None:
    """Read strings as positions among known characters if each is one ASCII character, None otherwise.

    Such a column has two bytes for each row. Where the first row starts, and a NUL behind each character, tell where
    the rows are, so that other segments are not read.
    """
    if len(place.extents) != 2 or stop <= start:
        return None
    values, segments = place.extents
    if values.length != 2 * segments.length or int(elements.read(segments, start, 1)[0]) != 2 * start:
        return None
    return known.decode(elements.read(values, 2 * start, 2 * (stop - start)).view(np.uint8))


def read_bounds(elements: Elements, place: ColumnLocation, start: int, stop: int) -> NumberArray:
    """Return the starts of the strings or lists of some rows, and the end of the last.

    The place has the values and the segments; segments of strings may be missing.
    """
    if len(place.extents) == 1:
        # Only counting NULs from the first byte of the file on finds a row.
        return elements.cached(place.extents[0], scan_starts)[start : stop + 1]
    values, segments = place.extents
    is_last = stop == segments.length
    bounds = new_array(stop - start + 1, np.int64)
    count = len(bounds) - is_last
    if np.dtype(segments.dtype) == bounds.dtype:
        elements.read_into(bounds[:count], segments, start)
    else:
        bounds[:count] = elements.read(segments, start, count)
    if is_last:
        bounds[-1] = values.length
    if start == 0 and bounds[0] != 0:
        raise _damaged(elements, place, 0, f"the first string starts at byte {bounds[0]}, not 0")
    return bounds


def scan_starts(elements: Elements, values: Extent) -> NumberArray:
    """Return the start of every string and the end of the last, from the NULs alone.

    Raises
    ------
    FileFormatError
        If the last string has no NUL.
    TransferError
        If where the strings start would take more memory than this process may use for it.
    """
    ends: list[NumberArray] = []
    nbytes = 0
    for start in range(0, values.length, BLOCK_BYTES):
        block = np.empty(min(BLOCK_BYTES, values.length - start), np.uint8)
        elements.read_into(block.view(values.dtype), values, start)
        ends.append(np.flatnonzero(block == 0) + start)
        nbytes += ends[-1].nbytes
        check_memory(
            2 * nbytes, f"the starts of the strings of dataset {values.dataset!r} take", "write the file with segments"
        )
    starts = starts_from_ends(ends)
    if starts[-1] != values.length:
        raise FileFormatError(
            f"dataset {values.dataset!r} of {elements.file.path!r} does not end with NUL, as strings do."
        )
    return starts


def _damaged(elements: Elements, place: ColumnLocation, row: int, text: str) -> FileFormatError:
    return FileFormatError(
        f"dataset {place.extents[0].dataset!r} of {elements.file.path!r} holds no valid strings.",
        details=[f"row {row} of the file: {text}"],
        hint="with calc_string_offsets=True the stored segments are not used.",
    )


def lay_out_strings(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out a group with bytes and, unless the object opts out, segments."""
    made = group_of_strings(spec.name, columns[spec.members[VALUES]])
    return made if spec.params.get(SEGMENTS, True) else made.without(f"{spec.name}/{SEGMENTS}")


def group_of_strings(path: str, strings: Column) -> NewObject:
    """Lay out strings; the segments start at 0 in every file.

    The members also have their documented names, ``<leaf>_values`` and ``<leaf>_segments``.

    Raises
    ------
    SchemaError
        If the column holds numbers; while the bytes are made, if a string contains NUL.
    """
    from akdask.formats.hdf5.new_file import NewDataset, NewGroup, NewObject

    if not is_arrow(strings, "LargeStringArray"):
        raise SchemaError(f"{path!r} is to be written as Strings, but the values are {type_of(strings)}.")
    rows: Any = strings
    if rows.null_count:
        rows = rows.fill_null("")
    values, segments = f"{path}/{VALUES}", f"{path}/{SEGMENTS}"
    leaf = path.rpartition("/")[2]
    nbytes = len(offsets_and_bytes(rows)[1]) + len(rows)
    parts = (
        NewGroup(path, ObjType.STRINGS),
        NewDataset(values, "|u1", nbytes, alias=f"{path}/{leaf}_{VALUES}"),
        NewDataset(segments, "<i8", len(rows), alias=f"{path}/{leaf}_{SEGMENTS}", local_to=values),
    )
    prefixes = PrefixRange()
    return NewObject(parts, {values: _encoded(path, rows, prefixes), segments: segments_of(rows)}, {values: prefixes})


def _encoded(path: str, rows: StringArray, prefixes: PrefixRange) -> Iterator[NumberArray]:
    try:
        yield from encode(rows, prefixes)
    except StringError as error:
        details = [f"row {error.row} {error.text}"]
        raise SchemaError(f"{path!r} cannot be written as Strings.", details=details) from None
