"""From files in the page cache to the results of groups, whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dask
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import akdask as ak
from akdask.arrays.groupby import GroupBy
from benchmarks.data import Array, FileSet, floats, make_set, stored_bytes
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import MILLISECONDS, OURS, Result, Work
from benchmarks.setting import Setting
from benchmarks.timing import Run

FEW = 1_000

Engine = Callable[[Any, "Question", int], Any]
"""Files, question and number of threads to columns of the answer."""


@dataclass(frozen=True)
class Question:
    """Reductions of column `v` by some keys: names that all engines but duckdb for `mean` share.

    Keys that are text are found as well, but only counted when answers are compared.
    """

    keys: tuple[str, ...]
    reductions: tuple[str, ...]
    is_text: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return (*self.keys, "v") if self.reductions else self.keys


SUM = Question(("k",), ("sum",))


def few_groups(setting: Setting) -> list[Result]:
    """Sum by a key of a thousand values."""
    return [compare_engines(setting, "sum of 1,000 groups", few_files(setting), SUM, 1.5)]


def many_groups(setting: Setting) -> list[Result]:
    """Sum by a key of half as many values as rows, close together and far apart."""
    groups = setting.rows // 2
    apart = _files(setting, "apart", k=partial(_scattered, groups))
    return [
        sum_of_many_groups(setting),
        compare_engines(setting, f"sum of {groups:,} scattered groups", apart, SUM, 4.0),
    ]


def sum_of_many_groups(setting: Setting) -> Result:
    """Sum by a key of half as many values as rows, close together."""
    return compare_engines(setting, f"sum of {setting.rows // 2:,} groups", many_files(setting), SUM, 4.0)


def two_keys(setting: Setting) -> list[Result]:
    """Sum, mean and maximum by two keys."""
    question = Question(("j", "k"), ("sum", "mean", "max"))
    return [compare_engines(setting, "sum, mean, max by two keys", pair_files(setting), question, 4.0)]


def distinct_values(setting: Setting) -> list[Result]:
    """Find the distinct values of a column where half are."""
    return [compare_engines(setting, "distinct values", many_files(setting), Question(("k",), ()), 3.0)]


def pair_files(setting: Setting) -> FileSet:
    """Return the set of keys `j` and `k` of a hundred and a thousand values, and of values `v`."""
    return _files(setting, "pairs", j=partial(_below, 100), k=partial(_below, FEW))


def few_files(setting: Setting) -> FileSet:
    """Return the set of a key `k` of a thousand values, and of values `v`."""
    return _files(setting, "few", k=partial(_below, FEW))


def many_files(setting: Setting) -> FileSet:
    """Return the set of a key `k` of half as many values as rows, and of values `v`."""
    return _files(setting, "many", k=partial(_below, setting.rows // 2))


def string_groups(setting: Setting) -> list[Result]:
    """Find minimum, mean and maximum by strings in memory: a few hundred names, many, and as many as rows."""
    rows = setting.rows // 4
    results = []
    for count, floor in ((412, 2.0), (rows // 20, 3.0), (rows, 3.0)):
        random = np.random.default_rng(0)
        names = pa.array([f"station number {number:05d}" for number in range(count)], pa.large_string())
        table = pa.table({"k": names.take(pa.array(random.integers(0, count, rows))), "v": random.random(rows)})
        runs = _in_memory(table, setting.threads)
        seconds = setting.interleave(runs)
        floors = {name: floor for name in seconds if name != OURS}
        results.append(Result(f"min, mean, max of {count:,} strings", MILLISECONDS, seconds, floors))
    return results


def _in_memory(table: pa.Table, threads: int) -> dict[str, Run]:
    keys, values = ak.array(table["k"]), ak.array(table["v"])
    frame = pl.from_arrow(table).lazy()
    connection = duckdb.connect(config={"threads": threads})
    connection.register("data", table)
    query = "select min(v), avg(v), max(v) from data group by k"
    column = pl.col("v")
    made = [column.min().alias("min"), column.mean().alias("mean"), column.max().alias("max")]

    def ask_akdask() -> Any:
        groups = GroupBy(keys)
        return dask.compute(*(found for _, found in (groups.min(values), groups.mean(values), groups.max(values))))

    return {
        OURS: lambda: _totals(ask_akdask()),
        "polars": lambda: _totals(frame.group_by("k").agg(made).select("min", "mean", "max").collect().get_columns()),
        "duckdb": lambda: _totals(connection.sql(query).to_arrow_table().columns),
        "pyarrow": lambda: _totals(
            table.group_by("k").aggregate([("v", x) for x in ("min", "mean", "max")]).columns[1:]
        ),
    }


def _below(high: int, random: np.random.Generator, count: int) -> Array:
    return random.integers(0, high, count)


def _scattered(groups: int, random: np.random.Generator, count: int) -> Array:
    return random.integers(0, groups, count) * 103_000_003 % 2**40


def _files(setting: Setting, name: str, **keys: Callable[..., Array]) -> FileSet:
    return make_set(setting.folder, name, {**keys, "v": floats}, setting.rows, setting.files)


def compare_engines(setting: Setting, task: str, files: FileSet, question: Question, floor: float) -> Result:
    """Ask akdask and its peers the same question of the same files."""
    engines: dict[str, Engine] = {
        OURS: by_akdask,
        "polars + h5py": _polars,
        "duckdb + h5py": _duckdb,
        "pyarrow + h5py": _pyarrow,
    }
    if setting.rows <= 10_000_000 and not question.is_text:
        engines["pandas + h5py"] = _pandas
    runs: dict[str, Run] = {
        name: partial(answer, engine, files.pattern if name == OURS else files.paths, question, setting.threads)
        for name, engine in engines.items()
    }
    seconds = setting.interleave(runs)
    floors = {name: floor for name in seconds if name != OURS}
    return Result(task, MILLISECONDS, seconds, floors, work=Work(setting.rows, stored_bytes(files, question.names)))


def answer(engine: Engine, files: Any, question: Question, threads: int) -> tuple[float, ...]:
    """Return what tells answers apart: the number of groups, and the sum of each column."""
    found = engine(files, question, threads)
    return (float(len(found[0])), *_totals(found[len(question.keys) if question.is_text else 0 :]))


def _totals(found: Sequence[Any]) -> tuple[float, ...]:
    """Return the sum of each column, integers modulo 2**64."""
    columns = [np.asarray(column) for column in found]
    totals = (float(c.sum()) if c.dtype.kind == "f" else int(c.astype(np.int64, copy=False).sum()) for c in columns)
    return tuple(round(total, 2) for total in totals)


def by_akdask(pattern: str, question: Question, threads: int, read: Callable[[str], Any] = ak.read_hdf) -> Any:
    """Return the columns of the answer, given how files are read."""
    data = read(pattern)
    keys = [data[name] for name in question.keys]
    groups = GroupBy(keys[0] if len(keys) == 1 else keys)
    if not question.reductions:
        return dask.compute(groups.unique_keys)
    results = [getattr(groups, name)(data["v"]) for name in question.reductions]
    found = results[0][0]
    return dask.compute(*(found if len(keys) > 1 else [found]), *(values for _, values in results))


def _polars(paths: list[Path], question: Question, threads: int) -> Any:
    parts = [pl.DataFrame(dict(zip(question.names, read_arrays(path, question.names), strict=True))) for path in paths]
    frame = pl.concat(parts, rechunk=False).lazy()
    made = [getattr(pl.col("v"), name)().alias(name) for name in question.reductions]
    return frame.group_by(question.keys).agg(made).collect().get_columns()


def _arrow(paths: list[Path], question: Question) -> pa.Table:
    return pa.concat_tables([pa.table(read_arrays(path, question.names), names=question.names) for path in paths])


def _duckdb(paths: list[Path], question: Question, threads: int) -> Any:
    connection = duckdb.connect(config={"threads": threads})
    connection.register("data", _arrow(paths, question))
    keys = ", ".join(question.keys)
    made = ", ".join([keys, *(f"{'avg' if name == 'mean' else name}(v)" for name in question.reductions)])
    return connection.sql(f"select {made} from data group by {keys}").to_arrow_table().columns


def _pyarrow(paths: list[Path], question: Question, threads: int) -> Any:
    grouped = _arrow(paths, question).group_by(question.keys)
    return grouped.aggregate([("v", name) for name in question.reductions]).columns


def _pandas(paths: list[Path], question: Question, threads: int) -> Any:
    parts = [pd.DataFrame(dict(zip(question.names, read_arrays(path, question.names), strict=True))) for path in paths]
    frame = pd.concat(parts)
    if not question.reductions:
        return [frame[question.keys[0]].unique()]
    table = frame.groupby(list(question.keys), sort=False)["v"].agg(list(question.reductions)).reset_index()
    return [table[name] for name in table.columns]
