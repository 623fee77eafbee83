"""Nodes of a file tell what is in it, at any depth and however it is stored."""

import h5py
import numpy as np
import pytest

from akdask.formats.hdf5.metadata import Foreign, NotFlatError, StoredDataset, read_file_metadata, root_of
from akdask.storage.ranges import ELSEWHERE


def test_groups_are_read_to_the_depth_of_objects_and_those_below_are_named(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a/b/c/d/e/f"] = 1
    node = read_file_metadata(str(tmp_path / "x.h5")).root
    for name in "abcd":
        node = node.group(name)
    assert node.members == {"e": Foreign("a/b/c/d/e", "is nested too deeply")}


def test_second_names_of_parts_are_left_out_and_others_that_look_like_them_are_not(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name in (
            "values",
            "segments",
            "ab_values",
            "ab_segments",
            "ab_other",
            "ab_",
            "b_values",
            "alues",
            "abvalues",
        ):
            file[f"g/ab/{name}"] = [1]
        file["s/values"], file["s/s_values"], file["s/_values"] = [1], [2], [3]
    root = read_file_metadata(str(tmp_path / "x.h5")).root
    assert set(root.group("g").group("ab").members) == {
        *("values", "segments", "ab_other", "ab_", "b_values", "alues", "abvalues")
    }
    assert set(root.group("s").members) == {"values", "_values"}


def test_rows_that_are_stored_together_are_no_more_than_there_are(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("few", data=np.arange(5), chunks=(100,), maxshape=(None,))
        file.create_dataset("many", data=np.arange(50), chunks=(10,))
        found = {name: root_of(file).at(name).describe()[1] for name in ("few", "many")}
    assert found == {"few": (ELSEWHERE - 5, 5), "many": (ELSEWHERE - 10, 50)}


def test_a_path_may_lead_through_links_and_to_nothing(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["g/x"] = np.arange(3)
        file["soft"] = h5py.SoftLink("/g")
        file["round"] = h5py.SoftLink("/round")
        file["far"] = h5py.ExternalLink("y.h5", "/x")
        root = root_of(file)
        assert isinstance(root.at("soft/x"), StoredDataset)
        for path, reason in (
            ("none", "nowhere"),
            ("round", "without end"),
            ("far", "another file"),
            ("g/x/y", "nowhere"),
        ):
            with pytest.raises(NotFlatError, match=reason):
                root.at(path)
