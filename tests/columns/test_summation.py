"""Exact sums of integers and floats against Python's integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.summation import (
    ACCUMULATORS,
    UNIT,
    ExactSum,
    Moments,
    UnitPositions,
    add_totals,
    completed,
    completed_totals,
    halves,
    joined_halves,
    largest_sum,
    quotients,
    sum_exactly,
    sum_integers,
    unit_products,
    wide_totals,
)

INT64 = st.sampled_from([-(2**63), 2**63 - 1, 2**53, -(2**53), 1, 2**62 + 1]) | st.integers(-(2**63), 2**63 - 1)
COLUMNS = {
    "int64": INT64,
    "uint64": st.sampled_from([2**64 - 1, 2**63, 2**53 + 1, 0]) | st.integers(0, 2**64 - 1),
    "uint8": st.integers(0, 255),
    "bool": st.booleans(),
}


@st.composite
def integers(draw):
    """Integers of any type, as a list and as an array."""
    dtype = draw(st.sampled_from(list(COLUMNS)))
    rows = draw(st.lists(COLUMNS[dtype], max_size=20))
    return rows, np.array(rows, dtype)


@given(integers())
def test_sums_of_integers_are_those_of_python(drawn):
    rows, column = drawn
    assert sum_integers(column) == sum(rows)
    assert largest_sum(column) >= abs(sum(rows))
    if rows and column.dtype != np.bool_:
        assert largest_sum(column) == max(-min(rows), *rows) * len(rows)


@given(st.lists(INT64, max_size=20))
def test_sums_of_halves_complete_those_that_wrap_around(rows):
    column = np.array(rows, np.int64)
    high, low = halves(column)
    assert [(upper << 32) + lower for upper, lower in zip(high.tolist(), low.tolist(), strict=True)] == rows
    wrapped, upper = int(np.add.reduce(column)), int(np.add.reduce(high))
    assert completed(wrapped, upper) == sum(rows)
    for totals, wraps in (
        completed_totals(np.array([wrapped]), np.array([upper])),
        joined_halves(np.array([upper]), np.array([int(np.add.reduce(low))])),
    ):
        assert int(totals[0]) + (int(wraps[0]) << 64) == sum(rows)


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**50), st.integers(1, 2**33)), max_size=20))
def test_quotients_of_sums_are_rounded_once(rows):
    high, low, counts = (np.array(column, np.int64) for column in (zip(*rows, strict=True) if rows else ((), (), ())))
    found = quotients(*joined_halves(high, low), counts)
    assert found.tolist() == [((upper << 32) + lower) / count for upper, lower, count in rows]


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(1, 2**29 - 1) | st.sampled_from([1, 2, 3, 2**28, 2**29 - 1]),
    st.integers(-2, 2),
)
def test_quotients_beside_the_middle_of_two_floats_are_rounded_once(total, count, step):
    """Halfway numbers of floats are where rounding twice goes wrong."""
    whole = (int(float(abs(total) // count)) + int(np.nextafter(float(abs(total) // count), np.inf))) // 2
    total = min(max(whole * count + step, -(2**63)), 2**63 - 1)
    found = quotients(*wide_totals(np.array([total])), np.array([count]))
    assert Fraction(float(found[0])) == Fraction(total / count)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_rest_of_a_division_decides_between_two_floats(sign):
    middle = (2**53 + 1) * 1000
    totals = sign * np.array([middle, middle + 1, middle - 1])
    found = quotients(*wide_totals(totals), np.full(3, 1000))
    assert found.tolist() == [sign * 2.0**53, sign * (2.0**53 + 2), sign * 2.0**53]


@given(st.lists(st.tuples(INT64, INT64, st.integers(-9, 9), st.integers(-9, 9)), max_size=20))
def test_sums_that_wrap_are_added_in_place(rows):
    table = np.array([list(row) for row in rows], object).reshape(-1, 4)
    left, right = ((table[:, n].astype(np.int64), table[:, n + 2].astype(np.int32)) for n in (0, 1))
    add_totals(left, right)
    found = [total + (wrapped << 64) for total, wrapped in zip(left[0].tolist(), left[1].tolist(), strict=True)]
    assert found == [one + other + ((wraps + more) << 64) for one, other, wraps, more in rows]


def reference(partitions):
    """Return the sum as it is defined, row by row."""
    total = Fraction(0)
    for rows in partitions:
        for first in range(0, len(rows), UNIT):
            lanes = [0.0] * ACCUMULATORS
            for row, value in enumerate(rows[first : first + UNIT].tolist()):
                lanes[row % ACCUMULATORS] += value
            while len(lanes) > 1:
                half = len(lanes) // 2
                lanes = [a + b for a, b in zip(lanes[:half], lanes[half:], strict=True)]
            total += Fraction(lanes[0])
    return float(total)


@pytest.mark.parametrize(
    "nrows", [0, 1, 5, ACCUMULATORS - 1, ACCUMULATORS, ACCUMULATORS + 1, UNIT - 1, UNIT, UNIT + 1, 3 * UNIT + 777]
)
@pytest.mark.parametrize("share", [None, 0.9, 0.5, 0.01, 0.0])
def test_sums_are_what_they_are_defined_to_be(nrows, share):
    generator = np.random.default_rng(nrows)
    rows = generator.normal(size=nrows) * 10.0 ** generator.integers(-12, 12, nrows)
    mask = None if share is None else generator.random(nrows) < share
    expected = reference([rows if mask is None else np.where(mask, rows, 0.0)])
    assert sum_exactly(rows, mask).rounded() == expected
    if mask is not None:
        positions = np.flatnonzero(mask)
        assert sum_exactly(rows[mask], None, UnitPositions(positions, nrows)).rounded() == expected
        assert sum_exactly(rows, mask, UnitPositions(np.arange(nrows), nrows)).rounded() == expected


def test_errors_are_bounded_as_those_of_pairwise_sums_are():
    generator = np.random.default_rng(7)
    for rows in (generator.random(10**6), generator.normal(size=10**6) * 10.0 ** generator.integers(-9, 9, 10**6)):
        error = abs(float(sum_exactly(rows).rounded()) - math.fsum(rows))
        assert error <= (UNIT // ACCUMULATORS + math.log2(ACCUMULATORS)) * np.finfo(float).eps / 2 * np.abs(rows).sum()
        pairwise = (128 / 8 + math.log2(len(rows) / 128) + 3) * np.finfo(float).eps / 2 * np.abs(rows).sum()
        assert error <= pairwise


@pytest.mark.parametrize(
    "numbers",
    [
        [1e300, 1.0, -1e300],
        [5e-324] * 3,
        [1e308, 1e308, -1e308],
        [1.7e308] * 2,
        [-1.7e308] * 2,
        [math.inf, 1.0],
        [math.inf, -math.inf],
        [math.nan, 1.0],
        [],
    ],
)
def test_units_are_joined_exactly(numbers):
    total = ExactSum.of(np.array(numbers, float))
    apart = sum((ExactSum.of(np.array([number])) for number in reversed(numbers)), ExactSum())
    finite = all(map(math.isfinite, numbers))
    exact = sum(map(Fraction, numbers), Fraction(0)) if finite else None
    if exact is None:
        expected = sum(numbers)
    else:
        too_large = math.inf if exact > 0 else -math.inf
        expected = too_large if abs(exact) >= 2**1024 else float(exact)
    np.testing.assert_array_equal([total.rounded(), apart.rounded()], [expected, expected])


def placed(nrows, share, seed):
    """Return numbers of very different size, and which of them count."""
    generator = np.random.default_rng(seed)
    return generator.normal(size=nrows) * 10.0 ** generator.integers(-12, 12, nrows), generator.random(nrows) < share


@pytest.mark.parametrize("spoilt", [np.nan, np.inf, 1e308])
def test_rows_that_do_not_count_spoil_nothing(spoilt):
    rows, mask = placed(UNIT + 777, 0.9, 1)
    expected = reference([np.where(mask, rows, 0.0)])
    variance = Moments.of(np.where(mask, rows, 0.0), mask, None).distances()
    rows[~mask] = spoilt
    with np.errstate(all="ignore"):
        assert sum_exactly(rows, mask).rounded() == expected
        assert Moments.of(rows, mask, None).distances() == variance


@pytest.mark.sampled(one_of=2)
@pytest.mark.light
@pytest.mark.parametrize("share", [1, 0.5, 0.01])
@pytest.mark.parametrize("nrows", [0, 1, 300, 2 * UNIT + 777])
def test_squared_distances_are_those_of_fractions_however_rows_come(nrows, share):
    rows, mask = placed(nrows, share, nrows)
    positions = UnitPositions(np.flatnonzero(mask), nrows)
    chosen = list(map(Fraction, rows[mask].tolist()))
    mean = sum(chosen) / max(len(chosen), 1)
    expected = float(sum((number - mean) ** 2 for number in chosen))
    found = [
        Moments.of(rows, mask, None),
        Moments.of(rows[mask], None, positions),
        Moments.of(rows, mask, UnitPositions(np.arange(nrows), nrows)),
        Moments.of(rows[:UNIT], mask[:UNIT], None) + Moments.of(rows[UNIT:], mask[UNIT:], None),
    ]
    assert len({moments.distances() for moments in found}) == 1
    assert [moments.count for moments in found] == [len(chosen)] * len(found)
    assert [moments.total.rounded() for moments in found] == [reference([np.where(mask, rows, 0.0)])] * len(found)
    np.testing.assert_allclose(found[0].distances(), expected, rtol=1e-12)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=9))
def test_squared_distances_of_few_rows_are_those_of_fractions(rows):
    numbers = np.array(rows, np.float64)
    mean = sum(map(Fraction, numbers.tolist())) / len(rows)
    expected = sum((Fraction(number) - mean) ** 2 for number in numbers.tolist())
    # Distances are from the mean that a float holds.
    error = 1e-12 * float(expected) + len(rows) * float(abs(mean)) ** 2 * 2.0**-104
    assert abs(Moments.of(numbers, None, None).distances() - float(expected)) <= error
    assert Moments.of(np.array(rows), None, None) == Moments.of(numbers, None, None)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([], 0.0), ([1.0, np.nan], np.nan), ([1.0, np.inf], np.nan), ([1e200, -1e200], np.inf), ([3.0, 3.0], 0.0)],
)
def test_distances_may_be_none_or_not_finite(rows, expected):
    with np.errstate(all="ignore"):
        found = Moments.of(np.array(rows), None, None).distances()
    np.testing.assert_array_equal(found, expected)


@given(st.lists(st.sampled_from([0.5, 1.0, -1.0, 2.0]), max_size=300))
def test_products_are_exact_where_powers_of_two_are_multiplied(rows):
    assert np.prod(unit_products(np.array(rows, float))) == math.prod(rows)
