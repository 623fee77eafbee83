"""Series without a name, and columns that numbers name, computed lazily."""

import numpy as np
import pandas
import pytest

import akdask as ak
import akdask.pandas as pd
from akdask.pandas import labels as labelling
from akdask.pandas import tuning
from akdask.pandas.labels import chosen_by_name
from akdask.pandas.testing import assert_frame_equal, assert_series_equal

VALUES = np.array([[1.5, -2.0, np.nan], [0.0, 4.0, -9.0]])

LABELS = {
    "numbers": None,
    "text": ["a", "b"],
    "two levels": [["a", "b"], [1, 2]],
    "named": pandas.Index([5, 7], name="row"),
}


def assert_same(found, expected):
    is_series = isinstance(expected, pandas.Series)
    assert isinstance(found, pd.Series if is_series else pd.DataFrame)
    (assert_series_equal if is_series else assert_frame_equal)(found, expected)


@pytest.fixture(autouse=True)
def lazily(monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    with ak.config.set(pandas_fallback="error"):
        yield


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("options", [{}, {"drop": True}, {"name": "x"}, {"name": 3}, {"level": 0}], ids=str)
@pytest.mark.parametrize("name", [None, "v"])
def test_labels_of_a_series_become_columns(labels, options, name):
    expected = pandas.Series([1.5, 2.5], index=labels, name=name)
    found = pd.Series(expected).reset_index(**options)
    assert_same(found, expected.reset_index(**options))


def test_levels_become_columns_but_for_those_left():
    expected = pandas.Series([1, 2], index=pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["k", None]))
    for options in ({"level": "k"}, {"level": 1, "drop": True}, {"level": ["k"], "drop": True}, {}):
        assert_same(pd.Series(expected).reset_index(**options), expected.reset_index(**options))


def test_a_column_with_the_name_of_a_level_is_pandas_error():
    rows = pandas.Series([1, 2], index=pandas.Index([1, 2], name="v"), name="v")
    with pytest.raises(ValueError, match="cannot insert v, already exists"):
        pd.Series(rows).reset_index()


@pytest.mark.parametrize("columns", [None, ["a", "b", "c"], [("x", 1), ("x", 2), ("y", 1)], [0, "1", 2.5]], ids=str)
@pytest.mark.parametrize(
    "function",
    [np.sign, np.exp, lambda x: np.power(2, x), lambda x: np.maximum(x, 0)],
    ids=["sign", "exp", "power", "maximum"],
)
def test_functions_of_numpy_keep_labels_of_columns(columns, function):
    index = None if columns is None else pandas.Index(columns)
    expected = pandas.DataFrame(VALUES, columns=index)
    found = function(pd.DataFrame(expected))
    assert not found.is_at_hand()
    assert_same(found, function(expected))


def test_values_of_a_function_are_assigned_under_the_labels():
    expected = pandas.DataFrame(VALUES)
    found = pd.DataFrame(expected)
    with ak.config.set(pandas_fallback="silent"):
        found[found.abs() > 1] = np.sign(found) * 3
    expected[expected.abs() > 1] = np.sign(expected) * 3
    assert_same(found, expected)


OWN_LABELS = {
    "numbers": None,
    "text": pandas.Index(["p", "q", "r"], name="row"),
    "days": pandas.date_range("2024-01-01", periods=3),
}
KEYS = ["b", "day", ["c", "b"], ["day"], ["b", "b"], [], "absent", ["b", "absent"], np.str_("b"), ("b",)]


@pytest.mark.parametrize("labels", OWN_LABELS.values(), ids=OWN_LABELS)
@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_columns_are_chosen_by_their_names_as_by_arranging_a_probe(labels, key):
    rows = pandas.DataFrame({"b": [1, 2, 3], "c": ["x", None, "z"]}, index=labels)
    rows["day"] = pandas.date_range("2020-03-01", periods=3)
    rows = rows.astype({"b": "int32"})
    frame = pd.DataFrame(rows)
    own = frame.lazy()
    found = chosen_by_name(own, key)
    is_named = type(key) is str or (type(key) is list and 0 < len(key) == len({*key}))
    assert (found is not None) == (is_named and {*([key] if type(key) is str else key)} <= {*rows.columns})
    if found is not None:
        arranged = labelling.arranged(own, labelling.probe(own)[key])
        assert type(found) is type(arranged)
        assert getattr(found, "name", None) == getattr(arranged, "name", None)
        pandas_assert = pandas.testing.assert_series_equal if type(key) is str else pandas.testing.assert_frame_equal
        pandas_assert(labelling.computed(found), labelling.computed(arranged))
        assert_same(frame[key], rows[key])


def test_columns_under_levels_are_chosen_by_the_names_of_pandas():
    levels = pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["k", None])
    expected = pandas.DataFrame({"x": [1, 2], "y": [3.5, 4.5]}, index=levels)
    found = pd.DataFrame(expected)
    assert_same(found["x"], expected["x"])
    assert_same(found[["y"]], expected[["y"]])
    renamed = expected.set_axis(["y", 3], axis=1)
    assert_same(pd.DataFrame(renamed)["y"], renamed["y"])


@pytest.mark.parametrize("name", ["index", "Index", "self"])
@pytest.mark.parametrize("dtype", ["int64", "Int64", "category"])
def test_columns_of_any_name_stay_columns(name, dtype):
    expected = pandas.DataFrame({name: pandas.Series([3, 1, 2], [5, 6, 7]).astype(dtype), "v": [1.5, 2.5, 3.5]})
    found = pd.DataFrame(expected)
    assert list(found.lazy().columns) == [name, "v"]
    assert_same(found[found["v"] > 2], expected[expected["v"] > 2])
    assert_same(found.sort_values(name), expected.sort_values(name))
    assert_same(found[name].iloc[1:], expected[name].iloc[1:])


def test_plans_name_columns_in_memory_as_users_do():
    rows = pd.DataFrame({"port": [1, 2], "bytes": [3, 4]})
    assert "Choose values=bytes\n" in rows["bytes"].explain()
    assert "Choose values=x\n" in pd.Series([1, 2], name="x").explain()
    assert "sum(x)" in pd.Series([1, 2], name="x").lazy().sum().explain()


def test_a_lazy_column_called_index_stays_a_column():
    found = pd.DataFrame({"index": ak.arange(3), "v": ak.arange(3) * 2})
    assert_same(found, pandas.DataFrame({"index": [0, 1, 2], "v": [0, 2, 4]}))
    labelled = pandas.DataFrame({"index": [3, 4]}, index=[7, 8])
    assert ak.DataFrame(labelled)["index"].tolist() == [3, 4]
