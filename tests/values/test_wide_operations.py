"""Each operation on wide integers of both signs gives what exact arithmetic gives, or floats as near as can be.

A walk through the table of operations: one that is added is tried as well, or this module says why not.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError

pytestmark = pytest.mark.light

BIG = 2**53
SIGNED = [BIG + 1, -BIG - 1, 2**62 + 1, -(2**62) - 3, 2**63 - 1, 7, -3, 1]
NATURAL = [BIG + 1, BIG + 3, 2**62 + 1, 2**63 + 1, 2**64 - 1, 7, 3, 1]
COLUMNS = {INT64: np.array(SIGNED), UINT64: np.array(NATURAL, np.uint64)}


def wrapped(number, dtype):
    number %= 2**64
    return number - 2**64 if dtype == INT64 and number >= 2**63 else number


EXACT = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "floor_divide": lambda x, y: x // y,
    "remainder": lambda x, y: x % y,
    "fmod": lambda x, y: (abs(x) % abs(y)) * (1 if x >= 0 else -1),
    "negative": lambda x: -x,
    "positive": lambda x: x,
    "absolute": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "square": lambda x: x * x,
    "invert": lambda x: ~x,
    "floor": lambda x: x,
    "ceil": lambda x: x,
    "trunc": lambda x: x,
    "round": lambda x: x,
    "minimum": min,
    "maximum": max,
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "bitwise_xor": lambda x, y: x ^ y,
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
    "logical_not": lambda x: not x,
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
    "logical_xor": lambda x, y: bool(x) != bool(y),
    "isnan": lambda x: False,
    "isinf": lambda x: False,
    "isfinite": lambda x: True,
    "signbit": lambda x: x < 0,
}
"""By operation, what Python's integers give."""

ROUNDED_ONCE = {
    "divide": lambda x, y: float(Fraction(x, y)),
    "difference": lambda x, y: float(x - y),
}
"""Those that give floats, which are the nearest to what is exact."""

FLOATS = (
    *("arctan2", "hypot", "nextafter", "copysign", "logaddexp", "xlogy", "sqrt", "cbrt", "fabs", "rint"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "deg2rad", "rad2deg"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
)
"""Functions of real numbers: that of the nearest float is as near as their result can be, as in NumPy."""

OTHERWISE = (
    *("left_shift", "right_shift", "power", "clip", "where", "within", "inverse_position", "range_length"),
    *("exact_floats", "key_word", "key_kind", "key_text", "apply_function", "put_range"),
)
"""Tested one by one beside: in this folder, in `test_exact.py`, or by the functions of arrays that they serve."""


def test_all_operations_on_numbers_are_tried():
    from akdask.operators.values.elementwise import GENERIC_OPERATIONS, NUMBER_OPERATIONS

    named = {*EXACT, *ROUNDED_ONCE, *FLOATS, *OTHERWISE}
    assert {*NUMBER_OPERATIONS, *GENERIC_OPERATIONS} == named


@pytest.mark.parametrize("dtype", COLUMNS, ids=str)
@pytest.mark.parametrize("name", [*EXACT, *ROUNDED_ONCE])
def test_integers_of_one_type_are_computed_exactly(name, dtype):
    operation = OPERATIONS[name]
    exact = EXACT.get(name) or ROUNDED_ONCE[name]
    numbers = COLUMNS[dtype].tolist()
    rows = list(itertools.product(numbers, repeat=operation.arity))
    args = [np.array(column, dtype.numpy) for column in zip(*rows, strict=True)]
    result = operation.result_type(*[dtype] * operation.arity)
    wanted = [exact(*row) for row in rows]
    if result in (INT64, UINT64):
        wanted = [wrapped(number, result) for number in wanted]
    elif name == "divide":
        # Both sides become floats before they are divided, as in NumPy and Arkouda.
        wanted = [float(x) / float(y) for x, y in rows]
    assert operation.evaluate(*args).tolist() == wanted


@pytest.mark.parametrize("name", [name for name in EXACT if OPERATIONS[name].arity == 2])
@pytest.mark.parametrize("other", [UINT64, FLOAT64], ids=str)
def test_integers_beside_other_numbers_stay_what_they_are_or_are_refused(name, other):
    numbers = NATURAL if other == UINT64 else [0.5, float(BIG), -float(BIG), 1e300, float(2**62), -1.0, 2.0]
    operation = OPERATIONS[name]
    try:
        result = operation.result_type(INT64, other)
    except ArgumentTypeError:
        return
    for x, y in itertools.product(SIGNED, numbers):
        args = np.array([x]), np.array([y], other.numpy)
        try:
            (found,) = operation.evaluate(*args).tolist()
        except (ConversionError, ArgumentError):
            # What would be another number is refused.
            assert name in ("minimum", "maximum")
            assert int(float(EXACT[name](x, y))) != EXACT[name](x, y)
            continue
        if result == BOOL or name in ("minimum", "maximum"):
            assert found == EXACT[name](x, y)
        elif result == FLOAT64:
            # Arithmetic of two types is that of floats, as in NumPy and Arkouda (mySafeCast of BinOp.chpl).
            with np.errstate(all="ignore"):
                assert found == getattr(np, name)(np.float64(x), np.float64(y))
        else:
            assert found == wrapped(EXACT[name](x, y), result)
