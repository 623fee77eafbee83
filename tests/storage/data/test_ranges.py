import errno
import os

import fsspec
import numpy as np
import pytest

from akdask.errors import FileError, FileFormatError, MissingFileError
from akdask.storage.files import absolute, identify
from akdask.storage.ranges import range_reader


@pytest.fixture
def content():
    return np.random.default_rng(0).integers(0, 256, 10_000_000, np.uint8)


def test_a_range_is_filled_although_the_kernel_gives_less_than_asked(tmp_path, content, monkeypatch):
    path = tmp_path / "x"
    content.tofile(path)
    preadv = os.preadv
    monkeypatch.setattr(os, "preadv", lambda fd, buffers, offset: preadv(fd, [buffers[0][:4097]], offset))
    out = np.empty(50_000, np.int64)
    with range_reader(identify(str(path))) as reader:
        reader.read_into(out, 13, "x")
    assert out.tobytes() == content[13 : 13 + out.nbytes].tobytes()


@pytest.mark.parametrize("tells", [True, False], ids=["holes are told", "holes are not told"])
def test_holes_are_zeros(tmp_path, content, monkeypatch, tells):
    path = tmp_path / "x"
    size, hole = 4 * 2**20, slice(2**20, 3 * 2**20)
    with open(path, "wb") as file:
        for start in (0, hole.stop):
            file.seek(start)
            file.write(content[start : start + 2**20].tobytes())
        file.truncate(2 * size)
    if not tells:
        monkeypatch.setattr(os, "lseek", _lseek_that_fails)
    plain = np.zeros(2 * size, np.uint8)
    plain[: hole.start], plain[hole.stop : size] = content[: hole.start], content[hole.stop : size]
    with range_reader(identify(str(path))) as reader:
        for start, stop in [(0, size), (5, 2**21), (2**20 + 7, 2**21), (2**21, size + 9), (size, 2 * size), (9, 9)]:
            out = np.full(stop - start, 255, np.uint8)
            reader.read_into(out, start, "x")
            assert np.array_equal(out, plain[start:stop])
        with pytest.raises(FileFormatError, match="truncated"):
            reader.read_into(np.empty(100, np.uint8), 2 * size - 50, "x")


def _lseek_that_fails(*_):
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def test_a_remote_range_of_many_pieces_is_the_same(content):
    url = "memory://ranges/x"
    with fsspec.open(url, "wb") as file:
        file.write(content.tobytes())
    out = np.empty(9_000_000, np.uint8)
    with range_reader(identify(url)) as reader:
        reader.read_into(out, 7, "x")
    assert np.array_equal(out, content[7 : 7 + len(out)])


@pytest.mark.parametrize("url", ["{}", "file://{}"])
def test_a_file_that_ends_early_is_named_with_the_dataset(tmp_path, url):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    with (
        range_reader(identify(url.format(path))) as reader,
        pytest.raises(FileFormatError, match=r"x' ends before the last byte of dataset 'a'"),
    ):
        reader.read_into(np.empty(2, np.int64), 0, "a")


def test_reading_nothing_reads_nothing(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"")
    monkeypatch.setattr("os.preadv", lambda *_: pytest.fail("asks for bytes"))
    with range_reader(identify(str(path))) as reader:
        reader.read_into(np.empty(0, np.int64), 0, "a")


def test_a_file_that_changed_or_went_since_it_was_looked_at_is_an_error(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345678")
    known = identify(str(path))
    path.write_bytes(b"123456789")
    with pytest.raises(FileError, match="changed"), range_reader(known):
        pass
    path.unlink()
    with pytest.raises(MissingFileError), range_reader(known):
        pass


def test_no_file_stays_open(tmp_path, open_files):
    path = tmp_path / "x"
    path.write_bytes(b"12345678")
    with range_reader(identify(str(path))):
        assert open_files() == [str(path)]
    assert not open_files()


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FileFormatError, match="is a folder"):
        identify(str(tmp_path))


def test_paths_become_absolute_and_urls_stay():
    assert absolute("x") == os.path.join(os.getcwd(), "x")
    assert absolute("~/x") == os.path.expanduser("~/x")
    assert absolute("s3://b/x") == "s3://b/x"


def test_more_bytes_than_asked_for_are_no_truncation(content, monkeypatch):
    url = "memory://whole/x"
    with fsspec.open(url, "wb") as file:
        file.write(content.tobytes())
    memory = type(fsspec.filesystem("memory"))
    monkeypatch.setattr(memory, "cat_file", lambda self, path, **_: self.store[path].getvalue())
    with range_reader(identify(url)) as reader, pytest.raises(FileError, match="does not support ranges") as caught:
        reader.read_into(np.empty(100, np.uint8), 7, "x")
    assert "download the file" in caught.value.hint


def test_errors_of_a_file_system_s_own_kind_name_the_dataset(monkeypatch):
    class OwnError(Exception):
        pass

    def fail(*_, **__):
        raise OwnError("503, come again")

    url = "memory://failing/x"
    with fsspec.open(url, "wb") as file:
        file.write(b"12345678")
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", fail)
    with range_reader(identify(url)) as reader, pytest.raises(FileError, match=r"dataset 'a' .*503, come again"):
        reader.read_into(np.empty(1, np.int64), 0, "a")


def test_a_server_that_does_not_tell_sizes_is_refused(monkeypatch):
    url = "memory://sizeless/x"
    with fsspec.open(url, "wb") as file:
        file.write(b"12345678")
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "info", lambda *_, **__: {"name": "x", "size": None})
    with pytest.raises(FileFormatError, match="does not tell how large"):
        identify(url)
