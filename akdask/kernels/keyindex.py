"""Where rows are in a table: the first row there with the same keys.

Integers of a small range are looked up directly, by their distance from the smallest; keys whose ranges leave room for
a row number, in a table of words that hold both; everything else, in a table of hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.columns import take_rows
from akdask.kernels import hashing
from akdask.kernels.gapped import VACANT, Layout
from akdask.kernels.grid import Grid
from akdask.kernels.keys import WORD_BITS, Key, Words, pack_words, row_bits, span, unpack_rows, word
from akdask.kernels.sized import Sized
from akdask.kernels.strings import unpack_bools
from akdask.typing import Column, NumberArray

CELLS_OF_A_ROW = 8
"""Cells of a direct table for each row that it holds, at most."""

FEWEST_CELLS = 2**16
"""Cells that are not worth saving, however few rows there are."""

MOST_CELLS = 2**28
FEW_STRINGS = 2**12
"""Strings that are not worth an index."""

EMPTY = -1
"""Stands for a row where there is none."""


class KeyIndex(Protocol):
    """The keys of a table, to be searched for those of other rows."""

    @property
    def firsts(self) -> NumberArray | None:
        """For each row of the table, the first row with the same keys; None where all keys differ."""
        ...

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the first row of the table with the keys of each row, as int64; -1 where there is none."""
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
    if len(keys) == 1 and isinstance(keys[0], pa.Array) and len(keys[0]) <= FEW_STRINGS:
        return TextIndex(keys)
    grid = direct_grid(keys)
    if grid is not None:
        return DirectIndex(keys, grid)
    spans = packable_spans(keys)
    return HashIndex(keys) if spans is None else PackedIndex(keys, spans)


def direct_grid(keys: Sequence[Column]) -> Grid | None:
    """Return the grid that holds some rows, None if it is too large for as many."""
    nrows = len(keys[0])
    grid = Grid.around(keys) if nrows else None
    if grid is None or grid.cells > min(max(CELLS_OF_A_ROW * nrows, FEWEST_CELLS), MOST_CELLS):
        return None
    return grid


def packable_spans(keys: Sequence[Column]) -> list[tuple[int, int]] | None:
    """Return the ranges of the words of all keys, None if these leave no room for a row number in one word."""
    spans = [found for key in keys if (found := span(key)) is not None]
    bits = len(keys[0]).bit_length() + sum((high - low).bit_length() for low, high in spans)
    return spans if len(spans) == len(keys) and bits <= WORD_BITS else None


def hashed_words(keys: Sequence[Column]) -> tuple[Words, None]:
    """Return the words of searches for hashes."""
    return hashing.hash_rows(keys), None


class DirectIndex(Sized):
    """The first row in each cell of a grid, and one cell more for all that the grid does not hold."""

    def __init__(self, keys: Sequence[Column], grid: Grid) -> None:
        nrows = len(keys[0])
        codes = grid.codes(keys)
        rows = np.full(grid.cells + 1, EMPTY, np.int32 if nrows < 2**31 else np.int64)
        # Of several rows the last one written stays.
        rows[codes[::-1]] = np.arange(nrows, dtype=rows.dtype)[::-1]
        self._keys = list(keys)
        self._grid = grid
        self._rows = rows

    @property
    def firsts(self) -> NumberArray | None:
        rows = self._rows.take(self._grid.codes(self._keys)).astype(np.int64)
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        rows = self._rows.take(self._grid.codes_within(keys))
        if out is None:
            return rows.astype(np.int64)
        out[...] = rows
        return out


class TextIndex(Sized):
    """A few strings, which Arrow finds faster than any index, although it begins anew with every block."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._texts = keys[0]

    @property
    def firsts(self) -> NumberArray | None:
        rows = self.find([self._texts])
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        rows: NumberArray = pc.fill_null(pc.index_in(keys[0], value_set=self._texts), EMPTY).to_numpy()
        if out is None:
            return rows.astype(np.int64)
        out[...] = rows
        return out


class PackedIndex(Sized):
    """Words of key and row number, for keys whose ranges leave room for one.

    Keys are mixed well, in such a way that different ones stay different.
    """

    def __init__(self, keys: Sequence[Column], spans: Sequence[tuple[int, int]]) -> None:
        self._keys = list(keys)
        self._spans = spans
        self._nrows = np.uint64(len(keys[0]))
        bits = len(keys[0]).bit_length()
        self._row_bits = np.uint64(bits)
        self._row_mask = np.uint64((1 << bits) - 1)
        words, self._later = self._sorted_words()
        self._layout = Layout(len(keys[0]))
        places, size = self._layout.places(words)
        self._slots = np.full(size, VACANT)
        self._slots[places] = words

    def _sorted_words(self) -> tuple[Words, NumberArray]:
        """Return one word for each key, and the rows whose key has come before."""
        words, _ = self._tags(self._keys)
        words |= np.arange(len(words), dtype=np.uint64)
        words.sort()
        again = np.flatnonzero((words[1:] ^ words[:-1]) <= self._row_mask) + 1
        return np.delete(words, again), (words[again] & self._row_mask).view(np.int64)

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._later)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        return self._layout.search(keys, self._tags, self._meet, found, EMPTY)

    def _meet(self, tags: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        words = self._slots.take(slots)
        before = np.flatnonzero(words < tags)
        # A word with the same tag is larger by its row, a vacant one by no row that there is.
        words -= tags
        return _rows_or_empty(words, words < self._nrows), before

    def _tags(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return the keys above the bits of a row number, and which of them lie outside the ranges."""
        tags, outside = None, None
        for key, (low, high) in zip(keys, self._spans, strict=True):
            distance = word(key, 0)
            distance -= np.uint64(low)
            beyond = distance > np.uint64(high - low)
            if beyond.any():
                outside = beyond if outside is None else outside | beyond
            if tags is None:
                tags = distance
            else:
                tags <<= np.uint64((high - low).bit_length())
                tags |= distance
        assert tags is not None, "an index has keys"
        tags <<= self._row_bits
        tags *= hashing.FIRST
        tags ^= (tags >> hashing.HALF) & ~self._row_mask
        tags *= hashing.SECOND
        return tags, outside


class HashIndex(Sized):
    """Hashes, each with the number of its row beside it, so that both are read at once."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)
        self._exact = hashing.is_exact(keys)
        hashes, rows, self._unsure = self._distinct(*_sorted_with_rows(hashing.hash_rows(keys)))
        self._layout = Layout(len(keys[0]))
        places, size = self._layout.places(hashes)
        slots = np.empty((size, 2), np.uint64)
        slots[:, 0], slots[:, 1] = VACANT, np.int64(EMPTY).view(np.uint64)
        slots[places, 0], slots[places, 1] = hashes, rows.view(np.uint64)
        self._slots = slots.view(np.complex128)[:, 0]

    def _distinct(self, hashes: Words, rows: NumberArray) -> tuple[Words, NumberArray, NumberArray]:
        """Leave out rows whose key has come before; return as well the rows of which some have."""
        again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        if not len(again):
            return hashes, rows, again
        unsure = rows[again]
        if not self._exact:
            # Keys that differ from the first with the same hash stay.
            begins = np.ones(len(hashes), np.bool_)
            begins[again] = False
            leading = np.flatnonzero(begins)[np.cumsum(begins)[again] - 1]
            again = again[_equal(self._keys, rows[leading], self._keys, rows[again])]
        return np.delete(hashes, again), np.delete(rows, again), unsure

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._unsure)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        return self._layout.search(keys, hashed_words, self._meet, found, EMPTY)

    def _meet(self, hashes: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        pairs = self._slots.take(slots).view(np.uint64).reshape(-1, 2)
        before = pairs[:, 0] < hashes
        found = _rows_or_empty(pairs[:, 1], pairs[:, 0] == hashes)
        if not self._exact:
            met = np.flatnonzero(found != EMPTY)
            differ = met[~_equal(self._keys, found.take(met), keys, met)]
            before[differ] = True
            found[differ] = EMPTY
        return found, np.flatnonzero(before)


def _rows_or_empty(rows: Words, there: NumberArray) -> NumberArray:
    """Return row numbers as int64, -1 where they are not there; without a branch, which is several times faster."""
    found = there.astype(np.uint64)
    found -= np.uint64(1)
    found |= rows
    return found.view(np.int64)


def _sorted_with_rows(hashes: Words) -> tuple[Words, NumberArray]:
    """Return hashes in order with the rows that they have, those of equal ones ascending."""
    shift = row_bits(len(hashes))
    packed = pack_words(Key(hashes, 0, WORD_BITS), shift)
    packed.sort()
    rows = unpack_rows(packed, shift)
    ordered = hashes.take(rows)
    # The bits that gave way to the row number are not in order yet; few hashes differ in them only.
    tied = np.flatnonzero(ordered[1:] < ordered[:-1])
    if len(tied):
        same = np.flatnonzero((packed[1:] ^ packed[:-1]) < np.uint64(1 << shift))
        places = np.union1d(same, same + 1)
        order = places[np.lexsort([rows[places], ordered[places]])]
        ordered[places], rows[places] = ordered[order], rows[order]
    return ordered, rows


def _firsts(index: KeyIndex, keys: Sequence[Column], unsure: NumberArray) -> NumberArray | None:
    """Return the first row with the keys of each, given those that may not be first themselves."""
    if not len(unsure):
        return None
    firsts = np.arange(len(keys[0]))
    firsts[unsure] = index.find([take_rows(key, unsure) for key in keys])
    return None if bool((firsts[unsure] == unsure).all()) else firsts


def _equal(left: Sequence[Column], left_rows: NumberArray, right: Sequence[Column], rows: NumberArray) -> NumberArray:
    """Return whether rows of two tables have equal keys, pair by pair."""
    equal = np.ones(len(rows), np.bool_)
    for column, other in zip(left, right, strict=True):
        ours, theirs = take_rows(column, left_rows), take_rows(other, rows)
        if isinstance(ours, np.ndarray):
            equal &= word(ours, 0) == word(theirs, 0)
        else:
            equal &= unpack_bools(pc.equal(ours, theirs))
    return equal
