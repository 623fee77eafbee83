from __future__ import annotations

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.dataframe.utils import assert_eq

from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.shapes import concatenate
from akdask.frames.dataframe import DataFrame

N = 10


@pytest.fixture
def df():
    x = concatenate([array(np.arange(4)), array(np.arange(4, N))])
    labels = array([f"k{k % 3}" for k in range(N)])
    return DataFrame({"x": x, "s": labels, "c": Categorical(labels)})


@pytest.fixture
def expected():
    labels = [f"k{k % 3}" for k in range(N)]
    categories = ["k0", "k1", "k2"]
    return pd.DataFrame(
        {
            "x": np.arange(N),
            "s": pd.array(labels, dtype="string[pyarrow]"),
            "c": pd.Categorical(labels, categories=categories),
        }
    )


def test_rows_and_partitions_are_the_same(df, expected):
    found = df.to_dask()
    assert isinstance(found, dd.DataFrame)
    assert found.npartitions == df.npartitions == 2
    # Not by Dask's own assertion, which wants keys without blanks: ours say in words what tasks do.
    pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)
    assert [len(part) for part in dask.compute(*found.to_delayed())] == [4, 6]


def test_types_are_those_that_the_meta_promises(df):
    found = df.to_dask()
    assert found.compute().dtypes.astype(str).to_dict() == found.dtypes.astype(str).to_dict()
    assert found["s"].dtype == "string[pyarrow]"
    assert not found["c"].cat.known


def test_strings_stay_what_pandas_makes_of_them_where_dask_is_told_so(df):
    with dask.config.set({"dataframe.convert-string": False}):
        found = df.to_dask()
        assert found["s"].dtype == pd.Series([""]).dtype
        assert found["s"].compute().tolist() == df["s"].tolist()


def test_rows_that_are_numbered_have_known_divisions(df):
    assert df.to_dask().divisions == (0, 4, 9)
    assert df.to_dask().loc[3:5].compute()["x"].tolist() == [3, 4, 5]


def test_labels_of_chosen_rows_go_along(df, expected):
    found = df[df["x"] % 2 == 1].to_dask()
    assert found.known_divisions is False
    assert found.compute().index.tolist() == [1, 3, 5, 7, 9]
    pd.testing.assert_series_equal(found["x"].compute(), expected["x"][1::2])


def test_dask_computes_with_the_frame(df, expected):
    found = df.to_dask().groupby("s")["x"].sum().compute()
    assert found.sort_index().to_dict() == expected.groupby("s")["x"].sum().to_dict()


def test_dasks_own_checks_accept_the_frame(df, expected):
    assert_eq(df.to_dask(), expected)
    assert_eq(df[df["x"] % 2 == 1].to_dask(), expected[expected["x"] % 2 == 1])
    assert_eq(df.sort_values("x", ascending=False).to_dask(), expected[::-1])
    assert_eq(df.persist().to_dask()["x"].sum(), expected["x"].sum())
    assert_eq(df.groupby("s").agg({"x": "sum"}).to_dask(), expected.groupby("s")[["x"]].sum())


@pytest.mark.lazy_only
def test_building_computes_nothing(df, expected):
    with dask.config.set(scheduler=_refuse):
        total = df[df["c"] == "k1"].to_dask()["x"].sum()
        with pytest.raises(AssertionError, match="something was computed"):
            total.compute()
    assert total.compute() == expected["x"][expected["c"] == "k1"].sum()


def _refuse(*args, **kwargs):
    raise AssertionError("something was computed")


def test_frames_without_rows_keep_their_types(df):
    found = df[df["x"] > 100].to_dask()
    assert len(found) == 0
    assert found.compute()["x"].dtype == np.int64


@pytest.mark.cluster
def test_a_cluster_computes_the_frame(df, expected, cluster_client):
    assert df.to_dask()["x"].sum().compute() == expected["x"].sum()
    assert df[df["c"] == "k1"].compute()["x"].tolist() == [1, 4, 7]
