"""Rows that are assigned to, lists, and ranges: NumPy and Python are the reference, whatever the partitions."""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.alignment import rows_at_most
from akdask.errors import ArgumentError, PositionError
from akdask.testing.strategies import DTYPES, columns, partition_lengths, partitioned


@st.composite
def assigned(draw):
    """A column of at least one row in some partitions, positions in it from either end, and an item for each."""
    dtype = draw(st.sampled_from(DTYPES))
    plain = draw(columns(dtype, draw(st.integers(1, 12))))
    positions = draw(st.lists(st.integers(-len(plain), len(plain) - 1), max_size=8))
    return (
        plain,
        draw(partition_lengths(len(plain))),
        np.array(positions, np.int64),
        draw(columns(dtype, len(positions))),
    )


def changed(plain, key, items):
    """Return what NumPy makes of an assignment, text of any length included."""
    wide = np.concatenate([plain, items])[: len(plain)]
    wide[key] = items
    return wide


@given(assigned(), st.data())
def test_items_are_put_at_positions_where_numpy_puts_them(drawn, data):
    plain, lengths, positions, items = drawn
    if len(positions):
        lazy = partitioned(plain, lengths)
        lazy[partitioned(positions, data.draw(partition_lengths(len(positions))))] = ak.array(items)
        np.testing.assert_array_equal(lazy.to_ndarray(), changed(plain, positions, items))


@given(assigned(), st.data())
def test_one_item_is_put_at_all_positions_and_what_was_derived_stays(drawn, data):
    plain, lengths, positions, items = drawn
    if len(positions):
        lazy = partitioned(plain, lengths)
        derived, before = lazy[::-1], lazy.copy()
        changes = [(positions, items[0]), (positions[:1], items[-1]), (positions[::2], items[0])]
        expected = plain
        for rows, item in changes:
            key = partitioned(rows, data.draw(partition_lengths(len(rows))))
            lazy[key] = item.item()
            expected = changed(expected, rows, np.array([item] * len(rows)))
        np.testing.assert_array_equal(lazy.to_ndarray(), expected)
        np.testing.assert_array_equal(derived.to_ndarray(), plain[::-1])
        np.testing.assert_array_equal(before.to_ndarray(), plain)


@given(assigned(), st.data())
def test_items_are_put_at_positions_of_computed_and_joined_rows(drawn, data):
    plain, lengths, positions, items = drawn
    if len(positions) and plain.dtype.kind in "if":
        part = partitioned(plain, lengths)
        both = ak.concatenate([part + part, part])
        double = ak.concatenate([both, both])
        with np.errstate(over="ignore"):
            expected = np.concatenate([plain + plain, plain] * 2)
        double[ak.array(positions)] = ak.array(items)
        expected[positions] = items
        kept = double[~np.isnan(double)]
        np.testing.assert_array_equal(double.to_ndarray(), expected)
        np.testing.assert_array_equal((double + 1).to_ndarray(), expected + 1)
        np.testing.assert_array_equal(kept.to_ndarray(), expected[~np.isnan(expected)])


@given(assigned(), st.slices(12), st.data())
def test_one_item_is_put_into_a_slice(drawn, rows, data):
    plain, lengths, _, items = drawn
    if len(items):
        lazy = partitioned(plain, lengths)
        lazy[rows] = items[0].item()
        expected = changed(plain, rows, np.array([items[0]] * len(plain[rows])))
        np.testing.assert_array_equal(lazy.to_ndarray(), expected)
        kept = partitioned(plain, lengths)
        kept[rows] = items[0].item()
        mask = np.arange(len(plain)) % 3 == 1
        np.testing.assert_array_equal(kept[ak.array(mask)].to_ndarray(), expected[mask])


@pytest.mark.parametrize("wrong", [2**64 - 1, 2**63, 6])
def test_positions_may_be_unsigned(wrong):
    lazy = partitioned(np.arange(6), [2, 0, 4])
    lazy[ak.array(np.array([5, 0, 5], np.uint64))] = ak.array([7, 8, 9])
    assert lazy.tolist() == [8, 1, 2, 3, 4, 9]
    lazy[ak.array(np.array([0, wrong], np.uint64))] = 3
    with pytest.raises(PositionError, match=f"position {wrong} is outside an array of 6 rows"):
        lazy.to_ndarray()


@given(assigned(), st.data())
def test_items_are_put_where_a_mask_holds(drawn, data):
    plain, lengths, positions, items = drawn
    mask = np.zeros(len(plain), np.bool_)
    mask[positions] = True
    items = items[: mask.sum()]
    if len(items):
        lazy = partitioned(plain, lengths)
        lazy[partitioned(mask, lengths)] = partitioned(items, data.draw(partition_lengths(len(items))))
        np.testing.assert_array_equal(lazy.to_ndarray(), changed(plain, mask, items))


@pytest.mark.parametrize("wrong", [6, -7])
def test_items_are_put_nowhere_outside_of_all_rows(wrong):
    lazy = partitioned(np.arange(6), [2, 0, 4])
    lazy[ak.array([0, wrong, 1])] = ak.array([7, 8, 9])
    with pytest.raises(PositionError, match=f"(?s)position {wrong} is outside an array of 6 rows.*from -6 to 5"):
        lazy.to_ndarray()
    lazy = partitioned(np.arange(6), [2, 0, 4])
    lazy[ak.array([5, -6])] = ak.array([8, 9])
    assert lazy.tolist() == [9, 1, 2, 3, 4, 8]


@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=8), st.data())
def test_lists_are_cut_from_values_and_joined_to_values_again(rows, data):
    flat = [item for row in rows for item in row]
    starts = np.array(list(accumulate(map(len, rows[:-1]), initial=0)))
    values = partitioned(np.array(flat, np.int64), data.draw(partition_lengths(len(flat))))
    lazy = ak.SegArray(partitioned(starts, data.draw(partition_lengths(len(rows)))), values)
    assert lazy.tolist() == rows
    assert lazy.values.tolist() == flat
    assert lazy.segments.tolist() == starts.tolist()
    if flat:
        (first, second), origins = lazy.get_ngrams(2)
        pairs = [(*row[place : place + 2], number) for number, row in enumerate(rows) for place in range(len(row) - 1)]
        assert list(zip(first.tolist(), second.tolist(), origins.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("segments", [[1, 2], [0, 2, 1], [0, 4], [0, -1]])
def test_segments_begin_at_the_first_value_ascend_and_end_with_the_last(segments):
    with pytest.raises(ArgumentError, match=r"segments ascend from 0|the segments do not fit the values"):
        ak.SegArray(ak.array(segments), ak.array([1, 2, 3])).tolist()


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 6)), min_size=1, max_size=8), st.integers(1, 3), st.data())
def test_ranges_are_those_of_python(ranges, stride, data):
    starts, stops = np.array([start for start, _ in ranges]), np.array([start + length for start, length in ranges])
    lengths = data.draw(partition_lengths(len(ranges)))
    begins, numbers = ak.gen_ranges(partitioned(starts, lengths), partitioned(stops, lengths), stride)
    wanted = [range(start, stop, stride) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    assert numbers.tolist() == list(chain.from_iterable(wanted))
    assert begins.tolist() == list(accumulate(map(len, wanted[:-1]), initial=0))


def test_the_plan_tells_how_many_rows_there_are_at_most():
    rows = ak.arange(10)
    few = rows[rows > 3]
    lists = ak.SegArray(rows[rows > 3] - 4, few)
    few[few > 5] = 0
    for found in lists, few:
        assert rows_at_most(found._frame) == 10
