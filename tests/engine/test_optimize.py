"""Optimised plans give what plans give as they are written, and what pandas gives."""

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask._dask import ExprSequence
from akdask.engine.optimizer import inputs_first, optimize
from akdask.operators.sort.plan import Sort
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


CHAINED = {
    "rows": (lambda df: df.to_pandas().to_numpy().tolist(), lambda df: df.to_numpy().tolist()),
    "first rows": (lambda df: df.head(2).to_pandas().to_numpy().tolist(), lambda df: df.head(2).to_numpy().tolist()),
    "sum": (lambda df: df["v0"].sum(), lambda df: df["v0"].sum()),
    "first of joined groups": (
        lambda df: ak.GroupBy(df["k1"]).first(df["v0"])[1].tolist(),
        lambda df: df.groupby("k1")["v0"].first().tolist(),
    ),
    "sums of groups": (
        lambda df: ak.GroupBy(df["k1"]).sum(df["v0"])[1].tolist(),
        lambda df: df.groupby("k1")["v0"].sum().tolist(),
    ),
    "sorted": (
        lambda df: df.sort_values("v0").to_pandas().to_numpy().tolist(),
        lambda df: df.sort_values("v0", kind="stable").to_numpy().tolist(),
    ),
    "filtered": (
        lambda df: df[df["v0"] > df["k1"]].to_pandas().to_numpy().tolist(),
        lambda df: df[df["v0"] > df["k1"]].to_numpy().tolist(),
    ),
}
"""What is asked of tables that are joined one after the other: of akdask, and of pandas."""


@settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=40)
@given(
    st.sampled_from(list(CHAINED)),
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=6), min_size=2, max_size=4),
    st.integers(1, 4),
)
@example("rows", [[(1, 5), (0, 3)], [(0, 1), (1, 2), (1, 0)], [(2, 1), (1, 8), (0, 7)]], 4)
@example("first of joined groups", [[(1, 5), (0, 3)], [(0, 1), (1, 2), (1, 0)], [(2, 1), (1, 8), (0, 7)]], 1)
def test_chains_of_joins_that_search_for_the_rows_of_the_left_side_keep_their_order(end, sides, passes):
    theirs = [
        pd.DataFrame({f"k{number}": [k for k, _ in side], f"v{number}": [v for _, v in side]})
        for number, side in enumerate(sides)
    ]
    joined, expected = ak.DataFrame(theirs[0]), theirs[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("akdask.operators.join.tuning.SMALLER_SIDE", 0)
        patch.setattr("akdask.engine.tuning.MOST_PASSES", passes)
        for number, right in enumerate(theirs[1:], 1):
            keys = {"left_on": f"v{number - 1}" if number % 2 == 0 else f"k{number - 1}", "right_on": f"k{number}"}
            joined = joined.merge(ak.DataFrame(right), sort=False, **keys)
            expected = expected.merge(right, sort=False, **keys)
        if not len(expected):
            return
        find, wanted = CHAINED[end][0], CHAINED[end][1](expected)
        assert find(joined) == wanted
        with ak.config.set(optimize=False):
            assert find(joined) == wanted


def test_rows_of_joins_whose_order_nobody_reads_are_not_sorted(monkeypatch):
    monkeypatch.setattr("akdask.operators.join.tuning.SMALLER_SIDE", 0)
    monkeypatch.setattr("akdask.engine.tuning.MOST_PASSES", 1)
    frames = [ak.DataFrame({f"k{number}": [2, 1, 0], f"v{number}": [0, 1, 2]}) for number in range(4)]
    joined = frames[0]
    for number, right in enumerate(frames[1:], 1):
        joined = joined.merge(right, left_on=f"v{number - 1}", right_on=f"k{number}", sort=False)
    assert _sorts(joined["v3"].sum()) == 0
    assert joined["v3"].sum() == 3
    assert _sorts(joined) == 3


def _sorts(collection):
    """Return the number of sorts of the optimised plan."""
    return sum(isinstance(node, Sort) for node in inputs_first(optimize([collection.expr.finalize_compute()])))


def test_plans_are_optimised_together_though_one_stays_as_it_is():
    x = ak.array([2, 3, 1])
    plain, of_sorted = x.expr.finalize_compute(), ak.sort(x).sum().expr.finalize_compute()
    (best,) = optimize([plain])
    assert optimize([best]) == [best]
    for plans in ([best, of_sorted], [of_sorted, best], [of_sorted, of_sorted]):
        found = plans[0]._simplify_up(ExprSequence(*plans), None)
        assert not any(isinstance(node, Sort) for node in inputs_first(found.operands))
        assert found.operands[0]._simplify_up(found, None) is None
    assert best._simplify_up(ExprSequence(best, best), None) is None


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
