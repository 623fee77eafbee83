"""Sections 3, 7 and 9: frames and arrays of Dask are stored in their own types, as the same rows in memory are."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from akdask import evo
from akdask.evo.errors import ContentError, KindError, UnsupportedTableError

HOLES = {"hole": np.arange(4, dtype="i4"), "offset": np.arange(4, dtype="u8"), "count": np.arange(4, dtype="u8")}

FRAMES = {
    "holes": (HOLES, "int32/uint64/uint64"),
    "bytes": ({"a": np.arange(4, dtype="u1")}, "uint8"),
    "colours": ({"a": np.array([0, 2**32 - 1], "u4")}, "uint32"),
    "flags": ({"a": [True, False, True]}, "bool"),
    "missing flags": ({"a": pd.array([True, None, False], "boolean")}, "bool"),
    "missing codes": ({"a": pd.array([1, None, -3], "Int32"), "b": pd.array([None, 5, 6], "Int32")}, "int32"),
    "arrow": ({"a": pd.array([1, None, 2**50], "int64[pyarrow]")}, "int64"),
    "NaN": ({"a": [1.5, np.nan], "b": [np.nan, 2.5]}, "float64"),
    "far times": ({"a": pd.array(["3000-01-01T00:00:00.000001Z", None], "datetime64[us, UTC]")}, "timestamp"),
    "zones": ({"a": pd.to_datetime(["2024-01-01", "1900-01-01"]).tz_localize("Pacific/Auckland")}, "timestamp"),
    "text": ({"a": ["x", None, "y"]}, "string"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_dask_are_stored_as_those_of_pandas(tmp_path, name):
    columns, data_type = FRAMES[name]
    frame = pd.DataFrame(columns)
    lazy = evo.write_blob(dd.from_pandas(frame, npartitions=2), tmp_path)
    assert lazy.data_type == data_type
    assert lazy == evo.write_blob(frame, tmp_path)


@pytest.mark.parametrize("dtype", ["f8", "i4", "i8", "u1", "u4", "u8", "?"])
def test_arrays_of_dask_are_stored_as_those_of_numpy(tmp_path, dtype):
    array = np.array([0, 1, 1, 0, 1]).astype(dtype)
    assert evo.write_blob(da.from_array(array, chunks=2), tmp_path) == evo.write_blob(array, tmp_path)


def test_section_4_nan_of_arrays_is_no_null(tmp_path):
    described = evo.write_blob(da.from_array(np.array([[1.0, np.nan]]), chunks=1), tmp_path)
    assert evo.read_arrow(tmp_path / described.data).column("y").null_count == 0


def test_arrays_of_dask_by_name_keep_their_types(tmp_path):
    given = {name: da.from_array(column, chunks=3) for name, column in HOLES.items()}
    assert evo.write_blob(given, tmp_path) == evo.write_blob(HOLES, tmp_path)


@pytest.mark.parametrize("dtype", ["f4", "i2", "u2"])
def test_section_3_other_types_are_refused_unless_another_is_asked_for(tmp_path, dtype):
    array = np.arange(3).astype(dtype)
    for lazy in (da.from_array(array), dd.from_pandas(pd.DataFrame({"a": array}), npartitions=1)):
        with pytest.raises(KindError, match="types that no array has"):
            evo.write_blob(lazy, tmp_path)
        assert evo.write_blob(lazy, tmp_path, data_type="float64").data_type == "float64"


def test_whole_numbers_that_would_be_lost_are_refused(tmp_path):
    frame = pd.DataFrame({"a": pd.array([2**53 + 1, None], "Int64")})
    with pytest.raises(ContentError, match="53 bits"):
        evo.write_blob(dd.from_pandas(frame, npartitions=1), tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(UnsupportedTableError):
        evo.write_blob(da.zeros((2, 2, 2)), tmp_path)


def test_codes_of_lazy_categories_are_put_as_they_are(tmp_path):
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": ["y", "z", None]})
    lazy = evo.categories.encode(dd.from_pandas(frame, npartitions=2)).codes
    codes = evo.categories.encode(frame).codes
    assert evo.write_blob(lazy, tmp_path, role="category") == evo.write_blob(codes, tmp_path, role="category")


@pytest.mark.cluster
def test_a_cluster_stores_frames_and_categories_alike(tmp_path, cluster_client):
    frame = pd.DataFrame({**HOLES, "t": ["x", None, "y", "x"]})
    lazy = dd.from_pandas(frame, npartitions=2)
    store = evo.Store(tmp_path / "blobs")
    assert store.put(lazy[list(HOLES)], role="geometry") == store.put(HOLES, role="geometry")
    assert store.put_categories(lazy[["t"]]) == store.put_categories(frame[["t"]])
    assert store.verify() == []
