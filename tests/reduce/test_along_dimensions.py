"""Functions along dimensions and products of matrices, which partitions cut anywhere: NumPy is the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import akdask as ak
from akdask.arrays import tuning
from akdask.arrays.array import wrap
from akdask.arrays.axes import cut
from akdask.arrays.sorting import in_order
from akdask.engine.alignment import Realign
from akdask.engine.rowwise import Project
from akdask.engine.values import Call, Constant
from akdask.operators.reduce.along_axis import AlongAxis, computed_along
from akdask.operators.reduce.extremes import first_extremes
from akdask.testing.strategies import partitioned

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


@given(st.integers(1, 9000), st.integers(1, 200), DTYPES, st.integers(0, 2**32), st.booleans())
@settings(max_examples=30)
def test_first_positions_of_extremes_are_numpys(length, inner, dtype, seed, largest):
    random = np.random.default_rng(seed)
    shape = (random.integers(0, 3), length if inner == 1 else length % 20 + 1, inner if length % 2 else 1)
    grid = random.integers(0, random.choice([3, 1000, 10**6]), shape).astype(dtype)
    if dtype == "float64":
        grid[random.random(shape) < random.choice([0, 1e-4, 0.5])] = random.choice([np.nan, -0.0, np.inf])
    found = first_extremes(grid.reshape(-1), *shape[1:], largest)
    np.testing.assert_array_equal(found, (np.argmax if largest else np.argmin)(grid, axis=1).reshape(-1))


@given(st.integers(1, 5000), st.integers(1, 200), st.integers(0, 2**32), st.sampled_from([0.0, 1e6]))
@example(4096, 1, 0, 0.0)
@example(7, 19, 0, 0.0)
def test_squares_of_distances_from_the_mean_are_numpys(length, inner, seed, center):
    random = np.random.default_rng(seed)
    grid = random.normal(center, 1, (random.integers(1, 4), length if inner == 1 else length % 300 + 1, inner))
    found = computed_along("squares", grid.reshape(-1), *grid.shape[1:])
    np.testing.assert_allclose(found, (grid.var(axis=1) * grid.shape[1]).reshape(-1), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("place", [0, 1, 127, 128, 4095, 4096, 4097, 8191, 8192, 8199])
def test_an_extreme_is_found_at_the_ends_of_what_is_searched_at_once(place):
    for dtype in ("int64", "float64"):
        row = np.zeros(8200, dtype)
        row[place] = 1
        assert first_extremes(row, 8200, 1, largest=True).tolist() == [place]
        assert first_extremes(-row, 8200, 1, largest=False).tolist() == [place]


@given(grids())
@settings(max_examples=20)
def test_positions_of_extremes_of_long_dimensions_are_those_of_parts(drawn):
    grid, partition, axis = drawn
    with ak.config.set(small_array=partition), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "AXIS_ELEMENTS", 4)
        patch.setattr(tuning, "AXIS_PART", 10)
        for name in ("argmin", "argmax"):
            same(getattr(ak, name)(ak.array(grid), axis=axis), getattr(np, name)(grid, axis=axis), name)


def test_values_that_are_computed_of_rows_in_other_partitions_are_reduced():
    rows = np.arange(12.0)
    lazy = partitioned(rows, [5, 7])
    frame, value = cut(lazy._frame, lazy._value, [4, 8])
    assert isinstance(frame, Realign)
    for reduced in (value, Call("multiply", value, Constant(2.0))):
        node = AlongAxis(Project(frame, (0,), (reduced,)), "sum", 4, 1, ())
        of_rows = rows if reduced is value else rows * 2
        assert wrap(node, node.result).tolist() == of_rows.reshape(3, 4).sum(axis=1).tolist()


@given(grids())
@settings(max_examples=10)
def test_scans_and_orders_along_a_dimension_are_numpys(drawn):
    grid, partition, axis = drawn
    with ak.config.set(small_array=partition), np.errstate(all="ignore"):
        lazy = ak.array(grid)
        same(in_order(lazy, axis), np.sort(grid, axis=axis), "sort")
        if not np.isnan(grid).any():
            same(in_order(lazy, axis, ascending=False), np.flip(np.sort(grid, axis=axis), axis), "descending")
        same(ak.argsort(lazy, axis=axis), np.argsort(grid, axis=axis, kind="stable"), "argsort")
        for name, wanted in (
            ("cumsum", np.cumsum(grid, axis=axis)),
            ("diff", np.diff(grid, axis=axis)),
            ("cummax", np.maximum.accumulate(grid, axis=axis)),
        ):
            found = getattr(ak, name)(lazy, axis=axis)
            # Alone, results are written to an array of all rows; beside other work, each partition has its own.
            same(found, wanted, name)
            same(found * 1, wanted * 1, name)


@given(npst.arrays(np.int64, st.tuples(*[st.integers(1, 4)] * 2)), st.integers(1, 4), st.integers(1, 9), st.data())
@settings(max_examples=15)
def test_products_of_matrices_are_numpys(left, columns, partition, data):
    right = data.draw(npst.arrays(np.int64, (left.shape[1], columns)))
    with ak.config.set(small_array=partition), np.errstate(all="ignore"):
        found = ak.matmul(ak.array(left), ak.array(right))
        assert found.shape == (len(left), columns)
        np.testing.assert_array_equal(found.to_ndarray(), left @ right)
