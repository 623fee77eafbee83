"""How a sort splits a partition of nothing but one column of numbers or text, or of the row numbers of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.kernels import compiled
from akdask.kernels.keys.text_ranges import TextRanges
from akdask.kernels.keys.value_ranges import FineRanges, ValueRanges
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.partition import RangePartition
from akdask.plan.sort.runs import ROW, RangedRows, TextCodes, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.inputs import RowPositions
from akdask.plan.task.program import Program
from akdask.typing import Column, NumberArray

WORTH_RANGES = 2**18
"""Numbers of a partition from which on it pays to part them in ranges that fit the cache of the core."""

WORD = 8
"""Bytes of the numbers that are."""

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
        held = self._held_numbers(partition, splitters)
        if held is not None:
            return spilled(self._split_held(splitters.of_cached_numbers(), *held), rows.memory_budget, join_runs)
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

    def _held_numbers(
        self, partition: Partition | PartitionBatch, splitters: Splitters
    ) -> tuple[list[NumberArray], int] | None:
        """Return the numbers of a partition, and that of the first row, where the ranges of `FineRanges` are of use.

        That is where numbers are in memory already: what is read from files is split block by block, in the cache.
        """
        program = self.rows.program
        if program.dtypes[0].itemsize < WORD or partition.nrows < WORTH_RANGES or not len(splitters.rows):
            return None
        origins = [
            [part.origin(program, number) for part in partition.members] for number in range(len(program.outputs))
        ]
        parts = [item[0].columns[item[1]] for item in origins[0] if item is not None and isinstance(item[0], Table)]
        first = origins[1][0] if len(origins) > 1 else (RowPositions(0, 0), 0)
        if len(parts) < len(origins[0]) or first is None or not isinstance(first[0], RowPositions):
            return None
        return (list(map(np.asarray, parts)), first[0].start) if compiled.should_compile(partition.nrows) else None

    def _split_held(self, ranges: FineRanges, parts: Sequence[NumberArray], first: int) -> list[list[RangedRows]]:
        values, bounds = ranges.split(parts, first)
        (name,), (ascending,) = self.rows.names, self.rows.ascending
        table, by = Table({name: values}, len(values)), ((name, ascending),)
        return [
            [RangedRows(table.slice(within[0], within[-1]), by, [bound - within[0] for bound in within])]
            for within in bounds
        ]

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
