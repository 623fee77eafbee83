"""Objects of a set of files as lazy collections."""

from __future__ import annotations

from akdask.collections.array import Array
from akdask.collections.categorical import DEFAULT_NA, Categorical
from akdask.collections.wrap import wrap
from akdask.hdf5.fileset import StoredColumn, StoredObject
from akdask.hdf5.layout import CATEGORIES, CODES, NA_CODES, VALUES, ObjType
from akdask.plan.combine import Gather
from akdask.plan.labels import Labels
from akdask.plan.node import Frame
from akdask.plan.rowwise import Project
from akdask.plan.sources import Scan
from akdask.plan.values import ColumnRef


def from_stored(stored: StoredObject) -> Array:
    """Return the lazy object that a stored one is."""
    if stored.kind == ObjType.CATEGORICAL:
        return _categorical(stored)
    return wrap(*_scanned(stored.members[VALUES]))


def _categorical(stored: StoredObject) -> Categorical:
    na = stored.members.get(NA_CODES)
    has_na = na is not None and sum(na.source.lengths) > 0
    labels = Labels(_gathered(stored.members[CATEGORIES]), _gathered(na) if na and has_na else DEFAULT_NA)
    return Categorical.of(*_scanned(stored.members[CODES]), labels)


def _scanned(column: StoredColumn) -> tuple[Scan, ColumnRef]:
    scan = Scan(column.source)
    return scan, scan.column(column.column)


def _gathered(column: StoredColumn) -> Frame:
    scan, value = _scanned(column)
    return Gather(Project(scan, (0,), (value,)))
