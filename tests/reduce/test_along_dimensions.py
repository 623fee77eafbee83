"""Functions along dimensions and products of matrices, which partitions cut anywhere: NumPy is the reference."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import akdask as ak

SHAPES = npst.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=5)
DTYPES = st.sampled_from(["int64", "uint64", "float64", "bool"])
ANY_ELEMENT = {"float64": st.sampled_from([0.0, -1.5, 2.25, np.nan, np.inf, 1e9])}
REDUCED = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax")


@st.composite
def grids(draw):
    """An array, the elements of a partition, and one of its dimensions."""
    dtype, shape = draw(DTYPES), draw(SHAPES)
    grid = draw(npst.arrays(dtype, shape, elements=ANY_ELEMENT.get(dtype)))
    return grid, draw(st.integers(1, 12)), draw(st.integers(-len(shape), len(shape) - 1))


def same(found, expected, name):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.to_ndarray(), expected, rtol=1e-9, atol=1e-9, err_msg=name)


@given(grids(), st.booleans())
@settings(max_examples=20)
def test_reductions_along_a_dimension_are_numpys(drawn, keepdims):
    grid, partition, axis = drawn
    with ak.config.set(small_array=partition), np.errstate(all="ignore"):
        lazy = ak.array(grid)
        for name in REDUCED:
            wanted = getattr(np, name)(grid, axis=axis, keepdims=keepdims)
            if not keepdims or name not in ("argmin", "argmax"):
                wanted = wanted.astype(float) if name not in ("sum", "prod", "min", "max") else wanted
                same(getattr(ak, name)(lazy, axis=axis, keepdims=keepdims), wanted, name)


@given(grids())
@settings(max_examples=10)
def test_scans_and_orders_along_a_dimension_are_numpys(drawn):
    grid, partition, axis = drawn
    with ak.config.set(small_array=partition), np.errstate(all="ignore"):
        lazy = ak.array(grid)
        same(ak.sort(lazy, axis=axis), np.sort(grid, axis=axis), "sort")
        if not np.isnan(grid).any():
            same(ak.sort(lazy, axis=axis, ascending=False), np.flip(np.sort(grid, axis=axis), axis), "descending")
        same(ak.argsort(lazy, axis=axis), np.argsort(grid, axis=axis, kind="stable"), "argsort")
        same(ak.cumsum(lazy, axis=axis), np.cumsum(grid, axis=axis), "cumsum")
        same(ak.cummax(lazy, axis=axis), np.maximum.accumulate(grid, axis=axis), "cummax")


@given(npst.arrays(np.int64, st.tuples(*[st.integers(1, 4)] * 2)), st.integers(1, 4), st.integers(1, 9), st.data())
@settings(max_examples=15)
def test_products_of_matrices_are_numpys(left, columns, partition, data):
    right = data.draw(npst.arrays(np.int64, (left.shape[1], columns)))
    with ak.config.set(small_array=partition), np.errstate(all="ignore"):
        found = ak.matmul(ak.array(left), ak.array(right))
        assert found.shape == (len(left), columns)
        np.testing.assert_array_equal(found.to_ndarray(), left @ right)
