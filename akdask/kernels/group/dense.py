"""Groups by one integer key of close values, one cell for each value: rows are never brought into order.

Cells of several slabs are added up where they lie, which takes half the time of sorting tables of groups together,
and a fifth where only the distinct keys are wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns import Table, full_array, new_array
from akdask.kernels.aggregates.by_group import GroupState
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.group.direct_index import MOST_CELLS
from akdask.kernels.group.grouping import CELLS_PER_ROW
from akdask.kernels.group.row_groups import GroupCodes
from akdask.kernels.keys.slots import SlotGrid
from akdask.typing import Column

CHUNK = 2**16
"""Cells that are added up at a time, and whose multiple every slab begins at: it has all cells of a chunk, or none."""


class DenseTable:
    """Partial results of rows, one cell for each value that the key can have.

    Parameters
    ----------
    collapse : Collapse
        What is computed; see `Aggregation.merges_in_place`.
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
        collapse: Aggregation,
        dtype: np.dtype[Any],
        low: int,
        seen: npt.NDArray[np.bool_],
        states: Sequence[GroupState],
    ) -> None:
        self.collapse = collapse
        self.dtype = dtype
        self.low = low
        self.seen = seen
        self.states = states

    @classmethod
    def of(cls, collapse: Aggregation, keys: Sequence[Column], values: Sequence[Column]) -> DenseTable | None:
        """Return the slab of some rows, None where it does not pay or another type is in the way."""
        grid = _grid(keys) if collapse.merges_in_place else None
        if grid is None or not all(isinstance(column, np.ndarray) for column in values):
            return None
        codes = grid.codes(keys)
        seen = full_array(grid.cells, False, np.bool_)
        seen[codes] = True
        states = collapse.partial(GroupCodes(codes, grid.cells), values)
        return cls(collapse, np.dtype(keys[0].dtype), grid.lows[0], seen, states)

    @property
    def high(self) -> int:
        """The key after that of the last cell."""
        return self.low + len(self.seen)

    def __sizeof__(self) -> int:
        return self.seen.nbytes + sum(column.nbytes for state in self.states for column in state)

    def between(self, start: float, stop: float) -> DenseTable:
        """Return the cells of keys from `start` up to `stop`, which may be infinite, without a copy."""
        first, last = (int(min(max(key, self.low), self.high)) - self.low for key in (start, stop))
        states = [tuple(column[first:last] for column in state) for state in self.states]
        return DenseTable(self.collapse, self.dtype, self.low + first, self.seen[first:last], states)

    def keys(self) -> Column:
        """Return the keys that have rows, ascending."""
        return self._keys_of(np.flatnonzero(self.seen))

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        return merge_dense_tables([self])

    def _keys_of(self, cells: npt.NDArray[np.int64]) -> Column:
        (keys,) = SlotGrid((self.low,), (len(self.seen),)).keys(cells, [self.dtype])
        return keys


def _grid(keys: Sequence[Column]) -> SlotGrid | None:
    """Return the cells for the only key, None where there are too many or so few that they are better tallied."""
    (key, *others) = keys
    is_one_number = isinstance(key, np.ndarray) and not others and len(key)
    found = SlotGrid.within([key], CELLS_PER_ROW * len(key)) if is_one_number else None
    if found is None or found.cells <= MOST_CELLS:
        return None
    low = found.lows[0] - found.lows[0] % CHUNK
    return SlotGrid((low,), (-(-(found.lows[0] + found.cells - low) // CHUNK) * CHUNK,))


def merge_dense_tables(slabs: Sequence[DenseTable]) -> Table:
    """Return the groups of all slabs, sorted by key; at least one must be given, and all be cut at the same keys.

    They are counted first, so that all of them go straight to where they stay.
    """
    used = [slab for slab in slabs if len(slab.seen)] or slabs[:1]
    collapse, chunks = used[0].collapse, _chunks(used)
    seen = [_fold_seen(parts) for parts in chunks]
    nrows = sum(map(np.count_nonzero, seen))
    keys = new_array(nrows, used[0].dtype)
    states = [tuple(new_array(nrows, column.dtype) for column in state) for state in used[0].states]
    scratch = [tuple(np.empty(CHUNK, column.dtype) for column in state) for state in states]
    start = 0
    for parts, there in zip(chunks, seen, strict=True):
        cells = np.flatnonzero(there)
        rows = slice(start, start + len(cells))
        keys[rows] = parts[0]._keys_of(cells)
        folded = _fold_states(parts, [tuple(column[: len(there)] for column in state) for state in scratch])
        for columns, targets in zip(folded, states, strict=True):
            for column, target in zip(columns, targets, strict=True):
                column.take(cells, out=target[rows], mode="clip")
        start = rows.stop
    return collapse.table([keys], states)


def _chunks(slabs: Sequence[DenseTable]) -> list[list[DenseTable]]:
    """Return slabs chunk by chunk, each with the same cells of all slabs that have them."""
    start, stop = min(slab.low for slab in slabs), max(slab.high for slab in slabs)
    edges = pairwise([start, *range(start - start % CHUNK + CHUNK, stop, CHUNK), stop])
    chunks = [[slab.between(*edge) for slab in slabs if slab.low <= edge[0] < slab.high] for edge in edges]
    return [parts for parts in chunks if parts]


def _fold_seen(parts: Sequence[DenseTable]) -> npt.NDArray[np.bool_]:
    """Return which cells have rows in any of several slabs of the same cells."""
    first, *others = (part.seen for part in parts)
    return reduce(np.logical_or, others, first)


def _fold_states(parts: Sequence[DenseTable], room: Sequence[GroupState]) -> Sequence[GroupState]:
    """Return the states of several slabs of the same cells as one, in the given room unless there is only one slab."""
    first, *others = (part.states for part in parts)
    if not others:
        return first
    for state, targets in zip(first, room, strict=True):
        for column, target in zip(state, targets, strict=True):
            np.copyto(target, column)
    for other in others:
        parts[0].collapse.merge_in_place(room, other)
    return room
