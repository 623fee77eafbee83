from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

numbers = st.lists(st.one_of(st.floats(-1e3, 1e3), st.just(float("nan"))), max_size=25)
cuts = st.lists(st.integers(0, 25), max_size=4)
REDUCTIONS = ("sum", "mean", "min", "max", "var", "std", "count")


def in_parts(values, at):
    """Return an array with the given partitions, some of them empty."""
    return ak.concatenate([ak.array(part) for part in np.split(np.asarray(values), sorted(at))])


@given(numbers, cuts, st.integers(0, 5), st.sampled_from(REDUCTIONS))
@settings(max_examples=20)
def test_expanding_windows_are_those_of_pandas_whatever_the_partitions(values, at, least, reduction):
    values = np.array(values, float)
    lazy = ak.Series(in_parts(values, at)).expanding(least)
    wanted = getattr(pd.Series(values).expanding(least), reduction)()
    np.testing.assert_allclose(getattr(lazy, reduction)().to_pandas(), wanted, rtol=1e-7, atol=1e-4)


def test_long_columns_are_expanded_in_several_blocks():
    values = np.random.default_rng(5).normal(size=1500) + 1e6
    values[::7] = np.nan
    for reduction in REDUCTIONS:
        found = getattr(ak.DataFrame({"x": in_parts(values, [400, 400, 1200])}).expanding(3), reduction)()
        wanted = getattr(pd.Series(values).expanding(3), reduction)()
        np.testing.assert_allclose(found.to_pandas()["x"], wanted, rtol=1e-8)


@given(numbers, cuts, st.floats(0.05, 1), st.integers(0, 4), st.booleans(), st.booleans())
@settings(max_examples=25)
def test_decaying_means_are_those_of_pandas(values, at, alpha, least, adjust, ignore_na):  # noqa: PLR0917 - drawn
    values = np.array(values, float)
    # Of 0.5 pandas has weights of its own: those for times at irregular distances.
    assume(alpha != 0.5 or adjust or ignore_na)
    given = {"alpha": alpha, "min_periods": least, "adjust": adjust, "ignore_na": ignore_na}
    wanted = pd.Series(values).ewm(**given).mean()
    np.testing.assert_allclose(ak.Series(in_parts(values, at)).ewm(**given).mean().to_pandas(), wanted, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.4, 0.5])
@pytest.mark.parametrize("ignore_na", [False, True])
def test_missing_values_let_weights_decay_as_in_pandas(alpha, ignore_na):
    values = pd.Series([1.0, np.nan, 0.0, 2.0, np.nan, np.nan, -1.0])
    windows = (side.ewm(alpha=alpha, adjust=False, ignore_na=ignore_na) for side in (ak.Series(values), values))
    lazy, plain = windows
    np.testing.assert_allclose(lazy.mean().to_pandas(), plain.mean())
    np.testing.assert_allclose(lazy.var().to_pandas()[2:], plain.var()[2:])


@pytest.mark.parametrize("speed", [{"com": 2}, {"span": 4}, {"halflife": 1.5}])
def test_decay_is_told_as_in_pandas(speed):
    values = np.arange(700.0) % 13
    found = ak.DataFrame({"x": in_parts(values, [300])}).ewm(**speed).mean()
    np.testing.assert_allclose(found.to_pandas()["x"], pd.Series(values).ewm(**speed).mean())


@given(numbers, cuts, st.integers(1, 9), st.floats(0, 1))
@settings(max_examples=15)
def test_medians_and_quantiles_of_windows_are_those_of_pandas(values, at, window, q):
    values = np.array(values, float)
    lazy, plain = ak.Series(in_parts(values, at)).rolling(window, 1), pd.Series(values).rolling(window, 1)
    np.testing.assert_allclose(lazy.median().to_pandas(), plain.median(), atol=1e-9)
    np.testing.assert_allclose(lazy.quantile(q).to_pandas(), plain.quantile(q), atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([1.0, 2.0, float("nan")])), max_size=15), cuts)
@settings(max_examples=15)
def test_groups_are_filled_along_as_in_pandas(rows, at):
    plain = pd.DataFrame({"k": [key for key, _ in rows], "x": [float(value) for _, value in rows]})
    plain["s"] = pd.Series([None if np.isnan(x) else f"s{i}" for i, x in enumerate(plain["x"])], dtype="str")
    lazy = ak.DataFrame({"k": in_parts(plain["k"].to_numpy(np.int64), at), "x": ak.array(plain["x"].to_numpy())})
    if len(plain):
        lazy["s"] = ak.array(plain["s"].to_numpy(object)) if plain["s"].notna().any() else ak.full(len(plain), "s")
    for name in ("ffill", "bfill"):
        found = getattr(lazy.groupby("k"), name)().to_pandas()
        wanted = getattr(plain.groupby("k"), name)()
        np.testing.assert_array_equal(found["x"], wanted["x"])
        if plain["s"].notna().any():
            assert found["s"].fillna("?").tolist() == wanted["s"].fillna("?").tolist()
    assert lazy.groupby("k").transform("ffill").to_pandas()["x"].size == len(plain)


def test_what_cannot_be_reduced_is_said():
    series = ak.Series([1.0, 2.0])
    with pytest.raises(ArgumentError, match="negative"):
        series.expanding(-1)
    with pytest.raises(ArgumentError, match="product"):
        series.expanding().agg("product")
    with pytest.raises(ArgumentTypeError):
        ak.Series(["a"]).expanding()
    with pytest.raises(ArgumentTypeError):
        ak.Series(["a"]).ewm(com=1)
    for wrong in ({}, {"com": 1, "span": 2}, {"com": -1}, {"span": 0.5}, {"halflife": 0}, {"alpha": 2}):
        with pytest.raises(ArgumentError):
            series.ewm(**wrong)
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        series.rolling(2).quantile(2)
    assert series.expanding().agg("max").tolist() == [1.0, 2.0]
    assert series.rolling(2).agg("median").tolist()[1] == 1.5
