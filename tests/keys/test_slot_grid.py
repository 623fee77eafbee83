"""Slots of all combinations of integer keys, beside those that NumPy numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.keys.keys import SlotGrid

DTYPES = ("int64", "uint64", "int32", "int8", "uint8", "bool")


@st.composite
def keys(draw):
    """Some rows of one to three keys, most of them close to each other, the extremes of their types included."""
    rows = draw(st.integers(1, 8))
    found = []
    are_far = draw(st.booleans())
    for dtype in draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3)):
        least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        low = draw(st.sampled_from([least, max(least, -2), max(most - 4, least)]))
        # Distances of numbers of eight bits do not fit a number of eight bits with a sign.
        high = most if dtype in {"int8", "uint8"} and are_far else min(low + 4, most)
        values = st.integers(low, high)
        found.append(np.array(draw(st.lists(values, min_size=rows, max_size=rows)), dtype))
    return found


def distances(grid, columns):
    """Return the distances of each key from the lowest, in integers of any size."""
    return [
        np.array([int(value) - low for value in column], object) for column, low in zip(columns, grid.lows, strict=True)
    ]


@given(keys(), st.booleans())
def test_slots_are_numbered_in_the_order_of_the_keys(columns, has_bits):
    before = [column.copy() for column in columns]
    grid = SlotGrid.around(columns)
    assert grid.lows == tuple(int(column.min()) for column in columns)
    if has_bits:
        smallest, grid = grid, grid.with_bits()
        assert all(size <= bits < 2 * size for size, bits in zip(smallest.sizes, grid.sizes, strict=True))
    wanted = np.ravel_multi_index([part.astype(int) for part in distances(grid, columns)], grid.sizes)
    assert grid.codes(columns).tolist() == wanted.tolist()
    assert all(map(np.array_equal, columns, before))
    back = grid.keys(wanted, [column.dtype for column in columns])
    assert [column.dtype for column in back] == [column.dtype for column in columns]
    assert all(map(np.array_equal, columns, back))


@given(keys(), st.data())
def test_rows_outside_of_a_grid_have_the_slot_behind_the_last(columns, data):
    some = data.draw(st.integers(1, len(columns[0])))
    grid = SlotGrid.around([column[:some] for column in columns])
    parts = distances(grid, columns)
    inside = np.all([(part >= 0) & (part < size) for part, size in zip(parts, grid.sizes, strict=True)], axis=0)
    slots = np.ravel_multi_index([part[inside].astype(int) for part in parts], grid.sizes)
    wanted = np.full(len(inside), grid.nslots)
    wanted[inside] = slots
    assert grid.codes_within(columns).tolist() == wanted.tolist()
    words, low = grid.offset_codes(columns)
    assert np.minimum(words - low, np.uint64(grid.nslots)).tolist() == wanted.tolist()


@given(keys(), st.data())
def test_grids_are_united_to_that_of_all_rows(columns, data):
    cut = data.draw(st.integers(1, len(columns[0])))
    one, other = (SlotGrid.around([column[rows] for column in columns]) for rows in (slice(cut), slice(cut - 1, None)))
    both = SlotGrid.around(columns)
    assert one.united(other) == other.united(one) == both
    assert both.covers(one)
    assert one.covers(other) == (one == both)


@pytest.mark.parametrize("last", [0, 1])
def test_grids_of_too_many_slots_are_none(last):
    columns = [np.arange(200) // 100, np.append(np.arange(199) % 5, 4 + last)]
    grid = SlotGrid.within(columns, 10)
    assert (grid is None) == bool(last)
    assert last or grid == SlotGrid((0, 0), (2, 5))
    assert SlotGrid.within([np.arange(200.0)], 10) is None


def test_keys_that_are_no_integers_have_no_grid():
    assert SlotGrid.around([np.array([1.0])]) is None
    assert SlotGrid.around([np.array([True, False])]) == SlotGrid((0,), (2,))


@given(keys(), st.data())
def test_grids_that_grow_hold_both_and_room_within_the_type_on_the_side_that_grows(columns, data):
    cut, most = data.draw(st.integers(1, len(columns[0]))), data.draw(st.integers(1, 12))
    one, other = (SlotGrid.around([column[rows] for column in columns]) for rows in (slice(cut), slice(cut - 1, None)))
    both = one.united(other)
    grown = one.grown_by(both, columns[0].dtype, most)
    assert grown.covers(both)
    if len(columns) > 1 or columns[0].dtype == bool or both.nslots >= most:
        assert grown == both
        return
    bounds = np.iinfo(columns[0].dtype)
    (low,), (size,), (least,), (slots,) = grown.lows, grown.sizes, both.lows, both.sizes
    downwards = least < one.lows[0]
    there = least - int(bounds.min) if downwards else int(bounds.max) - (least + slots - 1)
    assert size - slots == min(one.nslots, most - slots, there)
    assert low == least - (size - slots if downwards else 0)


@pytest.mark.parametrize("low", [0, 1, -2])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8, np.bool_])
def test_columns_of_the_caller_stay_as_they_are(low, dtype):
    first = np.array([0, 1, 1, 0]) + (low if dtype == np.int64 else 0)
    columns = [first.astype(dtype), np.array([3, 0, 2, 1]), np.array([0, 1, 0, 1])]
    before = [column.copy() for column in columns]
    grid = SlotGrid.around(columns)
    wanted = np.ravel_multi_index([first - first.min(), columns[1], columns[2]], (2, 4, 2)).tolist()
    for _ in range(2):
        assert grid.codes(columns).tolist() == grid.codes_within(columns).tolist() == wanted
    np.testing.assert_equal(columns, before)
