"""Columns computed from row positions: evenly spaced and random numbers.

Element i depends on i and the parameters only, so any partitioning, and any selection of rows, gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns.dtypes import FLOAT64, INT64, STR, ColumnType
from akdask.engine.operations import Kernel, Operation
from akdask.operators.values import random
from akdask.typing import NumberArray


def linspace(first: int, count: int, *, start: float, stop: float, num: int, endpoint: bool = True) -> NumberArray:
    """Return elements `first` to ``first + count`` of ``numpy.linspace(start, stop, num, endpoint)``, bit by bit.

    Examples
    --------
    >>> linspace(2, 3, start=0.0, stop=1.0, num=5).tolist()
    [0.5, 0.75, 1.0]
    """
    numbers = np.arange(first, first + count, dtype=np.float64)
    intervals = num - 1 if endpoint else num
    step = (stop - start) / intervals if intervals else np.nan
    if intervals and step:
        numbers *= step
    else:
        # The step underflows, or there is only one number.
        numbers = numbers / (intervals or 1) * (stop - start)
    numbers += start
    if endpoint and num > 1 and count and first + count == num:
        numbers[-1] = stop
    return numbers


def _at_positions(run: Callable[..., NumberArray]) -> Kernel:
    """Return a kernel on positions in any order, from a function that computes runs of consecutive positions."""

    def kernel(positions: NumberArray, out: Any = None, **params: Any) -> NumberArray:
        first = int(positions.min()) if len(positions) else 0
        count = int(positions.max()) + 1 - first if len(positions) else 0
        numbers = run(first, count, **params)
        if count != len(positions) or not np.all(positions[1:] > positions[:-1]):
            numbers = numbers[positions - first]
        if out is None:
            return numbers
        out[...] = numbers
        return np.asarray(out)

    return kernel


def _of_range(positions: Any, out: Any = None, *, starts: tuple[int, ...], numbers: tuple[int, ...]) -> Any:
    """Return the number of each position's range: the last one that does not start beyond it."""
    found = np.array(numbers, np.int64)[np.searchsorted(np.array(starts, np.int64), positions, side="right") - 1]
    if out is None:
        return found
    out[...] = found
    return out


def _random_strings(positions: Any, lengths: Any, out: Any = None, *, seed: int, alphabet: str) -> Any:
    return random.strings(positions, lengths, seed=seed, alphabet=alphabet)


def _strings_type(positions: ColumnType, lengths: ColumnType, **_: Any) -> ColumnType | None:
    return STR if positions == lengths == INT64 else None


def _operation(name: str, result: ColumnType, run: Callable[..., NumberArray]) -> Operation:
    return Operation(name, 1, lambda dtype, **_: result if dtype == INT64 else None, _at_positions(run))


POSITION_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("of_range", 1, lambda dtype, **_: INT64 if dtype == INT64 else None, _of_range),
        Operation("random_texts", 2, _strings_type, _random_strings),
        _operation("linspace", FLOAT64, linspace),
        _operation("random_integers", INT64, random.integers),
        _operation("random_uniform", FLOAT64, random.uniform),
        _operation("random_normal", FLOAT64, random.standard_normal),
    )
}
