"""Groups of few keys, tallied block by block without sorting: integer keys of small ranges index the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from akdask.columns import Table, concat_rows, take_rows
from akdask.kernels.aggregates.by_group import GroupState
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.group.dictionary import Dictionary
from akdask.kernels.group.one_pass import OnePassAggregation
from akdask.kernels.group.row_groups import GroupCodes
from akdask.kernels.keys.slots import SlotGrid
from akdask.typing import Column, NumberArray

MOST_CELLS = 2**18
"""Cells of a grid of which a column still stays in the core's cache."""

FEWEST_CELLS = 2**10
"""Cells that are not worth saving, however few rows there are."""

PENDING = 8
"""Blocks whose results are kept side by side before they are added up."""


class DirectIndexTable:
    """Partial results of blocks of rows, one cell of a grid for each group.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    grid : Grid
        Holds the keys of all rows that will be added.
    """

    def __init__(self, collapse: Aggregation, grid: SlotGrid) -> None:
        self.grid = grid
        self._collapse = collapse
        self._pending: list[list[GroupState]] = []
        self._seen = np.zeros(grid.cells, np.bool_)
        self._all_seen = False
        self._dtypes: list[np.dtype[np.generic]] = []

    @property
    def fewest_rows(self) -> int:
        """Rows that are worth adding, since all cells are touched."""
        return self.grid.cells

    def add_within(self, keys: Sequence[NumberArray], values: Sequence[Column]) -> bool:
        """Return False: whether the grid holds the rows of a block takes as long to tell as to find their own."""
        return False

    def add(self, keys: Sequence[Column], values: Sequence[Column]) -> None:
        """Add the rows of a block."""
        self._dtypes = [key.dtype for key in keys]
        groups = GroupCodes(self.grid.codes(keys), self.grid.cells)
        if not self._all_seen:
            np.logical_or(self._seen, groups.sizes() > 0, out=self._seen)
            self._all_seen = bool(self._seen.all())
        states = self._collapse.partial(groups, values)
        if self._collapse.merges_in_place and all(
            isinstance(column, np.ndarray) for state in states for column in state
        ):
            if self._pending:
                self._collapse.merge_in_place(self._pending[0], states)
                return
            # Several reductions may have been given the same sums.
            states = [tuple(map(np.copy, state)) for state in states]
        self._pending.append(states)
        if len(self._pending) == PENDING:
            self._pending = [self._total()]

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        cells = np.flatnonzero(self._seen)
        return self._collapse.select_slots(self.grid.keys(cells, self._dtypes), self._total(), cells)

    def _total(self) -> list[GroupState]:
        if len(self._pending) == 1:
            return self._pending[0]
        return self._collapse.merge_slots(self._pending, self.grid.cells)


class DirectIndexAggregation:
    """Tallies of blocks for as long as their keys span few cells; the grid grows as wider blocks come.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    nrows : int
        Number of rows that may come in all.
    """

    def __init__(self, collapse: Aggregation, nrows: int) -> None:
        self._collapse = collapse
        self._cells = min(MOST_CELLS, max(nrows, FEWEST_CELLS))
        self._done: list[Table] = []
        self._tally: DirectIndexTable | OnePassAggregation | None = None
        self._waiting: list[tuple[list[Column], list[Column]]] = []
        self._dictionaries = [Dictionary() for _ in range(collapse.nkeys)]
        self._of_strings: list[bool] = []
        self.closed = False
        """Whether no block is taken any more."""

    def add(self, keys: Sequence[Column], values: Sequence[Column]) -> bool:
        """Add the rows of a block, at least one; False, for this one and all later ones, where it does not pay."""
        numbers = None if self.closed else self._numbers(keys)
        if numbers is not None and self._tally is not None and self._tally.add_within(numbers, values):
            return True
        grid = None if numbers is None else SlotGrid.around(numbers)
        if grid is not None and self._tally is not None and not self._tally.grid.covers(grid):
            grid = grid.united(self._tally.grid)
            if isinstance(self._tally, OnePassAggregation) and grid.cells <= self._cells:
                self._tally = self._tally.widened(grid)
            else:
                self._close_tally()
        if numbers is None or grid is None or (self._tally is None and grid.cells > self._cells):
            self.closed = True
            return False
        if self._tally is None:
            one_pass = OnePassAggregation.of(self._collapse, grid, numbers, values)
            self._tally = DirectIndexTable(self._collapse, grid) if one_pass is None else one_pass
        self._add(self._tally, numbers, values)
        return True

    def tables(self) -> list[Table]:
        """Return the tables of all blocks; they may have groups in common."""
        self._close_tally()
        if not any(self._of_strings):
            return self._done
        return [self._collapse.relabelled(table, self._strings(table)) for table in self._done]

    def _numbers(self, keys: Sequence[Column]) -> list[NumberArray] | None:
        """Return the keys with numbers in the place of strings; None where these are too many, or neither."""
        self._of_strings = [isinstance(key, pa.LargeStringArray) for key in keys]
        numbers = []
        for key, is_string, dictionary in zip(keys, self._of_strings, self._dictionaries, strict=True):
            codes = dictionary.codes(key) if is_string else key if isinstance(key, np.ndarray) else None
            if codes is None:
                return None
            numbers.append(codes)
        return numbers

    def _strings(self, table: Table) -> list[Column]:
        parts = zip(self._collapse.keys(table), self._of_strings, self._dictionaries, strict=True)
        return [take_rows(words.strings, key) if is_string else key for key, is_string, words in parts]

    def _add(
        self, tally: DirectIndexTable | OnePassAggregation, keys: Sequence[NumberArray], values: Sequence[Column]
    ) -> None:
        """Keep rows that are too few until others come."""
        if not self._waiting and len(keys[0]) >= tally.fewest_rows:
            tally.add(keys, values)
            return
        self._waiting.append(([own(column) for column in keys], [own(column) for column in values]))
        if sum(len(held[0]) for held, _ in self._waiting) >= tally.fewest_rows:
            self._add_waiting(tally)

    def _add_waiting(self, tally: DirectIndexTable | OnePassAggregation) -> None:
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
