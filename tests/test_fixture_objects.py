"""Every object of every sample file has the class and the values that its ``expected.json`` says."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import akdask as ak

GOLDEN = Path(__file__).with_name("golden") / "arkouda_v2"
SETS = json.loads((GOLDEN / "INDEX.json").read_text())

CLASSES = {
    "pdarray": ak.pdarray,
    "Strings": ak.Strings,
    "Datetime": ak.Datetime,
    "Timedelta": ak.Timedelta,
    "IPv4": ak.IPv4,
    "Categorical": ak.Categorical,
    "Index": ak.Index,
    "MultiIndex": ak.MultiIndex,
    "DataFrame": ak.DataFrame,
    "ArrayView": ak.ArrayView,
    "GroupBy": ak.GroupBy,
    "SegArray": ak.SegArray,
}


def numbers(values, dtype):
    wanted = [float(value) if isinstance(value, str) else value for value in values]
    return np.array(wanted, dtype)


def check_numbers(found, wanted):
    if wanted["dtype"] == "bigint":
        assert found.tolist() == [int(value) for value in wanted["values"]]
        assert found.max_bits == wanted["max_bits"]
        return
    assert found.dtype == wanted["dtype"]
    expected = numbers(wanted["values"], wanted["dtype"])
    values = found.to_ndarray()
    np.testing.assert_array_equal(values, expected)
    if values.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(values), np.signbit(expected))


def check_segarray(found, wanted):
    lists = found.tolist()
    assert len(lists) == len(wanted["values"])
    for made, expected in zip(lists, wanted["values"], strict=True):
        if wanted["dtype"] == "str":
            assert made == expected
        elif wanted["dtype"] == "bigint":
            assert made == [int(value) for value in expected]
        else:
            np.testing.assert_array_equal(np.array(made, wanted["dtype"]), numbers(expected, wanted["dtype"]))


def check_text(found, wanted):
    assert found.tolist() == wanted["values"]


def check_categorical(found, wanted):
    assert found.tolist() == wanted["values"]
    assert found.codes.tolist() == wanted["codes"]
    assert found.categories.tolist() == wanted["categories"]
    assert found.isna().tolist() == [code == wanted["na_code"] for code in wanted["codes"]]
    for part in ("permutation", "segments"):
        stored = getattr(found, part)
        assert (None if stored is None else stored.tolist()) == wanted.get(part)


def check_index(found, wanted):
    for level, expected in zip(found._levels, wanted["levels"], strict=True):
        check(level, expected)


def check_dataframe(found, wanted):
    assert sorted(found.columns) == sorted(wanted["columns"])
    for name, column in wanted["columns"].items():
        check(found[name], column)
    check(found.index.values, wanted["index"])


def check_arrayview(found, wanted):
    assert found.shape == tuple(wanted["shape"])
    check_numbers(found.flatten(), wanted)
    np.testing.assert_array_equal(
        found.to_ndarray(), numbers(wanted["values"], wanted["dtype"]).reshape(wanted["shape"])
    )


def check_groupby(found, wanted):
    for key, expected in zip(found._arrays, wanted["keys"], strict=True):
        check(key, expected)
    for part in ("permutation", "segments", "unique_key_idx"):
        assert getattr(found, part).tolist() == wanted[part]
    unique = found.unique_keys
    for key, expected in zip(unique if found.nkeys > 1 else [unique], wanted["unique_keys"], strict=True):
        values = expected["values"]
        assert key.tolist() == values
    assert found.ngroups == len(wanted["segments"])


CHECKS = {
    "pdarray": check_numbers,
    "Strings": check_text,
    "Datetime": lambda found, wanted: check_numbers(found.values, wanted),
    "Timedelta": lambda found, wanted: check_numbers(found.values, wanted),
    "IPv4": lambda found, wanted: check_numbers(found.values, wanted),
    "Categorical": check_categorical,
    "Index": check_index,
    "MultiIndex": check_index,
    "DataFrame": check_dataframe,
    "ArrayView": check_arrayview,
    "GroupBy": check_groupby,
    "SegArray": check_segarray,
}


def check(found, wanted):
    assert type(found) is CLASSES[wanted["type"]]
    CHECKS[wanted["type"]](found, wanted)


def expected_of(name):
    folder = GOLDEN / name
    expected = json.loads((folder / "expected.json").read_text())
    for wanted in expected["objects"].values():
        if "npz_values" in wanted:
            wanted["values"] = np.load(folder / "expected.npz")[wanted["npz_values"]].tolist()
    return [folder / file for file in expected["files"]], expected["objects"]


@pytest.mark.parametrize("name", SETS)
def test_objects_of_generated_files_have_their_values(name):
    files, objects = expected_of(name)
    found = ak.read_hdf(files)
    assert set(found) == set(objects)
    for key, wanted in objects.items():
        check(found[key], wanted)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("file_type", ["distribute", "single"])
def test_objects_of_generated_files_are_written_and_read_again(prefix, name, file_type):
    files, objects = expected_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ak.to_hdf(ak.read_hdf(files), prefix, file_type=file_type)
    found = ak.load_all(prefix)
    assert set(found) == set(objects)
    for key, wanted in objects.items():
        check(found[key], wanted)


REAL_FILES = [
    "array_v0_LOCALE0000.hdf5",
    "array_v1_LOCALE0000.hdf5",
    "sample.hdf5",
    "UnitTestHDF5_noOffsets_LOCALE0000",
    "UnitTestHDF5_withOffsets_LOCALE0000",
]


def check_real(found, wanted):
    """Compare with what plain h5py has found in a file of a server, or of somebody else."""
    if wanted["kind"] == "group":
        texts = bytes(wanted["members"]["values"]["values"]).split(b"\0")[:-1]
        assert found.tolist() == [text.decode() for text in texts]
        return
    values = found.to_ndarray()
    assert values.shape == tuple(wanted["shape"])
    if isinstance(wanted["values"], list):
        assert values.tolist() == wanted["values"]
    else:
        assert values[:5].tolist() == wanted["values"]["first"]
        assert values[-5:].tolist() == wanted["values"]["last"]
        assert values.sum() == wanted["values"]["sum"]


@pytest.mark.parametrize("name", REAL_FILES)
def test_objects_of_real_files_have_their_values(name, shared_fixtures):
    folder = shared_fixtures / "arkouda"
    members = json.loads((folder / "expected.json").read_text())[f"hdf5/{name}"]["members"]
    found = ak.read_hdf(folder / "hdf5" / name)
    assert set(found) == set(members) - {"_arkouda_metadata"}
    for key, item in found.items():
        check_real(item, members[key])
