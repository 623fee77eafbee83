"""Sorts, groups and joins on a cluster: the answers of threads, also when memory is short."""

from __future__ import annotations

import asyncio
import pickle

import dask
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import akdask as ak
from akdask.cluster import recorded_by_cluster
from akdask.engine import exchange
from akdask.engine import tuning as engine_tuning
from akdask.engine.node import lower
from akdask.operators.group import tuning as group_tuning
from akdask.testing import assert_equal

pytestmark = pytest.mark.cluster

ROWS, FILES, DISTINCT = 400_000, 8, 150_000
HEAVY = 7
"""The key that half of the rows have."""

EXCHANGED = 0


@pytest.fixture(scope="module")
def plain():
    random = np.random.default_rng(5)
    keys = np.where(random.random(ROWS) < 0.5, HEAVY, random.integers(0, DISTINCT, ROWS))
    return pd.DataFrame({"k": keys, "v": random.permutation(ROWS), "s": [f"é{key % 1000}" for key in keys]})


@pytest.fixture(scope="module")
def others(plain):
    random = np.random.default_rng(6)
    return pd.DataFrame({"k": random.permutation(DISTINCT), "w": random.integers(0, 1000, DISTINCT)})


@pytest.fixture(scope="module")
def folder(plain, others, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    with dask.config.set(scheduler="threads"):
        for name, frame in (("rows", plain), ("others", others)):
            ak.DataFrame(frame).to_hdf(folder / name, num_locales=FILES)
    return folder


@pytest.fixture(autouse=True)
def several_partitions(monkeypatch):
    """Have plans cut these rows as if they were many."""
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", ROWS // 5)
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", ROWS // 5)
    monkeypatch.setattr(group_tuning, "RANGES_FOR_EXCHANGE", 1)
    monkeypatch.setattr("akdask.engine.tuning.FEW_PARTITIONS", 64)


@pytest.fixture
def frames(folder):
    return [ak.DataFrame(ak.read_hdf(f"{folder / name}*")) for name in ("rows", "others")]


TASKS = {
    "sort": lambda rows, others: rows.sort_values("k"),
    "argsort": lambda rows, others: rows[["v"]][rows.argsort("k")],
    "group": lambda rows, others: rows.groupby("k").agg({"v": "sum"}),
    "unique": lambda rows, others: ak.DataFrame({"k": ak.unique(rows["k"])}),
    "merge": lambda rows, others: rows.merge(others, "k", sort=False),
    "merge by strings": lambda rows, others: rows[["s", "v"]].merge(rows[:900].drop_duplicates("s"), "s", "left"),
}


@pytest.fixture
def short_memory(monkeypatch):
    """Have workers keep nothing in memory that they have split."""
    monkeypatch.setattr("akdask.cluster.MEMORY_SHARE", 2**60)


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_those_of_threads_where_memory_is_short(task, frames, cluster_client, short_memory):
    test_answers_are_those_of_threads(task, frames, cluster_client)


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_those_of_threads(task, frames, cluster_client):
    with ak.config.set(replicate_size=EXCHANGED):
        lazy = TASKS[task](*frames)
        found = lazy.to_pandas()
        with dask.config.set(scheduler="threads"):
            wanted = TASKS[task](*frames).to_pandas()
    pd.testing.assert_frame_equal(found, wanted)


def test_rows_whose_keys_are_nearly_all_their_own_travel_as_they_are(cluster_client, tmp_path, monkeypatch):
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", ROWS)
    random = np.random.default_rng(8)
    # Of the last file, a table of its few groups is made.
    keys = np.concatenate([random.integers(-(10**6), 10**6, 3 * ROWS), np.repeat([HEAVY, 10**9], ROWS // 2)])
    frame = pd.DataFrame({"k": keys, "v": random.permutation(len(keys))})
    with dask.config.set(scheduler="threads"):
        ak.DataFrame(frame).to_hdf(tmp_path / "many", num_locales=4)
    data = ak.read_hdf(f"{tmp_path / 'many'}*")
    found, sums = ak.GroupBy(data["k"]).sum(data["v"])
    wanted = frame.groupby("k")["v"].sum()
    assert found.npartitions == 4
    assert_equal(found, wanted.index.to_numpy())
    assert_equal(sums, wanted.to_numpy())
    assert_equal(ak.unique(data["k"]), wanted.index.to_numpy())


@pytest.mark.parametrize("late", [False, True])
def test_asynchronous_clients_sort_as_well(frames, plain, monkeypatch, late):
    if late:  # The scheduler hears of the exchange first.
        register = Client.register_plugin
        monkeypatch.setattr(Client, "register_plugin", lambda *given: _after(0.5, register, given))

    async def run():
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", asynchronous=True
        )
        async with cluster, Client(cluster, asynchronous=True) as client:
            expr = frames[0].sort_values("k")
            return await client.compute(expr)

    with dask.config.set(scheduler=None):
        found = asyncio.run(run())
    assert found["k"].tolist() == sorted(plain["k"])


async def _after(seconds, function, given):
    await asyncio.sleep(seconds)
    return await function(*given)


def test_partitions_are_grouped_where_their_groups_stay(frames, cluster_client):
    expr = TASKS["group"](*frames)._columns.frame
    node = next(node for node in lower(expr).walk() if isinstance(node, exchange.Exchange))
    where, groups, split = (node.annotations()["workers"], node.origin.__dask_keys__(), node.split.__dask_keys__())
    assert len(groups) == len(split) > 1
    assert not set(groups) & set(split)
    assert [where[key] for key in groups] == [where[key] for key in split]
    assert set(where) <= set(expr.__dask_graph__())


def test_a_number_is_merged_where_it_is_asked_for(frames, plain, cluster_client):
    with recorded_by_cluster(cluster_client) as seconds:
        assert ak.sum(frames[0]["v"]) == plain["v"].sum()
    assert len({key for key in seconds if "sum" in str(key)}) > 1
    assert not any("combine" in str(key) for key in seconds)


def test_results_stay_on_the_workers(frames, plain, cluster_client):
    from distributed import wait

    lazy = frames[0].sort_values("k")
    assert type(lazy) is ak.DataFrame
    kept = lazy.persist()
    assert kept.npartitions > 2
    wait(kept)
    held = cluster_client.who_has(list(kept._columns.frame.graph.values()))
    assert len(held) == kept.npartitions
    assert len({worker for workers in held.values() for worker in workers}) == 2
    wanted = plain.sort_values("k", kind="stable")
    assert_equal(kept["v"], wanted["v"].to_numpy())
    assert int((kept["v"] * 2).sum()) == 2 * wanted["v"].sum()


@pytest.mark.parametrize("task", TASKS)
def test_plans_travel_without_data(task, frames):
    with ak.config.set(replicate_size=EXCHANGED):
        assert len(pickle.dumps(TASKS[task](*frames))) < 20_000
