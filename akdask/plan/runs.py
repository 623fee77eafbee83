"""What the tasks of a sort do: split a partition into sorted runs, cut at marks, and put runs of one range together.

Both steps work on so few rows at a time that they stay in the processor's cache.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np

from akdask.columns import Table, concat_rows, empty, new_array, own_rows, slice_rows, take_rows
from akdask.kernels.keys import Words, unpack_rows, word
from akdask.kernels.sort import argsort, cut_packed, cut_sorted, ties
from akdask.plan.blocks import Block, Lot, Partition
from akdask.plan.boundaries import Marks
from akdask.plan.exchange import Pieces
from akdask.plan.program import Program, Whole
from akdask.plan.shelf import shelved
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
    """Keys packed with row numbers in their lowest bits, in no order.

    `whole` has the keys of blocks of rows by the number of the first, where packed ones lack their lowest bits.
    """

    words: Words
    shift: int
    whole: Mapping[int, Words] = field(default_factory=dict)

    def __sizeof__(self) -> int:
        return self.words.nbytes

    @staticmethod
    def joined(parts: Sequence[Packed]) -> Packed:
        """Return the words of several parts."""
        whole = dict(chain.from_iterable(part.whole.items() for part in parts))
        return Packed(concat_rows([part.words for part in parts]), parts[0].shift, whole)

    def rows(self) -> NumberArray:
        """Return the row numbers in order of the keys, in the memory of the words."""
        self.words.sort()
        slots, groups = ties(self.words, self.shift) if self.whole else (None, None)
        rows = unpack_rows(self.words, self.shift, out=self.words.view(np.int64))
        if slots is not None and groups is not None and len(slots):
            tied = rows[slots]
            rows[slots] = tied[np.lexsort([self._whole_keys(tied), groups])]
        return rows

    def _whole_keys(self, rows: NumberArray) -> Words:
        keys = np.empty(len(rows), np.uint64)
        firsts = np.array(sorted(self.whole))
        block = np.searchsorted(firsts, rows, "right") - 1
        for number in np.unique(block).tolist():
            first = int(firsts[number])
            here = block == number
            keys[here] = self.whole[first][rows[here] - first]
        return keys


def join_runs(parts: Sequence[Any]) -> list[Any]:
    """Return some runs, or some packed keys, as one."""
    return [type(parts[0]).joined(parts)] if parts else []


@dataclass(frozen=True, slots=True)
class Split:
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
    marks: Whole
    count: int
    room: int | None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | Lot) -> Pieces:
        marks: Marks = partition.replicas[self.marks.position][self.marks.field]
        pieces: list[list[Any]] = [[] for _ in range(self.count)]
        # Keys that have lost bits must be at hand wherever their rows are put in order.
        packs = marks.fits or (marks.nearly_fits and self.room is None)
        parts = self._packed(partition, marks) if packs and self.names == (ROW,) else self._runs(partition, marks)
        for cut in parts:
            for piece, part in zip(pieces, cut, strict=False):
                piece.append(part)
        return shelved(pieces, self.room, join_runs)

    def _packed(self, partition: Partition | Lot, marks: Marks) -> Iterator[list[Packed]]:
        bounds = slice(marks.within - 1, None, marks.within)
        codes, rows = marks.codes(marks.columns)[bounds], marks.rows[bounds]
        at = marks.pack(codes, rows if marks.fits else np.zeros_like(rows))
        for block in partition.blocks():
            columns = self._evaluate(block)
            keys = marks.codes([columns[name] for name in self.by])
            pieces = cut_packed(marks.pack(keys, columns[ROW]), at)
            if marks.fits:
                yield [Packed(piece, marks.shift) for piece in pieces]
            elif block.nrows:
                first = int(columns[ROW][0])
                _move_below(pieces, marks, (codes, rows), keys, first)
                yield [Packed(piece, marks.shift, {first: keys}) for piece in pieces]

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


def _move_below(pieces: list[Words], marks: Marks, at: tuple[Words, NumberArray], keys: Words, first: int) -> None:
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
                rows = Packed.joined(parts).rows()
                return Table({ROW: rows}, len(rows))
            case [Run(), *_]:
                return self._merged(parts)
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)

    def pack(self, parts: Sequence[Any]) -> list[Any]:
        """Return one part."""
        return join_runs(parts)

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
        self._numbers = {name: new_array(nrows, dtype.numpy) for name, dtype in dtypes.items() if dtype.is_number}
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
