"""Sorts, groups and joins, from files to files, of four times the memory that a cluster has."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import numpy as np
from distributed import Client, LocalCluster

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_set
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, OURS, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import compare, peak, reset_peak

WORKERS, WORKER_LIMIT = 2, 400 * 10**6
ROWS = 4 * WORKERS * WORKER_LIMIT // (4 * 8)
FILES = 40
KEYS = 8_000_000
HEAVY = 5


def outgrown(setting: Setting) -> list[Result]:
    """Measure the time, and the highest peak of a worker, of each question; workers that die make it fail."""
    files = make_set(setting.folder, "outgrown", COLUMNS, setting.scaled(ROWS), FILES)
    total = sum(float(read_columns(path, ("v",))[0].sum()) for path in files.paths)
    return [result for name in QUESTIONS for result in _ask(setting, files, name, total)]


def _ask(setting: Setting, files: FileSet, name: str, total: float) -> list[Result]:
    out = setting.folder / "outgrown-result"
    out.mkdir(exist_ok=True)
    try:
        seconds, highest, found = fresh(answer, name, str(files.folder), str(out))
    finally:
        rmtree(out)
    compare({OURS: found, "NumPy + h5py": total})
    task = f"{name}, 4x the memory of {WORKERS} workers"
    return [
        Result(task, SECONDS, {OURS: seconds}),
        Result(f"{task}: the highest", MEBIBYTES, {OURS: highest}, limit=WORKER_LIMIT),
    ]


def answer(name: str, folder: str, out: str) -> tuple[float, int, float]:
    """Write the answer, and return the seconds, the highest peak of the workers, and the total of its values."""
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=WORKER_LIMIT,
            dashboard_address=":0",
            local_directory=out,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(reset_peak)
        processes = client.run(os.getpid)
        start = time.perf_counter()
        QUESTIONS[name](ak.DataFrame(ak.read_hdf(FileSet(Path(folder)).pattern))).to_hdf(f"{out}/set")
        seconds = time.perf_counter() - start
        if client.run(os.getpid) != processes:
            raise MemoryError(f"{name}: a worker died")
        return seconds, max(client.run(peak).values()), float(ak.read_hdf(f"{out}/set_LOCALE*")["v"].sum())


def _keys(random: np.random.Generator, count: int) -> Array:
    return random.integers(0, KEYS, count)


def _skewed_keys(random: np.random.Generator, count: int) -> Array:
    return np.where(random.random(count) < 0.5, HEAVY, _keys(random, count))


def _group(frame: ak.DataFrame, by: str) -> ak.DataFrame:
    keys, sums = ak.GroupBy(frame[by]).sum(frame["v"])
    return ak.DataFrame({"k": keys, "v": sums})


def _join(frame: ak.DataFrame, by: str) -> ak.DataFrame:
    other = ak.DataFrame({by: ak.arange(KEYS), "x": ak.arange(KEYS)})
    joined: ak.DataFrame = ak.merge(frame[[by, "v", "w"]], other, on=by, sort=False)
    return joined


COLUMNS = {
    "k": _keys,
    "h": _skewed_keys,
    "v": floats,
    "w": lambda random, count: random.integers(-(2**63), 2**63, count),
}

QUESTIONS: dict[str, Callable[[ak.DataFrame], ak.DataFrame]] = {
    "sort": lambda frame: frame.sort_values("w"),
    "sort by a key of half the rows": lambda frame: frame.sort_values("h"),
    "group": lambda frame: _group(frame, "k"),
    "group by a key of half the rows": lambda frame: _group(frame, "h"),
    "join": lambda frame: _join(frame, "k"),
    "join by a key of half the rows": lambda frame: _join(frame, "h"),
}
