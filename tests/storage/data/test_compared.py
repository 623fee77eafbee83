"""Bytes of files against their checksums."""

import pytest

from akdask.errors import FileFormatError
from akdask.storage.files import identify
from akdask.storage.manifest import FileSums


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"data" * 300_000 + b"footer")
    file = identify(str(path))
    return path, FileSums.of(file, file.size - 6)


@pytest.mark.parametrize("is_proven", [False, True])
def test_what_was_written_is_right(written, is_proven):
    path, sums = written
    for _ in range(2):
        assert sums.check_once(identify(str(path)), is_proven=is_proven)


@pytest.mark.parametrize("is_proven", [False, True])
@pytest.mark.parametrize("position", [0, 700_000, -1])
def test_a_changed_byte_is_damage(written, is_proven, position):
    path, sums = written
    raw = bytearray(path.read_bytes())
    raw[position] ^= 1
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="is not what was written"):
        sums.check_once(identify(str(path)), is_proven=is_proven)


def test_a_file_that_may_be_another_is_so_where_data_and_footer_differ(written):
    path, sums = written
    path.write_bytes(b"DATA" * 300_000 + b"FOOTER")
    assert not sums.check_once(identify(str(path)), is_proven=False)
    with pytest.raises(FileFormatError, match="is not what was written"):
        sums.check_once(identify(str(path)), is_proven=True)


def test_what_was_right_in_one_state_is_compared_again_in_another(written):
    path, sums = written
    assert sums.check_once(identify(str(path)), is_proven=True)
    raw = bytearray(path.read_bytes())
    raw[1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(FileFormatError):
        sums.check_once(identify(str(path)), is_proven=True)
