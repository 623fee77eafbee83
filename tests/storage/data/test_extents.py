import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.storage.ranges import split_rows


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(1, 16), st.integers(1, 200))
def test_row_ranges_cover_every_row_of_every_file_once_and_in_order(rows, width, limit):
    lengths = np.array(rows)
    ranges = split_rows(lengths, lengths * width, limit)
    covered = [(f, r) for f, a, b in zip(ranges.files, ranges.starts, ranges.stops, strict=True) for r in range(a, b)]
    assert covered == [(f, r) for f, n in enumerate(rows) for r in range(n)]
    assert set(ranges.files.tolist()) == set(range(len(rows)))


@given(st.integers(1, 1000), st.integers(8, 100))
def test_no_range_of_fixed_width_rows_is_much_larger_than_the_limit(rows, limit):
    ranges = split_rows(np.array([rows]), np.array([rows * 8]), limit)
    assert (ranges.lengths * 8 < limit + 8).all()


def test_small_files_are_one_partition_each_also_without_rows():
    assert split_rows(np.array([3, 0, 2]), np.array([24, 0, 16]), 24).lengths.tolist() == [3, 0, 2]
