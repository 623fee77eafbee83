from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError

rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from([1.0, 2.0, np.nan]),
        st.sampled_from([1.5, -2.0, np.nan, 4.0]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=12,
)
cuts = st.lists(st.integers(0, 12), max_size=3)
keys = st.sampled_from(["k", "f", ["k", "f"]])
REDUCED = ("sum", "mean", "min", "max", "count", "nunique", "std")
ALONG = ("cumsum", "cumprod", "cummin", "cummax", "shift", "diff")


def frames(given_rows, at):
    """Return rows in pandas, and in the given partitions."""
    wanted = pd.DataFrame(given_rows, columns=["k", "f", "x", "n"])
    parts = {name: np.split(wanted[name].to_numpy(), sorted(at)) for name in wanted}
    lazy = {
        name: ak.concatenate([ak.array(part.astype(str) if name == "k" else part) for part in parts[name]])
        for name in wanted
    }
    return wanted, ak.DataFrame(lazy)


def same(found, expected):
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False)


@example(given_rows=[("a", np.nan, 1.5, 0), ("b", np.nan, 2.0, 1)], at=[1], key="f", name="sum")
@given(rows, cuts, keys, st.sampled_from(REDUCED + ALONG))
@settings(max_examples=15)
def test_what_is_found_of_groups_is_spread_to_their_rows_as_by_pandas(given_rows, at, key, name):
    wanted, df = frames(given_rows, at)
    found = df.groupby(key)[["x", "n"]].transform(name)
    if wanted[key].isna().to_numpy().reshape(len(wanted), -1).any(axis=1).all():
        # pandas fails where no row is in a group.
        expected = pd.DataFrame(np.full((len(wanted), 2), np.nan), columns=["x", "n"])
    else:
        expected = wanted.groupby(key)[["x", "n"]].transform(name).astype(float, errors="ignore")
    same(found, expected)


@given(rows, cuts, keys, st.sampled_from(["average", "min", "max", "first", "dense"]), st.booleans())
@settings(max_examples=12)
def test_ranks_in_groups_are_those_of_pandas(given_rows, at, key, method, ascending):
    wanted, df = frames(given_rows, at)
    expected = wanted.groupby(key)[["x", "n"]].rank(method=method, ascending=ascending)
    same(df.groupby(key)[["x", "n"]].rank(method, ascending), expected)


@given(rows, cuts, keys, st.integers(-3, 3))
@settings(max_examples=12)
def test_rows_of_groups_are_numbered_and_chosen_as_by_pandas(given_rows, at, key, n):
    wanted, df = frames(given_rows, at)
    groups, theirs = df.groupby(key), wanted.groupby(key)
    for name in ("cumcount", "ngroup"):
        found = np.array(getattr(groups, name)().tolist(), float)
        assert np.array_equal(found, getattr(theirs, name)().to_numpy(float), equal_nan=True)
    assert groups.nth(n).to_pandas().index.tolist() == theirs.nth(n).index.tolist()


@given(rows, cuts)
@settings(max_examples=15)
def test_last_values_are_those_of_pandas(given_rows, at):
    wanted, df = frames(given_rows, at)
    same(df.groupby("k")[["x", "n"]].last(), wanted.groupby("k")[["x", "n"]].last())


def test_functions_of_users_get_groups_in_pandas():
    df = ak.DataFrame({"k": ["b", "a", "b"], "x": [1.0, 5.0, 3.0]})
    groups = df.groupby("k")
    assert groups.apply(lambda group: group["x"].sum()).to_dict() == {"a": 5.0, "b": 4.0}
    assert groups.transform(lambda column: column - column.mean()).to_pandas()["x"].tolist() == [-1.0, 0.0, 1.0]
    assert groups.filter(lambda group: len(group) > 1).to_pandas().index.tolist() == [0, 2]
    assert groups.get_group("b")["x"].tolist() == [1.0, 3.0]
    with pytest.raises(MissingLabelError):
        groups.get_group("z")


def test_rows_are_grouped_by_arrays_and_series_as_well():
    times = ak.Datetime(ak.array([0, 30, 60, 90]), unit="m")
    df = ak.DataFrame({"t": times, "x": [1, 2, 3, 4]})
    found = df.groupby(df["t"].floor("h")).sum().to_pandas()
    assert found["x"].tolist() == [3, 7]
    by_series = df.groupby(ak.Series([1, 2, 1, 2], name="odd"), as_index=False).sum().to_pandas()
    assert by_series[["odd", "x"]].to_numpy().tolist() == [[1, 4], [2, 6]]
    assert df.groupby(["x", df["x"] > 2]).size(as_series=False).columns == ["x", "key_1", "size"]


def test_text_and_times_are_shifted_within_groups():
    df = ak.DataFrame({"k": [1, 2, 1], "s": ["a", "b", "c"]})
    assert df.groupby("k").shift().to_pandas()["s"].isna().tolist() == [True, True, False]
    assert df.groupby("k").shift(-1).to_pandas()["s"].tolist()[0] == "c"


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda groups: groups.transform("median_of"), ArgumentError),
        (lambda groups: groups[["s"]].transform("mean"), ArgumentTypeError),
        (lambda groups: groups[["s"]].cumsum(), ArgumentTypeError),
        (lambda groups: groups.rank("none"), ArgumentError),
        (lambda groups: groups.get_group((1, 2)), ArgumentError),
    ],
)
def test_what_cannot_be_done_is_refused(ask, error):
    with pytest.raises(error):
        ask(ak.DataFrame({"k": [1, 2], "s": ["a", "b"]}).groupby("k"))
