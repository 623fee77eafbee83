"""Functions along one dimension of an array of several: each partition holds blocks of all positions along it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from akdask.columns import Table
from akdask.kernels.reductions.along_axis import AXIS_FUNCTIONS, computed_along
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace


class AlongAxis(Frame):
    """A function (`akdask.kernels.reductions.along_axis`) of the only column of `frame`.

    The rows of each partition are blocks of `length` times `inner` elements: the positions along the dimension, and
    the elements at each.  `params` are keyword arguments of the function.
    """

    no_more_rows = True

    frame: Project
    function: str
    length: int
    inner: int
    params: tuple[tuple[str, Any], ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.frame.rows
        if not AXIS_FUNCTIONS[self.function].reduces or rows.lengths is None:
            return rows
        return RowSpace.of_lengths([count // self.length for count in rows.lengths])

    @property
    def result(self) -> ColumnRef:
        """What the function gives."""
        return ColumnRef(self._name, 0, AXIS_FUNCTIONS[self.function].result_type(self.frame.values[0].dtype))

    def describe(self) -> str:
        return f"{self.function} along {self.length}, of {self.inner} each"


@lower.register
def _(frame: AlongAxis) -> Expr:
    args = (frame.function, frame.length, frame.inner, frame.params)
    calls = tuple((((0, number),), args) for number in range(frame.npartitions))
    return Tasks(frame._name, _computed, calls, frame.frame)


def _computed(
    tables: Sequence[Table], function: str, length: int, inner: int, params: Sequence[tuple[str, Any]]
) -> Table:
    (column,) = tables[0].columns.values()
    found = computed_along(function, column, length, inner, **dict(params))
    return Table({0: found}, len(found))
