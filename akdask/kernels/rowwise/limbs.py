"""Arithmetic of integers of any size limb by limb, vectorised over the rows.

Matrices of limbs have shape (n, width) as `akdask.columns.bigint.limbs_of` gives them; those of single numbers have one
row, which stands for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns.bigint import TOP_BIT, from_ints, from_numbers, limbs_of, with_limbs
from akdask.deferred import is_arrow
from akdask.typing import NumberArray


def operand_limbs(item: Any) -> NumberArray:
    """Return the limbs of an argument; of a single number one row, which stands for all."""
    if is_arrow(item, "FixedSizeBinaryArray"):
        return limbs_of(item)
    return limbs_of(from_numbers(item) if np.ndim(item) else from_ints([int(item)]))


def _of_one_width(*items: Any, more: int = 0) -> list[NumberArray]:
    limbs = [operand_limbs(item) for item in items]
    width = max(matrix.shape[1] for matrix in limbs) + more
    return [with_limbs(matrix, width) for matrix in limbs]


def _add_limbs(left: NumberArray, right: NumberArray, carry: int) -> NumberArray:
    rows = np.broadcast_shapes(left.shape, right.shape)
    total = np.empty(rows, np.uint64)
    carried: Any = np.uint64(carry)
    for limb in range(rows[1]):
        partial = left[:, limb] + right[:, limb]
        np.add(partial, carried, out=total[:, limb])
        carried = ((partial < left[:, limb]) | (total[:, limb] < partial)).astype(np.uint64)
    return total


def _add(left: Any, right: Any) -> NumberArray:
    first, second = _of_one_width(left, right, more=1)
    return _add_limbs(first, second, carry=0)


def _subtract(left: Any, right: Any) -> NumberArray:
    minuend, subtrahend = _of_one_width(left, right, more=1)
    return _add_limbs(minuend, ~subtrahend, carry=1)


def _negative(item: Any) -> NumberArray:
    return _subtract(0, item)


def order(left: Any, right: Any) -> tuple[Any, Any]:
    """Return where the left one is less, and where both are equal."""
    matrices = _of_one_width(left, right)
    less: Any = np.False_
    equal: Any = np.True_
    flip = TOP_BIT
    for limb in reversed(range(matrices[0].shape[1])):
        lower, upper = (matrix[:, limb] ^ flip for matrix in matrices)
        less = less | (equal & (lower < upper))
        equal = equal & (lower == upper)
        flip = np.uint64(0)
    return less, equal


def _extreme(pick_left: Callable[[Any], Any]) -> Callable[..., NumberArray]:
    def choose(left: Any, right: Any) -> NumberArray:
        return _choose(pick_left(order(left, right)[0]), left, right)

    return choose


def _choose(condition: Any, x: Any, y: Any) -> NumberArray:
    chosen: NumberArray = np.where(np.atleast_1d(condition)[:, None], *_of_one_width(x, y))
    return chosen


def _bitwise(ufunc: np.ufunc) -> Callable[..., NumberArray]:
    return lambda *items: ufunc(*_of_one_width(*items))


BY_LIMBS: dict[str, Callable[..., NumberArray]] = {
    "add": _add,
    "subtract": _subtract,
    "negative": _negative,
    "bitwise_and": _bitwise(np.bitwise_and),
    "bitwise_or": _bitwise(np.bitwise_or),
    "bitwise_xor": _bitwise(np.bitwise_xor),
    "invert": _bitwise(np.invert),
    "minimum": _extreme(lambda less: less),
    "maximum": _extreme(np.logical_not),
    "where": _choose,
}

ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    "equal": lambda less, equal: equal,
    "not_equal": lambda less, equal: ~equal,
    "less": lambda less, equal: less,
    "less_equal": lambda less, equal: less | equal,
    "greater": lambda less, equal: ~(less | equal),
    "greater_equal": lambda less, equal: ~less,
}
