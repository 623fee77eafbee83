from __future__ import annotations

import json
import os
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from numcodecs import Blosc, Zlib

import akdask as ak
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    FileError,
    FileFormatError,
    MissingDatasetError,
    MissingFileError,
    UnsupportedError,
)
from akdask.formats.zarr.store import open_store


def by_zarr(path, values, **options):
    """Write an array by zarr itself."""
    values = np.asarray(values)
    made = zarr.create_array(str(path), shape=values.shape, dtype=values.dtype, zarr_format=2, **options)
    made[...] = values
    return str(path)


def by_hand(path, values, chunks, *, dtype, **said):
    """Write an array with chunks that are not packed, and those left out that hold 3 only."""
    os.makedirs(path)
    described = {"zarr_format": 2, "shape": values.shape, "chunks": chunks, "dtype": dtype, "fill_value": 3}
    described |= {"order": "C", "filters": None, "compressor": None, **said}
    (path / ".zarray").write_text(json.dumps(described))
    counts = [-(-length // chunk) for length, chunk in zip(values.shape, chunks, strict=True)]
    for chunk in np.ndindex(*counts):
        whole = np.full(chunks, 9, dtype)
        part = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(chunk, chunks, strict=True))]
        whole[tuple(map(slice, part.shape))] = part
        if not (part == 3).all():
            file = path / described.get("dimension_separator", ".").join(map(str, chunk))
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_bytes(whole.tobytes(described["order"]))


NUMBERS = ["i1", "u1", "<i2", "<u2", ">i4", "<u4", "<i8", ">u8", "<f2", ">f4", "<f8", "bool"]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_all_widths_are_read(tmp_path, dtype):
    values = (np.arange(1000) % 127).astype(dtype)
    found = ak.read_zarr(by_zarr(tmp_path / "a", values, chunks=(64,)))
    assert isinstance(found, ak.pdarray)
    np.testing.assert_array_equal(found.to_ndarray(), values)
    kept = {"u1": np.uint8, ">u8": np.uint64}
    wide = {"b": np.bool_, "f": np.float64, "u": np.int64, "i": np.int64}[values.dtype.kind]
    assert found.dtype == kept.get(dtype, wide)


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns"])
def test_times_become_nanoseconds(tmp_path, unit):
    times = np.array(["2001-02-03T04:05:06", "1969-12-31", "NaT"], f"M8[{unit}]")
    found = ak.read_zarr(by_zarr(tmp_path / "t", times, chunks=(2,)))
    assert isinstance(found, ak.Datetime)
    np.testing.assert_array_equal(found.to_ndarray(), times.astype("M8[ns]"))
    spans = np.array([5, -3, "NaT"], f"m8[{unit}]")
    found = ak.read_zarr(by_zarr(tmp_path / "d", spans, chunks=(2,)))
    assert isinstance(found, ak.Timedelta)
    np.testing.assert_array_equal(found.to_ndarray(), spans.astype("m8[ns]"))


def test_times_beyond_nanoseconds_are_an_error_and_no_other_time(tmp_path):
    found = ak.read_zarr(by_zarr(tmp_path / "t", np.array(["9999-01-01"], "M8[s]"), chunks=(1,)))
    with pytest.raises(FileFormatError, match="out of range"):
        found.to_ndarray()


TEXTS = ["a", "", "é", "long " * 9, "z"] * 20


@pytest.mark.parametrize("kind", ["U", "S", "O"])
def test_text_of_any_kind_is_read_as_strings(tmp_path, kind):
    texts = [text.replace("é", "e") for text in TEXTS] if kind == "S" else TEXTS
    if kind == "O":
        made = zarr.create_array(str(tmp_path / "s"), shape=(len(texts),), dtype=str, chunks=(7,), zarr_format=2)
        made[...] = np.array(texts, object)
    else:
        by_zarr(tmp_path / "s", np.array(texts, kind), chunks=(7,))
    found = ak.read_zarr(tmp_path / "s")
    assert isinstance(found, ak.Strings)
    with ak.config.set(partition_size=200):
        assert ak.read_zarr(tmp_path / "s").tolist() == texts
    assert found.tolist() == texts
    assert found[found == "z"].size == 20


def test_bytes_that_are_no_text_are_an_error(tmp_path):
    found = ak.read_zarr(by_zarr(tmp_path / "s", np.array([b"\xff\xfe"]), chunks=(1,)))
    with pytest.raises(FileFormatError, match="UTF-8"):
        found.tolist()


@pytest.mark.parametrize("compressors", [None, Blosc(cname="zstd", shuffle=2), Zlib()])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_several_dimensions_keep_their_shape(tmp_path, order, compressors):
    values = np.arange(7 * 11 * 5).reshape(7, 11, 5)
    path = by_zarr(tmp_path / "a", values, chunks=(3, 4, 2), order=order, compressors=compressors)
    for size in (2**7, 2**20):
        with ak.config.set(partition_size=size):
            found = ak.read_zarr(path)
            assert (found.base.npartitions > 20) == (size == 2**7)
            np.testing.assert_array_equal(found.to_ndarray(), values)
            assert found[3].tolist() == values[3].tolist()
            assert found.sum(axis=1).tolist() == values.sum(axis=1).tolist()


SIDES = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=1, max_size=3)


@given(
    SIDES,
    st.tuples(st.sampled_from(["<i4", "<f8", "|b1"]), st.sampled_from("CF"), st.sampled_from("./")),
    st.integers(1, 99),
    st.integers(0, 2**32),
)
def test_any_grid_is_read_in_any_partitions(tmp_path_factory, sides, layout, size, seed):
    dtype, order, separator = layout
    shape, chunks = (tuple(numbers) for numbers in zip(*sides, strict=True))
    values = np.random.default_rng(seed).integers(1, 5, shape).astype(dtype)
    values[:1] = 3  # whole chunks of it are missing
    path = tmp_path_factory.mktemp("grid") / "a"
    fill = True if dtype == "|b1" else 3
    by_hand(path, values, chunks, dtype=dtype, order=order, dimension_separator=separator, fill_value=fill)
    with ak.config.set(partition_size=8 * size):
        found = ak.read_zarr(path)
        np.testing.assert_array_equal(found.to_ndarray(), values)
        flat = found.flatten() if values.ndim > 1 else found
        start, stop = sorted(np.random.default_rng(seed).integers(0, values.size + 1, 2).tolist())
        assert flat[start:stop].tolist() == values.ravel()[start:stop].tolist()
    shutil.rmtree(path)


@pytest.mark.parametrize("count", [0, 1, 10, 64, 65])
def test_edges(tmp_path, count):
    found = ak.read_zarr(by_zarr(tmp_path / "a", np.arange(count), chunks=(64,)))
    assert found.tolist() == list(range(count))
    assert found.sum() == count * (count - 1) // 2


def test_an_array_without_dimensions_has_one_element(tmp_path):
    assert ak.read_zarr(by_zarr(tmp_path / "a", np.int64(7))).tolist() == [7]


def test_missing_chunks_are_the_fill_value(tmp_path):
    made = zarr.create_array(
        str(tmp_path / "a"), shape=(100,), chunks=(10,), dtype="f8", zarr_format=2, fill_value=np.nan
    )
    made[35:45] = 1
    found = ak.read_zarr(tmp_path / "a")
    np.testing.assert_array_equal(found.to_ndarray(), made[:])
    assert len(os.listdir(tmp_path / "a")) == 4


def test_a_store_of_arkouda_is_read(tmp_path):
    values = np.linspace(0, 1, 25).reshape(5, 5)
    path = tmp_path / "store"
    path.mkdir()
    (path / ".zarray").write_text('{"zarr_format":2, "chunks":[3,3], "dtype":"f8", "shape":[5,5]}')
    for i, j in np.ndindex(2, 2):
        whole = np.zeros((3, 3))
        part = values[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
        whole[: part.shape[0], : part.shape[1]] = part
        (path / f"{i}.{j}").write_bytes(Blosc(cname="blosclz", clevel=9, shuffle=0).encode(whole))
    found = ak.read_zarr(path, 2, "float64")
    np.testing.assert_array_equal(found.to_ndarray(), values)


def test_what_arkouda_has_to_be_told_is_checked(tmp_path):
    path = by_zarr(tmp_path / "a", np.arange(10, dtype="i4"))
    assert ak.read_zarr(path, ndim=1, dtype=ak.int64).sum() == 45
    with pytest.raises(ArgumentError, match="1 dimensions"):
        ak.read_zarr(path, 2)
    with pytest.raises(ArgumentError, match="int64"):
        ak.read_zarr(path, 1, "float64")


def group(path, **arrays):
    made = zarr.open_group(str(path), mode="w", zarr_format=2)
    for name, values in arrays.items():
        member = made.create_array(name, shape=values.shape, dtype=values.dtype, chunks=(7,) * values.ndim)
        member[...] = values
    return path


def test_a_group_gives_its_arrays_and_those_of_one_shape_are_a_frame(tmp_path):
    columns = {"a": np.arange(100), "b": np.linspace(0, 1, 100), "inner/c": np.arange(100) % 3 == 0}
    path = group(tmp_path / "g", **columns, m=np.arange(12).reshape(3, 4))
    found = ak.read(path)
    assert ak.ls(path) == list(found) == ["a", "b", "inner/c", "m"]
    assert ak.get_filetype(path) == "Zarr"
    assert found["m"].shape == (3, 4)
    df = ak.DataFrame(ak.read(path, ["a", "b", "inner/c"]))
    pd.testing.assert_frame_equal(df[df["inner/c"]].to_pandas(), pd.DataFrame(columns)[columns["inner/c"]])
    with pytest.raises(MissingDatasetError, match="'x'"):
        ak.read(path, "x")
    with pytest.raises(FileError, match="no single array"):
        ak.read_zarr(path)
    assert ak.read_zarr(tmp_path / "g" / "a").sum() == 4950


def test_arrays_of_one_length_with_other_chunks_share_their_rows(tmp_path):
    made = zarr.open_group(str(tmp_path / "g"), mode="w", zarr_format=2)
    for name, chunk in (("a", 7), ("b", 100), ("c", 13)):
        made.create_array(name, shape=(100,), dtype="i8", chunks=(chunk,))[...] = np.arange(100)
    with ak.config.set(partition_size=160):
        df = ak.DataFrame(ak.read(tmp_path / "g"))
        assert df.npartitions > 4
        assert (df["a"] + df["b"] * df["c"]).tolist() == [k + k * k for k in range(100)]


def test_partitions_are_runs_of_chunks(tmp_path):
    path = by_zarr(tmp_path / "a", np.arange(1000), chunks=(30,))
    with ak.config.set(partition_size=8 * 100):
        stored = open_store(path).objects()["array"].members["values"].source
    assert list(stored.lengths) == [90] * 10 + [100]
    part = stored.part(3, ["array"])
    assert [chunk for chunk, _ in part.columns["array"].chunks] == [(9,), (10,), (11,)]
    with pickle.loads(pickle.dumps(part)).open() as reader:
        assert reader.read("array", 5, 8).tolist() == [275, 276, 277]


def test_a_chunk_is_read_when_it_is_asked_for_and_not_before(tmp_path):
    path = by_zarr(tmp_path / "a", np.arange(100), chunks=(10,))
    (tmp_path / "a" / "7").write_bytes(b"rubbish")
    with ak.config.set(partition_size=8 * 10):
        found = ak.read_zarr(path)
        assert found[:70].sum() == 69 * 35
        with pytest.raises(FileFormatError, match="a/7"):
            found.to_ndarray()


def test_a_chunk_that_is_written_anew_is_told_of(tmp_path):
    found = ak.read_zarr(by_zarr(tmp_path / "a", np.arange(100), chunks=(10,)))
    zarr.open_array(str(tmp_path / "a"), zarr_format=2)[25] = 5
    with pytest.raises(FileError, match="has changed"):
        found.to_ndarray()
    assert ak.read_zarr(tmp_path / "a")[25] == 5


def test_other_files_of_the_folder_are_no_chunks(tmp_path):
    path = by_zarr(tmp_path / "a", np.arange(100), chunks=(10,))
    for name in ("00", "10", "-1", "1.0", "٣", "notes.txt", "9" * 30):
        (tmp_path / "a" / name).write_bytes(b"x")
    assert ak.read_zarr(path).tolist() == list(range(100))


def test_a_pickle_is_not_run(tmp_path):
    ran = tmp_path / "ran"

    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(ran),)

    path = tmp_path / "a"
    by_hand(path, np.zeros(1), (1,), dtype="<f8")
    (path / "0").write_bytes(pickle.dumps(Hostile()))
    described = json.loads((path / ".zarray").read_text())
    for change in (
        {"filters": [{"id": "pickle"}], "dtype": "|O", "fill_value": None},
        {"compressor": {"id": "pickle"}},
    ):
        (path / ".zarray").write_text(json.dumps(described | change))
        with pytest.raises(UnsupportedError, match="'pickle'"):
            ak.read_zarr(path).tolist()
    assert not ran.exists()


def test_arrays_larger_than_any_are_refused(tmp_path):
    path = tmp_path / "a"
    by_hand(path, np.zeros(1), (1,), dtype="<f8")
    described = json.loads((path / ".zarray").read_text())
    (path / ".zarray").write_text(json.dumps(described | {"shape": [2**60]}))
    with pytest.raises(FileFormatError, match="partitions"):
        ak.read_zarr(path)
    (path / ".zarray").write_text(json.dumps(described | {"chunks": [2**50]}))
    with pytest.raises(AkdaskError, match="a chunk of"):
        ak.read_zarr(path).tolist()


def test_what_is_no_store_is_told_of(tmp_path):
    with pytest.raises(MissingFileError):
        ak.read_zarr(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingFileError):
        ak.read_zarr(tmp_path / "empty")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("x")
    with pytest.raises(FileFormatError, match="no Zarr store"):
        ak.read_zarr(tmp_path / "other")
    with pytest.raises(ArgumentError, match="2 names"):
        ak.read([by_zarr(tmp_path / "a", np.arange(3)), str(tmp_path / "a")])
    (tmp_path / "a" / ".zarray").write_text(" " * 2**25)
    with pytest.raises(FileFormatError, match="bytes"):
        ak.read_zarr(tmp_path / "a")


def test_what_is_noted_may_be_anything(tmp_path):
    path = group(tmp_path / "g", a=np.arange(5))
    for noted in (
        b"[]",
        b"{",
        b'{"akdask": 3}',
        b'{"akdask": {"order": {"a": 1}}}',
        b'{"akdask": {"order": [3, "b"]}}',
    ):
        (path / ".zattrs").write_bytes(noted)
        (path / "a" / ".zattrs").write_bytes(b'{"akdask": {"kind": "IPv4"}}')
        assert ak.read(path)["a"].tolist() == list(range(5))


def test_a_store_in_a_remote_file_system_is_read(tmp_path):
    import fsspec

    by_zarr(tmp_path / "a.zarr", np.arange(100).reshape(10, 10), chunks=(4, 4))
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "a.zarr"), "/bucket/a.zarr", recursive=True)
    for found in (ak.read_zarr("memory://bucket/a.zarr"), ak.read("memory://bucket/a.zarr")["array"]):
        np.testing.assert_array_equal(found.to_ndarray(), np.arange(100).reshape(10, 10))
    memory.rm("/bucket", recursive=True)


@pytest.mark.cluster
def test_workers_of_a_cluster_read_and_write_stores(tmp_path, cluster_client):
    with ak.config.set(partition_size=8 * 1000):
        ak.to_zarr(tmp_path / "a", ak.concatenate([ak.arange(5000), ak.arange(777)]), 500)
        assert zarr.open_array(str(tmp_path / "a"), zarr_format=2)[...].sum() == 5000 * 4999 // 2 + 777 * 776 // 2
        assert ak.read_zarr(tmp_path / "a").sum() == 5000 * 4999 // 2 + 777 * 776 // 2
