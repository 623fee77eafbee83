from __future__ import annotations

import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError
from akdask.frames.interchange import from_arrow

TABLE = pa.table(
    {
        "i": pa.array([1, -2, 3]),
        "n": pa.array([1, 2, 255], pa.uint16()),
        "u": pa.array([2**64 - 1, 0, 1], pa.uint64()),
        "f": pa.array([0.5, float("nan"), -1], pa.float32()),
        "b": pa.array([True, False, True]),
        "s": pa.array(["é", "", "long text"]),
        "t": pa.array([0, None, 10**9], pa.timestamp("ms")),
        "d": pa.array([1, 2, 3], pa.duration("s")),
        "c": pa.array(["x", "y", "x"]).dictionary_encode(),
        "l": pa.array([[1, 2], [], [3]]),
    }
)


def test_a_table_becomes_a_frame_with_the_values_that_pandas_finds():
    df = from_arrow(TABLE)
    assert df.dtypes == {
        "i": "int64",
        "n": "int64",
        "u": "uint64",
        "f": "float64",
        "b": "bool",
        "s": "str",
        "t": "Datetime",
        "d": "Timedelta",
        "c": "Categorical",
        "l": "list[int64]",
    }
    expected = TABLE.drop(["l", "c"]).to_pandas()
    pd.testing.assert_frame_equal(df[list(expected)].to_pandas(), expected, check_dtype=False)
    assert df["c"].to_strings().tolist() == ["x", "y", "x"]
    assert df["l"].tolist() == [[1, 2], [], [3]]


@pytest.mark.lazy_only
def test_numbers_are_not_copied():
    numbers = np.arange(1000)
    column = from_arrow(pa.table({"a": numbers}))["a"]._frame.tables[0].columns["a"]
    assert np.shares_memory(column, numbers)
    assert not column.flags.writeable


def test_chunks_are_partitions_wherever_columns_are_cut():
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]]), "s": pa.chunked_array([["x"], [], ["y", "z"]])})
    df = from_arrow(table)
    assert df.rows.lengths == (1, 1, 1)
    assert df["a"].tolist() == [1, 2, 3]
    assert df[df["a"] > 1]["s"].tolist() == ["y", "z"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pa.array([1, None]), [1.0, None]),
        (pa.array([True, None, False]), [1.0, None, 0.0]),
        (pa.array([1.5, None]), [1.5, None]),
        (pa.array([None, None]), [None, None]),
        (pa.array(["a", None]), ["a", None]),
        (pa.array(["a", None, "b"]).dictionary_encode(), ["a", "N/A", "b"]),
        (pa.array([[1], None, [2, 3]]), [[1], [], [2, 3]]),
        (pa.array([["a", None], []], pa.large_list(pa.string())), [["a", ""], []]),
        (pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)), [[1, 2], [3, 4]]),
        (pa.array([Decimal("1.5"), Decimal(-2)]), [1.5, -2.0]),
        (pa.array([Decimal(2**70), Decimal(-1)], pa.decimal128(38)), [2**70, -1]),
        (pa.array([1, 2]).dictionary_encode(), [1, 2]),
        (pa.array([], pa.string()), []),
        (pa.chunked_array([], pa.int32()), []),
        (pa.array([[[1], []], [[2]]]), [[[1], []], [[2]]]),
    ],
)
def test_missing_and_unusual_values(given, expected):
    found = from_arrow(given)
    assert [None if str(item) == "nan" else item for item in found.tolist()] == expected


def test_dictionaries_of_chunks_may_differ():
    chunks = [pa.array(items).dictionary_encode() for items in (["b", "a"], ["c", None], ["a"])]
    found = from_arrow(pa.chunked_array(chunks))
    assert isinstance(found, ak.Categorical)
    assert found.to_strings().tolist() == ["b", "a", "c", "N/A", "a"]


def test_times_are_those_of_arrow():
    for unit in ("s", "ms", "us", "ns"):
        given = pa.array([1, None], pa.timestamp(unit, "Europe/Paris"))
        found = from_arrow(given)
        assert (found.unit, found.tz, found.values.tolist()) == (unit, "Europe/Paris", [1, -(2**63)])
        assert found.to_arrow().combine_chunks().equals(given)
    found = from_arrow(pa.array([datetime.date(2020, 2, 29)]))
    assert found.to_ndarray().astype("M8[D]").tolist() == [datetime.date(2020, 2, 29)]
    assert from_arrow(pa.array([10**12], pa.timestamp("s"))).to_ndarray() == np.array([10**12], "M8[s]")


@pytest.mark.parametrize(
    "given", [pa.array([b"x"]), pa.array([1], pa.time32("s")), pa.array([{"a": {"b": 1}}]), pa.array([[{"a": 1}]])]
)
def test_types_that_no_column_holds_are_refused_by_name(given):
    with pytest.raises(ArgumentTypeError, match=r"Arrow's type (binary|time32|struct)"):
        from_arrow(given)


def test_what_is_no_arrow_data_is_refused():
    with pytest.raises(ArgumentTypeError, match="a list is no Arrow data"):
        from_arrow([1, 2])
    with pytest.raises(ArgumentTypeError, match="'a'"):
        from_arrow(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_frames_of_other_libraries_are_taken():
    frame = pl.DataFrame({"a": [1, 2], "s": ["x", "y"], "c": pl.Series(["u", "v"], dtype=pl.Categorical)})
    for given in (ak.from_polars(frame), ak.from_polars(frame.lazy()), ak.from_arrow(frame)):
        assert given["a"].tolist() == [1, 2]
        assert given["s"].tolist() == ["x", "y"]
        assert given["c"].to_strings().tolist() == ["u", "v"]
    assert ak.from_polars(pl.Series("x", [1.5, None])).to_ndarray()[0] == 1.5
    relation = duckdb.sql("select range as a, 't' || range as s from range(3)")
    assert ak.from_arrow(relation)["s"].tolist() == ["t0", "t1", "t2"]
    assert ak.from_arrow(pd.DataFrame({"a": [1, 2]}))["a"].tolist() == [1, 2]
    assert ak.from_arrow(pa.record_batch({"a": [1, 2]}))["a"].tolist() == [1, 2]


def test_labels_come_back_as_labels():
    df = ak.DataFrame({"a": [1, 2]}, index=["x", "y"])
    assert ak.from_arrow(df.to_arrow()).to_pandas().index.tolist() == ["x", "y"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.int8(), pa.uint8(), pa.bool_()], ids=str)
def test_numbers_beside_missing_ones_stay_exact(kind):
    last = True if kind == pa.bool_() else int(np.iinfo(kind.to_pandas_dtype()).max)
    chunks = pa.chunked_array([[last, None], [last], [None]], kind)
    found = ak.from_arrow(pa.table({"x": chunks}))
    assert found.to_arrow().column("x").to_pylist() == [last, None, last, None]
    assert found["x"].isna().tolist() == [False, True, False, True]
