"""Row numbers of frames, also if the number of rows is unknown when the plan is made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import BOOL, INT64
from akdask.columns.table import Table
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.sources import Rows
from akdask.engine.values import ColumnRef
from akdask.operators.reduce.plan import CountRows
from akdask.operators.sort.kernels import is_ascending


class RowNumbers(Frame):
    """The numbers of the rows of `frame`, from 0; rows are counted once, when the numbers are computed."""

    no_more_rows = True

    frame: Frame

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def position(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


def row_numbers(frame: Frame) -> tuple[Frame, ColumnRef]:
    """Return the number of each row as a column, the same column whether or not rows have been counted."""
    rows = frame.rows
    numbers = Rows(rows.lengths) if rows.is_fixed and rows.lengths is not None else RowNumbers(frame)
    return numbers, numbers.position


@lower.register
def _(frame: RowNumbers) -> Expr:
    lengths = frame.rows.lengths
    if lengths is not None:
        known = tuple(((), bounds) for bounds in pairwise(accumulate(lengths, initial=0)))
        return Tasks(frame._name, _number_between, known)
    calls = tuple((((0, 0),), (partition,)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _number, calls, CountRows(frame.frame))


def _number(counts: Sequence[Sequence[int]], partition: int) -> Table:
    (lengths,) = counts
    start = sum(lengths[:partition])
    return _number_between((), start, start + lengths[partition])


def _number_between(inputs: Sequence[Any], start: int, stop: int) -> Table:
    return Table({0: np.arange(start, stop)}, stop - start)


class Cosorted(Frame):
    """Whether the rows of `frame` ascend by its columns, the first one first: one bool in one row."""

    frame: Project

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    @property
    def ascending(self) -> ColumnRef:
        """The answer."""
        return ColumnRef(self._name, 0, BOOL)


@lower.register
def _(frame: Cosorted) -> Expr:
    count = frame.frame.npartitions
    calls = tuple((((0, partition),), ()) for partition in range(count))
    parts = Tasks(f"ascending {frame._name}", _part, calls, frame.frame)
    everything = tuple((0, partition) for partition in range(count))
    return Tasks(frame._name, _joined, ((everything, ()),), parts)


def _part(tables: Sequence[Table]) -> tuple[bool, Table]:
    """Return whether a partition's rows ascend, and its first and last row."""
    (table,) = tables
    edges = np.array([0, table.nrows - 1] if table.nrows else [], np.int64)
    return is_ascending(list(table.columns.values())), table.take(edges)


def _joined(parts: Sequence[tuple[bool, Table]]) -> Table:
    edges = Table.concat([table for _, table in parts])
    ascending = all(flag for flag, _ in parts) and is_ascending(list(edges.columns.values()))
    return Table({0: np.array([ascending])}, 1)
