"""Single steps of tables in memory that need not do all that they seem to: first rows, counts, rows at random."""

from __future__ import annotations

import polars as pl

import akdask as ak
from benchmarks.questions import Question, make_tables
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.sources import InMemory, runs_of

FLOOR = 1.0

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
    return [_ask(setting, question) for question in QUESTIONS]


def _ask(setting: Setting, question: Question) -> Result:
    seconds = setting.interleave(runs_of(question, InMemory(make_tables(question, setting.rows), setting.threads)))
    return Result(question.name, MILLISECONDS, seconds, {peer: FLOOR for peer in seconds if peer != OURS})
