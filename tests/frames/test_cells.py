from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ArgumentTypeError,
    MissingColumnError,
    MissingLabelError,
    PositionError,
    SchemaError,
)

P = pd.DataFrame({"k": ["b", "a", "d", "c"], "x": [1.0, np.nan, 3.26, -4.0], "n": [1, 2, 3, 4]})


@pytest.fixture
def df():
    """The rows in two partitions."""
    return ak.DataFrame.concat([ak.DataFrame(P[:1]), ak.DataFrame(P[1:].reset_index(drop=True))])


def same(found, expected):
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False)


def test_cells_are_those_of_pandas(df):
    some, theirs = df[["x", "n"]], P[["x", "n"]]
    same(some.clip(2, 3), theirs.clip(2, 3))
    same(some.clip(upper=3), theirs.clip(upper=3))
    same(some.clip(), theirs)
    same(some.clip(np.nan, 3), theirs.clip(np.nan, 3))
    times = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-05"]))
    assert ak.Series(times).clip(pd.NaT, times[0]).to_pandas().equals(times.clip(pd.NaT, times[0]))
    with pytest.raises(ArgumentTypeError, match="of its kind"):
        ak.Series(times).clip(lower=5)
    same(some.abs(), theirs.abs())
    same(some.round(1), theirs.round(1))
    same(some.round({"x": 0}), theirs.round({"x": 0}))
    same(some.mask(some["n"] > 2), theirs.mask(theirs["n"] > 2))
    same(some.where(some["n"] > 2, 0), theirs.where(theirs["n"] > 2, 0))
    same(some.where(lambda frame: frame.notna(), -1), theirs.where(theirs.notna(), -1))
    same(df.replace({"b": "z", 3: 7, 4: 9}), P.replace({"b": "z", 3: 7, 4: 9}))
    same(df.replace({"k": {"a": "q"}, "n": {1: 2}}), P.replace({"k": {"a": "q"}, "n": {1: 2}}))
    same(df.replace(np.nan, 0.0), P.replace(np.nan, 0.0))
    same(df.replace([1, 2], [2, 1]), P.replace([1, 2], [2, 1]))
    for old, new in [
        ({"x": np.nan}, -1.0), ({"n": 1, "x": np.nan}, {"n": 7, "x": 0.5, "k": "z"}),
        (np.nan, {"x": 9.0}), (1, {"n": 4}), ({"none": 1}, 2),
    ]:  # fmt: skip
        same(df[["x", "n"]].replace(old, new), P[["x", "n"]].replace(old, new))
    same(df.isnull(), P.isnull())
    same(df.notnull(), P.notnull())


def test_series_have_the_same_methods():
    s = ak.Series(P["x"])
    assert s.replace(3.26, 5.0).tolist()[2] == 5.0
    with pytest.raises(ArgumentError, match="a mapping of old values to new ones, or by a value"):
        s.replace({3.26: 1.0}, 5.0)
    assert s.mask(s > 3, 0).tolist()[2] == 0
    assert s.clip(0, 1).tolist()[3] == 0
    assert s.abs().tolist()[3] == 4
    assert s.describe()["count"] == 3
    assert ak.Series(["a", "b", "a"]).describe()["top"] == "a"
    assert s.rename("y").name == "y"
    assert dict(s.rename("y").items())[0] == 1.0
    assert not s.empty


def test_one_row_is_a_dict_that_prints_as_a_table(df):
    row = df[2]
    assert row == {"k": "d", "x": 3.26, "n": 3}
    assert str(row).splitlines() == ["keys    values", "------  --------", "k       d", "x       3.26", "n       3"]
    assert "<td>d</td>" in row._repr_html_()
    assert isinstance(row, ak.Row)


def test_rows_come_one_by_one(df):
    assert next(df.itertuples(limit=2)) == (0, "b", 1.0, 1)
    assert [row.k for row in df.itertuples()] == P["k"].tolist()
    assert list(df.itertuples(index=False, name=None, limit=1)) == [("b", 1.0, 1)]
    assert [label for label, _ in df.iterrows()] == [0, 1, 2, 3]
    assert df.to_dict("records")[2] == P.to_dict("records")[2]
    with pytest.raises(ArgumentError):
        df.to_dict("rows")


def test_rows_and_columns_by_label(df):
    same(df.loc[df["n"] > 2, ["k", "n"]], P.loc[P["n"] > 2, ["k", "n"]])
    same(df.loc[[0, 2]], P.loc[[0, 2]])
    same(df.loc[1:2, "k":"x"], P.loc[1:2, "k":"x"])
    labelled = df.set_index("k")
    same(labelled, P.set_index("k"))
    same(labelled.loc["b":"c"], P.set_index("k").loc["b":"c"])
    assert labelled.loc["c"] == {"x": -4.0, "n": 4}
    assert labelled.at["a", "n"] == 2
    assert df.loc[:, "n"].tolist() == [1, 2, 3, 4]
    with pytest.raises(MissingLabelError, match="no entry has the label 7"):
        ak.Series([1, 2])[7]
    with pytest.raises(MissingLabelError):
        labelled.loc["z"]
    with pytest.raises(MissingColumnError):
        df.loc[:, "none"]


def test_rows_and_columns_by_position(df):
    same(df.iloc[1:3, :2], P.iloc[1:3, :2])
    same(df.iloc[[3, 0], [2]], P.iloc[[3, 0], [2]])
    assert df.iloc[0, 1] == 1.0
    assert df.iat[2, 2] == 3
    assert df.iloc[-1] == {"k": "c", "x": -4.0, "n": 4}
    assert df.iloc[:, 0].tolist() == P["k"].tolist()
    same(df.take([2, 0]), P.take([2, 0]))
    with pytest.raises(PositionError):
        df.iloc[0, 7]
    with pytest.raises(PositionError):
        df.iloc[9]


def test_cells_are_assigned_to(df):
    df.loc[df["n"] > 2, "x"] = 0.0
    df.iat[0, 2] = 50
    df.at[1, "n"] = 7
    assert df["x"].tolist()[2:] == [0.0, 0.0]
    assert df["n"].tolist() == [50, 7, 3, 4]


def test_columns_by_type_and_place(df):
    assert df.select_dtypes("number").columns == ["x", "n"]
    assert df.select_dtypes(exclude=["object"]).columns == ["x", "n"]
    assert df.select_dtypes([np.float64, str]).columns == ["k", "x"]
    df.insert(1, "z", 5)
    assert df.columns == ["k", "z", "x", "n"]
    assert df["z"].tolist() == [5] * 4
    assert df.astype({"n": float}).dtypes["n"] == "float64"
    assert df.add_prefix("a_").columns[0] == "a_k"
    assert df.add_suffix("_b").columns[0] == "k_b"
    assert df.pipe(len) == 4
    assert df.ndim == 2


def test_frames_are_made_of_records():
    found = ak.DataFrame.from_records([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], exclude=["a"])
    assert found.to_pandas()["b"].tolist() == ["x", "y"]
    assert ak.DataFrame.from_records([(1, 2.5)], columns=["i", "f"]).dtypes == {"i": "int64", "f": "float64"}
    with pytest.raises(ArgumentError):
        ak.DataFrame.from_records([(1, 2)], columns=["a"])


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.abs(), ArgumentTypeError),
        (lambda df: df.mask(df["n"], 1), ArgumentTypeError),
        (lambda df: df.replace(1), ArgumentError),
        (lambda df: df.replace([1, 2], [1]), ArgumentError),
        (lambda df: df.select_dtypes(), ArgumentError),
        (lambda df: df.select_dtypes("number", "number"), ArgumentError),
        (lambda df: df.insert(0, "x", 1), SchemaError),
        (lambda df: df.insert(9, "q", 1), PositionError),
        (lambda df: df.set_index(["k", "n"]), ArgumentTypeError),
        (lambda df: df.set_index("none"), MissingColumnError),
        (lambda df: df.at[0], ArgumentTypeError),
        (lambda df: df.astype({"none": int}), MissingColumnError),
    ],
)
def test_what_cannot_be_done_is_refused(df, ask, error):
    with pytest.raises(AkdaskError) as refused:
        ask(df)
    assert isinstance(refused.value, error)


@pytest.mark.parametrize(
    ("key", "value"), [((0, 1), 5), ((slice(2, 4), 0), 9), (([1], [0, 1]), -1), ((-1, slice(0, 1)), 3), (2, 7)], ids=str
)
def test_cells_are_assigned_by_positions(key, value):
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5]})
    frame = ak.DataFrame(table)
    table.iloc[key] = value
    frame.iloc[key] = value
    pd.testing.assert_frame_equal(frame.to_pandas(), table)
