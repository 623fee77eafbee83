import pytest

from akdask.errors import FileFormatError, MissingFileError
from akdask.storage.formats import format_of


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"\x89HDF\r\n\x1a\nrest", "HDF5"),
        (b"PAR1rest", "Parquet"),
        (b"**HEADER**\n", "CSV"),
    ],
)
def test_the_first_bytes_tell_the_type_whatever_the_extension(tmp_path, first, kind):
    path = tmp_path / "x.csv"
    path.write_bytes(first)
    assert format_of(str(path)).name == kind


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"ARROW1\0\0....", b"\x89HDF"])
def test_other_content_is_refused(tmp_path, content):
    path = tmp_path / "x.h5"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.h5"):
        format_of(str(path))


def test_a_missing_file_is_missing_and_a_folder_cannot_be_read(tmp_path):
    with pytest.raises(MissingFileError):
        format_of(str(tmp_path / "none"))
    with pytest.raises(FileFormatError):
        format_of(str(tmp_path))
