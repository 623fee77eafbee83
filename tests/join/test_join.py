"""Joins by exchange give what joins give that hold a side whole, which others compare with pandas."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import alignment
from akdask.engine import tuning as engine_tuning
from akdask.engine.node import ColumnIdentity, lower
from akdask.engine.rowwise import Project
from akdask.errors import NonUniqueError
from akdask.operators.join import tuning as join_tuning
from akdask.operators.join.plan import HashJoin, _index
from akdask.operators.keys import hashing
from akdask.operators.rows import plan as row_plan
from akdask.operators.rows import tuning as rows_tuning
from akdask.operators.sort import tuning as sort_tuning
from akdask.testing.strategies import DTYPES, columns, partition_lengths, partitioned

KINDS = ("inner", "left", "right", "outer", "semi", "anti")
HELD, EXCHANGED = 2**60, 0


@pytest.fixture(autouse=True)
def many_small_buckets(monkeypatch):
    """Exchange rows of small arrays as if they were large, with several ranges in each partition."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 4)
    monkeypatch.setattr(alignment, "CPU_COUNT", 3)
    monkeypatch.setattr(sort_tuning, "RANGE_ROWS", 3)
    monkeypatch.setattr(join_tuning, "BLOCK_ROWS", 5)
    monkeypatch.setattr(join_tuning, "PAIRS", 7)
    monkeypatch.setattr(join_tuning, "FEW_SAMPLED", 1)


@st.composite
def frames(draw):
    """Two DataFrames with keys drawn from few, in any partitions, and the name of their keys."""
    keys = draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=2))
    pool = draw(st.integers(1, 6))
    values = [draw(columns(dtype, pool)) for dtype in keys]
    made = []
    for payload in ("x", "y"):
        rows = draw(st.integers(0, 15))
        plain = {}
        for number, column in enumerate(values):
            picks = draw(st.lists(st.integers(0, pool - 1), min_size=rows, max_size=rows))
            plain[f"k{number}"] = column[np.array(picks, int)]
        plain[payload] = np.arange(rows) * 10
        plain["s"] = np.array([f"{payload}{row}" for row in range(rows)], str)
        lengths = draw(partition_lengths(rows, 7))
        made.append(ak.DataFrame({name: partitioned(column, lengths) for name, column in plain.items()}))
    return *made, [f"k{number}" for number in range(len(keys))]


KEPT = "Kept of an earlier round"


def with_hashes_of(bits, build):
    """Build and compute with hashes that collide, where only so many bits of them differ."""
    hashes = hashing.hash_rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "hash_rows", lambda keys: hashes(keys) & np.uint64((1 << bits) - 1))
        patch.setattr(hashing, "is_exact", lambda keys: False)
        return build()


@pytest.mark.lazy_only
@pytest.mark.parametrize("how", KINDS)
@given(drawn=frames(), bits=st.sampled_from([64, 64, 2, 0]))
def test_exchanged_rows_are_paired_like_those_of_a_side_that_is_held(how, drawn, bits):
    left, right, keys = drawn
    with ak.config.set(replicate_size=HELD):
        held = left.merge(right, keys, how, sort=False)
        wanted = held.to_pandas()
    with ak.config.set(replicate_size=EXCHANGED):
        lazy = left.merge(right, keys, how, sort=False)
        # What is computed as it is made keeps its rows, and shows no plan of them.
        is_planned = KEPT not in lazy.explain() and KEPT not in held.explain()
        assert not is_planned or "Join (" in lazy.explain()
        found = with_hashes_of(bits, lazy.to_pandas)
    pd.testing.assert_frame_equal(found, wanted)
    # Rows without a match are stacked below the pairs.  Pairs that are found by exchange have rows of their own; those
    # of a side that is held have the rows of the other, which may be those below: then fewer partitions will do.
    # Sorted ones, where the few rows of the left side are held, are in partitions of their own.
    is_right_searched = "Sort" in held.explain()
    if (
        is_planned
        and not is_right_searched
        and (how != "outer" or not left["x"]._frame.rows.same_rows(right["y"]._frame.rows))
    ):
        assert lazy.npartitions == held.npartitions
    assert len(lazy) == len(wanted)


@given(drawn=frames())
def test_marks_and_pairs_of_rows_are_the_same(drawn):
    left, right, keys = drawn
    sides = [left[name] for name in keys], [right[name] for name in keys]
    answers = []
    for size in (HELD, EXCHANGED):
        with ak.config.set(replicate_size=size):
            mask = ak.in1d(*sides)
            lefts, rights = ak.inner_join(*sides)
            places = ak.indexof1d(*sides)
            chosen = left["x"][mask] + left[mask]["x"]
            answers.append([array.tolist() for array in (mask, lefts, rights, places, chosen)])
    assert answers[0] == answers[1]


def test_partitions_that_are_split_for_a_join_share_memory(monkeypatch):
    asked = []
    monkeypatch.setattr("akdask.operators.join.plan.buffer_bytes", asked.append)
    left, right = (ak.DataFrame({"k": partitioned(np.arange(9), lengths)}) for lengths in ([3, 3, 3], [5, 4]))
    sides = [Project(array._frame, ("k",), (array._value,)) for array in (left["k"], right["k"])]
    lower(HashJoin(sides[0], ("k",), sides[1], ("k",), ("k",), "inner", 7, ColumnIdentity("pairs")))
    # Three and two partitions are split, and seven buckets are joined.
    assert asked == [5, 7]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("partitions", [1, 2, 7])
@pytest.mark.parametrize("keys", [["k"], ["t"], ["k", "t"]])
def test_one_key_may_have_half_of_the_rows_of_both_sides(partitions, keys, monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 20)
    random = np.random.default_rng(1)
    sides = []
    for payload in ("x", "y"):
        numbers = np.where(random.random(60) < 0.5, 7, random.integers(0, 50, 60))
        lengths = [len(piece) for piece in np.array_split(numbers, partitions)]
        plain = {"k": numbers, payload: np.arange(60), "t": np.array([f"é{number}" for number in numbers])}
        sides.append(ak.DataFrame({name: partitioned(column, lengths) for name, column in plain.items()}))
    left, right = sides
    for how in ("inner", "outer", "semi"):
        found = []
        for size in (HELD, EXCHANGED):
            with ak.config.set(replicate_size=size):
                found.append(left.merge(right, keys, how, sort=False).to_pandas())
        pd.testing.assert_frame_equal(*found)


def test_columns_of_every_kind_are_exchanged():
    times = np.array(["2026-01-01", "2026-01-02", "NaT"], "datetime64[ns]")
    left = ak.DataFrame({"k": [3, 1, 2, 1]})
    right = ak.DataFrame({"k": [1, 3, 1], "t": ak.Datetime(times), "c": ak.Categorical(ak.array(["p", "q", "p"]))})
    lists = ak.SegArray(ak.array([0, 1, 1]), ak.array([7, 8, 9]))
    big = ak.array([2**70, 2**80, 5])
    with ak.config.set(replicate_size=EXCHANGED):
        inner = left.merge(ak.DataFrame({"k": right["k"], "l": lists, "b": big}), "k", sort=False)
        lacking = left.merge(right, "k", "left", sort=False)
        assert inner["k"].tolist() == [3, 1, 1, 1, 1]
        assert [list(row) for row in inner["l"].tolist()] == [[], [7], [8, 9], [7], [8, 9]]
        assert inner["b"].tolist() == [2**80, 2**70, 5, 2**70, 5]
        assert lacking["c"].tolist() == ["q", "p", "p", "N/A", "p", "p"]
        wanted = times[[1, 0, 2, 2, 0, 2]]
        np.testing.assert_array_equal(lacking["t"].to_ndarray(), wanted)


def test_columns_of_one_join_share_rows_however_they_are_found():
    left = ak.DataFrame({"k": partitioned(np.arange(20) % 6, [10, 10]), "x": ak.arange(20)})
    right = ak.DataFrame({"k": [1, 3, 1], "y": [10, 30, 11]})
    with ak.config.set(replicate_size=HELD):
        held = left.merge(right, "k", sort=False)
    with ak.config.set(replicate_size=EXCHANGED):
        exchanged = left.merge(right, "k", sort=False)
    assert (held["y"] - exchanged["y"]).tolist() == [0] * len(held)


def test_a_join_of_joined_and_filtered_rows():
    with ak.config.set(replicate_size=EXCHANGED):
        left = ak.DataFrame({"k": [3, 1, 2, 3], "x": [30, 10, 20, 31]})
        right = ak.DataFrame({"k": [1, 3, 4], "y": [1, 2, 3]})
        joined = left.merge(right, "k", sort=False)
        again = joined[joined["x"] > 10].merge(right, "k", "left", left_suffix="_1", sort=False)
        assert again.to_pandas().to_dict("list") == {"k": [3, 3], "x": [30, 31], "y_1": [2, 2], "y_y": [2, 2]}


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@pytest.mark.parametrize("has_workers", [True, False])
def test_a_side_is_held_whole_while_it_is_small_for_a_worker_or_for_this_process(monkeypatch, has_workers):
    left = ak.DataFrame({"k": ak.arange(100)})
    right = ak.DataFrame({"k": ak.arange(50), "y": ak.arange(50) * 2})
    monkeypatch.setattr(row_plan, "on_cluster", lambda: has_workers)
    share = rows_tuning.BROADCAST_SHARE if has_workers else rows_tuning.BROADCAST_SHARE_HERE
    monkeypatch.setattr(row_plan, "memory", lambda: 50 * 16 * share)
    assert "Match" in left.merge(right, "k", sort=False).explain()
    monkeypatch.setattr(row_plan, "memory", lambda: 50 * 16 * share - share)
    assert "Join (inner) by hash" in left.merge(right, "k", sort=False).explain()
    # Of a semi-join, the keys alone are held.
    assert "Join (" not in left.merge(right, "k", "semi", sort=False).explain()
    filtered = right[right["k"] > right["k"].mean()]
    assert "Join (inner) by hash" in left.merge(filtered, "k", sort=False).explain()


def test_plans_name_the_keys_of_both_sides_of_a_join():
    left, right = ak.DataFrame({"k": [1, 2], "m": [1, 2]}), ak.DataFrame({"a": [1], "b": [1]})
    with ak.config.set(replicate_size=EXCHANGED):
        joined = left.merge(right, how="left", left_on=["k", "m"], right_on=["a", "b"], sort=False)
        assert "Join (left) by hash of k, m and of a, b\n" in joined.explain()


@pytest.mark.parametrize("size", [EXCHANGED, HELD])
def test_labels_of_other_rows_that_come_twice_are_refused(size):
    frame = ak.DataFrame({"a": ak.array([1.0, 2.0])}, index=ak.array([10, 30]))
    other = ak.Series(ak.array([0.5, 0.25, 1.0]), index=ak.array([10, 20, 20]))
    with ak.config.set(replicate_size=size), pytest.raises(NonUniqueError, match="the label 20 comes twice"):
        frame.assign(b=other)["b"].to_ndarray()


def test_rows_found_by_keys_that_repeat_are_the_first_and_a_warning_shows_where():
    table = Table({0: np.array([5, 7, 8, 7]), 1: np.array([1, 2, 2, 2])}, 4)
    with pytest.warns(UserWarning, match="such as 7, 2 in rows 1 and 3"):
        (index,) = _index([table], "unique rows")
    assert index.find([np.array([7, 8]), np.array([2, 1])]).tolist() == [1, -1]
    index, others = _index([table], "all rows")
    ((rows, found),) = others.pairs(index.find([np.array([7]), np.array([2])]), False, 10)
    assert (rows.tolist(), found.tolist()) == ([0, 0], [1, 3])
    with warnings.catch_warnings(action="error"):
        (index,) = _index([table], "rows")
        _index([table.slice(0, 3)], "unique rows")
        _index([table.slice(0, 3)], "only rows")


@pytest.mark.parametrize("size", [HELD, EXCHANGED])
def test_columns_of_other_rows_stand_where_their_labels_are_and_lack_elsewhere(size):
    # The first row of the other side is one of them.
    left = ak.Series(ak.array([1.0, 2.0, 3.0]), index=ak.array([10, 30, 20]))
    right = ak.Series(ak.array([0.5, 0.25]), index=ak.array([10, 20]))
    with ak.config.set(replicate_size=size):
        aligned = ak.DataFrame({"a": left.values}, index=left.index).assign(b=right)
        np.testing.assert_array_equal(aligned["b"].to_ndarray(), [0.5, np.nan, 0.25])
        counts = ak.DataFrame({"a": left.values}, index=left.index).assign(
            b=ak.Series(ak.array([4]), index=ak.array([10]))
        )
        assert counts.b.isna().tolist() == [False, True, True]


@pytest.mark.lazy_only
@pytest.mark.parametrize("how", ["inner", "left", "semi"])
@pytest.mark.parametrize(("rows", "is_exchanged"), [(39, False), (20, False), (40, True), (45, True)])
def test_a_side_of_fewer_rows_is_held_where_the_other_one_would_be_exchanged(how, rows, is_exchanged):
    random = np.random.default_rng(rows)
    left = pd.DataFrame({"k": random.integers(0, 25, rows), "x": np.arange(rows) * 0.5})
    right = pd.DataFrame({"k": random.integers(0, 25, 40), "y": np.arange(40), "z": np.arange(40.0)})
    with ak.config.set(replicate_size=45 * 8 * 2):
        joined = ak.DataFrame(left).merge(ak.DataFrame(right), "k", how, sort=False)
        planned = joined.explain()
        found = joined.to_pandas()
    if how == "semi":
        wanted = left[left["k"].isin(right["k"])].reset_index(drop=True)
    else:
        wanted = left.merge(right, on="k", how=how)
    if how == "inner":
        # The larger side is searched for the smaller one, and the order is restored.
        assert ("Join (" in planned) == is_exchanged
    pd.testing.assert_frame_equal(found.astype(float), wanted.astype(float))
