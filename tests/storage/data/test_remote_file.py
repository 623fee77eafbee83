"""A remote file as a file object, beside an object of the same bytes in memory."""

import io

import fsspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.storage import tuning
from akdask.storage.files import identify
from akdask.storage.remote import RemoteFile

URL = "memory://file-object/x"
CONTENT = np.random.default_rng(2).integers(0, 256, 3000).astype(np.uint8).tobytes()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 100)
    monkeypatch.setattr(tuning, "CACHED_BLOCKS", 3)
    with fsspec.open(URL, "wb") as file:
        file.write(CONTENT)


@given(st.lists(st.tuples(st.integers(0, 3200), st.integers(-1, 700))))
def test_any_reads_give_the_bytes(reads):
    found, reference = RemoteFile(identify(URL)), io.BytesIO(CONTENT)
    assert found.readable()
    assert found.seekable()
    for position, size in reads:
        assert found.seek(position) == reference.seek(position)
        assert found.read(size) == reference.read(size)
        assert found.tell() == reference.tell()
    assert found.seek(-5, io.SEEK_END) == reference.seek(-5, io.SEEK_END)
    assert found.seek(2, io.SEEK_CUR) == reference.seek(2, io.SEEK_CUR)
    assert found.read() == reference.read()
    assert len(found._blocks) <= 4


def test_bytes_that_are_close_together_are_one_request(monkeypatch):
    memory, asked = type(fsspec.filesystem("memory")), []
    true = memory.cat_file

    def counted(self, path, start=None, end=None, **kwargs):
        asked.append((start, end))
        return true(self, path, start, end, **kwargs)

    monkeypatch.setattr(memory, "cat_file", counted)
    found = RemoteFile(identify(URL))
    for position in (0, 40, 90, 150, 110, 5):
        found.seek(position)
        assert found.read(8) == CONTENT[position : position + 8]
    assert asked == [(0, 100), (100, 200)]
    found.seek(1050)
    assert found.read(1000) == CONTENT[1050:2050]
    assert asked[2:] == [(1050, 2050)]


def test_a_file_without_bytes_has_none():
    with fsspec.open("memory://file-object/none", "wb") as file:
        file.write(b"")
    assert RemoteFile(identify("memory://file-object/none")).read(10) == b""
