"""Each type of HDF5 that the table of types in the documents names, beside what h5py reads."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from h5py import h5d, h5s, h5t

import akdask as ak
from akdask.errors import UnsupportedError

CASES = {
    "INTEGER of 8 bits": (np.array([-5, 5], "i1"), [-5, 5]),
    "INTEGER of the other byte order": (np.array([2**32 - 1, 0], ">u4"), [2**32 - 1, 0]),
    "INTEGER of 64 bits": (np.array([2**64 - 1, 0], "u8"), [2**64 - 1, 0]),
    "FLOAT of 16 bits": (np.array([1.5, 2], "f2"), [1.5, 2.0]),
    "FLOAT of more than 64 bits": (np.array([1.5, 2], np.longdouble), [1.5, 2.0]),
    "STRING of fixed length": (np.array([b"a", b"\xff"]), ["a", "ÿ"]),
    "STRING of any length": (np.array(["a", "é"], h5py.string_dtype()), ["a", "é"]),
    "ENUM": (np.array([1, 0, 7], h5py.enum_dtype({"off": 0, "on": 1}, "u1")), ["on", "off", "7"]),
    "ENUM of bools": (np.array([True, False]), [True, False]),
    "ARRAY": (np.array([([1, 2],), ([3, 4],)], [("a", "i4", (2,))]), {"a.0": [1, 3], "a.1": [2, 4]}),
    "COMPOUND": (np.array([(1, (0.5,))], [("a", "i4"), ("b", [("c", "f8")])]), {"a": [1], "b.c": [0.5]}),
    "complex numbers": (np.array([1 + 2j]), {"real": [1.0], "imag": [2.0]}),
    "times of NumPy": (
        np.array([1, 2], "M8[ms]").astype(h5py.opaque_dtype("M8[ms]")),
        [np.datetime64(1, "ms"), np.datetime64(2, "ms")],
    ),
}


def table():
    told = Path(__file__, "../../../docs/formats.md").resolve().read_text(encoding="utf-8")
    start = told.index("| Type of HDF5 |")
    return told[start : told.index("\n\n", start)]


@pytest.mark.parametrize("name", CASES)
def test_each_type_is_read_as_the_table_says(tmp_path, name):
    data, expected = CASES[name]
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = data
        file["g/x"] = data
    for path in ("x", "g/x"):
        found = ak.read_hdf(tmp_path / "x.h5", path)[path]
        if isinstance(expected, dict):
            assert found.to_pandas().to_dict("list") == expected
        else:
            assert list(found.to_ndarray()) == expected


def test_lists_of_any_length_are_lists(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = file.create_dataset("x", (2,), h5py.vlen_dtype("i4"))
        stored[0], stored[1] = [1, 2], [3]
    assert ak.read_hdf(tmp_path / "x.h5", "x")["x"].tolist() == [[1, 2], [3]]


def test_bits_are_numbers_without_a_sign(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        made = h5d.create(file.id, b"x", h5t.STD_B16LE.copy(), h5s.create_simple((2,)))
        made.write(h5s.ALL, h5s.ALL, np.array([2**16 - 1, 1], "u2"), h5t.STD_B16LE.copy())
    assert ak.read_hdf(tmp_path / "x.h5", "x")["x"].tolist() == [2**16 - 1, 1]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("OPAQUE", "opaque"), ("REFERENCE", "references"), ("VLEN", "lists of"), ("TIME", "TypeTimeID")],
)
def test_what_the_table_leaves_out_is_left_out_with_its_reason(tmp_path, name, reason):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["there"] = [1]
        if name == "OPAQUE":
            file["x"] = np.array([b"ab"], "V2")
        elif name == "REFERENCE":
            file["x"] = np.array([file["there"].ref], h5py.ref_dtype)
        elif name == "VLEN":
            file.create_dataset("x", (1,), h5py.vlen_dtype(np.dtype("c8")))
        else:
            h5d.create(file.id, b"x", h5t.UNIX_D32LE, h5s.create_simple((2,)))
    with pytest.warns(RuntimeWarning, match=f"'x': .*{reason}"):
        assert list(ak.read_hdf(tmp_path / "x.h5")) == ["there"]
    with pytest.raises(UnsupportedError, match=reason):
        ak.read_hdf(tmp_path / "x.h5", "x")
    assert f"`{name}`" in table()


CLASSES = {"INTEGER", "FLOAT", "TIME", "STRING", "BITFIELD", "OPAQUE", "COMPOUND", "REFERENCE", "ENUM", "VLEN", "ARRAY"}


def test_the_table_has_all_types():
    told = table()
    assert [name for name in CLASSES if f"`{name}`" not in told] == []
    assert [name for name in CASES if name.split(" of ")[0] not in told] == []
    assert all(hasattr(h5t, name) for name in CLASSES)
