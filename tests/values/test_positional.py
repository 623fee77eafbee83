from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.dtypes import FLOAT64, INT64
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.values import random
from akdask.operators.values.random import linspace

pytestmark = pytest.mark.light

DRAWS: dict[str, tuple[Any, dict[str, float]]] = {
    "uniform": (random.uniform, {"low": -1.0, "high": 3.0}),
    "integers": (random.integers, {"low": -5, "high": 1000}),
    "biased integers": (random.integers, {"low": -(2**63), "high": 2**62 + 1}),
    "normal": (random.standard_normal, {}),
}


@pytest.mark.parametrize("draw", DRAWS)
@given(first=st.integers(0, 60), count=st.integers(0, 60), seed=st.integers(-(2**70), 2**70))
def test_any_run_of_positions_gives_the_same_random_numbers(draw, first, count, seed):
    run, params = DRAWS[draw]
    whole = run(0, 120, seed=seed, **params)
    np.testing.assert_array_equal(run(first, count, seed=seed, **params), whole[first : first + count])


@pytest.mark.parametrize("draw", DRAWS)
def test_random_numbers_are_the_same_however_far_out_and_differ_by_seed(draw):
    run, params = DRAWS[draw]
    far = 10**15 + 3
    np.testing.assert_array_equal(run(far, 50_000, seed=1, **params)[777:], run(far + 777, 49_223, seed=1, **params))
    assert (run(far, 100, seed=1, **params) != run(far, 100, seed=2, **params)).sum() > 90


@pytest.mark.parametrize(
    "name", ["random_uniform", "random_normal", "random_integers", "random_short_integers", "random_bools", "linspace"]
)
@given(positions=st.lists(st.integers(0, 50)))
def test_any_selection_of_positions_gives_the_numbers_of_those_positions(name, positions):
    bounds = {"low": 0, "high": 9}
    of_name = {
        "random_integers": bounds,
        "random_short_integers": bounds,
        "linspace": {"start": 1.0, "stop": 2.0, "num": 51},
    }
    params: dict[str, float] = of_name.get(name, {})
    if name != "linspace":
        params["seed"] = 4
    operation = OPERATIONS[name]
    whole = operation.evaluate(np.arange(51), **params)
    assert operation.result_type(INT64, **params).numpy == whole.dtype
    positions = np.array(positions, np.int64)
    out = np.empty(len(positions), whole.dtype)
    assert operation.evaluate(positions, out=out, **params) is out
    np.testing.assert_array_equal(out, whole[positions])
    np.testing.assert_array_equal(operation.evaluate(positions, **params), whole[positions])


def test_positions_are_integers():
    with pytest.raises(ArgumentTypeError):
        OPERATIONS["linspace"].result_type(FLOAT64, start=0.0, stop=1.0, num=3)


def chi_square(counts):
    expected = counts.sum() / len(counts)
    return ((counts - expected) ** 2 / expected).sum()


@pytest.mark.parametrize("low", [-(2**63), -7, 0])
@pytest.mark.parametrize("buckets", [3, 100, 128])
def test_integers_fall_evenly_into_the_range(low, buckets):
    drawn = random.integers(0, 200_000, seed=7, low=low, high=low + buckets)
    counts = np.bincount((drawn - low).astype(np.int64), minlength=buckets)
    assert len(counts) == buckets
    assert chi_square(counts) < buckets - 1 + 5 * np.sqrt(2 * (buckets - 1))


@pytest.mark.parametrize("width", [3 * 2**62, 2**63 + 1, 2**64, 2**33 + 5])
def test_wide_ranges_are_drawn_from_evenly(width):
    low = -(2**63)
    drawn = random.integers(0, 100_000, seed=3, low=low, high=low + width)
    above = np.array([(int(value) - low) * 16 // width for value in drawn])
    assert above.min() >= 0
    assert above.max() <= 15
    assert chi_square(np.bincount(above, minlength=16)) < 15 + 5 * np.sqrt(30)


def test_no_number_of_a_wide_range_is_left_out_where_draws_are_rejected():
    """One of four draws is rejected here, and the others are all numbers once."""
    drawn = random.integers(0, 6000, seed=3, low=0, high=3 * 2**61)
    assert np.bincount(drawn % 3).min() > 1800


def test_the_upper_half_of_a_product_is_exact():
    factors = [3, 2**32 - 1, 2**32, 2**33 + 5, 2**64 - 1]
    numbers = random.integers(0, 200, seed=1, low=-(2**63), high=2**63).view(np.uint64)
    numbers[:4] = [0, 1, 2**64 - 1, 2**32]
    for factor in factors:
        upper, lower = random._multiply_wide(numbers, np.uint64(factor))
        assert [(int(u) << 64) + int(v) for u, v in zip(upper, lower, strict=True)] == [
            int(n) * factor for n in numbers
        ]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (3, 2), (-(2**63) - 1, 2**63), (0, 2**64 + 1)])
def test_empty_and_too_wide_ranges_are_errors(low, high):
    with pytest.raises(ArgumentError, match="64 bits"):
        random.integers(0, 1, seed=0, low=low, high=high)


def test_uniform_numbers_fill_their_range_evenly():
    drawn = random.uniform(5, 200_000, seed=11, low=-2.0, high=6.0)
    assert drawn.min() >= -2.0
    assert drawn.max() < 6.0
    assert chi_square(np.histogram(drawn, bins=64, range=(-2.0, 6.0))[0]) < 63 + 5 * np.sqrt(126)


def test_normal_numbers_have_the_moments_and_shares_of_the_normal_distribution():
    drawn = random.standard_normal(1, 200_000, seed=11)
    assert abs(drawn.mean()) < 5 / np.sqrt(len(drawn))
    assert abs(drawn.var() - 1) < 5 * np.sqrt(2 / len(drawn))
    assert abs((drawn**4).mean() - 3) < 5 * np.sqrt(96 / len(drawn))
    for bound, share in [(1, 0.682689), (2, 0.954500), (3, 0.997300)]:
        assert abs((np.abs(drawn) < bound).mean() - share) < 5 * np.sqrt(share * (1 - share) / len(drawn))
    assert abs(np.corrcoef(drawn[::2], drawn[1::2])[0, 1]) < 5 / np.sqrt(len(drawn) / 2)


@given(
    start=st.floats(-1e300, 1e300),
    stop=st.floats(-1e300, 1e300),
    num=st.integers(0, 40),
    endpoint=st.booleans(),
    cut=st.integers(0, 40),
)
def test_linspace_is_numpys_bit_by_bit(start, stop, num, endpoint, cut):
    cut = min(cut, num)
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    found = np.concatenate([linspace(0, cut, **params), linspace(cut, num - cut, **params)])
    np.testing.assert_array_equal(found, np.linspace(start, stop, num, endpoint=endpoint))
