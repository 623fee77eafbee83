"""Files that are damaged or made up: an error of akdask or an answer, never a crash, and never much memory."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AkdaskError, FileFormatError
from tests.parquet.conftest import many_kinds

ROWS = 400


def write(path, **options):
    pq.write_table(many_kinds(ROWS), path, row_group_size=170, data_page_size=300, **options)
    return path.read_bytes()


def answers(path):
    """Read each column by itself, and return how many rows there were or the error; anything else fails."""
    found = []
    try:
        names = ak.ls(path)
    except AkdaskError:
        return ["error"]
    for name in names:
        try:
            array = ak.read_parquet(path, name)[name]
            if array.size < 10 * ROWS:
                found.append(len(array.to_ndarray()))
        except AkdaskError:
            found.append("error")
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    kinds = [(codec, version) for codec in ("none", "snappy", "zstd", "gzip", "lz4") for version in ("1.0", "2.0")]
    return folder, [write(folder / "whole", compression=codec, data_page_version=version) for codec, version in kinds]


@given(data=st.data())
@pytest.mark.parametrize("where", ["footer", "anywhere"])
def test_flipped_bits(files, data, where):
    folder, wholes = files
    raw = bytearray(data.draw(st.sampled_from(wholes)))
    footer = int.from_bytes(raw[-8:-4], "little") + 8
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(len(raw) - footer if where == "footer" else 0, len(raw) - 1))
        raw[place] ^= 1 << data.draw(st.integers(0, 7))
    path = folder / "flipped"
    path.write_bytes(raw)
    assert all(item == "error" or item >= 0 for item in answers(path))


@given(data=st.data())
def test_truncated_files(files, data):
    folder, wholes = files
    raw = data.draw(st.sampled_from(wholes))
    path = folder / "cut"
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw) - 1))])
    with pytest.raises(AkdaskError):
        ak.read_parquet(path)


@pytest.mark.slow
def test_every_byte_of_a_footer(tmp_path):
    path = tmp_path / "x"
    pq.write_table(pa.table({"a": [1, None, 3], "s": ["x", "y", None]}), path)
    raw = path.read_bytes()
    footer = int.from_bytes(raw[-8:-4], "little") + 8
    outcomes = []
    for place in range(len(raw) - footer, len(raw)):
        for bit in (0, 3, 7):
            path.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << bit]) + raw[place + 1 :])
            outcomes += answers(path)
    assert outcomes.count("error") > 100
    assert outcomes.count(3) > 100


# A chunk of another type than the schema's makes pyarrow end the process: this is what would be seen of it.
@pytest.mark.slow
def test_a_chunk_of_another_type_does_not_end_the_process(tmp_path):
    path = tmp_path / "x"
    pq.write_table(pa.table({"a": np.arange(3)}), path, compression="none")
    raw = path.read_bytes()
    # In the structure of a chunk: offset of the file, then its metadata, of type INT64.
    at = raw.index(bytes([0x1C, 0x15, 0x04, 0x19]))
    path.write_bytes(raw[: at + 2] + b"\x08" + raw[at + 3 :])
    program = textwrap.dedent(f"""
        import akdask as ak
        try:
            ak.read_parquet({str(path)!r})
        except ak.errors.FileFormatError as error:
            print(error)
    """)
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "its type is not that of the schema" in told.stdout


def varint(number):
    found = b""
    while number >= 128:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


@pytest.mark.lazy_only
@pytest.mark.parametrize("claimed_rows", [2**30, 2**40])
def test_a_row_group_that_claims_more_rows_than_the_file_has_is_refused(tmp_path, claimed_rows):
    path = tmp_path / "x"
    pq.write_table(pa.table({"a": np.arange(1000)}), path, use_dictionary=False, compression="none")
    raw = path.read_bytes()
    length = int.from_bytes(raw[-8:-4], "little")
    footer = raw[-8 - length : -8]
    claimed = footer.replace(varint(2000), varint(2 * claimed_rows))
    assert claimed.count(varint(2 * claimed_rows)) >= 3
    path.write_bytes(raw[: -8 - length] + claimed + len(claimed).to_bytes(4, "little") + b"PAR1")
    if claimed_rows == 2**40:
        with pytest.raises(FileFormatError, match=r"claims 1,099,511,627,776 rows"):
            ak.read_parquet(path)
        return
    found = ak.read_parquet(path)["a"]
    assert found.size == claimed_rows
    with pytest.raises(FileFormatError, match=r"'a'.*1,000"):
        found[:2000].tolist()


def test_a_page_that_unpacks_to_much_takes_little_memory(tmp_path):
    path = tmp_path / "x"
    pq.write_table(
        pa.table({"a": np.zeros(2**24, np.int64)}),
        path,
        use_dictionary=False,
        compression="zstd",
        data_page_size=2**30,
    )
    assert path.stat().st_size < 2**20
    assert ak.read_parquet(path)["a"].sum() == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff\xff\xff\xffPAR1", b"PAR1" + bytes(100) + b"PAR1", b"PARE" * 3],
)
def test_what_is_no_file_of_this_format(tmp_path, content):
    path = Path(tmp_path / "x")
    path.write_bytes(content)
    with pytest.raises(FileFormatError):
        ak.read_parquet(path)


@pytest.mark.light
@pytest.mark.parametrize(("end", "told"), [(b"PARE", "is encrypted"), (b"PARX", "does not end as a Parquet file")])
def test_an_encrypted_file_is_told_from_one_of_another_format(tmp_path, end, told):
    path = Path(tmp_path / "x")
    path.write_bytes(b"PAR1" + bytes(100) + end)
    with pytest.raises(FileFormatError, match=told):
        ak.read_parquet(path)


def test_a_footer_of_another_file_is_refused(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    pq.write_table(pa.table({"a": np.arange(10)}), first)
    pq.write_table(pa.table({"a": np.arange(100_000)}), second)
    raw, other = first.read_bytes(), second.read_bytes()
    length = int.from_bytes(other[-8:-4], "little") + 8
    first.write_bytes(raw[:50] + other[-length:])
    with pytest.raises(FileFormatError, match="outside of the file"):
        ak.read_parquet(first)
