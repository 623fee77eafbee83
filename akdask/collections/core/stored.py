"""Objects of a set of files as lazy collections: which function makes those of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from akdask.collections.core.later import registered
from akdask.collections.core.wrap import wrap
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.combine import Gather
from akdask.storage.formats.objects import VALUES, ObjType, StoredColumn, StoredObject

_makers: dict[ObjType, Callable[[StoredObject], Any]] = {}

MAKERS = dict.fromkeys(set(ObjType) - {ObjType.PDARRAY, ObjType.STRINGS}, "session.makers")
"""The module of akdask.collections that registers what makes objects of a kind."""

Maker = TypeVar("Maker", bound=Callable[[StoredObject], Any])


def makes(kind: ObjType) -> Callable[[Maker], Maker]:
    """Register the function that makes the lazy object of a stored one of some kind."""

    def register(maker: Maker) -> Maker:
        _makers[kind] = maker
        return maker

    return register


def from_stored(stored: StoredObject) -> Any:
    """Return the lazy object that a stored one is."""
    maker = registered(_makers, stored.kind, MAKERS)
    return flat(stored.members[VALUES]) if maker is None else maker(stored)


def flat(column: StoredColumn) -> Any:
    """Return a stored column as a lazy array."""
    return wrap(*scanned(column))


def scanned(column: StoredColumn) -> tuple[Scan, ColumnRef]:
    """Return the plan of a stored column, and the column on it."""
    scan = Scan(column.source)
    return scan, scan.column(column.column)


def in_one_partition(column: StoredColumn) -> Frame:
    """Return the plan of a stored column with all rows in one partition."""
    scan, value = scanned(column)
    return Gather(Project(scan, (0,), (value,)))
