"""Variables of netCDF by their attributes, as h5py writes these."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from akdask.formats.hdf5.netcdf import Clock, variables_of


@pytest.fixture
def file(tmp_path):
    with h5py.File(tmp_path / "x.nc", "w") as opened:
        yield opened


def found_in(file):
    name = file.filename
    file.close()
    return variables_of(name)


@pytest.mark.parametrize(
    ("dtype", "told", "mask"),
    [
        ("i1", "true", 255), ("i2", "true", 2**16 - 1), ("i4", "TRUE", 2**32 - 1), ("i8", "true", None),
        ("u1", "true", None),
        ("i2", "false", None), ("i2", None, None), ("f4", "true", None), ("i1", np.bytes_("true"), 255),
    ],
)  # fmt: skip
def test_numbers_that_have_no_sign_have_the_bits_of_their_width(file, dtype, told, mask):
    dataset = file.create_dataset("x", data=np.zeros(3, dtype))
    if told is not None:
        dataset.attrs["_Unsigned"] = told
    assert found_in(file)["x"].mask == mask


def test_packed_numbers_have_scale_offset_and_missing_ones(file):
    packed = file.create_dataset("g/packed", data=np.zeros((2, 3), "i2"))
    packed.attrs.update({"scale_factor": np.float32(0.5), "add_offset": np.array([10.0]), "_FillValue": np.int16(-9)})
    packed.attrs["missing_value"] = np.array([-9, -8], "i2")
    packed.attrs["units"], packed.attrs["calendar"] = "days since 1970-01-02", "standard"
    file.create_dataset("plain", data=np.zeros(4))
    file.create_dataset("text", data=np.array([b"a"]))
    found = found_in(file)
    one = found["g/packed"]
    assert (one.scale, one.offset, one.missing, one.shape) == (0.5, 10.0, (-9, -8), (2, 3))
    assert one.clock == Clock(86_400 * 10**9, 86_400 * 10**6)
    assert (one.dimensions, one.is_dimension, one.has_coordinates) == ((None, None), False, True)
    plain = found["plain"]
    assert (plain.scale, plain.offset, plain.missing, plain.mask, plain.clock) == (None, None, (), None, None)
    assert found["text"].missing == ()


def test_dimensions_are_the_scales_of_datasets(file):
    rows, columns = (
        file.create_dataset("g/rows", data=np.arange(2)),
        file.create_dataset("columns", data=np.arange(3.0)),
    )
    rows.make_scale("rows")
    columns.make_scale("This is a netCDF dimension but not a netCDF variable         3")
    data = file.create_dataset("data", data=np.zeros((2, 3, 1)))
    data.dims[0].attach_scale(rows)
    data.dims[1].attach_scale(columns)
    grid = file.create_dataset("grid", data=np.zeros((2, 2)))
    grid.make_scale("grid")
    file.create_dataset("one", data=5)
    found = found_in(file)
    assert found["data"].dimensions == ("g/rows", "columns", None)
    assert (found["g/rows"].dimensions, found["g/rows"].is_dimension, found["g/rows"].has_coordinates) == (
        ("g/rows",),
        True,
        True,
    )
    assert (found["columns"].is_dimension, found["columns"].has_coordinates) == (True, False)
    assert (found["grid"].dimensions, found["grid"].is_dimension) == ((None, None), True)
    assert (found["one"].dimensions, found["one"].shape) == ((), ())
