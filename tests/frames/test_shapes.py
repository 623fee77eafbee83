from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, SchemaError

rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.sampled_from([1.5, -2.0, np.nan, 4.0]), st.integers(0, 9)),
    min_size=1,
    max_size=15,
)


def frames(given_rows, cut=0):
    """Return rows in pandas, and in two partitions."""
    wanted = pd.DataFrame(given_rows, columns=["k", "j", "x", "n"])
    parts = [wanted[:cut], wanted[cut:].reset_index(drop=True)]
    return wanted, ak.DataFrame.concat([ak.DataFrame(part.astype({"k": str})) for part in parts if len(part)])


def same(found, expected):
    pd.testing.assert_frame_equal(
        found.to_pandas(), expected, check_dtype=False, check_names=False, check_column_type=False
    )


@given(rows, st.integers(0, 15), st.sampled_from(["mean", "sum", "count", "min"]))
@settings(max_examples=15)
def test_tables_of_groups_are_those_of_pandas(given_rows, cut, how):
    wanted, df = frames(given_rows, cut)
    expected = wanted.pivot_table("n", "k", "j", how)
    same(df.pivot_table("n", "k", "j", how), expected.set_axis(expected.columns.map(str), axis=1))
    counts = pd.crosstab(wanted["k"], wanted["j"])
    same(ak.crosstab(df["k"], df["j"]), counts.set_axis(counts.columns.map(str), axis=1))


@given(rows, st.integers(0, 15))
@settings(max_examples=10)
def test_columns_stand_below_each_other_as_in_pandas(given_rows, cut):
    wanted, df = frames(given_rows, cut)
    same(df.melt("k", ["x", "n"]), wanted.melt("k", ["x", "n"]))
    same(df[["x", "j"]].melt(var_name="a", value_name="b"), wanted[["x", "j"]].melt(var_name="a", value_name="b"))


def test_tables_of_several_keys_and_values():
    wanted, df = frames([("a", 0, 1.5, 1), ("b", 1, 2.5, 2), ("a", 1, 3.5, 4)])
    several = wanted.pivot_table(["x", "n"], "k", "j", "sum", fill_value=0)
    found = df.pivot_table(["n", "x"], "k", "j", "sum", fill_value=0).to_pandas()
    assert found.columns.tolist() == [f"{value}_{key}" for value, key in several.columns]
    assert found.to_numpy().tolist() == several.to_numpy().tolist()
    assert df.pivot_table("x", ["k", "j"]).columns == ["k", "j", "x"]
    assert df.pivot_table("x", columns="k").to_pandas().loc["x"].to_dict() == {"a": 2.5, "b": 2.5}
    reduced = ak.crosstab(df["k"], df["j"], df["n"], "sum").to_pandas()
    assert reduced.loc["a"].tolist() == [1, 4]


def test_labels_become_columns_of_bool():
    wanted = pd.DataFrame({"s": ["b", "a", None], "x": [1, 2, 3]})
    same(ak.get_dummies(ak.DataFrame(wanted)), pd.get_dummies(wanted))
    same(ak.get_dummies(ak.array(["b", "a", "b"]), drop_first=True, dtype=int), pd.DataFrame({"b": [1, 0, 1]}))


numbers = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0, -3.5, np.nan, 7.25]), min_size=1, max_size=15)


def labels(found):
    """Return pandas' intervals as text, and "N/A" for none."""
    return ["N/A" if pd.isna(item) else str(item) for item in found.astype(object)]


@given(numbers, st.sampled_from([1, 3, [0, 0.2, 0.7], [-4, 0, 1, 8]]), st.booleans(), st.booleans())
@settings(max_examples=30)
def test_intervals_are_those_of_pandas(values, bins, right, lowest):
    series = pd.Series(values)
    if isinstance(bins, int) and series.isna().all():
        return
    found = ak.cut(ak.Series(series), bins, right, include_lowest=lowest)
    assert found.tolist() == labels(pd.cut(series, bins, right=right, include_lowest=lowest))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=15), st.integers(1, 4))
@settings(max_examples=20)
def test_quantile_ranges_are_those_of_pandas(values, q):
    series = pd.Series(values)
    found, bounds = ak.qcut(ak.array(values), q, retbins=True, duplicates="drop")
    wanted, expected = pd.qcut(series, q, retbins=True, duplicates="drop")
    assert found.tolist() == labels(wanted)
    assert np.allclose(bounds, expected)


MOMENTS: Any = pd.Series(
    ["2026-01-05", "2026-02-01", "2026-03-01 12:00", None, "2026-01-05", "2026-01-20"], dtype="M8[us]"
)
SIDES: Any = pd.Series(["2026-01-05", "2026-01-20", "2026-02-01", "2026-03-02"], dtype="M8[us]")
TIMELY = {
    "times": (MOMENTS, SIDES),
    "seconds": (MOMENTS.dt.as_unit("s"), SIDES.dt.as_unit("ns")),
    "zoned": (MOMENTS.dt.tz_localize("Europe/Berlin"), SIDES.dt.tz_localize("UTC")),
    "spans": (MOMENTS - MOMENTS[0], SIDES - SIDES[0]),
}


@pytest.mark.parametrize("kind", TIMELY)
def test_intervals_of_times_are_those_of_pandas(kind):
    series, bounds = TIMELY[kind]

    def compare(found, expected, want_labels):
        wanted, sides = expected
        assert found[0].tolist() == (labels(wanted) if want_labels else wanted.fillna(-1).tolist())
        pd.testing.assert_index_equal(found[1], sides, exact=True)

    for bins in (1, 3, list(bounds), pd.Index(bounds)):
        for right, lowest, names in itertools.product((True, False), (True, False), (None, False)):
            how = {"right": right, "include_lowest": lowest, "labels": names, "retbins": True}
            compare(ak.cut(ak.Series(series), bins, **how), pd.cut(series, bins, **how), names is None)
    for q in (1, 2, 3, 10, [0, 0.3, 1]):
        for names in (None, False):
            how = {"labels": names, "retbins": True, "duplicates": "drop"}
            compare(ak.qcut(ak.Series(series), q, **how), pd.qcut(series, q, **how), names is None)
    named = {"labels": ["early", "middle", "late"]}
    assert ak.cut(ak.Series(series), 3, **named).tolist() == labels(pd.cut(series, 3, **named))


@pytest.mark.parametrize(("q", "size"), [(7, 8), (9, 10), (12, 13), (49, 99)])
def test_ranges_of_the_same_size_have_the_elements_that_pandas_puts_there(q, size):
    assert ak.qcut(ak.arange(size), q, labels=False).tolist() == pd.qcut(np.arange(size), q, labels=False).tolist()


def test_quantiles_of_nanoseconds_are_whole_parts_of_the_time_between():
    start, step = pd.Timestamp("2026-01-05 00:00:00.000000001"), pd.Timedelta(3_000_000_003)
    times = ak.Series(pd.Series([start, start + step]).dt.as_unit("ns"))
    assert times.quantile([1 / 3, 2 / 3]).to_pandas().tolist() == [start + step // 3, start + step * 2 // 3]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ak.cut(ak.Series(MOMENTS), [1, 2, 3]),
        lambda: ak.cut(ak.Series(MOMENTS - MOMENTS[0]), [1, 2, 3]),
        lambda: ak.cut(ak.Series(MOMENTS - MOMENTS[0]), SIDES),
        lambda: ak.cut(ak.Series(MOMENTS), list(SIDES)[::-1]),
        lambda: ak.cut(ak.Series(MOMENTS), SIDES.dt.tz_localize("UTC")),
        lambda: ak.cut(ak.Series(MOMENTS[3:4]), 2),
        lambda: ak.qcut(ak.Series(MOMENTS[3:4]), 2),
        lambda: ak.qcut(ak.Series(MOMENTS), 5),
    ],
)
def test_intervals_that_times_do_not_have_are_refused(ask):
    with pytest.raises(ArgumentError):
        ask()


def test_intervals_have_names_or_numbers():
    values = ak.array([1, 5, 9])
    assert ak.cut(values, 2, labels=["low", "high"]).tolist() == ["low", "low", "high"]
    assert ak.cut(values, [0, 4, 8], labels=False).tolist() == [0, 1, -1]
    assert ak.cut(np.array([1.5]), [1, 2]).tolist() == ["(1, 2]"]


def test_spans_of_time_have_rows_also_where_nothing_happened():
    times = pd.Timestamp("2026-01-01 05:17") + pd.to_timedelta([0, 10, 500, 520, 2000], unit="m")
    wanted = pd.DataFrame({"t": times, "x": [1.0, 2.0, np.nan, 4.0, 8.0], "n": range(5)})
    df = ak.DataFrame(wanted)
    for rule in ("h", "7h", "D", "90min"):
        for how in ("sum", "mean", "max", "count", "std", "median"):
            found = getattr(df.resample(rule, on="t"), how)().to_pandas()
            expected = getattr(wanted.resample(rule, on="t"), how)()
            pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_freq=False, check_index_type=False)
    assert df.set_index("t").resample("D").agg({"n": "sum"}).to_pandas()["n"].tolist() == [6, 4]
    assert df.resample("D", on="t").size().tolist() == [4, 1]
    assert ak.DataFrame({"t": times[:0], "x": []}).resample("h", on="t").sum().to_pandas().shape[0] == 0


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.pivot_table("x"), ArgumentError),
        (lambda df: df.pivot_table("x", "k", aggfunc="none"), ArgumentError),
        (lambda df: df.melt("k", ["x", "s"]), ArgumentTypeError),
        (lambda df: df.melt("k", ["x"], value_name="k"), SchemaError),
        (lambda df: ak.crosstab(df["k"], df["s"], df["x"]), ArgumentError),
        (lambda df: ak.get_dummies(3), ArgumentTypeError),
        (lambda df: ak.cut(df["s"], 2), ArgumentTypeError),
        (lambda df: ak.cut(df["x"], [3, 1]), ArgumentError),
        (lambda df: ak.cut(df["x"], 0), ArgumentError),
        (lambda df: ak.cut(df["x"], [0, 1, 2], labels=["one"]), ArgumentError),
        (lambda df: ak.qcut(df["k"], 4), ArgumentError),
        (lambda df: ak.qcut(df["k"], [0, 2]), ArgumentError),
        (lambda df: df.resample("h", on="x"), ArgumentTypeError),
        (lambda df: df.resample("h"), ArgumentTypeError),
    ],
)
def test_what_cannot_be_done_is_refused(ask, error):
    with pytest.raises(AkdaskError) as refused:
        ask(ak.DataFrame({"k": [1, 1], "x": [1.0, 2.0], "s": ["a", "b"]}))
    assert isinstance(refused.value, error)
