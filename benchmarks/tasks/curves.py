"""Time against rows: questions of tables in memory and of Parquet files, from a thousand rows to many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import dask

from benchmarks.process import fresh
from benchmarks.questions import QUESTIONS, make_tables
from benchmarks.report import MILLISECONDS, OURS, Result, Work
from benchmarks.setting import Setting
from benchmarks.sources import InMemory, Source, runs_of, write_tables
from benchmarks.timing import Seconds

FEWEST = 1_000
FEW, TURNS_OF_FEW = 100_000, 9
"""Rows whose times are so short that other programs disturb them more, and the turns that are taken for it."""

TOO_LONG = 3.0
"""Seconds after which nobody is asked the same of ten times as many rows."""


def curves_in_memory(setting: Setting) -> list[Result]:
    """Ask each question of tables in memory."""
    return list(_curves(setting, in_files=False))


def curves_of_files(setting: Setting) -> list[Result]:
    """Ask each question of Parquet files in the page cache."""
    return list(_curves(setting, in_files=True))


def _curves(setting: Setting, in_files: bool) -> Iterator[Result]:
    for number, question in enumerate(QUESTIONS):
        # A process each, which gives back its memory: of few rows that is less than what the process takes.
        asked = number, in_files, _plain(setting)
        found = fresh(measure_curve, *asked) if setting.curve_rows > FEW else measure_curve(*asked)
        for rows, seconds, cpu in found:
            yield Result(question.name, MILLISECONDS, Seconds(seconds, cpu), work=Work(rows, 0), case=f"{rows:,} rows")


def _plain(setting: Setting) -> dict[str, Any]:
    return {**vars(setting), "folder": str(setting.folder)}


def measure_curve(number: int, in_files: bool, given: dict[str, Any]) -> list[tuple[int, Seconds, dict[str, float]]]:
    """Return rows, seconds and seconds of processors for each size."""
    setting = Setting(**{**given, "folder": Path(given["folder"])})
    question = QUESTIONS[number]
    found: list[tuple[int, Seconds, dict[str, float]]] = []
    slow: set[str] = set()
    for rows in sizes(min(setting.curve_rows, question.most)):
        tables = make_tables(question, rows)
        target = setting.folder / f"curves-{number}"
        source: Source = (
            write_tables(target, tables, setting.threads) if in_files else InMemory(tables, setting.threads)
        )
        runs = {name: run for name, run in runs_of(question, source).items() if name not in slow}
        del tables
        with dask.config.set(num_workers=setting.threads):
            # What is loaded or compiled at first is no matter of rows, nor is how tables come to be in memory.
            if rows == FEWEST or not in_files:
                for run in runs.values():
                    run()
            repeat = max(setting.repeat, TURNS_OF_FEW) if rows <= FEW else setting.repeat
            seconds = replace(setting, patience=TOO_LONG, repeat=repeat).interleave(runs)
        found.append((rows, seconds, seconds.cpu))
        slow |= {name for name, taken in seconds.items() if taken > TOO_LONG and name != OURS}
        if in_files:
            rmtree(target)
    return found


def sizes(most: int) -> list[int]:
    """Return powers of ten up to the most rows."""
    found = [FEWEST]
    while found[-1] * 10 <= most:
        found.append(found[-1] * 10)
    return found
