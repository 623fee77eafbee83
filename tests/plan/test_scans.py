from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

whole = arrays(st.sampled_from(["i8", "u8", "?"]), st.integers(0, 60))


def parts_of(values, cuts):
    """Return an array with the given partitions."""
    return ak.concatenate([ak.array(part) for part in np.split(values, sorted(cuts))])


@given(whole, st.lists(st.integers(0, 60), max_size=4))
def test_running_totals_are_those_of_numpy(values, cuts):
    lazy = parts_of(values, cuts)
    assert np.array_equal(ak.cumsum(lazy).to_ndarray(), np.cumsum(values))
    assert np.array_equal(ak.cumprod(lazy).to_ndarray(), np.cumprod(values))
    assert ak.cumsum(lazy).dtype == np.cumsum(values).dtype


@given(arrays("f8", st.integers(0, 60), elements=st.floats(-1e3, 1e3)), st.lists(st.integers(0, 60), max_size=4))
def test_running_totals_of_floats_are_close_to_those_of_numpy(values, cuts):
    assert np.allclose(ak.cumsum(parts_of(values, cuts)).to_ndarray(), np.cumsum(values))


def test_running_totals_keep_the_rows_also_of_unknown_number():
    values = parts_of(np.arange(20), [5, 6, 13])
    kept = values[values % 3 == 1]
    assert (ak.cumsum(kept) - kept).tolist() == [0, 1, 5, 12, 22, 35, 51]


@given(whole | arrays("f8", st.integers(0, 60)), st.lists(st.integers(0, 60), max_size=4), st.integers(1, 70))
def test_extremes_are_the_ends_of_the_sorted_array(values, cuts, k):
    lazy, order = parts_of(values, cuts), np.argsort(values, kind="stable")
    for found, wanted in ((lazy.mink(k), order[:k]), (lazy.maxk(k), order[-k:])):
        assert np.array_equal(found.to_ndarray(), values[wanted], equal_nan=values.dtype.kind == "f")
    assert np.array_equal(lazy.argmink(k).to_ndarray(), order[:k])
    assert np.array_equal(lazy.argmaxk(k).to_ndarray(), order[-k:])
    assert len(lazy.mink(k)) == min(k, len(values))


def test_extremes_of_filtered_rows_are_found():
    values = parts_of(np.arange(20), [5, 6, 13])
    assert ak.maxk(values[values % 3 == 1], 2).tolist() == [16, 19]
    assert ak.argmaxk(values[values % 3 == 1], 2).tolist() == [5, 6]


def test_wrong_arguments_are_refused():
    with pytest.raises(ArgumentError, match="from 1"):
        ak.mink(ak.arange(3), 0)
    with pytest.raises(ArgumentTypeError, match="numbers"):
        ak.cumsum(ak.array(["a"]))
