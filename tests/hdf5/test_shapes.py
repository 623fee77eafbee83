"""Arrays of several dimensions in files of old releases and of others: values are NumPy's, flattened row by row."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import FileFormatError, InconsistentFilesError

VALUES = {
    "int": np.arange(24, dtype=np.int64).reshape(4, 3, 2),
    "narrow": np.arange(12, dtype=">i2").reshape(3, 4),
    "float": np.array([[np.nan, -0.0], [np.inf, 1.5]]),
    "bool": np.array([[True], [False]]),
    "none": np.empty((0, 5)),
    "flat": np.empty((5, 0)),
}


def check(found, expected):
    np.testing.assert_array_equal(found.to_ndarray(), expected)
    assert found.shape == expected.shape


@pytest.mark.parametrize("chunks", [None, True])
@pytest.mark.parametrize("name", VALUES)
def test_datasets_of_true_rank_are_read_row_by_row(tmp_path, name, chunks):
    values = VALUES[name]
    with h5py.File(tmp_path / "x", "w") as file:
        file.create_dataset("x", data=values, chunks=chunks if values.size else None)
    with ak.config.set(partition_size=32):
        check(ak.read_hdf(tmp_path / "x")["x"], values)


@pytest.mark.parametrize("stored_flat", [True, False])
def test_old_views_are_told_by_text(tmp_path, stored_flat):
    values = VALUES["int"]
    with h5py.File(tmp_path / "x", "w") as file:
        made = file.create_dataset("x", data=values.ravel() if stored_flat else values)
        made.attrs["ObjType"] = "ArrayView"
        made.attrs["Rank"] = values.ndim
        made.attrs["Shape"] = np.array(values.shape)
        made.attrs["Format"] = int(not stored_flat)
    check(ak.read_hdf(tmp_path / "x")["x"], values)


def test_rows_of_several_files_are_joined(tmp_path):
    values = VALUES["int"]
    for number, rows in enumerate([values[:1], values[1:1], values[1:]]):
        with h5py.File(tmp_path / f"x{number}", "w") as file:
            file["x"] = rows
    check(ak.read_hdf(str(tmp_path / "x*"))["x"], values)
    with h5py.File(tmp_path / "x3", "w") as file:
        file["x"] = np.zeros((2, 5, 5), np.int64)
    with pytest.raises(InconsistentFilesError, match="shape"):
        ak.read_hdf(str(tmp_path / "x*"))


def test_a_plain_array_may_have_attributes_of_those_names(tmp_path):
    with h5py.File(tmp_path / "x", "w") as file:
        file["x"] = np.arange(3)
        file["x"].attrs["Shape"] = "round"
        file["x"].attrs["Rank"] = "high"
    assert ak.read_hdf(tmp_path / "x")["x"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("shape", [[2, 2], [-3, -1], [], [2**62, 4]])
def test_shapes_that_do_not_fit_are_refused(tmp_path, shape):
    with h5py.File(tmp_path / "x", "w") as file:
        file["x"] = np.arange(3)
        file["x"].attrs["ObjType"] = 0
        file["x"].attrs["Rank"] = len(shape)
        file["x"].attrs["Shape"] = np.array(shape, np.int64)
    with pytest.raises(FileFormatError, match="shape"):
        ak.read_hdf(tmp_path / "x")
