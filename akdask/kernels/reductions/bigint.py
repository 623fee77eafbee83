"""Reductions of integers of any size: exact, or modulo a power of two.  Their states are Python's integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.bigint import first_extreme, from_ints, limbs_of, to_ints, total
from akdask.columns.lists import values_of
from akdask.errors import ArgumentError, SchemaError
from akdask.kernels.core.reduction import Reduction, State, some
from akdask.kernels.reductions.select import count_rows, select_rows
from akdask.kernels.rowwise.bigint import LARGEST
from akdask.schema import BIGINT, BOOL, FLOAT64, INT64, ColumnType, list_of
from akdask.schema.bigint import bigint_
from akdask.typing import NumberArray

Block = Callable[[Any, NumberArray | None], State]


def _ints(column: Any, mask: NumberArray | None) -> list[int]:
    return to_ints(select_rows(column, mask))


def _product(numbers: list[int], bits: int) -> int:
    if bits > 0:
        result = 1
        for number in numbers:
            result = result * number % 2**bits
        return result
    if sum(number.bit_length() for number in numbers) > LARGEST and 0 not in numbers:
        raise ArgumentError(
            f"prod would give an integer of more than {LARGEST} bits.",
            hint="limit the bits with max_bits, so that the product is taken modulo 2**max_bits.",
        )
    return math.prod(numbers)


def _is_nonzero(column: Any, mask: NumberArray | None) -> Any:
    return limbs_of(select_rows(column, mask)).any(axis=1)


def modulo(reduction: Reduction, bits: int) -> Reduction:
    """Return a sum or a product taken modulo ``2**bits`` at every step."""
    limit = 2**bits
    if reduction.name.startswith("prod"):
        return replace(
            reduction,
            block=lambda column, mask: _product(_ints(column, mask), bits),
            join=lambda left, right: left * right % limit,
        )
    return replace(
        reduction,
        block=lambda column, mask: reduction.block(column, mask) % limit,
        join=lambda left, right: (left + right) % limit,
    )


def _extreme(name: str, *, largest: bool, position: bool = False) -> Reduction:
    """Declare a reduction to (rows, position, value): the first row wins among equals."""

    def block(column: Any, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        if not len(rows):
            return 0, None, None
        first = first_extreme(limbs_of(rows), largest=largest)
        return len(rows), first, to_ints(rows.slice(first, 1))[0]

    def merge(left: State, right: State) -> State:
        count = left[0] + right[0]
        if not left[0] or not right[0]:
            return count, *(left if left[0] else right)[1:]
        if right[2] > left[2] if largest else right[2] < left[2]:
            return count, left[0] + right[1], right[2]
        return count, *left[1:]

    def final(state: State) -> Any:
        _, first, value = some(state if state[0] else (), name)
        return np.int64(first) if position else bigint_(value)

    return _declared(name, INT64 if position else BIGINT, block, merge, final)


def _sum(column: Any, mask: NumberArray | None) -> int:
    return total(limbs_of(select_rows(column, mask)))


def _mean(state: State) -> Any:
    count, total = state
    try:
        return np.float64(total / count) if count else np.float64(np.nan)
    except OverflowError:
        return np.float64(np.inf if total > 0 else -np.inf)


def _is_sorted(column: Any, mask: NumberArray | None) -> State:
    numbers = _ints(column, mask)
    ascending = all(left <= right for left, right in pairwise(numbers))
    return (ascending, numbers[0], numbers[-1]) if numbers else (True,)


def _merge_sorted(left: State, right: State) -> State:
    if len(left) == 1 or len(right) == 1:
        return right if len(left) == 1 else left
    return left[0] and right[0] and left[2] <= right[1], left[1], right[2]


def _limbs(column: Any, mask: NumberArray | None) -> State:
    """Return how many limbs the integers need without a sign, as they are stored; also those in lists."""
    rows = select_rows(column, mask)
    limbs = limbs_of(values_of(rows, BIGINT) if isinstance(rows, pa.LargeListArray) else rows)
    if (limbs[:, -1] >> np.uint64(63)).any():
        raise SchemaError(
            "integers below 0 cannot be stored as bigint.",
            hint="limit the bits first, with max_bits: they are stored modulo 2**max_bits then.",
        )
    used = np.flatnonzero(limbs.any(axis=0))
    return int(used[-1]) + 1 if len(used) else 1


def _declared(
    name: str, result: ColumnType, block: Block, join: Callable[..., State], final: Callable[..., Any]
) -> Reduction:
    return Reduction(f"{name} of bigint", {BIGINT: result}, block, join, final)


def _add(left: int, right: int) -> int:
    return left + right


BIGINT_REDUCTIONS: tuple[Reduction, ...] = (
    _declared("sum", BIGINT, _sum, _add, bigint_),
    _declared(
        "prod",
        BIGINT,
        lambda column, mask: _product(_ints(column, mask), -1),
        lambda a, b: _product([a, b], -1),
        bigint_,
    ),
    _extreme("min", largest=False),
    _extreme("max", largest=True),
    _extreme("argmin", largest=False, position=True),
    _extreme("argmax", largest=True, position=True),
    _declared("count", INT64, count_rows, _add, np.int64),
    _declared("count_nonzero", INT64, lambda c, mask: int(_is_nonzero(c, mask).sum()), _add, np.int64),
    _declared("any", BOOL, lambda c, mask: bool(_is_nonzero(c, mask).any()), lambda a, b: a or b, np.bool_),
    _declared("all", BOOL, lambda c, mask: bool(_is_nonzero(c, mask).all()), lambda a, b: a and b, np.bool_),
    _declared(
        "mean",
        FLOAT64,
        lambda c, mask: (count_rows(c, mask), _sum(c, mask)),
        lambda a, b: (a[0] + b[0], a[1] + b[1]),
        _mean,
    ),
    _declared("nunique", INT64, lambda c, mask: set(_ints(c, mask)), lambda a, b: a | b, lambda s: np.int64(len(s))),
    _declared("distinct", BIGINT, lambda c, m: set(_ints(c, m)), lambda a, b: a | b, lambda s: from_ints(sorted(s))),
    _declared("is_sorted", BOOL, _is_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    Reduction("limbs", {BIGINT: INT64, list_of(BIGINT): INT64}, _limbs, max, np.int64),
)
