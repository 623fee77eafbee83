"""TPC-H: 22 queries in the words of pandas, of files in three forms, beside rivals on Parquet files of the same tables.

Each engine has a process of its own for each query, and opens its files in every run; kept results are off.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import dask
import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import akdask as ak
from benchmarks import tpch as queries
from benchmarks.answers import connect
from benchmarks.data import make_once
from benchmarks.process import fresh
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import FULL_SIZE, Setting
from benchmarks.timing import Seconds, compare, measure
from benchmarks.tpch.polars_queries import QUERIES

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
FLOORS = {"locale files": 1.2, "plain Parquet": 0.9, "files of tpchgen-cli": 0.8}
"""The bars of the geometric means, by the form of the files that akdask reads."""
GENERATED, PLAIN, LOCALE = "generated", "plain", "locale"
FOLDERS = {"locale files": LOCALE, "plain Parquet": PLAIN, "files of tpchgen-cli": GENERATED}
LATER_RUNS = 3
"""The most runs in a process after the first one, whose median is told."""
FEWEST = 0.001
"""The smallest scale factor, of 6,000 lines."""
PANDAS = "pandas"


@cache
def pandas_sources() -> tuple[str, ...]:
    """Return the queries in the words of pandas."""
    text = (Path(queries.__file__).parent / "pandas.txt").read_text()
    return tuple(part.strip() for part in text.split("\n\n") if part.strip())


@cache
def sql_sources() -> tuple[str, ...]:
    """Return the queries in SQL."""
    text = (Path(queries.__file__).parent / "queries.sql").read_text()
    return tuple(part.strip() for part in text.split(";") if part.strip())


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
    for number in range(1, len(QUERIES) + 1):
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


# ------------------------------------------------------------------------------------------------------------- engines


def answer_of(
    who: str, number: int, folder: str, form: str, given: Mapping[str, int]
) -> tuple[tuple[float, ...], list[float], list[float]]:
    """Return what answers are compared by, the seconds of each run, and those of processors, in this process."""
    run = ENGINES[who](number, Path(folder), form, given["threads"])
    with dask.config.set(num_workers=given["threads"]), ak.config.set(cache_size=0):
        turns = [measure(run) for _ in range(1 + given["later"])]
    return _compared(turns[0].answer), [turn.seconds for turn in turns], [turn.cpu or 0.0 for turn in turns]


def _in_pandas_words(module: Any, number: int, opened: Callable[[str], Any]) -> Callable[[], Any]:
    """Return a query that is compiled already, as those of rivals are; each run opens the tables."""
    body = ast.parse(pandas_sources()[number - 1]).body
    used = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}
    last = body.pop()
    assert isinstance(last, ast.Expr)
    steps = compile(ast.Module(body, []), "<query>", "exec")
    answer = compile(ast.Expression(last.value), "<query>", "eval")

    def run() -> Any:
        names = {"pd": module, **{name: opened(name) for name in TABLES if name in used}}
        exec(steps, names)
        return eval(answer, names)

    return run


def _by_akdask(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    pd: Any = import_module("akdask.pandas")

    def opened(name: str) -> Any:
        if form == LOCALE:
            return pd.read_arkouda(str(folder / form / name / "set_LOCALE*"))
        path = str(folder / form / f"{name}.parquet")
        # pandas has objects for decimals and dates.
        return pd.read_parquet(path) if form == PLAIN else pd.scan(path)

    query = _in_pandas_words(pd, number, opened)

    def run() -> Any:
        found = query()
        return found.to_pandas() if hasattr(found, "to_pandas") else found

    return run


def _by_pandas(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    text = pandas_sources()[number - 1]

    def opened(name: str) -> Any:
        path = folder / form / f"{name}.parquet"
        # What a careful user would read.
        columns = [column for column in pq.read_schema(path).names if column in text]
        return pandas.read_parquet(path, columns=columns)

    return _in_pandas_words(pandas, number, opened)


def _by_polars(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    # Products of its decimals lose digits.
    floats = pl.selectors.decimal().cast(pl.Float64)

    def run() -> Any:
        tables = {name: pl.scan_parquet(path).with_columns(floats) for name, path in _parquet(folder, form).items()}
        return QUERIES[number - 1](tables).collect()

    return run


def _by_duckdb(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    def run() -> Any:
        connection = connect(threads)
        for name, path in _parquet(folder, form).items():
            connection.execute(f"create view {name} as select * from read_parquet('{path}')")
        return connection.sql(sql_sources()[number - 1]).to_arrow_table()

    return run


def _parquet(folder: Path, form: str) -> dict[str, Path]:
    return {name: folder / form / f"{name}.parquet" for name in TABLES}


ENGINES: Mapping[str, Callable[[int, Path, str, int], Callable[[], Any]]] = {
    OURS: _by_akdask,
    "polars": _by_polars,
    "duckdb": _by_duckdb,
    PANDAS: _by_pandas,
}


def _compared(found: Any) -> tuple[float, ...]:
    """Return the number of rows and sums of columns, of text those of lengths, whatever the names and their order."""
    if isinstance(found, int | float | np.number):
        return (1.0, float(found))
    if isinstance(found, pandas.DataFrame | pandas.Series):
        found = pa.Table.from_pandas(pandas.DataFrame(found), preserve_index=False)
    table = found.to_arrow() if isinstance(found, pl.DataFrame) else found
    numbers = [
        pc.binary_length(column.cast(pa.large_string())) if _is_text(column.type) else column
        for column in table.columns
        if not pa.types.is_temporal(column.type)
    ]
    return float(table.num_rows), *sorted(float(pc.sum(column).as_py() or 0.0) for column in numbers)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
