"""Chunks packed by filters that do not come with HDF5, as PyTables and other programs write them."""

import bz2
import struct
import sys

import h5py
import numcodecs
import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.hdf5 import chunks as chunks_module

VALUES = np.arange(1000, dtype="<i4") % 77
RECORDS = np.zeros(1000, [("a", "<i4"), ("s", "S3"), ("v", "<f8", (2,))])
RECORDS["a"] = VALUES
RECORDS["s"] = [f"{number % 10}x".encode() for number in range(1000)]
RECORDS["v"] = np.arange(2000).reshape(1000, 2)


def lz4(raw, block=1024):
    codec, packed = pa.Codec("lz4_raw"), struct.pack(">QI", len(raw), block)
    for start in range(0, len(raw), block):
        part = raw[start : start + block]
        small = codec.compress(part).to_pybytes()
        small = small if len(small) < len(part) else part
        packed += struct.pack(">I", len(small)) + small
    return packed


PACK = {
    307: bz2.compress,
    32001: numcodecs.Blosc().encode,
    32004: lz4,
    32015: numcodecs.Zstd().encode,
}


def write(path, values, number, pack):
    with h5py.File(path, "w") as file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_chunk((300,))
        made.set_filter(number, h5py.h5z.FLAG_OPTIONAL, ())
        kind, space = h5py.h5t.py_create(values.dtype), h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"x", kind, space, made)
        for start in range(0, len(values), 300):
            chunk = np.zeros(300, values.dtype)
            chunk[: len(values) - start] = values[start : start + 300]
            dataset.write_direct_chunk((start,), bytes(pack(chunk.tobytes())))
    return path


@pytest.mark.parametrize("number", PACK)
def test_numbers_are_unpacked(tmp_path, number):
    path = write(tmp_path / "x.h5", VALUES, number, PACK[number])
    assert ak.read_hdf(path)["x"].tolist() == VALUES.tolist()
    assert ak.read_hdf(path)["x"][250:650].tolist() == VALUES[250:650].tolist()


@pytest.mark.parametrize("number", PACK)
def test_records_are_unpacked(tmp_path, number):
    frame = ak.read_hdf(write(tmp_path / "x.h5", RECORDS, number, PACK[number]))["x"].to_pandas()
    assert frame["a"].tolist() == VALUES.tolist()
    assert frame["s"].tolist() == [text.decode() for text in RECORDS["s"]]
    assert frame["v.1"].tolist() == RECORDS["v"][:, 1].tolist()


@pytest.mark.parametrize("number", PACK)
@pytest.mark.parametrize("change", [lambda raw: raw[:-5], lambda raw: b"\xff" * 16 + raw[16:], lambda raw: raw[:9]])
def test_damaged_chunks_are_refused(tmp_path, number, change):
    found = ak.read_hdf(write(tmp_path / "x.h5", VALUES, number, lambda raw: change(bytes(PACK[number](raw)))))["x"]
    with pytest.raises(FileFormatError, match="'x'"):
        found.tolist()


@pytest.mark.parametrize("number", PACK)
def test_chunks_that_unpack_to_more_are_refused(tmp_path, number):
    found = ak.read_hdf(write(tmp_path / "x.h5", VALUES, number, lambda raw: PACK[number](raw * 2)))["x"]
    with pytest.raises(FileFormatError, match="'x'"):
        found.tolist()


@pytest.mark.parametrize(
    ("number", "text"), [(32008, "bitshuffle.*'hdf5plugin'"), (305, "LZO.*PyTables"), (300, "a filter")]
)
def test_filters_that_are_missing_are_named(tmp_path, monkeypatch, number, text):
    monkeypatch.setitem(sys.modules, "hdf5plugin", None)
    path = write(tmp_path / "x.h5", VALUES, number, bytes)
    with h5py.File(path, "a") as file:
        file["y"] = np.arange(2)
    with pytest.warns(RuntimeWarning, match=f"'x': is packed by {text}"):
        assert list(ak.read_hdf(path)) == ["y"]
    with pytest.raises(UnsupportedError, match=text):
        ak.read_hdf(path, "x")


def test_blosc_needs_a_package(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks_module, "can_undo", lambda number: number in chunks_module.OWN)
    with pytest.raises(UnsupportedError, match=r"Blosc.*akdask\[zarr\]"):
        ak.read_hdf(write(tmp_path / "x.h5", VALUES, 32001, PACK[32001]), "x")
