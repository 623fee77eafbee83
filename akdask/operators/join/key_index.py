"""Key indexes and key sets: find the first row of a table with given keys, or whether there is one.

Integers of a small range are looked up directly, by their distance from the smallest. Keys whose ranges leave room for
a row number are looked up in a table of words that hold both. All other keys are looked up in a table of hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from akdask import compiled
from akdask.columns.bigint import to_ints
from akdask.columns.exact import compare, is_mixed
from akdask.columns.memory import full_array
from akdask.columns.rows import concat_rows
from akdask.columns.table import Sized
from akdask.deferred import is_arrow, pa, pc
from akdask.errors import NonUniqueError
from akdask.operators.group.row_groups import group_rows
from akdask.operators.join.hash_table import (
    EMPTY,
    HashIndex,
    OpenAddressingTable,
    PackedIndex,
    hashed_words,
    packable_spans,
)
from akdask.operators.keys import hashing
from akdask.operators.keys.keys import word
from akdask.operators.keys.slots import SlotGrid
from akdask.operators.keys.words import VACANT, Words
from akdask.typing import Column, NumberArray

SLOTS_PER_ROW = 8
"""Most cells of a direct table for each row."""

MIN_SLOTS = 2**16
"""Cells that a direct table may have for any number of rows."""

MAX_SLOTS = 2**28
FEW_STRINGS = 2**12
"""Number of strings up to which an index does not pay."""


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
    if len(keys) == 1 and is_arrow(keys[0], "Array") and len(keys[0]) <= FEW_STRINGS:
        return StringIndex(keys)
    grid = direct_grid(keys)
    if grid is not None:
        return DirectIndex(keys, grid)
    spans = packable_spans(keys)
    packed = None if spans is None else PackedIndex(keys, spans)
    return packed if packed is not None and packed.is_sound else HashIndex(keys)


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
    return SlotGrid.within(keys, min(max(SLOTS_PER_ROW * nrows, MIN_SLOTS), MAX_SLOTS)) if nrows else None


class DirectIndex(Sized):
    """The first row in each cell of a grid, and one more cell for keys outside the grid."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        nrows = len(keys[0])
        rows = full_array(grid.nslots + 1, EMPTY, np.int32 if nrows < 2**31 else np.int64)
        if compiled.should_compile(nrows):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import put_rows

            words, low = grid.offset_codes(keys)
            put_rows(read_only(words), low, rows)
        else:
            # Of several rows, the one written last stays.
            rows[grid.codes(keys)[::-1]] = np.arange(nrows, dtype=rows.dtype)[::-1]
        self._keys = list(keys)
        self._grid = grid
        self._rows = rows

    @property
    def firsts(self) -> NumberArray | None:
        if np.count_nonzero(self._rows != EMPTY) == len(self._keys[0]):
            return None
        rows: NumberArray = self._rows.take(self._grid.codes(self._keys)).astype(np.int64)
        return rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        if compiled.should_compile(len(found)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import look_up_rows

            words, low = self._grid.offset_codes(keys)
            look_up_rows(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._rows), found)
        else:
            found[...] = self._rows.take(self._grid.codes_within(keys))
        return found


class StringIndex(Sized):
    """A few strings, which Arrow finds faster than any index, although it starts over with every block."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._strings = keys[0]

    @property
    def firsts(self) -> NumberArray | None:
        rows = self.find([self._strings])
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        rows: NumberArray = pc.fill_null(pc.index_in(keys[0], value_set=self._strings), EMPTY).to_numpy()
        if out is None:
            return rows.astype(np.int64)
        out[...] = rows
        return out


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
        if compiled.should_compile(len(keys[0])):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import mark

            words, low = grid.offset_codes(keys)
            self._bits = full_array(grid.nslots // 8 + 1, 0, np.uint8)
            mark(read_only(words), low, self._bits)
        else:
            is_taken = full_array(grid.nslots + 1, False, np.bool_)
            is_taken[grid.codes(keys)] = True
            self._bits = np.packbits(is_taken, bitorder="little")

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        if compiled.should_compile(len(found)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import look_up_bits

            words, low = self._grid.offset_codes(keys)
            look_up_bits(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._bits), found)
            return found
        codes = self._grid.codes_within(keys)
        bits = (codes & 7).astype(np.uint8)
        codes >>= 3
        np.right_shift(self._bits.take(codes), bits, out=bits)
        return np.bitwise_and(bits, 1, out=found.view(np.uint8)).view(np.bool_)


class HashSet(Sized):
    """The hashes of single numbers, which are equal only for equal numbers."""

    def __init__(self, keys: Sequence[Column]) -> None:
        hashes = hashing.hash_rows(keys)
        self._layout = OpenAddressingTable(len(hashes))
        hashes.sort()
        again = np.flatnonzero(hashes[1:] == hashes[:-1])
        if len(again):
            hashes = np.delete(hashes, again)
        self._slots, _ = self._layout.table(hashes, hashes)
        self._has_vacant = bool((hashes[-1:] == VACANT).any())

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        if not compiled.should_compile(len(found)):
            return self._layout.search(keys, hashed_words, self._meet, found, 0)
        from akdask.compiler import read_only
        from akdask.operators.join.loops import find_hashed

        find_hashed(read_only(word(keys[0], 0)), self._layout.shift, read_only(self._slots), self._has_vacant, found)
        return found

    def _meet(self, hashes: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        words = self._slots.take(slots)
        same = words == hashes
        if not self._has_vacant:
            same &= hashes != VACANT
        return same, np.flatnonzero(words < hashes)


class IndexSet(Sized):
    """The keys that an index finds."""

    def __init__(self, index: KeyIndex) -> None:
        self._index = index

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        return np.not_equal(self._index.find(keys), EMPTY, out=out)


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
        if len(self._table) and wanted.dtype == np.uint64 and compiled.should_compile(len(wanted)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import search_sorted

            search_sorted(read_only(self._table), read_only(wanted), side == "right", found)
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
