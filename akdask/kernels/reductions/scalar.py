"""Reductions of a column to one value, in three steps: partial on each block, merge in row order, finalize."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from akdask.columns import concat_rows, type_of
from akdask.kernels.core.reduction import TOTALS, Reduction, State, some
from akdask.kernels.core.summation import ExactSum, Moments, UnitPositions, spread_out, sum_exactly, unit_products
from akdask.kernels.reductions.bigint import BIGINT_REDUCTIONS, modulo
from akdask.kernels.reductions.select import count_rows, select_rows, sum_rows
from akdask.schema import BOOL, FLOAT64, INT64, STR, ColumnType
from akdask.typing import Column, NumberArray

NUMBERS = tuple(TOTALS)


def _giving(result: ColumnType, *more: ColumnType) -> dict[ColumnType, ColumnType]:
    return dict.fromkeys((*NUMBERS, *more), result)


def _total_dtype(column: NumberArray) -> Any:
    return TOTALS[type_of(column)].numpy.type


# --------------------------------------------------------------------------------------------------- sums and counts


def _sum(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    if column.dtype == np.float64:
        return sum_exactly(column, mask, positions)
    return sum_rows(column, mask, _total_dtype(column))


def _final_sum(state: State) -> Any:
    return state.rounded() if isinstance(state, ExactSum) else state


def _product(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    """Return the product of integers, which wraps; of floats that of each unit, in the order of the rows."""
    if column.dtype != np.float64:
        return np.multiply.reduce(select_rows(column, mask), dtype=_total_dtype(column))
    if positions is None and mask is None:
        return unit_products(column)
    positions = positions or UnitPositions(np.arange(len(column)), len(column))
    rows, offsets = select_rows(column, mask), select_rows(positions.offsets, mask)
    return unit_products(spread_out(rows, UnitPositions(offsets, positions.extent), 1.0))


def _multiply(left: State, right: State) -> State:
    return np.concatenate([left, right]) if isinstance(left, np.ndarray) else left * right


def _final_product(state: State) -> Any:
    while isinstance(state, np.ndarray):
        state = unit_products(state) if len(state) > 1 else state[0] if len(state) else np.float64(1)
    return state


def _count_nonzero(column: NumberArray, mask: NumberArray | None) -> State:
    return int(np.count_nonzero(select_rows(column, mask)))


def _add(left: State, right: State) -> State:
    return left + right


# ------------------------------------------------------------------------------------- -------- mean and variance


def _mean(column: NumberArray, mask: NumberArray | None, positions: UnitPositions | None) -> State:
    return count_rows(column, mask), sum_exactly(column, mask, positions)


def _merge_mean(left: State, right: State) -> State:
    return left[0] + right[0], left[1] + right[1]


def _final_mean(state: State) -> Any:
    count, total = state
    return total.rounded() / np.float64(count)


def _variance(state: State, ddof: float = 0) -> Any:
    return state.distances() / np.float64(max(state.count - ddof, 0))


def _deviation(state: State, ddof: float = 0) -> Any:
    return np.sqrt(_variance(state, ddof))


# ---------------------------------------------------------------- extremes, (value,), and their positions, (n, i, v)


def _extreme(name: str, ufunc: np.ufunc) -> Reduction:
    def block(column: NumberArray, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        return (ufunc.reduce(rows),) if len(rows) else ()

    def merge(left: State, right: State) -> State:
        return (ufunc(*left, *right),) if left and right else left or right

    def final(state: State) -> Any:
        return some(state, name)[0]

    return Reduction(name, {t: t for t in NUMBERS}, block, merge, final)


def _position(name: str, find: Callable[[NumberArray], Any], beats: np.ufunc) -> Reduction:
    """Declare argmin or argmax: the first row wins among equals, the first NaN over everything, as in NumPy."""

    def block(column: NumberArray, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        if not len(rows):
            return 0, None, None
        position = int(find(rows))
        return len(rows), position, rows[position]

    def merge(left: State, right: State) -> State:
        count = left[0] + right[0]
        if not left[0] or not right[0]:
            # Positions in the later block are counted from its own start.
            return (count, *left[1:]) if left[0] else (count, *right[1:])
        is_nan = left[2] != left[2], right[2] != right[2]
        if not is_nan[0] and (is_nan[1] or beats(right[2], left[2])):
            return count, left[0] + right[1], right[2]
        return count, left[1], left[2]

    def final(state: State) -> Any:
        return np.int64(some(state[1:] if state[0] else (), name)[0])

    return Reduction(name, _giving(INT64), block, merge, final)


# ----------------------------------------------------------------------------------------------------- distinct, sorted


def _distinct(column: Column, mask: NumberArray | None) -> State:
    """Return the different values; all NaN are one, as in NumPy."""
    rows = select_rows(column, mask)
    if not isinstance(rows, np.ndarray):
        return pc.unique(rows)
    # np.unique hashes since NumPy 2.3, which is many times slower on distinct values than sorting is.
    values = np.sort(rows)
    first = np.ones(len(values), np.bool_)
    first[1:] = (values[1:] != values[:-1]) & (values[:-1] == values[:-1])
    return values[first]


def _merge_distinct(left: State, right: State) -> State:
    return _distinct(concat_rows([left, right]), None)


def _ascending(values: Column) -> Column:
    return values if isinstance(values, np.ndarray) else values.take(pc.array_sort_indices(values))


def _is_sorted(column: Column, mask: NumberArray | None) -> State:
    """Whether the rows ascend, and the first and last one; whether alone where there are none."""
    rows = select_rows(column, mask)
    if not len(rows):
        return (True,)
    if isinstance(rows, np.ndarray):
        return bool(np.all(rows[:-1] <= rows[1:])), rows[0], rows[-1]
    ascending = pc.all(pc.less_equal(rows[:-1], rows[1:]), min_count=0).as_py()
    # Python orders text by code points, which is the order of the bytes.
    return ascending, rows[0].as_py(), rows[-1].as_py()


def _merge_sorted(left: State, right: State) -> State:
    if len(left) == 1 or len(right) == 1:
        return right if len(left) == 1 else left
    return bool(left[0] and right[0] and left[2] <= right[1]), left[1], right[2]


class _Reductions(dict[str, Reduction]):
    """Reductions by name, with those modulo a power of two, of which there are as many as there are powers."""

    def __missing__(self, name: str) -> Reduction:
        base, found, bits = name.partition(MODULO)
        if not found:
            raise KeyError(name)
        return self.setdefault(name, modulo(self[base], int(bits)))


MODULO = " modulo 2**"

REDUCTIONS = _Reductions(
    (reduction.name, reduction)
    for reduction in (
        *BIGINT_REDUCTIONS,
        Reduction("sum", TOTALS, _sum, _add, _final_sum, is_placed=True),
        Reduction("prod", TOTALS, _product, _multiply, _final_product, is_placed=True),
        Reduction("count", _giving(INT64, STR), count_rows, _add, np.int64),
        Reduction("count_nonzero", _giving(INT64), _count_nonzero, _add, np.int64),
        Reduction("mean", _giving(FLOAT64), _mean, _merge_mean, _final_mean, is_placed=True),
        Reduction("var", _giving(FLOAT64), Moments.of, _add, _variance, is_placed=True),
        Reduction("std", _giving(FLOAT64), Moments.of, _add, _deviation, is_placed=True),
        Reduction("any", _giving(BOOL), lambda c, mask: select_rows(c, mask).any(), np.logical_or, np.bool_),
        Reduction("all", _giving(BOOL), lambda c, mask: select_rows(c, mask).all(), np.logical_and, np.bool_),
        _extreme("min", np.minimum),
        _extreme("max", np.maximum),
        _position("argmin", np.argmin, np.less),
        _position("argmax", np.argmax, np.greater),
        Reduction("nunique", _giving(INT64, STR), _distinct, _merge_distinct, lambda state: np.int64(len(state))),
        Reduction("distinct", {t: t for t in (*NUMBERS, STR)}, _distinct, _merge_distinct, _ascending),
        Reduction("is_sorted", _giving(BOOL, STR), _is_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    )
)


def join_states(
    names: Sequence[str], left: Sequence[State | None], right: Sequence[State | None]
) -> list[State | None]:
    """Return the states of several reductions on the rows of both, None for each that neither has rows of."""
    return [REDUCTIONS[name].joined(*states) for name, *states in zip(names, left, right, strict=True)]


def adds_floats(name: str, dtype: ColumnType) -> bool:
    """Whether a reduction of a column of some type rounds what it adds up, so that its order matters."""
    return REDUCTIONS[name].is_placed and (name in {"mean", "var", "std"} or dtype == FLOAT64)


def reduction_of(name: str, dtype: ColumnType) -> str:
    """Return the name of the reduction that does for a column of some type what users call by another name."""
    if dtype.kind != "bigint" or f"{name} of bigint" not in REDUCTIONS:
        return name
    limited = dtype.max_bits > 0 and name in {"sum", "prod"}
    return f"{name} of bigint" + (f"{MODULO}{dtype.max_bits}" if limited else "")
