"""The trillion-row challenge in small: extremes and means of the temperatures of some hundred weather stations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.data import Array
from benchmarks.report import Result
from benchmarks.setting import Setting
from benchmarks.tasks.group import Question, compare_engines
from benchmarks.text_data import make_text_set

STATIONS = 412
MEASUREMENTS = 5
"""Rows for each row of the other tasks."""
FLOOR = 2.0


def stations(setting: Setting) -> list[Result]:
    """Find minimum, mean and maximum for each station, whose name is kept as Strings and as Categorical.

    Peers group by the codes of the Categorical.
    """
    setting = replace(setting, rows=MEASUREMENTS * setting.rows)
    files = make_text_set(setting, "stations", names_of_stations(), temperatures)
    return [
        compare_engines(
            setting,
            f"min, mean, max of {STATIONS} stations, {setting.rows:,} rows, {kind}",
            files,
            Question((key,), ("min", "mean", "max"), is_text=True),
            FLOOR,
        )
        for key, kind in (("s", "Strings"), ("c", "Categorical"))
    ]


def names_of_stations() -> list[str]:
    random = np.random.default_rng(0)
    names = ["".join(map(chr, random.integers(97, 123, length))) for length in random.integers(3, 20, STATIONS)]
    return [f"{name} {number}" for number, name in enumerate(names)]


def temperatures(random: np.random.Generator, count: int) -> Array:
    return random.normal(10, 10, count).round(1)
