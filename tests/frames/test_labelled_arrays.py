from __future__ import annotations

import dask.array
import numpy as np
import pandas as pd
import pytest

import akdask as ak

xarray = pytest.importorskip("xarray")


def test_columns_become_lazy_variables_and_come_back():
    frame = ak.DataFrame({"a": [1, 2, 3], "b": [1.5, np.nan, 2.5], "s": ["x", "", "é"], "t": pd.to_datetime([0, 1, 2])})
    chosen = frame[frame["a"] != 2]
    found = chosen.to_xarray()
    assert isinstance(found["a"].data, dask.array.Array)
    assert found["index"].values.tolist() == [0, 2]
    pd.testing.assert_frame_equal(
        found.compute().to_dataframe(), frame.to_pandas().iloc[[0, 2]], check_names=False, check_dtype=False
    )
    again = ak.from_xarray(found)
    assert again.index.tolist() == [0, 2], "labels, as DataFrame has columns of that name"
    assert [again[name].tolist() for name in ("a", "s")] == [[1, 3], ["x", "é"]]
    assert again["t"].to_ndarray().tolist() == frame["t"].to_ndarray()[[0, 2]].tolist()


def test_labels_are_the_dimension():
    groups = ak.DataFrame({"k": [1, 1, 2], "v": [1, 2, 3]}).groupby("k").sum()
    found = groups.to_xarray()
    assert dict(found.sizes) == {"k": 2}
    assert found["v"].sel(k=2).values.item() == 3
    groups["k"] = ak.array([1, 2])
    with pytest.raises(ValueError, match="both called 'k'"):
        groups.to_xarray()


@pytest.mark.parametrize("chunks", [None, {"x": 2, "y": 3}, {"x": 1, "y": 1}])
def test_points_of_all_dimensions_are_rows(chunks):
    data = xarray.Dataset(
        {"v": (("x", "y"), np.arange(20).reshape(4, 5)), "w": ("y", np.arange(5) * 1.5), "n": 7},
        {"x": [10, 20, 30, 40]},
    )
    found = ak.from_xarray(data if chunks is None else data.chunk(chunks)).to_pandas()
    expected = data.to_dataframe().reset_index()
    pd.testing.assert_frame_equal(found[expected.columns.tolist()], expected, check_dtype=False)


def test_arrays_and_sets_without_rows():
    array = xarray.DataArray(np.arange(3), dims="x", name="v")
    assert ak.from_xarray(array)["v"].tolist() == [0, 1, 2]
    assert len(ak.from_xarray(array[:0])) == 0
    assert ak.DataFrame({"a": ak.zeros(0)}).to_xarray()["a"].shape == (0,)
    with pytest.raises(TypeError, match="a list"):
        ak.from_xarray([1])
