"""What a manifest says of a set is what is in the files, and no manifest, however wrong, changes an answer."""

import json
import os
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import fsspec
import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask import config
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.errors import FileFormatError, InconsistentFilesError
from akdask.formats.hdf5 import low_level, manifest
from akdask.formats.hdf5.description import ranges_beside
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.inspect import Templates, describe_file
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.hdf5.row_spaces import Layouts, summed_datasets
from akdask.storage.files import identify, matching
from akdask.storage.locales import expand
from akdask.storage.manifest import checksum, read_manifest, write_manifest
from akdask.testing.strategies import elements, partition_lengths

COLUMNS = {
    "x": [5, 3, 9, -2, 7, 7, 8],
    "y": [0.5, float("nan"), 2.0, -1.0, 4.0, 4.0, 4.5],
    "s": ["b", "", "a string of many letters", "é", "k", "l", "l"],
    "even": [True, False, True, True, True, True, False],
}
LENGTHS = [3, 1, 3]
COMPARISONS = {
    "int64": np.less,
    "uint64": np.greater_equal,
    "float64": np.not_equal,
    "bool": np.equal,
    "str": np.equal,
}


@pytest.fixture
def written(tmp_path, write_set):
    """Return the pattern of a set of three files with `COLUMNS`."""
    write_set(tmp_path / "set.h5", COLUMNS, LENGTHS)
    return str(tmp_path / "set_LOCALE*.h5")


@pytest.fixture
def opened(monkeypatch):
    """Return a list that fills with the files that are opened through the HDF5 library."""
    paths = []
    original = low_level.h5f.open

    def noted(path, *args, **options):
        # It is given a name of an open file.
        paths.append(os.path.basename(os.path.realpath(path.decode())))
        return original(path, *args, **options)

    monkeypatch.setattr(low_level.h5f, "open", noted)
    # Files that are made alike would not be opened either.
    monkeypatch.setattr(Templates, "describe", lambda self, file: None)
    return paths


def identities(pattern):
    return [identify(path) for path in expand(pattern)]


def known(pattern):
    """Return the descriptions that the manifest gives, in the order of the files."""
    return list(HdfManifest.described(identities(pattern)).values())


def summary(description, path):
    names = [dataset.path for schema in description.objects for c in schema.columns for dataset in c.datasets]
    return description.summaries[names.index(path)]


def as_plain(objects):
    """Return objects as `repr` can compare them: NaN is like NaN."""
    return repr(objects)


# -------------------------------------------------------------------------------------------------- what is written


def test_a_set_has_its_manifest_beside_it_and_a_single_file_has_none(tmp_path, write_set):
    write_set(tmp_path / "a.h5", COLUMNS, LENGTHS)
    write_set(tmp_path / "b.h5", COLUMNS, LENGTHS, file_type="single")
    assert [name for name in sorted(os.listdir(tmp_path)) if name.startswith(".")] == [".a.h5.akdask"]


def test_descriptions_are_those_of_the_files(written):
    for found, file in zip(known(written), identities(written), strict=True):
        inspected = describe_file(file)
        assert found.file == file
        assert found.objects == inspected.objects
        assert found.column_order == inspected.column_order
        np.testing.assert_array_equal(found.slots, inspected.slots)


def test_summaries_are_those_of_the_data(written):
    start = 0
    for description, length in zip(known(written), LENGTHS, strict=True):
        rows = slice(start, start := start + length)
        for name, dtype in (("x", "<i8"), ("y", "<f8"), ("even", "|u1")):
            values = np.array(COLUMNS[name][rows], dtype)
            found = summary(description, name)
            kept = values[~np.isnan(values)]
            low, high = (np.array(found[side]).tobytes()[: values.itemsize] for side in ("minimum", "maximum"))
            assert [np.frombuffer(raw, dtype)[0] for raw in (low, high)] == [kept.min(), kept.max()]
            assert found["nans"] == np.isnan(values.astype(float)).sum()
            assert found["ascending"] == all(values[k] <= values[k + 1] for k in range(length - 1))
            assert found["checksum"] == checksum(values)
        strings = [text.encode() for text in COLUMNS["s"][rows]]
        assert (summary(description, "s/values")["low"], summary(description, "s/values")["high"]) == (
            min(strings)[:16],
            max(strings)[:16],
        )
        raw = np.frombuffer(b"".join(text + b"\0" for text in strings), np.uint8)
        assert summary(description, "s/values")["checksum"] == checksum(raw)


def test_blocks_larger_than_the_cache_are_summed_up_as_one(tmp_path, write_set):
    rows = 200_001
    values = np.random.default_rng(0).normal(size=rows)
    values[[0, 150_000]] = np.nan, 99.0
    write_set(tmp_path / "big", {"y": values, "n": np.arange(rows)}, [rows])
    (description,) = known(str(tmp_path / "big_LOCALE*"))
    found = summary(description, "y")
    assert found["checksum"] == checksum(values)
    assert found["maximum"].tobytes() == np.float64(99).tobytes()
    assert found["minimum"].tobytes() == np.nanmin(values).tobytes()
    assert (found["nans"], found["ascending"]) == (1, False)
    assert summary(description, "n")["ascending"]


@pytest.mark.parametrize("fixtures", ["golden", "shared_fixtures"])
def test_descriptions_of_files_from_servers_survive_the_manifest(fixtures, request, tmp_path):
    folder = request.getfixturevalue(fixtures)
    paths = [path for path in sorted(folder.glob("**/*")) if path.is_file() and h5py.is_hdf5(path)]
    assert paths
    for index, path in enumerate(paths):
        shutil.copy(path, tmp_path / f"all_LOCALE{index:04d}")
    files = [describe_file(file) for file in identities(str(tmp_path / "all_LOCALE*"))]
    HdfManifest.write(str(tmp_path / ".all.akdask"), files)
    found = known(str(tmp_path / "all_LOCALE*"))
    assert [file.file for file in found] == [file.file for file in files]
    for one, other in zip(found, files, strict=True):
        assert (one.objects, one.column_order) == (other.objects, other.column_order)
        np.testing.assert_array_equal(one.slots, other.slots)
        assert not one.summaries["known"].any()


def test_added_objects_keep_the_summaries_of_those_that_were_there(written, tmp_path, write_set):
    before = known(written)
    write_set(tmp_path / "set.h5", {"z": list(range(7))}, LENGTHS, mode="append")
    for old, new in zip(before, known(written), strict=True):
        for name in ("x", "y", "s/values", "s/segments", "even"):
            assert summary(new, name) == summary(old, name)
        assert summary(new, "z")["known"]
    assert manifest.verify(written).checked == 18


def test_replaced_objects_have_summaries_of_their_own(written, tmp_path, write_set, read_set):
    write_set(tmp_path / "set.h5", {"x": list(range(100, 107))}, LENGTHS, mode="append", overwrite=True)
    assert [int(summary(file, "x")["minimum"]) for file in known(written)] == [100, 103, 104]
    assert all(summary(file, "y")["known"] for file in known(written))
    assert read_set(written)["x"] == list(range(100, 107))
    assert not manifest.verify(written).damages


def test_objects_added_to_files_that_have_changed_keep_no_bounds(written, tmp_path, write_set):
    with h5py.File(tmp_path / "set_LOCALE0001.h5", "r+") as file:
        file["x"][0] = 1000
    write_set(tmp_path / "set.h5", {"z": list(range(7))}, LENGTHS, mode="append")
    # What is there now is summed up; what is known of values is known of the old ones.
    assert [bool(summary(file, "x")["bounded"]) for file in known(written)] == [True, False, True]
    assert not manifest.verify(written).damages


def test_a_manifest_that_cannot_be_written_is_done_without(tmp_path, write_set, read_set, monkeypatch):
    def full(path, batch):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("akdask.storage.manifest.write_manifest", full)
    write_set(tmp_path / "set", {"x": [1, 2]}, [1, 1])
    assert sorted(os.listdir(tmp_path)) == ["set_LOCALE0000", "set_LOCALE0001"]
    assert read_set(tmp_path / "set_LOCALE*") == {"x": [1, 2]}


def test_no_manifest_is_written_or_used_where_the_setting_is_off(tmp_path, write_set, opened):
    with config.set(manifest=False):
        write_set(tmp_path / "without", COLUMNS, LENGTHS)
    assert not list(tmp_path.glob(".*"))
    write_set(tmp_path / "with", COLUMNS, LENGTHS)
    opened.clear()
    with config.set(manifest=False):
        open_set(str(tmp_path / "with_LOCALE*")).select()
    assert opened == ["with_LOCALE0000", "with_LOCALE0001", "with_LOCALE0002"]


# ------------------------------------------------------------------------------------------------------ what is used


def test_a_set_with_a_manifest_is_opened_without_opening_a_file(written, opened):
    stored = open_set(written).select()
    assert list(stored) == list(COLUMNS)
    assert stored["x"].members["values"].source.lengths == tuple(LENGTHS)
    assert opened == []


def test_a_pattern_for_some_files_and_a_list_of_names_use_the_manifest_too(written, tmp_path, opened):
    part = open_set(str(tmp_path / "set_LOCALE000[12].h5")).select()
    assert part["x"].members["values"].source.lengths == (1, 3)
    names = [tmp_path / "set_LOCALE0002.h5", tmp_path / "set_LOCALE0000.h5"]
    assert open_set(names).select()["x"].members["values"].source.lengths == (3, 3)
    assert open_set(written, allow_errors=True).select()
    assert opened == []


def test_files_of_several_sets_are_described_by_their_own_manifests(tmp_path, write_set, opened):
    write_set(tmp_path / "a.h5", {"x": [1, 2]}, [1, 1])
    write_set(tmp_path / "ab.h5", {"x": [3, 4, 5]}, [1, 2])
    opened.clear()
    assert open_set(str(tmp_path / "*.h5")).select()["x"].members["values"].source.lengths == (1, 1, 1, 2)
    assert opened == []


def test_no_pattern_finds_a_manifest(written, tmp_path):
    for pattern in ("*", "set*", "s*[5k]"):
        assert {os.path.basename(path)[0] for path in expand(str(tmp_path / pattern))} == {"s"}
    memory = fsspec.filesystem("memory")
    memory.pipe({"/manifest-test/.x.akdask": b"", "/manifest-test/x_LOCALE0000": b""})
    assert matching("memory://manifest-test/*") == ["memory:///manifest-test/x_LOCALE0000"]


def test_a_file_missing_from_within_the_numbering_is_an_error_as_ever(written, tmp_path):
    (tmp_path / "set_LOCALE0001.h5").unlink()
    with pytest.raises(InconsistentFilesError):
        open_set(written)


def test_bounds_are_known_partition_by_partition(written):
    source = open_set(written).select()["x"].members["values"].source
    assert source.bounds("x").minima.tolist() == [3, -2, 7]
    assert source.bounds("x").maxima.tolist() == [9, -2, 8]
    assert source.bounds("y").nans.tolist() == [True, False, False]
    assert source.bounds("s").minima.tolist() == [b"", "é".encode(), b"k"]
    assert source.bounds("even").maxima.tolist() == [True, True, True]


def test_bounds_of_a_column_come_from_files_that_have_it_in_a_type_with_bounds(tmp_path, write_set):
    for name, column in (("first", "a"), ("second", "b")):
        write_set(tmp_path / f"{name}.h5", {column: [5, 3, 9]}, [3])
    first, second = (known(str(tmp_path / f"{name}_LOCALE*"))[0] for name in ("first", "second"))
    for column, dtype in (("b", INT64), ("a", INT64), ("c", INT64), ("b", FLOAT64)):
        lacking = [
            file
            if column in {schema.name for schema in file.objects} and dtype == INT64
            else replace(file, summaries=None)
            for file in (first, second)
        ]
        found, wanted = (Layouts(files).bounds(column, dtype) for files in ([first, second], lacking))
        assert (found is None) == (wanted is None) == (column == "c" or dtype == FLOAT64)
        if found is not None:
            for side in ("minima", "maxima"):
                np.testing.assert_array_equal(getattr(found, side), getattr(wanted, side))


def test_partitions_of_a_file_that_is_split_have_the_bounds_of_the_file(written):
    with config.set(partition_size=8):
        source = open_set(written).select()["x"].members["values"].source
    assert source.lengths == (1,) * 7
    assert source.bounds("x").minima.tolist() == [3, 3, 3, -2, 7, 7, 7]


def test_numbers_of_other_widths_have_no_bounds(tmp_path):
    with h5py.File(tmp_path / "x_LOCALE0000", "w") as file:
        file["n"] = np.arange(3, dtype=np.int32)
    HdfManifest.write(str(tmp_path / ".x.akdask"), [describe_file(f) for f in identities(str(tmp_path / "x_LOCALE*"))])
    assert open_set(str(tmp_path / "x_LOCALE*")).select()["n"].members["values"].source.bounds("n") is None


def test_a_filter_opens_only_the_files_that_may_hold_what_it_looks_for(written, tmp_path):
    x = ak.read_hdf(written)["x"]
    for name in ("set_LOCALE0000.h5", "set_LOCALE0002.h5"):
        (tmp_path / name).unlink()
    assert x[x < 0].tolist() == [-2]


# ---------------------------------------------------------------------------------------------- what is not believed


def test_a_file_that_changes_at_once_after_the_write_is_read_as_it_is_now(tmp_path, write_set, read_set):
    for turn in range(20):
        write_set(tmp_path / f"x{turn}", {"x": [1, 2]}, [1, 1])
        with h5py.File(tmp_path / f"x{turn}_LOCALE0001", "r+") as file:
            file["x"][0] = 1000
        x = ak.read_hdf(str(tmp_path / f"x{turn}_LOCALE*"))["x"]
        assert x[x > 500].tolist() == [1000]


def test_files_that_change_places_are_read_as_they_are_now(tmp_path, write_set):
    write_set(tmp_path / "x", {"x": list(range(8))}, [2] * 4)
    first, last = tmp_path / "x_LOCALE0000", tmp_path / "x_LOCALE0003"
    first.rename(tmp_path / "other")
    last.rename(first)
    (tmp_path / "other").rename(last)
    x = ak.read_hdf(str(tmp_path / "x_LOCALE*"))["x"]
    assert x[x > 5].tolist() == [6, 7]
    assert x.tolist() == [6, 7, 2, 3, 4, 5, 0, 1]


def test_a_file_that_another_program_adds_is_inspected(written, tmp_path, opened, read_set):
    shutil.copy(tmp_path / "set_LOCALE0001.h5", tmp_path / "set_LOCALE0003.h5")
    opened.clear()
    assert read_set(written)["x"] == [*COLUMNS["x"], -2]
    assert opened == ["set_LOCALE0003.h5"]


def test_a_manifest_of_another_folder_is_not_believed(written, tmp_path, read_set):
    other = tmp_path / "other"
    other.mkdir()
    for index in range(2):
        with h5py.File(other / f"set_LOCALE000{index}.h5", "w") as file:
            file["x"] = np.array([index])
    shutil.copy(tmp_path / ".set.h5.akdask", other)
    assert read_set(str(other / "set_LOCALE*.h5")) == {"x": [0, 1]}


@pytest.fixture
def rewrite(written, tmp_path):
    """Return a function that puts another table, with a right checksum, in the place of the manifest."""
    path = str(tmp_path / ".set.h5.akdask")
    batch = read_manifest(path)

    def write(metadata=None, **columns):
        arrays = {name: columns.get(name, batch[name]) for name in batch.schema.names}
        made = batch.schema.metadata[b"made"].decode() if metadata is None else metadata
        schema = pa.schema([pa.field(name, a.type) for name, a in arrays.items() if a is not None], {"made": made})
        write_manifest(path, pa.RecordBatch.from_arrays([a for a in arrays.values() if a is not None], schema=schema))

    return batch, write


def test_tables_that_do_not_fit_together_are_no_manifests(written, rewrite, read_set, opened):
    batch, write = rewrite
    made = batch.schema.metadata[b"made"].decode()
    datasets = batch["datasets"]
    fields = {field.name: datasets.flatten().field(field.name) for field in datasets.type.value_type}

    def with_field(name, values):
        changed = fields | {name: values}
        struct = pa.StructArray.from_arrays(list(changed.values()), list(changed))
        return pa.ListArray.from_arrays(datasets.offsets, struct)

    count = len(fields["offset"])
    wrong = [
        {"name": None},
        {"size": pa.array(["a", "b", "c"])},
        {"made": pa.array([0, 0, 7], pa.int32())},
        {"made": pa.array([0, 0, -1], pa.int32()), "metadata": json.dumps([*json.loads(made), [[], None]])},
        {"datasets": with_field("offset", pa.array([-7] * count))},
        {"datasets": with_field("length", pa.array([-1] * count))},
        {"datasets": with_field("length", pa.array(["a"] * count))},
        {"datasets": pa.array([[1, 2], [], [3]])},
        {"metadata": "no JSON"},
        {"metadata": "[]"},
        {"metadata": made.replace('"ObjectSchema"', '"FileIdentity"')},
        {"metadata": made.replace('"<i8"', '"|O8"')},
        {"metadata": made.replace('"ObjType": 1', '"ObjType": 99')},
        {"metadata": made.replace('{"ObjType": 1}', '{"error": "Iterable"}')},
        {"metadata": made.replace('{"ObjType": 1}', '{"error": 3}')},
        {"metadata": made.replace('{"ObjType": 1}', "{}")},
    ]
    for change in wrong:
        write(**change)
        assert known(written) == [], change
    assert read_set(written)["x"] == COLUMNS["x"]
    write()
    assert len(known(written)) == 3


def answers(pattern):
    """Return everything that can be asked of the set, as plain Python."""
    found = ak.read_hdf(pattern)
    x, y, s, even = (found[name] for name in COLUMNS)
    filters = [x > 4, x == -2, (y < 1) | even, s == "l", ~(x < 100), np.isnan(y)]
    return as_plain([*(found[name].tolist() for name in COLUMNS), *(x[mask].tolist() for mask in filters)])


def test_a_manifest_damaged_at_any_of_hundreds_of_places_changes_no_answer(written, tmp_path):
    path = tmp_path / ".set.h5.akdask"
    with config.set(manifest=False):
        expected = answers(written)
    assert answers(written) == expected
    raw = path.read_bytes()
    random = np.random.default_rng(0)
    for turn in range(400):
        damaged = bytearray(raw)
        for position in random.integers(0, len(raw), turn % 3 + 1):
            damaged[position] = random.integers(0, 256)
        path.write_bytes(damaged if turn % 4 else raw[: random.integers(0, len(raw))])
        found = known(written)
        if path.read_bytes() != raw:
            assert found == []
        if turn % 40 == 0:
            with config.set(partition_size=2**20 + turn):  # a set that is open already is not opened again
                assert answers(written) == expected


# -------------------------------------------------------------------------------------------------------- properties


@st.composite
def sets(draw):
    """Columns of all types in partitions, often in order, and something to compare them with."""
    lengths = draw(partition_lengths(draw(st.integers(0, 12)), 4))
    columns, constants = {}, {}
    for name in COMPARISONS:
        pool = draw(st.lists(elements(name), min_size=1, max_size=4))
        values = draw(st.lists(st.sampled_from(pool), min_size=sum(lengths), max_size=sum(lengths)))
        columns[name] = sorted(values) if draw(st.booleans()) else values
        constant = draw(st.sampled_from(pool))
        constants[name] = constant if name == "str" else np.dtype(name).type(constant)
    return columns, lengths, constants


def filtered(arrays, constants):
    """Return integers where a column of each type compares with a constant."""
    for name, compare in COMPARISONS.items():
        yield arrays["int64"][compare(arrays[name], constants[name])]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=sets())
def test_answers_are_the_same_with_and_without_a_manifest(case, write_set):
    columns, lengths, constants = case
    arrays = {name: np.array(values, "U" if name == "str" else name) for name, values in columns.items()}
    with tempfile.TemporaryDirectory() as folder:
        write_set(Path(folder) / "set", arrays, lengths)
        found = []
        for use in (True, False):
            with config.set(manifest=use):
                stored = ak.read_hdf(f"{folder}/set_LOCALE*")
                whole = [stored[name].tolist() for name in arrays]
                found.append(as_plain([*whole, *(kept.tolist() for kept in filtered(stored, constants))]))
    whole = [array.tolist() for array in arrays.values()]
    assert found == [as_plain([*whole, *(kept.tolist() for kept in filtered(arrays, constants))])] * 2


# ------------------------------------------------------------------------------------------------------------ verify


def flip(path, name, element):
    """Change one bit of a dataset; the time of modification is set back."""
    with h5py.File(path) as file:
        position = file[name].id.get_offset() + element * file[name].dtype.itemsize
    before = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(position)
        (byte,) = file.read(1)
        file.seek(position)
        file.write(bytes([byte ^ 4]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_verify_finds_nothing_where_nothing_is(written):
    found = manifest.verify(written)
    assert (found.checked, found.damages, found.unknown) == (15, (), ())


def test_verify_names_every_dataset_that_has_rotted(written, tmp_path):
    flip(tmp_path / "set_LOCALE0000.h5", "x", 1)
    flip(tmp_path / "set_LOCALE0002.h5", "s/values", 0)
    found = manifest.verify(written)
    assert [(os.path.basename(one.path), one.dataset) for one in found.damages] == [
        ("set_LOCALE0000.h5", "x"),
        ("set_LOCALE0002.h5", "s/values"),
    ]
    assert "checksum" in found.damages[0].text


def test_verify_tells_of_files_that_are_gone_and_of_those_that_it_cannot_judge(written, tmp_path):
    (tmp_path / "set_LOCALE0002.h5").unlink()
    with h5py.File(tmp_path / "set_LOCALE0001.h5", "r+") as file:
        file["x"][0] = 1000
    found = manifest.verify(written)
    assert [os.path.basename(one.path) for one in found.damages] == ["set_LOCALE0002.h5"]
    assert found.unknown == (str(tmp_path / "set_LOCALE0001.h5"),)
    assert found.checked == 5


def test_a_copied_set_is_believed_once_every_file_of_it_matches(written, tmp_path):
    def unproven():
        paths = sorted(str(path) for path in (tmp_path / "copy").glob("set_LOCALE*"))
        return len(HdfManifest.told([identify(path) for path in paths], [re.compile(".*", re.DOTALL)]).unproven)

    (tmp_path / "copy").mkdir()
    for path in [*tmp_path.glob("set_LOCALE*"), tmp_path / ".set.h5.akdask"]:
        shutil.copyfile(path, tmp_path / "copy" / path.name)
    copied = str(tmp_path / "copy" / "set_LOCALE*")
    assert unproven() == 3
    flip(tmp_path / "copy" / "set_LOCALE0001.h5", "x", 0)
    assert len(manifest.verify(copied).damages) == 1
    assert unproven() == 3
    flip(tmp_path / "copy" / "set_LOCALE0001.h5", "x", 0)
    assert not manifest.verify(copied).damages
    assert unproven() == 0


def test_what_does_not_fit_into_a_file_is_not_believed_of_it(written, tmp_path):
    path = tmp_path / "set_LOCALE0000.h5"
    description = known(written)[0]
    os.truncate(path, description.slots[:, 0].min() + 1)
    HdfManifest.write(str(tmp_path / ".set.h5.akdask"), [replace(description, file=identify(str(path)))])
    found = manifest.verify(str(path))
    assert (found.checked, found.damages, found.unknown) == (0, (), (str(path),))
    with pytest.raises(FileFormatError, match="cannot be read as HDF5"):
        open_set(str(path))


@pytest.mark.lazy_only
def test_rotten_data_is_refused_where_checksums_are_to_be_verified(written, tmp_path):
    flip(tmp_path / "set_LOCALE0002.h5", "x", 1)
    flip(tmp_path / "set_LOCALE0001.h5", "s/segments", 0)
    found = ak.read_hdf(written)
    with config.set(verify_checksums=True):
        assert found["y"][3:].tolist() == COLUMNS["y"][3:]
        with pytest.raises(FileFormatError, match=r"'x' of .*LOCALE0002.* is not what was written"):
            found["x"].tolist()
        with pytest.raises(FileFormatError, match="s/segments"):
            found["s"].tolist()
        # The bounds of a file that was touched are not believed, so it is read, and compared.
        with pytest.raises(FileFormatError, match=r"'x' of .*LOCALE0002.* is not what was written"):
            found["x"][found["x"] < 0].sum().compute()
    assert len(found["x"].tolist()) == 7


def test_files_that_hold_all_data_where_it_was_written_are_told_by_their_bytes(written, tmp_path):
    description = known(written)[1]
    beside = description.file.path
    assert manifest._holds_all(description)
    # What describes the data may differ.
    assert manifest._holds_all(replace(description, beside=description.beside ^ 1))
    (x,) = (extent for extent, _ in summed_datasets(description) if extent.dataset == "x")
    raw = bytearray(Path(beside).read_bytes())
    raw[x.offset] ^= 1
    Path(beside).write_bytes(raw)
    changed = replace(description, file=identify(beside))
    assert not manifest._holds_all(changed)
    os.remove(beside)
    assert not manifest._holds_all(changed)


def test_layouts_that_differ_from_those_of_a_manifest_are_refused_where_all_data_is_in_place(written):
    claimed, other = known(written)[:2]
    same = HdfManifest.compared(replace(claimed, summaries=None), claimed)
    assert same.summaries is claimed.summaries
    assert not same.is_proven
    found = replace(claimed, slots=claimed.slots + np.array([8, 0]))
    assert HdfManifest.compared(found, claimed) is found
    with config.set(verify_checksums=True):
        assert HdfManifest.compared(claimed, claimed).summaries is claimed.summaries
        with pytest.raises(FileFormatError, match="what describes the data of"):
            HdfManifest.compared(found, claimed)
        # Without a checksum of it, or with other data, it is another file.
        assert HdfManifest.compared(found, replace(claimed, beside=None)) is found
        moved = replace(claimed, slots=found.slots)
        assert HdfManifest.compared(other, moved) is other


def test_files_without_checksums_are_read_as_ever_where_they_are_to_be_verified(tmp_path, read_set):
    with h5py.File(tmp_path / "x_LOCALE0000", "w") as file:
        file["x"] = np.array([1, 2])
    with config.set(verify_checksums=True):
        assert ak.read_hdf(str(tmp_path / "x_LOCALE*"))["x"].tolist() == [1, 2]
    assert manifest.verify(str(tmp_path / "x_LOCALE*")).unknown == (str(tmp_path / "x_LOCALE0000"),)


@pytest.mark.parametrize("by", ["akdask", "h5py"])
def test_all_bytes_of_a_file_are_summed_up(tmp_path, write_set, by):
    write_set(tmp_path / "set.h5", COLUMNS, LENGTHS)
    path = str(tmp_path / "set_LOCALE0000.h5")
    if by == "h5py":  # which puts what describes data behind it, too
        with h5py.File(path, "w") as file:
            file["a"] = np.arange(500)
            for number in range(50):
                file.create_group(f"group of a long name {number}")
            file["b"] = np.arange(3, dtype=np.int8)
            file.create_group("the last")
    summed = manifest.summed_up(describe_file(identify(path)))
    covered = np.zeros(summed.file.size, int)
    for begin, end in ranges_beside(summed):
        covered[begin:end] += 1
    for extent, _ in summed_datasets(summed):
        if extent.offset >= 0:
            covered[extent.offset : extent.offset + extent.length * np.dtype(extent.dtype).itemsize] += 1
    assert covered.tolist() == [1] * summed.file.size
    raw = np.fromfile(path, np.uint8)
    parts = [raw[begin:end] for begin, end in ranges_beside(summed)]
    assert summed.beside == checksum(np.concatenate(parts))
