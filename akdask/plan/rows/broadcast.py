"""Columns that every task holds whole, to look rows up in: those that are small beside the memory of a worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from akdask import config
from akdask.cluster import memory, on_cluster
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Replica, Value, assumed_width
from akdask.plan.shuffle.exchange import max_rows
from akdask.plan.task.combine import Gather

SHARE = 16
"""The part of a worker's memory that columns may take to be held: an index of them takes several times as much."""

SHARE_HERE = 6
"""The same of this process, whose threads hold them once: to exchange rows instead takes several times as long."""


def fits_broadcast(frame: Frame, values: Iterable[Value]) -> bool:
    """Whether some columns are small enough to broadcast; rows of unknown number count as few."""
    rows = max_rows(frame)
    limit = config.get("replicate_size")
    if rows is None:
        return True
    if limit == 0:
        return False
    width = sum(map(assumed_width, dict.fromkeys(values)))
    if limit is None:
        limit = memory() // (SHARE if on_cluster() else SHARE_HERE)
    return bool(rows * width <= limit)


def broadcast(frame: Frame, value: Value) -> Replica:
    """Return a column of a frame, whole."""
    (column,) = broadcast_columns(frame, [value])
    return column


def broadcast_columns(frame: Frame, values: Sequence[Value]) -> list[Replica]:
    """Return columns of a frame, whole: those that are read are gathered together."""
    if not values:
        return []
    columns = Gather(Project(frame, tuple(range(len(values))), tuple(values)))
    return [Replica(columns, number, value.dtype) for number, value in enumerate(values)]


class BroadcastColumn(NamedTuple):
    """A column that is broadcast: the frame that it is of, and its value there."""

    frame: Frame
    value: Value

    @classmethod
    def of(cls, value: Value) -> BroadcastColumn | None:
        """Return what a value stands for, None if it is no column that is broadcast."""
        if not isinstance(value, Replica) or not isinstance(value.node, Gather):
            return None
        project = value.node.frame
        return cls(project.frame, project.values[project.names.index(value.field)])
