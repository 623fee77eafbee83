"""Chains of inner joins give the same results in any order, and with filters of tables by other tables."""

from collections import Counter
from operator import is_

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
import akdask.pandas as face
from akdask.engine import tuning as engine_tuning
from akdask.operators.join import order as join_order
from akdask.operators.join import tuning
from akdask.testing.memory import MemorySource

TEXT = st.sampled_from(["", "a", "long text of several words", None])
FLOATS = st.sampled_from([0.0, -0.0, 1.5, np.nan])
SALES = st.tuples(st.integers(0, 2), FLOATS, st.integers(-3, 3))
ORDERS = st.tuples(st.integers(0, 2), TEXT, st.integers(0, 3))
CUSTOMERS = st.tuples(TEXT, FLOATS, st.integers(0, 3))
NATIONS = st.tuples(FLOATS, st.sampled_from(["x", "y", "z"]))
COLUMNS = {SALES: [*"kxv"], ORDERS: [*"kso"], CUSTOMERS: [*"szc"], NATIONS: ["y", "name"]}
"""The rows of each table, and its columns."""

CONDITIONS = {
    "none": lambda f: f["v"] >= -3,
    "of the first table": lambda f: f["v"] >= 0,
    "of another table": lambda f: f["name"] == "x",
    "of two tables": lambda f: f["o"] + f["v"] > 1,
    "of either of two tables": lambda f: ((f["o"] == 1) & (f["c"] <= 1)) | ((f["o"] == 2) & (f["c"] > 1)),
    "of cases of all tables": lambda f: (
        ((f["name"] == "x") & (f["v"] > 0) & (f["o"] >= 1)) | ((f["name"] == "y") & (f["v"] <= 0) & (f["c"] == 2))
    ),
    "of cases, one of one table": lambda f: ((f["name"] == "x") & (f["o"] == 1)) | (f["v"] > 0),
}
"""Conditions on rows of all tables."""


def _grouped(frame, by):
    keys, sums = ak.GroupBy(by).sum(frame["v"])
    return dict(zip(keys.tolist(), sums.tolist(), strict=True))


def _rows(frame):
    return frame[["k", "v", "o", "c", "name"]].to_numpy().tolist()


def _first_groups(frame):
    """Return the groups with the largest sums, labelled by their numbers among all groups."""
    groups = frame.groupby("o", as_index=False)["v"].sum()
    return groups.sort_values(["v", "o"], ascending=[False, True]).head(2)


ENDS = {
    "sum": (lambda f: [f["v"].sum(), f["c"].sum()], lambda f: [f["v"].sum(), f["c"].sum()]),
    "groups": (lambda f: _grouped(f, f["o"]), lambda f: f.groupby("o")["v"].sum().to_dict()),
    "groups of the last table": (lambda f: _grouped(f, f["name"]), lambda f: f.groupby("name")["v"].sum().to_dict()),
    "first groups": (
        lambda f: _first_groups(face.DataFrame(f)).to_pandas().to_dict(),
        lambda f: _first_groups(f).to_dict(),
    ),
    "rows": (lambda f: _rows(f.to_pandas()), _rows),
}
"""What is asked of the rows."""


def _tables(rows, columns, cuts):
    made = pd.DataFrame({name: [row[at] for row in rows] for at, name in enumerate(columns)})
    for name in columns:
        kind = {"k": int, "v": int, "o": int, "c": int, "x": float, "y": float, "z": float}.get(name, object)
        made[name] = made[name].astype(kind)
    bounds = sorted(cut % (len(rows) + 1) for cut in cuts)
    source = MemorySource({name: made[name].to_numpy() for name in columns}, np.diff([0, *bounds, len(rows)]).tolist())
    return ak.DataFrame(source.arrays()), made


def _chain(tables, order, filtered, how):
    """Join sales with orders, these with customers, and sales or customers with nations, before or after the others."""
    sales, orders, customers, nations = tables
    if filtered:
        nations = nations[nations["name"] != "y"]
    joined = sales.merge(nations, left_on="x", right_on="y") if order == "nations first" else sales
    joined = joined.merge(orders, on="k").merge(customers, on="s")
    if order == "nations of customers":
        joined = joined.merge(nations, left_on="z", right_on="y", how=how)
    return joined if order != "nations last" else joined.merge(nations, left_on="x", right_on="y", how=how)


@pytest.mark.parametrize("order", ["nations first", "nations last", "nations of customers"])
def test_an_arranged_chain_of_joins_has_the_same_rows(order, monkeypatch, pytestconfig):
    monkeypatch.setattr(tuning, "FILTERED_ROWS", 0)
    applied = Counter()
    arrange = join_order.arrange_joins

    def counted(plans, *args):
        found = arrange(plans, *args)
        applied[end] += not all(map(is_, found, plans))
        return found

    end = ""

    @settings(
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.function_scoped_fixture],
        max_examples=4,
        deadline=None,
    )
    @given(
        st.tuples(*(st.lists(rows, max_size=8) for rows in COLUMNS)),
        st.booleans(),
        st.tuples(st.sampled_from(list(CONDITIONS)), st.sampled_from(list(ENDS))),
        st.lists(st.integers(0, 8), max_size=2),
    )
    def has_the_same_rows(rows, filtered, plain, cuts):
        nonlocal end
        given = zip(rows, COLUMNS.values(), strict=True)
        ours, theirs = zip(*(_tables(some, columns, cuts) for some, columns in given), strict=True)
        how = "left" if plain[1] == "sum" else "inner"
        wanted, found = _chain(theirs, order, filtered, how), _chain(ours, order, filtered, how)
        for name, holds in CONDITIONS.items():
            end = plain[1] if name == plain[0] else "groups"
            ask, expect = ENDS[end]
            expected = expect(wanted[holds(wanted)])
            monkeypatch.setattr(join_order, "arrange_joins", counted)
            assert ask(found[holds(found)]) == expected
            if name == plain[0]:
                monkeypatch.setattr(join_order, "arrange_joins", lambda plans, *_: plans)
                assert ask(found[holds(found)]) == expected

    has_the_same_rows()
    # Sides that are exchanged, or kept at each step, are no chain.
    assert applied["groups"] or pytestconfig.getoption("--materialized")
    assert not applied["rows"]


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_joins_are_arranged_for_the_first_of_groups_in_several_partitions(monkeypatch):
    monkeypatch.setattr(tuning, "FILTERED_ROWS", 0)
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    sales = [(k % 3, 0.0, v) for k, v in zip(range(12), [1, 0, 3, 2, 0, 1, 1, 2, 0, 3, 1, 0], strict=True)]
    orders = [(k, "a", o) for k in range(3) for o in range(4)]
    customers, nations = [("a", 1.5, 1)], [(0.0, "x"), (1.5, "y")]
    rows = zip((sales, orders, customers, nations), COLUMNS.values(), strict=True)
    ours, theirs = zip(*(_tables(some, columns, [2, 5]) for some, columns in rows), strict=True)
    arranged = []
    chain_of = join_order._chain

    def noted(top, needs):
        found = chain_of(top, needs)
        arranged.append(found is not None)
        return found

    monkeypatch.setattr(join_order, "_chain", noted)
    ask, expect = ENDS["first groups"]
    assert ask(_chain(ours, "nations last", True, "inner")) == expect(_chain(theirs, "nations last", True, "inner"))
    assert any(arranged)
