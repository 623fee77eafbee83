"""Plain values of any type beside columns of any type: lazily as in pandas, or not lazily."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

import akdask.pandas as pd
from akdask import config

TIMES = pandas.date_range("2024-01-01", periods=4).to_numpy()

COLUMNS: dict[str, Any] = {
    "int": [1, 2, 3, 2],
    "float": [1.0, 2.0, np.nan, 2.0],
    "bool": [True, False, True, True],
    "text": ["x", "y", None, "x"],
    "times": TIMES,
    "spans": TIMES - TIMES[0],
    "kinds": pandas.Categorical(["x", "y", None, "x"]),
}

VALUES: list[Any] = [
    2,
    2.0,
    2.5,
    True,
    None,
    np.nan,
    "x",
    pandas.Timestamp("2024-01-02"),
    pandas.Timedelta("1D"),
    pandas.NA,
]

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "replace": lambda s, v, _: s.replace(v, 9),
    "replace by": lambda s, v, _: s.replace(2, v),
    "replace of a mapping": lambda s, v, _: s.replace({2: v, "x": v}),
    "where": lambda s, v, c: s.where(c, v),
    "mask": lambda s, v, c: s.mask(c, v),
    "fillna": lambda s, v, _: s.fillna(v),
    "isin": lambda s, v, _: s.isin([v, 2]),
    "clip": lambda s, v, _: s.clip(lower=v),
    "lt": lambda s, v, _: s < v,
    "add": lambda s, v, _: s + v,
    "div": lambda s, v, _: s / v,
    "mod": lambda s, v, _: s % v,
    "pow": lambda s, v, _: s**v,
    "and": lambda s, v, _: s & v,
    "shift": lambda s, v, _: s.shift(1, fill_value=v),
    "map": lambda s, v, _: s.map({2: v, "x": v}),
}


@pytest.mark.parametrize("name", CALLS)
def test_plain_values_give_what_pandas_gives_or_nothing(name):
    call, condition = CALLS[name], pandas.Series([True, False, True, False])
    with config.set(pandas_fallback="error"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, values in COLUMNS.items():
            for value in VALUES:
                column = pandas.Series(values)
                try:
                    found = call(pd.Series(column.copy()), value, pd.Series(condition)).to_pandas()
                except Exception:  # pandas has the word where nothing is lazy.
                    continue
                wanted = call(column, value, condition)
                pandas.testing.assert_series_equal(found, wanted, obj=f"{kind} beside {value!r}")
