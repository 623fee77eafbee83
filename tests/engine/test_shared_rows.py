"""Few selected rows that several passes of a plan read are found once, and give the results that they gave before."""

from collections import Counter

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import tuning
from akdask.operators import shared_rows
from akdask.storage.source import Bounds
from akdask.testing.memory import MemorySource

ITEMS = st.tuples(
    st.integers(0, 3),
    st.integers(-2, 2),
    st.sampled_from(["", "a", "of many letters", None]),
    st.sampled_from([2**53, 2**53 + 1, -(2**62) - 1]),
)
PARTS = st.tuples(st.integers(0, 3), st.sampled_from([0.0, -1.5, np.nan]))


def _source(rows, columns, cuts):
    bounds = sorted(cut % (len(rows) + 1) for cut in cuts)
    made = {name: np.array([row[at] for row in rows], kind) for at, (name, kind) in enumerate(columns.items())}
    return MemorySource(made, np.diff([0, *bounds, len(rows)]).tolist()), pd.DataFrame(made)


def _beside_their_means(items, parts):
    found = items.merge(parts, on="k")
    if isinstance(found, pd.DataFrame):
        means = found.groupby("k", as_index=False)["v"].mean().rename(columns={"v": "m"})
        found = found.merge(means, on="k")
        return [found.loc[found["v"] < found["m"], "v"].sum()]
    keys, means = ak.GroupBy(found["k"]).mean(found["v"])
    found = found.merge(ak.DataFrame({"k": keys, "m": means}), on="k")
    return [int(found[found["v"] < found["m"]]["v"].sum())]


def _beside_their_sums(items, parts):
    found = items.merge(parts[parts["w"] < 1], on="k", sort=False)
    if isinstance(found, pd.DataFrame):
        return [found.groupby("k")["v"].sum().tolist(), [int(found["n"].max()) if len(found) else None]]
    counts = ak.GroupBy(found["k"]).sum(found["v"])[1]
    sums, rows = dask.compute(counts, found["n"])
    return [sums.tolist(), [int(rows.max()) if len(rows) else None]]


def _found_by_their_own_keys(items, parts):
    few = items[(items["k"] == 1) | (items["k"] == 2)]
    others = parts[parts["k"].isin(few["k"])] if isinstance(few, pd.DataFrame) else parts[ak.in1d(parts["k"], few["k"])]
    return _listed(few.merge(others, on="k", sort=False)[["v", "s", "w", "n"]])


def _listed(frame):
    made = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    return [[None if pd.isna(item) else item for item in row] for row in made.itertuples(index=False)]


QUERIES = (_beside_their_means, _beside_their_sums, _found_by_their_own_keys)


@pytest.fixture
def always(monkeypatch):
    """Share rows however few or many they are."""
    monkeypatch.setattr(tuning, "SHARED_ROWS", 0)
    monkeypatch.setattr(tuning, "SHARED_MATCHES", 1.0)
    monkeypatch.setattr(tuning, "SHARED_FILTERED", 1.0)


@pytest.fixture
def shared(monkeypatch):
    """Count the rows that are shared."""
    found, share = Counter(), shared_rows._shared
    monkeypatch.setattr(shared_rows, "_shared", lambda *given: found.update(shared=1) or share(*given))
    return found


@pytest.mark.light
@pytest.mark.parametrize("query", QUERIES)
def test_rows_that_are_found_once_are_those_that_each_pass_would_find(query, always, shared):
    @settings(
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.function_scoped_fixture],
        deadline=None,
        max_examples=8,
    )
    @given(st.lists(ITEMS, max_size=9), st.lists(PARTS, max_size=5), st.lists(st.integers(0, 9), max_size=2))
    @example([(1, 1, "a", 2**53 + 1), (1, 2, None, 3), (2, 0, "", 5)], [(1, 0.0), (1, np.nan), (2, -1.5)], [1])
    @example([(1, 1, "a", 2**53)], [], [])
    @example([], [(1, 0.0)], [0, 0])
    def is_the_same(items, parts, cuts):
        ours, theirs = zip(
            _source(items, {"k": np.int64, "v": np.int64, "s": object, "n": np.int64}, cuts),
            _source(parts, {"k": np.int64, "w": np.float64}, []),
            strict=True,
        )
        expected = query(*theirs)
        assert query(*(ak.DataFrame(source.arrays()) for source in ours)) == expected
        with ak.config.set(optimize=False):
            assert query(*(ak.DataFrame(source.arrays()) for source in ours)) == expected

    is_the_same()
    assert shared["shared"]


def _reads(query, share=2.0):
    rows = np.arange(int(2 * share * tuning.SHARED_ROWS))
    items = MemorySource({"k": rows % 1000, "v": rows, "s": rows % 7}, [len(rows) // 2] * 2)
    parts = MemorySource({"k": np.arange(1000), "w": np.arange(1000) / 8}, [1000])
    query(ak.DataFrame(items.arrays()), ak.DataFrame(parts.arrays()))
    return Counter((read.column, read.partition) for read in items.reads)


def _times(reads):
    return {column: max(count for (name, _), count in reads.items() if name == column) for column, _ in reads}


@pytest.fixture
def whole_blocks():
    with ak.config.set(block_size=2**24):
        yield


def test_matched_rows_are_read_once_for_all_passes(whole_blocks):
    assert _times(_reads(lambda items, parts: _beside_their_means(items, parts[parts["w"] == 1]))) == {"k": 1, "v": 1}


def test_partitions_of_few_rows_are_read_for_each_pass(whole_blocks, shared):
    assert _times(_reads(lambda items, parts: _beside_their_means(items, parts[parts["w"] == 1]), 0.9))["v"] == 2
    assert not shared


def test_rows_of_which_most_are_left_are_read_for_each_pass(whole_blocks, shared):
    assert _times(_reads(_beside_their_means))["v"] == 2
    assert not shared


def test_filters_that_leave_out_files_do_not_share_what_is_below_them(always):
    rows = np.arange(40)
    bounds = {"day": Bounds(np.arange(0, 40, 10), np.arange(9, 40, 10), np.zeros(4, bool))}
    source = MemorySource({"day": rows, "k": rows % 2, "v": rows}, [10] * 4, bounds=bounds)
    frame = ak.DataFrame(source.arrays())
    odd = frame[frame["k"] == 1]
    first, last = odd[odd["day"] < 10], odd[odd["day"] >= 30]
    joined = first.merge(last, on="k")
    assert joined["v_x"].sum() + joined["v_y"].sum() == 5 * (rows[1:10:2].sum() + rows[31::2].sum())
    assert {read.partition for read in source.reads} == {0, 3}


def test_sums_of_floats_beside_others_that_read_their_rows_have_the_bits_of_sums_alone(always):
    rows, random = np.arange(300_000), np.random.default_rng(1)
    columns = {name: random.normal(size=len(rows)) * 1e9 for name in "abcdef"}
    source = MemorySource({"k": rows % 7, **columns}, [100_001, 100_001, 99_998])
    frame, other = ak.DataFrame(source.arrays()), ak.DataFrame({"k": [1, 1, 3], "w": [1, 2, 4]})
    few = frame[frame["k"] == 1]
    alone = [float(few[name].sum()) for name in columns]
    assert alone == pytest.approx([column[rows % 7 == 1].sum() for column in columns.values()])
    *sums, pairs = dask.compute(*(few[name].sum() for name in columns), few.merge(other, on="k", sort=False)["w"])
    assert list(map(float, sums)) == alone
    assert int(pairs.sum()) == 3 * int((rows % 7 == 1).sum())
