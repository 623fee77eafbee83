"""Each type of Zarr that the table of types in the documents names, beside what zarr reads."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import zarr

import akdask as ak
from akdask.errors import UnsupportedError

CASES = {
    "bool": np.array([True, False]),
    "int8": np.array([-5, 5], "i1"),
    "int64": np.array([-(2**63), 2**63 - 1]),
    "uint8": np.array([255, 0], "u1"),
    "uint64": np.array([2**64 - 1, 0], "u8"),
    "float16": np.array([1.5, 2], "f2"),
    "float32": np.array([1.5, 2], "f4"),
    "float64": np.array([1.5, 2]),
    "fixed_length_utf32": np.array(["a", "é"]),
    "null_terminated_bytes": np.array([b"a", b"bc"]),
    "numpy.datetime64": np.array([1, 2], "M8[ms]"),
    "numpy.timedelta64": np.array([1, 2], "m8[s]"),
}


def table():
    told = Path(__file__, "../../../docs/formats.md").resolve().read_text(encoding="utf-8")
    return told[told.index("| Type of Zarr, version 3 |") :].split("\n\n")[0]


def stored(path, data, version):
    with warnings.catch_warnings():  # some types have no specification yet
        warnings.simplefilter("ignore")
        group = zarr.open_group(path, mode="w", zarr_format=version)
        group.create_array("there", data=np.array([1, 2]))
        group.create_array("g/x", data=data)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_each_type_is_read_as_the_table_says(tmp_path, name, version):
    data = CASES[name]
    stored(tmp_path / "s.zarr", data, version)
    found = ak.read(tmp_path / "s.zarr", "g/x")["g/x"].to_ndarray()
    wanted = data.astype(str) if data.dtype.kind == "S" else data
    np.testing.assert_array_equal(found, wanted)
    if data.dtype.kind in "mM":
        assert np.datetime_data(found.dtype)[0] == "ns"
    frame = ak.read(tmp_path / "s.zarr", "g")["g"]
    assert list(frame.columns) == ["x"]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "data",
    [np.array([1 + 2j]), np.array([1j], "c8"), np.array([b"ab"], "V2"), np.array([(1,)], [("a", "i4")])],
    ids=["complex128", "complex64", "raw_bytes", "structured"],
)
def test_what_the_table_leaves_out_is_left_out(tmp_path, data, version):
    stored(tmp_path / "s.zarr", data, version)
    with pytest.warns(RuntimeWarning, match="'g/x': .*cannot be read"):
        assert list(ak.read(tmp_path / "s.zarr")) == ["there"]
    with pytest.raises(UnsupportedError, match="cannot be read"):
        ak.read(tmp_path / "s.zarr", "g/x")


def test_the_table_has_all_types():
    told, left_out = table(), ("complex64", "complex128", "raw_bytes", "structured", "string")
    assert [name for name in (*CASES, *left_out) if f"`{name}`" not in told] == []
