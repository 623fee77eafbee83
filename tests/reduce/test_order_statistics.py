from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.reduce.quantiles import LARGE, order_statistics

SIZES = st.lists(st.integers(0, 40) | st.sampled_from([LARGE - 1, LARGE, 3 * LARGE]), max_size=8)


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
