"""Where rows are in a table: the first row there with the same keys.

Integers of a small range are looked up directly, by their distance from the smallest; keys whose ranges leave room for
a row number, in a table of words that hold both; everything else, in a table of hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from akdask.columns import concat_rows, full_array
from akdask.deferred import is_arrow, pc
from akdask.errors import NonUniqueError
from akdask.kernels import compiled
from akdask.kernels.core.sized import Sized
from akdask.kernels.group.row_groups import group_rows
from akdask.kernels.index.hash_index import EMPTY, HashIndex, PackedIndex, packable_spans
from akdask.kernels.keys.slots import SlotGrid
from akdask.typing import Column, NumberArray

SLOTS_PER_ROW = 8
"""Cells of a direct table for each row that it holds, at most."""

MIN_SLOTS = 2**16
"""Cells that are not worth saving, however few rows there are."""

MAX_SLOTS = 2**28
FEW_STRINGS = 2**12
"""Strings that are not worth an index."""


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
    """Return the first row whose keys an earlier one has, and these in words."""
    again = int(np.argmax(firsts != np.arange(len(firsts))))
    return again, ", ".join(str(key[again]) for key in keys)


def check_distinct(keys: Sequence[Column], index: KeyIndex) -> None:
    """Refuse labels that come twice.

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
    """Return the grid that holds some rows, None if it is too large for as many."""
    nrows = len(keys[0])
    return SlotGrid.within(keys, min(max(SLOTS_PER_ROW * nrows, MIN_SLOTS), MAX_SLOTS)) if nrows else None


class DirectIndex(Sized):
    """The first row in each cell of a grid, and one cell more for all that the grid does not hold."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        nrows = len(keys[0])
        rows = full_array(grid.nslots + 1, EMPTY, np.int32 if nrows < 2**31 else np.int64)
        if compiled.should_compile(nrows):
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.direct import put_rows

            words, low = grid.offset_codes(keys)
            put_rows(read_only(words), low, rows)
        else:
            # Of several rows the last one written stays.
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
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.direct import look_up_rows

            words, low = self._grid.offset_codes(keys)
            look_up_rows(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._rows), found)
        else:
            found[...] = self._rows.take(self._grid.codes_within(keys))
        return found


class StringIndex(Sized):
    """A few strings, which Arrow finds faster than any index, although it begins anew with every block."""

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
    """Integers of any size, grouped together with those that are looked for.

    Equal integers may be stored in other widths, so that their bytes differ; in one column they do not.
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
