import pytest

from akdask.errors import FileFormatError, MissingFileError
from akdask.storage.filetype import FileType, file_type


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"\x89HDF\r\n\x1a\nrest", FileType.HDF5),
        (b"PAR1rest", FileType.PARQUET),
        (b"**HEADER**\n", FileType.CSV),
    ],
)
def test_the_first_bytes_tell_the_type_whatever_the_extension(tmp_path, first, kind):
    path = tmp_path / "x.csv"
    path.write_bytes(first)
    assert file_type(str(path)) is kind


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"ARROW1\0\0....", b"\x89HDF"])
def test_other_content_is_refused(tmp_path, content):
    path = tmp_path / "x.h5"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.h5"):
        file_type(str(path))


def test_a_missing_file_is_missing_and_a_folder_cannot_be_read(tmp_path):
    with pytest.raises(MissingFileError):
        file_type(str(tmp_path / "none"))
    with pytest.raises(FileFormatError):
        file_type(str(tmp_path))
