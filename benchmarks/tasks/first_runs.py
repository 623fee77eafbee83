"""The first, the third and the tenth run of a question in a fresh process, after imports, with files in the page cache.

Each engine has a process of its own for each question, and nothing that was found before is kept for the next run.  A
first run is what a script meets, a third one what a notebook meets; the tenth tells what the first had to load.  Tables
in memory are there before the first run, and files are opened in it.  Memory is at hand: the host of a virtual machine
gives new memory at a tenth of the speed of the system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import dask
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.process import fresh
from benchmarks.questions import QUESTIONS, make_tables
from benchmarks.report import FROM_FILES, IN_MEMORY, MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.sources import Asked, InFiles, InMemory, runs_of, write_tables
from benchmarks.tasks.database import GROUPS, JOINS, Question, Tables, make_groups, make_joins
from benchmarks.timing import MOST_WRITTEN, compare, touch_memory

RUNS = {"first": 1, "third": 3, "tenth": 10}
"""The runs that are told, by their names."""

ABOVE_TENTH = 1.3
"""How many times as long as the tenth run the first may take."""

WHO = (OURS, "polars", "duckdb")
FLOOR = 1.0


def _name(question: Question) -> str:
    return f"{question.name}: {question.text}"


ASKED: dict[str, Asked] = {
    **{question.name: question for question in QUESTIONS},
    **{_name(question): question for question in (*GROUPS, *JOINS)},
}


def first_runs(setting: Setting) -> list[Result]:
    """Ask every question of tables in memory, and of Parquet files."""
    return list(_ask(setting))


TOGETHER = 10_000
"""Rows up to which some questions are asked in this process, as a process each takes a second to start."""


WRITTEN_FOR_A_ROW = 200
"""Bytes that a run may write to new memory for each row."""


def _ask(setting: Setting) -> Iterator[Result]:
    written = _write(setting)
    touched = min(setting.rows * WRITTEN_FOR_A_ROW, MOST_WRITTEN) if setting.rows > TOGETHER else 0
    given = {"threads": setting.threads, "touched": touched}
    is_quick = setting.rows <= TOGETHER
    ask, names = (seconds_of, list(written)[::5]) if is_quick else (partial(fresh, seconds_of), written)
    for name in names:
        files = written[name]
        for where in (IN_MEMORY, FROM_FILES):
            folders = {table: str(folder) for table, folder in files.folders.items()}
            found = {who: ask(who, name, folders, where, given) for who in WHO}
            compare({who: answer for who, (answer, _) in found.items()})
            floors = {who: FLOOR for who in WHO if who != OURS}
            for run, number in RUNS.items():
                taken = {who: seconds[number - 1] for who, (_, seconds) in found.items()}
                limit = ABOVE_TENTH * found[OURS][1][-1] if run == "first" else None
                yield Result(name, MILLISECONDS, taken, floors, limit=limit, case=f"{where}, {run} run")


def _write(setting: Setting) -> dict[str, InFiles]:
    """Return the Parquet files of the tables of each question that the setting asks, written once."""
    folder, rows, threads = setting.folder, setting.rows, setting.threads
    asked = {name for name in ASKED if name.startswith(setting.questions or "")}
    found = {
        question.name: write_tables(folder / "first-runs", make_tables(question, rows), threads)
        for question in QUESTIONS
        if question.name in asked
    }
    kinds: tuple[tuple[str, Sequence[Question], Callable[[int], Tables]], ...] = (
        ("groups", GROUPS, lambda rows: {"x": make_groups(rows)}),
        ("joins", JOINS, lambda rows: dict(make_joins(rows))),
    )
    for kind, questions, make in kinds:
        chosen = [question for question in questions if _name(question) in asked]
        files = write_tables(folder / f"first-runs-{kind}", make(rows), threads) if chosen else InFiles({}, threads)
        for question in chosen:
            tables = {table: files.folders[table] for table in question.columns}
            found[_name(question)] = InFiles(tables, threads)
    return found


def seconds_of(
    who: str, name: str, folders: Mapping[str, str], where: str, given: Mapping[str, int]
) -> tuple[object, list[float]]:
    """Return what answers are compared by, and the seconds of each run, in this process."""
    threads = given["threads"]
    files = InFiles({table: Path(folder) for table, folder in folders.items()}, threads)
    tables = {table: pq.read_table(folder) for table, folder in folders.items()} if where == IN_MEMORY else {}
    source = InMemory(tables, threads) if tables else files
    with dask.config.set(num_workers=threads), ak.config.set(cache_size=0):
        if where == IN_MEMORY:
            _ = getattr(source, {OURS: "akdask", "polars": "polars", "duckdb": "connection"}[who])
        first, later = (runs_of(ASKED[name], source, is_compared=is_first)[who] for is_first in (True, False))
        touch_memory(given["touched"])
        turns = [first(), *(later() for _ in range(1, max(RUNS.values())))]
    return turns[0].answer, [turn.seconds for turn in turns]
