"""Files of the older layout are one sample each."""

from __future__ import annotations

import pickle

import h5py
import numpy as np
import pytest

from akdask.lbann.errors import (
    LbannError,
    LbannSchemaError,
    MissingSampleError,
    SampleSizeError,
    SampleTypeError,
    UnknownNameError,
)
from akdask.lbann.file_reader import FileSampleReader


@pytest.fixture
def paths(tmp_path):
    found = [str(tmp_path / f"{k}.h5") for k in range(12)]
    for k, path in enumerate(found):
        with h5py.File(path, "w", libver="latest" if k % 2 else "earliest") as file:
            file["full"] = file["volume"] = np.arange(120, dtype="i2").reshape(2, 3, 4, 5) + k
            file["segmentation"] = np.arange(120, dtype="i2").reshape(2, 3, 4, 5) % 3
            file["unitPar"] = np.arange(4.0) + k
    return found


def test_cosmoflow_files(paths):
    reader = FileSampleReader(responses="unitPar", dtype="float")
    assert reader.names == ("samples", "responses")
    for _ in range(3):
        found = reader.read_samples(paths)
        assert found["samples"].dtype == found["responses"].dtype == np.float32
        assert found["samples"][:, 7].tolist() == [7 + k for k in range(12)]
        assert found["responses"][5].tolist() == [5, 6, 7, 8]
    assert (reader.dims_of("datum"), reader.size_of("samples"), reader.dims_of("response")) == ((2, 3, 4, 5), 120, (4,))
    assert list(reader.fields) == ["full", "unitPar"]


def test_unet_files_keep_their_type(paths):
    reader = pickle.loads(pickle.dumps(FileSampleReader("volume", labels="/segmentation")))
    found = reader.read(paths[3])
    assert found["samples"].tolist() == list(range(3, 123))
    assert found["labels"].tolist() == [k % 3 for k in range(120)]
    assert reader.dtype_of("label") == np.int16
    out = reader.read_batch(paths[1], ["", ""])
    assert reader.read_samples(paths[4:6], out=out)["samples"] is out["samples"]
    assert out["samples"][:, 0].tolist() == [4, 5]


def test_sizes_are_those_of_the_first_file(paths):
    reader = FileSampleReader()
    with pytest.raises(LbannError, match="none has been read"):
        reader.size_of("samples")
    with pytest.raises(UnknownNameError):
        reader.dims_of("labels")
    reader.read(paths[0])
    with h5py.File(paths[1], "a") as file:
        del file["full"]
        file["full"] = np.zeros((2, 2, 2, 2), "i2")
    with pytest.raises(SampleSizeError, match="16 elements, but those of the first file make 2 x 3 x 4 x 5"):
        reader.read(paths[1])


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.zeros(3), SampleSizeError, "1 dimensions"),
        (None, MissingSampleError, "is not there"),
        (True, SampleTypeError, "enumeration"),
    ],
)
def test_other_files_are_errors(tmp_path, value, error, message):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w") as file:
        file["other"] = 1
        if value is not None:
            file["full"] = value
    with pytest.raises(error, match=message) as caught:
        FileSampleReader().read(path)
    assert (caught.value.file, caught.value.field) == (path, "full")


def test_labels_have_the_dimensions_of_samples(paths):
    with h5py.File(paths[0], "a") as file:
        del file["segmentation"]
        file["segmentation"] = np.zeros((1, 3, 4, 5), "i2")
    with pytest.raises(SampleSizeError, match="must be the same"):
        FileSampleReader(labels="segmentation").read(paths[0])
    with pytest.raises(LbannSchemaError, match="no type"):
        FileSampleReader(dtype="short float")
