"""Sets of several files: what they agree about, what they lack, and where columns come from."""

from __future__ import annotations

import math
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import (
    FileError,
    FileFormatError,
    InconsistentFilesError,
    MissingDatasetError,
    MissingFileError,
)
from akdask.formats.parquet.file_set import open_set
from akdask.formats.parquet.reader import ParquetPart, ParquetPartReader
from akdask.formats.tuning import PARQUET_PARTITION_ROWS
from akdask.storage.objects import VALUES


@pytest.fixture
def files(tmp_path):
    """Return what writes tables as locales of a set, and returns the pattern that finds them."""

    def write(*tables, **options):
        for number, table in enumerate(tables):
            found = table if isinstance(table, pa.Table) else pa.table(table)
            pq.write_table(found, tmp_path / f"x_LOCALE{number:04d}.parquet", **options)
        return f"{tmp_path}/x_LOCALE*.parquet"

    return write


def test_columns_are_found_by_name_never_by_position(files):
    pattern = files({"a": [1, 2], "b": [3, 4]}, {"b": [30, 40], "a": [10, 20]})
    found = ak.read_parquet(pattern)
    assert {name: array.tolist() for name, array in found.items()} == {"a": [1, 2, 10, 20], "b": [3, 4, 30, 40]}


def test_widths_may_differ_and_one_file_with_nulls_makes_floats(files):
    pattern = files(
        {"a": pa.array([1], pa.int32())}, {"a": pa.array([2], pa.int64())}, {"a": pa.array([3], pa.int16())}
    )
    assert ak.read_parquet(pattern)["a"].tolist() == [1, 2, 3]
    pattern = files({"a": [1]}, {"a": pa.array([None], pa.int64())}, {"a": [3]})
    np.testing.assert_array_equal(ak.read_parquet(pattern)["a"].to_ndarray(), [1, math.nan, 3])


def test_a_column_of_nulls_in_one_file_has_the_type_of_the_others(files):
    pattern = files({"a": pa.nulls(2), "s": pa.nulls(2)}, {"a": [1, 2], "s": ["x", "y"]})
    found = ak.read_parquet(pattern)
    np.testing.assert_array_equal(found["a"].to_ndarray(), [math.nan, math.nan, 1, 2])
    assert found["s"].tolist() == [None, None, "x", "y"]


@pytest.mark.parametrize(
    ("first", "second"), [(["x"], [1]), ([True], [1]), ([[1]], [1]), (pa.array([1], pa.uint64()), [1])]
)
def test_types_that_do_not_go_together_are_told(files, first, second):
    with pytest.raises(InconsistentFilesError, match=r"'a'(.|\n)*LOCALE0000(.|\n)*LOCALE0001"):
        ak.read_parquet(files({"a": first}, {"a": second}))


def test_files_that_lack_a_column_are_told_and_may_be_left_out(files):
    pattern = files({"a": [1], "b": [1]}, {"a": [2]}, {"a": [3], "b": [3]})
    with pytest.raises(InconsistentFilesError, match=r"'b'(.|\n)*LOCALE0001"):
        ak.read_parquet(pattern, ["a", "b"])
    assert ak.read_parquet(pattern, "a")["a"].tolist() == [1, 2, 3]
    with pytest.warns(RuntimeWarning, match="LOCALE0001"):
        found = ak.read_parquet(pattern, allow_errors=True)
    assert found["b"].tolist() == [1, 3]


def test_a_file_without_rows_may_lack_columns(files):
    pattern = files({"a": [["x"]]}, pa.table({}), {"a": [["y"]]})
    assert [list(part) for part in ak.read_parquet(pattern)["a"].to_ndarray()] == [["x"], ["y"]]


def test_names_are_checked(files):
    pattern = files({"a": [1]})
    with pytest.raises(MissingDatasetError, match=r"'b'(.|\n)*columns: a"):
        ak.read_parquet(pattern, ["a", "b"])


def test_files_that_cannot_be_read_are_errors_or_left_out(files, tmp_path):
    pattern = files({"a": [1]}, {"a": [2]})
    (tmp_path / "x_LOCALE0001.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(FileFormatError, match="LOCALE0001"):
        ak.read_parquet(pattern)
    with pytest.warns(RuntimeWarning, match="LOCALE0001"):
        assert ak.read_parquet(pattern, allow_errors=True)["a"].tolist() == [1]
    with pytest.raises(MissingFileError):
        ak.read_parquet(tmp_path / "none")
    (tmp_path / "x_LOCALE0001.parquet").unlink()
    (tmp_path / "x_LOCALE0002.parquet").write_bytes(b"")
    with pytest.raises(InconsistentFilesError, match="LOCALE0001"):
        ak.read_parquet(pattern)


def test_rows_are_tagged_with_their_files(files):
    pattern = files({"a": [1, 2]}, {"a": pa.array([], pa.int64())}, {"a": [3]})
    assert ak.read_parquet(pattern, tag_data=True)["Filename_Codes"].tolist() == [0, 0, 2]
    with pytest.raises(FileError):
        ak.read_parquet(pattern, tag_data=True, iterative=True)
    data, names = ak.read_tagged_data(pattern)
    assert [name[-12:] for name in names.tolist()] == ["0000.parquet", "0001.parquet", "0002.parquet"]
    assert [name[-12:] for name in names[data["Filename_Codes"]].tolist()] == ["0000.parquet"] * 2 + ["0002.parquet"]
    assert data["a"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("handling", [None, "none", "only floats", "all"])
def test_nulls_are_honoured_whatever_is_asked(files, handling):
    pattern = files({"a": [1, None, 3]})
    found = ak.read_parquet(pattern, null_handling=handling, fixed_len=3, strict_types=False)
    np.testing.assert_array_equal(found["a"].to_ndarray(), [1, math.nan, 3])


def test_null_handling_is_checked(files):
    with pytest.raises(RuntimeError, match="some"):
        ak.read_parquet(files({"a": [1]}), null_handling="some")


def test_the_former_keyword_for_nulls_warns(files):
    pattern = files({"a": [1, None, 3]})
    with pytest.warns(DeprecationWarning, match="null_handling='all'"):
        ak.read_parquet(pattern, has_non_float_nulls=True)
    with pytest.warns(UserWarning, match="is ignored"), pytest.warns(DeprecationWarning, match="is now"):
        ak.read_parquet(pattern, has_non_float_nulls=True, null_handling="none")


def test_null_indices(files):
    pattern = files({"s": ["x", None, ""], "i": [1, None, 3]}, {"s": [None, "y"], "i": [4, 5]})
    assert ak.get_null_indices(pattern, "s")["s"].tolist() == [0, 1, 0, 1, 0]
    found = ak.get_null_indices(pattern)
    assert found["i"].tolist() == [0, 1, 0, 0, 0]
    assert found["i"].dtype == np.int64


def test_null_indices_of_a_real_file(shared_fixtures):
    path = shared_fixtures / "arkouda" / "parquet" / "foreign" / "null-strings.parquet"
    assert ak.get_null_indices(path, "col1")["col1"].tolist() == [0, 1, 0, 1, 0, 1, 1]


# --------------------------------------------------------------------------------------------------------- partitions


def lengths(pattern, column="a"):
    return open_set(pattern).objects([column])[column].members[VALUES].source.lengths


def test_small_row_groups_are_one_partition_and_large_ones_are_split(files):
    pattern = files({"a": np.arange(1000)}, row_group_size=10)
    assert lengths(pattern) == (1000,)
    pattern = files({"a": np.zeros(PARQUET_PARTITION_ROWS + 10, np.int64)}, row_group_size=PARQUET_PARTITION_ROWS)
    assert lengths(pattern) == (*[PARQUET_PARTITION_ROWS // 4] * 4, 10)
    pattern = files({"a": np.arange(1000)})
    with ak.config.set(partition_size=800):
        assert lengths(pattern) == (100,) * 10
        assert ak.read_parquet(pattern)["a"].tolist() == list(range(1000))
        pattern = files({"a": np.arange(1000)}, row_group_size=30)
        assert lengths(pattern)[:3] == (90, 90, 90)
        assert ak.read_parquet(pattern)["a"].tolist() == list(range(1000))


@pytest.mark.parametrize("row_group_size", [20_000, 32_768, 61_000])
def test_ranges_of_several_row_groups_have_those_with_their_rows(files, monkeypatch, row_group_size):
    monkeypatch.setattr("akdask.storage.tuning.THREAD_ROWS", 2**15)
    rows = np.arange(200_001)
    pattern = files(
        {"a": rows, "b": rows * 3 % 1000, "s": [f"{row % 7}" for row in rows]}, row_group_size=row_group_size
    )
    source = open_set(pattern).objects(["a"])["a"].members[VALUES].source
    assert len(source.lengths) == 4
    start = 0
    for index, nrows in enumerate(source.lengths):
        wanted = range(start // row_group_size, -(-(start + nrows) // row_group_size))
        assert [group.number for group in source.part(index, []).groups] == [*wanted]
        start += nrows
    with ak.config.set(cache_size=0):
        data = ak.DataFrame(ak.read_parquet(pattern))
        for _ in range(2):  # Columns that are read again are kept.
            assert data[data["b"] < 400]["a"].sum() == rows[rows * 3 % 1000 < 400].sum()
            assert (
                data[(data["b"] < 40) & (data["s"] == "3")]["a"].sum()
                == rows[(rows * 3 % 1000 < 40) & (rows % 7 == 3)].sum()
            )


def test_every_file_is_a_partition_and_sets_may_be_empty(files):
    pattern = files({"a": pa.array([], pa.int64())}, {"a": pa.array([], pa.int64())})
    assert lengths(pattern) == (0, 0)
    found = ak.read_parquet(pattern)["a"]
    assert (found.tolist(), found.sum()) == ([], 0)


@pytest.mark.lazy_only
@pytest.mark.parametrize(
    ("column", "low", "high"),
    [("i", 250, 260), ("f", 25.0, 26.0), ("s", "k0250", "k0260"), ("t", 250, 260), ("u", 250, 260), ("n", 250, 260)],
)
def test_statistics_leave_out_partitions_and_change_no_answer(files, monkeypatch, column, low, high):
    rows = np.arange(1000)
    table = pa.table(
        {
            "i": rows,
            "f": rows / 10,
            "s": [f"k{row:04d}" for row in rows],
            "t": pa.array(rows, pa.int64()),
            "u": rows.astype(np.uint32),
            "n": pa.array([None if row == 999 else row for row in rows]),
            "v": rows,
        }
    )
    pattern = files(table, row_group_size=100)
    opened = []
    with ak.config.set(partition_size=800):
        data = ak.DataFrame(ak.read_parquet(pattern))
        monkeypatch.setattr(ParquetPart, "open", lambda part: opened.append(part) or ParquetPartReader(part))
        mask = (data[column] >= low) & (data[column] < high)
        assert data[mask]["v"].sum() == sum(range(250, 260))
    assert len(opened) == 1


@pytest.mark.lazy_only
def test_what_is_not_asked_for_is_not_read(files, tmp_path):
    pattern = files({"a": np.arange(1000), "b": np.arange(1000)}, use_dictionary=False, compression="none")
    path = tmp_path / "x_LOCALE0000.parquet"
    chunk = pq.read_metadata(path).row_group(0).column(1)
    raw = bytearray(path.read_bytes())
    raw[chunk.data_page_offset : chunk.data_page_offset + chunk.total_compressed_size] = b"\xff" * (
        chunk.total_compressed_size
    )
    path.write_bytes(raw)
    found = ak.read_parquet(pattern)
    assert found["a"].sum() == 499_500
    with pytest.raises(FileFormatError, match="'b'"):
        int(found["b"].sum())


@pytest.mark.lazy_only
def test_a_file_that_changes_is_told(files, tmp_path):
    found = ak.read_parquet(files({"a": [1, 2]}))["a"]
    pq.write_table(pa.table({"a": ["now text"]}), tmp_path / "x_LOCALE0000.parquet")
    with pytest.raises(FileError, match="changed"):
        found.tolist()


# -------------------------------------------------------------------------------------------------------------- trees

FRAME = pd.DataFrame(
    {"y": [2020, 2020, 2021, 2022] * 5, "k": ["a", "b c", None, "d=e/f"] * 5, "v": np.arange(20), "w": 0.5}
)


def sums(found):
    """Return the sum of v by y and k."""
    keys = zip(found["y"].tolist(), found["k"].tolist(), found["v"].tolist(), strict=True)
    totals: dict[tuple[int, str], int] = {}
    for y, k, v in keys:
        totals[y, k] = totals.get((y, k), 0) + v
    return totals


def _pandas(path):
    FRAME.to_parquet(path, partition_cols=["y", "k"])
    (path / "_SUCCESS").touch()
    (path / ".hidden").write_bytes(b"nothing")


def _polars(path):
    pl.from_pandas(FRAME).write_parquet(pl.PartitionBy(path, key=["y", "k"]), mkdir=True)


def _duckdb(path):
    frame = FRAME  # noqa: F841 - duckdb finds it by name
    duckdb.sql(f"copy frame to '{path}' (format parquet, partition_by (y, k))")


def _spark(path):
    """Write a tree as Spark does: checksums and marks beside the files, and a file of the schema alone."""
    for (y, k), rows in FRAME.groupby(["y", "k"], dropna=False):
        name = "__HIVE_DEFAULT_PARTITION__" if pd.isna(k) else quote(k, safe="")
        folder = path / f"y={y}" / f"k={name}"
        folder.mkdir(parents=True)
        part = "part-00000-8b1f.c000.snappy.parquet"
        table = pa.Table.from_pandas(rows.drop(columns=["y", "k"]), preserve_index=False)
        pq.write_table(table.replace_schema_metadata(None), folder / part, use_deprecated_int96_timestamps=True)
        (folder / f".{part}.crc").write_bytes(b"crc\0")
        pq.write_metadata(table.schema, path / "_common_metadata")
    (path / "_SUCCESS").touch()
    (path / "._SUCCESS.crc").write_bytes(b"crc\0")


@pytest.mark.parametrize("write", [_pandas, _polars, _duckdb, _spark])
def test_folders_name_columns(tmp_path, write):
    write(tmp_path / "tree")
    expected = {(2020, "a"): 40, (2020, "b c"): 45, (2021, None): 50, (2022, "d=e/f"): 55}
    for named in (tmp_path / "tree", f"{tmp_path}/tree/y=*/k=*/*"):
        found = ak.read_parquet(named)
        assert sums(found) == expected
        assert found["y"].dtype == np.int64
    data = ak.DataFrame(ak.read_parquet(tmp_path / "tree"))
    assert data[data["y"] == 2021]["v"].sum() == 50
    assert data[data["k"] == "a"]["v"].sum() == 40
    assert ak.get_filetype(tmp_path / "tree") == "Parquet"
    assert set(ak.read(tmp_path / "tree")) == {"y", "k", "v", "w"}


def test_the_folders_of_a_named_file_name_nothing(tmp_path):
    folder = tmp_path / "run=3"
    folder.mkdir()
    pq.write_table(pa.table({"v": [1]}), folder / "x_LOCALE0000.parquet")
    assert list(ak.read_parquet(folder / "x_LOCALE0000.parquet")) == ["v"]
    assert list(ak.load_all(folder / "x.parquet")) == ["v"]


def test_missing_numbers_in_names_of_folders_are_nan(tmp_path):
    frame = pd.DataFrame({"k": pd.array([1, None, 2], "Int64"), "v": [10, 20, 30]})
    frame.to_parquet(tmp_path / "tree", partition_cols=["k"])
    found = ak.read_parquet(tmp_path / "tree")
    assert dict(zip(found["v"].tolist(), map(str, found["k"].tolist()), strict=True)) == {
        10: "1.0",
        20: "nan",
        30: "2.0",
    }
    assert sorted(ak.get_null_indices(tmp_path / "tree", "k")["k"].tolist()) == [0, 0, 1]


def test_numbers_with_zeros_in_front_are_text(tmp_path):
    for month in ("01", "10"):
        (tmp_path / f"month={month}").mkdir()
        pq.write_table(pa.table({"v": [int(month)]}), tmp_path / f"month={month}" / "a.parquet")
    found = ak.read_parquet(tmp_path)
    assert dict(zip(found["month"].tolist(), found["v"].tolist(), strict=True)) == {"01": 1, "10": 10}


def _month(number, nrows, fee):
    """Return one file of taxi rides: later ones have other widths, and numbers where all were null."""
    step = np.arange(nrows)
    early = number == 1
    counts = [None if row % 7 == 0 else row % 5 for row in range(nrows)]
    return pa.table(
        {
            "VendorID": pa.array(step % 3, pa.int64() if early else pa.int32()),
            "tpep_pickup_datetime": pa.array(np.datetime64(f"2023-{number:02d}-01", "s") + step, pa.timestamp("us")),
            "passenger_count": pa.array(counts, pa.float64() if early else pa.int64()),
            "store_and_fwd_flag": pa.array(["N", None] * (nrows // 2), pa.string() if early else pa.large_string()),
            fee: pa.array([None] * nrows, pa.null()) if early else pa.array(step / 4),
        }
    )


def test_months_of_taxi_rides_are_one_set(tmp_path):
    tables = [_month(1, 200, "airport_fee"), _month(2, 150, "airport_fee"), _month(3, 0, "airport_fee")]
    for number, table in enumerate(tables, 1):
        pq.write_table(table, tmp_path / f"yellow_tripdata_2023-{number:02d}.parquet", row_group_size=60)
    with pytest.warns(RuntimeWarning, match="'passenger_count': it is double and int64"):
        assert "passenger_count" not in ak.read_parquet(tmp_path / "yellow_tripdata_2023-*.parquet")
    rides = ak.DataFrame(ak.read_parquet(tmp_path / "yellow_tripdata_2023-*.parquet", widen=True))
    expected = pd.concat([table.to_pandas() for table in tables[:2]], ignore_index=True)
    for name in ("VendorID", "passenger_count", "airport_fee"):
        np.testing.assert_array_equal(rides[name].to_ndarray(), expected[name].to_numpy(np.float64))
    assert rides["store_and_fwd_flag"].tolist() == ["N", None] * 175
    late = rides[rides["tpep_pickup_datetime"] >= pd.Timestamp("2023-02-01 00:01")]
    assert late.shape[0] == 90
    np.testing.assert_array_equal(late["passenger_count"].to_ndarray(), expected["passenger_count"][260:])
    pq.write_table(_month(4, 2, "Airport_fee"), tmp_path / "yellow_tripdata_2023-04.parquet")
    with pytest.raises(InconsistentFilesError, match=r"'airport_fee'(.|\n)*2023-04.parquet"):
        ak.read_parquet(tmp_path / "yellow_tripdata_2023-*.parquet", "airport_fee")
