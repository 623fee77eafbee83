"""How a sort splits the rows of a partition: at the splitters between new partitions, and into ranges within these."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table, take_rows
from akdask.kernels import compiled
from akdask.kernels.core.words import Words
from akdask.kernels.keys.normalized import unpack_rows, with_words, word
from akdask.kernels.keys.sort import argsort, split_packed, split_sorted
from akdask.plan.shuffle.cut_tables import CutTable, CutTables
from akdask.plan.shuffle.exchange import memory_share
from akdask.plan.shuffle.fetch import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.radix import RadixPartitioning
from akdask.plan.sort.runs import ROW, By, PackedKeys, RangedRows, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.operators import ColumnBuffer
from akdask.plan.task.program import BroadcastInput, Program
from akdask.typing import NumberArray

MANY_SLICES = 512
"""New partitions from which on all rows are split at once: those of a block would make next to nothing of each."""

MOST_RADIX_RANGES = 2**16
"""Ranges that radix partitioning tells apart."""

PACKED_BYTES = 16
"""Bytes of a packed key and of the full key."""


@dataclass(frozen=True, slots=True)
class RangePartition:
    """Split the rows of a partition at the splitters between the new ones.

    `columns` are the outputs of the program, `names` those that are wanted of the rows.  If only row numbers are
    wanted, and the keys leave room for them, both are packed in one word.  Slices of more than `memory_budget` bytes go
    to a spill file; None keeps them in this process.
    """

    columns: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    program: Program
    splitters: BroadcastInput
    count: int
    memory_budget: int | None
    leave_last_mask: bool = False
    numbered: bool = True

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        splitters: Splitters = partition.replicas[self.splitters.position][self.splitters.field]
        # Keys that have lost bits must be at hand wherever their rows are put in order.
        stays = self.memory_budget is None and PACKED_BYTES * splitters.nrows <= memory_share()
        packs = self.numbered and self.names == (ROW,) and (splitters.fits or (splitters.nearly_fits and stays))
        if self._can_radix_partition(splitters) and compiled.should_compile(partition.nrows):
            if not packs:
                return self._cut(self._radix_runs(partition, splitters), splitters)
            partitioned = self._radix_words(partition, splitters)
            return spilled([[part] for part in partitioned], self.memory_budget, join_runs)
        splitters = splitters.coarser()
        if not packs:
            return self._cut(self._runs(partition, splitters), splitters)
        slices: list[list[Any]] = [[] for _ in range(self.count)]
        for block_slices in self._packed(partition, splitters):
            for parts, part in zip(slices, block_slices, strict=False):
                parts.append(part)
        return spilled(slices, self.memory_budget, join_runs)

    def _cut(self, tables: Iterator[CutTable], splitters: Splitters) -> Slices:
        """Return the slices of tables whose rows are in ranges, fewer than planned where there were few rows."""
        ranges = self.count * splitters.within
        cut = [(table, np.pad(bounds, (0, ranges + 1 - len(bounds)), "edge")) for table, bounds in tables]
        slices = CutTables(self.count, cut, _RangesBy(self._by(splitters)), within=splitters.within)
        return spilled(slices, self.memory_budget, join_runs)

    def _can_radix_partition(self, splitters: Splitters) -> bool:
        """Whether there is one key of one word, and all wanted columns are numbers."""
        has_one_word = splitters.spans is not None and len(self.by) == 1
        return (
            has_one_word
            and 0 < len(splitters.rows) < MOST_RADIX_RANGES
            and all(dtype.is_number for dtype in self.program.dtypes)
        )

    def _radix_words(self, partition: Partition | PartitionBatch, splitters: Splitters) -> list[PackedKeys]:
        """Radix-partition packed keys by range."""
        ranges = RadixPartitioning(splitters, partition.nrows)
        full_keys: dict[int, Words] = {}
        for block in partition.blocks():
            columns = self._named(block.evaluate(self.program))
            keys = ranges.add_packed(columns[self.by[0]], columns[ROW])
            if splitters.lost:
                full_keys[int(columns[ROW][0])] = keys
        partitioned = ranges.packed
        return [
            PackedKeys(partitioned[start:stop], splitters.shift, bounds, full_keys)
            for start, stop, bounds in ranges.partitions()
        ]

    def _radix_runs(self, partition: Partition | PartitionBatch, splitters: Splitters) -> Iterator[CutTable]:
        """Radix-partition rows by range."""
        buffered, ranges = ColumnBuffer(self.program, partition.nrows), RadixPartitioning(splitters, partition.nrows)
        for block in partition.blocks():
            columns = dict(zip(self.columns, buffered.add(block), strict=True))
            ranges.add(columns[self.by[0]], columns.get(ROW))
        by = self._by(splitters)
        columns = dict(zip(self.columns, buffered.columns(), strict=True))
        del buffered
        columns |= self._with_words(columns, splitters)
        wanted = dict.fromkeys([*self.names, *(name for name, _ in by)])
        partitioned = {name: ranges.partitioned(columns.pop(name)) for name in wanted}
        yield Table(partitioned, ranges.nrows), ranges.bounds

    def _packed(self, partition: Partition | PartitionBatch, splitters: Splitters) -> Iterator[list[PackedKeys]]:
        bounds = slice(splitters.within - 1, None, splitters.within)
        codes, rows = splitters.codes(splitters.columns)[bounds], splitters.rows[bounds]
        at = splitters.pack(codes, rows if splitters.fits else np.zeros_like(rows))
        for columns, nrows in self._blocks(partition):
            keys = splitters.codes([columns[name] for name in self.by])
            slices = split_packed(splitters.pack(keys, columns[ROW]), at)
            if splitters.fits:
                yield [PackedKeys(words, splitters.shift, [0, len(words)]) for words in slices]
            elif nrows:
                first = int(columns[ROW][0])
                _move_below(slices, splitters, (codes, rows), keys, first)
                yield [PackedKeys(words, splitters.shift, [0, len(words)], {first: keys}) for words in slices]

    def _runs(self, partition: Partition | PartitionBatch, splitters: Splitters) -> Iterator[CutTable]:
        """Sort the rows of each block."""
        by = self._by(splitters)
        names, ascending = zip(*by, strict=True)
        at = self._with_words(dict(zip(self.by, splitters.columns, strict=True)), splitters)
        for found, nrows in self._blocks(partition):
            order = argsort([found[name] for name in self.by], self.ascending)
            columns = found | self._with_words(found, splitters)
            wanted = dict.fromkeys([*self.names, *names])
            # Row numbers that follow one another need not be looked up for the sorted rows.
            first = int(columns[ROW][0]) if ROW in columns and self.numbered else 0
            taken = {
                name: order + first if name == ROW and self.numbered else take_rows(columns[name], order)
                for name in wanted
            }
            bounds = split_sorted(
                [taken[name] for name in names], ascending, order, [at[name] for name in names], splitters.rows - first
            )
            yield Table(taken, nrows), np.concatenate([[0], bounds, [nrows]])

    def _by(self, splitters: Splitters) -> By:
        """Return what to order by once rows are split: wanted key columns themselves, the words of other keys."""
        by: list[tuple[Hashable, bool]] = []
        for name, upwards, count in zip(self.by, self.ascending, splitters.words, strict=True):
            if name in self.names:
                by.append((name, upwards))
            else:
                by.extend((("word", name, number), True) for number in range(count))
        return tuple(by)

    def _with_words(self, columns: Mapping[Hashable, Any], splitters: Splitters) -> dict[Hashable, Any]:
        """Return the key columns; those that are not wanted as their words."""
        found: dict[Hashable, Any] = {}
        for name, upwards, count in zip(self.by, self.ascending, splitters.words, strict=True):
            if name in self.names:
                found[name] = columns[name]
            else:
                column = with_words(columns[name], count)
                found |= {("word", name, number): word(column, number, upwards) for number in range(count)}
        return found

    def _blocks(self, partition: Partition | PartitionBatch) -> Iterator[tuple[dict[Hashable, Any], int]]:
        """Yield the columns of some rows at a time, and their number."""
        if self.count < MANY_SLICES:
            for block in partition.blocks():
                yield self._named(block.evaluate(self.program)), block.nrows
            return
        buffered = ColumnBuffer(self.program, partition.nrows)
        for block in partition.blocks():
            buffered.add(block)
        if buffered.nrows:
            yield self._named(buffered.columns()), buffered.nrows

    def _named(self, columns: Sequence[Any]) -> dict[Hashable, Any]:
        return dict(zip(self.columns, columns, strict=True))


def _move_below(
    slices: list[Words], splitters: Splitters, at: tuple[Words, NumberArray], keys: Words, first: int
) -> None:
    """Move rows to the slice below whose leading bits equal those of the splitter between both, but come before it.

    `at` are the keys and row numbers of the splitters, `keys` those of the block of rows that begins with number
    `first`.
    """
    # From the last mark on: what comes before one may come before another that begins with the same bits.
    for number, (key, row) in reversed(list(enumerate(zip(*at, strict=True)))):
        above = slices[number + 1]
        near = np.flatnonzero((above >> np.uint64(splitters.shift)) == key >> np.uint64(splitters.lost))
        rows = unpack_rows(above[near], splitters.shift)
        full_keys = keys[rows - first]
        below = near[(full_keys < key) | ((full_keys == key) & (rows < row))]
        if len(below):
            slices[number] = np.concatenate([slices[number], above[below]])
            slices[number + 1] = np.delete(above, below)


@dataclass(frozen=True, slots=True)
class _RangesBy:
    """Makes runs, to be ordered by some columns, of rows in ranges."""

    by: By

    def __call__(self, table: Table, _: int, bounds: list[int]) -> RangedRows:
        return RangedRows(table, self.by, bounds)
