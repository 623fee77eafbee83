"""Values are found in the interval that a search of all intervals finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.bigint import from_ints
from akdask.errors import ArgumentError
from akdask.operators.join.intervals import BoundOrder, interval_index

VALUES = st.integers(-3, 12)


@st.composite
def intervals(draw, width, *, is_line):
    """Return intervals of rows with so many columns, as pairs of bounds, and numbers that choose among them."""
    rows = st.tuples(*[VALUES] * width)
    pairs = draw(st.lists(st.tuples(rows, rows), max_size=8))
    if is_line:
        pairs = sorted((min(pair), max(pair)) for pair in pairs)
    else:
        pairs = [(tuple(map(min, *pair)), tuple(map(max, *pair))) for pair in pairs]
    count = len(pairs)
    return pairs, draw(st.none() | st.lists(st.integers(0, 3), min_size=count, max_size=count))


def columns_of(rows, width):
    return list(np.array(rows, np.int64).reshape(-1, width).T)


def holds(pair, row, *, is_line):
    low, high = pair
    return low <= row <= high if is_line else all(a <= b <= c for a, b, c in zip(low, row, high, strict=True))


@pytest.mark.parametrize(("width", "is_line"), [(2, True), (2, False), (1, True)])
@given(st.data())
def test_the_best_interval_that_holds_a_value_is_found(width, is_line, data):
    pairs, tiebreak = data.draw(intervals(width, is_line=is_line))
    rows = data.draw(st.lists(st.tuples(*[VALUES] * width), max_size=20))
    lows, highs = (columns_of([pair[side] for pair in pairs], width) for side in (0, 1))
    index = interval_index(lows, highs, None if tiebreak is None else np.array(tiebreak, np.int64), as_line=is_line)
    ranks = tiebreak or [0] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda number: (ranks[number], number))
    expected = [next((one for one in order if holds(pairs[one], row, is_line=is_line)), -1) for row in rows]
    assert index.find(columns_of(rows, width)).tolist() == expected


def test_bounds_and_what_lies_between_them_have_ranks():
    wide = from_ints([2**70, 0, 2**70])
    for columns, rows, ranks, size in (
        ([[1, 5, 1]], [[0, 1, 2, 5, 9]], [0, 1, 2, 3, 4], 5),
        ([[0.5, -0.5]], [[-1.0, -0.5, 0.0, 0.5, 1.0]], [0, 1, 2, 3, 4], 5),
        # The bounds are (0, 1), (5, 3) and (5, 4): the second column counts where the first is the same.
        ([[5, 5, 0], [4, 3, 1]], [[-1, 0, 0, 0, 3, 5, 5, 5, 5, 6], [9, 0, 1, 2, 3, 2, 3, 4, 5, 0]],
         [0, 0, 1, 2, 2, 2, 3, 5, 6, 6], 7),
        ([[]], [[3]], [0], 1),
    ):  # fmt: skip
        order = BoundOrder([np.array(column) for column in columns])
        assert order.size == size
        assert order.ranks([np.array(column) for column in rows]).tolist() == ranks
    order = BoundOrder([wide])
    assert (order.ranks([from_ints([-1, 0, 1, 2**70, 2**71])]).tolist(), order.size) == ([0, 1, 2, 3, 4], 5)


@pytest.mark.parametrize(
    ("lows", "highs", "message"),
    [([0, 5], [3, 4], "1 of 2 are, the first is interval 1"), ([5, 0], [6, 1], "ascending"), ([np.nan], [1.0], "NaN")],
)
def test_intervals_that_are_none_or_in_no_order_are_refused(lows, highs, message):
    with pytest.raises(ArgumentError, match=message):
        interval_index([np.array(lows)], [np.array(highs)], None, as_line=True)


@pytest.mark.parametrize("wrong", [0, 1])
def test_boxes_without_room_are_refused(wrong):
    lows, highs = [np.array([0, 5]), np.array([0, 5])], [np.array([3, 6]), np.array([3, 6])]
    highs[wrong][1] = 4
    with pytest.raises(ArgumentError, match="1 of 2 are, the first is interval 1"):
        interval_index(lows, highs, None, as_line=False)


@pytest.mark.parametrize("hierarchical", [True, False])
@pytest.mark.parametrize("tiebreak", [None, [2, 1, 0]])
def test_values_are_looked_up_among_intervals_of_two_columns(hierarchical, tiebreak):
    lows, highs = ([0, 1, 5], [0, 2, 0]), ([4, 9, 9], [9, 9, 3])
    values = [(value, other) for value in range(-1, 11) for other in (0, 2, 9)]
    pairs = list(zip(zip(*lows, strict=True), zip(*highs, strict=True), strict=True))
    order = sorted(range(3), key=lambda number: tiebreak[number] if tiebreak else number)
    expected = [next((one for one in order if holds(pairs[one], row, is_line=hierarchical)), -1) for row in values]
    bounds = tuple([ak.array(column) for column in side] for side in (lows, highs))
    columns = [ak.array(list(column)) for column in zip(*values, strict=True)]
    best = None if tiebreak is None else ak.array(tiebreak)
    assert ak.search_intervals(columns, bounds, tiebreak=best, hierarchical=hierarchical).tolist() == expected


def test_the_least_number_decides_between_intervals_of_floats():
    bounds = ak.array([0.0, 1.0]), ak.array([5.0, 6.0])
    values = ak.array([0.5, 2.5, 5.5, np.nan])
    assert ak.search_intervals(values, bounds).tolist() == [0, 0, 1, -1]
    assert ak.search_intervals(values, bounds, tiebreak=ak.array([1, 0])).tolist() == [0, 1, 1, -1]
