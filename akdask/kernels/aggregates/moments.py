"""Means, variances and standard deviations."""

from __future__ import annotations

import math
from operator import add
from typing import Any

import numpy as np

from akdask.kernels.aggregates.by_group import (
    GroupState,
    MergeByUfuncs,
    RowGroups,
    count_rows_of_groups,
    count_values,
    missing_rows,
    totals,
)
from akdask.kernels.aggregates.select import count_rows
from akdask.kernels.aggregates.specification import (
    NUMBERS,
    AccumulatorForm,
    CompiledForm,
    GroupedForm,
    ListForm,
    Reduction,
    ScalarForm,
    State,
    giving,
)
from akdask.kernels.aggregates.sums import ADDED, sum_integers
from akdask.kernels.core.opcodes import Opcode
from akdask.kernels.core.summation import Moments, UnitPositions, sum_exactly
from akdask.schema import BIGINT, FLOAT64
from akdask.typing import NumberArray

# --------------------------------------------------------------------------------------------------------------- means


def _mean(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    return count_rows(column, mask), sum_exactly(column, mask, positions)


def _merge_means(left: State, right: State) -> State:
    return left[0] + right[0], left[1] + right[1]


def _finish_mean(state: State) -> Any:
    count, total = state
    return total.rounded() / np.float64(count)


def _mean_of_integers(state: State) -> Any:
    count, total = state
    try:
        return np.float64(total / count) if count else np.float64(np.nan)
    except OverflowError:
        return np.float64(np.inf if total > 0 else -np.inf)


_sum_floats = totals(np.add, 0.0, giving(FLOAT64))


def _group_means(groups: RowGroups, column: NumberArray, skipna: bool) -> GroupState:
    total = _sum_floats(groups, column, skipna)
    # A sum without NaN has none among what was added up: then all rows count.
    everything = not skipna or column.dtype != np.float64 or not np.isnan(groups.reduce(np.add, column)).any()
    count = (count_rows_of_groups if everything else count_values)(groups, column, skipna)
    return (*count, *total)


def _finish_group_means(count: NumberArray, total: NumberArray) -> NumberArray:
    return total / count


MEAN = Reduction(
    "mean",
    giving(FLOAT64, *NUMBERS, BIGINT),
    scalar=ScalarForm(_mean, _merge_means, _finish_mean, adds_floats=True),
    integers=ScalarForm(
        lambda column, mask: (count_rows(column, mask), sum_integers(column, mask)), _merge_means, _mean_of_integers
    ),
    compiled=CompiledForm(ADDED, lambda nrows, total: (nrows, total), as_floats=True),
    grouped=GroupedForm(
        _group_means,
        MergeByUfuncs(np.add, np.add),
        _finish_group_means,
        types=giving(FLOAT64),
        accumulated=AccumulatorForm(lambda slots: (slots.counts, slots.totals), as_floats=True),
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
    count, total = _group_means(groups, column, skipna)
    mean = total / np.maximum(count, 1)
    distances = column - groups.spread(mean)
    missing = missing_rows(column, skipna)
    if missing is not None:
        distances[missing] = 0
    return count, mean, groups.reduce(np.add, np.square(distances, out=distances))


def _merge_moments(
    groups: RowGroups, skipna: bool, count: NumberArray, mean: NumberArray, squares: NumberArray
) -> GroupState:
    """Distances between the means are added to those within, which does not lose digits where means are large."""
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
