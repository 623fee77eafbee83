"""Rows grouped by key, in the order of the keys, for any number of reductions.

Row groups have three forms with one interface, so that every grouped reduction is written once. Rows are sorted by key
(`SortedGroups`), numbered by key without sorting (`GroupCodes`), or stacked from several tables of the same groups
(`StackedGroups`). A `Grouping` cuts many rows into slices that fit the processor's cache, and groups each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial, reduce
from itertools import islice
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import numpy_numbers
from akdask.columns.memory import full_array, new_array, scratch
from akdask.columns.table import by_column, nbytes, of_arrow, slice_rows, take_rows
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.reduction import GroupState, RowGroups
from akdask.interruption import interruptible_ranges
from akdask.operators.group import loops, tuning
from akdask.operators.keys.hashing import are_same_keys, hash_rows
from akdask.operators.keys.keys import (
    WORD_BITS,
    Key,
    SlotGrid,
    Words,
    combine,
    from_word,
    from_words,
    lead,
    least_and_most,
    ordered,
    pack_words,
    row_bits,
    sort_words,
    unpack_rows,
    word,
    word_count,
)
from akdask.operators.keys.string_codes import EncodedStrings, StringEncoder, strings_of
from akdask.operators.keys.tables import TextTable, number_words
from akdask.operators.sort.kernels import MAX_PACKED_ROWS, argsort, argsort_packed
from akdask.records import record
from akdask.typing import Column, NumberArray

_NO_WORDS: Words = np.empty(0, np.uint64)


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


def _repeats(strings: pa.LargeStringArray) -> bool:
    """Whether a sample shows that some strings come several times."""
    size, different = _sampled(strings)
    return different <= size * tuning.MOST_DISTINCT


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
    groups, firsts = number_rows(words)
    return groups.codes.astype(np.int64), firsts


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
    size, different = _sampled(values)
    # So many would be distinct if all values were equally frequent.
    return different > most * -math.expm1(-size / most)


def _sampled(values: Any) -> tuple[int, int]:
    """Return how many strings or words a sample has, and how many of them differ."""
    some = slice_rows(values, 0, len(values), max(len(values) // tuning.DICTIONARY_SAMPLE, 1))
    if isinstance(some, np.ndarray):
        return len(some), len(np.unique(some))
    table = TextTable()
    table.numbers(some, len(some))
    return len(some), table.count


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


def number_rows(keys: Sequence[NumberArray]) -> tuple[GroupCodes, NumberArray]:
    """Assign numbers to rows in the order of their keys, and find the first row of each key.

    This is faster than making the values of each group adjacent.

    Parameters
    ----------
    keys : sequence of ndarray
        At least one, of fewer than 2 ** 31 rows.
    """
    words = KeyWords.of(keys)
    slices = RadixSlices.of(words.leading)
    if slices is None:
        return words.number(np.array([0, len(words.leading)]))
    groups, firsts = words.partitioned(slices).number(slices.bounds)
    rows, codes = slices.rows(), new_array(len(words.leading), np.int32)
    codes[rows] = groups.codes
    return GroupCodes(codes, groups.count), rows.take(firsts)


@record
class KeyWords:
    """A word for each row, in the order of its key, and a further one where keys do not fit a word.

    Parameters
    ----------
    leading : ndarray of uint64
        As many leading bits of the key as there is room for.
    rest : ndarray of uint64
        All bits of the columns behind the first; empty where words have all bits of the keys.
    """

    leading: Words
    rest: Words = _NO_WORDS

    @classmethod
    def of(cls, keys: Sequence[NumberArray]) -> Self:
        """Return the words of rows by their keys, at least one.

        Examples
        --------
        >>> KeyWords.of([np.array([1, 0, 0]), np.array([5, 9, 6])]).leading.tolist()
        [8, 4, 1]
        """
        if len(keys) == 1:
            return cls(np.ascontiguousarray(keys[0]) if keys[0].dtype == np.uint64 else word(keys[0], 0))
        words = list(map(ordered, keys))
        found = combine(words)
        if found is not None:
            return cls(found.codes)
        return cls(lead(words), reduce(_combined, words[1:]).codes)

    def partitioned(self, slices: RadixSlices) -> KeyWords:
        """Return the words in the order of slices."""
        return KeyWords(
            slices.partitioned(self.leading), slices.partitioned(self.rest) if len(self.rest) else self.rest
        )

    def exact(self, keys: Sequence[NumberArray]) -> list[Words | None]:
        """Return for each key the words that have all its bits and nothing else, None if there are none."""
        (*others, last), words = keys, self.rest if len(self.rest) else self.leading
        is_last = len(others) <= (len(self.rest) > 0) and last.dtype.kind in "iu"
        return [*(None for _ in others), words if is_last else None]

    def number(self, bounds: NumberArray, codes: npt.NDArray[np.int32] | None = None) -> tuple[GroupCodes, NumberArray]:
        """Assign numbers to rows that are cut into slices with ascending ranges of words.

        Parameters
        ----------
        bounds : ndarray of int64
            The first position of each slice, and the end of the last.
        codes : ndarray of int32, optional
            Memory for the numbers.

        Returns
        -------
        groups : GroupCodes
            In the order of the keys.
        firsts : ndarray of int64
            The first row of each.
        """
        nrows = len(self.leading)
        codes = new_array(nrows, np.int32) if codes is None else codes[:nrows]
        firsts = new_array(nrows, np.int64)
        memory = scratch(8 * (4 * int(np.diff(bounds).max()) + 64)).view(np.uint64)
        count = 0
        for start, stop in interruptible_ranges(bounds[1:]):
            count = loops.rank_slices(self.leading, self.rest, bounds[start : stop + 1], count, codes, firsts, memory)
        return GroupCodes(codes, count), firsts[:count]


def _combined(first: Key, second: Key) -> Key:
    """Return one key of two, of which the wider one is ranked first if they do not fit a word."""
    both = [first, second]
    for place in sorted(range(2), key=lambda number: -both[number].bits):
        found = combine(both)
        if found is not None:
            return found
        both[place] = Key.of(ranked_words([both[place].codes])[0].view(np.uint64))
    found = combine(both)
    assert found is not None, "ranks have less than 32 bits each"
    return found


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
    """The slice of each row, by the leading bits of its key.

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
    def of(cls, words: Words) -> Self | None:
        """Return the slices of rows by their words; None if rows are few, or a table of all words fits the cache."""
        if len(words) < tuning.FEWEST_SLICED_ROWS:
            return None
        wanted = min((len(words) // tuning.SLICE_ROWS).bit_length(), tuning.MOST_SLICE_BITS)
        low, high = least_and_most(words)
        shift = (high - low).bit_length() - wanted
        if shift <= 0 or high - low < tuning.FEW_SLOTS:
            return None
        numbers, first = new_array(len(words), np.uint16), low >> shift
        loops.lead(words, shift, first, numbers)
        return cls(numbers, (high >> shift) - first + 1)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._numbers.nbytes + self.bounds.nbytes

    def rows(self) -> NumberArray:
        """Return the numbers of the rows in the order of the slices."""
        rows: NumberArray = self.partitioned(np.arange(len(self._numbers)))
        return rows

    def rows_of(self, number: int) -> NumberArray:
        """Return the rows of a slice."""
        return np.flatnonzero(self._numbers == number)

    def partitioned(self, column: Any) -> Any:
        """Return a column with its rows in the order of the slices; rows of a slice keep their order."""
        if not isinstance(column, np.ndarray):
            return take_rows(column, self.rows())
        target, same_size = new_array(len(column), column.dtype), f"u{column.itemsize}"
        values = np.ascontiguousarray(column).view(same_size)
        loops.partition(self._numbers, self.bounds[:-1].copy(), values, target.view(same_size))
        return target


Reduce: TypeAlias = Callable[[RowGroups, Sequence[Column]], list[GroupState]]
"""Makes the states of reductions of some rows."""


class Grouping:
    """Rows grouped by key; many rows are cut into slices that fit the processor's cache.

    Parameters
    ----------
    keys : sequence of columns, or of encoded strings
        At least one, the first the most significant.
    """

    kind: ClassVar[str] = "sorted"

    def __init__(self, keys: Sequence[Column | EncodedStrings]) -> None:
        self.nrows = len(keys[0])
        numbered = DictionaryColumns(keys)
        self._slices: RadixSlices | None = None
        self._slots: NumberArray | None = None
        self._groups: SortedGroups | GroupCodes
        found = (
            self._in_slots(numbered.columns) or self._in_slices(numbered.columns) or self._by_sorting(numbered.columns)
        )
        self.keys = numbered.restored(found)
        """The keys of the groups, ascending."""

    def _in_slots(self, keys: Sequence[NumberArray]) -> list[NumberArray] | None:
        """Assign numbers by few combinations of close keys, some of which may have no rows; None if there are many."""
        most = min(tuning.FEW_SLOTS, tuning.SLOTS_PER_ROW * self.nrows)
        grid = SlotGrid.within(keys, most) if self.nrows else None
        if grid is None:
            return None
        self._groups = GroupCodes(grid.codes(keys), grid.nslots)
        self._slots = np.flatnonzero(self._groups.sizes())
        return grid.keys(self._slots, [key.dtype for key in keys])

    def _in_slices(self, keys: Sequence[NumberArray]) -> list[NumberArray] | None:
        """Assign numbers to the rows of each slice; None for too many rows."""
        if self.nrows >= MAX_PACKED_ROWS:
            return None
        words = KeyWords.of(keys)
        self._slices = slices = RadixSlices.of(words.leading)
        if slices is None:
            self._groups, firsts = words.number(np.array([0, self.nrows]))
            return [key.take(firsts) for key in keys]
        words = words.partitioned(slices)
        self._groups, firsts = words.number(slices.bounds)
        # Few rows that lie far from each other take longer than all rows in their order.
        return [
            slices.partitioned(key).take(firsts) if exact is None else from_word(exact.take(firsts), key.dtype)
            for key, exact in zip(keys, words.exact(keys), strict=True)
        ]

    def _by_sorting(self, keys: Sequence[NumberArray]) -> list[NumberArray]:
        self._groups = group_rows(keys)
        firsts = self._groups.firsts()
        return [key.take(firsts) for key in keys]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        groups, slots = self._groups, self._slots
        arrays = [groups.codes] if isinstance(groups, GroupCodes) else [groups.permutation, groups.segments]
        # Sizes are counted when they are first used.
        sizes = np.dtype(np.int64).itemsize * groups.count
        return (
            sum(array.nbytes for array in (*arrays, slots, self._slices) if array is not None)
            + sizes
            + sum(map(nbytes, self.keys))
        )

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups for columns on the same rows as the keys."""
        if self._slices is not None:
            values = [self._slices.partitioned(column) for column in values]
        states = reduce(self._groups, values)
        self._groups.forget_values()
        slots = self._slots
        if slots is None or len(slots) == self._groups.count:
            return states
        return [tuple(take_rows(column, slots) for column in state) for state in states]


class HashedGrouping:
    """Rows grouped by the hash of some keys, and by other keys.

    Groups are in the order of the hashes, and of the other keys.

    Parameters
    ----------
    grouping : Grouping
        The groups.
    hashes : ndarray of uint64
        The hash of each of them.
    keys : sequence of columns
        Their keys, the hashed ones first.
    order : ndarray of int64, optional
        Their positions in order; they are in order unless it is given.
    """

    kind: ClassVar[str] = "hashed"

    def __init__(
        self, grouping: Grouping, hashes: Words, keys: Sequence[Column], order: NumberArray | None = None
    ) -> None:
        self._grouping, self._order = grouping, order
        self.hashes: Words = hashes if order is None else hashes.take(order)
        """The hash of each group, ascending."""
        self.keys = list(self._ordered(keys))
        """The keys of the groups."""
        self.nbytes = grouping.nbytes + 2 * self.hashes.nbytes + sum(map(nbytes, self.keys))
        """Bytes that it takes, about."""

    def _ordered(self, columns: Sequence[Column]) -> Sequence[Column]:
        return columns if self._order is None else [take_rows(column, self._order) for column in columns]

    @classmethod
    def of_rows(cls, keys: Sequence[Column], count: int) -> Self:
        """Return the groups of rows by their keys, of which the first ones are to be hashed."""
        if not any(is_arrow(key, "LargeStringArray") and _repeats(key) for key in keys[:count]):
            return cls.of_hashes(hash_rows(keys[:count]), keys, count)
        numbered = NumberedText(keys[:count])
        grouping = Grouping([*numbered.columns, *keys[count:]])
        hashed = numbered.restored(grouping.keys[:count])
        hashes = hash_rows(hashed)
        # Groups of one hash are in the order of their keys.
        return cls(grouping, hashes, [*hashed, *grouping.keys[count:]], argsort([hashes], [True]))

    @classmethod
    def of_hashes(cls, hashes: Words, keys: Sequence[Column], count: int) -> Self:
        """Return the groups of rows by their hashes, and the keys behind the hashed ones.

        Keys are compared with those of the first row of their group. In the rare case that different keys have one
        hash, rows are grouped by the keys as well.
        """
        grouping = Grouping([hashes, *keys[count:]])
        of_rows = new_array(len(hashes), np.int64)

        def first_of(groups: RowGroups, columns: Sequence[Column]) -> list[GroupState]:
            (rows,) = map(np.asarray, columns)
            firsts = groups.reduce(np.minimum, rows)
            of_rows[rows] = groups.spread(firsts)
            return [(firsts,)]

        ((of_groups,),) = grouping.reduce(first_of, [np.arange(len(hashes))])
        found, *others = grouping.keys
        if are_same_keys(keys[:count], of_rows):
            return cls(grouping, np.asarray(found), [*(take_rows(key, of_groups) for key in keys[:count]), *others])
        grouping = Grouping([hashes, *keys])
        return cls(grouping, np.asarray(grouping.keys[0]), grouping.keys[1:])

    def reduce(self, reduce: Reduce, values: Sequence[Column]) -> list[GroupState]:
        """Return the states of the groups for columns on the same rows as the keys."""
        return [tuple(self._ordered(state)) for state in self._grouping.reduce(reduce, values)]


class NumberedText:
    """Columns with numbers in place of strings, in the order in which these were met.

    Parameters
    ----------
    columns : sequence of columns
        Those of other types stay unchanged.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._tables = [TextTable() if is_arrow(column, "LargeStringArray") else None for column in columns]
        self.columns = [
            column if table is None else table.numbers(column, len(column))
            for column, table in zip(columns, self._tables, strict=True)
        ]

    def restored(self, columns: Sequence[Column]) -> list[Column]:
        """Return rows of the numbers as the values that they stand for."""
        return [
            column if table is None else take_rows(table.strings(), np.asarray(column))
            for column, table in zip(columns, self._tables, strict=True)
        ]
