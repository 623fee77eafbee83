"""Ranges of a sort: each has so few rows that they stay in the cache of the core while they are sorted.

The values of a single key are split into few ranges. Rows that the tasks of a sort exchange come as runs, cut into
ranges of keys, which are sorted one after the other in the new partition.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import Table, concat_rows, empty, own_rows, slice_rows, take_rows
from akdask.deferred import pa
from akdask.engine.values import token
from akdask.operators.keys import tuning as key_tuning
from akdask.operators.keys.keys import LAST, SIGN, Words, sort_words, unpack_rows, word
from akdask.operators.keys.string_codes import CodesOfRows, StringLayout, codes_of, strings_of
from akdask.operators.sort import loops, tuning
from akdask.operators.sort.kernels import argsort, sort_values, ties
from akdask.records import record
from akdask.typing import Column, NumberArray


class ValueRanges:
    """Ranges of values, which begin at splitters.

    Parameters
    ----------
    splitters : column of numbers
        Starts of the second and all further ranges, in order.
    rows : ndarray of int64
        Numbers of the rows from which on values equal to a splitter belong to its range.
    ascending : bool
        The direction.

    Examples
    --------
    >>> ranges = ValueRanges(np.array([5, 5]), np.array([0, 3]), True)
    >>> values, bounds = ranges.split(np.array([9, 5, 1, 7, 5]), 0)
    >>> values.tolist(), bounds
    ([1, 5, 9, 7, 5], [0, 1, 2, 5])
    """

    def __init__(self, splitters: Column, rows: NumberArray, ascending: bool) -> None:
        self._splitters, self._rows, self._ascending = word(splitters, 0, ascending), rows, ascending

    def split(self, values: NumberArray, first: int) -> tuple[NumberArray, list[int]]:
        """Return values by range, in row order within each, and the bounds of the ranges.

        Parameters
        ----------
        values : ndarray of numbers
            At most as many as stay in the cache of the core.
        first : int
            The row number of the first value; the others are consecutive.
        """
        numbers = np.empty(len(values), np.uint8)
        beyond = np.zeros(len(self._rows), np.uint64)
        words, flipped = _words(values, self._ascending)
        inner = self._rows[(self._rows > first) & (self._rows < first + len(values))] - first
        for start, stop in pairwise([0, *np.unique(inner).tolist(), len(values)]):
            splitters = self._least_words(first + start)
            loops.number_words(words[start:stop], flipped, splitters, numbers[start:stop], beyond)
        bounds = [0, *(len(values) - beyond.astype(np.int64)).tolist(), len(values)]
        return by_number(numbers, values, bounds), bounds

    def _least_words(self, row: int) -> Words:
        """Return the least words beyond each splitter for rows from a number on; none if no word is larger."""
        is_after = self._rows > row
        some = ~(is_after & (self._splitters == LAST))
        least: Words = self._splitters[some] + is_after[some].astype(np.uint64)
        return least


class FineRanges:
    """Ranges of 64-bit numbers that are small enough to be sorted within the cache of the core.

    They divide the ranges of `ValueRanges`. Only the bounds of these are exact.

    Parameters
    ----------
    splitters : column of numbers
        Approximate starts of the second and all further fine ranges; at least one, in order.
    rows : ndarray of int64
        Numbers of the rows from which on values equal to a splitter belong to its range.
    within : int
        Fine ranges in each of the others.
    ascending : bool
        The direction.

    Examples
    --------
    >>> ranges = FineRanges(np.array([2, 5, 7]), np.array([0, 3, 0]), 2, True)
    >>> values, bounds = ranges.split([np.array([9, 5, 1, 7, 5, 2])], 0)
    >>> values.tolist(), bounds
    ([1, 2, 5, 5, 9, 7], [[0, 1, 2, 3], [3, 4, 6]])
    """

    def __init__(self, splitters: Column, rows: NumberArray, within: int, ascending: bool) -> None:
        words, exact = word(splitters, 0, ascending), slice(within - 1, None, within)
        self._splitters, self._rows, self._ascending = words[exact], rows[exact], ascending
        # Words below the first splitter have their own slot, and so have words above the last one.
        self._low = words[0] - np.uint64(words[0] > 0)
        self._span = words[-1] + np.uint64(words[-1] < LAST) - self._low
        self._shift = np.uint64(max(int(self._span).bit_length() - tuning.SLOT_BITS, 0))
        inside = np.bincount(self._slots(words).astype(np.int64), minlength=int(self._span >> self._shift) + 1)
        # In a slot of several splitters, values are too close for slots: it has at least as many ranges.
        bits = np.minimum(np.ceil(np.log2(np.maximum(inside, 1))).astype(np.int64), int(self._shift))
        begun = np.cumsum(np.where(inside > 0, 1 << bits, 0))
        self._count = int(begun[-1]) + 1
        self._firsts = np.where(inside > 0, begun - (1 << bits) + 1, begun).astype(np.uint16)
        self._shifts = (int(self._shift) - bits).astype(np.uint8)
        shares = np.bincount(self._ranges(words))[self._ranges(self._splitters)]
        self.is_cut_quickly = bool((shares <= max(len(words) // tuning.LARGE_SHARE, 1)).all())
        """Whether ranges that have to be cut at a splitter have few values, none of them frequent; cutting is slow."""

    def split(self, parts: Sequence[NumberArray], first: int) -> tuple[NumberArray, list[list[int]]]:
        """Return values by range, in row order within each, and the bounds of fine ranges for each range.

        Parameters
        ----------
        parts : sequence of ndarray of 64-bit numbers
            The values, of any number.
        first : int
            The row number of the first value; the others are consecutive.
        """
        numbers, counts = self._numbers(parts)
        bounds = np.zeros(self._count + 1, np.int64)
        np.cumsum(counts, out=bounds[1:])
        values = new_array(len(numbers), parts[0].dtype)
        positions, start = bounds[:-1].astype(np.uint64), 0
        for part in parts:
            stop = start + len(part)
            loops.write_ranges(numbers[start:stop], _bits(part), positions, values.view(np.uint64))
            start = stop
        return values, self._cut(parts, first, values, bounds.tolist())

    def _numbers(self, parts: Sequence[NumberArray]) -> tuple[NumberArray, NumberArray]:
        """Return the fine range of each value, and the number of values in each."""
        numbers, start = new_array(sum(map(len, parts)), np.uint16), 0
        counts = np.zeros((self._count, 2), np.int64)
        kind = parts[0].dtype.kind
        flipped = _flipped(kind, self._ascending)
        table = self._low, self._span, self._shift, self._firsts, self._shifts
        for part in parts:
            stop = start + len(part)
            loops.find_ranges(_bits(part), flipped, kind == "f", *table, numbers[start:stop], counts)
            start = stop
        return numbers, counts.sum(axis=1)

    def _cut(self, parts: Sequence[NumberArray], first: int, values: NumberArray, bounds: list[int]) -> list[list[int]]:
        """Divide the values of ranges at exact splitters; return the bounds between the ranges."""
        numbers = self._ranges(self._splitters).tolist()
        cut: list[list[int]] = []
        begun, before, passed = bounds[:1], 0, (LAST, 0)
        for splitter, row, number in zip(self._splitters, self._rows.tolist(), numbers, strict=True):
            some = values[max(bounds[number], begun[0]) : bounds[number + 1]]
            words = word(some, 0, self._ascending)
            is_before = words < splitter
            equals = _count_equals(parts, row - first, splitter, self._ascending)
            # The values before the last splitter have moved already.
            left = equals - passed[1] if passed[0] == splitter else equals
            is_before[np.flatnonzero(words == splitter)[:left]] = True
            some[:] = np.concatenate([some[is_before], some[~is_before]])
            at = bounds[number + 1] - int(np.count_nonzero(~is_before))
            cut.append([*begun, *bounds[before + 1 : number + 1], at])
            begun, before, passed = [at], number, (splitter, equals)
        return [*cut, [*begun, *bounds[before + 1 :]]]

    def _ranges(self, words: Words) -> NumberArray:
        """Return the ranges of words from the first to the last splitter."""
        slots, within = self._slots(words), (np.uint64(1) << self._shift) - np.uint64(1)
        finer = ((words - self._low) & within) >> self._shifts[slots]
        ranges: NumberArray = self._firsts[slots].astype(np.int64) + finer.astype(np.int64)
        return ranges

    def _slots(self, words: Words) -> Words:
        slots: Words = (words - self._low) >> self._shift
        return slots


def _bits(values: NumberArray) -> Words:
    bits: Words = np.ascontiguousarray(values).view(np.uint64)
    return bits


def _flipped(kind: str, ascending: bool) -> np.uint64:
    """Return the bits of a type's numbers to flip so that they sort as wanted; for floats, bits of their words."""
    flipped = SIGN if kind == "i" else np.uint64(0)
    return flipped if ascending else flipped ^ LAST


def _words(values: NumberArray, ascending: bool) -> tuple[Words, np.uint64]:
    """Return words of values, and the bits of them to flip."""
    if values.dtype.kind in "iu" and values.itemsize == SIGN.itemsize:
        return _bits(values), _flipped(values.dtype.kind, ascending)
    return word(values, 0, ascending), np.uint64(0)


def _count_equals(parts: Sequence[NumberArray], count: int, splitter: np.uint64, ascending: bool) -> int:
    """Return how many of the first `count` values equal a word; an upper bound if `count` is all values."""
    if count >= sum(map(len, parts)):
        return count
    found = 0
    for part in parts:
        for begin in range(0, min(len(part), count), key_tuning.BLOCK_ROWS):
            words, flipped = _words(part[begin : min(begin + key_tuning.BLOCK_ROWS, count)], ascending)
            found += int(np.count_nonzero(words == splitter ^ flipped))
        count -= len(part)
    return found


def by_number(numbers: NumberArray, values: NumberArray, bounds: Sequence[int]) -> NumberArray:
    """Return values in the order of their ranges, whose bounds are known."""
    split, same_size = new_array(len(values), values.dtype), f"u{values.itemsize}"
    positions = np.array(bounds[:-1], np.uint64)
    loops.write_ranges(numbers, np.ascontiguousarray(values).view(same_size), positions, split.view(same_size))
    return split


class RangePartitioner:
    """Ranges of rows in order of one key, which begin at splitters.

    Parameters
    ----------
    splitters : ndarray of uint64
        Words of the keys at which the second and all further ranges begin; ascending.
    rows : ndarray of int64
        Row numbers of the splitters, to divide rows with equal keys; 0 if these stay in one range.
    low, high : int
        The smallest and the largest word of all rows.

    Examples
    --------
    >>> ranges = RangePartitioner(np.array([5, 9], np.uint64), np.array([0, 2]), 1, 20)
    >>> ranges.of(np.array([1, 5, 9, 9, 20], np.uint64), np.arange(5)).tolist()
    [0, 1, 2, 2, 2]
    """

    def __init__(self, splitters: Words, rows: NumberArray, low: int, high: int) -> None:
        self._splitters = splitters
        self._rows = rows
        self._low = np.uint64(low)
        self._shift = np.uint64(max((high - low).bit_length() - tuning.PARTITION_SLOT_BITS, 0))
        slots = np.arange(2**tuning.PARTITION_SLOT_BITS + 1, dtype=np.uint64)
        self._before = np.searchsorted((splitters - self._low) >> self._shift, slots).astype(np.uint16)

    def of(self, words: Words, rows: NumberArray, out: npt.NDArray[np.uint16] | None = None) -> npt.NDArray[np.uint16]:
        """Return the range of each row, given the words of their keys and their numbers."""
        found = np.empty(len(words), np.uint16) if out is None else out
        splitters = self._splitters, self._rows
        loops.number_ranges(words, rows, *splitters, self._low, self._shift, self._before, found)
        return found

    def pack(self, words: Words, rows: NumberArray, lost: int, shift: int, out: Words) -> Words:
        """Write words without their lost bits, with row numbers in the lowest `shift` bits; return the full keys.

        Both count from the smallest word.
        """
        full_keys = new_array(len(words), np.uint64)
        loops.pack_rows(words, self._low, lost, shift, rows, full_keys, out)
        return full_keys


class TextRanges:
    """Ranges of strings, which begin at splitters.

    Parameters
    ----------
    layout : StringLayout
        The layout of all strings.
    splitters : large_string array
        Starts of the second and all further ranges, in order.
    rows : ndarray of int64
        Numbers of the rows from which on strings equal to a splitter belong to its range.
    ascending : bool
        The direction.

    Examples
    --------
    >>> strings = pa.array(["gate 07", "gate 11", "gate 01"], pa.large_string())
    >>> layout = StringLayout((0x6761746520303700,), (0x070700,), 7, 7)
    >>> ranges = TextRanges(layout, strings[:1], np.zeros(1, np.int64), True)
    >>> codes, rows, bounds = ranges.split(strings, 0)
    >>> ordered_strings([codes], layout, True).to_pylist(), rows.tolist(), bounds
    (['gate 01', 'gate 07', 'gate 11'], [2, 0, 1], [0, 1, 3])
    """

    def __init__(
        self, layout: StringLayout, splitters: pa.LargeStringArray, rows: NumberArray, ascending: bool
    ) -> None:
        self.layout, self._rows, self._ascending = layout, np.ascontiguousarray(rows), ascending
        self._splitters = self._codes(splitters)

    def split(self, strings: pa.LargeStringArray, first: int) -> tuple[list[Words], NumberArray, list[int]]:
        """Return the codes of strings and the numbers of their rows by range, and the bounds of the ranges.

        Parameters
        ----------
        strings : large_string array
            At most as many as stay in the cache of the core.
        first : int
            The row number of the first string; the others are consecutive.

        Returns
        -------
        list of ndarray of uint64
            The codes, the most significant first; all bits are inverted if strings descend.
        ndarray of int64
        list of int
        """
        codes = self._codes(strings)
        numbers = np.empty(len(strings), np.uint8)
        counts = np.zeros(len(self._rows) + 1, np.int64)
        self._number(codes, first, numbers, counts)
        bounds = list(accumulate(counts.tolist(), initial=0))
        rows = by_number(numbers, np.arange(first, first + len(strings)), bounds)
        return [by_number(numbers, part, bounds) for part in codes], rows, bounds

    def _number(self, codes: CodesOfRows, first: int, numbers: NumberArray, counts: NumberArray) -> None:
        """Count for each row the splitters that are not after it, and the rows of each count, from a row number on."""
        loops.number_words(codes[0], 0, self._splitters[0], numbers, np.zeros(len(self._rows), np.uint64))
        loops.number_equals(codes, self._splitters, self._rows, first, numbers, counts)

    def _codes(self, strings: pa.LargeStringArray) -> CodesOfRows:
        codes = codes_of(strings, self.layout) if len(strings) else np.empty((len(self.layout.parts), 0), np.uint64)
        return codes if self._ascending else np.bitwise_xor(codes, LAST, out=codes)


def ordered_strings(parts: Sequence[Sequence[Words]], layout: StringLayout, ascending: bool) -> pa.LargeStringArray:
    """Return the strings of all codes in order; the codes of each part are as `TextRanges` returns them."""
    codes = [_joined(words) for words in zip(*parts, strict=True)]
    if len(codes) == 1:
        sort_words(codes[0])
    else:
        order = argsort(codes, [True] * len(codes))
        # NumPy writes to `out` without a copy only in mode "clip"; the positions are valid.
        codes = [words.take(order, out=new_array(len(order), np.uint64), mode="clip") for words in codes]
    if not ascending:
        for words in codes:
            np.bitwise_xor(words, LAST, out=words)
    return strings_of(layout, codes)


def ordered_rows(parts: Sequence[Sequence[Words]], rows: Sequence[NumberArray]) -> NumberArray:
    """Return the row numbers of all codes in sorted order; equal codes keep their order."""
    codes = [_joined(words) for words in zip(*parts, strict=True)]
    order = argsort(codes, [True] * len(codes))
    return _joined(rows).take(order, out=new_array(len(order), np.int64), mode="clip")


def _joined(parts: Sequence[NumberArray]) -> NumberArray:
    """Concatenate several parts, in memory that was in use before."""
    return np.concatenate(parts, out=new_array(sum(map(len, parts)), parts[0].dtype))


ROW = ("row",)
"""Name of the row number among the columns of a sort."""

By = tuple[tuple[Hashable, bool], ...]
"""Names of the columns to sort by, and whether each ascends."""


@record
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


@record
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
        for range_bounds in common_ranges(parts):
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
            sort_words(packed)
            slots, groups = ties(packed, shift) if full_keys else (packed[:0], packed[:0])
            found = unpack_rows(packed, shift, out=rows[start:stop])
            if len(slots):
                tied = found[slots]
                found[slots] = tied[np.lexsort([_full_keys_of(full_keys, firsts, tied), groups])]
        return rows


@record
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


def common_ranges(runs: Sequence[RangedRows] | Sequence[PackedKeys]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield for each range that all runs share its first row and its end in every run."""
    return zip(*map(pairwise, common_bounds(runs)), strict=True)


def join_runs(parts: Sequence[Any]) -> list[Any]:
    """Merge several runs, or several packed keys, to one."""
    return [type(parts[0]).joined(parts)] if parts else []


@record
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
        for range_bounds in common_ranges(runs):
            slices = [(table, *range_bounds) for table, range_bounds in zip(tables, range_bounds, strict=True)]
            keys = [joined_slices([(table[name], first, last) for table, first, last in slices]) for name in names]
            merged.append(slices, argsort(keys, ascending))
        return merged.table()


def put_in_order(runs: Sequence[RangedRows], out: NumberArray) -> NumberArray:
    """Sort the values of runs, which have no other columns, range by range, and return them."""
    ((name, ascending),), start = runs[0].by, 0
    columns = [run.table.columns[name] for run in runs]
    for range_bounds in common_ranges(runs):
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
