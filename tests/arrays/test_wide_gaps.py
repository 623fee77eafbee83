"""Integers of 64 bits of which some are missing, as keys and in casts: pandas' nullable integers are the reference.

Here too: casts, labels, fields of times and extremes of columns of which some are missing.
"""

import math

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ConversionError

WIDE = 2**60 + 1
ROWS = {
    "Int64": [WIDE, None, WIDE + 1, -(2**63), WIDE, None, 2**63 - 1, 0],
    "UInt64": [2**64 - 1, None, 2**63 + 1, 0, 2**64 - 1, None, 2**63 + 2, 0],
}


def frame(dtype):
    return pd.DataFrame({"k": pd.Series(ROWS[dtype], dtype=dtype), "x": range(8), "g": [0, 0, 0, 0, 1, 1, 1, 1]})


def plain(item):
    """Return the values of a result, with its labels, None for what is missing."""
    if item is None or item is pd.NA:
        return None
    match item:
        case ak.DataFrame() | ak.Series():
            return plain(item.to_pandas(nullable=True))
        case pd.DataFrame():
            return {name: plain(item[name])[0] for name in item}, plain(item.index.to_series())[0]
        case pd.Series():
            return [plain(one) for one in item.tolist()], [plain(one) for one in item.index.tolist()]
        case tuple():
            return tuple(map(plain, item))
        case float():
            return None if math.isnan(item) else item
    return item.value() if type(item).__name__ == "Scalar" else item


def library(item):
    return ak if isinstance(item, ak.DataFrame | ak.Series) else pd


OPERATIONS = {
    "sort_values": lambda d: d.sort_values("k", **stable(d)),
    "sort_values downwards": lambda d: d.sort_values("k", ascending=False, **stable(d)),
    "sort_values of two": lambda d: d.sort_values(["g", "k"], ascending=[False, False]),
    "sort_values, missing first": lambda d: d.sort_values("k", na_position="first", **stable(d)),
    "Series.sort_values": lambda d: d["k"].sort_values(ascending=False, **stable(d)),
    "sort_index": lambda d: d.set_index("k").sort_index(**stable(d)),
    "nlargest": lambda d: d.nlargest(3, "k"),
    "nsmallest": lambda d: d["k"].nsmallest(4),
    "rank": lambda d: d["k"].rank(),
    "duplicated": lambda d: d["k"].duplicated(),
    "duplicated of rows": lambda d: d.duplicated(["g", "k"], keep="last"),
    "drop_duplicates": lambda d: d.drop_duplicates("k"),
    "nunique": lambda d: d["k"].nunique(),
    "nunique with missing": lambda d: d["k"].nunique(dropna=False),
    "nunique of columns": lambda d: d.nunique().to_dict(),
    "mode": lambda d: d["k"].mode(),
    "value_counts": lambda d: d["k"].value_counts().sort_index(),
    "value_counts with missing": lambda d: d["k"].value_counts(dropna=False).sort_index(),
    "is_unique": lambda d: d["k"].is_unique,
    "is_monotonic_increasing": lambda d: d["k"].dropna().sort_values().is_monotonic_increasing,
    "is_monotonic_increasing, missing": lambda d: d["k"].sort_values().is_monotonic_increasing,
    "groupby": lambda d: d.groupby("k")["x"].sum(),
    "groupby with missing": lambda d: d.groupby("k", dropna=False)["x"].max(),
    "groupby of two": lambda d: d.groupby(["g", "k"], dropna=False)["x"].sum().reset_index(),
    "groupby of two that are there": lambda d: d.groupby(["g", "k"])["x"].sum().reset_index(),
    "groupby of two, one narrow": lambda d: d.assign(b=d["k"] > 0).groupby(["b", "k"])["x"].max().reset_index(),
    "size of groups": lambda d: d.groupby("k").size(),
    "nunique by groups": lambda d: d.groupby("k")["x"].nunique(),
    "median by groups": lambda d: d.groupby(["k", "g"])["x"].median().reset_index(),
    "first by groups": lambda d: d.groupby("k")["x"].first(),
    "transform": lambda d: d.groupby("k")["x"].transform("sum"),
    "transform of two": lambda d: d.groupby(["g", "k"])["x"].transform("max"),
    "transform with missing": lambda d: d.groupby("k", dropna=False)["x"].transform("sum"),
    "ngroup": lambda d: d.groupby("k")["x"].ngroup(),
    "head of groups": lambda d: d.groupby("k")["x"].head(1),
    "cumcount": lambda d: d.groupby("k", dropna=False)["x"].cumcount(),
    "groups: nunique": lambda d: d.groupby("g")["k"].nunique(),
    "groups: min": lambda d: d.groupby("g")["k"].min(),
    "groups: max": lambda d: d.groupby("x")["k"].max(),
    "groups: count": lambda d: d.groupby("x")["k"].count(),
    "groups: sum": lambda d: d.groupby("x")["k"].sum(),
    "groups: prod": lambda d: d.groupby("x")["k"].prod().astype("float64"),
    "groups: shift": lambda d: d.groupby("g")["k"].shift(1),
    "merge": lambda d: (
        d.merge(d[["k", "g"]], on="k", suffixes=("", "_y")) if library(d) is pd else of_merge(d, "inner")
    ),
    "merge left": lambda d: (
        d.merge(d[["k", "g"]].head(3), on="k", how="left", suffixes=("", "_y"))
        if library(d) is pd
        else of_merge(d, "left")
    ),
    "isin": lambda d: d["k"].isin([WIDE, 2**63 - 1]),
    "isin of missing": lambda d: d["k"].isin([WIDE, pd.NA]),
    "map": lambda d: d["k"].map({WIDE: 5.0, 0: 2.0}),
    "loc": lambda d: d.set_index("k").loc[[0]],
    "shift": lambda d: d["k"].shift(1),
    "shift(fill_value=…)": lambda d: d["k"].shift(-2, fill_value=WIDE),
    "concat": lambda d: library(d).concat([d["k"], d["k"]]),
    "melt": lambda d: d[["k", "g"]].melt("g")[["g", "value"]],
    "astype(str)": lambda d: d["k"].astype(str),
}


def stable(item):
    return {"kind": "stable"} if isinstance(item, pd.DataFrame) else {}


def of_merge(d, how):
    other = d[["k", "g"]] if how == "inner" else d[["k", "g"]].head(3)
    return d.merge(other, on="k", how=how, left_suffix="", right_suffix="_y", sort=False)


class Labelled(ak.DataFrame):
    """Columns by name are Series, as in pandas."""

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("dtype", ROWS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_wide_integers_with_gaps_are_keys_as_they_are(operation, dtype):
    rows = frame(dtype)
    assert plain(OPERATIONS[operation](Labelled(rows))) == plain(OPERATIONS[operation](rows))


@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("dtype", [*ROWS, "boolean"])
def test_values_of_groups_come_to_the_rows_of_groups_alone(dtype, dropna):
    keys = pd.Series([False, None, True, True, None], dtype=dtype) if dtype == "boolean" else frame(dtype)["k"]
    groups = ak.GroupBy(ak.array(keys), dropna=dropna)
    found, sums = groups.sum(ak.arange(len(keys)) + 1)
    wanted = pd.Series(range(1, len(keys) + 1)).groupby(keys, dropna=dropna)
    assert sums.tolist() == wanted.sum().tolist()
    assert [plain(key) for key in found.tolist()] == [plain(key) for key in wanted.sum().index]
    # Integers are 0 in rows of no group, as in Arkouda.
    assert groups.broadcast(sums).tolist() == wanted.transform("sum").fillna(0).tolist()
    by_group = groups.broadcast(sums, permute=False).tolist()
    assert by_group == [item for item, size in zip(sums.tolist(), wanted.size(), strict=True) for _ in range(size)]


@pytest.mark.parametrize("dtype", ROWS)
def test_arrays_list_wide_integers_with_gaps(dtype):
    array = ak.array(frame(dtype)["k"])
    distinct = sorted({item for item in ROWS[dtype] if item is not None})
    assert [plain(item) for item in ak.unique(array).tolist()] == [*distinct, None]
    assert [plain(item) for item in ak.sort(array).tolist()][-2:] == [None, None]
    assert [plain(item) for item in ak.concatenate([array, array]).tolist()] == [*ROWS[dtype]] * 2
    keys, counts = array.value_counts()
    assert ([plain(item) for item in keys.tolist()], counts.sum()) == ([*distinct, None], 8)
    assert ak.in1d(array, ak.array(distinct[:1])).tolist() == [item == distinct[0] for item in ROWS[dtype]]
    assert [plain(item) for item in array[ak.argsort(array)].tolist()][:3] == sorted(
        x for x in ROWS[dtype] if x is not None
    )[:3]


@pytest.mark.parametrize(
    "given",
    [
        pd.Series(ROWS["Int64"], dtype="Int64"),
        pd.Series([1.5, np.nan]),
        pd.Series([1.0, np.inf]),
        pd.Series(["1", None]),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_nothing_missing_becomes_an_integer(given, dtype):
    with pytest.raises((ValueError, TypeError)):
        given.astype(dtype)
    with pytest.raises(ConversionError):
        ak.Series(given).astype(dtype).tolist()
    with pytest.raises(ConversionError):
        ak.DataFrame({"x": given}).astype({"x": dtype}).to_pandas()


@pytest.mark.parametrize(
    "given",
    [
        pd.Series([1.5, None, np.inf]),
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(pd.Categorical(["a", None])),
        pd.Series(["a", None], dtype="str"),
    ],
    ids=["floats", "integers", "bools", "Categoricals", "text"],
)
def test_text_of_what_is_missing_is_missing(given):
    expected = given.astype("str")
    pd.testing.assert_series_equal(ak.Series(given).astype(str).to_pandas(), expected)
    pd.testing.assert_series_equal(ak.DataFrame({"x": given}).astype(str).to_pandas()["x"], expected, check_names=False)


def test_gaps_are_neither_true_nor_false():
    given = pd.Series([5, 0, None], dtype="Int64")
    for series in (given, ak.Series(given)):
        with pytest.raises(ValueError, match=r"NA|NaN|missing"):
            dask.compute(series.astype(bool))


COMPARED = {
    "==": lambda d: d["a"] == d["b"],
    "!=": lambda d: d["a"] != d["b"],
    "eq": lambda d: d["a"].eq(d["b"]),
    "ne": lambda d: d["a"].ne(d["b"]),
    "== of frames": lambda d: d == d.copy(),
    "ne of frames": lambda d: d.ne(d),
    "query": lambda d: d.query("a == b", engine="python") if library(d) is pd else d.query("a == b"),
}


@pytest.mark.parametrize("operation", COMPARED)
def test_missing_labels_equal_nothing(operation):
    rows = pd.DataFrame(
        {
            name: pd.Categorical(items, ["x", "y"])
            for name, items in {"a": ["x", None, "y", None], "b": ["x", None, "x", "y"]}.items()
        }
    )
    assert plain(COMPARED[operation](Labelled(rows))) == plain(COMPARED[operation](rows))


def test_arrays_of_labels_compare_codes_as_in_arkouda():
    labels = ak.Categorical(pd.Categorical(["x", None]))
    same = labels.copy()
    assert ((labels == same).tolist(), (labels != same).tolist()) == ([True, True], [False, False])


@pytest.mark.parametrize("method", ["idxmin", "idxmax"])
def test_rows_of_extremes_are_not_missing(method):
    rows = pd.DataFrame(
        {"x": [np.nan, -np.inf, np.inf], "n": pd.Series([None, WIDE, WIDE + 1], dtype="Int64"), "f": [3, 1, 2]}
    )
    assert getattr(ak.DataFrame(rows), method)().to_dict() == getattr(rows, method)().to_dict()
    nothing = pd.DataFrame({"x": [np.nan, np.nan], "f": [1, 2]})
    with pytest.raises(ValueError, match="NA"):
        getattr(nothing, method)()
    with pytest.raises(AkdaskError, match=method):
        getattr(ak.DataFrame(nothing), method)()


@pytest.mark.parametrize(
    "times", [["2024-01-05T10:00:00", "2023-03-01T00:00:00"], ["2024-01-05T10:00:00", ""]], ids=["none", "one"]
)
def test_fields_of_times_in_csv_files_are_missing_with_them(tmp_path, times):
    rows = pd.DataFrame({"t": times, "x": [1, 2]})
    rows.to_csv(tmp_path / "times.csv", index=False)
    expected = pd.to_datetime(rows["t"])
    found = ak.DataFrame(ak.read_csv(str(tmp_path / "times.csv"))).t
    pd.testing.assert_series_equal(
        found.dt.year.to_pandas().astype("float64"), expected.dt.year.astype("float64"), check_names=False
    )
    assert found.dt.year.to_pandas().dtype == (np.int64 if "" not in times else pd.Int64Dtype())
    assert found.dt.month.fillna(0).to_pandas().tolist() == expected.dt.month.fillna(0).tolist()


def test_what_lies_beneath_a_gap_is_no_key():
    made = ak.Series([WIDE, WIDE + 1, WIDE + 2, WIDE]).where(ak.Series([True, False, False, True]))
    assert (made.nunique(dropna=False).value(), made.duplicated().tolist()) == (2, [False, False, True, True])


@pytest.mark.parametrize("dtype", ["Int64", "UInt64"])
@pytest.mark.parametrize(
    "key", [1, -1, slice(2, 5), slice(None, None, 3), np.arange(8) % 3 == 0, np.array([6, 0, 5])], ids=repr
)
def test_items_are_assigned_to_integers_with_gaps(dtype, key):
    """Numbers and what is missing come to the same rows, and all other rows stay."""
    count = len(np.arange(8)[key]) if np.ndim(np.arange(8)[key]) else 1
    items = [7, None, np.nan, np.int64(5)]
    if not isinstance(key, int):
        items += [list(range(count)), pd.Series(ROWS[dtype][:count], dtype=dtype), np.arange(count) + 2]
    for item in items:
        wanted = pd.Series(ROWS[dtype], dtype=dtype).array
        wanted[key] = pd.NA if item is None or (np.ndim(item) == 0 and item != item) else item  # noqa: PLR0124
        lazy = ak.array(pd.Series(ROWS[dtype], dtype=dtype))
        lazy[key] = ak.array(item) if isinstance(item, pd.Series) else item
        found = [
            None if lacks else number for number, lacks in zip(lazy.tolist(), ak.isnan(lazy).tolist(), strict=True)
        ]
        assert found == [None if number is pd.NA else int(number) for number in wanted]
