"""Rows grouped by key, in the order of the keys, for any number of reductions.

Row groups have three forms with one interface, so that every grouped reduction is written once. Rows are sorted by key
(`SortedGroups`), numbered by key without sorting (`GroupCodes`), or stacked from several tables of the same groups
(`StackedGroups`). A `Grouping` cuts many rows into slices that fit the processor's cache, and groups each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import chain, islice, pairwise
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import numpy_numbers
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Table, TableBuilder, by_column, concat_rows, nbytes, of_arrow, slice_rows, take_rows
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.reduction import GroupState, RowGroups
from akdask.operators.group import loops, tuning
from akdask.operators.keys.hashing import are_same_keys
from akdask.operators.keys.keys import (
    WORD_BITS,
    Key,
    SlotGrid,
    Words,
    combine,
    from_words,
    lead,
    ordered,
    pack_words,
    row_bits,
    sort_words,
    span,
    unpack_rows,
    word,
    word_count,
)
from akdask.operators.keys.string_codes import EncodedStrings, StringEncoder, strings_of
from akdask.operators.keys.tables import TextTable, number_words
from akdask.operators.sort.kernels import MAX_PACKED_ROWS, argsort, argsort_packed
from akdask.records import record
from akdask.typing import Column, NumberArray


class SortedGroups:
    """Rows sorted by key.

    Parameters
    ----------
    permutation : ndarray of int64 or None
        Positions that make equal keys adjacent, ascending within a group; None if they are adjacent already.
    segments : ndarray of int64
        First position of each group among the permuted rows.
    nrows : int
        Number of rows.
    """

    def __init__(self, permutation: NumberArray | None, segments: NumberArray, nrows: int) -> None:
        self.permutation = permutation
        self.segments = segments
        self.nrows = nrows
        self.count = len(segments)
        self._last_sorted: tuple[Any, Any] = None, None

    def sizes(self) -> NumberArray:
        return np.diff(self.segments, append=self.nrows)

    def firsts(self) -> NumberArray:
        """Return the position of the first row of each group."""
        return self.segments if self.permutation is None else self.permutation[self.segments]

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        if not self.count:
            return values[:0].copy()
        in_order = self.gather(values)
        if ufunc is np.add and values.dtype == np.float64:
            # In row order, as in `GroupCodes`; `reduceat` adds several rows of a group side by side.
            return np.bincount(np.repeat(np.arange(self.count), self.sizes()), in_order, minlength=self.count)
        reduced: NumberArray = ufunc.reduceat(in_order, self.segments)
        return reduced

    def spread(self, values: NumberArray) -> NumberArray:
        ordered_rows = np.repeat(values, self.sizes())
        if self.permutation is None:
            return ordered_rows
        rows = np.empty(self.nrows, values.dtype)
        rows[self.permutation] = ordered_rows
        return rows

    def adjacent(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        return np.append(self.segments, self.nrows), self.gather(values)

    def pick(self, mask: NumberArray) -> NumberArray:
        if self.permutation is None:
            return np.flatnonzero(mask)
        return self.permutation[self.gather(mask)]

    def forget_values(self) -> None:
        """Drop the values that further reductions of the same column would reuse."""
        self._last_sorted = None, None

    def gather(self, values: NumberArray) -> NumberArray:
        """Return the values with each group adjacent; several reductions of a column gather it once."""
        if self.permutation is None:
            return values
        # Cached groupings are shared: other threads may gather or forget other values meanwhile.
        source, values_by_group = self._last_sorted
        if source is not values:
            values_by_group = np.asarray(take_rows(values, self.permutation))
            self._last_sorted = values, values_by_group
        found: NumberArray = values_by_group
        return found


def count_codes(codes: NumberArray, count: int) -> NumberArray:
    """Return the number of rows with each of `count` codes, as int64."""
    counts = full_array(count, 0, np.int64)
    loops.count_at(codes, counts)
    return counts


LOOPS = {
    np.add: loops.add_at,
    np.minimum: loops.minimum_at,
    np.maximum: loops.maximum_at,
    np.fmin: loops.fmin_at,
    np.fmax: loops.fmax_at,
}
"""The loop of each ufunc that reduces integers of 64 bits and floats."""


class GroupCodes:
    """Rows with the number of their group; there may be groups without rows."""

    def __init__(self, codes: NumberArray, count: int) -> None:
        self.codes = np.ascontiguousarray(codes)
        self.count = count
        self._totals: dict[int, tuple[NumberArray, NumberArray]] = {}

    @cached_property
    def _sizes(self) -> NumberArray:
        return count_codes(self.codes, self.count)

    def sizes(self) -> NumberArray:
        return self._sizes

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        if ufunc is np.add and values.dtype == np.float64:
            return self._sums(values)
        return self._reduced(ufunc, values)

    def _reduced(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        reduced = full_array(self.count, neutral(ufunc, values.dtype), values.dtype)
        if ufunc in LOOPS and values.dtype.char in "qQlLd":
            LOOPS[ufunc](self.codes, np.ascontiguousarray(values), reduced)
        else:
            ufunc.at(reduced, self.codes, values)
        return reduced

    def _sums(self, values: NumberArray) -> NumberArray:
        """Sum floats once for all reductions that need the sum."""
        # Cached groupings are shared: another thread may forget it meanwhile.
        found = self._totals.get(id(values))
        if found is None:
            found = self._totals[id(values)] = values, self._reduced(np.add, values)
        return found[1]

    def forget_values(self) -> None:
        """Drop the values that further reductions of the same column would reuse."""
        self._totals.clear()

    def spread(self, values: NumberArray) -> NumberArray:
        return np.asarray(take_rows(values, self.codes))

    def adjacent(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        offsets = np.append(0, np.cumsum(self.sizes()))
        arranged, same_size = new_array(len(values), values.dtype), f"u{values.itemsize}"
        given = np.ascontiguousarray(values).view(same_size)
        loops.arrange(self.codes, given, offsets[:-1].copy(), arranged.view(same_size))
        return offsets, arranged

    def pick(self, mask: NumberArray) -> NumberArray:
        rows = np.flatnonzero(mask)
        positions = np.zeros(self.count, np.int64)
        positions[self.codes[rows]] = rows
        return positions


class StackedGroups:
    """Tables of the same groups, one below the other: `depth` rows for each group."""

    def __init__(self, depth: int, count: int) -> None:
        self.depth = depth
        self.count = count

    def sizes(self) -> NumberArray:
        return np.full(self.count, self.depth)

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        reduced: NumberArray = ufunc.reduce(values.reshape(self.depth, self.count), axis=0)
        return reduced

    def spread(self, values: NumberArray) -> NumberArray:
        return np.tile(values, self.depth)

    def adjacent(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        return np.arange(self.count + 1) * self.depth, values.reshape(self.depth, self.count).T.ravel()

    def pick(self, mask: NumberArray) -> NumberArray:
        layer = mask.reshape(self.depth, self.count).argmax(axis=0)
        positions: NumberArray = layer * self.count + np.arange(self.count)
        return positions


def neutral(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Any:
    """Return the neutral value of a reduction."""
    match ufunc.__name__:
        case "fmin" | "fmax":
            return np.nan
        case "minimum":
            return np.inf if dtype.kind == "f" else np.iinfo(dtype).max
        case "maximum":
            return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
        case "bitwise_and":
            return np.invert(dtype.type(0))
    return ufunc.identity


# ---------------------------------------------------------------------------------------------- keys as numbers


class DictionaryColumns:
    """Columns with numbers in place of other values, in the same order.

    Parameters
    ----------
    columns : sequence of columns
        Numbers stay unchanged. Strings, encoded or not, and integers of any size become one or several columns of
        numbers.
    """

    def __init__(self, columns: Sequence[Column | EncodedStrings]) -> None:
        self.columns: list[NumberArray] = []
        self._restore: list[tuple[int, Restore]] = []
        for column in columns:
            numbers, restore = _numbers(column)
            self.columns += numbers
            self._restore.append((len(numbers), restore))

    def restored(self, columns: Sequence[NumberArray]) -> list[Column]:
        """Return rows of the numbers as the values that they stand for."""
        remaining = iter(columns)
        return [restore(list(islice(remaining, count))) for count, restore in self._restore]


Restore: TypeAlias = Callable[[Sequence[NumberArray]], Column]


@by_column
def _numbers(column: Any) -> tuple[Sequence[NumberArray], Restore]:
    """Return numbers for each row, in the order of the values, and the function that makes values from numbers."""
    return [column], lambda numbers: numbers[0]


@of_arrow(_numbers, "FixedSizeBinaryArray")
def _(integers: pa.FixedSizeBinaryArray) -> tuple[Sequence[NumberArray], Restore]:
    return _in_one_word([word(integers, number) for number in range(word_count(integers))], from_words)


@of_arrow(_numbers, "LargeStringArray")
def _(strings: pa.LargeStringArray) -> tuple[Sequence[NumberArray], Restore]:
    coding = StringEncoder(len(strings))
    coding.append(strings)
    encoded = coding.finish()
    if isinstance(encoded, EncodedStrings):
        return _numbers(encoded)
    ranks, table = ranked(strings)
    return [ranks], lambda numbers: take_rows(table, numbers[0])


@_numbers.register(EncodedStrings)
def _(encoded: EncodedStrings) -> tuple[Sequence[NumberArray], Restore]:
    return _in_one_word(encoded.codes, partial(strings_of, encoded.form))


def _in_one_word(words: Sequence[Words], restore: Restore) -> tuple[Sequence[NumberArray], Restore]:
    """Return the ranks of values of several words, unless hardly any repeat."""
    if len(words) == 1 or not _repeat(words):
        return words, restore
    ranks, firsts = ranked_words(words)
    different = [column.take(firsts) for column in words]
    return [ranks], lambda numbers: restore([column.take(numbers[0]) for column in different])


def _repeat(words: Sequence[Words]) -> bool:
    """Whether a sample shows that most values come several times, wherever they are."""
    step = max(len(words[0]) // tuning.DICTIONARY_SAMPLE, 1)
    some = [column[::step].copy() for column in words]
    _, firsts = number_words(some)
    return len(firsts) <= len(some[0]) * tuning.MOST_DISTINCT


def ranked_words(words: Sequence[Words]) -> tuple[NumberArray, NumberArray]:
    """Return the rank of each row's words among the distinct ones, and the first row of each of these in their order.

    Examples
    --------
    >>> ranks, firsts = ranked_words([np.array([7, 5, 7], np.uint64)])
    >>> ranks.tolist(), firsts.tolist()
    ([1, 0, 1], [1, 0])
    """
    numbers, firsts = number_words(words)
    order = argsort([column.take(firsts) for column in words], [True] * len(words))
    return _ranks(order).take(numbers, out=numbers, mode="clip"), firsts.take(order)


def _ranks(order: NumberArray) -> NumberArray:
    """Return the place of each row in an order."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def ranked(strings: pa.LargeStringArray) -> tuple[NumberArray, pa.LargeStringArray]:
    """Return for each string its position among the distinct strings in byte order, and the distinct strings."""
    table = TextTable()
    codes = table.numbers(strings, len(strings))
    assert codes is not None, "there are no more different strings than strings"
    different = table.strings()
    order = argsort_packed([different], [True])
    return _ranks(order).take(codes), take_rows(different, order)


def ranks_of_repeated(strings: pa.LargeStringArray) -> NumberArray | None:
    """Return the positions of strings among the distinct ones in byte order; None if few of them occur again."""
    if len(strings) < tuning.DICTIONARY_SAMPLE or are_too_many(strings, len(strings) // tuning.REPEATED):
        return None
    return ranked(strings)[0]


def are_too_many(values: Any, most: int) -> bool:
    """Whether a sample of strings or words shows that all are distinct, or more than `most` of many."""
    some = slice_rows(values, 0, len(values), max(len(values) // tuning.DICTIONARY_SAMPLE, 1))
    if isinstance(some, np.ndarray):
        different = len(np.unique(some))
    else:
        table = TextTable()
        table.numbers(some, len(some))
        different = table.count
    # So many would be distinct if all values were equally frequent.
    return different > most * -math.expm1(-len(some) / most)


# ------------------------------------------------------------------------------------------------------- sorted by key


def group_sorted(keys: Sequence[Column]) -> SortedGroups:
    """Return the groups of rows that are already sorted by key."""
    nrows = len(keys[0])
    begins = full_array(nrows, False, np.bool_)
    begins[:1] = True
    for column in keys:
        if nrows > 1:
            begins[1:] |= _differs(column)
    return SortedGroups(None, np.flatnonzero(begins), nrows)


def _differs(column: Column) -> NumberArray:
    """Return the mask of rows that differ from the row before, without the first row; NaN are equal."""
    if is_arrow(column, "LargeStringArray"):
        from akdask.operators.text.strings import are_equal

        return ~are_equal(column[1:], column[:-1])
    if not isinstance(column, np.ndarray):
        unequal: NumberArray = numpy_numbers(pc.not_equal(column[1:], column[:-1]))
        return unequal
    differs: NumberArray = column[1:] != column[:-1]
    if column.dtype.kind == "f":
        differs &= ~(np.isnan(column[1:]) & np.isnan(column[:-1]))
    return differs


def group_rows(keys: Sequence[Column]) -> SortedGroups:
    """Sort rows by key; equal keys keep their order."""
    nrows = len(keys[0])
    found = _group_packed(keys, nrows)
    return _group_by_words(keys, nrows) if found is None else found


def number_rows(keys: Sequence[NumberArray], codes: npt.NDArray[np.int32]) -> tuple[GroupCodes, NumberArray]:
    """Assign numbers to rows in the order of their keys, and find the first row of each key.

    This is faster than making the values of each group adjacent.

    Parameters
    ----------
    keys : sequence of ndarray
        At least one, of fewer than 2 ** 31 rows.
    codes : ndarray of int32
        Filled with the numbers.
    """
    if not len(codes):
        return GroupCodes(codes, 0), np.empty(0, np.int64)
    words = [np.ascontiguousarray(column) if column.dtype == np.uint64 else word(column, 0) for column in keys]
    if len(words) == 1 and _repeat(words):  # Few distinct values are sooner hashed and sorted than all rows are sorted.
        return _number_ranked(words, codes)
    return _number_sorted(words, codes) or _number_ranked(words, codes)


def _number_sorted(words: Sequence[Words], codes: npt.NDArray[np.int32]) -> tuple[GroupCodes, NumberArray] | None:
    """Assign numbers by sorting; None if bits lost to row numbers would change the order of many rows."""
    nrows = len(words[0])
    shift = row_bits(nrows)
    packed, firsts = new_array(nrows, np.uint64), new_array(nrows, np.int64)
    *others, last = words if len(words) <= 2 else _combined(words)
    found = loops.pack_keys(others[0] if others else last[:0], last, shift, packed) if len(others) < 2 else -1
    if found >= 0:
        sort_words(packed, shift)
        count = loops.number_sorted(packed, shift, last, found == 1, codes, firsts)
        if count < 0 and loops.sort_ties(packed, shift, last):
            count = loops.number_sorted(packed, shift, last, False, codes, firsts)
    else:
        packed = pack_words(lead(words, WORD_BITS - shift), shift)
        sort_words(packed, shift)
        count = loops.number_sorted_wide(packed, shift, words[0], np.stack(words[1:]), codes, firsts)
    return None if count < 0 else (GroupCodes(codes, count), firsts[:count])


def _combined(words: Sequence[Words]) -> Sequence[Words]:
    """Return several words of each key as one word, if they fit."""
    key = combine([Key.of(column) for column in words])
    return words if key is None else [key.codes]


def _number_ranked(words: Sequence[Words], codes: npt.NDArray[np.int32]) -> tuple[GroupCodes, NumberArray]:
    """Assign numbers by the ranks of each word, or of all words where these do not fit beside row numbers."""
    if len(words) > 1:
        key = combine([Key.of(ranked_words([column])[0].view(np.uint64)) for column in words])
        if key is not None and key.bits + row_bits(len(codes)) <= WORD_BITS:
            return _number_sorted([key.codes], codes) or _number_ranked([key.codes], codes)
    ranks, firsts = ranked_words(words)
    codes[...] = ranks
    return GroupCodes(codes, len(firsts)), firsts


def _group_packed(keys: Sequence[Column], nrows: int) -> SortedGroups | None:
    """Sort keys and row numbers packed into one word; None if they do not fit."""
    if any(word_count(column) > 1 for column in keys):
        return None
    key = combine([ordered(column) for column in keys])
    shift = row_bits(nrows)
    if key is None or key.bits + shift > WORD_BITS:
        return None
    return _sorted_runs(key, shift)


def _group_by_words(keys: Sequence[Column], nrows: int) -> SortedGroups:
    """Sort the rows by all words, then compare neighbours."""
    rows = argsort(keys, [True] * len(keys))
    begins = full_array(nrows, False, np.bool_)
    begins[:1] = True
    for column in keys:
        for number in range(word_count(column)):
            if begins.all():
                break
            codes = np.asarray(take_rows(word(column, number), rows))
            begins[1:] |= codes[1:] != codes[:-1]
    return SortedGroups(rows, np.flatnonzero(begins), nrows)


def _sorted_runs(key: Key, shift: int) -> SortedGroups:
    packed = pack_words(key, shift)
    sort_words(packed, shift)
    rows = unpack_rows(packed, shift)
    if shift == WORD_BITS:  # pragma: no cover - no memory holds so many rows
        raise AssertionError("row numbers leave no bits for keys")
    codes = np.right_shift(packed, np.uint64(shift), out=packed)
    return SortedGroups(rows, boundaries(codes), len(codes))


def boundaries(codes: Words) -> NumberArray:
    """Return the first position of each run of equal codes."""
    if not len(codes):
        return np.zeros(0, np.int64)
    begins = np.empty(len(codes), np.bool_)
    begins[0] = True
    np.not_equal(codes[1:], codes[:-1], out=begins[1:])
    return np.flatnonzero(begins)


# ---------------------------------------------------------------------------------------------------- slices


class RadixSlices:
    """The slice of each row; slices have ascending ranges of keys, and rows of a slice keep their order.

    Parameters
    ----------
    numbers : ndarray of uint16
        The slice of each row.
    count : int
        Number of slices.
    """

    def __init__(self, numbers: npt.NDArray[np.uint16], count: int) -> None:
        self._numbers = numbers
        self.bounds = np.zeros(count + 1, np.int64)
        """The first position of each slice, and the end of the last."""
        np.cumsum(count_codes(numbers, count), out=self.bounds[1:])

    @classmethod
    def of(cls, keys: Sequence[Column]) -> Self | None:
        """Return the slices of rows by their keys; None if the first key is not one word, or rows are few."""
        nrows = len(keys[0])
        wanted = min((nrows // tuning.SLICE_ROWS).bit_length(), tuning.MOST_SLICE_BITS)
        if wanted < 2:
            return None
        spans, bits = _leading_spans(keys)
        if bits <= wanted:
            return None
        numbers = new_array(nrows, np.uint16)
        for start in range(0, nrows, tuning.BLOCK_ROWS):
            stop = min(start + tuning.BLOCK_ROWS, nrows)
            numbers[start:stop] = _leading_bits(keys[: len(spans)], spans, start, stop, wanted)
        return cls(numbers, 2**wanted)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._numbers.nbytes + self.bounds.nbytes

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        partitioned = [self.partitioned(column) for column in columns]
        bounds = pairwise(self.bounds.tolist())
        return [[slice_rows(column, start, stop) for column in partitioned] for start, stop in bounds if stop > start]

    def rows(self, number: int) -> NumberArray:
        """Return the rows of a slice."""
        return np.flatnonzero(self._numbers == number)

    def partitioned(self, column: Column) -> Column:
        """Return a column with its rows in the order of the slices."""
        if not isinstance(column, np.ndarray):
            return take_rows(column, np.asarray(self.partitioned(np.arange(len(column)))))
        target, same_size = new_array(len(column), column.dtype), f"u{column.itemsize}"
        values = np.ascontiguousarray(column).view(same_size)
        loops.partition(self._numbers, self.bounds[:-1].copy(), values, target.view(same_size))
        return target


class SortedSlices:
    """Key ranges of several sorted runs of rows; the rows of a range are slices of all runs.

    Parameters
    ----------
    bounds : ndarray of int64, shape (runs, slices + 1)
        Bounds of the slices in each run.
    """

    def __init__(self, bounds: NumberArray) -> None:
        self._bounds = bounds

    @classmethod
    def of(cls, key: NumberArray, lengths: Sequence[int]) -> Self | None:
        """Return ranges of concatenated runs of the given lengths, by their first key; None if rows are few."""
        count = len(key) // tuning.SLICE_ROWS
        if count < 2:
            return None
        bounds = [0, *np.cumsum(lengths).tolist()]
        runs = [key[start:stop] for start, stop in pairwise(bounds)]
        longest = max(runs, key=len)
        splitters = longest[np.linspace(0, len(longest), count, endpoint=False).astype(np.int64)[1:]]
        inner = [np.searchsorted(run, splitters) for run in runs]
        return cls(
            np.array([[a, *(a + found), b] for (a, b), found in zip(pairwise(bounds), inner, strict=True)], np.int64)
        )

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._bounds.nbytes

    def slices(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns of each slice that has rows."""
        ranges = zip(self._bounds[:, :-1].T.tolist(), self._bounds[:, 1:].T.tolist(), strict=True)
        used = [[(start, stop) for start, stop in zip(*both, strict=True) if stop > start] for both in ranges]
        return [
            [concat_rows([slice_rows(column, start, stop) for start, stop in slices]) for column in columns]
            for slices in used
            if slices
        ]


def _leading_spans(keys: Sequence[Column]) -> tuple[list[tuple[int, int]], int]:
    """Return the smallest and largest words of the leading keys that fit one word, and their bits."""
    spans, bits = [], 0
    for key in keys:
        found = span(key)
        if found is None or bits + (found[1] - found[0]).bit_length() > WORD_BITS:
            break
        spans.append(found)
        bits += (found[1] - found[0]).bit_length()
    return spans, bits


def _leading_bits(
    keys: Sequence[Column], spans: Sequence[tuple[int, int]], start: int, stop: int, wanted: int
) -> NumberArray:
    """Return the slice of each row of a block."""
    parts = [
        Key(word(slice_rows(key, start, stop), 0), low, (high - low).bit_length())
        for key, (low, high) in zip(keys, spans, strict=True)
    ]
    key = combine(parts)
    assert key is not None, "keys that do not fit one word are not partitioned"
    return np.right_shift(key.codes, np.uint64(key.bits - wanted), out=key.codes)


Reduce: TypeAlias = Callable[[RowGroups, Sequence[Column]], list[GroupState]]
"""Makes the states of reductions of some rows."""


@record
class GroupedSlice:
    """Some of the rows by group.

    Parameters
    ----------
    groups : SortedGroups or GroupCodes
        The groups.
    slots : ndarray of int64 or None
        The numbers of groups with rows; None if all have rows.
    nbytes : int
        Bytes that they occupy.
    """

    groups: SortedGroups | GroupCodes
    slots: NumberArray | None
    nbytes: int

    @property
    def count(self) -> int:
        """The number of groups with rows."""
        return self.groups.count if self.slots is None else len(self.slots)

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups with rows."""
        states = reduce(self.groups, values)
        self.groups.forget_values()
        if self.slots is None or len(self.slots) == self.groups.count:
            return states
        return [tuple(take_rows(column, self.slots) for column in state) for state in states]


class Grouping:
    """Rows grouped by key; many rows are cut into slices that fit the processor's cache.

    Parameters
    ----------
    keys : sequence of columns, or of encoded strings
        At least one, the first the most significant.
    runs : sequence of int, optional
        Lengths of runs of rows that are sorted by key, if known.
    """

    kind: ClassVar[str] = "sorted"

    def __init__(self, keys: Sequence[Column | EncodedStrings], runs: Sequence[int] | None = None) -> None:
        self.nrows = len(keys[0])
        numbered = DictionaryColumns(keys)
        self._division = _division(numbered.columns, runs)
        self._slices: list[GroupedSlice] = []
        unique: list[Sequence[NumberArray]] = []
        # Allocated at once; for each slice it would be new memory, which the system has to clear.
        codes = new_array(self.nrows, np.int32)
        for numbers in self._divided(numbered.columns):
            grouped, found = _grouped(numbers, codes)
            codes = codes[len(numbers[0]) :]
            self._slices.append(grouped)
            unique.append(found)
        self.keys = numbered.restored([concat_rows(columns) for columns in zip(*unique, strict=True)])
        """The keys of the groups, ascending."""
        parts = [self._division, *self._slices]
        self.nbytes = sum(part.nbytes for part in parts if part is not None) + sum(map(nbytes, self.keys))
        """Bytes that it takes."""

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups for columns on the same rows as the keys."""
        if self._division is None:
            return self._slices[0].reduce(reduce, values)
        output, widths = TableBuilder(len(self.keys[0])), []
        for item, columns in zip(self._slices, self._divided(values), strict=True):
            states = item.reduce(reduce, columns)
            widths = [len(state) for state in states]
            output.add(Table(dict(enumerate(chain.from_iterable(states))), item.count))
        joined = iter(output.table().columns.values())
        return [tuple(islice(joined, width)) for width in widths]

    def _divided(self, columns: Sequence[Column]) -> list[Sequence[Column]]:
        return [columns] if self._division is None else list(self._division.slices(columns))


class HashedGrouping:
    """Rows grouped by the hash of some keys, and by other keys.

    Groups are in the order of the hashes, and of the other keys. Keys are compared with those of the first row of their
    group. In the rare case that different keys have one hash, rows are grouped by the keys as well.

    Parameters
    ----------
    hashes : ndarray of uint64
        The hash of each row.
    keys : sequence of columns
        All keys, the hashed ones first.
    count : int
        Number of hashed keys.
    runs : sequence of int, optional
        Lengths of runs of rows that are sorted, if known.
    """

    kind: ClassVar[str] = "hashed"

    def __init__(self, hashes: Words, keys: Sequence[Column], count: int, runs: Sequence[int] | None = None) -> None:
        hashed, others = keys[:count], keys[count:]
        if _repeat([hashes]):
            # Numbers of hashes leave more bits of a word to the other keys.
            numbers, firsts = ranked_words([hashes])
            self._grouping = Grouping([numbers, *others], runs)
            (ranks, *last) = self._grouping.keys
            of_groups, of_rows = firsts.take(ranks), firsts.take(numbers)
        else:
            self._grouping = Grouping([hashes, *others], runs)
            (_, *last) = self._grouping.keys
            of_groups, of_rows = self._first_rows(len(hashes))
        if are_same_keys(hashed, of_rows):
            self.hashes: Words = hashes.take(of_groups)
            """The hash of each group, ascending."""
            self.keys = [take_rows(key, of_groups) for key in hashed] + last
            """The keys of the groups."""
        else:
            self._grouping = Grouping([hashes, *keys])
            found, *self.keys = self._grouping.keys
            self.hashes = np.asarray(found)
        self.nbytes = self._grouping.nbytes + self.hashes.nbytes + sum(map(nbytes, self.keys))
        """Bytes that it takes."""

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups for columns on the same rows as the keys."""
        return self._grouping.reduce(reduce, values)

    def _first_rows(self, nrows: int) -> tuple[NumberArray, NumberArray]:
        """Return the first row of each group, and of the group of each row."""
        of_rows = new_array(nrows, np.int64)

        def first_of(groups: RowGroups, columns: Sequence[Column]) -> list[GroupState]:
            (rows,) = map(np.asarray, columns)
            firsts = groups.reduce(np.minimum, rows)
            of_rows[rows] = groups.spread(firsts)
            return [(firsts,)]

        ((of_groups,),) = self._grouping.reduce(first_of, [np.arange(nrows)])
        return np.asarray(of_groups), of_rows


def _division(keys: Sequence[NumberArray], runs: Sequence[int] | None) -> RadixSlices | SortedSlices | None:
    """Return how rows are cut into slices; None if the slots or rows fit the cache already."""
    if runs is not None:
        return SortedSlices.of(keys[0], runs)
    few = len(keys[0]) and SlotGrid.within(keys, min(tuning.FEW_SLOTS, tuning.SLOTS_PER_ROW * len(keys[0]))) is not None
    return None if few else RadixSlices.of(keys)


def _grouped(keys: Sequence[NumberArray], buffer: npt.NDArray[np.int32]) -> tuple[GroupedSlice, Sequence[NumberArray]]:
    """Return some rows by group, and the keys; only keys of a large span are sorted, since numbering slots is faster.

    The group numbers may be written to `buffer`, and stay there.
    """
    grid = SlotGrid.within(keys, tuning.SLOTS_PER_ROW * len(keys[0])) if len(keys[0]) else None
    if grid is not None:
        codes = GroupCodes(grid.codes(keys), grid.nslots)
        slots = np.flatnonzero(codes.sizes())
        size = codes.codes.nbytes + codes.sizes().nbytes + slots.nbytes
        return GroupedSlice(codes, slots, size), grid.keys(slots, [key.dtype for key in keys])
    if len(keys[0]) < MAX_PACKED_ROWS:
        codes, firsts = number_rows(keys, buffer[: len(keys[0])])
        # Sizes are counted when they are first used.
        nbytes_with_sizes = codes.codes.nbytes + np.dtype(np.int64).itemsize * codes.count
        return GroupedSlice(codes, None, nbytes_with_sizes), [key.take(firsts) for key in keys]
    runs = group_rows(keys)
    assert runs.permutation is not None, "rows were grouped by sorting"
    firsts = runs.firsts()
    return GroupedSlice(runs, None, runs.permutation.nbytes + runs.segments.nbytes), [key.take(firsts) for key in keys]
