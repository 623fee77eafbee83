"""How a sort splits a partition of nothing but one column of numbers or text, or of the row numbers of text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from akdask.columns import Table
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.partition import RangePartition
from akdask.plan.sort.runs import ROW, TextCodes, RangedRows, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.program import BroadcastInput, Program


@dataclass(frozen=True, slots=True)
class SplitNumbers:
    """Split the numbers of a partition at the splitters between the new ones.

    `program` has the numbers, and after them those of their rows if equal ones may be divided.  Slices of more than
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
        ranges = splitters.of_numbers()
        slices: list[list[RangedRows]] = [[] for _ in range(self.count)]
        for block in partition.blocks():
            values, *rows = map(np.asarray, block.evaluate(self.program))
            split, bounds = ranges.split(values, int(rows[0][0]) if rows else 0)
            table = Table({self.name: split}, len(split))
            for parts, start, stop in zip(slices, bounds[:-1], bounds[1:], strict=True):
                parts.append(RangedRows(table.slice(start, stop), ((self.name, self.ascending),), [0, stop - start]))
        return spilled(slices, self.memory_budget, join_runs)


@dataclass(frozen=True, slots=True)
class SplitText:
    """Split the text of a partition at the splitters between the new ones, as codes; or also its row numbers.

    Text that is too long for codes is split as `rows` does.
    """

    rows: RangePartition

    @property
    def leave_last_mask(self) -> bool:
        return False

    @property
    def programs(self) -> Sequence[Program]:
        return self.rows.programs

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        of = self.rows
        splitters: Splitters = partition.replicas[of.splitters.position][of.splitters.field]
        ranges = splitters.of_text()
        if ranges is None:
            return of.run(partition)
        slices: list[list[TextCodes]] = [[] for _ in range(of.count)]
        for block in partition.blocks():
            text, *rows = block.evaluate(of.program)
            codes, numbers, bounds = ranges.split(text, int(rows[0][0]) if rows else 0)
            for parts, start, stop in zip(slices, bounds[:-1], bounds[1:], strict=True):
                own = [part[start:stop] for part in codes]
                row_numbers = numbers[start:stop] if of.names == (ROW,) else None
                parts.append(TextCodes(own, row_numbers, ranges.layout, of.ascending[0]))
        return spilled(slices, of.memory_budget, join_runs)
