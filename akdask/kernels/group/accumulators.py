"""Reductions of rows that go on from block to block, so that floats are added up in the order of the rows.

Compiled loops go over the rows once, whatever is computed of a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np

from akdask.kernels import compiled
from akdask.kernels.group.aggregation import Aggregation, AggregationStep
from akdask.kernels.group.reductions import State
from akdask.typing import Column, NumberArray

EXTREMES = frozenset({"min", "max"})
REDUCED = EXTREMES | {"size", "count", "sum", "mean"}
"""Reductions that lanes know, with the states that `akdask.kernels.group.reductions` gives them; they skip NaN."""

ZERO = np.uint64(0)

ROWS, TOTAL, LEAST, MOST = range(4)
"""What is in a cell."""

Name: TypeAlias = tuple[int, np.dtype[Any]]
"""The number of a column, and the type of its totals."""


class Accumulators:
    """Partial results of rows, one cell for each group, of what lanes know.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    count : int
        Number of cells.
    values : sequence of ndarray
        Some rows of what is reduced, of which only the types matter.
    """

    def __init__(self, collapse: Aggregation, count: int, values: Sequence[Column]) -> None:
        self._steps = collapse.steps
        self._names = [_name(step, values) for step in self._steps]
        self._lanes = {name: Accumulator(count, name[1], self._asked(name)) for name in self._names if name is not None}
        self._rows = np.zeros(0 if self._lanes else count, np.int64)

    def _asked(self, wanted: Name) -> frozenset[str]:
        """Return the reductions that are found from some totals; rows may be counted with any."""
        asked = zip(self._names, self._steps, strict=True)
        return frozenset(step.name for name, step in asked if name is None or name == wanted)

    @staticmethod
    def knows(collapse: Aggregation, values: Sequence[Column]) -> bool:
        """Whether lanes do all that is to be computed of rows like the given ones."""
        return all(isinstance(column, np.ndarray) for column in values) and all(
            _is_known(step, values) for step in collapse.steps
        )

    def add(self, codes: NumberArray, values: Sequence[Column], first: np.uint64 = ZERO) -> None:
        """Add rows, given the codes of their cells, and that of the first cell."""
        if not self._lanes:
            _count_rows(codes, first, self._rows)
        for (number, _), lane in self._lanes.items():
            lane.add(codes, first, np.asarray(values[number]))

    def moved(self, places: NumberArray, count: int) -> Accumulators:
        """Return the same with so many cells, given where each cell goes."""
        lanes = copy(self)
        lanes._lanes = {name: lane.moved(places, count) for name, lane in self._lanes.items()}
        lanes._rows = np.zeros(count if len(self._rows) else 0, np.int64)
        if len(self._rows):
            lanes._rows[places] = self._rows
        return lanes

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


class Accumulator:
    """What the values of a column come to in each cell.

    Compiled loops want all of a cell side by side, NumPy all cells.  NumPy goes over the rows once for each thing, so
    that it only marks the cells that have rows where their number is not asked for.
    """

    def __init__(self, cells: int, dtype: np.dtype[Any], names: frozenset[str]) -> None:
        self._names = names
        self._is_compiled = compiled.is_loaded()
        self._cells = np.zeros((cells, 4 if names & EXTREMES else 2), dtype, "C" if self._is_compiled else "F")
        self._nans = np.zeros(cells, np.int64)
        self._all_marked = False
        if names & EXTREMES:
            floats = dtype.kind == "f"
            self._cells[:, LEAST] = np.inf if floats else np.iinfo(dtype).max
            self._cells[:, MOST] = -np.inf if floats else np.iinfo(dtype).min

    def add(self, codes: NumberArray, first: np.uint64, values: NumberArray) -> None:
        """Add rows."""
        if not self._is_compiled:
            self._add_by_numpy(_cells(codes, first), values)
            return
        from akdask.kernels.compiled.group import one_pass as onepass

        loop = onepass.add_extremes if self._cells.shape[1] > LEAST else onepass.add_values
        loop(codes, first, readable(values), self._cells.reshape(-1), self._nans)

    def moved(self, places: NumberArray, count: int) -> Accumulator:
        """Return the same with so many cells, given where each cell goes."""
        lane = Accumulator(count, self._cells.dtype, self._names)
        lane._cells[places], lane._nans[places] = self._cells, self._nans
        return lane

    def _add_by_numpy(self, cells: NumberArray, values: NumberArray) -> None:
        self._count(cells)
        missing = np.isnan(values) if values.dtype == np.float64 else None
        if missing is not None and missing.any():
            self._nans += np.bincount(cells[missing], minlength=len(self._nans))
            cells, values = cells[~missing], values[~missing]
        np.add.at(self._cells[:, TOTAL], cells, values)
        if self._cells.shape[1] > LEAST:
            np.minimum.at(self._cells[:, LEAST], cells, values)
            np.maximum.at(self._cells[:, MOST], cells, values)

    def _count(self, cells: NumberArray) -> None:
        """Count the rows of each cell, or mark those that have any where nobody asks for more."""
        if self._names - {"sum"}:
            self.rows[:] += np.bincount(cells, minlength=len(self.rows)).astype(self.rows.dtype, copy=False)
        elif not self._all_marked:
            self.rows[cells] = 1
            self._all_marked = bool(self.rows.all())

    @property
    def rows(self) -> NumberArray:
        """The number of rows in each cell, in the type of the totals; not 0 if there are any where only sums count."""
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


def _cells(codes: NumberArray, first: np.uint64) -> NumberArray:
    return (codes - first if first else codes).astype(np.int64, copy=False)


def _count_rows(codes: NumberArray, first: np.uint64, cells: NumberArray) -> None:
    if not compiled.should_compile(len(codes)):
        cells += np.bincount(_cells(codes, first), minlength=len(cells))
        return
    from akdask.kernels.compiled.group import one_pass as onepass

    onepass.count_rows(codes, first, cells)


def _is_known(step: AggregationStep, values: Sequence[Column]) -> bool:
    if step.name not in REDUCED or not step.columns:
        return step.name in REDUCED
    dtype = values[step.columns[0]].dtype
    return (dtype == np.float64 and step.skipna) or dtype in (np.int64, np.uint64)


def _name(step: AggregationStep, values: Sequence[Column]) -> Name | None:
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
