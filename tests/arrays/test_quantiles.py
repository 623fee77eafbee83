"""Quantiles of arrays, of groups, of columns and along axes: NumPy's and pandas'."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError
from akdask.operators.reduce.quantiles import AT_ROWS, METHODS
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

RANDOM = np.random.default_rng(11)
VALUES = RANDOM.normal(size=1000)


@pytest.fixture
def array():
    return MemorySource({"x": VALUES}, [300, 0, 500, 200]).arrays()["x"]


def test_an_array_has_the_quantiles_that_numpy_finds(array):
    for method in METHODS:
        np.testing.assert_allclose(array.quantile(0.3, method=method), np.quantile(VALUES, 0.3, method=method))
    several = array.quantile([0.1, 0.9])
    np.testing.assert_allclose(several.to_ndarray(), np.quantile(VALUES, [0.1, 0.9]))
    assert float(array.median()) == float(ak.median(array)) == np.median(VALUES)
    np.testing.assert_allclose(ak.percentile(array, 75), np.percentile(VALUES, 75))
    np.testing.assert_allclose(ak.percentile(array, [5, 50]).to_ndarray(), np.percentile(VALUES, [5, 50]))


def test_numpys_functions_stay_lazy(array):
    found = np.quantile(array, 0.25)
    assert type(found).__name__ == "Scalar"
    np.testing.assert_allclose(found, np.quantile(VALUES, 0.25))
    assert np.median(array) == np.median(VALUES)


def test_a_selection_has_quantiles_of_its_own(array):
    np.testing.assert_allclose(array[array > 0].quantile(0.5), np.quantile(VALUES[VALUES > 0], 0.5))
    assert np.isnan(array[array > 100].quantile(0.5))
    with pytest.raises(ArgumentError, match="no rows"):
        ak.arange(5)[ak.arange(5) > 9].quantile(0.5, method="lower").value()


def test_an_array_of_integers_keeps_its_type_where_elements_are_chosen():
    top = np.array([2**64 - 1, 2**63, 3, 7], np.uint64)
    for method in AT_ROWS:
        found = ak.array(top).quantile(0.9, method=method).value()
        assert found.dtype == np.uint64
        assert found == np.quantile(top, 0.9, method=method)
    assert ak.array([True, False, True]).quantile(0.5).value() == 1.0
    assert ak.array([True, False, True]).quantile(0.5, method="lower").value().dtype == np.bool_


def test_nan_is_in_the_result_of_arrays_and_left_out_of_columns():
    plain = {"x": [1.0, np.nan, 3.0, 8.0], "n": [4, 1, 2, 3], "u": np.array([1, 2, 3, 2**63 + 2048], np.uint64)}
    df, wanted = ak.DataFrame(plain), pd.DataFrame(plain)
    assert np.isnan(df["x"].quantile(0.5))
    pd.testing.assert_series_equal(df.quantile(0.4).to_pandas(), wanted.quantile(0.4))
    pd.testing.assert_series_equal(df.median().to_pandas(), wanted.median())
    pd.testing.assert_frame_equal(df.quantile([0.1, 0.75]), wanted.quantile([0.1, 0.75]))
    for name in ("lower", "higher", "midpoint"):
        found = df.quantile(0.7, interpolation=name)
        np.testing.assert_allclose(found.astype(float), wanted.quantile(0.7, interpolation=name).astype(float))
    exact = ak.DataFrame({**plain, "u": np.array([1, 2, 3, 2**63 + 8], np.uint64)})
    with pytest.raises(ConversionError, match=f"the integer {2**63 + 8} "):
        exact.quantile(0.7, interpolation="higher")


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 2), None])
@pytest.mark.parametrize("method", ["linear", "lower", "nearest", "hazen"])
def test_quantiles_along_axes_are_numpys(axis, method):
    plain = RANDOM.normal(size=(3, 4, 5))
    plain[0, 1, 2] = np.nan
    lazy = ak.array(plain.ravel()).reshape(3, 4, 5)
    for keepdims in (False, True):
        found = lazy.quantile(0.3, axis=axis, method=method, keepdims=keepdims)
        found = found.to_ndarray() if hasattr(found, "to_ndarray") else found.value()
        np.testing.assert_allclose(found, np.quantile(plain, 0.3, axis=axis, method=method, keepdims=keepdims))
    np.testing.assert_allclose(lazy.median(axis=1).to_ndarray(), np.median(plain, axis=1))
    several = lazy.quantile([0.1, 0.2], axis=axis, method=method)
    np.testing.assert_allclose(several.to_ndarray(), np.quantile(plain, [0.1, 0.2], axis=axis, method=method))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint"])
@given(data=st.data())
def test_groups_have_the_quantiles_that_pandas_finds(interpolation, data):
    lengths = data.draw(partition_lengths(max_partitions=3))
    rows = sum(lengths)
    values = st.lists(st.sampled_from([np.nan, 0.0, 1.5, -2.0, 7.0, 1e9]), min_size=rows, max_size=rows)
    plain = np.array(data.draw(values), np.float64)
    keys = np.array(data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)), np.int64)
    q = data.draw(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]))
    groups = ak.GroupBy(partitioned(keys, lengths))
    found = groups.quantile(partitioned(plain, lengths), q, method=interpolation)[1].to_ndarray()
    wanted = pd.Series(plain).groupby(keys).quantile(q, interpolation=interpolation)
    np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("method", METHODS)
def test_groups_with_nan_are_nan_unless_these_are_left_out(method):
    keys, plain = np.arange(60) % 7, RANDOM.normal(size=60)
    plain[::11] = np.nan
    groups, column = ak.GroupBy(ak.array(keys)), ak.array(plain)
    parts = [plain[keys == key] for key in range(7)]
    found = groups.quantile(column, 0.3, skipna=False, method=method)[1].to_ndarray()
    np.testing.assert_allclose(found, [np.quantile(part, 0.3, method=method) for part in parts])
    found = groups.quantile(column, 0.3, method=method)[1].to_ndarray()
    np.testing.assert_allclose(found, [np.quantile(part[~np.isnan(part)], 0.3, method=method) for part in parts])


def test_frames_have_quantiles_of_groups():
    plain = pd.DataFrame({"k": [1, 2, 1, 1], "x": [1.0, 5.0, np.nan, 2.0], "n": [4, 3, 2, 9]})
    df = ak.DataFrame({name: plain[name].to_numpy() for name in plain})
    pd.testing.assert_frame_equal(
        df.groupby("k").quantile(0.25).to_pandas(retain_index=True),
        plain.groupby("k").quantile(0.25),
        check_names=False,
    )
    found = df.groupby("k").quantile(0.9, interpolation="lower", colnames="n")["n"]
    assert found.tolist() == plain.groupby("k")["n"].quantile(0.9, interpolation="lower").astype(int).tolist()
    assert found.dtype == np.int64
    assert df.groupby("k").agg({"n": "quantile"})["n"].tolist() == plain.groupby("k")["n"].quantile().tolist()


def test_quantiles_of_groups_of_times_are_times():
    stamps = pd.to_datetime(["2026-01-01", "2026-01-03", "NaT", "2026-02-01"])
    keys = np.array([1, 1, 2, 1])
    groups = ak.GroupBy(ak.array(keys))
    for method in ("linear", "higher"):
        _, found = groups.quantile(ak.Datetime(stamps), 0.25, method=method)
        wanted = pd.Series(stamps).groupby(keys).quantile(0.25, interpolation=method)
        assert list(pd.DatetimeIndex(found.to_pandas())) == list(wanted) or (
            pd.isna(found.to_pandas()[1]) and found.to_pandas()[0] == wanted.iloc[0]
        )


def test_what_is_no_quantile_is_refused():
    groups = ak.GroupBy(ak.array([1, 2]))
    with pytest.raises(ArgumentError, match="one quantile of groups"):
        groups.quantile(ak.array([1, 2]), [0.1, 0.2])
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        ak.quantile(ak.array([1, 2]), 2)
    with pytest.raises(ArgumentTypeError, match="quantile of groups does not take"):
        groups.quantile(ak.Categorical(ak.array(["a", "b"])))
    with pytest.raises(ArgumentError, match="no method 'cubic'"):
        ak.DataFrame({"x": [1.0]}).quantile(0.5, interpolation="cubic")
