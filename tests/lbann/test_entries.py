"""Files that are one sample each are data sets as well: by a list, by their paths, by the entry of a data reader."""

from __future__ import annotations

import pickle

import h5py
import numpy as np
import pytest

from akdask.lbann import Dataset
from akdask.lbann.errors import LbannListError, LbannSchemaError, SampleTypeError, UnknownNameError


@pytest.fixture
def volumes(tmp_path):
    values = np.random.default_rng(3).integers(-99, 99, (7, 2, 3, 4, 5), dtype="i2")
    lines = ["SINGLE-SAMPLE", "7", str(tmp_path), "labels"]
    for k, volume in enumerate(values):
        with h5py.File(tmp_path / f"v{k}.hdf5", "w") as file:
            file["full"] = volume
            file["unitPar"] = np.arange(4.0) + k
        lines.append(f"v{k}.hdf5")
    (tmp_path / "train.samples").write_text("\n".join([*lines, ""]))
    return values


def test_a_list_of_files_is_read_end_to_end(volumes, tmp_path):
    ds = pickle.loads(pickle.dumps(Dataset.of_files(tmp_path / "train.samples", responses="unitPar", dtype="float")))
    assert (len(ds), ds.names) == (7, ("samples", "responses"))
    flat = volumes.reshape(7, -1)
    np.testing.assert_array_equal(ds[6]["samples"], flat[6])
    got = [batch["samples"] for batch in ds.batches(3)]
    np.testing.assert_array_equal(np.concatenate(got), flat)
    assert ds.dims_of("samples") == (2, 3, 4, 5)
    np.testing.assert_array_equal(ds.to_dask_array("responses", 2).compute(), np.arange(4.0) + np.arange(7)[:, None])
    assert ds.to_frame(["response"]).shape == (7, 1)
    train, validation, _ = ds.split(validation=0.3, seed=1)
    assert (len(train), len(validation)) == (5, 2)
    ds.sample_list().write(tmp_path / "again.samples")
    assert (tmp_path / "again.samples").read_text() == (tmp_path / "train.samples").read_text()
    with pytest.raises(UnknownNameError):
        ds.batches(2, names=["labels"])


def test_files_by_their_paths(volumes, tmp_path):
    ds = Dataset.of_files([tmp_path / "v3.hdf5", tmp_path / "v1.hdf5"])
    np.testing.assert_array_equal(ds.to_numpy()["samples"], volumes.reshape(7, -1)[[3, 1]])
    assert len(Dataset.of_files([])) == 0
    with pytest.raises(SampleTypeError, match="coerce"):
        ds.to_numpy(dtype=np.float32)


@pytest.mark.parametrize("where", ['data_file_pattern: "{}/*.hdf5"', 'data_filedir: "{}" sample_list: "train.samples"'])
def test_entries_of_older_readers(volumes, tmp_path, where):
    keys = 'hdf5_key_data: "full" hdf5_key_responses: "unitPar"'
    text = f'reader {{ name: "hdf5" role: "train" {where.format(tmp_path)} {keys} fraction_of_data_to_use: 1.0 }}'
    (tmp_path / "data.prototext").write_text(text)
    found = Dataset.from_prototext(tmp_path / "data.prototext").to_numpy()
    np.testing.assert_array_equal(found["samples"], volumes.reshape(7, -1))
    assert found["samples"].dtype == found["responses"].dtype == np.float32


@pytest.mark.parametrize(
    ("rest", "error", "message"),
    [
        ("", LbannListError, "names no samples"),
        ('data_file_pattern: "/nowhere/*.x"', LbannListError, "no file is like"),
        ('data_file_pattern: "{}/*.hdf5" scaling_factor_int16: 0.5', LbannSchemaError, "is not followed"),
    ],
)
def test_entries_that_cannot_be_followed(volumes, tmp_path, rest, error, message):
    text = f'reader {{ name: "cosmoflow_hdf5" role: "train" fraction_of_data_to_use: 1.0 {rest} }}'
    (tmp_path / "data.prototext").write_text(text.replace("{}/", f"{tmp_path}/"))
    with pytest.raises(error, match=message):
        Dataset.from_prototext(tmp_path / "data.prototext")
