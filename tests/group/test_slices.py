"""Rows are cut into slices, and tables into ranges, at ascending keys; each has about as many rows as the others."""

from __future__ import annotations

import bisect

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.operators.group import tuning
from akdask.operators.group.grouping import Grouping, RadixSlices
from akdask.operators.group.radix import _slot_numbers
from akdask.operators.group.strategies import KeySplitters

SHUFFLED = np.random.default_rng(5).permutation(1024)
ROWS = np.arange(1024)


def test_rows_of_a_slice_have_the_same_leading_bits_and_keep_their_order(monkeypatch):
    monkeypatch.setattr(tuning, "SLICE_ROWS", 32)
    monkeypatch.setattr(tuning, "FEWEST_SLICED_ROWS", 64)
    monkeypatch.setattr(tuning, "FEW_SLOTS", 64)
    # Slices are the leading 6 of 10 bits, of words that begin anywhere.
    for least in (0, 2**10, 2**64 - 2**10):
        slices = RadixSlices.of(SHUFFLED.astype(np.uint64) + np.uint64(least))
        wanted = [ROWS[number == SHUFFLED >> 4].tolist() for number in range(64)]
        assert slices.bounds.tolist() == list(range(0, 1025, 16))
        assert slices.partitioned(ROWS).reshape(64, 16).tolist() == wanted
        text = pa.array(ROWS.astype(str), pa.large_string())
        in_order = [row for rows in wanted for row in rows]
        assert list(map(int, slices.partitioned(text).to_pylist())) == slices.rows().tolist() == in_order
        assert slices.rows_of(7).tolist() == wanted[7]
        assert slices.nbytes == 2 * 1024 + 8 * 65


def test_slices_begin_where_leading_bits_change_and_not_at_the_least_word(monkeypatch):
    monkeypatch.setattr(tuning, "SLICE_ROWS", 32)
    monkeypatch.setattr(tuning, "FEWEST_SLICED_ROWS", 64)
    monkeypatch.setattr(tuning, "FEW_SLOTS", 64)
    words = SHUFFLED.astype(np.uint64) + np.uint64(13)
    slices = RadixSlices.of(words)
    assert slices.bounds.tolist() == [0, 3, *range(19, 1024, 16), 1024]
    assert (np.diff(slices.partitioned(words) >> np.uint64(4)).astype(np.int64) >= 0).all()


def test_few_rows_or_keys_are_not_cut(monkeypatch):
    monkeypatch.setattr(tuning, "SLICE_ROWS", 32)
    monkeypatch.setattr(tuning, "FEWEST_SLICED_ROWS", 64)
    monkeypatch.setattr(tuning, "FEW_SLOTS", 64)
    words = SHUFFLED.astype(np.uint64)
    assert RadixSlices.of(words[:64]) is not None
    assert RadixSlices.of(words[:63]) is None
    assert RadixSlices.of(words % 128) is not None
    assert RadixSlices.of(words % 64) is None
    monkeypatch.setattr(tuning, "FEW_SLOTS", 1024)
    assert RadixSlices.of(words) is None


PAIRS = st.tuples(st.text("abé", max_size=3), st.integers(0, 3))


@given(st.lists(PAIRS, max_size=40), st.lists(PAIRS, max_size=5), st.booleans())
def test_ranges_of_several_keys_begin_where_bisection_of_the_rows_says(rows, splitters, text_first):
    def ordered(pairs):
        in_bytes = [(text.encode(), number) for text, number in pairs]
        return sorted(in_bytes if text_first else [pair[::-1] for pair in in_bytes])

    rows, splitters, count = ordered(rows), ordered(splitters), len(splitters) + 2
    place = 0 if text_first else 1
    columns = [
        pa.array([row[at].decode() for row in rows], pa.large_string())
        if at == place
        else np.array([row[at] for row in rows], np.int64)
        for at in range(2)
    ]
    table = Table(dict(enumerate(columns)), len(rows))
    bounds = [0, *(bisect.bisect_left(rows, splitter) for splitter in splitters), len(rows), len(rows)]
    assert KeySplitters(splitters).bounds(table, count, 2).tolist() == bounds
    assert [part.nrows for part in KeySplitters(splitters).split_table(table, count, 2)] == np.diff(bounds).tolist()


@pytest.mark.parametrize("slice_rows", [2**16, 32])
def test_a_grouping_tells_how_much_memory_it_takes(monkeypatch, slice_rows):
    monkeypatch.setattr(tuning, "SLICE_ROWS", slice_rows)
    monkeypatch.setattr(tuning, "FEWEST_SLICED_ROWS", slice_rows)
    of_slices = 0 if slice_rows == 2**16 else 2 * 1024 + 8 * 65
    # The number of each row, and the size and the key of each group.
    assert Grouping([SHUFFLED * 2**40]).nbytes == 1024 * (4 + 8 + 8) + of_slices
    assert Grouping([SHUFFLED // 2 * 2**40]).nbytes == 1024 * 4 + 512 * (8 + 8) + of_slices
    # Close keys are not cut; the slot of each row, the size of each slot, and the slot and the key of each group.
    slots = SHUFFLED // 2 * 2
    assert Grouping([slots]).nbytes == 1024 * 8 + 1023 * 8 + 512 * (8 + 8)


def test_numbers_of_slots_that_slices_share_cannot_be_changed():
    assert _slot_numbers(3).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        _slot_numbers(3)[0] = 1
