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
from akdask.plan.task.program import Load, Program
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
        numbers_in_memory = self._numbers_in_memory(partition, splitters)
        if numbers_in_memory is not None:
            return spilled(self._in_ranges(*numbers_in_memory), rows.memory_budget, join_runs)
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

    def _numbers_in_memory(
        self, partition: Partition | PartitionBatch, splitters: Splitters
    ) -> tuple[FineRanges, list[NumberArray], int] | None:
        """Return ranges that fit the cache, all numbers of a partition, and that of the first row.

        None unless numbers are in memory already: what is read from files is split block by block, in the cache.
        """
        program = self.rows.program
        is_wide = program.dtypes[0].is_number and program.dtypes[0].itemsize == WORD
        if not is_wide or partition.nrows < WORTH_RANGES or not len(splitters.rows):
            return None
        several = partition.partitions if isinstance(partition, PartitionBatch) else [partition]
        columns = [column for item in several if (column := _column_in_memory(item, program)) is not None]
        first = _first_row(several[0], program)
        if len(columns) < len(several) or first is None or not compiled.should_compile(partition.nrows):
            return None
        ranges = splitters.of_cached_numbers()
        return (ranges, columns, first) if ranges.is_cut_quickly else None

    def _in_ranges(self, ranges: FineRanges, parts: Sequence[NumberArray], first: int) -> list[list[RangedRows]]:
        """Split all numbers of a partition, given that of the first row, in ranges that fit the cache."""
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


def _column_in_memory(partition: Partition, program: Program) -> NumberArray | None:
    """Return the first result of a program if it is a column in memory with all its rows, None for others."""
    step = program.steps[program.outputs[0]]
    table = partition.inputs[step.base] if isinstance(step, Load) and not partition.selections else None
    return np.asarray(table.columns[step.column]) if isinstance(table, Table) and isinstance(step, Load) else None


def _first_row(partition: Partition, program: Program) -> int | None:
    """Return the number of the first row, 0 if rows have none; None if it must be computed."""
    if len(program.outputs) == 1:
        return 0
    step = program.steps[program.outputs[1]]
    positions = partition.inputs[step.base] if isinstance(step, Load) else None
    return positions.start if isinstance(positions, RowPositions) else None
