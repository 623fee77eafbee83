"""Functions of the array standard on each type that is held, of no dimension, of no elements, and broadcast."""

from __future__ import annotations

import numpy as np
import pytest

import akdask.array_api as xp

TYPES = ("int64", "uint64", "uint8", "float64", "bool")
INTEGERS, NUMBERS, REAL = TYPES[:3], TYPES[:4], ("int64", "float64")
VALUES = np.array([[3, 0, 1], [2, 5, 4]])
SHAPES = {"none": (), "empty": (0,), "no rows": (0, 3), "no columns": (2, 0), "one": (1,), "two": (2, 3)}

OF_ONE = {
    **dict.fromkeys(("abs", "ceil", "floor", "positive", "round", "sign", "square", "trunc"), NUMBERS),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), NUMBERS),
    **dict.fromkeys(
        ("acosh", "asinh", "atan", "cos", "cosh", "exp", "expm1", "sin", "sinh", "sqrt", "tan"), ("float64",)
    ),
    **dict.fromkeys(("log", "log10", "log1p", "log2", "reciprocal", "signbit", "tanh"), ("float64",)),
    **dict.fromkeys(("bitwise_invert",), (*INTEGERS, "bool")),
    "negative": REAL,
    "logical_not": ("bool",),
}
OF_TWO = {
    **dict.fromkeys(("add", "multiply", "subtract"), NUMBERS),
    **dict.fromkeys(("floor_divide", "remainder"), NUMBERS),
    **dict.fromkeys(("maximum", "minimum", "pow"), NUMBERS),
    **dict.fromkeys(("equal", "not_equal"), TYPES),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal"), NUMBERS),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), (*INTEGERS, "bool")),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), INTEGERS),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
    **dict.fromkeys(("atan2", "copysign", "divide", "hypot", "logaddexp", "nextafter"), ("float64",)),
}
OF_ALL = {
    **dict.fromkeys(("all", "any", "count_nonzero"), TYPES),
    **dict.fromkeys(("argmax", "argmin", "max", "min", "prod", "sum"), NUMBERS),
    **dict.fromkeys(("mean", "std", "var"), ("float64",)),
}
WIDE = {"prod", "sum"}
"""Functions whose results of bytes are 64 bits wide here, as the standard wants, and on all systems in NumPy."""

REARRANGED = {
    "broadcast_to": lambda a, of: of.broadcast_to(a, (2, *a.shape)),
    "concat": lambda a, of: of.concat([a, a], axis=None if not a.ndim else 0) if a.ndim else of.stack([a, a]),
    "cumulative_sum": lambda a, of: of.cumulative_sum(a, axis=0) if a.ndim else of.stack([a]),
    "cumulative_sum from 0": lambda a, of: of.cumulative_sum(a, axis=-1, include_initial=True) if a.ndim else a,
    "expand_dims": lambda a, of: of.expand_dims(a, axis=0),
    "flip": lambda a, of: of.flip(a),
    "moveaxis": lambda a, of: of.moveaxis(a, 0, -1) if a.ndim else a,
    "permute_dims": lambda a, of: of.permute_dims(a, tuple(range(a.ndim))[::-1]),
    "repeat": lambda a, of: of.repeat(a, 2, axis=0) if a.ndim else of.stack([a, a]),
    "reshape": lambda a, of: of.reshape(a, (-1,)) if all(a.shape) else of.reshape(a, (0,)),
    "roll": lambda a, of: of.roll(a, 1),
    "roll along": lambda a, of: of.roll(a, -1, axis=0) if a.ndim else a,
    "sort downwards": lambda a, of: (
        (of.sort(a, axis=-1, descending=True) if of is xp else -np.sort(-a, axis=-1)) if a.ndim else a
    ),
    "stack": lambda a, of: of.stack([a, a], axis=-1),
    "tile": lambda a, of: of.tile(a, (2, 1)),
    "tril": lambda a, of: of.tril(a) if a.ndim > 1 else a,
    "triu": lambda a, of: of.triu(a, k=1) if a.ndim > 1 else a,
    "unstack": lambda a, of: of.unstack(a)[0] if a.ndim and a.shape[0] else a,
    "where": lambda a, of: of.where(of.isfinite(a), a, a),
    "zeros_like": lambda a, of: of.zeros_like(a),
    "ones_like": lambda a, of: of.ones_like(a),
    "full_like": lambda a, of: of.full_like(a, 2),
    "empty_like": lambda a, of: of.empty_like(a) if of is xp else np.zeros_like(a),
}

ON_REAL_NUMBERS = {"sort downwards", "cumulative_sum", "cumulative_sum from 0"}
"""Here NumPy's answer is of another type for bools and unsigned numbers, or is made by negation."""


def elements(dtype, shape):
    return np.resize(VALUES % 2 if dtype == "bool" else VALUES, shape).astype(dtype)


def check(found, expected, exact=True):
    got = np.asarray(found.to_ndarray())
    assert (found.shape, got.shape, got.dtype) == (expected.shape, expected.shape, expected.dtype)
    np.testing.assert_allclose(got, expected, rtol=0 if exact else 1e-14, atol=0, equal_nan=True)


def cases(functions):
    return [(name, dtype) for name, types in functions.items() for dtype in types]


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), cases(OF_ONE))
def test_functions_of_one_array_take_all_shapes(name, dtype):
    for shape in SHAPES.values():
        plain = elements(dtype, shape)
        check(getattr(xp, name)(xp.asarray(plain)), np.asarray(getattr(np, name)(plain)), exact=dtype != "float64")


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), cases(OF_TWO))
def test_functions_of_two_arrays_broadcast(name, dtype):
    for one, other in (((), (3,)), ((2, 1), (3,)), ((1, 3), (2, 3)), ((0, 1), (3,)), ((0,), ()), ((2, 3), (1, 1))):
        left, right = elements(dtype, one), elements(dtype, other)
        if name in ("floor_divide", "remainder") and dtype != "float64":
            right = right + np.array(1, dtype)
        expected = np.asarray(getattr(np, name)(left, right))
        check(getattr(xp, name)(xp.asarray(left), xp.asarray(right)), expected, exact=dtype != "float64")


@pytest.mark.light
@pytest.mark.parametrize(("name", "dtype"), cases(OF_ALL))
def test_functions_of_all_elements_reduce_along_each_axis(name, dtype):
    for shape in ((2, 3), (1, 1), (3,), ()):
        plain = elements(dtype, shape)
        axes = [None, *range(len(shape)), *range(-len(shape), 0)]
        axes += [(0, 1)] if len(shape) > 1 and not name.startswith("arg") else []
        for axis in axes:
            for keepdims in (False, True):
                kept = {"axis": axis, "keepdims": keepdims}
                more = {"dtype": "uint64"} if name in WIDE and dtype == "uint8" else {}
                expected = np.asarray(getattr(np, name)(plain, **kept, **more))
                check(getattr(xp, name)(xp.asarray(plain), **kept), expected, exact=dtype != "float64")


@pytest.mark.light
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["all", "any", "count_nonzero", "prod", "sum", "mean", "var"])
def test_reductions_of_no_elements_have_the_value_of_nothing(name):
    for shape, axis in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((2, 0), 1), ((2, 0), 0)):
        plain = np.zeros(shape)
        expected = np.asarray(getattr(np, name)(plain, axis=axis))
        check(getattr(xp, name)(xp.asarray(plain), axis=axis), expected)


@pytest.mark.light
@pytest.mark.parametrize(
    ("name", "dtype"), cases({name: REAL if name in ON_REAL_NUMBERS else TYPES for name in REARRANGED})
)
def test_arrays_are_rearranged_and_made_in_all_shapes(name, dtype):
    for shape in SHAPES.values():
        plain = elements(dtype, shape)
        check(REARRANGED[name](xp.asarray(plain), xp), np.asarray(REARRANGED[name](plain, np)))


@pytest.mark.light
@pytest.mark.parametrize("dtype", TYPES)
def test_searches_and_sets_are_numpys_on_each_type(dtype):
    plain = elements(dtype, (2, 3))
    lazy = xp.asarray(plain)
    for found, expected in zip(xp.nonzero(lazy), np.nonzero(plain), strict=True):
        check(found, expected)
    for found, expected in zip(xp.unique_all(lazy), np.unique_all(plain), strict=True):
        check(found, expected)
    for found, expected in zip(xp.unique_counts(lazy), np.unique_counts(plain), strict=True):
        check(found, expected)
    for found, expected in zip(xp.unique_inverse(lazy), np.unique_inverse(plain), strict=True):
        check(found, expected)
    check(xp.unique_values(lazy), np.unique(plain))
    check(xp.argsort(lazy, axis=0), np.argsort(plain, axis=0, stable=True))
    flat = np.sort(plain.ravel())
    for side in ("left", "right"):
        if dtype != "bool":
            check(xp.searchsorted(xp.asarray(flat), lazy, side=side), np.searchsorted(flat, plain, side=side))
    check(xp.take(lazy, xp.asarray(np.array([2, 0])), axis=1), np.take(plain, [2, 0], axis=1))
    check(xp.astype(lazy, xp.float64), plain.astype(float))
