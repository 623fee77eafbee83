"""Tallies of few groups by compiled loops, which go over the rows once whatever is computed of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from akdask.columns import Table
from akdask.kernels import compiled
from akdask.kernels.collapse import Collapse, Step
from akdask.kernels.grid import Grid
from akdask.kernels.grouped import State
from akdask.kernels.keys import WORD_BITS
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    import numpy.typing as npt

EXTREMES = frozenset({"min", "max"})
REDUCED = EXTREMES | {"size", "count", "sum", "mean"}
"""Reductions that the loops know, with the states that `akdask.kernels.grouped` gives them; they skip NaN."""

ROWS, TOTAL, LEAST, MOST = range(4)
"""What is in a cell."""

Name: TypeAlias = tuple[int, "np.dtype[Any]"]
"""The number of a column, and the type of its totals."""


class OnePassTally:
    """Partial results of blocks of rows, one cell of a grid for each group; see `of`.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    grid : Grid
        Holds the keys of the rows.
    keys, values : sequence of ndarray
        Some rows, of which only the types matter.
    """

    fewest_rows = 0
    """Rows that are worth adding: no more cells are touched than there are rows."""

    def __init__(
        self, collapse: Collapse, grid: Grid, keys: Sequence[NumberArray], values: Sequence[NumberArray]
    ) -> None:
        self.grid = grid
        self._collapse = collapse
        self._dtypes = [key.dtype for key in keys]
        self._codes = np.empty(0, np.int32)
        self._names = [_lane_name(step, values) for step in collapse.steps]
        wide = {name for name, step in zip(self._names, collapse.steps, strict=True) if step.name in EXTREMES}
        self._lanes = {name: Lane(grid.cells, name[1], name in wide) for name in self._names if name is not None}
        self._rows = np.zeros(0 if self._lanes else grid.cells, np.int64)

    @classmethod
    def of(cls, collapse: Collapse, grid: Grid, keys: Sequence[NumberArray], values: Sequence[Column]) -> Self | None:
        """Return an empty tally for rows like the given ones, None where no loop does what is to be computed."""
        numbers = [column for column in values if isinstance(column, np.ndarray)]
        if len(numbers) < len(values) or not all(_is_known(step, numbers) for step in collapse.steps):
            return None
        return cls(collapse, grid, keys, numbers) if compiled.pays(len(keys[0])) else None

    def add_within(self, keys: Sequence[NumberArray], values: Sequence[Column]) -> bool:
        """Add the rows of a block; False where the grid does not hold all of them, and none is added."""
        from akdask.kernels.compiled import onepass

        codes = self._encoded(keys)
        if codes is None:
            return False
        if not self._lanes:
            onepass.count_rows(codes, self._rows)
        for (number, _), lane in self._lanes.items():
            lane.add(codes, np.asarray(values[number]))
        return True

    def add(self, keys: Sequence[NumberArray], values: Sequence[Column]) -> None:
        """Add the rows of a block that the grid holds."""
        if not self.add_within(keys, values):
            raise AssertionError("the grid was made for these rows")

    def table(self) -> Table:
        """Return the groups that have rows, sorted by key."""
        rows = next((lane.rows() for lane in self._lanes.values()), self._rows)
        cells = np.flatnonzero(rows)
        states = [self._state(number, rows) for number in range(len(self._names))]
        return self._collapse.cells(self.grid.keys(cells, self._dtypes), states, cells)

    def _encoded(self, keys: Sequence[NumberArray]) -> npt.NDArray[np.int32] | None:
        """Return the cells of rows, None if the grid has not all of them."""
        from akdask.kernels.compiled import onepass

        if len(self._codes) < len(keys[0]):
            self._codes = np.empty(len(keys[0]), np.int32)
        codes = self._codes[: len(keys[0])]
        for number, (key, low, size) in enumerate(zip(keys, self.grid.lows, self.grid.sizes, strict=True)):
            scale = np.uint64(size if number else 0)
            if not onepass.encode(_readable(key), np.uint64(low % 2**WORD_BITS), np.uint64(size), scale, codes):
                return None
        return codes

    def _state(self, number: int, rows: NumberArray) -> State:
        """Return the state of a step."""
        step, name = self._collapse.steps[number], self._names[number]
        if name is None:
            return (rows,)
        lane = self._lanes[name]
        match step.name:
            case "count":
                return (lane.counts(),)
            case "sum":
                return (lane.column(TOTAL),)
            case "mean":
                return lane.counts(), lane.column(TOTAL)
        return (lane.extremes(LEAST if step.name == "min" else MOST),)


class Lane:
    """What the values of a column come to in each cell."""

    def __init__(self, cells: int, dtype: np.dtype[Any], extremes: bool) -> None:
        self._cells = np.zeros((cells, 4 if extremes else 2), dtype)
        self._nans = np.zeros(cells, np.int64)
        if extremes:
            floats = dtype.kind == "f"
            self._cells[:, LEAST] = np.inf if floats else np.iinfo(dtype).max
            self._cells[:, MOST] = -np.inf if floats else np.iinfo(dtype).min

    def add(self, codes: npt.NDArray[np.int32], values: NumberArray) -> None:
        """Add rows, given their cells."""
        from akdask.kernels.compiled import onepass

        loop = onepass.add_extremes if self._cells.shape[1] > LEAST else onepass.add_values
        loop(codes, _readable(values), self._cells.reshape(-1), self._nans)

    def rows(self) -> NumberArray:
        """Return the number of rows in each cell."""
        return self._cells[:, ROWS].astype(np.int64)

    def counts(self) -> NumberArray:
        """Return the number of values that are not NaN."""
        return self.rows() - self._nans

    def column(self, number: int) -> NumberArray:
        """Return one of the numbers in each cell."""
        return self._cells[:, number]

    def extremes(self, number: int) -> NumberArray:
        """Return the smallest or the largest values, NaN where there are none but NaN."""
        found = self._cells[:, number]
        return np.where(self.counts() > 0, found, np.nan) if found.dtype.kind == "f" else found


def _is_known(step: Step, values: Sequence[NumberArray]) -> bool:
    if step.name not in REDUCED or not step.columns:
        return step.name in REDUCED
    dtype = values[step.columns[0]].dtype
    return (dtype == np.float64 and step.skipna) or dtype in (np.int64, np.uint64)


def _lane_name(step: Step, values: Sequence[NumberArray]) -> Name | None:
    """Return which totals a step is found from; None where rows are counted, whatever they hold."""
    if not step.columns or step.name == "size":
        return None
    (number,) = step.columns
    return number, np.dtype(np.float64) if step.name == "mean" else values[number].dtype


def _readable(column: NumberArray) -> NumberArray:
    from akdask.kernels.compiled.compiler import read_only

    return read_only(np.ascontiguousarray(column.view(np.uint8) if column.dtype == np.bool_ else column))
