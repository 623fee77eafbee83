"""Ranges and blocks of text are those of the bytes, compressed or not, wherever they begin."""

from __future__ import annotations

import bz2
import gzip
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.csv import text_file
from akdask.formats.csv.text_file import CompressedFile, read_text, text_blocks, text_reader
from akdask.storage.files import FileIdentity, identify

TEXT = "".join(f"{number},é日本{number % 7}\n" for number in range(40)).encode()
PACKED = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "zstd": lambda data: pa.compress(data, "zstd", asbytes=True),
    "utf-16": lambda data: data.decode().encode("utf-16"),
    "gzip, twice": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
}


@pytest.fixture(params=PACKED)
def file(tmp_path, request, monkeypatch):
    monkeypatch.setattr(text_file, "BLOCK_BYTES", 16)
    (tmp_path / "x.csv").write_bytes(PACKED[request.param](TEXT))
    return text_file.text_file(identify(str(tmp_path / "x.csv")))


def test_ranges_of_text_are_those_of_the_bytes(file):
    assert isinstance(file, FileIdentity if file == identify(file.path) else CompressedFile)
    size = len(TEXT)
    for start, stop in product((0, 1, 50, size - 1, size, size + 9), (0, 5, 70, size, size + 20)):
        assert read_text(file, start, stop) == TEXT[start : max(stop, start)]
    with text_reader(file) as reader:
        # Back as well as forth, across blocks and to the end.
        for start, count in (0, 9), (30, 40), (10, 5), (size - 3, 3), (0, size), (7, 0):
            out = np.full(count, 255, np.uint8)
            reader.read_into(out, start, "CSV")
            assert out.tobytes() == TEXT[start : start + count]
        with pytest.raises(FileFormatError):
            reader.read_into(np.empty(9, np.uint8), size - 4, "CSV")


@pytest.mark.parametrize("size", [1, 7, 100, 10**6])
@pytest.mark.parametrize("start", [0, 3, 64])
def test_blocks_of_text_are_told_which_is_the_last(file, start, size):
    found = [(data.tobytes(), is_last) for data, is_last in text_blocks(file, start, size)]
    assert b"".join(data for data, _ in found) == TEXT[start:]
    assert [is_last for _, is_last in found] == [False] * (len(found) - 1) + [True]
    assert all(len(data) == size for data, _ in found[:-1])


def test_no_text_has_no_blocks(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"")
    empty = text_file.text_file(identify(str(tmp_path / "x.csv")))
    assert list(text_blocks(empty, 0, 9)) == []
    assert read_text(empty, 0, 9) == b""


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"\x1f\x8b\x08\x00", "gzip"), (b"BZh91AY&SY", "bz2"), (b"BZh,1\nx,2\n", None), (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x04\x22\x4d\x18", "lz4"), (b"\xff\xfea\x00", "utf-16"), (b"\xfe\xff\x00a", "utf-16"), (b"a,b\n", None),
        (b"\x1f\x8b", None),
    ],
)  # fmt: skip
def test_the_first_bytes_tell_how_text_is_compressed(tmp_path, first, kind):
    (tmp_path / "x").write_bytes(first)
    found = text_file.text_file(identify(str(tmp_path / "x")))
    assert (found.codec if isinstance(found, CompressedFile) else None) == kind


@pytest.mark.parametrize("signature", text_file._OTHERS)
def test_other_ways_of_compression_are_named(tmp_path, signature):
    (tmp_path / "x").write_bytes(signature + b"rest")
    with pytest.raises(UnsupportedError, match=f"compressed by {text_file._OTHERS[signature]}"):
        text_file.text_file(identify(str(tmp_path / "x")))


@pytest.mark.parametrize("kind", ["gzip", "bz2", "zstd"])
def test_damaged_text_is_told(tmp_path, kind):
    (tmp_path / "x").write_bytes(PACKED[kind](TEXT * 50)[:-20])
    file = text_file.text_file(identify(str(tmp_path / "x")))
    with pytest.raises(FileFormatError, match=f"cannot be unpacked by {kind}"):
        read_text(file, 0, 10**6)


def test_rows_in_utf_16_begin_behind_names_of_any_length(tmp_path):
    for names in "a,b", "日本語日本語,値", "é" * 30 + ",𝄞":
        plain = pd.DataFrame([["東京大阪", 1], ["京都𝄞", 2], ["", 3]], columns=names.split(","))
        (tmp_path / "x.csv").write_bytes(plain.to_csv(index=False).encode("utf-16"))
        found = ak.read_csv(tmp_path / "x.csv")
        assert {name: column.tolist() for name, column in found.items()} == plain.to_dict("list")
