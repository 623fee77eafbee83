"""The ten questions of groups and the five joins of the db-benchmark, of tables in memory and of files.

Data is made as that benchmark defines it: three keys of text, of which two have few values and one many, three of
integers, integers `v1` and `v2` and floats `v3`; and tables of a millionth, of a thousandth and of all the rows to join
with, nine tenths of whose keys occur on the other side.  What is timed ends with the whole answer in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import akdask as ak
from benchmarks.answers import answer_table, connect, timed, total
from benchmarks.data import Array, FileSet, make_once, shares
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import FROM_FILES, IN_MEMORY, MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.sources import InMemory
from benchmarks.text_data import write_numbers, write_strings
from benchmarks.timing import Run

KEYS = 100
"""Values of the keys that have few; the others have so many rows for each value."""

SEED = 108
SMALL, MEDIUM = 1_000_000, 1_000
"""Rows of the large table for each row of the tables that it is joined with."""

PANDAS_ROWS = 1_000_000
"""Rows up to which pandas takes part."""

PIECE = 10_000_000
"""Rows that are named at once: names as objects of Python take much memory."""

FLOOR = 1.0

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True)
class Shape:
    """How keys are drawn, for data that is not that of the benchmark.

    Parameters
    ----------
    keys : int
        Values of the keys that have few.
    skew : float
        The power that evenly drawn numbers are raised to: 1 draws all keys as often, 3 the first ones mostly.
    prefix : str
        What all keys of text begin with.
    scatter : int
        What keys of integers are multiplied by, so that they are not close together.
    """

    keys: int = KEYS
    skew: float = 1.0
    prefix: str = "id"
    scatter: int = 1

    @property
    def name(self) -> str:
        return f"{self.keys}-{self.skew}-{self.prefix}-{self.scatter}"

    def numbers(self, random: np.random.Generator, high: int, count: int) -> Array:
        """Return numbers from 1 to `high`."""
        if self.skew == 1.0:
            return random.integers(1, high + 1, count)
        return (random.random(count) ** self.skew * high).astype(np.int64) + 1

    def integers(self, random: np.random.Generator, high: int, count: int) -> Array:
        """Return keys of integers."""
        return self.numbers(random, high, count) * self.scatter

    def text(self, random: np.random.Generator, high: int, digits: int, count: int) -> pa.LargeStringArray:
        """Return keys of text."""
        return self.words(self.numbers(random, high, count), digits)

    def words(self, numbers: Array, digits: int = 0) -> pa.LargeStringArray:
        """Return what numbers are called."""
        if len(numbers) > PIECE:
            parts = [numbers[start : start + PIECE] for start in range(0, len(numbers), PIECE)]
            return pa.concat_arrays([self.words(part, digits) for part in parts])
        distinct, codes = np.unique(numbers, return_inverse=True)
        made = pa.array([f"{self.prefix}{number:0{digits}d}" for number in distinct.tolist()], pa.large_string())
        return made.take(pa.array(codes))


PLAIN = Shape()


def make_groups(rows: int, shape: Shape = PLAIN) -> pa.Table:
    """Return the table that the questions of groups are asked of."""
    random = np.random.default_rng(SEED)
    few, many = shape.keys, max(rows // shape.keys, 1)
    return pa.table({
        "id1": shape.text(random, few, 3, rows),
        "id2": shape.text(random, few, 3, rows),
        "id3": shape.text(random, many, 10, rows),
        "id4": shape.integers(random, few, rows),
        "id5": shape.integers(random, few, rows),
        "id6": shape.integers(random, many, rows),
        "v1": random.integers(1, 6, rows),
        "v2": random.integers(1, 16, rows),
        "v3": (random.random(rows) * 100).round(6),
    })  # fmt: skip


def make_joins(rows: int, shape: Shape = PLAIN) -> Iterator[tuple[str, pa.Table]]:
    """Yield the table `x` and those that it is joined with, `small`, `medium` and `big`, with their names."""
    random = np.random.default_rng(SEED)
    sizes = [max(rows // SMALL, 10), max(rows // MEDIUM, 10), rows]
    keys = [_split_keys(random, size) for size in sizes]
    drawn = [_drawn(random, left, rows, shape) for left, _ in keys]
    yield "x", _keyed(drawn, shape, v1=_values(random, rows))
    for name, size, count in (("small", sizes[0], 1), ("medium", sizes[1], 2), ("big", sizes[2], 3)):
        own = [_drawn(random, right, size, shape) for _, right in keys[: count - 1]]
        distinct = random.permutation(keys[count - 1][1])
        yield name, _keyed([*own, distinct], shape, v2=_values(random, size))


def _split_keys(random: np.random.Generator, size: int) -> tuple[Array, Array]:
    """Return keys of the left and of the right side: as many, of which nine tenths are the same."""
    drawn = random.permutation(np.arange(1, size + max(size // 10, 1) + 1))
    return drawn[:size], drawn[-size:]


def _drawn(random: np.random.Generator, keys: Array, count: int, shape: Shape) -> Array:
    """Return each key at least once, if there are not too many."""
    if len(keys) >= count:
        return random.permutation(keys)[:count]
    again = keys[shape.numbers(random, len(keys), count - len(keys)) - 1]
    return random.permutation(np.concatenate([keys, again]))


def _values(random: np.random.Generator, count: int) -> Array:
    return (random.random(count) * 100).round(6)


def _keyed(numbers: Sequence[Array], shape: Shape, **values: Array) -> pa.Table:
    integers = {f"id{place}": column * shape.scatter for place, column in enumerate(numbers, 1)}
    return pa.table(integers | {f"id{place}": shape.words(column) for place, column in enumerate(numbers, 4)} | values)


def write_set(setting: Setting, name: str, table: pa.Table) -> FileSet:
    """Return the files of a table."""
    folder = setting.folder / f"database-{name}-{table.num_rows}-rows-{setting.files}-files"
    return make_once(folder, partial(write_files, table=table, files=setting.files))


def write_files(target: Path, table: pa.Table, files: int) -> None:
    """Write a table as a set of files."""
    for index, (start, stop) in enumerate(shares(table.num_rows, files)):
        part = table.slice(start, stop - start)
        with h5py.File(target / f"set_LOCALE{index:04d}", "w") as file:
            file.attrs["File_Format"] = 1
            for column in part.column_names:
                values = part[column].combine_chunks()
                if values.type == pa.large_string():
                    end, between = (pa.scalar(text, pa.large_string()) for text in ("\0", ""))
                    write_strings(file, column, pc.binary_join_element_wise(values, end, between))
                else:
                    write_numbers(file, column, values.to_numpy())


@dataclass(frozen=True)
class Question:
    """One question: of the columns `columns` of each table, in the language of everybody."""

    name: str
    text: str
    columns: Mapping[str, Sequence[str]]
    akdask: Callable[[Mapping[str, Any]], Any]
    polars: Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]
    pandas: Callable[[Mapping[str, pd.DataFrame]], pd.DataFrame]
    sql: str
    order: str = ""


def _grouped(name: str, by: str, columns: str, **made: tuple[str, str]) -> Question:
    """Return a question of reductions by keys: ``total=("v1", "sum")``."""
    keys = by.split()
    calls = {"mean": "avg", "std": "stddev", "size": "count"}
    sql = ", ".join([*keys, *(f"{calls.get(how, how)}({column}) as {out}" for out, (column, how) in made.items())])

    def polars(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
        found = [(pl.len() if how == "size" else getattr(pl.col(column), how)()).alias(out)
                 for out, (column, how) in made.items()]  # fmt: skip
        return tables["x"].group_by(keys).agg(found)

    return Question(
        name,
        ", ".join(f"{how} {column}" for column, how in made.values()) + f" by {by}",
        {"x": [*keys, *columns.split()]},
        lambda tables: tables["x"].groupby(keys, as_index=False).agg(**made),
        polars,
        lambda tables: tables["x"].groupby(keys, as_index=False, sort=False).agg(
            **{out: (column, how) for out, (column, how) in made.items()}
        ),
        f"select {sql} from x group by {', '.join(keys)}",
    )  # fmt: skip


def _range(tables: Mapping[str, Any], sort: bool | None = None) -> Any:
    grouped = tables["x"].groupby("id3", as_index=False, **({} if sort is None else {"sort": sort}))
    found = grouped.agg(a=("v1", "max"), b=("v2", "min"))
    found["range"] = found["a"] - found["b"]
    return found[["id3", "range"]]


def _two_largest(tables: Mapping[str, Any]) -> Any:
    return tables["x"][["id6", "v3"]].sort_values("v3", ascending=False).groupby("id6").head(2)


def _r2_akdask(tables: Mapping[str, Any]) -> Any:
    x = tables["x"][["id2", "id4"]]
    a, b = (ak.cast(tables["x"][name], "float64") for name in ("v1", "v2"))
    for name, column in {"a": a, "b": b, "aa": a * a, "bb": b * b, "ab": a * b}.items():
        x[name] = column
    sums = {name: (name, "sum") for name in ("a", "b", "aa", "bb", "ab")}
    found = x.groupby(["id2", "id4"], as_index=False).agg(n=("a", "size"), **sums)
    return _r2_of_sums(found)


def _r2_of_sums(found: Any) -> Any:
    n, a, b = found["n"], found["a"], found["b"]
    shared = n * found["ab"] - a * b
    found["r2"] = shared * shared / ((n * found["aa"] - a * a) * (n * found["bb"] - b * b))
    return found[["id2", "id4", "r2"]]


def _r2_pandas(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    a, b = (tables["x"][name].astype("float64") for name in ("v1", "v2"))
    x = tables["x"][["id2", "id4"]].assign(a=a, b=b, aa=a * a, bb=b * b, ab=a * b)
    sums = {name: (name, "sum") for name in ("a", "b", "aa", "bb", "ab")}
    return pd.DataFrame(_r2_of_sums(x.groupby(["id2", "id4"], as_index=False, sort=False).agg(n=("a", "size"), **sums)))


GROUPS = (
    _grouped("q1", "id1", "v1", v1=("v1", "sum")),
    _grouped("q2", "id1 id2", "v1", v1=("v1", "sum")),
    _grouped("q3", "id3", "v1 v3", v1=("v1", "sum"), v3=("v3", "mean")),
    _grouped("q4", "id4", "v1 v2 v3", v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")),
    _grouped("q5", "id6", "v1 v2 v3", v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")),
    _grouped("q6", "id4 id5", "v3", median=("v3", "median"), sd=("v3", "std")),
    Question(
        "q7",
        "max v1 - min v2 by id3",
        {"x": ["id3", "v1", "v2"]},
        _range,
        lambda tables: tables["x"].group_by("id3").agg(range=pl.col("v1").max() - pl.col("v2").min()),
        partial(_range, sort=False),
        "select id3, max(v1) - min(v2) as range from x group by id3",
    ),
    Question(
        "q8",
        "two largest v3 by id6",
        {"x": ["id6", "v3"]},
        _two_largest,
        lambda tables: tables["x"].group_by("id6").agg(pl.col("v3").top_k(2)).explode("v3"),
        _two_largest,
        "select id6, unnest(v3) as v3 from (select id6, max(v3, 2) as v3 from x group by id6)",
    ),
    Question(
        "q9",
        "r² of v1 and v2 by id2, id4",
        {"x": ["id2", "id4", "v1", "v2"]},
        _r2_akdask,
        lambda tables: tables["x"].group_by("id2", "id4").agg(r2=pl.corr("v1", "v2", method="pearson") ** 2),
        _r2_pandas,
        "select id2, id4, pow(corr(v1, v2), 2) as r2 from x group by id2, id4",
    ),
    _grouped("q10", "id1 id2 id3 id4 id5 id6", "v3", v3=("v3", "sum"), count=("v3", "size")),
)  # fmt: skip


def _joined(name: str, other: str, key: str, how: Literal["inner", "left"], text: str) -> Question:
    own = {"small": "id1 id4 v2", "medium": "id1 id2 id4 id5 v2", "big": "id1 id2 id3 id4 id5 id6 v2"}[other].split()
    columns = {"x": ["id1", "id2", "id3", "id4", "id5", "id6", "v1"], other: own}
    others = ", ".join(f"r.{column} as {column}_r" for column in own if column not in {key, "v2"})
    return Question(
        name,
        text,
        columns,
        lambda tables: ak.merge(
            tables["x"], tables[other], on=key, how=how, left_suffix="", right_suffix="_r", sort=False
        ),
        lambda tables: tables["x"].join(tables[other], on=key, how=how, suffix="_r"),
        lambda tables: tables["x"].merge(tables[other], on=key, how=how, suffixes=("", "_r"), sort=False),
        f"select x.*, {others}{', ' if others else ''}r.v2 from x {how} join {other} r using ({key})",
    )


JOINS = (
    _joined("j1", "small", "id1", "inner", "inner join with the small table by an integer"),
    _joined("j2", "medium", "id2", "inner", "inner join with the medium table by an integer"),
    _joined("j3", "medium", "id2", "left", "left join with the medium table by an integer"),
    _joined("j4", "medium", "id5", "inner", "inner join with the medium table by text"),
    _joined("j5", "big", "id3", "inner", "inner join with the big table by an integer"),
)


@dataclass(frozen=True)
class Subject(InMemory):
    """What questions are asked of: tables, and their files, which akdask persists."""

    files: Mapping[str, FileSet]

    @cached_property
    def akdask(self) -> Mapping[str, Any]:
        return {name: ak.DataFrame(ak.read_hdf(files.pattern)).persist() for name, files in self.files.items()}

    def in_memory(self, question: Question) -> dict[str, Run]:
        """Return how everybody finds an answer of tables in memory, where they are before anything is timed."""
        persisted, frames, connection = self.akdask, self.polars, self.connection
        runs: dict[str, Run] = {
            OURS: lambda: timed(lambda: question.akdask(persisted).persist(), total),
            "polars": lambda: timed(lambda: question.polars(frames).collect(), total),
            "duckdb": lambda: timed(partial(answer_table, connection, question.sql), total),
        }
        if self.tables["x"].num_rows <= PANDAS_ROWS:
            tables = self.pandas
            runs["pandas"] = lambda: timed(lambda: question.pandas(tables), total)
        return runs

    def from_files(self, question: Question) -> dict[str, Run]:
        """Return how everybody finds an answer of files, of which peers read what they need by h5py."""

        def by_akdask() -> Any:
            opened = {name: ak.read_hdf(self.files[name].pattern) for name in question.columns}
            return question.akdask({name: ak.DataFrame(found) for name, found in opened.items()}).persist()

        def by_polars() -> Any:
            read = {name: pl.DataFrame(pl.from_arrow(table)) for name, table in read_tables(self.files, question)}
            return question.polars({name: table.lazy() for name, table in read.items()}).collect()

        def by_duckdb() -> Any:
            connection = connect(self.threads)
            for name, table in read_tables(self.files, question):
                connection.register(name, table)
            return answer_table(connection, question.sql)

        return {
            OURS: lambda: timed(by_akdask, total),
            "polars + h5py": lambda: timed(by_polars, total),
            "duckdb + h5py": lambda: timed(by_duckdb, total),
        }


def read_tables(files: Mapping[str, FileSet], question: Question) -> Iterator[tuple[str, pa.Table]]:
    """Yield what a question needs of each of its tables, with the name of the table."""
    for name, columns in question.columns.items():
        yield name, pa.concat_tables(read_parts(files[name], columns))


def read_parts(files: FileSet, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield columns of each file."""
    for path in files.paths:
        yield pa.table(read_arrays(path, tuple(columns)), names=columns)


def database_groups(setting: Setting, shape: Shape = PLAIN) -> list[Result]:
    """Ask the ten questions of groups."""
    return _ask(setting, shape, "groups", lambda: {"x": make_groups(setting.rows, shape)}, GROUPS)


def database_joins(setting: Setting, shape: Shape = PLAIN) -> list[Result]:
    """Make the five joins."""
    return _ask(setting, shape, "joins", lambda: dict(make_joins(setting.rows, shape)), JOINS)


def _ask(
    setting: Setting, shape: Shape, name: str, make: Callable[[], Tables], questions: Sequence[Question]
) -> list[Result]:
    tables = make()
    files = {
        part: write_set(setting, f"{name}-{part}-{shape.name}-of-{setting.rows}", table)
        for part, table in tables.items()
    }
    subject = Subject(tables, setting.threads, files)
    results = []
    for where, runs_of in ((IN_MEMORY, subject.in_memory), (FROM_FILES, subject.from_files)):
        for question in questions:
            seconds = setting.interleave(runs_of(question))
            floors = {peer: FLOOR for peer in seconds if peer != OURS}
            results.append(Result(f"{question.name}: {question.text}", MILLISECONDS, seconds, floors, case=where))
    return results
