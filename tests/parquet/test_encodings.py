"""Every encoding of every type, in both versions of pages, packed or not, with and without nulls, beside pyarrow.

Columns are read as users read them, whole and reduced, so that each way to look at a page is followed by the others.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import math

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.parquet.chunks import errors_naming
from akdask.formats.parquet.footers import inspect_file
from akdask.storage.files import identify

NROWS = 200
NAT = -(2**63)
ALL_NUMBERS = ["PLAIN", "BYTE_STREAM_SPLIT"]
INTEGERS = [*ALL_NUMBERS, "DELTA_BINARY_PACKED"]
TEXT = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
ENCODINGS = {
    pa.bool_(): ["PLAIN", "RLE"],
    pa.int8(): INTEGERS,
    pa.int16(): INTEGERS,
    pa.int32(): INTEGERS,
    pa.int64(): INTEGERS,
    pa.uint8(): INTEGERS,
    pa.uint16(): INTEGERS,
    pa.uint32(): INTEGERS,
    pa.uint64(): INTEGERS,
    pa.float16(): ALL_NUMBERS,
    pa.float32(): ALL_NUMBERS,
    pa.float64(): ALL_NUMBERS,
    pa.date32(): INTEGERS,
    pa.time32("ms"): INTEGERS,
    pa.time64("us"): INTEGERS,
    pa.time64("ns"): INTEGERS,
    pa.timestamp("ms"): INTEGERS,
    pa.timestamp("us"): INTEGERS,
    pa.timestamp("ns"): INTEGERS,
    pa.timestamp("us", "UTC"): INTEGERS,
    pa.duration("ns"): INTEGERS,
    pa.decimal128(7, 2): ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
    pa.string(): TEXT,
    pa.large_string(): TEXT,
    pa.binary(): TEXT,
    pa.dictionary(pa.int32(), pa.string()): ["dictionary"],
    pa.list_(pa.int64()): INTEGERS,
    pa.list_(pa.float64()): ALL_NUMBERS,
    pa.list_(pa.string()): TEXT,
}
COLUMNS = {
    f"{stored}, {encoding}": (stored, encoding)
    for stored, encodings in ENCODINGS.items()
    for encoding in dict.fromkeys([*encodings, *([] if pa.types.is_boolean(stored) else ["dictionary"])])
}


def values_of(stored):
    """Return rows of a type, its extremes among them; half of them come again and again, so dictionaries are made."""
    some = [row * 7 % 50 if row % 2 else row * 11 for row in range(NROWS)]
    if pa.types.is_list(stored):
        items = values_of(stored.value_type)
        return [items[row : row + row % 4] for row in range(NROWS)]
    if pa.types.is_dictionary(stored) or stored in {pa.string(), pa.large_string(), pa.binary()}:
        text = ["", "ñ" * 40, *(f"text {number}" for number in some[2:])]
        return [row.encode() for row in text] if stored == pa.binary() else text
    if pa.types.is_boolean(stored):
        return [row % 3 == 0 for row in range(NROWS)]
    if pa.types.is_integer(stored):
        bounds = np.iinfo(stored.to_pandas_dtype())
        return [int(bounds.min), int(bounds.max), *(number % 100 for number in some[2:])]
    if pa.types.is_floating(stored):
        return [math.inf, -0.0, *(np.float16(number / 4) for number in some[2:])]
    if pa.types.is_decimal(stored):
        return [decimal.Decimal(number - 50) / 100 for number in some]
    return some


@functools.cache
def table_of(*, nulls):
    arrays = {}
    for name, (stored, _) in COLUMNS.items():
        rows = values_of(stored)
        if nulls:
            # What floats do not have is an error beside nulls.
            rows = [min(max(row, -(2**53)), 2**53) if isinstance(row, int) else row for row in rows]
            rows = [None if row % 5 == 0 else value for row, value in enumerate(rows)]
        made = pa.array(rows, pa.int64()).cast(pa.int32()) if pa.types.is_time32(stored) else rows
        arrays[name] = made.cast(stored) if isinstance(made, pa.Array) else pa.array(made, stored)
    fields = [pa.field(name, column.type, nullable=nulls) for name, column in arrays.items()]
    return pa.table(arrays, schema=pa.schema(fields))


def leaf_of(name, stored):
    return f"{name}.list.element" if pa.types.is_list(stored) else name


ENCODED = {leaf_of(name, stored): way for name, (stored, way) in COLUMNS.items() if way != "dictionary"}
IN_DICTIONARIES = [leaf_of(name, stored) for name, (stored, way) in COLUMNS.items() if way == "dictionary"]


def expected_of(column):
    """Return what akdask makes of a column as pyarrow reads it: its rules of nulls and of what is narrow."""
    stored, rows, types = column.type, column.to_pylist(), pa.types
    if types.is_date32(stored) or types.is_time(stored) or types.is_timestamp(stored) or types.is_duration(stored):
        integers = column.cast(pa.int32() if types.is_date32(stored) or types.is_time32(stored) else pa.int64())
        scale = 86_400 if types.is_date32(stored) else 1
        return [NAT if row is None else row * scale for row in integers.to_pylist()]
    if types.is_list(stored) or types.is_large_list(stored):
        return [[] if row is None else row for row in rows]
    if types.is_binary(stored) or types.is_large_binary(stored):
        return [None if row is None else row.decode() for row in rows]
    if types.is_dictionary(stored) or types.is_string(stored) or types.is_large_string(stored):
        return rows
    if types.is_decimal(stored) or types.is_floating(stored) or column.null_count:
        return [math.nan if row is None else float(row) for row in rows]
    return rows


def rows_of(array):
    if isinstance(array, ak.Datetime | ak.Timedelta):
        return array.to_ndarray().astype(np.int64).tolist()
    if isinstance(array, ak.SegArray):
        return [list(row) for row in array.to_list()]
    if isinstance(array, ak.Categorical):
        return [None if row == "N/A" else row for row in array.tolist()]
    return array.tolist()


def check(path):
    """Compare all columns with what pyarrow reads, whole and from the middle on; and by a reduction.

    Reductions look for numbers where they lie before they read pages.
    """
    stored = pq.read_table(path)
    found = ak.read_parquet(path)
    assert list(found) == stored.column_names
    for name, array in found.items():
        expected = expected_of(stored.column(name))
        if type(array) is ak.pdarray:
            # The least of zeros is 0.0, whichever of the two stands first.
            np.testing.assert_equal(float(array.min()), float(np.min(expected)) + 0.0, err_msg=name)
        rows = rows_of(array)
        # NumPy looks at one row after the other, which is wanted only of those that differ.
        if repr(rows) != repr(expected):
            np.testing.assert_equal(rows, expected, err_msg=name)


PAGES = {
    "one page": {},
    "many pages": {"data_page_size": 100, "write_batch_size": 30},
    "several row groups": {"data_page_size": 100, "write_batch_size": 30, "row_group_size": 70},
}
CODECS = ("none", "snappy", "zstd", "gzip", "lz4", "brotli")
CUTS = [(pages, nulls) for pages in PAGES for nulls in (False, True)]
WAYS = [
    (CODECS[(number + shift) % len(CODECS)], pages, version, nulls)
    for version, shift in (("1.0", 0), ("2.0", 3))
    for number, (pages, nulls) in enumerate(CUTS)
]
"""Every type in every encoding is in each file: rows are cut into pages in each way by both versions, with and without
nulls, while codecs take turns, so that each packs pages of both versions once."""


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(("codec", "pages", "version", "nulls"), WAYS)
def test_every_encoding_of_every_type(tmp_path, codec, pages, version, nulls):
    path = tmp_path / "x.parquet"
    pq.write_table(
        table_of(nulls=nulls),
        path,
        compression=codec,
        data_page_version=version,
        use_dictionary=IN_DICTIONARIES,
        # A dictionary of more than that is given up amidst the rows: pages with positions and plain ones follow.
        dictionary_pagesize_limit=300 if pages == "many pages" else 2**20,
        column_encoding=ENCODED,
        **PAGES[pages],
    )
    group = pq.read_metadata(path).row_group(0)
    chunks = [group.column(number) for number in range(len(COLUMNS))]
    used = {encoding for chunk in chunks for encoding in chunk.encodings}
    assert used >= {"PLAIN", "RLE", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"}
    check(path)


@pytest.mark.parametrize(
    ("codec", "version", "nulls"),
    [("uncompressed", "v1", False), ("snappy", "v1", True), ("zstd", "v2", False), ("lz4_raw", "v2", True)],
)
def test_files_of_duckdb(tmp_path, codec, version, nulls):
    path = tmp_path / "x.parquet"
    # pyarrow does not read the second version's differences of 33 bits between numbers of 32.
    refused = {pa.float16(), pa.duration("ns"), pa.time64("ns")} | (
        {pa.int32(), pa.uint32()} if version == "v2" else set()
    )
    stored = table_of(nulls=nulls).select([name for name, (kind, _) in COLUMNS.items() if kind not in refused])  # noqa: F841 - duckdb finds it by name
    duckdb.sql(
        f"copy (select * from stored) to '{path}' "
        f"(format parquet, compression {codec}, parquet_version {version}, row_group_size 100)"
    )
    check(path)


@pytest.mark.parametrize(("codec", "nulls"), [("uncompressed", True), ("snappy", False), ("zstd", True)])
def test_files_of_polars(tmp_path, codec, nulls):
    path = tmp_path / "x.parquet"
    kept = [name for name, (stored, _) in COLUMNS.items() if stored != pa.float16()]
    pl.from_arrow(table_of(nulls=nulls).select(kept)).write_parquet(
        path, compression=codec, row_group_size=70, data_page_size=200
    )
    check(path)


@pytest.mark.parametrize("stored", [pa.int64(), pa.timestamp("us")])
def test_a_page_that_the_fast_way_does_not_know_is_found_by_the_general_way_whoever_asks_first(tmp_path, stored):
    """What tells where numbers lie has seen the only page before a reader asks for it."""
    path = tmp_path / "x.parquet"
    rows = pa.array(range(100), pa.int64()).cast(stored)
    pq.write_table(pa.table({"a": rows}), path, use_dictionary=False, column_encoding={"a": "DELTA_BINARY_PACKED"})
    found = ak.read_parquet(path)["a"]
    if stored == pa.int64():
        assert int(found.sum()) == 4950
    else:
        assert str(found.max())
    assert rows_of(found) == expected_of(pq.read_table(path).column("a"))


def test_differences_that_arrow_does_not_read_are_not_called_damage(tmp_path):
    path = tmp_path / "x.parquet"
    stored = pa.table({"a": pa.array([-(2**31), 2**31 - 1, 5], pa.int32())})  # noqa: F841 - duckdb finds it by name
    duckdb.sql(f"copy (select * from stored) to '{path}' (format parquet, parquet_version v2)")
    with pytest.raises(UnsupportedError, match=r"'a'(.|\n)*Hint: write it in another encoding"):
        ak.read_parquet(path)["a"].to_ndarray()


# Times of 96 bits


def int96(path, rows, unit="ns", **options):
    times = pa.array(rows, pa.int64()).cast(pa.timestamp(unit))
    pq.write_table(pa.table({"t": times}), path, use_deprecated_int96_timestamps=True, **options)
    return ak.read_parquet(path)["t"]


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"data_page_version": "2.0", "row_group_size": 3}])
def test_times_of_96_bits_keep_nanoseconds(tmp_path, options):
    rows = [1234567891, None, -1, 0, 2**63 - 1, -(2**63) + 1, 1234567891]
    found = int96(tmp_path / "x.parquet", rows, **options)
    assert found.to_ndarray().astype(np.int64).tolist() == [NAT if row is None else row for row in rows]
    assert found[found == ak.Datetime(np.array([1234567891], "M8[ns]"))[0]].size == 2


@pytest.mark.lazy_only
@pytest.mark.parametrize("value", [datetime.datetime(9999, 12, 31), datetime.datetime(1, 1, 1)])
def test_times_of_96_bits_that_nanoseconds_do_not_reach_are_an_error(tmp_path, value):
    microseconds = int((value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(microseconds=1))
    found = int96(tmp_path / "x.parquet", [0, microseconds], "us")
    with pytest.raises(UnsupportedError, match=f"{value.year:04d}-(.|\n)*1677 and 2262"):
        found.to_ndarray()


def test_columns_of_96_bits_stay_what_they_are_when_others_are_replaced(tmp_path):
    path, rows = tmp_path / "x.parquet", [1234567891, None, -1]
    int96(path, rows)
    ak.update_parquet({"b": ak.array([1, 2, 3])}, path)
    assert ak.read_parquet(path)["t"].to_ndarray().astype(np.int64).tolist() == [1234567891, NAT, -1]
    assert pq.read_table(path).column("t").cast(pa.int64()).to_pylist() == rows


@pytest.mark.lazy_only
def test_columns_of_96_bits_that_cannot_be_copied_are_an_error(tmp_path):
    path = tmp_path / "x.parquet"
    int96(path, [2**60], "us")
    before = path.read_bytes()
    with pytest.raises(UnsupportedError, match="1677 and 2262"):
        ak.update_parquet({"b": ak.array([1])}, path)
    assert path.read_bytes() == before


def with_footer(path, change):
    """Change the footer of a file without changing its length."""
    raw = path.read_bytes()
    start = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    footer = change(raw[start:-8])
    assert len(footer) == len(raw) - 8 - start
    path.write_bytes(raw[:start] + footer + raw[-8:])


def zigzag(number):
    low, high = number * 2 & 127, number * 2 >> 7
    return bytes([low | 128, high]) if high else bytes([low])


def written_by(path, writer):
    told = pq.ParquetFile(path).metadata.created_by.encode()
    with_footer(path, lambda footer: footer.replace(told, writer.ljust(len(told))))


@pytest.mark.parametrize("values", [[number % 3 for number in range(100)], [f"{number % 3}" for number in range(100)]])
def test_chunks_that_old_writers_counted_too_short_are_read_as_arrow_reads_them(tmp_path, values):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": values}), path)
    size = pq.ParquetFile(path).metadata.row_group(0).column(0).total_compressed_size
    with_footer(path, lambda footer: footer.replace(b"\x16" + zigzag(size), b"\x16" + zigzag(size - 12)))
    with pytest.raises(FileFormatError, match="bytes"):  # nobody reads it
        ak.read_parquet(path)["x"].tolist()
    written_by(path, b"parquet-mr version 1.2.8")
    found = ak.read_parquet(path)["x"]
    assert found.tolist() == pq.read_table(path)["x"].to_pylist() == values
    assert found[ak.arange(100) > 97].tolist() == values[98:]
    assert ak.read_parquet(path)["x"].nunique() == 3
    if isinstance(values[0], int):
        assert ak.read_parquet(path)["x"].sum() == sum(values)


def test_a_total_of_rows_that_is_0_is_not_believed(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": list(range(50))}), path)
    # Field 3 of the footer follows the schema: the rows of all row groups.
    with_footer(path, lambda footer: footer.replace(b"\x16" + zigzag(50), b"\x16" + zigzag(0), 1))
    assert pq.ParquetFile(path).metadata.num_rows == 0
    assert ak.read_parquet(path)["x"].tolist() == list(range(50))


def test_times_of_96_bits_in_structs_are_times(tmp_path):
    times = pa.array([1234567891, None], pa.timestamp("ns"))
    inner = pa.StructArray.from_arrays([times], ["t"])
    table = pa.table({"s": pa.StructArray.from_arrays([inner], ["u"])})
    pq.write_table(table, tmp_path / "x.parquet", use_deprecated_int96_timestamps=True)
    found = ak.read_parquet(tmp_path / "x.parquet")["s.u.t"]
    assert found.to_ndarray().astype(np.int64).tolist() == [1234567891, NAT]


@pytest.mark.parametrize(("writer", "is_believed"), [(b"parquet-cpp-arrow version 4.0.1", False), (None, True)])
def test_nulls_that_old_versions_of_arrow_did_not_count_may_be_there(tmp_path, writer, is_believed):
    path = tmp_path / "x.parquet"
    words = pa.array(["a", "b", "a"]).dictionary_encode()
    pq.write_table(pa.table({"d": words, "l": [[1], [2, 3], []], "s": ["a", "b", "c"]}), path)
    if writer is not None:
        written_by(path, writer)
    described = inspect_file(identify(str(path)))
    nulls = {column.name: described.chunks_of(column)["nulls"].tolist() for column in described.schema.columns}
    assert nulls == {"d": [0] if is_believed else [-1], "l": [1] if is_believed else [-1], "s": [0]}
    assert ak.read_parquet(path)["d"].tolist() == ["a", "b", "a"]
    assert ak.read_parquet(path)["l"].tolist() == [[1], [2, 3], []]


def test_zero_bytes_at_the_end_of_text_in_lists_stay(tmp_path):
    rows = [["a\0", "b"], ["\0\0"], []]
    pq.write_table(pa.table({"x": rows}), tmp_path / "x.parquet")
    assert ak.read_parquet(tmp_path / "x.parquet")["x"].tolist() == rows


def test_files_of_other_writers_with_the_same_columns_are_described_apart(tmp_path):
    servers, others = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for path in (servers, others):
        pq.write_table(pa.table({"x": pa.array([b"a", None])}), path, store_schema=False)
    written_by(others, b"another writer")
    for paths in ([servers, others], [others, servers]):
        described = {path: inspect_file(identify(str(path))).schema.columns[0].is_of_server for path in paths}
        assert described == {servers: True, others: False}


def test_what_arrow_does_not_read_is_not_called_damaged():
    with (
        pytest.raises(UnsupportedError, match=r"'a' of 'x\.parquet' is stored in a way that Arrow does not read"),
        errors_naming("x.parquet", "a"),
    ):
        raise pa.ArrowNotImplementedError("Nested data conversions not implemented for chunked array outputs")
