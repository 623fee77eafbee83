"""Operations on integers of any size, row by row.

The other arguments may be integers of any type; with floats the result is float64, as in Arkouda. Results are exact. If
a type has a limit of bits, they are taken modulo ``2**max_bits``, with the largest limit of the arguments. Division by
zero gives 0.

Addition, comparison, choice and bit operations go limb by limb. All other operations use Python integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from akdask.columns.bigint import (
    LARGEST,
    TOP_BIT,
    from_ints,
    from_limbs,
    from_numbers,
    from_unsigned,
    limbs_of,
    modulo_power,
    narrowed,
    to_ints,
    with_limbs,
)
from akdask.columns.dtypes import BOOL, FLOAT64, UINT64, ColumnType, bigint_of
from akdask.deferred import is_arrow
from akdask.engine.operations import Kernel, Operation, Rule, is_bigint
from akdask.errors import ArgumentError
from akdask.typing import NumberArray


def operand_limbs(item: Any) -> NumberArray:
    """Return the limbs of an argument; a single number is one row, which stands for all."""
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
    """Return the masks of rows where the left argument is less, and where both are equal."""
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


# ------------------------------------------------------------------------------------------------- arguments, results


def ints_of(item: Any) -> list[int]:
    """Return the rows of an argument as Python integers; a single number is one row."""
    if is_arrow(item, "FixedSizeBinaryArray"):
        return to_ints(item)
    return [int(item)] if np.ndim(item) == 0 else to_ints(from_numbers(item))


def floats_of(item: Any) -> Any:
    """Return an argument as float64; integers that are too large become infinite."""
    if not is_bigint(item):
        return np.asarray(item, np.float64) if np.ndim(item) else np.float64(item)
    # Beside floats Arkouda computes integers of any size as floats.
    floats = np.array([_as_float(number) for number in ints_of(item)], np.float64)
    return floats[0] if isinstance(item, int) else floats


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def _result(limbs: NumberArray, args: Iterable[Any], max_bits: int) -> Any:
    """Return limbs as a column, or as one int if all arguments were single numbers."""
    column = from_unsigned(modulo_power(limbs, max_bits)) if max_bits > 0 else from_limbs(narrowed(limbs))
    return to_ints(column)[0] if all(_is_single(arg) for arg in args) else column


def _is_single(item: Any) -> bool:
    return not is_arrow(item, "Array") and np.ndim(item) == 0


def _rows(args: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """Yield the arguments row by row."""
    columns = [ints_of(arg) for arg in args]
    if all(map(_is_single, args)):
        return zip(*columns, strict=True)
    spread = [repeat(column[0]) if _is_single(arg) else column for arg, column in zip(args, columns, strict=True)]
    return zip(*spread, strict=False)


# ------------------------------------------------------------------------------------------------------ limb by limb


def _by_limbs(name: str) -> Kernel:
    compute = BY_LIMBS[name]

    def kernel(*args: Any, out: Any = None, max_bits: int = -1) -> Any:
        return _result(compute(*args), args, max_bits)

    return kernel


def _comparison(name: str) -> Kernel:
    def kernel(left: Any, right: Any, out: Any = None, max_bits: int = -1) -> Any:
        if _is_float(left) or _is_float(right):
            # Python compares integers of any size with floats exactly.
            rows = [item if _is_float(item) else np.array(ints_of(item), object) for item in (left, right)]
            bools = getattr(np, name)(*rows).astype(np.bool_)
        else:
            bools = ORDERED[name](*order(left, right))
        if _is_single(left) and _is_single(right):
            return np.bool_(np.ravel(bools)[0])
        return _into(out, bools)

    return kernel


def _is_float(item: Any) -> bool:
    return getattr(item, "dtype", None) == np.float64


def _into(out: Any, numbers: Any) -> Any:
    if out is None:
        return numbers
    out[...] = numbers
    return out


# ------------------------------------------------------------------------------------------- through Python's integers


def _power(base: int, exponent: int, bits: int) -> int:
    if exponent < 0:
        raise ArgumentError(
            "an integer to the power of a negative integer is no integer.", details=[f"exponent: {exponent}"]
        )
    if bits > 0:
        return int(pow(base, exponent, 2**bits))
    _check_size(abs(base).bit_length() * exponent if abs(base) > 1 else 1, "power")
    return int(base**exponent)


def _left_shift(number: int, count: int, bits: int) -> int:
    if count < 0:
        return _right_shift(number, -count, bits)
    if bits > 0 and count >= bits:
        return 0
    _check_size(number.bit_length() + count if number else 0, "<<")
    return number << count


def _right_shift(number: int, count: int, bits: int) -> int:
    return _left_shift(number, -count, bits) if count < 0 else number >> count


def _rotate_left(number: int, count: int, bits: int) -> int:
    count %= bits
    return number << count | number >> (bits - count)


def _check_size(bits: int, operation: str) -> None:
    if bits > LARGEST:
        raise ArgumentError(
            f"{operation} would give an integer of {bits} bits.",
            details=[f"at most {LARGEST} bits are computed with"],
            hint="limit the bits with max_bits, so that results are taken modulo 2**max_bits.",
        )


BY_INTS: dict[str, Callable[..., int]] = {
    "multiply": lambda a, b, bits: a * b,
    "square": lambda a, bits: a * a,
    "floor_divide": lambda a, b, bits: a // b if b else 0,
    "remainder": lambda a, b, bits: a % b if b else 0,
    "power": _power,
    "left_shift": _left_shift,
    "right_shift": _right_shift,
    "rotl": _rotate_left,
    "rotr": lambda a, b, bits: _rotate_left(a, -b, bits),
    "absolute": lambda a, bits: abs(a),
    "positive": lambda a, bits: a,
    "sign": lambda a, bits: (a > 0) - (a < 0),
}

OF_BITS: dict[str, Callable[[int, int], int]] = {
    "popcount": lambda a, bits: a.bit_count(),
    "parity": lambda a, bits: a.bit_count() & 1,
    "ctz": lambda a, bits: (a & -a).bit_length() - 1 if a else 0,
    "clz": lambda a, bits: bits - a.bit_length(),
}
"""Counts of bits; leading zeros, rotations and the inverse need a limit of bits."""

FLOATS = ("add", "subtract", "multiply", "floor_divide", "remainder", "power", "minimum", "maximum")
"""Operations that take floats beside integers of any size, and give floats then."""


def _by_ints(name: str) -> Kernel:
    compute = BY_INTS[name]

    def kernel(*args: Any, out: Any = None, max_bits: int = -1) -> Any:
        limbs = limbs_of(from_ints([compute(*row, max_bits) for row in _rows(args)]))
        return _result(limbs, args, max_bits)

    return kernel


def _of_bits(name: str) -> Kernel:
    count = OF_BITS[name]

    def kernel(item: Any, out: Any = None, max_bits: int = -1) -> Any:
        return _into(out, np.array([count(number, max_bits) for number in ints_of(item)], np.uint64))

    return kernel


def _quotient(left: int, right: int) -> float:
    try:
        return left / right
    except ZeroDivisionError:
        return float(np.divide(np.float64(left > 0) - (left < 0), 0.0))
    except OverflowError:
        return -np.inf if (left < 0) != (right < 0) else np.inf


def _true_divide(left: Any, right: Any, out: Any = None, max_bits: int = -1) -> Any:
    if _is_float(left) or _is_float(right):
        return np.true_divide(floats_of(left), floats_of(right), out=out)
    quotients = np.array([_quotient(*row) for row in _rows((left, right))], np.float64)
    return quotients[0] if _is_single(left) and _is_single(right) else _into(out, quotients)


def _logical(ufunc: np.ufunc) -> Kernel:
    def kernel(*args: Any, out: Any = None, max_bits: int = -1) -> Any:
        truths = [operand_limbs(arg).any(axis=1) if is_bigint(arg) else np.asarray(arg) != 0 for arg in args]
        bools = ufunc(*truths)
        return np.bool_(np.ravel(bools)[0]) if all(map(_is_single, args)) else _into(out, bools)

    return kernel


def _limb(column: Any, out: Any = None, *, number: int, max_bits: int = -1) -> Any:
    return _into(out, np.ascontiguousarray(with_limbs(limbs_of(column), number + 1)[:, number]))


def _append_limb(high: Any, low: Any, out: Any = None, max_bits: int = -1) -> Any:
    upper = operand_limbs(high)
    lower = np.broadcast_to(operand_limbs(low)[:, :1], (len(upper), 1))
    return _result(np.concatenate([lower, upper], axis=1), (high, low), max_bits)


# -------------------------------------------------------------------------------------------------------------- rules


def _limit(types: Iterable[ColumnType]) -> ColumnType:
    return bigint_of(max(dtype.max_bits for dtype in types))


def _integer(*types: ColumnType, **_: Any) -> ColumnType | None:
    """Take integers; give integers of any size."""
    return _limit(types) if all(dtype.kind in ("bigint", "int", "uint", "bool") for dtype in types) else None


def _integer_or_float(*types: ColumnType, **_: Any) -> ColumnType | None:
    is_float = any(dtype == FLOAT64 for dtype in types)
    return FLOAT64 if is_float and all(_is_numeric(dtype) for dtype in types) else _integer(*types)


def _limited(rule: Rule) -> Rule:
    """Take integers where one has a limit of bits, and the result then too; only these have a highest bit."""
    return lambda *types, **_: rule(*types) if _limit(types).max_bits > 0 else None


def _giving(result: ColumnType) -> Rule:
    return lambda *types, **_: result if all(map(_is_numeric, types)) else None


def _choosing(condition: ColumnType, *types: ColumnType) -> ColumnType | None:
    return _integer(*types) if condition == BOOL else None


def _is_numeric(dtype: ColumnType) -> bool:
    return dtype.is_number or dtype.kind == "bigint"


def _with_floats(ufunc: np.ufunc, kernel: Kernel) -> Kernel:
    def either(*args: Any, out: Any = None, max_bits: int = -1) -> Any:
        if any(map(_is_float, args)):
            return ufunc(*map(floats_of, args), out=out)
        return kernel(*args, max_bits=max_bits)

    return either


def _operations() -> Iterable[tuple[str, Rule, Kernel]]:
    for name in (*BY_LIMBS, *BY_INTS):
        kernel = _by_limbs(name) if name in BY_LIMBS else _by_ints(name)
        if name in FLOATS:
            yield name, _integer_or_float, _with_floats(getattr(np, name), kernel)
        elif name in ("invert", "rotl", "rotr"):
            yield name, _limited(_integer), kernel
        else:
            yield name, _choosing if name == "where" else _integer, kernel
    for name in ORDERED:
        yield name, _giving(BOOL), _comparison(name)
    for name in OF_BITS:
        yield name, _limited(_giving(UINT64)) if name == "clz" else _giving(UINT64), _of_bits(name)
    for name in ("logical_and", "logical_or", "logical_xor", "logical_not"):
        yield name, _giving(BOOL), _logical(getattr(np, name))
    yield "divide", _giving(FLOAT64), _true_divide


BIGINT_OPERATIONS: dict[str, tuple[Rule, Kernel]] = {name: (rule, kernel) for name, rule, kernel in _operations()}
"""Operations by name, for arguments with an integer of any size."""

LIMB_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("limb", 1, lambda dtype, **_: UINT64 if dtype.kind == "bigint" else None, _limb),
        Operation(
            "append_limb", 2, lambda high, low: high if high.kind == "bigint" and low == UINT64 else None, _append_limb
        ),
    )
}
"""Operations that split integers of any size into words of 64 bits, and join words from the highest on."""
