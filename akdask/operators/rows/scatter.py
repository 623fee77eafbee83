"""Frames that assign items to chosen rows of a column: where a mask holds, or at positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from akdask._dask import Expr
from akdask.columns.rows import concat_rows, take_rows
from akdask.columns.table import Table
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentError, PositionError
from akdask.typing import Column, NumberArray


class PutMasked(Frame):
    """Column 0 of `frame`; the rows of `items`, in order, replace the rows where column 1 holds.

    Partition k of `items` has as many rows as the mask has true values in partition k.
    """

    no_more_rows = True

    frame: Project
    items: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The changed column."""
        return ColumnRef(self._name, 0, self.frame.values[0].dtype)


class PutAt(Frame):
    """The column of `frame`, with `items` (positions, new values) in one partition assigned to their positions.

    Of several items for one position the last wins, as in NumPy.  `given` are the partition lengths of `frame`.
    """

    no_more_rows = True

    frame: Project
    items: Frame
    given: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The changed column."""
        return ColumnRef(self._name, 0, self.frame.values[0].dtype)


@lower.register
def _(frame: PutMasked) -> Expr:
    calls = tuple((((0, number), (1, number)), ()) for number in range(frame.npartitions))
    return Tasks(frame._name, _put_masked, calls, frame.frame, frame.items)


@lower.register
def _(frame: PutAt) -> Expr:
    total = sum(frame.given)
    starts = accumulate(frame.given[:-1], initial=0)
    calls = [(((0, number), (1, 0)), (first, total)) for number, first in enumerate(starts)]
    return Tasks(frame._name, _put_at, tuple(calls), frame.frame, frame.items)


def _put_masked(tables: Sequence[Table]) -> Table:
    (old, mask), (items,) = (tuple(table.columns.values()) for table in tables)
    slots = np.flatnonzero(mask)
    if len(slots) != len(items):
        raise ArgumentError(f"cannot assign {len(items)} items to {len(slots)} selected rows.")
    return Table({0: _replace(old, slots, items)}, len(old))


def _put_at(tables: Sequence[Table], first: int, total: int) -> Table:
    (old,), (positions, items) = (tuple(table.columns.values()) for table in tables)
    outside = (positions < -total) | (positions >= total)
    if outside.any():
        raise PositionError(
            f"position {int(positions[outside][0])} is outside an array of {total} rows.",
            hint=f"positions run from {-total} to {total - 1}.",
        )
    local = np.where(positions < 0, positions + total, positions).astype(np.int64) - first
    here = np.flatnonzero((local >= 0) & (local < len(old)))
    return Table({0: _replace(old, local[here], take_rows(items, here))}, len(old))


def _replace(old: Column, slots: NumberArray, items: Column) -> Column:
    if isinstance(old, np.ndarray):
        new = old.copy()
        new[slots] = items
        return new
    source = np.arange(len(old))
    source[slots] = len(old) + np.arange(len(items))
    return take_rows(concat_rows([old, items]), source)
