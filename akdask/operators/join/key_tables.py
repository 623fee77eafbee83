"""Key tables: find the rows of a table with given keys, or whether there is one.

Integers of a small range are looked up directly, by their distance from the smallest. Keys whose ranges leave room for
a row number are looked up in a hash table of words that hold both, which takes half the memory of the tables that all
operators share. All other keys are looked up in these.

A hash table with open addressing is a sorted array of words with gaps. The slot of a word is given by its leading bits,
or is the first free one after that, so that the stored words ascend: a word takes the place of the first one that is
larger, which moves on. A search goes on from the slot of its word while it meets smaller words, which is rare.

An index finds the first row with given keys. `MatchMultiplicity` pairs it with all rows that have the same keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, Protocol

import numpy as np

from akdask.columns.bigint import to_ints
from akdask.columns.exact import compare, is_mixed
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Sized, concat_rows, take_rows
from akdask.deferred import is_arrow, pa
from akdask.errors import NonUniqueError
from akdask.operators.group.grouping import group_rows
from akdask.operators.join import loops, tuning
from akdask.operators.keys import hashing
from akdask.operators.keys.keys import (
    LAST,
    VACANT,
    WORD_BITS,
    SlotGrid,
    Words,
    span,
    word,
)
from akdask.operators.keys.tables import KeyTable, TextTable, made_in_parts
from akdask.typing import Column, NumberArray

EMPTY = -1
"""The row number for no match."""

Inserted = tuple[int, int, NumberArray, NumberArray]
"""Of words that were put in a table: the slot after the last, the largest distance from a word's first slot, the rows
with repeated keys, and the rows for which a part of the table had no place."""

NO_ROWS: NumberArray = np.empty(0, np.int64)

CELL_SLOTS = 32
"""Slots of a cell, a word that has a bit for each, and above these how many are set in the cells before."""


class OpenAddressingTable:
    """Layout of a table of words: `bits` leading bits give the slot of a word, and `shift` bits follow."""

    def __init__(self, nrows: int) -> None:
        self.bits = max((tuning.HASH_SLOTS_PER_ROW * nrows).bit_length(), 1)
        self.shift = WORD_BITS - self.bits
        self._size = 1 << self.bits

    def vacant(self, nrows: int) -> Words:
        """Return a table without words, with room for so many slots that may overflow at the end."""
        return full_array(self._size + nrows + 1, VACANT, VACANT.dtype)

    def unfilled(self, nrows: int) -> Words:
        """Return memory for such a table."""
        slots: Words = new_array(self._size + nrows + 1, VACANT.dtype)
        return slots

    def end(self, filled: int) -> int:
        """Return the slot after all that searches read, given the one after all that are filled."""
        return max(self._size, filled) + 1


def packable_spans(keys: Sequence[Column]) -> list[tuple[int, int]] | None:
    """Return the ranges of the words of all keys; None if they leave no room for a row number in one word."""
    nrows = len(keys[0])
    spans = [found for key in keys if (found := span(key)) is not None]
    dropped_bits = nrows.bit_length() + _span_bits(spans) - WORD_BITS
    fits = dropped_bits <= 0 or OpenAddressingTable(nrows).bits - dropped_bits >= tuning.TELLING_BITS
    return spans if fits and len(spans) == len(keys) else None


def _span_bits(spans: Sequence[tuple[int, int]]) -> int:
    return sum((high - low).bit_length() for low, high in spans)


class PackedIndex(Sized):
    """Words of key and row number, for keys whose ranges leave room for one.

    A slot is half as wide as in the tables that all operators share, which ask memory ahead in the same way. A row is
    found among 10 thousand, 1 million and 5 million in 4.6, 5.8 and 7.5 ns of CPU time, there in 5.7, 7.5 and 10.2; the
    tables of the latter two are made in 12 and 66 ms, there in 17 and 103.

    A tag is a well mixed key; different keys have different tags. If a row number takes more bits than a tag has to
    spare, leading bits of the tag are dropped, since the slot of the word gives them.
    """

    def __init__(self, keys: Sequence[Column], spans: Sequence[tuple[int, int]]) -> None:
        nrows = len(keys[0])
        self._keys = list(keys)
        self._spans = spans
        self._nrows = nrows
        self._spare = min(nrows.bit_length(), WORD_BITS - _span_bits(spans))
        self._dropped_bits = nrows.bit_length() - self._spare
        self._layout = OpenAddressingTable(nrows)
        self._slots, furthest, self._later = self._inserted()
        self.is_sound = furthest < 1 << (self._layout.bits - self._dropped_bits - 1)
        """Whether the remaining bits order any two words, as they do for words in neighbouring slots."""

    def _inserted(self) -> tuple[Words, int, NumberArray]:
        """Return the table, the largest distance of a word from its first slot, and the rows with repeated keys."""
        words, low, _ = self._words_in_range(self._keys)
        table = self._layout.unfilled(len(words))
        found = made_in_parts(partial(self._insert, words, low, table), len(words), 1 << self._layout.bits)
        beyond = np.concatenate([rows for *_, rows in found])
        if len(beyond):
            found.append(self._put(words.take(beyond), beyond, low, (0, 1), table))
        filled, furthest, later, _ = zip(*found, strict=True)
        return table[: self._layout.end(max(filled))], max(furthest), np.concatenate(later)

    def _insert(self, words: Words, low: int, table: Words, part: int, parts: int) -> Inserted:
        """Put words of a part of the table there."""
        size = (1 << self._layout.bits) // parts
        table[part * size : None if part + 1 == parts else (part + 1) * size] = VACANT
        return self._put(words, NO_ROWS, low, (part, parts), table)

    def _put(self, words: Words, rows: NumberArray, low: int, part: tuple[int, int], table: Words) -> Inserted:
        # Memory that is not used costs nothing.
        later, beyond = new_array(len(words), np.int64), new_array(len(words), np.int64)
        filled, furthest, repeated, left = loops.insert_packed(
            words, rows, low, self._spare, self._dropped_bits, self._layout.shift, *part, table, later, beyond
        )
        return filled, furthest, later[:repeated].copy(), beyond[:left].copy()

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._later)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        words, low, width = self._words_in_range(keys)
        loops.find_packed(
            words,
            low,
            width,
            self._spare,
            self._dropped_bits,
            self._layout.shift,
            self._nrows,
            self._slots,
            found.view(np.uint64),
        )
        return found

    def _words_in_range(self, keys: Sequence[Column]) -> tuple[Words, int, int]:
        """Return one word for the keys of each row, the lowest word of the table, and the distance to its highest."""
        if len(keys) == 1:
            low, high = self._spans[0]
            return word(keys[0], 0), low, high - low
        distances, outside = self._distances(keys)
        if outside is not None:
            distances[outside] = LAST
        return distances, 0, (1 << _span_bits(self._spans)) - 1

    def _distances(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return the distances of keys from the lowest ones in one word, and the mask of keys outside the ranges."""
        distances, outside = None, None
        for key, (low, high) in zip(keys, self._spans, strict=True):
            distance = word(key, 0)
            distance -= np.uint64(low)
            beyond = distance > np.uint64(high - low)
            if beyond.any():
                outside = beyond if outside is None else outside | beyond
            if distances is None:
                distances = distance
            else:
                distances <<= np.uint64((high - low).bit_length())
                distances |= distance
        assert distances is not None, "an index has keys"
        return distances, outside


def _firsts(index: PackedIndex, keys: Sequence[Column], unsure: NumberArray) -> NumberArray | None:
    """Return the first row with each row's keys, given candidates that may not be first themselves."""
    if not len(unsure):
        return None
    firsts = np.arange(len(keys[0]))
    firsts[unsure] = index.find([take_rows(key, unsure) for key in keys])
    return None if bool((firsts[unsure] == unsure).all()) else firsts


class KeyIndex(Protocol):
    """The keys of a table, in which the keys of other rows are looked up."""

    @property
    def firsts(self) -> NumberArray | None:
        """For each row of the table, the first row with the same keys; None if all keys differ."""
        ...

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the first row of the table with the keys of each row, as int64; -1 without one."""
        ...


def index_keys(keys: Sequence[Column]) -> KeyIndex:
    """Return the index of a table's keys.

    Parameters
    ----------
    keys : sequence of columns
        At least one.  ``-0.0`` equals ``0.0``, and NaN equals NaN.

    Examples
    --------
    >>> index = index_keys([np.array([7, 5, 7])])
    >>> index.firsts.tolist(), index.find([np.array([5, 6, 7])]).tolist()
    ([0, 1, 0], [1, -1, 0])
    """
    if any(is_arrow(key, "FixedSizeBinaryArray") for key in keys):
        return GroupingIndex(keys)
    if len(keys) == 1 and is_arrow(keys[0], "Array") and len(keys[0]) <= tuning.FEW_STRINGS:
        return StringIndex(keys)
    grid = direct_grid(keys)
    if grid is not None:
        is_close = grid.nslots <= max(tuning.SLOTS_PER_ROW * len(keys[0]), tuning.MIN_SLOTS)
        return DirectIndex(keys, grid) if is_close else RankedIndex(keys, grid)
    spans = packable_spans(keys)
    packed = None if spans is None else PackedIndex(keys, spans)
    return packed if packed is not None and packed.is_sound else KeyTable(keys)


def repeated_key(keys: Sequence[Column], firsts: NumberArray) -> tuple[int, str]:
    """Return the first row whose keys repeat those of an earlier row, and these keys in words."""
    again = int(np.argmax(firsts != np.arange(len(firsts))))
    return again, ", ".join(str(key[again]) for key in keys)


def check_distinct(keys: Sequence[Column], index: KeyIndex) -> None:
    """Refuse repeated labels.

    Raises
    ------
    NonUniqueError
        If two rows have the same keys.
    """
    firsts = index.firsts
    if firsts is None:
        return
    _, shown = repeated_key(keys[:1], firsts)
    raise NonUniqueError(
        f"rows are brought to others by their labels, and the label {shown} comes twice.",
        hint="choose one row of each label first, such as by groupby or drop_duplicates.",
    )


def direct_grid(keys: Sequence[Column]) -> SlotGrid | None:
    """Return the grid that holds some rows, None if it is too large for their number."""
    nrows = len(keys[0])
    return (
        SlotGrid.within(keys, min(max(tuning.BITS_PER_ROW * nrows, tuning.MIN_BITS), tuning.MAX_SLOTS))
        if nrows
        else None
    )


class DirectIndex(Sized):
    """The first row in each cell of a grid, and one more cell for keys outside the grid."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        nrows = len(keys[0])
        rows = full_array(grid.nslots + 1, EMPTY, np.int32 if nrows < 2**31 else np.int64)
        words, low = grid.offset_codes(keys)
        loops.put_rows(words, low, rows)
        self._keys = list(keys)
        self._grid = grid
        self._rows = rows

    @property
    def firsts(self) -> NumberArray | None:
        if np.count_nonzero(self._rows != EMPTY) == len(self._keys[0]):
            return None
        return self.find(self._keys)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        words, low = self._grid.offset_codes(keys)
        loops.look_up_rows(words, low, self._grid.nslots, self._rows, found)
        return found


class RankedIndex(Sized):
    """The slots of a grid that have a key, and how many there are before each; rows of keys that are not in order.

    A slot takes 2 bits, so that many more slots than keys stay in the cache of a core.  1 M rows are looked up among
    57,000 keys of 6 million slots in 1.7 ms, or 3 ms if the keys are not in order, and in 6 ms in a `PackedIndex`.
    """

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        nrows = len(keys[0])
        self._ranks = full_array(grid.nslots // CELL_SLOTS + 1, 0, np.uint64)
        order = new_array(nrows, np.int32 if nrows < 2**31 else np.int64)
        words, low = grid.offset_codes(keys)
        self._count, is_in_order = loops.fill_cells(words, low, self._ranks, order)
        self._order = NO_ROWS if is_in_order else order
        self._keys = list(keys)
        self._grid = grid

    @property
    def firsts(self) -> NumberArray | None:
        return None if self._count == len(self._keys[0]) else self.find(self._keys)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        words, low = self._grid.offset_codes(keys)
        loops.look_up_cells(words, low, self._grid.nslots, self._ranks, self._order, found)
        return found


class StringIndex(Sized):
    """Strings, numbered in a table of their own, which tells most of them apart by their length and first words."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._table = TextTable()
        numbers = self._table.numbers(keys[0], len(keys[0]))
        assert numbers is not None, "there are no more strings than rows"
        self.firsts: NumberArray | None = None
        if self._table.count < len(numbers):
            self._rows = np.append(np.unique(numbers, return_index=True)[1], EMPTY)
            self.firsts = self._rows[numbers]

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        numbers = self._table.find(keys[0], out)
        return numbers if self.firsts is None else self._rows.take(numbers, out=out, mode="wrap")


class GroupingIndex(Sized):
    """Integers of any size, grouped together with the integers to find.

    Equal integers may have other widths in two columns, so that their bytes differ; in one column they do not.
    """

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)

    @property
    def firsts(self) -> NumberArray | None:
        rows = self.find(self._keys)
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        count = len(self._keys[0])
        runs = group_rows([concat_rows(columns) for columns in zip(self._keys, keys, strict=True)])
        firsts = runs.firsts()
        rows: NumberArray = runs.spread(np.where(firsts < count, firsts, EMPTY))[count:]
        if out is None:
            return rows
        out[...] = rows
        return out


class KeySet(Protocol):
    """The keys of a table, without their rows."""

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the mask of rows whose keys are in the table."""
        ...


def key_set(keys: Sequence[Column]) -> KeySet:
    """Return the set of a table's keys.

    Parameters
    ----------
    keys : sequence of columns
        At least one.  ``-0.0`` equals ``0.0``, and NaN equals NaN.

    Examples
    --------
    >>> key_set([np.array([7, 5])]).has([np.array([5, 6, 7])]).tolist()
    [True, False, True]
    """
    grid = direct_grid(keys)
    if grid is not None:
        return DirectSet(keys, grid)
    if hashing.is_exact(keys):
        return HashSet(keys)
    return IndexSet(index_keys(keys))


class DirectSet(Sized):
    """One bit for each cell of a grid, set if there is a key, and one more for keys outside the grid."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        self._grid = grid
        self._bits = full_array(grid.nslots // 8 + 1, 0, np.uint8)
        words, low = grid.offset_codes(keys)
        loops.mark(words, low, self._bits)

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        words, low = self._grid.offset_codes(keys)
        loops.look_up_bits(words, low, self._grid.nslots, self._bits, found)
        return found


class HashSet(Sized):
    """The hashes of single numbers, which are equal only for equal numbers.

    A row is found in 3.4, 5.0 and 6.7 ns where `PackedIndex` takes 4.6, 5.8 and 7.5, and the shared table more.
    """

    def __init__(self, keys: Sequence[Column]) -> None:
        hashes = hashing.hash_rows(keys)
        self._layout = OpenAddressingTable(len(hashes))
        table = self._layout.vacant(len(hashes))
        self._slots = table[: self._layout.end(loops.insert_hashes(hashes, self._layout.shift, table))]
        self._has_vacant = bool((hashes == VACANT).any())

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        loops.find_hashed(word(keys[0], 0), self._layout.shift, self._slots, self._has_vacant, found)
        return found


class IndexSet(Sized):
    """The keys that an index finds."""

    def __init__(self, index: KeyIndex) -> None:
        self._index = index

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        return np.not_equal(self._index.find(keys), EMPTY, out=out)


# ------------------------------------------------------------------------------------- all rows with the same keys


class MatchMultiplicity(Sized):
    """The rows of a table that have the same keys as a given row.

    Parameters
    ----------
    firsts : ndarray of int64 or None
        For each row of the table, the first row with the same keys; None where all keys differ.

    Examples
    --------
    >>> multiplicity = MatchMultiplicity(np.array([0, 1, 0]))
    >>> [(left.tolist(), right.tolist()) for left, right in multiplicity.pairs(np.array([1, -1, 0]), True, 10)]
    [([0, 1, 2, 2], [1, -1, 0, 2])]
    """

    def __init__(self, firsts: NumberArray | None) -> None:
        self._starts: NumberArray | None = None
        if firsts is not None:
            self._starts, self._order = np.empty(len(firsts) + 2, np.int64), np.empty(len(firsts), np.int64)
            loops.put_together(firsts, self._starts, self._order)

    def pairs(self, found: NumberArray, keep_all: bool, limit: int) -> Iterator[tuple[NumberArray | None, NumberArray]]:
        """Yield pairs of equal rows, at most `limit` at a time.

        Parameters
        ----------
        found : ndarray of int64
            For each row of the other table, the first row of this one with the same keys, -1 if there is none.
        keep_all : bool
            Whether rows without a match are paired with -1; otherwise they are left out.
        limit : int
            Largest number of pairs to yield at a time.

        Yields
        ------
        positions : ndarray of int64 or None
            Rows of the other table, ascending; None where they are all of them, each once.
        rows : ndarray of int64
            Rows of this one, ascending for each row of the other.
        """
        if self._starts is None:
            yield _first_matches(found, keep_all)
            return
        left = loops.count_pairs(found, self._starts, keep_all)
        row = before = 0
        while left:
            positions, rows = np.empty(min(left, limit), np.int64), np.empty(min(left, limit), np.int64)
            row, before, _ = loops.pair_up(found, self._starts, self._order, keep_all, row, before, positions, rows)
            left -= len(rows)
            yield positions, rows


def _first_matches(found: NumberArray, keep_all: bool) -> tuple[NumberArray | None, NumberArray]:
    if keep_all:
        return None, found
    positions, rows = np.empty(len(found) + 1, np.int64), np.empty(len(found) + 1, np.int64)
    count = loops.matched(found, positions, rows)
    return (None, found) if count == len(found) else (positions[:count], rows[:count])


# ---------------------------------------------------------------------------------------------------- sorted keys


Side = Literal["left", "right"]


class SortedKeys(Sized):
    """An ascending column, for binary searches.

    Examples
    --------
    >>> SortedKeys(np.array([1.5, 2.5, 2.5])).search(np.array([2.5, np.nan]), "left").tolist()
    [1, 3]
    """

    def __init__(self, column: Column) -> None:
        self._dtype = column.dtype if isinstance(column, np.ndarray) else None
        self._table = _comparable(column)

    def search(self, values: Column, side: Side, out: NumberArray | None = None) -> NumberArray:
        """Return the number of rows before each value, or up to it for side "right".

        Numbers may have another type than the column, and are compared exactly.
        """
        if self._dtype is not None and values.dtype != self._dtype and is_mixed(values, np.empty(0, self._dtype)):
            return self._search_others(values, side, out)
        wanted = _comparable(values)
        found = np.empty(len(wanted), np.int64) if out is None else out
        if wanted.dtype == np.uint64:
            loops.search_sorted(self._table, wanted, side == "right", found)
        else:
            found[...] = self._table.searchsorted(wanted, side)
        return found

    def _search_others(self, values: Column, side: Side, out: NumberArray | None) -> NumberArray:
        """Search for neighbouring numbers of the column's type: upwards if equal rows come after, else downwards."""
        assert self._dtype is not None
        if self._dtype.kind == "f":
            # Rounded integers, which the comparisons below put right.
            beside = values.astype(np.float64)
            if side == "left":
                nearest = np.where(compare(np.less, beside, values), np.nextafter(beside, np.inf), beside)
            else:
                nearest = np.where(compare(np.greater, beside, values), np.nextafter(beside, -np.inf), beside)
            return self.search(nearest, side, out)
        limits = np.iinfo(self._dtype)
        below = compare(np.less, values, self._dtype.type(limits.min))
        # NaN is after all numbers.
        above = ~compare(np.less_equal, values, self._dtype.type(limits.max))
        inside = np.where(below | above, values.dtype.type(0), values)
        if values.dtype.kind == "f":
            inside = np.ceil(inside) if side == "left" else np.floor(inside)
        found = self.search(inside.astype(self._dtype), side, out)
        found[below], found[above] = 0, len(self._table)
        return found


def _comparable(column: Column) -> NumberArray:
    """Return the column in a form that NumPy orders like rows: words of numbers, Python integers, or text."""
    if isinstance(column, np.ndarray):
        return word(column, 0)
    if is_arrow(column, "FixedSizeBinaryArray"):
        return np.array(to_ints(column), object)
    # Missing text too, whose byte comes after all text.
    return np.array(column.view(pa.large_binary()).to_pylist(), dtype=bytes)
