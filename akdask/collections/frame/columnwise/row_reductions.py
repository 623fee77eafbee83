"""Reductions of each row of a DataFrame: ``df.sum(axis=1)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from akdask.collections.arrays import ufuncs
from akdask.collections.arrays.elementwise import cast, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import how_many, present
from akdask.errors import UnsupportedError
from akdask.plan.expr.values import Constant

EXTREMES: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "min": (ufuncs.minimum, np.inf),
    "max": (ufuncs.maximum, -np.inf),
}
"""How two values become one, and what is passed over."""

_WIDE = (np.int64, np.uint64)

ROW_REDUCTIONS = ("sum", "mean", "min", "max", "var", "std")


def reduced_rows(columns: ColumnSet, names: Sequence[str], how: str, *, skipna: bool, ddof: int = 1) -> pdarray:
    """Return a reduction of each row over some columns of numbers; lazy.

    Parameters
    ----------
    columns : ColumnSet
        The rows.
    names : sequence of str
        The columns of numbers.
    how : str
        One of `ROW_REDUCTIONS`.
    skipna : bool
        Pass NaN over; a row of nothing else has NaN, or the sum 0.
    ddof : int
        Of variances: what is taken from the number of values.

    Raises
    ------
    UnsupportedError
        If rows are not reduced that way.
    """
    if how not in ROW_REDUCTIONS:
        raise UnsupportedError(
            f"rows have no {how} of their own.", hint=f"with axis=1 there are {', '.join(ROW_REDUCTIONS)}."
        )
    if not names:
        return pdarray(columns.frame, Constant(0.0 if how == "sum" else np.nan))
    given = [columns.array(name) for name in names]
    arrays: list[Any] = [cast(array, np.int64) if array.dtype == np.bool_ else array for array in given]
    valid = pdarray(columns.frame, how_many([present(columns, name) for name in names]))
    if how in EXTREMES:
        return _extreme(arrays, valid, how, skipna)
    if skipna:
        arrays = [_filled(array, 0) for array in arrays]
    count = valid if skipna else len(names)
    if how != "sum" and all(array.dtype in _WIDE for array in arrays):
        return _moments(given, _total_of_integers(arrays) / count, count, how, skipna, ddof)
    # Sums of some of the columns would wrap before they meet the others.
    common = np.result_type(*(array.dtype for array in arrays))
    total = reduce(add, [cast(array, np.uint64 if common == np.uint8 else common) for array in arrays])
    return total if how == "sum" else _moments(given, total / count, count, how, skipna, ddof)


def _total_of_integers(arrays: Sequence[Any]) -> Any:
    """Return the floats nearest to sums of integers, which wrap as integers: their halves do not."""
    low = reduce(add, [cast(array & 0xFFFFFFFF, np.int64) for array in arrays])
    high = reduce(add, [cast(array >> 32, np.int64) for array in arrays]) + (low >> 32)
    return cast(high, np.float64) * 2.0**32 + cast(low & 0xFFFFFFFF, np.float64)


def _extreme(arrays: Sequence[Any], valid: pdarray, how: str, skipna: bool) -> Any:
    smaller, nothing = EXTREMES[how]
    if not skipna or all(array.dtype != np.float64 for array in arrays):
        return reduce(smaller, arrays)
    return where(valid > 0, reduce(smaller, [_filled(array, nothing) for array in arrays]), np.nan)


def _moments(  # noqa: PLR0917 - what its caller knows
    given: Sequence[Any], mean: Any, count: Any, how: str, skipna: bool, ddof: int
) -> Any:
    if how == "mean":
        return mean
    squares = [(cast(array, np.float64) - mean) ** 2 for array in given]
    total = reduce(add, [_filled(square, 0) for square in squares] if skipna else squares)
    variance = where(count - ddof > 0, total / (count - ddof), np.nan) if skipna else total / (count - ddof)
    return variance if how == "var" else ufuncs.sqrt(variance)


def _filled(array: Any, value: float) -> Any:
    return where(ufuncs.isnan(array), float(value), array) if array.dtype == np.float64 else array
