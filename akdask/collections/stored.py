"""Objects of a set of files as lazy collections: one function for each kind that is more than an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from akdask.collections.categorical import DEFAULT_NA, Categorical
from akdask.collections.dataframe import DataFrame
from akdask.collections.datetimes import Datetime, Timedelta
from akdask.collections.index import Index, MultiIndex
from akdask.collections.ipv4 import IPv4
from akdask.collections.ndarray import ArrayView, reshaped
from akdask.collections.wrap import wrap
from akdask.errors import ArgumentError, FileFormatError
from akdask.hdf5.fileset import StoredColumn, StoredObject
from akdask.hdf5.layout import CATEGORIES, CODES, NA_CODES, PERMUTATION, ROW_LABELS, SEGMENTS, VALUES, ObjType
from akdask.plan.combine import Gather
from akdask.plan.labels import Labels
from akdask.plan.node import Frame
from akdask.plan.rowwise import Project
from akdask.plan.sources import Scan
from akdask.plan.values import Call, ColumnRef, Constant, Value

_makers: dict[ObjType, Callable[[StoredObject], Any]] = {}

Maker = TypeVar("Maker", bound=Callable[[StoredObject], Any])


def makes(kind: ObjType) -> Callable[[Maker], Maker]:
    """Register the function that makes the lazy object of a stored one of some kind."""

    def register(maker: Maker) -> Maker:
        _makers[kind] = maker
        return maker

    return register


def from_stored(stored: StoredObject) -> Any:
    """Return the lazy object that a stored one is."""
    maker = _makers.get(stored.kind)
    return _flat(stored.members[VALUES]) if maker is None else maker(stored)


@makes(ObjType.CATEGORICAL)
def _categorical(stored: StoredObject) -> Categorical:
    na = stored.members.get(NA_CODES)
    has_na = na is not None and sum(na.source.lengths) > 0
    labels = Labels(gathered(stored.members[CATEGORIES]), gathered(na) if na and has_na else DEFAULT_NA)
    codes: Value
    frame, codes = scanned(stored.members[CODES])
    parts = [_flat(stored.members[part]) for part in (PERMUTATION, SEGMENTS) if part in stored.members]
    if not has_na:
        # Files of before v2022.05.05 mark missing elements by -1.
        codes = Call("where", Call("less", codes, Constant(0)), labels.na_code, codes)
    return Categorical.of(frame, codes, labels, *parts)


@makes(ObjType.INDEX)
@makes(ObjType.MULTIINDEX)
def _index(stored: StoredObject) -> Index:
    levels = [from_stored(level) for level in stored.children.values()]
    return Index(levels[0]) if len(levels) == 1 else MultiIndex(levels)


@makes(ObjType.DATAFRAME)
def _dataframe(stored: StoredObject) -> DataFrame:
    columns = {name: from_stored(column) for name, column in stored.children.items() if name != ROW_LABELS}
    labels = stored.children.get(ROW_LABELS)
    return DataFrame.of(columns, None if labels is None else from_stored(labels))


@makes(ObjType.ARRAYVIEW)
def _arrayview(stored: StoredObject) -> ArrayView:
    shape = stored.params["shape"]
    try:
        return reshaped(_flat(stored.members[VALUES]), shape)
    except ArgumentError as error:
        raise FileFormatError(
            f"dataset {stored.name!r} does not have the elements of its shape.", details=[str(error)]
        ) from error


@makes(ObjType.DATETIME)
def _datetime(stored: StoredObject) -> Datetime:
    return Datetime.of(*scanned(stored.members[VALUES]))


@makes(ObjType.TIMEDELTA)
def _timedelta(stored: StoredObject) -> Timedelta:
    return Timedelta.of(*scanned(stored.members[VALUES]))


@makes(ObjType.IPV4)
def _ipv4(stored: StoredObject) -> IPv4:
    return IPv4.of(*scanned(stored.members[VALUES]))


def _flat(column: StoredColumn) -> Any:
    return wrap(*scanned(column))


def scanned(column: StoredColumn) -> tuple[Scan, ColumnRef]:
    """Return the plan of a stored column, and the column on it."""
    scan = Scan(column.source)
    return scan, scan.column(column.column)


def gathered(column: StoredColumn) -> Frame:
    """Return the plan of a stored column with all rows in one partition."""
    scan, value = scanned(column)
    return Gather(Project(scan, (0,), (value,)))
