"""How a sort of nothing but its key splits the rows of a partition: no row numbers travel with values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from akdask.columns import Table
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.runs import RangedRows, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.program import BroadcastInput, Program


@dataclass(frozen=True, slots=True)
class SplitValues:
    """Split the values of a partition at the splitters between the new ones.

    `program` has the values, and after them the row numbers if those that are equal may be divided.  Slices of more than
    `memory_budget` bytes go to a spill file; None keeps them in this process.
    """

    name: Hashable
    ascending: bool
    program: Program
    splitters: BroadcastInput
    count: int
    memory_budget: int | None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        splitters: Splitters = partition.replicas[self.splitters.position][self.splitters.field]
        ranges = splitters.of_values()
        slices: list[list[RangedRows]] = [[] for _ in range(self.count)]
        for block in partition.blocks():
            values, *rows = map(np.asarray, block.evaluate(self.program))
            split, bounds = ranges.split(values, int(rows[0][0]) if rows else 0)
            table = Table({self.name: split}, len(split))
            for parts, start, stop in zip(slices, bounds[:-1], bounds[1:], strict=True):
                parts.append(RangedRows(table.slice(start, stop), ((self.name, self.ascending),), [0, stop - start]))
        return spilled(slices, self.memory_budget, join_runs)
