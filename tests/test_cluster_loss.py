"""Exchanges of clusters whose workers die, are retired or join while rows change partition."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine import tuning as engine_tuning
from akdask.operators.group import tuning as group_tuning

pytestmark = pytest.mark.cluster

WORKERS, PARTS, ROWS = 4, 8, 4_000
EXCHANGED = 0
"""The setting by which small sides of a join are exchanged, too."""

SPLIT, TOLD, MADE = "range partition", "place", "exchange"
"""What tasks are called that split partitions, tell where these are, and make the new ones."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Return the client of workers that no other module needs, and that come again when they were killed."""
    from distributed import Client, LocalCluster

    with (
        # A killed worker comes again as another process, and is not given up, however long that takes.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit="512MiB",
            dashboard_address=":0",
            local_directory=str(tmp_path_factory.mktemp("workers")),
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def await_workers(client, is_so):
    """Wait until the workers of a cluster are as wanted; the test fails if they never are."""
    while not is_so(client.cluster.scheduler.workers):
        time.sleep(0.01)


@pytest.fixture
def client(cluster, synchronous_scheduler):
    cluster.cluster.scale(WORKERS)
    await_workers(cluster, lambda workers: len(workers) == WORKERS)
    with (
        cluster.as_current(),
        dask.config.set(scheduler="distributed"),
        ak.config.set(replicate_size=EXCHANGED),
    ):
        yield cluster
    scheduler = cluster.cluster.scheduler
    assert not [owner for owner in scheduler.clients if owner.startswith("akdask")], "split partitions are still kept"


@pytest.fixture
def cut(monkeypatch):
    """Return what has plans cut rows into a number of partitions, as if they were many."""

    def cut_into(parts, rows):
        monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", rows // parts)
        monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
        monkeypatch.setattr("akdask.engine.tuning.FINE_PARTITIONS", 2**20)
        monkeypatch.setattr(group_tuning, "RANGE_ROWS", rows // parts)
        monkeypatch.setattr(group_tuning, "RANGES_FOR_EXCHANGE", 1)
        monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
        monkeypatch.setattr(engine_tuning, "FEW_PARTITIONS", 2**20)
        monkeypatch.setattr(engine_tuning, "GROUP_BATCHES", 2**20)
        monkeypatch.setattr(engine_tuning, "FEW_GROUP_ROWS", 1)

    return cut_into


def sides(folder, rows, parts):
    """Return two frames whose keys are nearly all different, as pandas has them and in files."""
    random = np.random.default_rng(7)
    left = pd.DataFrame({"k": random.permutation(rows), "v": random.integers(0, 1000, rows)})
    right = pd.DataFrame({"k": random.permutation(rows)[: rows // 2], "w": random.integers(0, 1000, rows // 2)})
    lazy = []
    for name, frame, count in (("left", left, parts), ("right", right, parts // 2)):
        with dask.config.set(scheduler="threads"):
            ak.DataFrame(frame).to_hdf(folder / name, num_locales=count)
        lazy.append(ak.DataFrame(ak.read_hdf(f"{folder / name}*")))
    return [left, right], lazy


TASKS = {
    "sort": lambda rows, others: rows.sort_values("k"),
    "group": lambda rows, others: rows.groupby("k").agg({"v": "sum"}),
    "merge": lambda rows, others: rows.merge(others, "k", sort=False),
}

WANTED = {
    "sort": lambda rows, others: rows.sort_values("k", kind="stable"),
    "group": lambda rows, others: rows.groupby("k")[["v"]].sum(),
    "merge": lambda rows, others: rows.merge(others, on="k"),
}


@pytest.fixture
def check(cut, tmp_path):
    """Return what compares the answer of a task, of rows in a number of partitions, with that of pandas."""

    def compare(task, rows=ROWS, parts=PARTS):
        cut(parts, rows)
        plain, frames = sides(tmp_path, rows, parts)
        found, wanted = TASKS[task](*frames).to_pandas(), WANTED[task](*plain)
        assert len(found) == len(wanted)
        for name in wanted:
            assert found[name].tolist() == wanted[name].tolist()

    return compare


class Watch:
    """Does something when tasks of a kind are done, as often as told, from the first, or a later one, on."""

    def __init__(self, kind, act, times=1, after=0):
        self.name = f"watch {kind}"
        self.kind, self.act, self.times, self.after = kind, act, times, after
        self.acted = []

    def transition(self, key, start, finish, *args, worker=None, **kwargs):
        name = key[0] if isinstance(key, tuple) else key
        if finish != "memory" or start != "processing" or not name.removeprefix("read+").startswith(self.kind):
            return
        self.after -= 1
        if self.after < 0 and len(self.acted) < self.times and worker not in self.acted:
            self.acted.append(worker)
            self.act(worker)


@contextmanager
def watching(client, kind, act, goes=True, **when):
    """Have something done at workers, and wait until these are gone if that is what it does; it must have been done."""
    from distributed.diagnostics.plugin import SchedulerPlugin

    plugin = type("Watching", (Watch, SchedulerPlugin), {})(kind, act, **when)
    scheduler = client.cluster.scheduler
    scheduler.add_plugin(plugin)
    try:
        yield
    finally:
        scheduler.remove_plugin(plugin.name)
    assert len(plugin.acted) == plugin.times
    if goes:
        await_workers(client, lambda workers: workers.keys().isdisjoint(plugin.acted))


def killer(client):
    """Return what ends the process of a worker at once."""
    pids = client.run(os.getpid)
    return lambda worker: os.kill(pids[worker], signal.SIGKILL)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(
    ("task", "kind", "times"),
    [
        ("sort", SPLIT, 1),
        ("sort", TOLD, 1),
        ("sort", MADE, 1),
        ("sort", MADE, 2),
        ("group", MADE, 1),
        ("group", TOLD, 2),
        ("merge", TOLD, 1),
        ("merge", MADE, 2),
    ],
)
def test_the_answer_is_right_although_workers_die(task, kind, times, client, check):
    with watching(client, kind, killer(client), times=times):
        check(task)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(("task", "kind"), [("sort", TOLD), ("sort", MADE), ("merge", MADE)])
def test_the_answer_is_right_although_a_worker_is_retired(task, kind, client, check):
    cluster, retiring = client.cluster, []

    async def retire_as_adaptive_clusters_do(worker):
        name = cluster.scheduler.workers[worker].name
        await cluster.scheduler.retire_workers([worker], close_workers=True)
        await cluster.scale_down([name])

    with watching(
        client, kind, lambda worker: retiring.append(asyncio.ensure_future(retire_as_adaptive_clusters_do(worker)))
    ):
        check(task)
    cluster.sync(asyncio.wait, retiring)


def test_a_worker_that_joins_late_makes_partitions(client, check):
    cluster = client.cluster

    def join(worker):
        cluster.scale(WORKERS + 1)

    with watching(client, MADE, join, goes=False):
        check("sort", parts=32)
    await_workers(client, lambda workers: len(workers) == WORKERS + 1)


def test_partitions_that_a_worker_takes_with_it_later_are_made_again(client, cut, tmp_path):
    from distributed import wait

    cut(PARTS, ROWS)
    plain, frames = sides(tmp_path, ROWS, PARTS)
    kept = frames[0].sort_values("k").persist()
    wait(kept)
    where = client.who_has(list(kept._columns.frame.graph.values()))
    kill = killer(client)
    kill(next(iter(where.values()))[0])
    assert kept["v"].tolist() == plain[0].sort_values("k")["v"].tolist()


def test_nothing_of_a_killed_worker_stays_on_disk(client, check, monkeypatch):
    monkeypatch.setattr("akdask.cluster.MEMORY_SHARE", 2**60)
    folders = client.run(lambda dask_worker: dask_worker.local_directory)
    left = []
    kill = killer(client)

    def kill_and_look(worker):
        kill(worker)
        left.extend(path for path in Path(folders[worker]).rglob("*") if path.is_file() and path.stat().st_size)

    with watching(client, MADE, kill_and_look):
        check("sort")
    assert not left


@pytest.mark.slow
@pytest.mark.sampled(one_of=8)
@pytest.mark.parametrize("task", TASKS)
def test_dozens_of_partitions_change_although_a_worker_dies(task, client, check):
    parts, rows = 64, 64 * 100
    with watching(client, MADE, killer(client), after=parts // 4):
        check(task, rows, parts)
