from __future__ import annotations

import pickle
import sys
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.engine import tuning as engine_tuning
from akdask.operators.reduce import tuning
from akdask.operators.reduce.quantiles import RankedRows, Run

DTYPES = ["int64", "uint64", "float64", "bool", "uint8"]


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    """Merge counted values of few runs, as those of many are."""
    monkeypatch.setattr(engine_tuning, "FAN_IN", 3)
    monkeypatch.setattr(tuning, "MOST_MERGED_VALUES", 6)


@pytest.fixture(params=[0, 100], ids=["sorted", "by passes"])
def passes(request, monkeypatch):
    monkeypatch.setattr(tuning, "MOST_PASSES", request.param)
    monkeypatch.setattr(tuning, "SAMPLED_ROWS", 8)


@pytest.mark.usefixtures("passes")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), dtype=st.sampled_from(DTYPES))
def test_the_value_of_every_rank_is_that_of_the_sorted_rows(data, dtype):
    values = npst.from_dtype(np.dtype(dtype)) | st.sampled_from([0, 1]).map(np.dtype(dtype).type)
    rows = data.draw(npst.arrays(dtype, st.integers(1, 60), elements=values))
    bounds = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=6)))
    parts = np.split(rows, bounds)
    found = pickle.loads(pickle.dumps(reduce(add, map(RankedRows.of, parts))))
    wanted = np.sort(rows[~np.isnan(rows.astype(float))])
    assert (found.nrows, found.missing) == (len(wanted), len(rows) - len(wanted))
    if len(wanted):
        selected = found.select(np.arange(len(wanted)))
        assert selected.dtype == rows.dtype
        np.testing.assert_array_equal(selected, wanted)
        # Ranks with others between them are looked for by themselves.
        np.testing.assert_array_equal(found.select(np.arange(len(wanted))[::-3]), wanted[::-3])


@pytest.mark.parametrize("order", [1, -1])
def test_a_sample_may_mislead(monkeypatch, order):
    monkeypatch.setattr(tuning, "SAMPLE", 1000)
    rows = order * np.random.default_rng(0).normal(100, 1, 50_000)
    # What is sampled lies below, or above, all other rows.
    step = 55_005 // 1000
    rows[step // 2 :: step] = order * np.linspace(-1000, -1, len(rows[step // 2 :: step]))
    ranks = np.array([0, 400, 600, 999, 1000, 25_000, 25_001, 48_999, 49_998, 49_999])
    found = RankedRows.of(rows) + RankedRows.of(np.full(5000, 7.0)) + RankedRows.of(rows[:5])
    np.testing.assert_array_equal(
        found.select(ranks), np.sort(np.concatenate([rows, np.full(5000, 7.0), rows[:5]]))[ranks]
    )


def test_ranks_are_looked_for_among_few_rows_where_the_sample_says(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLE", 1000)
    monkeypatch.setattr(RankedRows, "_among_all", None)
    kept, between = [], Run.between

    def noted(run, low, high):
        found = between(run, low, high)
        kept.append(len(found[1]))
        return found

    monkeypatch.setattr(Run, "between", noted)
    found = RankedRows.of(np.random.default_rng(0).permutation(50_000))
    for rank in (0, 100, 12_345, 25_000, 49_997):
        assert found.select(np.array([rank, rank + 1, rank + 2])).tolist() == [rank, rank + 1, rank + 2]
    assert len(kept) == 5
    assert max(kept) < 0.3 * 50_000


def test_rows_are_held_once_and_repeated_ones_as_counts():
    distinct, repeated = np.random.default_rng(0).random(10_000), np.arange(10_000) % 5
    assert sys.getsizeof(RankedRows.of(distinct)) <= distinct.nbytes + 1000
    assert sys.getsizeof(RankedRows.of(repeated)) < 1000
    assert len(reduce(add, [RankedRows.of(repeated)] * 100).runs) < engine_tuning.FAN_IN


@pytest.mark.parametrize("rows", [np.array([3, 1, 2], np.uint64), np.arange(9000, dtype=np.uint64) % 7])
def test_the_rows_of_a_block_stay_as_they_are(rows):
    before = rows.copy()
    found = RankedRows.of(rows) + RankedRows.of(rows)
    assert found.select(np.array([1, len(rows)])).tolist() == np.sort(np.tile(rows, 2))[[1, len(rows)]].tolist()
    np.testing.assert_array_equal(rows, before)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("distinct", [9, 2**63])
def test_many_ranks_are_found_among_many_rows(distinct):
    rows = np.random.default_rng(0).integers(0, distinct, 6000) - 4
    found = RankedRows.of(rows[:3000]) + RankedRows.of(rows[3000:])
    np.testing.assert_array_equal(found.select(np.arange(0, 6000, 7)), np.sort(rows)[::7])
