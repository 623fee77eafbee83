"""Distinct keys of blocks, beside those of NumPy."""

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import akdask as ak
from akdask.operators.group import strategies, tuning
from akdask.operators.group.aggregation import DistinctKeys
from akdask.operators.reduce.reductions import distinct_numbers

FLOATS = st.sampled_from([0.0, -0.0, 1.5, -1.5, np.nan, np.inf, -np.inf])


@given(hnp.arrays(np.float64, st.integers(0, 40), elements=FLOATS))
def test_distinct_keys_are_those_of_numpy_and_of_zeros_the_first_stands_for_both(keys):
    found = distinct_numbers(keys)
    np.testing.assert_array_equal(found, np.unique(keys))
    zeros = keys[keys == 0]
    if len(zeros):
        assert np.signbit(found[found == 0]) == np.signbit(zeros[0])


def test_blocks_are_taken_until_one_has_many_new_keys(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_KNOWN_KEYS", 2)
    monkeypatch.setattr("akdask.operators.group.aggregation.are_too_many", lambda words, most: False)
    keys = DistinctKeys()
    few, many = np.zeros(tuning.FEWEST_ROWS_OF_A_KEY, np.int64), np.arange(tuning.FEWEST_ROWS_OF_A_KEY)
    assert not keys.has_rows
    assert keys.add(few)
    assert keys.add(many)
    assert not keys.add(few)
    assert keys.with_others(np.array([3])).tolist() == [*many.tolist(), 3]


def test_blocks_of_known_keys_are_taken_however_many_these_are(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_KNOWN_KEYS", 100)
    many = np.arange(100) << 40
    assert not DistinctKeys().add(many)
    monkeypatch.setattr("akdask.operators.group.aggregation.are_too_many", lambda words, most: False)
    keys = DistinctKeys()
    assert all(keys.add(block) for block in (many, many, many[::-1].copy()))
    assert keys.with_others(many[:0]).tolist() == many.tolist()


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize(
    "values",
    [
        np.tile([2.5, np.nan, -0.0, 0.0, 1e300], 400),
        np.tile([2**62, -(2**62), 7], 700),
        np.concatenate([np.tile([1e9, 2e9], 600), np.arange(2100.0)]),
        np.tile(np.array([2**63, 1], np.uint64), 999),
    ],
)
def test_distinct_values_of_few_far_apart_are_those_of_numpy(values, partitions):
    parts = [ak.array(part) for part in np.array_split(values, partitions)]
    with ak.config.set(block_size=8 * 512):
        found = ak.unique(ak.concatenate(parts)).to_ndarray()
    np.testing.assert_array_equal(found, np.unique(values))
    assert np.signbit(found[found == 0]).tolist() == np.signbit(values[values == 0][:1]).tolist()


def test_blocks_of_distinct_values_are_taken_where_the_only_key_is_wanted(monkeypatch):
    taken = []
    add = DistinctKeys.add
    monkeypatch.setattr(DistinctKeys, "add", lambda self, keys: taken.append(keys) or add(self, keys))
    monkeypatch.setattr(strategies, "are_too_many", lambda values, most: True)
    numbers, text = np.tile([2**62, -(2**62), 7], 700), np.tile(["x", "y"], 1050)
    for keys, are_taken in (([numbers], True), ([text], False), ([numbers, numbers], False)):
        taken.clear()
        dask.compute(ak.unique([ak.array(key) for key in keys]))
        assert bool(taken) == are_taken
