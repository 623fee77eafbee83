"""The questions of the db-benchmark of as many rows as memory holds once: a process for each engine and question.

A process holds the columns that its question needs before it is timed, and may take four fifths of the memory that is
free; akdask and duckdb may write temporary files beside the data.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
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
from benchmarks.tasks.database import GROUPS, JOINS, Question, make_groups, make_joins, read_parts, write_files
from benchmarks.timing import Seconds, Timed, compare, measure, touch_memory

ROWS = 100_000_000
FILES = 40
FLOOR = 1.0
SHARE = 0.8
"""Of the memory that is free, what a process may take."""

TOGETHER = 1_000_000
"""Rows up to which all questions are asked in one process, as each takes a second to start."""

DUCKDB_SHARE = 0.8
"""Of what its process may take, what buffers of duckdb may hold, as by default: it takes more than it counts."""

ENOUGH = 5.0
"""Seconds after which an answer is not asked for again."""

TURNS = 3
"""The most turns that count where the first was short: that one loads what is needed, also for the second."""


def database_large(setting: Setting) -> list[Result]:
    """Ask all questions; an engine that does not finish one has no time there, akdask an infinite one."""
    rows = setting.scaled(ROWS)
    limit = int(SHARE * psutil.virtual_memory().available)
    given = {"threads": setting.threads, "limit": limit, "touches": rows > TOGETHER}
    given["turns"] = min(TURNS, setting.repeat)
    return [result for kind in QUESTIONS for result in _ask(kind, _make(setting, kind, rows), rows, given)]


def _make(setting: Setting, kind: str, rows: int) -> Path:
    """Return the folder of the tables of questions, each a folder of files, made once."""
    folder = setting.folder / f"database-large-{kind}-{rows}-rows"
    # In a process of its own, which gives back its memory.
    fresh(make_tables, kind, str(folder), rows)
    return folder


def make_tables(kind: str, folder: str, rows: int) -> None:
    """Write the tables of questions unless they are there."""

    def write(target: Path) -> None:
        for name, table in [("x", make_groups(rows))] if kind == "groups" else make_joins(rows):
            (target / name).mkdir()
            write_files(target / name, table, FILES)

    make_once(Path(folder), write, in_memory=False)


def _ask(kind: str, folder: Path, rows: int, given: Mapping[str, int]) -> Iterator[Result]:
    count = len(QUESTIONS[kind])
    at_once = 1 if rows > TOGETHER else count
    for first in range(0, count, at_once):
        numbers = list(range(first, first + at_once))
        found = {who: _answered(who, kind, numbers, folder, given) for who in ENGINES}
        for place, number in enumerate(numbers):
            finished = {who: taken[place] for who, taken in found.items() if taken}
            if finished:
                compare({who: tuple(taken[0]) for who, taken in finished.items()})
            # What akdask does not finish is a loss that the page shows.
            seconds = {OURS: inf} | {who: taken[1] for who, taken in finished.items()}
            question = QUESTIONS[kind][number]
            yield Result(
                f"{question.name}: {question.text}",
                SECONDS,
                Seconds(seconds, {who: taken[2] for who, taken in finished.items()}),
                {who: FLOOR for who in seconds if who != OURS},
                case=f"{rows:,} rows",
            )


def _answered(who: str, kind: str, numbers: list[int], folder: Path, given: Mapping[str, int]) -> list[Any]:
    """Return what an engine finds in a process of its own, nothing if it does not finish."""
    try:
        found: list[Any] = fresh(answers_of, who, kind, numbers, str(folder), given)
    except CalledProcessError:
        names = ", ".join(QUESTIONS[kind][number].name for number in numbers)
        print(f"{who} does not finish: {names}", file=sys.stderr)
        return []
    return found


def answers_of(
    who: str, kind: str, numbers: list[int], folder: str, given: Mapping[str, int]
) -> list[tuple[tuple[float, ...], float, float]]:
    """Return what answers are compared by, and their seconds, of later turns unless the first was long."""
    resource.setrlimit(resource.RLIMIT_DATA, (given["limit"], resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        return [
            _answer(who, QUESTIONS[kind][number], Path(folder), {**given, "folder": temporary}) for number in numbers
        ]


def _answer(
    who: str, question: Question, folder: Path, given: Mapping[str, Any]
) -> tuple[tuple[float, ...], float, float]:
    find, total = ENGINES[who](question, {name: FileSet(folder / name) for name in question.columns}, given)
    turns = [_turn(find, given)]
    compared = total(turns[0].answer)
    # Who still has an answer is not asked to find it again.
    turns[0] = replace(turns[0], answer=None)
    if turns[0].seconds < ENOUGH:
        turns = [replace(_turn(find, given), answer=None) for _ in range(given["turns"])]
    return compared, median(turn.seconds for turn in turns), median(turn.cpu or 0.0 for turn in turns)


def _turn(find: Callable[[], Any], given: Mapping[str, Any]) -> Timed:
    """Measure one turn, with the memory that the process may take at hand."""
    if given["touches"]:
        touch_memory(given["limit"])
    return measure(find)


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
    tables = {}
    for name, columns in question.columns.items():
        # File by file, and so no table is there twice.
        parts = [pl.DataFrame(pl.from_arrow(part)) for part in read_parts(files[name], columns)]
        tables[name] = pl.concat(parts, rechunk=False).lazy()
    return lambda: question.polars(tables).collect(), _total_of_polars


def _total_of_polars(found: pl.DataFrame) -> tuple[float, ...]:
    numbers = found.select(pl.selectors.numeric()).select(pl.all().fill_null(0).cast(pl.Float64).fill_nan(0).sum())
    return float(found.height), *(numbers[name].item() for name in sorted(numbers.columns))


def _by_duckdb(question: Question, files: Mapping[str, FileSet], given: Mapping[str, Any]) -> Engine:
    connection = connect(given["threads"])
    connection.execute(f"set memory_limit = '{int(DUCKDB_SHARE * given['limit'])}B'")
    connection.execute(f"set temp_directory = '{given['folder']}'")
    for name, columns in question.columns.items():
        for number, part in enumerate(read_parts(files[name], columns)):
            connection.register("arriving", part)
            into = f"insert into {name}" if number else f"create table {name} as"
            connection.execute(f"{into} select * from arriving")
            connection.unregister("arriving")
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
