"""Small helpers for files and folders."""

from __future__ import annotations

import pytest

from akdask.arkouda.pandas.io_util import (
    delete_directory,
    delimited_file_to_dict,
    dict_to_delimited_file,
    directory_exists,
    get_directory,
    write_line_to_file,
)
from akdask.errors import ArgumentError


def test_folders_are_made_and_deleted(tmp_path):
    folder = get_directory(f"{tmp_path}/a/b")
    assert folder.is_dir()
    assert get_directory(str(folder)) == folder
    assert directory_exists(str(folder))
    delete_directory(str(folder))
    delete_directory(str(folder))
    assert not directory_exists(str(folder))


def test_a_folder_that_cannot_be_made_is_a_value_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match="cannot be made"):
        get_directory(f"{tmp_path}/file/x")


def test_dicts_come_back_from_files(tmp_path):
    path = f"{tmp_path}/x.csv"
    assert delimited_file_to_dict(path) == {}
    dict_to_delimited_file(path, {"a": 1, "b": "é"})
    write_line_to_file(path, "c,3")
    assert delimited_file_to_dict(path) == {"a": "1", "b": "é", "c": "3"}
    with pytest.raises(ValueError, match="comma"):
        dict_to_delimited_file(path, {}, ";")
    write_line_to_file(path, "no pair")
    with pytest.raises(ValueError, match=r"line 4 of .* is no pair"):
        delimited_file_to_dict(path)
