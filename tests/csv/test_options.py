"""Delimiters, lines that are passed over, further missing values, and columns that are chosen or label rows."""

from __future__ import annotations

import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, FileFormatError, MissingDatasetError

TEXT = "made by hand\n\na,b,c\n1,-999,x\n2,-999.0,?\n-,5.5,-999\nNA,null,z\n"


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "x.csv"
    found.write_text(TEXT)
    return found


@pytest.mark.parametrize("given", [["-", -999, "-999.0"], ("-", "-999", "-999.0", "?")], ids=str)
@pytest.mark.parametrize("skiprows", [1, 2])
def test_lines_are_skipped_and_values_are_missing_as_in_pandas(path, given, skiprows):
    found = ak.scan(path, skiprows=skiprows, na_values=given).to_pandas()
    wanted = pd.read_csv(path, skiprows=skiprows, na_values=given)
    pd.testing.assert_frame_equal(found[["a", "b"]], wanted[["a", "b"]])
    assert found["c"].tolist() == ["x", "?", "-999", "z"]  # text is left as it is


def test_integers_with_missing_values_are_floats(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,0\n-1,7\n")
    found = ak.read_csv(str(tmp_path / "x.csv"), na_values="-1")
    assert ak.isnan(found["a"]).tolist() == [False, True]
    assert found["b"].dtype == ak.int64
    refused = ak.read_csv(str(tmp_path / "x.csv"), na_values=-1, dtypes={"a": "int64"})["a"]
    with pytest.raises(FileFormatError, match="-1"):
        refused.tolist()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("skiprows", [0, 1, 3])
def test_skipped_lines_end_anyhow(tmp_path, end, skiprows):
    (tmp_path / "x.csv").write_text(end.join(["a", '"', "c", "4", "5"]).replace('"', "b"), newline="")
    found = ak.read_csv(str(tmp_path / "x.csv"), skiprows=skiprows)
    wanted = pd.read_csv(tmp_path / "x.csv", skiprows=skiprows)
    assert {name: list(map(str, column.tolist())) for name, column in found.items()} == {
        name: list(map(str, wanted[name])) for name in wanted
    }


def test_files_end_within_skipped_lines(path):
    with pytest.raises(FileFormatError, match="no more than 9 lines"):
        ak.read_csv(str(path), skiprows=9)
    names = ak.read_csv(str(path), skiprows=3, names=["p", "q", "r"])
    assert names["p"].tolist() == ["1", "2", "-", "NA"]


@pytest.mark.parametrize(
    "options", [{"skiprows": -1}, {"skiprows": "1"}, {"na_values": {"a": 1}}, {"na_values": [b"x"]}]
)
def test_other_arguments_are_refused(path, options):
    with pytest.raises(ArgumentError):
        ak.read_csv(str(path), **options)
    with pytest.raises(ArgumentError, match="255"):
        ak.read_csv(str(path), na_values="x" * 256)


@pytest.mark.parametrize(
    "options",
    [
        {"usecols": ["c", "a"]},
        {"usecols": [0, -1]},
        {"index_col": "a"},
        {"index_col": 2},
        {"index_col": "c", "usecols": ["b"]},
        {"index_col": 0, "usecols": ["b", "a"]},
    ],
    ids=str,
)
def test_columns_are_chosen_and_label_rows(tmp_path, options):
    rows = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": ["x", "y"]})
    rows.to_csv(tmp_path / "x.csv", index=False)
    found = ak.scan(tmp_path / "x.csv", **options).to_pandas()
    names = [one if isinstance(one, str) else rows.columns[one] for one in options.get("usecols", list(rows))]
    label = options.get("index_col")
    if label is not None:
        label = label if isinstance(label, str) else rows.columns[label]
        names = [name for name in names if name != label]
        rows = rows.set_index(label)
    pd.testing.assert_frame_equal(found, rows[names], check_index_type=False)


@pytest.mark.parametrize(
    "options", [{"usecols": ["d"]}, {"usecols": [3]}, {"index_col": "d"}, {"index_col": -4}], ids=str
)
def test_columns_that_are_not_there_are_named(tmp_path, options):
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(MissingDatasetError, match=r"d'|3|-4"):
        ak.scan(tmp_path / "x.csv", **options).to_pandas()


def test_the_delimiter_is_found_behind_skipped_lines(tmp_path):
    (tmp_path / "x.csv").write_text("made, by, hand\na;b\n1;2\n")
    assert list(ak.scan(tmp_path / "x.csv", skiprows=1).columns) == ["a", "b"]


@pytest.mark.parametrize("delimiter", "eE+-.xN ")
def test_numbers_end_where_the_delimiter_stands_though_it_may_belong_to_one(tmp_path, delimiter):
    longest = ["12345678901234567890", "1234567890123456", "0.1234567891", "123456789.5", "7.1e15"]
    cells = [cell for cell in ["1", "+2", "-3", "-1.5", "+.25", "7.", "8e2", *longest] if delimiter not in cell]
    lines = [map(str, range(len(cells))), cells, cells]
    (tmp_path / "x.csv").write_text("".join(f"{delimiter.join(line)}\n" for line in lines))
    found = ak.DataFrame(ak.read_csv(str(tmp_path / "x.csv"), column_delim=delimiter))
    expected = pd.read_csv(tmp_path / "x.csv", sep=delimiter, engine="c")
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_index_type=False)
