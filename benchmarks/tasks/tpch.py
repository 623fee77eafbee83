"""TPC-H: 22 queries in the words of pandas, of files in three forms, beside rivals on Parquet files of the same tables.

Each engine has a process of its own for each query, and opens its files in every run; kept results are off.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.data import make_once
from benchmarks.process import fresh
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import FULL_SIZE, Setting
from benchmarks.timing import Seconds, compare
from benchmarks.tpch.engines import GENERATED, LOCALE, PANDAS, PLAIN, TABLES, answer_of, pandas_sources

FLOORS = {"locale files": 1.2, "plain Parquet": 0.9, "files of tpchgen-cli": 0.8}
"""The bars of the geometric means, by the form of the files that akdask reads."""
FOLDERS = {"locale files": LOCALE, "plain Parquet": PLAIN, "files of tpchgen-cli": GENERATED}
LATER_RUNS = 3
"""The most runs in a process after the first one, whose median is told."""
FEWEST = 0.001
"""The smallest scale factor, of 6,000 lines."""


def tpch(setting: Setting) -> list[Result]:
    """Ask all queries of scale factor 1, or of less in a run of few rows."""
    return list(_ask(setting))


def _ask(setting: Setting) -> Iterable[Result]:
    scale = max(min(setting.rows / FULL_SIZE, 1.0), FEWEST)
    folder = setting.folder / f"tpch-{scale}"
    make_once(folder, partial(write_tables, scale=scale))
    given = {"threads": setting.threads, "later": min(LATER_RUNS, setting.repeat)}
    ask: Callable[..., Any] = answer_of if scale == FEWEST else partial(fresh, answer_of)
    by_form = defaultdict[str, list[Result]](list)
    for number in range(1, len(pandas_sources()) + 1):
        # Rivals answer once of files that two forms are compared with, at the same time as akdask.
        asked = cache(lambda who, form, number=number: ask(who, number, str(folder), form, given))
        for form, floor in FLOORS.items():
            who = [OURS, "polars", "duckdb", *([PANDAS] if form == "plain Parquet" else [])]
            found = {name: asked(name, FOLDERS[form] if name == OURS else _folder_of_rivals(form)) for name in who}
            compare({name: tuple(answer) for name, (answer, _, _) in found.items()})
            for run, of in (("first run", _first), ("later runs", _later)):
                seconds = Seconds({name: of(taken[1]) for name, taken in found.items()},
                                  {name: of(taken[2]) for name, taken in found.items()})  # fmt: skip
                floors = {name: 1.0 if name == PANDAS else floor for name in who if name != OURS}
                task = f"TPC-H q{number}"
                by_form[form].append(Result(task, MILLISECONDS, seconds, floors, case=f"{form}, {run}"))
    return chain.from_iterable(by_form.values())


def _folder_of_rivals(form: str) -> str:
    """Return the folder of the files that rivals read: those without decimals beside locale files."""
    return PLAIN if FOLDERS[form] == LOCALE else FOLDERS[form]


def _first(taken: list[float]) -> float:
    return taken[0]


def _later(taken: list[float]) -> float:
    return median(taken[1:])


# ---------------------------------------------------------------------------------------------------------------- data


def write_tables(folder: Path, scale: float) -> None:
    """Write the tables of tpchgen-cli, the same with floats and times for decimals and dates, and locale files."""
    generated = folder / GENERATED
    generator = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run(
        [generator, "parquet", f"--scale-factor={scale}", f"--output-dir={generated}"], check=True, capture_output=True
    )
    (folder / PLAIN).mkdir()
    for name in TABLES:
        plain = folder / PLAIN / f"{name}.parquet"
        pq.write_table(_plain(pq.read_table(generated / f"{name}.parquet")), plain)
        (folder / LOCALE / name).mkdir(parents=True)
        ak.DataFrame(ak.scan(str(plain))).to_hdf(folder / LOCALE / name / "set")


def _plain(table: pa.Table) -> pa.Table:
    def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_decimal(column.type):
            return column.cast(pa.float64())
        if pa.types.is_date(column.type):
            return column.cast(pa.timestamp("us"))
        return column.cast(pa.string()) if pa.types.is_string_view(column.type) else column

    return pa.table({name: plain(column) for name, column in zip(table.column_names, table.columns, strict=True)})
