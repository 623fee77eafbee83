from __future__ import annotations

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import cache
from akdask.engine import tuning as engine_tuning
from akdask.operators.group import grouping
from akdask.operators.group import plan as group_plan
from akdask.operators.group import tuning as group_tuning
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

ROWS = np.arange(60)
FIRST = [int(np.flatnonzero(key == ROWS * 7 % 30)[0]) for key in range(30)]


@pytest.fixture(autouse=True)
def sorted_and_cut(monkeypatch):
    """Few rows are neither sorted nor cut in real use, and grouped by one task; no slots are used for them here."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(group_tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 10)
    monkeypatch.setattr(group_tuning, "FEWEST_SLOTS", 0)
    monkeypatch.setattr(group_tuning, "MOST_SLOTS", 0)
    # Left out and put back, it would be the last that is asked.
    others = {name: kind for name, kind in group_plan.STRATEGIES.items() if name != "dense"}
    monkeypatch.setattr(group_plan, "STRATEGIES", others)


@pytest.fixture
def source():
    columns = {"k": ROWS * 7 % 30, "s": (ROWS * 11 % 20).astype(str), "x": ROWS * 0.5, "y": ROWS}
    return MemorySource(columns, [20, 0, 30, 10])


@pytest.fixture
def found(monkeypatch):
    """Count how often keys are grouped."""
    made = []
    init = grouping.Grouping.__init__
    monkeypatch.setattr(grouping.Grouping, "__init__", lambda self, *args: made.append(self) or init(self, *args))
    return made


@pytest.fixture(params=["in tables", "scattered"])
def form(request, monkeypatch):
    """Rows of a partition are grouped, or kept near the others of their group until all partitions are there."""
    if request.param == "scattered":
        for name, value in {
            "FEWEST_RADIX_ROWS": 1,
            "RADIX_SLICE_ROWS": 2,
            "HEAVIEST": 100,
            "ROWS_OF_A_GROUP": 100,
        }.items():
            monkeypatch.setattr(group_tuning, name, value)


def sums(keys, values):
    return [values[keys == key].sum() for key in np.unique(keys)]


def test_a_second_reduction_groups_nothing_and_reads_no_keys(source, found, form):
    data = source.arrays()
    groups = ak.GroupBy(data["k"])
    assert groups.sum(data["x"])[1].tolist() == sums(ROWS * 7 % 30, ROWS * 0.5)
    first = len(found)
    assert first
    source.reads.clear()
    assert groups.sum(data["y"])[1].tolist() == sums(ROWS * 7 % 30, ROWS)
    assert groups.max(data["y"])[1].tolist() == [ROWS[key == ROWS * 7 % 30].max() for key in range(30)]
    assert groups.size()[1].tolist() == [2] * 30
    assert groups.unique_keys.tolist() == list(range(30))
    assert len(found) == first
    assert {read.column for read in source.reads} == {"y"}


def test_groups_are_forgotten_with_their_groupby(source, found):
    data = source.arrays()
    groups = ak.GroupBy([data["s"], data["k"]])
    result = groups.sum(data["y"])[1]
    result.to_ndarray()
    name = next(iter(groups._leases))
    assert cache.is_leased(name)
    assert any(key[0] == name for key in cache._cached)
    del groups
    assert not any(key[0] == name for key in cache._cached)
    before = len(found)
    cache._cached.clear()
    result.to_ndarray()
    assert len(found) > before
    assert not any(key[0] == name for key in cache._cached)


def test_groupings_that_nobody_may_ask_again_are_not_kept(source):
    data = source.arrays()
    keys, totals = ak.GroupBy(data["k"]).sum(data["y"])
    before = list(cache._cached)
    dask.compute(keys, totals)
    columns = keys._frame.cached_columns.name
    assert {key for key in cache._cached if key[0] != columns} <= set(before)


def test_groups_are_kept_as_long_as_what_was_made_of_them(source):
    data = source.arrays()
    keys, totals = ak.GroupBy(data["k"]).sum(data["y"])
    name = keys._frame.cached_columns.name
    assert totals.tolist() == sums(ROWS * 7 % 30, ROWS)
    source.reads.clear()
    assert keys.tolist() == list(range(30))
    assert totals[keys > 27].tolist() == sums(ROWS * 7 % 30, ROWS)[28:]
    assert not source.reads
    del keys, totals
    assert not any(key[0] == name for key in cache._cached)


def test_groups_computed_together_are_kept_for_each(source):
    data = source.arrays()
    groups = ak.GroupBy(data["k"])
    totals, least = groups.sum(data["y"])[1], groups.min(data["x"])[1]
    assert (totals - least).tolist() == [
        total - low for total, low in zip(sums(ROWS * 7 % 30, ROWS), [0.5 * k for k in FIRST], strict=True)
    ]
    source.reads.clear()
    assert least.tolist() == [0.5 * k for k in FIRST]
    assert not source.reads


def test_what_a_user_does_to_kept_groups_does_not_change_them(source):
    keys, totals = ak.GroupBy(source.arrays()["k"]).sum(source.arrays()["y"])
    for _ in range(2):
        found = totals.to_ndarray()
        assert found.tolist() == sums(ROWS * 7 % 30, ROWS)
        found[:] = 0
    frame = ak.DataFrame({"k": keys, "t": totals}).to_pandas()
    frame["t"] = 0
    assert totals.tolist() == sums(ROWS * 7 % 30, ROWS)


def test_many_groups_are_found_again(source, monkeypatch):
    monkeypatch.setattr(group_tuning, "CACHE_SHARE", 2**60)
    totals = ak.GroupBy(source.arrays()["k"]).sum(source.arrays()["y"])[1]
    for _ in range(2):
        source.reads.clear()
        assert totals.tolist() == sums(ROWS * 7 % 30, ROWS)
        assert source.reads


def test_no_more_is_kept_than_is_allowed(source, found):
    data = source.arrays()
    groups = ak.GroupBy(data["k"])
    with ak.config.set(cache_size=0):
        groups.sum(data["y"])[1].to_ndarray()
        assert not len(cache._cached)
        before = len(found)
        assert groups.sum(data["y"])[1].tolist() == sums(ROWS * 7 % 30, ROWS)
        assert len(found) == 2 * before


@given(st.data())
def test_kept_groups_give_what_new_ones_give_for_any_selection(data):
    lengths = data.draw(partition_lengths(max_partitions=3))
    rows = sum(lengths)
    plain = data.draw(st.lists(st.integers(-(2**40), 2**40) | st.integers(0, 3), min_size=rows, max_size=rows))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), bool)
    keys, values = np.array(plain, np.int64), np.arange(rows)
    lazy_keys, lazy_values = partitioned(keys, lengths), partitioned(values, lengths)
    half = rows // 2
    lazy_mask = partitioned(mask, lengths)
    selections = {
        "all": (slice(None), lambda column: column),
        "first": (slice(half), lambda column: column[:half]),
        "last": (slice(half, 2 * half), lambda column: column[half : 2 * half]),
        "some": (mask, lambda column: column[lazy_mask]),
    }
    # All at the same time, so that what is kept for one could be mistaken for another's.
    groups = {name: ak.GroupBy(select(lazy_keys)) for name, (_, select) in selections.items()}
    for wanted in (lambda part: part, lambda part: part * 2):
        for name, (rows_of, select) in selections.items():
            got = groups[name].sum(wanted(select(lazy_values)))[1]
            assert got.tolist() == sums(keys[rows_of], wanted(values[rows_of]))
