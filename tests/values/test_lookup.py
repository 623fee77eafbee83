"""Rows of a table by position, and elements of strided arrangements: NumPy is the reference."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT8, UINT64
from akdask.columns.strings import with_nulls
from akdask.engine.operations import OPERATIONS
from akdask.errors import AkdaskError, AlignmentError, ArgumentError, FileFormatError, PositionError
from akdask.operators.values.lookup import strided, strided_positions

pytestmark = pytest.mark.light

TABLES = {
    "int64": np.array([5, -7, 2**62]),
    "uint8": np.array([5, 7, 255], np.uint8),
    "float64": np.array([0.5, np.nan, -0.0]),
    "bool": np.array([True, False, True]),
    "str": pa.array(["a", "", "é"], pa.large_string()),
}
NOTHING = {"int64": 0, "uint8": 0, "float64": np.nan, "bool": False, "str": ""}
POSITIONS = np.array([2, 0, 2, 1])


def evaluate(operation, *args, **params):
    return OPERATIONS[operation].evaluate(*args, **params)


def items(column):
    return column.to_pylist() if isinstance(column, pa.Array) else column.tolist()


def same(found, expected):
    np.testing.assert_equal(items(found) if hasattr(found, "__len__") else found, expected)


@pytest.mark.parametrize("kind", TABLES)
def test_rows_are_those_at_positions(kind):
    table = TABLES[kind]
    expected = [items(table)[row] for row in POSITIONS]
    for name in ("lookup", "take"):
        same(evaluate(name, table, POSITIONS), expected)
        same(evaluate(name, table, POSITIONS[:0]), [])
    same(evaluate("take", table, np.array([-1, -3, 2, 0])), [items(table)[row] for row in (2, 0, 2, 0)])
    same(evaluate("lookup_found", table, np.array([1, -1, 0])), [items(table)[1], NOTHING[kind], items(table)[0]])
    same(evaluate("lookup_found", table[:0], np.array([-1, -1])), [NOTHING[kind]] * 2)
    if isinstance(table, np.ndarray):
        out = np.empty(4, table.dtype)
        for name in ("lookup", "take", "lookup_found"):
            assert evaluate(name, table, POSITIONS, out=out) is out
            same(out, expected)


def test_what_is_not_found_may_be_missing_text_and_integers_of_any_size_are_zero():
    same(with_nulls(evaluate("lookup_found", TABLES["str"], np.array([2, -1]), missing_text=True)), ["é", None])
    assert to_ints(evaluate("lookup_found", from_ints([2**70, -1]), np.array([0, -1, 1]))) == [2**70, 0, -1]


@pytest.mark.parametrize("wrong", [3, -1, 2**40])
def test_codes_and_stored_positions_never_count_from_the_end(wrong):
    for table in TABLES.values():
        with pytest.raises(PositionError, match=f"the code {wrong} has no category"):
            evaluate("lookup", table, np.array([0, wrong, 2]))
    with pytest.raises(FileFormatError, match=f"'x' holds {wrong}, which is none of 3 positions"):
        evaluate("stored_position", np.array([0, wrong, 2]), size=3, of="x")
    same(evaluate("stored_position", np.array([0, 2], np.uint64), size=3, of="x"), [0, 2])
    same(evaluate("stored_position", np.array([], np.int64), size=0, of="x"), [])


@pytest.mark.parametrize("wrong", [3, -4])
def test_positions_count_from_either_end(wrong):
    same(evaluate("from_start", np.array([-3, -1, 0, 2]), length=3), [0, 2, 0, 2])
    out = np.empty(2, np.int64)
    assert evaluate("from_start", np.array([-2, 1]), out=out, length=3) is out
    same(out, [1, 1])
    for name, args, params in (("from_start", (), {"length": 3}), ("take", (TABLES["str"],), {})):
        with pytest.raises(PositionError, match=f"position {wrong} is outside an array of 3 rows"):
            evaluate(name, *args, np.array([0, wrong]), **params)


def test_types_are_those_of_the_table_for_positions_that_are_integers():
    of = {name: OPERATIONS[name].result_type for name in ("lookup", "take", "lookup_found", "searchsorted")}
    assert (of["lookup"](STR, INT64), of["take"](STR, UINT8), of["lookup_found"](FLOAT64, INT64)) == (STR, STR, FLOAT64)
    assert of["lookup_found"](STR, INT64, missing_text=True) == NULLABLE_STR
    assert of["searchsorted"](INT64, FLOAT64, side="left") == of["searchsorted"](STR, STR, side="right") == INT64
    assert OPERATIONS["is_among"].result_type(INT64, INT64, STR) == BOOL
    assert OPERATIONS["find_rows"].result_type(INT64, STR) == OPERATIONS["find_interval"].result_type(INT64, UINT64)
    refused = [
        ("lookup", (STR, UINT64), {}), ("take", (STR, FLOAT64), {}),
        ("lookup_found", (INT64, INT64), {"missing_text": True}),
        ("searchsorted", (STR, INT64), {"side": "left"}), ("searchsorted", (INT64, INT64), {"side": "up"}),
        ("find_rows", (INT64,), {}), ("find_interval", (INT64, STR), {}), ("of_labelled", (INT64, BOOL), {}),
        ("of_extremes", (INT64, INT64), {"name": "idxmin", "skipna": True}), ("strided_position", (UINT64,), {}),
        ("stored_position", (FLOAT64,), {"size": 1, "of": "x"}), ("from_start", (FLOAT64,), {"length": 1}),
    ]  # fmt: skip
    for name, types, params in refused:
        with pytest.raises(AkdaskError):
            OPERATIONS[name].result_type(*types, **params)


@pytest.mark.parametrize("kind", TABLES)
def test_one_position_gives_one_item(kind):
    table = TABLES[kind]
    for row in range(3):
        np.testing.assert_equal(evaluate("lookup", table, np.int64(row)), items(table)[row])


def test_guards_take_bools_and_equal_texts_or_numbers():
    assert OPERATIONS["of_labelled"].result_type(BOOL, BOOL) == BOOL
    equal = OPERATIONS["equal"].result_type
    assert [equal(*types) for types in ((STR, STR), (INT64, FLOAT64), (BOOL, BOOL), (UINT64, INT64))] == [BOOL] * 4
    assert equal(NULLABLE_STR, STR) == equal(NULLABLE_STR, NULLABLE_STR) == BOOL
    for name, types in (
        ("of_labelled", (INT64, INT64)), ("of_labelled", (BOOL, INT64)), ("equal", (STR, INT64)),
        ("equal", (INT64, STR)), ("less", (STR, BOOL)), ("less", (NULLABLE_STR, NULLABLE_STR)),
    ):  # fmt: skip
        with pytest.raises(AkdaskError):
            OPERATIONS[name].result_type(*types)


def test_guards_give_what_they_are_given_or_say_what_is_wrong():
    mask, positions, here = np.array([True, False]), np.array([1, 0]), np.array([True, True])
    for name, values, params in (
        ("of_labelled", mask, {}),
        ("of_same_labels", mask, {}),
        ("of_extremes", positions, {"name": "idxmin", "skipna": True}),
    ):
        same(evaluate(name, values, here, **params), values.tolist())
        out = np.empty_like(values)
        assert evaluate(name, values, here, out=out, **params) is out
        same(out, values.tolist())
        for wrong in (np.array([True, False]), np.array([False, False])):
            with pytest.raises((AlignmentError, ArgumentError, KeyError, IndexError)):
                evaluate(name, values, wrong, **params)
    with pytest.raises(ArgumentError, match="only missing values"):
        evaluate("of_extremes", np.array([0, -1]), here, name="idxmin", skipna=True)
    with pytest.raises(ArgumentError, match="a missing value"):
        evaluate("of_extremes", np.array([0, -1]), here, name="idxmin", skipna=False)


@given(npst.array_shapes(min_dims=1, max_dims=4, max_side=4), st.data())
def test_elements_of_an_arrangement_are_those_of_numpy(shape, data):
    base = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    view = base.transpose(data.draw(st.permutations(range(len(shape)))))
    view = view[
        tuple(slice(data.draw(st.integers(0, size - 1)), None, data.draw(st.integers(1, 2))) for size in view.shape)
    ]
    if data.draw(st.booleans()):
        view = np.broadcast_to(view, (data.draw(st.integers(1, 3)), *view.shape))
    offset = int(view.flat[0])
    given_params = {"shape": view.shape, "strides": tuple(stride // 8 for stride in view.strides), "offset": offset}
    start = data.draw(st.integers(0, view.size))
    rows = np.arange(start, data.draw(st.integers(start, view.size)))
    for chosen in (rows, rows[::-1], rows[::2]):
        wanted = view.reshape(-1)[chosen]
        table = base.reshape(-1) * 10
        same(strided_positions(chosen, **given_params), wanted.tolist())
        same(strided_positions(chosen, np.empty(len(chosen), np.int64), **given_params), wanted.tolist())
        same(strided(table, chosen, **given_params), (wanted * 10).tolist())
        same(strided(table, chosen, np.empty(len(chosen), np.int64), **given_params), (wanted * 10).tolist())
        text = pa.array(table.astype(str), pa.large_string())
        same(strided(text, chosen, **given_params), (wanted * 10).astype(str).tolist())
