"""Files are described while the process has them open by other means."""

import h5py
import numpy as np
import pytest

import akdask as ak


@pytest.mark.parametrize("options", [{}, {"mode": "r+"}, {"locking": False}, {"libver": "latest"}], ids=str)
def test_files_that_the_user_has_open_are_read(tmp_path, options):
    path = tmp_path / "numbers_LOCALE0000.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)
        file["words"] = [b"a", b"b"]
    with h5py.File(path, **{"mode": "r", **options}) as file:
        assert ak.read_hdf(str(path), datasets=["x"])["x"].tolist() == [0, 1, 2, 3, 4]
        # The user's own handle goes on.
        assert file["x"][...].tolist() == [0, 1, 2, 3, 4]
    with h5py.File(path, "a") as file:
        assert sorted(file) == ["words", "x"]
