"""Files that are gone from the end of a set, of which only its manifest tells."""

import os

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import InconsistentFilesError
from akdask.testing.strategies import partitioned

WAYS = {
    "a pattern": lambda prefix: ak.read_hdf(f"{prefix}*"),
    "a pattern of locales": lambda prefix: ak.read_hdf(f"{prefix}_LOCALE*.h5"),
    "a list of patterns": lambda prefix: ak.read_hdf([f"{prefix}_LOCALE000?.h5"]),
    "any format": lambda prefix: ak.read(f"{prefix}*"),
    "the set's name": lambda prefix: ak.load(f"{prefix}.h5", dataset="x"),
    "all of the set's name": lambda prefix: ak.load_all(f"{prefix}.h5"),
    "names": lambda prefix: dict.fromkeys(ak.get_datasets(f"{prefix}*")),
    "tags": lambda prefix: ak.read_tagged_data(f"{prefix}*")[0],
    "a frame": lambda prefix: ak.DataFrame.load(f"{prefix}.h5"),
}


@pytest.fixture
def written(prefix):
    partitioned(np.arange(9), [3, 3, 3]).to_hdf(f"{prefix}.h5", "x")
    return prefix


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_last_file_is_named(written, way):
    assert "x" in WAYS[way](written)
    os.unlink(f"{written}_LOCALE0002.h5")
    for _ in range(2):
        with pytest.raises(InconsistentFilesError, match="missing from a set") as caught:
            WAYS[way](written)
        assert caught.value.details == (f"missing: {written}_LOCALE0002.h5",)
        assert "allow_errors" in caught.value.hint


def test_all_lost_files_are_named(written):
    os.unlink(f"{written}_LOCALE0002.h5")
    os.unlink(f"{written}_LOCALE0001.h5")
    with pytest.raises(InconsistentFilesError) as caught:
        ak.load_all(f"{written}.h5")
    assert caught.value.details == tuple(f"missing: {written}_LOCALE000{number}.h5" for number in (1, 2))


def test_where_errors_are_allowed_there_is_a_warning(written):
    os.unlink(f"{written}_LOCALE0002.h5")
    with pytest.warns(RuntimeWarning, match=r"1 file is left out:\n.*_LOCALE0002.h5': missing from its set"):
        found = ak.read_hdf(f"{written}*", allow_errors=True)
    assert found["x"].tolist() == [0, 1, 2, 3, 4, 5]


def test_files_that_are_listed_or_not_meant_are_not_missed(written):
    os.unlink(f"{written}_LOCALE0002.h5")
    paths = [f"{written}_LOCALE000{number}.h5" for number in range(2)]
    assert ak.read_hdf(paths)["x"].size == 6
    assert ak.read_hdf(paths[0])["x"].size == 3
    assert ak.read_hdf(f"{written}_LOCALE000[01].h5")["x"].size == 6


def test_a_server_that_has_written_fewer_files_is_believed(written):
    for number in range(2):
        with h5py.File(f"{written}_LOCALE000{number}.h5", "w") as file:
            file["x"] = np.arange(4 + number)
    os.unlink(f"{written}_LOCALE0002.h5")
    assert ak.load_all(f"{written}.h5")["x"].size == 9


def test_one_file_that_is_as_it_was_written_is_enough(written):
    with h5py.File(f"{written}_LOCALE0000.h5", "r+") as file:
        file["added"] = np.arange(3)
    os.unlink(f"{written}_LOCALE0002.h5")
    with pytest.raises(InconsistentFilesError, match="missing from a set"):
        ak.load(f"{written}.h5", dataset="x")


@pytest.mark.filterwarnings("ignore:.*existing files.*were replaced")
def test_sets_that_akdask_has_written_anew_are_whole(written):
    partitioned(np.arange(4), [2, 2]).to_hdf(f"{written}.h5", "x")
    assert ak.load_all(f"{written}.h5")["x"].size == 4
    ak.array([1.5, 2.5]).to_hdf(f"{written}.h5", "y", mode="append", num_locales=2)
    assert ak.load_all(f"{written}.h5")["y"].size == 2
    with ak.config.set(manifest=False):
        ak.arange(3).to_hdf(f"{written}.h5", "x")
    assert ak.load_all(f"{written}.h5")["x"].size == 3


def test_without_manifests_nothing_is_known(written):
    os.unlink(f"{written}_LOCALE0002.h5")
    with ak.config.set(manifest=False):
        assert ak.load_all(f"{written}.h5")["x"].size == 6
