"""Files of pyarrow, pandas, polars and duckdb, in every type, encoding and codec, read as pyarrow reads them."""

from __future__ import annotations

import decimal
import math
from itertools import product
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.parquet.conftest import read_set

NROWS = 300
NAT = -(2**63)
UNIT = ("s", "ms", "us", "ns")


def _rows(dtype: Any) -> Any:
    """Return rows of a type, the extremes that it and 64 bits of nanoseconds have among them."""
    numbers = [row * 7 % 100 for row in range(NROWS)]
    if pa.types.is_boolean(dtype):
        return [row % 3 == 0 for row in range(NROWS)]
    if pa.types.is_integer(dtype):
        bounds = np.iinfo(dtype.to_pandas_dtype())
        return [int(bounds.min), int(bounds.max), *numbers[2:]]
    if pa.types.is_floating(dtype):
        return [math.nan, math.inf, -0.5, *(number / 4 for number in numbers[3:])]
    if pa.types.is_decimal(dtype):
        return [decimal.Decimal(number - 50).scaleb(-dtype.scale) for number in numbers]
    if pa.types.is_list(dtype):
        return [[], *([row, row + 1][: row % 3] for row in range(1, NROWS))]
    if pa.types.is_string(dtype) or pa.types.is_binary(dtype) or pa.types.is_dictionary(dtype):
        found = ["", "ñ" * 40, *(f"text {number}" for number in numbers[2:])]
        return [text.encode() for text in found] if pa.types.is_binary(dtype) else found
    return numbers


TYPES = {
    "bool": pa.bool_(),
    **{
        name: getattr(pa, name)() for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    **{name: getattr(pa, name)() for name in ("float32", "float64", "date32", "string", "binary")},
    **{f"decimal{precision}": pa.decimal128(precision, 2) for precision in (4, 9, 18, 30)},
    **{f"timestamp_{unit}": pa.timestamp(unit) for unit in UNIT},
    "zoned": pa.timestamp("us", "America/New_York"),
    "time": pa.time64("us"),
    "category": pa.dictionary(pa.int32(), pa.string()),
    "numbers": pa.list_(pa.int64()),
    "floats": pa.list_(pa.float64()),
}
NULLS = {"none": [], "first": [0], "middle": [NROWS // 2], "last": [NROWS - 1], "all": range(NROWS)}


def _column(dtype: Any, nulls: Any) -> pa.Array:
    rows = _rows(dtype)
    for row in nulls:
        rows[row] = None
    return pa.array(rows, dtype)


TABLE = pa.table({f"{name} {where}": _column(TYPES[name], NULLS[where]) for name, where in product(TYPES, NULLS)})


def _expected(column: pa.ChunkedArray) -> Any:
    """Return the rows of a column as they are to be read, given those that pyarrow reads."""
    types, stored = pa.types, column.type
    if types.is_timestamp(stored) or types.is_date(stored):
        # Of their own unit; days are seconds.
        times = column.cast(pa.timestamp("s")) if types.is_date32(stored) else column
        return times.cast(pa.int64()).fill_null(NAT).to_pylist()
    if types.is_time(stored):
        counts = column.cast(pa.int64() if stored.bit_width == 64 else pa.int32()).to_pylist()
        return [NAT if count is None else count for count in counts]
    rows = column.to_pylist()
    if types.is_list(stored) or types.is_large_list(stored):
        return [row or [] for row in rows]
    if types.is_dictionary(stored) or types.is_string(stored) or types.is_large_string(stored):
        return rows
    if types.is_binary(stored) or types.is_large_binary(stored):
        return [None if row is None else row.decode() for row in rows]
    if types.is_decimal(stored) or types.is_floating(stored) or types.is_null(stored):
        return [math.nan if row is None else float(row) for row in rows]
    return rows


def _check(path: Any, step: int | None) -> None:
    stored = pq.read_table(path)
    assert stored.num_rows == NROWS
    found = read_set(path, step=step)
    assert list(found) == stored.column_names
    for name in found:
        np.testing.assert_equal(found[name], _expected(stored.column(name)), err_msg=name)


def _encoded(*, delta: bool) -> dict[str, Any]:
    """Return options for files without dictionaries: plain values, or differences, prefixes and split bytes."""
    if not delta:
        return {"use_dictionary": False}
    found = {}
    for field in TABLE.schema:
        stored = field.type
        if pa.types.is_integer(stored) or pa.types.is_timestamp(stored) or pa.types.is_date(stored):
            found[field.name] = "DELTA_BINARY_PACKED"
        elif pa.types.is_floating(stored):
            found[field.name] = "BYTE_STREAM_SPLIT"
        elif pa.types.is_string(stored):
            found[field.name] = "DELTA_BYTE_ARRAY"
        elif pa.types.is_binary(stored):
            found[field.name] = "DELTA_LENGTH_BYTE_ARRAY"
    return {"use_dictionary": False, "column_encoding": found}


ENCODINGS = {"dictionary": {}, "plain": _encoded(delta=False), "delta": _encoded(delta=True)}


CODECS = ("none", "snappy", "zstd", "gzip", "lz4", "brotli")
VERSIONS = ("1.0", "2.0")


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(
    ("codec", "version", "encoding"),
    # Pages are unpacked before they are decoded: each version has all codecs and, twice each, all encodings.
    [
        (codec, version, list(ENCODINGS)[(first + second) % len(ENCODINGS)])
        for first, codec in enumerate(CODECS)
        for second, version in enumerate(VERSIONS)
    ],
)
def test_files_of_pyarrow(tmp_path, encoding, version, codec):
    path = tmp_path / "x.parquet"
    options = {"compression": codec, "data_page_version": version, **ENCODINGS[encoding]}
    pq.write_table(TABLE, path, row_group_size=130, data_page_size=200, write_batch_size=40, **options)
    _check(path, 97)


def test_files_with_an_index_of_pages_and_decimals_as_integers(tmp_path):
    path = tmp_path / "x.parquet"
    options = {"write_page_index": True, "store_decimal_as_integer": True, "write_page_checksum": True}
    pq.write_table(TABLE, path, row_group_size=130, data_page_size=200, write_batch_size=40, **options)
    _check(path, 97)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "gzip", "lz4", "brotli"])
def test_files_of_polars(tmp_path, codec):
    path = tmp_path / "x.parquet"
    pl.from_arrow(TABLE).write_parquet(path, compression=codec, row_group_size=130, data_page_size=200)
    _check(path, None)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "gzip", "lz4_raw", "brotli"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_files_of_duckdb(tmp_path, codec, version):
    path = tmp_path / "x.parquet"
    # pyarrow does not read the second version's differences of 33 bits between numbers of 32.
    wide = [name for name in TABLE.column_names if version == "v2" and "int32" in name]
    stored = TABLE.drop_columns(wide)  # noqa: F841 - duckdb finds it by name
    duckdb.sql(
        f"copy (select * from stored) to '{path}' (format parquet, compression {codec}, parquet_version {version})"
    )
    _check(path, None)


def test_files_of_pandas(tmp_path):
    path = tmp_path / "x.parquet"
    TABLE.to_pandas().to_parquet(path)
    _check(path, None)


@pytest.mark.parametrize("step", [None, 97])
def test_files_and_row_groups_without_rows_are_passed_over(tmp_path, step):
    with pq.ParquetWriter(tmp_path / "x_LOCALE0000.parquet", TABLE.schema):
        pass
    pq.write_table(TABLE[:0], tmp_path / "x_LOCALE0001.parquet")
    with pq.ParquetWriter(tmp_path / "x_LOCALE0002.parquet", TABLE.schema) as writer:
        for part in (TABLE[:0], TABLE[:100], TABLE[:0], TABLE[100:]):
            writer.write_table(part)
    # The columns of the last file stand in the reverse order.
    pq.write_table(TABLE[:0].select(TABLE.column_names[::-1]), tmp_path / "x_LOCALE0003.parquet")
    found = read_set(tmp_path / "x_LOCALE*", step=step)
    stored = pq.read_table(tmp_path / "x_LOCALE0002.parquet")
    for name in TABLE.column_names:
        np.testing.assert_equal(found[name], _expected(stored.column(name)), err_msg=name)
