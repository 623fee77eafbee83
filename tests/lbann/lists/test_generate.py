"""Lists are made of the groups that are like a prototype."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from akdask.errors import ArgumentError
from akdask.lbann.errors import LbannListError, MissingSampleError
from akdask.lbann.make_lists import common_directory, find_prototype, list_samples, normal_path
from akdask.lbann.read_lists import read_list


@pytest.mark.parametrize(
    ("path", "normal"), [("/a//b///c/", "/a/b/c"), ("/", "/"), ("./", "."), ("a/", "a"), ("//", "/")]
)
def test_paths_are_squeezed(path, normal):
    assert normal_path(path) == normal


@pytest.mark.parametrize(
    ("paths", "base"),
    [
        (["a"], "."),
        (["a/b/c"], "a/b"),
        (["a/b/c", "a/b/d"], "a/b"),
        (["/a/b/c", "/b/c/d"], "/"),
        ([], ""),
        (["a/b/c", "a/bb/c"], "a"),
        (["a/x", "b/x"], "."),
        (["/x"], "/"),
    ],
)
def test_the_base_directory_is_what_paths_share(paths, base):
    assert common_directory(paths) == base


def test_rooted_and_relative_paths_have_no_common_directory():
    with pytest.raises(ArgumentError, match="all to begin"):
        common_directory(["/a", "b"])


@pytest.fixture
def files(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, order in (("foo/bar", "abd"), ("foo/baz", "dba"), ("foo/bat/baz", "abd")):
            for leaf in order:
                file[f"{name}/{'c/d' if leaf == 'd' else leaf}"] = np.arange(3)
        file["foo/other/a"] = np.arange(4)
        file["foo/bar2/a"] = np.arange(3.0)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        for leaf in ("a", "b", "c/d"):
            file[f"one/{leaf}"] = np.arange(3, dtype=">i8")
    return [tmp_path / "a.h5", tmp_path / "b.h5"]


def test_groups_like_the_prototype_are_found_at_any_depth(files, tmp_path):
    found = list_samples(files, "foo/bar")
    assert found.included.ids_of(range(4)) == ["foo/bar", "foo/bat/baz", "foo/baz", "one"]
    assert found.included.base_directory == str(tmp_path)


def test_members_are_found_in_the_order_of_creation_where_it_is_tracked(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w", track_order=True) as file:
        for name in ("bar", "baz", "bat/baz"):
            file[f"foo/{name}/a"] = 1
    assert list_samples([tmp_path / "t.h5"], "foo/bar").included.ids_of(range(3)) == [
        "foo/bar",
        "foo/baz",
        "foo/bat/baz",
    ]


def test_inclusion_and_exclusion_lists_are_of_the_same_samples(tmp_path):
    for name in "ab":
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            for row in range(3):
                file[f"RUN/{row}/x"] = 1.0
    found = list_samples([tmp_path / "a.h5", tmp_path / "b.h5"], "RUN/0", exclude=["RUN/1"])
    found.write(tmp_path / "in", tmp_path / "ex")
    assert read_list(tmp_path / "ex").to_text() == read_list(tmp_path / "in").to_text()
    assert (tmp_path / "ex").read_text().splitlines()[1:2] == ["4 2 2"]


def test_a_prototype_is_found(files, tmp_path):
    assert find_prototype(str(files[1])) == "one"
    with h5py.File(tmp_path / "jag.h5", "w") as file:
        for name in ("0.0.1:1", "0.0.2:1"):
            file[f"{name}/inputs/p"], file[f"{name}/outputs/q"] = 1.0, 2.0
    assert find_prototype(str(tmp_path / "jag.h5")) == "0.0.1:1"


def test_what_cannot_be_listed_is_told(files, tmp_path):
    with pytest.raises(MissingSampleError, match="prototype"):
        list_samples(files, "nothing")
    with pytest.raises(MissingSampleError, match="no such file"):
        list_samples([tmp_path / "no.h5"], "a")
    with pytest.raises(LbannListError, match="in no file"):
        list_samples(files, "foo/bar", exclude=["foo/nothing"])
    with pytest.raises(ArgumentError, match="does not lie in"):
        list_samples(files, "foo/bar", base_directory="/elsewhere")
