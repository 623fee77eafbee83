"""Samples are split with upstream's arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import ArgumentError
from akdask.lbann.make_lists import choose, split_indices


def sizes(parts):
    return len(parts.train), len(parts.validation), len(parts.tournament)


def test_truncation_loses_samples_as_upstream_does():
    assert sizes(split_indices(143, validation=0.1, tournament=0.1)) == (115, 14, 14)
    assert sizes(split_indices(19, validation=0.1, tournament=0.1)) == (16, 1, 1)


@given(st.integers(20, 300), st.sampled_from([0, 0.05, 0.1, 0.3]), st.sampled_from([0, 0.05, 0.2, 0.45]), st.booleans())
def test_parts_share_no_sample_and_have_the_sizes_that_upstream_gives_them(n, v, t, shuffle):
    parts = split_indices(n, validation=v, tournament=t, seed=1, shuffle=shuffle)
    # Rounding of v + t may leave one sample fewer than both parts want.
    held_back, validation = math.trunc((v + t) * n), math.trunc(v * n)
    assert sizes(parts) == (n - held_back, validation, min(math.trunc(t * n), held_back - validation))
    together = np.concatenate([parts.train, parts.validation, parts.tournament])
    assert len(np.unique(together)) == len(together)
    if not shuffle:
        assert together.tolist() == list(range(len(together)))


def test_a_seed_decides_the_parts():
    first, same, other = (split_indices(50, validation=0.2, seed=seed) for seed in (1, 1, 2))
    assert first.train.tolist() == same.train.tolist() != other.train.tolist()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"validation": 0.01}, "is none"),
        ({"validation": -0.1}, "between 0 and 1"),
        ({"tournament": float("nan")}, "between 0 and 1"),
        ({"validation": 0.6, "tournament": 0.4}, "nothing to train with"),
    ],
)
def test_fractions_that_make_no_parts_are_refused(options, told):
    with pytest.raises(ArgumentError, match=told):
        split_indices(10, **options)


def test_a_share_is_cut_to_an_integer_and_a_count_must_be_there():
    assert choose(10, fraction=0.39).tolist() == [0, 1, 2]
    assert choose(10, count=4).tolist() == [0, 1, 2, 3]
    assert len(set(choose(10, count=4, seed=1, shuffle=True).tolist())) == 4
    for options in ({"fraction": 0.05}, {"count": 11}, {"count": 0}, {"fraction": 0.5, "count": 5}):
        with pytest.raises(ArgumentError):
            choose(10, **options)
