"""Columns of every kind, and tables of them, keep their rows in whatever is done to them."""

import pickle
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, NULLABLE_INT64, STR, UINT8, UINT64, list_of
from akdask.columns.memory import scratch
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import (
    Sized,
    Table,
    TableBuilder,
    arrow_type,
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
from akdask.columns.tuning import MOST_SCRATCH_BYTES
from akdask.errors import ArgumentTypeError

pytestmark = pytest.mark.light

LARGE = st.sampled_from([2**70, -(2**70), 2**130]) | st.integers(-9, 9)


def lists(rows):
    """Return lists of integers of any size, of no type where all are empty."""
    items = [item for row in rows for item in row]
    if not items:
        return pa.array(rows, pa.large_list(pa.null()))
    return pa.LargeListArray.from_arrays(np.cumsum([0, *map(len, rows)]), from_ints(items))


def nullable(rows):
    return NullableColumn.of(np.array([row or 0 for row in rows], int), np.array([row is None for row in rows], bool))


KINDS = {
    INT64: (st.integers(-(2**63), 2**63 - 1), lambda rows: np.array(rows, np.int64)),
    UINT64: (st.integers(0, 2**64 - 1), lambda rows: np.array(rows, np.uint64)),
    UINT8: (st.integers(0, 255), lambda rows: np.array(rows, np.uint8)),
    FLOAT64: (st.floats(allow_nan=False), lambda rows: np.array(rows, np.float64)),
    BOOL: (st.booleans(), lambda rows: np.array(rows, np.bool_)),
    STR: (st.text(max_size=9).filter(lambda text: "\0" not in text), lambda rows: pa.array(rows, pa.large_string())),
    BIGINT: (LARGE, from_ints),
    NULLABLE_INT64: (st.none() | st.integers(-9, 9), nullable),
    list_of(INT64): (st.lists(st.integers(-9, 9), max_size=3), lambda rows: pa.array(rows, pa.large_list(pa.int64()))),
    list_of(STR): (st.lists(st.text("ab"), max_size=3), lambda rows: pa.array(rows, pa.large_list(pa.large_string()))),
    list_of(BIGINT): (st.lists(LARGE, max_size=3), lists),
}


@st.composite
def columns(draw):
    """The type of a column, and parts of it as lists and as columns."""
    dtype = draw(st.sampled_from(list(KINDS)))
    rows, make = KINDS[dtype]
    parts = draw(st.lists(st.lists(rows, max_size=6), min_size=1, max_size=4))
    return dtype, parts, list(map(make, parts))


@given(columns())
def test_joined_rows_are_those_of_all_parts(drawn):
    dtype, parts, made = drawn
    joined, rows = concat_rows(made), [row for part in parts for row in part]
    assert to_objects(joined) == rows
    assert len(joined) == len(rows)
    if dtype != list_of(BIGINT) or any(map(any, parts)):
        assert type_of(joined) == dtype
    assert (joined is made[0]) == (len(made) == 1)


@given(columns(), st.data())
def test_tables_are_joined_cut_and_taken_by_rows(drawn, data):
    _, parts, made = drawn
    tables = [Table({"x": column, 1: np.arange(len(column))}, len(column)) for column in made]
    table, rows = Table.concat(tables), [row for part in parts for row in part]
    numbers = [number for part in parts for number in range(len(part))]
    positions = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)) if rows else []
    start, step = data.draw(st.integers(0, len(rows))), data.draw(st.integers(1, 3))
    mask = np.array([number % 2 == 0 for number in numbers], bool)
    found = {
        "all": (table, rows, numbers),
        "own": (table.own(), rows, numbers),
        "cut": (table.slice(start, len(rows), step), rows[start::step], numbers[start::step]),
        "taken": (
            table.take(np.array(positions, np.int64)),
            [rows[at] for at in positions],
            [numbers[at] for at in positions],
        ),
        "pickled": (pickle.loads(pickle.dumps(table.slice(start, len(rows)))), rows[start:], numbers[start:]),
    }
    for what, (some, wanted, counted) in found.items():
        assert to_objects(some.columns["x"]) == wanted, what
        assert to_objects(some.columns[1]) == counted, what
        assert some.nrows == len(wanted), what
        assert some.nbytes == nbytes(some.columns["x"]) + 8 * len(wanted), what
    assert to_objects(filter_rows(table.columns["x"], mask)) == [
        row for row, kept in zip(rows, mask, strict=True) if kept
    ]


@given(columns())
def test_tables_built_of_parts_have_the_rows_of_all(drawn):
    _, parts, made = drawn
    most = sum(map(len, parts))
    builder = TableBuilder(most)
    for column in made:
        builder.add(Table({"n": np.arange(len(column)), "x": column}, len(column)))
    table = builder.table()
    assert list(table.columns) == ["n", "x"]
    assert table.nrows == most
    assert to_objects(table.columns["x"]) == [row for part in parts for row in part]
    assert to_objects(table.columns["n"]) == [number for part in parts for number in range(len(part))]


@pytest.mark.parametrize(("used", "is_kept"), [(1, False), (24, False), (25, True), (100, True)])
def test_memory_that_few_rows_need_is_not_kept_for_them(used, is_kept):
    builder = TableBuilder(100)
    builder.add(Table({"x": np.arange(used)}, used))
    found = builder.table().columns["x"]
    assert found.tolist() == list(range(used))
    assert (found.base is not None) == is_kept


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_columns_of_no_rows_and_of_one_value_have_their_type(dtype):
    none = empty(dtype)
    assert (len(none), to_objects(none)) == (0, [])
    if dtype.kind == "list":
        assert none.type == arrow_type(dtype)
        return
    assert type_of(none) == dtype
    value = {"str": "é", "float": 0.5, "bool": True, "bigint": 2**70}.get(dtype.kind, 7)
    found = spread(value, dtype, 3)
    assert (type_of(found), to_objects(found)) == (dtype, [value] * 3)
    assert spread(found, dtype, 3) is found


def test_single_values_are_told_from_columns():
    single = [1, 1.5, "a", None, np.int64(1), np.array(1)]
    several = [np.array([1]), pa.array(["a"]), NullableColumn(np.array([1])), [1, 2]]
    assert list(map(is_scalar, single)) == [True] * len(single)
    assert list(map(is_scalar, several)) == [False] * len(several)


@pytest.mark.parametrize(
    ("of", "more"),
    [(type_of, ()), (nbytes, ()), (own_rows, ()), (slice_rows, (0, 1)), (take_rows, (0,)), (filter_rows, (0,))],
)
def test_what_is_no_column_is_refused(of, more):
    with pytest.raises(ArgumentTypeError, match="list is not a column"):
        of([1, 2], *more)


def test_a_slice_of_text_is_pickled_without_what_it_was_cut_from():
    text = pa.array(["x" * 1000] * 100, pa.large_string())
    part = text.slice(3, 2)
    assert is_slice(part)
    assert not is_slice(text)
    assert not is_slice(np.arange(100)[:2])
    assert not is_slice(own_rows(part))
    assert len(pickle.dumps(Table({"x": part}, 2))) < 4000
    assert sys.getsizeof(Table({"x": np.arange(1000)}, 1000)) >= 8000


def test_what_objects_hold_counts_for_their_size():
    held, empty_handed = Sized(), Sized()
    held.columns = [np.zeros(1000), (NullableColumn(np.zeros(500, int)), pa.array([1] * 250))]
    assert 8000 + 4000 + 2000 <= sys.getsizeof(held) - sys.getsizeof(empty_handed) < 15_000


def test_views_that_cannot_be_changed_share_their_memory():
    numbers = np.arange(5)
    view = read_only(numbers)
    assert np.shares_memory(view, numbers)
    assert numbers.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        read_only(NullableColumn(numbers)).values[0] = 1


def test_temporary_memory_is_reused_up_to_a_size():
    first = scratch(100)
    first[:] = 7
    assert np.shares_memory(first, scratch(50))
    assert scratch(50).tolist() == [7] * 50
    longer = scratch(100_000)
    assert len(longer) == 100_000
    assert np.shares_memory(longer, scratch(1000))
    alone = scratch(MOST_SCRATCH_BYTES + 1)
    assert len(alone) == MOST_SCRATCH_BYTES + 1
    assert not np.shares_memory(alone, scratch(1000))
