"""The dataframe interchange protocol, read by pandas and pyarrow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.core.interchange.from_dataframe import from_dataframe
from pyarrow.interchange import from_dataframe as arrow_from_dataframe

import akdask as ak
from akdask.errors import ArgumentError, MissingColumnError, PositionError, UnsupportedError
from akdask.frames import interchange

# pandas goes on reading the protocol, but says since version 3.1 that Arrow's streams take its place.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The Dataframe Interchange Protocol is deprecated"),
    pytest.mark.filterwarnings("ignore:The copy keyword is deprecated"),
]


def source(nrows):
    rows = np.arange(nrows)
    text = pd.Series([None if row % 3 == 1 else f"é{row}" for row in rows], dtype="str")
    return pd.DataFrame(
        {
            "x": rows,
            "f": rows / 2,
            "b": rows % 2 == 0,
            "s": text,
            "t": pd.Timestamp("2026-01-01") + pd.to_timedelta(rows, "D"),
        }
    ).astype({"t": "M8[ns]"})


@given(st.integers(0, 9), st.integers(1, 4))
@settings(max_examples=8)
def test_pandas_and_pyarrow_read_what_is_handed_on_whatever_the_partitions(nrows, npartitions):
    wanted = source(nrows)
    lazy = ak.DataFrame(wanted).repartition(npartitions)
    pd.testing.assert_frame_equal(from_dataframe(lazy.__dataframe__()), wanted)
    assert arrow_from_dataframe(lazy).to_pylist() == pa.Table.from_pandas(wanted).to_pylist()


def test_polars_reads_frames():
    assert pl.from_dataframe(ak.DataFrame(source(4)))["x"].to_list() == [0, 1, 2, 3]


def test_partitions_are_chunks_that_are_computed_when_they_are_reached(monkeypatch):
    computed = []
    found = interchange.arrow_table
    monkeypatch.setattr(interchange, "arrow_table", lambda columns: computed.append(1) or found(columns))
    exchanged = ak.DataFrame({"x": ak.concatenate([ak.arange(2), ak.arange(3)])}).__dataframe__()
    assert (exchanged.version, exchanged.num_columns(), exchanged.num_chunks(), exchanged.metadata) == (0, 1, 2, {})
    assert list(exchanged.column_names()) == ["x"]
    chunks = exchanged.get_chunks()
    assert not computed
    assert next(chunks).num_rows() == 2
    assert len(computed) == 1
    assert next(chunks).num_rows() == 3


@pytest.mark.parametrize("change", [lambda df: df[df["x"] > 1], lambda df: df.sort_values("x", ascending=False)])
def test_rows_of_filters_and_sorts_are_handed_on_with_their_labels(change):
    lazy = ak.DataFrame({"x": ak.concatenate([ak.arange(3), ak.arange(4)])})
    plain = change(lazy.to_pandas())
    exchanged = change(lazy).__dataframe__()
    found = from_dataframe(exchanged)
    np.testing.assert_array_equal(found["x"], plain["x"])
    assert exchanged.num_rows() == len(plain)
    assert found["Index"].is_unique


def test_a_chunk_is_cut_into_parts():
    exchanged = ak.DataFrame({"x": ak.concatenate([ak.arange(3), ak.arange(4)])}).__dataframe__()
    assert [chunk.num_rows() for chunk in exchanged.get_chunks(4)] == [2, 1, 2, 2]
    with pytest.raises(ArgumentError, match="2 partitions"):
        exchanged.get_chunks(3)


def test_columns_are_chosen_by_name_and_by_position():
    lazy = ak.DataFrame({"x": [1, 2], "y": [0.5, 1.5]}, index=["a", "b"])
    exchanged = lazy.__dataframe__()
    assert list(exchanged.select_columns([2, 1]).column_names()) == ["Index", "y"]
    assert from_dataframe(exchanged.select_columns_by_name(["Index"]))["Index"].tolist() == ["a", "b"]
    assert exchanged.get_column(1).size() == exchanged.get_column_by_name("x").size() == 2
    assert len(list(exchanged.get_columns())) == 3
    with pytest.raises(PositionError):
        exchanged.get_column(3)
    with pytest.raises(MissingColumnError):
        exchanged.select_columns_by_name(["z"])


def test_categoricals_are_handed_on_with_their_labels():
    lazy = ak.DataFrame({"c": ak.Categorical(ak.array(["p", "q", "p"]))})
    assert from_dataframe(lazy.__dataframe__())["c"].tolist() == ["p", "q", "p"]


@pytest.mark.parametrize(
    "column",
    [
        ak.array([2**70]),
        ak.Timedelta(np.array([1], "m8[ns]")),
        ak.SegArray(ak.array([0]), ak.array([1, 2])),
    ],
    ids=["bigint", "span", "list"],
)
def test_columns_that_the_protocol_has_no_type_for_are_refused(column):
    with pytest.raises(UnsupportedError, match="column 'z'"):
        ak.DataFrame({"z": column}).__dataframe__()


def test_nothing_is_copied_where_that_is_not_allowed():
    lazy = ak.DataFrame({"b": [True]})
    with pytest.raises(RuntimeError):
        from_dataframe(lazy.__dataframe__(allow_copy=False), allow_copy=False)
    with pytest.raises(UnsupportedError):
        lazy.__dataframe__(nan_as_null=True)
