"""akdask beside itself: on one thread, on a cluster of processes, and on many partitions of the same rows.

Results stay where they are found; only their totals are fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import dask
from distributed import Client, LocalCluster

import akdask as ak
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.group import few_files, many_files, pair_files
from benchmarks.tasks.join import join_files, membership_files
from benchmarks.tasks.sorting import sort_files
from benchmarks.tasks.text import text_files
from benchmarks.timing import Run

PARTITIONS = 400
WORKERS = 2
THREADS = "threads"
FASTER_THAN_ONE_THREAD = 1.6
SLOWER_ON_WORKERS, SLOWER_IN_PARTITIONS = 3.0, 1.5
"""How many times as long it may take."""

Ask = Callable[[Any], Sequence[Any]]
"""Files to lazy totals."""


def scaling(setting: Setting) -> list[Result]:
    """Ask the questions of the other tasks in several circumstances, in turns."""
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        # Not the default client: what is to run on the cluster says so.
        Client(cluster, set_as_default=False) as client,
    ):
        return [result for name in QUESTIONS for result in _compare(setting, client, name)]


def _compare(setting: Setting, client: Client, name: str) -> list[Result]:
    make_files, ask = QUESTIONS[name]
    few, many = make_files(setting), make_files(replace(setting, files=PARTITIONS))

    def on_one_thread() -> object:
        with dask.config.set(num_workers=1):
            return _totals(ask, few)

    def on_workers() -> object:
        with client.as_current(), dask.config.set(scheduler="distributed"):
            return _totals(ask, few)

    runs: dict[str, Run] = {
        THREADS: partial(_totals, ask, few),
        "one": on_one_thread,
        "workers": on_workers,
        "many": partial(_totals, ask, many),
    }
    seconds = setting.interleave(runs)
    base = seconds[THREADS]

    def beside(where: str, value: float, peer: str, other: float, floor: float) -> Result:
        return Result(f"{name}, {where}", MILLISECONDS, {OURS: value, peer: other}, {peer: floor})

    return [
        beside(f"{setting.threads} threads", base, "one thread", seconds["one"], FASTER_THAN_ONE_THREAD),
        beside(f"{WORKERS} workers", seconds["workers"], THREADS, base, 1 / SLOWER_ON_WORKERS),
        beside(
            f"{PARTITIONS} partitions", seconds["many"], f"{setting.files} partitions", base, 1 / SLOWER_IN_PARTITIONS
        ),
    ]


def _totals(ask: Ask, files: Any) -> tuple[float, ...]:
    return tuple(map(float, dask.compute(*ask(files))))


def _sum_groups(files: Any) -> list[Any]:
    data = ak.read_hdf(files.pattern)
    keys, sums = ak.GroupBy(data["k"]).sum(data["v"])
    return [keys.sum(), sums.sum()]


def _reduce_pairs(files: Any) -> list[Any]:
    data = ak.read_hdf(files.pattern)
    groups = ak.GroupBy([data["j"], data["k"]])
    return [getattr(groups, reduction)(data["v"])[1].sum() for reduction in ("sum", "mean", "max")]


def _sum_strings(files: Any) -> list[Any]:
    data = ak.read_hdf(files.pattern)
    keys, sums = ak.GroupBy(data["s"]).sum(data["v"])
    return [keys.get_lengths().sum(), sums.sum()]


def _sort_frame(files: Any) -> list[Any]:
    names = ["narrow", "a", "b"]
    ordered = ak.DataFrame(ak.read_hdf(files.pattern, names)).sort_values("narrow")
    return [_in_order(ordered[name]) for name in names]


def _in_order(values: Any) -> Any:
    """Return a total that depends on order: sorts are left out below one that does not."""
    return (values * ak.arange(len(values))).sum()


def _join(files: Any) -> list[Any]:
    left, right = (ak.DataFrame(ak.read_hdf(side.pattern)) for side in files)
    joined = ak.merge(left, right, on="k", sort=False)
    return [joined["v"].sum(), joined["w"].sum()]


def _count_members(files: Any) -> list[Any]:
    left, right = (ak.read_hdf(side.pattern)["k"] for side in files)
    return [ak.in1d(left, right).sum()]


QUESTIONS: dict[str, tuple[Callable[[Setting], Any], Ask]] = {
    "sum of few groups": (few_files, _sum_groups),
    "sum of many groups": (many_files, _sum_groups),
    "three reductions by two keys": (pair_files, _reduce_pairs),
    "sum of groups of strings": (text_files, _sum_strings),
    "distinct values": (many_files, lambda files: [ak.unique(ak.read_hdf(files.pattern)["k"]).sum()]),
    "argsort": (sort_files, lambda files: [_in_order(ak.argsort(ak.read_hdf(files.pattern)["narrow"]))]),
    "sort a frame": (sort_files, _sort_frame),
    "inner join": (join_files, _join),
    "in1d": (membership_files, _count_members),
}
