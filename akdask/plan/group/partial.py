"""What a partition makes of its rows where they are grouped: a table sorted by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from akdask.columns import Table
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.group.arrange import Arrangement
from akdask.kernels.group.dense import DenseTable
from akdask.kernels.group.direct_index import DirectIndexAggregation
from akdask.kernels.group.grouping import Grouping
from akdask.kernels.group.radix import RadixPartitioned, RadixPlan
from akdask.plan.expr import cache as kept
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Value
from akdask.plan.task.batches import group_batches
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.operators import ColumnBuffer, Sink
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.program import Program
from akdask.typing import Column

Gathering: TypeAlias = Aggregation | Arrangement
"""Makes a table of rows: reduced to one for each group, or all of them."""


def group_partitions(
    frame: Frame,
    values: Sequence[Value],
    gathering: Gathering,
    purpose: str,
    kept_as: str | None = None,
    *,
    scattered: bool = False,
    in_slabs: bool = False,
) -> Expr:
    """Return the node that makes sorted tables of the partitions of a frame; the first values are the keys.

    Groupings of partitions are kept under the name `kept_as`, if one is given.  If told to, some are scattered rows, or
    slabs, instead.
    """

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        nkeys = gathering.nkeys
        name = None if kept_as is None else (kept_as, token(tuple(values[:nkeys])))
        return PartialGroups(compile_these(values), compile_these(values[nkeys:]), gathering, name, scattered, in_slabs)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(gathering)[:8]}"
    return pipeline(frame, values, sink, purpose, batches=group_batches(frame, values[: gathering.nkeys]))


@dataclass(frozen=True, slots=True)
class PartialGroups:
    """Group the rows of a partition.

    While their keys span few cells, blocks are tallied one by one; what follows is gathered in memory and sorted.
    """

    program: Program
    without_keys: Program
    gathering: Gathering
    kept_as: kept.Key | None = None
    scattered: bool = False
    in_slabs: bool = False
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Table | DenseTable | RadixPartitioned:
        name = None if self.kept_as is None else (*self.kept_as, *partition.identity)
        found = kept.find(name)
        if isinstance(self.gathering, Aggregation) and isinstance(found, RadixPlan):
            return RadixPartitioned.of(self.gathering, found, self._values(partition))
        if isinstance(self.gathering, Aggregation) and isinstance(found, Grouping):
            return self.gathering.grouped(found, self._values(partition))
        tallies = (
            DirectIndexAggregation(self.gathering, partition.nrows) if isinstance(self.gathering, Aggregation) else None
        )
        gathered = ColumnBuffer(self.program, partition.nrows, self.gathering.nkeys if tallies is not None else 0)
        for block in partition.blocks():
            # Once it is known that tallying does not pay, rows are read to where they stay.
            if tallies is None or tallies.closed or not tallies.add(*self._parted(block.evaluate(self.program))):
                gathered.add(block)
        tables = [] if tallies is None else tallies.tables()
        if tables and not gathered.nrows:
            return self.gathering.merge(tables)
        keys, values = self._parted(gathered.columns())
        if not tables and isinstance(self.gathering, Aggregation):
            placement = RadixPlan.of(keys) if self.scattered else None
            if placement is not None:
                return RadixPartitioned.of(self.gathering, kept.put(name, placement), values)
            slab = DenseTable.of(self.gathering, keys, values) if self.in_slabs else None
            if slab is not None:
                return slab
        # What was tallied in part is quickly found again.
        return self.gathering.merge([*tables, self._sorted(keys, values, None if tables else name)])

    def _sorted(self, keys: list[Column], values: list[Column], name: kept.Key | None) -> Table:
        if isinstance(self.gathering, Arrangement):
            return self.gathering.rows(keys, values)
        return self.gathering.grouped(kept.put(name, Grouping(keys)), values)

    def _values(self, partition: Partition | PartitionBatch) -> list[Column]:
        gathered = ColumnBuffer(self.without_keys, partition.nrows)
        for block in partition.blocks() if self.without_keys.outputs else ():
            gathered.add(block)
        return gathered.columns()

    def _parted(self, columns: list[Column]) -> tuple[list[Column], list[Column]]:
        return columns[: self.gathering.nkeys], columns[self.gathering.nkeys :]
