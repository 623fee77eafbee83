"""From files in the page cache to what is asked of a join, and how many elements are among others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import dask
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_set
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run

Ask = Callable[[FileSet, FileSet, int], tuple[Any, ...]]

FACTOR = 103_000_003
"""Moves keys that are close together far apart."""

STEP = 1_299_709
"""Steps by this prime through all keys come to each once, in no order that helps."""


def join(setting: Setting) -> list[Result]:
    """Join with a table of a tenth of the rows, each key of which comes once, and add up a column of each."""
    apart = _sides(setting, setting.rows // 10, FACTOR)
    return [join_close_keys(setting), _compare(setting, "inner join, keys far apart", JOINS, apart, 2.0)]


def join_close_keys(setting: Setting) -> Result:
    """Join by keys that are close together."""
    return _compare(setting, "inner join, keys close together", JOINS, join_files(setting), 2.0)


def join_files(setting: Setting) -> tuple[FileSet, FileSet]:
    """Return a table of keys `k` and values `v`, and one of a tenth of the rows of keys `k` and values `w`."""
    return _sides(setting, setting.rows // 10, 1)


def membership(setting: Setting) -> list[Result]:
    """Count the elements that are among half as many others."""
    close = membership_files(setting)
    apart = _sides(setting, setting.rows // 2, FACTOR)
    engines: dict[str, Ask] = {OURS: _akdask_in, "polars + h5py": _polars_in, "duckdb + h5py": _duckdb_in}
    if setting.rows <= 10_000_000:
        engines |= {"pandas + h5py": _pandas_in, "NumPy + h5py": _numpy_in}
    return [
        _compare(setting, "in1d, elements close together", engines, close, 1.5),
        _compare(setting, "in1d, elements far apart", engines, apart, 1.5),
    ]


def membership_files(setting: Setting) -> tuple[FileSet, FileSet]:
    """Return a table of keys `k`, and one of half as many keys."""
    return _sides(setting, setting.rows // 2, 1)


def _sides(setting: Setting, keys: int, factor: int) -> tuple[FileSet, FileSet]:
    """Return a table of random keys, and one of every second of them, each once and in no order."""

    def drawn(random: np.random.Generator, count: int) -> Array:
        return random.integers(0, 2 * keys, count) * factor % 2**50

    position = 0

    def distinct(random: np.random.Generator, count: int) -> Array:
        nonlocal position
        numbers = np.arange(position, position + count)
        position += count
        return numbers * STEP % keys * 2 * factor % 2**50

    left = make_set(setting.folder, f"left-{keys}-{factor}", {"k": drawn, "v": floats}, setting.rows, setting.files)
    right = make_set(setting.folder, f"right-{keys}-{factor}", {"k": distinct, "w": floats}, keys, 1)
    return left, right


def _compare(
    setting: Setting, task: str, engines: dict[str, Ask], sides: tuple[FileSet, FileSet], floor: float
) -> Result:
    runs: dict[str, Run] = {name: partial(_answer, engine, *sides, setting.threads) for name, engine in engines.items()}
    seconds = setting.interleave(runs)
    return Result(task, MILLISECONDS, seconds, {name: floor for name in seconds if name != OURS})


def _answer(engine: Ask, left: FileSet, right: FileSet, threads: int) -> tuple[float, ...]:
    return tuple(round(float(total), 2) for total in engine(left, right, threads))


def _akdask_join(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    frames = [ak.DataFrame(ak.read_hdf(side.pattern)) for side in (left, right)]
    joined = ak.merge(frames[0], frames[1], on="k", sort=False)
    found: tuple[Any, ...] = dask.compute(joined["v"].sum(), joined["w"].sum())
    return found


def _akdask_in(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    return (ak.in1d(ak.read_hdf(left.pattern)["k"], ak.read_hdf(right.pattern)["k"]).sum(),)


def _polars(files: FileSet, names: tuple[str, ...]) -> pl.LazyFrame:
    parts = [pl.DataFrame(dict(zip(names, read_columns(path, names), strict=True))) for path in files.paths]
    return pl.concat(parts, rechunk=False).lazy()


def _polars_join(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    joined = _polars(left, ("k", "v")).join(_polars(right, ("k", "w")), on="k")
    return tuple(joined.select(pl.col("v").sum(), pl.col("w").sum()).collect().row(0))


def _polars_in(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    found = _polars(left, ("k",)).join(_polars(right, ("k",)), on="k", how="semi")
    return tuple(found.select(pl.len()).collect().row(0))


def _arrow(files: FileSet, names: tuple[str, ...]) -> pa.Table:
    return pa.concat_tables([pa.table(read_columns(path, names), names=names) for path in files.paths])


def _duckdb(left: FileSet, right: FileSet, threads: int, names: tuple[tuple[str, ...], ...], query: str) -> Any:
    connection = duckdb.connect(config={"threads": threads})
    connection.register("a", _arrow(left, names[0]))
    connection.register("b", _arrow(right, names[1]))
    return connection.execute(query).fetchall()[0]


def _duckdb_join(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    query = "select coalesce(sum(v), 0), coalesce(sum(w), 0) from a join b using (k)"
    found: tuple[Any, ...] = _duckdb(left, right, threads, (("k", "v"), ("k", "w")), query)
    return found


def _duckdb_in(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    query = "select count(*) from a semi join b using (k)"
    found: tuple[Any, ...] = _duckdb(left, right, threads, (("k",), ("k",)), query)
    return found


def _keys(files: FileSet) -> Array:
    return np.concatenate([read_columns(path, ("k",))[0] for path in files.paths])


def _pandas_in(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    return (pd.Series(_keys(left)).isin(_keys(right)).sum(),)


def _numpy_in(left: FileSet, right: FileSet, threads: int) -> tuple[Any, ...]:
    return (np.isin(_keys(left), _keys(right)).sum(),)


JOINS: dict[str, Ask] = {OURS: _akdask_join, "polars + h5py": _polars_join, "duckdb + h5py": _duckdb_join}
