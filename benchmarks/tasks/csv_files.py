"""CSV files, from and to columns in memory, beside pyarrow's parser and writer on as many threads."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

import akdask as ak
from benchmarks.data import shares
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, Timed

PYARROW = "pyarrow.csv"
BAR = {PYARROW: 1 / 1.5}
TYPES = {"a": pa.int64(), "x": pa.float64(), "b": pa.bool_(), "s": pa.large_string()}


def read_write_csv(setting: Setting) -> list[Result]:
    """Write four columns of four types to four files, and read those that pyarrow has written."""
    folder = setting.folder / "csv"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tables = [_table(seed, stop - start) for seed, (start, stop) in enumerate(shares(setting.rows, setting.files))]
    frame = ak.from_arrow(pa.concat_tables(tables)).repartition(setting.files).persist()
    paths = [folder / f"pyarrow-{number}.csv" for number in range(setting.files)]
    pool = ThreadPoolExecutor(setting.threads)

    def write_arrow() -> None:
        list(pool.map(arrow_csv.write_csv, tables, paths))

    def read_arrow() -> int:
        convert = arrow_csv.ConvertOptions(column_types=TYPES)
        return sum(arrow_csv.read_csv(path, convert_options=convert).num_rows for path in paths)

    def write_ours() -> Timed:
        start = perf_counter()
        frame.to_csv(folder / "akdask.csv", overwrite=True)
        return Timed(None, perf_counter() - start)

    def read_ours() -> Timed:
        # What is known of files is kept by their state, and every turn shall look at them anew.
        for path in paths:
            path.touch()
        start = perf_counter()
        rows = len(ak.DataFrame.read_csv(list(map(str, paths))).persist())
        return Timed(rows, perf_counter() - start)

    writes: dict[str, Run] = {OURS: write_ours, PYARROW: write_arrow}
    reads: dict[str, Run] = {OURS: read_ours, PYARROW: read_arrow}
    results = [
        Result("write CSV", MILLISECONDS, setting.interleave(writes), BAR),
        Result("read CSV", MILLISECONDS, setting.interleave(reads), BAR),
    ]
    _check(folder, tables)
    shutil.rmtree(folder)
    return results


def _table(seed: int, rows: int) -> pa.Table:
    random = np.random.default_rng(seed)
    hosts = pa.array([f"host-{number:04d}.example.org" for number in range(1000)], pa.large_string())
    return pa.table(
        {
            "a": random.integers(-(2**40), 2**40, rows),
            "x": random.random(rows),
            "b": random.random(rows) < 0.5,
            "s": hosts.take(pa.array(random.integers(0, len(hosts), rows))),
        }
    )


def _check(folder: Path, tables: list[pa.Table]) -> None:
    """Compare what both have written with what was given."""
    given = pa.concat_tables(tables)
    for pattern in ("akdask_LOCALE*.csv", "pyarrow-*.csv"):
        found = ak.DataFrame.read_csv(str(folder / pattern)).to_arrow()
        assert found.equals(given.combine_chunks()) or found.to_pydict() == given.to_pydict()
