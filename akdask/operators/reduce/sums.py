"""Counts, sums, products, means, variances and standard deviations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add, and_, or_, xor
from typing import Any

import numpy as np

from akdask.columns import summation
from akdask.columns.bigint import LARGEST, limbs_of, to_ints, total
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, UINT64, bigint_
from akdask.columns.summation import ExactSum, Moments, UnitPositions, spread_out, sum_exactly, unit_products
from akdask.columns.table import type_of
from akdask.engine.operations import Opcode
from akdask.engine.reduction import (
    ANYTHING,
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
from akdask.errors import ArgumentError
from akdask.typing import Column, NumberArray

# ---------------------------------------------------------------------------------------------------------------- sums


def _total_dtype(column: NumberArray) -> Any:
    return TOTALS[type_of(column)].numpy.type


def _sum(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    if column.dtype == np.float64:
        return sum_exactly(column, mask, positions)
    return sum_rows(column, mask)


def _rounded(state: State) -> Any:
    return state.rounded() if isinstance(state, ExactSum) else state


def sum_integers(column: Any, mask: NumberArray | None) -> int:
    """Return the sum of integers of any size."""
    return total(limbs_of(select_rows(column, mask)))


def _sum_modulo(bits: int) -> ScalarForm:
    limit = 2**bits
    return ScalarForm(
        lambda column, mask: sum_integers(column, mask) % limit, lambda left, right: (left + right) % limit, bigint_
    )


ADDED = {FLOAT64: Opcode.SUM_FLOATS, INT64: Opcode.SUM_INTS, UINT64: Opcode.SUM_INTS, BOOL: Opcode.COUNT_BOOLS}

SUM = Reduction(
    "sum",
    {**TOTALS, BIGINT: BIGINT},
    scalar=ScalarForm(_sum, add, _rounded, adds_floats=True),
    integers=ScalarForm(sum_integers, add, bigint_),
    modular=_sum_modulo,
    compiled=CompiledForm(ADDED, lambda nrows, total: total),
    grouped=GroupedForm(
        totals(np.add, 0.0, TOTALS),
        MergeByUfuncs(np.add),
        itself,
        accumulated=AccumulatorForm.of_column("totals", counts=False),
    ),
    lists=ListForm(sum),
    identity=0,
    rounds=True,
)

# ------------------------------------------------------------------------------------------------------------ products


def _product(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    """Return the product of integers, which wraps; for floats, the product of each unit in row order."""
    if column.dtype != np.float64:
        return np.multiply.reduce(select_rows(column, mask), dtype=_total_dtype(column))
    if positions is None and mask is None:
        return unit_products(column)
    positions = positions or UnitPositions(np.arange(len(column)), len(column))
    rows, selected = select_rows(column, mask), select_rows(positions.offsets, mask)
    return unit_products(spread_out(rows, UnitPositions(selected, positions.extent), 1.0))


def _multiply(left: State, right: State) -> State:
    return np.concatenate([left, right]) if isinstance(left, np.ndarray) else left * right


def _rounded_product(state: State) -> Any:
    while isinstance(state, np.ndarray):
        state = unit_products(state) if len(state) > 1 else state[0] if len(state) else np.float64(1)
    return state


def _multiply_integers(numbers: list[int]) -> int:
    if sum(number.bit_length() for number in numbers) > LARGEST and 0 not in numbers:
        raise ArgumentError(
            f"prod would give an integer of more than {LARGEST} bits.",
            hint="limit the bits with max_bits, so that the product is taken modulo 2**max_bits.",
        )
    return math.prod(numbers)


def _product_modulo(bits: int) -> ScalarForm:
    def partial(column: Any, mask: NumberArray | None) -> State:
        result = 1
        for number in to_ints(select_rows(column, mask)):
            result = result * number % 2**bits
        return result

    return ScalarForm(partial, lambda left, right: left * right % 2**bits, bigint_)


PRODUCT = Reduction(
    "prod",
    {**TOTALS, BIGINT: BIGINT},
    scalar=ScalarForm(_product, _multiply, _rounded_product, adds_floats=True),
    integers=ScalarForm(
        lambda column, mask: _multiply_integers(to_ints(select_rows(column, mask))),
        lambda left, right: _multiply_integers([left, right]),
        bigint_,
    ),
    modular=_product_modulo,
    grouped=GroupedForm(
        totals(np.multiply, 1.0, giving(FLOAT64)), MergeByUfuncs(np.multiply), itself, types=giving(FLOAT64)
    ),
    lists=ListForm(
        math.prod, grouped=GroupedForm(totals(np.multiply, 1.0, TOTALS), MergeByUfuncs(np.multiply), itself)
    ),
    identity=1,
    rounds=True,
)

# -------------------------------------------------------------------------------------------------------------- counts

SIZE = Reduction(
    "size",
    giving(INT64, *ANYTHING),
    grouped=GroupedForm(
        count_rows_of_groups,
        MergeByUfuncs(np.add),
        itself,
        accumulated=AccumulatorForm.of_column("sizes"),
    ),
)

_COUNTED = ScalarForm(count_rows, add, np.int64)

COUNT = Reduction(
    "count",
    giving(INT64, *ANYTHING),
    scalar=_COUNTED,
    integers=_COUNTED,
    compiled=CompiledForm({}, lambda nrows, _: nrows),
    grouped=GroupedForm(
        count_values,
        MergeByUfuncs(np.add),
        itself,
        accumulated=AccumulatorForm.of_column("counts"),
    ),
    identity=0,
)


def _count_nonzero(column: NumberArray, mask: NumberArray | None) -> State:
    return int(np.count_nonzero(select_rows(column, mask)))


def nonzero_integers(column: Any, mask: NumberArray | None) -> NumberArray:
    """Return the mask of integers of any size that are not zero."""
    return np.asarray(limbs_of(select_rows(column, mask)).any(axis=1))


COUNT_NONZERO = Reduction(
    "count_nonzero",
    giving(INT64, *NUMBERS, BIGINT),
    scalar=ScalarForm(_count_nonzero, add, np.int64),
    integers=ScalarForm(lambda column, mask: int(nonzero_integers(column, mask).sum()), add, np.int64),
    compiled=CompiledForm({BOOL: Opcode.COUNT_BOOLS}, lambda nrows, total: int(total)),
    identity=0,
)


# --------------------------------------------------------------------------------------------------------------- means


def _mean(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    if column.dtype != np.float64:
        return count_rows(column, mask), _sum_of_integers(column, mask)
    return count_rows(column, mask), sum_exactly(column, mask, positions)


def _sum_of_integers(column: NumberArray, mask: NumberArray | None) -> int:
    if mask is None or summation.largest_sum(column) > summation.MOST:
        return summation.sum_integers(select_rows(column, mask))
    return int(sum_rows(column, mask))


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
    """Return the rows of each group and their sum, that of integers as `akdask.columns.summation` has them."""
    if column.dtype == np.float64:
        return _group_sums(groups, column, skipna)
    return groups.sizes(), *_integer_sums(groups, column.astype(TOTALS[type_of(column)].numpy, copy=False))


def _integer_sums(groups: RowGroups, integers: NumberArray) -> summation.WideTotals:
    if summation.largest_sum(integers) <= summation.MOST:
        return summation.wide_totals(groups.reduce(np.add, integers))
    return summation.joined_halves(*(groups.reduce(np.add, half) for half in summation.halves(integers)))


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
        summation.add_totals((sums[0], sums[1]), (other_sums[0], other_sums[1]))


def _finish_group_means(count: NumberArray, *total: NumberArray) -> NumberArray:
    if len(total) == 1:
        return total[0] / count
    totals, wraps = total
    return summation.quotients(totals, wraps, count)


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
