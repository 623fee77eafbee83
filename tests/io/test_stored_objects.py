"""Objects of several datasets, made of what files hold: labels of Categoricals, parts of groupings, damaged ones."""

from __future__ import annotations

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import FileFormatError


def labels_of(path):
    found = ak.read(str(path))["c"]
    assert isinstance(found, ak.Categorical)
    assert [found.categories.tolist()[code] for code in found.codes.tolist()] == found.tolist()
    return found.tolist(), found.categories.tolist()


def test_labels_of_ordered_categoricals_are_those_of_the_first_file_and_then_those_of_others(tmp_path):
    for number, categories in enumerate((["b", "c", "a"], ["z", "b", "y"])):
        rows = ["b", categories[0], None, categories[2]]
        ordered = pd.Categorical(rows, categories, ordered=True)
        pd.DataFrame({"c": ordered}).to_parquet(tmp_path / f"x{number}.parquet")
    assert labels_of(tmp_path / "*.parquet") == (
        ["b", "b", "N/A", "a", "b", "z", "N/A", "y"],
        ["b", "c", "a", "y", "z", "N/A"],
    )
    unordered = pd.Categorical(["b", "a", None, "b"], ["b", "c", "a"])
    pd.DataFrame({"c": unordered}).to_parquet(tmp_path / "y")
    assert labels_of(tmp_path / "y") == (["b", "a", "N/A", "b"], ["a", "b", "N/A"])


def test_text_that_is_none_of_the_labels_that_akdask_noted_is_missing(tmp_path):
    ak.to_parquet({"c": ak.Categorical(["b", "a", "b", "N/A"])}, tmp_path / "x", num_locales=1)
    assert labels_of(tmp_path / "x_LOCALE0000") == (["b", "a", "b", "N/A"], ["N/A", "a", "b"])
    noted = pq.read_schema(tmp_path / "x_LOCALE0000").metadata
    table = pa.table({"c": ["z", "b", None, "N/A", "a"]}).replace_schema_metadata(noted)
    pq.write_table(table, tmp_path / "x_LOCALE0000")
    assert labels_of(tmp_path / "x_LOCALE0000") == (["N/A", "b", "N/A", "N/A", "a"], ["N/A", "a", "b"])


@pytest.fixture
def stored(tmp_path):
    """Return a function that changes a file of objects."""
    labels = ak.Categorical(["b", "a", "b", "N/A"])
    groups = ak.GroupBy([ak.array([1, 2, 1]), ak.array(["a", "b", "a"])])
    objects = {"c": labels, "g": groups, "i": ak.MultiIndex([ak.arange(3), ak.arange(3)])}
    objects |= {"v": ak.arange(6).reshape(2, 3), "t": ak.Datetime(ak.arange(3)), "a": ak.IPv4([1, 2])}
    ak.to_hdf(objects, tmp_path / "x", num_locales=1)
    path = str(tmp_path / "x_LOCALE0000")

    def change(**datasets):
        with h5py.File(path, "a") as file:
            for name, values in datasets.items():
                place = name.replace("__", "/")
                attributes = dict(file[place].attrs)
                del file[place]
                if values is not None:
                    file[place] = values
                    file[place].attrs.update(attributes)
        return path

    return change


def test_codes_below_0_are_missing_where_no_code_says_so(stored):
    labels = ak.read(stored())["c"].categories.tolist()
    assert labels_of(stored(c__codes=[1, -1, 0, 2], c__NA_Codes=None)) == (
        [labels[1], "N/A", labels[0], labels[2]],
        labels,
    )


@pytest.mark.parametrize(
    ("changes", "name", "told"),
    [
        ({"g__KEY_0": None}, "g", "lacks some of its parts"),
        ({"i__IDX_1": None}, "i", "lacks some of its parts"),
        ({"g__unique_key_idx": [0, 3]}, "g", "unique_key_idx"),
        ({"g__unique_key_idx": [0, -1]}, "g", "unique_key_idx"),
        ({"t": [0.5, 1.5]}, "t", "marked as DATETIME"),
        ({"a": [0.5, 1.5]}, "a", "marked as IPV4"),
        ({"v": np.arange(5)}, "v", "elements of its shape"),
    ],
    ids=str,
)
def test_parts_that_are_damaged_are_told(stored, changes, name, told):
    path = stored(**changes)
    with pytest.raises(FileFormatError, match=told):
        str(getattr(ak.read(path, name)[name], "unique_keys", None) or ak.read(path, name)[name].tolist())
