"""Columns of integers and bools with missing rows behave as pandas' nullable arrays do."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, INT64, NULLABLE_BOOL, NULLABLE_INT64, NULLABLE_UINT8, NULLABLE_UINT64
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import (
    Sized,
    Table,
    TableBuilder,
    concat_rows,
    empty,
    filter_rows,
    is_scalar,
    is_slice,
    nbytes,
    own_rows,
    read_only,
    slice_rows,
    spread,
    take_rows,
    to_objects,
    type_of,
)
from akdask.engine.spill import TableOnDisk
from akdask.engine.values import token

TYPES = {NULLABLE_INT64: "Int64", NULLABLE_UINT64: "UInt64", NULLABLE_UINT8: "UInt8", NULLABLE_BOOL: "boolean"}
LIMITS = {
    NULLABLE_INT64: (-(2**63), 2**63 - 1),
    NULLABLE_UINT64: (0, 2**64 - 1),
    NULLABLE_UINT8: (0, 255),
    NULLABLE_BOOL: (0, 1),
}


@st.composite
def columns(draw, dtype=None, least=0):
    """Return a column and the same rows as an array of pandas."""
    dtype = draw(st.sampled_from(list(TYPES))) if dtype is None else dtype
    low, high = LIMITS[dtype]
    rows = draw(st.lists(st.none() | st.integers(low, high), min_size=least, max_size=20))
    values = np.array([row or 0 for row in rows], dtype.numpy)
    missing = np.array([row is None for row in rows], bool)
    expected = pd.array(values, TYPES[dtype])
    expected[missing] = pd.NA
    return NullableColumn.of(values, missing), expected


def same(column, expected):
    """Whether a column has the rows of an array of pandas, 0 where they are missing, and no mask without need."""
    missing = np.asarray(expected.isna())
    assert np.array_equal(column.mask, missing)
    assert column.missing is None or missing.any()
    assert column.values.tolist() == expected.fillna(column.values.dtype.type(0)).tolist()
    assert TYPES[type_of(column)] == str(expected.dtype)
    return True


@given(columns(), st.data())
def test_rows_are_those_of_pandas(pair, data):
    column, expected = pair
    count = len(expected)
    start = data.draw(st.integers(0, count))
    stop = data.draw(st.integers(start, count))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool)
    positions = np.array(data.draw(st.lists(st.integers(0, max(count - 1, 0)), max_size=9 if count else 0)), np.int64)
    assert same(column, expected)
    assert same(slice_rows(column, start, stop), expected[start:stop])
    assert same(slice_rows(column, count - 1, -1, -1), expected[::-1])
    assert same(take_rows(column, positions), expected.take(positions))
    assert same(filter_rows(column, mask), expected[mask])
    assert same(own_rows(column), expected)
    assert same(pickle.loads(pickle.dumps(column)), expected)
    assert same(
        concat_rows([column, slice_rows(column, start, stop)]),
        pd.concat([pd.Series(expected), pd.Series(expected[start:stop])]).array,
    )
    assert to_objects(column) == [None if item is pd.NA else item for item in expected]


@given(columns())
def test_tables_hold_them_in_memory_and_on_disk(pair):
    column, expected = pair
    table = Table({"x": column, "y": np.arange(len(column))}, len(column))
    builder = TableBuilder(2 * len(column))
    builder.add(table)
    builder.add(table)
    twice = pd.concat([pd.Series(expected)] * 2).array
    assert same(builder.table().columns["x"], twice)
    assert same(Table.concat([table, table]).columns["x"], twice)
    on_disk = TableOnDisk(table)
    assert same(on_disk.open().columns["x"], expected)
    assert same(on_disk.read(0, len(column) // 2).columns["x"], expected[: len(column) // 2])


@given(columns(NULLABLE_INT64), columns(NULLABLE_INT64))
def test_tokens_tell_contents_apart(one, other):
    def named(column):
        return token(Table({"x": column}, len(column)))

    equal = one[1].equals(other[1])
    assert (named(one[0]) == named(other[0])) is equal
    is_full = not one[1].isna().any()
    assert named(one[0]) == named(NullableColumn(one[0].values, one[0].mask))
    assert named(one[0]) != named(one[0].values) or not is_full


def test_a_column_without_missing_rows_has_no_mask():
    column = NullableColumn.of(np.array([1, 2]), np.array([False, False]))
    assert column.missing is None
    assert not column.mask.any()
    assert NullableColumn.of(7, np.array([True, False])).to_list() == [None, 7]
    assert NullableColumn.of(np.array([1, 2]), True).to_list() == [None, None]


def test_a_column_in_new_memory_keeps_what_it_was_made_of():
    values = np.array([5, 6])
    column = NullableColumn.of(values, np.array([True, False]))
    assert values.tolist() == [5, 6]
    assert not np.shares_memory(NullableColumn.of(values, False).values, values)
    assert column.values.tolist() == [0, 6]


@pytest.mark.parametrize("dtype", TYPES)
def test_empty_and_spread_columns_have_the_type(dtype):
    assert type_of(empty(dtype)) == dtype
    assert not len(empty(dtype))
    assert to_objects(spread(None, dtype, 2)) == [None, None]
    assert to_objects(spread(1, dtype, 2)) == [1, 1]
    assert type_of(spread(1, dtype, 2)) == dtype
    assert not is_scalar(empty(dtype))
    assert spread(empty(dtype), dtype, 0).values.dtype == dtype.numpy


def test_sizes_count_the_mask():
    column = NullableColumn.of(np.arange(1000), np.arange(1000) % 2 == 0)
    assert nbytes(column) == 9000
    assert sys.getsizeof(column) >= 9000
    held = Sized()
    held.column = column
    assert sys.getsizeof(held) >= 9000
    assert not is_slice(slice_rows(column, 0, 1))
    assert Table({"x": column}, 1000).nbytes == 9000


def test_views_cannot_be_changed():
    view = read_only(NullableColumn.of(np.arange(2), np.array([True, False])))
    with pytest.raises(ValueError, match="read-only"):
        view.values[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        view.missing[0] = False


def test_types_name_what_they_hold():
    assert (str(NULLABLE_INT64), NULLABLE_INT64.name, NULLABLE_INT64.numpy) == ("int64?", "int64", np.dtype(np.int64))
    assert NULLABLE_BOOL.plain == BOOL
    assert NULLABLE_INT64.plain == INT64 == INT64.plain
    assert NULLABLE_INT64.is_nullable_number
    assert not NULLABLE_INT64.is_number
    assert not INT64.is_nullable_number
    assert "missing" not in repr(INT64)
    assert repr(NullableColumn(np.array([1]))) == "NullableColumn(array([1]), None)"
