"""Reductions along dimensions: NumPy is the reference."""

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError

RNG = np.random.default_rng(0)
GRIDS = {
    "int": RNG.integers(-5, 6, (2, 3, 4)),
    "float": RNG.normal(size=(4, 1, 3)),
    "bool": RNG.random((2, 5)) > 0.5,
    "uint": RNG.integers(0, 9, (3, 2)).astype(np.uint64),
}
NAMES = ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all")


@pytest.fixture(params=[100, 1])
def small_array(request):
    with ak.config.set(small_array=request.param):
        yield


def axes_of(grid):
    numbers = range(grid.ndim)
    several = [axes for count in range(1, grid.ndim + 1) for axes in itertools.combinations(numbers, count)]
    return [None, -1, *numbers, *several]


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", GRIDS)
def test_reductions_along_any_dimensions_are_numpys(name, kind, small_array):
    grid = GRIDS[kind]
    lazy = ak.array(grid)
    for axis, keepdims in itertools.product(axes_of(grid), (False, True)):
        found = getattr(ak, name)(lazy, axis=axis, keepdims=keepdims)
        expected = getattr(np, name)(grid, axis=axis, keepdims=keepdims)
        if expected.ndim:
            assert found.shape == expected.shape
            found = found.to_ndarray()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(
    shape=st.tuples(st.integers(1, 40), st.integers(1, 5), st.integers(1, 4)),
    name=st.sampled_from([*NAMES, "count_nonzero"]),
    axis=st.sampled_from([0, 1, 2, (0, 1), (1, 2), (0, 2)]),
    kind=st.sampled_from(["i8", "f8", "?"]),
    longest=st.sampled_from([1, 6, 20, 2**22]),
    most=st.sampled_from([1, 7, 2**20]),
)
@example(shape=(38, 5, 4), name="mean", axis=0, kind="i8", longest=2**22, most=1)
def test_parts_and_blocks_reduce_as_all_at_once(*, shape, name, axis, kind, longest, most):
    grid = np.random.default_rng(math.prod(shape)).integers(-3, 4, shape).astype(kind)
    with pytest.MonkeyPatch.context() as patched, ak.config.set(small_array=most):
        patched.setattr("akdask.arrays.tuning.AXIS_ELEMENTS", longest)
        patched.setattr("akdask.arrays.tuning.AXIS_PART", longest)
        found = getattr(ak.array(grid), name)(axis=axis).to_ndarray()
    expected = getattr(np, name)(grid, axis=axis)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_sums_of_floats_along_a_dimension_do_not_depend_on_partitions():
    grid = np.random.default_rng(3).normal(size=(3000, 7)) * 1e9
    found = []
    for most in (1, 1000, 2**20):
        with ak.config.set(small_array=most), pytest.MonkeyPatch.context() as patched:
            patched.setattr("akdask.arrays.tuning.AXIS_PART", 700)
            found.append(ak.array(grid).sum(axis=0).to_ndarray().tobytes())
    assert len(set(found)) == 1


@given(
    cuts=st.lists(st.integers(0, 60), max_size=4),
    behind=st.integers(1, 4),
    part=st.integers(2, 9),
    name=st.sampled_from(["sum", "max", "mean", "any"]),
)
def test_parts_may_lie_in_several_partitions(*, cuts, behind, part, name):
    rows = 60 // behind
    plain = np.random.default_rng(part).integers(-5, 5, rows * behind)
    bounds = sorted({0, *(min(cut, len(plain)) for cut in cuts), len(plain)})
    flat = ak.concatenate([ak.array(plain[start:stop]) for start, stop in pairwise(bounds)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("akdask.arrays.tuning.AXIS_PART", part * behind)
        found = getattr(flat.reshape(rows, behind), name)(axis=0).to_ndarray()
    np.testing.assert_allclose(found, getattr(np, name)(plain.reshape(rows, behind), axis=0))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_positions_along_a_dimension_are_numpys(name, small_array):
    for grid in (GRIDS["int"], GRIDS["float"]):
        lazy = ak.array(grid)
        for axis, keepdims in itertools.product((*range(grid.ndim), -1), (False, True)):
            found = getattr(ak, name)(lazy, axis=axis, keepdims=keepdims)
            assert found.tolist() == getattr(np, name)(grid, axis=axis, keepdims=keepdims).tolist()


def test_the_first_nan_is_an_extreme():
    grid = np.array([[np.nan, 2.0, 1.0], [3.0, np.nan, np.nan]])
    for axis in (0, 1):
        assert ak.array(grid).argmin(axis=axis).tolist() == grid.argmin(axis=axis).tolist()
        assert ak.array(grid).argmax(axis=axis).tolist() == grid.argmax(axis=axis).tolist()


def test_counts_and_degrees_of_freedom_are_numpys():
    grid = GRIDS["int"]
    lazy = ak.array(grid)
    assert lazy.count_nonzero(1).tolist() == np.count_nonzero(grid, axis=1).tolist()
    np.testing.assert_allclose(lazy.var(1, 2).to_ndarray(), grid.var(axis=2, ddof=1))
    np.testing.assert_allclose(ak.std(lazy, ddof=1, axis=(0, 2)).to_ndarray(), grid.std(axis=(0, 2), ddof=1))


def test_nan_is_not_skipped():
    grid = np.array([[1.0, np.nan], [2.0, 3.0]])
    for name in ("sum", "prod", "min", "max", "mean", "var"):
        found = getattr(ak.array(grid), name)(axis=1).to_ndarray()
        np.testing.assert_allclose(found, getattr(grid, name)(axis=1))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 4)])
def test_reductions_of_nothing_are_numpys(shape):
    grid = np.empty(shape)
    lazy = ak.array(grid)
    for name, axis in itertools.product(("sum", "prod", "any", "all"), range(len(shape))):
        found, expected = (getattr(item, name)(axis=axis) for item in (lazy, grid))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_ndarray(), expected)
    axis = shape.index(0)
    assert np.isnan(lazy.mean(axis=axis).to_ndarray()).all()
    with pytest.raises(ArgumentError, match="no elements"):
        lazy.min(axis=axis)


def test_flat_arrays_keep_their_dimension():
    found = ak.arange(5).sum(axis=-1, keepdims=True)
    assert isinstance(found, ak.pdarray)
    assert found.tolist() == [10]
    assert ak.array([2.0, 1.0]).argmin(keepdims=True).tolist() == [1]


def test_axes_that_are_not_there_are_refused():
    lazy = ak.array(GRIDS["int"])
    with pytest.raises(AxisError, match="3 dimensions"):
        lazy.sum(axis=3)
    with pytest.raises(AxisError, match="3 dimensions"):
        lazy.sum(axis=(0, -4))
    with pytest.raises(ArgumentError, match="twice"):
        lazy.sum(axis=(1, -2))
    with pytest.raises(ArgumentError, match="one axis"):
        lazy.argmin(axis=(0, 1))
    with pytest.raises(ArgumentTypeError, match="whole numbers"):
        lazy.sum(axis=0.5)


def test_functions_of_elements_keep_the_shape(small_array):
    grid = GRIDS["float"]
    lazy = ak.array(grid)
    for found, expected in (
        (ak.abs(lazy), np.abs(grid)),
        (ak.isnan(lazy), np.isnan(grid)),
        (ak.clip(lazy, -0.5, 0.5), grid.clip(-0.5, 0.5)),
        (ak.power(lazy, 2), grid**2),
        (ak.mod(lazy, 2), np.mod(grid, 2)),
        (ak.maximum(lazy, -lazy), np.abs(grid)),
        (ak.sin(lazy, where=lazy > 0), np.where(grid > 0, np.sin(grid), grid)),
        (ak.where(lazy > 0, lazy, 0), np.where(grid > 0, grid, 0)),
        (ak.where(lazy > 0, 1.5, 0), np.where(grid > 0, 1.5, 0)),
        (ak.cast(lazy, "int64"), grid.astype(int)),
        (ak.round(lazy, 1), grid.round(1)),
    ):
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_ndarray(), expected)


def test_the_truth_of_many_elements_is_ambiguous():
    lazy = ak.array([[1, 0], [0, 1]])
    with pytest.raises(ArgumentError, match="ambiguous"):
        bool(lazy == 1)
    assert not bool(ak.array([[0]]))


def test_rows_are_those_of_flat_arrays():
    lazy = ak.array([[3, 1], [1, 2]])
    assert ak.unique(lazy).tolist() == [1, 2, 3]
    assert ak.concatenate([lazy, lazy], axis=None).tolist() == [3, 1, 1, 2] * 2
    for wrong in (lambda: ak.GroupBy(lazy), lambda: ak.in1d(lazy, ak.arange(3)), lambda: ak.in1d(ak.arange(3), lazy)):
        with pytest.raises(ArgumentTypeError, match="one dimension"):
            wrong()
