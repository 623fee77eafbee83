"""What the tasks of a sort do: split a partition into sorted runs, cut at marks, and put runs of one range together.

Both steps work on so few rows at a time that they stay in the processor's cache.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns import Table, concat_rows, empty, own_rows, slice_rows, take_rows
from akdask.kernels.keys import Words, unpack_rows, word
from akdask.kernels.sort import argsort, cut_packed, cut_sorted
from akdask.plan.blocks import Block, Lot, Partition
from akdask.plan.boundaries import Marks
from akdask.plan.exchange import Pieces
from akdask.plan.program import Program, Whole
from akdask.plan.tokens import token
from akdask.schema import ColumnType
from akdask.typing import Column, NumberArray

ROW = ("row",)
"""Name of the number of a row among the columns of a sort."""

By = tuple[tuple[Hashable, bool], ...]
"""Names of columns to order by, and whether upwards."""


@dataclass(frozen=True, slots=True)
class Run:
    """Some rows in order of the columns `by`, cut into ranges by their `bounds`."""

    table: Table
    by: By
    bounds: list[int]

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.table)

    @staticmethod
    def joined(runs: Sequence[Run]) -> Run:
        """Return the rows of several runs, those of each range together; within it they stay as they are."""
        bounds = np.array([run.bounds for run in runs])
        tables = [run.table.columns for run in runs]
        ranges = [list(zip(tables, *cut, strict=True)) for cut in pairwise(bounds.T.tolist())]
        columns = {
            name: joined_slices([(table[name], start, stop) for pieces in ranges for table, start, stop in pieces])
            for name in runs[0].table.columns
        }
        within = bounds.sum(axis=0).tolist()
        return Run(Table(columns, within[-1]), runs[0].by, within)


@dataclass(frozen=True, slots=True)
class Packed:
    """Keys packed with row numbers in their lowest bits, in no order."""

    words: Words
    shift: int

    def __sizeof__(self) -> int:
        return self.words.nbytes

    @staticmethod
    def joined(parts: Sequence[Packed]) -> Packed:
        """Return the words of several parts."""
        return Packed(np.concatenate([part.words for part in parts]), parts[0].shift)


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

    def run(self, partition: Partition | Lot) -> Pieces:
        marks: Marks = partition.replicas[self.marks.position][self.marks.field]
        pieces: list[list[Any]] = [[] for _ in range(self.count)]
        packs = self.names == (ROW,) and marks.fits
        parts = self._packed(partition, marks) if packs else self._runs(partition, marks)
        for cut in parts:
            for piece, part in zip(pieces, cut, strict=False):
                piece.append(part)
        return pieces

    def _packed(self, partition: Partition | Lot, marks: Marks) -> Iterator[list[Packed]]:
        at = marks.pack(marks.columns, marks.rows)[marks.within - 1 :: marks.within]
        for block in partition.blocks():
            columns = self._evaluate(block)
            words = marks.pack([columns[name] for name in self.by], columns[ROW])
            yield [Packed(piece, marks.shift) for piece in cut_packed(words, at)]

    def _runs(self, partition: Partition | Lot, marks: Marks) -> Iterator[list[Run]]:
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
            bounds = cut_sorted(
                [taken[name] for name in names], ascending, order, [at[name] for name in names], marks.rows - first
            )
            table = Table(taken, block.nrows)
            yield list(_shared_out(table, by, np.concatenate([[0], bounds, [block.nrows]]), marks.within))

    def _by(self, marks: Marks) -> By:
        """Return what to order by once rows are split: wanted columns themselves, of others their words."""
        by: list[tuple[Hashable, bool]] = []
        for name, upwards, count in zip(self.by, self.ascending, marks.words, strict=True):
            if name in self.names:
                by.append((name, upwards))
            else:
                by.extend((("word", name, number), True) for number in range(count))
        return tuple(by)

    def _with_words(self, columns: Mapping[Hashable, Any], marks: Marks) -> dict[Hashable, Any]:
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


def _shared_out(table: Table, by: By, bounds: NumberArray, within: int) -> Iterator[Run]:
    """Share out a sorted block among the new partitions."""
    for first in range(0, len(bounds) - 1, within):
        cut = bounds[first : first + within + 1]
        yield Run(table.slice(int(cut[0]), int(cut[-1])), by, (cut - cut[0]).tolist())


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
                words = Packed.joined(parts).words
                words.sort()
                return Table({ROW: unpack_rows(words, parts[0].shift, out=words.view(np.int64))}, len(words))
            case [Run(), *_]:
                return self._merged(parts)
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)

    def pack(self, parts: Sequence[Any]) -> list[Any]:
        """Return one part."""
        return [type(parts[0]).joined(parts)] if parts else []

    def _merged(self, runs: Sequence[Run]) -> Table:
        names, ascending = zip(*runs[0].by, strict=True)
        merged = _Merged(dict(zip(self.names, self.dtypes, strict=True)), sum(run.bounds[-1] for run in runs))
        for start, stop in pairwise(range(len(runs[0].bounds))):
            pieces = [(run.table.columns, run.bounds[start], run.bounds[stop]) for run in runs]
            columns = {
                name: joined_slices([(table[name], first, last) for table, first, last in pieces])
                for name in runs[0].table.columns
            }
            order = argsort([columns[name] for name in names], ascending)
            merged.append(columns, order)
        return merged.table()


class _Merged:
    """Columns in the making: numbers in place, strings piece by piece."""

    def __init__(self, dtypes: Mapping[Hashable, ColumnType], nrows: int) -> None:
        self._numbers = {name: np.empty(nrows, dtype.numpy) for name, dtype in dtypes.items() if dtype.is_number}
        self._pieces: dict[Hashable, list[Any]] = {name: [] for name in dtypes if name not in self._numbers}
        self._names = tuple(dtypes)
        self._nrows = nrows
        self._filled = 0

    def append(self, columns: Mapping[Hashable, Any], order: NumberArray) -> None:
        """Append rows of some columns at given positions."""
        stop = self._filled + len(order)
        for name, out in self._numbers.items():
            # The positions are right; to have NumPy check them would take a second pass.
            columns[name].take(order, out=out[self._filled : stop], mode="clip")
        for name, pieces in self._pieces.items():
            pieces.append(take_rows(columns[name], order))
        self._filled = stop

    def table(self) -> Table:
        """Return everything."""
        columns = self._numbers | {name: concat_rows(pieces) for name, pieces in self._pieces.items()}
        return Table({name: columns[name] for name in self._names}, self._nrows)


def joined_slices(slices: Sequence[tuple[Any, int, int]]) -> Column:
    """Return a copy of rows from start to stop of several columns, end to end."""
    parts = [slice_rows(column, start, stop) for column, start, stop in slices]
    return own_rows(parts[0]) if len(parts) == 1 else concat_rows(parts)


def sort_tables(
    tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], names: Sequence[Hashable]
) -> Table:
    """Put the rows of all tables in order: the function of the task that sorts few rows."""
    table = Table.concat(tables)
    order = argsort([table.columns[name] for name in by], ascending)
    return Table({name: table.columns[name] for name in names}, table.nrows).take(order)
