"""Files that are made alike are described without opening each, and never otherwise than by opening it."""

import os
import shutil

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import InconsistentFilesError
from akdask.formats.hdf5 import inspect
from akdask.formats.hdf5.inspect import Templates
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


def test_data_that_claims_to_lie_over_a_header_is_described_as_the_library_does(tmp_path):
    path = tmp_path / "first.h5"
    write(path, 50)
    content = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        offset = file["c0"].id.get_offset()
    start = content.index(offset.to_bytes(8, "little"))
    content[start : start + 8] = (start - 100).to_bytes(8, "little")
    path.write_bytes(content)
    shutil.copy(path, tmp_path / "second.h5")
    second = identify(str(tmp_path / "second.h5"))
    alike = templates_of(path).describe(second)
    assert alike is not None
    assert_same(alike, inspect.describe_file(second))


def templates_of(path):
    templates = Templates(inspect.describe_file)
    templates.add(inspect.describe_file(identify(str(path))))
    return templates


def assert_same(found, wanted):
    assert found.file == wanted.file
    assert found.objects == wanted.objects
    assert found.column_order == wanted.column_order
    np.testing.assert_array_equal(found.slots, wanted.slots)


def write_many_kinds(path, rows, *, seed, times=False):
    """Write what servers do: strings of any length, lists, a date of each dataset, and more columns than one table."""
    rng = np.random.default_rng(seed)
    texts = [bytes(rng.integers(97, 123, size).astype(np.uint8)) for size in rng.integers(0, 30, rows)]
    starts = np.cumsum([0, *[len(text) + 1 for text in texts]])
    with h5py.File(path, "w") as file:
        for number in range(80):
            dataset = file.create_dataset(f"n{number}", data=rng.integers(0, 9, rows), track_times=times)
            dataset.attrs["ObjType"] = np.int64(1)
            dataset.attrs["arkouda_version"] = np.bytes_("v2024.10.02")
        for name, kind, values in (
            ("s", 2, np.frombuffer(b"".join(text + b"\0" for text in texts), np.uint8)),
            ("l", 3, rng.random(int(starts[-1]))),
        ):
            group = file.create_group(name)
            group.attrs["ObjType"] = np.int64(kind)
            group.create_dataset("values", data=values, track_times=times)
            group.create_dataset("segments", data=starts[:-1], track_times=times)
            group[f"{name}_segments"] = group["segments"]


def test_files_of_other_lengths_are_described_as_if_each_was_opened(tmp_path, opened):
    """The shares of servers differ by a row, those of strings by any number of bytes."""
    for number in range(12):
        write_many_kinds(tmp_path / f"set_LOCALE{number:04d}.h5", 1 + number % 5, seed=number)
    ak.read_hdf(str(tmp_path / "set_LOCALE*.h5"))
    assert [name for name in opened if name.startswith("set")] == ["set_LOCALE0000.h5"]
    templates = templates_of(tmp_path / "set_LOCALE0003.h5")
    for number in range(12):
        file = identify(str(tmp_path / f"set_LOCALE{number:04d}.h5"))
        assert_same(templates.describe(file), inspect.describe_file(file))


def test_the_time_at_which_a_dataset_was_written_makes_no_difference(tmp_path):
    write_many_kinds(tmp_path / "first.h5", 4, seed=1, times=True)
    content = (tmp_path / "first.h5").read_bytes()
    with h5py.File(tmp_path / "first.h5") as file:
        written = h5py.h5o.get_info(file["n3"].id).ctime.to_bytes(4, "little")
    assert written in content
    (tmp_path / "second.h5").write_bytes(content.replace(written, b"\1\2\3\4"))
    second = identify(str(tmp_path / "second.h5"))
    assert_same(templates_of(tmp_path / "first.h5").describe(second), inspect.describe_file(second))


def test_a_file_of_one_column_is_a_template_too(tmp_path):
    for name, rows in (("first.h5", 3), ("second.h5", 5)):
        with h5py.File(tmp_path / name, "w") as file:
            file["x"] = np.arange(rows)
    second = identify(str(tmp_path / "second.h5"))
    assert_same(templates_of(tmp_path / "first.h5").describe(second), inspect.describe_file(second))


def test_files_of_so_many_columns_that_nodes_of_their_tree_have_neighbours_are_templates(tmp_path):
    for name, rows in (("first.h5", 3), ("second.h5", 5)):
        with h5py.File(tmp_path / name, "w") as file:
            for number in range(400):
                file[f"c{number}"] = np.arange(rows)
    second = identify(str(tmp_path / "second.h5"))
    assert_same(templates_of(tmp_path / "first.h5").describe(second), inspect.describe_file(second))


def test_a_file_without_rows_is_described_as_the_library_does(tmp_path):
    for rows in (0, 3):
        write_many_kinds(tmp_path / f"{rows}.h5", rows, seed=rows)
    for made, asked in (("0.h5", "3.h5"), ("3.h5", "0.h5"), ("0.h5", "0.h5")):
        file = identify(str(tmp_path / asked))
        found = templates_of(tmp_path / made).describe(file)
        assert found is None or (found.slots == inspect.describe_file(file).slots).all()
        assert (found is None) == (made != asked)


@pytest.mark.parametrize("seed", range(6))
def test_damage_in_files_of_many_kinds_is_found_as_if_each_was_opened(tmp_path, seed):
    """Bytes and whole numbers are changed, as damage and as attacks do."""
    write_many_kinds(tmp_path / "good.h5", 3, seed=seed)
    write_many_kinds(tmp_path / "other.h5", 4, seed=seed, times=True)
    templates = templates_of(tmp_path / "good.h5")
    good = (tmp_path / f"{'good' if seed % 2 else 'other'}.h5").read_bytes()
    rng = np.random.default_rng(seed)
    path = tmp_path / "damaged.h5"
    for position in rng.integers(0, len(good) - 8, 60).tolist():
        damaged = bytearray(good)
        if rng.integers(2):
            damaged[position] ^= 1 << int(rng.integers(8))
        else:
            number = (0, 1, 7, 96, len(good), 2**40, 2**64 - 1)[rng.integers(7)]
            damaged[position & ~7 : (position & ~7) + 8] = number.to_bytes(8, "little")
        path.write_bytes(damaged)
        alike = templates.describe(identify(str(path)))
        if alike is not None:
            assert_same(alike, inspect.describe_file(identify(str(path))))


def test_where_no_file_is_as_another_few_are_described_twice(tmp_path, opened):
    for number in range(33):
        write(tmp_path / f"set_LOCALE{number:04d}.h5", 5)
        with h5py.File(tmp_path / f"set_LOCALE{number:04d}.h5", "a") as file:
            file.attrs["number"] = number
    ak.read_hdf(str(tmp_path / "set_LOCALE*.h5"))
    assert len([name for name in opened if name.startswith("set")]) == 33
    assert len(opened) <= 33 + 3
