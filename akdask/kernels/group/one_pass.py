"""Tallies of few groups, added up in the order of the rows whatever block these come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from akdask.columns import Table
from akdask.kernels import compiled
from akdask.kernels.core.words import WORD_BITS
from akdask.kernels.group.accumulators import Accumulators, readable
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.keys.slots import SlotGrid
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    import numpy.typing as npt


class OnePassAggregation:
    """Partial results of blocks of rows, one cell of a grid for each group; see `of`.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    grid : Grid
        Holds the keys of the rows.
    lanes : Lanes
        One cell for each of the grid.
    dtypes : sequence of dtypes
        Of the keys.
    """

    fewest_rows = 0
    """Rows that are worth adding: no more cells are touched than there are rows."""

    def __init__(
        self, collapse: Aggregation, grid: SlotGrid, lanes: Accumulators, dtypes: Sequence[np.dtype[np.generic]]
    ) -> None:
        self.grid = grid
        self._collapse = collapse
        self._lanes = lanes
        self._dtypes = dtypes
        self._codes = np.empty(0, np.int32)

    @classmethod
    def of(
        cls, collapse: Aggregation, grid: SlotGrid, keys: Sequence[NumberArray], values: Sequence[Column]
    ) -> Self | None:
        """Return an empty tally for rows like the given ones, None where lanes do not do what is to be computed."""
        if not Accumulators.accept(collapse, values):
            return None
        return cls(collapse, grid, Accumulators(collapse, grid.cells, values), [key.dtype for key in keys])

    def widened(self, grid: SlotGrid) -> Self:
        """Return a tally that goes on in a larger grid, with what has been added up so far."""
        places = grid.codes(self.grid.keys(np.arange(self.grid.cells), self._dtypes))
        return type(self)(self._collapse, grid, self._lanes.moved(places, grid.cells), self._dtypes)

    def add_within(self, keys: Sequence[NumberArray], values: Sequence[Column]) -> bool:
        """Add the rows of a block; False where the grid does not hold all of them, and none is added.

        Also where it takes as long to tell as to find their own grid, as it does without compiled loops.
        """
        codes = self._encoded(keys) if compiled.pays(len(keys[0])) else None
        if codes is not None:
            self._lanes.add(codes, values)
        return codes is not None

    def add(self, keys: Sequence[NumberArray], values: Sequence[Column]) -> None:
        """Add the rows of a block that the grid holds."""
        if not self.add_within(keys, values):
            self._lanes.add(self.grid.codes(keys), values)

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        cells = np.flatnonzero(self._lanes.occupied)
        return self._collapse.select_slots(self.grid.keys(cells, self._dtypes), self._lanes.states(), cells)

    def _encoded(self, keys: Sequence[NumberArray]) -> npt.NDArray[np.int32] | None:
        """Return the cells of rows, None if the grid has not all of them."""
        from akdask.kernels.compiled.group.one_pass import encode

        if len(self._codes) < len(keys[0]):
            self._codes = np.empty(len(keys[0]), np.int32)
        codes = self._codes[: len(keys[0])]
        for number, (key, low, size) in enumerate(zip(keys, self.grid.lows, self.grid.sizes, strict=True)):
            scale = np.uint64(size if number else 0)
            if not encode(readable(key), np.uint64(low % 2**WORD_BITS), np.uint64(size), scale, codes):
                return None
        return codes
