"""Filters that go below sorts of several partitions leave rows the numbers that they had."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.testing.memory import MemorySource
from tests.thresholds import small_data_as_large

RANDOM = np.random.default_rng(4)
ROWS = {
    "k": RANDOM.integers(0, 5, 40),
    "x": RANDOM.integers(-9, 9, 40),
    "s": RANDOM.choice(["a", "b", "c"], 40).tolist(),
}


@pytest.mark.parametrize("lengths", [[40], [7, 0, 20, 13]])
def test_labels_of_sorted_rows_that_are_filtered_are_those_of_pandas(lengths):
    for by, columns in product([["k"], ["x", "k"], ["s"], ["s", "x"]], [["k", "x"], ["k", "x", "s"]]):
        check_filtered(by, [*columns, *(name for name in by if name not in columns)], lengths)


def check_filtered(by, names, lengths):
    with small_data_as_large():
        arrays = MemorySource(ROWS, lengths).arrays()
        found = ak.DataFrame({name: arrays[name] for name in names}).sort_values(by)
        wanted = pd.DataFrame({name: ROWS[name] for name in names}).sort_values(by, kind="stable")
        for few in (3, -100, 100):
            rows = found[found["x"] < few].to_pandas()
            expected = wanted[wanted["x"] < few]
            assert rows.index.tolist() == expected.index.tolist()
            assert rows.to_dict("list") == expected.to_dict("list")
        order = ak.argsort(arrays[by[0]])
        expected = np.argsort(np.array(ROWS[by[0]]), kind="stable")
        assert order[order > 20].tolist() == expected[expected > 20].tolist()


def test_categories_that_are_sorted_in_several_partitions_give_all_places(prefix):
    words = [f"w{number % 97:03}" for number in range(300)]
    with small_data_as_large():
        labels = ak.Categorical(MemorySource({"s": words}, [100, 200]).arrays()["s"])
        assert labels[ak.argsort(labels)].tolist() == sorted(words)
        assert ak.coargsort([labels, ak.arange(300)]).tolist() == sorted(range(300), key=lambda row: (words[row], row))
        # Labels of files in no order: their places are sorted, and looked up in all tasks.
        known = [f"w{number:03}" for number in np.random.default_rng(1).permutation(97)]
        codes = [known.index(word) for word in words]
        ak.Categorical.from_codes(ak.array(codes), ak.array(known)).to_hdf(prefix, "c")
        unordered = ak.read_hdf(str(prefix), "c")["c"]
        assert unordered[ak.argsort(unordered)].tolist() == sorted(words)
        assert ak.DataFrame({"c": unordered}).sort_values("c")["c"].tolist() == sorted(words)
        frame = ak.DataFrame({"c": labels, "x": ak.arange(300)})
        found = frame.merge(ak.DataFrame({"c": ak.Categorical(ak.array(["w000", "w096"])), "y": [1, 2]}), on="c")
        assert found["x"].tolist() == [row for word in ("w000", "w096") for row in range(300) if words[row] == word]
        assert frame.sort_values("c")["x"].tolist() == sorted(range(300), key=lambda row: (words[row], row))
