"""Row spaces, partitions, tokens and parts of opened sets."""

import os
import pickle
import sys

import fsspec
import h5py
import numpy as np
import pytest

from akdask import config
from akdask.errors import FileError, MissingDatasetError
from akdask.formats.hdf5 import inspect, low_level, readers
from akdask.formats.hdf5.file_set import open_set
from akdask.storage.source import Part, PartReader, Source


@pytest.fixture
def pattern(tmp_path):
    """Two files: a, b and s have 3 + 4 rows, c has 7 + 0."""
    for index, (n, m) in enumerate([(3, 7), (4, 0)]):
        with h5py.File(tmp_path / f"x_LOCALE{index:04d}.h5", "w") as file:
            file["a"] = np.arange(n) + 10 * index
            file["b"] = np.arange(n) / 2
            file["c"] = np.arange(m)
            texts = [f"{index}{'é' * k}" for k in range(n)]
            file["s/values"] = np.frombuffer("".join(t + "\0" for t in texts).encode(), "u1")
            file["s/segments"] = np.cumsum([0, *(len(t.encode()) + 1 for t in texts)])[:-1]
    return str(tmp_path / "x_LOCALE*.h5")


def source_of(pattern, name="a", **options):
    return open_set(pattern, **options).select([name])[name].members["values"].source


def test_columns_of_equal_lengths_in_every_file_share_a_source(pattern):
    found = {name: stored.members["values"] for name, stored in open_set(pattern).select().items()}
    assert found["a"].source is found["b"].source is found["s"].source
    assert found["c"].source is not found["a"].source
    assert list(found["a"].source.columns) == ["a", "b", "s"]
    assert found["a"].source.lengths == (3, 4)
    assert found["c"].source.lengths == (7, 0)


def test_columns_asked_for_one_by_one_share_a_source_and_its_partitions(pattern):
    with config.set(partition_size=30):
        sources = {name: source_of(pattern, name) for name in ("a", "b", "s")}
        assert sources["a"] is sources["b"] is sources["s"]
        assert sources["a"].lengths == (3, 2, 2)
        recounted = source_of(pattern, "s", calc_string_offsets=True)
        assert recounted.lengths == source_of(pattern, "a", calc_string_offsets=True).lengths == (3, 2, 2)


def test_sources_parts_and_readers_are_what_the_lazy_layer_expects(pattern):
    source: Source = source_of(pattern)
    part: Part = source.part(0, ["a"])
    reader: PartReader = part.open()
    with reader:
        assert reader.read("a", 0, part.nrows).tolist() == [0, 1, 2]
    assert source.label == f"read_hdf({pattern!r})"
    assert source_of(pattern, label="mine").label == "mine"


def test_a_column_of_another_row_space_is_missing(pattern):
    with pytest.raises(MissingDatasetError, match="'c'"):
        source_of(pattern).part(0, ["c"])


def test_large_files_are_split_into_the_same_row_ranges_for_all_columns(pattern, read_column):
    whole = {name: read_column(stored.members["values"]) for name, stored in open_set(pattern).select().items()}
    with config.set(partition_size=16):
        found = {name: stored.members["values"] for name, stored in open_set(pattern).select().items()}
        assert found["a"].source.lengths == (2, 1, 2, 2)
        assert found["s"].source is found["a"].source
        assert found["c"].source.lengths == (2, 2, 2, 1, 0)
        assert {name: read_column(column) for name, column in found.items()} == whole


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("calc_string_offsets", [False, True])
def test_blocks_of_rows_are_the_rows(pattern, read_column, step, calc_string_offsets):
    options = {"calc_string_offsets": calc_string_offsets}
    with config.set(partition_size=24):
        blocks = {k: read_column(v.members["values"], step) for k, v in open_set(pattern, **options).select().items()}
    assert blocks["a"] == [0, 1, 2, 10, 11, 12, 13]
    assert blocks["s"] == [f"{i}{'é' * k}" for i, n in ((0, 3), (1, 4)) for k in range(n)]


def test_a_buffer_is_filled_and_a_view_of_it_returned(pattern):
    out = np.full(10, -1.0)
    with source_of(pattern).part(1, ["b"]).open() as reader:
        found = reader.read("b", 1, 3, out)
    assert found.base is out
    assert found.tolist() == [0.5, 1.0]
    assert out[2:].tolist() == [-1.0] * 8


def test_parts_are_small_pickles_that_read_elsewhere(pattern):
    part = pickle.loads(pickle.dumps(source_of(pattern).part(1, ["s"])))
    with part.open() as reader:
        assert reader.read("s", 1, 3).to_pylist() == ["1é", "1éé"]
    assert len(pickle.dumps(part)) < 1500


def test_a_source_is_the_same_in_another_process(pattern):
    source = source_of(pattern)
    other = pickle.loads(pickle.dumps(source))
    assert (other.token, other.lengths, other.columns) == (source.token, source.lengths, source.columns)
    assert other.part(1, ["a", "s"]) == source.part(1, ["a", "s"])


def test_a_set_under_a_url_is_found_by_pattern_and_read(pattern, read_set):
    for index in range(2):
        with (
            open(pattern.replace("*", f"000{index}"), "rb") as file,
            fsspec.open(f"memory://urls/x_LOCALE000{index}", "wb") as copy,
        ):
            copy.write(file.read())
    assert read_set("memory://urls/x_LOCALE*") == read_set(pattern)


def test_the_token_changes_with_files_partitions_and_columns_and_with_nothing_else(pattern):
    token = source_of(pattern).token
    assert source_of(pattern).token == token
    assert source_of(pattern, label="other").token == token
    assert source_of(pattern, "c").token != token
    assert source_of(pattern, calc_string_offsets=True).token != token
    with config.set(partition_size=16):
        assert source_of(pattern).token != token
    os.utime(pattern.replace("*", "0001"))
    assert source_of(pattern).token != token


def test_opening_again_looks_at_no_metadata(pattern, monkeypatch):
    first = open_set(pattern)
    monkeypatch.setattr(inspect, "open_file", None)
    assert open_set(pattern) is first
    assert open_set(pattern, label="again").kinds == first.kinds


def test_reading_contiguous_data_does_not_open_hdf5(pattern, read_column, monkeypatch):
    found = open_set(pattern).select()
    monkeypatch.setattr(readers, "open_hdf5", None)
    monkeypatch.setattr(low_level.h5py, "File", None)
    assert read_column(found["a"].members["values"]) == [0, 1, 2, 10, 11, 12, 13]
    assert len(read_column(found["s"].members["values"])) == 7


def test_a_changed_file_is_described_anew_and_old_parts_say_so(pattern, read_column):
    old = open_set(pattern).select()["a"].members["values"]
    with h5py.File(pattern.replace("*", "0000"), "w") as file:
        file["a"] = np.arange(5)
    assert read_column(open_set(pattern).select(["a"])["a"].members["values"]) == [0, 1, 2, 3, 4, 10, 11, 12, 13]
    with pytest.raises(FileError, match="has changed since"):
        read_column(old)


def test_no_file_stays_open(pattern, read_column, open_files):
    with open(pattern.replace("*", "0000")):
        assert len(open_files()) == 1
    read_column(open_set(pattern).select()["s"].members["values"])
    assert not open_files()


def test_what_is_remembered_of_a_large_set_is_small(tmp_path):
    for index in range(20):
        with h5py.File(tmp_path / f"w_LOCALE{index:04d}", "w") as file:
            for column in range(50):
                file[f"c{column}"] = np.arange(index)
    files = open_set(tmp_path / "w_LOCALE*")
    schemas = {id(schema) for file in files._files for schema in file.objects}
    assert len(schemas) == 50
    assert all(sys.getsizeof(file.slots) < 50 * 16 + 200 for file in files._files)
