"""Chains of joins are arranged by guesses of how many rows each condition and each match leaves."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import akdask as ak
from akdask.arrays.array import wrap
from akdask.columns.dtypes import BOOL, INT64, STR
from akdask.engine.optimizer import EVERY_ROW, Need
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.values import Call, ColumnRef, Constant, all_of
from akdask.operators.group.plan import Groups
from akdask.operators.join import order, tuning
from akdask.operators.join.order import _Arrangement, share_left, share_where
from akdask.operators.join.plan import BuildKeySet, JoinSide, _matched
from akdask.operators.rows.plan import broadcast_columns
from akdask.testing.memory import MemorySource

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]

NUMBER, TEXT, TRUTH = ColumnRef("t", 0, INT64), ColumnRef("t", 1, STR), ColumnRef("t", 2, BOOL)
ONE = Constant(1)
EQUAL, LESS, NOT_EQUAL = (Call(name, NUMBER, ONE) for name in ("equal", "less", "not_equal"))


def table_of(nrows, label="t"):
    """Return a frame of so many rows, and its only column."""
    array = MemorySource({"k": np.arange(nrows)}, [nrows], label=label).arrays()["k"]
    return array._frame, array._value


def few_of(nrows, operation="equal", label="t"):
    """Return the rows where a condition on numbers holds, and their only column."""
    frame, value = table_of(nrows, label)
    predicate = Call(operation, value, ONE)
    return Filter(frame, predicate, column_identity(frame, predicate)), value


def match_of(left, right, keep_all=False):
    """Return the rows of a table that are matched in another, which is held."""
    return _matched(JoinSide(left[0], left[1:]), JoinSide(right[0], right[1:]), keep_all)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (EQUAL, 0.1),
        (NOT_EQUAL, 0.9),
        *((Call(name, NUMBER, ONE), 0.3) for name in ("less", "less_equal", "greater", "greater_equal")),
        (TRUTH, 0.5),
        (Call("isnan", ColumnRef("t", 3, INT64)), 0.01),
        (Call("bitwise_and", EQUAL, LESS), 0.03),
        (Call("logical_and", EQUAL, Call("bitwise_and", TRUTH, LESS)), 0.015),
        (Call("bitwise_or", EQUAL, LESS), 0.4),
        (Call("logical_or", EQUAL, Call("bitwise_or", EQUAL, EQUAL)), 0.3),
        (Call("bitwise_or", NOT_EQUAL, EQUAL), 1.0),
        (Call("bitwise_or", NOT_EQUAL, LESS), 1.0),
        (Call("bitwise_or", Call("bitwise_and", TRUTH, TRUTH), EQUAL), 0.35),
        (Call("bitwise_and", Call("bitwise_or", TRUTH, EQUAL), EQUAL), 0.06),
        (Call("invert", EQUAL), 0.9),
        (Call("logical_not", Call("bitwise_and", LESS, TRUTH)), 0.85),
    ],
)
def test_conditions_leave_a_share_of_the_rows_that_is_guessed(predicate, expected):
    assert share_where(predicate) == pytest.approx(expected)


def test_keys_of_another_table_leave_the_share_that_its_filters_leave():
    for table, expected in (few_of(9), 0.1), (few_of(9, "not_equal"), 0.9), (table_of(9), 0.2):
        assert share_where(BuildKeySet.of(table[0], table[1:]).has([NUMBER])) == pytest.approx(expected)


def test_filters_and_matches_leave_a_share_of_a_table():
    frame, value = few_of(9)
    again = Call("less", value, ONE)
    assert share_left(table_of(9)[0]) == 1
    assert share_left(frame) == pytest.approx(0.1)
    assert share_left(Filter(frame, again, column_identity(frame, again))) == pytest.approx(0.03)
    columns = Project(frame, (0,), (value,))
    above = Call("less", columns.column(0), ONE)
    assert share_left(columns) == pytest.approx(0.1)
    assert share_left(Filter(columns, above, column_identity(columns, above))) == pytest.approx(0.03)
    few = few_of(8, "less", "u")
    assert share_left(match_of((frame, value), table_of(8, "u"))) == pytest.approx(0.1)
    assert share_left(match_of((frame, value), few)) == pytest.approx(0.03)
    assert share_left(match_of((frame, value), few, keep_all=True)) == pytest.approx(0.1)


def arrangement_of(table, *links):
    """Return how the given selections of a table are arranged: conditions, or tables that its column is matched in."""
    made, frame = [], table[0]
    for link in links:
        if isinstance(link, Call):
            frame = Filter(frame, link, column_identity(frame, link))
        else:
            frame = match_of((frame, table[1]), link)
        made.append(frame)
    return _Arrangement(table[0], made), made


def test_selections_cost_what_a_search_takes_for_each_row_that_is_dropped(monkeypatch):
    table = table_of(9)
    text = Call("equal", TEXT, Constant("a"))
    found, made = arrangement_of(
        table, Call("equal", table[1], ONE), table_of(8, "u"), few_of(8, "equal", "v"), few_of(8, "less", "w")
    )
    for link, cost in zip(made, (0.5 / 0.901, inf, 1 / 0.901, 1 / 0.701), strict=True):
        assert found._rank(link) == pytest.approx(cost)
    assert found._rank(Filter(table[0], text, column_identity(table[0], text))) == pytest.approx(8 / 0.901)
    # An index of more rows than the cache of a core holds takes longer, one of unknown size as long as a large one.
    for rows, steps in (2**16, 0), (2**17, 1), (2**20, 4), (None, 8):
        monkeypatch.setattr(order, "rows_at_most", lambda _, rows=rows: rows)
        assert found._rank(made[2]) == pytest.approx((1 + steps) / 0.901)


def test_matches_that_drop_most_rows_come_first_and_those_that_drop_none_last():
    table = table_of(9)
    found, made = arrangement_of(
        table, table_of(8, "u"), few_of(8, "less", "v"), few_of(8, "equal", "w"), Call("less", table[1], ONE)
    )
    assert found._ordered == made[::-1]
    assert found.is_new
    # In order as they are, and too small for filters of each other.
    kept, links = arrangement_of(table, Call("less", table[1], ONE), few_of(8, "equal", "w"), table_of(8, "u"))
    assert kept._ordered == links
    assert not kept.is_new


def test_conditions_that_drop_hardly_a_row_come_after_matches_that_drop_some():
    table = table_of(9)
    is_number = Call("logical_not", Call("isnan", table[1]))
    found, made = arrangement_of(table, is_number, few_of(8, "less", "v"), Call("less", table[1], ONE))
    assert found._ordered == [made[2], made[1], made[0]]


@pytest.mark.parametrize(
    ("rows", "most", "operation", "is_reduced"),
    [
        (2000, 2000, "equal", True),
        (2000, 3000, "equal", True),
        (2000, 1999, "equal", False),
        (500, 1024, "equal", True),
        (500, 1023, "equal", False),
        (2000, 2000, "less", False),
    ],
)
def test_keys_of_few_rows_filter_tables_of_as_many_rows(rows, most, operation, is_reduced):
    assert (tuning.FILTERED_ROWS, tuning.FEW_LEFT) == (1024, 4)
    table = table_of(rows)
    found, made = arrangement_of(table, Call(operation, table[1], ONE), table_of(most, "u"))
    assert found._reduced == ({made[1].match.token} if is_reduced else set())
    assert found.is_new == is_reduced


def test_matches_that_leave_few_rows_have_later_tables_filtered():
    table = table_of(2000)
    found, made = arrangement_of(table, few_of(8, "equal", "v"), table_of(2000, "u"))
    assert found._reduced == {made[1].match.token}
    # The first one is searched for all rows.
    found, _ = arrangement_of(table, few_of(2000, "equal", "v"), table_of(8, "u"))
    assert found._reduced == set()


@pytest.mark.parametrize(("most", "is_filtered"), [(1023, False), (1024, True)])
def test_tables_of_many_rows_are_filtered_by_keys_of_filtered_ones_that_they_are_matched_in(most, is_filtered):
    sales, orders = table_of(10), table_of(most, "orders")
    frame = match_of(sales, orders)
    (column,) = broadcast_columns(orders[0], orders[1:])
    last = match_of((frame, Call("lookup", column, frame.row)), few_of(5, "equal", "customers"))
    found = _Arrangement(sales[0], [frame, last])
    assert list(found._few) == ([frame.match.token] if is_filtered else [])
    assert found._share(frame) == pytest.approx(0.1 if is_filtered else 1.0)


def test_conditions_on_text_come_after_matches_that_drop_more_for_less():
    table = ak.DataFrame({"k": ak.arange(9), "s": ak.array(["a"] * 9)})
    key, text = table["k"], table["s"] == "a"
    frame = key._frame
    predicate = Call("bitwise_and", Call("less", key._value, ONE), text._value)
    filtered = Filter(frame, predicate, column_identity(frame, predicate))
    match = match_of((filtered, key._value), few_of(8, "equal", "v"))
    found = _Arrangement(frame, [filtered, match])
    kinds = [type(link).__name__ for link in found._ordered]
    assert kinds == ["Filter", "MatchRows", "Filter"]
    assert found._ordered[0].predicate == Call("less", key._value, ONE)


def both(*conditions):
    return all_of(conditions)


def either(*conditions):
    return all_of(conditions, "bitwise_or")


def of(value, number):
    return Call("equal", value, Constant(number))


@pytest.mark.parametrize(
    ("condition", "of_table", "of_other"),
    [
        # Cases of both tables filter both, with all that they demand of each.
        (
            lambda k, u: either(both(of(k, 1), of(u, 2)), both(of(k, 3), of(u, 4))),
            lambda k: either(of(k, 1), of(k, 3)),
            lambda k: either(of(k, 2), of(k, 4)),
        ),
        (
            lambda k, u: either(both(of(k, 1), of(u, 2), of(k, 5)), both(of(u, 4), of(k, 3)), both(of(k, 6), of(u, 7))),
            lambda k: either(both(of(k, 1), of(k, 5)), of(k, 3), of(k, 6)),
            lambda k: either(of(k, 2), of(k, 4), of(k, 7)),
        ),
        # A case that demands nothing of a table leaves all its rows.
        (
            lambda k, u: either(both(of(k, 1), of(u, 2)), of(k, 3)),
            lambda k: either(of(k, 1), of(k, 3)),
            None,
        ),
        (lambda k, u: either(of(k, 1), of(u, 2)), None, None),
        # What compares both tables demands nothing of one.
        (
            lambda k, u: either(both(Call("equal", k, u), of(u, 2)), both(of(k, 3), of(u, 4))),
            None,
            lambda k: either(of(k, 2), of(k, 4)),
        ),
        # Conditions of one table, and those that all hold, are filters already.
        (lambda k, u: either(of(k, 1), of(k, 2)), None, None),
        (lambda k, u: both(of(k, 1), of(u, 2)), None, None),
        # Row numbers of a match are no columns of the other table.
        (
            lambda k, u: either(both(of(k, 1), of(u.args[1], 2)), both(of(k, 3), of(u.args[1], 4))),
            lambda k: either(of(k, 1), of(k, 3)),
            "refused",
        ),
    ],
)
def test_cases_of_several_tables_filter_each(condition, of_table, of_other):
    table, other = table_of(9), table_of(8, "u")
    match = match_of(table, other)
    (column,) = broadcast_columns(other[0], other[1:])
    predicate = condition(table[1], Call("lookup", column, match.row))
    filtered = Filter(match, predicate, column_identity(match, predicate))
    found = _Arrangement(table[0], [match, filtered])._few
    expected = {order.TABLE: of_table and of_table(table[1])}
    if of_other != "refused":
        expected[match.match.token] = of_other and of_other(other[1])
    few = {name: all_of(conditions).token for name, conditions in found.items()}
    assert {name: few.get(name) for name in expected} == {
        name: value and value.token for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("table", "other", "is_filtered"),
    [
        (table_of(40), table_of(10, "u"), False),
        ("groups", table_of(10, "u"), True),
        ("groups", table_of(11, "u"), False),
        ("groups", few_of(100, "equal", "u"), True),
        ("groups", few_of(101, "equal", "u"), False),
    ],
)
def test_groups_that_are_matched_in_a_table_of_few_rows_are_those_of_its_keys(table, other, is_filtered, monkeypatch):
    monkeypatch.setattr(tuning, "FILTERED_ROWS", 40)
    if table == "groups":
        frame, value = table_of(40)
        keys = ak.GroupBy(wrap(frame, value)).unique_keys
        table = keys._frame, keys._value
    found = _Arrangement(table[0], [match_of(table, other)])
    assert (order.TABLE in found._few) == is_filtered
    monkeypatch.setattr(order, "rows_at_most", lambda frame: None if frame is table[0] else 10**9)
    assert _Arrangement(table[0], [match_of(table, other)])._is_smaller(found._links[0]) == isinstance(table[0], Groups)
    monkeypatch.setattr(order, "rows_at_most", lambda frame: None)
    assert not _Arrangement(table[0], [match_of(table, other)])._is_smaller(found._links[0])


NEED = {"rows": EVERY_ROW, "order": False, "partitions": False}


def test_chains_begin_where_no_selection_goes_on_and_end_at_rows_that_others_read():
    table, other = table_of(9), table_of(8, "u")
    predicate = Call("less", table[1], ONE)
    first = Filter(table[0], predicate, column_identity(table[0], predicate))
    match = match_of((first, table[1]), other)
    above = Call("equal", table[1], ONE)
    top = Filter(match, above, column_identity(match, above))
    reader = Project(top, (0,), table[1:])

    def chain(node, only_looks_up=True, of_first=(match,), of_match=(top,), of_top=(reader,), **changed):
        needs = {
            first._name: Need(readers=[*of_first]),
            match._name: Need(readers=[*of_match], only_looks_up=only_looks_up),
            top._name: Need(readers=[*of_top]),
            reader._name: Need(readers=[]),
        }
        needs[node._name] = replace(needs[node._name], **{**NEED, **changed})
        return order._chain(node, needs)

    assert chain(top) == [top, match, first]
    assert chain(top, of_top=(reader, reader)) == [top, match, first]
    for changed in {"order": True}, {"partitions": True}, {"rows": None}:
        assert chain(top, **changed) is None
    assert chain(reader) is None
    # Others read the rows below: they stay as they are.
    assert chain(top, of_first=(match, reader)) == [top, match]
    assert chain(top, of_match=(top, reader)) is None
    # A selection goes on, unless it is one of two readers.
    assert chain(match) is None
    assert chain(match, of_match=(top, top)) == [match, first]
    assert chain(match, of_match=(reader,)) == [match, first]
    # One match alone has nothing to be arranged with, and filters no match to be arranged with.
    assert chain(match, of_match=(reader,), of_first=(match, reader)) is None
    assert chain(first, of_first=(reader,)) is None
    # The row numbers of the match are read, or rows without one are kept.
    assert chain(top, only_looks_up=False) is None
    kept = match_of((first, table[1]), other, keep_all=True)
    ends = Filter(kept, above, column_identity(kept, above))
    needs = {ends._name: Need(readers=[reader], **NEED), kept._name: Need(readers=[ends], only_looks_up=True)}
    assert order._chain(ends, needs) is None
    # A match of groups is arranged alone, as these may be fewer.
    keys = ak.GroupBy(wrap(*table)).unique_keys
    alone = match_of((keys._frame, keys._value), other)
    needs = {alone._name: Need(readers=[reader], only_looks_up=True, **NEED)}
    assert order._chain(alone, needs) == [alone]
