from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass

import pyarrow as pa
import pytest

from akdask.storage.files import FileIdentity, identify
from akdask.storage.manifest import ManifestRows, Told, by_set, manifest_path, read_manifest, rows_batch, write_manifest


@dataclass(frozen=True)
class Counted:
    """A file with a number that is known of it; files of one unit are made alike."""

    file: FileIdentity
    unit: str
    count: int


class CountManifest(ManifestRows[Counted]):
    key = b"count"

    def __init__(self, batch, *, original=False):
        super().__init__(batch, original=original)
        self._counts = batch["count"].to_pylist()

    @classmethod
    def to_batch(cls, files):
        units = sorted({each.unit for each in files})
        counts = {"count": pa.array([each.count for each in files], pa.int64())}
        return rows_batch(
            cls.key, [each.file for each in files], units, [units.index(each.unit) for each in files], counts
        )

    def describe(self, file, row):
        count = self._counts[row]
        return None if count < 0 else Counted(file, self._schemas_read[self._schema_of[row]], count)


@pytest.fixture
def files(tmp_path):
    for number in range(3):
        (tmp_path / f"x_LOCALE000{number}.txt").write_text("x" * number)
    found = [identify(str(tmp_path / f"x_LOCALE000{number}.txt")) for number in range(3)]
    # A time of modification counts only once the clock of the file system is past it.
    for file in found:
        os.utime(file.path, ns=(time.time_ns() - 10**9,) * 2)
    return [identify(file.path) for file in found]


def write(tmp_path, described):
    CountManifest.write(manifest_path(str(tmp_path / "x.txt")), described)


def test_files_are_described_as_they_were_written(tmp_path, files):
    told = [Counted(file, "ab"[number % 2], number) for number, file in enumerate(files)]
    write(tmp_path, told)
    assert CountManifest.described(files) == dict(zip(files, told, strict=True))


def test_nothing_is_told_of_a_file_that_has_changed_nor_of_one_whose_row_cannot_be(tmp_path, files):
    told = [Counted(file, "a", -1 if number == 1 else 5) for number, file in enumerate(files)]
    write(tmp_path, told)
    (tmp_path / "x_LOCALE0002.txt").write_text("other")
    assert list(CountManifest.described([*files[:2], identify(files[2].path)])) == files[:1]


def test_a_file_that_is_newer_than_the_clock_is_not_described(tmp_path, files):
    os.utime(files[0].path, ns=(time.time_ns() + 10**12,) * 2)
    files = [identify(files[0].path), *files[1:]]
    write(tmp_path, [Counted(file, "a", 1) for file in files])
    assert list(CountManifest.described(files)) == files[1:]


def test_files_that_the_manifest_names_and_a_pattern_matches_are_lost_if_they_are_gone(tmp_path, files):
    write(tmp_path, [Counted(file, "a", 1) for file in files])
    os.remove(files[2].path)
    pattern = re.compile(re.escape(str(tmp_path)) + r"/x_LOCALE.*")
    assert CountManifest.told(files[:2], [pattern]).lost == [files[2].path]
    assert CountManifest.told(files[:2], []).lost == []
    assert CountManifest.told(files[:2], [re.compile("elsewhere")]).lost == []


def test_a_manifest_that_knows_none_of_the_files_loses_none(tmp_path, files):
    write(tmp_path, [Counted(file, "a", 1) for file in files])
    os.remove(files[2].path)
    for file in files[:2]:
        (tmp_path / os.path.basename(file.path)).write_text("rewritten")
    now = [identify(file.path) for file in files[:2]]
    assert CountManifest.told(now, [re.compile(".*")]) == Told({}, {}, [])


@pytest.mark.light
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("name", pa.array([b"x_LOCALE0000.txt", b"x_LOCALE0000.txt", b"x_LOCALE0002.txt"], pa.binary())),
        ("name", pa.array([b"x_LOCALE0000.txt", b"../x_LOCALE0001.txt", b"x_LOCALE0002.txt"], pa.binary())),
        ("name", pa.array([b"x_LOCALE0000.txt", b"..", b"x_LOCALE0002.txt"], pa.binary())),
        ("made", pa.array([0, -1, 0], pa.int32())),
    ],
)
def test_a_table_that_cannot_be_of_files_is_no_manifest(tmp_path, files, column, values):
    write(tmp_path, [Counted(file, "a", 1) for file in files])
    path = manifest_path(str(tmp_path / "x.txt"))
    batch = read_manifest(path)
    index = batch.schema.get_field_index(column)
    write_manifest(path, batch.set_column(index, batch.schema.field(column), values))
    assert CountManifest.described(files) == {}


def test_a_manifest_of_another_format_tells_nothing(tmp_path, files):
    batch = CountManifest.to_batch([Counted(file, "a", 1) for file in files])
    write_manifest(manifest_path(str(tmp_path / "x.txt")), batch.replace_schema_metadata({b"other": b"[]"}))
    assert CountManifest.described(files) == {}


def test_only_local_files_of_sets_have_manifests(files):
    other = FileIdentity("/d/alone.txt", 1, "v")
    remote = FileIdentity("s3://b/x_LOCALE0000.txt", 1, "v")
    assert list(by_set([*files, other, remote]).values()) == [files]
