"""Snapshots: variables in, variables out; plain h5py sees what servers would."""

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import FileError, MissingFileError


def take_snapshot(path, **variables):
    """Have variables of these names, and nothing else, when the snapshot is taken."""
    namespace = {"snapshot": ak.snapshot, "path": path, **variables}
    exec("snapshot(path)", namespace, namespace)


def variables():
    numbers = ak.arange(5)
    return {
        "numbers": numbers,
        "text": ak.array(["a", "", "ö"]),
        "kinds": ak.Categorical(ak.array(["x", "y", "x"])),
        "when": ak.Datetime(["2024-01-01"]),
        "grid": ak.arange(6).reshape(2, 3),
        "index": ak.Index(ak.array([3, 1])),
        "df": ak.DataFrame({"b": numbers, "a": numbers * 2.5, "ip": ak.IPv4(numbers)}),
    }


def test_variables_come_back_as_they_were(prefix):
    taken = variables()
    take_snapshot(prefix, **taken, other=5, _hidden=ak.arange(3))
    found = ak.restore(prefix)
    assert {name: type(item) for name, item in found.items()} == {name: type(item) for name, item in taken.items()}
    for name in ("numbers", "text", "kinds", "grid", "index"):
        assert found[name].tolist() == taken[name].tolist()
    assert found["when"][0] == pd.Timestamp("2024-01-01")
    assert found["df"].columns == ["b", "a", "ip"]
    pd.testing.assert_frame_equal(found["df"].to_pandas(), taken["df"].to_pandas())


def test_files_are_what_servers_restore(prefix):
    take_snapshot(prefix, **variables())
    with h5py.File(f"{prefix}_SNAPSHOT_LOCALE0000") as file:
        kinds = {name: int(file[name].attrs["ObjType"]) for name in file}
        assert kinds == {"numbers": 1, "text": 2, "kinds": 4, "when": 7, "grid": 1, "index": 12, "df": 6}
        assert file["grid"].shape == (6,)


@pytest.mark.parametrize("name", ["a.b", "v1.5/x", "plain"])
def test_names_with_dots_are_found_again(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    take_snapshot(path, a=ak.arange(3))
    assert ak.restore(path)["a"].tolist() == [0, 1, 2]


def test_local_variables_of_a_function_are_meant(prefix):
    kept = ak.ones(2)
    ak.snapshot(prefix)
    found = ak.restore(prefix)
    np.testing.assert_array_equal(found["kept"].to_ndarray(), kept.to_ndarray())
    assert list(found) == ["kept"]


def test_nothing_to_write_or_to_read_is_an_error(prefix):
    with pytest.raises(FileError, match="nothing to write"):
        take_snapshot(prefix, a=5)
    with pytest.raises(MissingFileError, match="no files were written"):
        ak.restore(prefix)


def test_missing_integers_and_bools_stay_missing(prefix, recwarn):
    table = pd.DataFrame(
        {"i": pd.array([2**60 + 1, None, 3], "Int64"), "b": pd.array([True, None, False], "boolean"), "n": [1, 2, 3]}
    )
    frame = ak.DataFrame(table)
    take_snapshot(prefix, frame=frame, alone=frame["i"], labels=ak.Index(frame["i"]))
    assert not recwarn.list
    found = ak.restore(prefix)
    assert sorted(found) == ["alone", "frame", "labels"]
    pd.testing.assert_frame_equal(found["frame"].to_pandas(), table)
    for array in (found["alone"], found["labels"].values):
        assert ak.isnan(array).tolist() == [False, True, False]
        assert array.fillna(0).tolist() == [2**60 + 1, 0, 3]


def test_missing_text_stays_missing(prefix, recwarn):
    text = ak.array(["a", None, ""])
    frame = ak.DataFrame({"a b": text, "x": ak.arange(3), "plain": ak.array(["", "b", "c"])})
    take_snapshot(prefix, text=text, frame=frame)
    assert not recwarn.list
    found = ak.restore(prefix)
    assert sorted(found) == ["frame", "text"]
    assert found["text"].tolist() == ["a", None, ""]
    assert found["frame"]["a b"].tolist() == ["a", None, ""]
    assert found["frame"]["plain"].tolist() == ["", "b", "c"]


def test_missing_labels_and_keys_stay_missing(prefix, recwarn):
    text = ak.array(["b", None, "", "b", None])
    given = {
        "index": ak.Index(text, name="called"),
        "several": ak.MultiIndex([text, ak.arange(5), ak.array([None, "x", "y", None, "z"])]),
        "groups": ak.GroupBy(text),
        "all_groups": ak.GroupBy(text, dropna=False),
        "two_keys": ak.GroupBy([ak.array([0, 0, 0, 1, 1]), text]),
        "frame": ak.DataFrame({"x": ak.arange(5)}, index=ak.Index(text)),
    }
    take_snapshot(prefix, **given)
    assert not recwarn.list
    found = ak.restore(prefix)
    assert sorted(found) == sorted(given)
    assert found["index"].tolist() == ["b", None, "", "b", None]
    assert [level.tolist() for level in found["several"].levels] == [
        level.tolist() for level in given["several"].levels
    ]
    assert found["frame"].index.tolist() == ["b", None, "", "b", None]
    for name in ("groups", "all_groups"):
        keys, counts = found[name].size()
        wanted_keys, wanted = given[name].size()
        assert keys.tolist() == wanted_keys.tolist()
        assert counts.tolist() == wanted.tolist()
        assert found[name].broadcast(counts).tolist() == given[name].broadcast(wanted).tolist()
    pairs, counts = found["two_keys"].size()
    wanted_pairs, wanted = given["two_keys"].size()
    assert [key.tolist() for key in pairs] == [key.tolist() for key in wanted_pairs]
    assert counts.tolist() == wanted.tolist()
