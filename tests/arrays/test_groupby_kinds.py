"""Groups by and of what is neither a plain number nor text."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import and_, or_, xor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.group_reductions import of_any_type
from akdask.arrays.shapes import chained
from akdask.errors import ArgumentTypeError
from akdask.operators.group import tuning
from akdask.testing.strategies import partitioned

BIG = st.integers(-(2**130), 2**130) | st.sampled_from([0, -1, 2**63, -(2**63), 2**64])


@pytest.fixture(autouse=True)
def cut_everything(monkeypatch):
    """Small tables stay whole in real use; here they are cut at keys like large ones."""
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(tuning, "RANGE_ROWS", 4)


def in_parts(items, count, **kwargs):
    """Return a lazy array with its rows in several partitions."""
    bounds = [number * len(items) // count for number in range(count + 1)]
    return chained([ak.array(items[a:b], **kwargs) for a, b in pairwise(bounds)])


def parts_of(keys, values):
    found = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, []).append(value)
    return [found[key] for key in sorted(found)]


@given(st.lists(st.tuples(st.integers(0, 3), BIG), min_size=1, max_size=30), st.integers(1, 3))
def test_integers_of_any_size_are_reduced_exactly(rows, count):
    keys, values = zip(*rows, strict=True)
    groups = ak.GroupBy(in_parts(keys, count))
    integers = in_parts(values, count, dtype="bigint")
    parts = parts_of(keys, values)
    wanted = {
        "sum": list(map(sum, parts)),
        "min": list(map(min, parts)),
        "max": list(map(max, parts)),
        "OR": [reduce(or_, part) for part in parts],
        "AND": [reduce(and_, part) for part in parts],
        "XOR": [reduce(xor, part) for part in parts],
        "first": [part[0] for part in parts],
        "count": list(map(len, parts)),
        "any": list(map(any, parts)),
        "all": list(map(all, parts)),
        "nunique": [len(set(part)) for part in parts],
        "unique": [sorted(set(part)) for part in parts],
        "mode": [max(part, key=part.count) for part in parts],
    }
    assert {name: groups.aggregate(integers, name)[1].tolist() for name in wanted} == wanted


@given(st.lists(st.tuples(BIG, st.integers(-9, 9)), min_size=1, max_size=30), st.integers(1, 3))
def test_integers_of_any_size_are_keys(rows, count):
    keys, values = zip(*rows, strict=True)
    found, sums = ak.GroupBy(in_parts(keys, count, dtype="bigint")).sum(in_parts(values, count))
    assert found.tolist() == sorted(set(keys))
    assert sums.tolist() == [sum(part) for part in parts_of(keys, values)]


def test_reductions_of_integers_of_so_many_bits_have_no_more():
    values = ak.array([255, 3, 7], dtype="bigint", max_bits=8)
    sums = ak.GroupBy(ak.array([0, 0, 1])).sum(values)[1]
    assert (sums.tolist(), sums.max_bits) == ([2, 7], 8)


@pytest.mark.parametrize("make", [ak.Datetime, ak.Timedelta])
def test_times_are_keys_and_what_is_chosen_among_them_are_times(make):
    plain = np.array([3, 1, 3, 2]) * 10**9
    times = make(ak.array(plain))
    keys, sizes = ak.GroupBy(times).size()
    assert isinstance(keys, make)
    assert sizes.tolist() == [1, 1, 2]
    groups = ak.GroupBy(ak.array([1, 2, 1, 2]))
    for name in ("min", "max", "first", "mode"):
        assert isinstance(getattr(groups, name)(times)[1], make)
    assert groups.max(times)[1].to_ndarray().astype(np.int64).tolist() == [3 * 10**9, 2 * 10**9]
    assert groups.unique(times)[1].tolist() == [[3 * 10**9], [10**9, 2 * 10**9]]


SPANS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 5, -7, 10**9, 3 * 10**9])), min_size=1, max_size=30
)
FEWEST_SPANS = {"sum": 0, "std": 2}
OF_SPANS = {
    "min": min, "max": max, "sum": sum, "mean": np.mean, "median": np.median, "std": lambda part: np.std(part, ddof=1),
}  # fmt: skip


@given(SPANS, st.integers(1, 3))
def test_spans_in_groups_are_reduced_without_the_missing_ones_and_stay_spans(rows, count):
    keys, spans = zip(*rows, strict=True)
    missing = np.iinfo(np.int64).min
    groups = ak.GroupBy(in_parts(keys, count))
    lazy = ak.Timedelta(in_parts(np.array([missing if span is None else span for span in spans]), count))
    parts = [[span for span in part if span is not None] for part in parts_of(keys, spans)]
    for name, reduction in OF_SPANS.items():
        found = getattr(groups, name)(lazy)[1]
        assert isinstance(found, ak.Timedelta)
        for span, part in zip(found.values.tolist(), parts, strict=True):
            assert abs(span - (reduction(part) if len(part) >= FEWEST_SPANS.get(name, 1) else missing)) <= 1
    assert groups.count(lazy)[1].tolist() == list(map(len, parts))
    assert groups.nunique(lazy)[1].tolist() == [len(set(part)) for part in parts]
    firsts = [part[0] for part in parts_of(keys, spans)]
    assert groups.first(lazy)[1].values.tolist() == [missing if span is None else span for span in firsts]


@given(SPANS, st.integers(1, 3))
def test_positions_of_extreme_times_pass_over_missing_ones(rows, count):
    keys, times = zip(*rows, strict=True)
    plain = np.array([np.datetime64("NaT") if item is None else item for item in times], "M8[ns]")
    groups = ak.GroupBy(in_parts(keys, count))
    lazy = ak.Datetime(in_parts(plain.view(np.int64), count))
    for name, sign in (("argmin", 1), ("argmax", -1)):
        wanted = []
        for key in sorted(set(keys)):
            there = [row for row in range(len(rows)) if keys[row] == key and times[row] is not None]
            wanted.append(min(there, key=lambda row: (sign * times[row], row), default=-1))
        assert getattr(groups, name)(lazy)[1].tolist() == wanted


def test_times_without_a_value_in_a_group_are_missing_there():
    times = ak.Datetime(np.array(["NaT", "2020-01-02", "NaT", "2020-01-04"], "M8[ns]"))
    groups = ak.GroupBy(ak.array([0, 1, 0, 1]))
    for name in ("min", "max", "mean", "median", "std", "mode"):
        assert np.isnat(getattr(groups, name)(times)[1].to_ndarray()).tolist() == [True, False], name
    assert groups.mean(times)[1][1] == pd.Timestamp("2020-01-03")
    assert isinstance(groups.std(times)[1], ak.Timedelta)
    # As integers, where nothing is to be skipped.
    assert groups.min(times, skipna=False)[1].values.tolist()[0] == np.iinfo(np.int64).min


@pytest.mark.parametrize(("name", "make"), [("sum", ak.Datetime), ("prod", ak.Timedelta), ("var", ak.Timedelta)])
def test_reductions_without_meaning_for_times_are_refused(name, make):
    groups = ak.GroupBy(ak.array([0, 0]))
    times = make(ak.arange(2))
    with pytest.raises(ArgumentTypeError, match="has no meaning"):
        getattr(groups, name)(times)
    frame = ak.DataFrame({"k": ak.array([0, 0]), "t": times, "x": ak.arange(2)})
    assert getattr(frame.groupby("k"), name)().columns == ["x"]


@pytest.mark.parametrize("count", [1, 2])
def test_missing_times_are_no_key_unless_they_are_kept(count):
    times = in_parts(np.array([3, np.iinfo(np.int64).min, 3, 1]), count)
    for make in (ak.Datetime, ak.Timedelta):
        keys, sizes = ak.GroupBy(make(times)).size()
        assert (keys.values.tolist(), sizes.tolist()) == ([1, 3], [1, 2])
        keys, sizes = ak.GroupBy([make(times), in_parts(np.zeros(4), count)]).size()
        assert (keys[0].values.tolist(), sizes.tolist()) == ([1, 3], [1, 2])
        # What is missing is the last group, as NaN is.
        assert ak.GroupBy(make(times), dropna=False).size()[1].tolist() == [1, 2, 1]


def test_addresses_are_keys_and_values():
    addresses = ak.IPv4(ak.array(np.array([3, 1, 3, 2], np.uint64)))
    keys, sizes = ak.GroupBy(addresses).size()
    assert isinstance(keys, ak.IPv4)
    assert sizes.tolist() == [1, 1, 2]
    assert ak.GroupBy(ak.array([0, 0, 1, 1])).nunique(addresses)[1].tolist() == [2, 2]


VALUES = {
    "int64": st.integers(-3, 3),
    "float64": st.sampled_from([0.5, -1.0, np.nan, np.inf]),
    "bool": st.booleans(),
    "str": st.sampled_from(["a", "", "bb", "é"]),
}


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_unique_values_of_groups_are_those_of_pandas(kind, data):
    rows = data.draw(st.lists(st.tuples(st.integers(0, 3), VALUES[kind]), min_size=1, max_size=30))
    keys, values = (list(column) for column in zip(*rows, strict=True))
    lengths = [len(rows) // 2, len(rows) - len(rows) // 2]
    groups = ak.GroupBy(partitioned(np.array(keys), lengths))
    found = of_any_type(
        groups, "unique", partitioned(np.array(values, dtype=None if kind == "str" else kind), lengths)
    )[1]
    assert isinstance(found, ak.SegArray)
    wanted = pd.DataFrame({"k": keys, "v": values}).groupby("k")["v"].unique()
    ascending = [np.sort(np.asarray(part, dtype=None if kind == "str" else kind)) for part in wanted]
    for got, expected in zip(found.tolist(), ascending, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_unique_labels_of_groups_are_given_as_text():
    labels = ak.Categorical(ak.array(["b", "a", "b", "c"]))
    assert of_any_type(ak.GroupBy(ak.array([1, 1, 0, 0])), "unique", labels)[1].tolist() == [["b", "c"], ["a", "b"]]
    df = ak.DataFrame({"k": [1, 1, 0], "x": [2, 1, 5]})
    assert df.groupby("k").unique("x")["x"].tolist() == [[5], [1, 2]]


def test_lists_are_no_keys_and_labels_have_no_median():
    lists = ak.SegArray(ak.array([0, 1]), ak.array([1, 2, 3]))
    with pytest.raises(ArgumentTypeError, match="not grouped by lists"):
        ak.GroupBy(lists)
    with pytest.raises(ArgumentTypeError, match="median of groups does not take"):
        ak.GroupBy(ak.array([1, 1])).median(ak.Categorical(ak.array(["a", "b"])))


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=20), st.integers(1, 3))
def test_extremes_of_bools_are_bools(rows, count):
    keys, flags = zip(*rows, strict=True)
    groups = ak.GroupBy(in_parts(keys, count))
    lazy = in_parts(np.array(flags), count)
    for name, reduction in (("min", min), ("max", max)):
        found = groups.aggregate(lazy, name)[1]
        assert found.dtype == np.bool_
        assert found.tolist() == list(map(reduction, parts_of(keys, flags)))


def test_columns_that_a_reduction_does_not_take_are_left_out_unless_they_are_asked_for():
    numbers = {"i": [1, 2], "f": [0.5, 1.5], "b": [True, False]}
    frame = ak.DataFrame({"k": [0, 0], "s": ["a", "b"], "big": ak.array([2**70, 1], dtype="bigint"), **numbers})
    groups = frame.groupby("k")
    assert groups.max().columns == ["big", "i", "f", "b"]
    assert groups.mean().columns == ["i", "f", "b"]
    assert groups.or_().columns == ["big", "i"]
    with pytest.raises(ArgumentTypeError, match="mean"):
        groups.mean(["big"])
