from __future__ import annotations

import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize("path", [5, None, b"x.h5"])
def test_what_is_neither_text_nor_a_path_names_no_files_to_write(path):
    with pytest.raises(ArgumentTypeError, match="str or path"):
        ak.arange(3).to_hdf(path)


def test_a_url_that_no_file_system_opens_is_told():
    for access in (lambda: ak.read_hdf("nowhere://folder/x.h5"), lambda: ak.arange(3).to_hdf("nowhere://folder/x.h5")):
        with pytest.raises(ArgumentError, match=r"no file system opens 'nowhere://folder/x.h5'"):
            access()
