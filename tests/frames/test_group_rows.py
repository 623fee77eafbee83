from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, TimeOverflowError

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


@given(
    rows, cuts, keys, st.sampled_from(["average", "min", "max", "first", "dense"]), st.booleans(),
    st.sampled_from(["keep", "top", "bottom"]), st.booleans(),
)  # fmt: skip
@settings(max_examples=20)
def test_ranks_in_groups_are_those_of_pandas(  # noqa: PLR0917 - drawn
    given_rows, at, key, method, ascending, na_option, pct
):
    wanted, df = frames(given_rows, at)
    expected = wanted.groupby(key)[["x", "n"]].rank(method, ascending, na_option, pct)
    same(df.groupby(key)[["x", "n"]].rank(method, ascending, na_option, pct), expected)
    same(df.groupby(key)["x"].rank(method, ascending, na_option, pct).to_frame(), expected[["x"]])


def test_ranks_of_more_rows_than_one_task_takes_are_those_of_pandas(monkeypatch):
    monkeypatch.setattr("akdask.frames.sorting.fits_one_task", lambda *_: False)
    wanted = pd.DataFrame({"k": [1, 2, 1, 2, 1, 1, 2], "x": [2.0, np.nan, 1.0, 5.0, 2.0, np.nan, 5.0]})
    df = ak.DataFrame(wanted)
    options = ["average", "min", "max", "first", "dense"], [True, False], ["keep", "top", "bottom"]
    for number, (method, ascending, na_option) in enumerate(product(*options)):
        how = {"method": method, "ascending": ascending, "na_option": na_option, "pct": number % 4 == 3}
        same(df[["x"]].rank(**how), wanted[["x"]].rank(**how))
        same(df.groupby("k")[["x"]].rank(**how), wanted.groupby("k")[["x"]].rank(**how))


TIMES = pd.DataFrame(
    {
        "k": [1.0, 2.0, 1.0, np.nan, 2.0, 1.0, 1.0, 2.0],
        "x": [np.nan, 3.0, np.nan, 1.0, np.nan, np.nan, 4.0, np.nan],
        "t": pd.to_datetime(
            pd.Series([1700000000000000001, 5, None, 7, 1700000000000000003, 1, None, 9], dtype="Int64")
        ),
        "s": ["a", None, None, "b", "c", None, None, None],
    }
)
TIMES["d"] = TIMES["t"] - TIMES["t"][0]
TIMES["n"] = [3, 1, 2, 9, 5, 8, 7, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.ffill(limit=1), lambda g: g.bfill(limit=2), lambda g: g.bfill(), lambda g: g.shift(-2),
        lambda g: g[["x", "t", "d"]].diff(2), lambda g: g["t"].diff(-1), lambda g: g["x"].pct_change(2),
        lambda g: g["x"].shift(1, fill_value=-1.0), lambda g: g[["t"]].shift(1, fill_value=pd.Timestamp("2024")),
        lambda g: g["n"].shift(-1, fill_value=7), lambda g: g["s"].shift(fill_value="z"),
        lambda g: g[["x", "t"]].nth(1), lambda g: g["n"].cumsum(), lambda g: g[["t", "d"]].transform("min"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("at", [[], [1, 1, 5]])
def test_rows_of_groups_are_moved_and_filled_as_by_pandas(call, dropna, at):
    parts = [TIMES[cut:end].reset_index(drop=True) for cut, end in pairwise([0, *at, len(TIMES)])]
    df = ak.DataFrame.concat([ak.DataFrame(part) for part in parts])
    found, wanted = call(df.groupby("k", dropna=dropna)).to_pandas(), call(TIMES.groupby("k", dropna=dropna))
    check = pd.testing.assert_frame_equal if isinstance(wanted, pd.DataFrame) else pd.testing.assert_series_equal
    check(found, wanted, check_dtype=False)


def test_times_of_groups_have_running_results_and_exact_quantiles():
    # pandas takes NaT for the smallest time here, and rounds others to what floats hold.
    there = TIMES.dropna(subset=["k", "t"]).sort_values("k", kind="stable").reset_index(drop=True)
    df = ak.DataFrame(TIMES)
    for name in ("cummin", "cummax"):
        found = getattr(df.groupby("k")[["t", "d"]], name)().to_pandas()
        assert found["t"].isna().tolist() == (TIMES["t"].isna() | TIMES["k"].isna()).tolist()
        for column in ("t", "d"):
            accumulate = np.minimum.accumulate if name == "cummin" else np.maximum.accumulate
            wanted = np.concatenate([accumulate(group.to_numpy()) for _, group in there.groupby("k")[column]])
            rows = found.assign(k=TIMES["k"]).dropna().sort_values("k", kind="stable")[column]
            assert rows.tolist() == pd.Series(wanted).tolist()
    sums = df.groupby("k")["d"].cumsum().to_pandas()
    assert sums.dropna().astype("int64").groupby(TIMES["k"]).last().tolist() == [
        sum(int(span) for span in group.astype("int64")) for _, group in there.groupby("k")["d"]
    ]
    wide = ak.DataFrame({"k": [1, 1], "d": np.array([2**62, 2**62], "m8[ns]")}).groupby("k")["d"]
    with pytest.raises(TimeOverflowError):
        wide.cumsum().to_pandas()
    for q, share in ((0.5, Fraction(1, 2)), (0.3, Fraction(3, 10)), (0.25, Fraction(1, 4))):
        for column in ("t", "d"):
            wanted = []
            for _, group in there.groupby("k")[column]:
                ordered = sorted(int(number) for number in group.astype("int64"))
                place = share * (len(ordered) - 1)
                low = int(place)
                exact = ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (place - low)
                wanted.append(int(exact))
            groups = df.groupby("k")[column]
            assert groups.quantile(q).to_pandas().astype("int64").tolist() == wanted
            if q == 0.5:
                assert groups.median().to_pandas().astype("int64").tolist() == wanted
                spread = groups.transform("median").to_pandas()
                assert spread.isna().tolist() == TIMES["k"].isna().tolist()
    before = pd.DataFrame({"k": [1, 1, 2, 2], "d": pd.to_timedelta([-3, -8, 3, 8])})
    for q in (0.3, 0.5):
        spans = ak.DataFrame(before).groupby("k")["d"].quantile(q).to_pandas()
        assert spans.tolist() == before.groupby("k")["d"].quantile(q).tolist()
    with pytest.raises(ArgumentTypeError, match="any of groups"):
        df.groupby("k")["t"].any()


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
