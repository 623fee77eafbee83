from __future__ import annotations

import builtins
import bz2
import gzip
import lzma
import random
import zlib

import numcodecs
import numpy as np
import pytest

from akdask import config
from akdask.errors import AkdaskError, FileFormatError, UnsupportedError
from akdask.formats.zarr.metadata import COMPRESSORS, ArrayMetadata, Grid, ZarrCodec, decoded, demand_numcodecs, packed

ELEMENTS = (np.arange(600) ** 2 % 1000).reshape(20, 30)
PACKERS = {
    "blosc": numcodecs.Blosc(),
    "bz2": numcodecs.BZ2(),
    "gzip": numcodecs.GZip(),
    "lz4": numcodecs.LZ4(),
    "lzma": numcodecs.LZMA(),
    "zlib": numcodecs.Zlib(),
    "zstd": numcodecs.Zstd(),
}


def array(compressor, *filters, dtype="<i8", shape=(20, 30), order="C"):
    codec = None if compressor is None else ZarrCodec(compressor)
    return ArrayMetadata(Grid(shape, shape), np.dtype(dtype), order, compressor=codec, filters=filters)


def as_bytes(data):
    return np.frombuffer(bytes(data), np.uint8)


def test_all_packers_are_tested():
    assert set(PACKERS) == set(COMPRESSORS)


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_numcodecs_packs_is_unpacked(name, order):
    data = PACKERS[name].encode(ELEMENTS.tobytes(order))
    np.testing.assert_array_equal(decoded(as_bytes(data), array(name, order=order), "x"), ELEMENTS)


@pytest.mark.parametrize(("dtype", "stored"), [("<i8", "<i8"), ("<i4", "<i2"), ("<f8", "<f8"), ("<u2", "<i8")])
def test_filters_are_undone(dtype, stored):
    elements = ELEMENTS.astype(dtype)
    delta = numcodecs.Delta(dtype, stored).encode(elements.ravel())
    filters = (ZarrCodec("delta", dtype=dtype, stored=stored), ZarrCodec("shuffle", 4))
    data = PACKERS["zlib"].encode(numcodecs.Shuffle(4).encode(delta))
    np.testing.assert_array_equal(decoded(as_bytes(data), array("zlib", *filters, dtype=dtype), "x"), elements)


@pytest.mark.parametrize("dtype", ["<i8", "<f8", "|b1", "<u8", "|u1"])
def test_numcodecs_unpacks_what_is_packed(dtype):
    elements = ELEMENTS.astype(dtype)
    np.testing.assert_array_equal(np.frombuffer(numcodecs.Blosc().decode(packed(elements)), dtype), elements.ravel())


def test_strings_are_packed_and_unpacked():
    texts = np.array(["a", "", "é\0x", "y" * 999], object)
    data = packed(texts)
    assert numcodecs.VLenUTF8().decode(numcodecs.Blosc().decode(data)).tolist() == texts.tolist()
    found = decoded(as_bytes(data), array("blosc", ZarrCodec("vlen-utf8"), dtype=object, shape=(4,)), "x")
    assert found.tolist() == texts.tolist()


ZEROS = bytes(2**24)
BOMBS = {
    "blosc": numcodecs.Blosc().encode(ZEROS),
    "bz2": bz2.compress(ZEROS),
    "gzip": gzip.compress(ZEROS),
    "lz4": numcodecs.LZ4().encode(ZEROS),
    "lzma": lzma.compress(ZEROS),
    "zlib": zlib.compress(ZEROS),
    "zstd": numcodecs.Zstd().encode(ZEROS),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_unpacks_to_more_than_a_chunk_is_refused(name):
    with pytest.raises(FileFormatError, match="x"):
        decoded(as_bytes(BOMBS[name]), array(name), "x")


@pytest.mark.parametrize("name", [*PACKERS, None])
def test_damaged_chunks_are_refused_or_read_as_something(name):
    whole = ELEMENTS.tobytes() if name is None else bytes(PACKERS[name].encode(ELEMENTS.tobytes()))
    chance = random.Random(7)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        try:
            found = decoded(as_bytes(data), array(name), "x")
        except AkdaskError:
            continue
        assert found.shape == (20, 30)
    for size in (0, 1, 15, len(whole) - 1):
        with pytest.raises(FileFormatError):
            decoded(as_bytes(whole[:size]), array(name), "x")


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-3], lambda d: b"\xff\xff\xff\x7f" + d[4:], lambda d: d[:4] + b"\xff" * 4 + d[8:]]
)
def test_damaged_strings_are_refused(damage):
    data = bytes(numcodecs.VLenUTF8().encode(np.array(["abc", "de"], object)))
    with pytest.raises(FileFormatError):
        decoded(as_bytes(damage(data)), array(None, ZarrCodec("vlen-utf8"), dtype=object, shape=(2,)), "x")


def test_strings_that_take_more_than_the_limit_are_refused():
    described = array("zlib", ZarrCodec("vlen-utf8"), dtype=object, shape=(2,))
    with config.set(max_transfer_bytes=2**20), pytest.raises(FileFormatError, match="more than"):
        decoded(as_bytes(zlib.compress(ZEROS)), described, "x")


def test_without_numcodecs_the_error_says_what_to_install(monkeypatch):
    imported = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "numcodecs":
            raise ImportError
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedError, match=r"akdask\[zarr\]"):
        demand_numcodecs()
    # What other packers made needs none.
    found = decoded(as_bytes(zlib.compress(ELEMENTS.tobytes())), array("zlib"), "x")
    assert found.sum() == ELEMENTS.sum()
