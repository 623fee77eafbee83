"""Objects that are made of others, as foreign or damaged files may have them."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import AkdaskError, FileFormatError, InconsistentFilesError, UnsupportedError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x"


def test_groups_that_hold_themselves_are_refused(path):
    with h5py.File(path, "w") as file:
        for name, kind in (("df", 6), ("index", 12)):
            group = file.create_group(name)
            group.attrs["ObjType"] = kind
            group["IDX_0" if kind == 12 else "again"] = group
        file["x"] = np.arange(2)
    assert set(ak.ls(path)) == {"df", "index", "x"}
    for name in ("df", "index"):
        with pytest.raises(UnsupportedError, match="has a member"):
            ak.read_hdf(path, name)
    assert ak.read_hdf(path, "x")["x"].tolist() == [0, 1]


@pytest.mark.parametrize(
    "members",
    [{}, {"IDX_x": [1]}, {"IDX_0": "text"}, {"IDX_0": [[1, 2]]}, {"IDX_1": [1], "IDX_0": 5}],
    ids=["nothing", "no number", "text", "two dimensions", "no array"],
)
def test_indexes_without_readable_levels_are_refused(path, members):
    with h5py.File(path, "w") as file:
        group = file.create_group("i")
        group.attrs["ObjType"] = 12
        for name, values in members.items():
            group[name] = values
    with pytest.raises(UnsupportedError, match="'i'"):
        ak.read_hdf(path)


def test_levels_and_columns_of_different_lengths_are_refused(path):
    with h5py.File(path, "w") as file:
        for name, kind in (("i", 13), ("df", 6)):
            group = file.create_group(name)
            group.attrs["ObjType"] = kind
            group["IDX_0"], group["IDX_1"] = np.arange(2), np.arange(3)
    for name in ("i", "df"):
        with pytest.raises(AkdaskError, match="rows"):
            ak.read_hdf(path, name)


def test_names_and_attributes_may_be_missing_or_in_another_case(path):
    with h5py.File(path, "w") as file:
        file["i/idx_1"], file["i/Idx_0"] = np.arange(2), np.arange(2) + 5
        file["df/b"], file["df/a"], file["df/INDEX"] = np.arange(2), np.arange(2) * 0.5, np.array([7, 8])
        file["g/Permutation"], file["g/SEGMENTS"] = np.array([1, 0, 2]), np.array([0, 1])
        file["g/unique_key_idx"], file["g/key_0"] = np.array([1, 0]), np.array([4, 3, 4])
    found = ak.read_hdf(path)
    assert found["i"].tolist() == [(5, 0), (6, 1)]
    assert found["df"].columns == ["a", "b"]
    assert found["df"].index.tolist() == [7, 8]
    keys, counts = found["g"].size()
    assert (keys.tolist(), counts.tolist()) == ([3, 4], [1, 2])


def test_members_that_some_files_lack_have_no_rows_there(tmp_path):
    for number, columns in enumerate([{"a": [1, 2], "b": [3, 4], "Index": [7, 8]}, {"a": [], "Index": []}]):
        with h5py.File(tmp_path / f"x{number}", "w") as file:
            group = file.create_group("df")
            group.attrs["ObjType"] = 6
            for name, values in columns.items():
                group[name] = np.array(values, np.int64)
    found = ak.read_hdf(str(tmp_path / "x*"), "df")
    assert found["df"]["b"].tolist() == [3, 4]


def test_files_that_disagree_about_a_member_are_told(tmp_path):
    for number, values in enumerate([np.arange(2), np.arange(2.0)]):
        with h5py.File(tmp_path / f"x{number}", "w") as file:
            file["i/IDX_0"] = values
    with pytest.raises(InconsistentFilesError, match="i/IDX_0"):
        ak.read_hdf(str(tmp_path / "x*"))


@pytest.mark.parametrize("order", ["[", '["gone", "b", 5]', '{"a": 1}'])
def test_a_damaged_order_of_columns_does_no_harm(path, order):
    with h5py.File(path, "w") as file:
        group = file.create_group("df")
        group.attrs["ObjType"] = 6
        group.attrs["akdask_columns"] = order
        group["a"], group["b"], group["Index"] = np.arange(1), np.arange(1), np.arange(1)
    assert sorted(ak.read_hdf(path)["df"].columns) == ["a", "b"]


@pytest.mark.parametrize("kind", [1, 5, 99, -3])
def test_an_inner_kind_that_is_none_is_ignored(path, kind):
    with h5py.File(path, "w") as file:
        file["i/IDX_0"] = np.arange(2)
        file["i/IDX_0"].attrs["akdask_ObjType"] = kind
    assert type(ak.read_hdf(path)["i"].values) is ak.pdarray


@pytest.mark.parametrize(("name", "made"), [("index", ak.MultiIndex), ("groupby", ak.GroupBy)])
def test_numbered_parts_that_are_lost_are_missed(tmp_path, name, made):
    keys = [ak.array([2, 1, 2]), ak.array([5, 5, 5])]
    made(keys).to_hdf(tmp_path / "x", file_type="single")
    with h5py.File(tmp_path / "x", "r+") as file:
        del file[name]["IDX_1" if name == "index" else "KEY_1"]
    with pytest.raises(FileFormatError, match=f"{name!r} lacks some of its parts"):
        ak.read_hdf(tmp_path / "x")


@pytest.mark.lazy_only
@pytest.mark.parametrize(("part", "values"), [("permutation", [1, 0, 0]), ("segments", [0, 3]), ("segments", [1, 1])])
def test_parts_of_a_grouping_that_describe_no_groups_are_refused(tmp_path, part, values):
    ak.GroupBy(ak.array([2, 1, 2])).to_hdf(tmp_path / "x", file_type="single")
    with h5py.File(tmp_path / "x", "r+") as file:
        file["groupby"][part][...] = values
    groups = ak.read_hdf(tmp_path / "x")["groupby"]
    with pytest.raises(ak.AkdaskError, match="do not describe groups"):
        groups.size()[1].tolist()
