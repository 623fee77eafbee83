"""Files of any kind as frames: what they are is told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import pickle
import sqlite3

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import FileFormatError, MissingFileError, UnsupportedError
from akdask.io import scanning

ROWS = pd.DataFrame({"i": [3, 1, 2], "t": ["a", "é", ""]})


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    ("write", "options"),
    [
        (lambda frame, path: frame.to_json(path, orient="records"), {}),
        (lambda frame, path: frame.to_json(path, orient="records", lines=True), {"lines": True}),
        (lambda frame, path: frame.to_feather(path), {}),
        (lambda frame, path: frame.to_orc(path), {}),
        (lambda frame, path: frame.to_xml(path, index=False, parser="etree"), {"parser": "etree"}),
    ],
    ids=["json", "lines", "feather", "orc", "xml"],
)
def test_files_that_pandas_reads_follow_each_other(tmp_path, write, options, count):
    parts = [ROWS.assign(i=ROWS["i"] + 10 * number, t=["x", "y", "z"]) for number in range(count)]
    for number, part in enumerate(parts):
        write(part, tmp_path / f"x{number}")
    found = ak.scan(f"{tmp_path}/x*", **options)
    pd.testing.assert_frame_equal(found.to_pandas(), pd.concat(parts, ignore_index=True))
    pd.testing.assert_frame_equal(ak.scan(tmp_path / "x0", **options).to_pandas(), parts[0])


def test_readers_are_told_by_first_bytes(tmp_path):
    comma = "i,t\n1,a\n"
    contents = {
        "text.csv": (comma.encode(), "read_csv"),
        "text.json": (comma.encode(), "read_csv"),
        "list": (b' \n [{"i": 1}]', "read_json"),
        "dict.csv": (b'{"i": [1]}', "read_json"),
        "wide": (comma.encode("utf-16"), "read_csv"),
        "packed.json.gz": (gzip.compress(b"[1]"), "read_json"),
        "PACKED.JSON.bz2": (bz2.compress(b"[1]"), "read_json"),
        "packed.csv.gz": (gzip.compress(comma.encode()), "read_csv"),
        "packed": (bz2.compress(comma.encode()), "read_csv"),
        "book.xlsx": (b"PK\x03\x04rest", "read_excel"),
        "BOOK.XLSM": (b"PK\x03\x04rest", "read_excel"),
        "book.ods": (b"PK\x03\x04rest", "read_excel"),
        "book.zip": (b"PK\x03\x04rest", "read_csv"),
        "feather": (b"ARROW1rest", "read_feather"),
        "orc": (b"ORCrest", "read_orc"),
        "xml": (b"<?xml version='1.0'?>", "read_xml"),
        # A character may be cut where what is looked at ends, and only there.
        "cut": (b"i\n" + b"x" * 4093 + "é".encode(), "read_csv"),
        "cut in three": (b"i\n" + b"x" * 4091 + "😀".encode(), "read_csv"),
    }
    for name, (content, wanted) in contents.items():
        (tmp_path / name).write_bytes(content)
        assert scanning.kind_of(str(tmp_path / name)) == wanted, name
    for content in (b"i\n\xe9\n", b"i\n" + b"x" * 4000 + b"\xe9" + b"x" * 93, b"i\n\0", b"", b"\xe9"):
        (tmp_path / "odd").write_bytes(content)
        with pytest.raises(FileFormatError):
            scanning.kind_of(str(tmp_path / "odd"))
    with pytest.raises(MissingFileError):
        scanning.kind_of(str(tmp_path / "nothing"))


def test_sets_and_files_of_pandas_are_told_apart(tmp_path):
    ak.DataFrame(ROWS).to_hdf(tmp_path / "set.h5")
    ak.DataFrame(ROWS).to_parquet(tmp_path / "set.parquet")
    ak.DataFrame(ROWS).to_csv(tmp_path / "set.csv")
    ROWS.to_hdf(tmp_path / "own.h5", key="k", format="table")
    ROWS.to_parquet(tmp_path / "own.parquet")
    for name, wanted in (
        ("set.h5", "read_arkouda"),
        ("set.parquet", "read_arkouda"),
        ("set.csv", "read_arkouda"),
        ("own.h5", "read_hdf"),
        ("own.parquet", "read_parquet"),
    ):
        assert scanning.kind_of(str(tmp_path / name)) == wanted
        assert ak.scan(tmp_path / name).to_pandas().to_dict("list") == ROWS.to_dict("list")


def test_databases_and_pickles_are_refused(tmp_path):
    with sqlite3.connect(tmp_path / "database") as connection:
        connection.execute("create table rows (n int)")
    connection.close()
    for protocol in (4, 5):
        (tmp_path / f"pickle{protocol}").write_bytes(pickle.dumps([1] * 100, protocol))
    for name in ("database", "pickle4", "pickle5"):
        with pytest.raises(UnsupportedError, match="read_sql, or read_pickle"):
            ak.scan(tmp_path / name)


def test_packed_text_has_the_delimiter_of_its_name_and_utf_16_that_of_its_first_line(tmp_path):
    for name, content, wanted in (
        ("x.tsv.gz", gzip.compress(b"a\tb\n"), "\t"),
        ("X.TSV.bz2", bz2.compress(b"a\tb\n"), "\t"),
        ("x.csv.gz", gzip.compress(b"a\tb\n"), ","),
        ("x.tsv", b"a;b\n", ";"),
        ("wide", "a|b\n1,2,3\n".encode("utf-16"), "|"),
        ("wide.big", b"\xfe\xff" + "a\tb\n".encode("utf-16-be"), "\t"),
        ("one", b"a\n1\n", ","),
        ("none", b"", ","),
        ("odd", b"\xff;\xff\n", ";"),
    ):
        (tmp_path / name).write_bytes(content)
        assert scanning.delimiter_of(str(tmp_path / name)) == wanted, name


@pytest.mark.parametrize("others", [1, 10, 11, 25])
def test_what_is_left_out_is_named_up_to_ten(others):
    objects = {f"v{n}": ak.arange(3) for n in range(others + 1)}
    objects |= {f"o{n}": ak.arange(1 if n == 0 else 1000 + n) for n in range(others)}
    with pytest.warns(RuntimeWarning, match="has the columns of 3 rows, and leaves out") as told:
        found = scanning.with_common_rows(objects)
    assert list(found) == [f"v{n}" for n in range(others + 1)]
    lines = str(told[0].message).splitlines()[1:-1]
    wanted = ["'o0': 1 row", *(f"'o{n}': {1000 + n:,} rows" for n in range(1, others))]
    assert lines == [*wanted[:10], *([f"… and {others - 10} more"] if others > 10 else [])]


def test_numbers_of_rows_of_several_dimensions_are_columns_where_there_are_no_others(tmp_path):
    grid, cube = np.arange(6).reshape(3, 2), np.arange(12).reshape(3, 2, 2)
    found = scanning.with_common_rows({"g": ak.array(grid), "c": ak.array(cube)})
    assert {name: column.tolist() for name, column in found.items()} == {
        "g.0": [0, 2, 4],
        "g.1": [1, 3, 5],
        "c.0.0": [0, 4, 8],
        "c.0.1": [1, 5, 9],
        "c.1.0": [2, 6, 10],
        "c.1.1": [3, 7, 11],
    }
    with pytest.warns(RuntimeWarning, match=r"'g': shape \(3, 2\)"):
        assert list(scanning.with_common_rows({"g": ak.array(grid), "n": ak.arange(3)})) == ["n"]
    half = ak.zeros(2 * 2048).reshape(2, 2048)
    assert len(scanning.with_common_rows({"a": half, "b": half})) == 4096
    with pytest.raises(UnsupportedError, match="'c' has the shape"):
        scanning.with_common_rows({"a": half, "b": half, "c": ak.array(grid)})


@pytest.mark.lazy_only
def test_frames_of_sets_that_are_whole_are_remembered_and_copied(tmp_path, monkeypatch):
    read = []
    known = scanning.with_common_rows
    monkeypatch.setattr(scanning, "with_common_rows", lambda objects: read.append(list(objects)) or known(objects))
    for number, columns in ((0, {"a": 3, "b": 3}), (1, {"a": 3, "b": 3, "c": 2})):
        with h5py.File(tmp_path / f"x{number}.h5", "w") as file:
            for name, count in columns.items():
                file[name] = np.arange(count)
    first = ak.scan(tmp_path / "x0.h5")
    first["a"] = 7
    for _ in range(2):
        again = ak.scan(tmp_path / "x0.h5")
        assert again.to_pandas().to_dict("list") == {"a": [0, 1, 2], "b": [0, 1, 2]}
        again["b"] = 8
    assert read == [["a", "b"]]
    assert list(ak.scan(tmp_path / "x0.h5", datasets=["b"]).columns) == ["b"]
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="'c': 2 rows"):
            ak.scan(tmp_path / "x1.h5")
    assert read == [["a", "b"]] + [["a", "b", "c"]] * 2
