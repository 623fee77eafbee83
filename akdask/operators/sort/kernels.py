"""Sort kernels: positions that sort rows by several columns, sorted tables, and sorted rows cut at splitters.

All sorts are stable. Missing values (NaN) come last, ascending or descending.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import numpy_numbers
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import Table, take_rows, to_objects
from akdask.deferred import is_arrow, pa, pc
from akdask.interruption import AT_A_TIME, end_if_interrupted
from akdask.operators.keys.keys import (
    WORD_BITS,
    Key,
    Words,
    pack_words,
    row_bits,
    sort_numbers,
    sort_words,
    unpack_rows,
    with_words,
    word,
    word_count,
)
from akdask.operators.keys.string_codes import codes_of, layout_of
from akdask.operators.sort import loops, tuning
from akdask.typing import Column, NumberArray

MAX_PACKED_ROWS = 2**31
"""Above this number of rows, the numbers of a group and of a row might not fit 64 bits together."""


def argsort(columns: Sequence[Column], ascending: Sequence[bool]) -> NumberArray:
    """Return the positions that sort the rows by the first column, then by the second, and so on.

    Parameters
    ----------
    columns : sequence of columns
        At least one; all of the same length.
    ascending : sequence of bool
        The direction of each.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> argsort([np.array([3, 1, 3]), np.array([0.5, 0.1, 0.2])], [True, True]).tolist()
    [1, 2, 0]
    """
    if len(columns[0]) >= MAX_PACKED_ROWS:
        return argsort_by_words(columns, ascending)
    return argsort_packed(*with_codes(columns, ascending))


def with_codes(columns: Sequence[Column], ascending: Sequence[bool]) -> tuple[Sequence[Column], Sequence[bool]]:
    """Return columns in the same order, with codes in place of short strings, and ranks in place of repeated ones.

    Codes leave out bits that all strings share, such as a prefix, and compare in fewer steps.
    """
    if not len(columns[0]):
        return columns, ascending
    found: list[tuple[Column, bool]] = []
    for column, upwards in zip(columns, ascending, strict=True):
        parts = _parts_of(column) if is_arrow(column, "LargeStringArray") else [column]
        found.extend((part, upwards) for part in parts)
    return [column for column, _ in found], [upwards for _, upwards in found]


def _parts_of(strings: pa.LargeStringArray) -> Sequence[Column]:
    """Return columns in the order of strings."""
    from akdask.operators.group.grouping import ranks_of_repeated  # which sorts by this module

    layout = layout_of(strings)
    if layout is not None:
        return list(codes_of(strings, layout))
    ranks = ranks_of_repeated(strings)
    return [strings if ranks is None else ranks]


def is_ascending(columns: Sequence[Column]) -> bool:
    """Return whether rows are in the order of `argsort`.

    Examples
    --------
    >>> is_ascending([np.array([1, 1, 2]), np.array([5, 6, 0])])
    True
    """
    tied = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in columns:
        for number in range(word_count(column)):
            words = word(column, number)
            if bool((tied & (words[1:] < words[:-1])).any()):
                return False
            tied &= words[1:] == words[:-1]
    return True


def argsort_by_words(columns: Sequence[Column], ascending: Sequence[bool]) -> NumberArray:
    """Return the result of `argsort` for any number of rows, several times slower."""
    words = [
        word(column, number, upwards)
        for column, upwards in zip(columns, ascending, strict=True)
        for number in range(word_count(column))
    ]
    return np.lexsort(words[::-1])


def argsort_packed(columns: Sequence[Column], ascending: Sequence[bool]) -> NumberArray:
    """Return the result of `argsort`, by sorting as many leading bits of the keys as fit 64 bits with the row number.

    Rows with equal leading bits are sorted by the next bits, and so on; usually they are few.
    """
    nrows = len(columns[0])
    digits = _Digits(columns, ascending)
    shift = row_bits(nrows)
    key = digits.take(WORD_BITS - shift)
    packed = pack_words(key, shift)
    if key.bits:
        sort_words(packed, shift)
    rows = unpack_rows(packed, shift)
    slots, groups = ties(packed, shift) if digits.left else (rows[:0], packed[:0])
    passes = 0
    while digits.left and len(slots):
        if (text := digits.take_text()) is not None:
            begins = _order_text(*text, rows, slots, groups)
            if digits.left:
                still, groups = _tied(begins)
                slots = slots[still]
            continue
        if tuning.FEW_EQUAL_ROWS * (int(groups[-1]) + 1) > len(groups):
            slots, groups = _order_few(columns, ascending, rows, slots, groups)
            if not len(slots):
                break
        passes += 1
        if passes > 1 and passes & (passes - 1) == 0:
            # Otherwise equal integers of any size would be sorted by each of their words.
            slots, groups = digits.without_equals(rows, slots, groups)
        shift, width = row_bits(len(slots)), row_bits(int(groups.max(initial=0)) + 1)
        tied = rows[slots]
        key = digits.take(WORD_BITS - shift - width, tied)
        if not key.bits:
            continue
        packed = pack_words(Key((groups << np.uint64(key.bits)) | key.codes, 0, width + key.bits), shift)
        sort_words(packed, shift)
        rows[slots] = tied[unpack_rows(packed, shift)]
        still, groups = ties(packed, shift)
        slots = slots[still]
    return rows


def _order_few(
    columns: Sequence[Column], ascending: Sequence[bool], rows: NumberArray, slots: NumberArray, groups: Words
) -> tuple[NumberArray, Words]:
    """Sort small groups of numbers; return the groups that remain."""
    if not all(isinstance(column, np.ndarray) for column in columns):
        return slots, groups
    tied = rows[slots]
    words = [word(column, 0, upwards, tied) for column, upwards in zip(columns, ascending, strict=True)]
    order, left = np.arange(len(tied)), np.empty(len(tied), np.bool_)
    count = loops.order_few(groups, np.stack(words), order, left)
    rows[slots] = tied[order]
    if not count:
        return slots[:0], groups[:0]
    groups = groups[left]
    return slots[left], np.cumsum(np.append(False, groups[1:] != groups[:-1]), dtype=np.uint64)


def _order_text(
    column: pa.LargeStringArray, upwards: bool, rows: NumberArray, slots: NumberArray, groups: Words
) -> npt.NDArray[np.bool_]:
    """Sort the rows of each group by text, and return which of them are the first of their text."""
    count, at = len(slots), 0
    entries, begins = new_array(4 * count, np.uint64).reshape(-1, 2), np.ones(count, np.bool_)
    entries[:count, 1] = rows[slots]
    np.not_equal(groups[1:], groups[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    entries[count + first] = np.column_stack([np.append(first[1:], count), np.zeros_like(first)])
    while at < count:
        end_if_interrupted()
        at = loops.order_text(*offsets_and_bytes(column), not upwards, at, AT_A_TIME, entries, begins)
    rows[slots] = entries[:count, 1]
    return begins


ALL = -1
"""In place of the number of a word, stands for all of a text."""


def words_of(column: Column) -> Sequence[int]:
    """Return the numbers of the words by which a column is ordered, of long text the first alone and `ALL`."""
    count = word_count(column)
    return [0, ALL] if count > 1 and is_arrow(column, "LargeStringArray") else range(count)


class _Digits:
    """The bits of the words of several columns, taken from the most significant on.

    Of text, that is one word alone: rows that have the same one are sorted by `_order_text`.
    """

    def __init__(self, columns: Sequence[Column], ascending: Sequence[bool]) -> None:
        self._nrows = len(columns[0])
        self._words = [
            (column, number, upwards)
            for column, upwards in zip(columns, ascending, strict=True)
            for number in words_of(column)
        ][::-1]
        # For a word that was taken in part: the subtracted value, and the number of remaining bits.
        self._low = 0
        self._rest: int | None = None

    @property
    def left(self) -> bool:
        """Whether bits remain."""
        return bool(self._words)

    def take(self, max_bits: int, rows: NumberArray | None = None) -> Key:
        """Return the next bits, at most `max_bits`, of all rows or of the given positions.

        They must not be compared between rows that differ in earlier bits.
        """
        codes: Words | None = None
        bits = 0
        while self._words and bits < max_bits and not self._is_at_text:
            more, width = self._current(rows)
            surplus = max(bits + width - max_bits, 0)
            width -= surplus
            if width:
                more = more >> np.uint64(surplus)
                codes = more if codes is None else (codes << np.uint64(width)) | more
                bits += width
            self._rest = surplus or None
            if not surplus:
                self._words.pop()
            elif len(self._words) > 1 and self._words[-2][1] == ALL:
                # The text that follows has these bits as well.
                self._rest = None
                self._words.pop()
        if codes is None:
            codes = np.zeros(self._nrows if rows is None else len(rows), np.uint64)
        return Key(codes, 0, bits)

    @property
    def _is_at_text(self) -> bool:
        """Whether the next bits are those of text behind its first word."""
        return self._words[-1][1] == ALL

    def take_text(self) -> tuple[pa.LargeStringArray, bool] | None:
        """Return the text whose first word has been taken, and its direction; None if other bits are next."""
        if not self._is_at_text:
            return None
        column, _, upwards = self._words.pop()
        return column, upwards

    def without_equals(self, rows: NumberArray, slots: NumberArray, groups: Words) -> tuple[NumberArray, Words]:
        """Drop the groups whose rows are equal in all remaining bits: they are sorted already."""
        tied = rows[slots]
        differ = np.zeros(len(slots), np.bool_)
        for column, number, upwards in self._words:
            if number == ALL:
                # Text is not compared twice.
                return slots, groups
            codes = word(column, number, upwards, tied)
            differ[1:] |= codes[1:] != codes[:-1]
        differ[1:] &= groups[1:] == groups[:-1]
        mixed = np.zeros(int(groups[-1]) + 1, np.bool_)
        mixed[groups[differ]] = True
        mixed_slots = np.flatnonzero(mixed[groups])
        return slots[mixed_slots], (np.cumsum(mixed, dtype=np.uint64) - np.uint64(1))[groups[mixed_slots]]

    def _current(self, rows: NumberArray | None) -> tuple[Words, int]:
        """Return the rest of the current word, and its number of bits."""
        column, number, upwards = self._words[-1]
        codes = word(column, number, upwards, rows)
        if self._rest is not None:
            return (codes - np.uint64(self._low)) & np.uint64((1 << self._rest) - 1), self._rest
        key = Key.of(codes)
        self._low = key.low
        return codes - np.uint64(key.low), key.bits


def ties(packed: Words, shift: int) -> tuple[NumberArray, Words]:
    """Return the positions of sorted keys with equal neighbours, and number the groups of equals from 0."""
    begins = np.ones(len(packed), np.bool_)
    np.greater_equal(packed[1:] ^ packed[:-1], np.uint64(1 << shift), out=begins[1:])
    return _tied(begins)


def _tied(begins: npt.NDArray[np.bool_]) -> tuple[NumberArray, Words]:
    """Return the same, given which rows begin a group of equals."""
    if begins.all():
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    tied = ~begins
    tied[:-1] |= tied[1:]
    slots = np.flatnonzero(tied)
    return slots, np.cumsum(begins[slots], dtype=np.uint64) - np.uint64(1)


# ------------------------------------------------------------------------------------------------------- whole tables


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


def sort_values(parts: Sequence[NumberArray], ascending: bool, out: NumberArray) -> NumberArray:
    """Write the values of all parts in the order of `argsort`, bit by bit the same.

    Parameters
    ----------
    parts : sequence of ndarray of integers, floats or bool
        At least one; of the same type.
    ascending : bool
        The direction.  Missing values come last in both.
    out : ndarray
        As long as all parts together.

    Returns
    -------
    ndarray
        `out`.

    Examples
    --------
    >>> sort_values([np.array([2.0, np.nan]), np.array([3.0, 0.0, -0.0])], False, np.empty(5)).tolist()
    [3.0, 2.0, 0.0, -0.0, nan]
    """
    np.concatenate(parts, out=out)
    sort_numbers(out)
    present = out[: len(out) - _missing(out)]
    if not ascending:
        present[:] = present[::-1].copy()
    if out.dtype.kind == "f":
        _restore_equals(parts, present, out[len(present) :], ascending)
    return out


def _missing(ordered: NumberArray) -> int:
    """Return the number of NaN among ascending values."""
    if ordered.dtype.kind != "f" or not len(ordered) or not np.isnan(ordered[-1]):
        return 0
    # They are last, and equal to each other in NumPy's search.
    return len(ordered) - int(np.searchsorted(ordered, ordered[-1]))


def _restore_equals(parts: Sequence[NumberArray], present: NumberArray, missing: NumberArray, ascending: bool) -> None:
    """Restore the row order of equal floats with different bits: NumPy may unify zeros, and NaN."""
    around = present if ascending else present[::-1]
    first, stop = np.searchsorted(around, 0.0, "left"), np.searchsorted(around, 0.0, "right")
    if first < stop:
        zeros = around[first:stop] if ascending else around[first:stop][::-1]
        np.concatenate([part[part == 0] for part in parts], out=zeros)
    if len(missing):
        np.concatenate([part[np.isnan(part)] for part in parts], out=missing)


# ------------------------------------------------------------------------------------------------ cutting at boundaries


def comparable(column: Column, position: int) -> Any:
    """Return a value in a form that compares like the column's values."""
    if isinstance(column, np.ndarray):
        return column[position]
    if is_arrow(column, "FixedSizeBinaryArray"):
        return to_objects(column.slice(position, 1))[0]
    return column[position].as_buffer().to_pybytes()


def are_before(columns: Sequence[Column], row: Sequence[Any]) -> npt.NDArray[np.bool_]:
    """Return which rows of numbers and text come before a row of `comparable` values, in ascending order.

    Examples
    --------
    >>> are_before([np.array([3, 1, 3]), np.array([0.5, 0.1, 0.2])], [3, 0.5]).tolist()
    [False, True, True]
    """
    found, equal = _compared(columns[0], row[0])
    ties = np.flatnonzero(equal) if len(columns) > 1 else ()
    if len(ties):
        found[ties] = are_before([take_rows(column, ties) for column in columns[1:]], row[1:])
    return found


def _compared(column: Column, value: Any) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which values come before one, and which are equal to it."""
    if isinstance(column, np.ndarray):
        words, limit = word(column, 0), word(np.array([value], column.dtype), 0)
        return words < limit, words == limit
    text, limit = column.view(pa.large_binary()), pa.scalar(value, pa.large_binary())
    return numpy_numbers(pc.less(text, limit)), numpy_numbers(pc.equal(text, limit))


def split_sorted(
    columns: Sequence[Column],
    ascending: Sequence[bool],
    rows: NumberArray,
    splitters: Sequence[Column],
    earlier: NumberArray,
) -> NumberArray:
    """Return the number of sorted rows before each splitter.

    Parameters
    ----------
    columns, ascending
        The columns that the rows are sorted by, and their directions.
    rows : ndarray of int64
        The original number of each row, ascending among equal rows.
    splitters : sequence of columns
        Values of the same columns.
    earlier : ndarray of int64
        The row number from which on rows equal to a splitter come after it.

    Returns
    -------
    ndarray of int64
    """
    starts, stops = np.zeros(len(earlier), np.int64), np.full(len(earlier), len(rows))
    for column, sought, upwards in zip(columns, splitters, ascending, strict=True):
        if is_arrow(column, "LargeStringArray"):
            strings = *offsets_and_bytes(column), *offsets_and_bytes(sought)
            loops.search_text(*strings, not upwards, starts, stops)
            continue
        count = max(word_count(column), word_count(sought))
        for words, wanted in zip(_all_words(column, count, upwards), _all_words(sought, count, upwards), strict=True):
            if (starts == 0).all() and (stops == len(rows)).all():
                starts, stops = words.searchsorted(wanted, "left"), words.searchsorted(wanted, "right")
                continue
            for number in np.flatnonzero(starts < stops).tolist():
                equal_rows, start = words[starts[number] : stops[number]], starts[number]
                starts[number], stops[number] = (
                    start + equal_rows.searchsorted(wanted[number], side) for side in ("left", "right")
                )
    for number in np.flatnonzero(starts < stops).tolist():
        starts[number] += rows[starts[number] : stops[number]].searchsorted(earlier[number])
    return starts


def _all_words(column: Column, count: int, upwards: bool) -> Iterator[Words]:
    column = with_words(column, count)
    return (word(column, number, upwards) for number in range(count))
