"""Random numbers that are drawn by rejection: their distributions, and that a number depends on its position alone."""

from __future__ import annotations

from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.values import random
from akdask.operators.values.random import _log_factorial, poisson, shuffled, standard_gamma

pytestmark = pytest.mark.light

COUNT = 40_000


@pytest.mark.parametrize("mean", [0.3, 4.0, 9.99, 10.0, 45.0, 3000.0])
def test_poisson_numbers_have_their_mean_and_variance(mean):
    drawn = poisson(np.arange(COUNT), np.full(COUNT, mean), seed=11)
    # Five deviations of what the mean and the variance of so many numbers vary by.
    assert abs(drawn.mean() - mean) < 5 * np.sqrt(mean / COUNT)
    assert abs(drawn.var() - mean) < 5 * np.sqrt((2 * mean**2 + mean) / COUNT)


@pytest.mark.parametrize("mean", [0.3, 4.0, 12.0])
def test_poisson_numbers_are_as_frequent_as_their_probability(mean):
    drawn = poisson(np.arange(COUNT), np.full(COUNT, mean), seed=5)
    for number in range(int(3 * mean) + 3):
        probability = exp(-mean) * mean**number / factorial(number)
        tolerance = 5 * np.sqrt(probability * (1 - probability) / COUNT)
        assert abs((drawn == number).mean() - probability) < tolerance, number


@pytest.mark.parametrize("shape", [0.2, 0.99, 1.0, 2.5, 80.0])
def test_gamma_numbers_have_their_moments(shape):
    drawn = standard_gamma(np.arange(COUNT), np.full(COUNT, shape), seed=3)
    assert abs(drawn.mean() - shape) < 5 * np.sqrt(shape / COUNT)
    assert abs(drawn.var() - shape) < 5 * np.sqrt((2 * shape**2 + 6 * shape) / COUNT)
    skewness = ((drawn - shape) ** 3).mean() / shape**1.5
    assert skewness == pytest.approx(2 / np.sqrt(shape), rel=0.25, abs=0.1)


def test_gamma_numbers_of_shape_one_are_exponential():
    drawn = standard_gamma(np.arange(COUNT), np.ones(COUNT), seed=9)
    for limit in (0.1, 0.5, 1.0, 3.0):
        assert abs((drawn < limit).mean() - (1 - exp(-limit))) < 5 * 0.5 / np.sqrt(COUNT)


@given(st.integers(0, 2**63 - 1), st.lists(st.integers(0, 60), min_size=1, max_size=20, unique=True))
def test_a_number_depends_on_its_position_alone(seed, positions):
    chosen = np.array(positions)
    means = np.linspace(0.0, 40.0, 61)
    for draw in (poisson, standard_gamma):
        every = draw(np.arange(61), means, seed=seed)
        assert draw(chosen, means[chosen], seed=seed).tolist() == every[chosen].tolist()
    order = shuffled(np.arange(61), key=seed, size=61, rounds=16)
    assert sorted(order.tolist()) == list(range(61))
    assert shuffled(chosen, key=seed, size=61, rounds=16).tolist() == order[chosen].tolist()


def test_logarithms_of_factorials_are_exact_to_the_last_digits():
    numbers = np.array([0.0, 1.0, 2.0, 10.0, 25.0])
    wanted = [np.log(float(factorial(int(number)))) for number in numbers]
    np.testing.assert_allclose(_log_factorial(numbers), wanted, atol=1e-12)


def test_orders_of_few_elements_are_alike():
    seen = {tuple(shuffled(np.arange(3), key=seed, size=3, rounds=16).tolist()) for seed in range(60)}
    assert len(seen) == 6


def test_bits_are_mixed_as_those_of_splitmix64():
    """The first numbers after two seeds, as the authors' program gives them."""
    step = 0x9E3779B97F4A7C15
    for seed, wanted in (
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]),
    ):
        words = np.array([(seed + step * number) % 2**64 for number in range(1, 5)], np.uint64)
        assert random.mix_bits(words).tolist() == wanted
