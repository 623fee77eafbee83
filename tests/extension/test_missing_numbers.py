"""Integers and bools of which some are missing, in lazy arrays beside pandas' nullable types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak

WIDE = 2**60 + 1
GROUPS = [1, 2, 2, 2, 1, 3, 3]

NULLABLE = {"ak_int64": "Int64", "ak_uint64": "UInt64", "ak_uint8": "UInt8", "ak_bool": "boolean"}

ITEMS = {
    "ak_int64": [1, None, WIDE, -1, 5, None, None],
    "ak_uint64": [1, None, 2**64 - 1, 0, 5, None, None],
    "ak_uint8": [1, None, 255, 0, 5, None, None],
    "ak_bool": [True, None, False, True, False, None, None],
}


def _items(found):
    if isinstance(found, pd.DataFrame):
        return [_items(found[name]) for name in found.columns]
    if not isinstance(found, pd.Series | pd.Index | pd.api.extensions.ExtensionArray | np.ndarray):
        return None if pd.isna(found) else found
    return [None if pd.isna(item) else item for item in found]


def _kinds(found):
    if isinstance(found, pd.DataFrame):
        return [_kinds(found[name]) for name in found.columns]
    dtype = getattr(found, "dtype", None)
    return None if dtype is None else {"bool_": "boolean", "bool": "boolean"}.get(dtype.name, dtype.name).lower()


def _agree(function, items, dtype):
    """Compare a function of a lazy Series with the same of pandas' own, in elements and in kind of type."""
    found, wanted = (function(pd.Series(items, dtype=kind)) for kind in (dtype, NULLABLE[dtype]))
    assert _items(found) == _items(wanted)
    if isinstance(wanted, pd.Series | pd.DataFrame):
        assert _kinds(found) == _kinds(wanted)


OF_ALL = {
    "rows": lambda s: s,
    "shift": lambda s: s.shift(),
    "shift of known rows": lambda s: s.dropna().shift(-1),
    "reindex": lambda s: s.reindex([0, 2, 99, 1]),
    "reindex of known rows": lambda s: s.dropna().reindex([0, 1, 99]),
    "where": lambda s: s.where([True, False, False, True, True, False, True]),
    "mask with another": lambda s: s.mask([True, True, False, False, True, False, True], s.iloc[0]),
    "fillna": lambda s: s.fillna(s.iloc[3]),
    "ffill": lambda s: s.ffill(),
    "bfill": lambda s: s.bfill(limit=1),
    "isna": lambda s: s.isna(),
    "dropna": lambda s: s.dropna(),
    "sort_values": lambda s: s.sort_values(kind="stable"),
    "sort_values descending": lambda s: s.sort_values(ascending=False, na_position="first", kind="stable"),
    "unique": lambda s: s.unique(),
    "factorize codes": lambda s: s.factorize()[0],
    "factorize": lambda s: s.factorize()[1],
    "factorize of missing ones": lambda s: s.factorize(use_na_sentinel=False)[0],
    "drop_duplicates": lambda s: s.drop_duplicates(),
    "concat": lambda s: pd.concat([s.dropna(), s]),
    "repeat": lambda s: s.repeat(2),
    "count": lambda s: s.count(),
    "min": lambda s: s.min(),
    "max": lambda s: s.max(),
    "sum": lambda s: s.sum(),
    "mean": lambda s: s.mean(),
    "any": lambda s: bool(s.any()),
    "all": lambda s: bool(s.all()),
    "first of groups": lambda s: s.groupby(GROUPS).first(),
    "last of groups": lambda s: s.groupby(GROUPS).last(),
    "min of groups": lambda s: s.groupby(GROUPS).min(),
    "sum of groups": lambda s: s.groupby(GROUPS).sum(min_count=1),
    "shift of groups": lambda s: s.groupby(GROUPS).shift(),
    "any of groups": lambda s: s.groupby(GROUPS).any(),
    "mean of groups": lambda s: s.groupby(GROUPS).mean(),
    "count of groups": lambda s: s.groupby(GROUPS).count(),
    "groups by it": lambda s: pd.DataFrame({"k": s, "v": range(7)}).groupby("k", dropna=False).v.sum().reset_index(),
    "unstack": lambda s: s.set_axis(pd.MultiIndex.from_tuples([(1, n) for n in range(6)] + [(2, 0)])).unstack(),
    "left join": lambda s: pd.DataFrame({"a": [2, 9]}).merge(pd.DataFrame({"a": range(7), "v": s}), how="left"),
    "join by it": lambda s: pd.DataFrame({"a": s}).merge(
        pd.DataFrame({"a": s.drop_duplicates(), "v": [*"abcde"][: s.nunique() + 1]})
    ),
    "cumsum": lambda s: s.cumsum(),
    "map": lambda s: s.map(lambda item: item),
    "as text": lambda s: s.astype(object).astype("string").array,
    "as labels": lambda s: pd.MultiIndex.from_arrays([s, range(7)]).get_level_values(0),
    "level": lambda s: pd.MultiIndex.from_arrays([s, range(7)]).get_level_values(0)[3:],
}

OF_NUMBERS = {
    "median": lambda s: s[:2].median(),
    "std": lambda s: s[:5].std(),
    "prod": lambda s: s[:2].prod(),
    "cumprod": lambda s: s[:2].cumprod(),
    "cummin": lambda s: s[1:].cummin(),
    "cummax": lambda s: s[1:].cummax(),
    "add": lambda s: s + 1,
    "negative": lambda s: s - s,
    "by a fraction": lambda s: s[:2] / 2,
    "equal": lambda s: (s == 1).fillna(False),
    "in order": lambda s: (s > 1).fillna(False),
    "isin": lambda s: s.isin([1, 5]),
    "rank": lambda s: s.rank(),
    "as Int64": lambda s: s[:2].astype("Int64"),
    "as floats": lambda s: s[:2].astype("float64"),
    "cumulated in groups": lambda s: s.groupby(GROUPS).cumsum(),
    "rank in groups": lambda s: s.groupby(GROUPS).rank(),
}


@pytest.mark.light
@pytest.mark.parametrize("dtype", NULLABLE)
@pytest.mark.parametrize("name", OF_ALL)
def test_numbers_with_gaps_are_those_of_pandas(name, dtype):
    _agree(OF_ALL[name], ITEMS[dtype], dtype)


@pytest.mark.light
@pytest.mark.parametrize("dtype", ["ak_int64", "ak_uint64", "ak_uint8"])
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_arithmetic_of_integers_with_gaps_is_that_of_pandas(name, dtype):
    _agree(OF_NUMBERS[name], ITEMS[dtype], dtype)


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2), max_size=8),
    st.lists(st.integers(0, 7), min_size=1, max_size=8),
)
def test_rows_of_integers_with_gaps_are_those_of_pandas(items, rows):
    lazy, plain = pd.Series(items, dtype="ak_int64"), pd.Series(items, dtype="Int64")
    assert _items(lazy.reindex(rows)) == _items(plain.reindex(rows))
    assert _items(lazy.sort_values(kind="stable")) == _items(plain.sort_values(kind="stable"))
    assert _items(lazy.unique()) == _items(plain.unique())
    assert _items(lazy.min()) == _items(plain.min())
    assert lazy.array.equals(pd.array(plain.array, dtype="ak_int64"))


@pytest.mark.parametrize(
    ("key", "item"),
    [
        (0, None),
        (1, pd.NA),
        (2, np.nan),
        (0, 5),
        (slice(0, 2), [None, 4]),
        ([0, 2], [None, WIDE + 2]),
        ([True, False, True], None),
        ([True, False, True], 7),
    ],
)
@pytest.mark.parametrize("items", [[1, 2, WIDE], [1, None, WIDE]])
def test_assigned_elements_may_be_missing(items, key, item):
    lazy, plain = pd.array(items, dtype="ak_int64"), pd.array(items, dtype="Int64")
    seen = lazy.view()
    lazy[key] = plain[key] = item
    assert lazy.dtype == "ak_int64"
    assert _items(lazy) == _items(seen) == _items(plain)


def test_missing_numbers_leave_as_pandas_and_arrow_have_them():
    wide, few = pd.array([1, None, WIDE], dtype="ak_int64"), pd.array([1, None], dtype="ak_int64")
    assert pa.array(wide).equals(pa.array([1, None, WIDE]))
    assert few.to_numpy().dtype == np.float64
    np.testing.assert_array_equal(few.to_numpy(), [1, np.nan])
    assert wide.to_numpy().dtype == object
    assert wide.to_numpy()[2] == WIDE
    assert few.to_numpy(na_value=-5).tolist() == [1, -5]
    assert few[:1].to_numpy().dtype == np.int64
    assert type(wide[2]) is np.int64
    assert np.isnan(wide[1])
    assert wide.tolist()[::2] == [1, WIDE]
    pd.testing.assert_extension_array_equal(wide.astype("Int64"), wide)
    pd.testing.assert_series_equal(pd.Series(wide).ak.collect(), pd.Series([1, None, WIDE], dtype="Int64"))
    truth = pd.array([True, None], dtype="ak_bool")
    pd.testing.assert_series_equal(pd.Series(truth).ak.collect(), pd.Series([True, None], dtype="boolean"))
    assert truth.to_numpy()[0] is True
    assert truth.astype("ak_int64").tolist()[0] == 1
    assert pd.Series(wide).ak.to_ak_legacy().to_pandas(nullable=True).tolist() == [1, pd.NA, WIDE]


def test_floats_with_gaps_become_integers_with_gaps():
    floats = pd.Series([1.0, np.nan, 3.0], dtype="ak_float64")
    for wanted, nullable in NULLABLE.items():
        found = floats.astype(wanted)
        assert found.dtype == wanted
        assert _items(found) == _items(pd.Series([1, None, 3], dtype="Int64").astype(nullable))
    assert _items(pd.Series([1, np.nan, WIDE], dtype="ak_int64")) == [1, None, WIDE]
    assert _items(pd.Series([np.nan], dtype="ak_int64")) == [None]


def test_sums_that_do_not_skip_what_is_missing_are_missing():
    integers = pd.Series([1, None, WIDE], dtype="ak_int64")
    for name in ("sum", "min", "max", "mean", "prod", "std"):
        assert np.isnan(getattr(integers, name)(skipna=False))
    assert integers.dropna().sum(skipna=False) == WIDE + 1
    zeros = pd.array([0, None], dtype="ak_int64")
    # A missing element is true, as NaN is.
    assert zeros.any(skipna=False)
    assert not zeros.any()
    assert pd.array([1, None], dtype="ak_int64").all(skipna=False)
    for name in ("cumsum", "cumprod", "cummin", "cummax"):
        accumulated = pd.array([2, None, 1], dtype="ak_int64")._accumulate(name)
        wanted = getattr(pd.Series([2, None, 1]), name)()
        np.testing.assert_array_equal(accumulated.to_numpy(float, na_value=np.nan), wanted)
    assert zeros._accumulate("cumsum", skipna=False).isna().tolist() == [False, True]
    assert pd.array([None, 4], dtype="ak_int64")._accumulate("cumsum", skipna=False).isna().all()


def test_taken_rows_without_a_value_are_filled_as_in_arkouda():
    for dtype, wanted in {"ak_int64": -1, "ak_uint64": 0, "ak_uint8": 0, "ak_bigint": -1}.items():
        assert pd.array([7, 8], dtype=dtype).take([1, -1], allow_fill=True).tolist() == [8, wanted]
    integers = pd.array([7, 8], dtype="ak_int64")
    assert _items(integers.take([1, -1], allow_fill=True, fill_value=None)) == [8, None]
    assert _items(integers[:0].take([-1], allow_fill=True, fill_value=None)) == [None]
    assert integers[:0].take([-1], allow_fill=True).tolist() == [-1]
    assert pd.array([0.5], dtype="ak_float64").take([-1], allow_fill=True).isna().all()
    assert pd.array([True], dtype="ak_bool").take([-1], allow_fill=True).isna().all()


def test_items_are_assigned_to_integers_with_gaps():
    numbers = ak.array([1, None, WIDE, 4])
    numbers[ak.array([0, 1])] = ak.array([5, 6])
    assert numbers.tolist() == [5, 6, WIDE, 4]
    numbers[1:3] = [None, WIDE + 2]
    assert numbers.tolist()[2:] == [WIDE + 2, 4]
    assert np.isnan(numbers.tolist()[1])
    numbers[ak.array([True, False, False, True])] = ak.array([np.nan, 9.0])
    assert ak.isnan(numbers).tolist() == [True, True, False, False]
    numbers[0] = 8
    numbers[3] = np.nan
    assert ak.isnan(numbers).tolist() == [False, True, False, True]
    numbers[:] = None
    assert ak.isnan(numbers).all()
    with pytest.raises(TypeError, match=r"1\.5"):
        numbers[0] = 1.5
