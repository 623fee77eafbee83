"""Answers of several engines, timed until they are whole in memory, and what they are compared by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import akdask as ak
from benchmarks.timing import Timed, measure


def timed(find: Callable[[], Any], compared: Callable[[Any], object]) -> Timed:
    """Time what finds an answer; what it is compared by comes from it without being timed."""
    found = measure(find)
    return replace(found, answer=compared(found.answer))


def connect(threads: int) -> duckdb.DuckDBPyConnection:
    """Return a connection that may answer in any order, as the others do."""
    return duckdb.connect(config={"threads": threads, "preserve_insertion_order": False})


def answer_table(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection:
    """Let duckdb keep an answer, where the others have it as well."""
    return connection.execute(f"create or replace temp table answer as {sql}")


def table_of(found: Any) -> pa.Table:
    """Return an answer as Arrow has it: the frame of an engine, or the table that duckdb keeps."""
    match found:
        case ak.DataFrame():
            return pa.Table.from_pandas(found.to_pandas(), preserve_index=False)
        case pl.DataFrame():
            return found.to_arrow()
        case pd.DataFrame():
            return pa.Table.from_pandas(found, preserve_index=False)
        case _:
            return found.sql("select * from answer").to_arrow_table()


def total(found: Any) -> tuple[float, ...]:
    """Return the number of rows, and the sum of each column, of text that of its lengths, in the order of names."""
    table = _plain(table_of(found))
    numbers = [pc.binary_length(column) if pa.types.is_large_string(column.type) else column
               for _, column in sorted(zip(table.column_names, table.columns, strict=True))]  # fmt: skip
    sums = [pc.sum(pc.fill_null(column, 0)).as_py() or 0 for column in map(_without_nan, numbers)]
    return float(table.num_rows), *(round(float(found), 3) for found in sums)


def _without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), 0.0, column)


def _plain(table: pa.Table) -> pa.Table:
    """Return the columns as 64-bit numbers and large strings, whatever types an engine chose."""

    def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
            return column.cast(pa.float64())
        return column.cast(pa.int64() if pa.types.is_integer(column.type) else pa.large_string())

    return pa.table({name: plain(column) for name, column in zip(table.column_names, table.columns, strict=True)})
