"""Functions along one dimension of blocks of an array of several: sorting, scans, and what NumPy alone reduces so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import type_of
from akdask.kernels.aggregates.specification import TOTALS
from akdask.kernels.reductions.scan import SCANS
from akdask.schema import BOOL, FLOAT64, INT64, ColumnType
from akdask.typing import NumberArray


@dataclass(frozen=True, slots=True)
class AxisFunction:
    """A function along the second of three dimensions, for all positions along the others.

    Parameters
    ----------
    name : str
        Its key in ``AXIS_FUNCTIONS``.
    result_type : callable
        The type of the elements to that of the result.
    compute : callable
        Takes the block and keyword arguments, and returns a block.
    reduces : bool, default False
        Whether the dimension has the length 1 in the result; otherwise it stays as long as it is.
    chooses : bool, default False
        Whether the result is made of the elements, so that times stay times.
    """

    name: str
    result_type: Callable[[ColumnType], ColumnType]
    compute: Callable[..., NumberArray]
    reduces: bool = False
    chooses: bool = False


def _reversed_order(block: NumberArray) -> NumberArray:
    """Return numbers whose order is the reverse, and NaN for NaN, which stays last."""
    return np.negative(block) if block.dtype.kind == "f" else np.invert(block)


def _sort(block: NumberArray, *, ascending: bool) -> NumberArray:
    return np.sort(block, axis=1) if ascending else _reversed_order(np.sort(_reversed_order(block), axis=1))


def _argsort(block: NumberArray, *, ascending: bool) -> NumberArray:
    return np.argsort(block if ascending else _reversed_order(block), axis=1, kind="stable")


def _is_sorted(block: NumberArray) -> NumberArray:
    found: NumberArray = np.all(block[:, :-1] <= block[:, 1:], axis=1, keepdims=True)
    return found


def _reduction(name: str, types: Mapping[ColumnType, ColumnType] | ColumnType | None = None) -> AxisFunction:
    reduce = getattr(np, name)

    def compute(block: NumberArray) -> NumberArray:
        found: NumberArray = reduce(block, axis=1, keepdims=True)
        return found

    def result_type(dtype: ColumnType) -> ColumnType:
        return dtype if types is None else types[dtype] if isinstance(types, Mapping) else types

    return AxisFunction(name, result_type, compute, reduces=True)


def _moment(name: str) -> AxisFunction:
    compute_moment = getattr(np, name)

    def compute(block: NumberArray, **params: Any) -> NumberArray:
        found: NumberArray = compute_moment(block, axis=1, keepdims=True, dtype=np.float64, **params)
        return found

    return AxisFunction(name, lambda _: FLOAT64, compute, reduces=True)


def _scan(name: str) -> AxisFunction:
    scan = SCANS[name]

    def compute(block: NumberArray) -> NumberArray:
        found: NumberArray = scan.ufunc.accumulate(block, axis=1, dtype=scan.types[type_of(block)].numpy)
        return found

    return AxisFunction(name, lambda dtype: scan.types[dtype], compute, chooses=name in {"cummin", "cummax"})


AXIS_FUNCTIONS: dict[str, AxisFunction] = {
    function.name: function
    for function in (
        AxisFunction("sort", lambda dtype: dtype, _sort, chooses=True),
        AxisFunction("argsort", lambda _: INT64, _argsort),
        *map(_scan, SCANS),
        AxisFunction("is_sorted", lambda _: BOOL, _is_sorted, reduces=True),
        _reduction("argmin", INT64),
        _reduction("argmax", INT64),
        _reduction("sum", TOTALS),
        _reduction("prod", TOTALS),
        _reduction("min"),
        _reduction("max"),
        _reduction("any", BOOL),
        _reduction("all", BOOL),
        _moment("mean"),
        _moment("var"),
        _moment("std"),
    )
}
"""The functions by name."""


def computed_along(name: str, column: NumberArray, length: int, inner: int, **params: Any) -> NumberArray:
    """Return a function of a column whose rows are whole blocks of `length` times `inner` elements.

    The last block may have fewer positions where the function reduces them.

    Examples
    --------
    >>> computed_along("cumsum", np.arange(8), 2, 2).tolist()
    [0, 1, 2, 4, 4, 5, 10, 12]
    >>> computed_along("sum", np.arange(5), 2, 1).tolist()
    [1, 5, 4]
    """
    function = AXIS_FUNCTIONS[name]
    even = len(column) - len(column) % (length * inner)
    if even < len(column) and function.reduces:
        parts = [column[:even], column[even:]] if even else [column]
        lengths = [length, (len(column) - even) // inner][-len(parts) :]
        return np.concatenate(
            [computed_along(name, part, of, inner, **params) for part, of in zip(parts, lengths, strict=True)]
        )
    with np.errstate(all="ignore"):
        return function.compute(column.reshape(-1, length, inner), **params).reshape(-1)
