"""Groups of datasets as frames: their members, and what AnnData means by them."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import MissingDatasetError, UnsupportedError
from akdask.io import group_frames


@pytest.fixture
def path(tmp_path):
    return tmp_path / "groups.h5"


def test_a_group_is_the_frame_of_its_members(path):
    with h5py.File(path, "w") as file:
        file["g/a"] = np.arange(3)
        file["g/deep/b"] = [b"x", b"y", b"z"]
        file["g/one"] = 5
        file["g/odd"] = np.array([b"ab"] * 3, "V2")
        file["h"] = np.arange(2)
    with pytest.warns(RuntimeWarning) as told:
        found = ak.read_hdf(path, ["h", "g"])
    assert ["'g/odd': dataset" in str(one.message) for one in told] == [True, False]
    assert "'one': 1 row" in str(told[1].message)
    assert found["h"].tolist() == [0, 1]
    assert found["g"].to_pandas().to_dict("list") == {"a": [0, 1, 2], "deep/b": ["x", "y", "z"]}
    with pytest.raises(MissingDatasetError, match="'i'"):
        ak.read_hdf(path, ["i", "g"])


@pytest.mark.parametrize("is_old", [False, True])
def test_frames_of_anndata_have_their_labels_and_categoricals(path, is_old):
    with h5py.File(path, "w") as file:
        file["obs/_index"] = [b"c0", b"c1", b"c2"]
        file["obs/n"] = np.arange(3)
        labels = np.array(["low", "high"], h5py.string_dtype())
        file["obs/__categories/kind" if is_old else "obs/kind/categories"] = labels
        file["obs/kind" if is_old else "obs/kind/codes"] = np.array([1, -1, 0], "i1")
        file["X/data"], file["X/indices"] = np.array([0.5, 1.5, 2.5]), np.array([0, 2, 1])
        file["X/indptr"] = np.array([0, 2, 2, 3])
    found = ak.read_hdf(path, ["obs", "X"])
    obs = found["obs"]
    assert obs.index.tolist() == ["c0", "c1", "c2"]
    assert obs["n"].tolist() == [0, 1, 2]
    assert isinstance(obs["kind"], ak.Categorical)
    assert obs["kind"].tolist() == ["high", "N/A", "low"]
    assert found["X"]["indices"].tolist() == [[0, 2], [], [1]]
    assert found["X"]["data"].tolist() == [[0.5, 1.5], [], [2.5]]


def test_masks_beside_values_are_missing_rows(path):
    with h5py.File(path, "w") as file:
        for name, values in {"n": [2**60 + 1, 0, 3], "b": [True, False, True], "x": [0.5, 1.5, 2.5]}.items():
            file[f"obs/{name}/values"], file[f"obs/{name}/mask"] = values, [False, True, False]
        file["obs/other/values"], file["obs/other/mask"], file["obs/other/c"] = (
            [1, 2, 3],
            [False, True, False],
            [7, 8, 9],
        )
        file["obs/short/values"], file["obs/short/mask"] = [1, 2, 3], [True, False]
    with pytest.warns(RuntimeWarning, match="'short/mask': 2 rows"):
        obs = ak.read_hdf(path, "obs")["obs"]
    assert set(obs.columns) == {
        *("n", "b", "x/values", "x/mask", "other/values", "other/mask", "other/c", "short/values")
    }
    assert obs["n"].isna().tolist() == [False, True, False]
    assert obs["n"].fillna(-1).tolist() == [2**60 + 1, -1, 3]
    assert obs["b"].isna().tolist() == [False, True, False]
    assert obs["other/mask"].tolist() == [False, True, False]


def columns_of(objects):
    return {name: column.tolist() for name, column in objects.items()}


def test_codes_and_their_labels_are_one_column_and_others_stay_two():
    labels, other = ak.array(["low", "N/A", "high"]), ak.array(["x", "y"])
    codes = ak.array([2, -1, 0, 1])
    found = group_frames._with_categories({
        "a/codes": codes, "n": ak.arange(4), "a/categories": labels, "__categories/b": other, "b": codes % 2,
        "c/categories": ak.array([5, 6]), "c/codes": codes, "d/categories": other, "__categories/e": other,
        "f/codes": codes,
    })  # fmt: skip
    assert list(found) == ["a", "n", "b", "c/categories", "c/codes", "d/categories", "__categories/e", "f/codes"]
    assert isinstance(found["a"], ak.Categorical)
    assert columns_of({name: found[name] for name in ("a", "b", "n", "c/codes", "d/categories", "__categories/e")}) == {
        "a": ["high", "N/A", "low", "N/A"],
        "b": ["x", "y", "x", "y"],
        "n": [0, 1, 2, 3],
        "c/codes": [2, -1, 0, 1],
        "d/categories": ["x", "y"],
        "__categories/e": ["x", "y"],
    }
    assert [list(found[name].categories.tolist()) for name in ("a", "b")] == [["low", "N/A", "high"], ["x", "y", "N/A"]]
    twice = group_frames._categorical(ak.array([1, 0, -1]), ak.array(["p", "q"]))
    assert (twice.tolist(), twice.codes.tolist()) == (["q", "p", "N/A"], [1, 0, 2])


def test_members_are_those_below_a_group():
    names = ["g", "g/a", "g/deep/b", "gg/c", "x/g/d", "g/"]
    for group, wanted in (
        ("g", ["g/a", "g/deep/b", "g/"]),
        ("/g/", ["g/a", "g/deep/b", "g/"]),
        ("g/deep", ["g/deep/b"]),
    ):
        assert group_frames.members_of(group, names) == wanted
    assert group_frames.members_of("h", names) == []


def test_a_group_of_nothing_that_can_be_read_says_why(path):
    with h5py.File(path, "w") as file:
        file["g/odd"] = np.array([b"ab"] * 3, "V2")
        file["g/data"], file["g/indices"] = np.array([0.5, 1.5]), np.array([0, 2])
    with pytest.warns(RuntimeWarning, match="'g/odd'"):
        frame = ak.read_hdf(path, "g")["g"]
    assert frame.to_pandas().to_dict("list") == {"data": [0.5, 1.5], "indices": [0, 2]}
    with h5py.File(path, "a") as file:
        del file["g/data"], file["g/indices"]
    with pytest.raises(UnsupportedError, match="opaque"):
        ak.read_hdf(path, "g")
