"""Loops of reductions, each beside what NumPy gives, for shapes around those of their steps."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.operators.reduce import loops

pytestmark = pytest.mark.light

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_words_between_two_bounds_are_kept_and_those_below_are_counted(count):
    words = RANDOM.integers(0, 9, count, np.uint64)
    for low, high in ((0, 8), (3, 3), (3, 6), (8, 8), (20, 30), (0, 0), (0, 2**64 - 1)):
        kept, counts = np.zeros(count, np.uint64), np.full(2, 7)
        loops.keep_between(words, low, high, kept, counts)
        inside = words[(words >= low) & (words <= high)]
        assert counts.tolist() == [int((words < low).sum()), len(inside)]
        assert kept[: len(inside)].tolist() == inside.tolist()
    with pytest.raises(ValueError, match="in no order"):
        loops.keep_between(words, 3, 2, np.zeros(count, np.uint64), np.zeros(2, np.int64))


SHAPES = [(1, 1, 1), (2, 3, 4), (1, 7, 5), (3, 1, 4), (4, 9, 1), (1, 40, 17), (2, 5, 70)]


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64, np.uint8])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_first_positions_of_extremes_are_those_of_numpy(shape, dtype):
    values = RANDOM.integers(0, 4, shape).astype(dtype)
    if dtype == np.float64 and values.size > 4:
        values.reshape(-1)[RANDOM.integers(0, values.size, 2)] = np.nan
    for is_largest, function in ((True, np.argmax), (False, np.argmin)):
        result = np.zeros(shape[0] * shape[2], np.int64)
        loops.find_positions(values.ravel(), shape[1], shape[2], is_largest, result)
        assert result.tolist() == function(values, axis=1).ravel().tolist()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_squares_of_distances_from_the_mean_are_those_of_numpy(shape):
    values = RANDOM.normal(size=shape) * 3 + 100
    found = np.zeros(shape[0] * shape[2])
    loops.sum_squares(values.ravel(), shape[1], shape[2], found)
    wanted = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    np.testing.assert_allclose(found, wanted.ravel(), rtol=1e-9, atol=1e-18)
