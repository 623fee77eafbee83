"""Plans of a trillion rows for clusters of up to a thousand workers, which are described and not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import dask

import akdask as ak
from benchmarks.data import FileSet
from benchmarks.described import described_workers
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, OURS, PIECES, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.planning import Planned
from benchmarks.tasks.sparse import sparse_set
from benchmarks.timing import peak

ROWS = 10**12
FILES = 8_000
WORKERS = (10, 100, 1_000)
MOST_SECONDS = 60.0
MOST_MEMORY = 4e9
MOST_TASKS = 12.0
"""For each partition that is read or made."""


def plan_a_trillion_rows(setting: Setting) -> list[Result]:
    """Plan each question, up to the first task, in a fresh process for each number of workers; seconds of CPU."""
    rows, results = setting.scaled(ROWS), []
    with sparse_set(setting, rows, setting.scaled(FILES)) as files:
        for workers in WORKERS:
            for name, (seconds, memory, tasks) in fresh(plan, str(files.folder), workers).items():
                results += [
                    Result(
                        f"plan {name}, {rows:,} rows, {workers:,} workers", SECONDS, {OURS: seconds}, {}, MOST_SECONDS
                    ),
                    Result("  memory", MEBIBYTES, {OURS: memory}, {}, MOST_MEMORY),
                    Result("  tasks for each partition", PIECES, {OURS: tasks}, {}, MOST_TASKS),
                ]
    return results


def plan(folder: str, workers: int) -> dict[str, tuple[float, int, float]]:
    """Return the seconds, the peak of memory and the tasks for each partition, by question."""
    found = {}
    with described_workers(workers), ak.config.set(replicate_size=0):
        data = ak.DataFrame(ak.read_hdf(FileSet(Path(folder)).pattern))
        for name, (sides, ask) in QUESTIONS.items():
            start = time.process_time()
            asked = ask(data)
            tasks = _plan(asked)
            seconds = time.process_time() - start
            found[name] = seconds, peak(), tasks / (sides * data.npartitions + getattr(asked, "npartitions", 1))
    return found


def _plan(asked: Any) -> int:
    """Do everything before the first task, also what the scheduler does, and return the number of tasks."""
    try:
        dask.persist(asked, scheduler=_stop)
    except Planned as planned:
        return planned.tasks
    raise RuntimeError("dask.persist went on without a plan")


def _stop(expression: Any, keys: Any, **options: Any) -> NoReturn:
    graph = expression if isinstance(expression, dict) else expression.__dask_graph__()
    expression.__dask_annotations__()
    raise Planned(len(graph))


def _join(data: ak.DataFrame) -> ak.DataFrame:
    other = ak.DataFrame({"k": data["k"], "w": data["v"]})
    joined: ak.DataFrame = ak.merge(data, other, on="k", sort=False)
    return joined


QUESTIONS: dict[str, tuple[int, Callable[[ak.DataFrame], Any]]] = {
    "filtered sum": (1, lambda data: data[data["k"] > 0]["v"].sum()),
    "sort": (1, lambda data: data.sort_values("k")),
    "sum of groups": (1, lambda data: ak.GroupBy(data["k"]).sum(data["v"])[1]),
    "join": (2, _join),
}
"""Sides that are read, and what is planned."""
