"""Unnamed files that several spill files share."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from akdask.engine.spill import SpillFile, SpillSpace


@given(
    st.lists(
        st.one_of(
            arrays(st.sampled_from(["u1", "i8", "f8", "?"]), array_shapes(max_dims=2, max_side=20, min_side=0)),
            st.lists(st.text()).map(lambda texts: pa.array(texts, pa.large_string())),
            st.text(),
        ),
        max_size=5,
    )
)
def test_items_come_back_as_they_were(tmp_path_factory, items):
    file = SpillFile(str(tmp_path_factory.getbasetemp()))
    bounds = [0]
    for item in items:
        file.append([item, {"again": item}])
        bounds.append(file.nbytes)
    for item, start, stop in reversed(list(zip(items, bounds, bounds[1:], strict=False))):
        first, second = file.read(start, stop)[0], file.read(start, stop)[1]["again"]
        for found in (first, second):
            assert type(found) is type(item)
            if isinstance(item, np.ndarray):
                np.testing.assert_array_equal(found, item)
                assert found.dtype == item.dtype
            else:
                assert found == item


def test_strided_and_large_arrays_come_back(tmp_path):
    file = SpillFile(str(tmp_path))
    large = np.arange(100_000)
    file.append((large, large[::-3], np.asfortranarray(np.arange(6).reshape(2, 3))))
    whole, strided, fortran = file.read(0, file.nbytes)
    assert whole.tolist() == large.tolist()
    assert strided.tolist() == large[::-3].tolist()
    assert fortran.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert whole.flags.writeable
    assert whole.ctypes.data % 8 == 0
    assert os.listdir(tmp_path) == []


def test_threads_share_files_one_at_a_time_and_full_ones_take_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.SPILL_FILE_BYTES", 1000)
    space, folder = SpillSpace(), str(tmp_path)
    with space.file_in(folder) as first, space.file_in(folder) as second:
        assert first is not second
        first.append(bytes(10))
        second.append(bytes(2000))
    with space.file_in(folder) as again, space.file_in(folder) as third:
        assert again is first
        assert third not in (first, second)
    with space.file_in(str(tmp_path.parent)) as elsewhere:
        assert elsewhere not in (first, third)


def test_files_go_when_nothing_in_them_is_needed(tmp_path):
    space = SpillSpace()
    with space.file_in(str(tmp_path)) as file:
        number = file._file.fileno()
    opened = os.fstat(number)
    assert is_open(number, opened)
    del file
    gc.collect()
    assert not is_open(number, opened)


def is_open(number, opened):
    """Whether a descriptor is that of a file: another thread may have opened another one under its number."""
    try:
        return os.path.samestat(os.fstat(number), opened)
    except OSError:
        return False


def test_what_was_appended_before_an_error_is_given_back(tmp_path):
    space = SpillSpace()
    with space.file_in(str(tmp_path)) as file:
        file.append(1)
    size = file.nbytes

    def fail():
        with space.file_in(str(tmp_path)) as same:
            assert same is file
            same.append(bytes(10_000))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert os.fstat(file._file.fileno()).st_size == file.nbytes == size
    with space.file_in(str(tmp_path)):
        file.append(2)
    assert (file.read(0, size), file.read(size, file.nbytes)) == (1, 2)


def test_a_file_that_ends_early_is_an_error(tmp_path):
    file = SpillFile(str(tmp_path))
    file.append(1)
    with pytest.raises(OSError, match="ends at byte"):
        file.read(0, file.nbytes + 1)


def test_no_one_else_can_open_a_file_also_in_a_folder_that_all_may_write_to(tmp_path):
    tmp_path.chmod(0o777)
    file = SpillFile(str(tmp_path))
    file.append(1)
    found = os.fstat(file._file.fileno())
    assert (found.st_nlink, found.st_mode & 0o077) == (0, 0)
    assert os.listdir(tmp_path) == []


def test_processes_and_spaces_of_one_folder_have_files_of_their_own(tmp_path):
    spaces = [SpillSpace() for _ in range(2)]
    files = []
    for number, space in enumerate(spaces):
        with space.file_in(str(tmp_path)) as file:
            file.append(np.full(100, number))
            files.append(file)
    for number, file in enumerate(files):
        assert file.read(0, file.nbytes).tolist() == [number] * 100
    assert len({os.fstat(file._file.fileno()).st_ino for file in files}) == 2


def test_many_threads_append_and_read(tmp_path):
    space = SpillSpace()

    def written(number):
        with space.file_in(str(tmp_path)) as file:
            start = file.nbytes
            file.append(np.full(100, number))
            stop = file.nbytes
        return file.read(start, stop).tolist() == [number] * 100

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(written, range(200)))
