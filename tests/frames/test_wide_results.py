"""Results of integers with missing rows that floats would round, beside those of pandas' nullable types."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import akdask as ak

WIDE = 2**53 + 1
ROWS = {
    "Int64": [WIDE, None, -WIDE, 2**61 + 1, WIDE, None, 2**61 + 5, 0, -(2**61) - 3, 7, None, 1],
    "UInt64": [WIDE, None, 7, 2**63 + 1, WIDE, None, 2**63 + 7, 0, 2**62 + 3, 9, None, 1],
}
MISSING = {"some": slice(None), "one": slice(0, 2), "all": slice(1, 2), "none": slice(2, 5), "no rows": slice(0, 0)}


class Labelled(ak.DataFrame):
    """Columns by name are Series, as in pandas."""

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)


def frame(dtype, missing):
    whole = pd.DataFrame({"x": pd.Series(ROWS[dtype], dtype=dtype), "g": [0, 1, 0, 0, 1, 2, 2, 0, 1, 2, 3, 3]})
    found = whole.iloc[MISSING[missing]].reset_index(drop=True)
    return found.assign(y=found["x"].array[::-1])


def plain(item):
    """Return the values of a result, None for what is missing, integers as they are."""
    if type(item).__name__ == "Scalar":
        item = item.value()
    if isinstance(item, ak.DataFrame | ak.Series):
        item = item.to_pandas()
    match item:
        case pd.DataFrame():
            return [plain(item.iloc[:, at]) for at in range(item.shape[1])]
        case pd.Series() | np.ndarray() | list():
            return [plain(one) for one in (item if isinstance(item, list) else item.tolist())]
        case float() | np.floating():
            return None if math.isnan(item) else float(item)
        case np.bool_() | bool():
            return bool(item)
        case np.integer() | int():
            return int(item)
    return None if item is pd.NA or item is None else item


def assert_equal(found, expected):
    """Compare integers exactly, and floats but for the order of their sums."""
    assert type(found) is type(expected), (found, expected)
    if isinstance(expected, list):
        assert len(found) == len(expected), (found, expected)
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12), (found, expected)
    else:
        assert found == expected


def skipping(name, **params):
    return lambda d: getattr(d["x"], name)(skipna=True, **params)


def propagating(name, **params):
    return lambda d: getattr(d["x"], name)(skipna=False, **params)


RESULTS = {
    "divide": lambda d: d["x"] / 3,
    "of two": lambda d: d["x"] / d["y"].abs().clip(5),
    "half": lambda d: d["x"] * 0.5,
    "power": lambda d: d["x"] ** 3,
    "powers": lambda d: (d["x"] % 3) ** (d["y"] % 4),
    "power of floats": lambda d: (d["x"] % 3) ** 0.5,
    "clip": lambda d: d["x"].clip(3, 2**60 + 1),
    "round": lambda d: d["x"].round(0),
    "pct_change": lambda d: d["x"].pct_change(fill_method=None) if isinstance(d, pd.DataFrame) else d["x"].pct_change(),
    "rolling sum": lambda d: d["x"].abs().rolling(3, min_periods=1).sum(),
    "rolling mean": lambda d: d["x"].rolling(2).mean(),
    "rolling max": lambda d: d["x"].rolling(3, min_periods=1).max(),
    "rolling median": lambda d: d["x"].rolling(2, min_periods=1).median(),
    "expanding sum": lambda d: d["x"].expanding().sum(),
    "expanding min": lambda d: d["x"].expanding(2).min(),
    "expanding std": lambda d: d["x"].expanding().std(),
    "ewm": lambda d: d["x"].ewm(alpha=0.5).mean(),
    "mean": skipping("mean"),
    "mean of all": propagating("mean"),
    "sum": skipping("sum"),
    "sum of all": propagating("sum"),
    "prod": skipping("prod"),
    "prod of all": propagating("prod"),
    "min of all": propagating("min"),
    "max of all": propagating("max"),
    "std": skipping("std", ddof=1),
    "std of all": propagating("std", ddof=0),
    "median": skipping("median"),
    "median of all": propagating("median"),
    "quantile": lambda d: d["x"].quantile([0.3, 0.6]).astype(float),
    "mode": lambda d: d["x"].mode(dropna=False),
    "sums of rows": lambda d: d[["x", "y"]].sum(axis=1, skipna=True),
    "sums of all of rows": lambda d: d[["x", "y"]].sum(axis=1, skipna=False),
    "products of rows": lambda d: d[["x", "y"]].prod(axis=1, skipna=True),
    "smallest of rows": lambda d: d[["x", "y"]].min(axis=1, skipna=True),
    "largest of all of rows": lambda d: d[["x", "y"]].max(axis=1, skipna=False),
    "means of rows": lambda d: d[["x", "y"]].mean(axis=1, skipna=True),
    "sums": lambda d: d[["x", "y"]].sum(skipna=True).to_numpy(),
    "describe": lambda d: d["x"].describe(),
    "rank": lambda d: d["x"].rank(),
    "groups: mean": lambda d: d.groupby("g")["x"].mean(),
    "groups: std": lambda d: d.groupby("g")["x"].std(),
    "groups: median": lambda d: d.groupby("g")["x"].median(),
    "groups: any": lambda d: d.groupby("g")["x"].any(),
    "groups: all": lambda d: d.groupby("g")["x"].all(),
    "groups: cumsum": lambda d: d.groupby("g")["x"].cumsum(),
    "groups: cumprod": lambda d: d.groupby("g")["x"].cumprod(),
    "groups: cummax": lambda d: d.groupby("g")["x"].cummax(),
    "groups: cummin": lambda d: d.groupby("g")["x"].cummin(),
    "groups: rank": lambda d: d.groupby("g")["x"].rank(),
    "groups: idxmax": lambda d: d.dropna(subset=["x"]).groupby("g")["x"].idxmax(),
}
SIGNED = {
    "diff": lambda d: d["x"].diff(),
    "diff of two": lambda d: d[["x", "y"]].diff(2),
    "diff up": lambda d: d["x"].diff(-1),
    "groups: diff": lambda d: d.groupby("g")["x"].diff(),
}
NEED_ROWS = ("min of all", "max of all", "describe", "groups: idxmax", "mode", "products of rows", "sums of rows")


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("name", [*RESULTS, *SIGNED])
@pytest.mark.parametrize("dtype", ROWS)
def test_results_of_wide_integers_are_those_of_pandas(name, dtype, missing):
    if name in SIGNED and (dtype == "UInt64" or missing in ("none", "no rows")):
        pytest.skip("differences of natural numbers, and of integers none of which is missing, are floats")
    if missing in ("no rows", "all") and name in NEED_ROWS:
        pytest.skip("there is no result, or none of a type of its own")
    table = frame(dtype, missing)
    operation = RESULTS.get(name) or SIGNED[name]
    expected = plain(operation(table))
    assert_equal(plain(operation(Labelled(table))), expected)
    with ak.config.set(block_size=64, small_array=4):
        assert_equal(plain(operation(Labelled(table))), expected)


def test_sums_of_windows_cancel_without_rounding():
    given = pd.Series([2**60 + 1, None, -(2**60), 5], dtype="Int64")
    assert ak.Series(given).rolling(3, min_periods=1).sum().tolist()[2] == 1
    assert ak.Series(given).expanding().mean().tolist()[2] == 0.5
    groups = ak.DataFrame({"g": [0, 0, 0, 1], "x": given}).groupby("g")
    assert groups.rolling(3, min_periods=1)["x"].sum().to_pandas()["x"].tolist()[2] == 1
    assert groups.expanding()["x"].sum().to_pandas()["x"].tolist()[2] == 1


def test_scalars_of_what_may_be_missing_are_integers_or_missing():
    lacking = ak.Series(pd.array([WIDE, None, 5], "Int64"))
    for array, expected in ((lacking[:1].values, WIDE), (lacking.values, math.nan)):
        total = array.sum()
        assert not isinstance(total, np.floating)
        np.testing.assert_equal((total.value(), total + 1), (expected, expected + 1))
    assert (lacking.values - lacking.values.max()).isna().all()
    few = ak.Series(pd.array([3, 5, None], "Int64"))[:2].values
    assert (few - few.sum()).tolist() == [-5, -3]
    assert ak.where(few > 3, few.sum(), few).tolist() == [3, 8]


def test_truth_of_missing_integers_is_that_of_floats():
    zeros = ak.Series(pd.array([0, None, WIDE - WIDE], "Int64")).values
    assert (bool(zeros.any()), bool(zeros.all()), int(ak.count_nonzero(zeros))) == (True, False, 1)


def test_groups_find_the_rows_of_extremes():
    random = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "g": random.integers(0, 9, 200),
            "x": pd.Series(2**62 + random.integers(-5, 5, 200), dtype="Int64").mask(random.random(200) < 0.3),
        }
    )
    ours = ak.DataFrame(table).groupby("g")
    for name in ("idxmin", "idxmax"):
        assert getattr(ours["x"], name)().to_pandas().tolist() == getattr(table.groupby("g")["x"], name)().tolist()


@pytest.mark.parametrize("name", ["isinf", "signbit", "sign", "floor", "square"])
def test_functions_of_integers_with_missing_rows(name):
    ours = ak.Series(pd.array([-WIDE, None, 7], "Int64")).values
    given = np.array([-WIDE, 0, 7])
    with np.errstate(all="ignore"):
        expected = plain(getattr(np, name)(given))
    found = plain(ak.Series(getattr(np, name)(ours)))
    assert found == [expected[0], False if name in ("isinf", "signbit") else None, expected[2]]


def test_exclusive_or_of_missing_bools_is_missing():
    table = pd.DataFrame({"a": pd.array([True, None, False], "boolean"), "b": pd.array([True, True, None], "boolean")})
    assert plain(ak.DataFrame(table).a ^ ak.DataFrame(table).b) == plain(table.a ^ table.b)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("count", [1, 3, 4, 6, 9])
@pytest.mark.parametrize(
    "rows",
    [
        pd.array([5, None, 0, 0, None, 2**64 - 1, 0, 2**64 - 1], "UInt64"),
        pd.array([None, -(2**63), 2**63 - 1, None, -(2**63), 2**63 - 1, 4, None], "Int64"),
        pd.array([None] * 8, "Int64"),
    ],
    ids=["natural", "signed", "missing"],
)
def test_the_largest_come_before_missing_ones_at_the_limits(rows, count, keep, largest):
    name = "nlargest" if largest else "nsmallest"
    series = pd.Series(rows)
    order = series.sort_values(ascending=not largest, kind="stable")
    if keep == "last":
        order = series[::-1].sort_values(ascending=not largest, kind="stable")
    expected = order.head(count)
    found = getattr(ak.Series(series), name)(count, keep=keep).to_pandas()
    assert (plain(found), found.index.tolist()) == (plain(expected), expected.index.tolist())
