from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from akdask.operators.reduce import loops
from akdask.operators.reduce.histogram import add_numbered, bin_edges, bins_between, count_in_bins

FLOATS = arrays("f8", st.integers(0, 40), elements=st.floats(-2, 2) | st.sampled_from([np.nan, np.inf, -np.inf]))
INTEGERS = arrays("i8", st.integers(0, 40), elements=st.integers(-3, 3))
EDGES = st.tuples(st.sampled_from([-1.0, -1e-300, 0.3]), st.sampled_from([0.4, 1.0, 2.0]), st.integers(1, 12)).map(
    lambda drawn: bin_edges(*drawn)
)


def counted(count, columns, edges, *how):
    counts = np.zeros(np.prod([len(bounds) - 1 for bounds in edges]), np.int64)
    count(counts, columns, edges, *how)
    return counts.tolist()


@given(FLOATS | INTEGERS, st.sampled_from([0.1, 1.0, 2.0]), st.integers(1, 12))
def test_bins_of_equal_width_are_counted_as_any_bins_are(column, high, bins):
    edges = [bin_edges(-1, high, bins)]
    assert counted(count_in_bins, [column], edges) == counted(add_numbered, [column], edges, bins_between)


@given(FLOATS | INTEGERS, FLOATS, EDGES, EDGES)
@example(np.array([0.1, 0.3]), np.array([0.7, 1.0]), bin_edges(0, 1, 10), bin_edges(0, 1, 10))
@example(np.array([0, 5e-324]), np.array([1e16, 1e16 + 4]), bin_edges(0, 5e-324, 1), bin_edges(1e16, 1e16 + 4, 2))
def test_pairs_are_counted_alike_by_steps_by_edges_and_by_numpy(x, y, x_edges, y_edges):
    rows = min(len(x), len(y))
    columns, edges = [x[:rows], y[:rows]], [x_edges, y_edges]
    finite = np.isfinite(columns).all(axis=0)
    wanted = np.histogram2d(*(column[finite] for column in columns), edges)[0].ravel().tolist()
    assert counted(add_numbered, columns, edges, bins_between) == wanted
    assert counted(count_in_bins, columns, edges) == wanted


def test_counts_add_to_those_of_rows_before():
    counts = np.array([1, 0, 0, 5])
    edges = bin_edges(0, 2, 2)
    count_in_bins(counts, [np.array([0, 2]), np.array([0, 2])], [edges, edges])
    assert counts.tolist() == [2, 0, 0, 6]


@pytest.mark.parametrize("bins", [1, 7])
def test_bins_over_all_of_float64_are_counted(bins):
    edges = [np.linspace(-8e307, 8e307, bins + 1), np.array([0.0, 1.0])]
    rows = np.array([-8e307, 0, 8e307])
    assert sum(counted(count_in_bins, [rows, np.zeros(3)], edges)) == 3


def test_loops_refuse_bins_that_have_no_counts():
    edges, rows = np.array([0.0, 1.0, 2.0]), np.zeros(3)
    with pytest.raises(ValueError, match="other lengths"):
        loops.add_pairs(np.zeros(3, np.int64), rows, rows, edges, edges)
    with pytest.raises(ValueError, match="no bins"):
        loops.add_pairs(np.zeros(4, np.int64), rows, rows, edges[:1], edges)
