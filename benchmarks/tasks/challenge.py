"""The trillion-row challenge with a billion rows: 412 stations in 100 files, beside engines that read Parquet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import duckdb
import h5py
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.data import Array, FileSet, make_once, mark, pieces, shares, stored_bytes
from benchmarks.report import OURS, SECONDS, Result, Work
from benchmarks.setting import Setting
from benchmarks.tasks.group import Question, answer, by_akdask
from benchmarks.tasks.stations import names_of_stations, temperatures
from benchmarks.text_data import CATEGORICAL, MISSING, write_numbers, write_strings
from benchmarks.timing import Run, interleave

ROWS = 1_000_000_000
FILES = 100
TURNS = 2
FROM_PARQUET = "akdask, Parquet"
QUESTION = Question(("c",), ("min", "mean", "max"), is_text=True)

Write = Callable[[Path, Array, Array], None]
"""Writes a file of codes of stations and temperatures."""


def billion_stations(setting: Setting) -> list[Result]:
    """Find minimum, mean and maximum for each station, from locale files and from Parquet.

    Locale files hold a Categorical, with codes of two bytes, and float64, 10 GB; Parquet files the same rows, encoded
    by dictionaries, 2.4 GB.  They may not fit in the page cache, so that seconds of processors are told as well.
    """
    rows, labels = setting.scaled(ROWS), names_of_stations()
    files = _make(setting.folder / f"billion-{rows}-rows", partial(_write_locale, labels), rows)
    parquet = _make(setting.folder / f"billion-{rows}-rows-parquet", partial(_write_parquet, labels), rows)
    ask = partial(answer, question=QUESTION, threads=setting.threads)
    runs: dict[str, Run] = {
        OURS: partial(ask, by_akdask, files.pattern),
        FROM_PARQUET: partial(ask, partial(by_akdask, read=ak.read_parquet), parquet.pattern),
        "polars, Parquet": partial(ask, _by_polars, parquet.paths),
        "duckdb, Parquet": partial(ask, _by_duckdb, parquet.paths),
    }
    spent: dict[str, list[float]] = {name: [] for name in runs}
    measured: dict[str, Run] = {name: partial(_spend, run, spent[name]) for name, run in runs.items()}
    seconds = interleave(measured, min(TURNS, setting.repeat), math.inf)
    cpu = {name: median(turns[1:]) for name, turns in spent.items()}
    work = Work(rows, stored_bytes(files, ("c", "v")))
    return [
        Result(f"min, mean, max of {len(labels)} stations, {rows:,} rows", SECONDS, seconds, work=work),
        Result("  seconds of processors", SECONDS, cpu),
    ]


def _spend(run: Run, spent: list[float]) -> object:
    start = process_time()
    found = run()
    spent.append(process_time() - start)
    return found


def _make(target: Path, write: Write, rows: int) -> FileSet:
    def write_all(folder: Path) -> None:
        for index, drawn in enumerate(pieces(rows, FILES)):
            made = [(np.random.default_rng(seed), count) for seed, count in drawn]
            codes = [random.integers(0, len(names_of_stations()), count, np.int16) for random, count in made]
            values = [temperatures(random, count) for random, count in made]
            write(folder / f"set_LOCALE{index:04d}", np.concatenate(codes), np.concatenate(values))

    return make_once(target, write_all)


def _write_locale(labels: Sequence[str], path: Path, codes: Array, values: Array) -> None:
    ended = pa.array([f"{label}\0" for label in (*labels, MISSING)], pa.large_string())
    index = int(path.name[-4:])
    first, last = shares(len(ended), FILES)[index]
    with h5py.File(path, "w") as file:
        file.attrs["File_Format"] = 1
        write_numbers(file, "v", values)
        mark(file.create_group("c"), CATEGORICAL)
        write_numbers(file, "c/codes", codes)
        write_strings(file, "c/categories", ended.take(pa.array(np.arange(first, last))))
        write_numbers(file, "c/NA_Codes", np.full(int(index == 0), len(labels)))


def _write_parquet(labels: Sequence[str], path: Path, codes: Array, values: Array) -> None:
    names = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels))
    pq.write_table(pa.table({"c": names, "v": values}), path, store_schema=False)


def _by_polars(paths: list[Path], question: Question, threads: int) -> Any:
    made = [getattr(pl.col("v"), name)().alias(name) for name in question.reductions]
    return pl.scan_parquet(paths).group_by(question.keys).agg(made).collect(engine="streaming").get_columns()


def _by_duckdb(paths: list[Path], question: Question, threads: int) -> Any:
    connection = duckdb.connect(config={"threads": threads})
    query = f"select c, min(v), avg(v), max(v) from read_parquet({[*map(str, paths)]!r}) group by c"
    return connection.sql(query).to_arrow_table().columns
