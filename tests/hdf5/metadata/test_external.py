"""No bytes of other files are read: neither through links nor as external storage nor as virtual datasets."""

import os

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.hdf5.file_set import open_set
from akdask.storage.objects import ObjType

SECRET = list(b"a secret")


@pytest.fixture
def folder(tmp_path):
    """A folder with a set, beside a file that is none of it."""
    folder = tmp_path / "set"
    folder.mkdir()
    for path in (tmp_path / "secret", folder / "inside"):
        path.write_bytes(bytes(SECRET))
    for path in (tmp_path / "secret.h5", folder / "inside.h5"):
        with h5py.File(path, "w") as file:
            file["x"] = np.frombuffer(bytes(SECRET), "u1")
    (folder / "linked").symlink_to("../secret")
    (folder / "linked.h5").symlink_to("../secret.h5")
    (folder / "alias").symlink_to("inside")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def path(folder):
    return folder / "x.h5"


def write_external(path, *names):
    with h5py.File(path, "w") as file:
        size = len(SECRET)
        file.create_dataset("x", (size * len(names),), "u1", external=[(str(name), 0, size) for name in names])
        file["y"] = np.arange(3)


def write_virtual(path, name, dataset="x"):
    layout = h5py.VirtualLayout((len(SECRET),), "u1")
    layout[:] = h5py.VirtualSource(str(name), dataset, (len(SECRET),))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("x", layout)
        file["y"] = np.arange(3)


@pytest.mark.parametrize("write", [write_external, write_virtual])
def test_data_in_other_files_is_listed_and_refused(path, write, read_column):
    write(path, "/etc/passwd")
    files = open_set(path)
    assert files.kinds == {"x": ObjType.PDARRAY, "y": ObjType.PDARRAY}
    assert read_column(files.select(["y"])["y"].members["values"]) == [0, 1, 2]
    with pytest.raises(UnsupportedError, match=r"'x'.*other files[\s\S]*ak\.config\.set\(external_files=True\)"):
        files.select(["x"])
    with pytest.warns(RuntimeWarning, match=r"leaves out[\s\S]*'x': keeps its data in other files"):
        assert list(files.select()) == ["y"]


def test_members_in_other_files_are_refused_too(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("s/values", (4,), "u1", external=[("/etc/passwd", 0, 4)])
        file["s/segments"] = np.array([0])
        file["t/values"] = np.frombuffer(b"abc\0", "u1")
        file.create_dataset("t/segments", (1,), "i8", external=[("/etc/passwd", 0, 8)])
    for name in "st":
        with pytest.raises(UnsupportedError, match="external_files"):
            open_set(path).select([name])


@pytest.mark.parametrize("name", ["inside", "alias", "./inside"])
def test_external_storage_below_the_folder_is_read_if_allowed(path, folder, name, monkeypatch):
    monkeypatch.chdir("/")
    write_external(path, name, folder / "inside")
    with ak.config.set(external_files=True):
        assert ak.read_hdf(path, "x")["x"].tolist() == SECRET * 2
    with pytest.raises(UnsupportedError):
        ak.read_hdf(path, "x")


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret", "../set/inside", "linked", "absent", "pipe", "."])
def test_external_storage_elsewhere_is_refused_even_then(path, name):
    write_external(path, name)
    with ak.config.set(external_files=True), pytest.raises(FileFormatError, match=r"not below the folder|is no file"):
        ak.read_hdf(path, "x")["x"].tolist()


def test_virtual_datasets_of_files_below_the_folder_are_read_if_allowed(path, folder, monkeypatch):
    monkeypatch.chdir("/")
    write_virtual(folder / "between.h5", "inside.h5")
    write_virtual(path, "between.h5")
    with ak.config.set(external_files=True):
        assert ak.read_hdf(path, "x")["x"].tolist() == SECRET


@pytest.mark.parametrize("name", ["../secret.h5", "linked.h5", "absent.h5", "pipe", "in%%b.h5", "stolen.h5", "led.h5"])
def test_virtual_datasets_of_other_files_are_refused_even_then(path, folder, name):
    write_external(folder / "stolen.h5", "../secret")
    with h5py.File(folder / "led.h5", "w") as file:
        file["x"] = h5py.ExternalLink("../secret.h5", "/x")
    write_virtual(path, name)
    with ak.config.set(external_files=True), pytest.raises(FileFormatError, match="'x'"):
        ak.read_hdf(path, "x")["x"].tolist()


def test_virtual_datasets_of_each_other_come_to_an_end(path, folder):
    write_virtual(path, "other.h5")
    write_virtual(folder / "other.h5", "x.h5")
    with ak.config.set(external_files=True), pytest.raises(FileFormatError, match="without end"):
        ak.read_hdf(path, "x")["x"].tolist()


def test_links_out_of_the_file_are_listed_and_refused(path, read_column):
    with h5py.File(path, "w") as file:
        file["outside"] = h5py.ExternalLink("inside.h5", "x")
        file["group"] = h5py.ExternalLink("inside.h5", "/")
        file["through"] = h5py.SoftLink("/group/x")
        file["twice"] = h5py.SoftLink("through")
        file["nothing"] = h5py.SoftLink("/absent")
        file["round"] = h5py.SoftLink("/round")
        file["x"] = np.arange(5)
        file["alias"] = h5py.SoftLink("/./x")
        file["second"] = h5py.SoftLink("alias")
        file["type"] = np.dtype("i4")
    files = open_set(path)
    assert set(files.kinds) == {"outside", "group", "through", "twice", "nothing", "round", "x", "alias", "second"}
    for name in ("outside", "group", "through", "twice", "nothing", "round"):
        with pytest.raises(UnsupportedError, match=rf"'{name}'.* is a link "):
            files.select([name])
    for name in ("x", "alias", "second"):
        assert read_column(files.select([name])[name].members["values"]) == [0, 1, 2, 3, 4]


def test_links_to_pipes_are_not_opened(path):
    with h5py.File(path, "w") as file:
        file["outside"] = h5py.ExternalLink("pipe", "x")
        file["through"] = h5py.SoftLink("/outside/x")
        file["x"] = np.arange(2)
    assert ak.read_hdf(path, "x")["x"].tolist() == [0, 1]


@pytest.mark.parametrize("chunks", [None, (2,)])
def test_members_that_are_links_out_of_the_file_are_not_passed_over(path, folder, chunks):
    with h5py.File(folder / "inside.h5", "a") as file:
        file["segments"] = np.array([0, 3])
    with h5py.File(path, "w") as file:
        file.create_dataset("s/values", data=np.frombuffer(b"ab\0c\0", "u1"), chunks=chunks)
        file["s/segments"] = h5py.ExternalLink("inside.h5", "segments")
    files = open_set(path)
    with pytest.warns(RuntimeWarning, match=r"'s/segments': .*link to another file"):
        assert list(files.select()) == ["s/values"]
    with pytest.raises(UnsupportedError, match=r"'s/segments'.*link to another file"):
        files.select(["s/segments"])


def test_links_inside_the_file_lead_to_chunked_data_too(path, read_set):
    with h5py.File(path, "w") as file:
        file.create_dataset("a/b/x", data=np.arange(9), chunks=(2,))
        file["g"] = h5py.SoftLink("/a/b")
        file["s"] = h5py.SoftLink("g/x")
    with h5py.File(path) as file:
        assert file["s"][8] == 8
    assert open_set(path).select(["s"])["s"].members["values"].source.lengths == (9,)
    assert ak.read_hdf(path, "s")["s"].tolist() == list(range(9))
