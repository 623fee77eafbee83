"""Reductions of rows by compiled loops, which go over the rows once whatever is computed of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from akdask.kernels.collapse import Collapse, Step
from akdask.kernels.grouped import State
from akdask.typing import Column, NumberArray

EXTREMES = frozenset({"min", "max"})
REDUCED = EXTREMES | {"size", "count", "sum", "mean"}
"""Reductions that the loops know, with the states that `akdask.kernels.grouped` gives them; they skip NaN."""

ZERO = np.uint64(0)

ROWS, TOTAL, LEAST, MOST = range(4)
"""What is in a cell."""

Name: TypeAlias = tuple[int, np.dtype[Any]]
"""The number of a column, and the type of its totals."""


class Lanes:
    """Partial results of rows, one cell for each group, of what the loops know.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    count : int
        Number of cells.
    values : sequence of ndarray
        Some rows of what is reduced, of which only the types matter.
    """

    def __init__(self, collapse: Collapse, count: int, values: Sequence[Column]) -> None:
        self._steps = collapse.steps
        self._names = [_name(step, values) for step in self._steps]
        wide = {name for name, step in zip(self._names, self._steps, strict=True) if step.name in EXTREMES}
        self._lanes = {name: Lane(count, name[1], name in wide) for name in self._names if name is not None}
        self._rows = np.zeros(0 if self._lanes else count, np.int64)

    @staticmethod
    def knows(collapse: Collapse, values: Sequence[Column]) -> bool:
        """Whether loops do all that is to be computed of rows like the given ones."""
        return all(isinstance(column, np.ndarray) for column in values) and all(
            _is_known(step, values) for step in collapse.steps
        )

    def add(self, codes: NumberArray, values: Sequence[Column], first: np.uint64 = ZERO) -> None:
        """Add rows, given the codes of their cells, and that of the first cell."""
        from akdask.kernels.compiled import onepass

        if not self._lanes:
            onepass.count_rows(codes, first, self._rows)
        for (number, _), lane in self._lanes.items():
            lane.add(codes, first, np.asarray(values[number]))

    @property
    def marks(self) -> NumberArray:
        """Numbers that are not 0 where a cell has rows."""
        return next((lane.rows for lane in self._lanes.values()), self._rows)

    def states(self) -> list[State]:
        """Return the state of each step."""
        return [
            (self.marks.astype(np.int64),) if name is None else self._lanes[name].state(step.name)
            for step, name in zip(self._steps, self._names, strict=True)
        ]


class Lane:
    """What the values of a column come to in each cell."""

    def __init__(self, cells: int, dtype: np.dtype[Any], extremes: bool) -> None:
        self._cells = np.zeros((cells, 4 if extremes else 2), dtype)
        self._nans = np.zeros(cells, np.int64)
        if extremes:
            floats = dtype.kind == "f"
            self._cells[:, LEAST] = np.inf if floats else np.iinfo(dtype).max
            self._cells[:, MOST] = -np.inf if floats else np.iinfo(dtype).min

    def add(self, codes: NumberArray, first: np.uint64, values: NumberArray) -> None:
        """Add rows."""
        from akdask.kernels.compiled import onepass

        loop = onepass.add_extremes if self._cells.shape[1] > LEAST else onepass.add_values
        loop(codes, first, readable(values), self._cells.reshape(-1), self._nans)

    @property
    def rows(self) -> NumberArray:
        """The number of rows in each cell, in the type of the totals."""
        return self._cells[:, ROWS]

    def state(self, name: str) -> State:
        """Return the state of a reduction."""
        match name:
            case "count":
                return (self._counts(),)
            case "sum":
                return (self._cells[:, TOTAL],)
            case "mean":
                return self._counts(), self._cells[:, TOTAL]
        extremes = self._cells[:, LEAST if name == "min" else MOST]
        # Where there are none but NaN, this is what is left.
        return (np.where(self._counts() > 0, extremes, np.nan) if extremes.dtype.kind == "f" else extremes,)

    def _counts(self) -> NumberArray:
        """Return the number of values that are not NaN."""
        return self.rows.astype(np.int64) - self._nans


def _is_known(step: Step, values: Sequence[Column]) -> bool:
    if step.name not in REDUCED or not step.columns:
        return step.name in REDUCED
    dtype = values[step.columns[0]].dtype
    return (dtype == np.float64 and step.skipna) or dtype in (np.int64, np.uint64)


def _name(step: Step, values: Sequence[Column]) -> Name | None:
    """Return which totals a step is found from; None where rows are counted, whatever they hold."""
    if not step.columns or step.name == "size":
        return None
    (number,) = step.columns
    return number, np.dtype(np.float64) if step.name == "mean" else values[number].dtype


def readable(column: NumberArray) -> NumberArray:
    """Return a column as the loops take it: contiguous, read-only, and without bool."""
    if column.dtype != np.bool_ and column.flags.c_contiguous and not column.flags.writeable:
        return column
    from akdask.kernels.compiled.compiler import read_only

    return read_only(np.ascontiguousarray(column.view(np.uint8) if column.dtype == np.bool_ else column))
