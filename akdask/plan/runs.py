"""What the tasks of a sort do: split a partition into sorted runs, cut at marks, and put the runs of one range together.

Both steps work on so few rows at a time that they stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table, empty
from akdask.kernels.keys import Words, unpack_rows, word
from akdask.kernels.sort import argsort, cut_packed, cut_sorted
from akdask.plan.blocks import Block, Partition
from akdask.plan.boundaries import Marks
from akdask.plan.exchange import Pieces
from akdask.plan.program import Program, Whole
from akdask.plan.tokens import token
from akdask.schema import ColumnType
from akdask.typing import NumberArray

ROW = ("row",)
"""Name of the number of a row among the columns of a sort."""

By = tuple[tuple[Hashable, bool], ...]
"""Names of columns to order by, and whether upwards."""


@dataclass(frozen=True, slots=True)
class Run:
    """Some rows in order of the columns `by`, cut into ranges by their `bounds`."""

    table: Table
    by: By
    bounds: NumberArray


@dataclass(frozen=True, slots=True)
class Packed:
    """Keys packed with row numbers in their lowest bits, in no order."""

    words: Words
    shift: int


@dataclass(frozen=True, slots=True)
class Split:
    """Cut the rows of a partition at the marks between the new ones.

    `columns` are the outputs of the program, `names` those that are wanted of the rows.  If only their numbers are, and
    the keys leave room for them, both are packed together.
    """

    columns: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    program: Program
    marks: Whole
    count: int
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition) -> Pieces:
        marks: Marks = partition.replicas[self.marks.position][self.marks.field]
        pieces: list[list[Any]] = [[] for _ in range(self.count)]
        at = marks.pack(marks.columns, self.ascending, marks.rows) if self.names == (ROW,) else None
        parts = (
            self._runs(partition, marks)
            if at is None
            else self._packed(partition, marks, at[marks.within - 1 :: marks.within])
        )
        for cut in parts:
            for piece, part in zip(pieces, cut, strict=False):
                piece.append(part)
        return pieces

    def _packed(self, partition: Partition, marks: Marks, at: Words) -> Iterator[list[Packed]]:
        for block in partition.blocks():
            columns = self._evaluate(block)
            words = marks.pack([columns[name] for name in self.by], self.ascending, columns[ROW])
            assert words is not None, "the marks have been packed"
            yield [Packed(piece, marks.shift) for piece in cut_packed(words, at)]

    def _runs(self, partition: Partition, marks: Marks) -> Iterator[list[Run]]:
        for block in partition.blocks():
            columns = self._evaluate(block)
            keys = [columns[name] for name in self.by]
            order = argsort(keys, self.ascending)
            earlier = columns[ROW].searchsorted(marks.rows) if ROW in columns else np.zeros_like(marks.rows)
            bounds = cut_sorted(keys, self.ascending, order, marks.columns, earlier)
            by, extra = self._key_columns(columns, marks)
            table = Table({name: columns[name] for name in self.names} | extra, block.nrows).take(order)
            yield list(_ranges(table, by, np.concatenate([[0], bounds, [block.nrows]]), marks.within))

    def _key_columns(self, columns: Mapping[Hashable, Any], marks: Marks) -> tuple[By, dict[Hashable, Words]]:
        """Return what to order by further on: wanted columns themselves, of others their words."""
        by: list[tuple[Hashable, bool]] = []
        extra: dict[Hashable, Words] = {}
        for name, upwards, count in zip(self.by, self.ascending, marks.words, strict=True):
            if name in self.names:
                by.append((name, upwards))
                continue
            words = {("word", name, number): word(columns[name], number, upwards) for number in range(count)}
            by.extend((word_name, True) for word_name in words)
            extra.update(words)
        return tuple(by), extra

    def _evaluate(self, block: Block) -> dict[Hashable, Any]:
        return dict(zip(self.columns, block.evaluate(self.program), strict=True))


def _ranges(table: Table, by: By, bounds: NumberArray, within: int) -> Iterator[Run]:
    """Share out a sorted block among the new partitions."""
    for first in range(0, len(bounds) - 1, within):
        cut = bounds[first : first + within + 1]
        yield Run(table.slice(int(cut[0]), int(cut[-1])), by, cut - cut[0])


@dataclass(frozen=True, slots=True)
class PutInOrder:
    """Put the rows of a new partition in order."""

    names: tuple[Hashable, ...]
    dtypes: tuple[ColumnType, ...]

    @property
    def token(self) -> str:
        return token("put in order", self.names, tuple(map(str, self.dtypes)))

    def __call__(self, parts: Sequence[Any]) -> Table:
        match parts:
            case [Packed(), *_]:
                words = np.concatenate([part.words for part in parts])
                words.sort()
                return Table({ROW: unpack_rows(words, parts[0].shift, out=words.view(np.int64))}, len(words))
            case [Run(), *_]:
                return self._merged(parts)
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)

    def _merged(self, runs: Sequence[Run]) -> Table:
        by = runs[0].by
        merged = []
        for start in range(len(runs[0].bounds) - 1):
            stop = start + 1
            pieces = [run.table.slice(int(run.bounds[start]), int(run.bounds[stop])) for run in runs]
            table = Table.concat([piece for piece in pieces if piece.nrows] or pieces[:1])
            order = argsort([table.columns[name] for name, _ in by], [upwards for _, upwards in by])
            merged.append(Table({name: table.columns[name] for name in self.names}, table.nrows).take(order))
        return Table.concat(merged)


def sort_tables(
    tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], names: Sequence[Hashable]
) -> Table:
    """Put the rows of all tables in order: the function of the task that sorts few rows."""
    table = Table.concat(tables)
    order = argsort([table.columns[name] for name in by], ascending)
    return Table({name: table.columns[name] for name in names}, table.nrows).take(order)
