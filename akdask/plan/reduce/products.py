"""Products of matrices: each task multiplies some rows of the left one with all of the right one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.combine import Gather
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace


class MatrixProduct(Frame):
    """The elements of the products of matrices, which are in the only columns of two frames, in row-major order.

    Matrices have the shapes ``(rows, common)`` and ``(common, columns)``, and all elements one type.  Either there are
    as many of both, and whole ones in each partition of both frames; or there is one on the right, which every task
    gets, and the partitions of the left frame hold rows of `common` elements.
    """

    left: Project
    right: Project
    sizes: tuple[int, int, int]
    is_shared: bool

    @cached_property
    def planned_rows(self) -> RowSpace:
        _, common, columns = self.sizes
        lengths = self.left.rows.lengths
        assert lengths is not None, "the partitions have been cut by their lengths"
        return RowSpace.of_lengths([count // common * columns for count in lengths])

    @property
    def result(self) -> ColumnRef:
        """The elements."""
        return ColumnRef(self._name, 0, self.left.values[0].dtype)

    def describe(self) -> str:
        rows, common, columns = self.sizes
        return f"MatrixProduct ({rows}, {common}) @ ({common}, {columns})"


@lower.register
def _(frame: MatrixProduct) -> Expr:
    right = Gather(frame.right) if frame.is_shared else frame.right
    calls = tuple(
        (((0, number), (1, 0 if frame.is_shared else number)), (frame.sizes, frame.is_shared))
        for number in range(frame.npartitions)
    )
    return Tasks(frame._name, _multiply, calls, frame.left, right)


def _multiply(tables: Sequence[Table], sizes: tuple[int, int, int], is_shared: bool) -> Table:
    rows, common, columns = sizes
    left, right = (_only(table) for table in tables)
    of_left = (-1, common) if is_shared else (-1, rows, common)
    of_right = (common, columns) if is_shared else (-1, common, columns)
    with np.errstate(all="ignore"):
        found = np.matmul(left.reshape(of_left), right.reshape(of_right)).reshape(-1)
    return Table({0: found}, len(found))


def _only(table: Table) -> Any:
    (column,) = table.columns.values()
    return column
