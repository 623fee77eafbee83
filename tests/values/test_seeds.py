"""Seeds count modulo 2**64: a number of 64 bits, one beyond and one below give the same random numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from akdask.operators.values import random

pytestmark = pytest.mark.light

THREE = np.array([3, 4, 0])
DRAWS: dict[str, Callable[..., Any]] = {
    "uniform": lambda seed: random.uniform(0, 9, seed=seed),
    "uniform_at": lambda seed: random.uniform_at(np.arange(9), seed),
    "integers": lambda seed: random.integers(0, 9, seed=seed, low=0, high=10**6),
    "wide integers": lambda seed: random.integers(0, 9, seed=seed, low=-(2**63), high=2**63),
    "short_integers": lambda seed: random.short_integers(0, 9, seed=seed, low=0, high=10**6),
    "bools": lambda seed: random.bools(0, 99, seed=seed),
    "standard_normal": lambda seed: random.standard_normal(0, 9, seed=seed),
    "poisson": lambda seed: random.poisson(np.arange(9), np.full(9, 20.0), seed=seed),
    "standard_gamma": lambda seed: random.standard_gamma(np.arange(9), np.full(9, 2.0), seed=seed),
    **{
        f"order by {method}": partial(random.order, np.arange(30), method=method, begin=2, size=30)
        for method in ("shuffle", "permute", "merge")
    },
    "rows in groups": lambda seed: random.rows_in_groups(THREE, THREE, THREE * 0, seed=seed, replace=False),
    "rows again": lambda seed: random.rows_in_groups(THREE, THREE * 5, THREE * 0, seed=seed, replace=True),
    "weighted rows": lambda seed: random.rows_in_groups(
        THREE, THREE, THREE * 0, seed=seed, replace=False, weights=np.arange(7) + 1.0
    ),
}


@pytest.mark.parametrize("name", DRAWS)
def test_seeds_count_modulo_two_to_the_64(name):
    draw = DRAWS[name]
    for seed in 5, 2**64 - 1, 2**63:
        wanted = draw(seed=seed).tolist()
        assert draw(seed=seed + 2**64).tolist() == wanted
        assert draw(seed=seed - 2**64).tolist() == wanted
    assert len({tuple(draw(seed=seed).tolist()) for seed in range(9)}) > 1
