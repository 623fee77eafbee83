"""Opening a CSV file: names at once, cells when a column is asked for."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError, FileFormatError, MissingDatasetError
from akdask.formats.csv import file_set

pytestmark = pytest.mark.lazy_only

VALUES = {"a": [1, 2], "b": ["x", "y"]}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,x\n2,y\n")
    return tmp_path / "x.csv"


@pytest.fixture
def scans(monkeypatch):
    """Return a list with an entry for each scan."""
    found = []
    own = file_set._scan
    monkeypatch.setattr(file_set, "_scan", lambda *args, **options: found.append(args) or own(*args, **options))
    return found


def plain(objects):
    return {name: column.tolist() for name, column in objects.items()}


def test_opening_reads_no_row(path, scans):
    found = ak.read_csv(path)
    assert (list(found), len(found), "a" in found, "c" in found, bool(found)) == (["a", "b"], 2, True, False, True)
    assert list(found.keys()) == ["a", "b"]
    assert ak.read_csv(path, "b").keys() == {"b"}
    assert not scans
    assert found["a"].tolist() == [1, 2]
    assert scans


def updated(found):
    made = {}
    made.update(found)
    return made


def keywords(**columns):
    return columns


WAYS = {
    "items": lambda found: dict(found.items()),
    "dict": dict,
    "stars": lambda found: {**found},
    "update": updated,
    "or": lambda found: {} | found,
    "or of it": lambda found: found | {},
    "copy": lambda found: found.copy(),
    "copied": copy.copy,
    "values": lambda found: dict(zip(found, found.values(), strict=True)),
    "get": lambda found: {name: found.get(name) for name in found},
    "pop": lambda found: {name: found.pop(name) for name in list(found)},
    "popitem": lambda found: dict([found.popitem(), found.popitem()]),
    "setdefault": lambda found: {name: found.setdefault(name, 0) for name in found},
    "pickled": lambda found: pickle.loads(pickle.dumps(found)),
    "keywords": lambda found: keywords(**found),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_of_dicts_give_columns(path, way):
    assert plain(WAYS[way](ak.read_csv(path))) == VALUES


def test_what_is_set_or_taken_out_stays_so(path):
    found = ak.read_csv(path)
    found["a"] = ak.array([5])
    del found["b"]
    assert plain(found) == {"a": [5]}
    found = ak.read_csv(path)
    found |= {"b": ak.array([5])}
    assert plain(found) == {"a": [1, 2], "b": [5]}
    found = ak.read_csv(path)
    found.clear()
    assert found == {}
    assert "array(['x', 'y'])" in repr(ak.read_csv(path))
    assert ak.read_csv(path) != {"a": None, "b": None}


def test_frames_and_others_take_it(path):
    pd.testing.assert_frame_equal(ak.DataFrame(ak.read_csv(path)).to_pandas(), pd.DataFrame(VALUES), check_dtype=False)


def test_names_and_types_that_are_wrong_are_told_at_once(path):
    with pytest.raises(MissingDatasetError, match="'c'"):
        ak.read_csv(path, ["a", "c"])
    with pytest.raises(MissingDatasetError, match="'c'"):
        ak.read_csv(path, dtypes={"c": int})
    with pytest.raises(ArgumentTypeError):
        ak.read_csv(path, dtypes={"a": "uint8"})


def test_rows_that_are_wrong_are_told_each_time_that_a_column_is_asked_for(path):
    path.write_text("a,b\n1,2,3\n")
    found = ak.read_csv(path)
    for _ in range(2):
        with pytest.raises(FileFormatError, match="got 3"):
            found["a"]


def test_types_are_those_of_all_bytes(path, monkeypatch):
    path.write_text("a,b\n" + "1,2\n" * 200_000 + "0.5,\n")
    found = ak.read_csv(path)
    assert found["a"].dtype == found["b"].dtype == np.float64


def test_several_files_are_compared_at_once(path, tmp_path, scans):
    (tmp_path / "y.csv").write_text("a,b\n1.5,x\n")
    with pytest.warns(RuntimeWarning, match="'a'"):
        found = ak.read_csv([path, tmp_path / "y.csv"])
    assert scans
    assert list(found) == ["b"]
    with ak.config.set(eager=True):
        assert plain(ak.read_csv(path)) == VALUES
