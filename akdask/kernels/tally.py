"""Groups of few keys, tallied block by block without sorting: integer keys of small ranges index the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self

import numpy as np

from akdask.columns import Table, concat_rows
from akdask.kernels.collapse import Collapse
from akdask.kernels.group import Codes
from akdask.kernels.grouped import State
from akdask.typing import Column, NumberArray

MOST_CELLS = 2**18
"""Cells of a grid of which a column still stays in the core's cache."""

FEWEST_CELLS = 2**10
"""Cells that are not worth saving, however few rows there are."""

PENDING = 8
"""Blocks whose results are kept side by side before they are added up."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of the values that integer keys can have, numbered in the order of the keys.

    Parameters
    ----------
    lows : tuple of int
        The smallest value of each key.
    sizes : tuple of int
        The number of values from there on.
    """

    lows: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def around(cls, keys: Sequence[Column]) -> Self | None:
        """Return the smallest grid that holds some rows, at least one; None if a key is of another type."""
        lows, sizes = [], []
        for key in keys:
            if not isinstance(key, np.ndarray) or key.dtype.kind not in "iub":
                return None
            low, high = int(key.min()), int(key.max())
            lows.append(low)
            sizes.append(high - low + 1)
        return cls(tuple(lows), tuple(sizes))

    @property
    def cells(self) -> int:
        """Number of combinations."""
        return prod(self.sizes)

    def covers(self, other: Grid) -> bool:
        """Whether it holds all that the other holds."""
        return self.united(other) == self

    def united(self, other: Grid) -> Grid:
        """Return the grid that holds what either holds."""
        lows = tuple(map(min, self.lows, other.lows))
        ends = [max(a + n, b + m) for a, n, b, m in zip(self.lows, self.sizes, other.lows, other.sizes, strict=True)]
        return Grid(lows, tuple(end - low for end, low in zip(ends, lows, strict=True)))

    def codes(self, keys: Sequence[Column]) -> NumberArray:
        """Return the number of the cell of each row, as int64."""
        codes = None
        for key, low, size in zip(keys, self.lows, self.sizes, strict=True):
            wide = key.view(np.uint8) if key.dtype == np.bool_ else key
            # Unsigned keys may lie above all of int64, their distances from the lowest do not.
            place = (wide - wide.dtype.type(low)).astype(np.int64, copy=False) if low else wide.astype(np.int64)
            codes = place if codes is None else codes * size + place
        assert codes is not None, "a grouping has keys"
        return codes

    def keys(self, codes: NumberArray, dtypes: Sequence[np.dtype[np.generic]]) -> list[NumberArray]:
        """Return the keys of cells, in the types that they have."""
        columns = []
        for low, size, dtype in zip(reversed(self.lows), reversed(self.sizes), reversed(dtypes), strict=True):
            codes, place = np.divmod(codes, size)
            columns.append(place.astype(dtype) + dtype.type(low) if low else place.astype(dtype))
        return columns[::-1]


class Tally:
    """Partial results of blocks of rows, one cell of a grid for each group.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    grid : Grid
        Holds the keys of all rows that will be added.
    """

    def __init__(self, collapse: Collapse, grid: Grid) -> None:
        self.grid = grid
        self._collapse = collapse
        self._pending: list[list[State]] = []
        self._seen = np.zeros(grid.cells, np.bool_)
        self._all_seen = False
        self._dtypes: list[np.dtype[np.generic]] = []

    def add(self, keys: Sequence[Column], values: Sequence[Column]) -> None:
        """Add the rows of a block."""
        self._dtypes = [key.dtype for key in keys]
        groups = Codes(self.grid.codes(keys), self.grid.cells)
        if not self._all_seen:
            np.logical_or(self._seen, groups.sizes() > 0, out=self._seen)
            self._all_seen = bool(self._seen.all())
        self._pending.append(self._collapse.partial(groups, values))
        if len(self._pending) == PENDING:
            self._pending = [self._total()]

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        cells = np.flatnonzero(self._seen)
        return self._collapse.cells(self.grid.keys(cells, self._dtypes), self._total(), cells)

    def _total(self) -> list[State]:
        if len(self._pending) == 1:
            return self._pending[0]
        return self._collapse.merge_cells(self._pending, self.grid.cells)


class Tallies:
    """Tallies of blocks for as long as their keys span few cells; the grid grows as wider blocks come.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    nrows : int
        Number of rows that may come in all.
    """

    def __init__(self, collapse: Collapse, nrows: int) -> None:
        self._collapse = collapse
        self._cells = min(MOST_CELLS, max(nrows, FEWEST_CELLS))
        self._done: list[Table] = []
        self._tally: Tally | None = None
        self._waiting: list[tuple[list[Column], list[Column]]] = []
        self._closed = False

    def add(self, keys: Sequence[Column], values: Sequence[Column]) -> bool:
        """Add the rows of a block, at least one; False, for this one and all later ones, where it does not pay."""
        grid = None if self._closed else Grid.around(keys)
        if grid is not None and self._tally is not None and not self._tally.grid.covers(grid):
            grid = grid.united(self._tally.grid)
            self._close_tally()
        if grid is None or (self._tally is None and grid.cells > self._cells):
            self._closed = True
            return False
        if self._tally is None:
            self._tally = Tally(self._collapse, grid)
        self._add(self._tally, keys, values)
        return True

    def tables(self) -> list[Table]:
        """Return the tables of all blocks; they may have groups in common."""
        self._close_tally()
        return self._done

    def _add(self, tally: Tally, keys: Sequence[Column], values: Sequence[Column]) -> None:
        """Touching all cells is worth it for as many rows only; fewer are kept until others come."""
        if len(keys[0]) >= tally.grid.cells:
            tally.add(keys, values)
            return
        self._waiting.append(([own(column) for column in keys], [own(column) for column in values]))
        if sum(len(held[0]) for held, _ in self._waiting) >= tally.grid.cells:
            self._add_waiting(tally)

    def _add_waiting(self, tally: Tally) -> None:
        keys, values = (
            [concat_rows(parts) for parts in zip(*lots, strict=True)] for lots in zip(*self._waiting, strict=True)
        )
        tally.add(keys, values)
        self._waiting.clear()

    def _close_tally(self) -> None:
        if self._tally is None:
            return
        if self._waiting:
            self._add_waiting(self._tally)
        self._done.append(self._tally.table())
        self._tally = None


def own(column: Column) -> Column:
    """Return a copy of what may lie in a buffer that the next block will overwrite."""
    return column.copy() if isinstance(column, np.ndarray) else column
