"""The first or last rows in the order of some columns: those of each partition, then those of all.

Only the columns that rows are ordered by are read of all rows; the others, of those that are found.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from akdask.columns import Table, concat_rows, empty, own_rows, take_rows
from akdask.kernels.keys.sort import argsort
from akdask.kernels.reductions.top_k import bound_of, first_rows, rows_within
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lengths import rows_rearranged
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef, Value, describe
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.task import operators
from akdask.plan.task.align import align
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.combine import OverProject, all_partitions
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.program import Program
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, ColumnType, RowSpace
from akdask.typing import Column

VALUE, ROW = "value", "row"


class TopK(OverProject):
    """The `count` first rows in the order of the columns `by`, or the ``-count`` last ones; the columns `names`.

    Equal rows keep their order, as in a `Sort`.
    """

    weight = 8

    frame: Project
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    names: tuple[Hashable, ...]
    count: int

    @classmethod
    def of(cls, frame: Frame, value: Value, count: int) -> TopK:
        """Return the extremes of a column, and the numbers of their rows."""
        frame, (value, row) = align("number", [(frame, value), row_numbers(frame)])
        return cls(Project(frame, (VALUE, ROW), (value, row)), (VALUE,), (True,), (VALUE, ROW), count)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("extremes", [self.frame.rows], 1, self._lengths, self.count)

    def _lengths(self, lengths: Sequence[int]) -> list[int]:
        return [min(sum(lengths), abs(self.count))]

    @property
    def values(self) -> ColumnRef:
        """The values, in order."""
        return self.column(VALUE)

    @property
    def positions(self) -> ColumnRef:
        """The numbers of their rows."""
        return self.column(ROW)

    def describe(self) -> str:
        keys = [describe(self.frame.values[self.frame.names.index(name)]) for name in self.by]
        shown = [key + ("" if upwards else " descending") for key, upwards in zip(keys, self.ascending, strict=True)]
        return f"{'First' if self.count > 0 else 'Last'} {abs(self.count)} by {', '.join(shown)}"


@dataclass(frozen=True, slots=True)
class TopKSink:
    """Find the first or last rows of a partition.

    Parameters
    ----------
    by, carried : tuple of hashable
        Names of the columns that rows are ordered by, and of other ones.
    ascending : tuple of bool
        The direction of each of `by`.
    keys, others : Program
        The columns.
    count : int
        How many rows, negative for the last ones.
    """

    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    carried: tuple[Hashable, ...]
    keys: Program
    others: Program
    count: int
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.keys, self.others)

    def run(self, partition: Partition | PartitionBatch) -> Table:
        return first_of([self._of(part) for part in partition.each()], self.by, self.ascending, self.count)

    def _of(self, partition: Partition) -> Table:
        """Return the rows of one partition, in order; where they can be, no others are read whole."""
        if not self.others.outputs or not partition.keeps_row_numbers:
            return self._candidates(partition, self.others)
        found = self._candidates(partition, None)
        rows = np.asarray(found.columns[ROW])
        order = np.argsort(rows)
        parts = [
            [own_rows(column) for column in block.evaluate(self.others)] for block in partition.blocks_of(rows[order])
        ]
        columns = [concat_rows(chunks) for chunks in zip(*parts, strict=True)] or list(map(empty, self.others.dtypes))
        inverse = np.argsort(order)
        carried = {name: take_rows(column, inverse) for name, column in zip(self.carried, columns, strict=True)}
        return Table({**{name: found.columns[name] for name in self.by}, **carried}, found.nrows)

    def _candidates(self, partition: Partition, others: Program | None) -> Table:
        """Return the keys of the rows in order, with other columns, or with the numbers of the rows without these."""
        types: dict[Hashable, ColumnType] = dict(zip(self.by, self.keys.dtypes, strict=True))
        types |= {ROW: INT64} if others is None else dict(zip(self.carried, others.dtypes, strict=True))
        found, bound = Table({name: empty(dtype) for name, dtype in types.items()}, 0), None
        for block in partition.blocks():
            keys = block.evaluate(self.keys)
            few = rows_within(keys, self.ascending, self.count, bound)
            if not len(few):
                continue
            keys = [take_rows(key, few) for key in keys]
            if others is None:
                columns: list[Column] = [*keys, block.numbers_of(few)]
            else:
                few = few[chosen := first_rows(keys, self.ascending, self.count)]
                block.select_rows(few, len(few))
                columns = [*[take_rows(key, chosen) for key in keys], *map(own_rows, block.evaluate(others))]
            table = Table(dict(zip(types, columns, strict=True)), len(columns[0]))
            found = first_of([found, table], self.by, self.ascending, self.count)
            bound = bound_of([found.columns[name] for name in self.by], self.ascending, self.count)
        return found


def first_of(tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], count: int) -> Table:
    """Return the first or last rows of some tables, in order."""
    table = Table.concat(tables)
    rows = first_rows([table.columns[name] for name in by], ascending, count)
    table = table.take(rows)
    return table.take(argsort([table.columns[name] for name in by], ascending))


def _finish(
    tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], count: int, names: Sequence[Hashable]
) -> Table:
    table = first_of(tables, by, ascending, count)
    return Table({name: table.columns[name] for name in names}, table.nrows)


@lower.register
def _(frame: TopK) -> Expr:
    project = frame.frame
    carried = tuple(name for name in frame.names if name not in frame.by)
    values = dict(zip(project.names, project.values, strict=True))
    given = [values[name] for name in (*frame.by, *carried)]

    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        split = len(frame.by)
        keys, others = compile_these(values[:split]), compile_these(values[split:])
        return TopKSink(frame.by, frame.ascending, carried, keys, others, frame.count)

    found = pipeline(project.frame, given, sink, frame.describe().lower())
    call = (all_partitions(found.npartitions), (frame.by, frame.ascending, frame.count, frame.names))
    return Tasks(frame._name, _finish, (call,), found)
