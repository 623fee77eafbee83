"""Bounds of strings are those of Python's own comparison of their bytes."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.hdf5.extremes import extreme_texts


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6), min_size=1), st.integers(0))
def test_extreme_texts_are_the_smallest_and_largest_by_their_bytes(texts, start):
    start %= len(texts)
    low, high = extreme_texts(pa.array(texts, pa.large_string())[start:])
    ordered = sorted(texts[start:], key=str.encode)
    assert (low, high) == (ordered[0], ordered[-1])
