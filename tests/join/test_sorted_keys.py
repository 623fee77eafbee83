from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.operators.join.key_tables import SortedKeys
from akdask.testing.strategies import DTYPES, columns

SIDES = st.sampled_from(["left", "right"])


@given(st.sampled_from(DTYPES), SIDES, st.data())
def test_values_are_put_where_numpy_puts_them(dtype, side, data):
    table, values = (data.draw(columns(dtype, data.draw(st.integers(0, 150)))) for _ in range(2))
    values = np.concatenate([values, table[::2]])
    table = np.sort(table)
    expected = np.searchsorted(table, values, side)
    given_these = [pa.array(c.tolist(), pa.large_string()) if dtype == "str" else c for c in (table, values)]
    keys = SortedKeys(given_these[0])
    assert keys.search(given_these[1], side).tolist() == expected.tolist()
    out = np.empty(len(values), np.int64)
    assert keys.search(given_these[1], side, out) is out
    assert out.tolist() == expected.tolist()


@given(st.lists(st.integers(-(2**90), 2**90)), st.lists(st.integers(-(2**90), 2**90)), SIDES)
def test_large_integers_are_put_where_numpy_puts_them(table, values, side):
    table = sorted(table)
    expected = np.searchsorted(np.array(table, object), np.array(values, object), side).tolist()
    assert SortedKeys(from_ints(table)).search(from_ints(values), side).tolist() == expected


EDGES = [0, 1, 7, 255, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**53) - 1, -(2**63)]
NUMBERS = {
    "int64": [number for number in EDGES if -(2**63) <= number < 2**63],
    "uint64": [number for number in EDGES if number >= 0],
    "float64": [*map(float, EDGES), 0.5, -0.5, 2.0**65, float("inf"), float("-inf"), float("nan")],
}


def exact_order(number):
    """Return what puts numbers of all types in order, NaN last, without rounding."""
    return (True, 0) if number != number else (False, number)  # noqa: PLR0124 - NaN


@pytest.mark.parametrize("side", ["left", "right"])
def test_numbers_of_another_type_are_put_where_their_exact_values_belong(side):
    find = bisect_left if side == "left" else bisect_right
    for dtype, other in permutations(NUMBERS, 2):
        values = NUMBERS[other]
        for table in [], sorted(NUMBERS[dtype], key=exact_order), sorted(NUMBERS[dtype] * 2, key=exact_order)[3:-3]:
            expected = [find(table, exact_order(value), key=exact_order) for value in values]
            found = SortedKeys(np.array(table, dtype)).search(np.array(values, other), side)
            assert found.tolist() == expected, (dtype, other)


def test_numbers_beyond_the_type_of_the_keys_are_never_converted_to_it():
    with np.errstate(all="raise"):
        found = SortedKeys(np.arange(3)).search(np.array([np.nan, np.inf, -np.inf, 1e300]), "left")
    assert found.tolist() == [3, 3, 0, 3]
