from __future__ import annotations

import bz2
import gzip
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import ArgumentError, FileError, FileFormatError, TransferError, UnsupportedError
from akdask.formats.csv.text_file import CODECS, CompressedFile, read_text, text_blocks, text_file, text_reader
from akdask.storage.files import identify


def packed(data, codec):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(data)
    return {"gzip": gzip.compress, "bz2": bz2.compress}.get(codec, lambda _: sink.getvalue().to_pybytes())(data)


FRAME = pd.DataFrame(
    {
        "i": np.arange(3000) * 7 - 50,
        "f": np.linspace(-1, 1, 3000) ** 3,
        "s": [f'text {k % 17},\n "é"' if k % 5 else "x" for k in range(3000)],
    }
)


@pytest.mark.parametrize("codec", CODECS)
def test_compressed_files_are_read_whatever_their_names(tmp_path, codec):
    data = FRAME.to_csv(index=False).encode()
    half = data.index(b"\n", 40_000) + 1
    (tmp_path / "0.csv").write_bytes(packed(data, codec))
    # Two compressed parts one after the other are one text.
    (tmp_path / "1.csv").write_bytes(packed(data[:half], codec) + packed(data[half:], codec))
    (tmp_path / "2.csv").write_bytes(data)
    expected = pd.concat([FRAME] * 3, ignore_index=True)
    df = ak.DataFrame(ak.read_csv(f"{tmp_path}/*.csv"))
    pd.testing.assert_frame_equal(df.to_pandas(), expected, check_dtype=False)
    assert df[df["i"] > 500]["f"].sum() == pytest.approx(expected["f"][expected["i"] > 500].sum())
    assert ak.ls_csv(tmp_path / "0.csv") == list(FRAME)


@pytest.mark.parametrize("codec", CODECS)
def test_pandas_reads_what_is_written_compressed(tmp_path, codec):
    ak.to_csv(ak.DataFrame(FRAME), tmp_path / "x.csv", num_locales=2, compression=codec.upper())
    parts = []
    for name in sorted(path.name for path in tmp_path.glob("x_*")):
        text = read_text(text_file(identify(str(tmp_path / name))), 0, 2**30)
        raw = pa.CompressedInputStream(pa.OSFile(str(tmp_path / name)), codec).read()
        assert text == raw
        parts.append(pd.read_csv(pa.BufferReader(raw), skiprows=3))
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), FRAME)
    pd.testing.assert_frame_equal(ak.DataFrame(ak.read_csv(tmp_path / "x.csv")).to_pandas(), FRAME, check_dtype=False)


def test_a_single_file_of_several_partitions_is_one_compressed_file(tmp_path):
    parts = ak.concatenate([ak.arange(10), ak.arange(10, 25)])
    ak.save_all({"a": parts}, tmp_path / "x", file_format="csv", file_type="single", compression="gzip")
    assert gzip.decompress((tmp_path / "x").read_bytes()).decode().split()[3:] == ["a", *map(str, range(25))]
    assert ak.read_csv(tmp_path / "x")["a"].tolist() == list(range(25))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [1, 7, 2**20])
def test_ranges_of_the_text_are_those_of_what_was_packed(tmp_path, codec, size):
    data = bytes(np.random.default_rng(3).integers(32, 127, 5000, np.uint8))
    (tmp_path / "x").write_bytes(packed(data, codec))
    file = pickle.loads(pickle.dumps(text_file(identify(str(tmp_path / "x")))))
    assert isinstance(file, CompressedFile)
    assert read_text(file, 4000, 4100) == data[4000:4100]
    assert read_text(file, 4900, 9999) == data[4900:]
    assert read_text(file, 7000, 9999) == b""
    blocks = [(bytes(block), is_last) for block, is_last in text_blocks(file, 100, size)]
    assert b"".join(block for block, _ in blocks) == data[100:]
    assert [is_last for _, is_last in blocks] == [False] * (len(blocks) - 1) + [True]
    with text_reader(file) as reader:
        for start in (4000, 10, 11):  # forwards and backwards
            out = np.empty(50, np.uint8)
            reader.read_into(out, start, "x")
            assert bytes(out) == data[start : start + 50]


@pytest.mark.parametrize("codec", CODECS)
def test_truncated_and_damaged_files_are_refused(tmp_path, codec):
    data = packed(FRAME.to_csv(index=False).encode(), codec)
    for number, damaged in enumerate(
        [data[: len(data) // 2], data[:-1], data + b"rubbish", data[:20] + b"xx" + data[20:]]
    ):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="unpacked by"):
            ak.read_csv(path).items()


def test_an_empty_text_has_no_names(tmp_path):
    (tmp_path / "x.csv").write_bytes(gzip.compress(b""))
    with pytest.raises(FileFormatError, match="names"):
        ak.read_csv(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_bytes(gzip.compress(b"a,b\n"))
    assert ak.read_csv(tmp_path / "x.csv")["b"].tolist() == []


def test_a_stray_quote_makes_no_difference(tmp_path):
    data = "a,b\n" + 'x"y,1\n' * 100
    (tmp_path / "x.csv").write_bytes(gzip.compress(data.encode()))
    assert ak.read_csv(tmp_path / "x.csv")["a"].tolist() == ['x"y'] * 100


@pytest.mark.lazy_only
def test_what_is_unpacked_to_more_than_memory_is_refused_and_not_begun(tmp_path):
    (tmp_path / "x.csv").write_bytes(gzip.compress(b"a\n" + b"12345678\n" * 300_000))
    found = ak.read_csv(tmp_path / "x.csv")["a"]
    assert len(found) == 300_000
    with ak.config.set(max_transfer_bytes=2**20), pytest.raises(TransferError, match="unpack the file"):
        int(found.sum())


def test_text_that_begins_like_compressed_files_is_text(tmp_path):
    (tmp_path / "x.csv").write_text("BZh1,b\n1,2\n")
    assert ak.read_csv(tmp_path / "x.csv")["BZh1"].tolist() == [1]


@pytest.mark.parametrize(("begin", "name"), [(b"\xfd7zXZ\x00", "xz"), (b"PK\x03\x04", "zip")])
def test_other_compressions_are_refused_by_name(tmp_path, begin, name):
    (tmp_path / "x.csv").write_bytes(begin + bytes(30))
    with pytest.raises(UnsupportedError, match=name):
        ak.read_csv(tmp_path / "x.csv")


def test_codecs_that_there_are_not_are_refused(tmp_path):
    for given in ("xz", "", 3):
        with pytest.raises(ArgumentError, match="gzip"):
            ak.to_csv({"a": ak.arange(3)}, tmp_path / "x", compression=given)


@pytest.mark.lazy_only
def test_a_file_that_changes_is_told_of(tmp_path):
    (tmp_path / "x.csv").write_bytes(gzip.compress(b"a\n1\n"))
    found = ak.read_csv(tmp_path / "x.csv")["a"]
    (tmp_path / "x.csv").write_bytes(gzip.compress(b"a\n1\n2\n"))
    with pytest.raises(FileError, match="changed"):
        found.tolist()


@pytest.mark.parametrize("codec", CODECS)
def test_compressed_files_with_a_header_are_told_from_their_text(codec, tmp_path):
    columns = {"a": ak.arange(50), "s": ak.array([f"row {k}" for k in range(50)])}
    path = tmp_path / "x.csv.packed"
    ak.save_all(columns, path, file_format="csv", file_type="single", compression=codec)
    assert ak.get_filetype(str(path)).upper() == "CSV"
    assert ak.ls(str(path)) == ["a", "s"]
    found = ak.read(str(path))
    assert found["a"].tolist() == list(range(50))
    assert found["s"].tolist() == [f"row {k}" for k in range(50)]
    ak.save_all(columns, tmp_path / "set", file_format="csv", compression=codec)
    assert ak.load(str(tmp_path / "set"), dataset="a")["a"].tolist() == list(range(50))


def test_compressed_files_of_anything_else_are_of_no_format(tmp_path):
    for name, content in (("plain", gzip.compress(b"a,b\n1,2\n")), ("cut", gzip.compress(b"**HEADER**\n")[:12])):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileFormatError, match="is none of"):
            ak.read(str(tmp_path / name))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_recognized(tmp_path, encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / "x.csv").write_text(mark + "a\tb\n1\té\n2\t€🙂\n" + "3\tz\n" * 50_000, encoding=encoding)
    found = ak.scan(tmp_path / "x.csv")
    assert found["a"].sum() == 150_003
    assert found["b"][:2].tolist() == ["é", "€🙂"]
    assert ak.read_csv(tmp_path / "x.csv", column_delim="\t", encoding="utf-16")["a"][1] == 2


def test_damaged_text_in_utf_16_is_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes("\ufeffa\n1\n".encode("utf-16-le") + b"\x00\xd8\x00")
    with pytest.raises(FileFormatError, match="utf-16"):
        ak.read_csv(tmp_path / "x.csv")
