"""Sorting: permutations and whole frames, from files to the result in memory; strings from memory."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import dask
import numpy as np
import numpy.typing as npt
import pyarrow as pa

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_set
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, interleave

NUMPY, POLARS, ONE_THREAD = "NumPy + h5py", "polars + h5py", "akdask, one thread"
SHOWN = 100
"""Ranks at which permutations are compared."""

FLOORS = {"narrow": 5.0, "wide": 3.0}


def sort_rows(setting: Setting) -> list[Result]:
    """Sort integers of 37 and of 64 bits, frames of three columns, and strings of which each comes twenty times."""
    columns = {"narrow": narrow, "wide": wide, "a": floats, "b": floats}
    files = make_set(setting.folder, "sort", columns, setting.rows, 4)
    results = [_argsort(setting, files, name, floor) for name, floor in FLOORS.items()]
    return [*results, _threads(setting, files), _frame(setting, files), _strings(setting)]


def narrow(random: np.random.Generator, count: int) -> Array:
    return random.integers(0, 2**37, count)


def wide(random: np.random.Generator, count: int) -> Array:
    return random.integers(-(2**63), 2**63 - 1, count)


def _argsort(setting: Setting, files: FileSet, name: str, floor: float) -> Result:
    runs: dict[str, Run] = {OURS: _permutation(files, name)}
    runs[NUMPY] = lambda: _some(np.argsort(_column(files, name), kind="stable"))
    if find_spec("polars"):
        import polars as pl

        runs[POLARS] = lambda: _some(pl.Series(_column(files, name)).arg_sort().to_numpy())
    seconds = interleave(runs, setting.repeat)
    return Result(f"argsort of {name} integers", MILLISECONDS, seconds, _against_peers(seconds, floor))


def _threads(setting: Setting, files: FileSet) -> Result:
    run = _permutation(files, "narrow")

    def on_one_thread() -> object:
        with dask.config.set(num_workers=1):
            return run()

    seconds = interleave({OURS: run, ONE_THREAD: on_one_thread}, setting.repeat)
    return Result(f"argsort on {setting.threads} threads", MILLISECONDS, seconds, {ONE_THREAD: 1.6})


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
    seconds = interleave(runs, setting.repeat)
    return Result("sort a frame of three columns", MILLISECONDS, seconds, _against_peers(seconds, 3.0))


def _strings(setting: Setting) -> Result:
    column = _repeated_strings(setting.rows)
    lazy = ak.array(column)
    runs: dict[str, Run] = {OURS: lambda: _texts(column, lazy.argsort().to_ndarray())}
    if find_spec("polars"):
        import polars as pl

        series = pl.from_arrow(column)
        assert isinstance(series, pl.Series), "an array is a series"
        runs[POLARS] = lambda: _texts(column, series.arg_sort().to_numpy())
    seconds = interleave(runs, setting.repeat)
    return Result("argsort of strings in memory", MILLISECONDS, seconds, _against_peers(seconds, 3.0))


def _repeated_strings(rows: int, repeats: int = 20, length: int = 20) -> pa.LargeStringArray:
    random = np.random.default_rng(0)
    distinct = random.integers(97, 123, (max(rows // repeats, 1), length)).astype(np.uint8)
    text = distinct[random.integers(0, len(distinct), rows)]
    offsets = np.arange(rows + 1) * length
    return pa.LargeStringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(text))


def _column(files: FileSet, name: str) -> npt.NDArray[np.int64]:
    return np.concatenate([read_columns(path, (name,))[0] for path in files.paths])


def _some(permutation: npt.NDArray[np.integer]) -> list[int]:
    """Return the positions at some ranks."""
    found: list[int] = permutation[:: max(len(permutation) // SHOWN, 1)].tolist()
    return found


def _texts(column: pa.LargeStringArray, permutation: npt.NDArray[np.integer]) -> list[str]:
    """Return the strings at some ranks: peers order equal ones as they like."""
    found: list[str] = column.take(pa.array(_some(permutation))).to_pylist()
    return found


def _against_peers(seconds: dict[str, float], floor: float) -> dict[str, float]:
    return {name: floor for name in seconds if name != OURS}
