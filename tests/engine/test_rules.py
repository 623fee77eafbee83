"""Each rule of the optimiser gives the rows that plans have without it, over random plans that it applies to."""

from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from operator import is_

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.operators import rewrite_rules
from tests.engine.steps import (
    ENDS,
    ROWS,
    STEPS,
    Cut,
    Doubled,
    Filtered,
    FilteredBySides,
    Joined,
    Sorted,
    assert_equal,
    tables,
)

RULES = rewrite_rules.RULES
"""All rules, as the optimiser has them."""

SORTED = st.builds(Sorted, st.sampled_from([["k"], ["v"], ["s"], ["k", "x"], ["v", "s"]]), st.booleans())
BY_LEFT = st.builds(Sorted, st.sampled_from([["v"], ["k", "v"], ["s"]]), st.booleans())
BY_NUMBERS = st.builds(Sorted, st.sampled_from([["v"], ["k", "v"]]), st.booleans())
FIRST = st.builds(Cut, st.just("head"), st.integers(1, 4))
CUT = st.builds(Cut, st.sampled_from(["head", "tail"]), st.integers(1, 4))
SIDES = st.builds(FilteredBySides, st.tuples(*[st.sampled_from([None, 0, 1, 15, 22])] * 3))
KEPT = st.builds(Filtered, st.sampled_from(["k", "v", "x"]), st.integers(-1, 2))
REPLICATED = st.builds(Joined, st.sampled_from(["left", "inner"]), st.just(False), st.none())
LEFT_REPLICATED = st.just(Joined("left", False, None))
HASHED = st.builds(Joined, st.sampled_from(["left", "inner"]), st.booleans(), st.just(0))
LEFT_HASHED = st.just(Joined("left", False, 0))


class Taken:
    """Rows in another order, by their positions."""

    def ours(self, frame):
        return frame[ak.arange(len(frame))[::-1]]

    def theirs(self, frame):
        return frame.iloc[::-1]


class Running:
    """A running sum beside the columns, which is a frame of its own."""

    def ours(self, frame):
        return frame.assign(v=ak.cumsum(frame["v"]))

    def theirs(self, frame):
        return frame.assign(v=frame["v"].cumsum())


class Halved:
    """Some rows of known positions."""

    def ours(self, frame):
        return frame[1::2]

    def theirs(self, frame):
        return frame.iloc[1::2]


class Largest:
    """The rows of the largest values, which a plan has as first rows of a sort."""

    def ours(self, frame):
        return frame.nlargest(3, "v")

    theirs = ours


class Grouped:
    """Groups by text, with the columns of the rows."""

    def ours(self, frame):
        return frame.groupby("s", as_index=False).agg(k=("k", "max"), v=("v", "max"), x=("x", "max"))

    theirs = ours


TAKEN, RUNNING, DOUBLED, HALVED, LARGEST, GROUPED = (
    st.just(step()) for step in (Taken, Running, Doubled, Halved, Largest, Grouped)
)

ROWS_AND_COLUMNS = ("rows", "one column", "first row")
UNORDERED = ("sum", "sums of groups", "distinct", "differences")

PLANS = {
    "unsorted": ([SORTED], UNORDERED),
    "first_of_sorted_join": ([LEFT_REPLICATED, BY_LEFT, FIRST], ROWS_AND_COLUMNS),
    "top_rows": ([SORTED, CUT], ROWS_AND_COLUMNS),
    "narrow_sort": ([SORTED], ("one column", "running sum", "first of groups")),
    "narrow_top_k": ([LARGEST], ("one column", "running sum", "first of groups")),
    "first_of_hash_join": ([LEFT_HASHED, FIRST], ROWS_AND_COLUMNS),
    "narrow_join": ([HASHED], ("one column", "sum", "sums of groups")),
    "narrow_zip": ([RUNNING, SORTED], ("one column", "sums of groups", "distinct")),
    "split_filter": ([st.one_of(REPLICATED, HASHED), SIDES], ("rows", "sum", "one column")),
    "filter_first": ([st.one_of(REPLICATED, HASHED, SORTED), st.one_of(SIDES, KEPT)], ("rows", "sum", "one column")),
    "narrow_project": ([SORTED, RUNNING], ("one column", "sum", "distinct")),
    "first_of_join": ([LEFT_REPLICATED, FIRST], ROWS_AND_COLUMNS),
    "in_place": (
        [st.one_of(HALVED, KEPT), SORTED, st.one_of(KEPT, RUNNING)],
        ("sums of groups", "distinct", "one column", "first row"),
    ),
    "narrow_concat": ([KEPT], ("a column twice beside all rows thrice",)),
    "groups_in_any_order": ([GROUPED], UNORDERED),
    "by_keys_too": ([GROUPED, BY_NUMBERS, CUT], ("one column", "first row")),
    "ranked_later": ([GROUPED, BY_NUMBERS, CUT], ("rows",)),
    "of_columns": ([KEPT], ("a column backwards beside all rows twice", "a first value beside last rows")),
}
"""For each rule the steps of plans that it is for, and what is asked of their rows."""

NARROWING = frozenset(name for name in PLANS if name.startswith("narrow_")) | {"of_columns"}
"""Rules that need each other: what one has left out is not there for a node that takes every column."""


def _plainly(*results):
    return [np.asarray(found).tolist() for found in results]


def _concat(frame, times):
    return ak.DataFrame.concat([frame] * times) if isinstance(frame, ak.DataFrame) else pd.concat([frame] * times)


SEVERAL = {
    "a column twice beside all rows thrice": lambda f: (_concat(f, 2)["v"], _concat(f, 3)[["k", "v", "s"]]),
    "a column backwards beside all rows twice": lambda f: (f[::-1]["v"], _concat(f, 2)[["k", "v", "s"]]),
    "a first value beside last rows": lambda f: (f.head(1)["v"], f.tail(2)[["k", "v", "s"]]),
}
"""Several results of one computation, which read the same columns of the same rows."""

RESULTS_OF_FRAMES = ENDS | {
    name: (lambda f, of=of: _plainly(*dask.compute(*of(f))), lambda f, of=of: _plainly(*of(f)))
    for name, of in SEVERAL.items()
}


def _at_once(frames):
    return dask.compute(*[frame["v"] for frame in frames], *[frame["s"] for frame in frames])


def _each(frames):
    return [frame[name].to_numpy() for name in ("v", "s") for frame in frames]


TWO_SORTS = st.tuples(SORTED, SORTED)


@contextmanager
def counting(changed):
    """Count how often each rule puts another node in place of one."""

    def counted(rule):
        def apply(node, need):
            found = rule(node, need)
            if found is not None and getattr(found, "_name", None) != node._name:
                changed[rule.__name__] += 1
            return found

        return apply

    by_kind: Mapping = {kind: tuple(map(counted, chosen)) for kind, chosen in RULES.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewrite_rules, "RULES", by_kind)
        yield


@contextmanager
def without(name):
    """Optimise plans by all rules but one, or by none where others need that one."""
    by_kind: Mapping = {
        kind: tuple(rule for rule in chosen if rule.__name__ != name)
        for kind, chosen in RULES.items()
        if name not in NARROWING
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewrite_rules, "RULES", by_kind)
        yield


@pytest.fixture(scope="module", autouse=True)
def data_is_large():
    with pytest.MonkeyPatch.context() as patch, ak.config.set(cache_size=0, small_array=10, block_size=2**10):
        patch.setattr("akdask.engine.tuning.SMALL_ROWS", 0)
        patch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 16)
        patch.setattr("akdask.operators.sort.tuning.MOST_SAMPLED", 8)
        yield


def test_plans_are_there_for_each_rule():
    assert {rule.__name__ for chosen in rewrite_rules.RULES.values() for rule in chosen} == set(PLANS)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("name", PLANS)
def test_a_rule_changes_no_rows(name):
    core, ends = PLANS[name]
    applied = Counter()

    @settings(
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.filter_too_much, HealthCheck.too_slow],
        max_examples=20,
        deadline=None,
    )
    @given(
        st.lists(ROWS, min_size=1, max_size=12),
        st.lists(st.integers(0, 12), max_size=3),
        st.lists(STEPS, max_size=1),
        st.tuples(*core),
        st.sampled_from(ends),
    )
    def changes_no_rows(rows, cuts, before, steps, end):
        ours, theirs = tables(rows, cuts)
        for step in (*before, *steps):
            ours, theirs = step.ours(ours), step.theirs(theirs)
        assume(len(theirs))
        find, find_by_pandas = RESULTS_OF_FRAMES[end]
        changed = Counter()
        with counting(changed):
            found = find(ours)
        assume(changed[name])
        applied[name] += 1
        expected = find_by_pandas(theirs)
        assert_equal(found, expected)
        with without(name):
            assert_equal(find(ours), expected)

    changes_no_rows()
    assert applied[name] >= 5


PASSES = {
    "share_sorts": rewrite_rules,
    "share_groups": rewrite_rules,
    "share_aggregates": rewrite_rules,
    "carry_positions": rewrite_rules,
}
"""What else rewrites plans, and the module where the optimiser finds it."""


def _sorted_at_once(frame):
    return _at_once([frame.sort_values("v"), frame.sort_values("k"), frame.sort_values(["k", "v"], ascending=False)])


def _sorted_each(frame):
    by = [(["v"], True), (["k"], True), (["k", "v"], False)]
    return _each([Sorted(names, ascending).theirs(frame) for names, ascending in by])


PAIRS = [("k", "v"), ("v", "k"), ("k", "s"), ("v", "x")]
"""Keys, and columns that are sorted by them."""


def _columns_sorted_apart(frame):
    return dask.compute(*[frame[[key, name]].sort_values(key)[name] for key, name in PAIRS])


def _columns_sorted_apart_by_pandas(frame):
    return [frame.sort_values(key, kind="stable")[name].to_numpy() for key, name in PAIRS]


def _groups_at_once(frame):
    groups, others = ak.GroupBy(frame["k"]), ak.GroupBy(frame["v"])
    return dask.compute(
        groups.sum(frame["v"])[1],
        groups.max(frame["v"])[1],
        others.sum(frame["k"])[1],
        groups.size()[1],
        groups.sum(frame["k"])[0],
    )


def _groups_of_pandas(frame):
    groups, others = frame.groupby("k"), frame.groupby("v")
    found = (groups["v"].sum(), groups["v"].max(), others["k"].sum(), groups.size())
    return [*[one.to_numpy() for one in found], groups["k"].sum().index.to_numpy()]


def _reductions_at_once(frame):
    kept = frame[frame["v"] > 0]
    found = dask.compute(frame["v"].sum(), frame["k"].max(), kept["v"].sum(), frame["v"].min(), kept["k"].sum())
    return [np.array([one]) for one in found]


def _reductions_of_pandas(frame):
    kept = frame[frame["v"] > 0]
    found = (frame["v"].sum(), frame["k"].max(), kept["v"].sum(), frame["v"].min(), kept["k"].sum())
    return [np.array([one]) for one in found]


RESULTS = {
    "share_sorts": (_columns_sorted_apart, _columns_sorted_apart_by_pandas),
    "share_groups": (_groups_at_once, _groups_of_pandas),
    "share_aggregates": (_reductions_at_once, _reductions_of_pandas),
    "carry_positions": (_sorted_at_once, _sorted_each),
}


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_changes_no_results_of_one_computation(name):
    find, expect = RESULTS[name]
    applied = Counter()

    @settings(
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.filter_too_much],
        max_examples=20,
        deadline=None,
    )
    @given(
        st.lists(ROWS, min_size=1, max_size=40), st.lists(st.integers(0, 12), max_size=3), st.lists(STEPS, max_size=2)
    )
    def changes_no_results(rows, cuts, steps):
        ours, theirs = tables(rows, cuts)
        for step in steps:
            ours, theirs = step.ours(ours), step.theirs(theirs)
        if name == "carry_positions":
            ours = ours.persist()
        assume(len(theirs))
        expected = expect(theirs)
        module = PASSES[name]
        rewrite = getattr(module, name)

        def counted(plans):
            found = rewrite(plans)
            applied[name] += not all(map(is_, found, plans))
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, name, counted)
            results = find(ours)
            patch.setattr(module, name, lambda plans: plans)
            others = find(ours)
        for found in (results, others):
            for one, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(np.asarray(one), wanted)

    changes_no_results()
    assert applied[name] >= 5


def test_frames_of_pandas_and_of_the_steps_have_the_same_rows():
    ours, theirs = tables([(1, 2, 0.5, "a"), (0, 1, -1.5, "b"), (4, 0, 2.25, "")], [1])
    for step in (Taken(), Running(), Halved()):
        pd.testing.assert_frame_equal(
            step.ours(ours).to_pandas().reset_index(drop=True),
            step.theirs(theirs).reset_index(drop=True),
            check_dtype=False,
        )
