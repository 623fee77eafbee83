from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, ExistsError, FileError, UnsupportedError, WriteError
from akdask.formats import tuning
from akdask.formats.zarr import write as module


def by_zarr(path, name=None):
    """Return what zarr itself reads."""
    found = zarr.open(str(path), mode="r", zarr_format=2)
    return (found if name is None else found[name])[...]


def parts(values, *bounds):
    """Return an array of several partitions."""
    return ak.concatenate([ak.array(part) for part in np.split(np.asarray(values), bounds)])


@pytest.mark.parametrize("dtype", ["i8", "u8", "f8", "bool", "uint8"])
@pytest.mark.parametrize("count", [0, 1, 10, 1000])
def test_numbers_are_read_by_zarr(tmp_path, dtype, count):
    values = (np.arange(count) % 250).astype(dtype)
    ak.to_zarr(tmp_path / "a", parts(values, count // 3, count // 2), 64)
    found = by_zarr(tmp_path / "a")
    np.testing.assert_array_equal(found, values)
    assert found.dtype == values.dtype
    assert ak.read_zarr(tmp_path / "a").tolist() == values.tolist()
    assert ak.read_zarr(tmp_path / "a").dtype == values.dtype


def test_special_floats_are_kept(tmp_path):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])
    ak.to_zarr(tmp_path / "a", ak.array(values), 2)
    assert by_zarr(tmp_path / "a").tobytes() == values.tobytes()


def test_times_addresses_and_text_are_what_they_were(tmp_path):
    times = np.array(["2001-02-03T04:05:06.000000007", "1950-01-01"], "M8[ns]")
    ak.to_zarr(tmp_path / "t", ak.Datetime(times), 1)
    np.testing.assert_array_equal(by_zarr(tmp_path / "t"), times)
    assert isinstance(ak.read_zarr(tmp_path / "t"), ak.Datetime)
    ak.to_zarr(tmp_path / "d", ak.Timedelta(np.array([5, -3], "m8[ns]")), 2)
    assert by_zarr(tmp_path / "d").tolist() == [5, -3]
    ak.to_zarr(tmp_path / "i", ak.ip_address(["1.2.3.4", "255.0.0.1"]), 2)
    assert ak.read_zarr(tmp_path / "i").tolist() == ["1.2.3.4", "255.0.0.1"]
    assert by_zarr(tmp_path / "i").tolist() == [0x01020304, 0xFF000001]
    texts = ["a", "", "é\n", "y" * 99] * 5
    ak.to_zarr(tmp_path / "s", ak.array(texts), 3)
    assert by_zarr(tmp_path / "s").tolist() == texts
    assert ak.read_zarr(tmp_path / "s").tolist() == texts


@given(
    st.lists(st.tuples(st.integers(1, 7), st.integers(1, 9)), min_size=1, max_size=3),
    st.lists(st.floats(0, 1), max_size=3),
)
def test_any_shape_is_written_in_any_chunks_from_any_partitions(tmp_path_factory, sides, cuts):
    shape, chunks = (tuple(numbers) for numbers in zip(*sides, strict=True))
    values = np.arange(np.prod(shape))
    flat = parts(values, *sorted(int(cut * values.size) for cut in cuts))
    path = tmp_path_factory.mktemp("any") / "a"
    ak.to_zarr(path, flat.reshape(shape) if len(shape) > 1 else flat, chunks)
    found = zarr.open_array(str(path), mode="r", zarr_format=2)
    assert found.chunks == chunks
    np.testing.assert_array_equal(found[...], values.reshape(shape))
    np.testing.assert_array_equal(ak.read_zarr(path).to_ndarray(), values.reshape(shape))


def test_columns_become_a_group_in_their_order(tmp_path):
    frame = pd.DataFrame({"b": np.arange(100), "a": np.linspace(0, 1, 100), "s": [f"t{k}" for k in range(100)]})
    ak.save_all(ak.DataFrame(frame), tmp_path / "g.zarr", file_format="zarr")
    for name in frame:
        np.testing.assert_array_equal(by_zarr(tmp_path / "g.zarr", name), frame[name].to_numpy())
    pd.testing.assert_frame_equal(ak.DataFrame(ak.read(tmp_path / "g.zarr")).to_pandas(), frame, check_dtype=False)


def test_objects_of_other_lengths_and_shapes_go_into_one_group(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "ZARR_CHUNK", 16)
    flat = parts(np.arange(100), 30, 31)
    columns = {"flat": flat, "grid": flat.reshape(10, 10), "more": flat * 2, "few": ak.arange(3), "none": ak.arange(0)}
    ak.save_all(columns, tmp_path / "g", file_format="zarr")
    assert by_zarr(tmp_path / "g", "flat").tolist() == list(range(100))
    assert by_zarr(tmp_path / "g", "grid").tolist() == np.arange(100).reshape(10, 10).tolist()
    assert by_zarr(tmp_path / "g", "more").tolist() == list(range(0, 200, 2))
    assert by_zarr(tmp_path / "g", "few").tolist() == [0, 1, 2]
    assert by_zarr(tmp_path / "g", "none").tolist() == []
    assert list(ak.read(tmp_path / "g")) == list(columns)


def test_a_store_is_replaced_as_a_whole(tmp_path):
    ak.to_zarr(tmp_path / "a", ak.arange(1000), 10)
    ak.to_zarr(tmp_path / "a", ak.arange(5), 10)
    assert sorted(os.listdir(tmp_path / "a")) == [".akdask", ".zarray", "0"]
    assert os.listdir(tmp_path) == ["a"]
    ak.save_all({"x": ak.arange(3)}, tmp_path / "a", file_format="zarr")
    assert ak.read(tmp_path / "a")["x"].tolist() == [0, 1, 2]


def test_a_store_can_be_written_over_the_one_it_is_made_of(tmp_path):
    ak.to_zarr(tmp_path / "a", ak.arange(1000), 10)
    ak.to_zarr(tmp_path / "a", ak.read_zarr(tmp_path / "a") + 1, 100)
    assert ak.read_zarr(tmp_path / "a").tolist() == list(range(1, 1001))


@pytest.mark.parametrize("failing", ["write", "commit"])
def test_what_was_there_stays_if_a_write_fails(tmp_path, monkeypatch, failing):
    ak.to_zarr(tmp_path / "a", ak.arange(100), 10)
    before = {name: (tmp_path / "a" / name).read_bytes() for name in os.listdir(tmp_path / "a")}

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.ZarrWriter, "_write_file" if failing == "write" else "_describe", full)
    with pytest.raises(WriteError, match="space"):
        ak.to_zarr(tmp_path / "a", ak.arange(50), 10)
    assert {name: (tmp_path / "a" / name).read_bytes() for name in os.listdir(tmp_path / "a")} == before
    assert os.listdir(tmp_path) == ["a"]


def test_what_an_error_of_the_rows_leaves_is_what_was_there(tmp_path):
    (tmp_path / "x.csv").write_text("a\n" + "1\n" * 200_000 + "x\n")
    with pytest.raises(FileError, match="not of its type"):
        ak.to_zarr(tmp_path / "a", ak.read_csv(tmp_path / "x.csv", dtypes="int64")["a"], 10)
    assert os.listdir(tmp_path) == ["x.csv"]


def test_only_stores_are_replaced(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("x")
    ak.to_zarr(tmp_path / "a", ak.arange(100), 10)
    (tmp_path / "a" / "thesis.txt").write_text("x")
    for name in ("file", "folder", "a"):
        with pytest.raises(ExistsError, match="no Zarr store"):
            ak.to_zarr(tmp_path / name, ak.arange(3), 10)
    assert (tmp_path / "a" / "thesis.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("array", "chunks", "error"),
    [
        (ak.arange(3), 0, ArgumentError),
        (ak.arange(3), (1, 2), ArgumentError),
        (ak.arange(6).reshape(2, 3), 2, ArgumentError),
        (ak.arange(3), 2**40, ArgumentError),
        (ak.arange(3), "3", ArgumentTypeError),
        (ak.arange(3), None, ArgumentTypeError),
        (ak.arange(3), 1.5, ArgumentTypeError),
        ([1, 2], 2, ArgumentTypeError),
        (ak.array([2**70]), 2, UnsupportedError),
        (ak.SegArray(ak.array([0, 1]), ak.arange(3)), 2, UnsupportedError),
        (ak.Categorical(ak.array(["a"])), 2, UnsupportedError),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, array, chunks, error):
    with pytest.raises(error):
        ak.to_zarr(tmp_path / "a", array, chunks)
    assert not os.listdir(tmp_path)


def test_stores_are_not_added_to_nor_written_to_urls(tmp_path):
    with pytest.raises(UnsupportedError, match="all of them"):
        ak.save_all({"a": ak.arange(3)}, tmp_path / "a", file_format="zarr", mode="append")
    with pytest.raises(UnsupportedError, match="this machine"):
        ak.to_zarr("memory://bucket/a", ak.arange(3), 2)
    for name in (".zarray", "..", "a/b"):
        with pytest.raises(ArgumentError, match="no name"):
            ak.save_all({name: ak.arange(3)}, tmp_path / "a", file_format="zarr")


@pytest.mark.slow
def test_only_a_part_of_the_rows_is_in_memory_at_a_time(tmp_path):
    array = parts(np.arange(10_000), 3333, 5000)
    with ak.config.set(partition_size=8 * 1000):
        writer = module.ZarrWriter(tmp_path / "a", [array._storable().spec("array")], npartitions=3, chunk_shape=1000)
        assert writer.cut(["array"], 10_000) == [3000, 3000, 4000]
