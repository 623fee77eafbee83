"""Means, variances and standard deviations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add, and_, or_, xor
from typing import Any

import numpy as np

from akdask.columns import integer_sums
from akdask.columns.bigint import limbs_of
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, UINT64
from akdask.columns.exact import EXACT
from akdask.columns.rows import type_of
from akdask.columns.summation import ExactSum, Moments, UnitPositions, sum_exactly
from akdask.engine.operations import Opcode
from akdask.engine.reduction import (
    NUMBERS,
    TOTALS,
    AccumulatorForm,
    CompiledForm,
    GroupedForm,
    GroupState,
    ListForm,
    MergeByUfuncs,
    Reduction,
    RowGroups,
    ScalarForm,
    Slots,
    State,
    count_rows,
    count_rows_of_groups,
    count_values,
    giving,
    itself,
    missing_rows,
    reduce_column,
    select_rows,
    sum_rows,
    themselves,
    totals,
)
from akdask.operators.reduce.sums import nonzero_integers, sum_integers
from akdask.typing import Column, NumberArray

# --------------------------------------------------------------------------------------------------------------- means


def _mean(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    if column.dtype != np.float64:
        return count_rows(column, mask), _sum_of_integers(column, mask)
    return count_rows(column, mask), sum_exactly(column, mask, positions)


def _sum_of_integers(column: NumberArray, mask: NumberArray | None) -> int:
    if mask is None or integer_sums.largest_sum(column) > integer_sums.MOST:
        return integer_sums.sum_exactly(select_rows(column, mask))
    return int(sum_rows(column, mask, TOTALS[type_of(column)].numpy.type))


def _merge_means(left: State, right: State) -> State:
    return left[0] + right[0], left[1] + right[1]


def _finish_mean(state: State) -> Any:
    count, total = state
    if isinstance(total, int):
        return _mean_of_integers(state)
    return total.rounded() / np.float64(count)


def _mean_of_integers(state: State) -> Any:
    count, total = state
    try:
        return np.float64(total / count) if count else np.float64(np.nan)
    except OverflowError:
        return np.float64(np.inf if total > 0 else -np.inf)


_sum_floats = totals(np.add, 0.0, giving(FLOAT64))


def _group_means(groups: RowGroups, column: NumberArray, skipna: bool) -> GroupState:
    """Return the rows of each group and their sum, that of integers as `akdask.columns.integer_sums` has them."""
    if column.dtype == np.float64:
        return _group_sums(groups, column, skipna)
    return groups.sizes(), *_integer_sums(groups, column.astype(TOTALS[type_of(column)].numpy, copy=False))


def _integer_sums(groups: RowGroups, integers: NumberArray) -> integer_sums.WideTotals:
    most = integer_sums.largest_sum(integers)
    if most <= EXACT:
        # Floats hold all sums, and are added up faster without compiled loops.
        return integer_sums.wide_totals(groups.reduce(np.add, integers.astype(np.float64)).astype(np.int64))
    if most <= integer_sums.MOST:
        return integer_sums.wide_totals(groups.reduce(np.add, integers))
    return integer_sums.joined_halves(*(groups.reduce(np.add, half) for half in integer_sums.halves(integers)))


def _group_sums(groups: RowGroups, column: NumberArray, skipna: bool) -> GroupState:
    """Return the rows of each group and the sum of their floats."""
    total = _sum_floats(groups, column, skipna)
    # A sum without NaN had none among its rows, so all rows count.
    everything = not skipna or column.dtype != np.float64 or not np.isnan(groups.reduce(np.add, column)).any()
    count = (count_rows_of_groups if everything else count_values)(groups, column, skipna)
    return (*count, *total)


class _MergeSums(MergeByUfuncs):
    """Merges numbers of rows and sums, of floats or of integers."""

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> GroupState:
        if len(state) == 2:
            return super().__call__(groups, skipna, *state)
        count, totals, wraps = map(np.asarray, state)
        merged, more = _integer_sums(groups, totals)
        return groups.reduce(np.add, count), merged, groups.reduce(np.add, wraps) + more

    def in_place(self, skipna: bool, total: GroupState, more: GroupState) -> None:
        if len(total) == 2:
            super().in_place(skipna, total, more)
            return
        (count, *sums), (other_count, *other_sums) = (list(map(np.asarray, state)) for state in (total, more))
        count += other_count
        integer_sums.add_totals((sums[0], sums[1]), (other_sums[0], other_sums[1]))


def _finish_group_means(count: NumberArray, *total: NumberArray) -> NumberArray:
    if len(total) == 1:
        return total[0] / count
    totals, wraps = total
    return integer_sums.quotients(totals, wraps, count)


def _means_of_slots(slots: Slots) -> GroupState:
    if slots.totals.dtype == np.float64:
        return slots.counts, slots.totals
    return slots.counts, *slots.wide_totals


_SUMMED = {
    FLOAT64: Opcode.SUM_FLOATS,
    INT64: Opcode.SUM_WIDE_INTS,
    UINT64: Opcode.SUM_WIDE_UINTS,
    BOOL: Opcode.COUNT_BOOLS,
}


def _compiled_mean(nrows: int, total: Any) -> State:
    return nrows, total if isinstance(total, ExactSum) else int(total)


MEAN = Reduction(
    "mean",
    giving(FLOAT64, *NUMBERS, BIGINT),
    scalar=ScalarForm(_mean, _merge_means, _finish_mean, adds_floats=True),
    integers=ScalarForm(
        lambda column, mask: (count_rows(column, mask), sum_integers(column, mask)), _merge_means, _mean_of_integers
    ),
    compiled=CompiledForm(_SUMMED, _compiled_mean),
    grouped=GroupedForm(
        _group_means,
        _MergeSums(np.add, np.add),
        _finish_group_means,
        types=giving(FLOAT64),
        accumulated=AccumulatorForm(_means_of_slots, exact=True),
    ),
    lists=ListForm(lambda numbers: sum(numbers) / len(numbers)),
    identity=math.nan,
    rounds=True,
)

# ----------------------------------------------------------------------------------------------------------- variances


def _variance(state: State, ddof: float = 0) -> Any:
    return state.distances() / np.float64(max(state.count - ddof, 0))


def _deviation(state: State, ddof: float = 0) -> Any:
    return np.sqrt(_variance(state, ddof))


def _group_moments(groups: RowGroups, column: NumberArray, skipna: bool) -> GroupState:
    """Return the rows of each group, their mean, and the sum of the squared distances from it."""
    count, total = _group_sums(groups, column, skipna)
    mean = total / np.maximum(count, 1)
    distances = column - groups.spread(mean)
    missing = missing_rows(column, skipna)
    if missing is not None:
        distances[missing] = 0
    return count, mean, groups.reduce(np.add, np.square(distances, out=distances))


def _merge_moments(
    groups: RowGroups, skipna: bool, count: NumberArray, mean: NumberArray, squares: NumberArray
) -> GroupState:
    """Add the squared distance between the means to those within, which keeps digits for large means."""
    total = groups.reduce(np.add, count)
    common = groups.reduce(np.add, mean * (count / np.maximum(groups.spread(total), 1)))
    between = np.square(mean - groups.spread(common)) * count
    return total, common, groups.reduce(np.add, squares + between)


def _group_variance(count: NumberArray, mean: NumberArray, squares: NumberArray, ddof: float = 1) -> NumberArray:
    return np.where(count > ddof, squares / (count - ddof), np.nan)


def _group_deviation(count: NumberArray, mean: NumberArray, squares: NumberArray, ddof: float = 1) -> NumberArray:
    return np.sqrt(_group_variance(count, mean, squares, ddof))


_MOMENTS = CompiledForm({FLOAT64: Opcode.KEEP_FLOATS}, lambda nrows, moments: moments, as_floats=True)

VARIANCE = Reduction(
    "var",
    giving(FLOAT64),
    scalar=ScalarForm(Moments.of, add, _variance, adds_floats=True),
    compiled=_MOMENTS,
    grouped=GroupedForm(_group_moments, _merge_moments, _group_variance),
    identity=math.nan,
    rounds=True,
)

DEVIATION = Reduction(
    "std",
    giving(FLOAT64),
    scalar=ScalarForm(Moments.of, add, _deviation, adds_floats=True),
    compiled=_MOMENTS,
    grouped=GroupedForm(_group_moments, _merge_moments, _group_deviation),
    identity=math.nan,
    rounds=True,
)


def _nonzero(column: Column) -> NumberArray:
    nonzero: Any = column != 0 if isinstance(column, np.ndarray) else limbs_of(column).any(axis=1)
    return np.asarray(nonzero)


def _truth(
    name: str,
    find: Callable[[Any], Any],
    *,
    ufunc: np.ufunc,
    extreme: np.ufunc,
    compiled: Callable[[int, int], bool],
    identity: bool,
) -> Reduction:
    """Declare any or all; the state is a bool, that of groups uint8, which ufuncs reduce faster."""

    def partial_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        return (groups.reduce(extreme, _nonzero(column).view(np.uint8)),)

    return Reduction(
        name,
        giving(BOOL, *NUMBERS, BIGINT),
        scalar=ScalarForm(lambda column, mask: find(select_rows(column, mask)), ufunc, np.bool_),
        integers=ScalarForm(lambda column, mask: find(nonzero_integers(column, mask)), ufunc, np.bool_),
        compiled=CompiledForm({BOOL: Opcode.COUNT_BOOLS}, lambda nrows, total: np.bool_(compiled(nrows, int(total)))),
        grouped=GroupedForm(partial_groups, MergeByUfuncs(extreme), lambda found: found.astype(np.bool_)),
        lists=ListForm(lambda numbers: find(np.array([number != 0 for number in numbers]))),
        identity=identity,
    )


ANY = _truth(
    "any",
    np.any,
    ufunc=np.logical_or,
    extreme=np.maximum,
    compiled=lambda nrows, count: count > 0,
    identity=False,
)
ALL = _truth(
    "all",
    np.all,
    ufunc=np.logical_and,
    extreme=np.minimum,
    compiled=lambda nrows, count: count == nrows,
    identity=True,
)


def _bits(name: str, ufunc: np.ufunc, operation: Callable[[int, int], int]) -> Reduction:
    def partial_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        return (reduce_column(groups, ufunc, column),)

    types = (INT64, UINT64, BIGINT)
    return Reduction(
        name,
        themselves(*types),
        grouped=GroupedForm(partial_groups, MergeByUfuncs(ufunc), itself),
        lists=ListForm(lambda numbers: reduce(operation, numbers), types=themselves(BOOL, *types)),
    )


OR = _bits("OR", np.bitwise_or, or_)
AND = _bits("AND", np.bitwise_and, and_)
XOR = _bits("XOR", np.bitwise_xor, xor)
