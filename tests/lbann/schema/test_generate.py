"""Schemas are made from samples."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from akdask.lbann import schema
from akdask.lbann.errors import MissingSampleError, SampleError
from akdask.lbann.reader import SampleReader


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "f.h5", "w", track_order=True) as file:
        sample = file.create_group("RUN/1", track_order=True)
        sample["z"] = 1.5
        sample["a: b"] = np.arange(3)
        sample["images/(90.0, 0.0)/0.0/emi"] = np.ones((4, 3), "f4")
        sample["yes"] = 2.5
        sample["flag"] = True
        sample["volume"] = np.zeros((2, 2, 2, 4), "i2")
        sample["name"] = "text"
        sample["metadata"] = 1.0
        sample.create_group("nothing")
    return str(tmp_path / "f.h5")


def test_all_fields_are_described_in_stored_order_with_orderings_counted_through(path):
    made = schema.generate(path, "RUN/1")
    fields = schema.merge(schema.load(made.data), schema.load(made.experiment))
    assert {field: dict(metadata) for field, metadata in fields.items()} == {
        "z": {"ordering": 10},
        "a: b": {"ordering": 20},
        "images/(90.0, 0.0)/0.0/emi": {"ordering": 30},
        "yes": {"ordering": 40},
        "volume": {"ordering": 50},
        "name": {"ordering": 60},
    }
    assert "# flag:  left out, as it holds an enumeration" in made.data
    assert "left out, as no field can be called 'metadata'" in made.data
    assert SampleReader(fields).read(path, "RUN/1")["images/(90.0, 0.0)/0.0/emi"].tolist() == [1.0] * 12


def test_what_stands_in_comments_can_be_put_in_force(path):
    text = schema.generate(path, "/RUN/1").data.replace("# dims", "dims").replace("# channels", "channels")
    text = text.replace("# scale", "scale").replace("# bias", "bias").replace("# layout", "layout")
    text = text.replace("# transpose", "transpose").replace("# coerce", "coerce")
    fields = schema.merge(schema.load(text), schema.load("volume:\nimages:\n"))
    found = SampleReader(fields)
    assert found.read(path, "RUN/1")["volume"].dtype == np.float32
    assert found.dims_of("volume") == (4, 2, 2, 2)
    assert found.dims_of("images/(90.0, 0.0)/0.0/emi") == (1, 4, 3)


def test_what_is_no_sample_is_an_error(path, tmp_path):
    for sample in ("RUN/2", "RUN/1/z", "RUN/1/nothing"):
        with pytest.raises(MissingSampleError, match="sample"):
            schema.generate(path, sample)
    with pytest.raises(MissingSampleError, match="no such file"):
        schema.generate(str(tmp_path / "x.h5"), "1")
    (tmp_path / "x.h5").write_text("no HDF5")
    with pytest.raises(SampleError, match="no HDF5 file"):
        schema.generate(str(tmp_path / "x.h5"), "1")
    with pytest.raises(SampleError):
        schema.generate(str(tmp_path), "1")


def test_groups_that_contain_themselves_are_an_error(path):
    with h5py.File(path, "a") as file:
        file["RUN/1/nothing/again"] = file["RUN/1"]
    with pytest.raises(SampleError, match="without end"):
        schema.generate(path, "RUN/1")
