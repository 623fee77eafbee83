"""Parquet files: two of ten columns filtered and added up, and three columns of numbers and one of strings written."""

from __future__ import annotations

import itertools
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.data import FileSet, make_once, shares
from benchmarks.process import fresh
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, compare, interleave

FILES = 4
COLUMNS = 10
PYARROW = "pyarrow, 2 threads"


def filter_two_of_ten(setting: Setting) -> list[Result]:
    """Read two columns of ten, keep the rows where one is small, and add up the other; files of pyarrow and of ours."""
    results = []
    for label, codec in (("pyarrow's, Snappy", "snappy"), ("pyarrow's, not packed", "none"), ("akdask's", None)):
        target = setting.folder / f"parquet-{setting.rows}-rows-{codec}"
        files = make_once(target, partial(_write, rows=setting.rows, codec=codec))
        ways = {OURS: _by_akdask, "polars": _by_polars, "duckdb": _by_duckdb}
        runs: dict[str, Run] = {name: partial(way, files) for name, way in ways.items()}
        seconds = interleave(runs, setting.repeat)
        floors = {"polars": 1.0, "duckdb": 1.0}
        results.append(Result(f"Parquet, filtered sum, files: {label}", MILLISECONDS, seconds, floors))
    return results


def open_parquet_by_manifest(setting: Setting) -> list[Result]:
    """Open 10,000 Parquet files of 20 columns by their manifest, in a fresh process."""
    count = setting.scaled(10_000)
    folder = setting.folder / f"parquet-many-{count}"
    make_once(folder, partial(_write_many, count=count), in_memory=False)
    seconds = median(fresh(open_many, str(folder)) for _ in range(min(3, setting.repeat)))
    return [Result(f"open {count:,} Parquet files with a manifest", MILLISECONDS, {OURS: seconds}, limit=1.0)]


def _write_many(folder: Path, count: int) -> None:
    columns = {f"c{k:02d}": ak.arange(100 * count) for k in range(20)}
    ak.to_parquet(columns, folder / "set", num_locales=count)


def open_many(folder: str) -> float:
    """Return the seconds that opening takes; the manifest tells where files are, so they must not have moved."""
    float(ak.zeros(1).sum())  # imports what Dask computes with
    start = perf_counter()
    ak.read_parquet(f"{folder}/set_LOCALE*")
    return perf_counter() - start


def _write(folder: Path, rows: int, codec: str | None) -> None:
    random = np.random.default_rng(0)
    columns = {
        f"c{k}": random.integers(0, 1000, rows) if k < COLUMNS // 2 else random.random(rows) for k in range(COLUMNS)
    }
    if codec is None:
        ak.to_parquet({name: ak.array(values) for name, values in columns.items()}, folder / "set", num_locales=FILES)
        return
    for number, (start, stop) in enumerate(shares(rows, FILES)):
        table = pa.table({name: values[start:stop] for name, values in columns.items()})
        pq.write_table(table, folder / f"set_LOCALE{number:04d}", compression=codec)


def _by_akdask(files: FileSet) -> float:
    data = ak.DataFrame(ak.read_parquet([str(path) for path in files.paths], ["c0", "c7"]))
    return float(data[data["c0"] < 500]["c7"].sum())


def _by_polars(files: FileSet) -> float:
    import polars as pl

    data = pl.scan_parquet(files.paths).filter(pl.col("c0") < 500)
    return float(data.select(pl.col("c7").sum()).collect().item())


def _by_duckdb(files: FileSet) -> float:
    import duckdb

    names = [str(path) for path in files.paths]
    ((found,),) = duckdb.sql(f"select sum(c7) from read_parquet({names!r}) where c0 < 500").fetchall()
    return float(found)


def write_with_strings(setting: Setting) -> list[Result]:
    """Write three columns of numbers and one of strings, each turn to new files, as pyarrow does."""
    folder = setting.folder / "parquet-written"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    turn = itertools.count()
    random = np.random.default_rng(0)
    rows = setting.rows // 4
    text = np.char.add("name of user ", random.integers(0, 10**6, rows).astype(str))
    columns = {
        "a": pa.array(random.integers(-(2**40), 2**40, rows)),
        "b": pa.array(random.random(rows)),
        "c": pa.array(random.integers(0, 1000, rows)),
        "s": pa.array(text.tolist(), pa.large_string()),
    }
    table = pa.table(columns)
    ours = {name: ak.array(values.to_numpy(zero_copy_only=False)) for name, values in columns.items()}
    halves = [table.slice(start, stop - start) for start, stop in shares(rows, 2)]

    def by_akdask() -> None:
        ak.to_parquet(ours, folder / f"akdask-{next(turn)}", num_locales=2)

    def by_pyarrow() -> None:
        number = next(turn)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(partial(_write_half, folder / f"pyarrow-{number}"), (0, 1), halves))

    seconds = interleave({OURS: by_akdask, PYARROW: by_pyarrow}, setting.repeat)
    found = pq.read_table(sorted(map(str, folder.glob("akdask-0_LOCALE*"))))
    compare({"given": table.column("s").to_pylist()[:1000], "written": found.column("s").to_pylist()[:1000]})
    shutil.rmtree(folder)
    return [
        Result(
            "write three columns of numbers and one of strings to Parquet", MILLISECONDS, seconds, {PYARROW: 1 / 1.2}
        )
    ]


def _write_half(path: Path, number: int, rows: pa.Table) -> None:
    pq.write_table(rows, f"{path}-{number}", compression="none")
