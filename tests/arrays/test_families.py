"""Reductions that classes take from one table: their kernels, their docstrings and their parameters."""

import inspect

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.families import REDUCTIONS
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
