"""What has been counted or computed before does not change plans: names, partitions and values stay the same."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import node, tuning
from akdask.testing.memory import MemorySource


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 3)
    monkeypatch.setattr(tuning, "SMALL_ROWS", 2)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 4)


@pytest.fixture(autouse=True)
def nothing_counted(monkeypatch):
    node.forget_lengths()


KEYS = {
    "stored": lambda x: x,
    "results of groups": lambda x: ak.GroupBy(x).size()[1],
    "distinct": ak.unique,
    "counts": lambda x: x.value_counts()[1],
    "filtered": lambda x: x[x > 0],
    "first": lambda x: x[x > 0].head(4),
    "sorted": lambda x: ak.sort(x[x > 0]),
    "sorted keys of groups": lambda x: ak.sort(ak.unique(x)),
    "twice": lambda x: ak.concatenate([x[x > 0], ak.unique(x)]),
    "backwards": lambda x: ak.unique(x)[::-1],
}

DERIVED = {
    "sums": lambda k: ak.GroupBy(k).sum(k)[1],
    "sizes": lambda k: ak.GroupBy(k).size()[1],
    "distinct values": lambda k: ak.GroupBy(k).nunique(k)[1],
    "first rows": lambda k: ak.GroupBy(k).unique_key_idx,
    "permutation": lambda k: ak.GroupBy(k).permutation,
    "segments": lambda k: ak.GroupBy(k).segments,
    "in each row": lambda k: ak.GroupBy(k).broadcast(ak.GroupBy(k).size()[1]),
    "sums of groups added": lambda k: ak.GroupBy(k).sum(k)[1] + ak.GroupBy(k).size()[1],
    "counts": lambda k: k.value_counts()[1],
    "sorted": ak.sort,
    "order": ak.argsort,
    "among": lambda k: k[ak.in1d(k, ak.array([1, 2]))],
    "joined": lambda k: ak.inner_join(k, k)[0],
    "running sums": ak.cumsum,
    "head of a frame": lambda k: ak.DataFrame({"k": k}).head(2)["k"],
    "tail of a frame": lambda k: ak.DataFrame({"k": k}).tail(2)["k"],
    "without duplicates": lambda k: ak.DataFrame({"k": k}).drop_duplicates("k")["k"],
    "sorted frame": lambda k: ak.DataFrame({"k": k}).sort_values("k")["k"],
    "merged": lambda k: ak.DataFrame({"k": k}).merge(ak.DataFrame({"k": k}), "k")["k"],
}

COMPUTED = {
    "count": lambda k: k.size,
    "values": lambda k: k.tolist(),
    "groups": lambda k: ak.GroupBy(k).ngroups,
    "permutation": lambda k: ak.GroupBy(k).permutation.tolist(),
    "count of the sums": lambda k: ak.GroupBy(k).sum(k)[1].size,
    "count of the distinct": lambda k: ak.unique(k).size,
    "count of the sorted": lambda k: ak.sort(k).size,
}


@st.composite
def sources(draw):
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    values = draw(st.lists(st.integers(0, 5), min_size=sum(lengths), max_size=sum(lengths)))
    return MemorySource({"x": np.array(values, np.int64)}, lengths)


def plan_of(array):
    return array.expr._name, array.npartitions, array.rows.token


@pytest.mark.parametrize("kind", KEYS)
@given(source=sources(), name=st.sampled_from(sorted(DERIVED)), earlier=st.sets(st.sampled_from(sorted(COMPUTED))))
def test_plans_do_not_depend_on_what_was_computed_before(kind, source, name, earlier):
    node.forget_lengths()
    before = DERIVED[name](KEYS[kind](source.arrays()["x"]))
    planned = plan_of(before)
    for step in sorted(earlier):
        COMPUTED[step](KEYS[kind](source.arrays()["x"]))
    after = DERIVED[name](KEYS[kind](source.arrays()["x"]))
    assert plan_of(after) == planned
    values = after.tolist()
    # Their partitions are counted anew.
    node.forget_lengths()
    assert before.tolist() == values
    assert after.size == len(values)


@given(source=sources(), cuts=st.lists(st.integers(0, 20), max_size=6), counts_first=st.booleans())
def test_results_of_one_grouping_can_be_combined_whatever_partitions_their_values_have(source, cuts, counts_first):
    x = source.arrays()["x"]
    plain = np.array(x.tolist(), np.int64)
    bounds = sorted({0, len(plain), *(cut for cut in cuts if cut < len(plain))})
    parts = [ak.array(plain[start:stop]) for start, stop in pairwise(bounds)]
    values = ak.concatenate(parts) if parts else ak.array(plain)
    g = ak.GroupBy(x)
    if counts_first:
        g.permutation.tolist()
    found = g.sum(values)[1] + g.size()[1] + g.max(x)[1]
    table = pd.Series(plain).groupby(plain)
    assert found.tolist() == (table.sum() + table.size() + table.max()).astype(int).tolist()


def test_groups_keep_their_partitions_where_concatenated_values_have_fewer():
    """Rows that are read are left as they are found; what is computed of them first is merged to few partitions."""
    plain = np.array([3, 3, 0, 2, 1, 1, 2, 5, 6])
    x = MemorySource({"x": plain}, [4, 0, 3, 2]).arrays()["x"]
    running, mask = ak.cumsum(x), x > 1
    keys, values = (ak.concatenate([part[mask], part[~mask], part[mask]]) for part in (x, running))
    assert values.npartitions < keys.npartitions
    g = ak.GroupBy(keys)
    rows = np.concatenate([np.flatnonzero(plain > 1), np.flatnonzero(plain <= 1), np.flatnonzero(plain > 1)])
    table = pd.Series(plain.cumsum()[rows]).groupby(plain[rows])
    assert (g.sum(values * 2)[1] + g.size()[1]).tolist() == (table.sum() * 2 + table.size()).tolist()


@pytest.mark.parametrize("name", ["sums of groups added", "permutation", "sorted", "counts"])
def test_results_of_groups_are_grouped_alike_before_and_after_they_are_counted(name):
    source = MemorySource({"x": np.array([3, 3, 0, 2, 1, 1, 2])}, [4, 0, 3])
    results = []
    for counts in (False, True):
        k = ak.GroupBy(source.arrays()["x"]).size()[1]
        if counts:
            k.resolve_lengths()
        derived = DERIVED[name](k)
        results.append((plan_of(derived), derived.tolist()))
    assert results[0] == results[1]
