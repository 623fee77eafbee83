"""Which rows have keys that are among those of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from akdask.columns import full_array
from akdask.kernels import compiled
from akdask.kernels.core.sized import Sized
from akdask.kernels.core.words import VACANT, Words
from akdask.kernels.index.hash_index import EMPTY, hashed_words
from akdask.kernels.index.key_index import KeyIndex, direct_grid, index_keys
from akdask.kernels.index.open_addressing import OpenAddressingTable
from akdask.kernels.keys import hashing
from akdask.kernels.keys.normalized import word
from akdask.kernels.keys.slots import SlotGrid
from akdask.typing import Column, NumberArray


class KeySet(Protocol):
    """The keys of a table, without their rows."""

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return whether the table has the keys of each row."""
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
    """One bit for each cell of a grid, whether there is a key, and one more for all that the grid does not hold."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        self._grid = grid
        if compiled.should_compile(len(keys[0])):
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.direct import mark

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
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.direct import look_up_bits

            words, low = self._grid.offset_codes(keys)
            look_up_bits(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._bits), found)
            return found
        codes = self._grid.codes_within(keys)
        bits = (codes & 7).astype(np.uint8)
        codes >>= 3
        np.right_shift(self._bits.take(codes), bits, out=bits)
        return np.bitwise_and(bits, 1, out=found.view(np.uint8)).view(np.bool_)


class HashSet(Sized):
    """The hashes of single numbers, which are equal where the numbers are."""

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
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.index.search import find_hashed

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
