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
from tests.pandas_face.compare import difference

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


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_columns_take_values_of_columns_of_any_type_where_a_mask_holds():
    rows = pandas.DataFrame(COLUMNS | {"large": [2**53 + 1, 2, 2**53 + 3, 4], "mask": [True, False, True, True]})
    held = pd.DataFrame(rows)

    def found(frame: Any, name: str, other: str) -> Any:
        frame = frame.copy()
        frame.loc[frame["mask"], name] = frame[other]
        return frame

    for name in rows.columns:
        for other in rows.columns:
            lazily = pd.DataFrame._of(held.lazy(), None)
            try:
                wanted = found(rows, name, other)
            except (TypeError, ValueError) as error:
                with pytest.raises(ValueError if isinstance(error, ValueError) else TypeError):
                    found(lazily, name, other)
            else:
                assert difference(found(lazily, name, other), wanted) is None, (name, other)


def test_integers_that_may_be_missing_are_compared_as_the_floats_that_pandas_has():
    rows = pandas.DataFrame({"i": [2**53, 2**53 + 1, 2**53 + 2, 5], "u": [2**53 + 1, 2**53, 5, 7], "f": [2.0**53] * 4})
    lazily = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)

    def found(frame: Any, operation: str) -> list[Any]:
        one, other = (frame[name].where(frame[name] > 5) for name in ("i", "u"))
        pairs = [(one, other), (other, one), (one, frame["i"]), (one, frame["u"]), (frame["u"], one), (one, frame["f"])]
        pairs += [(one, 2**53), (one, 2**53 + 1), (one, 7)]
        return [getattr(left, operation)(right) for left, right in pairs]

    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        assert [difference(*pair) for pair in zip(found(lazily, name), found(rows, name), strict=True)] == [None] * 9
