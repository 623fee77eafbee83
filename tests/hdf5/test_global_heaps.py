"""Files with heaps that HDF5 would read for ever are refused before it reads them; sound ones are not."""

from __future__ import annotations

import os
import struct

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import FileFormatError
from akdask.formats.hdf5 import global_heaps, loops
from akdask.formats.hdf5.metadata import read_file_metadata
from akdask.formats.hdf5.open_files import OPEN_FILES

TEXT = ["a", "βb", "", "text of some length"]
FREE = struct.pack("<HHIQ", 0, 0, 0, 0)


def _heap(*objects, room=0):
    """Return a heap of objects: their indices, the sizes that their heads tell, and bytes behind the heads."""
    body = b"".join(struct.pack("<HHIQ", index, 1, 0, size) + bytes(behind) for index, size, behind in objects)
    return struct.pack("<4sB3xQ", b"GCOL", 1, 16 + len(body) + room) + body + bytes(room)


@pytest.mark.parametrize(
    ("heap", "is_endless"),
    [
        (_heap(), False),
        (_heap(room=15), False),
        (_heap(room=16), True),
        (_heap((1, 8, 8)), False),
        (_heap((1, 3, 8), (0, 0, 0)), True),
        (_heap((1, 3, 8), (0, 16, 0)), False),
        (_heap((1, 0, 0), (2, 9, 16), (0, 40, 24)), False),
        (_heap((1, 8, 8), (0, 32, 16), room=15), False),
        (_heap((1, 8, 8), (0, 32, 16), room=16), True),
        (_heap((1, 9, 8), room=40), True),
        (_heap((1, 9, 8), room=16), False),
        (_heap((1, 100, 8), (0, 0, 0)), False),
        (_heap((1, 2**64 - 1, 8), (0, 0, 0)), False),
        (_heap((0, 2**63, 8), (0, 0, 0)), False),
        (b"", False),
    ],
)
def test_heaps_without_an_end_are_those_with_free_space_of_no_bytes(heap, is_endless):
    assert loops.has_endless_object(np.frombuffer(heap, np.uint8)) is is_endless


def _damage(path):
    """Leave no bytes to the first object of each heap."""
    raw = bytearray(path.read_bytes())
    start = raw.find(b"GCOL")
    assert start > 0
    while start > 0:
        raw[start + 16 : start + 32] = FREE
        start = raw.find(b"GCOL", start + 1)
    path.write_bytes(raw)
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))


def _write(path, *, before=0):
    with h5py.File(path, "w") as file:
        file["numbers"] = np.arange(max(before // 8, 5))
        file["text"] = TEXT
        file["lists"] = np.array([np.arange(k) for k in range(5)], h5py.vlen_dtype(np.int64))


@pytest.mark.parametrize("before", [0, 2**22 - 3000, 2**22, 2**22 + 2**21], ids=str)
def test_text_and_lists_in_endless_heaps_are_refused(tmp_path, before):
    path = tmp_path / "t.h5"
    _write(path, before=before)
    sound = ak.read_hdf(str(path))
    assert sound["text"].tolist() == TEXT
    assert sound["lists"].tolist() == [list(range(k)) for k in range(5)]
    _damage(path)
    found = ak.read_hdf(str(path))
    assert found["numbers"].sum() == sum(range(max(before // 8, 5)))
    for name in ("text", "lists"):
        with pytest.raises(FileFormatError, match=r"t\.h5(.|\n)*heap at byte [\d,]+ for ever"):
            found[name].tolist()


@pytest.mark.parametrize("start", range(2**22 - 20, 2**22 + 4))
def test_heaps_are_found_wherever_they_begin(tmp_path, start):
    path = tmp_path / "t"
    path.write_bytes(bytes(start) + _heap((1, 8, 8)) + bytes(40))
    with path.open("rb") as file:
        assert list(global_heaps._heaps(file.fileno(), path.stat().st_size)) == [(start, 40)]


def test_what_looks_like_a_heap_is_none(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as file:
        file["text"] = [*TEXT, "GCOL", "GCOL\1"]
        file["bytes"] = np.frombuffer(b"GCOL\1\0\0\0" + b"\xff" * 8 + b"GCOL\2" + bytes(50) + b"GCOL\1", np.uint8)
    assert ak.read_hdf(str(path))["text"].tolist() == [*TEXT, "GCOL", "GCOL\1"]


def test_text_of_attributes_and_of_samples_in_endless_heaps_is_refused(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)
        file["x"].attrs["unit"] = "text of some length"
    assert read_file_metadata(str(path)).root.members["x"].attributes["unit"].value == "text of some length"
    _damage(path)
    assert "for ever" in str(read_file_metadata(str(path)).root.members["x"])
    other = tmp_path / "s.h5"
    _write(other)
    _damage(other)
    with OPEN_FILES.lease(str(other)) as file, pytest.raises((FileFormatError, OSError), match="for ever"):
        file.library.read("text")


def test_objects_of_pandas_in_endless_heaps_are_refused(tmp_path):
    path = tmp_path / "p.h5"
    pd.DataFrame({"s": TEXT, "x": range(4)}).to_hdf(path, key="k", format="fixed")
    _damage(path)
    with pytest.raises(FileFormatError, match="for ever"):
        ak.import_data(str(path))
