"""Rows below others, missing values, membership, samples and correlation of DataFrames."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, SchemaError, UnsupportedError
from akdask.frames import reductions
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned, tables

COLUMNS = ("int64", "float64", "str", "bool")


@st.composite
def frames(draw):
    """A DataFrame in any partitions, and the pandas one with the same rows."""
    lengths = draw(partition_lengths())
    plain = draw(tables(lengths, COLUMNS))
    made = ak.DataFrame({name: partitioned(column, lengths) for name, column in plain.items()})
    return made, pd.DataFrame({name: c.astype(object) if c.dtype.kind == "U" else c for name, c in plain.items()})


def check(frame, expected):
    found = frame.to_pandas(retain_index=False)
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False)


@given(frames(), frames())
def test_rows_come_below_those_of_another_frame(one, other):
    check(ak.DataFrame.concat([one[0], other[0], one[0]]), pd.concat([one[1], other[1], one[1]]))
    before = one[0].copy()
    assert one[0].append(other[0]) is one[0]
    check(one[0], pd.concat([one[1], other[1]]))
    check(before, one[1])


def test_frames_without_columns_add_nothing():
    frame = ak.DataFrame({"x": [1]})
    assert frame.append(ak.DataFrame())["x"].tolist() == [1]
    nothing = ak.DataFrame()
    nothing.append(frame).append(frame)
    assert nothing["x"].tolist() == [1, 1]
    assert ak.DataFrame.concat([ak.DataFrame(), frame])["x"].tolist() == [1]
    assert ak.DataFrame.concat([ak.DataFrame(), ak.DataFrame()]).columns == []


@given(frames())
def test_rows_below_filtered_ones_are_counted_later(pair):
    frame, plain = pair
    joined = frame[frame["bool"]].append(frame)
    check(joined[joined["bool"]], pd.concat([plain[plain["bool"]]] * 2))


def test_types_meet_where_frames_are_put_together():
    a = ak.DataFrame({"x": [1, 2], "c": ak.Categorical(ak.array(["p", "q"]))})
    b = ak.DataFrame({"c": ak.Categorical(ak.array(["r"])), "x": [0.5]})
    joined = ak.DataFrame.concat([a, b])
    assert joined.dtypes == {"x": "float64", "c": "Categorical"}
    assert joined["c"].tolist() == ["p", "q", "r"]
    assert a.copy().append(ak.DataFrame({"x": [3], "c": ["s"]})).dtypes == {"x": "int64", "c": "str"}
    with pytest.raises(SchemaError, match="column 'x' has values of kinds"):
        a.append(ak.DataFrame({"x": ["3"], "c": ["s"]}))
    with pytest.raises(MissingColumnError, match="same columns"):
        a.append(a[["x"]])
    with pytest.raises(ArgumentTypeError, match="only DataFrames"):
        a.append({"x": [1], "c": ["s"]})
    assert a.dtypes == {"x": "int64", "c": "Categorical"}
    with pytest.raises(ArgumentError, match="at least one"):
        ak.DataFrame.concat([])


def test_labels_of_rows_stay_where_all_have_some():
    a, b = ak.DataFrame({"x": [1]}, index=["p"]), ak.DataFrame({"x": [2]}, index=["q"])
    assert ak.DataFrame.concat([a, b]).index.tolist() == ["p", "q"]
    assert a.append(ak.DataFrame({"x": [2]})).index.tolist() == [0, 1]


def missing():
    frame = ak.DataFrame({"x": [1.0, np.nan, np.nan], "i": [1, 2, 3], "y": [np.nan, 5.0, np.nan]})
    return frame, frame.to_pandas()


@pytest.mark.parametrize("options", [{}, {"how": "any"}, {"how": "all"}, {"thresh": 2}, {"thresh": 1}, {"thresh": 0},
                                     {"axis": 1}, {"axis": 1, "how": "all"}, {"axis": 1, "thresh": 0},
                                     {"axis": 1, "thresh": 1}, {"axis": 1, "thresh": 2}])  # fmt: skip
def test_rows_and_columns_with_missing_values_are_left_out(options):
    _, plain = missing()
    plain["none"] = np.nan
    frame = ak.DataFrame(plain)
    kept = frame.dropna(**options)
    pd.testing.assert_frame_equal(kept.to_pandas(retain_index=True), plain.dropna(**options))
    numbered = frame.dropna(**options, ignore_index=True).to_pandas(retain_index=True)
    pd.testing.assert_frame_equal(numbered, plain.dropna(**options).reset_index(drop=True))


def test_missing_values_are_marked():
    frame, plain = missing()
    frame["c"] = ak.Categorical(pd.Categorical(["a", None, "b"]))
    assert frame.isna()["c"].tolist() == [False, True, False]
    pd.testing.assert_frame_equal(frame.notna()[["x", "i", "y"]].to_pandas(), plain.notna())
    assert frame.dropna(thresh=3)["i"].tolist() == [1]
    assert ak.DataFrame().dropna().columns == []
    assert ak.DataFrame().dropna(axis=1).columns == []


def test_what_to_leave_out_is_said_in_one_way():
    frame, _ = missing()
    with pytest.raises(ArgumentTypeError, match="not both"):
        frame.dropna(how="any", thresh=1)
    with pytest.raises(ArgumentError, match="neither 'any' nor 'all'"):
        frame.dropna(how="some")
    with pytest.raises(ArgumentError, match="axis"):
        frame.dropna(axis=2)


def test_values_are_looked_for_in_every_column():
    frame = ak.DataFrame({"x": [1, 2, 3], "s": ["a", "1", "c"]})
    plain = frame.to_pandas()
    for values in ([1, 3], ["a", "1"], {"x": [2], "s": ["c"]}, {"x": ["a"]}, [], {}):
        pd.testing.assert_frame_equal(frame.isin(values).to_pandas(), plain.isin(values))
    assert frame.isin(ak.array([3, 9]))["x"].tolist() == [False, False, True]
    assert frame.isin(ak.Index(ak.array(["c"])))["s"].tolist() == [False, False, True]


@pytest.mark.parametrize(
    "values",
    [
        [3, "a"],
        ("3", 3.0),
        pytest.param({"a", 3}, id="a set"),
        {"n": [3, "a"], "s": ["a", 3], "c": ("b", 3)},
        [None, "a", 3],
        [None, 1.5],
        [np.nan],
        [np.nan, "3", 3],
        [None],
    ],
    ids=str,
)
def test_numbers_text_and_missing_values_are_looked_for_where_they_can_be(values):
    plain = pd.DataFrame(
        {
            "n": [1, 3, 2],
            "f": [3.0, np.nan, 1.5],
            "s": ["a", None, "3"],
            "c": pd.Categorical(["a", "b", None]),
            "t": pd.to_datetime(["2026-01-01", "2026-01-03", "2026-01-02"]),
        }
    )
    frame = ak.DataFrame(plain)
    pd.testing.assert_frame_equal(frame.isin(values).to_pandas(), plain.isin(values))
    if not isinstance(values, dict) and {str, int} <= {type(item) for item in values}:
        for name in plain:
            assert ak.Series(frame[name]).isin(values).tolist() == plain[name].isin(values).tolist()


@pytest.mark.parametrize("values", [5, "abc", None, {"x": 5}])
def test_single_values_are_not_looked_among(values):
    with pytest.raises(ArgumentTypeError, match="isin looks among"):
        ak.DataFrame({"x": [1, 2, 3]}).isin(values)


def test_values_are_compared_with_those_of_another_frame():
    frame = ak.DataFrame({"x": [1, 2, 3], "s": ["a", "b", "c"]})
    other = ak.DataFrame({"x": [1, 5, 3]})
    pd.testing.assert_frame_equal(frame.isin(other).to_pandas(), frame.to_pandas().isin(other.to_pandas()))
    few = other[:2]
    pd.testing.assert_frame_equal(frame.isin(few).to_pandas(), frame.to_pandas().isin(few.to_pandas()))


def test_rows_are_chosen_by_how_many_share_their_keys():
    frame = ak.DataFrame({"x": [1, 2, 1, 3, 1, 2], "s": list("aabaab")})
    assert frame.filter_by_range("x", 2).tolist() == [True, True, True, False, True, True]
    assert frame.filter_by_range("x", 1, 2).tolist() == [False, True, False, True, False, True]
    assert frame.filter_by_range(["x", "s"], 2, 2).tolist() == [True, False, False, False, True, False]
    assert frame.filter_by_range("x", 0, 0).tolist() == [False] * 6


def test_rows_without_a_key_are_in_no_range():
    frame = ak.DataFrame({"x": [1.0, np.nan, 1.0, np.nan]})
    assert frame.filter_by_range("x", 0).tolist() == [True, False, True, False]


@pytest.mark.parametrize(("keys", "low", "high", "error"), [("x", -1, None, ValueError), ("x", 3, 2, ValueError),
                                                            (5, 1, None, TypeError), (["x", 5], 1, None, TypeError),
                                                            ("z", 1, None, KeyError)])  # fmt: skip
def test_ranges_and_keys_that_make_no_sense_are_refused(keys, low, high, error):
    with pytest.raises(error):
        ak.DataFrame({"x": [1, 2, 1]}).filter_by_range(keys, low, high)


def test_a_sample_has_different_rows_of_the_frame():
    frame = ak.DataFrame({"x": ak.arange(100), "y": ak.arange(100) * 2})
    drawn = frame[frame["x"] >= 50].sample(20).to_pandas()
    assert len(drawn) == drawn["x"].nunique() == 20
    assert (drawn["y"] == drawn["x"] * 2).all()
    assert drawn["x"].min() >= 50
    assert len(frame.sample(1000)) == 100


@given(st.lists(st.tuples(st.integers(-100, 100), st.floats(-1, 1), st.booleans()), min_size=3, max_size=20))
def test_correlations_are_those_of_pandas(rows):
    plain = pd.DataFrame(rows, columns=["i", "f", "b"]).astype({"b": float})
    found = ak.DataFrame(plain).corr().to_pandas(retain_index=True)
    np.testing.assert_allclose(found.to_numpy()[:1, :1], plain.corr().to_numpy()[:1, :1], atol=1e-9)
    varied = plain.columns[plain.std() > 1e-3]
    pd.testing.assert_frame_equal(found.loc[varied, varied], plain[varied].corr(), atol=1e-6)


@given(frames(), st.booleans())
def test_distinct_values_are_counted_as_by_pandas(pair, dropna):
    frame, plain = pair
    assert frame.nunique(dropna=dropna).to_dict() == plain.nunique(dropna=dropna).to_dict()


def test_missing_values_of_every_kind_are_not_counted():
    times = ak.Datetime(np.array(["NaT", "2020-01-02"], "M8[ns]"))
    frame = ak.DataFrame({"t": times, "c": ak.Categorical(ak.array(["N/A", "a"])), "x": [1.0, np.nan]})
    assert frame.nunique().tolist() == [1, 1, 1]
    assert frame.nunique(dropna=False).tolist() == [2, 2, 2]


@given(st.lists(st.tuples(st.sampled_from([0.5, 1.5, np.nan]), st.sampled_from("ab")), min_size=1), st.booleans())
def test_equal_rows_are_counted_as_by_pandas(rows, dropna):
    plain = pd.DataFrame(rows, columns=["x", "y"])
    counted = plain.value_counts(sort=False, dropna=dropna).reset_index().sort_values(["x", "y"], kind="stable")
    frame = ak.DataFrame(plain)
    check(frame.value_counts(sort=False, dropna=dropna), counted)
    for ascending in (True, False):
        wanted = counted.sort_values("count", ascending=ascending, kind="stable")
        check(frame.value_counts(ascending=ascending, dropna=dropna), wanted)
    assert frame.value_counts("y").columns == ["y", "count"]


def test_distinct_values_of_rows_are_not_counted():
    with pytest.raises(UnsupportedError):
        ak.DataFrame({"x": [1]}).nunique(axis=1)


def test_a_permutation_has_as_many_positions_as_rows():
    frame = ak.DataFrame({"x": [1, 2, 3]})
    with pytest.raises(ArgumentError, match="a permutation of 3 rows"):
        frame.apply_permutation(ak.array([0, 1]))
    frame.apply_permutation(ak.array([0, 2, 1]))
    assert (frame["x"].tolist(), frame.index.tolist()) == ([1, 3, 2], [0, 2, 1])


def test_a_frame_without_columns_has_nothing_to_sort():
    nothing = ak.DataFrame()
    assert nothing.sort_values().columns == nothing.drop_duplicates().columns == []
    assert nothing.argsort("x").tolist() == nothing.coargsort(["x"]).tolist() == []
    with pytest.raises(ArgumentTypeError, match="named by str"):
        ak.DataFrame({"x": [1]}).sort_values(5)


def test_a_column_of_the_name_of_the_counts_is_refused():
    with pytest.raises(SchemaError, match="rename"):
        ak.DataFrame({"count": [1]}).value_counts()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 60])
def test_moments_of_pairs_take_the_rows_where_neither_value_is_missing(count, monkeypatch):
    rng = np.random.default_rng(count)
    plain = pd.DataFrame(
        {
            "whole": rng.integers(-9, 9, count),
            "large": rng.integers(2**61, 2**62, count),
            "float": np.where(rng.random(count) < 0.3, np.nan, rng.random(count)),
            "other": np.where(rng.random(count) < 0.2, np.nan, rng.random(count) * 1e6),
        }
    )
    lengths = [count // 2, 0, count - count // 2]
    arrays = MemorySource({name: plain[name].to_numpy() for name in plain}, lengths).arrays()
    names, found = reductions.moments_of_pairs(ak.DataFrame(arrays))
    assert names == list(plain)
    for (row, one), (column, other) in product(enumerate(names), repeat=2):
        both = plain[[one, other]].astype(float).dropna().to_numpy()
        left, right = (both - both.mean(axis=0)).T if len(both) else (np.zeros(0), np.zeros(0))
        expected = len(both), (left * right).sum(), (left * left).sum(), (right * right).sum()
        np.testing.assert_allclose(found[:, row, column], expected, rtol=1e-9, atol=1e-9 * max(1, *map(abs, expected)))
    monkeypatch.setattr(reductions, "can_be_missing", lambda *_: True)
    np.testing.assert_array_equal(reductions.moments_of_pairs(ak.DataFrame(arrays))[1], found)
