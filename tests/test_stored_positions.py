"""Positions that files hold are checked before they are used: none is taken for one that counts from the end."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import AkdaskError, FileFormatError

LEAST = -(2**63)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "x")


@pytest.fixture
def categorical(path):
    codes = [0, 1, 0, 2]
    parts = {"permutation": ak.array([0, 2, 1, 3]), "segments": ak.array([0, 2, 3])}
    ak.to_hdf({"c": ak.Categorical.from_codes(codes, ["x", "y", "N/A"], **parts)}, path, file_type="single")
    return path


@pytest.fixture
def groupby(path):
    ak.GroupBy(ak.array([3, 3, 1, 2])).to_hdf(path, "g", file_type="single")
    return path


def put(path, dataset, row, value):
    with h5py.File(path, "r+") as file:
        if value >= 2**63:
            make_unsigned(file, dataset)
        file[dataset][row] = value


def put_as_unsigned(path, dataset):
    with h5py.File(path, "r+") as file:
        make_unsigned(file, dataset)


def make_unsigned(file, dataset):
    stored = file[dataset][()].astype("u8")
    del file[dataset]
    file[dataset] = stored


def test_those_of_a_categorical_are_as_they_were_written(categorical):
    c = ak.read_hdf(categorical)["c"]
    assert c.permutation.tolist() == [0, 2, 1, 3]
    assert c.segments.tolist() == [0, 2, 3]
    assert c[c.permutation].tolist() == ["x", "x", "y", "N/A"]


@pytest.mark.parametrize("value", [LEAST, LEAST + 1, -4, -1, 4, 2**31, 2**62, 2**63, 2**64 - 1])
def test_the_permutation_of_a_categorical_holds_rows(categorical, value):
    put(categorical, "c/permutation", 1, value)
    c = ak.read_hdf(categorical)["c"]
    for use in (c.permutation.tolist, c.permutation.max().compute, c[c.permutation].tolist):
        with pytest.raises(FileFormatError, match=r"'c/permutation' holds -?\d+, which is none of 4 positions"):
            use()
    assert c.tolist() == ["x", "y", "x", "N/A"]


def test_unsigned_positions_and_codes_are_positions_and_codes(categorical):
    for part in ("permutation", "segments", "codes", "NA_Codes"):
        put_as_unsigned(categorical, f"c/{part}")
    c = ak.read_hdf(categorical)["c"]
    assert (c.permutation.tolist(), c.segments.tolist()) == ([0, 2, 1, 3], [0, 2, 3])
    assert c[c.permutation].tolist() == ["x", "x", "y", "N/A"]
    assert c.permutation.dtype == np.int64


def test_unsigned_parts_of_a_groupby_are_positions(groupby):
    for part in ("permutation", "segments", "unique_key_idx"):
        put_as_unsigned(groupby, f"g/{part}")
    keys, sums = ak.read_hdf(groupby)["g"].sum(ak.arange(4))
    assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == {1: 2, 2: 3, 3: 1}


@pytest.mark.parametrize("value", [LEAST, -1, 5, 2**62])
def test_the_segments_of_a_categorical_are_positions_among_its_rows(categorical, value):
    put(categorical, "c/segments", 1, value)
    with pytest.raises(FileFormatError, match="'c/segments' holds"):
        ak.read_hdf(categorical)["c"].segments.tolist()


def test_a_label_without_elements_starts_behind_all_of_them(categorical):
    put(categorical, "c/segments", 2, 4)
    assert ak.read_hdf(categorical)["c"].segments.tolist() == [0, 2, 4]


def test_a_permutation_of_another_number_of_rows_is_refused(categorical):
    with h5py.File(categorical, "r+") as file:
        del file["c/permutation"]
        file["c/permutation"] = np.arange(3)
    with pytest.raises(FileFormatError, match="3 positions in its permutation for 4 elements"):
        ak.read_hdf(categorical)


@pytest.mark.parametrize("value", [LEAST, -1, 3, 2**62])
@pytest.mark.parametrize("part", ["c/codes", "c/NA_Codes"])
def test_codes_without_a_label_are_refused(categorical, part, value):
    put(categorical, part, 0, value)
    c = ak.read_hdf(categorical)["c"]
    for use in (c.tolist, c.isna().tolist, (c == "x").tolist, c.argsort().tolist, c.unique().tolist):
        with pytest.raises(AkdaskError, match="categor"):
            use()


@pytest.mark.parametrize("value", [LEAST, -4, -1, 4, 2**62])
@pytest.mark.parametrize("part", ["permutation", "segments", "unique_key_idx"])
def test_the_parts_of_a_groupby_are_positions(groupby, part, value):
    put(groupby, f"g/{part}", 1, value)
    with pytest.raises(AkdaskError, match=r"positions|do not describe groups"):
        ak.read_hdf(groupby)["g"].sum(ak.arange(4))[0].tolist()
