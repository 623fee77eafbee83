"""Engines that answer the queries; each loads its own library alone, so that first runs are those of its users."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.report import OURS
from benchmarks.timing import measure, peak

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
GENERATED, PLAIN, LOCALE = "generated", "plain", "locale"
"""Folders of the tables: files of tpchgen-cli, Parquet without decimals and days, and Arkouda's files."""
PANDAS = "pandas"
KEEPING = f"{OURS}, as it is set"
"""With the cache of its default size, for columns that were read and groups that were found before."""


@cache
def pandas_sources() -> tuple[str, ...]:
    """Return the queries in the words of pandas."""
    text = (Path(__file__).parent / "pandas.txt").read_text()
    return tuple(part.strip() for part in text.split("\n\n") if part.strip())


@cache
def sql_sources() -> tuple[str, ...]:
    """Return the queries in SQL."""
    text = (Path(__file__).parent / "queries.sql").read_text()
    return tuple(part.strip() for part in text.split(";") if part.strip())


def answer_of(
    who: str, number: int, folder: str, form: str, given: Mapping[str, int]
) -> tuple[tuple[float, ...], list[float], list[float], int]:
    """Return what answers are compared by, seconds of each run, those of processors, and the peak of this process."""
    run = ENGINES[who](number, Path(folder), form, given["threads"])
    turns = [measure(run) for _ in range(1 + given["later"])]
    highest = peak()
    return compared(turns[0].answer), [turn.seconds for turn in turns], [turn.cpu or 0.0 for turn in turns], highest


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


def by_akdask(number: int, folder: Path, form: str, threads: int, cache_size: int | None = 0) -> Callable[[], Any]:
    """Return a query of akdask, which keeps up to `cache_size` bytes between runs; None for its default."""
    import dask

    from akdask import config

    pd: Any = import_module("akdask.pandas")

    def opened(name: str) -> Any:
        if form == LOCALE:
            return pd.read_arkouda(str(folder / form / name / "set_LOCALE*"))
        path = str(folder / form / f"{name}.parquet")
        # pandas has objects for decimals and dates.
        return pd.read_parquet(path) if form == PLAIN else pd.scan(path)

    query = _in_pandas_words(pd, number, opened)

    def run() -> Any:
        with dask.config.set(num_workers=threads), config.set(cache_size=cache_size):
            found = query()
            return found.to_pandas() if hasattr(found, "to_pandas") else found

    return run


def _by_pandas(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    import pandas
    import pyarrow.parquet as pq

    text = pandas_sources()[number - 1]

    def opened(name: str) -> Any:
        path = folder / form / f"{name}.parquet"
        # What a careful user would read.
        columns = [column for column in pq.read_schema(path).names if column in text]
        return pandas.read_parquet(path, columns=columns)

    return _in_pandas_words(pandas, number, opened)


def _by_polars(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    import polars as pl

    from benchmarks.tpch.polars_queries import QUERIES

    # Products of its decimals lose digits.
    floats = pl.selectors.decimal().cast(pl.Float64)

    def run() -> Any:
        tables = {name: pl.scan_parquet(path).with_columns(floats) for name, path in _parquet(folder, form).items()}
        return QUERIES[number - 1](tables).collect()

    return run


def _by_duckdb(number: int, folder: Path, form: str, threads: int) -> Callable[[], Any]:
    import duckdb

    import_module("pyarrow")  # which its answers are of

    def run() -> pa.Table:
        connection = duckdb.connect(config={"threads": threads, "preserve_insertion_order": False})
        for name, path in _parquet(folder, form).items():
            connection.execute(f"create view {name} as select * from read_parquet('{path}')")
        return connection.sql(sql_sources()[number - 1]).to_arrow_table()

    return run


def _parquet(folder: Path, form: str) -> dict[str, Path]:
    return {name: folder / form / f"{name}.parquet" for name in TABLES}


ENGINES: Mapping[str, Callable[[int, Path, str, int], Callable[[], Any]]] = {
    OURS: by_akdask,
    KEEPING: partial(by_akdask, cache_size=None),
    "polars": _by_polars,
    "duckdb": _by_duckdb,
    PANDAS: _by_pandas,
}


def compared(found: Any) -> tuple[float, ...]:
    """Return the number of rows and sums of columns, of text those of lengths, whatever the names and their order."""
    import pandas
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(found, Real):
        return (1.0, float(found))
    if isinstance(found, pandas.DataFrame | pandas.Series):
        found = pa.Table.from_pandas(pandas.DataFrame(found), preserve_index=False)
    table = found.to_arrow() if hasattr(found, "to_arrow") else found
    numbers = [
        pc.binary_length(column.cast(pa.large_string())) if _is_text(column.type) else column
        for column in table.columns
        if not pa.types.is_temporal(column.type)
    ]
    return float(table.num_rows), *sorted(float(pc.sum(column).as_py() or 0.0) for column in numbers)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
