"""Sorts, groups and joins of thousands of partitions, while one of four workers is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import akdask as ak
from akdask.cluster import SchedulerPlugin
from akdask.engine import tuning
from akdask.operators.group import tuning as groups
from benchmarks.data import Array, FileSet, make_set
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.process import fresh
from benchmarks.report import OURS, PIECES, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import WrongAnswerError

WORKERS = 4
PARTITIONS = 2_000
EACH = 1_000
"""Rows of a partition of the left side, and of the right one, which has half as many partitions."""

MADE = "exchange"
"""What the tasks are called that make new partitions."""

SHARE = 4
"""The divisor of the new partitions after which the worker is killed that has made the last of them."""


def lost_workers(setting: Setting) -> list[Result]:
    """Measure each question, whose answer is compared with pandas'.

    CPU of workers leaves out what the killed one took before.
    """
    partitions = setting.scaled(PARTITIONS) // 2 * 2
    rows = partitions * EACH
    sides = [
        make_set(setting.folder, f"lost-{name}", {"k": _keys(rows), name: _numbers}, rows // part, partitions // part)
        for part, name in ((1, "v"), (2, "w"))
    ]
    folders = [str(side.folder) for side in sides]
    results = []
    for name in QUESTIONS:
        seconds, of_workers, of_this, tasks = fresh(answer, name, *folders, partitions, str(setting.folder))
        task = f"{name}, {partitions:,} partitions, 1 of {WORKERS} workers killed"
        results += [
            Result(task, SECONDS, {OURS: seconds}),
            Result("  CPU of workers", SECONDS, {OURS: of_workers}),
            Result("  CPU of scheduler and client", SECONDS, {OURS: of_this}),
            Result("  tasks run", PIECES, {OURS: tasks}),
        ]
    return results


def answer(name: str, left: str, right: str, partitions: int, folder: str) -> tuple[float, float, float, int]:
    """Return the seconds that pass, those of CPU of workers and of this process, and the number of tasks.

    Raises
    ------
    WrongAnswerError
        If the rows are not those of pandas.
    """
    patterns = [FileSet(Path(side)).pattern for side in (left, right)]
    asked, of_pandas = QUESTIONS[name]
    with (
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, memory_limit=0, dashboard_address=":0", local_directory=folder
        ) as cluster,
        Client(cluster) as client,
        ak.config.set(replicate_size=0),
        _many_partitions(partitions),
    ):
        before = sum(client.run(time.process_time).values())
        killer = _Killer(client.run(os.getpid), partitions // SHARE)
        cluster.scheduler.add_plugin(killer)
        start, own = time.perf_counter(), time.process_time()
        found = asked(*(ak.DataFrame(ak.read_hdf(pattern)) for pattern in patterns)).to_pandas()
        seconds, of_this = time.perf_counter() - start, time.process_time() - own
        if not killer.killed:
            raise RuntimeError("no worker was killed")
        of_workers = sum(client.run(time.process_time).values()) - before
    wanted = of_pandas(_in_pandas(left, "k", "v"), _in_pandas(right, "k", "w"))
    if not all(np.array_equal(found[column], wanted[column]) for column in wanted):
        raise WrongAnswerError(name)
    return seconds, of_workers, of_this, killer.done


class _Killer(SchedulerPlugin):  # type: ignore[misc]
    """Ends the process of the worker that has made the last of some new partitions."""

    def __init__(self, processes: dict[str, int], after: int) -> None:
        self._processes, self._after = processes, after
        self.done, self.killed = 0, ""

    def transition(self, key: object, start: str, finish: str, *_: object, worker: str = "", **__: object) -> None:
        """Count a task that is done."""
        if (start, finish) != ("processing", "memory"):
            return
        self.done += 1
        kind = key[0] if isinstance(key, tuple) else key
        if self.killed or not str(kind).startswith(MADE):
            return
        self._after -= 1
        if self._after <= 0:
            self.killed = worker
            os.kill(self._processes[worker], signal.SIGKILL)


@contextmanager
def _many_partitions(count: int) -> Iterator[None]:
    """Have plans cut few rows into many partitions, as if they were many."""
    sizes: list[tuple[object, str, int]] = [
        (tuning, "EXCHANGED_ROWS", EACH),
        (tuning, "FINE_PARTITIONS", count),
        (groups, "RANGE_ROWS", EACH),
        (tuning, "SMALL_ROWS", 0),
        (tuning, "FEW_PARTITIONS", count),
        (tuning, "GROUP_BATCHES", count),
        (tuning, "FEW_GROUP_ROWS", 1),
    ]
    patches = [patch.object(module, name, value) for module, name, value in sizes]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def _keys(rows: int) -> Callable[[np.random.Generator, int], Array]:
    return lambda random, count: random.integers(0, 4 * rows, count)


def _numbers(random: np.random.Generator, count: int) -> Array:
    return random.integers(0, 1000, count)


def _in_pandas(folder: str, *names: str) -> pd.DataFrame:
    columns = [read_columns(path, names) for path in FileSet(Path(folder)).paths]
    return pd.DataFrame(
        {name: np.concatenate(parts) for name, parts in zip(names, zip(*columns, strict=True), strict=True)}
    )


Ask: TypeAlias = Callable[[Any, Any], Any]

QUESTIONS: dict[str, tuple[Ask, Ask]] = {
    "sort": (
        lambda left, right: left.sort_values("k"),
        lambda left, right: left.sort_values("k", kind="stable"),
    ),
    "sum of groups": (
        lambda left, right: left.groupby("k").agg({"v": "sum"}),
        lambda left, right: left.groupby("k")[["v"]].sum(),
    ),
    "join": (
        lambda left, right: left.merge(right, "k", sort=False),
        lambda left, right: left.merge(right, on="k"),
    ),
}
"""What is asked, and the same of pandas."""
