from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

REDUCTIONS = ("sum", "prod", "mean", "var", "std", "min", "max", "median", "count", "size", "first", "nunique", "last")
FOR_ROWS = ("cumsum", "cumprod", "cummin", "cummax", "shift", "diff", "ffill", "bfill", "rank")
rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1.0, 2.5, -3.0, float("nan")])), min_size=1, max_size=15)


def both(drawn):
    keys = np.array([key for key, _ in drawn])
    values = pd.Series([value for _, value in drawn], index=[f"r{i}" for i in range(len(drawn))], name="v", dtype=float)
    lazy = ak.concatenate([ak.array(part) for part in np.array_split(values.to_numpy(), 3)])
    return ak.Series(lazy, "v", ak.array(values.index.to_numpy(object))).groupby(ak.array(keys)), values.groupby(keys)


@given(rows, st.sampled_from(REDUCTIONS))
@settings(max_examples=25)
def test_values_are_reduced_as_in_pandas(drawn, name):
    lazy, plain = both(drawn)
    # The first value of a group may be missing, as in Arkouda; pandas takes the first that is not.
    wanted = plain.agg(lambda group: group.iloc[0]) if name == "first" else getattr(plain, name)()
    found = getattr(lazy, name)().to_pandas()
    pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_index_type=False)


@given(rows, st.sampled_from(FOR_ROWS))
@settings(max_examples=25)
def test_rows_of_groups_are_found_as_in_pandas(drawn, name):
    lazy, plain = both(drawn)
    found, wanted = getattr(lazy, name)().to_pandas(), getattr(plain, name)()
    pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_index_type=False)
    pd.testing.assert_series_equal(lazy.transform("max").to_pandas(), plain.transform("max"), check_index_type=False)


def test_values_are_grouped_by_their_labels():
    plain = pd.Series([1, 2, 4], index=pd.Index(["a", "b", "a"], name="k"))
    lazy = ak.Series(ak.array([1, 2, 4]), index=ak.Index(ak.array(["a", "b", "a"]), "k"))
    for level in (0, "k"):
        found = lazy.groupby(level=level).sum()
        assert found.index.name == "k"
        assert found.to_pandas().to_dict() == plain.groupby(level=level).sum().to_dict()
    levels = ak.Series(
        [1, 2, 4], index=ak.MultiIndex([ak.array([0, 0, 1]), ak.array(["x", "y", "x"])], names=["n", "s"])
    )
    assert levels.groupby(level="s").max().to_pandas().to_dict() == {"x": 4, "y": 2}
    several = levels.groupby(level=["n", "s"]).sum()
    assert several.index.names == ["n", "s"]
    assert several.to_pandas().to_dict() == {(0, "x"): 1, (0, "y"): 2, (1, "x"): 4}
    assert levels.groupby(level="s").agg(["min", "max"]).to_pandas().loc["x"].tolist() == [1, 4]
    assert sorted(levels.groupby(level=["n", "s"]).agg(["sum"]).columns) == ["n", "s", "sum"]


def test_some_rows_of_groups_keep_their_labels():
    series = ak.Series([1, 2, 4, 8], index=["a", "b", "c", "d"])
    groups = series.groupby(ak.array([0, 1, 0, 1]))
    assert groups.head(1).to_pandas().to_dict() == {"a": 1, "b": 2}
    assert groups.tail(1).to_pandas().to_dict() == {"c": 4, "d": 8}
    assert groups.nth(-1).to_pandas().to_dict() == {"c": 4, "d": 8}
    assert groups.cumcount().tolist() == [0, 0, 1, 1]
    assert groups.ngroup().to_pandas().to_dict() == {"a": 0, "b": 1, "c": 0, "d": 1}
    assert groups.ngroups == 2
    assert groups.transform(lambda rows: rows - rows.sum()).tolist() == [-4, -8, -1, -2]
    assert groups.apply(max).tolist() == [4, 8]
    assert groups.quantile(1).tolist() == [4, 8]
    assert groups.any().tolist() == groups.all().tolist() == [True, True]
    assert groups.unique().values.tolist() == [[1, 4], [2, 8]]
    assert ak.Series(["x", "y", "x"]).groupby(ak.array([0, 0, 1])).first().tolist() == ["x", "x"]


def test_what_a_series_is_not_grouped_by_is_said():
    series = ak.Series([1, 2])
    for given_ in ({}, {"by": ak.arange(2), "level": 0}, {"level": 3}):
        with pytest.raises(ArgumentError):
            series.groupby(**given_)
    with pytest.raises(ArgumentTypeError):
        series.groupby("name")
    with pytest.raises(ArgumentError):
        series.groupby(level=0).agg([])
    with pytest.raises(ArgumentError):
        series.groupby(level=0).agg("no reduction")


@pytest.mark.parametrize("name", ["nlargest", "nsmallest"])
def test_five_of_a_group_are_chosen_unless_told_otherwise(name):
    lazy, plain = both([(number % 2, float(number * 7 % 17)) for number in range(14)])
    for options in ({}, {"n": 2}):
        assert getattr(lazy, name)(**options).tolist() == getattr(plain, name)(**options).tolist()


def test_counts_of_values_are_labelled_by_keys_and_values():
    counts = ak.Series([5, 6, 6], "v").groupby(ak.Series([0, 0, 1], "k")).value_counts()
    assert (counts.name, counts.index.names) == ("count", ["k", "v"])
    assert counts.to_pandas().to_dict() == {(0, 5): 1, (0, 6): 1, (1, 6): 1}
