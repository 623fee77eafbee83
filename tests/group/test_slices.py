"""Rows are cut into slices, and tables into ranges, at ascending keys; each has about as many rows as the others."""

from __future__ import annotations

import bisect
import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.operators.group import tuning
from akdask.operators.group.grouping import Grouping, RadixSlices, SortedSlices
from akdask.operators.group.radix import _slot_numbers
from akdask.operators.group.strategies import KeySplitters

SHUFFLED = np.random.default_rng(5).permutation(1024)
ROWS = np.arange(1024)

# What slices are numbered by are the leading 6 of 10 bits.
KEYS = {
    "one key": [SHUFFLED - 500],
    "several keys": [SHUFFLED >> 8, SHUFFLED & 255],
    "a key of no bits": [SHUFFLED * 0 + 3, SHUFFLED.astype(np.uint64)],
    "a key that fits no more": [SHUFFLED, np.where(ROWS % 2, 2**63 - 1, -(2**63))],
}


@pytest.mark.parametrize("block_rows", [100, 2**17])
def test_rows_of_a_slice_have_the_same_leading_bits_and_keep_their_order(monkeypatch, block_rows):
    monkeypatch.setattr(tuning, "SLICE_ROWS", 32)
    monkeypatch.setattr(tuning, "BLOCK_ROWS", block_rows)
    for keys in KEYS.values():
        slices = RadixSlices.of(keys)
        wanted = [ROWS[number == SHUFFLED >> 4].tolist() for number in range(64)]
        text = pa.array(ROWS.astype(str), pa.large_string())
        found = slices.slices([ROWS, text])
        assert [rows.tolist() for rows, _ in found] == wanted
        assert [[int(row) for row in rows.to_pylist()] for _, rows in found] == wanted
        assert slices.rows(7).tolist() == wanted[7]
        assert slices.nbytes == 2 * 1024 + 8 * 65


def test_few_rows_or_keys_are_not_cut(monkeypatch):
    monkeypatch.setattr(tuning, "SLICE_ROWS", 32)
    assert RadixSlices.of([SHUFFLED[:64]]) is not None
    assert RadixSlices.of([SHUFFLED[:63]]) is None
    assert RadixSlices.of([SHUFFLED % 128]) is not None
    assert RadixSlices.of([SHUFFLED % 64]) is None
    assert SortedSlices.of(ROWS[:64], [64]) is not None
    assert SortedSlices.of(ROWS[:63], [63]) is None


@given(st.lists(st.lists(st.integers(0, 99), max_size=80), min_size=1, max_size=4))
def test_slices_of_sorted_runs_have_ascending_keys_and_all_rows(runs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "SLICE_ROWS", 16)
        runs = [sorted(run) for run in runs]
        keys = np.array([key for run in runs for key in run], np.int64)
        slices = SortedSlices.of(keys, list(map(len, runs)))
        if slices is None:
            assert len(keys) < 32
            return
    found = [part.tolist() for (part,) in slices.slices([np.arange(len(keys))])]
    assert sorted(row for part in found for row in part) == list(range(len(keys)))
    assert all(keys[before].max() < keys[after].min() for before, after in itertools.pairwise(found))
    assert all(part == sorted(part) for part in found)
    if len(runs) == 1 and len(set(runs[0])) == len(keys):
        assert max(map(len, found)) < 32


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
