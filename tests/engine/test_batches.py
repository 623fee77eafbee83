"""Small partitions that one task goes over together."""

from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.groupby import GroupBy
from akdask.engine import pipeline
from akdask.engine import tuning as engine_tuning
from akdask.engine.pipeline import batch_neighbours
from akdask.operators.group import tuning as group_tuning
from akdask.testing.memory import MemorySource

MANY = 192


def memory(seed=0, rows=5 * MANY):
    """Return columns in many partitions, some of them empty, and as a pandas frame."""
    random = np.random.default_rng(seed)
    lengths = np.diff([0, *np.sort(random.integers(0, rows + 1, MANY - 1)), rows])
    frame = pd.DataFrame({"key": random.integers(0, 50, rows), "value": random.random(rows), "row": np.arange(rows)})
    frame["text"] = frame["key"].astype(str)
    return MemorySource({name: frame[name].to_numpy() for name in frame}, lengths).arrays(), frame


@given(st.lists(st.integers(0, 2 * engine_tuning.MOST_BATCH_ROWS), min_size=1, max_size=300))
def test_batches_are_neighbours_each_partition_once_and_none_too_large(rows):
    found = batch_neighbours(tuple(rows))
    assert [number for batch in found for number in batch] == list(range(len(rows)))
    assert all(
        len(batch) == 1 or sum(rows[number] for number in batch) <= engine_tuning.MOST_BATCH_ROWS for batch in found
    )
    assert all(len(batch) <= engine_tuning.MOST_BATCH_FILES for batch in found)


def test_batches_follow_the_rows_so_that_most_tasks_have_as_many():
    assert {len(batch) for batch in batch_neighbours((1000,) * (engine_tuning.FEW_PARTITIONS * 10))} == {10}
    assert {
        len(batch) for batch in batch_neighbours((engine_tuning.MOST_BATCH_ROWS,) * (engine_tuning.FEW_PARTITIONS * 10))
    } == {1}


@pytest.mark.parametrize(
    ("rows", "few", "sizes"),
    [((1050, 1050, 1050, 1050, 1050, 750), 2, [3, 3]), ((5, 1, 1, 1, 1, 1), 2, [1, 5]), ((0, 0, 3, 0), 4, [2, 1, 1])],
)
def test_two_threads_have_batches_of_about_equal_rows(rows, few, sizes):
    assert [len(batch) for batch in batch_neighbours(rows, few)] == sizes


@given(st.lists(st.integers(0, 100), min_size=1, max_size=60), st.integers(1, 8))
def test_no_batch_is_larger_than_its_share_by_more_than_a_partition(rows, few):
    found = [sum(rows[number] for number in batch) for batch in batch_neighbours(tuple(rows), few)]
    assert max(found) <= max(sum(rows), 1) / few + max(rows)


def test_few_partitions_have_a_task_each(monkeypatch):
    columns = MemorySource({"x": np.arange(engine_tuning.FEW_PARTITIONS)}, [1] * engine_tuning.FEW_PARTITIONS).arrays()
    assert {len(batch) for batch in pipeline.partition_batches(columns["x"]._frame)} == {1}
    monkeypatch.setattr(pipeline, "CORES", engine_tuning.FEW_PARTITIONS)
    assert f"go through rows  {engine_tuning.FEW_PARTITIONS} tasks" in columns["x"].sum().explain()


@pytest.mark.parametrize(
    ("rows", "tasks"), [(10, 2), (engine_tuning.MOST_BATCH_ROWS, 2), (engine_tuning.MOST_BATCH_ROWS + 1, 4)]
)
def test_reductions_of_small_partitions_have_a_task_for_each_core(monkeypatch, rows, tasks):
    monkeypatch.setattr(pipeline, "CORES", 2)
    frame = MemorySource({"x": np.broadcast_to(np.int64(1), 4 * rows)}, [rows] * 4).arrays()["x"]._frame
    assert [len(batch) for batch in pipeline.reduction_batches(frame)] == [4 // tasks] * tasks


def test_many_partitions_are_reduced_by_few_tasks_and_still_told_apart():
    columns, frame = memory()
    kept = columns["value"][columns["key"] > 40]
    plan = kept.sum().explain()
    assert f"go through rows  {MANY} tasks" not in plan
    assert np.isclose(float(kept.sum()), frame["value"][frame["key"] > 40].sum())
    assert (columns["row"] + 0).tolist() == frame["row"].tolist()
    assert len(kept) == (frame["key"] > 40).sum()


@pytest.mark.parametrize("block_size", [8 * 4, 8 * 2**16])
def test_partitions_of_one_task_share_memory_whatever_their_lengths(block_size):
    columns, frame = memory(seed=2)
    twice = np.repeat(np.arange(0, 50, 3), 2)
    other = {"key": twice, "more": np.arange(len(twice)) * 0.5}
    left = ak.DataFrame({name: columns[name] for name in ("key", "value")})
    with ak.config.set(block_size=block_size):
        joined = ak.merge(left, ak.DataFrame({name: ak.array(column) for name, column in other.items()}), on="key")
        weighed = joined["value"] * 2 + joined["more"]
        found = dask.compute(weighed.sum(), joined["more"].sum(), (columns["value"] * columns["key"] + 1).max())
    wanted = frame.merge(pd.DataFrame(other), on="key")
    sums = (wanted["value"] * 2 + wanted["more"]).sum(), wanted["more"].sum(), (frame["value"] * frame["key"] + 1).max()
    assert np.allclose([float(item) for item in found], sums)


@pytest.mark.parametrize("key", ["key", "text", "value"])
def test_rows_of_many_partitions_are_sorted_as_pandas_sorts_them(key):
    columns, frame = memory()
    wanted = frame.sort_values(key, kind="stable").reset_index(drop=True)
    found = ak.DataFrame(columns).sort_values(key)
    pd.testing.assert_frame_equal(found.compute().reset_index(drop=True), wanted)
    assert ak.argsort(columns[key]).tolist() == wanted["row"].tolist()


@given(seed=st.integers(0, 2**16))
@settings(max_examples=settings().max_examples // 6)
def test_groups_of_many_partitions_are_those_of_pandas_and_share_rows(seed):
    columns, frame = memory(seed)
    groups = GroupBy(columns["text"])
    keys, totals = groups.sum(columns["value"])
    _, counts = groups.size()
    wanted = frame.groupby("text")["value"].agg(["sum", "size"])
    assert keys.tolist() == wanted.index.tolist()
    np.testing.assert_allclose((totals / counts).to_ndarray(), wanted["sum"] / wanted["size"])


def test_results_in_one_run_and_in_several_are_cut_alike(monkeypatch):
    """Sorted rows and groups are joined to what was found of them before: lots must not move the cuts."""
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 100)
    monkeypatch.setattr("akdask.operators.group.tuning.FEW_SPLIT_ROWS", 10)
    monkeypatch.setattr("akdask.engine.tuning.SMALL_ROWS", 10)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 100)
    columns, frame = memory()
    order = frame.sort_values("key", kind="stable")
    by_key = ak.DataFrame(columns).sort_values("key")
    rows, values = by_key["row"].persist(), by_key["value"].persist()
    assert rows.npartitions > 1
    assert (rows + values).tolist() == (order["row"] + order["value"]).tolist()
    groups = GroupBy(columns["row"] // 3)
    (total,), (largest,) = dask.persist(groups.sum(columns["value"])[1]), dask.persist(groups.max(columns["key"])[1])
    wanted = frame.groupby(frame["row"] // 3).agg({"value": "sum", "key": "max"})
    assert total.npartitions > 1
    np.testing.assert_allclose((total + largest).to_ndarray(), wanted["value"] + wanted["key"])


@pytest.mark.parametrize("few_rows", [0, 3, 1000])
def test_groups_of_many_tables_are_the_same_however_many_are_merged_beforehand(monkeypatch, few_rows):
    for name, value in {"FEW_TABLES": 4, "FEW_MERGED_ROWS": few_rows, "MOST_MERGED": 80, "MOST_SLICES": 0}.items():
        monkeypatch.setattr(group_tuning, name, value)
    monkeypatch.setattr("akdask.operators.group.tuning.FEW_SPLIT_ROWS", 10)
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 300)
    columns, frame = memory()
    # Groups of neighbours in the first half, few groups in the second.
    keys = np.where(frame["row"] < len(frame) // 2, frame["row"] // 2, -frame["key"])
    rows = columns["row"]
    groups = GroupBy(ak.where(rows < len(frame) // 2, rows // 2, -columns["key"]))
    unique, totals = groups.sum(columns["row"])
    _, distinct = groups.nunique(columns["key"] % 7)
    wanted = frame.assign(value=frame["key"] % 7).groupby(keys).agg({"row": "sum", "value": "nunique"})
    assert unique.npartitions > 1
    assert unique.tolist() == wanted.index.tolist()
    assert totals.tolist() == wanted["row"].tolist()
    assert distinct.tolist() == wanted["value"].tolist()


def test_partitions_that_a_filter_leaves_nothing_of_are_not_in_any_batch(monkeypatch):
    monkeypatch.setattr(engine_tuning, "FEW_PARTITIONS", 64)
    monkeypatch.setattr(pipeline, "CORES", 64)
    rows = np.arange(5 * MANY)
    from akdask.storage.source import Bounds

    ends = np.arange(MANY) * 5
    bounds = {"x": Bounds(ends, ends + 4, np.zeros(MANY, np.bool_))}
    source = MemorySource({"x": rows}, [5] * MANY, bounds=bounds)
    x = source.arrays()["x"]
    assert int(x[x < 7].sum()) == 21
    assert {read.partition for read in source.reads} == {0, 1}
    assert int(x[x < -1].sum()) == 0
    keys, _ = GroupBy(x[x < 3]).size()
    assert keys.tolist() == [0, 1, 2]
    assert pipeline.partition_batches(x._frame)[0] == (0, 1, 2)


def test_batches_of_wide_keys_are_as_small_as_memory_demands(monkeypatch):
    lengths = [2**14] * MANY
    keys = MemorySource({"number": np.zeros(sum(lengths)), "text": np.full(sum(lengths), "a")}, lengths).arrays()
    sizes = []
    for size in (2**18, 2**27):
        monkeypatch.setattr(pipeline, "partition_size", lambda size=size: size)
        found = [pipeline.group_batches(key._frame, [key._value]) for key in keys.values()]
        sizes.append([max(map(len, batch)) for batch in found])
    (numbers_in_little, text_in_little), (numbers, text) = sizes
    assert text_in_little < numbers_in_little < numbers == text
