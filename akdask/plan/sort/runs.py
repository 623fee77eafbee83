"""What the tasks of a sort hand over: runs of rows by ranges of their keys; and how runs of one range become one.

Ranges are put in order one after the other, each with on so few rows at a time that they stay in the processor's cache.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np

from akdask.columns import Table, concat_rows, empty, new_array, own_rows, slice_rows, take_rows
from akdask.kernels.core.words import Words
from akdask.kernels.keys.normalized import unpack_rows
from akdask.kernels.keys.sort import argsort, ties
from akdask.plan.expr.tokens import token
from akdask.schema import ColumnType
from akdask.typing import Column, NumberArray

ROW = ("row",)
"""Name of the number of a row among the columns of a sort."""

By = tuple[tuple[Hashable, bool], ...]
"""Names of columns to order by, and whether upwards."""


@dataclass(frozen=True, slots=True)
class RangedRows:
    """Some rows to be ordered by the columns `by`, cut into ranges by their `bounds`; in any order within these."""

    table: Table
    by: By
    bounds: list[int]

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.table)

    @staticmethod
    def joined(runs: Sequence[RangedRows]) -> RangedRows:
        """Return the rows of several runs, those of each range together; within it they stay as they are."""
        bounds = np.array(common_bounds(runs))
        tables = [run.table.columns for run in runs]
        ranges = [list(zip(tables, *cut, strict=True)) for cut in pairwise(bounds.T.tolist())]
        columns = {
            name: joined_slices([(table[name], start, stop) for pieces in ranges for table, start, stop in pieces])
            for name in runs[0].table.columns
        }
        within = bounds.sum(axis=0).tolist()
        return RangedRows(Table(columns, within[-1]), runs[0].by, within)


@dataclass(frozen=True, slots=True)
class PackedKeys:
    """Keys packed with row numbers in their lowest bits, cut into ranges by their `bounds`; in no order within these.

    `whole` has the keys of blocks of rows by the number of the first, where packed ones lack their lowest bits.
    """

    words: Words
    shift: int
    bounds: list[int]
    whole: Mapping[int, Words] = field(default_factory=dict)

    def __sizeof__(self) -> int:
        return self.words.nbytes

    @staticmethod
    def joined(parts: Sequence[PackedKeys]) -> PackedKeys:
        """Return the words of several parts, those of each range together."""
        within = np.sum(common_bounds(parts), axis=0).tolist()
        words = new_array(within[-1], np.uint64)
        for (start, stop), together in zip(pairwise(within), PackedKeys.ranges(parts), strict=True):
            np.concatenate(together, out=words[start:stop])
        return PackedKeys(words, parts[0].shift, within, _whole(parts))

    @staticmethod
    def ranges(parts: Sequence[PackedKeys]) -> Iterator[list[Words]]:
        """Yield the words of each range of several parts."""
        for cuts in zip(*map(pairwise, common_bounds(parts)), strict=True):
            yield [part.words[start:stop] for part, (start, stop) in zip(parts, cuts, strict=True)]

    @staticmethod
    def rows(parts: Sequence[PackedKeys]) -> NumberArray:
        """Return the row numbers of several parts in order of the keys."""
        shift, whole = parts[0].shift, _whole(parts)
        firsts = np.array(sorted(whole))
        rows = new_array(sum(len(part.words) for part in parts), np.int64)
        stop = 0
        for words in PackedKeys.ranges(parts):
            start, stop = stop, stop + sum(map(len, words))
            # In the memory of the results, while it is in the processor's cache.
            packed = np.concatenate(words, out=rows[start:stop].view(np.uint64))
            packed.sort()
            slots, groups = ties(packed, shift) if whole else (packed[:0], packed[:0])
            found = unpack_rows(packed, shift, out=rows[start:stop])
            if len(slots):
                tied = found[slots]
                found[slots] = tied[np.lexsort([_whole_keys(whole, firsts, tied), groups])]
        return rows


def _whole(parts: Sequence[PackedKeys]) -> Mapping[int, Words]:
    return dict(chain.from_iterable(part.whole.items() for part in parts))


def _whole_keys(whole: Mapping[int, Words], firsts: NumberArray, rows: NumberArray) -> Words:
    """Return the keys of some rows, of which packed words lack the lowest bits."""
    keys = np.empty(len(rows), np.uint64)
    block = np.searchsorted(firsts, rows, "right") - 1
    for number in np.unique(block).tolist():
        first = int(firsts[number])
        here = block == number
        keys[here] = whole[first][rows[here] - first]
    return keys


def common_bounds(runs: Sequence[RangedRows] | Sequence[PackedKeys]) -> list[list[int]]:
    """Return the bounds of those ranges that all runs are cut into: each has several of a few, where it has more."""
    count = min(len(run.bounds) for run in runs) - 1
    return [run.bounds[:: (len(run.bounds) - 1) // count] for run in runs]


def join_runs(parts: Sequence[Any]) -> list[Any]:
    """Return some runs, or some packed keys, as one."""
    return [type(parts[0]).joined(parts)] if parts else []


@dataclass(frozen=True, slots=True)
class SortPartition:
    """Put the rows of a new partition in order."""

    names: tuple[Hashable, ...]
    dtypes: tuple[ColumnType, ...]

    @property
    def token(self) -> str:
        return token("put in order", self.names, tuple(map(str, self.dtypes)))

    def __call__(self, parts: Sequence[Any]) -> Table:
        match parts:
            case [PackedKeys(), *_]:
                rows = PackedKeys.rows(parts)
                return Table({ROW: rows}, len(rows))
            case [RangedRows(), *_]:
                return self._merged(parts)
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)

    def pack(self, parts: Sequence[Any]) -> list[Any]:
        """Return one part."""
        return join_runs(parts)

    def _merged(self, runs: Sequence[RangedRows]) -> Table:
        names, ascending = zip(*runs[0].by, strict=True)
        merged = _Merged(dict(zip(self.names, self.dtypes, strict=True)), sum(run.bounds[-1] for run in runs))
        tables = [run.table.columns for run in runs]
        for cuts in zip(*map(pairwise, common_bounds(runs)), strict=True):
            pieces = [(table, *cut) for table, cut in zip(tables, cuts, strict=True)]
            keys = [joined_slices([(table[name], first, last) for table, first, last in pieces]) for name in names]
            merged.append(pieces, argsort(keys, ascending))
        return merged.table()


class _Merged:
    """Columns in the making: numbers in place, strings piece by piece."""

    def __init__(self, dtypes: Mapping[Hashable, ColumnType], nrows: int) -> None:
        self._numbers = {name: new_array(nrows, dtype.numpy) for name, dtype in dtypes.items() if dtype.is_number}
        self._pieces: dict[Hashable, list[Any]] = {name: [] for name in dtypes if name not in self._numbers}
        self._names = tuple(dtypes)
        self._nrows = nrows
        self._filled = 0
        self._scratch = np.empty(0, np.uint64)

    def append(self, pieces: Sequence[tuple[Mapping[Hashable, Any], int, int]], order: NumberArray) -> None:
        """Append the rows from start to stop of several tables, in the order that is given by their positions there."""
        stop = self._filled + len(order)
        for name, out in self._numbers.items():
            # The positions are right; to have NumPy check them would take a second pass.
            near = self._near([table[name][start:stop] for table, start, stop in pieces], len(order))
            near.take(order, out=out[self._filled : stop], mode="clip")
        for name, parts in self._pieces.items():
            parts.append(take_rows(joined_slices([(table[name], start, stop) for table, start, stop in pieces]), order))
        self._filled = stop

    def _near(self, parts: Sequence[NumberArray], nrows: int) -> NumberArray:
        """Return numbers end to end, in memory that stays in the processor's cache from one column to the next."""
        if len(self._scratch) < nrows:
            self._scratch = np.empty(nrows, np.uint64)
        dtype = parts[0].dtype
        return np.concatenate(parts, out=self._scratch.view(dtype)[:nrows])

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
