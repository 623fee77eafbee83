"""Sets whose files do not agree."""

import warnings

import h5py
import numpy as np
import pytest

from akdask.errors import FileError, InconsistentFilesError, MissingDatasetError
from akdask.formats.hdf5.file_set import open_set


@pytest.fixture
def make(tmp_path):
    def build(*files):
        for index, objects in enumerate(files):
            with h5py.File(tmp_path / f"x_LOCALE{index:04d}", "w") as file:
                for name, values in objects.items():
                    file[name] = values
        return tmp_path / "x_LOCALE*"

    return build


def test_an_object_that_some_files_lack_is_told_for_each_of_them(make):
    pattern = make({"a": np.arange(2), "b": np.arange(2)}, {"a": np.arange(2)}, {"a": np.arange(2)})
    with pytest.raises(InconsistentFilesError) as caught:
        open_set(pattern).select(["a", "b"])
    assert [line.split(": ")[-1] for line in caught.value.details] == ["has no object 'b'"] * 2
    assert "x_LOCALE0001" in caught.value.details[0]
    assert "x_LOCALE0002" in caught.value.details[1]


def test_objects_that_agree_can_be_read_from_a_set_that_does_not(make, read_column):
    pattern = make({"a": np.arange(2), "b": np.arange(2)}, {"a": np.arange(2)})
    assert read_column(open_set(pattern).select(["a"])["a"].members["values"]) == [0, 1, 0, 1]


def test_a_name_that_no_file_has_is_told_with_those_that_they_have(make):
    with pytest.raises(MissingDatasetError, match=r"'c'[\s\S]*a, b"):
        open_set(make({"a": np.arange(2), "b": np.arange(2)})).select(["c", "a"])


@pytest.mark.parametrize("strict", [True, False])
def test_numbers_of_another_class_never_agree(make, strict):
    pattern = make({"a": np.arange(2)}, {"a": np.arange(2.0)})
    with pytest.raises(InconsistentFilesError, match="'a' is float64, elsewhere int64"):
        open_set(pattern, strict_types=strict).select()


def test_empty_shares_must_agree_too(make):
    with pytest.raises(InconsistentFilesError):
        open_set(make({"a": np.arange(2)}, {"a": np.zeros(0)})).select()


@pytest.mark.parametrize(("one", "two"), [("i8", "u8"), ("u8", "i8"), ("i8", "i4"), ("f8", "f4")])
def test_width_and_sign_must_agree_only_if_types_are_strict(make, read_set, one, two):
    pattern = make({"a": np.arange(2).astype(one)}, {"a": np.arange(3).astype(two)})
    with pytest.raises(InconsistentFilesError, match="'a' is"):
        open_set(pattern).select()
    assert read_set(pattern, strict_types=False) == {"a": [0, 1, 0, 1, 2]}
    stored = open_set(pattern, strict_types=False).select()["a"].members["values"]
    # Integers with a sign and without have one: a value that it does not have is an error where it is read.
    assert stored.source.columns["a"].kind == np.dtype("i8" if one[0] != "f" else "f8").name.rstrip("0123456789")


def test_byte_order_need_not_agree(make, read_set):
    assert read_set(make({"a": np.arange(2, dtype="<i8")}, {"a": np.arange(2, dtype=">i8")})) == {"a": [0, 1, 0, 1]}


def test_strings_and_numbers_of_one_name_do_not_agree(make):
    pattern = make({"a": np.arange(2)}, {"a/values": np.zeros(1, "u1"), "a/segments": np.zeros(1, int)})
    with pytest.raises(InconsistentFilesError, match="'a' is Strings, elsewhere pdarray"):
        open_set(pattern).select()


def test_a_share_of_strings_without_segments_is_read_beside_shares_with_them(make, read_set):
    full = {"a/values": np.frombuffer(b"x\0yy\0", "u1"), "a/segments": np.array([0, 2])}
    bare = {"a/values": np.frombuffer(b"z\0", "u1")}
    empty = {"a/values": np.zeros(0, "u1")}
    assert read_set(make(full, empty, bare, full)) == {"a": ["x", "yy", "z", "x", "yy"]}


def test_bad_files_are_left_out_with_one_warning_where_errors_are_allowed(make, tmp_path, read_column):
    pattern = make({"a": np.arange(2)}, {"b": np.arange(2)}, {"a": np.arange(3)}, {})
    (tmp_path / "x_LOCALE0003").write_bytes(b"no HDF5")
    with pytest.warns(RuntimeWarning, match="1 file is left out:\n.*x_LOCALE0003"):
        files = open_set(pattern, allow_errors=True)
    with pytest.warns(RuntimeWarning, match="1 file is left out:\n.*x_LOCALE0001.*no object 'a'"):
        stored = files.select(["a"])["a"].members["values"]
    assert read_column(stored) == [0, 1, 0, 1, 2]


def test_it_is_an_error_if_no_file_is_left(tmp_path):
    (tmp_path / "x").write_bytes(b"no HDF5")
    with pytest.raises(FileError, match="none of the files"):
        open_set(tmp_path / "x", allow_errors=True)


def test_all_is_well_without_a_warning_where_errors_are_allowed_but_absent(make, read_set):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_set(make({"a": np.arange(2)}), allow_errors=True) == {"a": [0, 1]}
