"""How a sort splits a partition of nothing but one column of numbers or text, or of the row numbers of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.kernels.keys.text_ranges import TextRanges
from akdask.kernels.keys.value_ranges import ValueRanges
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.partition import RangePartition
from akdask.plan.sort.runs import ROW, RangedRows, TextCodes, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.program import Program
from akdask.typing import Column

Parts = list[RangedRows] | list[TextCodes]
"""What some rows give each new partition."""


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """Split one column of a partition at the splitters between the new ones.

    `rows` says how rows are split; text that is too long for codes is split so.  Its program has the column, and after
    it the numbers of the rows if equal ones may be divided.
    """

    rows: RangePartition
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return self.rows.programs

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        rows = self.rows
        splitters: Splitters = partition.replicas[rows.splitters.position][rows.splitters.field]
        split = self._splitting(splitters)
        if split is None:
            return rows.run(partition)
        slices: list[list[Any]] = [[] for _ in range(rows.count)]
        for block in partition.blocks():
            column, *numbers = block.evaluate(rows.program)
            for parts, part in zip(slices, split(column, int(numbers[0][0]) if numbers else 0), strict=True):
                parts.append(part)
        return spilled(slices, rows.memory_budget, join_runs)

    def _splitting(self, splitters: Splitters) -> Callable[[Column, int], Parts] | None:
        """Return what splits rows, given the number of the first; None if text is too long."""
        if self.rows.program.dtypes[0].is_number:
            numbers = splitters.of_numbers()
            return lambda values, first: self._split_numbers(numbers, values, first)
        text = splitters.of_text()
        if text is None:
            return None
        return lambda strings, first: self._split_text(text, strings, first)

    def _split_numbers(self, ranges: ValueRanges, values: Column, first: int) -> list[RangedRows]:
        split, bounds = ranges.split(np.asarray(values), first)
        (name,), (ascending,) = self.rows.names, self.rows.ascending
        table = Table({name: split}, len(split))
        return [
            RangedRows(table.slice(start, stop), ((name, ascending),), [0, stop - start])
            for start, stop in pairwise(bounds)
        ]

    def _split_text(self, ranges: TextRanges, strings: Column, first: int) -> list[TextCodes]:
        codes, numbers, bounds = ranges.split(strings, first)
        wants_rows, (ascending,) = self.rows.names == (ROW,), self.rows.ascending
        return [
            TextCodes(
                [part[start:stop] for part in codes],
                numbers[start:stop] if wants_rows else None,
                ranges.layout,
                ascending,
            )
            for start, stop in pairwise(bounds)
        ]
