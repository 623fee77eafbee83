"""Stores of version 3, as zarr-python writes them."""

import json
import warnings

import numpy as np
import pytest
import zarr
from zarr import codecs

import akdask as ak
from akdask.errors import FileFormatError, UnsupportedError

VALUES = np.arange(5 * 7 * 3).reshape(5, 7, 3)


def written(path, values=VALUES, *, chunks=(2, 3, 2), **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types without a specification, and of shards within codecs
        array = zarr.create_array(
            str(path), shape=values.shape, dtype=values.dtype, chunks=chunks, zarr_format=3, **options
        )
        array[...] = values
    return ak.read_zarr(path)


@pytest.mark.parametrize(
    "options",
    [
        {"compressors": None},
        {},  # zstd
        {"compressors": codecs.GzipCodec()},
        {"compressors": codecs.BloscCodec(cname="lz4", shuffle="bitshuffle", typesize=8)},
        {"compressors": [codecs.ZstdCodec(checksum=True), codecs.Crc32cCodec()]},
        {"filters": codecs.TransposeCodec(order=(1, 2, 0))},
        {"filters": [codecs.TransposeCodec(order=(1, 2, 0)), codecs.TransposeCodec(order=(2, 0, 1))]},
        {"serializer": codecs.BytesCodec(endian="big")},
        {"shards": (4, 6, 4)},
        {"shards": (4, 6, 4), "compressors": codecs.Crc32cCodec(), "filters": codecs.TransposeCodec(order=(2, 0, 1))},
        {"chunk_key_encoding": {"name": "v2", "separator": "."}},
        {"chunk_key_encoding": {"name": "default", "separator": "."}},
        {"serializer": codecs.ShardingCodec(chunk_shape=(1, 3, 1), index_location="start")},
        {
            "chunks": (2, 4, 2),
            "filters": codecs.TransposeCodec(order=(1, 2, 0)),
            "serializer": codecs.ShardingCodec(chunk_shape=(1, 2, 1)),
            "compressors": codecs.GzipCodec(),
        },
    ],
)
def test_arrays_are_read_as_zarr_reads_them(tmp_path, options):
    found = written(tmp_path / "x", **options)
    assert found.shape == VALUES.shape
    np.testing.assert_array_equal(found.to_ndarray(), VALUES)


@pytest.mark.parametrize("shards", [None, (4,)])
@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", ">u4", "u8", "f2", "f4", ">f8", "?", "U3", "S3", "M8[s]", "m8[ms]"]
)
def test_types_are_read_as_zarr_reads_them(tmp_path, dtype, shards):
    values = np.array([1, 0, 1, 2, 3, 0, 1]).astype(dtype)
    found = written(tmp_path / "x", values, chunks=(2,), shards=shards).to_ndarray()
    np.testing.assert_array_equal(found.astype(values.dtype), values)


def test_strings_of_any_length_are_read(tmp_path):
    texts = np.array(["a", "", "ünï", "longer than others", "e"])
    array = zarr.create_array(str(tmp_path / "x"), shape=(5,), dtype="string", chunks=(2,))
    array[...] = texts
    assert ak.read_zarr(tmp_path / "x").tolist() == texts.tolist()


@pytest.mark.parametrize(("dtype", "fill"), [("f8", np.nan), ("f4", np.inf), ("i4", -7), ("?", True), ("f8", 0.1)])
@pytest.mark.parametrize("shards", [None, (4,)])
def test_chunks_that_are_missing_are_filled(tmp_path, dtype, fill, shards):
    array = zarr.create_array(str(tmp_path / "x"), shape=(9,), dtype=dtype, chunks=(2,), shards=shards, fill_value=fill)
    array[2:5] = 1
    np.testing.assert_array_equal(ak.read_zarr(tmp_path / "x").to_ndarray(), array[...])


def test_floats_may_be_given_by_their_bits(tmp_path):
    path = tmp_path / "x"
    zarr.create_array(str(path), shape=(2,), dtype="f4", chunks=(2,))
    about = json.loads((path / "zarr.json").read_text())
    (path / "zarr.json").write_text(json.dumps(about | {"fill_value": "0x3fc00000"}))
    assert ak.read_zarr(path).tolist() == [1.5, 1.5]


def test_an_array_without_dimensions_has_one_element(tmp_path):
    zarr.create_array(str(tmp_path / "x"), shape=(), dtype="i4")[...] = 7
    assert ak.read_zarr(tmp_path / "x").tolist() == [7]


def test_groups_of_both_versions_are_read(tmp_path):
    group = zarr.open_group(str(tmp_path / "g"), zarr_format=3)
    group.create_array("a", shape=(3,), dtype="i8")[...] = [1, 2, 3]
    group.create_group("inner").create_array("b", shape=(3,), dtype="f8")[...] = [0.5, 1, 2]
    zarr.create_array(str(tmp_path / "g" / "old"), shape=(2,), dtype="i8", zarr_format=2)[...] = [8, 9]
    found = ak.read(tmp_path / "g")
    assert {name: array.tolist() for name, array in found.items()} == {
        "a": [1, 2, 3], "inner/b": [0.5, 1.0, 2.0], "old": [8, 9]
    }  # fmt: skip


def test_what_is_not_known_is_refused_by_name(tmp_path):
    group = zarr.open_group(str(tmp_path / "g"), zarr_format=3)
    group.create_array("x", shape=(3,), dtype="c16")
    group.create_array("y", shape=(3,), dtype="i4")[...] = 5
    with pytest.warns(RuntimeWarning, match=r"'x': .*complex128"):
        assert list(ak.read(tmp_path / "g")) == ["y"]
    with pytest.raises(UnsupportedError, match="complex128"):
        ak.read(tmp_path / "g", "x")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"codecs": [{"name": "bytes"}, {"name": "pcodec"}]}, "packed by 'pcodec'"),
        ({"codecs": []}, "its codecs are"),
        ({"codecs": [{"name": "transpose", "configuration": {"order": [1]}}, {"name": "bytes"}]}, "the order"),
        ({"codecs": [{"name": "bytes", "configuration": {"endian": "odd"}}]}, "endian is 'odd'"),
        ({"chunk_grid": {"name": "rectangular"}}, "grid of chunks 'rectangular'"),
        ({"chunk_key_encoding": {"name": "odd"}}, "names of chunks 'odd'"),
        ({"storage_transformers": [{"name": "x"}]}, "storage_transformers"),
        ({"new": {"name": "x"}}, "'new'"),
        ({"node_type": "odd"}, "node_type is 'odd'"),
        ({"zarr_format": 4}, "zarr_format 3"),
        ({"fill_value": "0xzz"}, "fill_value"),
    ],
)
def test_metadata_that_cannot_be_are_refused(tmp_path, change, text):
    written(tmp_path / "x", np.arange(3.0), chunks=(2,))
    about = json.loads((tmp_path / "x" / "zarr.json").read_text())
    (tmp_path / "x" / "zarr.json").write_text(json.dumps(about | change))
    with pytest.raises((FileFormatError, UnsupportedError), match=text):
        ak.read_zarr(tmp_path / "x")


def test_optional_additions_are_passed_over(tmp_path):
    written(tmp_path / "x", np.arange(3), chunks=(2,))
    about = json.loads((tmp_path / "x" / "zarr.json").read_text())
    (tmp_path / "x" / "zarr.json").write_text(json.dumps(about | {"new": {"must_understand": False}}))
    assert ak.read_zarr(tmp_path / "x").tolist() == [0, 1, 2]


@pytest.mark.parametrize("change", [lambda raw: raw[:5], lambda raw: raw[:-1] + b"x", lambda raw: b"x" + raw[1:]])
def test_damaged_shards_are_refused(tmp_path, change):
    written(tmp_path / "x", np.arange(8), chunks=(2,), shards=(8,), compressors=codecs.Crc32cCodec())
    (chunk,) = (tmp_path / "x" / "c").iterdir()
    chunk.write_bytes(change(chunk.read_bytes()))
    found = ak.read_zarr(tmp_path / "x")
    with pytest.raises(FileFormatError, match="of its array"):
        found.to_ndarray()
