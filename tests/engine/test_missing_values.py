"""Integers, bools and text with missing rows: pandas' nullable types are the reference."""

from __future__ import annotations

import operator

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ConversionError

ROWS = pd.DataFrame(
    {
        "i": pd.array([5, None, -3, 2**53 + 1, None, 0, 7], "Int64"),
        "j": pd.array([5, 1, None, 2**53, None, -1, 7], "Int64"),
        "n": [1, 2, 3, 4, 5, 6, 7],
        "b": pd.array([True, None, False, True, None, False, None], "boolean"),
        "c": pd.array([None, None, True, False, True, False, False], "boolean"),
        "p": [True, False, True, False, True, False, True],
        "s": pd.array(["b", None, "", "Ab", None, "1", "b"], "string"),
        "t": pd.array(["b", "x", None, "a", None, "1", ""], "string"),
    }
)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


@pytest.fixture
def lazy():
    return ak.concat([ak.DataFrame(ROWS[:2]), ak.DataFrame(ROWS[2:2]), ak.DataFrame(ROWS[2:])], ignore_index=True)


def known(column):
    """Return items, None for missing ones."""
    column = (
        column.to_pandas(nullable=True)
        if hasattr(column, "to_pandas") and not isinstance(column, pd.Series)
        else column
    )
    return [None if pd.isna(item) else item for item in column.tolist()]


def same(found, wanted):
    assert known(found) == known(wanted)


def test_comparisons_with_missing_ones_are_false_and_differences_true(lazy):
    for one, others in (("i", ("j", "n", 5, -(2**60), 2**53 + 1)), ("s", ("t", "Ab", ""))):
        for other in others:
            left, right = ROWS[one], ROWS.get(other, other)
            given = lazy[other] if other in ROWS else other
            for compare in COMPARISONS:
                wanted = compare(left, right).fillna(compare is operator.ne).astype(bool)
                assert compare(lazy[one], given).to_ndarray().tolist() == wanted.tolist(), (one, other, compare)


def test_bools_are_joined_in_three_valued_logic(lazy):
    for one in ("b", "c", "p"):
        for other in ("b", "c", "p"):
            left, right = lazy.loc[:, one], lazy.loc[:, other]
            same(left & right, ROWS[one] & ROWS[other])
            same(left | right, ROWS[one] | ROWS[other])
        same(~lazy.loc[:, one], ~ROWS[one])


def test_missing_ones_are_told_filled_and_chosen(lazy):
    series = {name: lazy.loc[:, name] for name in ROWS}
    for name in ("i", "b", "s"):
        same(series[name].isna(), ROWS[name].isna())
        same(series[name].notna(), ROWS[name].notna())
    same(series["i"].fillna(9), ROWS["i"].fillna(9))
    assert series["i"].fillna(9).dtype == np.int64
    same(series["b"].fillna(True), ROWS["b"].fillna(True))
    same(series["s"].fillna("?"), ROWS["s"].fillna("?"))
    for one, other in (("i", "j"), ("j", "n"), ("n", "i"), ("b", "c"), ("s", "t")):
        same(series[one].where(series["p"], series[other]), ROWS[one].where(ROWS["p"], ROWS[other]))
        same(series[one].mask(series["p"]), ROWS[one].mask(ROWS["p"]))


def test_quotients_are_the_nearest_floats(lazy):
    few = lazy[lazy["n"] != 4].loc[:, ["i", "j", "n"]]
    plain = ROWS[ROWS["n"] != 4]
    for compute in (operator.add, operator.sub, operator.mul, operator.truediv):
        for one, other in (("i", "n"), ("n", "i"), ("i", "j")):
            found = compute(few.loc[:, one], few.loc[:, other]).to_pandas()
            wanted = compute(plain[one].astype("Float64"), plain[other].astype("Float64"))
            np.testing.assert_allclose(found.astype(float), wanted.to_numpy(float, na_value=np.nan))
    same(lazy.loc[:, "i"] + lazy.loc[:, "n"], ROWS["i"] + ROWS["n"])
    quotients = (lazy.loc[:, "i"] / lazy.loc[:, "n"]).to_pandas()
    np.testing.assert_array_equal(quotients, (ROWS["i"] / ROWS["n"]).to_numpy(float, na_value=np.nan))


def test_other_types_keep_what_is_missing_or_are_refused(lazy):
    same(lazy.loc[:, "i"].astype(str).isna(), ROWS["i"].isna())
    assert known(lazy.loc[:, "i"].astype(str)) == [None if item is None else str(item) for item in known(ROWS["i"])]
    assert known(lazy.loc[:, "i"].fillna(1).astype("uint8")) == [item % 256 for item in known(ROWS["i"].fillna(1))]
    for wanted in ("int64", "uint64"):
        with pytest.raises(ConversionError, match="missing or infinite"):
            lazy.loc[:, "i"].astype(wanted).to_pandas()


def test_rows_in_order_and_in_groups_keep_their_integers(lazy):
    for ascending in (True, False):
        wanted = ROWS.sort_values(["i", "n"], ascending=ascending, na_position="last", kind="stable")
        assert lazy.sort_values(["i", "n"], ascending=ascending)["n"].tolist() == wanted["n"].tolist()
    wanted = ROWS.groupby("p")["i"].agg(["min", "max", "count"])
    for name in wanted:
        same(getattr(lazy.groupby("p")["i"], name)(), wanted[name])
    assert lazy.groupby("i")["n"].sum().values.tolist() == ROWS.groupby("i")["n"].sum().tolist()
    same(lazy.loc[:, "i"].drop_duplicates(), ROWS["i"].drop_duplicates())


def test_text_keeps_what_is_missing(lazy):
    text, plain = lazy.loc[:, "s"], ROWS["s"]
    for name, args in (
        ("lower", ()), ("upper", ()), ("title", ()), ("capitalize", ()), ("swapcase", ()), ("strip", ()),
        ("slice", (0, 1)), ("replace", ("b", "cc")), ("rjust", (3,)), ("removeprefix", ("A",)), ("repeat", (2,)),
    ):  # fmt: skip
        same(getattr(text.str, name)(*args), getattr(plain.str, name)(*args))
    for name in ("islower", "isupper", "isalnum", "isalpha", "isdigit", "isspace"):
        wanted = getattr(plain.str, name)().fillna(False).astype(bool)
        assert getattr(text.str, name)().to_pandas().tolist() == wanted.tolist(), name
    for name in ("contains", "startswith", "endswith"):
        wanted = getattr(plain.str, name)("b").fillna(False).astype(bool)
        assert getattr(text.str, name)("b").to_pandas().astype(bool).tolist() == wanted.tolist(), name
    same(text + lazy.loc[:, "t"], plain + ROWS["t"])
    assert (text.isin(["b", ""])).to_pandas().tolist() == plain.isin(["b", ""]).tolist()
    numbers = lazy.loc[:, "t"].where(lazy.loc[:, "n"] == 6, lazy.loc[:, "n"].astype(str))
    assert numbers.astype("float64").to_pandas().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 7.0]
    kept = ak.Series(pd.Series(["1.5", None], dtype="str")).astype("float64").to_pandas()
    np.testing.assert_array_equal(kept, [1.5, np.nan])
