"""``akdask convert`` of more than may be in memory, into any number of files of any format.  References are raw."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

import akdask as ak
from akdask.cli import main
from akdask.formats import tuning

FILES, ROWS = 24, 2**17
"""Each file has 1 MiB, and so has each partition."""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a folder with a set of some files."""
    folder = tmp_path_factory.mktemp("large")
    for number in range(FILES):
        with h5py.File(folder / f"x_LOCALE{number:04d}.h5", "w") as file:
            file["a"] = np.arange(ROWS) + number * ROWS
    return folder


def peak(function):
    """Return the most bytes that NumPy and Arrow have held at a time while a function ran."""
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)


def read_csv(folder, name):
    return pd.read_csv(folder / name, skiprows=3)["a"].to_numpy()


READERS = {
    "o.h5": lambda folder: h5py.File(folder / "o_LOCALE0000.h5")["a"][:],
    "o.parquet": lambda folder: pq.read_table(folder / "o_LOCALE0000.parquet")["a"].to_numpy(),
    "o.csv": lambda folder: read_csv(folder, "o_LOCALE0000.csv"),
    "o.zarr": lambda folder: zarr.open_array(str(folder / "o.zarr/a"), zarr_format=2)[...],
}


@pytest.mark.parametrize("out", READERS)
def test_a_file_is_made_with_some_partitions_of_it_in_memory(large, out, monkeypatch):
    monkeypatch.chdir(large)
    monkeypatch.setattr(tuning, "ZARR_CHUNK", ROWS)
    with ak.config.set(partition_size=8 * ROWS, spare_memory=0):
        found = peak(lambda: main(["convert", "x", out, "--num-locales=1"]))
    assert found < FILES * ROWS * 8 // 2
    np.testing.assert_array_equal(READERS[out](large), np.arange(FILES * ROWS))


N = 1000
FRAME = pd.DataFrame(
    {
        "i": np.arange(N) * 7 - 50,
        "f": np.linspace(-1, 1, N) ** 3,
        "b": np.arange(N) % 3 == 0,
        "s": [f'text {k % 17}, "é"' if k % 5 else "" for k in range(N)],
    }
)


def first_files(folder):
    """Write a set of five files of unequal rows, raw."""
    for number, (start, stop) in enumerate([(0, 10), (10, 10), (10, 400), (400, 999), (999, N)]):
        part = FRAME[start:stop]
        texts = [text.encode() + b"\0" for text in part["s"]]
        with h5py.File(folder / f"0_LOCALE{number:04d}.h5", "w", libver="earliest") as file:
            for name in "if":
                file[name] = part[name].to_numpy()
            file["b"] = part["b"].to_numpy().astype(np.uint8)
            file["b"].attrs["isBool"] = 1
            file["s/values"] = np.frombuffer(b"".join(texts), np.uint8)
            file["s/segments"] = np.cumsum([0, *map(len, texts)])[:-1].astype(np.int64)


def frame_of(paths):
    """Return the rows of files, without akdask."""
    found = []
    for path in paths:
        if path.suffix == ".h5":
            with h5py.File(path) as file:
                columns = {name: file[name][:] for name in "ifb"}
                columns["s"] = [text.decode() for text in file["s/values"][:].tobytes().split(b"\0")[:-1]]
            part = pd.DataFrame(columns)
        elif path.suffix == ".parquet":
            part = pq.read_table(path).to_pandas()
        elif path.suffix == ".csv":
            part = pd.read_csv(path, skiprows=3, keep_default_na=False)
        else:
            group = zarr.open_group(str(path), zarr_format=2, mode="r")
            part = pd.DataFrame({name: group[name][...] for name in FRAME})
        found.append(part.astype({"b": bool, "s": object}))
    return pd.concat(found, ignore_index=True)[list(FRAME)]


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("size", [800, 2**27])
@pytest.mark.parametrize("count", [1, 3, 7])
def test_any_format_becomes_any_other_in_any_number_of_files(tmp_path, monkeypatch, size, count):
    monkeypatch.chdir(tmp_path)
    first_files(tmp_path)
    steps = [
        "0.h5",
        "1.parquet",
        "2.csv",
        "3.zarr",
        "4.parquet",
        "5.h5",
        "6.zarr",
        "7.csv",
        "8.h5",
        "9.csv",
        "a.parquet",
    ]
    with ak.config.set(partition_size=size):
        for source, out in pairwise(steps):
            assert main(["convert", source, out, "--num-locales", str(count)]) == 0
            stem, _, extension = out.partition(".")
            paths = [tmp_path / out] if extension == "zarr" else sorted(tmp_path.glob(f"{stem}_LOCALE*"))
            assert len(paths) == (1 if extension == "zarr" else count)
            pd.testing.assert_frame_equal(frame_of(paths), FRAME.astype({"s": object}))


def test_files_have_the_rows_that_servers_give_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first_files(tmp_path)
    with ak.config.set(partition_size=800):
        assert main(["convert", "0.h5", "1.h5", "--num-locales", "3"]) == 0
    lengths = [len(h5py.File(path)["i"]) for path in sorted(tmp_path.glob("1_LOCALE*"))]
    assert lengths == [334, 333, 333]


def test_objects_of_all_kinds_are_joined(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers = [2**70 + k if k % 2 else k for k in range(60)]
    lists = [[f"{k}", "é"][: k % 3] for k in range(60)]
    texts = [f"t{k % 7}" for k in range(60)]
    starts = np.cumsum([0, *map(len, lists)])[:-1]
    objects = {
        "big": ak.array(numbers),
        "cat": ak.Categorical(ak.array(texts)),
        "lists": ak.SegArray(ak.array(starts), ak.array([text for texts in lists for text in texts])),
        "text": ak.array(texts),
        "few": ak.arange(3),
    }
    ak.to_hdf(objects, "x.h5", num_locales=12)
    with ak.config.set(partition_size=8):
        assert main(["convert", "x.h5", "y.h5", "--num-locales", "2"]) == 0
    found = ak.read_hdf("y.h5")
    assert found["big"].tolist() == numbers
    assert found["cat"].tolist() == found["text"].tolist() == texts
    assert [list(item) for item in found["lists"].tolist()] == lists
    assert found["few"].tolist() == [0, 1, 2]
    assert main(["validate", "y.h5"]) == 0


def test_compressed_csv_is_converted_and_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("x.csv.gz", index=False)
    argv = ["convert", "--input-format", "csv", "x.csv.gz", "y.csv", "--num-locales", "1", "--compression", "gzip"]
    assert main(argv) == 0
    found = pd.read_csv("y_LOCALE0000.csv", skiprows=3, compression="gzip", keep_default_na=False)
    pd.testing.assert_frame_equal(found, FRAME)
