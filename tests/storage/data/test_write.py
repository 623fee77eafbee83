"""Files are written where their bytes belong, on space that is reserved before."""

import contextlib
import ctypes
import errno
import os
import sys

import numpy as np
import pytest

from akdask.storage import ranges


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "x"
    with made.open("wb") as file:
        file.truncate(2**20)
    return str(made)


def failing(number):
    def fallocate(*_):
        ctypes.set_errno(number)
        return -1

    return lambda: fallocate


def test_bytes_go_to_their_place_and_others_stay(path):
    with ranges.opened(path) as descriptor:
        ranges.write_at(descriptor, np.arange(5), 80)
    found = np.fromfile(path, np.int64)
    assert len(found) == 2**17
    assert found[:16].tolist() == [0] * 10 + [0, 1, 2, 3, 4] + [0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much space a file takes like this")
def test_space_is_reserved_for_the_whole_file_whose_length_stays(path):
    assert os.stat(path).st_blocks * 512 < 2**20
    with ranges.opened(path):
        assert os.stat(path).st_blocks * 512 >= 2**20
    assert os.stat(path).st_size == 2**20


def test_a_full_disk_shows_before_anything_is_written(path, monkeypatch):
    monkeypatch.setattr(ranges, "_fallocate", failing(errno.ENOSPC))
    with pytest.raises(OSError, match="No space left") as caught, ranges.opened(path):
        raise AssertionError
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_file_systems_that_reserve_nothing_are_written_to_all_the_same(path, monkeypatch, number):
    monkeypatch.setattr(ranges, "_fallocate", failing(number))
    with ranges.opened(path) as descriptor:
        ranges.write_at(descriptor, np.ones(3, np.uint8), 0)
    assert np.fromfile(path, np.uint8)[:4].tolist() == [1, 1, 1, 0]


def test_files_are_closed_whatever_happens(path, open_files):
    opened = []
    with contextlib.suppress(ZeroDivisionError), ranges.opened(path):
        opened = open_files()
        raise ZeroDivisionError
    assert opened == [path]
    assert not open_files()
