"""Groups: rows with equal keys reduced to one, in one pass over the rows and a merge by ranges of the keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from akdask.columns import Table, concat_rows
from akdask.kernels.collapse import Collapse, Step
from akdask.kernels.grouped import GROUPED
from akdask.kernels.tally import Grid, Tally, fits
from akdask.plan import sinks
from akdask.plan._dask import Expr
from akdask.plan.blocks import Partition
from akdask.plan.chain import Chain
from akdask.plan.lengths import uncounted_rows
from akdask.plan.lower import lower
from akdask.plan.node import Frame
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Program
from akdask.plan.ranges import merge_by_range
from akdask.plan.sources import Literal, Persisted, Rows, Scan
from akdask.plan.tokens import token
from akdask.plan.values import ColumnRef, Value, describe
from akdask.schema import ColumnType, RowSpace
from akdask.typing import Column

RANGE_ROWS = 2**21
"""Rows of the input for which a partition of the result is planned."""


class GroupReduction:
    """One reduction of the rows of each group.

    Parameters
    ----------
    name : str
        Which: a name in `akdask.kernels.grouped.GROUPED`.
    *values : Value
        What is reduced: nothing for ``size``, and the numbers of the rows as well where the reduction is by position.
    skipna : bool
        Whether NaN are left out.
    **params
        Arguments of the last step, such as ``ddof``.
    """

    __slots__ = ("name", "params", "skipna", "token", "values")

    def __init__(self, name: str, *values: Value, skipna: bool = True, **params: Any) -> None:
        self.name = name
        self.values = values
        self.skipna = skipna
        self.params = tuple(sorted(params.items()))
        self.token = token(name, values, skipna, self.params)

    @property
    def dtype(self) -> ColumnType:
        """Type of the result."""
        reduction = GROUPED[self.name]
        if not self.values:
            return next(iter(reduction.types.values()))
        return reduction.result_type(self.values[0].dtype)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(describe, self.values[:1]))})"


class Grouped(Frame):
    """One row for each distinct combination of keys, in ascending order: the keys, and reductions of their rows.

    All reductions of the same rows by the same keys share their row space.
    """

    frame: Frame
    keys: tuple[Value, ...]
    reductions: tuple[GroupReduction, ...]

    @cached_property
    def _row_token(self) -> str:
        return token("groups", self.frame.rows.token, self.keys)

    @property
    def rows(self) -> RowSpace:
        return uncounted_rows(self._row_token, self.npartitions)

    @cached_property
    def npartitions(self) -> int:
        return planned_ranges(self.frame)

    def key(self, number: int) -> ColumnRef:
        """Return one of the keys."""
        return ColumnRef(self._name, number, self.keys[number].dtype)

    def result(self, number: int) -> ColumnRef:
        """Return the outcome of one of the reductions."""
        return ColumnRef(self._name, len(self.keys) + number, self.reductions[number].dtype)

    def describe(self) -> str:
        computed = ", ".join(map(str, self.reductions)) or "distinct"
        return f"Group by {', '.join(map(describe, self.keys))}: {computed}"


def planned_ranges(frame: Frame) -> int:
    """Return in how many partitions groups of the rows of a frame come, judged by what is known for good."""
    base = Chain.of(frame).bases[0]
    known = isinstance(base, Scan | Rows | Literal | Persisted)
    size = base.rows.size if known else None
    if size is None:
        return frame.npartitions
    return max(1, min(frame.npartitions, -(-size // RANGE_ROWS)))


@dataclass(frozen=True, slots=True)
class GroupBlocks:
    """Reduce the rows of a partition to one for each group.

    While the keys span few cells, blocks are tallied one by one; what follows is held in memory and sorted.
    """

    program: Program
    collapse: Collapse
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition) -> Table:
        tables: list[Table] = []
        tally: Tally | None = None
        held: list[list[Column]] = [[] for _ in self.program.outputs]
        for block in partition.blocks():
            columns = block.evaluate(self.program)
            keys, values = columns[: self.collapse.nkeys], columns[self.collapse.nkeys :]
            grid = None if held[0] else Grid.around(keys)
            if grid is not None and tally is not None and not tally.grid.covers(grid):
                tables.append(tally.table())
                tally, grid = None, grid.united(tally.grid)
            if grid is not None and tally is None and fits(grid, block.nrows):
                tally = Tally(self.collapse, grid)
            if grid is not None and tally is not None:
                tally.add(keys, values)
            else:
                for column, pieces in zip(columns, held, strict=True):
                    # What lies in buffers will be overwritten by the next block.
                    pieces.append(column.copy() if isinstance(column, np.ndarray) else column)
        if tally is not None:
            tables.append(tally.table())
        if held[0] or not tables:
            tables.append(self._sorted(held))
        return self.collapse.merge(tables)

    def _sorted(self, held: list[list[Column]]) -> Table:
        columns = [
            concat_rows(pieces) if pieces else sinks.empty(dtype)
            for pieces, dtype in zip(held, self.program.dtypes, strict=True)
        ]
        held.clear()
        return self.collapse.rows(columns[: self.collapse.nkeys], columns[self.collapse.nkeys :])


@lower.register
def _(frame: Grouped) -> Expr:
    values = list(dict.fromkeys(value for item in frame.reductions for value in item.values))
    steps = tuple(
        Step(item.name, tuple(values.index(value) for value in item.values), item.skipna, item.params)
        for item in frame.reductions
    )
    collapse = Collapse(len(frame.keys), steps)

    def sink(compile_these: Compile, values: Sequence[Value]) -> sinks.Sink:
        return GroupBlocks(compile_these(values), collapse)

    purpose = frame.describe().replace("Group", "group", 1)
    partials = pipeline(frame.frame, [*frame.keys, *values], sink, f"{purpose} {token(frame.reductions)}")
    return merge_by_range(frame._name, partials, frame.npartitions, collapse)


def names_of(frame: Grouped) -> tuple[Hashable, ...]:
    """Return the names of all columns."""
    return tuple(range(len(frame.keys) + len(frame.reductions)))
