"""Expressions of times: Python's integers are the reference, and NaT compares as in pandas."""

from __future__ import annotations

import operator

import dask
import numpy as np
import pandas as pd

import akdask as ak
from akdask.columns.dtypes import INT64
from akdask.engine.times import of_order, ordered
from akdask.engine.values import Call, ColumnRef, Constant

NAT = -(2**63)
LATEST = 2**63 - 1
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
UNITS = [("ns", "ns"), ("ns", "s"), ("s", "ns"), ("ms", "us")]
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
TICKS = np.array([0, NAT, 1, -1, 1_500_000_000, 2_000_000_000, NAT, LATEST, NAT + 1])
OTHERS = np.array([0, 0, 2, NAT, 1_500_000_000, 1_999_999_999, NAT, LATEST, LATEST])


def times(ticks, unit="ns"):
    return ak.DataFrame({"t": pd.Series(ticks.view(f"M8[{unit}]"))})["t"]


def compared(compare, left, right):
    """Return a comparison of exact numbers; with NaT it is false, or true for ``!=``."""
    if left is None or right is None:
        return compare is operator.ne
    return compare(left, right)


def seconds(ticks, unit):
    return [None if tick == NAT else tick * (10**9 // PER_SECOND[unit]) for tick in ticks.tolist()]


def test_times_compare_with_times_of_any_unit():
    for one, other in UNITS:
        left, right = times(TICKS, one), times(OTHERS, other)
        assert left.unit == one
        pairs = [*zip(seconds(TICKS, one), seconds(OTHERS, other), strict=True)]
        found = dask.compute(*[compare(left, right) for compare in COMPARISONS])
        wanted = [[compared(compare, *pair) for pair in pairs] for compare in COMPARISONS]
        assert [each.tolist() for each in found] == wanted, (one, other)


def test_times_compare_with_one_time_that_may_have_another_unit_or_be_nat():
    for unit, other in UNITS:
        left, exact = times(TICKS, unit), seconds(TICKS, unit)
        found, wanted = [], []
        for tick in (0, 1, -1, 1_500_000_000, LATEST, NAT + 1, NAT):
            number = None if tick == NAT else tick * (10**9 // PER_SECOND[other])
            given = np.datetime64(tick, other) if tick != NAT else np.datetime64("NaT")
            found += [compare(left, given) for compare in COMPARISONS]
            wanted += [[compared(compare, item, number) for item in exact] for compare in COMPARISONS]
            if tick != NAT:
                single = times(np.array([tick]), other)[0]
                found += [compare(single, left) for compare in COMPARISONS]
                wanted += [[compared(compare, number, item) for item in exact] for compare in COMPARISONS]
        assert [each.tolist() for each in dask.compute(*found)] == wanted, (unit, other)


def test_times_are_sorted_and_grouped_with_nat_last():
    few = np.array([5, NAT, -1, 2**62, NAT, 5])
    for ascending in (True, False):
        found = ak.DataFrame({"t": times(few), "n": np.arange(6)}).sort_values("t", ascending=ascending)
        known = sorted((tick for tick in few.tolist() if tick != NAT), reverse=not ascending)
        assert found["t"].to_ndarray().view(np.int64).tolist() == [*known, NAT, NAT]
    frame = ak.DataFrame({"t": times(few), "n": np.arange(6)})
    assert frame.groupby("t")["n"].sum().values.tolist() == [2, 5, 3]
    assert frame.groupby("n")["t"].max().to_pandas().isna().tolist() == [tick == NAT for tick in few.tolist()]


def test_numbers_that_order_times_are_undone_where_they_are_made():
    time, one = ColumnRef("rows", "t", INT64), Constant(np.int64(1))
    assert ordered(time) == Call("subtract", time, one)
    assert of_order(time) == Call("add", time, one)
    assert of_order(ordered(time)) == ordered(of_order(time)) == time
    # Only what they have made themselves.
    for other in (Call("add", time, Constant(np.int64(2))), Call("subtract", time, one)):
        assert ordered(other) == Call("subtract", other, one)
    for other in (Call("subtract", time, Constant(np.int64(2))), Call("add", time, one)):
        assert of_order(other) == Call("add", other, one)


def test_spans_are_added_up_beyond_what_floats_hold():
    spans = np.array([2**60 + 1, -(2**60), 2**55 + 3, NAT, -7, 1])
    keys = np.array([0, 1, 0, 1, 1, 0])
    lazy = ak.DataFrame({"k": keys, "d": ak.Timedelta(ak.array(spans.view("m8[ns]")))})
    plain = pd.DataFrame({"k": keys, "d": spans.view("m8[ns]")})
    pd.testing.assert_series_equal(
        lazy.groupby("k")["d"].sum().to_pandas(), plain.groupby("k")["d"].sum(), check_dtype=False
    )
    assert lazy["d"][ak.array(keys == 0)].sum() == pd.Timedelta(2**60 + 2**55 + 5)


def test_bounds_that_are_nat_have_no_effect():
    low, high = np.array([NAT, 0, 0, NAT, 2**62]), np.array([3, NAT, 5, NAT, 2**62 + 1])
    ticks = np.array([9, -4, NAT, 7, 0])
    found = ak.Series(times(ticks)).clip(ak.Series(times(low)), ak.Series(times(high)))
    assert found.values.to_ndarray().view(np.int64).tolist() == [3, 0, NAT, 7, 2**62]


def test_nat_is_told_and_filled():
    lazy = ak.Series(times(np.array([0, NAT, 10**9 + 1])))
    assert lazy.isna().tolist() == [False, True, False]
    assert lazy.fillna(pd.Timestamp(5)).values.to_ndarray().view(np.int64).tolist() == [0, 5, 10**9 + 1]
