"""Integers that no float is equal to are not changed where they are given, unless floats are asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError, ConversionError

WIDE = 2**53 + 1


@pytest.mark.parametrize("dtype", [float, "float64", ak.float64, np.float64])
@pytest.mark.parametrize(
    "items",
    [[WIDE, 0.5], (WIDE, 0.5), np.array([WIDE, 0.5], object), [2**64 - 1, -1], [WIDE, None], [True, WIDE, np.nan]],
)
def test_floats_that_are_asked_for_are_the_nearest(items, dtype):
    wanted = np.array([np.nan if item is None else item for item in items], np.float64)
    np.testing.assert_array_equal(ak.array(items, dtype=dtype).to_ndarray(), wanted)


def test_rows_of_floats_that_are_asked_for_are_the_nearest():
    items = [[WIDE, 0.5], [1, 2**62 + 1]]
    np.testing.assert_array_equal(ak.array(items, dtype=float).to_ndarray(), np.array(items, float))


def test_integers_too_large_for_any_float_are_infinite_where_floats_are_asked_for():
    assert ak.array([10**400, -(10**400), 1], dtype=float).tolist() == [np.inf, -np.inf, 1.0]


def test_floats_that_nobody_asked_for_are_refused():
    with pytest.raises(ConversionError, match=str(WIDE)):
        ak.array([WIDE, 0.5])


@pytest.mark.parametrize(("value", "dtype"), [(2**63, "int64"), (-1, "uint64")])
def test_an_array_is_not_filled_with_what_its_type_does_not_hold(value, dtype):
    with pytest.raises(OverflowError):
        np.full(1, value, dtype)
    with pytest.raises(ArgumentTypeError, match=f"{value} does not fit {dtype}"):
        ak.full(1, value, dtype=dtype)


@pytest.mark.parametrize(("value", "dtype"), [(2**63 - 1, "int64"), (-(2**63), "int64"), (2**64 - 1, "uint64")])
def test_an_array_is_filled_with_the_ends_of_its_type(value, dtype):
    assert ak.full(1, value, dtype=dtype).tolist() == np.full(1, value, dtype).tolist() == [value]
    assert ak.full_like(ak.zeros(1, dtype=dtype), value).tolist() == [value]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint16", "uint32"])
def test_narrow_types_that_are_asked_for_are_held_in_64_bits(dtype):
    rows = [300, -1, 70_000, 2**40 + 5]
    for made in (ak.array(rows).astype(dtype), ak.cast(ak.array(rows), dtype), ak.Series(rows).astype(dtype)):
        assert (made.tolist(), made.dtype) == (rows, np.int64)


def pivoted(rows, fill_value):
    table = {"k": [1, 1, 2], "c": ["a", "b", "a"], "x": rows}
    made = [
        frame(table).pivot_table("x", "k", "c", "sum", fill_value=fill_value) for frame in (ak.DataFrame, pd.DataFrame)
    ]
    return [table["b"].tolist() for table in (made[0].to_pandas(), made[1])]


@pytest.mark.filterwarnings("ignore:Using a fill_value")
@pytest.mark.parametrize("fill_value", [0, 7, WIDE, -1, 2.0])
def test_gaps_of_a_pivot_table_are_filled_beside_integers(fill_value):
    found, wanted = pivoted([1, WIDE, 3], fill_value)
    assert found == [WIDE, fill_value]
    assert np.float64(found).tolist() == np.float64(wanted).tolist()


@pytest.mark.filterwarnings("ignore:Using a fill_value")
def test_gaps_of_a_pivot_table_are_filled_with_fractions():
    found, wanted = pivoted([1, 2, 3], 0.5)
    assert found == wanted == [2.0, 0.5]
    with pytest.raises(ConversionError, match=str(WIDE)):
        ak.DataFrame({"k": [1, 1, 2], "c": ["a", "b", "a"], "x": [1, WIDE, 3]}).pivot_table(
            "x", "k", "c", "sum", fill_value=0.5
        )


def test_gaps_of_a_pivot_table_are_not_filled_with_another_kind():
    table = {"k": [1, 1, 2], "c": ["a", "b", "a"], "x": [1, 2, 3]}
    with pytest.raises(ArgumentTypeError, match="fill_value='none'"):
        ak.DataFrame(table).pivot_table("x", "k", "c", "sum", fill_value="none")


def test_rows_of_integers_of_both_kinds_have_the_nearest_sum():
    table = {"a": [WIDE, 2**63 - 1], "b": np.array([2**54, 2**64 - 1], np.uint64), "c": [1, 1]}
    found = ak.DataFrame(table).sum(axis=1).tolist()
    totals = [sum(map(int, row)) for row in zip(*table.values(), strict=True)]
    assert found == [float(total) for total in totals]
    small = {**table, "c": np.array([1, 1], np.uint8)}
    assert ak.DataFrame(small).sum(axis=1).tolist() == found
    assert ak.DataFrame(small).mean(axis=1).tolist() == [float(total) / 3 for total in totals]


def test_extension_arrays_do_not_change_integers_beside_gaps():
    rows = pd.Series([1, WIDE, 3], dtype="ak_int64")
    assert rows.shift(1).tolist()[1:] == [1, WIDE]
    assert rows.shift(1).isna().tolist() == [True, False, False]
    assert rows.shift(-2).tolist()[0] == 3
