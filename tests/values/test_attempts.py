"""Attempts of rejection methods as their papers give them, and where in the stream of a seed numbers come from."""

from __future__ import annotations

import math
from math import cos, exp, floor, inf, lgamma, log, log1p, pi, sqrt

import numpy as np
import pytest

from akdask.operators.values import random

UNIFORM = [0.0, 1e-9, 0.005, 0.05, 0.2, 0.499, 0.5, 0.8, 0.93, 0.985, 0.999999]


def poisson_attempt(mean, one, other):
    """One step of PTRS, of Hörmann's paper."""
    b = 0.931 + 2.53 * sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2)
    u = one - 0.5
    us = 0.5 - abs(u)
    if us == 0:
        return None
    k = floor((2 * a / us + b) * u + mean + 0.43)
    if us >= 0.07 and other <= limit:
        return k
    if k < 0 or (us < 0.013 and other > us):
        return None
    left = log(other) + log(inverse_alpha) - log(a / us**2 + b) if other else -inf
    return k if left <= -mean + k * log(mean) - lgamma(k + 1) else None


@pytest.mark.parametrize("mean", [10.0, 14.5, 100.0, 2.5e4])
def test_attempts_at_poisson_numbers_are_those_of_the_paper(mean):
    one, other = (side.ravel() for side in np.meshgrid(UNIFORM, UNIFORM))
    found, accepted = random._poisson_attempt(np.full(len(one), mean), one, other)
    wanted = [poisson_attempt(mean, *pair) for pair in zip(one.tolist(), other.tolist(), strict=True)]
    assert [int(number) if take else None for number, take in zip(found, accepted, strict=True)] == wanted
    assert 0 < sum(number is not None for number in wanted) < len(wanted)


def gamma_attempt(shape, radius, angle, limit):
    """One step of Marsaglia and Tsang's method, of a normal number by Box and Muller."""
    x = sqrt(-2 * log1p(-radius)) * cos(2 * pi * angle)
    d = shape - 1 / 3
    v = (1 + x / sqrt(9 * d)) ** 3
    if v <= 0:
        return None
    return d * v if log1p(-limit) < 0.5 * x * x + d - d * v + d * log(v) else None


@pytest.mark.parametrize("shape", [1.0, 1.7, 20.0])
def test_attempts_at_gamma_numbers_are_those_of_the_paper(shape):
    sides = [side.ravel() for side in np.meshgrid(UNIFORM[1:], UNIFORM, UNIFORM[1:])]
    found, accepted = random._gamma_attempt(np.full(len(sides[0]), shape), *sides)
    wanted = [gamma_attempt(shape, *row) for row in zip(*[side.tolist() for side in sides], strict=True)]
    assert accepted.tolist() == [number is not None for number in wanted]
    np.testing.assert_allclose(found[accepted], [number for number in wanted if number is not None], rtol=1e-12)


def test_each_attempt_draws_from_streams_of_its_own(monkeypatch):
    """Rows that were refused are drawn again, from the next streams, until none is left."""
    asked = []

    def uniform_at(positions, seed, attempt=0):
        asked.append((positions.tolist(), seed, attempt))
        return np.full(len(positions), attempt / 10)

    def attempt(parameters, one, other):
        return parameters + one * 10 + other * 1000, parameters <= one * 10

    monkeypatch.setattr(random, "uniform_at", uniform_at)
    found = np.zeros(4, np.int64)
    random._rejecting(found, np.array([0, 1, 3]), attempt, 2, np.array([7, 5, 9, 6]), np.array([1, 3, 0, 4]), 17)
    assert asked == [
        ([7, 5, 6], 17, 1), ([7, 5, 6], 17, 2), ([5, 6], 17, 3), ([5, 6], 17, 4), ([6], 17, 5), ([6], 17, 6)
    ]  # fmt: skip
    assert found.tolist() == [1 + 1 + 200, 3 + 3 + 400, 0, 4 + 5 + 600]


@pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 9.999])
def test_small_poisson_numbers_invert_the_distribution(monkeypatch, mean):
    drawn = np.array([0.0, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 0.999999])
    monkeypatch.setattr(random, "uniform_at", lambda positions, seed: drawn)

    def inverted(number):
        k, p, total = 0, exp(-mean), exp(-mean)
        while number > total:
            k += 1
            p *= mean / k
            total += p
        return k

    found = random._by_inversion(np.arange(8), np.full(8, mean), 3)
    assert found.tolist() == [inverted(number) if mean else 0 for number in drawn.tolist()]


def test_gamma_numbers_of_small_shapes_are_scaled(monkeypatch):
    monkeypatch.setattr(random, "uniform_at", lambda positions, seed: np.full(len(positions), 0.75))
    shapes = np.array([0.0, 0.5, 1.0, 2.0])
    seen = []

    def rejecting(found, rows, attempt, wanted, *rest):
        seen.append((rows.tolist(), attempt, wanted, rest[1].tolist()))
        found[rows] = 8.0

    monkeypatch.setattr(random, "_rejecting", rejecting)
    assert random.standard_gamma(np.arange(4), shapes, seed=1).tolist() == [0.0, 8 * 0.25**2, 8.0, 8.0]
    assert seen == [([1, 2, 3], random._gamma_attempt, 3, [1.0, 1.5, 1.0, 2.0])]


def test_means_from_ten_on_are_drawn_by_rejection(monkeypatch):
    seen = []
    monkeypatch.setattr(random, "_rejecting", lambda found, rows, *rest: seen.append((rows.tolist(), rest[:2])))
    monkeypatch.setattr(random, "_by_inversion", lambda positions, means, seed: np.full(len(positions), 5))
    found = random.poisson(np.arange(4), np.array([9.99, 10.0, 0.0, 50.0]), seed=1)
    assert seen == [([1, 3], (random._poisson_attempt, 2))]
    assert found.tolist() == [5, 0, 5, 0]


@pytest.mark.parametrize("lengths", [("uniform", 0, 5), ("lognormal", 0.5, 0.6)])
def test_texts_are_the_same_wherever_rows_are_cut(monkeypatch, lengths):
    """A row's characters begin behind those of all earlier rows, which are counted chunk by chunk."""
    every = random.strings(np.arange(40), seed=3, lengths=lengths, alphabet="abcd").to_pylist()
    sizes = random.string_lengths(0, 40, seed=3, lengths=lengths)
    assert [len(item) for item in every] == sizes.tolist()
    assert set("".join(every)) <= set("abcd")
    for chunk in (1, 7, 16, 40):
        monkeypatch.setattr(random, "CHUNK", chunk)
        random._bytes_of.cache_clear()
        for positions in ([39], [0, 1], [20, 8, 33, 8], list(range(40))):
            found = random.strings(np.array(positions), seed=3, lengths=lengths, alphabet="abcd").to_pylist()
            assert found == [every[position] for position in positions]
    random._bytes_of.cache_clear()
    assert len(random.strings(np.arange(0), seed=3, lengths=lengths, alphabet="a")) == 0


@pytest.mark.parametrize(
    ("start", "stop", "num"),
    [(0.0, 1.0, 5), (2.5, -1.0, 4), (1.0, 1.0, 3), (0.0, 5e-324, 4), (3.0, 9.0, 1), (0.0, 1.0, 2)],
)
@pytest.mark.parametrize("endpoint", [True, False])
def test_parts_of_numbers_at_equal_distances_are_those_of_numpy(start, stop, num, endpoint):
    wanted = np.linspace(start, stop, num, endpoint=endpoint)
    for first in range(num):
        for count in range(num - first + 1):
            found = random.linspace(first, count, start=start, stop=stop, num=num, endpoint=endpoint)
            assert found.tobytes() == wanted[first : first + count].tobytes()


@pytest.mark.parametrize("positions", [[3, 1, 2], [5], [], [2, 2, 4], [0, 1, 2, 3], [7, 6]])
def test_positions_in_any_order_have_the_numbers_of_consecutive_ones(positions):
    asked = []
    kernel = random._at_positions(
        lambda first, count, **params: asked.append((first, count, params)) or np.arange(first, first + count) * 10
    )
    given = np.array(positions, np.int64)
    for begin in (0, 100):
        assert kernel(given, begin=begin, more=1).tolist() == [10 * (position + begin) for position in positions]
        out = np.zeros(len(positions), np.int64)
        assert (
            kernel(given, out=out, begin=begin).tolist()
            == out.tolist()
            == [10 * (position + begin) for position in positions]
        )
    low = min(positions, default=0)
    assert asked[0] == (low, max(positions, default=-1) + 1 - low, {"more": 1})


def test_ranges_of_positions_are_numbered():
    out = np.zeros(6, np.int64)
    given = np.array([0, 4, 5, 9, 10, 99])
    for target in (None, out):
        found = random._of_range(given, target, starts=(0, 5, 10), numbers=(7, 3, 9))
        assert found.tolist() == [7, 7, 3, 3, 9, 9]
    assert out.tolist() == [7, 7, 3, 3, 9, 9]
    assert [random.step_of(count) for count in (0, 1, 10_000, 10_001, 10**6, 10**7)] == [
        256,
        256,
        256,
        1024,
        4096,
        4**7,
    ]


@pytest.mark.parametrize(
    ("width", "low"), [(3, 0), (2**63 + 5, -7), (2**64 - 1, 2), (10**18, -(10**17)), (2**33 + 1, 5)]
)
def test_wide_integers_are_the_upper_bits_of_products(width, low):
    """Those whose lower bits would make some numbers more likely are drawn again, from the next stream."""
    raw = [random._stream(5, 10).random_raw(30).tolist()]
    raw += [random._stream(5, 10, attempt).random_raw(30).tolist() for attempt in range(1, 60)]
    found = random._wide_integers(10, 30, 5, low, width)
    for row in range(30):
        attempt = 0
        while raw[attempt][row] * width % 2**64 < 2**64 % width:
            attempt += 1
        wanted = (raw[attempt][row] * width >> 64) + low
        assert int(found[row]) == (wanted + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize(("mean", "deviation"), [(2.0, 0.25), (0.0, 1.0), (-1.0, 0.5), (0.5, 0.0)])
def test_lengths_of_texts_count_their_end_and_are_never_negative(mean, deviation):
    """A server rounds the exponential of a normal number up, and the text ends with a byte of it."""
    found = random.string_lengths(3, 50, seed=11, lengths=("log-normal", mean, deviation))
    normal = random.standard_normal(3, 50, seed=11).tolist()
    assert found.tolist() == [max(math.ceil(math.exp(mean + deviation * item)) - 1, 0) for item in normal]
    even = random.string_lengths(3, 50, seed=11, lengths=("uniform", 2, 6))
    assert even.tolist() == random.integers(3, 50, seed=11, low=2, high=6).tolist()
