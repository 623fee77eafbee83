from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.errors import ExistsError, FileError, InconsistentFilesError, MissingFileError, WriteError
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.parquet.footers import ParquetManifest
from akdask.storage.files import identify_all
from akdask.storage.objects import VALUES, ObjectSpec, ObjType
from akdask.storage.staged_writer import FileReceipt, StagedWriter

SPEC = ObjectSpec("x", ObjType.PDARRAY, {VALUES: "x"})


def content(path):
    return Path(path).read_text()


class LineWriter(StagedWriter[FileReceipt]):
    """Files of a line with the name of an object, and a line with its numbers."""

    noun = "lines"
    library_errors = (ZeroDivisionError,)

    def write(self, index, table, tables=None):
        with self._errors_naming(self._target_of(index)):
            attempt = self._staging.attempt(self._names[index])
            with open(attempt, "w") as file:
                if self._added_to:
                    file.write(content(self._added_to[index].path))
                file.write(f"{self.specs[0].name}\n{' '.join(str(12 // x) for x in table.columns['x'].tolist())}\n")
            self._staging.finish(attempt, self._names[index])
        return FileReceipt(index)

    def _join(self, staged, target, receipts, old):
        with open(target, "w") as file:
            file.writelines(content(part) for part in staged)

    def _names_in(self, file):
        return content(file.path).split("\n")[::2]


def rows(*values):
    return Table({"x": np.array(values, np.int64)}, len(values))


def written(path, *parts, specs=(SPEC,), **options):
    writer = LineWriter(path, specs, npartitions=len(parts), **options)
    writer.begin()
    sent = pickle.loads(pickle.dumps(writer))
    return writer.commit([sent.write(index, rows(*part)) for index, part in enumerate(parts)])


def test_a_set_has_a_file_for_each_partition(tmp_path):
    files = written(tmp_path / "x.txt", [1], [], [2, 3])
    assert [os.path.basename(file) for file in files] == [f"x_LOCALE000{n}.txt" for n in range(3)]
    assert [content(file) for file in files] == ["x\n12\n", "x\n\n", "x\n6 4\n"]
    assert sorted(os.listdir(tmp_path)) == [os.path.basename(file) for file in files]


@pytest.mark.parametrize(("parts", "text"), [([[1]], "x\n12\n"), ([[1], [2]], "x\n12\nx\n6\n")])
def test_a_single_file_has_the_rows_of_all_partitions(tmp_path, parts, text):
    assert written(tmp_path / "x.txt", *parts, file_type="single") == [str(tmp_path / "x.txt")]
    assert (tmp_path / "x.txt").read_text() == text


def test_fewer_files_replace_more_with_a_warning(tmp_path):
    written(tmp_path / "x.txt", [1], [2], [3])
    with pytest.warns(UserWarning, match="3 existing files"):
        written(tmp_path / "x.txt", [4])
    assert os.listdir(tmp_path) == ["x_LOCALE0000.txt"]


def test_objects_are_added_to_the_files_that_are_there(tmp_path):
    written(tmp_path / "x.txt", [1], [2])
    other = ObjectSpec("y", ObjType.PDARRAY, {VALUES: "x"})
    files = written(tmp_path / "x.txt", [3], [4], specs=(other,), mode="append")
    assert [content(file) for file in files] == ["x\n12\ny\n4\n", "x\n6\ny\n3\n"]


@pytest.mark.parametrize(
    ("parts", "options", "error", "text"),
    [
        ([[1], [2]], {}, ExistsError, "lines of these names exist already"),
        ([[1]], {}, InconsistentFilesError, "has 2 files, the lines to add have 1 partitions"),
    ],
)
def test_what_cannot_be_added_is_refused_at_the_start(tmp_path, parts, options, error, text):
    written(tmp_path / "x.txt", [1], [2])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(error, match=text):
        written(tmp_path / "x.txt", *parts, mode="append", **options)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_set_that_is_not_there_cannot_be_updated(tmp_path):
    with pytest.raises(MissingFileError, match="no set"):
        written(tmp_path / "x.txt", [1], mode="append", overwrite=True)
    assert os.listdir(tmp_path) == []


def test_a_commit_without_all_partitions_leaves_what_was_there(tmp_path):
    written(tmp_path / "x.txt", [1], [2])
    writer = LineWriter(tmp_path / "x.txt", [SPEC], npartitions=2)
    writer.begin()
    receipt = writer.write(1, rows(3))
    with pytest.raises(WriteError, match=r"partitions \[0\] are missing"):
        writer.commit([receipt])
    assert [(tmp_path / f"x_LOCALE000{n}.txt").read_text() for n in range(2)] == ["x\n12\n", "x\n6\n"]
    assert len(os.listdir(tmp_path)) == 2


def test_files_that_change_while_they_are_added_to_are_not_replaced(tmp_path):
    written(tmp_path / "x.txt", [1])
    writer = LineWriter(
        tmp_path / "x.txt", [ObjectSpec("y", ObjType.PDARRAY, {VALUES: "x"})], npartitions=1, mode="append"
    )
    writer.begin()
    receipt = writer.write(0, rows(2))
    (tmp_path / "x_LOCALE0000.txt").write_text("other\n1 2 3\n")
    with pytest.raises(WriteError, match="changed while lines were added"):
        writer.commit([receipt])
    assert (tmp_path / "x_LOCALE0000.txt").read_text() == "other\n1 2 3\n"


def test_errors_of_the_library_name_the_file(tmp_path):
    writer = LineWriter(tmp_path / "x.txt", [SPEC], npartitions=1)
    writer.begin()
    with pytest.raises(WriteError, match=r"x_LOCALE0000\.txt"):
        writer.write(0, rows(0))
    writer.abort()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["hdf", "parquet"])
def test_sets_of_joined_files_have_manifests(kind, tmp_path):
    numbers = np.arange(20_000)
    with ak.config.set(partition_size=8000):
        source = {"n": numbers, "s": numbers.astype(str)}
        ak.to_parquet({name: ak.array(values) for name, values in source.items()}, tmp_path / "from", num_locales=10)
        given = ak.read_parquet(str(tmp_path / "from_LOCALE*"))
        (ak.to_hdf if kind == "hdf" else ak.to_parquet)(given, tmp_path / "to", num_locales=2)
    files = identify_all([str(tmp_path / f"to_LOCALE000{number}") for number in range(2)])
    manifest = HdfManifest if kind == "hdf" else ParquetManifest
    told = manifest.told(files)
    assert set(told.in_place) == {file.path for file in files}
    assert not told.lost
    found = (ak.read_hdf if kind == "hdf" else ak.read_parquet)(str(tmp_path / "to_LOCALE*"))
    assert found["n"].tolist() == numbers.tolist()
    assert found["s"].tolist() == source["s"].tolist()
    os.unlink(tmp_path / "to_LOCALE0001")
    with pytest.raises(FileError, match="to_LOCALE0001"):
        ak.read(str(tmp_path / "to_LOCALE*"))
