"""Words and numbers are sorted in place as NumPy sorts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.operators.keys import keys
from akdask.operators.keys.keys import sort_numbers, sort_words

SIZES = [0, 1, 2, 63, 64, 65, 1023, 1024, 2**15, 2**15 + 1, 300_000]

KINDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "any": lambda random, size: random.integers(0, 2**64 - 1, size, np.uint64, endpoint=True),
    "few": lambda random, size: random.integers(0, 3, size).astype(np.uint64) << np.uint64(61),
    "low bits": lambda random, size: random.integers(0, 200, size).astype(np.uint64),
    "skewed": lambda random, size: random.zipf(1.3, size).astype(np.uint64) << np.uint64(20),
    "equal": lambda random, size: np.full(size, 2**63 + 7, np.uint64),
    "one apart": lambda random, size: np.append(np.zeros(max(size - 1, 0), np.uint64), [2**64 - 1] * min(size, 1)),
    "descending": lambda random, size: np.arange(size)[::-1].astype(np.uint64) * np.uint64(2**33 + 1),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_words_are_sorted(kind, size):
    words = KINDS[kind](np.random.default_rng(size), size).astype(np.uint64)
    wanted = np.sort(words)
    sort_words(words)
    np.testing.assert_array_equal(words, wanted)


@pytest.mark.parametrize("shift", [1, 7, 19, 40, 63])
@pytest.mark.parametrize("size", [3, 1024, 2**15 + 9, 200_000])
def test_words_with_ascending_low_bits_are_sorted(size, shift):
    random = np.random.default_rng(shift)
    codes = random.integers(0, 2 ** min(64 - shift, 40), size).astype(np.uint64) << np.uint64(shift)
    words = codes | np.minimum(np.arange(size), 2**shift - 1).astype(np.uint64)
    wanted = np.sort(words)
    sort_words(words, shift)
    np.testing.assert_array_equal(words, wanted)


@pytest.fixture
def any_many(monkeypatch):
    monkeypatch.setattr(keys, "FEWEST_DISTRIBUTED", 0)


@example([0.0, -0.0, np.nan, -np.inf, np.inf, 5e-324, -5e-324], np.float64, 9)
@given(
    st.lists(st.floats() | st.integers(-(2**63), 2**63 - 1), max_size=9),
    st.sampled_from([np.float64, np.int64, np.uint64, np.float32, np.int8]),
    st.integers(1, 40),
)
@pytest.mark.usefixtures("any_many")
def test_numbers_are_sorted(values, dtype, times):
    with np.errstate(all="ignore"):
        numbers = np.array([*values] * times, np.float64 if dtype in (np.float64, np.float32) else object)
        if numbers.dtype == object:
            numbers = np.array([int(one) % 2**63 if np.isfinite(one) else 0 for one in numbers], np.int64)
            numbers = numbers - 2**62
        numbers = numbers.astype(dtype)
    wanted = np.sort(numbers)
    sort_numbers(numbers)
    assert numbers.dtype == dtype
    np.testing.assert_array_equal(numbers, wanted)


def test_nan_of_both_signs_are_last():
    values = np.array([1.0, -1.0] * 600)
    values[::3] = np.array([0xFFF8000000000001], np.uint64).view(np.float64)
    sort_numbers(values)
    assert np.isnan(values[-400:]).all()
    assert not np.isnan(values[:-400]).any()
