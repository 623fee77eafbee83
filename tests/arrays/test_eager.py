"""With ``eager=True`` each array is computed as it is made, and is what it would be without."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine.sources import Persisted
from akdask.errors import ArgumentTypeError
from tests.gaps import merged_with_gaps


@pytest.fixture(autouse=True)
def eager():
    with ak.config.set(eager=True):
        yield


def test_arrays_of_all_kinds_are_computed_as_they_are_made():
    labels = ak.Categorical(ak.array(["b", "a", "b"]))
    assert labels.tolist() == ["b", "a", "b"]
    assert labels[ak.argsort(labels)].tolist() == ["a", "b", "b"]
    lists = ak.SegArray(ak.array([0, 2, 2]), ak.array([1, 2, 3]))
    times = ak.Datetime(pd.date_range("2026-01-01", periods=3))
    for array in (labels, ak.array([1, 2]) + 1, ak.array(["a", "b"]).upper(), lists, times, ak.ip_address([1, 2])):
        assert isinstance(array._frame, Persisted), type(array)
    assert lists.tolist() == [[1, 2], [], [3]]
    assert times.day.tolist() == [1, 2, 3]
    assert ak.array(["a b", "c"]).split(" ").tolist() == ["a", "b", "c"]


def test_missing_values_windows_and_joins_are_those_of_pandas():
    rows = {"k": [1, 2, 1], "x": [1.0, np.nan, 3.0]}
    found, wanted = ak.DataFrame(rows), pd.DataFrame(rows)
    pd.testing.assert_series_equal(found.x.cumsum().to_pandas(), wanted.x.cumsum())
    more = {"k": [1, 3], "i": [2**60 + 1, 4]}
    for how in ("inner", "left"):
        joined = merged_with_gaps(found, ak.DataFrame(more), on="k", how=how).to_pandas(nullable=True)
        expected = wanted.merge(pd.DataFrame(more).convert_dtypes(), on="k", how=how).sort_values("k", kind="stable")
        assert joined["i"].fillna(0).tolist() == expected["i"].fillna(0).tolist()
    shifted = found.groupby("k").x.shift(1).cumsum().to_pandas()
    pd.testing.assert_series_equal(shifted, wanted.groupby("k").x.shift(1).cumsum(), check_names=False)


def test_the_same_rows_are_computed_once_and_go_with_what_is_made_of_them():
    array = ak.arange(5)
    assert (array + 1)._frame is (array + 1)._frame
    frame = ak.DataFrame({"x": [3, 1, 2]}, index=[7, 8, 9])
    frame["y"] = frame.sort_values("x").x * 2
    assert frame.to_pandas()["y"].tolist() == [6, 2, 4]


def test_labels_are_known_to_be_equal_when_they_are_computed():
    frame = ak.DataFrame({"x": [3, 1, 2]})
    frame["sum"] = frame.sort_values("x").x.cumsum()
    assert frame.to_pandas()["sum"].tolist() == [6, 1, 3]
    assert frame["sum"].dtype == np.int64, "no label is lacking, so that integers stay such"
    labels = ak.array([7, 8, 9])[::-1]
    series = ak.Series([1, 2, 3], index=labels)
    assert (series + ak.Series([10, 20, 30], index=np.array([9, 8, 7]))).tolist() == [11, 22, 33]


def test_groups_refuse_what_they_do_not_reduce_as_they_are_made():
    frame = ak.DataFrame({"k": [1, 1], "c": pd.Categorical(["a", "b"])})
    with pytest.raises(ArgumentTypeError, match="median of groups does not take"):
        frame.groupby("k")["c"].median()
