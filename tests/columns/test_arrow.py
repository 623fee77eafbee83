"""Arrow arrays and NumPy arrays of the same numbers, bytes and lists."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.arrow import are_null, arrow_bytes, arrow_numbers, arrow_text, numpy_numbers

pytestmark = pytest.mark.light


@given(
    st.lists(st.integers(0, 1), max_size=40), st.sampled_from(["?", "u1", "i4", "i8", "u8", "f8"]), st.integers(0, 9)
)
def test_numbers_are_the_same_in_arrow_and_any_slice_of_it(numbers, dtype, first):
    array = np.array(numbers, dtype)
    stored = arrow_numbers(array)
    stored.validate(full=True)
    assert stored.equals(pa.array(array))
    found = numpy_numbers(stored.slice(first))
    assert found.dtype == array.dtype
    assert found.tolist() == array[first:].tolist()
    if len(found) and dtype != "?":
        assert np.shares_memory(found, array)


@given(st.lists(st.none() | st.integers(0, 1), max_size=40), st.sampled_from(["?", "i4", "f8"]), st.integers(0, 9))
def test_null_rows_are_those_of_arrow(rows, dtype, first):
    missing = np.array([row is None for row in rows], np.bool_)
    stored = arrow_numbers([row or 0 for row in rows], dtype, missing)
    stored.validate(full=True)
    assert stored.to_pylist() == rows
    assert are_null(stored.slice(first)).tolist() == missing[first:].tolist()
    assert are_null(arrow_numbers([1, 2])).tolist() == [False, False]
    assert are_null(pa.nulls(2)).tolist() == [True, True]


@given(st.lists(st.text(max_size=5), max_size=9))
def test_strings_are_the_same_in_arrow(items):
    stored = arrow_text(items)
    stored.validate(full=True)
    assert stored.equals(pa.array(items, pa.large_string()))


@given(st.lists(st.binary(max_size=5), max_size=9))
def test_bytes_are_the_same_in_arrow(items):
    for dtype in (pa.binary(), pa.large_binary()):
        stored = arrow_bytes(items, dtype)
        stored.validate(full=True)
        assert stored.equals(pa.array(items, dtype))
