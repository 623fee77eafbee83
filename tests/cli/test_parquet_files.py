"""The commands on Parquet files, which pyarrow makes and reads."""

from __future__ import annotations

import json
import os
import shutil

import h5py
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.cli import main


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A set of two files in the working folder; returns the rows of both."""
    monkeypatch.chdir(tmp_path)
    found = pa.table({"n": [1, 2, 3], "s": ["a", None, "c"]})
    pq.write_table(found[:2], "x_LOCALE0000.parquet", compression="zstd", row_group_size=1)
    pq.write_table(found[2:], "x_LOCALE0001.parquet", compression="zstd")
    return found


def told(capsys, *argv):
    """Run a command, and return its code, and what it prints as lines or as JSON."""
    code = main(list(argv))
    printed = capsys.readouterr().out
    return code, json.loads(printed) if "--json" in argv else printed.splitlines()


def test_ls_and_head(table, capsys):
    code, lines = told(capsys, "ls", "x")
    assert (code, lines[0]) == (0, "x.parquet: 2 files, 2 objects")
    assert [line.split() for line in lines[2:]] == [["n", "pdarray", "int64", "3"], ["s", "Strings", "str", "3"]]
    code, lines = told(capsys, "head", "x.parquet", "-n", "2")
    assert (code, lines[1].split(), lines[2].split()) == (0, ["1", "a"], ["2", "-"])


def test_info_tells_row_groups_codecs_and_nulls(table, capsys):
    code, lines = told(capsys, "info", "x")
    assert code == 0
    assert lines[0].startswith("x.parquet: 2 files, ")
    assert lines[0].endswith("Parquet, no manifest")
    writer = pq.read_metadata("x_LOCALE0000.parquet").created_by
    assert any(
        line.split()[0] == "x_LOCALE0000.parquet" and line.endswith(f"2           2  {writer}") for line in lines
    )
    (about,) = (line.split() for line in lines if line.startswith("s "))
    assert about[1:5] == ["Strings", "BYTE_ARRAY,", "string", "ZSTD"]
    assert about[-1] == "1"


def test_info_as_json(table, capsys):
    code, (found,) = told(capsys, "info", "--json", "x")
    assert code == 0
    assert [file["row_groups"] for file in found["files"]] == [[1, 1], [1]]
    footer = pq.read_metadata("x_LOCALE0001.parquet")
    assert found["files"][1]["objects"][0] == {
        "name": "n",
        "kind": "pdarray",
        "stored_as": "INT64, int64",
        "codec": "ZSTD",
        "bytes": footer.row_group(0).column(0).total_compressed_size,
        "nulls": 0,
    }


def test_validate_compares_files_with_their_manifest(table, capsys):
    assert main(["validate", "x"]) == 0
    assert "x.parquet: 2 files, all is well" in capsys.readouterr().out
    os.mkdir("w")
    ak.DataFrame({"n": [1, 2, 3]}).to_parquet("w/w.parquet", num_locales=2)
    shutil.copytree("w", "v")
    with open("v/w_LOCALE0001.parquet", "r+b") as file:
        file.seek(10)
        file.write(b"?")
    code, (found,) = told(capsys, "validate", "--json", "v/w.parquet")
    assert code == 1
    assert found["arkouda"] is None
    assert [(one["rule"], one["severity"]) for one in found["violations"]][-1] == ("data.checksums", "error")
    assert found["violations"][-1]["file"].endswith("w_LOCALE0001.parquet")


@pytest.mark.parametrize("command", ["repack"])
def test_what_is_for_hdf5_alone_leaves_other_files_as_they_are(table, capsys, command):
    assert main([command, "x"]) == 2
    assert "x.parquet: Parquet" in capsys.readouterr().err
    assert pq.read_table("x_LOCALE0000.parquet").equals(table[:2])


def test_convert_to_hdf5_and_back(table, capsys):
    assert main(["convert", "x", "y.h5", "--num-locales", "1"]) == 0
    assert "akdask: missing text of 's' is written as empty text" in capsys.readouterr().err
    with h5py.File("y_LOCALE0000.h5") as file:
        assert file["n"][:].tolist() == [1, 2, 3]
        assert bytes(file["s/values"][:]) == b"a\0\0c\0"
    code, _ = told(capsys, "convert", "y.h5", "z.parquet", "--file-type", "single", "--compression", "gzip")
    assert code == 0
    assert pq.read_table("z.parquet").to_pydict() == {"n": [1, 2, 3], "s": ["a", "", "c"]}
    assert pq.read_metadata("z.parquet").row_group(0).column(0).compression == "GZIP"


def test_files_that_hdf5_is_not_packed_for_are_refused(table, capsys):
    assert main(["convert", "x", "y.h5", "--compression", "zstd"]) == 2
    assert "compression" in capsys.readouterr().err
