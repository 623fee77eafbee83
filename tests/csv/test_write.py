from __future__ import annotations

import os

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ExistsError, FileFormatError, SchemaError, UnsupportedError, WriteError
from akdask.storage.locales import locale_files
from akdask.storage.transaction import FileTransaction

COLUMNS = {
    "i": np.array([1, -(2**63), 2**63 - 1, 0]),
    "u": np.array([2**64 - 1, 0, 1, 2], np.uint64),
    "f": np.array([0.1, -np.inf, 1e-300, 2.0]),
    "b": np.array([True, False, True, False]),
    "s": np.array(["plain", 'with, "quotes"', "two\nlines", ""]),
}


def arrays():
    return {name: ak.array(column) for name, column in COLUMNS.items()}


def test_other_readers_find_the_rows_behind_the_header(tmp_path):
    ak.to_csv(arrays(), tmp_path / "x.csv", num_locales=1)
    (path,) = locale_files(str(tmp_path / "x.csv"))
    with open(path, "rb") as file:
        assert [file.readline() for _ in range(4)] == [
            b"**HEADER**\n",
            b"int64,uint64,float64,bool,str\n",
            b"*/HEADER/*\n",
            b"i,u,f,b,s\n",
        ]
    expected = pd.DataFrame(COLUMNS)
    types = {"u": np.uint64}
    pd.testing.assert_frame_equal(
        pd.read_csv(path, skiprows=3, dtype=types, keep_default_na=False), expected, check_dtype=False
    )
    found = pl.read_csv(path, skip_rows=3, schema_overrides={"u": pl.UInt64})
    found = found.with_columns(pl.col("s").fill_null(""))
    assert found.to_dict(as_series=False) == {name: column.tolist() for name, column in COLUMNS.items()}
    counted = duckdb.sql(f"select count(*) from read_csv('{path}', skip=3, header=true)")
    assert counted.fetchall() == [(4,)]


@pytest.mark.parametrize("delimiter", [",", "|", "\t", "|*|", "é"])
def test_what_is_written_is_read(tmp_path, delimiter):
    ak.to_csv(arrays(), tmp_path / "x.csv", col_delim=delimiter, num_locales=3)
    found = ak.read_csv(f"{tmp_path}/x_LOCALE*", column_delim=delimiter)
    assert list(found) == list(COLUMNS)
    for name, column in COLUMNS.items():
        np.testing.assert_array_equal(found[name].to_ndarray(), column)


def test_arrays_are_written_alone(tmp_path):
    ak.array(["", "a", ""]).to_csv(tmp_path / "s.csv")
    assert ak.read_csv(f"{tmp_path}/s_LOCALE*")["strings_array"].tolist() == ["", "a", ""]
    ak.arange(3).to_csv(tmp_path / "n", "n", num_locales=2)
    assert ak.load(tmp_path / "n", dataset="n")["n"].tolist() == [0, 1, 2]
    ak.Index(ak.arange(3)).to_csv(tmp_path / "i")
    assert ak.load(tmp_path / "i", dataset="index")["index"].tolist() == [0, 1, 2]
    ak.save_all({"a": ak.arange(2)}, tmp_path / "w", file_format="csv", file_type="single")
    assert (tmp_path / "w").read_bytes() == b"**HEADER**\nint64\n*/HEADER/*\na\n0\n1\n"


def test_times_and_addresses_are_their_numbers(tmp_path):
    times = pd.date_range("2020", periods=2)
    columns = {"t": ak.Datetime(times), "d": ak.Timedelta(times - times[0]), "a": ak.IPv4(["1.2.3.4", "0.0.0.1"])}
    ak.to_csv(columns, tmp_path / "x", num_locales=1)
    (path,) = locale_files(str(tmp_path / "x"))
    found = pd.read_csv(path, skiprows=3)
    assert found["t"].tolist() == times.as_unit("ns").astype("int64").tolist()
    assert found["d"].tolist() == [0, 86_400 * 10**9]
    assert found["a"].tolist() == [0x01020304, 1]


def test_frames_are_written_with_their_labels_if_wanted(tmp_path):
    df = ak.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]}, index=ak.array([7, 8, 9]))
    df.to_csv(tmp_path / "x.csv")
    assert ak.ls_csv(f"{tmp_path}/x_LOCALE*") == ["a", "s"]
    df.to_csv(tmp_path / "y.csv", index=True, columns=["s"], num_locales=2)
    read = ak.DataFrame.read_csv(f"{tmp_path}/y_LOCALE*")
    assert read.index.tolist() == [7, 8, 9]
    assert read["s"].tolist() == ["x", "y", "z"]
    assert len(locale_files(str(tmp_path / "y.csv"))) == 2


def test_files_are_replaced_only_if_told_so(tmp_path):
    ak.arange(10).to_csv(tmp_path / "x.csv", num_locales=3)
    with pytest.raises(ExistsError, match="overwrite=True"):
        ak.arange(5).to_csv(tmp_path / "x.csv")
    assert ak.load_all(tmp_path / "x.csv")["array"].size == 10
    ak.arange(5).to_csv(tmp_path / "x.csv", overwrite=True, num_locales=2)
    assert ak.load_all(tmp_path / "x.csv")["array"].tolist() == list(range(5))
    assert len(locale_files(str(tmp_path / "x.csv"))) == 2
    with pytest.warns(UserWarning, match="2 existing files"):
        ak.save_all({"a": ak.arange(3)}, tmp_path / "x.csv", file_format="CSV")


@pytest.mark.parametrize(
    ("make", "kind", "hint"),
    [
        (lambda: ak.Categorical(["a", "b"]), "Categorical", "to_strings"),
        (lambda: ak.SegArray(ak.array([0, 1]), ak.arange(3)), "SegArray", "HDF5"),
        (lambda: ak.array([2**70, 1]), "bigint", "HDF5"),
    ],
)
def test_what_csv_cannot_hold_is_refused_by_name(tmp_path, make, kind, hint):
    with pytest.raises(UnsupportedError, match=f"'v' is a {kind}, (.|\n)*{hint}"):
        ak.to_csv({"v": make()}, tmp_path / "x.csv")
    assert os.listdir(tmp_path) == []


def test_columns_are_not_added_and_have_equal_lengths(tmp_path):
    with pytest.raises(UnsupportedError, match="added"):
        ak.arange(3).save(tmp_path / "x.csv", mode="append", file_format="CSV")
    b = ak.arange(4)
    with pytest.raises(SchemaError, match=r"'a'.*3 rows(.|\n)*'b'.*4 rows"):
        ak.to_csv({"a": ak.arange(3), "b": b, "c": b + 1}, tmp_path / "x.csv", num_locales=1)
    with pytest.raises(ArgumentError, match="parted"):
        ak.arange(3).to_csv(tmp_path / "x.csv", col_delim="\n")
    assert os.listdir(tmp_path) == []


def test_columns_that_are_cut_otherwise_are_cut_alike(tmp_path):
    whole = ak.arange(100)
    chosen = ak.concatenate([ak.arange(90), ak.arange(20)])[ak.concatenate([whole[:90] % 2 < 2, whole[:20] >= 10])]
    ak.to_csv({"a": whole.repartition(3), "b": chosen, "c": ak.arange(100) * 2}, tmp_path / "x.csv")
    found = ak.load_all(tmp_path / "x.csv")
    assert found["a"].tolist() == list(range(100))
    assert found["b"].tolist() == [*range(90), *range(10, 20)]
    assert found["c"].tolist() == list(range(0, 200, 2))


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    ak.arange(4).to_csv(tmp_path / "x.csv", num_locales=2)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}

    def fail(*_):
        raise OSError(28, "no space")

    monkeypatch.setattr(FileTransaction, "finish", fail)
    with pytest.raises(WriteError, match="No space"):
        ak.arange(9).to_csv(tmp_path / "x.csv", overwrite=True)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_numbers_of_one_byte_are_unsigned_integers(tmp_path):
    ak.array(np.array([1, 255], np.uint8)).to_csv(tmp_path / "x")
    assert ak.load_all(tmp_path / "x")["array"].tolist() == [1, 255]


def test_sets_have_a_manifest_whose_sums_tell_damage_and_single_files_have_none(tmp_path):
    def written(name, **options):
        parts = ak.concatenate([ak.arange(10, 20), ak.arange(20, 25), ak.arange(25, 29), ak.arange(29, 40)])
        ak.save_all({"a": parts}, tmp_path / name, file_format="csv", **options)
        return (tmp_path / f".{name}.akdask").exists()

    assert written("x")
    assert not written("single", file_type="single")
    with ak.config.set(manifest=False):
        assert not written("bare")
    ak.arange(10, 30).to_csv(tmp_path / "joined", "a", num_locales=2)
    for name in ("x", "joined"):
        path = locale_files(str(tmp_path / name))[1]
        before = os.stat(path)
        with open(path, "r+b") as file:
            file.seek(-2, os.SEEK_END)
            file.write(b"5")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        with ak.config.set(verify_checksums=True), pytest.raises(FileFormatError, match="checksum"):
            ak.load_all(tmp_path / name)["a"].tolist()
