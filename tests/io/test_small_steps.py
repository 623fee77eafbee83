"""Steps of a few lines of reading and writing, each by itself."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.errors import ArgumentError, ArgumentTypeError, FileError, MissingDatasetError
from akdask.frames.dataframe import DataFrame
from akdask.io import files, group_frames, scanning, sessions, zarr
from akdask.io.tables import database

# ---- scans


def test_columns_of_text_files_are_named_or_numbered():
    opened = SimpleNamespace(kinds={"a": None, "b": None, "c": None})
    for name, wanted in ((0, "a"), (2, "c"), (-1, "c"), (-3, "a"), ("b", "b"), ("c", "c")):
        assert scanning._column_named(opened, name) == wanted
    for name in (3, -4, "d", "", None):
        with pytest.raises(MissingDatasetError, match="there is no column"):
            scanning._column_named(opened, name)


@pytest.mark.lazy_only
def test_text_files_are_scanned_when_columns_are_asked_for_and_remote_ones_at_once(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text("i,t,f\n1,a,0.5\n2,b,1.5\n")
    deferred = []
    monkeypatch.setattr(DataFrame, "deferred", staticmethod(lambda columns: deferred.append(columns) or "later"))
    for remote in (True, False):
        monkeypatch.setattr(scanning, "is_remote", lambda path, remote=remote: remote)
        found = scanning._scan_csv(str(tmp_path / "x.csv"))
        assert isinstance(found, str) is not remote
        assert len(deferred) == (not remote)


@pytest.mark.lazy_only
def test_one_text_file_of_this_machine_is_read_when_columns_are_asked_for_and_others_at_once(tmp_path, monkeypatch):
    for name in "xy":
        (tmp_path / f"{name}.csv").write_text("i,t\n1,a\n2,b\n")
    one, both = str(tmp_path / "x.csv"), str(tmp_path / "*.csv")
    assert type(ak.read_csv(one)) is type(ak.read_csv(one, ["t"])) is files.DeferredObjects
    assert list(ak.read_csv(one, ["t", "i", "t"])) == ["t", "i"]
    assert type(ak.read_csv(both)) is files.NamedObjects
    assert ak.read_csv(both)["i"].tolist() == [1, 2, 1, 2]
    with ak.config.set(eager=True):
        assert type(ak.read_csv(one)) is files.NamedObjects
    monkeypatch.setattr("akdask.io.csv.is_remote", lambda path: True)
    assert type(ak.read_csv(one)) is files.NamedObjects
    with pytest.raises(FileError, match="no objects to read"):
        ak.read_csv(one, [])


def test_scanned_columns_and_labels_are_those_of_pandas(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("i,t,f\n1,a,0.5\n2,b,1.5\n")
    for options in (
        {}, {"usecols": ["f", "i"]}, {"usecols": [0, 2]}, {"index_col": "i"}, {"index_col": 1}, {"index_col": -1},
        {"usecols": ["f", "i"], "index_col": "i"},
    ):  # fmt: skip
        found = scanning._scan_csv(str(path), **options).to_pandas()
        given = {**options, "index_col": 2} if options.get("index_col") == -1 else options
        wanted = pd.read_csv(path, **given)
        pd.testing.assert_frame_equal(found[[*wanted.columns]], wanted, check_dtype=False)


def test_delimiters_are_found_in_the_first_line_that_is_read(tmp_path):
    path = tmp_path / "x.txt"
    for text, skiprows, delimiter in (
        ("a,b\n1;2\n", 0, ","), ("a;b;c\n1,2\n", 0, ";"), ("a,b\n1;2\n", 1, ";"), ("\n  \na\tb\n", 0, "\t"),
        ("x,y,z\na|b\n", 1, "|"), ("a,b\n1;2\n", [0], ","), ("a,b\n1;2\n", lambda row: row == 0, ","),
    ):  # fmt: skip
        path.write_text(text)
        assert scanning.delimiter_of(str(path), skiprows) == delimiter, text


def test_columns_of_as_many_rows_as_most_stay_together():
    five, three = ak.arange(5), ak.arange(3)
    frame = ak.DataFrame({"p": ak.arange(5), "q": ak.arange(5) * 2})
    for objects, wanted in (
        ({"a": five, "b": five}, ["a", "b"]),
        ({"a": five, "d": frame}, ["a", "d.p", "d.q"]),
        ({"d": frame}, ["d.p", "d.q"]),
    ):
        assert list(scanning.with_common_rows(objects)) == wanted
    for objects, wanted, left in (
        ({"a": three, "d": frame}, ["d.p", "d.q"], "'a': 3 rows"),
        ({"a": three, "b": three, "c": five}, ["a", "b"], "'c': 5 rows"),
        ({"a": three, "b": five}, ["b"], "'a': 3 rows"),
    ):
        with pytest.warns(RuntimeWarning, match=left):
            assert list(scanning.with_common_rows(objects)) == wanted


# ---- objects of files


def test_objects_are_named_before_they_are_read():
    read = []

    def objects():
        read.append(1)
        return {"a": 5, "b": 6}

    found = files.DeferredObjects(["a", "b"], objects)
    assert (list(found), len(found), "b" in found, "c" in found) == (["a", "b"], 2, True, False)
    assert not read
    assert found["b"] == 6
    assert (dict(found), read) == ({"a": 5, "b": 6}, [1])
    copied = pickle.loads(pickle.dumps(files.DeferredObjects(["a", "b"], objects)))
    assert (type(copied), dict(copied)) == (files.NamedObjects, {"a": 5, "b": 6})


def test_a_dict_of_arrays_that_is_asked_for_what_frames_have_says_how_to_get_one():
    found = files.NamedObjects({"a": 5})
    for name in ("groupby", "sort_values", "iloc", "columns"):
        with pytest.raises(AttributeError, match=f"dict of arrays, which has no '{name}'(.|\n)*ak.DataFrame"):
            getattr(found, name)
    for name in ("nonsense", "_repr_html_", "__array__"):
        with pytest.raises(AttributeError, match=f"a dict of arrays has no attribute '{name}'"):
            getattr(found, name)
    assert (list(found.keys()), found["a"]) == (["a"], 5)


def test_numbers_and_the_mask_of_missing_ones_are_one_column():
    numbers, mask = ak.array([5, 0, 7]), ak.array([False, True, False])
    found = group_frames._with_missing({"n/values": numbers, "x": ak.arange(3), "n/mask": mask})
    assert list(found) == ["n", "x"]
    assert ak.DataFrame(found).to_pandas()["n"].tolist() == [5, pd.NA, 7]
    for others in (
        {"n/values": numbers, "n/mask": mask, "n/other": numbers},
        {"n/values": numbers, "n/mask": numbers},
        {"n/values": ak.array([0.5, 1.5, 2.5]), "n/mask": mask},
        {"n/values": numbers, "n/mask": mask[:2]},
        {"values": numbers, "mask": mask},
    ):
        assert list(group_frames._with_missing(others)) == list(others)


def test_arrays_of_stores_have_the_dimensions_and_types_that_are_asked_for():
    member = SimpleNamespace(column=0, source=SimpleNamespace(columns={0: INT64}))
    for params, dimensions in (({}, 1), ({"shape": (2, 3)}, 2), ({"shape": (6,)}, 1), ({"shape": (1, 2, 3)}, 3)):
        stored = SimpleNamespace(params=params, members={"values": member})
        for ndim in (None, 1, 2, 3):
            for dtype in (None, "int64", FLOAT64):
                if ndim in (None, dimensions) and dtype != FLOAT64:
                    zarr._check(stored, range(6), ndim, dtype)
                    continue
                with pytest.raises(ArgumentError, match=r"dimensions, not|elements of the array are int64"):
                    zarr._check(stored, range(6), ndim, dtype)


# ---- sessions and databases


def test_snapshots_are_refused_before_objects_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "_storable", lambda item: pytest.fail("an object is looked at"))
    numbers = ak.arange(3)
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        ak.snapshot("/dev/x")
    assert numbers.size == 3


def test_conditions_are_those_of_python_in_sql():
    rows = [(1, "a"), (2, "b"), (3, "c"), (4, 'q"'), (5, None)]
    holds = {
        "==": lambda one, other: one == other, "!=": lambda one, other: one != other,
        "<": lambda one, other: one < other, ">=": lambda one, other: one >= other,
        "in": lambda one, other: one in other, "not in": lambda one, other: one not in other,
    }  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t (n BIGINT, "a ""name" VARCHAR)')
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        for filters in (
            [("n", "==", 2)], [("n", "in", [1, 3, 4])], [("n", ">=", 2), ("n", "in", [1, 3]), ("n", "<", 5)],
            [[("n", "in", [1, 2])], [("n", "in", [4, 5]), ("n", "!=", 5)]], [("n", "not in", [1, 2])],
            [("n", "in", [])], [("n", "not in", [])], [('a "name', "in", ["a", 'q"'])],
            [[("n", "<", 3), ('a "name', "in", ["b", "c"])], [("n", "==", 5)]],
        ):  # fmt: skip
            text, values = database._condition(filters)
            found = connection.execute(f"SELECT n FROM t WHERE {text} ORDER BY n", values).fetchall()
            either = filters if isinstance(filters[0], list) else [filters]
            wanted = [
                number
                for number, name in rows
                if any(
                    all(holds[how](number if at == "n" else name, value) for at, how, value in all_) for all_ in either
                )
            ]
            assert [number for (number,) in found] == wanted, filters
    assert database._condition(None) == ("", [])
    assert np.size(database._condition([])[1]) == 0
