from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError

values = st.lists(st.tuples(st.sampled_from([1.5, -2.0, 0.0, np.nan, 7.0]), st.integers(0, 3)), min_size=1, max_size=12)
cuts = st.lists(st.integers(0, 12), max_size=3)


def frames(rows, at):
    """Return rows in pandas, and in the given partitions."""
    wanted = pd.DataFrame(rows, columns=["x", "k"])
    lazy = {
        name: ak.concatenate([ak.array(part) for part in np.split(wanted[name].to_numpy(), sorted(at))])
        for name in wanted
    }
    return wanted, ak.DataFrame(lazy)


@given(values, cuts)
@settings(max_examples=12)
def test_descriptions_are_those_of_pandas(rows, at):
    wanted, df = frames(rows, at)
    pd.testing.assert_frame_equal(df.describe(), wanted.describe())
    found = ak.Series(df["x"], name="x").describe([0.1, 0.5])
    pd.testing.assert_series_equal(found, wanted["x"].describe([0.1, 0.5]))


@given(
    values, cuts, st.integers(0, 13), st.sampled_from(["first", "last", "all"]), st.sampled_from(["x", "k", ["k", "x"]])
)
@settings(max_examples=15)
def test_largest_and_smallest_rows_are_those_of_pandas(rows, at, n, keep, columns):
    wanted, df = frames(rows, at)
    for name in ("nlargest", "nsmallest"):
        expected = getattr(wanted, name)(n, columns, keep)
        found = getattr(df, name)(n, columns, keep).to_pandas()
        if keep != "last" or (n < len(rows) and isinstance(columns, str) and not wanted["x"].isna().any()):
            pd.testing.assert_frame_equal(found, expected)
        else:
            # Rows that are equal come from the last to the first; pandas turns some of them around again.
            by = [columns] if isinstance(columns, str) else columns
            np.testing.assert_array_equal(found[by].to_numpy(float), expected[by].to_numpy(float))
            if not expected[by].isna().any(axis=None):
                assert sorted(found.index) == sorted(expected.index)


@given(values, cuts, st.sampled_from(["average", "min", "max", "first", "dense"]), st.booleans(), st.booleans())
@settings(max_examples=12)
def test_ranks_are_those_of_pandas(rows, at, method, ascending, pct):
    wanted, df = frames(rows, at)
    expected = wanted.rank(method=method, ascending=ascending, pct=pct)
    pd.testing.assert_frame_equal(df.rank(method, ascending, pct).to_pandas(), expected)


@given(values, cuts, st.sampled_from(["first", "last", False]))
@settings(max_examples=12)
def test_repeated_rows_are_those_of_pandas(rows, at, keep):
    wanted, df = frames(rows, at)
    assert df.duplicated(keep=keep).tolist() == wanted.duplicated(keep=keep).tolist()
    assert df.duplicated("k", keep).tolist() == wanted.duplicated("k", keep).tolist()


def test_text_is_described_by_its_commonest_value():
    wanted = pd.DataFrame({"s": ["b", "a", "b", None], "x": [1, 2, 3, 4]})
    df = ak.DataFrame(wanted)
    assert df[["s"]].describe()["s"].tolist() == [3, 2, "b", 2]
    found = df.describe(include="all")
    assert found.index.tolist() == wanted.describe(include="all").index.tolist()
    assert found.loc["top", "s"] == "b"
    assert found.loc["mean", "x"] == 2.5
    with pytest.raises(ArgumentError):
        df.describe(include="numbers")


def test_columns_without_rows_are_described_by_nan():
    found = ak.DataFrame({"x": np.empty(0)}).describe()["x"]
    assert found["count"] == 0
    assert found[1:].isna().all()


def test_commonest_values_come_one_below_the_other():
    wanted = pd.DataFrame({"x": [3.0, 1.0, 3.0, 1.0, np.nan], "s": list("abcab")})
    pd.testing.assert_frame_equal(ak.DataFrame(wanted).mode(), wanted.mode(), check_dtype=False)


def test_times_have_extremes_and_missing_ones_come_last():
    times = pd.to_datetime(["2026-01-02", None, "2026-01-05"])
    df = ak.DataFrame({"t": times})
    assert df.nlargest(3, "t").to_pandas().index.tolist() == [2, 0, 1]
    assert df.nsmallest(2, "t").to_pandas().index.tolist() == [0, 2]


def test_series_have_extremes_ranks_and_bounds():
    s = ak.Series([3, 9, 9], index=["a", "b", "c"])
    assert s.nlargest(2, keep="last").to_pandas().to_dict() == {"c": 9, "b": 9}
    assert s.nsmallest(0).tolist() == []
    assert s.rank().tolist() == [1.0, 2.5, 2.5]
    assert s.duplicated().tolist() == [False, False, True]
    assert s.drop_duplicates().tolist() == [3, 9]
    assert not s.is_unique
    assert s.between(3, 9, "left").tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.nlargest(1, "s"), ArgumentTypeError),
        (lambda df: df.nlargest(1, "none"), MissingColumnError),
        (lambda df: df.nlargest(1, "x", keep="any"), ArgumentError),
        (lambda df: df.rank("median"), ArgumentError),
        (lambda df: df.duplicated(keep="none"), ArgumentError),
        (lambda df: df.describe([2]), ArgumentError),
        (lambda df: ak.Series(["a"]).nlargest(1), ArgumentTypeError),
        (lambda df: ak.Series([1]).between(1, 2, "outer"), ArgumentError),
    ],
)
def test_what_cannot_be_done_is_refused(ask, error):
    with pytest.raises(error):
        ask(ak.DataFrame({"x": [1, 2], "s": ["a", "b"]}))


@pytest.mark.parametrize("count", [5, 61, 200])
def test_benchmarks_take_what_is_shown_of_rows_in_pandas(count):
    numbers = np.arange(count)
    lazy = ak.DataFrame({"n": ak.arange(count), "c": ak.Categorical(ak.array(["a", "b", "a"])[numbers % 3])})
    plain = pd.DataFrame({"n": numbers, "c": np.array(["a", "b", "a"])[numbers % 3]})
    wanted = plain if count <= 60 else pd.concat([plain.head(31), plain.tail(30)])
    for found in (lazy._get_head_tail(), lazy._get_head_tail_server()):
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
