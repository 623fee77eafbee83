"""What it costs to plan, whatever the size of the data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

import akdask as ak
from benchmarks.data import floats, integers, make_set
from benchmarks.report import MILLISECONDS, OURS, PIECES, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import interleave

ROWS_IN_PARTITION = 10


def plan_wide_frame(setting: Setting) -> list[Result]:
    """Filter 1,000 columns in 1,000 partitions, assign a tenth as many and sum each of those; up to the first task."""
    count = setting.scaled(1000)
    names = [f"c{index:04d}" for index in range(count)]
    files = make_set(setting.folder, "wide", dict.fromkeys(names, integers), rows=ROWS_IN_PARTITION * count, files=1)
    with ak.config.set(partition_size=ROWS_IN_PARTITION * 8):
        data = ak.read_hdf(files.pattern)
    theirs = dd.from_map(_empty, [names] * count, meta=_empty(names))
    tasks: dict[str, float] = {}

    def by_akdask() -> None:
        tasks[OURS] = count_tasks(_sums(ak.DataFrame(data), names))

    def by_dask() -> None:
        tasks["dask.dataframe"] = count_tasks(_sums(theirs, names))

    seconds = interleave({OURS: by_akdask, "dask.dataframe": by_dask}, setting.repeat)
    size = f"{count:,} columns x {count:,} partitions"
    return [
        Result(f"plan {size}", MILLISECONDS, seconds, limit=2.0),
        # One task for each partition, and as many again for the tree that adds them up.
        Result("  tasks planned", PIECES, tasks, limit=3 * count),
    ]


def plan_many_partitions(setting: Setting) -> list[Result]:
    """Filter, group and sort 10,000 partitions; up to the first task of all three together."""
    count = setting.scaled(10_000)
    columns = {"k": integers, "v": floats}
    files = make_set(setting.folder, "partitions", columns, rows=ROWS_IN_PARTITION * count, files=1)
    with ak.config.set(partition_size=ROWS_IN_PARTITION * 8):
        data = ak.DataFrame(ak.read_hdf(files.pattern))
    tasks: dict[str, float] = {}

    def plan() -> None:
        kept = data[data["k"] > 0]
        _, sums = ak.GroupBy(kept["k"]).sum(kept["v"])
        tasks[OURS] = count_tasks([kept["v"].sum(), sums, kept.sort_values("k")])

    seconds = setting.interleave({OURS: plan})
    return [
        Result(f"plan filter, group-by and sort of {data.npartitions:,} partitions", SECONDS, seconds, limit=10.0),
        Result("  tasks planned", PIECES, tasks),
    ]


class Planned(Exception):
    """A plan is complete: no error, it ends a computation before it begins."""

    def __init__(self, tasks: int) -> None:
        super().__init__(tasks)
        self.tasks = tasks


def count_tasks(collections: Iterable[Any]) -> int:
    """Do everything that ``dask.compute`` does before the first task, and return the number of tasks."""
    try:
        dask.compute(*collections, scheduler=_stop)
    except Planned as planned:
        return planned.tasks
    raise RuntimeError("dask.compute went on without a plan")


def _stop(graph: Any, keys: Any, **options: Any) -> NoReturn:
    raise Planned(len(graph if isinstance(graph, dict) else graph.__dask_graph__()))


def _sums(frame: Any, names: list[str]) -> list[Any]:
    kept = frame[frame[names[0]] > 0]
    new = [f"n{index:04d}" for index in range(len(names) // 10)]
    for index, name in enumerate(new):
        kept[name] = kept[names[index]] + kept[names[index + 1]]
    return [kept[name].sum() for name in new]


def _empty(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame({name: np.empty(0, np.int64) for name in names})
