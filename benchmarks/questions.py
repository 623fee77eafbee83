"""Questions whose time is told for any number of rows and many kinds of data, in the language of everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa

import akdask as ak
from benchmarks.data import Array

SEED = 25
FEW = 1_000
REPEATS = 20
"""Rows for each text."""
PART = "77"
LARGE, LARGEST = 10**7, 10**8


@dataclass(frozen=True)
class Kind:
    """How keys are drawn.

    Parameters
    ----------
    name : str
    skew : float
        The power that evenly drawn numbers are raised to: 1 draws all keys as often, 3 the first ones mostly.
    prefix : str
        What all keys of text begin with.
    change : callable
        Makes keys of whole numbers from 0, to each its own.
    """

    name: str
    skew: float = 1.0
    prefix: str = "station number "
    change: Callable[[npt.NDArray[np.int64]], Array] = np.asarray

    def numbers(self, random: np.random.Generator, high: int, count: int) -> npt.NDArray[np.int64]:
        """Return numbers below `high`."""
        if self.skew == 1.0:
            return random.integers(0, high, count)
        return (random.random(count) ** self.skew * high).astype(np.int64)

    def column(self, name: str, rows: int) -> Array | pa.LargeStringArray:
        """Return a column of the table `x`; the same whatever else is drawn."""
        random = np.random.default_rng((SEED, ord(name)))
        if name == "o":
            return np.ones(rows)
        if name not in "jkms":
            return random.random(rows)
        high = {"j": FEW, "k": rows // 2, "m": 2 * _others(rows), "s": rows // REPEATS}[name]
        numbers = self.numbers(random, max(high, 1), rows)
        if name != "s":
            return self.change(numbers)
        labels = pa.array([f"{self.prefix}{number}" for number in range(max(high, 1))], pa.large_string())
        return labels.take(pa.array(numbers))


PLAIN = Kind("whole numbers close together")


def make_tables(question: Question, rows: int, kind: Kind = PLAIN) -> dict[str, pa.Table]:
    """Return the table `x` that a question is asked of, and `y`, a tenth as long, if it needs that one."""
    tables = {"x": pa.table({name: kind.column(name, rows) for name in question.columns})}
    if question.has_other:
        keys = np.random.default_rng(SEED).permutation(_others(rows)) * 2
        tables["y"] = pa.table({"m": kind.change(keys), "u": np.random.default_rng(SEED).random(len(keys))})
    return tables


def _others(rows: int) -> int:
    return max(rows // 10, 1)


@dataclass(frozen=True)
class Question:
    """One question, of some columns of a table `x`, in the language of everybody.

    Parameters
    ----------
    name : str
    columns : str
        The columns that are needed, a letter each.
    akdask, polars, pandas : callable
        Tables to the answer, a frame or a number; lazy as the language has it.
    sql : str
    has_other : bool
        Whether a table `y` is asked as well.
    order : str
        The column that the answer is sorted by, if it is.
    most : int
        Rows up to which an ordinary machine has memory for all engines at once.
    """

    name: str
    columns: str
    akdask: Callable[[Mapping[str, Any]], Any]
    polars: Callable[[Mapping[str, pl.LazyFrame]], pl.LazyFrame]
    pandas: Callable[[Mapping[str, pd.DataFrame]], Any]
    sql: str
    has_other: bool = False
    order: str = ""
    most: int = LARGE


def _sum_by(name: str, key: str, most: int) -> Question:
    return Question(
        name,
        f"{key}v",
        lambda tables: tables["x"].groupby(key, as_index=False).agg(v=("v", "sum")),
        lambda tables: tables["x"].group_by(key).agg(pl.col("v").sum()),
        lambda tables: tables["x"].groupby(key, as_index=False, sort=False).agg(v=("v", "sum")),
        f"select {key}, sum(v) as v from x group by {key}",
        most=most,
    )


def _sort(name: str, key: str) -> Question:
    return Question(
        name,
        f"{key}vw",
        lambda tables: tables["x"].sort_values(key),
        lambda tables: tables["x"].sort(key),
        lambda tables: tables["x"].sort_values(key),
        f"select * from x order by {key}",
        order=key,
    )


QUESTIONS = (
    Question(
        "filtered sum",
        "vw",
        lambda tables: float(tables["x"]["v"][tables["x"]["w"] > 0.5].sum()),
        lambda tables: tables["x"].select(pl.col("v").filter(pl.col("w") > 0.5).sum()),
        lambda tables: tables["x"]["v"].to_numpy()[tables["x"]["w"].to_numpy() > 0.5].sum(),
        "select sum(v) from x where w > 0.5",
        most=LARGEST,
    ),
    _sum_by("sum of 1,000 groups", "j", LARGEST),
    _sum_by("sum of half as many groups as rows", "k", LARGE),
    _sum_by("sum of groups of text", "s", LARGE),
    _sort("three columns sorted by numbers", "k"),
    _sort("three columns sorted by text", "s"),
    Question(
        "distinct values",
        "k",
        lambda tables: ak.DataFrame({"k": ak.unique(tables["x"]["k"])}),
        lambda tables: tables["x"].select(pl.col("k").unique()),
        lambda tables: pd.DataFrame({"k": tables["x"]["k"].unique()}),
        "select distinct k from x",
        most=LARGEST,
    ),
    Question(
        "rows whose key is in another table",
        "m",
        lambda tables: float(ak.in1d(tables["x"]["m"], tables["y"]["m"]).sum()),
        lambda tables: tables["x"].join(tables["y"], on="m", how="semi").select(pl.len()),
        lambda tables: tables["x"]["m"].isin(tables["y"]["m"]).sum(),
        "select count(*) from x semi join y using (m)",
        has_other=True,
        most=LARGEST,
    ),
    Question(
        "inner join with a tenth of the rows",
        "mv",
        lambda tables: ak.merge(tables["x"], tables["y"], on="m", sort=False),
        lambda tables: tables["x"].join(tables["y"], on="m"),
        lambda tables: tables["x"].merge(tables["y"], on="m"),
        "select x.m, v, u from x join y using (m)",
        has_other=True,
    ),
    Question(
        f"texts that contain {PART!r}",
        "s",
        lambda tables: float(tables["x"]["s"].contains(PART).sum()),
        lambda tables: tables["x"].select(pl.col("s").str.contains(PART, literal=True).sum()),
        lambda tables: tables["x"]["s"].str.contains(PART, regex=False).sum(),
        f"select count(*) from x where contains(s, '{PART}')",
    ),
)
