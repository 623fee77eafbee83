from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import TransferError, UnsupportedError

TIMES = pd.to_datetime(["2020-01-01", "", "1960-05-05 01:02:03.000000004"], format="ISO8601")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: ak.array([1, -2, 3]), pa.array([1, -2, 3])),
        (lambda: ak.array(np.array([2**63, 1], np.uint64)), pa.array([2**63, 1], pa.uint64())),
        (lambda: ak.array([0.5, np.nan]), pa.array([0.5, np.nan])),
        (lambda: ak.array([True, False]), pa.array([True, False])),
        (lambda: ak.array(["é", ""]), pa.array(["é", ""], pa.large_string())),
        (lambda: ak.Datetime(TIMES), pa.array(TIMES.as_unit("ns"), pa.timestamp("ns"))),
        (lambda: ak.Timedelta(TIMES - TIMES[0]), pa.array((TIMES - TIMES[0]).as_unit("ns"), pa.duration("ns"))),
        (lambda: ak.IPv4(["0.0.1.2"]), pa.array([258], pa.uint64())),
        (lambda: ak.array([2**100, -1]), pa.array([2**100, -1], pa.decimal256(76))),
        (
            lambda: ak.SegArray(ak.array([0, 2, 2]), ak.arange(3)),
            pa.array([[0, 1], [], [2]], pa.large_list(pa.int64())),
        ),
    ],
)
def test_arrays_are_what_arrow_makes_of_their_elements(make, expected):
    array = make()
    found = array.to_arrow()
    assert found.type == expected.type
    assert (
        found.combine_chunks().to_pylist() == expected.to_pylist()
        or found.to_numpy().tobytes() == expected.to_numpy(zero_copy_only=False).tobytes()
    )
    assert pa.array(array).type == pa.chunked_array(array).type == expected.type
    assert len(pa.array(array)) == len(pa.chunked_array(array)) == len(expected)


@pytest.mark.lazy_only
def test_numbers_are_not_copied():
    array = ak.array(np.arange(5))
    column = array._frame.tables[0].columns[0]
    assert array.to_arrow().chunk(0).buffers()[1].address == column.ctypes.data


def test_categoricals_are_dictionaries_of_their_labels():
    found = ak.Categorical(["b", "a", "b"]).to_arrow()
    assert pa.types.is_dictionary(found.type)
    assert found.to_pylist() == ["b", "a", "b"]


def test_what_arrow_cannot_hold_is_refused():
    with pytest.raises(UnsupportedError, match="76 digits"):
        ak.array([10**80]).to_arrow()
    with ak.config.set(max_transfer_bytes=10), pytest.raises(TransferError):
        ak.arange(100).to_arrow()


def frame():
    return ak.DataFrame(
        {
            "a": ak.arange(4),
            "x": ak.array([1.5, np.nan, 2, 3]),
            "s": ["x", "", "yé", "z"],
            "c": ak.Categorical(["u", "v", "u", "v"]),
            "t": ak.Datetime(["2020-01-01"] * 4),
        }
    )


def test_frames_are_read_by_other_libraries():
    df = frame()
    expected = {"a": [0, 1, 2, 3], "s": ["x", "", "yé", "z"], "c": ["u", "v", "u", "v"]}
    for found in (pl.DataFrame(df), df.to_polars()):
        assert found.select("a", "s", pl.col("c").cast(pl.String)).to_dict(as_series=False) == expected
        assert found.schema["t"] == pl.Datetime("ns")
    assert pa.table(df).select(list(expected)).to_pydict() == expected
    assert duckdb.sql("select sum(a), max(s) from df").fetchall() == [(6, "z")]
    assert df.to_duckdb().filter("a > 1").aggregate("count(*)").fetchall() == [(2,)]
    with duckdb.connect() as connection:
        assert df.to_duckdb(connection).aggregate("sum(a)").fetchall() == [(6,)]
    assert pl.Series(df["a"]).to_list() == expected["a"]


def test_selected_rows_are_what_pandas_selects():
    df = frame()
    chosen = df[df["a"] != 1]
    expected = df.to_pandas()[lambda rows: rows["a"] != 1]
    found = chosen.to_arrow()
    assert found.column_names == ["a", "x", "s", "c", "t", "Index"]
    assert found["Index"].to_pylist() == expected.index.tolist() == [0, 2, 3]
    assert found["s"].to_pylist() == expected["s"].tolist()
    assert found["c"].to_pylist() == expected["c"].tolist()


def test_frames_without_rows_keep_their_types():
    found = frame()[:0].to_arrow()
    assert found.num_rows == 0
    assert found.schema.field("s").type == pa.large_string()
    assert found.schema.field("t").type == pa.timestamp("ns")


def test_values_are_what_numpy_and_pandas_get():
    df = ak.DataFrame({"a": [1, 2], "b": [3, 4]})
    np.testing.assert_array_equal(np.asarray(df), [[1, 3], [2, 4]])
