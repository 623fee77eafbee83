"""Frames between lists and their values: flatten and nest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import INT64, list_of
from akdask.columns.lists import lists_of, offsets_of, values_of
from akdask.columns.rows import take_rows, type_of
from akdask.columns.table import Table
from akdask.deferred import is_arrow, pa
from akdask.engine.node import Frame, RowSpace, lower, rows_decided_by
from akdask.engine.rowwise import Project, Tasks, column_identity
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentError


class Flatten(Frame):
    """A row for each value of the lists in the first column of `frame`.

    Other columns of lists have the same lengths, and are flattened too. Columns of other types are repeated.
    """

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        project: Project = self.operands[0]
        return rows_decided_by("flatten", [column_identity(project.frame, project.values[0])], project.npartitions)

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns."""
        dtype = self.operands[0].column(name).dtype
        return ColumnRef(self._name, name, dtype.item or dtype)


class Nest(Frame):
    """Lists made of the rows of `values`, partition by partition.

    The one column of `shape` has the start of each list, or lists of the wanted lengths. `firsts` has the number of
    each partition's first value among all values.
    """

    no_more_rows = True

    shape: Project
    values: Frame
    firsts: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.shape.rows

    @property
    def lists(self) -> ColumnRef:
        """The lists."""
        values = self.operands[1]
        return ColumnRef(self._name, 0, list_of(values.column(0).dtype))


@lower.register
def _(frame: Flatten) -> Expr:
    calls = tuple((((0, partition),), ()) for partition in range(frame.npartitions))
    return Tasks(frame._name, _flatten, calls, frame.frame)


@lower.register
def _(frame: Nest) -> Expr:
    calls = tuple((((0, partition), (1, partition)), (first,)) for partition, first in enumerate(frame.firsts))
    return Tasks(frame._name, _nest, calls, frame.shape, frame.values)


def _flatten(tables: Sequence[Table]) -> Table:
    (table,) = tables
    first: pa.LargeListArray = next(iter(table.columns.values()))
    offsets = offsets_of(first)
    columns = {}
    for name, column in table.columns.items():
        dtype = type_of(column)
        if dtype.kind == "list":
            columns[name] = values_of(column, dtype.item or INT64)
        else:
            columns[name] = take_rows(column, np.repeat(np.arange(table.nrows), np.diff(offsets)))
    return Table(columns, int(offsets[-1]))


def _nest(tables: Sequence[Table], first: int) -> Table:
    (shape,), (values,) = (tuple(table.columns.values()) for table in tables)
    if is_arrow(shape, "LargeListArray"):
        offsets = offsets_of(shape)
    else:
        # No lists have no starts, and the end is the only bound.
        offsets = np.append(shape - first, len(values)) if len(shape) else np.zeros(1, np.int64)
    if offsets[0] or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        raise ArgumentError(
            "the segments do not fit the values.",
            details=[f"partition with {len(shape)} segments and the {len(values)} values from {first} on"],
            hint="segments ascend from 0 to at most the number of values.",
        )
    return Table({0: lists_of(offsets, values)}, len(shape))


class SegmentStarts(Frame):
    """The start of each segment, from the lengths in the one column of `frame`."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def starts(self) -> ColumnRef:
        """The starts, int64: the sum of all lengths before."""
        return ColumnRef(self._name, 0, INT64)


@lower.register
def _(frame: SegmentStarts) -> Expr:
    # One task adds up all partitions' totals; if each did so for itself, references would grow with the square.
    count = frame.npartitions
    totals = Tasks(f"total {frame._name}", _total, tuple((((0, k),), ()) for k in range(count)), frame.frame)
    firsts = Tasks(f"first {frame._name}", _firsts, ((tuple((0, k) for k in range(count)), ()),), totals)
    calls = tuple((((0, partition), (1, 0)), (partition,)) for partition in range(count))
    return Tasks(frame._name, _starts, calls, frame.frame, firsts)


def _total(tables: Sequence[Table]) -> int:
    (lengths,) = tables[0].columns.values()
    return int(lengths.sum())


def _firsts(totals: Sequence[int]) -> list[int]:
    return list(accumulate(totals, initial=0))


def _starts(inputs: Sequence[Any], partition: int) -> Table:
    table, firsts = inputs
    (lengths,) = table.columns.values()
    return Table({0: np.cumsum(lengths) - lengths + firsts[partition]}, table.nrows)
