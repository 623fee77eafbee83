"""What users do wrong with files: an error of akdask that names the file, and says what to do, in each format."""

import os
import shutil

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, FileError, MissingDatasetError, MissingFileError, WriteError

VALUES = np.arange(1000)

WRITERS = {
    "set.h5": lambda array, path: array.to_hdf(path, "x"),
    "set.parquet": lambda array, path: array.to_parquet(path, "x"),
    "set.csv": lambda array, path: array.to_csv(path, "x", overwrite=True),
    "set.zarr": lambda array, path: ak.to_zarr(path, array, 100),
}
READERS = {"set.h5": ak.read_hdf, "set.parquet": ak.read_parquet, "set.csv": ak.read_csv, "set.zarr": ak.read_zarr}


def stored(name):
    """Return the name of the file, or the folder, that holds what is written under a name."""
    return name if name == "set.zarr" else name.replace(".", "_LOCALE0000.")


def cut(path):
    size = os.path.getsize(path)
    os.truncate(path, size // 2 if path.endswith(".csv") else size - 9)


READING = {
    "a name of nothing": lambda read, path: read("nothing"),
    "a pattern of nothing": lambda read, path: read("nothing*"),
    "no name": lambda read, path: read([]),
    "an empty name": lambda read, path: read(""),
    "a folder without files": lambda read, path: read("empty"),
    "a name below a file": lambda read, path: read(f"{path}/x"),
    "a file without bytes": lambda read, path: read("zero"),
    "a file of another kind": lambda read, path: read("bytes"),
    "files of several kinds": lambda read, path: read([stored(name) for name in READERS]),
}


@pytest.fixture(params=READERS)
def name(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for each, write in WRITERS.items():
        write(ak.array(VALUES), each)
    os.mkdir("empty")
    open("zero", "wb").close()
    with open("bytes", "wb") as file:
        file.write(bytes(range(256)) * 4)
    return request.param


def test_errors_of_reading_say_where_and_what_to_do(name):
    read, path = READERS[name], stored(name)
    for how, act in READING.items():
        with pytest.raises(AkdaskError) as caught:
            act(read, path)
        assert caught.value.hint, how
        if "nothing" in how:
            assert isinstance(caught.value, MissingFileError)
            assert "nothing" in str(caught.value)
    for other in READERS:
        if other != name:
            with pytest.raises(FileError) as caught:
                read(stored(other))
            assert stored(other) in str(caught.value)
            assert caught.value.hint
    if name != "set.zarr":
        with pytest.raises(MissingDatasetError, match=r"'other'(.|\n)*x(.|\n)*Hint"):
            read(path, "other")


@pytest.mark.lazy_only
def test_errors_of_files_that_changed_say_where_and_what_to_do(name):
    found = READERS[name](stored(name))
    x = found if name == "set.zarr" else found["x"]
    file = f"{stored(name)}/0" if name == "set.zarr" else stored(name)
    shutil.copy(file, "whole")
    for change in (cut, os.unlink):
        change(file)
        with pytest.raises(FileError) as caught:
            x.tolist()
        assert file in str(caught.value)
        assert caught.value.hint
        shutil.copy("whole", file)


def test_errors_of_writing_say_where_and_what_to_do(name):
    write, array = WRITERS[name], ak.array(VALUES)
    extension = name.rpartition(".")[2]
    for path in ("zero/x", "/proc/x", "x" * 300):
        with pytest.raises(ArgumentError if "proc" in path else WriteError, match=path[:20]) as caught:
            write(array, f"{path}.{extension}")
        assert caught.value.hint
    assert sorted(os.listdir()) == sorted(["bytes", "empty", "zero", *map(stored, READERS), *manifests()])


def manifests():
    return [entry for entry in os.listdir() if entry.startswith(".set") and entry.endswith(".akdask")]
