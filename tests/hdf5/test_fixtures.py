"""Every value of the sample files: real ones of v0 and v1, and generated ones of all layouts since."""

import json

import numpy as np
import pytest

from akdask.formats.hdf5.file_set import open_set
from akdask.storage.objects import ObjType

COLUMN_SETS = [
    *(f"pdarray_{which}" for which in ("N1_n7", "N2_n7", "N3_n2", "N3_n0", "N3_n10000", "single_n5", "single_n0")),
    *(f"strings_{which}" for which in ("N1_n6", "N2_n7", "N3_n2", "N2_n0", "single_n6")),
    *(f"categorical_{which}" for which in ("N2_n8", "N3_n2", "single_n6")),
    *("bigint_N2_n5", "bigint_single_n4"),
    *(f"segarray_{which}" for which in ("N2_n6", "N3_n2", "N3_n8", "single_n5", "str_N2_n6", "str_single_n5")),
    *("dataframe_columns_N2", "columns_v2023.02.08_N2", "v1_N2", "v1_booleans_N2", "v0_N2"),
]


@pytest.fixture
def expected_set(golden):
    def load(name):
        folder = golden / name
        return folder, json.loads((folder / "expected.json").read_text())

    return load


def assert_values(found, expected):
    if expected and isinstance(expected[0], list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_values(one, other)
    elif found and isinstance(found[0], int):
        assert found == list(map(int, expected))
    elif expected and isinstance(expected[0], (float, str)) and not any(isinstance(v, str) for v in found):
        np.testing.assert_array_equal(np.array(found, float), np.array(expected, float))
        assert np.array_equal(np.signbit(np.array(found)), np.signbit(np.array(expected, float)))
    else:
        assert found == expected


@pytest.mark.parametrize("name", COLUMN_SETS)
def test_all_objects_of_a_set_have_their_values_and_kinds(expected_set, read_column, name):
    folder, expected = expected_set(name)
    files = open_set([folder / file for file in expected["files"]])
    assert set(files.kinds) == set(expected["objects"])
    for dataset, stored in files.select().items():
        wanted = expected["objects"][dataset]
        assert stored.kind.label == wanted["type"]
        if "npz_values" in wanted:
            wanted["values"] = np.load(folder / "expected.npz")[wanted["npz_values"]].tolist()
        if stored.kind is ObjType.CATEGORICAL:
            wanted = {**wanted, "NA_Codes": [wanted["na_code"]]}
            assert set(stored.members) == {
                "codes",
                "categories",
                "NA_Codes",
                *(wanted.keys() & {"permutation", "segments"}),
            }
        else:
            dtype = stored.members["values"].source.columns[dataset]
            assert (dtype.item or dtype).name == wanted.get("dtype", "str")
            assert (dtype.kind == "list") == (stored.kind is ObjType.SEGARRAY)
            assert dtype.max_bits == wanted.get("max_bits", -1)
        for member, column in stored.members.items():
            assert_values(read_column(column), wanted[member])


def test_a_pattern_finds_the_files_of_each_distributed_set_in_order(expected_set):
    folder, expected = expected_set("pdarray_N3_n10000")
    paths = open_set(str(folder / expected["glob"])).paths
    assert paths == tuple(str(folder / file) for file in expected["files"])


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("array_v0_LOCALE0000.hdf5", {"array": list(range(50))}),
        ("array_v1_LOCALE0000.hdf5", {"array": list(range(50))}),
        ("UnitTestHDF5_withOffsets_LOCALE0000", {"strings": ["one", "two", "three", "four", "five"]}),
        ("UnitTestHDF5_noOffsets_LOCALE0000", {"strings": ["one", "two", "three", "four", "five"]}),
        ("sample.hdf5", {"sample": [0] * 100}),
    ],
)
def test_files_of_real_servers_have_their_values(shared_fixtures, read_set, file, expected):
    assert read_set(shared_fixtures / "arkouda" / "hdf5" / file) == expected


def test_offsets_found_from_nuls_are_those_that_are_stored(golden, read_set):
    path = golden / "strings_N2_n7" / "data_LOCALE*.h5"
    assert read_set(path, calc_string_offsets=True) == read_set(path)
