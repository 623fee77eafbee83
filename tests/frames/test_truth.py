"""Any and all of the values of a DataFrame, and counts by rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.testing.strategies import partition_lengths, partitioned


@st.composite
def frames(draw):
    """A DataFrame of bools and floats in any partitions, and the pandas one with the same rows."""
    lengths = draw(partition_lengths())
    size = sum(lengths)
    rows = draw(st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from([0.5, np.nan])),
                         min_size=size, max_size=size))  # fmt: skip
    plain = pd.DataFrame(rows, columns=["a", "b", "x"]).astype({"a": bool, "b": bool, "x": float})
    return ak.DataFrame({name: partitioned(plain[name].to_numpy(), lengths) for name in plain}), plain


@given(frames(), st.sampled_from(["any", "all"]))
def test_bools_are_reduced_along_every_axis_as_by_pandas(pair, name):
    frame, plain = pair
    of = getattr(frame, name)
    by_column = getattr(plain, name)(bool_only=True)
    assert of().to_dict() == of(axis="index").to_dict() == by_column.to_dict()
    assert of(axis=1).tolist() == of(axis="columns").tolist() == getattr(plain, name)(axis=1, bool_only=True).tolist()
    assert of(axis=None) is bool(getattr(by_column, name)())


@given(frames(), st.booleans())
def test_values_are_counted_along_both_axes_as_by_pandas(pair, numeric_only):
    frame, plain = pair
    assert frame.count(numeric_only=numeric_only).to_dict() == plain.count().to_dict()
    assert frame.count(axis=1, numeric_only=numeric_only).tolist() == plain.count(axis=1).tolist()


def test_rows_are_counted_by_the_columns_that_are_asked_for():
    frame = ak.DataFrame({"s": ["a", "b"], "x": [np.nan, 1.0]})
    assert frame.count(axis="columns").tolist() == [1, 2]
    assert frame.count(axis=1, numeric_only=True).tolist() == [0, 1]
    assert frame[["s"]].count(axis=1, numeric_only=True).tolist() == [0, 0]


def test_where_there_is_nothing_all_hold_and_none():
    for frame in (ak.DataFrame(), ak.DataFrame({"x": [1, 2]})):
        assert frame.any(axis=None) is False
        assert frame.all(axis=None) is True
        assert len(frame.any()) == len(frame.all()) == 0
    assert ak.DataFrame({"x": [1, 2]}).all(axis=1).tolist() == [True, True]
    assert ak.DataFrame({"x": [1, 2]}).any(axis=1).tolist() == [False, False]


@pytest.mark.parametrize("name", ["any", "all", "count"])
def test_other_axes_are_refused(name):
    with pytest.raises(ValueError, match="axis is 0 for rows or 1 for columns"):
        getattr(ak.DataFrame({"a": [True]}), name)(axis=2)


def test_results_of_rows_have_their_labels():
    frame = ak.DataFrame({"a": [True, False], "x": [np.nan, 1.0]}, index=ak.array(["p", "q"]))
    plain = pd.DataFrame({"a": [True, False], "x": [np.nan, 1.0]}, index=["p", "q"])
    assert frame.any(axis=1).to_dict() == plain[["a"]].any(axis=1).to_dict()
    assert frame.all(axis=1).to_dict() == plain[["a"]].all(axis=1).to_dict()
    assert frame.count(axis=1).to_dict() == plain.count(axis=1).to_dict()
    spread = frame.groupby("a").broadcast(ak.array([5, 6]))
    assert spread.to_dict() == {"p": 6, "q": 5}


def test_values_are_compared_with_those_of_a_series_by_label():
    frame = ak.DataFrame({"x": [1, 2, 3], "s": ["a", "b", "c"]})
    plain = pd.DataFrame({"x": [1, 2, 3], "s": ["a", "b", "c"]})
    for values, labels in (([3, 2, 1], [2, 1, 0]), ([2, 9], [0, 2]), (["a", "c"], [0, 1])):
        expected = plain.isin(pd.Series(values, labels))
        assert frame.isin(ak.Series(values, index=ak.array(labels))).to_pandas().equals(expected)
