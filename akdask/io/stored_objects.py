"""Lazy objects of stored ones: a function for each kind of object that is more than an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.creation import array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.ndarray import ArrayView, reshaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.stored_arrays import flat, from_stored, in_one_partition, makes, scanned
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import INT64, NOT_A_TIME, SPAN, TIME, UINT64, ColumnType, TimeForm
from akdask.engine.alignment import Gather
from akdask.engine.missing import without_missing
from akdask.engine.node import Frame
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, FileFormatError
from akdask.frames.dataframe import DataFrame
from akdask.storage.objects import (
    CATEGORIES,
    CODES,
    KEY,
    LEVEL,
    MAY_LACK,
    NA_CODES,
    ORDERED,
    PERMUTATION,
    ROW_LABELS,
    SEGMENTS,
    UNIQUE_KEY_IDX,
    UNIT,
    VALUES,
    ZONE,
    ObjType,
    StoredObject,
)

if TYPE_CHECKING:
    from akdask.arrays.groupby import GroupBy
    from akdask.arrays.ipv4 import IPv4
    from akdask.arrays.segarray import SegArray
    from akdask.frames.index import Index


@makes(ObjType.CATEGORICAL)
def _categorical(stored: StoredObject) -> Categorical:
    if VALUES in stored.members:
        return _encoded_again(stored)
    from akdask.operators.join.plan import CategoryTable

    na = stored.members.get(NA_CODES)
    has_na = na is not None and sum(na.source.lengths) > 0
    labels = CategoryTable(
        in_one_partition(stored.members[CATEGORIES]), in_one_partition(na) if na and has_na else DEFAULT_NA
    )
    frame, codes = _checked_integers(stored, CODES, INT64)
    is_grouped = {PERMUTATION, SEGMENTS} <= stored.members.keys()
    parts = _grouping(stored) if is_grouped else []
    if not has_na:
        # Files of before v2022.05.05 mark missing elements by -1.
        codes = Call("where", Call("equal", codes, Constant(-1)), labels.na_code, codes)
    return Categorical.of(frame, codes, labels, *parts)


def _encoded_again(stored: StoredObject) -> Categorical:
    """Return a Categorical of stored strings, with the stored labels, or else with the distinct rows as labels."""
    from akdask.operators.join.plan import CategoryTable

    strings = flat(stored.members[VALUES])
    known = stored.params.get(CATEGORIES)
    if known is None:
        return Categorical(strings)
    if NA_CODES in stored.params:
        na = known[stored.params[NA_CODES]]
        labels = CategoryTable(Gather(array(list(known))._project()), na).in_order(ORDERED in stored.params)
    else:
        labels = CategoryTable(_with_others(known, strings), DEFAULT_NA).in_order()
    found = labels.code_of(strings._value)
    return Categorical.of(
        strings._frame, Call("where", Call("less", found, Constant(0)), labels.na_code, found), labels
    )


def _with_others(known: Sequence[str], strings: Strings) -> Frame:
    """Return known labels, followed by further labels of the rows, in one partition."""
    from akdask.arrays.setops import contained
    from akdask.arrays.shapes import chained
    from akdask.operators.join.plan import Distinct

    there = strings.dropna()
    distinct = Distinct.of(there._frame, without_missing(there._value))
    others = Strings(distinct, distinct.values)
    own = array(np.array(list(known), np.str_))
    return Gather(chained([own, others[contained(others, own, invert=True)]])._project())


def _grouping(stored: StoredObject) -> list[pdarray]:
    """Return the positions that bring equal elements together, and where each label starts in them."""
    size = sum(stored.members[CODES].source.lengths)
    found = sum(stored.members[PERMUTATION].source.lengths)
    if found != size:
        raise FileFormatError(
            f"dataset {stored.name!r} has {found} positions in its permutation for {size} elements.",
            hint="the files are damaged; name the other datasets to read only those.",
        )
    # The last labels may have no elements: they start behind all of them.
    return [_positions(stored, PERMUTATION, size), _positions(stored, SEGMENTS, size + 1)]


def _positions(stored: StoredObject, part: str, size: int) -> pdarray:
    """Return a member of positions below a size, which are checked on reading."""
    frame, column = scanned(stored.members[part])
    return pdarray(frame, Call("stored_position", column, size=size, of=f"{stored.name}/{part}"))


@makes(ObjType.SEGARRAY)
def _segarray(stored: StoredObject) -> SegArray:
    from akdask.arrays.segarray import SegArray

    # Two columns where an old release has stored them so, else one column of lists.
    segments, values = stored.members.get(SEGMENTS), flat(stored.members[VALUES])
    return values if segments is None else SegArray.deferred(flat(segments), values)


@makes(ObjType.INDEX)
@makes(ObjType.MULTIINDEX)
def _index(stored: StoredObject) -> Index:
    from akdask.frames.index import Index, MultiIndex

    levels = _numbered(stored, LEVEL)
    return Index(levels[0]) if len(levels) == 1 else MultiIndex(levels)


def _numbered(stored: StoredObject, prefix: str) -> list[Any]:
    """Return the numbered members of an object; raises if one is missing."""
    wanted = stored.params.get("count", len(stored.children))
    names = [f"{prefix}{number}" for number in range(len(stored.children))]
    if wanted != len(names) or names != list(stored.children):
        raise FileFormatError(
            f"dataset {stored.name!r} lacks some of its parts.",
            details=[f"there should be {wanted}, found: {', '.join(stored.children)}"],
            hint="the files are damaged; name the other datasets to read only those.",
        )
    return [from_stored(child) for child in stored.children.values()]


@makes(ObjType.DATAFRAME)
def _dataframe(stored: StoredObject) -> DataFrame:
    columns = {name: from_stored(column) for name, column in stored.children.items() if name != ROW_LABELS}
    labels = stored.children.get(ROW_LABELS)
    return DataFrame.of(columns, None if labels is None else from_stored(labels))


@makes(ObjType.GROUPBY)
def _groupby(stored: StoredObject) -> GroupBy:
    from akdask.arrays.groupby import GroupBy

    keys = _numbered(stored, KEY)
    parts = {part: pdarray(*_checked_integers(stored, part, INT64)) for part in (PERMUTATION, SEGMENTS)}
    # Permutation and segments are checked together, when rows are numbered by them.  Rows whose keys are missing are in
    # no group, so that there may be more rows than places in the permutation.
    parts[UNIQUE_KEY_IDX] = _positions(stored, UNIQUE_KEY_IDX, keys[0].size)
    return GroupBy.build_from_components(orig_keys=keys if len(keys) > 1 else keys[0], **parts)


@makes(ObjType.ARRAYVIEW)
def _arrayview(stored: StoredObject) -> ArrayView:
    shape = stored.params["shape"]
    try:
        return reshaped(flat(stored.members[VALUES]), shape)
    except ArgumentError as error:
        raise FileFormatError(
            f"dataset {stored.name!r} does not have the elements of its shape.", details=[str(error)]
        ) from error


@makes(ObjType.DATETIME)
def _datetime(stored: StoredObject) -> Datetime:
    return Datetime.of(*_checked_integers(stored, VALUES, INT64), _form_of(stored, TIME))


@makes(ObjType.TIMEDELTA)
def _timedelta(stored: StoredObject) -> Timedelta:
    return Timedelta.of(*_checked_integers(stored, VALUES, INT64), _form_of(stored, SPAN))


def _form_of(stored: StoredObject, kind: str) -> TimeForm:
    """Return the time form of stored numbers; bounds or the format show whether some may be NaT."""
    column = stored.members[VALUES]
    bounds = column.source.bounds(column.column)
    may_lack = stored.params.get(MAY_LACK) if bounds is None else bool((bounds.minima == NOT_A_TIME).any())
    return TimeForm(kind, stored.params.get(UNIT, "ns"), stored.params.get(ZONE), may_lack)


@makes(ObjType.IPV4)
def _ipv4(stored: StoredObject) -> IPv4:
    from akdask.arrays.ipv4 import IPv4

    return IPv4.of(*_checked_integers(stored, VALUES, UINT64))


def _checked_integers(stored: StoredObject, part: str, dtype: ColumnType) -> tuple[Frame, Value]:
    """Return a member whose numbers encode other values, in its required type.

    Raises
    ------
    FileFormatError
        If it holds anything but whole numbers.
    """
    frame, column = scanned(stored.members[part])
    if column.dtype.kind not in ("int", "uint"):
        raise FileFormatError(
            f"dataset {stored.name!r} is marked as {stored.kind.name}, but holds {column.dtype}.",
            hint="its ObjType or its values are damaged; name the other datasets to read only those.",
        )
    return frame, column if column.dtype == dtype else Call("cast", column, dtype=dtype.name)
