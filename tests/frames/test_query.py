from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, MissingColumnError

P = pd.DataFrame(
    {
        "x": [1, 2, 3, 4, 5],
        "f": [1.5, np.nan, -2.0, 4.0, 0.0],
        "s": ["tcp", "udp", "tcp", "icmp", "a.b"],
        "b": [True, False, True, False, True],
        "a b": [5, 4, 3, 2, 1],
        "t": pd.date_range("2026-01-01", periods=5),
    }
)


@pytest.fixture
def df():
    """The rows in two partitions."""
    halves = [ak.DataFrame(P[:2]), ak.DataFrame(P[2:].reset_index(drop=True))]
    return ak.DataFrame.concat(halves)


operands = st.sampled_from(["x", "f", "`a b`", "2", "0.5", "-1", "@least"])
arithmetic = st.recursive(
    operands,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=3,
)
comparison = st.tuples(
    st.sampled_from(["x", "f", "`a b`"]), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), arithmetic
).map(" ".join)
membership = st.sampled_from(
    [
        "x in [1, 3, 9]",
        "s not in ['tcp']",
        "s in @names",
        "x == [2, 4]",
        "b",
        "not b",
        "~b",
        "1 < x <= 4",
        "s.str.contains('t.p')",
    ]
)
conditions = st.recursive(
    comparison | membership,
    lambda inner: st.tuples(inner, st.sampled_from(["and", "or", "&", "|"]), inner).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    max_leaves=4,
)


@given(conditions)
@settings(max_examples=12)
def test_rows_are_chosen_as_by_pandas(expression):
    least, names = 2, ["udp", "icmp"]
    wanted = P.query(expression, engine="python")["x"].tolist()
    found = ak.DataFrame({name: P[name] for name in P}).query(expression)
    assert found["x"].tolist() == wanted, (least, names)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("t >= '2026-01-03'", [3, 4, 5]),
        ("t.dt.day == 2", [2]),
        ("t in ['2026-01-01', '2026-01-05']", [1, 5]),
        ("f.isna()", [2]),
        ("x.between(2, 3)", [2, 3]),
        ("x.isin([1]) or s.str.len() == 4", [1, 4]),
        ("s.str.startswith('a')", [5]),
        ("s.str.contains('.', regex=False)", [5]),
        ("sqrt(x) == 2", [4]),
        ("index > 2 and index < 4", [4]),
        ("x ** 2 // 2 % 2 == 0 & x != 1", [2, 3, 4, 5]),
        ("`a b` == x", [3]),
        ("x > 1 and\n x < 3", [2]),
    ],
)
def test_parts_of_the_grammar(df, expression, wanted):
    assert df.query(expression)["x"].tolist() == wanted


@pytest.mark.parametrize(
    ("expression", "error", "place"),
    [
        ("x > 1 and zz > 2", MissingColumnError, 10),
        ("x > 1 and x.foo() > 2", ArgumentError, 10),
        ("x > 1 and __import__('os').system('true')", ArgumentError, 10),
        ("x > 1 and x[0]", ArgumentError, 10),
        ("x > @nowhere", ArgumentError, 4),
        ("x > 1 & (x << 2) > 1", ArgumentError, 9),
        ("`a b` > 1 | f", ArgumentTypeError, 12),
        ("[i for i in x]", ArgumentError, 0),
        ("(lambda: 1)() == x", ArgumentError, 0),
        ("x == 'a' * 1000", ArgumentTypeError, 5),
        ("x", ArgumentError, 0),
        ("x is 3", ArgumentError, 5),
        ("x.__class__", ArgumentError, 0),
        ("x.values.tofile('a')", ArgumentError, 0),
        ("s.str.format(x)", ArgumentError, 0),
        ("x > 's'", ArgumentTypeError, 0),
    ],
)
def test_what_is_not_in_the_grammar_is_refused_and_the_place_shown(df, expression, error, place):
    with pytest.raises(error) as refused:
        df.query(expression)
    assert refused.value.details[1].index("^") == place


@pytest.mark.parametrize(
    "expression", ["", "x >", "x > (1", "x > '\n", "\0", "(" * 5000 + "x", "x > 'a", "`a b", "@ > 1", "é", "*x"]
)
def test_malformed_expressions_are_errors_of_akdask(df, expression):
    with pytest.raises(AkdaskError):
        df.query(expression)


def test_large_powers_of_plain_numbers_are_floats(df):
    assert df.query("9**9**9**9 > x")["x"].tolist() == [1, 2, 3, 4, 5]


def test_variables_are_those_of_the_caller_or_given(df):
    limit = 3  # noqa: F841 - the expression names it
    assert df.query("x > @limit")["x"].tolist() == [4, 5]
    assert df.query("x > @limit", local_dict={"limit": 4})["x"].tolist() == [5]
    with pytest.raises(MissingColumnError, match="no column 'limit'"):
        df.query("x > limit")
    names = df["s"][:1]  # noqa: F841 - the expression names it
    assert df.query("s in @names")["x"].tolist() == [1, 3]


def test_rows_keep_their_labels_and_a_frame_may_be_changed_in_place(df):
    assert df.query("x > 3").to_pandas().index.tolist() == [3, 4]
    assert df.query("x > 3", inplace=True) is None
    assert df["x"].tolist() == [4, 5]


def test_values_of_expressions_and_columns_made_of_them(df):
    assert df.eval("x + `a b`").tolist() == [6] * 5
    made = df.eval("y = x * 2\nz = y + 1")
    assert made["z"].tolist() == [3, 5, 7, 9, 11]
    assert "y" not in df
    assert df.eval("w = 1", inplace=True) is None
    assert df["w"].tolist() == [1] * 5
    assert df.eval("2 + 3") == 5
    with pytest.raises(ArgumentError):
        df.eval("x + 1", inplace=True)
    with pytest.raises(ArgumentError):
        df.eval("y = x\nx + 1")


def test_nothing_is_computed_for_a_query(df, monkeypatch):
    monkeypatch.setattr("akdask.engine.run._results", None)
    assert "Filter" in df.query("x > 3 and s == 'tcp'").explain()


def test_a_bool_that_a_join_has_left_missing_chooses_no_row():
    plain = pd.DataFrame({"k": [1, 2, 3]}).merge(pd.DataFrame({"k": [1, 2], "b": [True, False]}), on="k", how="left")
    lazy = ak.DataFrame({"k": [1, 2, 3]}).merge(ak.DataFrame({"k": [1, 2], "b": [True, False]}), on="k", how="left")
    assert lazy.query("b").k.tolist() == plain[plain.b.eq(True)].k.tolist() == [1]
