from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.reduce import loops
from akdask.operators.reduce.quantiles import order_statistics

SIZES = st.lists(st.integers(0, 40) | st.sampled_from([127, 400]), max_size=8)


@given(SIZES, st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 1000]))
def test_values_of_two_ranks_are_those_of_sorted_groups(sizes, seed, distinct):
    random = np.random.default_rng(seed)
    groups = [random.integers(0, distinct, size) / 4 for size in sizes]
    values, offsets = np.concatenate([*groups, np.zeros(0)]), np.append(0, np.cumsum(sizes, dtype=np.int64))
    low = np.array([random.integers(0, max(size, 1)) for size in sizes], np.int64)
    high = np.minimum(low + random.integers(0, 2, len(sizes)), np.maximum(np.array(sizes, np.int64) - 1, 0))
    found = order_statistics(values, offsets, low, high)
    for number, group in enumerate(groups):
        if len(group):
            wanted = np.sort(group)[[low[number], high[number]]]
            assert [column[number] for column in found] == wanted.tolist()


@given(st.lists(st.lists(st.integers(0, 99).map(float), max_size=4), max_size=6), st.randoms())
def test_lists_are_copied_in_another_order(lists, random):
    order = random.sample(range(len(lists)), len(lists))
    offsets = np.cumsum([0, *map(len, lists)])
    values = np.array([value for row in lists for value in row], np.float64)
    into = np.cumsum([0, *(len(lists[number]) for number in order)])
    moved = np.zeros(len(values))
    loops.copy_lists(offsets, values, np.array(order, np.int64), into, moved)
    assert moved.tolist() == [value for number in order for value in lists[number]]


def test_loops_refuse_groups_and_ranks_that_are_not_there():
    values, found, no_rank = np.arange(5.0), np.zeros((2, 1)), np.array([3])
    rank = np.array([1])
    for offsets, low, message in ((np.array([0, 6]), rank, "groups"), (np.array([0, 3]), no_rank, "a rank")):
        with pytest.raises(ValueError, match=message):
            loops.select_ranks(values, offsets, low, low, found, 0, 1)
    with pytest.raises(ValueError, match="groups"):
        loops.select_ranks(values, np.array([0, 3]), rank, rank, found, 0, 2)
    with pytest.raises(ValueError, match="a list"):
        loops.copy_lists(np.array([0, 6]), values, np.array([0]), np.array([0, 6]), np.zeros(6))


def test_two_ranks_of_groups_of_any_size_are_found_among_equal_values():
    random = np.random.default_rng(4)
    for size in (1, 2, 15, 16, 17, 40, 300):
        values = random.choice([-np.inf, -1.5, 0.0, 1.0, 2.0, np.inf], 20 * size)
        rows = values.reshape(20, size).copy()
        offsets, low = np.arange(21) * size, random.integers(0, size, 20)
        high = np.minimum(low + 1, size - 1)
        found = np.zeros((2, 20))
        loops.select_ranks(values, offsets, low, high, found, 0, 20)
        rows.sort(axis=1)
        np.testing.assert_array_equal(found, [rows[range(20), low], rows[range(20), high]])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8])
def test_selected_integers_add_up(dtype):
    random = np.random.default_rng(5)
    for rows in (0, 1023, 1024, 5000):
        column, mask = np.full(rows, np.iinfo(dtype).max), random.random(rows) < 0.9
        total = dtype if dtype != np.uint8 else np.uint64
        assert loops.sum_selected(column.astype(dtype), mask) == column[mask].sum(dtype=total)
