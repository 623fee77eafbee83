"""The questions of other tasks, of data that nobody has made faster on purpose: other keys, types, skews and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from benchmarks.data import Array
from benchmarks.questions import QUESTIONS, Kind, make_tables
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import FULL_SIZE, Setting
from benchmarks.sources import InMemory, runs_of
from benchmarks.tasks.database import Shape, database_groups, database_joins

FLOOR = 1.0
SHARES = (0.3, 0.04)
"""Rows, as shares of those of the other tasks."""


def _scattered(numbers: npt.NDArray[np.int64]) -> Array:
    return numbers * 103_000_003 % 2**50


def _wide(numbers: npt.NDArray[np.int64]) -> Array:
    return (numbers.astype("uint64") * 0x9E3779B97F4A7C15).astype("int64")


KINDS = (
    Kind("keys far apart", prefix="user-", change=_scattered),
    Kind("keys of 64 bits", prefix="", change=_wide),
    Kind("floating-point keys", prefix="https://www.example.org/path/to/page?number=", change=lambda k: k * 0.37),
    Kind("a few keys in most rows", skew=4.0, prefix="ключ "),
    Kind("negative keys", skew=1.5, prefix="n", change=lambda k: 5 - 3 * k),
)
SHAPES = {
    "few keys, skewed": Shape(keys=7, skew=3.0, prefix="customer number "),
    "many keys, far apart": Shape(keys=3_000, prefix="k", scatter=103_003),
}


def held_back(setting: Setting) -> list[Result]:
    """Ask the questions of curves of every kind of data in memory."""
    return list(_ask(setting))


def _ask(setting: Setting) -> Iterator[Result]:
    for kind in KINDS:
        for share in SHARES if setting.rows >= FULL_SIZE else SHARES[:1]:
            rows = max(int(setting.rows * share), 10)
            for question in QUESTIONS:
                source = InMemory(make_tables(question, rows, kind), setting.threads)
                seconds = setting.interleave(runs_of(question, source))
                floors = {name: FLOOR for name in seconds if name != OURS}
                yield Result(question.name, MILLISECONDS, seconds, floors, case=f"{kind.name}, {rows:,} rows")


def held_back_database(setting: Setting) -> list[Result]:
    """Ask the questions of the db-benchmark of tables of other shapes."""
    smaller = replace(setting, rows=max(int(setting.rows * SHARES[0]), 10))
    return [
        replace(found, case=f"{found.case}, {name}")
        for name, shape in SHAPES.items()
        for found in (*database_groups(smaller, shape), *database_joins(smaller, shape))
    ]
