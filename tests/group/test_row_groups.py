from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group import grouping as group_kernel
from akdask.operators.group.grouping import GroupCodes, SortedGroups, StackedGroups, group_rows, group_sorted, neutral
from akdask.testing.strategies import DTYPES, columns

UFUNCS = [np.add, np.multiply, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor]

# The reductions of each dtype; sums and products of these floats are exact in any order.
REDUCED = {
    np.int64: (st.integers(-(2**63), 2**63 - 1), UFUNCS),
    np.uint64: (st.integers(0, 2**64 - 1), UFUNCS),
    np.float64: (st.sampled_from([-2.0, -0.5, 0.25, 1.0, 4.0, np.inf, np.nan]), [*UFUNCS[:4], np.fmin, np.fmax]),
    np.bool_: (st.booleans(), UFUNCS[4:]),
}


@st.composite
def key_columns(draw, max_keys=3):
    """Some columns with the same number of rows, as plain lists and as columns."""
    rows = draw(st.integers(0, 30))
    count = draw(st.integers(1, max_keys))
    plain = [draw(columns(draw(st.sampled_from(DTYPES)), rows)) for _ in range(count)]
    if draw(st.booleans()):
        plain = [column[draw(st.lists(st.integers(0, rows - 1), min_size=rows, max_size=rows))] if rows else column
                 for column in plain]  # fmt: skip
    return plain


def as_column(plain):
    return pa.array(plain.tolist(), pa.large_string()) if plain.dtype.kind == "U" else plain


def expected_groups(plain):
    """Rows of each group, in the order of the keys, found by Python alone."""
    groups = {}
    for row, items in enumerate(zip(*[column.tolist() for column in plain], strict=True)):
        groups.setdefault(tuple(map(order_of, items)), []).append(row)
    return [groups[key] for key in sorted(groups)]


def order_of(item):
    if isinstance(item, str):
        return item.encode()
    return (1, 0) if isinstance(item, float) and np.isnan(item) else (0, item)


def check(runs, plain):
    wanted = expected_groups(plain)
    assert runs.sizes().tolist() == [len(rows) for rows in wanted]
    permutation = np.arange(runs.nrows) if runs.permutation is None else runs.permutation
    assert permutation.tolist() == [row for rows in wanted for row in rows]
    assert runs.firsts().tolist() == [rows[0] for rows in wanted]


@given(key_columns())
def test_rows_are_grouped_in_the_order_of_their_keys_and_stay_in_order_within(plain):
    check(group_rows([as_column(column) for column in plain]), plain)


@given(key_columns())
def test_keys_that_do_not_fit_one_word_are_grouped_the_same(plain):
    keys = [as_column(column) for column in plain]
    check(group_kernel._group_by_words(keys, len(plain[0])), plain)


@given(key_columns())
def test_sorted_rows_are_grouped_by_comparing_neighbours(plain):
    order = [row for rows in expected_groups(plain) for row in rows]
    plain = [column[order] for column in plain]
    check(group_sorted([as_column(column) for column in plain]), plain)


@pytest.mark.parametrize(("dtype", "ufunc"), [(dtype, ufunc) for dtype in REDUCED for ufunc in REDUCED[dtype][1]])
@given(st.data())
def test_all_forms_of_groups_reduce_alike(dtype, ufunc, data):
    rows = data.draw(st.lists(st.tuples(st.integers(0, 4), REDUCED[dtype][0]), max_size=30))
    keys, values = np.array([key for key, _ in rows], np.int64), np.array([value for _, value in rows], dtype)
    with np.errstate(invalid="ignore"):
        check_all_forms(keys, values, ufunc)


def check_all_forms(keys, values, ufunc):
    runs, codes = group_rows([keys]), GroupCodes(keys, 5)
    present = np.unique(keys)
    expected = np.array([ufunc.reduce(values[keys == key]) for key in present], values.dtype)
    for reduced in (runs.reduce(ufunc, values), codes.reduce(ufunc, values)[present]):
        assert reduced.dtype == values.dtype
        np.testing.assert_array_equal(reduced, expected)
    counts = [int((keys == key).sum()) for key in present]
    assert codes.sizes()[present].tolist() == runs.sizes().tolist() == counts
    for groups in (runs, codes):
        spread = groups.spread(groups.reduce(ufunc, values))
        np.testing.assert_array_equal(spread, expected[np.searchsorted(present, keys)])
    for value in codes.reduce(ufunc, values)[np.setdiff1d(np.arange(5), present)]:
        np.testing.assert_array_equal(value, neutral(ufunc, values.dtype))


@given(st.integers(1, 4), st.integers(0, 5), st.sampled_from(UFUNCS))
def test_a_stack_reduces_like_rows_with_those_keys(depth, count, ufunc):
    values = np.arange(depth * count) * 7 - 3
    keys = np.tile(np.arange(count), depth)
    stack, runs = StackedGroups(depth, count), group_rows([keys])
    assert stack.reduce(ufunc, values).tolist() == runs.reduce(ufunc, values).tolist()
    assert stack.spread(np.arange(count)).tolist() == keys.tolist()
    assert stack.sizes().tolist() == runs.sizes().tolist()
    last = values == stack.spread(stack.reduce(np.maximum, values))
    assert stack.pick(last).tolist() == runs.pick(last).tolist()


def test_no_rows_have_no_groups():
    runs = group_rows([np.empty(0)])
    assert (runs.count, runs.reduce(np.add, np.empty(0)).dtype) == (0, np.float64)
    assert isinstance(runs, SortedGroups)


def test_floats_of_the_same_value_are_one_key():
    keys = np.array([np.nan, 0.0, -0.0, -np.nan, np.inf])
    assert group_rows([keys]).sizes().tolist() == [2, 1, 2]


class ForgetfulRuns(SortedGroups):
    """Groups whose values another thread has dropped whenever they are looked at."""

    _last_sorted = property(lambda self: (None, None), lambda self, held: None)


class ForgetfulDict(dict):
    def __setitem__(self, key, item):
        pass


def test_groups_can_be_reduced_while_another_thread_forgets_their_values():
    values = np.array([1.0, 2.0, 4.0])
    runs = ForgetfulRuns(np.array([1, 0, 2]), np.array([0, 1]), 3)
    assert runs.reduce(np.add, values).tolist() == [2.0, 5.0]
    codes = GroupCodes(np.array([1, 0, 1]), 2)
    codes._totals = ForgetfulDict()
    assert codes.reduce(np.add, values).tolist() == [2.0, 5.0]


def test_sums_of_no_floats_are_floats():
    sums = GroupCodes(np.empty(0, np.int64), 3).reduce(np.add, np.empty(0))
    assert sums.dtype == np.float64
    assert sums.tolist() == [0.0, 0.0, 0.0]


@given(st.lists(st.integers(0, 5), max_size=40))
def test_values_of_groups_are_put_side_by_side_in_their_order(codes):
    codes = np.array(codes, np.int64)
    values = np.arange(len(codes)) * 10
    wanted = [values[codes == group].tolist() for group in range(6)]
    offsets, found = GroupCodes(codes, 6).adjacent(values)
    assert [found[start:stop].tolist() for start, stop in itertools.pairwise(offsets)] == wanted
    offsets, found = group_rows([codes]).adjacent(values)
    assert [found[start:stop].tolist() for start, stop in itertools.pairwise(offsets)] == [
        rows for rows in wanted if rows
    ]
    offsets, found = StackedGroups(2, 3).adjacent(np.arange(6))
    assert (offsets.tolist(), found.tolist()) == ([0, 2, 4, 6], [0, 3, 1, 4, 2, 5])
