"""Generators: distributions beside NumPy's, seeds, partitions, samples."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak

COUNT = 20_000

DRAWS = {
    "random": (lambda rng, size: rng.random(size), 0.5, 1 / 12),
    "uniform": (lambda rng, size: rng.uniform(2.0, 5.0, size), 3.5, 9 / 12),
    "normal": (lambda rng, size: rng.normal(3.0, 2.0, size), 3.0, 4.0),
    "standard_normal": (lambda rng, size: rng.standard_normal(size), 0.0, 1.0),
    "lognormal": (lambda rng, size: rng.lognormal(0.5, 0.5, size), np.exp(0.625), (np.exp(0.25) - 1) * np.exp(1.25)),
    "exponential": (lambda rng, size: rng.exponential(3.0, size), 3.0, 9.0),
    "standard_exponential": (lambda rng, size: rng.standard_exponential(size), 1.0, 1.0),
    "logistic": (lambda rng, size: rng.logistic(1.0, 2.0, size), 1.0, 4 * np.pi**2 / 3),
    "poisson": (lambda rng, size: rng.poisson(7.0, size), 7.0, 7.0),
    "standard_gamma": (lambda rng, size: rng.standard_gamma(2.0, size), 2.0, 2.0),
    "integers": (lambda rng, size: rng.integers(0, 10, size), 4.5, 99 / 12),
}
"""Calls, and the mean and variance of what they draw."""


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_have_the_mean_and_variance_of_their_distribution(name):
    draw, mean, variance = DRAWS[name]
    drawn = draw(ak.random.default_rng(42), COUNT).to_ndarray()
    assert abs(drawn.mean() - mean) < 5 * np.sqrt(variance / COUNT)
    assert drawn.var() == pytest.approx(variance, rel=0.15)
    assert np.isscalar(draw(ak.random.default_rng(1), None))


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_gives_the_same_numbers_in_any_partitions(name):
    draw = DRAWS[name][0]
    wanted = draw(ak.random.default_rng(42), 500).tolist()
    with ak.config.set(small_array=50):
        parts = draw(ak.random.default_rng(42), 500)
        assert parts.npartitions > 1
        assert parts.tolist() == wanted
        assert parts[100:110].tolist() == wanted[100:110]
    assert draw(ak.random.default_rng(43), 500).tolist() != wanted


def test_each_call_goes_on_where_the_last_ended_and_generators_are_pickled_between():
    rng = ak.random.default_rng(3)
    first = rng.random(5).tolist()
    again = pickle.loads(pickle.dumps(rng))
    second = rng.random(5).tolist()
    assert first != second == again.random(5).tolist()
    assert ak.random.default_rng(rng) is rng
    assert repr(rng) == str(rng) == "Generator(PCG64)"
    rng.destructor()


def test_parameters_may_be_arrays_whose_size_is_that_of_the_result():
    rng = ak.random.default_rng(5)
    means = ak.array(np.repeat([1.0, 100.0], COUNT // 2))
    half = COUNT // 2
    for drawn in (
        rng.normal(means, 1.0, COUNT), rng.exponential(means), rng.poisson(means, COUNT), rng.standard_gamma(means),
        rng.uniform(means - 1, means + 1), rng.logistic(means, 0.5),
    ):  # fmt: skip
        found = drawn.to_ndarray()
        assert found[:half].mean() == pytest.approx(1.0, abs=0.1)
        assert found[half:].mean() == pytest.approx(100.0, abs=5.0)
    assert ak.random.float_array_or_scalar_helper("f", "x", 3, 5) == (True, 3.0)
    assert ak.random.float_array_or_scalar_helper("f", "x", ak.arange(5), 5)[0] is False


def test_a_generator_continues_as_that_of_a_server():
    """Examples in ``arkouda/numpy/random/generator.py``; a call begins where the last one ended."""
    rng = ak.random.default_rng(17)
    assert rng.random(3).tolist() == [0.8059711747202466, 0.71958748004486961, 0.72539618972095954]
    rng = ak.random.default_rng(1)
    assert rng.integers(5, 20, 10).tolist() == [7, 19, 5, 16, 19, 11, 18, 15, 10, 5]
    rng, whole = ak.random.default_rng(3), ak.random.default_rng(3).random(9)
    assert [*rng.random(4).tolist(), *rng.random(5).tolist()] == whole.tolist()
    normal, parts = ak.random.default_rng(3).standard_normal(4, "box"), ak.random.default_rng(3).random(8).to_ndarray()
    expected = np.sqrt(-2 * np.log(parts[:4])) * np.cos(2 * np.pi * parts[4:])
    np.testing.assert_allclose(normal.to_ndarray(), expected, rtol=1e-15)


def test_integers_have_bounds_and_types():
    rng = ak.random.default_rng(1)
    # A server counts the only bound in.
    assert set(rng.integers(3, size=200).tolist()) == {0, 1, 2, 3}
    assert set(rng.integers(1, 3, 200, endpoint=True).tolist()) == {1, 2, 3}
    assert rng.integers(5, size=3, dtype="uint64").dtype == np.uint64
    assert set(rng.integers(2, size=50, dtype=bool).tolist()) == {False, True}
    assert rng.integers(5, size=(2, 3)).shape == (2, 3)
    assert 0 <= rng.integers(5) < 5


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda rng: rng.integers(5, 5, 3), ValueError),
        (lambda rng: rng.integers(0), ValueError),
        (lambda rng: rng.integers(5, size=3, dtype=float), TypeError),
        (lambda rng: rng.normal(0, -1, 3), ValueError),
        (lambda rng: rng.normal("a", 1, 3), TypeError),
        (lambda rng: rng.normal(ak.arange(3), 1, 4), ValueError),
        (lambda rng: rng.normal(ak.array(["a"]), 1, 1), TypeError),
        (lambda rng: rng.exponential(-1.0, 3), ValueError),
        (lambda rng: rng.poisson(-1.0, 3), ValueError),
        (lambda rng: rng.standard_gamma(-1.0, 3), ValueError),
        (lambda rng: rng.random(-1), ValueError),
        (lambda rng: rng.standard_normal(3, method="magic"), ValueError),
        (lambda rng: rng.choice(3, 4, replace=False), ValueError),
        (lambda rng: rng.choice("abc", 2), TypeError),
        (lambda rng: rng.choice(0, 1), ValueError),
        (lambda rng: rng.choice(3, -1), ValueError),
        (lambda rng: rng.choice(3, 2, p=ak.array([0.5, 0.5])), ValueError),
        (lambda rng: rng.choice(3, 2, p=ak.array([0.5, -0.5, 1.0])), ValueError),
        (lambda rng: rng.choice(3, 2, replace=False, p=ak.array([0.0, 0.0, 1.0])), ValueError),
        (lambda rng: rng.choice(3, 2, p=ak.array(["a", "b", "c"])), TypeError),
        (lambda rng: rng.permutation(3, method="magic"), ValueError),
        (lambda rng: rng.permutation(1.5), TypeError),
        (lambda rng: rng.shuffle([1, 2]), TypeError),
        (lambda rng: rng.shuffle(ak.arange(3), "Feistel", feistel_rounds=0), ValueError),
        (lambda rng: ak.random.default_rng("a"), TypeError),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_the_error_that_numpy_or_arkouda_has_for_it(draw, error):
    with pytest.raises(error) as caught:
        draw(ak.random.default_rng(1))
    assert isinstance(caught.value, ak.AkdaskError)


# orders and choices


@given(st.integers(0, 30), st.sampled_from(["Argsort", "FisherYates", "Feistel"]), st.integers(0, 2**40))
def test_permutations_hold_every_element_once(size, method, seed):
    rng = ak.random.default_rng(seed)
    assert sorted(rng.permutation(size, method=method).tolist()) == list(range(size))
    a = ak.arange(size) * 10
    kept = a + 0
    rng.shuffle(a, method)
    assert sorted(a.tolist()) == kept.tolist() == list(range(0, 10 * size, 10))


def test_text_and_categoricals_are_put_in_random_order():
    words = ak.array(["a", "b", "c", "d", "e"] * 4)
    coded = ak.Categorical(words)
    rng = ak.random.default_rng(8)
    for given_ in (words, coded):
        before = given_.tolist()
        found = rng.permutation(given_).tolist()
        assert sorted(found) == sorted(before)
        assert found != before
        rng.shuffle(given_)
        assert sorted(given_.tolist()) == sorted(before)


def test_orders_are_alike_and_the_same_in_any_partitions():
    first = np.array([ak.random.default_rng(seed).permutation(6).tolist()[0] for seed in range(120)])
    assert set(first.tolist()) == set(range(6))
    wanted = ak.random.default_rng(4).permutation(500).tolist()
    with ak.config.set(small_array=50):
        assert ak.random.default_rng(4).permutation(500).tolist() == wanted


def test_elements_are_chosen_with_and_without_weights_again_or_once():
    rng = ak.random.default_rng(12)
    elements = ak.array([10, 20, 30, 40])
    assert set(rng.choice(elements, 200).tolist()) == {10, 20, 30, 40}
    assert sorted(rng.choice(elements, 4, replace=False).tolist()) == [10, 20, 30, 40]
    assert rng.choice(elements) in (10, 20, 30, 40)
    assert rng.choice(ak.array(["x", "y"]), 5).size == 5
    weighted = rng.choice(4, COUNT, p=ak.array([0.1, 0.0, 0.6, 0.3])).to_ndarray()
    shares = np.bincount(weighted, minlength=4) / COUNT
    np.testing.assert_allclose(shares, [0.1, 0.0, 0.6, 0.3], atol=0.02)
    once = [rng.choice(3, 2, replace=False, p=ak.array([8, 1, 1])).tolist() for _ in range(60)]
    assert all(len(set(pair)) == 2 for pair in once)
    assert sum(0 in pair for pair in once) > 50


def test_rows_of_groups_are_sampled_by_a_generator():
    groups = ak.GroupBy(ak.array([1, 1, 1, 2, 2, 2]))
    values = ak.arange(6)
    one = groups.sample(values, n=2, random_state=ak.random.default_rng(3))
    assert one.tolist() == groups.sample(values, n=2, random_state=ak.random.default_rng(3)).tolist()


# functions of the module


def test_functions_draw_from_one_generator_that_seed_begins_anew():
    def drawn():
        ak.random.seed(77)
        a = ak.arange(5)
        ak.random.shuffle(a)
        return [
            ak.random.rand(3).tolist(), ak.random.rand(), ak.random.rand(2, 2).tolist(), a.tolist(),
            ak.random.randint(0, 100, 3).tolist(), ak.randint(0, 100, 3).tolist(),
            ak.random.uniform(3).tolist(), ak.random.standard_normal(3).tolist(),
            *(getattr(ak.random, name)(size=3).tolist() for name in
              ("random", "normal", "lognormal", "exponential", "standard_exponential", "logistic", "poisson")),
            ak.random.standard_gamma(2.0, 3).tolist(), ak.random.integers(0, 9, 3).tolist(),
            ak.random.choice(5, 3).tolist(), ak.random.permutation(5).tolist(),
        ]  # fmt: skip

    first = drawn()
    assert ak.random.global_generator_exists()
    assert first == drawn()
    assert first[4] != first[5]
    assert ak.random.get_global_generator() is ak.random.get_global_generator()
    assert ak.random.randint(0, 100, 3, seed=5).tolist() == ak.randint(0, 100, 3, seed=5).tolist()


def test_seeds_of_calls_are_of_63_bits_and_differ():
    generator = ak.random.default_rng(7)
    seeds = [generator._next_seed() for _ in range(50)]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert len(set(seeds)) == 50
