"""Columns that the files of a set have differently: never joined or dropped without a word."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.cli import main
from akdask.errors import ConversionError, InconsistentFilesError

REST = {"k": [1, 2]}


@pytest.fixture
def files(tmp_path):
    def write(*tables, **options):
        for number, table in enumerate(tables):
            pq.write_table(pa.table(table), tmp_path / f"x_LOCALE{number:04d}.parquet", **options)
        return f"{tmp_path}/x_LOCALE*.parquet"

    return write


DIFFERENT = {
    "int64 and float64": ([1, 2], [1.5, 2.5]),
    "float64 and int64": ([1.5, 2.5], [1, 2]),
    "int32 and float32": (pa.array([1, 2], pa.int32()), pa.array([1, 2], pa.float32())),
    "int64 and uint64": ([1, 2], pa.array([1, 2], pa.uint64())),
    "numbers and text": ([1, 2], ["a", "b"]),
    "bools and numbers": ([True, False], [1, 2]),
    "bools and floats": ([True, False], [1.5, 2]),
    "times and numbers": (pa.array([1, 2], pa.timestamp("ns")), [1, 2]),
    "times with a zone and without": (
        pa.array([1, 2], pa.timestamp("ns")),
        pa.array([1, 2], pa.timestamp("ns", "UTC")),
    ),
    "times and durations": (pa.array([1, 2], pa.timestamp("ns")), pa.array([1, 2], pa.duration("ns"))),
    "lists of other items": ([[1], [2]], [[1.5], [2.5]]),
    "lists and numbers": ([[1], [2]], [1, 2]),
}
ALIKE = {
    "widths of integers": (pa.array([1, 2], pa.int8()), pa.array([1, 2], pa.int64())),
    "widths of floats": (pa.array([1, 2], pa.float32()), pa.array([1, 2], pa.float64())),
    "bytes and integers": (pa.array([1, 2], pa.uint8()), pa.array([1, 2], pa.int64())),
    "nulls and none": ([1, None], [1, 2]),
    "only nulls": (pa.nulls(2), [1, 2]),
    "text and a dictionary": (["a", "b"], pa.array(["b", "c"]).dictionary_encode()),
    "two dictionaries": (pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()),
    "text of two kinds": (["a", "b"], pa.array(["c", "d"], pa.large_string())),
    "units of times": (pa.array([1, 2], pa.timestamp("ms")), pa.array([1, 2], pa.timestamp("ns"))),
    "widths of items": (pa.array([[1], [2]], pa.list_(pa.int32())), pa.array([[1], [2]], pa.list_(pa.int64()))),
}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("what", DIFFERENT)
def test_a_column_of_other_types_is_left_out_with_a_warning_and_an_error_by_name(files, tmp_path, capsys, what, order):
    pattern = files(*({"a": rows, **REST} for rows in DIFFERENT[what][::order]))
    with pytest.warns(RuntimeWarning, match=r"leaves out(.|\n)*'a': it is .* and ") as told:
        found = ak.read_parquet(pattern)
    assert len(told) == 1
    assert {name: rows.tolist() for name, rows in found.items()} == {"k": [1, 2, 1, 2]}
    for ask in (lambda: ak.read_parquet(pattern, "a"), lambda: ak.read(pattern, ["k", "a"])):
        with pytest.raises(InconsistentFilesError, match=r"'a'(.|\n)*LOCALE0000.*\n(.|\n)*LOCALE0001(.|\n)*Hint"):
            ask()
    assert ak.ls(pattern) == ["a", "k"]
    for command in ("ls", "info"):
        assert main([command, str(tmp_path / "x.parquet")]) == 0
        shown = capsys.readouterr().out
        assert "differ" in shown
        assert " and " in shown


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("what", ALIKE)
def test_what_joins_without_loss_is_no_difference(files, what, order):
    pattern = files(*({"a": rows, **REST} for rows in ALIKE[what][::order]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(ak.read_parquet(pattern)) == ["a", "k"]
        assert len(ak.read_parquet(pattern)["a"]) == 4


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_column_that_a_file_lacks_is_left_out_whichever_file_it_is(files, number):
    tables = [{"a": [row], "b": [row]} for row in range(3)]
    del tables[number]["b"]
    pattern = files(*tables)
    with pytest.warns(RuntimeWarning, match="'b': 1 of 3 files do not have it"):
        found = ak.read_parquet(pattern)
    assert {name: rows.tolist() for name, rows in found.items()} == {"a": [0, 1, 2]}
    with pytest.raises(InconsistentFilesError, match=f"'b'(.|\n)*LOCALE000{number}"):
        ak.read_parquet(pattern, "b")
    assert ak.ls(pattern) == ["a", "b"]
    with pytest.warns(RuntimeWarning, match="'b'"):
        assert list(ak.DataFrame.load(pattern.replace("_LOCALE*", ""))) == ["a"]


def test_a_file_without_rows_differs_in_nothing(files):
    pattern = files({"a": [1]}, {"a": pa.array([], pa.string())}, {"a": [2]})
    assert ak.read_parquet(pattern)["a"].tolist() == [1, 2]
    assert ak.read_parquet(files({"a": pa.array([], pa.string())}, {"a": [1]}, {"a": [2]}))["a"].tolist() == [1, 2]


def test_columns_of_no_common_name_are_an_error(files):
    with pytest.raises(InconsistentFilesError, match="'a', 'b'"):
        ak.read_parquet(files({"a": [1]}, {"b": [1]}))


def test_numbers_are_widened_on_request(files):
    pattern = files({"a": [1, 2]}, {"a": [1.5, np.nan]}, {"a": pa.array([7, 255], pa.uint8())})
    with pytest.raises(InconsistentFilesError, match="widen=True"):
        ak.read_parquet(pattern)
    for found in (
        ak.read_parquet(pattern, widen=True),
        ak.read(pattern, widen=True),
        ak.load(pattern.replace("_LOCALE*", ""), dataset="a", widen=True),
        ak.load_all(pattern.replace("_LOCALE*", ""), widen=True),
        dict(ak.DataFrame.load(pattern.replace("_LOCALE*", ""), widen=True).items()),
    ):
        np.testing.assert_array_equal(found["a"].to_ndarray(), [1, 2, 1.5, np.nan, 7, 255])
        assert found["a"].sum() != found["a"].sum()
        np.testing.assert_array_equal(found["a"][found["a"] > 1].to_ndarray(), [2, 1.5, 7, 255])


@pytest.mark.lazy_only
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"use_dictionary": False, "compression": "gzip"}])
@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_an_integer_that_would_change_is_an_error_where_it_is_read(files, value, options):
    pattern = files({"a": [value, 2**60]}, {"a": [1.5, 2.5]}, **options)
    found = ak.read_parquet(pattern, widen=True)["a"]
    for read in (lambda: found.sum().compute(), found.tolist):
        with pytest.raises(ConversionError, match=f"{value} of column 'a'"):
            read()
    assert ak.read_parquet(files({"a": [2**60, 3]}, {"a": [1.5, 2.5]}), widen=True)["a"].tolist() == [
        2**60,
        3,
        1.5,
        2.5,
    ]


@pytest.mark.lazy_only
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"use_dictionary": False, "compression": "gzip"}])
def test_integers_among_nulls_are_exact(files, options):
    found = ak.read_parquet(files({"a": [2**53 + 1, None]}, **options))["a"]
    assert found.fillna(0).tolist() == [2**53 + 1, 0]
    assert str(found) == "[9007199254740993 nan]"
    with pytest.raises(ConversionError, match="9007199254740993"):
        found.to_ndarray()
    pattern = files({"a": pa.array([2**63 + 2048, None, 5], pa.uint64())}, **options)
    np.testing.assert_array_equal(ak.read_parquet(pattern)["a"].to_ndarray(), [2**63 + 2048, np.nan, 5])


@pytest.mark.lazy_only
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"use_dictionary": False, "compression": "gzip"}])
def test_integers_of_both_kinds_are_widened_to_those_with_a_sign(files, options):
    pattern = files({"a": [-1, 2]}, {"a": pa.array([2**63 - 1, 4], pa.uint64())}, **options)
    assert ak.read_parquet(pattern, widen=True)["a"].tolist() == [-1, 2, 2**63 - 1, 4]
    pattern = files({"a": [-1, 2]}, {"a": pa.array([2**63, 4], pa.uint64())}, **options)
    found = ak.read_parquet(pattern, widen=True)["a"]
    for read in (found.tolist, found[found == 4].tolist):
        with pytest.raises(ConversionError, match="9223372036854775808 of column 'a'"):
            read()


def test_with_allow_errors_files_unlike_the_first_are_left_out(files):
    pattern = files(
        {"a": [1], "b": [1]}, {"a": [2]}, {"a": [3], "b": [3]}, {"a": [4], "b": [0.5]}, {"a": [5], "b": [5]}
    )
    with pytest.warns(RuntimeWarning, match=r"2 files are left out(.|\n)*'b'"):
        found = ak.read_parquet(pattern, allow_errors=True)
    assert {name: rows.tolist() for name, rows in found.items()} == {"a": [1, 3, 5], "b": [1, 3, 5]}
