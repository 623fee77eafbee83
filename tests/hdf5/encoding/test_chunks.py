"""Chunks are read past HDF5 as it reads them, unpacked once, and refused where HDF5 would read past their ends."""

import time
import zlib

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import FileFormatError, TransferError
from akdask.formats.hdf5 import chunks
from akdask.formats.hdf5.chunks import ChunkError, boxes, fletcher32, undo
from akdask.formats.hdf5.readers import ChunkedReader
from akdask.storage.files import identify
from akdask.storage.ranges import ELSEWHERE, Extent, range_reader

FILTERS: list[dict[str, object]] = [
    {},
    {"shuffle": True},
    {"fletcher32": True},
    {"compression": "gzip"},
    {"compression": "gzip", "shuffle": True, "fletcher32": True},
    {"compression": "lzf"},
    {"compression": "lzf", "shuffle": True, "fletcher32": True},
    {"scaleoffset": 12},
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.h5"


def read(path, dtype, start, stop, length):
    out = np.empty(stop - start, dtype)
    with range_reader(identify(str(path))) as ranges:
        reader = ChunkedReader(ranges)
        try:
            reader.read_into(out, Extent("x", out.dtype.str, ELSEWHERE, length), start)
        finally:
            reader.close()
    return out


@pytest.mark.parametrize("options", FILTERS)
@given(data=st.data())
def test_any_rows_are_those_that_h5py_reads(tmp_path_factory, options, data):
    path = tmp_path_factory.getbasetemp() / "any.h5"
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    chunk = tuple(data.draw(st.integers(1, size)) for size in shape)
    is_whole = "scaleoffset" in options
    dtype = data.draw(st.sampled_from(["<i8", "<i2"] if is_whole else ["<i8", ">i4", "<f8", "u1", "<i2"]))
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", shape, dtype, chunks=chunk, fillvalue=7, **options)
        if data.draw(st.booleans()):
            made[...] = np.arange(made.size).reshape(shape)
        elif data.draw(st.booleans()):
            made[0] = 3
    size = int(np.prod(shape))
    start = data.draw(st.integers(0, size - 1))
    stop = data.draw(st.integers(start + 1, size))
    with h5py.File(path) as file:
        expected = file["x"][...].ravel()[start:stop]
    assert read(path, dtype, start, stop, size).tolist() == expected.tolist()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_boxes_are_a_range_in_row_major_order(shape, data):
    elements = np.arange(int(np.prod(shape))).reshape(shape)
    start = data.draw(st.integers(0, elements.size))
    stop = data.draw(st.integers(start, elements.size))
    found = list(boxes(shape, start, stop))
    assert [number for box in found for number in elements[box].ravel().tolist()] == list(range(start, stop))
    assert len(found) <= 2 * len(shape)


@pytest.mark.parametrize("step", [1, 3, 40, 700, 10**6])
def test_lzf_of_runs_and_repeats_is_undone(path, step):
    values = np.random.default_rng(step).integers(0, 50, 30_000) // step * np.arange(30_000)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=values, chunks=(len(values),), compression="lzf")
    assert ak.read_hdf(path)["x"].tolist() == values.tolist()


@pytest.mark.parametrize("size", [0, 1, 2, 3, 359, 720, 721, 70_000])
@pytest.mark.parametrize("byte", [None, 0, 255])
def test_checksums_are_those_of_hdf5(path, size, byte):
    data = (
        np.random.default_rng(size).integers(0, 256, size).astype("u1") if byte is None else np.full(size, byte, "u1")
    )
    if not size:
        assert fletcher32(data) == 0
        return
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=data, chunks=(size,), fletcher32=True)
        stored = file["x"].id.read_direct_chunk((0,))[1]
    assert int.from_bytes(stored[-4:], "little") == fletcher32(data)


def write_raw(path, stored, mask=0, count=100, **options):
    """Write a dataset of one chunk of which these bytes are stored."""
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", (count,), "<i8", chunks=(count,), **options)
        made.id.write_direct_chunk((0,), stored, mask)


WHOLE = np.arange(100).tobytes()


@pytest.mark.parametrize(
    "stored", [b"1", b"123", b"1234", b"12345", WHOLE[:-1], WHOLE + b"1", zlib.compress(WHOLE)[:-9]]
)
@pytest.mark.parametrize("options", FILTERS[:-1])
def test_chunks_of_a_wrong_size_are_refused(path, stored, options):
    write_raw(path, stored, **options)
    with pytest.raises(FileFormatError, match=r"'x' of .*x\.h5"):
        ak.read_hdf(path)["x"].tolist()


@pytest.mark.parametrize("content", [WHOLE[:-8], WHOLE[:1], b"", WHOLE + b"1", bytes(10**7)])
def test_what_unpacks_to_another_size_is_refused(path, content):
    write_raw(path, zlib.compress(content), compression="gzip")
    with pytest.raises(FileFormatError, match="unpacks to"):
        ak.read_hdf(path)["x"].tolist()


@pytest.mark.parametrize("options", [{}, {"compression": "gzip"}], ids=str)
def test_chunks_outside_the_file_are_refused_before_they_are_read(path, options):
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", data=np.arange(40), chunks=(10,), **options)
        found = [made.id.get_chunk_info(number) for number in range(4)]
    content, nbytes = path.read_bytes(), found[2].size
    place = content.index(found[2].byte_offset.to_bytes(8, "little"))
    for offset in (len(content), len(content) - nbytes + 1, 2**40, 2**62):
        path.write_bytes(content[:place] + offset.to_bytes(8, "little") + content[place + 8 :])
        with pytest.raises(FileFormatError, match="a chunk lies outside the file"):
            ak.read_hdf(path)["x"].tolist()
    path.write_bytes(content)
    assert ak.read_hdf(path)["x"].tolist() == list(range(40))


def test_a_bomb_takes_no_memory():
    bomb = np.frombuffer(zlib.compress(bytes(2**27)), np.uint8)
    with pytest.raises(ChunkError, match="more than 800"):
        undo(bomb, [(1, (6,))], 800)


def test_filters_that_a_chunk_did_not_go_through_are_not_undone(path):
    options = {"compression": "gzip", "shuffle": True, "fletcher32": True}
    write_raw(path, WHOLE, mask=0b111, **options)
    assert ak.read_hdf(path)["x"].tolist() == list(range(100))
    write_raw(path, zlib.compress(WHOLE), mask=0b101, **options)
    assert ak.read_hdf(path)["x"].tolist() == list(range(100))
    write_raw(path, WHOLE[:-1], mask=0b111, **options)
    with pytest.raises(FileFormatError, match="799 bytes stored where its filters make 800"):
        ak.read_hdf(path)["x"].tolist()


def test_a_damaged_chunk_is_told_by_its_checksum(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(100), chunks=(100,), fletcher32=True)
        offset = file["x"].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[offset + 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="has the checksum"):
        ak.read_hdf(path)["x"].tolist()


@pytest.mark.parametrize("options", [{"compression": "gzip"}, {"compression": "gzip", "shuffle": True}])
def test_a_large_chunk_is_unpacked_once(path, options, monkeypatch):
    values = np.arange(2**21)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=values, chunks=(len(values),), **options)
    undone = []
    monkeypatch.setattr(chunks, "undo", lambda *args: undone.append(0) or undo(*args))
    with ak.config.set(block_size=2**16, partition_size=2**20):
        x = ak.read_hdf(path)["x"]
        assert x.npartitions == 1
        assert int((x * 2).sum()) == int(values.sum()) * 2
    assert len(undone) == 1


def test_partitions_begin_where_large_chunks_do(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(100_000), chunks=(30_000,), compression="gzip")
        file["y"] = np.arange(100_000)
    with ak.config.set(partition_size=2**17):
        x = ak.read_hdf(path)["x"]
        assert x.rows.lengths == (30_000, 30_000, 30_000, 10_000)
        assert x.tolist() == list(range(100_000))


def test_a_chunk_larger_than_the_limit_is_refused_before_it_is_unpacked(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.zeros(2**20), chunks=(2**20,), compression="gzip")
    with ak.config.set(max_transfer_bytes=2**22), pytest.raises(TransferError, match="8,388,608 bytes"):
        float(ak.read_hdf(path)["x"].sum())


CLAIMS = [
    ((2**40,), None),
    ((2**45,), (1000,)),
    ((2**59,), (2**20,)),
    ((2**20, 2**39), (2**10, 2**10)),
]


@pytest.mark.lazy_only
@pytest.mark.parametrize(("shape", "chunk"), CLAIMS)
def test_what_was_never_written_is_planned_at_once_and_not_brought_here(path, shape, chunk):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape, "i8", chunks=chunk, fillvalue=3)
    start = time.monotonic()
    x = ak.read_hdf(path)["x"]
    x = x if len(shape) == 1 else x.flatten()
    assert x.npartitions <= 64
    x[x > 3].explain()
    with ak.config.set(max_transfer_bytes=2**33), pytest.raises(TransferError, match=f"{np.prod(shape) * 8:,} bytes"):
        x.to_ndarray()
    assert time.monotonic() - start < 5
    assert x[-3:].tolist() == [3, 3, 3]


@pytest.mark.parametrize("shape", [(2**60,), (2**62,), (2**40, 2**40)])
def test_more_than_can_be_counted_is_refused(path, shape):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape, "i8", chunks=(2**10,) * len(shape))
        file["y"] = np.arange(3)
    assert ak.read_hdf(path, "y")["y"].tolist() == [0, 1, 2]
    with pytest.raises(ak.AkdaskError, match="more than can be counted"):
        ak.read_hdf(path, "x")


def test_files_that_claim_too_many_rows_together_are_refused(tmp_path):
    for number in range(3):
        with h5py.File(tmp_path / f"x_LOCALE000{number}", "w") as file:
            file.create_dataset("x", (2**62,), "u1", chunks=(2**10,))
    with pytest.raises(ak.AkdaskError, match="claim 13,835,058,055,282,163,712 rows"):
        ak.read_hdf(str(tmp_path / "x_LOCALE*"))
