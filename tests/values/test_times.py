"""Arithmetic of times: NumPy's times are the reference, and Python's integers where those overflow."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError, TimeOverflowError

NAT = -(2**63)

edges = st.sampled_from([NAT, NAT + 1, -1, 0, 1, 2**62, 2**63 - 1, 2**63 - 2])
numbers = st.one_of(edges, st.integers(-(2**63), 2**63 - 1), st.integers(-1000, 1000))
pairs = st.integers(1, 20).flatmap(
    lambda count: st.tuples(*[hnp.arrays(np.int64, count, elements=numbers) for _ in range(2)])
)


def computed(operation, *columns, **params):
    return OPERATIONS[operation].evaluate(*columns, **params)


def exact(compute, *columns):
    """Return results of Python's integers, None for NaT; OverflowError where one does not fit."""
    found = [
        None if NAT in row else compute(*row) for row in zip(*[column.tolist() for column in columns], strict=True)
    ]
    if any(result is not None and not NAT < result < 2**63 for result in found):
        raise OverflowError
    return np.array([NAT if result is None else result for result in found])


def check(operation, compute, *columns, **params):
    try:
        expected = exact(compute, *columns)
    except OverflowError:
        with pytest.raises(TimeOverflowError):
            computed(operation, *columns, **params)
        return
    np.testing.assert_array_equal(computed(operation, *columns, **params), expected)
    out = np.empty(len(columns[0]), np.int64)
    assert computed(operation, *columns, out=out, **params) is out
    np.testing.assert_array_equal(out, expected)


@given(pairs)
def test_sums_and_differences_are_exact_or_an_error(columns):
    check("add_times", lambda one, other: one + other, *columns)
    check("subtract_times", lambda one, other: one - other, *columns)


@given(pairs, st.sampled_from([np.int64, np.uint64, np.bool_]))
def test_multiples_are_exact_or_an_error(columns, dtype):
    spans, factors = columns[0], np.where(columns[1] == NAT, 3, columns[1]).astype(dtype)
    products = [None if span == NAT else span * int(by) for span, by in zip(spans.tolist(), factors, strict=True)]
    is_large = dtype == np.uint64 and (factors > 2**63 - 1).any()
    if is_large or any(found is not None and not NAT < found < 2**63 for found in products):
        with pytest.raises(TimeOverflowError):
            computed("multiply_times", spans, factors)
    else:
        expected = np.array([NAT if found is None else found for found in products])
        np.testing.assert_array_equal(computed("multiply_times", spans, factors), expected)


@given(
    hnp.arrays(np.int64, st.integers(1, 20), elements=numbers),
    st.sampled_from(["floor", "ceil", "round"]),
    st.sampled_from([1, 2, 7, 1000, 86_400 * 10**9, 3 * 10**18]),
)
def test_rounding_is_exact_or_an_error(times, how, step):
    def rounded(number):
        down, rest = divmod(number, step)
        if how == "ceil":
            return (down + (rest > 0)) * step
        up = how == "round" and (2 * rest > step or (2 * rest == step and down % 2 == 1))
        return (down + up) * step

    check("round_time", rounded, times, how=how, step=step)


@given(pairs)
def test_parts_of_spans_are_those_of_python(columns):
    spans, by = columns
    by = np.where(by == NAT, 2, by)
    found = computed("divide_times", spans, by, round_down=True)
    expected = [
        NAT if span == NAT or not part else span // part
        for span, part in zip(*map(np.ndarray.tolist, (spans, by)), strict=True)
    ]
    np.testing.assert_array_equal(found, np.array(expected))
    found = computed("divide_times", spans, by, round_down=False)
    expected = [
        NAT if span == NAT or not part else (abs(span) // abs(part)) * (1 if (span < 0) == (part < 0) else -1)
        for span, part in zip(*map(np.ndarray.tolist, (spans, by)), strict=True)
    ]
    np.testing.assert_array_equal(found, np.array(expected))


@given(pairs, st.sampled_from(["s", "ms", "us", "ns"]), st.sampled_from(["s", "ms", "us", "ns"]))
def test_times_of_different_units_are_compared_exactly(columns, one, other):
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    for how in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        expected = [
            how == "not_equal" if NAT in row else bool(getattr(np, how)(row[0] * per[other], row[1] * per[one]))
            for row in zip(*[column.astype(object) for column in columns], strict=True)
        ]
        assert computed("compare_times", *columns, how=how, units=(one, other)).tolist() == expected


@given(hnp.arrays(np.int64, st.integers(1, 20), elements=numbers), st.sampled_from(["s", "ms", "us", "ns"]))
def test_finer_units_hold_times_or_are_an_error(times, wanted):
    check(
        "time_in_unit",
        lambda number: number * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[wanted],
        times,
        given="s",
        wanted=wanted,
    )
    check("time_in_unit", lambda number: number // 10**6, times, given="ns", wanted="ms")


def test_numbers_of_a_unit_become_times_as_pandas_makes_them():
    found = computed("counted_time", np.array([0.1, -1.5, np.nan, 1e9, 1700000000.123456]), step=10**9)
    assert found.tolist() == [10**8, -1_500_000_000, NAT, 10**18, 1700000000123456001]
    for wrong in ([np.inf], [-np.inf], [1e10]):
        with pytest.raises(TimeOverflowError):
            computed("counted_time", np.array(wrong), step=10**9)
    with pytest.raises(TimeOverflowError):
        computed("counted_time", np.array([2**63], np.uint64), step=1)


def test_fields_of_nat_are_an_error_unless_something_takes_their_place():
    times = np.array([NAT, 0])
    with pytest.raises(ArgumentError, match="NaT"):
        computed("calendar", times, field="year")
    with pytest.raises(ArgumentError, match="NaT"):
        computed("time_part", times, name="hour", step=3600, count=24)
    assert computed("calendar", times, field="year", missing=True)[1] == 1970
    assert computed("calendar", times, field="is_leap_year", missing=True).tolist() == [False, False]


def test_scalars_and_no_rows_are_taken():
    assert computed("add_times", np.int64(1), np.int64(2)) == 3
    assert computed("add_times", np.int64(NAT), np.int64(2)) == NAT
    assert len(computed("add_times", np.array([], np.int64), np.int64(2))) == 0


TIME_TYPES = {
    "calendar": ({"field": "day"}, [(INT64,)], INT64),
    "time_part": ({"name": "hour", "step": 1, "count": 24}, [(INT64,)], INT64),
    "round_time": ({"how": "floor", "step": 1}, [(INT64,)], INT64),
    "parse_time": ({"kind": "M"}, [(STR,)], INT64),
    "add_times": ({}, [(INT64, INT64)], INT64),
    "subtract_times": ({}, [(INT64, INT64)], INT64),
    "remaining_time": ({}, [(INT64, INT64)], INT64),
    "multiply_times": ({}, [(INT64, INT64), (INT64, FLOAT64), (INT64, UINT64), (INT64, BOOL)], INT64),
    "divide_times": ({}, [(INT64, INT64), (INT64, FLOAT64), (INT64, UINT64), (INT64, BOOL)], INT64),
    "time_ratio": ({}, [(INT64, INT64)], FLOAT64),
    "whole_time_ratio": ({}, [(INT64, INT64)], INT64),
    "time_in_unit": ({}, [(INT64,)], INT64),
    "compare_times": ({}, [(INT64, INT64)], BOOL),
    "counted_time": ({}, [(INT64,), (UINT64,), (FLOAT64,)], INT64),
    "local_time": ({}, [(INT64,)], INT64),
    "utc_time": ({}, [(INT64,), (INT64, BOOL)], INT64),
    "move_by_offset": ({}, [(INT64,)], INT64),
}
"""Parameters of operations on times, the types that they take, and that of the result."""


def test_operations_on_times_take_times_and_refuse_other_types():
    for name, (params, taken, result) in TIME_TYPES.items():
        operation = OPERATIONS[name]
        for count in {len(types) for types in taken}:
            for types in product((INT64, FLOAT64, UINT64, BOOL, STR), repeat=count):
                if types in taken:
                    assert operation.result_type(*types, **params) == result, (name, types)
                else:
                    with pytest.raises(ArgumentTypeError):
                        operation.result_type(*types, **params)
    assert OPERATIONS["calendar"].result_type(INT64, field="is_leap_year") == BOOL
    for step in (0, -1):
        with pytest.raises(ArgumentError, match="at least 1 ns"):
            OPERATIONS["round_time"].result_type(INT64, how="floor", step=step)
