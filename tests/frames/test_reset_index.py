"""`reset_index` keeps the keys of groups as columns, as in pandas; the reference is pandas."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, PositionError, SchemaError

P = pd.DataFrame(
    {
        "k": [2, 1, 2, 3, 1, 2],
        "s": list("abbaab"),
        "x": [1.5, 2.5, np.nan, 4.0, 5.0, 6.0],
        "n": [5, 3, 4, 1, 9, 2],
        "t": pd.to_datetime(["2024-01-03", "2024-01-01", "2024-02-01", "2024-01-02", "2025-01-01", "2024-01-05"]),
    }
)


@pytest.fixture
def lazy():
    return ak.DataFrame(P)


def same(found, wanted):
    found = found.to_pandas()
    if isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(found, wanted, check_dtype=False)
        return
    wanted.columns = [str(name) for name in wanted.columns]
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


ONE_KEY = [
    'g.agg(x=("n", "sum"))', 'g.agg(x=("x", "max"), y=("n", "min"))', 'g[["n"]].sum()', 'g[["x", "n"]].mean()',
    'g[["n"]].agg("sum")', 'g.agg({"n": "sum", "x": "mean"})', "g.size()", "g.n.size()", 'g[["n"]].count()',
    'g["n"].sum()', "g.n.agg(\"max\")", 'g["n"].agg(["min", "max"])', 'g["n"].agg(lowest="min", highest="max")',
    'g["n"].first()', 'g["n"].last()', 'g["n"].nunique()', "g[\"n\"].agg(lambda s: s.max() - s.min())",
    'g[["n"]].median()', 'g["n"].quantile(0.5)', 'g["n"].std()', 'g["n"].idxmax()', 'g[["n"]].idxmin()',
    'g["n"].describe()', 'g["n"].any()', 'g["n"].prod()', 'g["n"].sem()', 'g["n"].var()', "g[[\"n\"]].first()",
    'g[["n"]].nunique()', 'g["n"].value_counts()', 'g["s"].value_counts()',
    "g.agg({\"x\": \"mean\"}).rename(columns={\"x\": \"m\"})",
    'g["n"].sum().sort_values()', 'g["n"].sum().sort_values(ascending=False).head(2)', 'g["n"].sum()[g["n"].sum() > 9]',
    'g[["n"]].sum().query("n > 9")', 'g[["n"]].sum().sort_values("n")', 'g["n"].sum() * 2',
    'g["n"].sum().rename("total")',
    'g["n"].sum().to_frame("total")', 'g[["n"]].sum().fillna(0)', 'g[["n"]].sum().astype(float)',
]  # fmt: skip


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(
    ("expression", "key"), [(one, key) for one in ONE_KEY for key in ("k", "s", "t") if f'"{key}"]' not in one]
)
def test_the_key_of_groups_becomes_a_column(lazy, expression, key):
    call = eval(f"lambda df: (lambda g: {expression})(df.groupby({key!r})).reset_index()")
    found, wanted = call(lazy), call(P)
    if "value_counts" in expression:
        # Equal counts have no order in pandas that is promised.
        by = list(wanted.columns)
        found, wanted = (frame.sort_values(by).reset_index(drop=True) for frame in (found, wanted))
    same(found, wanted)


# Several keys are columns of results already, which `astype` would convert as well.
@pytest.mark.parametrize("expression", [one for one in ONE_KEY if '"s"]' not in one and "astype" not in one])
def test_several_keys_become_columns(lazy, expression):
    call = eval(f"lambda df: (lambda g: {expression})(df.groupby(['k', 's'])).reset_index()")
    found, wanted = call(lazy), call(P)
    if "value_counts" in expression or "sort_values" in expression:
        by = [str(name) for name in wanted.columns]
        found, wanted = (frame.sort_values(by).reset_index(drop=True) for frame in (found, wanted))
    same(found, wanted)


def test_the_index_is_a_column_of_what_is_asked_for(lazy):
    grouped, plain = lazy.groupby("k")[["n"]].sum(), P.groupby("k")[["n"]].sum()
    same(grouped.reset_index(drop=True), plain.reset_index(drop=True))
    same(grouped.reset_index(names="key"), plain.reset_index(names="key"))
    same(grouped.reset_index(names=["key"]), plain.reset_index(names=["key"]))
    for level in ("k", 0, -1, ["k"], [0]):
        same(grouped.reset_index(level=level), plain.reset_index(level=level))
        same(grouped.n.reset_index(level=level), plain.n.reset_index(level=level))
    same(grouped.reset_index("k"), plain.reset_index("k"))
    for call, error in (
        (lambda: grouped.reset_index(level="none"), MissingLabelError),
        (lambda: grouped.reset_index(level=1), PositionError),
        (lambda: grouped.reset_index(names=["a", "b"]), ArgumentTypeError),
        (lambda: grouped.assign(k=1).reset_index(), SchemaError),
        (lambda: grouped.n.reset_index(level=1), ArgumentError),
        (lambda: grouped.n.reset_index(inplace=True), ArgumentError),
    ):
        with pytest.raises(error):
            call()


def test_labels_of_several_levels_of_a_series_become_columns_one_by_one(lazy):
    found, wanted = lazy.groupby(["k", "s"])["n"].sum(), P.groupby(["k", "s"])["n"].sum()
    for options in ({}, {"level": 0}, {"level": "s"}, {"level": ["s", "k"]}, {"level": [0], "name": "total"}):
        same(found.reset_index(**options), wanted.reset_index(**options))
        if "name" not in options:
            same(found.reset_index(drop=True, **options), wanted.reset_index(drop=True, **options))
    changed = found.copy() if hasattr(found, "copy") else found[:]
    assert changed.reset_index(drop=True, inplace=True) is None
    same(changed, wanted.reset_index(drop=True))


def test_labels_come_back_from_a_column(lazy):
    for column in ("k", "s", "t", "x"):
        same(lazy.set_index(column).reset_index(), P.set_index(column).reset_index())
        masked = lazy.set_index(column)[lazy["n"] > 2].reset_index()
        same(masked, P.set_index(column)[(P["n"] > 2).to_numpy()].reset_index())
        same(lazy.set_index(column).n.reset_index(), P.set_index(column).n.reset_index())
        changed, wanted = lazy.set_index(column), P.set_index(column)
        assert changed.reset_index(inplace=True) is None
        wanted = wanted.reset_index()
        same(changed, wanted)


def test_rows_without_a_name_are_numbered_anew_as_in_arkouda(lazy):
    assert lazy[lazy["n"] > 3].reset_index().columns.tolist() == list(P.columns)
    assert lazy[lazy["n"] > 3].reset_index().index.tolist() == [0, 1, 2]
    same(lazy[lazy["n"] > 3].reset_index(drop=False), P[P["n"] > 3].reset_index())
    same(lazy[lazy["n"] > 3].reset_index(names="row"), P[P["n"] > 3].reset_index(names="row"))
    there = lazy[["n"]].rename(columns={"n": "index"})
    same(there.reset_index(drop=False), P[["n"]].rename(columns={"n": "index"}).reset_index())


def test_counts_of_values_are_called_as_in_pandas(lazy):
    for options in ({}, {"normalize": True}, {"sort": False}, {"dropna": False}):
        for name in ("k", "s", "x"):
            found, wanted = (getattr(df, name).value_counts(**options).reset_index() for df in (lazy, P))
            by = list(wanted.columns)
            same(found.sort_values(by).reset_index(drop=True), wanted.sort_values(by).reset_index(drop=True))


def test_what_functions_make_of_groups_has_the_key(lazy):
    for call in (
        lambda df: df.groupby("k")["n"].apply(lambda s: s.max() - s.min()).reset_index(),
        lambda df: df.groupby(["k", "s"])["n"].apply(lambda s: s.sum()).reset_index(),
        lambda df: df.groupby("k").apply(lambda rows: rows["n"].sum()).reset_index(name="total"),
    ):
        pd.testing.assert_frame_equal(call(lazy), call(P), check_dtype=False)
