from __future__ import annotations

import warnings
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.dtypes import FLOAT64, INT64, column_type
from akdask.errors import ArgumentError
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.reduce.quantiles import AT_ROWS, METHODS, checked_quantiles
from akdask.operators.reduce.reductions import ScalarReduction

pytestmark = pytest.mark.light

VALUES = {
    "float64": st.floats(-1e6, 1e6) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0]),
    "int64": st.integers(-(2**40), 2**40),
    "uint64": st.integers(0, 2**64 - 1),
    "bool": st.booleans(),
    "uint8": st.integers(0, 255),
}


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data(), dtype=st.sampled_from(list(VALUES)), q=st.floats(0, 1) | st.sampled_from([0, 0.25, 0.5, 1]))
def test_quantiles_of_blocks_are_numpys_of_all_rows(method, data, dtype, q):
    plain = data.draw(st.lists(VALUES[dtype], min_size=1, max_size=40))
    rows = np.array(plain, dtype)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    mask[0] = True
    bounds = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    blocks = zip(np.split(rows, bounds), np.split(mask, bounds), strict=True)
    quantile = ScalarReduction("quantile", column_type(dtype))
    state = reduce(quantile.merge, [quantile.partial(*block) for block in blocks])
    found = quantile.finalize(state, q=q, method=method)
    # NumPy does not interpolate between bools, and gives NaN for what is an infinite row beside another.
    numbers = rows[mask].astype("uint8") if dtype == "bool" else rows[mask]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = np.quantile(numbers, q, method=method)
    assert found.dtype == (rows.dtype if method in AT_ROWS else np.float64)
    if np.isfinite(numbers.astype(float)).all() or method in AT_ROWS:
        np.testing.assert_allclose(float(found), float(wanted), rtol=1e-12, atol=1e-9)
    elif np.isnan(numbers).any():
        assert np.isnan(found)


def test_infinite_rows_are_elements_like_others():
    quantile = ScalarReduction("quantile", FLOAT64)
    state = quantile.partial(np.array([1.0, np.inf, np.inf, -np.inf, 2.0]))
    found = quantile.finalize(state, q=(0.0, 0.25, 0.5, 0.6, 0.9, 1.0))
    assert found.tolist() == [-np.inf, 1.0, 2.0, np.inf, np.inf, np.inf]


def test_numbers_at_both_ends_of_their_type_have_a_middle():
    for rows in (np.array([-1.7e308, 1.7e308]), np.array([-(2**63), 2**63 - 1])):
        median = ScalarReduction("median", column_type(rows.dtype.name))
        assert abs(median.finalize(median.partial(rows))) < 1
    top = np.array([2**64 - 1, 2**63], np.uint64)
    quantile = ScalarReduction("quantile", column_type("uint64"))
    assert quantile.finalize(quantile.partial(top), q=1.0, method="lower") == 2**64 - 1
    assert quantile.finalize(quantile.partial(top), q=0.25) == np.quantile(top, 0.25)


def test_a_median_of_two_rows_is_their_mean_to_the_last_bit():
    median = ScalarReduction("median", FLOAT64)
    pairs = np.sort(np.random.default_rng(0).normal(0, 1, (50, 2)), axis=1)
    means = (pairs[:, 0] + pairs[:, 1]) / 2
    assert (means != pairs[:, 1] - (pairs[:, 1] - pairs[:, 0]) * 0.5).any(), "so are quantiles elsewhere rounded"
    assert [median.finalize(median.partial(pair)) for pair in pairs] == means.tolist()


def test_quantiles_between_rows_further_apart_than_floats_reach_are_finite():
    quantile = ScalarReduction("quantile", FLOAT64)
    state = quantile.partial(np.array([-1.6e308, 1.6e308]))
    assert quantile.finalize(state, q=(0.25, 0.75)).tolist() == pytest.approx([-0.8e308, 0.8e308])


def test_no_rows_have_no_quantile():
    floats, integers = ScalarReduction("quantile", FLOAT64), ScalarReduction("quantile", INT64)
    assert np.isnan(floats.finalize(None, method="lower"))
    assert np.isnan(integers.finalize(None))
    with pytest.raises(ArgumentError, match="quantile of no rows"):
        integers.finalize(None, method="lower")


@pytest.mark.parametrize("q", [-0.1, 1.5, np.nan, [0.5, 2], "x", [[0.5]]])
def test_other_numbers_are_no_quantiles(q):
    with pytest.raises(ArgumentError, match="q="):
        checked_quantiles(q, "linear")


def test_methods_are_named_as_by_numpy():
    with pytest.raises(ArgumentError, match="median_unbiased"):
        checked_quantiles(0.5, "cubic")
    for method in METHODS:
        np.quantile([1.0], 0.5, method=method)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), VALUES["float64"]), max_size=15), min_size=1, max_size=4),
    st.sampled_from(METHODS),
    st.floats(0, 1),
    st.booleans(),
)
def test_quantiles_of_groups_of_floats_are_those_of_their_rows(blocks, method, q, skipna):
    step = AggregationStep("quantile", (0,), skipna, (("method", method), ("q", q)))
    aggregation = Aggregation(1, (step,))
    tables = [
        aggregation.rows(
            [np.array([key for key, _ in rows], np.int64)], [np.array([value for _, value in rows], float)]
        )
        for rows in blocks
    ]
    found = aggregation.finish(aggregation.merge(tables))
    plain = [row for rows in blocks for row in rows]
    assert found.columns[0].tolist() == sorted({key for key, _ in plain})
    quantile = ScalarReduction("quantile", FLOAT64)
    for key, value in zip(*(column.tolist() for column in found.columns.values()), strict=True):
        rows = np.array([value for other, value in plain if other == key])
        wanted = quantile.finalize(quantile.partial(rows), q=q, method=method, skipna=skipna)
        np.testing.assert_array_equal(value, wanted)
