from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.array import wrap
from akdask.arrays.group_rows import first_in_order
from akdask.operators.group import tuning
from akdask.operators.group.rows import TopRows

KEYS = {
    "close numbers": lambda keys: keys,
    "scattered numbers": lambda keys: keys * 123_456_789_123,
    "text": lambda keys: pa.array([f"key {key}" for key in keys.tolist()], pa.large_string()),
}
VALUES = {
    "float64": st.sampled_from([-1.5, 0.0, 2.0, np.nan, np.inf]),
    "int64": st.integers(-2, 2) | st.sampled_from([-(2**63), 2**63 - 1]),
    "bool": st.booleans(),
}


@st.composite
def parts(draw):
    """Tables of a key, values and positions, in the order of their positions."""
    kind, dtype = draw(st.sampled_from(list(KEYS))), draw(st.sampled_from(list(VALUES)))
    sizes = draw(st.lists(st.integers(0, 40), min_size=1, max_size=3))
    tables, first = [], 0
    for size in sizes:
        keys = np.array(draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)), np.int64)
        values = np.array(draw(st.lists(VALUES[dtype], min_size=size, max_size=size)), dtype)
        tables.append((keys, KEYS[kind](keys), values, np.arange(first, first + size)))
        first += size
    return tables


def expected(tables, ascending, count):
    """The positions of the first rows of each group, found by Python alone."""
    rows = [
        row for keys, _, values, at in tables for row in zip(keys.tolist(), values.tolist(), at.tolist(), strict=True)
    ]
    sign = 1 if ascending else -1

    def order(row):
        is_missing = row[1] != row[1]
        return row[0], is_missing, 0 if is_missing else sign * row[1], row[2]

    kept, seen = [], {}
    for key, _, position in sorted(rows, key=order):
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= count:
            kept.append(position)
    return kept


@given(parts(), st.booleans(), st.integers(0, 3) | st.just(tuning.MOST_TOP_ROWS + 1))
def test_the_first_rows_of_groups_are_kept_in_order(tables, ascending, count):
    top = TopRows(1, (ascending,), count)
    partial = [top.grouped(top.group([keys]), [values, positions]) for _, keys, values, positions in tables]
    found, *decide = top.finish(top.merge(partial)).columns.values()
    assert found.tolist() == expected(tables, ascending, count)
    for column, of_tables in zip(decide, zip(*(table[1:3] for table in tables), strict=True), strict=True):
        there = np.concatenate([np.asarray(part) for part in of_tables])[found]
        np.testing.assert_array_equal(np.asarray(column), there)
    assert all(table.nrows <= count * 7 for table in partial)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_it_does_not_matter_in_which_order_tables_are_merged(order):
    top = TopRows(1, (False,), 2)
    keys, values = np.array([1, 1]), np.array([5, 5])
    tables = [top.grouped(top.group([keys]), [values, positions]) for positions in (np.arange(2), np.arange(2, 4))]
    assert top.finish(top.merge([tables[number] for number in order])).columns[0].tolist() == [0, 1]


def test_several_columns_decide_by_sorting():
    top = TopRows(2, (True, False), 1)
    keys = [np.array([1, 1, 1]), pa.array(["a", "a", "b"], pa.large_string())]
    table = top.grouped(top.group(keys), [np.array([3, 3, 9]), np.array([1.0, 2.0, 0.0]), np.arange(3)])
    assert top.finish(table).columns[0].tolist() == [1, 2]


def test_rows_are_kept_in_order_while_they_come_only_where_groups_have_several():
    top, rows = TopRows(1, (True,), 3), np.arange(3000)
    for groups, is_worth_it in ((10, True), (1000, True), (2000, True), (2001, False)):
        keys = rows % groups * 2**40
        found = top._by_loop([keys], [-rows], rows)
        assert (found is not None) == is_worth_it
        if is_worth_it:
            wanted = [row for key in range(groups) for row in rows[rows % groups == key][::-1][:3]]
            assert found.tolist() == wanted
    for count in (1, 2, tuning.MOST_TOP_ROWS):
        found = TopRows(1, (True,), count)._by_loop([rows % 9], [rows], rows)
        assert found.tolist() == [row for key in range(9) for row in range(key, 9 * count, 9)], count
    for count in (0, tuning.MOST_TOP_ROWS + 1):
        assert TopRows(1, (True,), count)._by_loop([rows % 9], [rows], rows) is None
    assert TopRows(1, (True,), 1)._by_loop([rows[:0]], [rows[:0]], rows[:0]) is None
    assert TopRows(1, (True, True), 1)._by_loop([rows % 9], [rows, rows], rows) is None


@pytest.mark.parametrize("ascending", [True, False])
def test_the_first_rows_of_groups_come_with_their_keys_and_order(ascending):
    plain = pd.DataFrame({"k": [2, 1, 2, 1, 2], "s": ["x", "y", "x", "y", "z"], "v": [5, 4, 3, 2, 1]})
    keys, text, values = (ak.array(column) for column in plain.to_dict("list").values())
    first = first_in_order(ak.GroupBy([keys, text]), [(values._frame, values._value)], [ascending], 1)
    found = [wrap(first, first.known[value]).tolist() for value in (*first.keys, *first.by)]
    wanted = plain.sort_values("v", ascending=ascending).groupby(["k", "s"]).head(1).sort_values(["k", "s"])
    assert found == list(wanted.to_dict("list").values())
    assert wrap(first, first.position).tolist() == wanted.index.tolist()
