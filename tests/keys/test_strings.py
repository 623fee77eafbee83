"""Compiled loops over strings against the general path, to the bit."""

from __future__ import annotations

from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import compiled
from akdask.engine.operations import OPERATIONS
from akdask.operators.values.strings import unicode_array
from akdask.testing.strategies import strings_in_buffers

pytest.importorskip("numba", reason="Numba is not installed")

CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXT = st.text(CHARACTERS, max_size=10) | st.text("ab\0", max_size=70) | st.text("ab", min_size=60, max_size=70)


def by_either_path(function, *args):
    results = []
    for installed in (False, True):
        with patch.multiple(compiled, INSTALLED=installed, WORTH_LOADING=0):
            results.append(function(*args))
    return results


def test_paths_are_told_apart():
    general, quick = by_either_path(compiled.should_compile, 0)
    assert quick
    assert not general


def contains(strings, pattern):
    return OPERATIONS["contains"].kernel(strings, substr=pattern)


@given(strings_in_buffers(st.text("ab\0", max_size=9) | TEXT), st.text("ab\0", max_size=4) | TEXT)
def test_patterns_are_found_in_the_same_strings(strings, pattern):
    general, quick = by_either_path(contains, strings, pattern)
    assert quick.tolist() == general.tolist()


@pytest.mark.parametrize("length", [1, 7, 1000, 5000])
def test_patterns_are_found_wherever_they_lie_in_long_texts(length):
    plain = ["".join("ab"[number * step % 7 % 2] for number in range(length)) for step in range(1, 6)]
    for pattern in ("abb", "bab", "aabab", "a" * 9):
        general, quick = by_either_path(contains, pa.array(plain, pa.large_string()), pattern)
        assert quick.tolist() == general.tolist() == [pattern in text for text in plain]


@given(strings_in_buffers(TEXT))
def test_strings_of_numpy_are_the_same(strings):
    general, quick = by_either_path(unicode_array, strings)
    assert quick.dtype == general.dtype
    assert quick.tolist() == general.tolist()
