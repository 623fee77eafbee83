"""Joins by exchange split both sides into buckets, where rows with equal keys meet."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from akdask.columns.table import Table
from akdask.operators.join import tuning
from akdask.operators.join.plan import POSITION, HashBucket, _left_sides, heavy_keys, split_left, split_right
from akdask.operators.keys.hashing import hash_rows


def table_of(keys):
    return Table({"k": np.array(keys), "x": np.arange(len(keys)) * 10}, len(keys))


def hashes_of(*keys):
    return hash_rows([np.array(keys)])


@pytest.mark.few_rows_only
@pytest.mark.parametrize(("few", "count", "expected"), [(4, 8, [7]), (60, 8, []), (4, 1000, [7, 8, 9]), (60, 2, [])])
def test_keys_with_more_rows_than_two_buckets_are_heavy_unless_they_are_few(monkeypatch, few, count, expected):
    monkeypatch.setattr(tuning, "FEW_SAMPLED", few)
    # Of 200 rows, 8 buckets have 25 each.
    keys = [7] * 51 + [8] * 50 + [9] * 5 + [10] * 4 + list(range(100, 190))
    found = heavy_keys([table_of(keys)], ["k"], count)
    assert sorted(found.tolist()) == sorted(hashes_of(*expected).tolist() if expected else [])


@pytest.mark.few_rows_only
def test_keys_of_many_rows_are_sampled_and_those_of_none_are_not_heavy(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_ROWS", 40)
    assert heavy_keys([table_of([7] * 200)], ["k"], 4).tolist() == hashes_of(7).tolist()
    # Twelve of forty sampled rows are few.
    assert heavy_keys([table_of(list(range(140)) + [7] * 60)], ["k"], 100).tolist() == []
    assert heavy_keys([table_of(np.empty(0, int))], ["k"], 4).tolist() == []


@pytest.mark.parametrize("block_rows", [3, 100])
def test_rows_of_heavy_keys_stay_together_on_the_left_and_go_everywhere_on_the_right(monkeypatch, block_rows):
    monkeypatch.setattr(tuning, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(tuning, "SLICE_ROWS", 1)
    keys, heavy = [7, 1, 7, 2, 3, 4, 7, 5], hashes_of(7)
    lefts = split_left((table_of(keys), heavy), 5, ("k",), 3, None)
    rights = split_right((table_of(keys), heavy), ("k",), 3, None)
    light = {}
    for number in range(3):
        for part in lefts[number]:
            ((origin, nrows, count),) = part.origins
            assert (origin, nrows, count) == (5, len(keys), part.table.nrows)
            positions = part.table.columns[POSITION].tolist()
            assert part.table.columns["k"].tolist() == [keys[row] for row in positions]
            assert part.table.columns["x"].tolist() == [10 * row for row in positions]
            light |= dict.fromkeys(positions, number)
        assert not any(part.origins for part in rights[number])
        here = sorted(row // 10 for part in rights[number] for row in part.table.columns["x"].tolist())
        assert [row for row in here if keys[row] == 7] == [0, 2, 6]
        assert [row for row in here if keys[row] != 7] == [
            row for row, bucket in sorted(light.items()) if bucket == number and keys[row] != 7
        ]
    assert sorted(light) == list(range(len(keys)))
    # The partition with number 5 has the last of three buckets.
    assert [light[row] for row in (0, 2, 6)] == [2, 2, 2]


def test_small_parts_of_the_left_side_are_looked_up_together(monkeypatch):
    monkeypatch.setattr(tuning, "PAIRS", 5)
    parts = [HashBucket(table_of(range(n)), ((number, 9, n),)) for number, n in enumerate([2, 3, 1, 6, 2])]
    found = list(_left_sides([HashBucket(table_of([1])), *parts]))
    assert [[count for *_, count in side.origins] for side in found] == [[2, 3], [1], [6], [2]]
    assert found[0].table.columns["k"].tolist() == [0, 1, 0, 1, 2]
    assert all(sys.getsizeof(side) >= 16 * side.table.nrows for side in found)
    assert list(_left_sides([HashBucket(table_of([1]))])) == []
