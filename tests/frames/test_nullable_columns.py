"""Every operator on integers and bools with missing rows, beside pandas' nullable types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from tests.gaps import merged_with_gaps

LIMITS = {"Int64": (-(2**63), 2**63 - 1), "UInt64": (0, 2**64 - 1), "UInt8": (0, 255), "boolean": (0, 1)}


def column(draw, dtype, count, missing, near=None):
    """Return values of a type, some, none or all of which are missing; `near` of few distinct values."""
    low, high = LIMITS[dtype]
    one = st.integers(low, high) if near is None else st.integers(max(low, 0), min(high, near))
    rows = draw(st.lists(one, min_size=count, max_size=count))
    found = pd.array(np.array(rows, {"boolean": bool}.get(dtype, dtype.lower())), dtype)
    lacks = {"none": [False] * count, "all": [True] * count}.get(missing)
    found[np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)) if lacks is None else lacks, bool)] = (
        pd.NA
    )
    return found


@st.composite
def frames(draw):
    """Return a frame of pandas with columns of nullable types, of no to a few rows."""
    count = draw(st.sampled_from([0, 1, 3, 8]))
    missing = draw(st.sampled_from(["none", "some", "some", "all"]))
    dtype = draw(st.sampled_from(["Int64", "UInt64", "UInt8"]))
    return pd.DataFrame(
        {
            "k": column(draw, dtype, count, missing, near=2),
            "v": column(draw, draw(st.sampled_from(["Int64", "UInt64"])), count, missing),
            "s": column(draw, "Int64", count, missing, near=50),
            "b": column(draw, "boolean", count, missing),
            "n": np.arange(count),
        }
    )


def plain(item):
    """Return rows as lists with None for what is missing."""
    if isinstance(item, ak.DataFrame | ak.Series):
        item = item.to_pandas(nullable=True)
    if isinstance(item, pd.DataFrame):
        return {str(name): plain(item[name]) for name in item}
    if isinstance(item, ak.pdarray):
        item = item.tolist()
    items = item.tolist() if isinstance(item, pd.Series | np.ndarray) else item
    return [None if pd.isna(one) else int(one) if isinstance(one, bool | np.bool_) else one for one in items]


def few(df):
    """Return the other side of joins."""
    keys = pd.array([0, 1, 1, None], df.k.dtype)
    return pd.DataFrame({"k": keys, "w": pd.array([2**60 + 1, None, 5, 7], "Int64"), "c": [True, False, True, True]})


def left_join(df):
    """Join with few rows, whose integers stay so in both libraries."""
    join = pd.DataFrame.merge if isinstance(df, pd.DataFrame) else merged_with_gaps
    return join(df, both(df).dropna(subset=["k"]), on="k", how="left")


def both(df):
    return few(df) if isinstance(df, pd.DataFrame) else ak.DataFrame(few(df.to_pandas(nullable=True)))


MOVES = {
    "filter": lambda df: df[df["n"] > 1],
    "slice": lambda df: df.iloc[1:] if isinstance(df, pd.DataFrame) else df[1:],
    "head": lambda df: df.head(2),
    "tail": lambda df: df.tail(2),
    "sort": lambda df: df.sort_values(["k", "n"]),
    "sort by wide": lambda df: df.sort_values(["v", "n"]),
    "sort downwards": lambda df: df.sort_values(["v", "n"], ascending=False),
    "shift": lambda df: df.shift(1),
    "shift up": lambda df: df.shift(-2),
    "ffill": lambda df: df.ffill(),
    "bfill": lambda df: df.bfill(),
    "dropna": lambda df: df.dropna(),
    "fillna": lambda df: df[["k", "v", "s"]].fillna(1),
    "isna": lambda df: df.isna(),
    "left join": lambda df: left_join(df).sort_values(["n", "w", "c"]),
    "drop_duplicates": lambda df: df[["k", "n"]].drop_duplicates(subset=["k"]),
    "cumsum": lambda df: df[["s"]].cumsum(),
    "cummax": lambda df: df[["v", "s"]].cummax(),
    "reindex": lambda df: df.reindex([0, 5, 1]),
}


@pytest.mark.parametrize("name", MOVES)
@given(df=frames())
def test_rows_that_move_are_those_of_pandas(name, df):
    assert plain(MOVES[name](ak.DataFrame(df))) == plain(MOVES[name](df))


VALUES = {
    "add": lambda df: df["s"] + 1,
    "subtract": lambda df: df["s"] - df["n"],
    "multiply": lambda df: df["s"] * df["s"],
    "wide": lambda df: df["v"] * 1,
    "floor_divide": lambda df: df["s"] // 7,
    "remainder": lambda df: df["s"] % 7,
    "divide": lambda df: df["s"] / 4,
    "half": lambda df: df["s"] + 0.5,
    "negative": lambda df: -df["s"],
    "or": lambda df: df["b"] | (df["n"] > 1),
    "and": lambda df: df["b"] & (df["n"] > 1),
    "not": lambda df: ~df["b"],
}


@pytest.mark.parametrize("name", VALUES)
@given(df=frames())
def test_values_are_those_of_pandas(name, df):
    assert plain(VALUES[name](ak.DataFrame(df))) == plain(VALUES[name](df))


COMPARISONS = {
    "equal": lambda df: df["v"] == df["v"].copy(),
    "less": lambda df: df["s"] < 25,
    "greater": lambda df: df["v"] > df["n"],
    "different": lambda df: df["v"] != 3,
}


@pytest.mark.parametrize("name", COMPARISONS)
@given(df=frames())
def test_comparisons_do_not_hold_where_values_are_missing(name, df):
    found = COMPARISONS[name](ak.DataFrame(df))
    assert found.dtype == np.bool_
    assert found.tolist() == COMPARISONS[name](df).fillna(name == "different").astype(bool).tolist()


GROUPS = ["sum", "count", "min", "max", "last", "size", "mean"]


@pytest.mark.parametrize("name", GROUPS)
@given(df=frames())
def test_groups_are_those_of_pandas(name, df):
    wanted = getattr(df[["k", "s"]].groupby("k"), name)()
    found = getattr(ak.DataFrame(df)[["k", "s"]].groupby("k"), name)()
    wanted = wanted.reset_index()
    found = found.reset_index() if hasattr(found, "reset_index") else found
    assert plain(found) == plain(wanted)


REDUCTIONS = ["sum", "min", "max", "count", "nunique", "any", "all", "mean"]


@pytest.mark.parametrize("name", REDUCTIONS)
@given(df=frames())
def test_reductions_skip_missing_rows_exactly(name, df):
    number = "s" if name in ("any", "all", "mean") else "v"
    skips = {} if name in ("count", "nunique", "any", "all") else {"skipna": True}
    found, wanted = getattr(ak.Series(df[number]), name)(**skips), getattr(df[number], name)(**skips)
    if name == "sum":
        limit = 2**63 if df[number].dtype == "Int64" else 2**64
        if not -limit <= sum(map(int, df[number].dropna())) < limit:
            return
    found = found.value() if hasattr(found, "value") else found
    assert plain([found]) == plain([wanted])
