"""The first and last rows: what is read and computed for a column of them."""

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths

MOST_CALLS = 2
"""Calls of Python functions for each column that is not asked for."""

ROWS = 20
VALUES = {"a": np.arange(ROWS) * 7 % 5, "b": np.arange(ROWS) * 0.5, "c": np.arange(ROWS).astype(str)}


def _filtered(source):
    df = ak.DataFrame(source.arrays())
    return df[df["a"] > 1]


@pytest.mark.parametrize("end", ["head", "tail"])
def test_a_column_of_the_first_or_last_rows_reads_no_other(end):
    source = MemorySource(VALUES, [8, 0, 12])
    found = getattr(_filtered(source), end)(3)["b"].to_ndarray()
    wanted = pd.DataFrame(VALUES)
    np.testing.assert_array_equal(found, getattr(wanted[wanted["a"] > 1], end)(3)["b"].to_numpy())
    assert {read.column for read in source.reads} == {"a", "b"}


def test_the_number_of_the_first_rows_takes_no_column_but_those_of_the_filter():
    source = MemorySource(VALUES, [8, 0, 12])
    assert len(_filtered(source).head(30)) == (VALUES["a"] > 1).sum()
    assert "b" not in {read.column for read in source.reads}


@given(st.data())
def test_columns_of_the_first_or_last_rows_are_those_of_pandas_whichever_are_asked_for(data):
    source = MemorySource(VALUES, data.draw(partition_lengths(ROWS)))
    df, wanted = _filtered(source), pd.DataFrame(VALUES)
    wanted = wanted[wanted["a"] > 1]
    for _ in range(data.draw(st.integers(1, 3))):
        count, end = data.draw(st.integers(0, 15)), data.draw(st.sampled_from(["head", "tail"]))
        df, wanted = getattr(df, end)(count), getattr(wanted, end)(count)
        least = data.draw(st.integers(0, 6))
        df, wanted = df[df["b"] >= least], wanted[wanted["b"] >= least]
    names = data.draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, unique=True))
    pd.testing.assert_frame_equal(df[names].to_pandas(), wanted[names], check_dtype=False)
    assert (df["a"] + df["b"]).tolist() == (wanted["a"] + wanted["b"]).tolist()


def _item_of_head(columns):
    df = ak.DataFrame({f"c{number}": ak.arange(ROWS) + number for number in range(columns)})
    df = df[df["c0"] > 3]

    def find():
        with dask.config.set(scheduler="synchronous"):
            assert df.head(2)["c1"].tolist() == [5, 6]

    return find


def test_a_column_of_the_first_rows_takes_the_same_work_among_many_columns(calls):
    _item_of_head(3)()
    assert calls(_item_of_head(400)) - calls(_item_of_head(40)) < MOST_CALLS * 360


@pytest.mark.parametrize(
    "make",
    [
        lambda a: ak.Series(a).shift(-1, fill_value=0).values,
        lambda a: ak.sort(a.reshape(4, 3), axis=1).flatten(),
        lambda a: ak.sort(a.reshape(4, 3), axis=0).flatten(),
        lambda a: ak.cumsum(a.reshape(2, 6), axis=1).flatten(),
        lambda a: ak.Series(a).rolling(1).sum().values,
        lambda a: a.reshape(12, 1).sum(axis=1).flatten(),
    ],
)
@pytest.mark.parametrize("persisted", [False, True])
def test_results_do_not_share_memory_with_what_they_are_read_from(make, persisted):
    with ak.config.set(small_array=1):
        a = ak.array(np.arange(12)[::-1].copy())
        a = a.persist() if persisted else a
        wanted = make(a).to_ndarray().copy()
        found = make(a).to_ndarray()
        found[:] = -9
        assert a.tolist() == list(range(12))[::-1]
        np.testing.assert_array_equal(make(a).to_ndarray(), wanted)
