"""Strings of few rows are read without decoding those between: they are the same strings."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.errors import FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5.file_set import open_set

TEXTS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40), min_size=1)


def write(path, texts, values=None):
    ends = np.cumsum([len(text.encode()) + 1 for text in texts])
    with h5py.File(path, "w") as file:
        file["s/values"] = np.frombuffer(values or b"".join(text.encode() + b"\0" for text in texts), "u1")
        file["s/segments"] = np.append(0, ends[:-1])


def strings_at(path, rows):
    with open_set(path).select()["s"].members["values"].source.part(0, ["s"]).open() as reader:
        return reader.read_rows("s", np.array(rows))


@given(st.data(), TEXTS)
@settings(max_examples=60)
def test_strings_of_some_rows_are_those_that_were_written(tmp_path_factory, data, texts):
    path = tmp_path_factory.mktemp("few") / "s.h5"
    write(path, texts)
    rows = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1), min_size=1)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "HDF5_FEW_STRINGS", 0)
        patched.setattr(tuning, "BLOCK_ROWS", data.draw(st.integers(1, 5)))
        found = strings_at(path, rows)
    if sum(len(text.encode()) for text in texts) == len(texts):
        assert found is None
    else:
        assert found.to_pylist() == [texts[row] for row in rows]


def test_rows_that_are_many_among_those_between_are_left_to_general_reading(tmp_path):
    write(tmp_path / "s.h5", ["some text"] * 40)
    assert strings_at(tmp_path / "s.h5", range(0, 40, 3)) is None
    assert strings_at(tmp_path / "s.h5", range(0, 40, 8)).to_pylist() == ["some text"] * 5


@pytest.mark.parametrize(("row", "byte"), [(0, 0), (10, 0), (10, 0xFF), (20, ord("x"))])
def test_damaged_strings_are_refused_where_they_are_wanted(tmp_path, row, byte):
    values = bytearray(b"text\0" * 30)
    values[5 * row + (4 if byte == ord("x") else 1)] = byte
    write(tmp_path / "s.h5", ["text"] * 30, bytes(values))
    assert strings_at(tmp_path / "s.h5", [row, 29]) is None
    with (
        open_set(tmp_path / "s.h5").select()["s"].members["values"].source.part(0, ["s"]).open() as reader,
        pytest.raises(FileFormatError, match=f"row {row} "),
    ):
        reader.read("s", 0, 30)


@pytest.mark.parametrize("segments", [[0, 9, 5], [0, 5, 99], [0, 5, 5]])
def test_segments_that_do_not_ascend_within_the_bytes_are_left_to_general_reading(tmp_path, segments):
    write(tmp_path / "s.h5", ["text"] * 3)
    with h5py.File(tmp_path / "s.h5", "r+") as file:
        file["s/segments"][:] = segments
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "HDF5_FEW_STRINGS", 0)
        assert strings_at(tmp_path / "s.h5", [0, 1, 2]) is None
