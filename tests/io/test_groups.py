"""Groupings in files: read back they reduce as before, without anybody finding the groups again."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak

KEYS = {"n": [3, 1, 3, 2, 1, 3], "s": ["b", "a", "b", "a", "b", "b"], "f": [0.5, np.nan, 0.5, 1.5, 2.5, 0.5]}
# The last of few groups lies in a row behind as many as have keys.
KEYS["m"] = [np.nan, np.nan, np.nan, 2.5, np.nan, 0.5]
VALUES = np.array([10, 20, 30, 40, 50, 60])


@pytest.fixture(params=[1, 2])
def partitions(request):
    with ak.config.set(small_array=100 if request.param == 1 else 1):
        yield


@pytest.mark.parametrize("names", [["n"], ["s"], ["n", "s"], ["f"], ["f", "s"], ["m"], ["m", "n"]], ids="-".join)
def test_groupings_read_back_reduce_as_pandas_does(prefix, partitions, names):
    keys = [ak.array(KEYS[name]) for name in names]
    values = ak.array(VALUES)
    ak.to_hdf({"g": ak.GroupBy(keys if len(keys) > 1 else keys[0]), "v": values}, prefix)
    found = ak.load_all(prefix)
    grouping, values = found["g"], found["v"]
    assert type(grouping) is ak.GroupBy
    expected = pd.DataFrame({**{name: KEYS[name] for name in names}, "v": VALUES}).groupby(names)["v"]
    for operation in ("sum", "max", "mean"):
        made, results = getattr(grouping, operation)(values)
        wanted = getattr(expected, operation)()
        assert results.tolist() == wanted.tolist()
        columns = made if len(names) > 1 else (made,)
        for name, column in zip(names, columns, strict=True):
            assert column.tolist() == wanted.index.get_level_values(name).tolist()
    assert grouping.ngroups == expected.ngroups


def test_a_grouping_is_written_again_as_it_was_read(golden, prefix):
    files = str(golden / "groupby_3keys_N3" / "data_LOCALE*.h5")
    first = ak.read_hdf(files)["groupby"]
    first.to_hdf(prefix)
    second = ak.load(prefix, dataset="groupby")["groupby"]
    for part in ("permutation", "segments", "unique_key_idx"):
        assert getattr(second, part).tolist() == getattr(first, part).tolist()
    numbers = np.arange(10)
    keys, sums = second.sum(ak.array(numbers))
    rows = np.split(first.permutation.to_ndarray(), first.segments.tolist()[1:])
    assert sums.tolist() == [int(numbers[group].sum()) for group in rows]
    assert [key.tolist() for key in keys] == [key.tolist() for key in first.unique_keys]


def test_times_and_addresses_are_keys_too(prefix):
    days = ak.Datetime(["2024-01-02", "2024-01-01", "2024-01-02"])
    ak.GroupBy([days, ak.IPv4([1, 2, 1])]).to_hdf(prefix)
    (times, addresses), counts = ak.load(prefix, dataset="groupby")["groupby"].size()
    assert times.to_pandas().tolist() == [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")]
    assert addresses.tolist() == ["0.0.0.2", "0.0.0.1"]
    assert counts.tolist() == [1, 2]


def test_extremes_of_times_are_times():
    days = ak.Datetime(["2024-01-02", "2024-01-01", "2024-01-03"])
    grouping = ak.GroupBy(ak.array([1, 1, 2]))
    for operation, expected in (("min", days[[1, 2]]), ("max", days[[0, 2]]), ("first", days[[0, 2]])):
        _, found = getattr(grouping, operation)(days)
        assert found.equals(expected)
