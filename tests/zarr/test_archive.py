"""Stores in zip archives, as zarr-python writes them, and archives that are damaged."""

import struct
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import zarr

import akdask as ak
from akdask.cli import main
from akdask.errors import (
    AkdaskError,
    FileFormatError,
    MissingDatasetError,
    MissingFileError,
    TransferError,
    UnsupportedError,
)

VALUES = np.arange(30).reshape(6, 5)
TEXTS = np.array(["a", "", "ünï"])


def archived(path, *, zarr_format=2, compression=zipfile.ZIP_STORED):
    """Write a group of two arrays, and return the path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of text, which has no specification
        store = zarr.storage.ZipStore(path, mode="w", compression=compression)
        group = zarr.open_group(store, mode="w", zarr_format=zarr_format)
        group.create_array("inner/x", shape=VALUES.shape, dtype="i4", chunks=(4, 2))[...] = VALUES
        group.create_array("text", shape=(3,), dtype=str, chunks=(2,))[...] = TEXTS
        store.close()
    return path


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_arrays_are_read_as_zarr_reads_them(tmp_path, zarr_format, compression):
    path = archived(tmp_path / "x.zip", zarr_format=zarr_format, compression=compression)
    found = ak.read(path)
    assert sorted(found) == ["inner/x", "text"]
    np.testing.assert_array_equal(found["inner/x"].to_ndarray(), VALUES)
    assert found["text"].tolist() == TEXTS.tolist()
    np.testing.assert_array_equal(ak.read(path, "inner/x")["inner/x"][4:].to_ndarray(), VALUES[4:])
    with pytest.raises(MissingDatasetError):
        ak.read(path, "other")


def test_an_array_alone_is_read_and_found_by_a_link(tmp_path):
    store = zarr.storage.ZipStore(tmp_path / "one.zip", mode="w")
    array = zarr.create_array(store, shape=(7,), dtype="f8", chunks=(3,), fill_value=2.5)
    array[:3] = 1
    store.close()
    (tmp_path / "link.zip").symlink_to("one.zip")
    for name in ("one.zip", "link.zip"):
        assert ak.read_zarr(tmp_path / name).tolist() == [1, 1, 1, 2.5, 2.5, 2.5, 2.5]


def test_the_last_member_of_a_name_counts(tmp_path):
    path = archived(tmp_path / "x.zip")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are there twice
        store = zarr.storage.ZipStore(path, mode="a")
        zarr.open_group(store, mode="a")["inner/x"][...] = VALUES + 100
        store.close()
    np.testing.assert_array_equal(ak.read(path)["inner/x"].to_ndarray(), VALUES + 100)


def test_an_archive_that_has_changed_is_read_anew(tmp_path):
    path = archived(tmp_path / "x.zip")
    before = ak.read(path)["inner/x"].sum()
    assert before == VALUES.sum()
    store = zarr.storage.ZipStore(path, mode="w")
    zarr.open_group(store, mode="w").create_array("inner/x", shape=(6, 5), dtype="i4")[...] = VALUES * 2
    store.close()
    assert ak.read(path)["inner/x"].sum() == 2 * VALUES.sum()


def test_other_archives_and_files_are_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("readme", "no array")
    with pytest.raises(FileFormatError, match="is none of"):
        ak.read(tmp_path / "other.zip")
    with pytest.raises(FileFormatError, match="is no Zarr store"):
        ak.read_zarr(tmp_path / "other.zip")
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(FileFormatError, match="no zip archive"):
        ak.read_zarr(tmp_path / "text")
    with pytest.raises(MissingFileError):
        ak.read_zarr(tmp_path / "none.zip")


def test_other_methods_of_zip_are_named(tmp_path):
    path = archived(tmp_path / "x.zip", compression=zipfile.ZIP_BZIP2)
    with pytest.raises(UnsupportedError, match="method 12 of zip"):
        ak.read(path)


def patched(path, field, value):
    """Write a number over a field of the chunk ``inner/x/0.0`` in the directory of an archive."""
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.start_dir
    place = data.index(b"inner/x/0.0", start) - 46
    assert data[place : place + 4] == b"PK\x01\x02"
    struct.pack_into("<I", data, place + field, value)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        (16, 1, "differ from their checksum"),  # the checksum
        (20, 2**31, "no such member"),  # bytes in the archive
        (24, 7, "not the 7 bytes"),  # bytes when unpacked
        (42, 2**31, "behind the end"),  # where it begins
        (42, 5, "no such member"),
    ],
)
def test_damaged_archives_are_refused(tmp_path, capsys, field, value, told):
    path = archived(tmp_path / "x.zip", compression=zipfile.ZIP_DEFLATED)
    patched(path, field, value)
    with pytest.raises(FileFormatError, match=told):
        ak.read(path)["inner/x"].to_ndarray()
    assert main(["validate", str(path)]) != 0
    assert "inner/x/0.0" in capsys.readouterr().out


@pytest.mark.light
@pytest.mark.parametrize("seed", range(20))
def test_archives_with_other_bytes_are_read_or_refused(tmp_path, seed):
    path = archived(tmp_path / "x.zip", compression=zipfile.ZIP_DEFLATED)
    raw, generator = path.read_bytes(), np.random.default_rng(seed)
    whole = {name: found.to_ndarray() for name, found in ak.read(path).items()}
    with zipfile.ZipFile(path) as archive:
        start = archive.start_dir
    for _ in range(20):
        data = bytearray(raw)
        for place in generator.integers(start, len(raw), 3):
            data[place] = generator.integers(256)
        path.write_bytes(data)
        with suppress(AkdaskError):
            for name, found in ak.read(path).items():
                assert name not in whole or len(found.to_ndarray()) == len(whole[name])


def test_names_that_end_early_are_refused(tmp_path):
    path = archived(tmp_path / "x.zip")
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        place = data.index(b"inner/x/0.0", archive.start_dir)
    path.write_bytes(data[:place] + b"\0nner/x/0.0" + data[place + 11 :])
    with pytest.raises(FileFormatError):
        ak.read(path)


def test_sizes_that_no_memory_holds_are_refused(tmp_path):
    path = archived(tmp_path / "x.zip", compression=zipfile.ZIP_DEFLATED)
    patched(path, 24, 2**32 - 2)
    with pytest.raises((FileFormatError, TransferError), match=r"0\.0"):
        ak.read(path)["inner/x"].to_ndarray()


def test_an_undamaged_archive_is_validated(tmp_path):
    assert main(["validate", str(archived(tmp_path / "x.zip"))]) == 0
