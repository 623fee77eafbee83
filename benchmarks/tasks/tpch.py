"""TPC-H: 22 queries in the words of pandas, of files in three forms, beside rivals on Parquet files of the same tables.

Each engine has a process of its own for each query, and opens its files in every run. akdask answers without a cache,
and in a process of its own with the cache of its default size.
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

import dask
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

import akdask as ak
from benchmarks.data import make_once
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, MILLISECONDS, OURS, Result
from benchmarks.setting import FULL_SIZE, Setting
from benchmarks.timing import Seconds, compare
from benchmarks.tpch.engines import (
    GENERATED,
    KEEPING,
    LOCALE,
    PANDAS,
    PLAIN,
    TABLES,
    answer_of,
    by_akdask,
    compared,
    pandas_sources,
)

FLOORS = {"locale files": 1.2, "plain Parquet": 0.9, "files of tpchgen-cli": 0.8}
"""The bars of the geometric means, by the form of the files that akdask reads."""
FOLDERS = {"locale files": LOCALE, "plain Parquet": PLAIN, "files of tpchgen-cli": GENERATED}
LATER_RUNS = 3
"""The most runs in a process after the first one, whose median is told."""
FEWEST = 0.001
"""The smallest scale factor, of 6,000 lines."""


LARGE = 5
"""The scale factor of tables whose queries have a bar for memory, too."""
MOST_MEMORY = 2e9
WORKERS = 2
SHARE_OF_THREADS = 0.85


def tpch(setting: Setting) -> list[Result]:
    """Ask all queries of scale factor 1, or of less in a run of few rows."""
    return list(_ask(setting, 1))


def tpch_large(setting: Setting) -> list[Result]:
    """Ask the same of five times as many rows, and measure the peak of each process."""
    return list(_ask(setting, LARGE))


def tpch_workers(setting: Setting) -> list[Result]:
    """Ask the same of locale files on a cluster of processes, and on threads of this one, in turns."""
    folder = _tables(setting, 1)
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        return [_on_workers(setting, client, number, folder) for number in range(1, len(pandas_sources()) + 1)]


def _on_workers(setting: Setting, client: Client, number: int, folder: Path) -> Result:
    query = by_akdask(number, folder, LOCALE, setting.threads)

    def on_threads() -> object:
        return compared(query())

    def on_workers() -> object:
        with client.as_current(), dask.config.set(scheduler="distributed"):
            return compared(query())

    seconds = setting.interleave({OURS: on_workers, "threads": on_threads})
    return Result(f"TPC-H q{number}, {WORKERS} workers", MILLISECONDS, seconds, {"threads": SHARE_OF_THREADS})


def _scale(setting: Setting, most: float) -> float:
    """Return the scale factor of a run: `most`, or less in a run of few rows."""
    return max(most * min(setting.rows / FULL_SIZE, 1.0), FEWEST)


def _tables(setting: Setting, most: float) -> Path:
    scale = _scale(setting, most)
    folder = setting.folder / f"tpch-{scale}"
    make_once(folder, partial(write_tables, scale=scale))
    return folder


def _ask(setting: Setting, most: float) -> Iterable[Result]:
    folder, is_large = _tables(setting, most), most == LARGE
    given = {"threads": setting.threads, "later": min(LATER_RUNS, setting.repeat)}
    ask: Callable[..., Any] = answer_of if _scale(setting, most) == FEWEST else partial(fresh, answer_of)
    by_form = defaultdict[str, list[Result]](list)
    for number in range(1, len(pandas_sources()) + 1):
        # Rivals answer once of files that two forms are compared with, at the same time as akdask.
        asked = cache(lambda who, form, number=number: ask(who, number, str(folder), form, given))
        for form, floor in FLOORS.items():
            who = [OURS, "polars", "duckdb", *([PANDAS] if form == "plain Parquet" and not is_large else [])]
            found = {name: asked(name, FOLDERS[form] if name == OURS else _folder_of_rivals(form)) for name in who}
            compare({name: tuple(answer) for name, (answer, *_) in found.items()})
            ways = [("first run", _first, found), ("later runs", _later, found)]
            if not is_large:
                kept = asked(KEEPING, FOLDERS[form])
                compare({name: tuple(answer) for name, (answer, *_) in {**found, KEEPING: kept}.items()})
                ways.append(("later runs with its cache", _later, {**found, OURS: kept}))
            for run, of, taken_by in ways:
                seconds = Seconds({name: of(taken[1]) for name, taken in taken_by.items()},
                                  {name: of(taken[2]) for name, taken in taken_by.items()})  # fmt: skip
                floors = {name: 1.0 if name == PANDAS else floor for name in who if name != OURS}
                task = f"TPC-H of scale factor {LARGE}, q{number}" if is_large else f"TPC-H q{number}"
                by_form[form].append(Result(task, MILLISECONDS, seconds, floors, case=f"{form}, {run}"))
            if is_large:
                peaks = {name: taken[3] for name, taken in found.items()}
                by_form[form].append(Result(task, MEBIBYTES, peaks, limit=MOST_MEMORY, case=f"{form}, peak"))
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
