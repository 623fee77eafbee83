"""The rows with the smallest or largest values: those of each partition, then those of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from akdask.columns import Table, empty
from akdask.kernels.reductions.top_k import largest, smallest
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lengths import rows_rearranged
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import ColumnRef, Value, describe
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.task import operators
from akdask.plan.task.align import align
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.program import Program
from akdask.plan.task.tables import Tasks
from akdask.schema import INT64, RowSpace

VALUE, ROW = "value", "row"


class TopK(Frame):
    """The `count` first rows of a column in order, or the ``-count`` last ones: values and row numbers."""

    no_more_rows = True

    frame: Frame
    value: Value
    row: Value
    count: int

    @classmethod
    def of(cls, frame: Frame, value: Value, count: int) -> TopK:
        """Return the extremes of a column."""
        frame, (value, row) = align("number", [(frame, value), row_numbers(frame)])
        return cls(frame, value, row, count)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("extremes", [self.frame.rows], 1, self._lengths, self.count)

    def _lengths(self, lengths: Sequence[int]) -> list[int]:
        return [min(sum(lengths), abs(self.count))]

    @property
    def values(self) -> ColumnRef:
        """The values, in order."""
        return ColumnRef(self._name, VALUE, self.value.dtype)

    @property
    def positions(self) -> ColumnRef:
        """The numbers of their rows."""
        return ColumnRef(self._name, ROW, INT64)

    def describe(self) -> str:
        return f"{'Smallest' if self.count > 0 else 'Largest'} {abs(self.count)} of {describe(self.value)}"


@dataclass(frozen=True, slots=True)
class TopKSink:
    """Find the extremes of the rows of a partition."""

    program: Program
    count: int
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Table:
        found = Table({name: empty(dtype) for name, dtype in zip((VALUE, ROW), self.program.dtypes, strict=True)}, 0)
        for block in partition.blocks():
            values, rows = block.evaluate(self.program)
            table = Table({VALUE: values, ROW: rows}, block.nrows)
            found = _extremes([found, _extremes([table], self.count)], self.count)
        return found


def _extremes(tables: Sequence[Table], count: int) -> Table:
    table = Table.concat(tables)
    find = smallest if count > 0 else largest
    return table.take(find(table.columns[VALUE], abs(count)))


@lower.register
def _(frame: TopK) -> Expr:
    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        return TopKSink(compile_these(values), frame.count)

    found = pipeline(frame.frame, [frame.value, frame.row], sink, frame.describe().lower())
    everything = tuple((0, index) for index in range(found.npartitions))
    return Tasks(frame._name, _extremes, ((everything, (frame.count,)),), found)
