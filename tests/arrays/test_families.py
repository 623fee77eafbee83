"""Reductions that classes take from one table: their kernels, their docstrings and their parameters."""

import inspect

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.families import COLUMN_REDUCTIONS, REDUCTIONS
from akdask.operators.reduce.reductions import REDUCTIONS as KERNELS_BY_NAME

KERNELS = set(KERNELS_BY_NAME) | {"last"}
"""Last values of bins are first values of rows the other way round."""


def test_every_name_has_a_kernel():
    assert {entry.kernel for entry in REDUCTIONS.values()} <= KERNELS


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (ak.pdarray.var, ["self", "ddof", "axis", "keepdims"]),
        (ak.DataFrame.sum, ["self", "axis", "skipna", "numeric_only"]),
        (ak.Series.max, ["self", "skipna", "numpy"]),
        (ak.GroupBy.argmin, ["self", "values"]),
    ],
)
def test_methods_show_their_parameters(method, parameters):
    assert list(inspect.signature(method).parameters) == parameters


def test_docstrings_say_what_the_table_says():
    for cls in (ak.pdarray, ak.SegArray, ak.GroupBy, ak.DataFrame, ak.Series):
        for name in ("sum", "min", "any"):
            text = inspect.getdoc(getattr(cls, name))
            assert REDUCTIONS[name].what in text.partition("\n")[0], (cls, name)
            assert "{" not in text.partition("\n")[0], (cls, name)


def test_products_of_rows_are_those_of_pandas():
    columns = {"x": [1.5, np.nan, 2.0], "y": [2, 3, 4]}
    wanted = pd.DataFrame(columns)
    frame = ak.DataFrame(columns)
    for skipna in (False, True):
        for axis in (0, 1):
            found = frame.prod(axis, skipna=skipna).to_pandas()
            pd.testing.assert_series_equal(found, wanted.prod(axis=axis, skipna=skipna), check_names=False)


def test_columns_are_reduced_by_the_names_of_the_table_as_by_pandas():
    columns = {"x": [1.5, np.nan, 2.0], "y": [2, 3, 4]}
    wanted = pd.DataFrame(columns)
    for name in COLUMN_REDUCTIONS:
        assert ak.DataFrame(columns).agg(name).to_pandas().tolist() == wanted.agg(name).tolist(), name
        series = ak.Series(columns["y"])
        assert series.agg(name) == getattr(series, name)(), name
    extremes, moments, others = {"min", "max", "median"}, {"mean", "var", "std"}, {"any", "all", "count", "nunique"}
    assert set(COLUMN_REDUCTIONS) == {"sum", "prod"} | extremes | moments | others
    assert ak.Series([5, 6]).agg("size") == 2


def test_docstrings_of_groups_of_columns_name_their_parameters():
    for name in ("sum", "mean", "std", "count", "any"):
        method = getattr(ak.DataFrame({"k": [1]}).groupby("k"), name)
        text = inspect.getdoc(method)
        assert all(f"\n{parameter} : " in text for parameter in inspect.signature(method).parameters), name
        assert ("all columns unless given" in text) == (name == "count")


def test_windows_of_a_series_in_groups_are_reduced_by_the_same_methods():
    groups = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]}).groupby("k")["x"]
    for windows in (groups.rolling(2), groups.expanding(), groups.ewm(alpha=0.5)):
        assert {"sum", "mean", "var", "std", "agg"} <= set(dir(windows))
        assert isinstance(windows.mean(), ak.Series)
        assert np.array_equal(windows.agg("mean").to_numpy(), windows.mean().to_numpy(), equal_nan=True)
    assert groups.rolling(2).median().tolist()[2] == 2.0
    assert groups.ewm(alpha=0.5).std(bias=True).tolist()[:2] == [0.0, 0.0]
