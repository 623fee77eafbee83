"""Sorting and scans along dimensions: NumPy is the reference."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import akdask as ak
from akdask.arrays import tuning
from akdask.arrays.sorting import in_order
from akdask.errors import ArgumentTypeError, AxisError
from akdask.testing.strategies import partition_lengths, partitioned

SHAPES = npst.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=5)
DTYPES = st.sampled_from(["int64", "uint64", "float64", "bool"])
GRIDS = st.tuples(DTYPES, SHAPES).flatmap(lambda drawn: npst.arrays(*drawn))


def same(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found.to_ndarray(), expected)


@given(GRIDS, st.integers(-2, 1), st.sampled_from([1, 1000]))
def test_orders_and_scans_along_a_dimension_are_numpys(grid, axis, small_array):
    with ak.config.set(small_array=small_array), np.errstate(all="ignore"):
        lazy = ak.array(grid)
        same(in_order(lazy, axis), np.sort(grid, axis=axis))
        same(ak.argsort(lazy, axis=axis), np.argsort(grid, axis=axis, kind="stable"))
        for found, expected in ((ak.cumsum, np.cumsum), (ak.cumprod, np.cumprod)):
            same(found(lazy, axis=axis), expected(grid, axis=axis))
        same(ak.cummin(lazy, axis=axis), np.minimum.accumulate(grid, axis=axis))
        same(ak.cummax(lazy, axis=axis), np.maximum.accumulate(grid, axis=axis))
        same(ak.cumsum(lazy > 0), np.cumsum(grid > 0))


@given(GRIDS, st.integers(-2, 1), st.integers(0, 3), st.data())
def test_differences_along_a_dimension_are_numpys(grid, axis, n, data):
    flat = grid.reshape(-1)
    lazy = partitioned(flat, data.draw(partition_lengths(len(flat))))
    with np.errstate(all="ignore"):
        same(ak.diff(lazy.reshape(grid.shape), n=n, axis=axis), np.diff(grid, n=n, axis=axis))
        same(ak.diff(lazy, n=n), np.diff(flat, n=n))
        if grid.dtype != bool and grid.size:
            same(ak.diff(lazy)[::-1] + ak.diff(lazy), np.diff(flat)[::-1] + np.diff(flat))


@pytest.mark.parametrize("shape", [(9, 700), (700, 9), (6300, 1), (1, 6300), (7, 30, 30), (3, 2100), (50, 2, 63)])
def test_variances_of_long_dimensions_are_those_of_their_parts(shape, monkeypatch):
    monkeypatch.setattr(tuning, "AXIS_PART", 512)
    monkeypatch.setattr(tuning, "AXIS_ELEMENTS", 1024)
    grid = np.random.default_rng(1).normal(1e6, 1, shape)
    lazy = partitioned(grid.reshape(-1), [1000, 0, 3001, 2299]).reshape(shape)
    for axis in range(grid.ndim):
        for ddof in (0, 1):
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                expected = grid.var(axis=axis, ddof=ddof)
            np.testing.assert_allclose(ak.var(lazy, axis=axis, ddof=ddof).to_ndarray(), expected, rtol=1e-8)
            np.testing.assert_allclose(ak.std(lazy, axis=axis, ddof=ddof).to_ndarray(), np.sqrt(expected), rtol=1e-8)
    grid[0] = np.inf
    grid[-1, ..., -1] = np.nan
    lazy = partitioned(grid.reshape(-1), [6300]).reshape(shape)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ak.var(lazy, axis=0).to_ndarray(), grid.var(axis=0), rtol=1e-8)


def test_descending_orders_are_stable_and_leave_nan_last():
    lazy = ak.array([[2.0, np.nan, 1.0, 2.0], [-np.inf, 0.0, np.nan, np.nan]])
    np.testing.assert_array_equal(
        ak.sort(lazy, axis=1, ascending=False).to_ndarray(), [[2, 2, 1, np.nan], [0, -np.inf, np.nan, np.nan]]
    )
    assert ak.argsort(lazy, axis=1, ascending=False).tolist() == [[0, 3, 2, 1], [1, 0, 2, 3]]
    for line in ([3, -(2**63), 3, 2**63 - 1], [True, False, True, True], [2**63 - 1, 0, 7, 7]):
        order = sorted(range(4), key=lambda row, line=line: -line[row])
        lazy = ak.array(np.array([line]).T)
        assert ak.argsort(lazy, axis=0, ascending=False).flatten().tolist() == order
        assert in_order(lazy, 0, ascending=False).flatten().tolist() == [line[row] for row in order]


def test_sorted_lines_are_told():
    lazy = ak.array([[1, 2, 2], [2, 1, 3]])
    assert ak.is_sorted(lazy, axis=1).tolist() == [True, False]
    assert ak.is_sorted(lazy, axis=1, keepdims=True).tolist() == [[True], [False]]
    assert lazy.is_sorted(0).tolist() == [True, False, True]
    assert not lazy.is_sorted()
    assert lazy.argsort(axis=1).tolist() == [[0, 1, 2], [1, 0, 2]]


def test_times_stay_times():
    times = np.array([["2024-01-03", "2024-01-01"], ["2023-01-01", "2025-01-01"]], "M8[ns]")
    found = ak.sort(ak.array(times), axis=0)
    assert isinstance(found.flatten(), ak.Datetime)
    np.testing.assert_array_equal(found.to_ndarray(), np.sort(times, axis=0))
    assert ak.argsort(ak.array(times), axis=1).tolist() == [[1, 0], [0, 1]]


def test_dimensions_that_are_not_there_are_refused():
    lazy = ak.zeros((2, 3))
    with pytest.raises(AxisError, match="2 dimensions"):
        ak.sort(lazy, axis=2)
    with pytest.raises(ArgumentTypeError, match="whole numbers"):
        ak.cumsum(lazy, axis=0.5)
    with pytest.raises(ArgumentTypeError, match="numbers, not bigint"):
        ak.sort(ak.array([2**70, 1]).reshape(1, 2))
