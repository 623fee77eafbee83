"""Single steps of tables in memory that need not do all that they seem to: first rows, counts, and plain sorts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import akdask as ak
from benchmarks.answers import timed
from benchmarks.data import Array, floats
from benchmarks.questions import Kind, Question, make_tables
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.sources import InMemory, runs_of
from benchmarks.timing import Run

NUMPY = "np.sort"
FLOOR, SORT_FLOOR, TEXT_FLOOR = 1.0, 1.7, 2.0
SHOWN = 100
"""Ranks at which sorted values are compared."""

HOSTS = Kind("texts that begin alike", prefix="www.example.org/host-")

QUESTIONS = (
    Question(
        "three rows of the largest values of ten columns",
        "vabcdefghw",
        lambda tables: tables["x"].sort_values("v", ascending=False).head(3),
        lambda tables: tables["x"].sort("v", descending=True).head(3),
        lambda tables: tables["x"].nlargest(3, "v"),
        "select * from x order by v desc limit 3",
    ),
    Question(
        "the first two rows of a left join",
        "mv",
        lambda tables: ak.merge(tables["x"], tables["y"], on="m", how="left", sort=False).head(2)[["m", "v"]],
        lambda tables: (
            tables["x"].join(tables["y"], on="m", how="left", maintain_order="left").head(2).select("m", "v")
        ),
        lambda tables: tables["x"].merge(tables["y"], on="m", how="left").head(2)[["m", "v"]],
        "select x.m, v from (select rowid as place, * from x) x left join y using (m) order by place limit 2",
        has_other=True,
    ),
    Question(
        "number of distinct values",
        "k",
        lambda tables: float(tables["x"]["k"].nunique()),
        lambda tables: tables["x"].select(pl.col("k").n_unique()),
        lambda tables: tables["x"]["k"].nunique(),
        "select count(distinct k) from x",
    ),
    Question(
        "number of values that are there",
        "v",
        lambda tables: float(tables["x"].count().sum()),
        lambda tables: tables["x"].select(pl.col("v").count()),
        lambda tables: tables["x"]["v"].count(),
        "select count(v) from x",
    ),
    Question(
        "five rows at random",
        "o",
        lambda tables: tables["x"].sample(5),
        lambda tables: tables["x"].select(pl.col("o").sample(5)),
        lambda tables: tables["x"].sample(5),
        "select * from x using sample 5 rows",
    ),
)
"""Rows at random are all alike, so that answers can be compared."""


def steps(setting: Setting) -> list[Result]:
    """Take each step in memory."""
    results = [_ask(setting, question) for question in QUESTIONS]
    random = np.random.default_rng(0)
    results += [_sort(setting, "int64", random.integers(-(2**62), 2**62, setting.rows))]
    results += [_sort(setting, "float64", floats(random, setting.rows))]
    return [*results, *(_sort_texts(setting, kind) for kind in (HOSTS, Kind("texts", prefix="")))]


def _ask(setting: Setting, question: Question) -> Result:
    seconds = setting.interleave(runs_of(question, InMemory(make_tables(question, setting.rows), setting.threads)))
    return _result(question.name, seconds, FLOOR)


def _sort(setting: Setting, name: str, values: Array) -> Result:
    kept = ak.array(values).persist()
    runs: dict[str, Run] = {
        OURS: lambda: timed(lambda: ak.sort(kept).to_ndarray(), _some),
        NUMPY: lambda: timed(lambda: np.sort(values), _some),
    }
    return _result(f"sort {name}", setting.interleave(runs), SORT_FLOOR)


def _sort_texts(setting: Setting, kind: Kind) -> Result:
    """Find the order of texts, and take them in it."""
    column = kind.column("s", setting.rows)
    kept = ak.array(column).persist()
    series = pl.Series(column)

    def sorted_by(find: Callable[[], Any], texts: Callable[[Any], Any]) -> Run:
        return lambda: timed(find, lambda found: tuple(texts(found[:: max(setting.rows // SHOWN, 1)])))

    def by_akdask() -> Any:
        return kept[ak.argsort(kept)].persist()

    runs = {
        OURS: sorted_by(by_akdask, lambda found: found.tolist()),
        "polars": sorted_by(lambda: series.gather(series.arg_sort()), lambda found: found.to_list()),
    }
    return _result(f"argsort and gather {kind.name}", setting.interleave(runs), TEXT_FLOOR)


def _some(values: Array) -> tuple[float, ...]:
    return tuple(map(float, values[:: max(len(values) // SHOWN, 1)]))


def _result(name: str, seconds: Any, floor: float) -> Result:
    return Result(name, MILLISECONDS, seconds, {peer: floor for peer in seconds if peer != OURS})
