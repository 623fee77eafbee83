"""Running results of groups are the same found in the order of the rows and group by group, and are pandas'."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.operators.windows import tuning
from akdask.testing.memory import MemorySource

NAMES = ("cumsum", "cumprod", "cummin", "cummax")


def frames(rows, groups, seed, lengths=None):
    random = np.random.default_rng(seed)
    given = {
        "k": random.integers(0, groups, rows),
        "i": random.integers(-3, 4, rows),
        "f": np.where(random.random(rows) < 0.2, np.nan, random.integers(-3, 4, rows).astype(float)),
    }
    arrays = MemorySource(given, lengths or [rows]).arrays()
    return ak.DataFrame(dict(arrays)), pd.DataFrame(given)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(40, 3, [15, 0, 25]), (40, 40, [40]), (1, 1, [1]), (64, 7, [32, 32])])
@pytest.mark.parametrize("path", [1, 10**9])
def test_running_results_are_those_of_pandas_in_either_order(monkeypatch, name, shape, path):
    rows, groups, lengths = shape
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    lazy, plain = frames(rows, groups, rows + groups, lengths)
    found = getattr(lazy.groupby("k")[["i", "f"]], name)().to_pandas()
    pd.testing.assert_frame_equal(found, getattr(plain.groupby("k")[["i", "f"]], name)())


@pytest.mark.parametrize("path", [1, 10**9])
def test_rows_of_no_group_stay_missing_in_either_order(monkeypatch, path):
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    given = pd.DataFrame({"k": ["a", None, "b", "a", None], "x": [1.0, 2.0, 3.0, 4.0, 5.0]})
    lazy = ak.DataFrame(given)
    pd.testing.assert_frame_equal(lazy.groupby("k").cumsum().to_pandas(), given.groupby("k").cumsum())
    counts = lazy.groupby("k")["x"].cumcount().to_pandas()
    assert counts.isna().tolist() == given.k.isna().tolist()
    assert counts.dropna().tolist() == [0, 0, 1]


@pytest.mark.parametrize("path", [1, 10**9])
def test_rows_are_counted_within_their_groups_across_partitions(monkeypatch, path):
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    lazy, plain = frames(50, 4, 5, [20, 30])
    assert lazy.groupby("k")["i"].cumcount().to_pandas().tolist() == plain.groupby("k").cumcount().tolist()


@pytest.mark.parametrize("path", [1, 10**9])
@pytest.mark.parametrize("shape", [(40, 3, [15, 0, 25]), (40, 40, [40]), (64, 7, [32, 32])])
def test_rows_before_are_those_of_pandas_in_either_order(monkeypatch, shape, path):
    rows, groups, lengths = shape
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    lazy, plain = frames(rows, groups, rows + groups, lengths)
    for step in (lambda g: g.shift(), lambda g: g.shift(2), lambda g: g.shift(-1), lambda g: g.diff()):
        found = step(lazy.groupby("k")[["i", "f"]]).to_pandas()
        pd.testing.assert_frame_equal(found.astype(float), step(plain.groupby("k")[["i", "f"]]).astype(float))
    filled = lazy.groupby("k")[["i"]].shift(fill_value=9).to_pandas()
    pd.testing.assert_frame_equal(filled, plain.groupby("k")[["i"]].shift(fill_value=9))


@pytest.mark.parametrize("path", [1, 10**9])
def test_rows_before_rows_of_no_group_are_missing(monkeypatch, path):
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    given = pd.DataFrame(
        {
            "k": ["a", None, "b", "a", None],
            "x": [1.0, 2.0, 3.0, 4.0, 5.0],
            "s": list("vwxyz"),
            "t": pd.date_range("2026-01-01", periods=5),
        }
    )
    lazy = ak.DataFrame(given)
    pd.testing.assert_frame_equal(lazy.groupby("k").shift().to_pandas(), given.groupby("k").shift())
    pd.testing.assert_frame_equal(
        lazy.groupby("k")[["x", "t"]].diff().to_pandas(), given.groupby("k")[["x", "t"]].diff()
    )


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("path", [1, 10**9])
@pytest.mark.parametrize("shape", [(40, 3, [15, 0, 25]), (40, 40, [40]), (64, 7, [32, 32])])
@pytest.mark.parametrize("limit", [None, 1, 2])
def test_missing_values_are_filled_as_in_pandas_in_either_order(monkeypatch, shape, path, limit):
    rows, groups, lengths = shape
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    lazy, plain = frames(rows, groups, rows + groups, lengths)
    for name in ("ffill", "bfill"):
        found = getattr(lazy.groupby("k")[["i", "f"]], name)(limit).to_pandas()
        pd.testing.assert_frame_equal(found, getattr(plain.groupby("k")[["i", "f"]], name)(limit=limit))


@pytest.mark.parametrize("path", [1, 10**9])
@pytest.mark.parametrize("name", ["ffill", "bfill"])
def test_values_of_all_types_are_filled_and_rows_of_no_group_are_missing(monkeypatch, path, name):
    monkeypatch.setattr(tuning, "ROWS_PER_STATE", path)
    given = pd.DataFrame(
        {
            "k": ["a", None, "b", "a", "b", None, "a", "b"],
            "text": pd.Series(["x", "y", None, None, "z", None, "", None], dtype="str"),
            "times": pd.to_datetime(["2020-01-01", "2020-01-02", "NaT", "NaT", "2020-01-03", "NaT", "NaT", "NaT"]),
            "gaps": pd.array([2**62 + 1, 2, None, None, 5, None, 7, None], dtype="Int64"),
            "labels": pd.Categorical(["x", "y", None, None, "z", None, "x", None]),
        }
    )
    found = getattr(ak.DataFrame(given).groupby("k"), name)().to_pandas()
    wanted = getattr(given.groupby("k"), name)()
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False, check_categorical=False)
