"""Sets that are written: what other readers find in them, what comes back, and that a set is whole or not there."""

from __future__ import annotations

import math
import os
import pickle
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.errors import (
    ArgumentError,
    ExistsError,
    FileFormatError,
    InconsistentFilesError,
    MissingFileError,
    SchemaError,
    UnsupportedError,
    WriteError,
)
from akdask.formats.parquet import file_set
from akdask.formats.parquet.file_set import open_set
from akdask.formats.parquet.write import ParquetWriter
from akdask.formats.tuning import PARQUET_GROUP_ROWS
from akdask.storage import tuning as storage_tuning
from akdask.storage.locales import locale_files
from akdask.storage.manifest import manifest_path

ROWS_OF_ALL = 120


def everything():
    """Return an array of each class."""
    rows = np.arange(ROWS_OF_ALL)
    return {
        "i": ak.array(rows - 60),
        "u": ak.array(rows.astype(np.uint64) + np.uint64(2**63)),
        "f": ak.array(np.where(rows % 7 == 0, math.nan, rows / 3)),
        "b": ak.array(rows % 3 == 0),
        "s": ak.array(["" if row % 5 == 0 else f"text ñ {row % 13}" for row in rows]),
        "t": ak.Datetime((rows * 10**9).view("datetime64[ns]")),
        "d": ak.Timedelta((rows - 9).view("timedelta64[ns]")),
        "a": ak.IPv4(ak.array(rows.astype(np.uint64) + np.uint64(2**24))),
        "c": ak.Categorical(ak.array([f"k{row % 4}" for row in rows])),
        "l": ak.SegArray(ak.array(rows // 2 * 3), ak.array(np.arange(180))),
        "m": ak.SegArray(ak.array(rows), ak.array([f"x{row}" for row in rows])),
        "z": ak.array([2**70 + int(row) for row in rows]),
    }


def as_lists(array):
    return [list(row) if isinstance(row, np.ndarray) else str(row) for row in array.to_ndarray()]


@pytest.mark.parametrize("num_locales", [1, 3])
@pytest.mark.parametrize("compression", [None, "SNAPPY", "zstd"])
def test_every_class_comes_back(prefix, num_locales, compression):
    written = everything()
    ak.to_parquet(written, prefix, compression=compression, num_locales=num_locales)
    found = ak.load_all(prefix)
    assert list(found) == list(written)
    assert len(locale_files(str(prefix))) == num_locales
    for name, array in written.items():
        assert type(found[name]) is type(array)
        assert as_lists(found[name]) == as_lists(array)
    assert found["c"].categories.tolist() == written["c"].categories.tolist()
    assert found["c"].codes.tolist() == written["c"].codes.tolist()


def test_types_are_those_that_every_server_reads(prefix):
    ak.to_parquet({name: array for name, array in everything().items() if name != "z"}, prefix, num_locales=1)
    (path,) = locale_files(str(prefix))
    metadata = pq.read_metadata(path)
    schema = metadata.schema
    found = {}
    for number in range(len(schema)):
        leaf = schema.column(number)
        about = str(leaf.logical_type)
        found[leaf.path] = (leaf.physical_type, about, leaf.max_definition_level, leaf.max_repetition_level)
    unsigned, text = "Int(bitWidth=64, isSigned=false)", "String"
    assert found == {
        "i": ("INT64", "None", 0, 0),
        "u": ("INT64", unsigned, 0, 0),
        "f": ("DOUBLE", "None", 0, 0),
        "b": ("BOOLEAN", "None", 0, 0),
        "s": ("BYTE_ARRAY", text, 1, 0),
        "t": ("INT64", "None", 0, 0),
        "d": ("INT64", "None", 0, 0),
        "a": ("INT64", unsigned, 0, 0),
        "c": ("BYTE_ARRAY", text, 1, 0),
        "l.list.element": ("INT64", "None", 3, 1),
        "m.list.element": ("BYTE_ARRAY", text, 3, 1),
    }
    assert set(metadata.metadata) == {b"akdask"}
    assert all(metadata.row_group(0).column(number).statistics.null_count == 0 for number in (0, 4, 8))


def test_other_readers_have_the_same_values(prefix):
    ak.to_parquet(everything(), prefix, num_locales=1)
    (path,) = locale_files(str(prefix))
    rows = np.arange(ROWS_OF_ALL)
    by_pandas = pd.read_parquet(path)
    by_polars = pl.read_parquet(path)
    by_duckdb = duckdb.sql(f"select i, u, f, b, s, t, a, c, l from read_parquet('{path}')").df()
    for found in (by_pandas, by_polars, by_duckdb):
        assert list(found["i"]) == list(rows - 60)
        assert list(found["u"]) == [2**63 + int(row) for row in rows]
        np.testing.assert_array_equal(np.array(found["f"]), np.where(rows % 7 == 0, math.nan, rows / 3))
        assert list(found["b"]) == list(rows % 3 == 0)
        assert list(found["s"]) == ["" if row % 5 == 0 else f"text ñ {row % 13}" for row in rows]
        assert list(found["t"]) == list(rows * 10**9)
        assert list(found["a"]) == list(rows + 2**24)
        assert list(found["c"]) == [f"k{row % 4}" for row in rows]
        assert [list(part) for part in found["l"]][:4] == [[], [0, 1, 2], [], [3, 4, 5]]


def test_a_categorical_may_be_nothing_but_its_strings(prefix):
    labels = ak.Categorical.from_codes(ak.array([2, 0, 2]), ["z", "unused", "a"])
    ak.DataFrame({"c": labels}).to_parquet(prefix, convert_categoricals=True)
    assert isinstance(ak.load_all(prefix)["c"], ak.Strings)
    ak.DataFrame({"c": labels}).to_parquet(prefix.with_name("other"))
    found = ak.load_all(prefix.with_name("other"))["c"]
    assert found.categories.tolist() == ["z", "unused", "a", "N/A"]
    assert found.codes.tolist() == [2, 0, 2]


def test_many_labels_are_found_in_the_rows_again(prefix):
    text = [f"a label of some length {row:05d}" for row in range(5000)]
    ak.Categorical(ak.array(text)).to_parquet(prefix)
    found = ak.load(prefix, dataset="categorical_array")["categorical_array"]
    assert isinstance(found, ak.Categorical)
    assert found.to_strings().tolist() == text
    assert os.path.getsize(locale_files(str(prefix))[0]) < 3 * sum(map(len, text))


@pytest.mark.parametrize("compression", ["snappy", "gzip", "brotli", "ZSTD", "lz4"])
def test_compression(prefix, compression):
    ak.arange(1000).to_parquet(prefix, compression=compression)
    (path,) = locale_files(str(prefix))
    assert pq.read_metadata(path).row_group(0).column(0).compression == compression.upper()
    assert ak.load(prefix)["array"].tolist() == list(range(1000))


def test_arguments_are_checked(prefix):
    with pytest.raises(ArgumentError, match="'lzma'"):
        ak.arange(3).to_parquet(prefix, compression="lzma")
    with pytest.raises(UnsupportedError, match="GroupBy"):
        ak.save_all({"g": ak.GroupBy(ak.arange(3))}, prefix, file_format="parquet")
    with pytest.raises(SchemaError, match=r"3(.|\n)*4"):
        ak.to_parquet({"a": ak.arange(3), "b": ak.arange(4)}, prefix)
    with pytest.raises(ArgumentError):
        ak.to_parquet({"\ud800": ak.arange(3)}, prefix)
    with pytest.raises(UnsupportedError, match="ArrayView"):
        ak.save_all({"n": ak.arange(4).reshape(2, 2)}, prefix, file_format="parquet")
    assert os.listdir(prefix.parent) == []


def test_columns_with_other_partitions_are_cut_alike(prefix):
    first = ak.concatenate([ak.arange(10), ak.arange(10, 30)])
    second = ak.concatenate([ak.arange(20), ak.arange(20, 30)])
    ak.to_parquet({"a": first, "b": second}, prefix)
    found = ak.load_all(prefix)
    assert found["a"].tolist() == found["b"].tolist() == list(range(30))


def test_files_of_a_size(prefix):
    numbers, text = np.arange(1000), np.array(["four"] * 1000)
    columns = {"n": ak.array(numbers), "s": ak.array(text)}
    # 8 bytes of a number, and 5 of each string with its end.
    ak.to_parquet(columns, prefix, file_size=2000)
    assert [pq.read_metadata(path).num_rows for path in locale_files(prefix)] == [143] * 6 + [142]
    found = pq.read_table(locale_files(prefix))
    assert found.column("n").to_pylist() == numbers.tolist()
    for write in (ak.DataFrame(columns).to_parquet, lambda path, **size: columns["n"].to_parquet(path, "n", **size)):
        with pytest.warns(UserWarning, match="replaced"):
            write(prefix, file_size=10**6)
        assert pq.read_table(locale_files(prefix)).column("n").to_pylist() == numbers.tolist()
        assert len(locale_files(prefix)) == 1


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "1MB"])
def test_sizes_are_checked(prefix, size):
    with pytest.raises(ArgumentError, match="file_size"):
        ak.to_parquet({"n": ak.arange(3)}, prefix, file_size=size)


def test_the_number_of_files_is_told_once(prefix):
    with pytest.raises(ArgumentError, match="num_locales and file_size"):
        ak.arange(3).to_parquet(prefix, num_locales=2, file_size=100)


def test_frames_are_saved_in_any_format(prefix):
    ak.DataFrame({"n": ak.arange(3)}).save(prefix, file_format="Parquet", compression="snappy")
    (path,) = locale_files(prefix)
    assert pq.read_table(path).to_pydict() == {"n": [0, 1, 2]}
    assert pq.read_metadata(path).row_group(0).column(0).compression == "SNAPPY"


def test_an_empty_set_has_its_schema(prefix):
    empty = ak.array(np.empty(0, np.int64))
    ak.to_parquet({"i": empty, "s": ak.array(["x"])[ak.array([False])]}, prefix)
    (path,) = locale_files(str(prefix))
    assert pq.read_schema(path).names == ["i", "s"]
    found = ak.load_all(prefix)
    assert {name: array.tolist() for name, array in found.items()} == {"i": [], "s": []}


def test_pages_of_plain_numbers_are_read_where_they_are(prefix, monkeypatch):
    monkeypatch.setattr(storage_tuning, "THREAD_ROWS", 2**20)
    ak.arange(2**18 + 5).to_parquet(prefix)
    source = open_set(locale_files(str(prefix))).objects()["array"].members["values"].source
    with source.part(0, ["array"]).open() as reader:
        found = reader.stretches("array")
        assert [stretch.nrows for stretch in found] == [2**17, 2**17, 5]
        assert reader.read("array", 2**17 - 1, 2**17 + 2).tolist() == [2**17 - 1, 2**17, 2**17 + 1]


def test_row_groups_are_no_larger_than_can_be_skipped(prefix):
    ak.zeros(PARQUET_GROUP_ROWS + 1, "int64").to_parquet(prefix, num_locales=1)
    (path,) = locale_files(str(prefix))
    assert [pq.read_metadata(path).row_group(k).num_rows for k in range(2)] == [PARQUET_GROUP_ROWS, 1]


# ------------------------------------------------------------------------------------------------ replacing and adding


def test_a_set_is_replaced_with_all_its_files(prefix):
    ak.arange(10).to_parquet(prefix, num_locales=4)
    with pytest.warns(UserWarning, match="4 existing files"):
        ak.arange(5).to_parquet(prefix, num_locales=2)
    assert len(locale_files(str(prefix))) == 2
    assert ak.load(prefix)["array"].tolist() == [0, 1, 2, 3, 4]
    assert {name for name in os.listdir(prefix.parent) if name.startswith(".")} == {".set.akdask"}


@pytest.mark.filterwarnings("ignore:columns are best written in one call:DeprecationWarning")
def test_columns_are_added_behind_those_that_are_there(prefix):
    ak.to_parquet({"a": ak.arange(10), "t": ak.Datetime(np.arange(10).view("datetime64[ns]"))}, prefix, num_locales=2)
    ak.array([f"s{row}" for row in range(10)]).to_parquet(prefix, "s", mode="append", num_locales=2)
    found = ak.load_all(prefix)
    assert list(found) == ["a", "t", "s"]
    assert isinstance(found["t"], ak.Datetime)
    assert found["s"].tolist() == [f"s{row}" for row in range(10)]
    with pytest.raises(ExistsError, match="'a'"):
        ak.arange(10).to_parquet(prefix, "a", mode="append", num_locales=2)
    with pytest.raises(InconsistentFilesError, match="2 files"):
        ak.arange(10).to_parquet(prefix, "b", mode="append", num_locales=3)
    with pytest.raises(InconsistentFilesError, match="rows"):
        ak.arange(11).to_parquet(prefix, "b", mode="append", num_locales=2)
    assert list(ak.load_all(prefix)) == ["a", "t", "s"]


@pytest.mark.filterwarnings("ignore:columns are best written in one call:DeprecationWarning")
def test_columns_are_added_to_files_of_other_writers(prefix):
    table = pa.table(
        {
            "c": pa.array(["x", "y", "x"]).dictionary_encode(),
            "n": pa.array([1, None, 3], pa.int32()),
            "d": pa.array([1, 2, 3], pa.duration("ns")),
        }
    )
    path = f"{prefix}_LOCALE0000"
    pq.write_table(table, path, row_group_size=2)
    ak.arange(3).to_parquet(prefix, "new", mode="append")
    found = ak.load_all(prefix)
    assert isinstance(found["c"], ak.Categorical)
    assert isinstance(found["d"], ak.Timedelta)
    np.testing.assert_array_equal(found["n"].to_ndarray(), [1, math.nan, 3])
    assert found["new"].tolist() == [0, 1, 2]
    assert pq.read_metadata(path).num_row_groups == 2


@pytest.mark.filterwarnings("ignore:columns are best written in one call:DeprecationWarning")
def test_appending_to_what_is_no_parquet_is_refused(prefix):
    Path(f"{prefix}_LOCALE0000").write_bytes(b"something else")
    with pytest.raises(FileFormatError):
        ak.arange(3).to_parquet(prefix, mode="append")
    assert Path(f"{prefix}_LOCALE0000").read_bytes() == b"something else"


def test_appending_to_nothing_makes_a_set(prefix):
    with pytest.warns(DeprecationWarning, match="no longer appends"):
        ak.arange(3).to_parquet(prefix, mode="append")
    assert ak.load(prefix)["array"].tolist() == [0, 1, 2]


def test_updating_a_set_that_is_not_there_is_refused(prefix):
    writer = ParquetWriter(prefix, [ak.arange(3)._storable().spec("a")], npartitions=1, mode="append", overwrite=True)
    with pytest.raises(MissingFileError):
        writer.begin()


def rewritten(path):
    """Return what pyarrow finds in the first file of a set, and how its columns are packed."""
    group = pq.read_metadata(path).row_group(0)
    return pq.read_table(path).to_pydict(), {group.column(k).compression for k in range(group.num_columns)}


def test_columns_are_replaced_in_their_places(prefix):
    rows = np.arange(10)
    ak.to_parquet({"a": ak.array(rows), "s": ak.array([f"s{row}" for row in rows]), "z": ak.array(rows)}, prefix)
    assert ak.update_parquet({"s": ak.array(rows / 2), "new": ak.array(rows * 3)}, prefix) is None
    expected = {"a": rows, "s": rows / 2, "z": rows, "new": rows * 3}
    found, codecs = rewritten(f"{prefix}_LOCALE0000")
    assert list(found) == list(expected)
    assert {name: list(column) for name, column in expected.items()} == found
    assert codecs == {"UNCOMPRESSED"}
    assert ak.load_all(prefix)["s"].tolist() == (rows / 2).tolist()
    ak.Datetime(rows.view("datetime64[ns]")).update_parquet(prefix, "z")
    ak.DataFrame({"a": ak.array(-rows)}).update_parquet(prefix)
    found = ak.load_all(prefix)
    assert list(found) == list(expected)
    assert isinstance(found["z"], ak.Datetime)
    assert found["a"].tolist() == (-rows).tolist()


@pytest.mark.parametrize("codec", ["snappy", "zstd", "lz4", "gzip"])
def test_files_of_other_writers_are_updated_and_packed_as_before(prefix, codec):
    for number in range(2):
        table = pa.table({"n": [number, None, 3], "c": pa.array(["x", None, "x"]).dictionary_encode()})
        pq.write_table(table, f"{prefix}_LOCALE000{number}", compression=codec, row_group_size=2)
    ak.update_parquet([ak.arange(6)], prefix, names=["new"])
    found, codecs = rewritten(f"{prefix}_LOCALE0001")
    assert found == {"n": [1, None, 3], "c": ["x", None, "x"], "new": [3, 4, 5]}
    assert codecs == {"LZ4" if codec == "lz4" else codec.upper()}


def test_a_single_file_is_updated(prefix):
    pq.write_table(pa.table({"n": [1, 2, 3], "m": [1, 2, 3]}), prefix)
    ak.arange(3).update_parquet(prefix, "n")
    assert rewritten(prefix)[0] == {"n": [0, 1, 2], "m": [1, 2, 3]}
    assert os.listdir(prefix.parent) == ["set"]


def test_updates_that_do_not_fit_leave_the_set(prefix):
    ak.to_parquet({"a": ak.arange(4)}, prefix, num_locales=2)
    before = [Path(path).read_bytes() for path in locale_files(str(prefix))]
    with pytest.raises(InconsistentFilesError, match="rows"):
        ak.arange(5).update_parquet(prefix, "a")
    with pytest.raises(UnsupportedError, match="GroupBy"):
        ak.update_parquet({"a": ak.GroupBy(ak.arange(4))}, prefix)
    with pytest.raises(MissingFileError, match="write it first"):
        ak.arange(4).update_parquet(f"{prefix}2", "a")
    assert [Path(path).read_bytes() for path in locale_files(str(prefix))] == before


def test_pages_have_checksums_where_these_are_asked_for(prefix):
    ak.to_parquet({"a": ak.arange(1000), "s": ak.array([f"s{row}" for row in range(1000)])}, prefix, checksums=True)
    path = f"{prefix}_LOCALE0000"
    assert ak.load_all(prefix)["a"].sum() == 499500
    raw = Path(path).read_bytes()
    for column, name in enumerate("as"):
        place = pq.read_metadata(path).row_group(0).column(column).data_page_offset + 300
        Path(path).write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(FileFormatError, match=r"(?i)crc|checksum"):
            ak.read_parquet(path)[name].to_ndarray()
    with pytest.raises(ArgumentError, match="checksums"):
        ak.to_parquet({"a": ak.arange(3)}, prefix, checksums="yes")


def test_one_file_in_all(prefix):
    two = ak.concatenate([ak.arange(5), ak.arange(5, 9)])
    times = ak.Datetime(two)
    ak.save_all({"a": two, "t": times}, prefix, file_format="parquet", file_type="single")
    assert os.listdir(prefix.parent) == ["set"]
    found = ak.load_all(prefix)
    assert found["a"].tolist() == list(range(9))
    assert isinstance(found["t"], ak.Datetime)


def test_labels_of_a_frame_come_back(prefix):
    frame = ak.DataFrame({"a": ak.arange(3)}, index=ak.array(["x", "y", "z"]))
    frame.to_parquet(prefix)
    found = ak.DataFrame.load(prefix)
    assert found.index.tolist() == ["x", "y", "z"]
    assert found["a"].tolist() == [0, 1, 2]
    ak.Index(ak.array([5, 6])).to_parquet(prefix.with_name("index"))
    assert ak.load(prefix.with_name("index"), dataset="index")["index"].tolist() == [5, 6]


# ---------------------------------------------------------------------------------------------------------- all or none


def spec(name="a"):
    return ak.arange(3)._storable().spec(name)


def table_of(count=3):
    return Table({("a", "values"): np.arange(count)}, count)


def test_nothing_is_there_before_the_commit_and_all_is_after(prefix):
    writer = ParquetWriter(prefix, [spec()], npartitions=2)
    writer.begin()
    receipts = [pickle.loads(pickle.dumps(writer)).write(index, table_of()) for index in (0, 1)]
    assert locale_files(str(prefix)) == []
    assert writer.commit(receipts) == locale_files(str(prefix))
    assert ak.load(prefix, dataset="a")["a"].tolist() == [0, 1, 2, 0, 1, 2]


def test_a_partition_that_is_missing_leaves_the_old_set(prefix):
    ak.arange(2).to_parquet(prefix)
    writer = ParquetWriter(prefix, [spec()], npartitions=2)
    writer.begin()
    with pytest.raises(WriteError, match="missing"):
        writer.commit([writer.write(0, table_of())])
    assert ak.load(prefix)["array"].tolist() == [0, 1]
    assert not [name for name in os.listdir(prefix.parent) if name.endswith("-write")]


def test_files_that_change_while_columns_are_added_are_left_as_they_are(prefix):
    ak.arange(3).to_parquet(prefix, "old")
    writer = ParquetWriter(prefix, [spec()], npartitions=1, mode="append")
    writer.begin()
    receipt = writer.write(0, table_of())
    pq.write_table(pa.table({"other": [1, 2, 3, 4]}), locale_files(str(prefix))[0])
    with pytest.raises(WriteError, match="changed"):
        writer.commit([receipt])
    assert ak.load_all(prefix)["other"].tolist() == [1, 2, 3, 4]


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(WriteError, match="create the folder"):
        ak.arange(3).to_parquet(tmp_path / "none" / "x")


# ----------------------------------------------------------------------------------------------------------- manifests


def test_the_manifest_opens_a_set_without_its_footers(prefix, monkeypatch):
    written = everything()
    ak.to_parquet(written, prefix, num_locales=3)
    assert os.path.exists(manifest_path(str(prefix)))
    monkeypatch.setattr(file_set, "inspect_file", lambda file: pytest.fail(f"{file} was opened"))
    found = ak.load_all(prefix)
    assert found["i"].tolist() == written["i"].tolist()
    assert found["s"].tolist() == written["s"].tolist()
    data = ak.DataFrame({"i": found["i"], "f": found["f"]})
    assert data[data["i"] == 58]["f"].tolist() == [(58 + 60) / 3]


def test_a_stale_or_damaged_manifest_is_none(prefix):
    ak.arange(10).to_parquet(prefix, num_locales=2)
    first, second = locale_files(str(prefix))
    pq.write_table(pa.table({"array": [7, 8, 9]}), second)
    assert ak.load(prefix)["array"].tolist() == [0, 1, 2, 3, 4, 7, 8, 9]
    raw = Path(manifest_path(str(prefix))).read_bytes()
    for damaged in (raw[:50], raw[:100] + b"\xff" + raw[101:], b""):
        Path(manifest_path(str(prefix))).write_bytes(damaged)
        assert ak.read_parquet([first, second])["array"].tolist() == [0, 1, 2, 3, 4, 7, 8, 9]


def test_a_file_that_the_manifest_names_and_that_is_gone_is_told(prefix):
    ak.arange(10).to_parquet(prefix, num_locales=3)
    os.remove(locale_files(str(prefix))[2])
    with pytest.raises(InconsistentFilesError, match="LOCALE0002"):
        ak.load(prefix)
    with pytest.warns(RuntimeWarning, match="LOCALE0002"):
        assert ak.read_parquet(f"{prefix}_LOCALE*", allow_errors=True)["array"].size == 7


def test_missing_integers_and_bools_are_nulls(tmp_path):
    table = pd.DataFrame(
        {
            "i": pd.array([2**60 + 1, None, 3], "Int64"),
            "u": pd.array([2**63 + 5, 7, None], "UInt64"),
            "small": pd.array([None, 7, 255], "UInt8"),
            "b": pd.array([True, None, False], "boolean"),
            "none": pd.array([None, None, None], "Int64"),
        }
    )
    ak.DataFrame(table).to_parquet(str(tmp_path / "x"))
    stored = pq.read_table(tmp_path / "x_LOCALE0000")
    assert stored.to_pydict() == {name: [None if row is pd.NA else row for row in table[name]] for name in table}
    assert [str(field.type) for field in stored.schema] == ["int64", "uint64", "uint64", "bool", "int64"]
    pd.testing.assert_frame_equal(ak.DataFrame(ak.read_parquet(str(tmp_path / "x*"))).to_pandas(), table)
