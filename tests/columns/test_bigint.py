"""Integers of any size in memory against Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import (
    first_extreme,
    from_ints,
    from_limbs,
    from_numbers,
    from_unsigned,
    limbs_of,
    modulo_power,
    narrowed,
    to_ints,
    total,
    with_limbs,
)
from akdask.columns.table import concat_rows, slice_rows

pytestmark = pytest.mark.light

EXTREMES = [0, 1, -1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**64), 2**128 - 1, 2**200, -(2**200)]
NUMBERS = st.sampled_from(EXTREMES) | st.integers(-(2**200), 2**200) | st.integers(-2, 2)
ROWS = st.lists(NUMBERS, max_size=9)


@given(ROWS, st.integers(0, 9), st.integers(0, 3))
def test_integers_are_what_they_were_in_any_slice_and_width(rows, first, more):
    column = from_ints(rows)
    assert to_ints(column) == rows
    assert column.type.byte_width == 8 * (max((item.bit_length() for item in rows), default=0) // 64 + 1)
    assert to_ints(slice_rows(column, first, max(first, len(rows)))) == rows[first:]
    limbs = limbs_of(column)
    wide = with_limbs(limbs, limbs.shape[1] + more)
    assert to_ints(from_limbs(wide)) == rows
    assert to_ints(from_limbs(narrowed(wide))) == rows
    assert narrowed(wide).shape[1] <= limbs.shape[1]


@given(st.lists(st.integers(0, 2**192 - 1) | st.sampled_from([2**63, 2**64 - 1, 2**191]), min_size=1, max_size=9))
def test_unsigned_limbs_stay_what_they_are(rows):
    limbs = np.array([[item >> shift & (2**64 - 1) for shift in (0, 64, 128)] for item in rows], np.uint64)
    assert to_ints(from_unsigned(limbs)) == rows
    assert to_ints(from_limbs(with_limbs(limbs, 4, signed=False))) == rows


@given(ROWS, st.sampled_from([1, 7, 63, 64, 65, 128, 129, 200, 256]))
def test_remainders_of_powers_of_two_are_those_of_python(rows, bits):
    limbs = limbs_of(from_ints(rows))
    before = limbs.copy()
    assert to_ints(from_unsigned(modulo_power(limbs, bits))) == [item % 2**bits for item in rows]
    assert np.array_equal(limbs, before)


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.integers(0, 2))
def test_totals_and_extremes_are_those_of_python(rows, more):
    limbs = limbs_of(from_ints(rows))
    limbs = with_limbs(limbs, limbs.shape[1] + more)
    assert total(limbs) == sum(rows)
    assert first_extreme(limbs, largest=True) == rows.index(max(rows))
    assert first_extreme(limbs, largest=False) == rows.index(min(rows))


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_columns_of_any_widths_are_joined(parts):
    assert to_ints(concat_rows(list(map(from_ints, parts)))) == [item for part in parts for item in part]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (np.array([2**64 - 1, 2**63, 0], np.uint64), [2**64 - 1, 2**63, 0]),
        (np.array([1, 0], np.uint64), [1, 0]),
        (np.array([-1, -(2**63)]), [-1, -(2**63)]),
        (np.array([True, False]), [1, 0]),
        (np.array([255, 0], np.uint8), [255, 0]),
        (np.array([-3.0, 2.0**60]), [-3, 2**60]),
    ],
)
def test_numbers_become_columns_of_their_own(numbers, expected):
    column = from_numbers(numbers)
    numbers[:] = 0
    assert to_ints(column) == expected
