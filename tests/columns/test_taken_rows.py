from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.nullable import NullableColumn
from akdask.columns.table import Table, TableBuilder, filter_rows, slice_rows, take_rows
from akdask.errors import PositionError
from akdask.operators.values.lookup import LOOKUP_OPERATIONS, lookup_found
from akdask.testing.strategies import DTYPES, columns

NUMBERS = [dtype for dtype in DTYPES if dtype != "str"]


@st.composite
def tables(draw, missing=False):
    """A table of at least one row, and positions in it, -1 among them where some may be missing."""
    table = draw(columns(draw(st.sampled_from(NUMBERS)), draw(st.integers(1, 200))))
    positions = draw(st.lists(st.integers(-1 if missing else 0, len(table) - 1), max_size=300))
    return table, np.array(positions, np.int64)


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@given(tables())
def test_rows_at_positions_are_those_that_numpy_takes(given_these):
    table, positions = given_these
    same(take_rows(table, positions), table[positions])
    out = np.empty(len(positions), table.dtype)
    assert take_rows(table, positions, out) is out
    same(out, table[positions])
    same(take_rows(table[::-1], positions), table[::-1][positions])
    same(take_rows(table, positions[::-1]), table[positions[::-1]])
    same(LOOKUP_OPERATIONS["lookup"].evaluate(table, positions), table[positions])


@given(tables(missing=True))
def test_rows_that_are_nowhere_get_what_stands_for_nothing(given_these):
    table, positions = given_these
    nothing = np.array([np.nan if table.dtype.kind == "f" else 0]).astype(table.dtype)
    expected = np.append(table, nothing)[positions]
    same(lookup_found(table, positions), expected)
    out = np.empty(len(positions), table.dtype)
    assert lookup_found(table, positions, out) is out
    same(out, expected)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(-4, 4).filter(bool), st.data())
def test_rows_of_a_range_are_those_at_its_numbers(values, step, data):
    start = data.draw(st.integers(0, len(values) - 1))
    # Backwards, a range that ends behind the first row ends at -1.
    stop = data.draw(st.integers(-1 if step < 0 else 0, len(values)))
    wanted = [values[row] for row in range(start, stop, step)]
    numbers = np.array(values)
    assert slice_rows(numbers, start, stop, step).tolist() == wanted
    text = slice_rows(pa.array(map(str, values), pa.large_string()), start, stop, step)
    assert text.to_pylist() == list(map(str, wanted))
    some = slice_rows(NullableColumn.of(numbers, numbers > 5), start, stop, step)
    assert some.to_list() == [None if number > 5 else number for number in wanted]


@pytest.mark.light
@pytest.mark.parametrize("table", [np.array([1.0, 2.0, 3.0]), pa.array(["a", "b", "c"], pa.large_string())])
@pytest.mark.parametrize("wrong", [-1, 3, 4, 2**40, -(2**63)])
def test_a_position_that_is_nowhere_is_refused(table, wrong):
    with pytest.raises(PositionError, match="has no category"):
        LOOKUP_OPERATIONS["lookup"].evaluate(table, np.array([0, 1, wrong, 2]))


def test_strings_are_gathered_too():
    assert take_rows(pa.array(["a", "b", "ü"], pa.large_string()), np.array([2, 2, 0])).to_pylist() == ["ü", "ü", "a"]


@given(st.lists(st.text(max_size=20) | st.just("x" * 70), min_size=1, max_size=40), st.integers(0, 3), st.data())
def test_strings_at_positions_are_those_that_arrow_takes(strings, skipped, data):
    table = pa.array(["before"] * skipped + strings + ["behind"], pa.large_string())[skipped : skipped + len(strings)]
    positions = np.array(data.draw(st.lists(st.integers(-1, len(strings) - 1), max_size=60)), np.int64)
    is_there = positions >= 0
    assert take_rows(table, positions[is_there]).equals(table.take(pa.array(positions[is_there])))
    wanted = table.take(pa.array(positions, mask=~is_there)).fill_null("")
    assert lookup_found(table, positions).equals(wanted)
    if not is_there.all():
        with pytest.raises(PositionError):
            LOOKUP_OPERATIONS["lookup"].evaluate(table, positions)


def test_offsets_that_lead_beyond_the_text_are_refused():
    offsets, text = np.array([0, 3, 2**40, 4], np.int64), b"abcd"
    strings = pa.LargeStringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(text))
    assert take_rows(strings, np.array([0, 0])).to_pylist() == ["abc", "abc"]
    with pytest.raises((ValueError, MemoryError)):
        take_rows(strings, np.array([1]))


@given(columns("int64"), st.data())
def test_marked_rows_of_several_tables_are_appended(column, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(column), max_size=len(column))), np.bool_)
    output, table = TableBuilder(2 * len(column)), Table({"n": column}, len(column))
    output.add_masked(table, mask)
    output.add(table.take(np.flatnonzero(~mask)))
    same(output.table().columns["n"], np.concatenate([column[mask], column[~mask]]))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.uint8, np.bool_])
def test_rows_where_a_mask_holds_are_those_of_numpy(share, dtype):
    random = np.random.default_rng(0)
    for nrows in (0, 7, 8, 1001):
        column, mask = random.integers(0, 2, nrows).astype(dtype), random.random(nrows) < share
        same(filter_rows(column, mask), column[mask])
        same(filter_rows(column[::-2], mask[::2]), column[::-2][mask[::2]])
    # A file may hold other bytes than 0 and 1 for truth.
    same(filter_rows(column, (mask * np.uint8(2)).view(np.bool_)), column[mask])
