"""Opening takes work in proportion to files and columns, and one column of many the work of one: counted, not timed."""

import sys
from contextlib import contextmanager

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.caches import clear_caches
from akdask.formats.hdf5 import inspect
from akdask.formats.hdf5.inspect import Templates
from akdask.formats.hdf5.row_spaces import Layouts


def write_set(folder, files, columns):
    folder.mkdir()
    for number in range(files):
        with h5py.File(folder / f"s_LOCALE{number:04d}", "w") as file:
            for column in range(columns):
                made = file.create_dataset(f"c{column}", data=np.arange(3 + number % 2) + column)
                made.attrs["ObjType"] = np.int64(1)
    return f"{folder}/s_LOCALE*"


@contextmanager
def counting():
    """Count the calls of all functions, of Python and of C."""
    found = [0]

    def called(frame, event, argument):
        found[0] += event in {"call", "c_call"}

    sys.setprofile(called)
    try:
        yield found
    finally:
        sys.setprofile(None)


def opened(pattern):
    """Return how many calls it takes to open a set, nothing of it known beforehand."""
    clear_caches()
    inspect._TEMPLATES = Templates(inspect.describe_file)
    with counting() as found:
        ak.read_hdf(pattern)
    return found[0]


def test_the_work_of_opening_grows_as_files_and_columns_do(tmp_path):
    opened(write_set(tmp_path / "first", 2, 4))
    few = opened(write_set(tmp_path / "few", 20, 30))
    more_files = opened(write_set(tmp_path / "files", 80, 30))
    more_columns = opened(write_set(tmp_path / "columns", 20, 120))
    assert more_files < 4.2 * few
    assert more_columns < 4.2 * few


@pytest.mark.lazy_only
def test_files_that_are_made_alike_are_opened_in_a_few_calls_for_each_column(tmp_path):
    files, columns = 64, 60
    few = opened(write_set(tmp_path / "few", 8, columns))
    many = opened(write_set(tmp_path / "many", files, columns))
    assert (many - few) / (files - 8) < 6 * columns


@pytest.mark.lazy_only
@pytest.mark.parametrize(
    "select",
    [lambda frame: frame, lambda frame: frame[frame["c0"] > 3], lambda frame: frame[frame["c0"] > 3][1:4]],
    ids=["all", "filtered", "sliced"],
)
def test_the_plan_of_one_column_takes_as_long_however_many_there_are(tmp_path, select):
    counts = []
    for columns in (40, 400):
        pattern = write_set(tmp_path / str(columns), 6, columns)
        for _ in range(2):
            selected = select(ak.DataFrame(ak.read_hdf(pattern)))
            with counting() as found:
                text = selected["c1"].explain()
        assert "c1" in text
        counts.append(found[0])
    assert counts[1] < 1.1 * counts[0]


@pytest.mark.lazy_only
def test_only_the_columns_that_are_asked_for_are_placed(tmp_path, monkeypatch):
    frame = ak.DataFrame(ak.read_hdf(write_set(tmp_path / "set", 6, 50)))
    placed = set()
    place = Layouts.place

    def noted(self, index, column, dtype, **options):
        placed.add(column)
        return place(self, index, column, dtype, **options)

    monkeypatch.setattr(Layouts, "place", noted)
    assert frame[frame["c0"] > 2]["c1"].tolist() == [4, 4, 4]
    assert placed == {"c0", "c1"}
