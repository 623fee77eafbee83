from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError, ConversionError, FileFormatError, MissingDatasetError
from akdask.formats.csv import parse


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
        # What has no type of 64 bits stays text, which changes none of it.
        (["18446744073709551616", "3"], "str", ["18446744073709551616", "3"]),
        (["9223372036854775808", "-1"], "str", ["9223372036854775808", "-1"]),
        (["-9223372036854775809"], "str", ["-9223372036854775809"]),
        (["1e19", "9223372036854775808"], "float64", [1e19, 2.0**63]),
        (["true", "False"], "bool", [True, False]),
        (["true", ""], "str", ["true", ""]),
        (["a", ""], "str", ["a", ""]),
        (["", ""], "str", ["", ""]),
        (["10:30", "11:00"], "str", ["10:30", "11:00"]),
    ],
)
def test_types_are_found_from_the_cells(tmp_path, cells, dtype, values):
    found = read(tmp_path, "k,v\n" + "".join(f"{k},{cell}\n" for k, cell in enumerate(cells)))["v"]
    assert found._value.dtype.name == dtype
    assert [None if str(item) == "nan" else item for item in found.tolist()] == values


@pytest.mark.lazy_only
@pytest.mark.parametrize("cells", [["1", "{}", ""], ["0.5", "{}"], ["", "{}", "1e300"]])
@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**64 - 1, 2**64 + 1])
def test_no_integer_becomes_another_as_a_float_that_nobody_asked_for(tmp_path, cells, number):
    content = "k,v\n" + "".join(f"{k},{cell.format(number)}\n" for k, cell in enumerate(cells))
    with pytest.raises(ConversionError, match=rf"integer {number} in column 'v' .*x\.csv'(.|\n)*row 2(.|\n)*'str'"):
        read(tmp_path, content)["v"].tolist()
    assert read(tmp_path, content)["k"].tolist() == list(range(len(cells)))
    assert read(tmp_path, content, dtypes={"v": "str"})["v"][1] == str(number)
    asked = read(tmp_path, content, dtypes={"v": float})["v"]
    np.testing.assert_array_equal(asked.tolist(), pd.read_csv(tmp_path / "x.csv", dtype={"v": float})["v"])


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


@pytest.mark.lazy_only
def test_a_cell_behind_the_sample_that_does_not_fit_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(parse, "SAMPLE", 64)
    content = "a,b\n" + "1,2\n" * 50 + "x,3\n"
    found = read(tmp_path, content)
    assert found["b"].sum() == 103
    with pytest.raises(
        FileFormatError, match=r"column 'a' .*x\.csv' holds .*'x'(.|\n)*row 51(.|\n)*dtypes=\{'a': 'str'\}"
    ):
        found["a"].sum().compute()
    assert read(tmp_path, content, dtypes={"a": str})["a"][-1] == "x"


def test_a_sample_ends_where_a_row_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(parse, "SAMPLE", 16)
    found = read(tmp_path, 'a,b\n1,"long text\nwith a line break"\n2,c\n')
    assert found["a"].tolist() == [1, 2]
    assert found["b"].tolist() == ["long text\nwith a line break", "c"]
