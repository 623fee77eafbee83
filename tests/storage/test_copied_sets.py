"""What a manifest tells of files that were copied, changed, lost or replaced: the table of `docs/formats.md`."""

import os
import shutil
import warnings
from functools import partial

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.cli import main
from akdask.errors import AkdaskError, FileFormatError, InconsistentFilesError
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.parquet.footers import ParquetManifest
from akdask.storage.files import identify
from akdask.storage.manifest import SummedManifest
from akdask.storage.objects import ObjType
from akdask.storage.staged_writer import StagedWriter
from akdask.testing.strategies import partitioned

VALUES = np.arange(9) * 100
COUNTS = [3, 3, 3]


def by_h5py(path, values):
    with h5py.File(path, "w") as file:
        file["x"] = values


def by_arrow(path, values):
    pq.write_table(pa.table({"x": values}), path)


def by_hand(path, values):
    with open(path, "w") as file:
        file.write("**HEADER**\nint64\n*/HEADER/*\nx\n" + "".join(f"{value}\n" for value in values))


def patched(path, old, new):
    """Put a number in the place of another, in a file that has it as it is in memory, or as text."""
    with open(path, "rb") as file:
        raw = file.read()
    for kind in (lambda number: np.int64(number).tobytes(), lambda number: f"\n{number}\n".encode()):
        if raw.count(kind(old)) == 1 and len(kind(old)) == len(kind(new)):
            with open(path, "r+b") as file:
                file.seek(raw.index(kind(old)))
                file.write(kind(new))
            return
    raise AssertionError(f"{old} is not there once")


FORMATS = {
    "hdf": ("h5", lambda array, path: array.to_hdf(path, "x"), ak.read_hdf, by_h5py),
    "parquet": ("parquet", lambda array, path: array.to_parquet(path, "x"), ak.read_parquet, by_arrow),
    "csv": ("csv", lambda array, path: array.to_csv(path, "x", overwrite=True), ak.read_csv, by_hand),
}
MANIFESTS = {"hdf": HdfManifest, "parquet": ParquetManifest, "csv": SummedManifest}
COPIES = {
    "cp -a": partial(shutil.copytree, copy_function=shutil.copy2),
    "cp": partial(shutil.copytree, copy_function=shutil.copy),
    "mv": shutil.move,
}


class Kind:
    """One format, and a set of it."""

    def __init__(self, name, folder):
        self.extension, self._write, self.read_files, self.by_others = FORMATS[name]
        self.name, self.folder = name, str(folder)

    def write(self, values=VALUES, counts=COUNTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            self._write(partitioned(values, counts), f"{self.folder}/set.{self.extension}")

    def file(self, number, folder=None):
        return f"{folder or self.folder}/set_LOCALE{number:04d}.{self.extension}"

    def manifest(self, folder=None):
        return f"{folder or self.folder}/.set.{self.extension}.akdask"

    def read(self, folder=None, **options):
        found = self.read_files(f"{folder or self.folder}/set_LOCALE*.{self.extension}", **options)
        return found["x"]

    def copy(self, how="cp -a", name="copy"):
        made = os.path.join(os.path.dirname(self.folder), name)
        COPIES[how](self.folder, made)
        return made


@pytest.fixture(params=FORMATS)
def kind(request, tmp_path):
    (tmp_path / "made").mkdir()
    made = Kind(request.param, tmp_path / "made")
    made.write()
    return made


def answers(kind, folder=None, **options):
    """Return all values, and those that a filter lets through, for which bounds may be used."""
    x = kind.read(folder, **options)
    return x.tolist(), x[x > 500].tolist(), int(x.sum())


def expected(values):
    values = np.asarray(values)
    return values.tolist(), values[values > 500].tolist(), int(values.sum())


def is_valid(kind, folder):
    return main(["validate", "--severity", "error", f"{folder}/set_LOCALE*.{kind.extension}"]) == 0


# ------------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_the_set(kind, how, capsys):
    folder = kind.copy(how)
    assert answers(kind, folder) == expected(VALUES)
    with ak.config.set(verify_checksums=True):
        assert answers(kind, folder) == expected(VALUES)
    assert is_valid(kind, folder)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("lost", [[2], [1, 2], [0]])
def test_a_copy_without_a_file_is_an_error_that_names_it(kind, how, lost):
    folder = kind.copy(how)
    for number in lost:
        os.unlink(kind.file(number, folder))
    ways = [
        lambda: kind.read(folder),
        lambda: kind.read_files(f"{folder}/set.{kind.extension}"),
        lambda: kind.read_files(f"{folder}/*"),
        lambda: ak.read(f"{folder}/set_LOCALE*.{kind.extension}"),
        *([lambda: kind.read_files(folder)] if 0 not in lost else []),
    ]
    for way in ways:
        with pytest.raises(InconsistentFilesError, match="missing") as caught:
            way()
        assert set(caught.value.details) == {f"missing: {kind.file(number, folder)}" for number in lost}
        assert "restore" in caught.value.hint


def test_what_is_left_of_a_copy_can_be_read(kind):
    folder = kind.copy()
    os.unlink(kind.file(2, folder))
    names = [kind.file(number, folder) for number in range(2)]
    with pytest.raises(InconsistentFilesError) as caught:
        kind.read(folder)
    assert kind.manifest(folder) in caught.value.hint
    assert kind.read_files(names)["x"].tolist() == VALUES[:6].tolist()
    with pytest.warns(RuntimeWarning, match="missing from its set"):
        found = ak.read(f"{folder}/set_LOCALE*.{kind.extension}", allow_errors=True)
    assert found["x"].tolist() == VALUES[:6].tolist()
    with ak.config.set(manifest=False):
        assert kind.read(folder).tolist() == VALUES[:6].tolist()
    os.unlink(kind.manifest(folder))
    assert kind.read(folder).tolist() == VALUES[:6].tolist()


@pytest.mark.parametrize("how", ["cp -a", "cp"])
def test_a_changed_bit_of_data_in_a_copy_is_found(kind, how, capsys):
    folder = kind.copy(how)
    status = os.stat(kind.file(1, folder))
    patched(kind.file(1, folder), 400, 401)
    os.utime(kind.file(1, folder), ns=(status.st_atime_ns, status.st_mtime_ns))
    wrong = VALUES.copy()
    wrong[4] = 401
    assert answers(kind, folder) == expected(wrong)
    assert not is_valid(kind, folder)
    assert "is not what was written" in capsys.readouterr().out
    with (
        ak.config.set(verify_checksums=True),
        pytest.raises(FileFormatError, match="is not what was written") as caught,
    ):
        kind.read(folder).tolist()
    assert os.path.basename(kind.file(1)) in str(caught.value)
    assert is_valid(kind, kind.folder)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("seed", range(4))
def test_any_changed_bit_in_a_copy_is_found(kind, seed, capsys):
    random = np.random.default_rng(seed)
    size = os.path.getsize(kind.file(1))
    for position in random.choice(size, min(12, size), replace=False).tolist():
        folder = kind.copy(name=f"copy{position}")
        with open(kind.file(1, folder), "r+b") as file:
            file.seek(position)
            (byte,) = file.read(1)
            file.seek(position)
            file.write(bytes([byte ^ (1 << int(random.integers(8)))]))
        assert not is_valid(kind, folder), position
        with ak.config.set(verify_checksums=True):
            try:
                found = answers(kind, folder)
            except AkdaskError:
                continue
        assert found == expected(VALUES), position


def test_bounds_of_a_copy_are_used_once_its_bytes_were_compared(tmp_path):
    kind = Kind("hdf", tmp_path / "made")
    (tmp_path / "made").mkdir()
    kind.write()
    folder = kind.copy()
    source = open_set(f"{folder}/set*").select()["x"].members["values"].source
    assert source.bounds("x") is None
    with ak.config.set(verify_checksums=True):
        x = kind.read(folder)
        assert x[:6].tolist() == VALUES[:6].tolist()
    assert source.bounds("x").maxima[:2].tolist() == [200, 500]
    assert source.bounds("x").maxima[2] == 2**63 - 1
    patched(kind.file(2, folder), 700, 701)  # a new state, of which nothing is known
    assert x[:1].tolist() == [0]
    assert answers(kind, folder) == expected([*VALUES[:7], 701, 800])


def test_the_manifest_of_a_copy_that_is_valid_is_that_of_its_files(kind, capsys):
    folder = kind.copy()
    assert is_valid(kind, folder)
    manifest = MANIFESTS[kind.name]
    told = manifest.told([identify(kind.file(number, folder)) for number in range(3)])
    assert len(told.in_place) == 3
    assert sorted(os.listdir(folder)) == sorted(os.listdir(kind.folder))
    assert answers(kind, folder) == expected(VALUES)
    # It is no copy any more: a file that is newer was written anew.
    kind.by_others(kind.file(1, folder), np.array([1000]))
    assert answers(kind, folder) == expected([*VALUES[:3], 1000, *VALUES[6:]])
    assert kind.name == "hdf" or is_valid(kind, folder)  # h5py tells nothing of Arkouda's objects


def test_the_manifest_of_a_copy_that_lacks_a_file_or_is_damaged_stays_that_of_a_copy(kind, capsys):
    for name, change in {
        "lost": lambda folder: os.unlink(kind.file(2, folder)),
        "damaged": lambda folder: patched(kind.file(1, folder), 400, 401),
    }.items():
        folder = kind.copy(name=name)
        change(folder)
        with open(kind.manifest(folder), "rb") as file:
            before = file.read()
        assert not is_valid(kind, folder)
        with open(kind.manifest(folder), "rb") as file:
            assert file.read() == before


# --------------------------------------------------------------------------------------------------- changed in place


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("size", ["same", "other"])
def test_a_file_that_another_program_writes_anew_in_place_is_read_as_it_is(kind, tmp_path, verify, size):
    new = [1000, 2000, 3000, 4000]
    before = os.path.getsize(kind.file(1))
    if size == "same":
        # As large as it was, and made in the same way: only its time tells.
        new = [301, 401, 999]
        (tmp_path / "other").mkdir()
        other = Kind(kind.name, tmp_path / "other")
        other.write([*VALUES[:3], *new, *VALUES[6:]])
        shutil.copyfile(other.file(1), kind.file(1))
        assert os.path.getsize(kind.file(1)) == before
    else:
        kind.by_others(kind.file(1), np.array(new))
    with ak.config.set(verify_checksums=verify):
        assert answers(kind) == expected([*VALUES[:3], *new, *VALUES[6:]])


def test_a_set_that_another_program_replaces_with_fewer_files_is_read_as_it_is(kind, capsys):
    for number in range(2):
        kind.by_others(kind.file(number), np.array([1000, 7]))
    os.unlink(kind.file(2))
    for verify in (False, True):
        with ak.config.set(verify_checksums=verify):
            assert answers(kind) == expected([1000, 7, 1000, 7])


def test_files_that_another_program_has_written_over_some_of_the_set_are_read_with_the_others(kind):
    kind.by_others(kind.file(0), np.array([1000]))
    for verify in (False, True):
        with ak.config.set(verify_checksums=verify):
            assert answers(kind) == expected([1000, *VALUES[3:]])


def test_a_file_changed_in_place_whose_time_was_set_back_is_read_as_it_is(kind, tmp_path):
    other = Kind(kind.name, tmp_path / "other")
    (tmp_path / "other").mkdir()
    other.write([0, 100, 999, *VALUES[3:]])  # as large as what is there
    assert answers(kind) == expected(VALUES)  # whatever is remembered of files is remembered now
    opened = kind.read()
    status = os.stat(kind.file(0))
    with open(other.file(0), "rb") as source, open(kind.file(0), "r+b") as target:
        target.write(source.read())
    os.utime(kind.file(0), ns=(status.st_atime_ns, status.st_mtime_ns))
    now = os.stat(kind.file(0))
    assert (now.st_mtime_ns, now.st_size, now.st_ino) == (status.st_mtime_ns, status.st_size, status.st_ino)
    assert answers(kind) == expected([0, 100, 999, *VALUES[3:]])
    with pytest.raises(AkdaskError, match="has changed since it was opened"):
        opened.tolist()


@pytest.mark.parametrize("change", ["chmod", "link", "touch"])
def test_files_whose_state_alone_has_changed_are_what_they_were(kind, change, capsys):
    for number in range(3):
        path = kind.file(number)
        match change:
            case "chmod":
                os.chmod(path, 0o600)
            case "link":
                os.link(path, f"{kind.folder}/other{number}")
            case "touch":
                os.utime(path)
    assert answers(kind) == expected(VALUES)
    assert is_valid(kind, kind.folder)


# ----------------------------------------------------------------------------------------- other files than were meant


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("name", ["hdf", "parquet"])
def test_a_file_of_a_copy_that_another_program_writes_anew_is_read_as_it_is(tmp_path, name, verify):
    (tmp_path / "made").mkdir()
    kind = Kind(name, tmp_path / "made")
    kind.write()
    folder = kind.copy()
    (tmp_path / "other").mkdir()
    other = Kind(name, tmp_path / "other")
    values = np.array([5, 6, 701, 8, 9, 10, 11, 12, 13])
    other.write(values)
    shutil.copy(other.file(1), kind.file(1, folder))
    if name == "hdf":  # of another release, so that not its data alone is other
        with h5py.File(kind.file(1, folder), "r+") as file:
            file["x"].attrs.modify("arkouda_version", np.bytes_("v" * len(file["x"].attrs["arkouda_version"])))
    assert os.path.getsize(kind.file(1, folder)) == os.path.getsize(kind.file(1))
    with ak.config.set(verify_checksums=verify):
        assert answers(kind, folder) == expected([*VALUES[:3], *values[3:6], *VALUES[6:]])


def test_a_copy_whose_header_tells_of_other_objects_is_compared_at_once(tmp_path):
    (tmp_path / "made").mkdir()
    kind = Kind("hdf", tmp_path / "made")
    kind.write()
    folder = kind.copy()
    size = os.path.getsize(kind.file(1, folder))
    with h5py.File(kind.file(1, folder), "r+") as file:
        file["x"].attrs.modify("ObjType", np.int64(ObjType.DATETIME))
    assert os.path.getsize(kind.file(1, folder)) == size
    with (
        ak.config.set(verify_checksums=True),
        pytest.raises(FileFormatError, match=r"what describes the data of .*LOCALE0001.* is not what was written"),
    ):
        kind.read(folder)
    # Where the data is another too, another program has written the file.
    patched(kind.file(1, folder), 400, 401)
    with ak.config.set(verify_checksums=True):
        found = kind.read_files([kind.file(1, folder)])["x"]
    assert found.to_ndarray().astype(np.int64).tolist() == [300, 401, 500]


def test_a_copy_whose_footer_tells_of_other_rows_is_compared_at_once(tmp_path):
    (tmp_path / "made").mkdir()
    kind = Kind("parquet", tmp_path / "made")
    kind.write()
    folder = kind.copy()
    with open(kind.file(1, folder), "rb") as file:
        raw = file.read()
    data = raw[: -8 - int.from_bytes(raw[-8:-4], "little")]
    with open(kind.file(1, folder), "wb") as file:
        file.write(data + footer_without_rows(len(raw) - len(data), tmp_path / "empty"))
    assert kind.read(folder).tolist() == [*VALUES[:3], *VALUES[6:]]
    with ak.config.set(verify_checksums=True):
        # No row of the file would be read, so that what it was is never looked at later.
        with pytest.raises(FileFormatError, match=r"LOCALE0001.* is not what was written"):
            kind.read(folder)
        patched(kind.file(0, folder), 100, 101)
        with pytest.raises(FileFormatError, match=r"LOCALE0000.* is not what was written"):
            kind.read_files([kind.file(0, folder)])["x"].tolist()
        kind.read_files([kind.file(0, folder)])  # which looks at no data


def footer_without_rows(size, path):
    """Return the end of a Parquet file that has the column and no rows, of so many bytes."""
    for padding in range(size):
        with pq.ParquetWriter(path, pa.schema({"x": pa.int64()}), store_schema=False) as writer:
            writer.add_key_value_metadata({"p": "." * padding})
        raw = path.read_bytes()
        footer = raw[-8 - int.from_bytes(raw[-8:-4], "little") :]
        if len(footer) == size:
            return footer
    raise AssertionError(size)


def test_files_that_change_places_in_a_copy_are_read_as_they_are(kind):
    folder = kind.copy()
    os.rename(kind.file(0, folder), f"{folder}/aside")
    os.rename(kind.file(2, folder), kind.file(0, folder))
    os.rename(f"{folder}/aside", kind.file(2, folder))
    assert answers(kind, folder) == expected([*VALUES[6:], *VALUES[3:6], *VALUES[:3]])


def test_files_of_another_prefix_are_none_that_a_manifest_tells_of(kind):
    for number in range(2):
        os.rename(kind.file(number), kind.file(number).replace("/set_", "/new_"))
    os.rename(kind.manifest(), kind.manifest().replace("/.set.", "/.new."))
    x = kind.read_files(f"{kind.folder}/new_LOCALE*")["x"]
    assert x[x > 200].tolist() == [300, 400, 500]


def test_a_manifest_that_is_copied_beside_other_files_tells_nothing(kind, tmp_path):
    (tmp_path / "other").mkdir()
    shutil.copy2(kind.manifest(), tmp_path / "other")
    kind.by_others(kind.file(0, tmp_path / "other"), np.arange(20) * 100)
    assert kind.read(tmp_path / "other").tolist() == (np.arange(20) * 100).tolist()


def test_a_file_that_the_manifest_does_not_name_is_read_with_the_others(kind):
    folder = kind.copy()
    shutil.copy2(kind.file(0), kind.file(3, folder))
    assert answers(kind, folder) == expected([*VALUES, *VALUES[:3]])


@pytest.mark.parametrize("damage", ["cut", "nothing", "old"])
def test_a_manifest_that_cannot_be_read_is_none(kind, damage):
    folder = kind.copy()
    with open(kind.manifest(), "rb") as file:
        raw = file.read()
    with open(kind.manifest(folder), "wb") as file:
        file.write({"cut": raw[:-20], "nothing": b"", "old": raw[:-9] + b"\3" + raw[-8:]}[damage])
    os.unlink(kind.file(2, folder))
    assert kind.read(folder).tolist() == VALUES[:6].tolist()


def test_a_set_that_is_written_without_a_manifest_leaves_none_of_an_earlier_one(kind):
    with ak.config.set(manifest=False):
        kind.write(VALUES[:6], [3, 3])
    assert not os.path.exists(kind.manifest())
    assert answers(kind) == expected(VALUES[:6])


def test_a_manifest_whose_writer_died_before_it_was_renewed_tells_of_copies(kind, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(StagedWriter, "_renew_manifest", lambda self: None)
        kind.write(VALUES + 1)
    assert answers(kind) == expected(VALUES + 1)
    assert is_valid(kind, kind.folder)
    os.unlink(kind.file(2))
    with pytest.raises(InconsistentFilesError, match="missing"):
        kind.read()


def test_a_file_that_is_replaced_while_the_manifest_is_renewed_is_not_taken_for_that_of_the_set(
    kind, tmp_path, monkeypatch
):
    other = Kind(kind.name, tmp_path / "other")
    (tmp_path / "other").mkdir()
    other.write([8, 701, 702, *VALUES[3:]])
    assert os.path.getsize(other.file(0)) == os.path.getsize(kind.file(0))
    renew = StagedWriter._renew_manifest

    def overtaken(writer):
        os.replace(shutil.copy(other.file(0), f"{tmp_path}/new"), kind.file(0))
        renew(writer)

    monkeypatch.setattr(StagedWriter, "_renew_manifest", overtaken)
    kind.write()
    assert answers(kind) == expected([8, 701, 702, *VALUES[3:]])
