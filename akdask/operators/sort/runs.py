"""Runs: rows that the tasks of a sort exchange, cut into ranges of keys, and the sort of a new partition.

Ranges are sorted one after the other. Each has so few rows that they stay in the cache of the core.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.rows import concat_rows, empty, own_rows, slice_rows, take_rows
from akdask.columns.table import Table
from akdask.engine.tokens import token
from akdask.operators.keys.keys import unpack_rows
from akdask.operators.keys.string_codes import StringLayout
from akdask.operators.keys.words import Words
from akdask.operators.sort.kernels import argsort, ties
from akdask.operators.sort.ranges import ordered_rows, ordered_strings, sort_values
from akdask.typing import Column, NumberArray

ROW = ("row",)
"""Name of the row number among the columns of a sort."""

By = tuple[tuple[Hashable, bool], ...]
"""Names of the columns to sort by, and whether each ascends."""


@dataclass(frozen=True, slots=True)
class RangedRows:
    """Rows to be sorted by the columns `by`, cut into ranges at `bounds`; unsorted within a range."""

    table: Table
    by: By
    bounds: list[int]

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.table)

    @staticmethod
    def joined(runs: Sequence[RangedRows]) -> RangedRows:
        """Concatenate several runs range by range; within a range the order of the runs is kept."""
        if len(runs) == 1:
            return RangedRows(runs[0].table.own(), runs[0].by, runs[0].bounds)
        bounds = np.array(common_bounds(runs))
        tables = [run.table.columns for run in runs]
        ranges = [list(zip(tables, *range_bounds, strict=True)) for range_bounds in pairwise(bounds.T.tolist())]
        columns = {
            name: joined_slices([(table[name], start, stop) for slices in ranges for table, start, stop in slices])
            for name in runs[0].table.columns
        }
        within = bounds.sum(axis=0).tolist()
        return RangedRows(Table(columns, within[-1]), runs[0].by, within)


@dataclass(frozen=True, slots=True)
class PackedKeys:
    """Keys packed with row numbers in their lowest bits, cut into ranges at `bounds`; unsorted within a range.

    `full_keys` has the keys of blocks of rows, by the number of the first, if packed keys lack their lowest bits.
    """

    words: Words
    shift: int
    bounds: list[int]
    full_keys: Mapping[int, Words] = field(default_factory=dict)

    def __sizeof__(self) -> int:
        return self.words.nbytes

    @staticmethod
    def joined(parts: Sequence[PackedKeys]) -> PackedKeys:
        """Return the words of several parts, by range."""
        within = np.sum(common_bounds(parts), axis=0).tolist()
        words = new_array(within[-1], np.uint64)
        for (start, stop), range_words in zip(pairwise(within), PackedKeys.ranges(parts), strict=True):
            np.concatenate(range_words, out=words[start:stop])
        return PackedKeys(words, parts[0].shift, within, _all_full_keys(parts))

    @staticmethod
    def ranges(parts: Sequence[PackedKeys]) -> Iterator[list[Words]]:
        """Yield the words of each range of several parts."""
        for range_bounds in zip(*map(pairwise, common_bounds(parts)), strict=True):
            yield [part.words[start:stop] for part, (start, stop) in zip(parts, range_bounds, strict=True)]

    @staticmethod
    def rows(parts: Sequence[PackedKeys]) -> NumberArray:
        """Return the row numbers of several parts in order of the keys."""
        shift, full_keys = parts[0].shift, _all_full_keys(parts)
        firsts = np.array(sorted(full_keys))
        rows = new_array(sum(len(part.words) for part in parts), np.int64)
        stop = 0
        for words in PackedKeys.ranges(parts):
            start, stop = stop, stop + sum(map(len, words))
            # In the memory of the results, while it is in the processor's cache.
            packed = np.concatenate(words, out=rows[start:stop].view(np.uint64))
            packed.sort()
            slots, groups = ties(packed, shift) if full_keys else (packed[:0], packed[:0])
            found = unpack_rows(packed, shift, out=rows[start:stop])
            if len(slots):
                tied = found[slots]
                found[slots] = tied[np.lexsort([_full_keys_of(full_keys, firsts, tied), groups])]
        return rows


@dataclass(frozen=True, slots=True)
class TextCodes:
    """Strings by their codes, the most significant first, in any order; see `akdask.operators.sort.ranges`.

    `rows` has their row numbers, if these are wanted instead of the strings.
    """

    codes: list[Words]
    rows: NumberArray | None
    layout: StringLayout
    ascending: bool

    def __sizeof__(self) -> int:
        return sum(part.nbytes for part in (*self.codes, *([] if self.rows is None else [self.rows])))

    @staticmethod
    def joined(parts: Sequence[TextCodes]) -> TextCodes:
        """Concatenate the codes of several parts."""
        codes = [np.concatenate(words) for words in zip(*(part.codes for part in parts), strict=True)]
        rows = [part.rows for part in parts if part.rows is not None]
        return TextCodes(codes, np.concatenate(rows) if rows else None, parts[0].layout, parts[0].ascending)

    @staticmethod
    def ordered(parts: Sequence[TextCodes]) -> Column:
        """Return the row numbers of several parts, or their strings, in the order of the strings."""
        codes, rows = [part.codes for part in parts], [part.rows for part in parts if part.rows is not None]
        return ordered_rows(codes, rows) if rows else ordered_strings(codes, parts[0].layout, parts[0].ascending)


def _all_full_keys(parts: Sequence[PackedKeys]) -> Mapping[int, Words]:
    return dict(chain.from_iterable(part.full_keys.items() for part in parts))


def _full_keys_of(full_keys: Mapping[int, Words], firsts: NumberArray, rows: NumberArray) -> Words:
    """Return the full keys of rows whose packed words lack the lowest bits."""
    keys = np.empty(len(rows), np.uint64)
    block = np.searchsorted(firsts, rows, "right") - 1
    for number in np.unique(block).tolist():
        first = int(firsts[number])
        here = block == number
        keys[here] = full_keys[first][rows[here] - first]
    return keys


def common_bounds(runs: Sequence[RangedRows] | Sequence[PackedKeys]) -> list[list[int]]:
    """Return the bounds of the ranges that all runs share; finer runs have several ranges for each of the coarsest."""
    count = min(len(run.bounds) for run in runs) - 1
    return [run.bounds[:: (len(run.bounds) - 1) // count] for run in runs]


def join_runs(parts: Sequence[Any]) -> list[Any]:
    """Merge several runs, or several packed keys, to one."""
    return [type(parts[0]).joined(parts)] if parts else []


@dataclass(frozen=True, slots=True)
class SortPartition:
    """Sort the rows of a new partition."""

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
            case [TextCodes(), *_]:
                column = TextCodes.ordered(parts)
                return Table({self.names[0]: column}, len(column))
            case [RangedRows(), *_]:
                return self._merged(parts)
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)

    def pack(self, parts: Sequence[Any]) -> list[Any]:
        """Merge all parts to one."""
        return join_runs(parts)

    def _merged(self, runs: Sequence[RangedRows]) -> Table:
        names, ascending = zip(*runs[0].by, strict=True)
        nrows = sum(run.bounds[-1] for run in runs)
        if names == self.names and len(names) == 1 and self.dtypes[0].is_number:
            return Table({names[0]: put_in_order(runs, new_array(nrows, self.dtypes[0].numpy))}, nrows)
        merged = _Merged(dict(zip(self.names, self.dtypes, strict=True)), nrows)
        tables = [run.table.columns for run in runs]
        for range_bounds in zip(*map(pairwise, common_bounds(runs)), strict=True):
            slices = [(table, *range_bounds) for table, range_bounds in zip(tables, range_bounds, strict=True)]
            keys = [joined_slices([(table[name], first, last) for table, first, last in slices]) for name in names]
            merged.append(slices, argsort(keys, ascending))
        return merged.table()


def put_in_order(runs: Sequence[RangedRows], out: NumberArray) -> NumberArray:
    """Sort the values of runs, which have no other columns, range by range, and return them."""
    ((name, ascending),), start = runs[0].by, 0
    columns = [run.table.columns[name] for run in runs]
    for range_bounds in zip(*map(pairwise, common_bounds(runs)), strict=True):
        parts = [column[first:last] for column, (first, last) in zip(columns, range_bounds, strict=True)]
        stop = start + sum(map(len, parts))
        sort_values(parts, ascending, out[start:stop])
        start = stop
    return out


class _Merged:
    """Columns under construction: numbers in place, strings part by part."""

    def __init__(self, dtypes: Mapping[Hashable, ColumnType], nrows: int) -> None:
        self._numbers = {name: new_array(nrows, dtype.numpy) for name, dtype in dtypes.items() if dtype.is_number}
        self._parts: dict[Hashable, list[Any]] = {name: [] for name in dtypes if name not in self._numbers}
        self._names = tuple(dtypes)
        self._nrows = nrows
        self._filled = 0
        self._scratch = np.empty(0, np.uint64)

    def append(self, slices: Sequence[tuple[Mapping[Hashable, Any], int, int]], order: NumberArray) -> None:
        """Append the rows from start to stop of several tables, in the order given by positions among them."""
        stop = self._filled + len(order)
        for name, out in self._numbers.items():
            # The positions are valid; a check by NumPy would take a second pass.
            near = self._near([table[name][start:stop] for table, start, stop in slices], len(order))
            near.take(order, out=out[self._filled : stop], mode="clip")
        for name, parts in self._parts.items():
            parts.append(take_rows(joined_slices([(table[name], start, stop) for table, start, stop in slices]), order))
        self._filled = stop

    def _near(self, parts: Sequence[NumberArray], nrows: int) -> NumberArray:
        """Concatenate numbers in memory that stays in the cache of the core from one column to the next."""
        if len(self._scratch) < nrows:
            self._scratch = np.empty(nrows, np.uint64)
        dtype = parts[0].dtype
        return np.concatenate(parts, out=self._scratch.view(dtype)[:nrows])

    def table(self) -> Table:
        """Return all rows."""
        columns = self._numbers | {name: concat_rows(slices) for name, slices in self._parts.items()}
        return Table({name: columns[name] for name in self._names}, self._nrows)


def joined_slices(slices: Sequence[tuple[Any, int, int]]) -> Column:
    """Concatenate the rows from start to stop of several columns."""
    parts = [slice_rows(column, start, stop) for column, start, stop in slices]
    return own_rows(parts[0]) if len(parts) == 1 else concat_rows(parts)


def sort_tables(
    tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], names: Sequence[Hashable]
) -> Table:
    """Sort the rows of all tables.  This is the function of the task that sorts few rows."""
    if tuple(names) == tuple(by) and len(names) == 1 and isinstance(tables[0].columns[names[0]], np.ndarray):
        parts = [np.asarray(table.columns[names[0]]) for table in tables]
        values = new_array(sum(map(len, parts)), parts[0].dtype)
        return Table({names[0]: sort_values(parts, ascending[0], values)}, len(values))
    table = Table.concat(tables)
    order = argsort([table.columns[name] for name in by], ascending)
    return Table({name: table.columns[name] for name in names}, table.nrows).take(order)
