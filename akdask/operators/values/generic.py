"""Operations on numbers and strings alike: comparison, and choice by a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns import exact
from akdask.columns.dtypes import BOOL, STR, ColumnType
from akdask.engine.operation import Kernel, Operation, promote

COMPARISONS: dict[np.ufunc, str] = {
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
}
"""Numbers compare exactly: int64 with uint64 as in NumPy 2, integers with floats as in Python. Arkouda and NumPy round
integers to float64 first."""


def _comparison(ufunc: np.ufunc) -> Kernel:
    def kernel(left: Any, right: Any, out: Any = None) -> Any:
        if isinstance(left, (np.ndarray, np.generic)):
            return exact.compare(ufunc, left, right, out=out)
        from akdask.operators.values.strings import compare_strings

        return compare_strings(ufunc.__name__)(left, right, out=out)

    return kernel


def _comparable(left: ColumnType, right: ColumnType) -> ColumnType | None:
    return BOOL if left == right == STR or (left.is_number and right.is_number) else None


def _equatable(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """Compare text for equality; missing text has no order, but differs from all other text."""
    return BOOL if left.kind == right.kind == "str" else _comparable(left, right)


def _where(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
    """Choose without a branch: ``y + (x - y) * condition`` on the bits, modulo 2**64.

    On random conditions this is several times faster than `np.where` and `np.copyto`. It works on the bits of floats,
    and so is exact for them too.

    Raises
    ------
    ConversionError
        If both sides become floats, and a chosen integer equals no float.
    """
    if not isinstance(x, (np.ndarray, np.generic)):
        from akdask.operators.values.strings import where_strings

        return where_strings(condition, x, y)
    dtype = np.result_type(x, y)
    if exact.is_mixed(x, y):
        x, y = exact.as_floats(x, condition), exact.as_floats(y, np.logical_not(condition))
    bits = np.dtype(f"u{dtype.itemsize}")
    x, y = (side.astype(dtype, copy=False).view(bits) for side in (x, y))
    place = None if out is None else out.view(bits)
    scaled = np.multiply(np.subtract(x, y, out=place), condition.view(np.uint8), out=place, dtype=bits)
    chosen = np.add(scaled, y, out=place)
    return chosen.view(dtype) if out is None else out


def _where_type(condition: ColumnType, x: ColumnType, y: ColumnType) -> ColumnType | None:
    if condition != BOOL:
        return None
    return STR if x == y == STR else promote(x, y)


BY_UFUNC: dict[np.ufunc, Operation] = {
    ufunc: Operation(ufunc.__name__, 2, _equatable if ufunc is np.equal else _comparable, _comparison(ufunc), symbol)
    for ufunc, symbol in COMPARISONS.items()
}

GENERIC_OPERATIONS: dict[str, Operation] = {
    **{operation.name: operation for operation in BY_UFUNC.values()},
    "where": Operation("where", 3, _where_type, _where),
}
