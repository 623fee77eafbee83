"""Where everybody finds the tables of a question: in memory, as each likes them best, or in Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.answers import answer_table, connect, table_of, timed, total
from benchmarks.data import make_once, shares
from benchmarks.report import OURS
from benchmarks.timing import Timed

FILES = 4
ONE_FILE_ROWS = 1_000_000
"""Rows that nobody would cut into files."""
SHOWN = 100
"""Ranks at which sorted rows are compared."""
PANDAS = "NumPy, pandas"


class Asked(Protocol):
    """A question in the language of everybody; see `benchmarks.questions.Question`."""

    @property
    def akdask(self) -> Callable[[Mapping[str, Any]], Any]: ...
    @property
    def polars(self) -> Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]: ...
    @property
    def pandas(self) -> Callable[[Mapping[str, pd.DataFrame]], Any]: ...
    @property
    def sql(self) -> str: ...
    @property
    def order(self) -> str: ...


class Source(Protocol):
    """Tables by name, for each of the engines."""

    @property
    def akdask(self) -> Mapping[str, Any]: ...
    @property
    def polars(self) -> Mapping[str, pl.LazyFrame]: ...
    @property
    def pandas(self) -> Mapping[str, pd.DataFrame]: ...
    @property
    def connection(self) -> duckdb.DuckDBPyConnection: ...


@dataclass(frozen=True)
class InMemory:
    """Tables that are in memory before the clock starts: persisted, or in duckdb's own format."""

    tables: Mapping[str, pa.Table]
    threads: int

    @cached_property
    def akdask(self) -> Mapping[str, Any]:
        return {name: ak.from_arrow(table).persist() for name, table in self.tables.items()}

    @cached_property
    def polars(self) -> Mapping[str, pl.LazyFrame]:
        return {name: pl.DataFrame(pl.from_arrow(table)).rechunk().lazy() for name, table in self.tables.items()}

    @cached_property
    def pandas(self) -> Mapping[str, pd.DataFrame]:
        return {name: table.to_pandas() for name, table in self.tables.items()}

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        connection = connect(self.threads)
        # Its tables have the rows in their order, as those of the others do.
        connection.execute("set preserve_insertion_order = true")
        for name, table in self.tables.items():
            connection.register("arriving", table)
            connection.execute(f"create table {name} as select * from arriving")
            connection.unregister("arriving")
        connection.execute("set preserve_insertion_order = false")
        return connection


@dataclass(frozen=True)
class InFiles:
    """Tables in folders of Parquet files, which everybody opens anew, by means of its own."""

    folders: Mapping[str, Path]
    threads: int

    @property
    def akdask(self) -> Mapping[str, Any]:
        return {name: ak.DataFrame(ak.read_parquet(self._paths(name))) for name in self.folders}

    @property
    def polars(self) -> Mapping[str, pl.LazyFrame]:
        return {name: pl.scan_parquet(self._paths(name)) for name in self.folders}

    @property
    def pandas(self) -> Mapping[str, pd.DataFrame]:
        return {name: pd.read_parquet(folder) for name, folder in self.folders.items()}

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        connection = connect(self.threads)
        for name in self.folders:
            connection.execute(f"create view {name} as select * from read_parquet({self._paths(name)!r})")
        return connection

    def _paths(self, name: str) -> list[str]:
        return sorted(map(str, self.folders[name].glob("set_LOCALE*")))


def write_tables(target: Path, tables: Mapping[str, pa.Table], threads: int) -> InFiles:
    """Return Parquet files of tables, packed as pyarrow packs by default."""
    folders = {
        name: target / f"{name}-{table.num_rows}-{'-'.join(table.column_names)}" for name, table in tables.items()
    }
    for name, table in tables.items():
        make_once(folders[name], partial(_write, table=table))
    return InFiles(folders, threads)


def _write(folder: Path, table: pa.Table) -> None:
    files = FILES if table.num_rows > ONE_FILE_ROWS else 1
    for number, (start, stop) in enumerate(shares(table.num_rows, files)):
        pq.write_table(table.slice(start, stop - start), folder / f"set_LOCALE{number:04d}.parquet")


def runs_of(question: Asked, source: Source, *, is_compared: bool = True) -> dict[str, Callable[[], Timed]]:
    """Return how everybody answers a question, timed until the whole answer is in memory, and compared if asked."""
    compared: Callable[[Any], object] = partial(_compared, order=question.order) if is_compared else _nothing

    def by_akdask() -> Any:
        found = question.akdask(source.akdask)
        return found.persist() if isinstance(found, ak.DataFrame) else found

    def by_duckdb() -> Any:
        connection = source.connection
        if question.order:
            connection.execute("set preserve_insertion_order = true")
        return answer_table(connection, question.sql)

    return {
        OURS: lambda: timed(by_akdask, compared),
        "polars": lambda: timed(lambda: question.polars(source.polars).collect(), compared),
        "duckdb": lambda: timed(by_duckdb, compared),
        PANDAS: lambda: timed(lambda: question.pandas(source.pandas), compared),
    }


def _nothing(_found: object) -> None:
    """Leave an answer that has been compared before: that takes longer than to find it."""


def _compared(found: Any, order: str) -> tuple[Any, ...]:
    """Return a number, or totals of columns, and some rows where there is an order."""
    if not hasattr(found, "columns") and not isinstance(found, duckdb.DuckDBPyConnection):
        return (float(found),)
    table = table_of(found)
    if table.shape == (1, 1):
        return (float(table.column(0)[0].as_py()),)
    return (*total(found), *_shown(table[order])) if order else total(found)


def _shown(column: pa.ChunkedArray) -> tuple[Any, ...]:
    step = max(len(column) // SHOWN, 1)
    return tuple(column.take(pa.array(range(0, len(column), step))).to_pylist())
