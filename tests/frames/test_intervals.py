from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths

DTYPES = ["i8", "u8", "f8", "O"]


@st.composite
def problems(draw, ndim, in_order):
    """Values and intervals as rows of tuples, and numbers that break ties or None."""
    item = st.tuples(*[st.integers(0, 6)] * ndim)
    pairs = draw(st.lists(st.tuples(item, item), max_size=7))
    if in_order:
        pairs = sorted(tuple(sorted(pair)) for pair in pairs)
    else:
        pairs = [tuple(zip(*map(sorted, zip(*pair, strict=True)), strict=True)) for pair in pairs]
    numbers = st.lists(st.integers(0, 2), min_size=len(pairs), max_size=len(pairs))
    return draw(st.lists(item, max_size=9)), pairs, draw(st.none() | numbers)


def best(intervals, holds, tiebreak):
    """The number of the best interval that holds a value."""
    held = [number for number, interval in enumerate(intervals) if holds(*interval)]
    return min(held, key=lambda number: (tiebreak[number] if tiebreak else 0, number), default=-1)


def columns(rows, ndim, dtype, lengths=None):
    """Lazy arrays of the columns of rows."""
    items = [[row[number] for row in rows] for number in range(ndim)]
    if dtype == "O":
        return [
            ak.array([2**70 * item for item in column] or np.array([], np.int64)).astype(ak.bigint) for column in items
        ]
    plain = {str(number): np.array(column, dtype) for number, column in enumerate(items)}
    arrays = MemorySource(plain, [len(rows)] if lengths is None else lengths).arrays()
    return [arrays[name] for name in plain]


def bounds_of(pairs, ndim, dtype):
    return tuple(columns([pair[end] for pair in pairs], ndim, dtype) for end in (0, 1))


@given(st.data(), problems(1, in_order=True), st.sampled_from(DTYPES))
def test_values_are_found_in_the_best_interval(data, problem, dtype):
    vals, pairs, tiebreak = problem
    (lazy,) = columns(vals, 1, dtype, data.draw(partition_lengths(len(vals))))
    (low,), (high,) = bounds_of(pairs, 1, dtype)
    ties = None if tiebreak is None else columns([(item,) for item in tiebreak], 1, "f8")[0]
    found = ak.search_intervals(lazy, (low, high), ties)
    wanted = [best(pairs, lambda one, two, val=val: one <= val <= two, tiebreak) for val in vals]
    assert_equal(found, np.array(wanted, np.int64))


@given(st.data(), problems(2, in_order=True), st.sampled_from(DTYPES))
def test_rows_are_compared_by_the_first_array_first(data, problem, dtype):
    vals, pairs, tiebreak = problem
    lazy = columns(vals, 2, dtype, data.draw(partition_lengths(len(vals))))
    ties = None if tiebreak is None else ak.array(np.array(tiebreak, np.int64))
    found = ak.search_intervals(lazy, bounds_of(pairs, 2, dtype), ties)
    wanted = [best(pairs, lambda one, two, val=val: one <= val <= two, tiebreak) for val in vals]
    assert found.tolist() == wanted


@given(st.data(), problems(2, in_order=False))
def test_rows_are_found_in_boxes(data, problem):
    vals, pairs, tiebreak = problem
    lazy = columns(vals, 2, "i8", data.draw(partition_lengths(len(vals))))
    ties = None if tiebreak is None else ak.array(np.array(tiebreak, np.int64))
    found = ak.search_intervals(lazy, bounds_of(pairs, 2, "i8"), ties, hierarchical=False)

    def holds(low, high, val):
        return all(one <= item <= two for one, item, two in zip(low, val, high, strict=True))

    wanted = [best(pairs, lambda low, high, val=val: holds(low, high, val), tiebreak) for val in vals]
    assert found.tolist() == wanted


def test_nan_and_infinities_have_their_places():
    vals = ak.array([np.nan, -np.inf, 0.5, np.inf])
    assert ak.search_intervals(vals, (ak.array([-np.inf, 0.5]), ak.array([0.0, np.inf]))).tolist() == [-1, 0, 1, 1]


def test_membership_in_intervals():
    vals, intervals = ak.array([3, 8, 20]), (ak.array([0, 5, 9]), ak.array([3, 7, 12]))
    assert_equal(ak.in1d_intervals(vals, intervals), [True, False, False], lazy=True)
    assert ak.in1d_intervals(vals, intervals, symmetric=True)[1].tolist() == [True, False, False]


def test_values_of_intervals_are_looked_up():
    keys, arguments = (ak.array([0, 5]), ak.array([3, 9])), ak.array([1, 4, 9])
    assert_equal(ak.interval_lookup(keys, ak.array([1.5, 2.5]), arguments, fillvalue=np.nan), [1.5, np.nan, 2.5])
    assert ak.interval_lookup(keys, ak.array(["a", "b"]), arguments, fillvalue="-").tolist() == ["a", "-", "b"]
    labels = ak.Categorical(ak.array(["x", "y"]))
    assert ak.interval_lookup(keys, labels, arguments).tolist() == ["x", "N/A", "y"]
    ties = ak.interval_lookup((ak.array([0, 1]), ak.array([9, 9])), [1, 2], ak.array([5]), tiebreak=ak.array([1, 0]))
    assert ties.tolist() == [2]
    with pytest.raises(AlignmentError):
        ak.interval_lookup(keys, ak.array([1, 2, 3]), arguments)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ([0, 5], [3, 4], "upper bounds"),
        ([5, 0], [6, 3], "ascending order"),
        ([0.0, np.nan], [1.0, 2.0], "is NaN"),
    ],
)
def test_wrong_intervals_are_refused(low, high, message):
    vals = ak.array(np.array([1], np.array(low).dtype))
    with pytest.raises(ArgumentError, match=message):
        ak.search_intervals(vals, (ak.array(low), ak.array(high)))


def test_boxes_come_in_any_order():
    low, high, vals = ak.array([5, 0]), ak.array([6, 3]), ak.array([1])
    assert ak.search_intervals([vals, vals], ([low, low], [high, high]), hierarchical=False).tolist() == [1]


def test_intervals_of_other_kinds_than_the_values_are_refused():
    vals, bound = ak.array([1]), ak.array([0])
    with pytest.raises(ArgumentTypeError, match="numbers of one type"):
        ak.search_intervals(vals, (bound, ak.array([1.5])))
    with pytest.raises(ArgumentTypeError, match="numbers of one type"):
        ak.search_intervals(ak.array(["a"]), (ak.array(["a"]), ak.array(["b"])))
    with pytest.raises(ArgumentTypeError, match="as many arrays"):
        ak.search_intervals([vals, vals], ([bound], [bound]))
    with pytest.raises(ArgumentError, match="not 3 sets"):
        ak.search_intervals(vals, (bound, bound, bound))
