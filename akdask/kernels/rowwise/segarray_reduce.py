"""Reductions of each list to one value.  NaN is left out, as by Arkouda's GroupBy; of no values the result is 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.bigint import from_ints, to_ints
from akdask.kernels.core.rules import Kernel, Operation, Rule
from akdask.kernels.rowwise.segarray import codes_of, distinct_keys, parts_of, rows_of
from akdask.schema import BIGINT, BOOL, FLOAT64, INT64, UINT64, ColumnType, bigint_of
from akdask.typing import NumberArray

NUMBERS = (BOOL, INT64, UINT64, FLOAT64)
TOTALS = {BOOL: INT64, INT64: INT64, UINT64: UINT64, FLOAT64: FLOAT64}


def _reduceat(ufunc: np.ufunc, offsets: NumberArray, values: NumberArray, dtype: Any = None) -> NumberArray:
    """Return the reduction of every list that has values, and 0 for the others."""
    filled = np.flatnonzero(np.diff(offsets))
    found = np.zeros(len(offsets) - 1, dtype or values.dtype)
    if len(filled):
        found[filled] = ufunc.reduceat(values, offsets[filled], dtype=dtype)
    return found


def _total(ufunc: np.ufunc, neutral: int) -> Callable[[NumberArray, NumberArray], NumberArray]:
    def compute(offsets: NumberArray, values: NumberArray) -> NumberArray:
        if values.dtype.kind == "f":
            values = np.where(np.isnan(values), neutral, values)
        dtype = np.int64 if values.dtype == np.bool_ else values.dtype
        return _reduceat(ufunc, offsets, values, dtype)

    return compute


def _extreme(ufunc: np.ufunc) -> Callable[[NumberArray, NumberArray], NumberArray]:
    """Leave NaN out, unless there is nothing else."""
    return lambda offsets, values: _reduceat(ufunc, offsets, values)


def _mean(offsets: NumberArray, values: NumberArray) -> NumberArray:
    floats = values.astype(np.float64)
    counts = _reduceat(np.add, offsets, ~np.isnan(floats), np.int64)
    return _total(np.add, 0)(offsets, floats) / counts


def _position(extreme: np.ufunc) -> Callable[[NumberArray, NumberArray], NumberArray]:
    """Return the place in its list of the first value that is as small, or as large, as any."""

    def compute(offsets: NumberArray, values: NumberArray) -> NumberArray:
        best = _reduceat(extreme, offsets, values)
        rows = rows_of(offsets)
        # Where the best is NaN, there is nothing else.
        hits = np.flatnonzero((values == best[rows]) | np.isnan(best)[rows])
        found = np.zeros(len(offsets) - 1, np.int64)
        # Written from the last to the first, so that the first stays.
        found[rows[hits[::-1]]] = hits[::-1] - offsets[rows[hits[::-1]]]
        return found

    return compute


def _truth(ufunc: np.ufunc) -> Callable[[NumberArray, NumberArray], NumberArray]:
    return lambda offsets, values: _reduceat(ufunc, offsets, values != 0, np.bool_)


def _bits(ufunc: np.ufunc) -> Callable[[NumberArray, NumberArray], NumberArray]:
    return lambda offsets, values: _reduceat(ufunc, offsets, values)


def _nunique(lists: Any, out: Any = None) -> NumberArray:
    offsets, values = parts_of(lists)
    codes = codes_of(values, len(lists))
    rows = distinct_keys(codes.keys(rows_of(offsets))) // codes.count
    return np.bincount(rows, minlength=len(lists)).astype(np.int64)


BY_NUMBERS: dict[str, tuple[Callable[[NumberArray, NumberArray], NumberArray], dict[ColumnType, ColumnType]]] = {
    "sum": (_total(np.add, 0), TOTALS),
    "prod": (_total(np.multiply, 1), TOTALS),
    "min": (_extreme(np.fmin), {dtype: dtype for dtype in NUMBERS}),
    "max": (_extreme(np.fmax), {dtype: dtype for dtype in NUMBERS}),
    "mean": (_mean, dict.fromkeys(NUMBERS, FLOAT64)),
    "argmin": (_position(np.fmin), dict.fromkeys(NUMBERS, INT64)),
    "argmax": (_position(np.fmax), dict.fromkeys(NUMBERS, INT64)),
    "any": (_truth(np.logical_or), dict.fromkeys(NUMBERS, BOOL)),
    "all": (_truth(np.logical_and), dict.fromkeys(NUMBERS, BOOL)),
    "OR": (_bits(np.bitwise_or), {dtype: dtype for dtype in (BOOL, INT64, UINT64)}),
    "AND": (_bits(np.bitwise_and), {dtype: dtype for dtype in (BOOL, INT64, UINT64)}),
    "XOR": (_bits(np.bitwise_xor), {dtype: dtype for dtype in (BOOL, INT64, UINT64)}),
}

BY_INTS: dict[str, tuple[Callable[[list[int]], Any], ColumnType]] = {
    "sum": (sum, BIGINT),
    "prod": (math.prod, BIGINT),
    "min": (min, BIGINT),
    "max": (max, BIGINT),
    "mean": (lambda numbers: sum(numbers) / len(numbers), FLOAT64),
    "argmin": (lambda numbers: numbers.index(min(numbers)), INT64),
    "argmax": (lambda numbers: numbers.index(max(numbers)), INT64),
    "any": (any, BOOL),
    "all": (all, BOOL),
    "OR": (lambda numbers: reduce(or_, numbers), BIGINT),
    "AND": (lambda numbers: reduce(and_, numbers), BIGINT),
    "XOR": (lambda numbers: reduce(xor, numbers), BIGINT),
}
"""The same on integers of any size."""


def _kernel(name: str) -> Kernel:
    by_numbers, by_ints = BY_NUMBERS[name][0], BY_INTS[name]

    def kernel(lists: Any, out: Any = None, max_bits: int = -1) -> Any:
        offsets, values = parts_of(lists)
        if isinstance(values, pa.FixedSizeBinaryArray):
            return _reduce_ints(*by_ints, offsets, to_ints(values), max_bits)
        return by_numbers(offsets, values)

    return kernel


def _reduce_ints(
    compute: Callable[[list[int]], Any], result: ColumnType, offsets: NumberArray, numbers: list[int], max_bits: int
) -> Any:
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    found = [compute(numbers[start:stop]) if start < stop else 0 for start, stop in bounds]
    if result != BIGINT:
        return np.array(found, result.numpy)
    return from_ints([number % 2**max_bits for number in found] if max_bits > 0 else found)


def _rule(name: str) -> Rule:
    by_numbers, by_ints = BY_NUMBERS[name][1], BY_INTS[name][1]

    def rule(lists: ColumnType, **_: Any) -> ColumnType | None:
        if lists.item is None:
            return None
        if lists.item.kind == "bigint":
            return bigint_of(lists.item.max_bits) if by_ints == BIGINT else by_ints
        return by_numbers.get(lists.item)

    return rule


LIST_REDUCTIONS: dict[str, Operation] = {
    **{f"list_{name}": Operation(f"list_{name}", 1, _rule(name), _kernel(name), modular=True) for name in BY_NUMBERS},
    "list_nunique": Operation("list_nunique", 1, lambda lists, **_: INT64 if lists.kind == "list" else None, _nunique),
}
"""One value for each list, by the name of the reduction."""
