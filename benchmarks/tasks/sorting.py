"""Sorting: permutations and whole frames of numbers, from files to the result in memory."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_set, stored_bytes
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.report import MILLISECONDS, OURS, Result, Work
from benchmarks.setting import Setting
from benchmarks.timing import Run

NUMPY, POLARS = "NumPy + h5py", "polars + h5py"
SHOWN = 100
"""Ranks at which permutations are compared."""

FLOORS = {"narrow": 5.0, "wide": 3.0}


def sort_rows(setting: Setting) -> list[Result]:
    """Sort integers of 37 and of 64 bits, and frames of three columns."""
    return [*(argsort(setting, name) for name in FLOORS), _frame(setting, sort_files(setting))]


def sort_files(setting: Setting) -> FileSet:
    """Return the set of integers `narrow` and `wide`, and of floats `a` and `b`."""
    columns = {"narrow": narrow, "wide": wide, "a": floats, "b": floats}
    return make_set(setting.folder, "sort", columns, setting.rows, setting.files)


def narrow(random: np.random.Generator, count: int) -> Array:
    return random.integers(0, 2**37, count)


def wide(random: np.random.Generator, count: int) -> Array:
    return random.integers(-(2**63), 2**63 - 1, count)


def argsort(setting: Setting, name: str = "narrow") -> Result:
    """Find the permutation that sorts a column."""
    files = sort_files(setting)
    runs: dict[str, Run] = {OURS: _permutation(files, name)}
    runs[NUMPY] = lambda: _some(np.argsort(_column(files, name), kind="stable"))
    if find_spec("polars"):
        import polars as pl

        runs[POLARS] = lambda: _some(pl.Series(_column(files, name)).arg_sort().to_numpy())
    seconds = setting.interleave(runs)
    work = Work(setting.rows, stored_bytes(files, (name,)))
    return Result(
        f"argsort of {name} integers", MILLISECONDS, seconds, _against_peers(seconds, FLOORS[name]), work=work
    )


def _permutation(files: FileSet, name: str) -> Callable[[], list[int]]:
    return lambda: _some(ak.argsort(ak.read_hdf(files.pattern)[name]).to_ndarray())


def _frame(setting: Setting, files: FileSet) -> Result:
    names = ("narrow", "a", "b")
    runs: dict[str, Run] = {
        OURS: lambda: len(ak.DataFrame(ak.read_hdf(files.pattern, list(names))).sort_values("narrow").persist())
    }
    if find_spec("polars"):
        import polars as pl

        def by_polars() -> int:
            parts = [pl.DataFrame(dict(zip(names, read_columns(path, names), strict=True))) for path in files.paths]
            return len(pl.concat(parts, rechunk=False).sort("narrow", maintain_order=True))

        runs[POLARS] = by_polars
    seconds = setting.interleave(runs)
    return Result("sort a frame of three columns", MILLISECONDS, seconds, _against_peers(seconds, 3.0))


def _column(files: FileSet, name: str) -> npt.NDArray[np.int64]:
    return np.concatenate([read_columns(path, (name,))[0] for path in files.paths])


def _some(permutation: npt.NDArray[np.integer]) -> list[int]:
    """Return the positions at some ranks."""
    found: list[int] = permutation[:: max(len(permutation) // SHOWN, 1)].tolist()
    return found


def _against_peers(seconds: dict[str, float], floor: float) -> dict[str, float]:
    return {name: floor for name in seconds if name != OURS}
