"""The samples of a file are listed."""

from __future__ import annotations

import h5py
import pytest

from akdask.lbann.errors import MissingSampleError, SampleError
from akdask.lbann.reader import sample_ids


@pytest.mark.parametrize(("track", "expected"), [(None, ["a/x", "a/y", "b/z"]), (True, ["b/z", "a/y", "a/x"])])
def test_groups_at_a_depth_by_creation_where_it_is_known(tmp_path, track, expected):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w", track_order=track) as file:
        for name in ("b/z", "a/y", "a/x"):
            file.require_group(name.split("/")[0]) if name[0] in file else file.create_group(name[0], track_order=track)
            file.create_group(name)["value"] = 1.0
        file["number"] = 1
    assert sample_ids(path, depth=2) == expected
    assert sample_ids(path) == list(dict.fromkeys(name[0] for name in expected))
    assert sample_ids(path, depth=3) == []


def test_files_that_cannot_be_read_are_told(tmp_path):
    (tmp_path / "text.h5").write_text("text" * 100)
    with pytest.raises(MissingSampleError, match="no such file"):
        sample_ids(str(tmp_path / "nowhere.h5"))
    for name in ("text.h5", ""):
        with pytest.raises(SampleError, match="cannot be read"):
            sample_ids(str(tmp_path / name))
