from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import akdask as ak
from akdask.cli import main
from akdask.columns.dtypes import column_type
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    FileFormatError,
    MissingDatasetError,
    MissingFileError,
    UnsupportedError,
)
from akdask.storage import registry as formats
from akdask.storage.files import identify, written_path
from akdask.storage.locales import locale_files, locale_path
from akdask.storage.manifest import manifest_path
from akdask.storage.objects import VALUES, ObjType, StoredColumn, StoredObject
from akdask.storage.recovery import settled
from akdask.storage.registry import Format, format_named, format_of
from akdask.storage.source import PartReader
from akdask.storage.transaction import FileTransaction

# ------------------------------------------- a format: files of `numpy.save`, one structured array for each partition


class NpyPart(PartReader):
    def __init__(self, path, nrows):
        self.path, self.nrows = path, nrows

    def open(self):
        return self

    def read(self, column, start, stop, out=None):
        rows = np.load(self.path, mmap_mode="r")[column][start:stop]
        target = np.empty(len(rows), rows.dtype) if out is None else out[: len(rows)]
        target[:] = rows
        return target


class NpySet:  # is its only source, too: all columns have the same rows
    def __init__(self, paths):
        heads = [np.load(path, mmap_mode="r") for path in paths]
        self.paths, self.label, self.token = paths, f"npy({paths[0]!r})", repr([identify(path) for path in paths])
        self.columns = {name: column_type(heads[0].dtype[name]) for name in heads[0].dtype.names}
        self.lengths = [len(head) for head in heads]
        self.kinds = dict.fromkeys(self.columns, ObjType.PDARRAY)

    def objects(self, names=None):
        for name in set(names or ()) - set(self.kinds):
            raise MissingDatasetError(f"{self.label} has no {name!r}.")
        chosen = self.kinds if names is None else names
        return {name: StoredObject(name, ObjType.PDARRAY, {VALUES: StoredColumn(self, name)}) for name in chosen}

    def part(self, index, columns):
        return NpyPart(self.paths[index], self.lengths[index])

    def bounds(self, column):
        return None


class NpyWriter:
    def __init__(self, path, specs, npartitions):
        self.path, self.specs, self.npartitions = written_path(path), specs, npartitions
        self.targets = [locale_path(self.path, index) for index in range(npartitions)]
        self.staging = FileTransaction(self.path)
        self.begin, self.abort = self.staging.create, self.staging.discard

    def write(self, index, table, tables=None):
        name = os.path.basename(self.targets[index])
        columns = {spec.name: table.columns[spec.members[VALUES]] for spec in self.specs}
        rows = np.empty(table.nrows, [(name, column.dtype) for name, column in columns.items()])
        for member, column in columns.items():
            rows[member] = column
        attempt = self.staging.attempt(name)
        with open(attempt, "wb") as file:
            np.save(file, rows)
        return self.staging.finish(attempt, name), self.targets[index]

    def commit(self, receipts):
        self.staging.commit(receipts, sorted(set(locale_files(self.path)) - set(self.targets)))
        return self.targets


class Npy(Format):
    name, signatures = "NumPy", (b"\x93NUMPY",)

    def open(self, filenames):
        return settled(filenames, NpySet)

    def writer(self, path, specs, *, npartitions, mode="truncate", file_type="distribute", overwrite=False):
        if (mode, file_type) != ("truncate", "distribute"):
            raise UnsupportedError("NumPy files are written as new sets.")
        return NpyWriter(path, specs, npartitions)


# ----------------------------------------------------------------------------------------------------- what it serves

A, X = np.arange(1000) % 7, np.linspace(0, 1, 1000)


@pytest.fixture
def npy():
    formats.register(Npy())
    yield "numpy"
    formats.unregister("NumPy")


@pytest.fixture
def written(tmp_path, npy):
    path = tmp_path / "set.npy"
    columns = {
        name: ak.concatenate([ak.array(part[:400]), ak.array(part[400:])])
        for name, part in zip("ax", (A, X), strict=True)
    }
    ak.save_all(columns, path, file_format=npy)
    assert len(locale_files(str(path))) == 2
    return path


def test_a_format_takes_no_more_than_60_lines():
    parts = (NpyPart, NpySet, NpyWriter, Npy)
    lines = [line for part in parts for line in inspect.getsource(part).splitlines() if line.strip()]
    assert len(lines) <= 60


def test_a_registered_format_is_written_with_numpy_s_own_reader_to_check(written):
    rows = np.concatenate([np.load(path) for path in locale_files(str(written))])
    np.testing.assert_array_equal(rows["a"], A)
    np.testing.assert_array_equal(rows["x"], X)
    assert not [name for name in os.listdir(written.parent) if name.startswith(".")]


@pytest.mark.parametrize("file_format", ["INFER", "numpy"])
def test_a_registered_format_is_read_and_filtered(written, file_format):
    df = ak.DataFrame.load(written, file_format)
    assert df[df["a"] == 3]["x"].sum() == pytest.approx(X[A == 3].sum())
    assert ak.load_all(written, file_format)["a"].tolist() == A.tolist()
    assert ak.load(written, file_format, dataset="x")["x"].tolist() == X.tolist()
    assert ak.GroupBy(df["a"]).sum(df["a"])[1].tolist() == [7 * 0] + [
        number * (number == A).sum() for number in range(1, 7)
    ]


def test_functions_on_files_find_a_registered_format(written):
    files = f"{written.parent}/set_LOCALE*"
    assert ak.ls(files) == ak.get_datasets(files) == ["a", "x"]
    assert ak.get_filetype(files) == "NumPy"
    assert ak.read(files, "a", calc_string_offsets=True)["a"].tolist() == A.tolist()
    data, names = ak.read_tagged_data(files)
    assert data["x"].tolist() == X.tolist()
    assert names.tolist() == locale_files(str(written))


def test_arrays_are_saved_in_a_registered_format(tmp_path, npy):
    ak.arange(10).save(tmp_path / "y.npy", "n", file_format="NUMPY")
    (path,) = locale_files(str(tmp_path / "y.npy"))
    assert np.load(path)["n"].tolist() == list(range(10))
    with pytest.raises(UnsupportedError, match="new sets"):
        ak.arange(10).save(tmp_path / "y.npy", "m", mode="append", file_format=npy)
    with pytest.raises(UnsupportedError, match="compression"):
        ak.arange(10).save(tmp_path / "y.npy", "n", file_format=npy, compression="gzip")


def test_commands_take_a_registered_format(written, tmp_path, capsys):
    assert main(["ls", str(written)]) == 0
    assert "pdarray" in capsys.readouterr().out
    assert main(["head", "-n", "3", "-o", "a", str(written)]) == 0
    assert capsys.readouterr().out.split() == ["a", "0", "1", "2", "…", "997", "more", "rows"]
    assert main(["convert", "--num-locales", "3", str(written), str(tmp_path / "z.h5")]) == 0
    assert ak.load_all(tmp_path / "z.h5")["x"].tolist() == X.tolist()
    assert main(["convert", "--format", "numpy", str(tmp_path / "z.h5"), str(tmp_path / "back.npy")]) == 0
    assert [len(np.load(path)) for path in locale_files(str(tmp_path / "back.npy"))] == [334, 333, 333]
    assert main(["convert", "--format", "nothing", str(tmp_path / "z.h5"), str(tmp_path / "w")]) == 2


def test_formats_of_other_packages_are_found_by_their_entry_points(written, monkeypatch):
    formats.unregister("NumPy")
    point = SimpleNamespace(name="npy", value="other.package:FORMAT", load=Npy)
    broken = SimpleNamespace(name="broken", value="other:FORMAT", load=lambda: 1 / 0)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [broken, point] if group == "akdask.formats" else []
    )
    formats._load_entry_points.cache_clear()
    with pytest.warns(RuntimeWarning, match=r"'broken' of 'other:FORMAT' cannot be loaded: division"):
        assert ak.load_all(written)["a"].tolist() == A.tolist()
    assert format_named("numpy").name == "NumPy"
    formats._load_entry_points.cache_clear()


def test_what_no_one_has_registered_is_told_with_all_that_is(written, tmp_path):
    formats.unregister("NumPy")
    try:
        with pytest.raises(FileFormatError, match=r"none of HDF5, Parquet, CSV"):
            ak.load_all(written)
        with pytest.raises(ArgumentError, match=r"'numpy'(.|\n)*'HDF5'"):
            ak.load_all(written, "numpy")
        with pytest.raises(ArgumentTypeError, match="int"):
            ak.load_all(written, 3)
    finally:
        formats.register(Npy())


def test_a_format_without_reader_is_recognized_only(tmp_path):
    class Sketch(Format):
        name, signatures = "Sketch", (b"SKETCH",)

    formats.register(Sketch())
    try:
        (tmp_path / "p").write_bytes(b"SKETCH of a file")
        for read in (ak.read, ak.ls, ak.load_all):
            with pytest.raises(UnsupportedError, match=r"p' is a Sketch file"):
                read(tmp_path / "p")
        with pytest.raises(UnsupportedError, match=r"'Sketch' cannot be written"):
            ak.save_all({"a": ak.arange(3)}, tmp_path / "q", file_format="sketch")
    finally:
        formats.unregister("Sketch")


@pytest.mark.slow
@pytest.mark.parametrize("has_manifest", [False, True])
def test_the_library_of_a_format_is_loaded_with_the_first_file_that_no_manifest_describes(tmp_path, has_manifest):
    ak.arange(3).to_hdf(tmp_path / "x")
    if not has_manifest:
        Path(manifest_path(str(tmp_path / "x"))).unlink()
    program = (
        "import sys, akdask as ak\n"
        "assert 'h5py' not in sys.modules\n"
        f"ak.load({str(tmp_path / 'x')!r})\n"
        f"assert ('h5py' in sys.modules) == {not has_manifest}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -------------------------------------------------------------------------------------------------------- first bytes


@pytest.mark.parametrize(
    ("first", "name"),
    [(b"\x89HDF\r\n\x1a\nrest", "HDF5"), (b"PAR1rest", "Parquet"), (b"**HEADER**\n", "CSV")],
)
def test_the_first_bytes_tell_the_type_whatever_the_extension(tmp_path, first, name):
    path = tmp_path / "x.csv"
    path.write_bytes(first)
    assert format_of(str(path)).name == name


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"ARROW1\0\0....", b"\x89HDF"])
def test_other_content_is_refused(tmp_path, content):
    path = tmp_path / "x.h5"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.h5"):
        format_of(str(path))


def test_a_missing_file_is_missing_and_a_folder_cannot_be_read(tmp_path):
    with pytest.raises(MissingFileError):
        format_of(str(tmp_path / "none"))
    with pytest.raises(FileFormatError):
        format_of(str(tmp_path))


# --------------------------------------------------------------------------------------------- sets that are folders


class Boxes(Format):
    name, folder_signatures, extensions = "Boxes", ("box.txt",), (".box",)

    def open(self, filenames):
        raise FileFormatError(f"opened {filenames!r}")


@pytest.fixture
def boxes():
    formats.register(Boxes())
    yield
    formats.unregister("Boxes")


def test_a_folder_is_a_set_of_the_format_whose_file_it_has(tmp_path, boxes):
    (tmp_path / "box.txt").write_text("x")
    assert ak.get_filetype(tmp_path) == ak.get_filetype([tmp_path]) == "Boxes"
    with pytest.raises(FileFormatError, match="opened"):
        ak.read(tmp_path)


def test_other_folders_are_those_of_files(tmp_path, boxes, npy):
    ak.save_all({"a": ak.arange(3)}, tmp_path / "x.npy", file_format=npy)
    assert ak.get_filetype(tmp_path) == "NumPy"
    assert ak.read(tmp_path)["a"].tolist() == [0, 1, 2]


def test_remote_folders_are_looked_into_by_their_extension(boxes):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe({"/bucket/a.box/box.txt": b"x", "/bucket/b/box.txt": b"x"})
    try:
        assert formats.format_of_folder("memory://bucket/a.box").name == "Boxes"
        assert formats.format_of_folder("memory://bucket/b") is None
    finally:
        memory.rm("/bucket", recursive=True)
