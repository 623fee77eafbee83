"""Frames between lists and their values: flattening and nesting."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from akdask.columns import Table, take_rows, type_of
from akdask.columns.lists import lists_of, offsets_of, values_of
from akdask.deferred import is_arrow, pa
from akdask.errors import ArgumentError
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.lengths import rows_decided_by
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace, list_of


class Flatten(Frame):
    """A row for each value of the lists in the first column of `frame`.

    The other columns are lists of the same lengths, which are taken apart too, or anything else, which is repeated.
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

    The one column of `shape` tells where each list starts, or holds lists of the lengths wanted.  `firsts` has for
    each partition where its first value is among the values of all.
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
        # Of no lists there are no starts, and the end is the only bound.
        offsets = np.append(shape - first, len(values)) if len(shape) else np.zeros(1, np.int64)
    if offsets[0] or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        raise ArgumentError(
            "the segments do not fit the values.",
            details=[f"partition with {len(shape)} segments and the {len(values)} values from {first} on"],
            hint="segments ascend from 0 to at most the number of values.",
        )
    return Table({0: lists_of(offsets, values)}, len(shape))
