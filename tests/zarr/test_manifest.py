"""Files of a store that are lost, changed or written by others."""

import os
import shutil

import numpy as np
import pytest
import zarr

import akdask as ak
from akdask.cli import main
from akdask.errors import AkdaskError, FileFormatError, InconsistentFilesError

VALUES = np.arange(10) * 100


@pytest.fixture
def written(tmp_path):
    """Return a store of one array in four chunks."""
    ak.to_zarr(tmp_path / "made", ak.array(VALUES), 3)
    return str(tmp_path / "made")


@pytest.fixture(params=[shutil.copy, shutil.copy2])
def copied(written, tmp_path, request):
    return shutil.copytree(written, str(tmp_path / "copy"), copy_function=request.param)


def read(path):
    x = ak.read_zarr(path)
    return x.tolist(), x[x > 500].tolist()


def flip(path, position=-1, bit=1):
    with open(path, "r+b") as file:
        raw = bytearray(file.read())
        raw[position] ^= bit
        file.seek(0)
        file.write(raw)


def test_a_copy_is_the_store(copied, capsys):
    for verify in (False, True):
        with ak.config.set(verify_checksums=verify):
            assert read(copied) == (VALUES.tolist(), VALUES[6:].tolist())
    assert main(["validate", copied]) == 0


@pytest.mark.parametrize("names", [["3"], ["0", "2"], [".zarray"]])
def test_a_copy_without_a_file_is_an_error_that_names_it(copied, names, capsys):
    for name in names:
        os.unlink(f"{copied}/{name}")
    for way in (ak.read_zarr, ak.read):
        if names != [".zarray"]:
            with pytest.raises(InconsistentFilesError, match="missing") as caught:
                way(copied)
            assert caught.value.details == tuple(f"missing: {copied}/{name}" for name in names)
            assert f"{copied}/.akdask" in caught.value.hint
        else:
            with pytest.raises(AkdaskError):
                way(copied)
    assert main(["validate", copied]) != 0


def test_what_is_left_of_a_copy_can_be_read(copied):
    os.unlink(f"{copied}/3")
    with ak.config.set(manifest=False):
        assert read(copied)[0] == [*VALUES[:9], 0]
    os.unlink(f"{copied}/.akdask")
    assert read(copied)[0] == [*VALUES[:9], 0]


def test_an_array_of_a_group_that_is_lost_is_missed(tmp_path):
    ak.save_all({"x": ak.arange(3), "y": ak.arange(3)}, tmp_path / "g", file_format="zarr")
    shutil.rmtree(tmp_path / "g" / "y")
    with pytest.raises(InconsistentFilesError, match="missing") as caught:
        ak.read(tmp_path / "g")
    assert f"missing: {tmp_path / 'g'}/y/.zarray" in caught.value.details


def test_a_changed_bit_in_a_copy_is_found(copied, capsys):
    for name in ("0", "3", ".zarray"):
        for position in range(0, os.path.getsize(f"{copied}/{name}"), 7):
            flip(f"{copied}/{name}", position)
            assert main(["validate", copied]) == 1
            with ak.config.set(verify_checksums=True), pytest.raises(AkdaskError):
                read(copied)
            flip(f"{copied}/{name}", position)
    with ak.config.set(verify_checksums=True):
        assert read(copied)[0] == VALUES.tolist()
        flip(f"{copied}/1")
        with pytest.raises(FileFormatError, match=r"copy/1' is not what was written"):
            read(copied)


def test_chunks_that_zarr_leaves_out_are_not_missed(written):
    array = zarr.open(written, mode="r+", zarr_format=2, config={"write_empty_chunks": False})
    array[3:9] = np.array([0, 0, 0, 7, 8, 9])
    assert not os.path.exists(f"{written}/1")
    for verify in (False, True):
        with ak.config.set(verify_checksums=verify):
            assert read(written) == ([0, 100, 200, 0, 0, 0, 7, 8, 9, 900], [900])


def test_a_copy_that_zarr_writes_anew_is_read_as_it_is(copied):
    array = zarr.create_array(copied, shape=20, chunks=5, dtype="i8", zarr_format=2, overwrite=True, fill_value=1)
    array[:5] = np.arange(5) * 300
    for verify in (False, True):
        with ak.config.set(verify_checksums=verify):
            assert read(copied) == ([0, 300, 600, 900, 1200, *[1] * 15], [600, 900, 1200])


def test_a_chunk_changed_in_place_whose_time_was_set_back_is_read_as_it_is(written, tmp_path):
    opened = ak.read_zarr(written)
    assert opened.tolist() == VALUES.tolist()
    ak.to_zarr(tmp_path / "other", ak.array(VALUES + 1), 3)
    status = os.stat(f"{written}/1")
    with open(tmp_path / "other" / "1", "rb") as source, open(f"{written}/1", "r+b") as target:
        target.write(source.read())
    os.utime(f"{written}/1", ns=(status.st_atime_ns, status.st_mtime_ns))
    now = os.stat(f"{written}/1")
    assert (now.st_mtime_ns, now.st_size, now.st_ino) == (status.st_mtime_ns, status.st_size, status.st_ino)
    assert read(written) == ([0, 100, 200, 301, 401, 501, *VALUES[6:]], [501, *VALUES[6:]])
    with pytest.raises(AkdaskError, match="has changed since it was opened"):
        opened.tolist()


def test_a_manifest_of_another_store_tells_nothing(written, tmp_path):
    array = zarr.create_array(str(tmp_path / "z"), shape=4, chunks=2, dtype="i8", zarr_format=2, fill_value=0)
    array[:2] = [5, 6]
    shutil.copy2(f"{written}/.akdask", tmp_path / "z")
    assert ak.read_zarr(tmp_path / "z").tolist() == [5, 6, 0, 0]


def test_no_manifest_is_written_where_the_setting_is_off(tmp_path):
    with ak.config.set(manifest=False):
        ak.to_zarr(tmp_path / "a", ak.arange(5), 10)
    assert sorted(os.listdir(tmp_path / "a")) == [".zarray", "0"]
