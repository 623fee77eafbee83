"""Loops over numbers that are keys: their bounds, and the words that have their order."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.operators.keys import loops

pytestmark = pytest.mark.light

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8])
@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_bounds_of_numbers_are_those_of_numpy(dtype, count):
    limits = np.iinfo(dtype)
    numbers = RANDOM.integers(limits.min, limits.max, count, dtype, endpoint=True)
    for some in numbers, np.sort(numbers), np.sort(numbers)[::-1].copy(), np.full(count, limits.min, dtype):
        assert loops.least_and_most(some) == (int(some.min()), int(some.max()))
    with pytest.raises(ValueError, match="no numbers"):
        loops.least_and_most(numbers[:0])


def test_words_of_floats_have_their_order_upwards_and_downwards():
    ascending = np.array([-np.inf, -1e300, -1.5, -5e-324, 0.0, 5e-324, 1.5, 1e300, np.inf, np.nan])
    upwards, downwards = np.zeros(10, np.uint64), np.zeros(10, np.uint64)
    loops.float_words(ascending.view(np.uint64), 0, upwards)
    assert (np.diff(upwards.astype(object)) > 0).all()
    loops.float_words(ascending.view(np.uint64), 2**64 - 1, downwards)
    # NaN is last in either direction.
    assert (np.diff(downwards[:-1].astype(object)) < 0).all()
    assert downwards.argmax() == 9
    zeros, words = np.array([0.0, -0.0, np.nan, -np.nan]), np.zeros(4, np.uint64)
    for inverted in 0, 2**64 - 1:
        loops.float_words(zeros.view(np.uint64), inverted, words)
        assert words[0] == words[1]
        assert words[2] == words[3]
