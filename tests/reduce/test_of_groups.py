"""Reductions of groups, of lists, and along dimensions: NumPy reduces the rows of each by themselves."""

from __future__ import annotations

import math
from functools import reduce
from itertools import accumulate
from operator import and_, or_, xor

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import pipeline, tuning
from akdask.errors import ArgumentError, ConversionError
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.reduce import sums
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

ITEMS = {
    "int64": st.integers(-3, 3) | st.sampled_from([2**40, -(2**62)]),
    "uint64": st.integers(0, 3) | st.sampled_from([2**63, 2**64 - 1]),
    "float64": st.sampled_from([0.0, -0.0, 1.5, -2.25, 0.1, 3.0, np.nan, np.inf, -np.inf]),
    "bool": st.booleans(),
}
BIG = st.integers(-3, 3) | st.sampled_from([2**70, -(2**64), 2**64 - 1])


def mode(rows):
    """Return the commonest row, the first one of several."""
    counts = [np.count_nonzero(rows == row) for row in rows]
    return rows[int(np.argmax(counts))]


OF_NUMBERS = {
    "sum": lambda rows: rows.sum() if len(rows) else 0,
    "prod": lambda rows: math.prod(map(float, rows)),
    "mean": lambda rows: rows.mean(dtype=float),
    "var": lambda rows: rows.var(dtype=float, ddof=1) if len(rows) > 1 else np.nan,
    "std": lambda rows: rows.std(dtype=float, ddof=1) if len(rows) > 1 else np.nan,
    "min": np.min,
    "max": np.max,
    "median": np.median,
    "mode": mode,
    "nunique": lambda rows: len(np.unique(rows)),
    "count": len,
    "any": np.any,
    "all": np.all,
}
OF_BITS = {"OR": or_, "AND": and_, "XOR": xor}
OF_NOTHING = {"sum": 0, "prod": 1, "nunique": 0, "count": 0}
"""Results of no rows; others are NaN."""


@st.composite
def grouped(draw, dtypes=tuple(ITEMS), min_size=1):
    """Rows, the numbers of their groups, and the partitions of both."""
    dtype = draw(st.sampled_from(dtypes))
    numbers = draw(st.lists(st.integers(0, 3), min_size=min_size, max_size=14))
    rows = draw(st.lists(ITEMS[dtype], min_size=len(numbers), max_size=len(numbers)))
    return np.array(rows, dtype), np.array(numbers, np.int64), draw(partition_lengths(len(numbers)))


@given(grouped(), st.booleans())
@example((np.array([1.0, np.nan, 3.5, 4.0, np.nan, 6.5, 5.0]), np.array([0, 0, 0, 1, 1, 1, 0]), [2, 3, 2]), True)
@example((np.array([1.0, np.nan, 3.5, 4.0, 4.5]), np.array([0, 0, 0, 1, 1]), [5]), False)
@settings(max_examples=15)
def test_reductions_of_groups_are_those_of_the_rows_of_each(drawn, skipna):
    rows, numbers, lengths = drawn
    groups, values = ak.GroupBy(partitioned(numbers, lengths)), partitioned(rows, lengths)
    of_groups = [rows[numbers == number] for number in np.unique(numbers)]
    if rows.dtype.kind != "f" or skipna:
        assert groups.first(values)[1].to_ndarray().tolist() == pytest.approx([r[0] for r in of_groups], nan_ok=True)
    for name, of in OF_NUMBERS.items():
        keep_missing = (name in ("any", "all", "mode")) or not skipna
        if name in ("mode", "nunique", "count", "any", "all") and np.isnan(rows).any():
            continue
        found = groups.aggregate(values, name, skipna)[1].to_ndarray()
        wanted = []
        for known in of_groups:
            chosen = known if keep_missing else known[~np.isnan(known)]
            with np.errstate(all="ignore"):
                wanted.append(float(of(chosen) if len(chosen) else OF_NOTHING.get(name, np.nan)))
        np.testing.assert_allclose(found.astype(float), wanted, rtol=1e-9, atol=1e-9, err_msg=name)


@given(grouped(("int64", "uint64")))
@settings(max_examples=10)
def test_bits_and_sums_of_groups_are_exact(drawn):
    rows, numbers, lengths = drawn
    groups, values = ak.GroupBy(partitioned(numbers, lengths)), partitioned(rows, lengths)
    of_groups = [rows[numbers == number] for number in np.unique(numbers)]
    for name, operation in OF_BITS.items():
        assert groups.aggregate(values, name)[1].tolist() == [
            reduce(operation, chosen.tolist()) for chosen in of_groups
        ]
    with np.errstate(over="ignore"):
        assert groups.sum(values)[1].tolist() == [chosen.sum().item() for chosen in of_groups]


@given(grouped())
@settings(max_examples=10)
def test_positions_of_extremes_are_those_of_the_first_rows_that_are_one(drawn):
    rows, numbers, lengths = drawn
    groups, values = ak.GroupBy(partitioned(numbers, lengths)), partitioned(rows, lengths)
    for name, extreme in (("argmin", min), ("argmax", max)):
        wanted = []
        for number in np.unique(numbers):
            places = [row for row in np.flatnonzero(numbers == number) if not np.isnan(rows[row])]
            best = extreme((rows[row] for row in places), default=None)
            wanted.append(next((int(row) for row in places if rows[row] == best), -1))
        assert groups.aggregate(values, name)[1].tolist() == wanted


@given(st.lists(st.lists(BIG, max_size=4), min_size=1, max_size=6), st.data())
@settings(max_examples=10)
def test_integers_of_any_size_are_reduced_exactly(parts, data):
    numbers = [number for part in parts for number in part]
    lazy = ak.concatenate([ak.array(part, dtype=ak.bigint) for part in parts]) if numbers else None
    if lazy is None:
        return
    assert (int(lazy.sum()), int(lazy.min()), int(lazy.max())) == (sum(numbers), min(numbers), max(numbers))
    assert int(lazy.prod()) == math.prod(numbers)
    assert (int(lazy.argmin()), int(lazy.argmax())) == (numbers.index(min(numbers)), numbers.index(max(numbers)))
    assert float(lazy.mean()) == sum(numbers) / len(numbers)
    assert (bool(lazy.any()), bool(lazy.all())) == (any(numbers), all(numbers))
    assert ak.unique(lazy).tolist() == sorted(set(numbers))
    limited = ak.array(numbers, dtype=ak.bigint, max_bits=65)
    assert int(limited.sum()) == sum(numbers) % 2**65
    assert int(limited.prod()) == math.prod(numbers) % 2**65


OF_LISTS = ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "mean")


@given(st.lists(st.lists(st.integers(-3, 3), max_size=4), min_size=1, max_size=6), st.data())
@settings(max_examples=10)
def test_reductions_of_lists_are_those_of_their_values(rows, data):
    flat = np.array([item for row in rows for item in row], np.int64)
    starts = np.array(list(accumulate(map(len, rows[:-1]), initial=0)))
    lazy = ak.SegArray(partitioned(starts, data.draw(partition_lengths(len(rows)))), ak.array(flat))
    filled = [np.array(row) for row in rows if row]
    for name in OF_LISTS:
        found = getattr(lazy, name)(ak.array(flat) != 0 if name in ("any", "all") else None)
        found = found[1] if isinstance(found, tuple) else found
        if name in ("argmin", "argmax"):
            begins = np.array([start for start, row in zip(starts, rows, strict=True) if row], np.int64)
            wanted = [begin + getattr(np, name)(row) for begin, row in zip(begins, filled, strict=True)]
        else:
            wanted = [getattr(np, name)(row) for row in filled]
        assert found.tolist() == wanted, name


@given(st.lists(st.lists(BIG, max_size=4), min_size=1, max_size=6))
@settings(max_examples=10)
def test_reductions_of_lists_of_integers_of_any_size_are_pythons(rows):
    flat = [item for row in rows for item in row]
    starts = np.array(list(accumulate(map(len, rows[:-1]), initial=0)))
    lazy = ak.SegArray(ak.array(starts), ak.array(flat, dtype=ak.bigint))
    of_python = {
        "sum": sum,
        "prod": math.prod,
        "min": min,
        "max": max,
        "any": any,
        "all": all,
        "nunique": lambda r: len({*r}),
    }
    for name, of in of_python.items():
        found = getattr(lazy, name)(*[lazy.values != 0][: name in ("any", "all")])
        assert (found[1] if isinstance(found, tuple) else found).tolist() == [of(row) for row in rows if row], name


def test_products_of_too_many_bits_are_refused_unless_they_are_zero(monkeypatch):
    monkeypatch.setattr(sums, "LARGEST", 100)
    for numbers in ([2**49, 2**49], [2**60, 2**60, 0], [1, 2**60, 0, 2**60]):
        assert int(ak.array(numbers, dtype=ak.bigint).prod()) == math.prod(numbers)
    for numbers in ([2**60, 2**60], [2**60, 2**60, 1], [2**50, 2**50]):
        with pytest.raises(ArgumentError, match="more than 100 bits"):
            int(ak.array(numbers, dtype=ak.bigint).prod())


@pytest.mark.parametrize(("fan_in", "levels"), [(2, 3), (9, 0), (3, 1), (8, 1)])
def test_states_of_many_partitions_meet_in_a_tree(monkeypatch, fan_in, levels):
    monkeypatch.setattr(tuning, "FAN_IN", fan_in)
    monkeypatch.setattr(pipeline, "CORES", 9)
    values = np.random.default_rng(fan_in).permutation(27) + 0.1
    lazy = MemorySource({"x": values}, [3] * 9).arrays()["x"]
    combined = [key for key in lazy.sum().__dask_graph__() if len(key) == 3]
    assert len({level for _, level, _ in combined}) == levels
    assert float(lazy.sum()) == pytest.approx(values.sum())
    assert (int(lazy.argmin()), int(lazy.argmax())) == (np.argmin(values), np.argmax(values))
    assert len(lazy[lazy > 5]) == np.count_nonzero(values > 5)


@pytest.mark.light
@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_states_of_the_same_groups_are_merged_in_place(dtype):
    keys = np.array([0, 0, 1, 1, 2])
    parts = [np.array(values).astype(dtype) for values in ([3, 0, 1, 1, 5], [2, 7, 0, 4, 1])]
    for name in ("count", "sum", "prod", "min", "max", "mean", "any", "all"):
        aggregation = Aggregation(1, (AggregationStep(name, (0,)),))
        total, more = (
            [tuple(map(np.copy, state)) for state in aggregation._states(aggregation.rows([keys], [values]))]
            for values in parts
        )
        aggregation.merge_in_place(total, more)
        found = aggregation.finish(aggregation.table([np.arange(3)], total)).columns[1].tolist()
        assert found == [OF_NUMBERS[name](np.r_[tuple(part[keys == key] for part in parts)]) for key in range(3)], name


def test_order_statistics_of_integers_that_no_float_equals_are_the_nearest_floats():
    values = ak.Series(pd.array([2**53 + 1, None, 2**62 + 1, 5, None], dtype="Int64"))
    assert values.median() == 2.0**53
    assert values.quantile(1.0) == 2.0**62
    with pytest.raises(ConversionError, match="9007199254740993"):
        int(values.argmax())


def test_missing_values_of_lists_are_left_out_unless_there_are_no_others():
    rows = [[np.nan, np.nan], [np.nan, 2.0, 1.0, 2.0], [], [3.0], [np.nan]]
    flat, starts = np.array([item for row in rows for item in row]), list(accumulate(map(len, rows[:-1]), initial=0))
    lazy = ak.SegArray(ak.array(starts), ak.array(flat))
    assert (lazy.argmin().tolist(), lazy.argmax().tolist()) == ([0, 4, 6, 7], [0, 3, 6, 7])
    assert (lazy.argmin().dtype, lazy.max().dtype) == (np.int64, np.float64)
    np.testing.assert_array_equal(lazy.min().to_ndarray(), [np.nan, 1, 3, np.nan])
    np.testing.assert_array_equal(lazy.max().to_ndarray(), [np.nan, 2, 3, np.nan])
