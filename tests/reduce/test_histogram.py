from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import akdask as ak
from akdask.errors import ArgumentError
from akdask.operators.reduce import loops
from akdask.operators.reduce.histogram import MOST_COUNTS, add_numbered, bin_edges, bins_between, count_in_bins
from akdask.testing.strategies import partition_lengths, partitioned

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


def test_rows_at_edges_and_beside_them_are_counted_as_by_numpy():
    for low, width, bins in product([-1.0, 0.0, 0.1, 1e6], [1, 3.3, 1e-3], [1, 2, 7, 49]):
        edges, few = np.linspace(low, low + width, bins + 1), np.array([0.0, 1.0, 2.0])
        x = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        y = np.resize(edges[[0, -1]], len(x))
        for columns, bounds in (([x, y], [edges, edges]), ([x, y, x - low], [edges, edges, few])):
            wanted = np.histogramdd(columns, bounds)[0].ravel().tolist()
            assert counted(count_in_bins, columns, bounds) == wanted


@given(FLOATS, st.integers(1, 6), st.data())
@settings(max_examples=10)
def test_histograms_of_partitions_are_those_of_numpy(rows, bins, data):
    rows = rows[np.isfinite(rows)]
    if not len(rows):
        return
    other = rows[::-1].copy()
    lengths = data.draw(partition_lengths(len(rows)))
    x, y = partitioned(rows, lengths), partitioned(other, lengths)
    for found, wanted in (
        (ak.histogram(x, bins), np.histogram(rows, bins)),
        (ak.histogram(x, bins, range=(-1, 1.5)), np.histogram(rows, bins, range=(-1, 1.5))),
        (ak.histogram2d(x, y, (bins, 3)), np.histogram2d(rows, other, (bins, 3))),
    ):
        for part, expected in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(part.to_ndarray(), expected)
    counts, edges = ak.histogramdd([x, y, x], (bins, 2, 3))
    wanted_counts, wanted_edges = np.histogramdd([rows, other, rows], (bins, 2, 3))
    np.testing.assert_array_equal(counts.to_ndarray(), wanted_counts)
    for part, expected in zip(edges, wanted_edges, strict=True):
        np.testing.assert_array_equal(part.to_ndarray(), expected)


@given(arrays("i8", st.integers(1, 20), elements=st.integers(0, 9)), st.integers(0, 12), st.data())
def test_numbers_are_counted_as_by_numpy(numbers, fewest, data):
    lengths, weights = data.draw(partition_lengths(len(numbers))), np.arange(len(numbers)) / 4
    lazy = partitioned(numbers, lengths)
    assert ak.bincount(lazy, minlength=fewest).tolist() == np.bincount(numbers, minlength=fewest).tolist()
    found = ak.bincount(lazy, partitioned(weights, lengths), fewest)
    assert found.tolist() == np.bincount(numbers, weights, fewest).tolist()
    for wrong in (-1, MOST_COUNTS):
        with pytest.raises(ArgumentError, match=f"numbers: .*{wrong}"):
            ak.bincount(ak.array([0, wrong])).to_ndarray()


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


def test_bins_further_apart_than_floats_reach_are_counted():
    edges = np.array([-1.7e308, -0.85e308, 0.0, 0.85e308, 1.7e308])
    rows = np.array([-1e308, -1.0, 1.0, 1e308])
    assert counted(count_in_bins, [rows, np.zeros(4)], [edges, np.array([0.0, 1.0])]) == [1, 1, 1, 1]


def test_loops_refuse_bins_that_have_no_counts():
    edges, rows = np.array([0.0, 1.0, 2.0]), np.zeros(3)
    with pytest.raises(ValueError, match="other lengths"):
        loops.add_pairs(np.zeros(3, np.int64), rows, rows, edges, edges)
    with pytest.raises(ValueError, match="no bins"):
        loops.add_pairs(np.zeros(4, np.int64), rows, rows, edges[:1], edges)
