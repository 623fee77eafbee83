"""Operators, aggregations and functions of DataFrames that are refused, and what stays lazy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingAttributeError,
    MissingColumnError,
    MissingLabelError,
    SchemaError,
    UnsupportedError,
)


@pytest.fixture
def df():
    return ak.DataFrame({"port": [1, 2, 3], "x": [1.5, np.nan, 2.5], "s": ["a", "b", None]})


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda df: df[["x"]] + df["x"], ArgumentTypeError),
        (lambda df: df[["x"]] + df.x, ArgumentTypeError),
        (lambda df: df + 1, ArgumentTypeError),
        (lambda df: df[["x"]] @ df[["x"]], TypeError),
        (lambda df: df[["x"]].agg("mode"), ArgumentError),
        (lambda df: df.agg({"none": "sum"}), MissingColumnError),
        (lambda df: df[["x"]].agg([]), ArgumentError),
        (lambda df: df[["x"]].agg("sum", axis=1), ArgumentError),
        (lambda df: df.x.agg("mode_"), ArgumentError),
        (lambda df: df.x.apply(5), ArgumentTypeError),
        (lambda df: df.x.apply(lambda x: [x]), ArgumentTypeError),
        (lambda df: df.x.transform("sum"), ArgumentTypeError),
        (lambda df: df.x.sample(9), ArgumentError),
        (lambda df: df.x.drop(99), MissingLabelError),
        (lambda df: df.x.rename("index").reset_index(), SchemaError),
        (lambda df: df.drop(), ArgumentError),
        (lambda df: df.drop(columns="none"), MissingColumnError),
        (lambda df: df.drop(index=[0, 99]), MissingLabelError),
        (lambda df: df.rename(), ArgumentError),
        (lambda df: df.rename(columns={"x": "s"}), ArgumentError),
        (lambda df: df.rename(columns=5), ArgumentTypeError),
        (lambda df: df.dropna(axis=1, subset=["x"]), ArgumentError),
        (lambda df: df.dropna(subset=["none"]), MissingColumnError),
        (lambda df: df.sort_values("x", na_position="middle"), ArgumentError),
        (lambda df: df.sort_values("x", key=len), ArgumentTypeError),
        (lambda df: df.sample(-1), ArgumentError),
        (lambda df: df.sample(frac=2), ArgumentError),
        (lambda df: df.filter(), ArgumentError),
        (lambda df: df.filter(like="x", items=["x"]), ArgumentError),
        (lambda df: ak.DataFrame.from_dict({}, orient="rows"), ArgumentError),
        (lambda df: df.rename(columns={"x": "index"}).reset_index(names="port"), SchemaError),
        (lambda df: df.__setitem__(["a", "b"], [1]), ArgumentError),
        (lambda df: df.groupby("port").agg(total="sum"), ArgumentTypeError),
        (lambda df: df.groupby("port")["x"].agg(), ArgumentError),
        (lambda df: df.groupby("port")["none"], MissingColumnError),
        (lambda df: df.groupby("port")["x"].sem(ddof=0), ArgumentError),
        (lambda df: df.groupby("port")["x"].quantile([]), ArgumentError),
        (lambda df: df.merge(df, how="cross", on="x"), ArgumentError),
        (lambda df: df.merge(df, left_on="x", left_index=True, right_on="x"), ArgumentError),
        (lambda df: ak.concat([df, df]).pivot(index="port", columns="s", values="x"), ArgumentError),
        (lambda df: ak.crosstab(df["port"], df["s"], normalize="rows"), ArgumentError),
        (lambda df: ak.DataFrame().unstack(), ArgumentError),
        (lambda df: df.s.str.extract("a"), ArgumentError),
        (lambda df: df.s.str.count("("), ArgumentError),
        (lambda df: df.s.str.pad(3, side="top"), ArgumentError),
        (lambda df: df.s.str.replace(1, 2), ArgumentTypeError),
        (lambda df: df.s.str.split("-").str[0:1], ArgumentTypeError),
        (lambda df: df["x"].str, MissingAttributeError),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(df, call, error):
    with pytest.raises(error):
        call(df)


def test_rows_have_no_medians(df):
    from akdask.frames.reductions import reduced_rows

    with pytest.raises(UnsupportedError, match="median"):
        reduced_rows(df._columns, ["x"], "median", skipna=True)


def test_a_column_that_is_like_another_one_is_named(df):
    for call in (lambda: df["prot"], lambda: df.groupby("prot"), lambda: df.prot, lambda: df[["x", "prot"]]):
        with pytest.raises((MissingColumnError, MissingAttributeError), match="did you mean 'port'"):
            call()
    wide = ak.DataFrame({f"c{number}": [1] for number in range(50)})
    with pytest.raises(MissingColumnError, match="and 30 more"):
        _ = wide["none"]


def test_named_labels_are_kept_and_others_left_out(df):
    grouped = df.groupby("port").sum()
    assert grouped.reset_index().columns[0] == "port"
    assert df.reset_index().columns.tolist() == df.columns.tolist()
    assert grouped.reset_index(drop=False).columns[0] == "port"
    assert grouped.reset_index(drop=True).index.tolist() == [0, 1, 2]
    assert df.reset_index(drop=False).columns[0] == "index"


def test_what_looks_like_a_regular_expression_warns(df):
    with pytest.warns(UserWarning, match="regex=True"):
        assert df.s.str.contains("a|b").tolist() == [False, False, False]


def test_samples_can_be_repeated(df):
    big = ak.DataFrame({"x": ak.arange(1000)})
    assert big.sample(5, random_state=3)["x"].tolist() == big.sample(5, random_state=3)["x"].tolist()
    assert len(big.sample(frac=0.1)) == 100
    assert big.x.sample(frac=0.01, random_state=1).tolist() == big.x.sample(10, random_state=1).tolist()


def test_ufuncs_of_frames_are_lazy_frames(df):
    found = np.sqrt(df[["port"]])
    assert isinstance(found, ak.DataFrame)
    assert found["port"].tolist() == np.sqrt([1, 2, 3]).tolist()
    assert (df[["port"]] > 3).to_pandas()["port"].tolist() == [False, False, False]


def test_nothing_is_reduced_of_no_columns():
    empty = ak.DataFrame({"s": ["a"]})
    assert empty.sum(axis=1).tolist() == [0.0]
    assert np.isnan(empty.mean(axis=1).tolist()).all()
    assert empty.idxmax(numeric_only=True).to_pandas().empty


def test_functions_keep_missing_text_missing(df):
    plain = df.s.to_pandas()
    assert df.s.str.len().to_pandas().tolist()[:2] == [1, 1]
    assert df.s.str.len().isna().tolist() == plain.str.len().isna().tolist()
    assert df.s.str.count("a").isna().tolist() == [False, False, True]
    assert df.s.str.extract("(a)", expand=False).isna().tolist() == [False, True, True]
    assert df.s.str.zfill(2).to_pandas().tolist()[:2] == ["0a", "0b"]
    assert pd.isna(df.s.str.upper().to_pandas()[2])
    assert ak.Series([]).astype(str).str.split("-").str[0].tolist() == []


def test_types_of_results_may_be_given():
    found = ak.Series([1, 2]).apply(lambda x: x if x < 2 else x / 4, result_dtype=float)
    assert found.tolist() == [1.0, 0.5]
    assert ak.Series([1, 2]).apply(lambda x, y, z=0: x + y + z, (10,), z=5).tolist() == [16, 17]
    assert ak.Series([1.0, 2.0]).apply(lambda x: None if x > 1 else x).tolist()[0] == 1.0


def test_times_that_are_missing_have_no_text():
    times = ak.Series(pd.DatetimeIndex(["2026-01-01", None]))
    for found in (times.dt.day_name(), times.dt.month_name(), times.dt.strftime("%d")):
        assert found.to_pandas().isna().tolist() == [False, True]


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("skipna", [True, False])
def test_extremes_of_no_values_are_missing(name, skipna):
    plain = pd.DataFrame({"k": [1, 2], "x": [np.nan, np.nan]})
    for rows in (plain, plain[plain.k > 5]):
        found = ak.DataFrame(plain)
        found = found if len(rows) else found[found.k > 5]
        expected = getattr(rows, name)(skipna=skipna)
        assert getattr(found, name)(skipna=skipna).tolist() == pytest.approx(expected.tolist(), nan_ok=True)
        np.testing.assert_array_equal(found.agg([name]).astype(float), rows.agg([name]).astype(float))
        np.testing.assert_array_equal(found.agg({"x": name}).to_pandas(), rows.agg({"x": name}))
