from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, NonUniqueError

labels = st.lists(st.integers(0, 9), unique=True, max_size=8)


@given(labels, st.lists(st.integers(0, 12), max_size=10), st.none() | st.integers(-2, 2), st.integers(1, 3))
@settings(max_examples=20)
def test_rows_are_found_by_labels_as_in_pandas(own, wanted, fill_value, npartitions):
    plain = pd.DataFrame({"x": np.arange(len(own)), "f": np.arange(len(own)) / 2}, index=np.array(own, np.int64))
    lazy = ak.DataFrame(plain)
    lazy = lazy.repartition(npartitions) if own else lazy
    sought = np.array(wanted, np.int64)
    given_ = {} if fill_value is None else {"fill_value": fill_value}
    found = lazy.reindex(ak.array(sought), **given_).to_pandas()
    pd.testing.assert_frame_equal(found, plain.reindex(sought, **given_), check_dtype=False, check_index_type=False)
    series = ak.Series(ak.array(plain["f"].to_numpy()), index=ak.array(plain.index.to_numpy()))
    np.testing.assert_array_equal(series.reindex(sought, **given_).to_pandas(), plain["f"].reindex(sought, **given_))


def test_text_and_times_are_missing_where_there_is_no_label():
    times = pd.to_datetime(["2026-01-01", "2026-01-02"])
    lazy = ak.DataFrame({"s": ["p", "q"], "t": times}, index=ak.Index(ak.array(["a", "b"]), "k"))
    found = lazy.reindex(["b", "z"]).to_pandas()
    assert found["s"].isna().tolist() == found["t"].isna().tolist() == [False, True]
    assert found["s"].iloc[0] == "q"
    assert found.index.name == "k"
    assert ak.DataFrame({"x": ak.arange(0)}).reindex([1]).to_pandas()["x"].isna().tolist() == [True]


@pytest.mark.parametrize(
    ("own", "sought"),
    [
        ([1, 2, 3], ["a", "b"]), (["a", "b", "c"], [1, 2]), ([1, 2, 3], [2.0, 2.5]),
        ([1.0, np.nan, 3.0], [np.nan, 3.0]),
        ([1.0, 2.5, 3.0], [3, 2]), ([True, False], [False, True, False]),
        (["a", None, "c"], ["c", None, "z"]),
        (pd.to_datetime(["2024-01-02", "2024-01-01", "2024-03-01"]), pd.to_datetime(["2024-03-01", "2024-04-01"])),
        (pd.to_timedelta([1, 2, 3], unit="h"), pd.to_timedelta([3, 9], unit="h")),
    ],
    ids=repr,
)  # fmt: skip
def test_labels_of_all_kinds_are_looked_for_as_in_pandas(own, sought):
    plain = pd.DataFrame({"x": np.arange(len(own)), "s": list("uvw")[: len(own)]}, index=pd.Index(own))
    lazy = ak.DataFrame(plain)
    for ours, theirs in ((lazy, plain), (lazy.x, plain.x)):
        found, wanted = ours.reindex(sought).to_pandas(), theirs.reindex(pd.Index(sought))
        compare = pd.testing.assert_frame_equal if isinstance(wanted, pd.DataFrame) else pd.testing.assert_series_equal
        compare(found, wanted, check_dtype=False, check_index_type=False)


def test_labels_that_repeat_are_refused_as_in_pandas():
    plain = pd.DataFrame({"x": [1, 2, 3]}, index=["a", "b", "a"])
    for rows in (plain, plain.x):
        with pytest.raises(ValueError, match="duplicate"):
            rows.reindex(["b"])
    lazy = ak.DataFrame(plain)
    for rows in (lazy, lazy.x):
        with pytest.raises(NonUniqueError):
            rows.reindex(["b"]).to_pandas()
    # What is looked for may repeat.
    assert lazy[1:].reindex(["a", "b", "a"]).x.tolist() == plain[1:].reindex(["a", "b", "a"]).x.tolist()


def test_columns_are_chosen_and_added():
    lazy = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
    assert lazy.reindex(columns=["y", "z"]).to_pandas()["z"].isna().all()
    assert lazy.reindex(index=[1], columns=["z", "x"], fill_value=0).to_pandas().to_numpy().tolist() == [[0, 2]]


def test_frames_are_stacked_and_series_unstacked_as_in_pandas():
    plain = pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [4.0, 5.0, 6.0]}, index=pd.Index(["a", "b", "c"], name="k"))
    lazy = ak.DataFrame(plain)
    tall = lazy.stack()
    wanted = plain.stack()
    np.testing.assert_array_equal(tall.to_pandas(), wanted)
    assert tall.to_pandas().index.tolist() == wanted.index.tolist()
    assert tall.index.names == ["k", None]
    pd.testing.assert_frame_equal(tall.unstack().to_pandas(), plain, check_names=False, check_index_type=False)
    keys = ak.MultiIndex([ak.array([1, 1]), ak.array([2, 3]), ak.array(["p", "q"])], names=["m", "n", "o"])
    wide = ak.Series([7, 8], index=keys).unstack("o", fill_value=0)
    assert wide.to_pandas().to_numpy().tolist() == [[1, 2, 7, 0], [1, 3, 0, 8]]
    assert ak.DataFrame({"s": ["a"], "c": ak.Categorical(ak.array(["b"]))}).stack().tolist() == ["a", "b"]


def test_what_has_no_other_labels_or_shape_is_said():
    lazy = ak.DataFrame({"x": [1, 2], "s": ["a", "b"]})
    several = ak.Series([1, 2], index=ak.MultiIndex([ak.array([1, 1]), ak.array([2, 2])]))
    for call in (
        lambda: lazy.reindex([1], [1]),
        lambda: lazy.reindex(several.index),
        lambda: several.reindex([1]),
        several.unstack,
        lambda: several.unstack(5),
        ak.Series([1]).unstack,
        ak.DataFrame({}).stack,
    ):
        with pytest.raises(ArgumentError):
            call()
    for call in (lambda: lazy.reindex(5), lazy.stack):
        with pytest.raises(ArgumentTypeError):
            call()
