"""Rows at given positions.

The strategy is chosen here: the columns are broadcast and every task looks up its rows, or, if they are too large or
few rows are wanted of many, each partition returns the wanted rows that it has.  The result has the order and the row
space of the positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from akdask.columns import Table
from akdask.kernels.rowwise.lookup import from_start
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Value
from akdask.plan.rows.broadcast import broadcast, fits_broadcast
from akdask.plan.shuffle.exchange import max_rows
from akdask.plan.task.combine import OverProject, concat_tables, row_bounds
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace

FEW = 64
"""If one row in this number is wanted, or fewer, a broadcast does not pay."""

MOST_PICKS = 2**14
"""Largest number of tasks that pick rows; otherwise partitions are concatenated first."""

FEWEST_SOURCES = 16


class Take(OverProject):
    """The rows of `frame` at the positions that the one column of `positions` holds.

    Negative positions count from the end.  `given` are the partition lengths of `frame`.  The result has the row space
    of the positions.
    """

    weight = 8

    frame: Project
    positions: Project
    given: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.positions.rows

    @property
    def limiting(self) -> Project:
        return self.positions


def takes_broadcast(frame: Frame, values: Sequence[Value], at_frame: Frame) -> bool:
    """Whether rows are taken from broadcast columns; otherwise the partition lengths must be known."""
    wanted, given = max_rows(at_frame), max_rows(frame)
    are_few = wanted is not None and given is not None and wanted * FEW < given
    return not are_few and fits_broadcast(frame, values)


def take_broadcast(frame: Frame, values: Sequence[Value], at: Value) -> list[Value]:
    """Return the rows of broadcast columns at positions, on the frame of the positions."""
    return [Call("take", broadcast(frame, value), at) for value in values]


def take_exchanged(
    frame: Frame, values: Sequence[Value], at_frame: Frame, at: Value, lengths: Sequence[int]
) -> tuple[Take, list[Value]]:
    """Return the rows of a frame with known partition lengths at any number of positions."""
    source = Project(frame, tuple(range(len(values))), tuple(values))
    taken = Take(source, Project(at_frame, (0,), (at,)), tuple(lengths))
    return taken, [taken.column(number) for number in range(len(values))]


def _pick(tables: Sequence[Table], first: int, total: int) -> tuple[Table, np.ndarray]:
    """Return the wanted rows that one partition has, and their slots in the result."""
    table, wanted = tables
    (positions,) = wanted.columns.values()
    positions = from_start(positions, total) - first
    slots = np.flatnonzero((positions >= 0) & (positions < table.nrows))
    return table.take(positions[slots]), slots


def _reorder(picked: Sequence[tuple[Table, np.ndarray]]) -> Table:
    """Return picked rows in the order of the positions."""
    order = np.empty(sum(len(slots) for _, slots in picked), np.int64)
    order[np.concatenate([slots for _, slots in picked])] = np.arange(len(order))
    return Table.concat([table for table, _ in picked]).take(order)


def _joined(frame: Take) -> tuple[Expr, Sequence[int]]:
    """Return the node to pick rows from and its partition lengths, with partitions concatenated if there are many.

    Every partition of positions picks from each, so that tasks would grow with the product.
    """
    count = frame.frame.npartitions
    groups = max(MOST_PICKS // frame.npartitions, FEWEST_SOURCES)
    if count <= groups:
        return frame.frame, frame.given
    bounds = list(pairwise(group * count // groups for group in range(groups + 1)))
    calls = tuple((tuple((0, index) for index in range(start, stop)), ()) for start, stop in bounds)
    lengths = [sum(frame.given[start:stop]) for start, stop in bounds]
    return Tasks(f"join {frame._name}", concat_tables, calls, frame.frame), lengths


@lower.register
def _(frame: Take) -> Expr:
    source, given = _joined(frame)
    sources, total = row_bounds(given), sum(given)
    wanted = range(frame.npartitions)
    picks = tuple(
        (((0, source), (1, want)), (first, total)) for want in wanted for source, (first, _) in enumerate(sources)
    )
    picked = Tasks(f"pick {frame._name}", _pick, picks, source, frame.positions)
    orders = tuple((tuple((0, want * len(sources) + source) for source in range(len(sources))), ()) for want in wanted)
    return Tasks(frame._name, _reorder, orders, picked)
