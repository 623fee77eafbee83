"""The questions of the db-benchmark of as many rows as memory holds once: a process for each engine and question.

A process holds the columns that its question needs before it is timed, and may take four fifths of the memory that is
free; akdask and duckdb may write temporary files beside the data.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Any

import dask
import duckdb
import polars as pl
import psutil

import akdask as ak
from benchmarks.answers import answer_table, connect
from benchmarks.data import FileSet, make_once
from benchmarks.process import fresh
from benchmarks.report import OURS, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.database import GROUPS, JOINS, Question, make_groups, make_joins, read_tables, write_files
from benchmarks.timing import Seconds, compare, measure

ROWS = 100_000_000
FILES = 40
FLOOR = 1.0
SHARE = 0.8
"""Of the memory that is free, what a process may take."""

ENOUGH = 5.0
"""Seconds after which an answer is not asked for again."""


def database_large(setting: Setting) -> list[Result]:
    """Ask all questions; who does not finish one has no time there."""
    rows = setting.scaled(ROWS)
    limit = int(SHARE * psutil.virtual_memory().available)
    return [
        _ask(setting, kind, number, rows, limit)
        for kind, questions in QUESTIONS.items()
        for number in range(len(questions))
    ]


def _make(setting: Setting, kind: str, rows: int) -> Path:
    """Return the folder of the tables of questions, each a folder of files, made once."""

    def write(target: Path) -> None:
        for name, table in [("x", make_groups(rows))] if kind == "groups" else make_joins(rows):
            folder = target / name
            folder.mkdir()
            write_files(folder, table, FILES)

    return make_once(setting.folder / f"database-large-{kind}-{rows}-rows", write, in_memory=False).folder


def _ask(setting: Setting, kind: str, number: int, rows: int, limit: int) -> Result:
    folder = _make(setting, kind, rows)
    answers, seconds, cpu = {}, {}, {}
    for who in ENGINES:
        try:
            found = fresh(answer_of, who, kind, number, str(folder), {"threads": setting.threads, "limit": limit})
        except CalledProcessError:
            print(f"{who} does not finish {QUESTIONS[kind][number].name}", file=sys.stderr)
            continue
        answers[who], seconds[who], cpu[who] = tuple(found[0]), found[1], found[2]
    compare(answers)
    question = QUESTIONS[kind][number]
    floors = {who: FLOOR for who in seconds if who != OURS} if OURS in seconds else {}
    return Result(f"{question.name}: {question.text}", SECONDS, Seconds(seconds, cpu), floors, case=f"{rows:,} rows")


def answer_of(
    who: str, kind: str, number: int, folder: str, given: Mapping[str, int]
) -> tuple[tuple[float, ...], float, float]:
    """Return what an answer is compared by, and its seconds, of the second time unless the first was long."""
    question = QUESTIONS[kind][number]
    files = {name: FileSet(Path(folder) / name) for name in question.columns}
    resource.setrlimit(resource.RLIMIT_DATA, (given["limit"], given["limit"]))
    with TemporaryDirectory(dir=folder) as temporary:
        find, total = ENGINES[who](question, files, {**given, "folder": temporary})
        taken = measure(find)
        if taken.seconds < ENOUGH:
            del taken  # who still has an answer is not asked to find it again
            taken = measure(find)
        assert taken.cpu is not None, "it is measured in this process"
        return total(taken.answer), taken.seconds, taken.cpu


Engine = tuple[Callable[[], Any], Callable[[Any], tuple[float, ...]]]
"""What finds an answer, and what it is compared by: its rows, and the sums of its numbers."""


def _by_akdask(question: Question, files: Mapping[str, FileSet], given: Mapping[str, Any]) -> Engine:
    dask.config.set(num_workers=given["threads"], temporary_directory=given["folder"])
    ak.config.set(memory_limit=given["limit"])
    tables = {
        name: ak.DataFrame(ak.read_hdf(each.pattern, list(question.columns[name]))).persist()
        for name, each in files.items()
    }
    return lambda: question.akdask(tables).persist(), _total_of_ours


def _total_of_ours(found: ak.DataFrame) -> tuple[float, ...]:
    numbers = [found[name] for name in sorted(found.columns) if isinstance(found[name], ak.pdarray)]
    return float(len(found)), *(float(ak.where(ak.isnan(column), 0, column).sum()) for column in numbers)


def _by_polars(question: Question, files: Mapping[str, FileSet], given: Mapping[str, Any]) -> Engine:
    assert pl.thread_pool_size() >= given["threads"], "set where the process begins"
    tables = {name: pl.DataFrame(pl.from_arrow(table)).lazy() for name, table in read_tables(files, question)}
    return lambda: question.polars(tables).collect(), _total_of_polars


def _total_of_polars(found: pl.DataFrame) -> tuple[float, ...]:
    numbers = found.select(pl.selectors.numeric()).select(pl.all().fill_null(0).cast(pl.Float64).fill_nan(0).sum())
    return float(found.height), *(numbers[name].item() for name in sorted(numbers.columns))


def _by_duckdb(question: Question, files: Mapping[str, FileSet], given: Mapping[str, Any]) -> Engine:
    connection = connect(given["threads"])
    connection.execute(f"set memory_limit = '{given['limit']}B'")
    connection.execute(f"set temp_directory = '{given['folder']}'")
    for name, table in read_tables(files, question):
        connection.register("arriving", table)
        connection.execute(f"create table {name} as select * from arriving")
        connection.unregister("arriving")
        del table
    return partial(answer_table, connection, question.sql), _total_of_duckdb


def _total_of_duckdb(found: duckdb.DuckDBPyConnection) -> tuple[float, ...]:
    kinds = found.execute("select column_name, column_type from (describe answer)").fetchall()
    sums = [
        f'sum(if(isnan("{name}"::double), 0, "{name}"::double))' for name, kind in sorted(kinds) if kind != "VARCHAR"
    ]
    (numbers,) = found.execute(f"select count(*), {', '.join(sums)} from answer").fetchall()
    return tuple(float(number or 0) for number in numbers)


QUESTIONS = {"groups": GROUPS, "joins": JOINS}
ENGINES: dict[str, Callable[[Question, Mapping[str, FileSet], Mapping[str, Any]], Engine]] = {
    OURS: _by_akdask,
    "polars": _by_polars,
    "duckdb": _by_duckdb,
}
