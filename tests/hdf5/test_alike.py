"""Files that are made alike are described without opening each, and never otherwise than by opening it."""

import os
import shutil

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import InconsistentFilesError
from akdask.hdf5 import inspect
from akdask.hdf5.alike import Templates
from akdask.storage.files import identify

COLUMNS = 8


def write(path, rows, *, first=0, dtype=np.int64):
    with h5py.File(path, "w") as file:
        for number in range(COLUMNS):
            dataset = file.create_dataset(f"c{number}", data=np.arange(first, first + rows).astype(dtype) + number)
            dataset.attrs["ObjType"] = np.int32(1)


@pytest.fixture
def opened(monkeypatch):
    """Return the files that are opened to be described."""
    found = []
    describe = inspect.describe_file

    def described(file):
        found.append(os.path.basename(file.path))
        return describe(file)

    monkeypatch.setattr(inspect, "describe_file", described)
    monkeypatch.setattr(inspect, "_TEMPLATES", Templates(described))
    return found


def test_files_that_differ_in_their_data_alone_are_not_opened(tmp_path, opened):
    for number in range(20):
        write(tmp_path / f"set_LOCALE{number:04d}.h5", 5, first=100 * number)
    data = ak.read_hdf(str(tmp_path / "set_LOCALE*.h5"))
    assert len([name for name in opened if name.startswith("set")]) == 1
    wanted = np.concatenate([np.arange(5) + 100 * number for number in range(20)])
    for number in range(COLUMNS):
        np.testing.assert_array_equal(data[f"c{number}"].to_ndarray(), wanted + number)


def test_a_file_of_another_type_or_length_is_opened(tmp_path, opened):
    write(tmp_path / "set_LOCALE0000.h5", 5)
    write(tmp_path / "set_LOCALE0001.h5", 5)
    write(tmp_path / "set_LOCALE0002.h5", 4)
    data = ak.read_hdf(str(tmp_path / "set_LOCALE*.h5"))
    assert data["c3"].tolist() == [3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 3, 4, 5, 6]
    write(tmp_path / "other_LOCALE0000.h5", 5)
    write(tmp_path / "other_LOCALE0001.h5", 5, dtype=np.float64)
    with pytest.raises(InconsistentFilesError):
        ak.read_hdf(str(tmp_path / "other_LOCALE*.h5"))


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_found_as_if_each_file_was_opened(tmp_path, seed):
    write(tmp_path / "good.h5", 50)
    size = os.path.getsize(tmp_path / "good.h5")
    good = (tmp_path / "good.h5").read_bytes()
    rng = np.random.default_rng(seed)
    templates = Templates(inspect.describe_file)
    templates.add(inspect.describe_file(identify(str(tmp_path / "good.h5"))))
    for position in rng.integers(0, size, 150).tolist():
        damaged = bytearray(good)
        damaged[position] ^= 1 << int(rng.integers(8))
        path = tmp_path / "damaged.h5"
        path.write_bytes(damaged)
        alike = templates.describe(identify(str(path)))
        if alike is None:
            continue
        found = inspect.describe_file(identify(str(path)))
        assert found.objects == alike.objects
        np.testing.assert_array_equal(found.slots, alike.slots)


def test_data_that_claims_to_lie_over_a_header_makes_no_template(tmp_path):
    """Of such a file the bytes besides the data do not say all."""
    path = tmp_path / "first.h5"
    write(path, 50)
    content = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        offset = file["c0"].id.get_offset()
    start = content.index(offset.to_bytes(8, "little"))
    content[start : start + 8] = (start - 100).to_bytes(8, "little")
    path.write_bytes(content)
    shutil.copy(path, tmp_path / "second.h5")
    templates = Templates(inspect.describe_file)
    templates.add(inspect.describe_file(identify(str(path))))
    assert templates.describe(identify(str(tmp_path / "second.h5"))) is None
