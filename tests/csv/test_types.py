from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ConversionError,
    FileError,
    FileFormatError,
    MissingDatasetError,
)


def read(tmp_path, content, **options):
    path = tmp_path / "x.csv"
    path.write_text(content)
    return ak.read_csv(path, **options)


@pytest.mark.parametrize(
    ("cells", "dtype", "values"),
    [
        (["1", "-2"], "int64", [1, -2]),
        (["1", ""], "float64", [1.0, None]),
        (["1.5", "inf"], "float64", [1.5, np.inf]),
        (["18446744073709551615", "3"], "uint64", [2**64 - 1, 3]),
        (["9223372036854775807", "-9223372036854775808"], "int64", [2**63 - 1, -(2**63)]),
        (["9007199254740992", "", "1.5"], "float64", [2.0**53, None, 1.5]),
        # What has no type of 64 bits has any number of them.
        (["18446744073709551616", "3"], "bigint", [2**64, 3]),
        (["9223372036854775808", "-1"], "bigint", [2**63, -1]),
        (["-9223372036854775809", " +00000000000000000000007 "], "bigint", [-(2**63) - 1, 7]),
        (["1e19", "9223372036854775808"], "float64", [1e19, 2.0**63]),
        # Beside others they are text, as in pandas, which changes none of them.
        (["18446744073709551616", "1.5"], "str", ["18446744073709551616", "1.5"]),
        (["-18446744073709551616", "NA"], "str", ["-18446744073709551616", "NA"]),
        (["9223372036854775808", ""], "str", ["9223372036854775808", ""]),
        (["true", "False"], "bool", [True, False]),
        (["true", "", "FALSE"], "bool", [True, None, False]),
        (["a", ""], "str", ["a", ""]),
        (["", "NA"], "float64", [None, None]),
        (["0x1F", "2"], "str", ["0x1F", "2"]),
        (["1_000", "2"], "str", ["1_000", "2"]),
        ([" 5", "+6"], "int64", [5, 6]),
        (["1.", ".5"], "float64", [1.0, 0.5]),
        (["1e", "5"], "str", ["1e", "5"]),
        (["1e400", "-1e-400"], "float64", [np.inf, 0.0]),
        (["12345678901234567890.5", "1"], "float64", [12345678901234567890.5, 1.0]),
        (["-", "5"], "str", ["-", "5"]),
        ([".", "5"], "str", [".", "5"]),
        (["-.", "5"], "str", ["-.", "5"]),
        (["1.5.2", "5"], "str", ["1.5.2", "5"]),
        (["10:30", "11:00"], "str", ["10:30", "11:00"]),
    ],
)
def test_types_are_found_from_the_cells(tmp_path, cells, dtype, values):
    found = read(tmp_path, "k,v\n" + "".join(f"{k},{cell}\n" for k, cell in enumerate(cells)))["v"]
    assert found._value.dtype.name == dtype
    assert [None if str(item) == "nan" else item for item in found.tolist()] == values


NUMBERS = r" ?[+-]?[0-9]{0,10}[.][0-9]{0,20}([eE][+-]?[0-9]{1,2})?x? ?"


@given(st.lists(st.from_regex(NUMBERS, fullmatch=True), min_size=1), st.sampled_from(".,d"))
def test_floats_are_those_of_python(cells, decimal):
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = None
    with tempfile.TemporaryDirectory() as folder:
        content = "k;v\n" + "".join(f"1;{cell.replace('.', decimal)}\n" for cell in cells)
        found = read(Path(folder), content, column_delim=";", decimal=decimal)["v"]
        assert found._value.dtype.name == ("str" if values is None else "float64")
        assert values is None or found.tolist() == values


@pytest.mark.lazy_only
@pytest.mark.parametrize("cells", [["1", "{}", ""], ["0.5", "{}"], ["", "{}", "1e300"]])
@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_no_integer_becomes_another_as_a_float_that_nobody_asked_for(tmp_path, cells, number):
    content = "k,v\n" + "".join(f"{k},{cell.format(number)}\n" for k, cell in enumerate(cells))
    with pytest.raises(ConversionError, match=rf"integer {number} in column 'v' .*x\.csv'(.|\n)*row 2(.|\n)*'str'"):
        read(tmp_path, content)["v"].tolist()
    assert read(tmp_path, content)["k"].tolist() == list(range(len(cells)))
    assert read(tmp_path, content, dtypes={"v": "str"})["v"][1] == str(number)
    asked = read(tmp_path, content, dtypes={"v": float})["v"]
    np.testing.assert_array_equal(asked.tolist(), pd.read_csv(tmp_path / "x.csv", dtype={"v": float})["v"])


def test_so_it_is_told_beside_quotes_and_in_other_encodings(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('k,v\n"é""\n,b",1.5\n' + '"é""\n,b",2\n' * 50 + '"é""",9007199254740993\n', "latin-1")
    with ak.config.set(partition_size=400):
        found = ak.DataFrame(ak.read_csv(path, encoding="latin-1"))
        assert found[:20].to_pandas()["k"].tolist() == ['é"\n,b'] * 20
        with pytest.raises(ConversionError, match="9007199254740993"):
            found.to_pandas()


def test_dates_and_times_are_those_of_pandas(tmp_path):
    times = pd.to_datetime(["2020-02-29 12:30:15.123456789", None, "1969-12-31"], format="ISO8601")
    frame = pd.DataFrame({"t": times, "d": pd.date_range("2021", periods=3)})
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    found = ak.DataFrame.read_csv(path)
    pd.testing.assert_frame_equal(found.to_pandas(), frame.astype("datetime64[ns]"))
    assert found["d"][1:].to_pandas().tolist() == frame["d"][1:].tolist()


def test_files_agree_on_a_type_that_holds_all(tmp_path):
    for number, cell in enumerate(["1", "2.5", "3"]):
        (tmp_path / f"{number}.csv").write_text(f"v,w\n{cell},{'x' if number else 7}\n")
    # Cells are text, so text changes none of them; integers become floats only on request.
    with pytest.warns(RuntimeWarning, match="'v': it is int64 and double"):
        assert ak.read_csv(f"{tmp_path}/*.csv")["w"].tolist() == ["7", "x", "x"]
    found = ak.read_csv(f"{tmp_path}/*.csv", widen=True)
    assert found["v"].tolist() == [1.0, 2.5, 3.0]
    (tmp_path / "2.csv").write_text(f"v,w\n{2**53 + 1},x\n")
    with pytest.raises(ConversionError, match=r"9007199254740993 in column 'v' of .*2\.csv"):
        ak.read_csv(f"{tmp_path}/*.csv", widen=True)["v"].tolist()


def test_types_may_be_given(tmp_path):
    content = "a,b,t\n1,2,2020-01-01\n3,4,2020-01-02\n"
    assert read(tmp_path, content, dtypes={"a": "str", "b": float})["a"].tolist() == ["1", "3"]
    assert read(tmp_path, content, dtypes={"b": float})["b"].dtype == np.float64
    assert read(tmp_path, content, dtypes="str")["t"].tolist() == ["2020-01-01", "2020-01-02"]
    assert isinstance(read(tmp_path, content, dtypes={"t": "datetime64[ns]"})["t"], ak.Datetime)
    with pytest.raises(MissingDatasetError, match="'c'"):
        read(tmp_path, content, dtypes={"c": "str"})
    with pytest.raises(ArgumentTypeError, match="bigint"):
        read(tmp_path, content, dtypes={"a": "bigint"})


@pytest.mark.parametrize("late", ["", "1.5", "x", "18446744073709551615", "true"])
def test_the_last_cell_counts_as_the_first(tmp_path, late):
    content = "a\n" + "1\n" * 200_000 + f"{late or 'NA'}\n"
    found = read(tmp_path, content)["a"]
    expected = pd.read_csv(tmp_path / "x.csv", low_memory=False)["a"]
    assert found._value.dtype.name == str(expected.dtype)
    assert str(found[-1]) == str(expected.iloc[-1])


@pytest.mark.parametrize(
    ("cells", "zone", "expected"),
    [
        (["2020-01-01T10:00Z", "2020-01-02 00:00:01+00:00"], "UTC", ["2020-01-01T10:00", "2020-01-02T00:00:01"]),
        (["2020-01-01T10:00+02:00", "NA"], "+02:00", ["2020-01-01T08:00", "NaT"]),
        (["2020-01-01T10:00+0200", "2020-01-01T10:00-01"], "UTC", ["2020-01-01T08:00", "2020-01-01T11:00"]),
    ],
)
def test_offsets_are_zones(tmp_path, cells, zone, expected):
    found = ak.DataFrame(read(tmp_path, "t,k\n" + "".join(f"{cell},1\n" for cell in cells))).to_pandas()["t"]
    assert str(found.dt.tz) in {zone, f"UTC{zone}"}
    np.testing.assert_array_equal(
        found.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), np.array(expected, "datetime64[ns]")
    )


def test_times_with_and_without_offsets_are_text(tmp_path):
    assert read(tmp_path, "t\n2020-01-01T10:00Z\n2020-01-01\n")["t"][1] == "2020-01-01"


def test_years_beyond_those_of_nanoseconds_are_read(tmp_path):
    found = read(tmp_path, "t\n9999-12-31\n0001-01-01\n1969-12-31 23:59:59.5\n")["t"]
    assert isinstance(found, ak.Datetime)
    expected = np.array(["9999-12-31", "0001-01-01", "1969-12-31T23:59:59.5"], "datetime64[us]")
    np.testing.assert_array_equal(np.array(found.to_ndarray(), "datetime64[us]"), expected)
    edges = ["1677-09-21T00:12:43.145224193", "2262-04-11T23:47:16.854775807"]
    found = read(tmp_path, "t\n" + "\n".join(edges))["t"]
    np.testing.assert_array_equal(found.to_ndarray(), np.array(edges, "datetime64[ns]"))


def test_marks_of_thousands_and_decimals_may_be_given(tmp_path):
    content = "a;b;c\n1.234,5;1.000;x.y\n-2,25;1.234.567;1.2\n"
    found = read(tmp_path, content, column_delim=";", decimal=",", thousands=".")
    assert found["a"].tolist() == [1234.5, -2.25]
    assert found["b"].tolist() == [1000, 1234567]
    assert found["c"].tolist() == ["x.y", "1.2"]
    for option in ({"decimal": ""}, {"thousands": "1"}, {"comment": "##"}, {"on_bad_lines": "warn"}):
        with pytest.raises(ArgumentError):
            read(tmp_path, content, **option)


def test_comments_and_long_rows_may_be_left_out(tmp_path):
    content = '# of x\n\na,b\n1,2# so\n# no\n3,4,5\n"#",6\n'
    found = read(tmp_path, content, comment="#", on_bad_lines="skip")
    assert {name: cells.tolist() for name, cells in found.items()} == {"a": ["1", "#"], "b": [2, 6]}
    with pytest.raises(FileFormatError, match=r"Expected 2 columns, got 3(.|\n)*line 6"):
        read(tmp_path, content, comment="#").items()


def test_a_scan_looks_at_cells_when_columns_are_asked_for(tmp_path):
    (tmp_path / "x.csv").write_text("a,index\n1,5\n2,\n")
    found, other = ak.scan(tmp_path / "x.csv"), ak.scan(tmp_path / "x.csv")
    pd.testing.assert_frame_equal(found.to_pandas(), pd.read_csv(tmp_path / "x.csv"))
    (tmp_path / "x.csv").write_text("a,index\n1,5\n")
    assert list(found.columns) == ["a", "index"]
    with pytest.raises(FileError, match="has changed"):
        other["a"].sum().compute()
