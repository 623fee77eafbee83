"""Rows become samples in files, with their list, all at once."""

from __future__ import annotations

import errno
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import dask.array as da
import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, FileError, WriteError
from akdask.lbann import Dataset, read_list, write_samples
from akdask.lbann.errors import LbannWarning
from akdask.lbann.schema import load

X = np.arange(60.0).reshape(10, 2, 3)
Y = np.arange(10, dtype=np.int16)
SCHEMA = load("x:\nin:\n  y:\n")


@pytest.mark.parametrize(("per_file", "sizes"), [(None, [10]), (4, [4, 4, 2]), (5, [5, 5]), (100, [10])])
def test_any_number_of_samples_go_into_a_file(tmp_path, per_file, sizes):
    made = write_samples({"x": X, "in/y": Y}, tmp_path / "t.h5", per_file=per_file, parent="RUN_ID")
    assert read_list(made.sample_list).included.tolist() == sizes
    rows = []
    for path in made.files:
        with h5py.File(path) as file:
            for name, group in file["RUN_ID"].items():
                assert group["x"].shape == (2, 3)
                assert group["in/y"].dtype == np.int16
                np.testing.assert_array_equal(group["x"][()], X[int(name)])
                rows.append(int(group["in/y"][()]))
    assert rows == Y.tolist()


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"x": np.arange(10.0), "in/y": Y}, index=list("jihgfedcba")),
        {"x": da.arange(10.0, chunks=3), "in/y": da.from_array(Y, chunks=4)},
        {"x": list(range(10)), "in/y": Y},
    ],
    ids=["pandas", "dask", "lists"],
)
def test_columns_of_all_kinds_are_rows(tmp_path, data):
    made = write_samples(data, tmp_path / "t.h5", per_file=3)
    found = Dataset(made.sample_list, SCHEMA).to_numpy()
    assert found["x"][:, 0].tolist() == list(range(10))


def test_samples_go_to_arkouda_and_parquet_and_back(tmp_path):
    ids = [f"0.0.96.7.{k % 4}:{k}" for k in range(10)]
    made = write_samples({"x": X, "in/y": Y}, tmp_path / "t.h5", per_file=3, ids=ids, parent="RUN")
    ds = Dataset(made.sample_list, SCHEMA)
    ds.to_hdf(tmp_path / "set.h5")
    ds.to_parquet(tmp_path / "set.parquet")
    assert (tmp_path / "set_LOCALE0000.h5").exists()
    sets = (
        (ak.DataFrame(ak.read_hdf(str(tmp_path / "set_LOCALE*.h5"))), "."),
        (ak.DataFrame(ak.read_parquet(str(tmp_path / "set*.parquet"))), "/"),
    )
    for back, separator in sets:
        again = write_samples(back, tmp_path / "back.h5", per_file=4, ids="sample", separator=separator)
        assert [sample for _, sample in again.samples] == [f"RUN/{one}" for one in ids]
        found = Dataset(again.sample_list, SCHEMA).to_numpy()
        np.testing.assert_array_equal(found["x"], X.reshape(10, 6))
        assert found["in/y"][:, 0].tolist() == Y.tolist()


def test_ids_are_a_column_if_they_are_asked_for(tmp_path):
    made = write_samples({"x": X, "in/y": Y}, tmp_path / "t.h5", per_file=3)
    ds = Dataset(made.sample_list, SCHEMA)
    frame = ds.subset([7, 2]).to_frame(["in/y"], ids="id")
    assert (list(frame.columns), frame["id"].tolist()) == (["id", "in/y"], ["000000007", "000000002"])
    assert frame[frame["id"] == "000000002"]["in/y"].tolist() == [Y[2]]
    assert list(ds.to_frame(["in/y"]).columns) == ["in/y"]
    for convert in (lambda: ds.to_frame(ids="x"), lambda: ds.to_parquet(tmp_path / "p", ids="in/y")):
        with pytest.raises(AkdaskError, match="another name"):
            convert()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ids": ["a", "b", "a"]}, "'a' is given 2 times"),
        ({"ids": ["a", "b"]}, "3 IDs"),
        ({"ids": "z"}, "no column 'z'"),
        ({"ids": [1, 2.5, 3]}, r"IDs are text or integers(.|\n)*2\.5"),
        ({"ids": [True, False, 1]}, "IDs are text or integers"),
        ({"separator": "."}, "two columns"),
    ],
)
def test_ids_and_names_that_do_not_do_are_refused(tmp_path, options, said):
    data = {"a.b": np.arange(3), "a/b": np.arange(3)}
    with pytest.raises(AkdaskError, match=said):
        write_samples(data, tmp_path / "t.h5", **options)
    assert not list(tmp_path.iterdir())


def test_ids_may_come_again_in_another_file(tmp_path):
    made = write_samples({"x": X[:4]}, tmp_path / "t.h5", per_file=2, ids=["a", "b", "a", "b"])
    found = Dataset(made.sample_list, load("x:\n")).to_numpy()["x"]
    np.testing.assert_array_equal(found, X[:4].reshape(4, 6))


def test_text_bool_and_half_floats_are_stored_as_what_is_read(tmp_path):
    data = {"t": np.array(["a", "βb"]), "b": np.array([True, False]), "h": np.array([0.5, 1], "f2")}
    made = write_samples(data, tmp_path / "t.h5")
    found = Dataset(made.sample_list, load("t:\nb:\nh:\n")).to_numpy()
    assert found["t"][:, 0].tolist() == ["a", "βb"]
    assert (found["b"].dtype, found["h"].dtype) == (np.uint8, np.float32)


def test_integers_are_ids_and_times_are_numbers_in_their_unit(tmp_path):
    times = pd.to_datetime(["2024-01-01", "2024-01-02"], utc=True)
    days = np.array(["1970-01-03", "1970-01-04"], "M8[D]")
    made = write_samples(pd.DataFrame({"t": times, "id": [7, 12]}), tmp_path / "t.h5", ids="id")
    assert [sample for _, sample in made.samples] == ["7", "12"]
    assert Dataset(made.sample_list, load("t:\n")).to_numpy()["t"][:, 0].tolist() == times.asi8.tolist()
    made = write_samples({"d": days}, tmp_path / "d.h5", ids=np.array([3, 1], np.uint8))
    assert Dataset(made.sample_list, load("d:\n")).to_numpy()["d"][:, 0].tolist() == [2, 3]


@pytest.mark.parametrize("lists", [{"x": [[1, 2], [3]]}, pd.DataFrame({"x": [[1, 2], [3]]})])
def test_lists_of_several_lengths_are_refused_with_a_hint(tmp_path, lists):
    with pytest.raises(AkdaskError, match="length"):
        write_samples(lists, tmp_path / "t.h5")


def test_small_samples_lie_compactly(tmp_path):
    made = write_samples({"x": np.zeros((1000, 6), "f4"), "y": np.arange(1000)}, tmp_path / "t.h5")
    assert os.path.getsize(made.files[0]) < 1000 * 850
    with h5py.File(made.files[0]) as file:
        assert file["000000999/y"][()] == 999
        assert file["000000999/y"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT


def test_processes_write_the_files_of_many_samples(tmp_path, monkeypatch):
    data = {"x": X, "in/y": Y, "name": np.array([f"n{row}" for row in range(10)])}
    (tmp_path / "one").mkdir()
    one = write_samples(data, tmp_path / "one" / "t.h5", per_file=3)
    monkeypatch.setattr("akdask.lbann.tuning.SAMPLES_OF_PROCESSES", 1)
    monkeypatch.setattr("akdask.lbann.write.CPU_COUNT", 2)
    many = write_samples(data, tmp_path / "t.h5", per_file=3)
    assert list(many.samples) == [(path.replace("one/", ""), sample) for path, sample in one.samples]
    for name, file in product(("x", "in/y", "name"), range(4)):
        with h5py.File(many.files[file]) as found, h5py.File(one.files[file]) as wanted:
            for sample in wanted:
                np.testing.assert_array_equal(found[f"{sample}/{name}"][()], wanted[f"{sample}/{name}"][()])
    old = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if name != "one"}
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    with pytest.raises(WriteError, match="has ended"):
        write_samples({"x": X + 1}, tmp_path / "t.h5", per_file=3)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if name != "one"} == old


def test_a_second_write_replaces_the_first(tmp_path):
    write_samples({"x": X}, tmp_path / "t.h5", per_file=2)
    write_samples({"x": X}, tmp_path / "t.h5", per_file=6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.samples", "t_0000.h5", "t_0001.h5"]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("call", ["make", "write", "copy", "close", "list", "sync", "rename", "folder"])
def test_a_disk_that_takes_no_more_leaves_the_old_samples_and_nothing_in_the_way(tmp_path, monkeypatch, number, call):
    made = write_samples({"x": X}, tmp_path / "t.h5", per_file=4)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    failed = OSError(number, os.strerror(number))
    # What HDF5 raises where it notices only when it closes the file.
    late = RuntimeError(f"Can't decrement id ref count (file write failed: errno = {number}, error message = 'no')")

    def failing(*arguments, **options):
        raise late if call == "close" else failed

    with monkeypatch.context() as patch:
        match call:
            case "make":
                patch.setattr(h5py, "File", failing)
            case "write":
                patch.setattr("akdask.formats.hdf5.sample_files._FieldWriter.write", failing)
            case "copy":
                patch.setattr("akdask.formats.tuning.HDF5_SAMPLES_BY_PATTERN", 1)
                patch.setattr(os, "pwrite", failing)
            case "close":
                patch.setattr("akdask.formats.hdf5.sample_files._FieldWriter.write", failing)
            case "list":
                patch.setattr("akdask.lbann.sample_list.SampleList.write_aside", failing)
            case "sync":
                patch.setattr(os, "fsync", failing)
            case "rename":
                patch.setattr(os, "replace", failing)
            case "folder":
                patch.setattr(os, "mkdir", failing)
        with pytest.raises(WriteError, match=re.escape(os.strerror(number))) as found:
            write_samples({"x": X + 1}, tmp_path / "t.h5", per_file=3)
    assert str(tmp_path) in str(found.value)
    assert "akdask-write" not in str(found.value)
    assert found.value.hint
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    np.testing.assert_array_equal(Dataset(made.sample_list, load("x:\n")).to_numpy()["x"], X.reshape(10, 6))
    write_samples({"x": X + 1}, tmp_path / "t.h5", per_file=3)
    np.testing.assert_array_equal(Dataset(made.sample_list, load("x:\n")).to_numpy()["x"], X.reshape(10, 6) + 1)


def test_errors_of_what_is_computed_are_not_taken_for_those_of_a_disk(tmp_path):
    def fails(block):
        raise RuntimeError("errno is no matter here")

    with pytest.raises(RuntimeError, match="no matter"):
        write_samples({"x": da.from_array(X, chunks=2).map_blocks(fails, dtype=float)}, tmp_path / "t.h5")
    assert not list(tmp_path.iterdir())


def test_samples_that_were_moved_are_replaced_whole(tmp_path):
    (tmp_path / "a").mkdir()
    write_samples({"x": X}, tmp_path / "a" / "t.h5", per_file=2)
    (tmp_path / "a").rename(tmp_path / "b")
    write_samples({"x": X}, tmp_path / "b" / "t.h5")
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["t.samples", "t_0000.h5"]


def test_nothing_is_written_when_something_is_wrong(tmp_path):
    good = write_samples({"x": X}, tmp_path / "t.h5")
    before = sorted(tmp_path.iterdir()), Path(good.files[0]).read_bytes()
    for data, options in [
        ({}, {}),
        ({"a": [1, 2], "b": [1]}, {}),
        ({"metadata": [1]}, {}),
        ({"a/../b": [1]}, {}),
        ({"a": np.array([object()])}, {}),
        ({"a": [1j]}, {}),
        ({"a": [1, 2]}, {"ids": ["s"]}),
        ({"a": [1, 2]}, {"ids": ["s", "s"]}),
        ({"a": [1, 2]}, {"ids": ["s", "a b"]}),
        ({"a": [1]}, {"per_file": 0}),
        (3, {}),
        ({"x": da.from_array(X, chunks=2).map_blocks(lambda block: block / "a", dtype=float)}, {"per_file": 3}),
    ]:
        with pytest.raises((AkdaskError, TypeError)):
            write_samples(data, tmp_path / "t.h5", **options)
    assert (sorted(tmp_path.iterdir()), Path(good.files[0]).read_bytes()) == before
    with pytest.raises(AkdaskError):
        write_samples({"x": X}, tmp_path / "no" / "t.h5")


@pytest.mark.parametrize("options", [{}, {"prefetch": 0}, {"on_error": "skip"}])
def test_a_data_set_does_not_mix_samples_with_those_that_replace_them(tmp_path, options):
    data = {"x": X, "in/y": Y}
    made = write_samples(data, tmp_path / "t.h5", per_file=4)
    ds = Dataset(made.sample_list, SCHEMA)
    batches = iter(ds.batches(2, **options))
    assert next(batches)["x"][:, 0].tolist() == [0, 6]
    os.chmod(made.sample_list, 0o600)
    assert ds[9]["x"][0] == 54
    write_samples({"x": X + 1, "in/y": Y}, tmp_path / "t.h5", per_file=4)
    with pytest.raises(FileError, match="has changed since it was read") as caught:
        list(batches), list(ds.batches(2, **options))
    assert "open the data set again" in caught.value.hint
    for look in (lambda: ds[9], ds[2:].to_numpy, lambda: ds[:2].split(0.5)[0][0]):
        with pytest.raises(FileError, match="has changed since it was read"):
            look()
    assert Dataset(made.sample_list, SCHEMA)[0]["x"][0] == 1


def test_a_data_set_is_read_without_its_list(tmp_path):
    made = write_samples({"x": X, "in/y": Y}, tmp_path / "t.h5", per_file=4)
    ds = Dataset(made.sample_list, SCHEMA)
    sent = pickle.loads(pickle.dumps(ds))
    os.unlink(made.sample_list)
    assert ds[1]["x"][0] == 6
    Path(made.sample_list).write_text("another on this machine")
    assert sent[1]["x"][0] == 6


def test_lists_of_several_lengths_are_written_with_a_hint(tmp_path):
    lists = ak.SegArray(ak.array([0, 2, 3]), ak.array([1, 2, 3, 4, 5, 6]))
    with pytest.warns(LbannWarning, match="'a' have 1 to 3 elements.*pad them"):
        write_samples({"a": lists}, tmp_path / "s.h5")
    with h5py.File(tmp_path / "s_0000.h5") as file:
        assert [file[name]["a"][()].tolist() for name in file] == [[1, 2], [3], [4, 5, 6]]


KILLED = """
import numpy as np
from akdask.lbann import tuning, write_samples
tuning.SAMPLES_OF_PROCESSES = 10
print("begins", flush=True)
write_samples({{"x": np.zeros((40_000, 4))}}, {path!r}, per_file=2_000)
"""


def test_a_writer_that_is_killed_leaves_nothing_half_written(tmp_path):
    path = str(tmp_path / "s.h5")
    with subprocess.Popen([sys.executable, "-c", KILLED.format(path=path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(500):
            if any(tmp_path.rglob("*.h5*")):
                break
            time.sleep(0.02)
        process.kill()
    assert [name for name in os.listdir(tmp_path) if not name.startswith(".")] == []
    write_samples({"x": np.zeros(3)}, path)
    assert len(read_list(tmp_path / "s.samples")) == 3
