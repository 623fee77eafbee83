"""Accumulators: running states of reductions, one slot for each group.

Accumulators continue from block to block, so floats are added in row order. Compiled loops go over a column once for
all its reductions.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np

from akdask import compiled
from akdask.columns import integer_sums
from akdask.engine.reduction import AccumulatorForm, GroupState
from akdask.operators.group.table import Aggregation, AggregationStep
from akdask.typing import Column, NumberArray

ZERO = np.uint64(0)

TOTAL, ROWS, LEAST, MOST = range(4)
"""The fields of a slot; only the total if no extremes are needed and another column counts the rows."""

Name: TypeAlias = tuple[int, np.dtype[Any]]
"""The number of a column, and the type of its totals."""


class Accumulators:
    """Partial results of rows, one slot for each group, of reductions that have a form for accumulators.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    count : int
        Number of slots.
    values : sequence of ndarray
        Some rows of the reduced columns, for their types.
    """

    def __init__(self, aggregation: Aggregation, count: int, values: Sequence[Column]) -> None:
        self._steps = aggregation.steps
        self._names = [_name(step, values) for step in self._steps]
        of_extremes = {name for name, step in zip(self._names, self._steps, strict=True) if _form(step).extremes}
        exact = {name for name, step in zip(self._names, self._steps, strict=True) if _form(step).exact}
        counts_rows = any(_form(step).counts for step in self._steps)
        self._columns: dict[Name, Accumulator] = {}
        for name in dict.fromkeys(name for name in self._names if name):
            self._columns[name] = Accumulator(
                count, name[1], name in of_extremes, counts_rows, self._counter, exact=name in exact
            )
        self._sizes = np.zeros(0 if self._columns else count, np.int64)

    @property
    def _counter(self) -> Accumulator | None:
        """The first column, which counts the rows for all columns."""
        return next(iter(self._columns.values()), None)

    @staticmethod
    def accept(aggregation: Aggregation, values: Sequence[Column]) -> bool:
        """Whether accumulators can compute the aggregation of such rows."""
        return all(isinstance(column, np.ndarray) for column in values) and all(
            _is_accepted(step, values) for step in aggregation.steps
        )

    def add(self, codes: NumberArray, values: Sequence[Column], first: np.uint64 = ZERO) -> None:
        """Add rows, given the codes of their slots and the code of the first slot."""
        if not self._columns:
            _count_rows(codes, first, self._sizes)
        for (number, _), accumulator in self._columns.items():
            accumulator.add(codes, first, np.asarray(values[number]))

    def moved(self, slots: NumberArray, count: int) -> Accumulators:
        """Return the accumulators with `count` slots, given the new position of each slot."""
        result = copy(self)
        result._columns = {}
        for name, column in self._columns.items():
            result._columns[name] = column.moved(slots, count, result._counter)
        result._sizes = np.zeros(count if len(self._sizes) else 0, np.int64)
        if len(self._sizes):
            result._sizes[slots] = self._sizes
        return result

    @property
    def occupied(self) -> NumberArray:
        """Numbers that are not 0 for slots with rows."""
        return self._sizes if self._counter is None else self._counter.rows

    def states(self) -> list[GroupState]:
        """Return the state of each step."""
        return [
            (self.occupied.astype(np.int64),) if name is None else _form(step).state(self._columns[name])
            for step, name in zip(self._steps, self._names, strict=True)
        ]


class Accumulator:
    """The running state of a column in each slot: the `Slots` of reductions.

    Compiled loops keep the fields of a slot together; NumPy keeps each field of all slots together. NumPy goes over the
    rows once for each field. So it only marks the slots with rows if their number is not needed.

    Parameters
    ----------
    nslots : int
    dtype : numpy.dtype
        Type of the totals.
    extremes : bool
        Whether to find the smallest and largest values.
    counts_rows : bool
        Whether to count rows.
    counter : Accumulator, optional
        The accumulator of another column that counts the same rows.
    exact : bool
        Whether sums of integers must not wrap.
    """

    def __init__(
        self,
        nslots: int,
        dtype: np.dtype[Any],
        extremes: bool,
        counts_rows: bool,
        counter: Accumulator | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self._counter, self._counts_rows = counter, counts_rows
        self._is_exact = exact and dtype.kind != "f"
        self._largest = 0
        self._high: NumberArray | None = None
        """The sums of the upper halves, once the totals may wrap."""
        self._is_compiled = compiled.is_loaded()
        self._width = 4 if extremes else 2 if counter is None else 1
        self._slots = np.zeros((nslots, self._width), dtype, "C" if self._is_compiled else "F")
        self._nans = np.zeros(nslots, np.int64)
        self._all_occupied = False
        if extremes:
            floats = dtype.kind == "f"
            self._slots[:, LEAST] = np.inf if floats else np.iinfo(dtype).max
            self._slots[:, MOST] = -np.inf if floats else np.iinfo(dtype).min

    def add(self, codes: NumberArray, first: np.uint64, values: NumberArray) -> None:
        """Add rows."""
        if self._is_exact:
            self._add_high(codes, first, values)
        if not self._is_compiled:
            self._add_by_numpy(_slot_numbers(codes, first), values)
            return
        from akdask.operators.group import one_pass_loops

        loop = {1: one_pass_loops.add_values, 2: one_pass_loops.count_and_add, 4: one_pass_loops.count_and_compare}[
            self._width
        ]
        loop(codes, first, readable(values), self._slots.reshape(-1), self._nans)

    def moved(self, slots: NumberArray, count: int, counter: Accumulator | None) -> Accumulator:
        """Return the accumulator with `count` slots, given the new position of each slot, and its row counter."""
        result = Accumulator(
            count, self._slots.dtype, self._width > LEAST, self._counts_rows, counter, exact=self._is_exact
        )
        result._slots[slots], result._nans[slots] = self._slots, self._nans
        result._largest = self._largest
        if self._high is not None:
            result._high = np.zeros(count, np.int64)
            result._high[slots] = self._high
        return result

    def _add_high(self, codes: NumberArray, first: np.uint64, integers: NumberArray) -> None:
        """Add the upper halves of integers, as soon as totals may wrap with them."""
        if self._high is None:
            self._largest += integer_sums.largest_sum(integers)
            if self._largest <= integer_sums.MOST:
                return
            self._high, _ = integer_sums.halves(self.totals)
        high, _ = integer_sums.halves(integers)
        if not self._is_compiled:
            np.add.at(self._high, _slot_numbers(codes, first), high)
            return
        from akdask.operators.group import one_pass_loops

        one_pass_loops.add_values(codes, first, readable(high), self._high, self._nans)

    def _add_by_numpy(self, slots: NumberArray, values: NumberArray) -> None:
        if self._counter is None:
            self._count(slots)
        missing = np.isnan(values) if values.dtype == np.float64 else None
        if missing is not None and missing.any():
            self._nans += np.bincount(slots[missing], minlength=len(self._nans))
            slots, values = slots[~missing], values[~missing]
        # NumPy's loop for values of the totals' type is several times faster.
        values = values.astype(self._slots.dtype, copy=False)
        with np.errstate(invalid="ignore"):  # the sum of infinities of both signs is NaN
            np.add.at(self._slots[:, TOTAL], slots, values)
        if self._width > LEAST:
            np.minimum.at(self._slots[:, LEAST], slots, values)
            np.maximum.at(self._slots[:, MOST], slots, values)

    def _count(self, slots: NumberArray) -> None:
        """Count the rows of each slot, or mark slots with rows if no reduction needs the number."""
        if self._counts_rows:
            self.rows[:] += np.bincount(slots, minlength=len(self.rows)).astype(self.rows.dtype, copy=False)
        elif not self._all_occupied:
            self.rows[slots] = 1
            self._all_occupied = bool(self.rows.all())

    @property
    def rows(self) -> NumberArray:
        """The number of rows in each slot, in the type of totals; if only sums count, any number but 0 means rows."""
        return self._slots[:, ROWS] if self._counter is None else self._counter.rows

    @property
    def sizes(self) -> NumberArray:
        """The number of rows in each slot."""
        return self.rows.astype(np.int64)

    @property
    def counts(self) -> NumberArray:
        """The number of values that are not NaN."""
        return self.sizes - self._nans

    @property
    def totals(self) -> NumberArray:
        """The sums; sums of integers wrap."""
        return self._slots[:, TOTAL]

    @property
    def wide_totals(self) -> integer_sums.WideTotals:
        """The sums of integers, and how often they have wrapped."""
        if self._high is None:
            return integer_sums.wide_totals(self.totals)
        return integer_sums.completed_totals(self.totals, self._high)

    @property
    def minima(self) -> NumberArray:
        """The smallest values, NaN for slots without values."""
        return self._extremes(LEAST)

    @property
    def maxima(self) -> NumberArray:
        """The largest values, NaN for slots without values."""
        return self._extremes(MOST)

    def _extremes(self, number: int) -> NumberArray:
        extremes = self._slots[:, number]
        # Slots with nothing but NaN keep this initial value.
        return np.where(self.counts > 0, extremes, np.nan) if extremes.dtype.kind == "f" else extremes


def _slot_numbers(codes: NumberArray, first: np.uint64) -> NumberArray:
    return (codes - first if first else codes).astype(np.int64, copy=False)


def _count_rows(codes: NumberArray, first: np.uint64, counts: NumberArray) -> None:
    if not compiled.should_compile(len(codes)):
        counts += np.bincount(_slot_numbers(codes, first), minlength=len(counts))
        return
    from akdask.operators.group import one_pass_loops

    one_pass_loops.count_rows(codes, first, counts)


def _form(step: AggregationStep) -> AccumulatorForm:
    assert step.form.accumulated is not None, "other steps are not accepted"
    return step.form.accumulated


def _is_accepted(step: AggregationStep, values: Sequence[Column]) -> bool:
    if step.form.accumulated is None or not step.columns:
        return step.form.accumulated is not None
    dtype = values[step.columns[0]].dtype
    return (dtype == np.float64 and step.skipna) or dtype in (np.int64, np.uint64)


def _name(step: AggregationStep, values: Sequence[Column]) -> Name | None:
    """Return the key of the totals of a step; None if it counts rows, whatever their values."""
    if not step.columns or step.name == "size":
        return None
    (number,) = step.columns
    return number, values[number].dtype


def readable(column: NumberArray) -> NumberArray:
    """Return a column in the form of the loops: contiguous, read-only, and without bool."""
    if column.dtype != np.bool_ and column.flags.c_contiguous and not column.flags.writeable:
        return column
    from akdask.compiler import read_only

    return read_only(np.ascontiguousarray(column.view(np.uint8) if column.dtype == np.bool_ else column))
