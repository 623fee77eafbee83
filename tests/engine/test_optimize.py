"""Optimised plans give what plans give as they are written, and what pandas gives."""

import dask
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.testing.memory import MemorySource
from tests.engine.steps import ENDS, ROWS, STEPS, Cut, Filtered, FilteredBySides, Joined, Sorted, assert_equal, tables


@pytest.fixture(scope="module", autouse=True)
def small_sides_are_many_rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("akdask.engine.tuning.SMALL_ROWS", 0)
        for name, most in (("SHARED_ROWS", 0), ("SHARED_MATCHES", 1), ("SHARED_FILTERED", 1)):
            patch.setattr(f"akdask.engine.tuning.{name}", most)
        yield


@settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=60)
@given(
    st.sampled_from(list(ENDS)),
    st.lists(ROWS, min_size=1, max_size=12),
    st.lists(st.integers(0, 12), max_size=3),
    st.lists(STEPS, max_size=4),
)
@example("one column", [(1, 2, 0.5, "a"), (0, 2, 0.5, "b")], [1], [Sorted(["v"], True), Sorted(["k"], False)])
@example("rows", [(1, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Sorted(["v"], True), Filtered("k", 0), Cut("head", 1)])
@example("sum", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", True, 0), Filtered("v", 2)])
@example("rows", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", True, None), Cut("head", 1)])
@example("rows", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", False, 0), Cut("head", 1)])
@example(
    "rows", [(2, 2, 0.5, "a"), (2, 22, 0.5, "b")], [1], [Joined("inner", False, None), FilteredBySides((0, 22, 32))]
)
@example("rows", [(2, 2, 0.5, "a"), (2, 22, 0.5, "b")], [1], [Joined("inner", True, 0), FilteredBySides((0, 22, 32))])
@example(
    "rows", [(2, 2, 0.5, "a"), (1, 22, 0.5, "b")], [1], [Joined("left", False, None), FilteredBySides((15, 22, 32))]
)
@example("first of groups", [(2, 2, 0.5, "a"), (2, 1, 0.5, "b")], [1], [Sorted(["v"], True)])
def test_what_is_optimised_gives_what_is_written(end, rows, cuts, steps):
    ours, theirs = tables(rows, cuts)
    for step in steps:
        ours, theirs = step.ours(ours), step.theirs(theirs)
    if not len(theirs):
        return
    find, expected = ENDS[end][0], ENDS[end][1](theirs)
    assert_equal(find(ours), expected)
    with ak.config.set(optimize=False):
        assert_equal(find(ours), expected)


def test_a_group_by_of_sorted_rows_finds_the_first_of_each_group_after_their_sums():
    # Sums are of the rows as they are stored, and what is kept of these must not be taken for the sorted ones.
    frame = ak.DataFrame({"k": [1, 1, 2], "v": [5, 3, 4]}).sort_values("v")
    groups = ak.GroupBy(frame["k"])
    assert groups.sum(frame["v"])[1].tolist() == [8, 4]
    assert groups.first(frame["v"])[1].tolist() == [3, 4]
    assert groups.sum(frame["v"])[1].tolist() == [8, 4]


def test_rows_of_one_side_that_is_joined_twice_are_filtered_where_they_are_asked_for():
    other = ak.DataFrame({"k": [0, 2, 2, 4], "w": [10, 20, 30, 40]})
    frame = ak.DataFrame({"k": [2, 0, 4], "m": [4, 2, 2], "v": [1, 2, 3]})
    first = frame.merge(other, on="k", sort=False)
    second = first.merge(other, left_on="m", right_on="k", sort=False, left_suffix="", right_suffix="_m")
    kept = second[(second["w"] > 10) & (second["w_m"] < 40)]
    assert list(zip(*(kept[name].tolist() for name in ("v", "w", "w_m")), strict=True)) == [(3, 40, 20), (3, 40, 30)]
    all_rows, some_rows = dask.compute(first["w"].sum(), first[first["w"] > 20]["w"].sum())
    assert (all_rows, some_rows) == (20 + 30 + 10 + 40, 30 + 40)


def test_matches_of_a_filtered_side_that_were_counted_before_are_as_many():
    other = ak.DataFrame({"k": [0, 2, 2, 4], "w": [10, 20, 30, 40]})
    joined = ak.DataFrame({"k": [2, 0, 2], "v": [1, 2, 3]}).merge(other, on="k", sort=False)
    for kept, expected in ((joined[joined["w"] > 15], [20, 30, 20, 30]), (joined[joined["v"] > 1], [10, 20, 30])):
        assert len(kept) == len(expected)
        assert kept["w"].tolist() == expected
        assert (kept["w"] + ak.arange(len(expected)))[1:].tolist() == [w + n for n, w in enumerate(expected)][1:]


def test_rows_that_were_counted_before_they_were_filtered_elsewhere_are_those_rows():
    frame = ak.DataFrame(MemorySource({"v": np.arange(9) % 4, "x": np.arange(9)}, [4, 0, 5]).arrays()).sort_values("v")
    left = frame[frame["x"] > 2]
    assert len(left) == 6
    assert left["x"][1:3].tolist() == [8, 5]
    assert (left["x"] + ak.arange(6)).tolist() == [4 + 0, 8 + 1, 5 + 2, 6 + 3, 3 + 4, 7 + 5]
    assert int(left["x"].sum()) == 33
