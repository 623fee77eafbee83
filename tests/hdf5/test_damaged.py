"""Damaged files give an error that names the file, never a crash, a raw library error or a wrong answer."""

from collections import Counter

import h5py
import numpy as np
import pytest

from akdask.errors import AkdaskError, FileFormatError, MissingFileError
from akdask.formats.hdf5.file_set import open_set
from tests.mutations import oracle
from tests.mutations.judge import same_values


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.h5"


def write_strings(path, values, segments=None):
    with h5py.File(path, "w") as file:
        file["s/values"] = np.frombuffer(values, "u1")
        if segments is not None:
            file["s/segments"] = np.array(segments, int)


@pytest.fixture
def whole(path, write_set):
    columns = {"a": list(range(50)), "s": [f"text {k}" for k in range(50)], "f": [k / 7 for k in range(50)]}
    (file,) = write_set(path, columns, [50])
    path.unlink(missing_ok=True)
    with open(file, "rb") as opened:
        return columns, opened.read()


def test_a_file_cut_anywhere_is_an_error_or_complete(path, whole, read_set):
    columns, content = whole
    for length in [*range(0, len(content), 97), *range(len(content) - 40, len(content))]:
        path.write_bytes(content[:length])
        with pytest.raises(FileFormatError, match=r"x\.h5"):
            read_set(path)
    path.write_bytes(content)
    assert read_set(path) == columns


def where_numbers_lie(path):
    """Return the bytes of the file that are values of the numbers: no damage to them can be known for one."""
    with h5py.File(path) as file:
        extents = [(file[name].id.get_offset(), file[name].id.get_storage_size()) for name in "af"]
    return {place for offset, nbytes in extents for place in range(offset, offset + nbytes)}


def plainly(path):
    """Return what h5py finds in each object, without anything of akdask."""
    with h5py.File(path) as file:
        names = [name for name in file if isinstance(file[name], h5py.Dataset | h5py.Group)]
    return {name: oracle.plainly(path, name, kind.label) for name, kind in open_set(path).kinds.items()}, names


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("flips", [1, 5])
def test_damaged_bytes_give_our_errors_or_what_the_file_says_now(path, whole, read_set, flips):
    columns, content = whole
    path.write_bytes(content)
    numbers = where_numbers_lie(path)
    rng = np.random.default_rng(flips)
    outcomes = Counter()
    for _ in range(300):
        damaged = np.frombuffer(content, np.uint8).copy()
        places = rng.integers(0, len(damaged), flips)
        damaged[places] ^= rng.integers(1, 256, flips, dtype=np.uint8)
        path.write_bytes(damaged.tobytes())
        try:
            found = read_set(path)
        except (AkdaskError, RuntimeWarning):
            # A warning tells of an object that cannot be read, where others can.
            assert not numbers.issuperset(places.tolist()), "numbers that are others are no error"
            outcomes["refused"] += 1
            continue
        if same_values(found, columns):
            outcomes["right"] += 1
            continue
        wanted, names = plainly(path)
        assert sorted(found) == sorted(names)
        assert same_values(found, wanted), places
        outcomes["other numbers" if numbers.issuperset(places.tolist()) else "other metadata"] += 1
    assert set(outcomes) >= {"refused", "right"}, outcomes


@pytest.mark.parametrize("content", [b"", b"text", b"\x89HDF\r\n\x1a\n", bytes(range(256)) * 40, b"PAR1" * 100])
def test_what_is_not_hdf5_is_refused_by_name(path, content):
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.h5' cannot be read as HDF5"):
        open_set(path)


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(MissingFileError, match="folder without files"):
        open_set(tmp_path)


@pytest.mark.parametrize(
    ("values", "segments", "row"),
    [
        (b"aa\0bb\0", [0, 9], 0),  # past the values
        (b"aa\0bb\0", [0, -3], 0),  # before them
        (b"aa\0bb\0", [0, 2], 0),  # before the NUL
        (b"aa\0bb\0cc\0", [0, 6, 3], 0),  # falling
        (b"aa\0bb\0", [0, 0], 0),  # a string without its NUL
        (b"aa\0bb", [0, 3], 1),  # no NUL at the end
        (b"aa\0b\0b\0", [0, 3], 1),  # NUL inside
        (b"aa\0bb\0", [3], 0),  # not from 0
        (b"aa\0\xff\xfe\0", [0, 3], 1),  # not UTF-8
        (b"aa\0\xc3\0", [0, 3], 1),  # half a character
        (b"", [0], 0),  # segments without values
    ],
)
def test_strings_that_are_none_are_refused_by_dataset_and_row(path, read_set, values, segments, row):
    write_strings(path, values, segments)
    with pytest.raises(FileFormatError) as caught:
        read_set(path)
    assert "'s/values'" in str(caught.value)
    assert "x.h5" in str(caught.value)
    assert f"row {row} " in str(caught.value)


def test_a_character_split_over_two_strings_is_not_utf8(path, read_set):
    write_strings(path, b"\xc3\0\xa9\0", [0, 2])
    with pytest.raises(FileFormatError, match="row 0"):
        read_set(path)


def test_strings_without_segments_must_end_with_nul(path, read_set):
    write_strings(path, b"aa\0bb")
    with pytest.raises(FileFormatError, match=r"'s/values' of .*x\.h5' does not end with NUL"):
        read_set(path)


def test_wrong_segments_can_be_passed_over(path, read_set):
    write_strings(path, b"aa\0bb\0", [0, 2])
    assert read_set(path, calc_string_offsets=True) == {"s": ["aa", "bb"]}


def test_data_that_would_lie_past_the_end_of_the_file_is_refused(path, whole):
    _, content = whole
    path.write_bytes(content)
    with h5py.File(path) as file:
        offset = file["a"].id.get_offset()
    needle = np.array([offset], "<i8").tobytes()
    assert content.count(needle) == 1
    path.write_bytes(content.replace(needle, np.array([len(content) - 8], "<i8").tobytes()))
    with pytest.raises(FileFormatError, match=r"x\.h5"):
        open_set(path)


def test_what_is_no_hdf5_is_told_as_that_and_not_as_damaged(tmp_path):
    (tmp_path / "x.nc").write_bytes(b"CDF\x01" + bytes(100))
    with pytest.raises(FileFormatError, match=r"no HDF5 file(.|\n)*netCDF") as caught:
        open_set(tmp_path / "x.nc")
    assert "damaged" not in str(caught.value)
