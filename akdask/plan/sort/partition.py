"""How a sort splits the rows of a partition: at the marks between the new ones, and into ranges within these."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table, take_rows
from akdask.kernels import compiled
from akdask.kernels.core.words import Words
from akdask.kernels.keys.normalized import unpack_rows, word
from akdask.kernels.keys.sort import argsort, split_packed, split_sorted
from akdask.plan.shuffle.exchange import Slices
from akdask.plan.shuffle.spill import spilled
from akdask.plan.sort.radix import RangePartitionBuffer
from akdask.plan.sort.runs import ROW, By, PackedKeys, RangedRows, join_runs
from akdask.plan.sort.splitters import Splitters
from akdask.plan.task.blocks import Block, Partition, PartitionBatch
from akdask.plan.task.column_buffer import ColumnBuffer
from akdask.plan.task.program import BroadcastInput, Program
from akdask.typing import NumberArray


@dataclass(frozen=True, slots=True)
class RangePartition:
    """Cut the rows of a partition at the marks between the new ones.

    `columns` are the outputs of the program, `names` those that are wanted of the rows.  If only their numbers are, and
    the keys leave room for them, both are packed together.  Pieces of more than `room` bytes go to disk; they stay in
    this process if that is None.
    """

    columns: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    program: Program
    marks: BroadcastInput
    count: int
    room: int | None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        marks: Splitters = partition.replicas[self.marks.position][self.marks.field]
        # Keys that have lost bits must be at hand wherever their rows are put in order.
        packs = self.names == (ROW,) and (marks.fits or (marks.nearly_fits and self.room is None))
        if self._is_for_loops(marks) and compiled.should_compile(partition.nrows):
            placed = self._placed_words(partition, marks) if packs else self._placed_runs(partition, marks)
            return spilled([[piece] for piece in placed], self.room, join_runs)
        marks = marks.coarser()
        parts = self._packed(partition, marks) if packs else self._runs(partition, marks)
        pieces: list[list[Any]] = [[] for _ in range(self.count)]
        for cut in parts:
            for piece, part in zip(pieces, cut, strict=False):
                piece.append(part)
        return spilled(pieces, self.room, join_runs)

    def _is_for_loops(self, marks: Splitters) -> bool:
        """Whether rows go by the only word of the only key, and all that is wanted of them are numbers."""
        has_one_word = marks.spans is not None and len(self.by) == 1 and len(marks.rows) > 0
        return has_one_word and all(dtype.is_number for dtype in self.program.dtypes)

    def _placed_words(self, partition: Partition | PartitionBatch, marks: Splitters) -> list[PackedKeys]:
        """Bring packed keys to their ranges."""
        ranges = RangePartitionBuffer(marks, partition.nrows)
        whole: dict[int, Words] = {}
        for block in partition.blocks():
            columns = self._evaluate(block)
            keys = ranges.add_packed(columns[self.by[0]], columns[ROW])
            if marks.lost:
                whole[int(columns[ROW][0])] = keys
        placed = ranges.packed
        return [PackedKeys(placed[start:stop], marks.shift, bounds, whole) for start, stop, bounds in ranges.shares()]

    def _placed_runs(self, partition: Partition | PartitionBatch, marks: Splitters) -> list[RangedRows]:
        """Bring rows to their ranges."""
        gathered, ranges = ColumnBuffer(self.program, partition.nrows), RangePartitionBuffer(marks, partition.nrows)
        for block in partition.blocks():
            columns = dict(zip(self.columns, gathered.add(block), strict=True))
            ranges.add(columns[self.by[0]], columns.get(ROW))
        by = self._by(marks)
        columns = dict(zip(self.columns, gathered.columns(), strict=True))
        del gathered
        columns |= self._with_words(columns, marks)
        wanted = dict.fromkeys([*self.names, *(name for name, _ in by)])
        placed = {name: ranges.placed(columns.pop(name)) for name in wanted}
        everything = Table(placed, ranges.nrows)
        return [RangedRows(everything.slice(start, stop), by, bounds) for start, stop, bounds in ranges.shares()]

    def _packed(self, partition: Partition | PartitionBatch, marks: Splitters) -> Iterator[list[PackedKeys]]:
        bounds = slice(marks.within - 1, None, marks.within)
        codes, rows = marks.codes(marks.columns)[bounds], marks.rows[bounds]
        at = marks.pack(codes, rows if marks.fits else np.zeros_like(rows))
        for block in partition.blocks():
            columns = self._evaluate(block)
            keys = marks.codes([columns[name] for name in self.by])
            pieces = split_packed(marks.pack(keys, columns[ROW]), at)
            if marks.fits:
                yield [PackedKeys(piece, marks.shift, [0, len(piece)]) for piece in pieces]
            elif block.nrows:
                first = int(columns[ROW][0])
                _move_below(pieces, marks, (codes, rows), keys, first)
                yield [PackedKeys(piece, marks.shift, [0, len(piece)], {first: keys}) for piece in pieces]

    def _runs(self, partition: Partition | PartitionBatch, marks: Splitters) -> Iterator[list[RangedRows]]:
        by = self._by(marks)
        names, ascending = zip(*by, strict=True)
        at = self._with_words(dict(zip(self.by, marks.columns, strict=True)), marks)
        for block in partition.blocks():
            columns = self._evaluate(block)
            order = argsort([columns[name] for name in self.by], self.ascending)
            columns |= self._with_words(columns, marks)
            wanted = dict.fromkeys([*self.names, *names])
            # Row numbers follow one another, so that those of the sorted rows need not be looked up.
            first = int(columns[ROW][0]) if ROW in columns else 0
            taken = {name: order + first if name == ROW else take_rows(columns[name], order) for name in wanted}
            bounds = split_sorted(
                [taken[name] for name in names], ascending, order, [at[name] for name in names], marks.rows - first
            )
            table = Table(taken, block.nrows)
            yield list(_shared_out(table, by, np.concatenate([[0], bounds, [block.nrows]]), marks.within))

    def _by(self, marks: Splitters) -> By:
        """Return what to order by once rows are split: wanted columns themselves, of others their words."""
        by: list[tuple[Hashable, bool]] = []
        for name, upwards, count in zip(self.by, self.ascending, marks.words, strict=True):
            if name in self.names:
                by.append((name, upwards))
            else:
                by.extend((("word", name, number), True) for number in range(count))
        return tuple(by)

    def _with_words(self, columns: Mapping[Hashable, Any], marks: Splitters) -> dict[Hashable, Any]:
        """Return the key columns, those that nobody wants to have as their words."""
        found: dict[Hashable, Any] = {}
        for name, upwards, count in zip(self.by, self.ascending, marks.words, strict=True):
            if name in self.names:
                found[name] = columns[name]
            else:
                found |= {("word", name, number): word(columns[name], number, upwards) for number in range(count)}
        return found

    def _evaluate(self, block: Block) -> dict[Hashable, Any]:
        return dict(zip(self.columns, block.evaluate(self.program), strict=True))


def _move_below(pieces: list[Words], marks: Splitters, at: tuple[Words, NumberArray], keys: Words, first: int) -> None:
    """Move rows to the piece below that begin with the bits of the mark between both, but come before it.

    `at` are the keys and the rows of the marks, `keys` those of the block of rows that begins with number `first`.
    """
    # From the last mark on: what comes before one may come before another that begins with the same bits.
    for number, (key, row) in reversed(list(enumerate(zip(*at, strict=True)))):
        above = pieces[number + 1]
        near = np.flatnonzero((above >> np.uint64(marks.shift)) == key >> np.uint64(marks.lost))
        rows = unpack_rows(above[near], marks.shift)
        whole = keys[rows - first]
        below = near[(whole < key) | ((whole == key) & (rows < row))]
        if len(below):
            pieces[number] = np.concatenate([pieces[number], above[below]])
            pieces[number + 1] = np.delete(above, below)


def _shared_out(table: Table, by: By, bounds: NumberArray, within: int) -> Iterator[RangedRows]:
    """Share out a sorted block among the new partitions."""
    for first in range(0, len(bounds) - 1, within):
        cut = bounds[first : first + within + 1]
        yield RangedRows(table.slice(int(cut[0]), int(cut[-1])), by, (cut - cut[0]).tolist())
