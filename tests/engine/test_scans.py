from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal

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


@given(arrays("f8", st.integers(0, 60)), st.booleans())
def test_running_floats_of_one_partition_have_numpys_bits(values, is_sum):
    with np.errstate(all="ignore"):
        wanted = np.cumsum(values) if is_sum else np.cumprod(values)
    lazy = (ak.cumsum if is_sum else ak.cumprod)(ak.array(values))
    found = np.stack([lazy.to_ndarray(), (lazy * 1.0).to_ndarray()])
    known = ~np.isnan(wanted)
    assert np.array_equal(found[:, known].view("i8"), np.stack([wanted[known]] * 2).view("i8"))
    assert np.isnan(found[:, ~known]).all()


@given(whole | arrays("f8", st.integers(0, 60)), st.lists(st.integers(0, 60), max_size=4))
def test_running_extremes_are_those_of_numpy(values, cuts):
    lazy = parts_of(values, cuts)
    assert_equal(ak.cummin(lazy), np.minimum.accumulate(values), lazy=True)
    assert_equal(ak.cummax(lazy), np.maximum.accumulate(values), lazy=True)


def test_running_extremes_of_filtered_rows_pass_over_partitions_that_have_none():
    values = parts_of(np.array([5, 9, 0, 0, 7, 3]), [2, 4])
    assert ak.cummax(values[values > 0]).tolist() == [5, 9, 9, 9]
    assert ak.cummin(values[values > 0]).tolist() == [5, 5, 5, 3]


def test_running_extremes_of_times_are_times():
    times = ak.Datetime(ak.array([3, 1, 2]))
    assert_equal(ak.cummax(times), np.array([3, 3, 3], "M8[ns]"))


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
    if not len(values):
        with pytest.raises(ValueError, match="elements"):
            lazy.mink(k)
        return
    for found, wanted in ((lazy.mink(k), order[:k]), (lazy.maxk(k), order[-k:])):
        assert np.array_equal(found.to_ndarray(), values[wanted], equal_nan=values.dtype.kind == "f")
    assert np.array_equal(lazy.argmink(k).to_ndarray(), order[:k])
    assert np.array_equal(lazy.argmaxk(k).to_ndarray(), order[-k:])
    assert len(lazy.mink(k)) == min(k, len(values))


@given(
    st.lists(st.sampled_from(["", "a", "abcdefghi", "abcdefghz", "é", "日本"]), min_size=1),
    st.lists(st.integers(0, 60), max_size=4),
    st.integers(1, 10),
    st.booleans(),
)
def test_extremes_of_text_are_the_ends_of_the_sorted_text(values, cuts, k, is_categorical):
    text = parts_of(np.array(values), cuts)
    order = sorted(range(len(values)), key=lambda row: (values[row].encode(), row))
    lazy = ak.Categorical(text) if is_categorical else text
    assert_equal(lazy.mink(k), [values[row] for row in order[:k]], lazy=True)
    assert_equal(lazy.maxk(k), [values[row] for row in order[-k:]])
    assert_equal(lazy.argmink(k), order[:k])
    assert_equal(lazy.argmaxk(k), order[-k:])


@given(st.lists(st.integers(-(2**130), 2**130) | st.integers(-2, 2), min_size=1, max_size=30), st.integers(1, 10))
def test_extremes_of_integers_of_any_size_are_the_ends_of_the_sorted_list(values, k):
    lazy = ak.concatenate([ak.array(part, dtype="bigint") for part in (values[:3], values[3:]) if part])
    assert lazy.mink(k).tolist() == sorted(values)[:k]
    assert lazy.maxk(k).tolist() == sorted(values)[-k:]


@given(st.lists(st.integers(-(2**130), 2**130), min_size=1, max_size=20), st.integers(0, 20), st.sampled_from([-1, 64]))
def test_running_totals_of_integers_of_any_size_are_exact(values, cut, bits):
    parts = [part for part in (values[:cut], values[cut:]) if part]
    lazy = ak.concatenate([ak.array(part, dtype="bigint", max_bits=bits) for part in parts])
    found = ak.cumsum(lazy)
    totals = list(accumulate(values))
    assert found.tolist() == (totals if bits < 0 else [total % 2**bits for total in totals])
    assert found.max_bits == bits


def test_extremes_of_filtered_rows_are_found():
    values = parts_of(np.arange(20), [5, 6, 13])
    assert ak.maxk(values[values % 3 == 1], 2).tolist() == [16, 19]
    assert ak.argmaxk(values[values % 3 == 1], 2).tolist() == [5, 6]


def test_wrong_arguments_are_refused():
    with pytest.raises(ArgumentError, match="from 1"):
        ak.mink(ak.arange(3), 0)
    with pytest.raises(ArgumentTypeError, match="numbers"):
        ak.cumsum(ak.array(["a"]))
