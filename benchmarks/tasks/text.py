"""Strings of twenty bytes, each of which comes twenty times: from files to groups, permutations and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import akdask as ak
from benchmarks.data import FileSet, floats
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.group import Question, compare_engines
from benchmarks.text_data import make_text_set

LENGTH, REPEATS = 20, 20
PART = "ab"
SHOWN = 100
"""Ranks at which permutations are compared."""


def ask_strings(setting: Setting) -> list[Result]:
    """Sum by strings, find distinct ones, sort, and search in them."""
    files = text_files(setting)
    return [
        compare_engines(setting, "sum of groups of strings", files, Question(("s",), ("sum",), is_text=True), 3.0),
        compare_engines(setting, "distinct strings", files, Question(("s",), (), is_text=True), 3.0),
        _argsort(setting, files),
        _contains(setting, files),
    ]


def text_files(setting: Setting) -> FileSet:
    """Return the set of strings `s` and of values `v`."""
    letters = np.random.default_rng(0).integers(97, 123, (max(setting.rows // REPEATS, 1), LENGTH)).astype(np.uint8)
    labels = letters.view(f"S{LENGTH}").astype(str).ravel().tolist()
    return make_text_set(setting, "text", labels, floats)


def _argsort(setting: Setting, files: FileSet) -> Result:
    """Sort; the ranks of equal strings are up to each engine, so that strings are compared and not positions."""
    column = _arrow(files)

    def texts(permutation: npt.NDArray[np.integer]) -> list[str]:
        found: list[str] = column.take(pa.array(permutation[:: max(len(permutation) // SHOWN, 1)])).to_pylist()
        return found

    return _compare(
        setting,
        "argsort of strings",
        {
            OURS: lambda: texts(ak.read_hdf(files.pattern)["s"].argsort().to_ndarray()),
            "polars + h5py": lambda: texts(_polars(files).arg_sort().to_numpy()),
        },
        3.0,
    )


def _contains(setting: Setting, files: FileSet) -> Result:
    return _compare(
        setting,
        f"strings that contain {PART!r}",
        {
            OURS: lambda: int(ak.read_hdf(files.pattern)["s"].contains(PART).sum()),
            "polars + h5py": lambda: _polars(files).str.contains(PART, literal=True).sum(),
            "pyarrow + h5py": lambda: pc.sum(pc.match_substring(_arrow(files), PART)).as_py(),
            "duckdb + h5py": lambda: _count_by_duckdb(files, setting.threads),
        },
        2.0,
    )


def _compare(setting: Setting, task: str, runs: dict[str, Callable[[], Any]], floor: float) -> Result:
    seconds = setting.interleave(runs)
    return Result(task, MILLISECONDS, seconds, {name: floor for name in seconds if name != OURS})


def _arrow(files: FileSet) -> pa.ChunkedArray:
    return pa.chunked_array([read_arrays(path, ("s",))[0] for path in files.paths])


def _polars(files: FileSet) -> pl.Series:
    return pl.Series(_arrow(files))


def _count_by_duckdb(files: FileSet, threads: int) -> int:
    connection = duckdb.connect(config={"threads": threads})
    connection.register("data", pa.table({"s": _arrow(files)}))
    ((count,),) = connection.execute(f"select count(*) from data where contains(s, '{PART}')").fetchall()
    return int(count)
