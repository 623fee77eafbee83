"""Columns that are kept for later computations: loops that ask for values, and what stays in memory for them."""

import gc

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.arrays.pdarray import pdarray
from akdask.engine import cache
from akdask.engine.rowwise import Project
from akdask.engine.tuning import MOST_STEPS
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

ROWS = np.arange(12) * 1.5
STEPS = 15
MOST_GROWTH = 2.2
"""How much more work twice as many further steps may take: twice as much is linear, four times quadratic."""


def _minus_its_mean(steps):
    a = ak.array(ROWS)
    for _ in range(steps):
        a = a - float(a.mean())
    return a


def _plus_a_sum(steps):
    a = ak.arange(12)
    for _ in range(steps):
        a = (a + a.sum() % 97) % 1000
    return a


def _until(steps):
    a = ak.array(ROWS)
    for _ in range(steps):
        if a.max() > -1:
            a = a * 0.5 + (a.mean() * 2 + 1)
    return a


def _search(steps):
    sources, targets = ak.arange(40), (ak.arange(40) * 7 + 3) % 40
    reached = ak.array([0])
    for step in range(steps):
        found = ak.unique(targets[ak.in1d(sources, reached)])
        reached = ak.unique(ak.concatenate([found, ak.array([step % 40])]))
        assert reached.size
    return reached


def _ranks(steps):
    sources, targets = ak.arange(12), (ak.arange(12) * 5 + 1) % 12
    rank = ak.full(12, 1 / 12)
    for _ in range(steps):
        received = ak.GroupBy(targets).sum(rank[sources])[1]
        rank = received * 0.85 + 0.15 / 12
        float(rank.sum())
    return rank


def _items_at_hand(steps):
    a = ak.arange(12)
    for step in range(steps):
        a[(ak.arange(12) + step) % 3 == 0] = np.arange(4) + step
    return a


def _lists():
    parts = ak.SegArray(ak.array([0, 2, 5]), ak.arange(8))
    return ak.concatenate([parts, parts])


def _lists_of_parts(steps):
    lists = _lists()
    for _ in range(steps):
        lists = ak.SegArray(lists.segments, lists.values)
    return lists.values


def _lists_appended(steps):
    lists = _lists()
    for _ in range(steps):
        lists = lists[:5].append(lists[5:]).filter(99)
    return lists.values


def _lists_of_other_values(steps):
    lists, others = _lists(), ak.concatenate([ak.arange(3), ak.arange(13)])
    for _ in range(steps):
        lists = ak.SegArray(lists.segments, lists.values % 5)
        distinct = lists.unique(others)
        others = (others + distinct.values.sum()) % 50
    return others


LOOPS = [
    _minus_its_mean,
    _plus_a_sum,
    _until,
    _search,
    _ranks,
    _items_at_hand,
    _lists_of_parts,
    _lists_appended,
    _lists_of_other_values,
]


@pytest.mark.sampled(one_of=5)
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_that_compute_do_no_round_again(loop, calls):
    loop(3)
    found = [calls(lambda steps=steps: loop(steps).to_ndarray()) for steps in (20, 40, 80)]
    assert found[2] - found[1] < MOST_GROWTH * (found[1] - found[0]), found


def test_values_of_loops_are_those_of_numpy():
    wanted = ROWS.copy()
    for _ in range(3 * STEPS):
        wanted = wanted * 0.5 + (wanted.mean() * 2 + 1)
    np.testing.assert_allclose(_until(3 * STEPS).to_ndarray(), wanted, rtol=1e-12)
    whole = np.arange(12)
    for _ in range(3 * STEPS):
        whole = (whole + whole.sum() % 97) % 1000
    assert_equal(_plus_a_sum(3 * STEPS), whole)


def _deep(a):
    for number in range(MOST_STEPS):
        a = a * 1.5 - number
    return a


def test_what_is_kept_is_not_read_again_and_explained_so():
    source = MemorySource({"x": ROWS}, [5, 7])
    a = _deep(source.arrays()["x"])
    assert "rows in memory" not in a.explain()
    first = (a + 1).to_ndarray()
    source.reads.clear()
    again = (a + 1).to_ndarray()
    assert "rows in memory  2 partitions" in a.explain()
    assert source.reads == []
    assert first.tobytes() == again.tobytes()


def test_what_is_kept_goes_with_the_objects_that_it_is_for():
    a = _deep(ak.array(ROWS))
    (a + 1).to_ndarray()
    name = a._frame._name
    assert cache.find((name, 0)) is not None
    del a
    gc.collect()
    assert cache.find((name, 0)) is None


def test_nothing_is_kept_beyond_the_budget():
    source = MemorySource({"x": ROWS}, [5, 7])
    a = _deep(source.arrays()["x"])
    with ak.config.set(cache_size=64):
        first = a.to_ndarray()
        source.reads.clear()
        # One of two partitions does not help: both are found again, to the same bits.
        assert a.to_ndarray().tobytes() == first.tobytes()
        assert source.reads


def test_the_plan_alone_decides_what_is_kept():
    asked, unasked = ak.array(ROWS), ak.array(ROWS)
    for _ in range(2 * MOST_STEPS):
        asked, unasked = asked * 1.5 - 1, unasked * 1.5 - 1
        float(asked.sum())
    assert asked.expr._name == unasked.expr._name
    assert asked.to_ndarray().tobytes() == unasked.to_ndarray().tobytes()


def test_rows_that_do_not_fit_in_memory_are_not_kept(monkeypatch):
    monkeypatch.setattr("akdask.engine.cache.cluster.process_memory", lambda: 16)
    assert "Materialized" not in _deep(_deep(ak.array(ROWS))).explain()


@pytest.mark.parametrize("most", [1, 3, 7])
def test_columns_are_the_same_wherever_they_are_kept(monkeypatch, most):
    monkeypatch.setattr("akdask.engine.tuning.MOST_STEPS", most)
    monkeypatch.setattr("akdask.engine.tuning.MOST_STEPS_OF_UNKNOWN", most)
    k, x = np.arange(30) % 4, np.arange(30) * 0.25
    df = ak.DataFrame({"k": ak.array(k), "x": ak.array(x), "s": ak.array([f"s{n}" for n in k])})
    df["y"] = df["x"] * 2 + df["k"]
    df = df[df["y"] > 3]
    joined = ak.DataFrame.concat([df, df.head(3)])
    chosen = (x * 2 + k) > 3
    wanted = np.concatenate([(x * 2 + k)[chosen], (x * 2 + k)[chosen][:3]])
    assert_equal(joined["y"], wanted)
    assert joined["s"].tolist() == [f"s{n}" for n in np.concatenate([k[chosen], k[chosen][:3]])]
    c = ak.Categorical(joined["s"])
    both = ak.DataFrame({"c": c, "y": joined["y"]})
    assert both.count().to_dict() == {"c": len(wanted), "y": len(wanted)}
    assert ak.DataFrame.concat([both, both])["c"].tolist() == 2 * joined["s"].tolist()


def test_threads_keep_what_one_thread_keeps():
    a = _deep(ak.array(ROWS))
    with dask.config.set(scheduler="threads"):
        first = a.to_ndarray()
    assert "in memory" in a.explain()
    assert a.to_ndarray().tobytes() == first.tobytes()


def test_kept_columns_are_computed_by_an_optimised_plan():
    left = ak.DataFrame({"k": ak.array([3, 1, 2, 1]), "v": ak.array([0, 1, 2, 3])})
    joined = left.merge(ak.DataFrame({"k": ak.array([1, 2, 1]), "w": ak.array([5, 6, 7])}), on="k")
    chosen = joined[joined["v"] > 1]
    columns = [chosen["w"], chosen["v"]]
    kept = [cache.Materialized(Project(column._frame, (0,), (column._value,))) for column in columns]
    with ak.config.set(optimize=False, cache_size=0):
        wanted = [pdarray(node, node.column(0)).tolist() for node in kept]
        assert not any(node.is_planned for node in kept)
    with ak.config.set(cache_size=0):
        assert [pdarray(node, node.column(0)).tolist() for node in kept] == wanted
        # The filter moves below the join.
        assert all(node.is_planned and node.plan is not node.frame for node in kept)
    with ak.config.set(optimize=False):
        assert all(node.plan is node.frame for node in kept)
    assert sorted(wanted[0]) == [5, 6, 7]
