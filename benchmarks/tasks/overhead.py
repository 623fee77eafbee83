"""The cost of one small operation, which is what interactive work feels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

import akdask as ak
from benchmarks.report import MICROSECONDS, MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, Seconds, interleave

LOOPS = 100
ROWS = 10


def small_operations(setting: Setting) -> list[Result]:
    """Add a number to an array; then also sum and compute it."""
    ours = ak.arange(ROWS)
    theirs = dd.from_pandas(pd.Series(np.arange(ROWS)), npartitions=1)
    builds = {OURS: _loop(lambda number: ours + number), "dask.dataframe": _loop(lambda number: theirs + number)}
    computes = {
        OURS: _loop(lambda number: (ours + number).sum().compute()),
        "dask.dataframe": _loop(lambda number: (theirs + number).sum().compute()),
    }
    return [
        Result("build one operation", MICROSECONDS, _each(builds, setting), limit=50e-6),
        Result("build and compute on 10 rows", MILLISECONDS, _each(computes, setting), limit=5e-3),
    ]


def _loop(operation: Callable[[int], Any]) -> Run:
    # Another number each time, so that nobody can answer from a cache.
    numbers = count()

    def run() -> None:
        for _ in range(LOOPS):
            operation(next(numbers))

    return run


def _each(runs: dict[str, Run], setting: Setting) -> Seconds:
    found = interleave(runs, setting.repeat)
    seconds, cpu = ({name: spent / LOOPS for name, spent in whole.items()} for whole in (found, found.cpu))
    return Seconds(seconds, cpu)
