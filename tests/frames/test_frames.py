"""pandas' functions of DataFrames, Series and arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError, UnsupportedError

ONE = pd.DataFrame({"x": [1, 2], "s": ["a", None], "t": pd.date_range("2026-01-01", periods=2, unit="ns")})
TWO = pd.DataFrame({"y": [0.5], "x": [7], "b": [True]})


def same(found, wanted):
    found = found.to_pandas()
    if isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_index_type=False)
        return
    for name in wanted:
        ours, theirs = (frame[name].astype(object).where(frame[name].notna(), None) for frame in (found, wanted))
        assert ours.tolist() == theirs.tolist(), name
    assert found.index.tolist() == wanted.index.tolist()
    assert list(map(str, found.columns)) == list(map(str, wanted.columns))


@pytest.mark.parametrize("ignore_index", [False, True])
@pytest.mark.parametrize("join", ["outer", "inner"])
def test_rows_of_frames_with_different_columns_stand_below_each_other(join, ignore_index):
    for parts in ((ONE, TWO), (TWO, ONE, TWO), (ONE, ONE), (ONE[:0], TWO)):
        found = ak.concat([ak.DataFrame(part) for part in parts], join=join, ignore_index=ignore_index)
        same(found, pd.concat(parts, join=join, ignore_index=ignore_index))


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=4), st.booleans())
def test_rows_come_in_the_order_of_the_frames(values, ignore_index):
    plain = [pd.DataFrame({"xyz"[number % 3]: np.array(part, np.int64)}) for number, part in enumerate(values)]
    found = ak.concat([ak.DataFrame(part) for part in plain], ignore_index=ignore_index)
    same(found, pd.concat(plain, ignore_index=ignore_index))


def test_series_stand_below_each_other_or_side_by_side():
    p, q = pd.Series([1, 2], name="a"), pd.Series([3.5, 4.5], index=[1, 2], name="b")
    one, two = ak.Series(p), ak.Series(q)
    same(ak.concat([one, two]), pd.concat([p, q]))
    same(ak.concat([one, one], ignore_index=True), pd.concat([p, p], ignore_index=True))
    same(ak.concat([one, None]), p)
    same(ak.concat({"u": one, "v": one}), pd.concat({"u": p, "v": p}))
    for join in ("outer", "inner"):
        same(ak.concat([one, two], axis=1, join=join), pd.concat([p, q], axis=1, join=join))
    same(ak.concat([one, one], axis=1, keys=["m", "n"]), pd.concat([p, p], axis=1, keys=["m", "n"]))
    same(
        ak.concat([one, one], axis=1, ignore_index=True),
        pd.concat([p, p], axis=1, ignore_index=True).rename(columns=str),
    )
    same(ak.concat([ak.DataFrame({"x": [1, 2]}), one]), pd.concat([pd.DataFrame({"x": [1, 2]}), p.to_frame()]))
    same(ak.concat([ak.DataFrame(ONE), ak.DataFrame({"z": [5, 6]})], axis=1), ONE.assign(z=[5, 6]))


def test_rows_of_filters_meet_by_their_labels():
    plain = pd.DataFrame({"x": [3, 1, 2], "y": [1, 2, 3]})
    df = ak.DataFrame(plain)
    chosen = plain[plain["x"] > 1]
    found = ak.concat([df[df["x"] > 1][["x"]], df[df["x"] > 1][["y"]]], axis=1)
    same(found, pd.concat([chosen[["x"]], chosen[["y"]]], axis=1))
    same(ak.concat([df[df["x"] > 1], df[df["x"] <= 1]]), pd.concat([chosen, plain[plain["x"] <= 1]]))


def test_building_computes_nothing(monkeypatch):
    frames = [ak.DataFrame({"x": ak.arange(5)}), ak.DataFrame({"y": ak.arange(3)})]
    monkeypatch.setattr("akdask.engine.run.run", None)
    assert ak.concat(frames).columns.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda df: ak.concat([]), ArgumentError),
        (lambda df: ak.concat([None]), ArgumentError),
        (ak.concat, ArgumentTypeError),
        (lambda df: ak.concat([df, df["x"]]), ArgumentTypeError),
        (lambda df: ak.concat([df, df], join="left"), ArgumentError),
        (lambda df: ak.concat([df, df], axis=1), SchemaError),
        (lambda df: ak.concat([df, df], keys=["a", "b"]), UnsupportedError),
        (lambda df: ak.concat([df, df.rename(columns={"x": "y"})], axis=1, keys=["a", "b"]), UnsupportedError),
        (lambda df: ak.concat([df, ak.DataFrame({"x": ["text"]})]), SchemaError),
        (lambda df: ak.melt(df["x"]), ArgumentTypeError),
        (lambda df: ak.pivot_table(df["x"]), ArgumentTypeError),
        (lambda df: ak.to_datetime(df["x"], errors="ignore"), ArgumentError),
        (lambda df: ak.to_numeric(ak.Datetime(df["x"])), ArgumentTypeError),
        (lambda df: ak.to_numeric(df["x"], errors="?"), ArgumentError),
    ],
)
def test_what_cannot_be_put_together_is_refused(call, error):
    with pytest.raises(error):
        call(ak.DataFrame({"x": [1]}))


def test_missing_values_are_found_in_whatever_can_have_them():
    values = [1.0, float("nan")]
    assert ak.isna(ak.array(values)).tolist() == pd.isna(np.array(values)).tolist()
    assert ak.notnull(ak.Series(values)).tolist() == [True, False]
    assert ak.isnull(ak.DataFrame({"x": values})).to_pandas()["x"].tolist() == [False, True]
    assert ak.notna(3) is True
    assert ak.isna(float("nan")) is True


def test_text_and_numbers_become_times_spans_and_numbers():
    text = ["2026-01-02", "2026-03-04T05:06"]
    assert (ak.to_datetime(ak.array(text)).to_pandas() == pd.DatetimeIndex(text)).all()
    days = ["02/01/2026", "?"]
    wanted = pd.to_datetime(pd.Series(days), format="%d/%m/%Y", errors="coerce")
    found = ak.to_datetime(ak.Series(days), "coerce", "%d/%m/%Y")
    assert found.to_pandas().astype("M8[ns]").equals(wanted.astype("M8[ns]"))
    assert ak.to_datetime([0, 1], unit="s").to_pandas()[1] == pd.Timestamp(1, unit="s")
    assert ak.to_datetime("2026-01-02") == pd.Timestamp("2026-01-02")
    assert ak.to_timedelta(ak.array(["1h", "2 days"])).to_pandas()[1] == pd.Timedelta("2 days")
    assert ak.to_timedelta(ak.array([3]), "h").to_pandas()[0] == pd.Timedelta("3h")
    assert ak.to_numeric(ak.Series(["1.5", "x"]), errors="coerce").tolist()[0] == 1.5
    assert ak.to_numeric(ak.array([1, 2])).tolist() == [1, 2]
    with pytest.raises(ValueError, match="x"):
        ak.to_numeric(ak.array(["x"])).compute()
    with pytest.raises(ValueError, match="x"):
        ak.to_datetime(ak.array(["x"]), format="%d/%m/%Y").compute()
