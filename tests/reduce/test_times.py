"""Reductions of times: exact integers and fractions are the reference."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import INT64
from akdask.errors import TimeOverflowError
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.operators.reduce.times import times_between
from akdask.testing.strategies import partition_lengths, partitioned

NAT = -(2**63)
FAR = st.integers(-(2**62), 2**62) | st.integers(1_700_000_000_000_000_000, 1_700_000_000_000_000_009)
TIMES = st.lists(st.lists(FAR | st.integers(-9, 9), max_size=5), min_size=1, max_size=4)


def reduced(name, blocks, **params):
    """Return the reduction of blocks of times, merged in order."""
    kernel = ScalarReduction(name, INT64)
    states = [kernel.partial(np.array(block, np.int64)) for block in blocks]
    masked = [
        kernel.partial(np.array([*block, 7], np.int64), np.array([True] * len(block) + [False])) for block in blocks
    ]
    found, other = (kernel.finalize(reduce(kernel.merge, parts), **params) for parts in (states, masked))
    np.testing.assert_array_equal(found, other)
    return found


def truncated(number):
    return abs(number) // 1 * (-1 if number < 0 else 1)


def quantile(rows, q):
    """Return the exact quantile of sorted rows, without the rest of a unit."""
    position = (len(rows) - 1) * q
    low = int(position)
    high = min(low + 1, len(rows) - 1)
    return truncated(rows[low] + (rows[high] - rows[low]) * (position - low))


@given(TIMES)
def test_sums_and_means_are_exact(blocks):
    rows = [row for block in blocks for row in block]
    if not NAT < sum(rows) < -NAT:
        with pytest.raises(TimeOverflowError, match=f"the sum of {len(rows)} spans"):
            reduced("time_sum", blocks)
    else:
        assert reduced("time_sum", blocks) == sum(rows)
    assert reduced("time_mean", blocks) == (truncated(Fraction(sum(rows), len(rows))) if rows else NAT)
    for name in ("time_sum", "time_mean", "time_quantile"):
        assert reduced(name, [*blocks, [5, NAT, NAT]]) == NAT


@given(TIMES, st.sampled_from(["0", "1/10", "3/10", "1/4", "1/3", "1/2", "2/3", "0.99", "1"]).map(Fraction))
def test_quantiles_of_far_times_are_exact(blocks, q):
    # Rows beyond what floats hold.
    blocks = [[min(row + 2**62, 2**63 - 1) if row >= 0 else row - 2**62 + 1 for row in block] for block in blocks]
    rows = sorted(row for block in blocks for row in block)
    if not rows:
        assert reduced("time_quantile", blocks, q=float(q)) == NAT
        return
    assert reduced("time_quantile", blocks, q=float(q)) == quantile(rows, q)
    several = reduced("time_quantile", blocks, q=[0.0, float(q), 1.0])
    assert several.tolist() == [rows[0], quantile(rows, q), rows[-1]]


@given(st.lists(st.integers(-99, 99), min_size=1, max_size=9), st.sampled_from([0, 0.1, 0.25, 0.5, 0.7, 1]))
def test_quantiles_of_near_times_are_those_of_numpy_without_the_rest(rows, q):
    assert reduced("time_quantile", [rows], q=q) == int(np.quantile(np.array(rows, float), q))
    assert reduced("time_quantile", [rows], q=q, method="lower") == int(np.quantile(rows, q, method="lower"))


def test_near_and_far_times_are_found_together():
    low, high = np.array([0, 2**60, -(2**60) - 1, 3, -9, 2**53]), np.array([10, 2**60 + 9, -(2**60), 3, -4, 2**53 + 2])
    weight, rank = np.array([0.3, 1 / 3, 0.5, 0.9, 0.75, 0.25]), np.zeros(6, np.int64)
    assert times_between(low, high, weight, rank).tolist() == [3, 2**60 + 3, -(2**60), 3, -5, 2**53]
    halves = np.array([0.5, 0.5, 0.5, 0.0, 0.5, 0.0])
    assert times_between(low, high, halves, rank).tolist() == [5, 2**60 + 4, -(2**60), 3, -6, 2**53]


@given(st.lists(st.tuples(st.integers(0, 2), FAR | st.just(NAT)), min_size=1, max_size=12), st.data())
@settings(max_examples=15)
def test_times_of_groups_are_reduced_without_nat(rows, data):
    lengths = data.draw(partition_lengths(len(rows)))
    keys, times = np.array([key for key, _ in rows]), np.array([time for _, time in rows])
    groups = ak.GroupBy(partitioned(keys, lengths))
    lazy = ak.Datetime(partitioned(times, lengths))
    known = [sorted(times[(keys == key) & (times != NAT)].tolist()) for key in np.unique(keys)]
    for name, of in (("min", min), ("max", max)):
        found = groups.aggregate(lazy, name)[1].to_ndarray().view(np.int64).tolist()
        assert found == [of(part) if part else NAT for part in known]
    found = groups.median(lazy)[1].to_ndarray().view(np.int64).tolist()
    assert found == [quantile(part, Fraction(1, 2)) if part else NAT for part in known]
