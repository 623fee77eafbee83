"""Groups by one integer key of close values, one cell for each value: rows are never brought into order.

Cells of several slabs are added up where they lie, which takes half the time of sorting tables of groups together,
and a fifth where only the distinct keys are wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns import Table
from akdask.kernels.collapse import Collapse
from akdask.kernels.grid import Grid
from akdask.kernels.group import Codes
from akdask.kernels.grouped import State
from akdask.kernels.grouping import CELLS_PER_ROW
from akdask.kernels.tally import MOST_CELLS
from akdask.typing import Column

CHUNK = 2**16
"""Cells that are added up at a time, and whose multiple every slab begins at: it has all cells of a chunk, or none."""


class Slab:
    """Partial results of rows, one cell for each value that the key can have.

    Parameters
    ----------
    collapse : Collapse
        What is computed; see `Collapse.folds`.
    dtype : numpy.dtype
        Of the key.
    low : int
        The key of the first cell.
    seen : ndarray of bool
        Which cells have rows.
    states : sequence of states
        One for each step, with a row for each cell.
    """

    def __init__(
        self,
        collapse: Collapse,
        dtype: np.dtype[Any],
        low: int,
        seen: npt.NDArray[np.bool_],
        states: Sequence[State],
    ) -> None:
        self.collapse = collapse
        self.dtype = dtype
        self.low = low
        self.seen = seen
        self.states = states

    @classmethod
    def of(cls, collapse: Collapse, keys: Sequence[Column], values: Sequence[Column]) -> Slab | None:
        """Return the slab of some rows, None where it does not pay or another type is in the way."""
        grid = _grid(keys) if collapse.folds else None
        if grid is None or not all(isinstance(column, np.ndarray) for column in values):
            return None
        codes = grid.codes(keys)
        seen = np.zeros(grid.cells, np.bool_)
        seen[codes] = True
        states = collapse.partial(Codes(codes, grid.cells), values)
        return cls(collapse, np.dtype(keys[0].dtype), grid.lows[0], seen, states)

    @property
    def high(self) -> int:
        """The key after that of the last cell."""
        return self.low + len(self.seen)

    def __sizeof__(self) -> int:
        return self.seen.nbytes + sum(column.nbytes for state in self.states for column in state)

    def between(self, start: float, stop: float) -> Slab:
        """Return the cells of keys from `start` up to `stop`, which may be infinite, without a copy."""
        first, last = (int(min(max(key, self.low), self.high)) - self.low for key in (start, stop))
        states = [tuple(column[first:last] for column in state) for state in self.states]
        return Slab(self.collapse, self.dtype, self.low + first, self.seen[first:last], states)

    def keys(self) -> Column:
        """Return the keys that have rows, ascending."""
        return self._keys_of(np.flatnonzero(self.seen))

    def fold(self, others: Sequence[Slab]) -> Slab:
        """Return a slab of the same cells with the rows of others added, which are of the same cells."""
        seen = self.seen.copy()
        states = [tuple(map(np.copy, state)) for state in self.states]
        for other in others:
            np.logical_or(seen, other.seen, out=seen)
            self.collapse.fold_cells(states, other.states)
        return Slab(self.collapse, self.dtype, self.low, seen, states)

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        cells = np.flatnonzero(self.seen)
        return self.collapse.cells([self._keys_of(cells)], self.states, cells)

    def _keys_of(self, cells: npt.NDArray[np.int64]) -> Column:
        (keys,) = Grid((self.low,), (len(self.seen),)).keys(cells, [self.dtype])
        return keys


def _grid(keys: Sequence[Column]) -> Grid | None:
    """Return the cells for the only key, None where there are too many or so few that they are better tallied."""
    (key, *others) = keys
    found = Grid.within([key], CELLS_PER_ROW * len(key)) if not others and len(key) else None
    if found is None or found.cells <= MOST_CELLS:
        return None
    low = found.lows[0] - found.lows[0] % CHUNK
    return Grid((low,), (-(-(found.lows[0] + found.cells - low) // CHUNK) * CHUNK,))


def merge_slabs(slabs: Sequence[Slab]) -> Table:
    """Return the groups of all slabs, sorted by key; at least one must be given, and all be cut at the same keys."""
    used = [slab for slab in slabs if len(slab.seen)] or slabs[:1]
    start, stop = min(slab.low for slab in used), max(slab.high for slab in used)
    tables = []
    for first, last in pairwise([start, *range(start - start % CHUNK + CHUNK, stop, CHUNK), stop]):
        parts = [slab.between(first, last) for slab in used if slab.low <= first < slab.high]
        if parts:
            tables.append(parts[0].fold(parts[1:]).table())
    return Table.concat(tables or [used[0].table()])
