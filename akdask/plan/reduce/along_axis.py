"""Functions along one dimension of an array of several: each partition holds blocks of all positions along it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.kernels.reductions.along_axis import AXIS_FUNCTIONS, computed_along
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.combine import Realign, row_slices
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace
from akdask.typing import NumberArray


class AlongAxis(Frame):
    """A function (`akdask.kernels.reductions.along_axis`) of the only column of `frame`.

    The rows of each partition are blocks of `length` times `inner` elements: the positions along the dimension, and
    the elements at each.  For reductions the last one may have fewer positions.  `params` are keyword arguments of the
    function.
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
        block = self.length * self.inner
        return RowSpace.of_lengths([-(-count // block) * self.inner for count in rows.lengths])

    @property
    def result(self) -> ColumnRef:
        """What the function gives."""
        return ColumnRef(self._name, 0, AXIS_FUNCTIONS[self.function].result_type(self.frame.values[0].dtype))

    def describe(self) -> str:
        return f"{self.function} along {self.length}, of {self.inner} each"


@lower.register
def _(frame: AlongAxis) -> Expr:
    args = (frame.function, frame.length, frame.inner, frame.params)
    project, source = frame.frame, frame.frame.frame
    if isinstance(source, Realign) and project.values[0] == source.column(0) and AXIS_FUNCTIONS[frame.function].reduces:
        # Only blocks with rows of two partitions are put together.
        slices = [used or [(0, 0, 0)] for used in row_slices(source.given, source.lengths)]
        split = tuple(
            (tuple((0, number) for number, _, _ in used), (tuple((start, stop) for _, start, stop in used), *args))
            for used in slices
        )
        return Tasks(frame._name, _reduced, split, source.frame)
    calls = tuple((((0, number),), args) for number in range(frame.npartitions))
    return Tasks(frame._name, _computed, calls, frame.frame)


def _computed(
    tables: Sequence[Table], function: str, length: int, inner: int, params: Sequence[tuple[str, Any]]
) -> Table:
    (column,) = tables[0].columns.values()
    found = computed_along(function, column, length, inner, **dict(params))
    return Table({0: found}, len(found))


def _reduced(  # noqa: PLR0917 - the parameters of the node
    tables: Sequence[Table],
    ranges: Sequence[tuple[int, int]],
    function: str,
    length: int,
    inner: int,
    params: Sequence[tuple[str, Any]],
) -> Table:
    """Return the reduction of the blocks that slices of partitions make up, one below the other."""
    block = length * inner
    found: list[NumberArray] = []
    begun: list[NumberArray] = []
    for table, (first, stop) in zip(tables, ranges, strict=True):
        (column,) = table.columns.values()
        start = first + (min(block - sum(map(len, begun)), stop - first) if begun else 0)
        begun += [column[first:start]] if first < start else []
        if sum(map(len, begun)) == block:
            found.append(np.concatenate(begun))
            begun = []
        even = start + (stop - start) // block * block
        found.append(column[start:even])
        begun += [column[even:stop]] if even < stop else []
    parts = [*found, *([np.concatenate(begun)] if begun else [])]
    made = [computed_along(function, part, length, inner, **dict(params)) for part in parts if len(part)]
    result = np.concatenate(made) if made else computed_along(function, parts[0], length, inner, **dict(params))
    return Table({0: result}, len(result))
