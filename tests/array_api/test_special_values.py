"""Special values and shapes of the array standard: NaN, infinities, signs of zeros, no elements and no dimensions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import akdask.array_api as xp
from akdask.errors import ArgumentError

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 1e300, -1e300, 5e-324]
OF_ONE = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "negative",
    "positive",
    "reciprocal",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
OF_TWO = [
    "add",
    "atan2",
    "copysign",
    "divide",
    "equal",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "less",
    "less_equal",
    "logaddexp",
    "maximum",
    "minimum",
    "multiply",
    "nextafter",
    "not_equal",
    "pow",
    "remainder",
    "subtract",
]
OF_ALL = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "sort",
    "std",
    "sum",
    "unique_values",
    "var",
]
ARRAYS = {
    "special": np.array(SPECIAL),
    "inf": np.array([1.0, np.inf]),
    "infs": np.array([np.inf, -np.inf]),
    "nan": np.array([np.nan]),
    "zeros": np.array([0.0, -0.0]),
    "negative zero": np.array([-0.0]),
    "no floats": np.array([]),
    "no integers": np.array([], np.int64),
    "no bools": np.array([], bool),
    "no columns": np.zeros((2, 0)),
    "no rows": np.zeros((0, 3)),
}
SCALARS = {"float": np.array(2.5), "bool": np.array(True), "integer": np.array(7)}
ON_ORDER = {"max", "min", "sort", "unique_values"}
ON_LINES = {"cumulative_prod", "cumulative_sum"}


def same(found, expected, *, signs=True):
    elements, expected = np.asarray(found.to_ndarray()), np.asarray(expected)
    assert (found.shape, elements.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind != "f":
        assert elements.tolist() == expected.tolist()
        return
    np.testing.assert_allclose(elements, expected, rtol=1e-15, atol=0)
    there = ~np.isnan(expected) & (signs | (expected != 0))
    assert np.signbit(elements[there]).tolist() == np.signbit(expected[there]).tolist()


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one_array_follow_numpy_on_special_values(name):
    same(getattr(xp, name)(xp.asarray(SPECIAL)), getattr(np, name)(np.array(SPECIAL)))
    for shape in ((), (0,), (0, 3), (1,)):
        elements = np.full(shape, 1.0)
        same(getattr(xp, name)(xp.asarray(elements)), getattr(np, name)(elements))


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two_arrays_follow_numpy_on_special_values(name):
    left, right = np.array(list(product(SPECIAL, SPECIAL))).T
    same(getattr(xp, name)(xp.asarray(left), xp.asarray(right)), getattr(np, name)(left, right))
    for shape in ((), (0,), (0, 3)):
        elements = np.full(shape, 2.0)
        same(getattr(xp, name)(xp.asarray(elements), xp.asarray(elements)), getattr(np, name)(elements, elements))


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", [*ARRAYS, *SCALARS])
@pytest.mark.parametrize("name", OF_ALL)
def test_functions_of_all_elements_follow_numpy_on_special_arrays(name, kind):
    elements = (ARRAYS | SCALARS)[kind]
    if name in ON_LINES and elements.ndim != 1:
        with pytest.raises(ValueError, match="dimensions"):
            getattr(xp, name)(xp.asarray(elements))
        return
    try:
        expected = getattr(np, name)(elements)
    except ValueError:
        with pytest.raises(ArgumentError, match=r"no rows|0 dimensions"):
            getattr(xp, name)(xp.asarray(elements)).to_ndarray()
        return
    # Which of several equal zeros is the extreme, or comes first, is left open.
    same(getattr(xp, name)(xp.asarray(elements)), expected, signs=name not in ON_ORDER)
