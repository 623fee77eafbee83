"""Filters by keys go through groups, and keys of few rows filter larger tables that they are matched in."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.operators import rewrite_rules
from akdask.operators.group import tuning as group_tuning
from akdask.operators.join import tuning
from akdask.testing.memory import MemorySource

# Groups that are materialized are not computed again for fewer keys.
pytestmark = pytest.mark.few_rows_only

TEXT = st.sampled_from(["", "a", "long text of several words"])
ROWS = st.tuples(st.integers(0, 3), TEXT, st.sampled_from([0.0, -0.0, 1.5, np.nan]), st.integers(-3, 3))
COLUMNS = ["k", "s", "x", "v"]
REDUCTIONS = ["sum", "first", "nunique"]
CONDITIONS = {
    "of a key": lambda f: f["k"] > 1,
    "of all keys": lambda f: (f["k"] <= 2) & (f["s"] != "a"),
    "of keys and results": lambda f: (f["k"] > 0) & (f["t"] > 0),
    "of results": lambda f: f["t"] > 1,
    "of both at once": lambda f: f["k"] + f["t"] > 1,
    "of a float": lambda f: 1 / f["x"] > 0,
}
"""Conditions on groups."""


def _tables(rows, cuts):
    made = pd.DataFrame({name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)})
    for name, kind in zip(COLUMNS, (int, object, float, int), strict=True):
        made[name] = made[name].astype(kind)
    bounds = sorted(cut % (len(rows) + 1) for cut in cuts)
    source = MemorySource({name: made[name].to_numpy() for name in COLUMNS}, np.diff([0, *bounds, len(rows)]).tolist())
    return ak.DataFrame(source.arrays()), made


def _totals(frame, by, reduction):
    """Return the groups of rows by some keys, of both libraries alike."""
    if isinstance(frame, pd.DataFrame):
        return getattr(frame.groupby(by)["v"], reduction)().rename("t").reset_index()
    keys, found = getattr(ak.GroupBy([frame[name] for name in by]), reduction)(frame["v"])
    return ak.DataFrame({**dict(zip(by, keys, strict=True)), "t": found})


def _rows(frame, names):
    return sorted(map(tuple, frame[names].to_numpy().tolist()), key=repr)


def _asked(frame, names):
    """Return sums, whose order nobody reads, and rows, as they are optimised and as they are written."""
    found = [int(frame["t"].sum()), _rows(frame.to_pandas(), names)]
    with ak.config.set(optimize=False):
        assert found == [int(frame["t"].sum()), _rows(frame.to_pandas(), names)]
    return found


@pytest.fixture
def pushed(monkeypatch):
    """Count the filters that went through groups, of tables of any size and in several partitions."""
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 2)
    monkeypatch.setattr(tuning, "FILTERED_ROWS", 0)
    monkeypatch.setattr(tuning, "FEW_LEFT", 0)
    monkeypatch.setattr(tuning, "SMALL_SIDE", 0)
    found, later = [], rewrite_rules._grouped_later

    def counted(*args):
        outcome = later(*args)
        found.append(outcome is not None)
        return outcome

    monkeypatch.setattr(rewrite_rules, "_grouped_later", counted)
    return found


fitting = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.function_scoped_fixture],
    max_examples=5,
    deadline=None,
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_groups_of_filtered_rows_are_the_filtered_groups(condition, pushed, monkeypatch):
    monkeypatch.setattr(tuning, "FEW_LEFT", np.inf)

    @fitting
    @given(
        st.lists(ROWS, max_size=9),
        st.lists(ROWS, max_size=4),
        st.sampled_from(REDUCTIONS),
        st.lists(st.integers(0, 9), max_size=2),
    )
    @example([(2, "", 0.0, 1), (2, "", -0.0, 2), (1, "a", 1.5, 2)], [(2, "", 0.0, 1)], "sum", [1])
    def gives_the_same(rows, others, reduction, cuts):
        (ours, theirs), (few, fewer) = _tables(rows, cuts), _tables(others, [])
        by = ["x"] if condition == "of a float" else ["k", "s"]
        found, wanted = _totals(ours, by, reduction), _totals(theirs, by, reduction)
        found, wanted = found[CONDITIONS[condition](found)], wanted[CONDITIONS[condition](wanted)]
        left = few[[*by, "v"]].merge(found, on=by)
        names = [*by, "v", "t"]
        joined = fewer[[*by, "v"]].merge(wanted, on=by)
        assert _asked(left, names) == [int(joined["t"].sum()), _rows(joined, names)]

    gives_the_same()
    assert any(pushed) == condition.startswith(("of a key", "of all keys", "of keys"))


@pytest.mark.parametrize("is_small", [False, True])
def test_groups_of_few_keys_are_the_groups_that_are_matched(is_small, pushed, monkeypatch):
    monkeypatch.setattr(tuning, "SMALL_SIDE", 100 if is_small else 0)

    @fitting
    @given(
        st.lists(ROWS, max_size=9),
        st.lists(ROWS, max_size=4),
        st.sampled_from(REDUCTIONS),
        st.lists(st.integers(0, 9), max_size=2),
    )
    @example([(2, "", 0.0, 1), (1, "", 0.0, 2), (2, "", 1.5, -2)], [(2, "", 0.0, 1), (1, "a", 0.0, 3)], "sum", [1])
    def gives_the_same(rows, others, reduction, cuts):
        (ours, theirs), (few, fewer) = _tables(rows, cuts), _tables(others, [])
        ours = few[few["v"] > 0][["k", "v"]].merge(_totals(ours, ["k"], reduction), on="k")
        theirs = fewer[fewer["v"] > 0][["k", "v"]].merge(_totals(theirs, ["k"], reduction), on="k")
        theirs = theirs[theirs["t"] > 0]
        assert _asked(ours[ours["t"] > 0], [*"kvt"]) == [int(theirs["t"].sum()), _rows(theirs, [*"kvt"])]

    gives_the_same()
    assert any(pushed)


def test_two_groups_are_filtered_by_the_keys_of_the_same_rows(pushed):
    rows = [(key % 4, "a", 0.0, key) for key in range(12)]
    (ours, theirs), (few, fewer) = _tables(rows, [5]), _tables(rows[:5], [])

    def joined(frame, few):
        chosen = few[few["v"] == 2][["k", "v"]]
        counts = _totals(frame, ["k"], "nunique").rename(columns={"t": "n"})
        return chosen.merge(_totals(frame, ["k"], "sum"), on="k").merge(counts, on="k")

    assert int((found := joined(ours, few))["t"].sum()) == joined(theirs, fewer)["t"].sum()
    assert int(found["n"].sum()) == joined(theirs, fewer)["n"].sum()
    assert sum(pushed) >= 2


def test_groups_are_filtered_by_the_results_of_other_groups(pushed):
    rows = [(key % 4, "a", 0.0, key % 3) for key in range(12)]
    (ours, theirs), (few, fewer) = _tables(rows, [5]), _tables(rows[:5], [])

    def joined(frame, few):
        counts = _totals(frame, ["k"], "sum").rename(columns={"k": "t", "t": "n"})
        return few[few["v"] == 2][["k", "v"]].merge(_totals(frame, ["k"], "nunique"), on="k").merge(counts, on="t")

    assert int(joined(ours, few)["n"].sum()) == joined(theirs, fewer)["n"].sum()
    assert sum(pushed) >= 2


def test_groups_that_were_counted_are_as_many_before_they_are_filtered(pushed):
    rows = [(key % 4, "a", 0.0, key) for key in range(12)]
    (ours, _), (few, _) = _tables(rows, [5]), _tables(rows[:2], [])
    with ak.config.set(cache_size=0):
        totals = _totals(ours, ["k"], "sum")
        assert len(totals) == 4
        found = few[["k", "v"]].merge(totals[totals["k"] > 0], on="k")
        assert [int(found["t"].sum()), len(totals[totals["k"] > 0]), len(totals)] == [1 + 5 + 9, 3, 4]
    assert any(pushed)
