from __future__ import annotations

import json
import os
import warnings

import dask
import h5py
import numpy as np
import pytest

import akdask.engine.file_writes
from akdask import config, io
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array, full
from akdask.arrays.shapes import concatenate
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ArgumentTypeError,
    ExistsError,
    FileError,
    FileFormatError,
    InconsistentFilesError,
    MissingDatasetError,
    MissingFileError,
    WriteError,
)
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index

NUMBERS = np.array([3, -1, 4, 1, -5, 9, 2])
TEXT = ["a", "", "βeta", "d", "e", "f", "g"]


@pytest.fixture
def numbers():
    """Seven numbers in three partitions."""
    return concatenate([array(NUMBERS[:3]), array(NUMBERS[3:3]), array(NUMBERS[3:])])


def files(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith(".akdask"))


def stored(path, name):
    with h5py.File(path) as file:
        return file[name][()].tolist()


def test_each_partition_becomes_a_file(numbers, tmp_path):
    numbers.to_hdf(tmp_path / "x.h5")
    assert files(tmp_path) == ["x_LOCALE0000.h5", "x_LOCALE0001.h5", "x_LOCALE0002.h5"]
    assert [stored(tmp_path / name, "array") for name in files(tmp_path)] == [[3, -1, 4], [], [1, -5, 9, 2]]


def test_what_is_written_is_read_back(numbers, prefix):
    labels = Categorical(array(TEXT))
    io.to_hdf({"n": numbers, "s": array(TEXT), "c": labels, "b": numbers > 0, "f": numbers / 2}, prefix)
    found = io.read_hdf(f"{prefix}_LOCALE*")
    assert list(found) == ["n", "s", "c", "b", "f"]
    assert found["n"].tolist() == NUMBERS.tolist()
    assert found["s"].tolist() == TEXT
    assert found["c"].tolist() == TEXT
    assert found["c"].categories.tolist() == labels.categories.tolist()
    assert found["b"].tolist() == (NUMBERS > 0).tolist()
    assert found["f"].tolist() == (NUMBERS / 2).tolist()
    assert {array.npartitions for array in found.values()} == {3}


def test_each_kind_has_arkoudas_name(prefix):
    array([1]).to_hdf(prefix)
    array(["x"]).to_hdf(prefix, mode="append")
    Categorical(array(["y"])).to_hdf(prefix, mode="append")
    assert io.ls(f"{prefix}_LOCALE0000") == ["array", "strings_array", "categorical_array"]


def test_objects_of_other_lengths_share_a_set(numbers, prefix):
    io.to_hdf({"n": numbers, "short": arange(2), "none": arange(0), "one": array(["x"])}, prefix)
    found = io.load_all(prefix)
    assert found["n"].tolist() == NUMBERS.tolist()
    assert found["short"].tolist() == [0, 1]
    assert found["none"].tolist() == []
    assert found["one"].tolist() == ["x"]
    assert found["short"].rows.lengths == (1, 1, 0)


def test_selected_rows_are_written_without_counting_them(numbers, prefix):
    frame = DataFrame({"n": numbers, "s": array(TEXT)})
    frame[frame["n"] > 1].to_hdf(prefix, index=True)
    found = DataFrame(io.load_all(prefix))
    assert found["n"].tolist() == [3, 4, 9, 2]
    assert found["s"].tolist() == ["a", "βeta", "f", "g"]
    assert found.index.tolist() == [0, 2, 5, 6]


def test_a_single_file_has_exactly_the_path(numbers, tmp_path):
    path = tmp_path / "one.h5"
    io.to_hdf([numbers, Categorical(array(TEXT))], path, file_type="single")
    assert files(tmp_path) == ["one.h5"]
    assert stored(path, "0") == NUMBERS.tolist()
    assert io.load_all(path)["1"].tolist() == TEXT


def test_frames_write_some_columns_and_indexes_are_written_as_arrays(numbers, prefix):
    frame = DataFrame({"n": numbers, "s": array(TEXT)})
    frame.to_hdf(prefix, columns=["s"])
    assert io.get_datasets(f"{prefix}_LOCALE0000") == ["s"]
    io.to_hdf({"i": Index(numbers)}, prefix, mode="append")
    assert io.load(prefix, dataset="i")["i"].tolist() == NUMBERS.tolist()
    io.to_hdf(frame, prefix, names=["a", "b"], mode="append")
    assert io.get_datasets(f"{prefix}_LOCALE*") == ["s", "i", "a", "b"]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12])
def test_partitions_of_any_number_become_as_many_files_as_asked_for(numbers, tmp_path, count):
    labels, short = Categorical(array(TEXT)), array([True])
    io.to_hdf({"n": numbers, "s": array(TEXT), "c": labels, "one": short}, tmp_path / "x.h5", num_locales=count)
    assert files(tmp_path) == [f"x_LOCALE{k:04d}.h5" for k in range(count)]
    assert [value for name in files(tmp_path) for value in stored(tmp_path / name, "n")] == NUMBERS.tolist()
    found = io.load_all(tmp_path / "x.h5")
    assert (found["s"].tolist(), found["c"].tolist(), found["one"].tolist()) == (TEXT, TEXT, [True])


def test_rows_are_cut_as_arkouda_cuts_them_unless_there_are_as_many_files_as_partitions(numbers, tmp_path):
    numbers.to_hdf(tmp_path / "x", num_locales=3)
    assert [len(stored(tmp_path / name, "array")) for name in files(tmp_path)] == [3, 0, 4]
    numbers[numbers > 0].to_hdf(tmp_path / "y", num_locales=4)
    assert [len(stored(tmp_path / f"y_LOCALE000{k}", "array")) for k in range(4)] == [2, 1, 1, 1]
    DataFrame({"n": numbers}).to_hdf(tmp_path / "z", num_locales=2)
    array(TEXT).to_hdf(tmp_path / "t", num_locales=2)
    assert files(tmp_path)[:2] == ["t_LOCALE0000", "t_LOCALE0001"]
    assert stored(tmp_path / "z_LOCALE0001", "n") == NUMBERS[4:].tolist()


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
def test_numbers_of_files_that_make_no_sense_are_refused(numbers, prefix, count):
    with pytest.raises(ArgumentError, match="num_locales"):
        numbers.to_hdf(prefix, num_locales=count)
    assert files(prefix.parent) == []


def test_a_number_of_files_fits_neither_a_single_file_nor_a_set_of_another_number(numbers, prefix):
    with pytest.raises(ArgumentError, match="single file"):
        numbers.to_hdf(prefix, file_type="single", num_locales=1)
    numbers.to_hdf(prefix)
    with pytest.raises(InconsistentFilesError, match="3 files"):
        numbers.to_hdf(prefix, "more", mode="append", num_locales=2)


def test_truncate_replaces_the_set_and_its_stale_files_and_says_so(numbers, tmp_path):
    numbers.to_hdf(tmp_path / "x")
    numbers.to_hdf(tmp_path / "xy")
    with pytest.warns(UserWarning, match="3 existing files") as caught:
        array([1]).to_hdf(tmp_path / "x")
    assert caught[0].filename == __file__
    assert files(tmp_path) == ["x_LOCALE0000", "xy_LOCALE0000", "xy_LOCALE0001", "xy_LOCALE0002"]


def test_append_cuts_objects_to_the_files_that_are_there(numbers, prefix):
    numbers.to_hdf(prefix)
    arange(7).to_hdf(prefix, "more", mode="append")
    found = io.load(prefix, dataset="more")["more"]
    assert found.tolist() == list(range(7))
    assert found.npartitions == 3


def test_objects_that_exist_are_replaced_by_update_only(numbers, prefix):
    numbers.to_hdf(prefix)
    with pytest.raises(ExistsError, match="update_hdf"):
        numbers.to_hdf(prefix, mode="append")
    array(TEXT).update_hdf(prefix, "array")
    io.update_hdf({"other": numbers * 2}, prefix)
    found = io.load_all(prefix)
    assert found["array"].tolist() == TEXT
    assert found["other"].tolist() == (NUMBERS * 2).tolist()


def test_single_files_are_updated_in_place(numbers, tmp_path):
    numbers.to_hdf(tmp_path / "one.h5", file_type="single")
    frame = DataFrame({"array": array(TEXT)})
    frame.update_hdf(tmp_path / "one.h5")
    assert files(tmp_path) == ["one.h5"]
    assert io.load_all(tmp_path / "one.h5")["array"].tolist() == TEXT


@pytest.mark.lazy_only
def test_reading_looks_at_metadata_only(numbers, prefix):
    io.to_hdf({"n": numbers, "s": array(TEXT)}, prefix)
    with dask.config.set(scheduler=_refuse):
        found = io.read_hdf(f"{prefix}_LOCALE*")
        assert found["n"].size == 7
        assert (found["s"] == "a").dtype == bool


def _refuse(*args, **kwargs):
    raise AssertionError("something was computed")


def test_a_failing_task_leaves_the_old_set_whole(numbers, tmp_path):
    numbers.to_hdf(tmp_path / "x")
    before = [(name, (tmp_path / name).read_bytes()) for name in files(tmp_path)]
    broken = Categorical.from_codes(arange(3) + 9, ["a"])
    with pytest.raises(AkdaskError, match=r"code (9|1)"):
        io.to_hdf({"a": arange(3), "b": broken.to_strings()}, tmp_path / "x")
    assert [(name, (tmp_path / name).read_bytes()) for name in files(tmp_path)] == before


def test_errors_of_any_kind_become_write_errors(numbers, tmp_path, monkeypatch):
    def fail(*args):
        raise MemoryError("no memory left")

    monkeypatch.setattr(akdask.engine.file_writes, "_merged", fail)
    with pytest.raises(WriteError, match="no memory left"):
        numbers.to_hdf(tmp_path / "x")
    assert files(tmp_path) == []


def test_a_missing_folder_is_a_write_error(numbers, tmp_path):
    with pytest.raises(WriteError, match="create the folder"):
        numbers.to_hdf(tmp_path / "no" / "x")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"mode": "w"}, ArgumentTypeError),
        ({"file_type": "many"}, ArgumentTypeError),
        ({"mode": None}, ArgumentTypeError),
        ({"dataset": "a/b"}, ArgumentError),
    ],
)
def test_bad_options_of_methods_are_refused(numbers, prefix, arguments, error):
    with pytest.raises(error):
        numbers.to_hdf(prefix, **arguments)


def test_bad_options_of_functions_are_refused(numbers, prefix):
    with pytest.raises(ValueError, match="mode"):
        io.to_hdf([numbers], prefix, mode="w")
    with pytest.raises(ValueError, match="names"):
        io.to_hdf([numbers], prefix, names=["a", "b"])
    with pytest.raises(RuntimeError, match="nothing to write"):
        io.to_hdf([], prefix)
    with pytest.raises(ArgumentTypeError, match="list"):
        io.to_hdf([[1, 2]], prefix)
    with pytest.raises(ArgumentTypeError, match="to_hdf"):
        io.to_hdf(numbers, prefix)
    with pytest.raises(ArgumentTypeError, match="named"):
        io.to_hdf({1: numbers}, prefix)
    with pytest.raises(RuntimeError, match="same name"):
        io.to_hdf([numbers, numbers], prefix, names=["a", "a"])
    numbers.to_hdf(prefix)
    with pytest.raises(ValueError, match="format 'HDF'"):
        io.load(prefix, file_format="HDF")
    for wrong in ({"dataset": 5}, {"file_format": 5}):
        with pytest.raises(TypeError):
            io.load(prefix, **wrong)


def test_missing_things_are_named(numbers, prefix):
    numbers.to_hdf(prefix)
    pattern = f"{prefix}_LOCALE*"
    with pytest.raises(MissingDatasetError, match="datasets: array"):
        io.read_hdf(pattern, "arry")
    with pytest.raises(ValueError, match="arry"):
        io.read_hdf(pattern, ["array", "arry"])
    with pytest.raises(RuntimeError, match="no files"):
        io.read_hdf(f"{prefix}_other*")
    with pytest.raises(MissingFileError, match="no files were written"):
        io.load(f"{prefix}_other")
    with pytest.raises(ArgumentError, match="prefix"):
        io.load(pattern)
    with pytest.raises(ArgumentError, match="empty"):
        io.ls(" ")
    with pytest.raises(ArgumentTypeError, match="one file"):
        io.ls([pattern])
    with pytest.raises(MissingFileError):
        array([1]).update_hdf(f"{prefix}_other")


def test_a_set_with_a_missing_file_is_refused(numbers, prefix):
    numbers.to_hdf(prefix)
    os.remove(f"{prefix}_LOCALE0001")
    for read in (lambda: io.read_hdf(f"{prefix}_LOCALE*"), lambda: io.load_all(prefix)):
        with pytest.raises(InconsistentFilesError, match="LOCALE0001"):
            read()


def test_files_of_other_formats_are_told_from_their_first_bytes(tmp_path):
    (tmp_path / "p").write_bytes(b"PAR1 and more")
    (tmp_path / "t").write_text("hello")
    assert io.get_filetype(tmp_path / "p") == "Parquet"
    with pytest.raises(FileFormatError, match="does not end as a Parquet file"):
        io.read(tmp_path / "p")
    with pytest.raises(FileFormatError):
        io.read(tmp_path / "t")
    with pytest.raises(FileError):
        io.read_hdf(tmp_path / "t")


def test_files_with_errors_can_be_left_out(numbers, prefix):
    numbers.to_hdf(prefix)
    with open(f"{prefix}_LOCALE0001", "wb") as file:
        file.write(b"damaged")
    with pytest.warns(RuntimeWarning, match="1"):
        found = io.read_hdf(f"{prefix}_LOCALE*", allow_errors=True)
    assert found["array"].tolist() == NUMBERS.tolist()
    with pytest.raises(FileFormatError):
        io.read_hdf(f"{prefix}_LOCALE*")


@pytest.mark.parametrize("read", [io.read_hdf, io.read])
def test_files_that_are_missing_can_be_left_out(numbers, prefix, read):
    numbers.to_hdf(prefix)
    there = [f"{prefix}_LOCALE{number:04d}" for number in range(3)]
    with pytest.warns(RuntimeWarning, match="2 files are left out:\n.*missing.*\n.*none"):
        found = read([*there[:2], f"{prefix}_missing", there[2], f"{prefix}_none*"], allow_errors=True)
    assert found["array"].tolist() == NUMBERS.tolist()
    with pytest.raises(MissingFileError):
        read([f"{prefix}_missing"], allow_errors=True)
    with pytest.raises(ArgumentError, match="empty"):
        io.read_hdf([])


def test_names_are_those_of_the_first_file_that_has_any(numbers, prefix, tmp_path):
    for path in ("none", "a", "b"):
        with h5py.File(tmp_path / path, "w") as file:
            if path != "none":
                file[path] = np.arange(3)
    none, a, b = (str(tmp_path / path) for path in ("none", "a", "b"))
    assert io.get_datasets([none, b, a]) == ["b"]
    with pytest.raises(MissingFileError):
        io.get_datasets(["missing", a])
    assert io.get_datasets(["missing", a], allow_errors=True) == ["a"]
    assert io.ls(none) == []
    with pytest.raises(RuntimeError, match="no objects"):
        io.get_datasets(none)
    assert io.read_hdf(none) == {}
    with pytest.raises(RuntimeError, match="objects: a"):
        io.read_hdf(a, [])
    with pytest.raises(ArgumentTypeError, match="str or path"):
        io.read_hdf(5)


def test_one_dataset_gives_a_dict_of_one_entry(numbers, prefix):
    numbers.to_hdf(prefix)
    for found in (io.read_hdf(f"{prefix}_LOCALE*", "array"), io.read(f"{prefix}_LOCALE*"), io.load(prefix)):
        assert {name: item.tolist() for name, item in found.items()} == {"array": NUMBERS.tolist()}
    assert io.get_filetype(f"{prefix}_LOCALE*") == "HDF5"


def test_files_split_into_partitions_write_as_many_files(prefix, tmp_path):
    full(1000, 7).to_hdf(prefix)
    with config.set(partition_size=800):
        found = io.load(prefix)["array"]
    assert found.npartitions == 10
    found.to_hdf(tmp_path / "y")
    assert len([name for name in files(tmp_path) if name.startswith("y")]) == 10
    assert io.load(tmp_path / "y")["array"].size == 1000


@pytest.mark.parametrize("name", ["pdarray_N2_n7", "pdarray_N3_n0", "strings_N2_n7", "strings_N2_n0", "v0_N2"])
def test_files_of_servers_are_read_and_rewritten(golden, prefix, name):
    folder = golden / name
    expected = json.loads((folder / "expected.json").read_text())
    found = io.read_hdf([folder / file for file in expected["files"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        io.to_hdf(found, prefix)
    again = io.load_all(prefix)
    for key, values in expected["objects"].items():
        wanted = [_number(value) for value in values["values"]]
        numbers = getattr(found[key], "values", found[key]).to_ndarray()
        np.testing.assert_array_equal(numbers, np.array(wanted, dtype=numbers.dtype))
        np.testing.assert_array_equal(again[key].to_ndarray(), found[key].to_ndarray())
        assert again[key].rows.lengths == found[key].rows.lengths


def _number(value):
    return float(value) if value in {"nan", "inf", "-inf", "-0.0"} else value


@pytest.mark.cluster
def test_workers_write_and_read_files(numbers, prefix, cluster_client):
    io.to_hdf({"n": numbers, "c": Categorical(array(TEXT))}, prefix)
    found = io.load_all(prefix)
    assert found["n"].sum() == NUMBERS.sum()
    assert found["c"].tolist() == TEXT


@pytest.mark.cluster
def test_a_failing_worker_leaves_nothing_behind(tmp_path, cluster_client):
    broken = Categorical.from_codes(arange(3) + 9, ["a"]).to_strings()
    with pytest.raises(AkdaskError, match=r"code (9|1)"):
        broken.to_hdf(tmp_path / "x")
    assert files(tmp_path) == []
