"""Several processes or threads at one set: writers, and readers while it is replaced."""

import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import dask
import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.columns.dtypes import INT64
from akdask.columns.table import Table
from akdask.errors import AkdaskError, ExistsError, FileError, WriteError
from akdask.formats.hdf5.inspect import inspect_file
from akdask.formats.hdf5.new_file import SetWriter
from akdask.storage.files import identify
from akdask.storage.locales import locale_files
from akdask.storage.objects import ObjectSpec, ObjType
from akdask.testing.strategies import partitioned
from tests.atomic.scenarios import visible

pytestmark = pytest.mark.filterwarnings("ignore:.*existing files.*were replaced")


def rows(generation):
    """Return the values of one generation: all the same, and as many as no other has."""
    return np.full(20 + generation, generation)


def write(path, generation, npartitions=None):
    count = npartitions or 1 + generation % 4
    lengths = [len(part) for part in np.array_split(rows(generation), count)]
    ak.to_hdf({"x": partitioned(rows(generation), lengths), "y": partitioned(rows(generation), lengths)}, path)


def assert_one_generation(found):
    x, y = (found[name].to_ndarray() for name in ("x", "y"))
    np.testing.assert_array_equal(x, rows(x[0]))
    np.testing.assert_array_equal(y, rows(x[0]))


def test_of_writers_at_once_one_wins_whole_and_others_are_told(tmp_path):
    path = tmp_path / "set.h5"
    told = []

    def race(generation):
        try:
            write(path, generation)
        except WriteError as error:
            told.append(str(error))

    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("ignore", UserWarning)
        for start in range(0, 20, 4):
            list(pool.map(race, range(start, start + 4)))
            assert_one_generation(ak.load_all(path))
    assert all("another write of it is under way" in text and "Hint: " in text for text in told)
    assert visible(tmp_path) == sorted(os.path.basename(path) for path in locale_files(str(path)))


def test_a_write_during_another_is_refused_with_its_process_and_a_hint(tmp_path):
    write(tmp_path / "set.h5", 1)
    writer = SetWriter(
        tmp_path / "set.h5", [ObjectSpec("x", ObjType.PDARRAY, {"values": "x"}, dtype=INT64)], npartitions=1
    )
    writer.begin()
    with pytest.raises(WriteError, match="another write of it is under way") as caught:
        write(tmp_path / "set.h5", 2)
    assert f"process {os.getpid()} on " in caught.value.details[0]
    assert "wait for it to end" in caught.value.hint
    writer.commit([writer.write(0, Table({"x": np.arange(3)}, 3))])
    assert ak.load(tmp_path / "set.h5", dataset="x")["x"].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_a_reader_finds_one_generation_or_is_told_while_the_set_is_replaced(tmp_path):
    path = tmp_path / "set.h5"
    write(path, 0)
    ended = threading.Event()
    read, told = 0, []

    def rewrite():
        try:
            for generation in range(1, 25):
                write(path, generation)
        finally:
            ended.set()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(rewrite)
        while not ended.is_set():
            try:
                assert_one_generation(ak.load_all(path))
                read += 1
            except FileError as error:
                told.append(str(error))
        writer.result()
    assert_one_generation(ak.load_all(path))
    assert read
    # The second: a partition that the new set does not have.
    assert [text for text in told if "has changed since it was opened" not in text and "any more" not in text] == []


def test_who_has_the_old_set_open_is_told_that_it_changed(tmp_path):
    write(tmp_path / "set.h5", 1, 2)
    old = ak.load_all(tmp_path / "set.h5")
    write(tmp_path / "set.h5", 2, 2)
    with pytest.raises(FileError, match="has changed since it was opened"):
        old["x"].to_ndarray()
    assert_one_generation(ak.load_all(tmp_path / "set.h5"))


def test_a_file_that_is_replaced_between_looking_and_opening_is_told_of(tmp_path):
    write(tmp_path / "set.h5", 1, 1)
    before = identify(str(tmp_path / "set_LOCALE0000.h5"))
    write(tmp_path / "set.h5", 2, 1)
    with pytest.raises(FileError, match="has changed since it was opened"):
        inspect_file(before)


def test_a_compressed_file_that_is_replaced_while_it_is_read_is_told_of(tmp_path, monkeypatch):
    path = tmp_path / "set_LOCALE0000.h5"
    for name, value in ((path, 1), (tmp_path / "new", 2)):
        with h5py.File(name, "w") as file:
            file.create_dataset("x", data=np.full(10, value), compression="gzip")
    x = ak.read_hdf(path)["x"]
    open_file = os.open

    def replaced_after_opening(name, flags, *rest, **options):
        descriptor = open_file(name, flags, *rest, **options)
        if name == str(path) and (tmp_path / "new").exists():
            os.replace(tmp_path / "new", path)
        return descriptor

    monkeypatch.setattr(os, "open", replaced_after_opening)
    with pytest.raises(FileError, match="has changed since it was opened"):
        x.to_ndarray()


def test_files_that_others_change_while_objects_are_added_are_not_replaced(tmp_path):
    write(tmp_path / "set.h5", 1, 2)
    writer = SetWriter(
        tmp_path / "set.h5",
        [ObjectSpec("z", ObjType.PDARRAY, {"values": "z"}, dtype=INT64)],
        npartitions=2,
        mode="append",
    )
    writer.begin()
    receipts = [writer.write(index, Table({"z": np.arange(3)}, 3)) for index in range(2)]
    with h5py.File(tmp_path / "set_LOCALE0001.h5", "r+") as file:
        file["added by a server"] = np.arange(5)
    with pytest.raises(WriteError, match="changed while objects were added") as caught:
        writer.commit(receipts)
    assert caught.value.details == (str(tmp_path / "set_LOCALE0001.h5"),)
    assert ak.get_datasets(tmp_path / "set_LOCALE0001.h5") == ["x", "y", "added by a server"]
    assert visible(tmp_path) == ["set_LOCALE0000.h5", "set_LOCALE0001.h5"]


def test_a_refused_append_leaves_nothing_and_keeps_nobody_off(tmp_path):
    write(tmp_path / "set.h5", 1, 2)
    for _ in range(2):
        with pytest.raises(ExistsError):
            partitioned(rows(2), [10, 12]).to_hdf(tmp_path / "set.h5", "x", mode="append")
    assert visible(tmp_path) == ["set_LOCALE0000.h5", "set_LOCALE0001.h5"]


@pytest.mark.cluster
def test_a_worker_that_is_killed_in_the_middle_of_a_write_is_replaced_or_the_old_set_stays(tmp_path):
    from distributed import Client, LocalCluster

    write(tmp_path / "set.h5", 1, 2)
    new = partitioned(np.arange(64_000), [1000] * 64)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def kill_once_a_file_is_written():
            while not list(tmp_path.glob(".set.h5.akdask-write/*/*_LOCALE*.h5")):
                time.sleep(0.001)
            os.kill(victim, 9)

        killer = threading.Thread(target=kill_once_a_file_is_written, daemon=True)
        killer.start()
        with client.as_current(), dask.config.set(scheduler="distributed"):
            try:
                ak.to_hdf({"x": new, "y": new}, tmp_path / "set.h5")
                expected = np.arange(64_000)
            except AkdaskError:
                expected = rows(1)
        killer.join()
    np.testing.assert_array_equal(ak.load_all(tmp_path / "set.h5")["x"].to_ndarray(), expected)
    assert not [name for name in visible(tmp_path) if name.startswith(".")]
