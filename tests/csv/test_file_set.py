from __future__ import annotations

import os
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

import akdask as ak
from akdask.errors import (
    ConversionError,
    FileError,
    FileFormatError,
    InconsistentFilesError,
    MissingDatasetError,
    MissingFileError,
)
from akdask.formats.csv.file_set import CsvPart, open_set
from akdask.storage import decoded_columns

N = 1000
FRAME = pd.DataFrame(
    {
        "i": np.arange(N) * 7 - 50,
        "f": np.linspace(-1, 1, N) ** 3,
        "b": np.arange(N) % 3 == 0,
        "s": [f'text {k % 17}, "é"' if k % 5 else "" for k in range(N)],
    }
)


def by_pandas(frame, path):
    frame.to_csv(path, index=False)


def by_polars(frame, path):
    pl.from_pandas(frame).write_csv(path)


def by_duckdb(frame, path):
    rows = pa.Table.from_pandas(frame, preserve_index=False)  # noqa: F841 - the query reads it
    duckdb.sql(f"copy rows to '{path}' (header)")


def by_pyarrow(frame, path):
    arrow_csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), path)


@pytest.mark.parametrize("write", [by_pandas, by_polars, by_duckdb, by_pyarrow])
@pytest.mark.parametrize("size", [2**8, 2**30])
def test_files_of_other_writers_are_read(tmp_path, write, size):
    write(FRAME, tmp_path / "0.csv")
    write(FRAME[::-1], tmp_path / "1.csv")
    with ak.config.set(partition_size=size):
        df = ak.DataFrame.read_csv(f"{tmp_path}/*.csv")
        assert (df.npartitions > 100) == (size == 2**8)
        expected = pd.concat([FRAME, FRAME[::-1]], ignore_index=True)
        pd.testing.assert_frame_equal(df.to_pandas(), expected, check_dtype=False)
        assert df[df["b"]]["i"].sum() == expected["i"][expected["b"]].sum()
        assert df[df["i"] > 500]["s"].tolist() == expected["s"][expected["i"] > 500].tolist()
        assert df["i"][N - 2 : N + 2].tolist() == expected["i"][N - 2 : N + 2].tolist()


def test_a_set_of_arkouda_is_read_by_its_header(tmp_path):
    for number, rows in enumerate([b"1,2.5,true,x\n-3,nan,0,\n", b"", b"7,inf,True,y z\n"]):
        head = b"**HEADER**\nint64,float64,bool,str\n*/HEADER/*\na,b,c,d\n"
        (tmp_path / f"x_LOCALE000{number}.csv").write_bytes(head + rows)
    files = f"{tmp_path}/x_LOCALE*"
    found = ak.read(files)
    assert {name: array.tolist() for name, array in found.items() if name != "b"} == {
        "a": [1, -3, 7],
        "c": [True, False, True],
        "d": ["x", "", "y z"],
    }
    np.testing.assert_array_equal(found["b"].to_ndarray(), [2.5, np.nan, np.inf])
    assert ak.load_all(tmp_path / "x.csv")["a"].tolist() == [1, -3, 7]
    assert ak.load(tmp_path / "x.csv", dataset="d")["d"].tolist() == ["x", "", "y z"]
    data, names = ak.read_tagged_data(files)
    assert data["Filename_Codes"].tolist() == [0, 0, 2]
    assert [os.path.basename(name) for name in names.tolist()] == [f"x_LOCALE000{number}.csv" for number in range(3)]


def test_digits_are_text_where_the_header_says_so(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"**HEADER**\nstr,uint64\n*/HEADER/*\na|*|b\n007|*|18446744073709551615\n")
    found = ak.read_csv(tmp_path / "x.csv", column_delim="|*|")
    assert found["a"].tolist() == ["007"]
    assert found["b"].tolist() == [2**64 - 1]


@pytest.mark.lazy_only
def test_only_the_columns_asked_for_are_converted(tmp_path):
    (tmp_path / "x.csv").write_text("**HEADER**\nint64,int64\n*/HEADER/*\na,b\n1,no number\n")
    assert ak.read_csv(tmp_path / "x.csv")["a"].tolist() == [1]
    assert list(ak.read_csv(tmp_path / "x.csv", "b")) == ["b"]
    with pytest.raises(FileFormatError, match="no number"):
        ak.read_csv(tmp_path / "x.csv")["b"].tolist()
    with pytest.raises(MissingDatasetError, match="'c'"):
        ak.read_csv(tmp_path / "x.csv", "c")


def test_errors_become_the_smallest_values_where_they_are_allowed(tmp_path):
    content = (
        "**HEADER**\nint64,float64,bool,uint64,str\n*/HEADER/*\na,b,c,d,e\n1,x,true,5,t\ny,2.5,maybe,-1,\n,1,0,2,u\n"
    )
    (tmp_path / "x.csv").write_text(content)
    found = {name: array.tolist() for name, array in ak.read_csv(tmp_path / "x.csv", allow_errors=True).items()}
    assert found == {
        "a": [1, -(2**63), -(2**63)],
        "b": [np.finfo(float).min, 2.5, 1.0],
        "c": [True, False, False],
        "d": [5, 0, 2],
        "e": ["t", "", "u"],
    }


def test_files_that_cannot_be_read_are_left_out_where_that_is_allowed(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").write_bytes(b"\0\0")
    names = [tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"]
    with pytest.warns(RuntimeWarning, match=r"2 files(.|\n)*c\.csv(.|\n)*b\.csv"):
        assert ak.read_csv(names, allow_errors=True)["x"].tolist() == [1]
    with pytest.raises(MissingFileError, match=r"c\.csv"):
        ak.read_csv(names)
    with pytest.raises(FileError, match="none of the files"):
        ak.read_csv(tmp_path / "b.csv", allow_errors=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("**HEADER**\nstr,str\n*/HEADER/*\na,b\n1,2\n3\n", "Expected 2 columns, got 1"),
        ("a,b\n1,2\n3,4,5\n", "Expected 2 columns, got 3"),
        ('a,b\n1,"2\n3,4\n', "ends inside a field"),
    ],
)
def test_rows_with_other_fields_are_refused(tmp_path, content, message):
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(FileFormatError, match=message):
        ak.read_csv(tmp_path / "x.csv")["a"].tolist()


def test_fields_that_a_row_lacks_are_empty(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,x\n3\n\n  \n4,5\n")
    found = ak.DataFrame.read_csv(tmp_path / "x.csv").to_pandas()
    expected = pd.read_csv(tmp_path / "x.csv", keep_default_na=False, na_values={"b": [""]}).fillna({"c": ""})
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_columns_are_found_by_name_never_by_position(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("y,x\n20,10\n")
    found = ak.read_csv(tmp_path / "*.csv")
    assert {name: rows.tolist() for name, rows in found.items()} == {"x": [1, 10], "y": [2, 20]}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_column_that_a_file_lacks_is_left_out_whichever_file_it_is(tmp_path, number):
    for other in range(3):
        (tmp_path / f"{other}.csv").write_text("x\n1\n" if other == number else "x,y\n1,2\n")
    with pytest.warns(RuntimeWarning, match="'y': 1 of 3 files do not have it"):
        found = ak.read_csv(tmp_path / "*.csv")
    assert {name: rows.tolist() for name, rows in found.items()} == {"x": [1, 1, 1]}
    with pytest.raises(InconsistentFilesError, match=rf"'y'(.|\n)*{number}\.csv"):
        ak.read_csv(tmp_path / "*.csv", "y")
    assert ak.ls_csv(tmp_path / "*.csv") == ["x", "y"]
    with pytest.warns(RuntimeWarning, match="'y'"):
        assert list(ak.DataFrame.read_csv(tmp_path / "*.csv")) == ["x"]


@pytest.mark.parametrize("order", [1, -1])
def test_numbers_of_another_type_are_left_out_or_widened(tmp_path, order):
    for name, cells in zip("ab"[::order], ("1,1\n2,2", "1,1.5\n2,-0.5"), strict=True):
        (tmp_path / f"{name}.csv").write_text(f"k,v\n{cells}\n")
    with pytest.warns(RuntimeWarning, match="'v': it is"):
        assert list(ak.read_csv(tmp_path / "*.csv")) == ["k"]
    with pytest.raises(InconsistentFilesError, match=r"'v'(.|\n)*a\.csv(.|\n)*b\.csv(.|\n)*widen=True(.|\n)*dtypes="):
        ak.read_csv(tmp_path / "*.csv", ["v"])
    expected = [1, 2, 1.5, -0.5] if order == 1 else [1.5, -0.5, 1, 2]
    for options in ({"widen": True}, {"dtypes": {"v": float}}):
        assert ak.read_csv(tmp_path / "*.csv", **options)["v"].tolist() == expected
        assert ak.DataFrame.read_csv(tmp_path / "*.csv", **options)["v"].tolist() == expected


@pytest.mark.lazy_only
def test_so_are_those_that_a_header_tells(tmp_path):
    for number, values in enumerate(([2**53 + 1, 2], [0.5, 1.5], [2**60, 3])):
        rows = ak.array(np.array(values, "f8" if number == 1 else "i8"))
        ak.to_csv({"v": rows, "k": ak.arange(2)}, tmp_path / f"{number}.csv", num_locales=1)
    with pytest.warns(RuntimeWarning, match="'v': it is int64 and float64"):
        assert list(ak.read_csv(tmp_path / "*.csv")) == ["k"]
    with pytest.raises(InconsistentFilesError, match="widen=True"):
        ak.read_csv(tmp_path / "*.csv", "v")
    found = ak.read_csv([tmp_path / "1_LOCALE0000.csv", tmp_path / "2_LOCALE0000.csv"], widen=True)["v"]
    assert found.tolist() == [0.5, 1.5, 2**60, 3]
    found = ak.read_csv(tmp_path / "*.csv", widen=True)["v"]
    with pytest.raises(ConversionError, match="9007199254740993 of column 'v'"):
        found.tolist()


def test_files_with_a_header_and_without_are_no_set(tmp_path):
    ak.to_csv({"v": ak.arange(2)}, tmp_path / "a.csv", num_locales=1)
    (tmp_path / "b.csv").write_text("v\n1\n")
    with pytest.raises(InconsistentFilesError, match="Arkouda's header"):
        ak.read_csv(tmp_path / "*.csv")


def test_a_file_with_stray_quotes_is_cut_as_others_are(tmp_path):
    rows = [f'{k}" pipe,{k}' for k in range(100)]
    (tmp_path / "x.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    with ak.config.set(partition_size=64):
        found = ak.read_csv(tmp_path / "x.csv")
    assert found["a"].npartitions > 10
    assert found["a"].tolist() == [f'{k}" pipe' for k in range(100)]
    assert found["b"].sum() == 4950


def test_a_delimiter_of_several_characters_stands_inside_quotes_too(tmp_path):
    (tmp_path / "x.csv").write_text('a::b\n"1::2"::3\nx:y::4\n')
    found = ak.read_csv(tmp_path / "x.csv", column_delim="::")
    assert found["a"].tolist() == ["1::2", "x:y"]
    assert found["b"].tolist() == [3, 4]


def test_names_may_be_given_for_files_that_have_none(tmp_path):
    (tmp_path / "x.csv").write_text("1\tx\n2\ty\n")
    found = ak.read_csv(tmp_path / "x.csv", column_delim="\t", names=["n", "t"])
    assert found["n"].tolist() == [1, 2]
    assert found["t"].tolist() == ["x", "y"]


def test_names_are_told_by_the_first_lines_alone(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert ak.ls_csv(tmp_path / "x.csv") == ak.get_columns(tmp_path / "x.csv") == ["a", "b"]
    with pytest.raises(FileFormatError, match="read_csv"):
        ak.ls(tmp_path / "x.csv")
    (tmp_path / "y.csv").write_text("**HEADER**\nint64\n*/HEADER/*\nn\n")
    assert ak.ls(tmp_path / "y.csv") == ak.get_datasets(tmp_path / "y.csv") == ["n"]
    assert ak.get_filetype(tmp_path / "y.csv") == "CSV"
    assert ak.read_csv(tmp_path / "y.csv")["n"].tolist() == []


@pytest.mark.lazy_only
def test_a_file_that_has_changed_is_not_read_as_it_was(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n2\n")
    found = ak.read_csv(path)["a"]
    path.write_text("a\n1\n2\n3\n")
    with pytest.raises(FileError, match="has changed"):
        found.tolist()
    assert ak.read_csv(path)["a"].tolist() == [1, 2, 3]


def test_what_is_remote_is_read_in_ranges(tmp_path):
    import fsspec

    with fsspec.open("memory://csv/x.csv", "wb") as file:
        file.write(FRAME.to_csv(index=False).encode())
    assert ak.read_csv("memory://csv/x.csv")["i"].tolist() == FRAME["i"].tolist()


def test_a_set_is_told_apart_by_what_is_read_of_it(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    tokens = {
        open_set(tmp_path / "x.csv", dtypes=dtypes).objects(["a"])["a"].members["values"].source.token
        for dtypes in (None, "str", {"a": float})
    }
    assert len(tokens) == 3


def twenty(tmp_path, cell, other, place=11):
    """Write files of a cell each, of which one has another; return the pattern, and the path of that one."""
    for number in range(20):
        found = other if number == place else cell
        (tmp_path / f"{number:02d}.csv").write_text(f"k,v\n{number},{found}\n")
    return f"{tmp_path}/*.csv", f"{tmp_path}/{place:02d}.csv"


@pytest.mark.parametrize("place", [3, 11, 19])
@pytest.mark.parametrize(
    ("cell", "other", "dtype"),
    [
        ("7", "abc", "str"),
        ("7", "true", "str"),
        ("7", "2020-01-01", "str"),
        ("7", "99999999999999999999", "bigint"),
        ("7", "18446744073709551615", "uint64"),
        ("7", "", "float64"),
        ("7", "007", "int64"),
        ("1.5", "abc", "str"),
        ("1.5", "", "float64"),
        ("true", "1", "str"),
        ("true", "", "bool"),
        ("2020-01-01", "5", "str"),
        ("abc", "5", "str"),
    ],
)
def test_whichever_file_has_another_type_all_cells_keep_their_values(tmp_path, place, cell, other, dtype):
    pattern, _ = twenty(tmp_path, cell, other, place)
    found = ak.read_csv(pattern)["v"]
    assert found._value.dtype.name == dtype
    cells = [other if number == place else cell for number in range(20)]
    convert = {
        "int64": int,
        "uint64": int,
        "bigint": int,
        "bool": lambda text: {"true": 1.0}.get(text, np.nan),
        "str": str,
        "float64": lambda text: float(text or "nan"),
    }[dtype]
    assert list(map(str, found.tolist())) == [str(convert(text)) for text in cells]


@pytest.mark.parametrize("place", [3, 11, 19])
@pytest.mark.parametrize(("cell", "other"), [("7", "1.5"), ("1.5", "7"), ("7", "1e3")])
def test_whichever_file_has_other_numbers_they_are_left_out_and_widened_on_request(tmp_path, place, cell, other):
    pattern, path = twenty(tmp_path, cell, other, place)
    with pytest.warns(RuntimeWarning, match="'v': it is"):
        assert list(ak.read_csv(pattern)) == ["k"]
    with pytest.raises(InconsistentFilesError, match="'v'") as caught:
        ak.read_csv(pattern, "v")
    assert path in str(caught.value)
    assert "widen=True" in caught.value.hint
    assert ak.read_csv(pattern, widen=True)["v"][place] == float(other)
    assert ak.read_csv(pattern, "v", dtypes={"v": "str"})["v"][place] == other


@pytest.mark.lazy_only
@pytest.mark.parametrize("head", ["k,v\n", "k,v\r\n", 'k,"v\nw"\n'])
@pytest.mark.parametrize(
    "case",
    [
        ("7", "1.5", "int64", "float64"),
        ("7", "", "int64", "float64"),
        ("7", "abc", "int64", "str"),
        ("7", "18446744073709551615", "int64", "uint64"),
        ("1.5", "abc", "float64", "str"),
        ("true", "yes", "bool", "str"),
        ("2020-01-01", "soon", "datetime64[ns]", "str"),
    ],
)
def test_a_cell_that_is_not_of_a_given_type_is_told_with_its_line(tmp_path, head, case):
    cell, other, given, kind = case
    path = tmp_path / "x.csv"
    rows = [f'"a\n{number}",{cell}\n' if number == 30 else f"a{number},{cell}\n" for number in range(50)]
    path.write_bytes((head + "".join([*rows, "\n", f"a50,{other}\n", f"a51,{cell}\n"])).encode())
    line = path.read_text().split("\n").index(f"a50,{other}") + 1
    with ak.config.set(partition_size=600):
        name = ak.ls_csv(path)[1]
        found = ak.read_csv(path, dtypes={name: given})
        assert found["k"].tolist()[49:] == ["a49", "a50", "a51"]
        with pytest.raises(FileFormatError, match=rf"column {re.escape(repr(name))} of .*x\.csv") as caught:
            found[name].tolist()
    assert caught.value.details[0].startswith(f"line {line}: ")
    assert repr(kind) in caught.value.hint
    assert ak.read_csv(path, dtypes={name: kind})[name].size == 52


def test_digits_are_bools_where_that_is_given_and_beside_words_that_are_found(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,true\n0,false\n")
    found = ak.DataFrame(ak.read_csv(path, dtypes={"a": "bool"}))
    assert found.to_pandas().to_numpy().tolist() == [[True, True], [False, False]]


def test_columns_are_kept_that_are_wanted_again(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text("i,t\n1,a\n2,b\n")
    monkeypatch.setattr(decoded_columns, "find", lambda key: None)
    for wanted in ({"i"}, {"t"}, {"i", "t"}, set()):
        kept = []
        monkeypatch.setattr(CsvPart, "_is_wanted", lambda part, name, key, wanted=wanted: name in wanted)
        monkeypatch.setattr(
            decoded_columns, "keep", lambda key, column, kept=kept: kept.append(column.tolist()) or column
        )
        found = ak.read_csv(str(tmp_path / "x.csv"))
        assert {name: array.tolist() for name, array in found.items()} == {"i": [1, 2], "t": ["a", "b"]}
        assert sorted(kept, key=str) == [["a", "b"]] * ("t" in wanted) + [[1, 2]] * ("i" in wanted), wanted
