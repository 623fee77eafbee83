"""Paths that name no files to be written are refused, whoever writes."""

import os
import shutil
import warnings

import pandas as pd
import pytest

import akdask as ak
from akdask.cli import main
from akdask.errors import ArgumentError


def save_checkpoint(path):
    a = ak.arange(3)
    assert a.size == 3
    ak.save_checkpoint("c", path)


def snapshot(path):
    a = ak.arange(3)
    assert a.size == 3
    ak.snapshot(path)


WRITERS = {
    "array": lambda path: ak.arange(3).to_hdf(path),
    "array, single": lambda path: ak.arange(3).to_hdf(path, file_type="single"),
    "array, appended": lambda path: ak.arange(3).to_hdf(path, mode="append"),
    "save": lambda path: ak.arange(3).save(path),
    "update": lambda path: ak.arange(3).update_hdf(path),
    "to_hdf": lambda path: ak.to_hdf({"x": ak.arange(3)}, path),
    "save_all": lambda path: ak.save_all({"x": ak.arange(3)}, path),
    "update_hdf": lambda path: ak.update_hdf({"x": ak.arange(3)}, path),
    "update_parquet": lambda path: ak.update_parquet({"x": ak.arange(3)}, path),
    "strings": lambda path: ak.array(["a"]).to_hdf(path),
    "frame": lambda path: ak.DataFrame({"x": ak.arange(3)}).to_hdf(path),
    "frame, saved": lambda path: ak.DataFrame({"x": ak.arange(3)}).save(path),
    "snapshot": snapshot,
    "export": lambda path: ak.export("set.h5", write_file=path),
    "import": lambda path: ak.import_data("pandas.h5", path),
}
FOLDERS = ["", " ", ".", "..", "dir/", "dir/.", "dir/..", "new/", "/"]
DEVICES = ["/dev/null", "/dev/x.h5", "/proc/x.h5", "/dev/../dev/x.h5", "to_devices/x.h5"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder of a set and a file of pandas'."""
    made = tmp_path_factory.mktemp("made")
    ak.arange(3).to_hdf(str(made / "set.h5"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pd.DataFrame({"n": [1]}).to_hdf(made / "pandas.h5", key="a")
        except ImportError:
            pytest.fail("PyTables is not installed; pip install 'akdask[test]'")
    return made


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    os.mkdir("dir")
    os.symlink("/dev", "to_devices")
    return tmp_path


@pytest.mark.parametrize("path", [*FOLDERS, *DEVICES])
@pytest.mark.parametrize("writer", WRITERS)
def test_folders_and_devices_are_no_targets(folder, writer, path):
    before, beside = listed(folder), set(os.listdir(folder.parent))
    with pytest.raises(ArgumentError) as caught:
        WRITERS[writer](path)
    assert caught.value.hint
    assert listed(folder) == before
    assert set(os.listdir(folder.parent)) == beside
    assert not [name for name in os.listdir("/dev") if "_LOCALE" in name or "akdask" in name]


def listed(folder):
    return sorted(os.path.join(root, name) for root, *names in os.walk(folder) for group in names for name in group)


def test_checkpoints_are_not_written_to_devices(folder):
    for path in ("/dev", "to_devices"):
        with pytest.raises(ArgumentError, match="devices"):
            save_checkpoint(path)
    assert not os.path.exists("/dev/c")


@pytest.mark.parametrize("path", ["", ".", "dir/", "/dev/x.h5"])
def test_the_command_line_refuses_them_too(folder, path, capsys):
    before = listed(folder)
    assert main(["convert", "set.h5", path]) != 0
    assert "Hint: " in capsys.readouterr().err
    assert listed(folder) == before


def test_files_in_memory_are_files(folder):
    if not os.access("/dev/shm", os.W_OK):
        pytest.fail("no folder /dev/shm to write to")
    path = f"/dev/shm/akdask-{os.getpid()}.h5"
    try:
        ak.arange(3).to_hdf(path, "x", file_type="single")
        assert ak.read_hdf(path)["x"].tolist() == [0, 1, 2]
    finally:
        os.unlink(path)


def test_remote_targets_are_refused_as_such(folder):
    with pytest.raises(ArgumentError, match="memory://"):
        ak.arange(3).to_hdf("memory://x/")
