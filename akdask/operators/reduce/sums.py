"""Counts, sums and products."""

from __future__ import annotations

import math
from operator import add
from typing import Any

import numpy as np

from akdask.columns.bigint import LARGEST, limbs_of, to_ints, total
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, UINT64, bigint_
from akdask.columns.rows import type_of
from akdask.columns.summation import ExactSum, UnitPositions, spread_out, sum_exactly, unit_products
from akdask.engine.operations import Opcode
from akdask.engine.reduction import (
    ANYTHING,
    NUMBERS,
    TOTALS,
    AccumulatorForm,
    CompiledForm,
    GroupedForm,
    ListForm,
    MergeByUfuncs,
    Reduction,
    ScalarForm,
    State,
    count_rows,
    count_rows_of_groups,
    count_values,
    giving,
    itself,
    select_rows,
    sum_rows,
    totals,
)
from akdask.errors import ArgumentError
from akdask.typing import NumberArray

# ---------------------------------------------------------------------------------------------------------------- sums


def _total_dtype(column: NumberArray) -> Any:
    return TOTALS[type_of(column)].numpy.type


def _sum(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    if column.dtype == np.float64:
        return sum_exactly(column, mask, positions)
    return sum_rows(column, mask, _total_dtype(column))


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
        accumulated=AccumulatorForm(lambda slots: (slots.totals,), counts=False),
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
        accumulated=AccumulatorForm(lambda slots: (slots.sizes,)),
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
        accumulated=AccumulatorForm(lambda slots: (slots.counts,)),
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
