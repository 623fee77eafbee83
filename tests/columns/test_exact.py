"""Numbers of different types compare, match and are chosen as what they are: Python's own numbers are the reference."""

import math
import operator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns import exact
from akdask.engine.operations import OPERATIONS
from akdask.errors import ConversionError

EDGES = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**63 - 1, -(2**53) - 1, -(2**63), -(2**63) + 1]
UNSIGNED = [number for number in EDGES if number >= 0] + [2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2**11]
FLOATS = [0.0, -0.0, 0.5, -0.5, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63, -(2.0**63), 2.0**64, 1e300, -1e300]
FLOATS += [float("nan"), float("inf"), -float("inf"), 5.0, 2.0**62 + 1024]

int64s = st.sampled_from(EDGES) | st.integers(-(2**63), 2**63 - 1)
uint64s = st.sampled_from(UNSIGNED) | st.integers(0, 2**64 - 1)
floats = st.sampled_from(FLOATS) | st.floats()


@st.composite
def pairs(draw):
    """Return two columns of as many numbers of two types, and the same as Python's numbers."""
    kinds = [(int64s, np.int64), (uint64s, np.uint64), (floats, np.float64)]
    size = draw(st.integers(1, 6))
    found = []
    for items, dtype in draw(st.permutations(kinds))[:2]:
        found.append(np.array(draw(st.lists(items, min_size=size, max_size=size)), dtype))
    return found


COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@given(pairs(), st.sampled_from(list(COMPARISONS)))
def test_comparisons_are_those_of_python(sides, name):
    left, right = sides
    wanted = [COMPARISONS[name](x, y) for x, y in zip(left.tolist(), right.tolist(), strict=True)]
    assert OPERATIONS[name].evaluate(left, right).tolist() == wanted
    out = np.empty(len(left), np.bool_)
    OPERATIONS[name].evaluate(left, right, out=out)
    assert out.tolist() == wanted
    # A plain number stands for every row.
    assert OPERATIONS[name].evaluate(left, right[0]).tolist() == [
        COMPARISONS[name](x, right[0].item()) for x in left.tolist()
    ]


@given(
    st.one_of(
        *(
            st.lists(items).map(partial(np.array, dtype=dtype))
            for items, dtype in (
                (int64s, np.int64),
                (uint64s, np.uint64),
                (floats, np.float64),
                (int64s | uint64s, object),
            )
        )
    )
)
def test_the_first_integer_that_is_no_float_is_found(numbers):
    changed = [x for x in numbers.tolist() if isinstance(x, int) and int(float(x)) != x]
    assert exact.first_changed(numbers) == (changed[0] if changed else None)
    assert exact.first_changed(numbers, np.zeros(len(numbers), np.bool_)) is None or numbers.dtype == object


@pytest.mark.parametrize("name", COMPARISONS)
def test_all_edges_compare_with_all_others(name):
    for integers, dtype in ((EDGES, np.int64), (UNSIGNED, np.uint64)):
        for number in FLOATS:
            column = np.array(integers, dtype)
            found = OPERATIONS[name].evaluate(column, np.float64(number))
            assert found.tolist() == [COMPARISONS[name](item, number) for item in integers]
            turned = OPERATIONS[name].evaluate(np.float64(number), column)
            assert turned.tolist() == [COMPARISONS[name](number, item) for item in integers]
            whole = exact.comparable_with(name, number, "int" if dtype is np.int64 else "uint")
            low, high = exact.LIMITS["i" if dtype is np.int64 else "u"]
            is_whole = low <= number < high and number == int(number)
            assert (whole is not None) == (is_whole if "equal" in (name, name[4:]) else low <= number < high)
            if whole is not None:
                assert [COMPARISONS[name](item, whole) for item in integers] == found.tolist()
        others, other = (UNSIGNED, np.uint64) if dtype is np.int64 else (EDGES, np.int64)
        for number in others:
            found = OPERATIONS[name].evaluate(np.array(integers, dtype), np.array([number], other))
            assert found.tolist() == [COMPARISONS[name](item, number) for item in integers]


WIDENED = {"i8": int64s, "u8": uint64s, "i4": st.integers(-(2**31), 2**31 - 1), "u1": st.integers(0, 255)}


@given(st.sampled_from(list(WIDENED)), st.sampled_from(["f8", "i8", "u8", "u1"]), st.data())
def test_integers_of_files_get_the_type_of_a_column_or_are_refused(stored, wanted, data):
    numbers = data.draw(st.lists(WIDENED[stored] | st.integers(0, 255), max_size=5))
    column, out = np.array(numbers, stored), np.empty(len(numbers), wanted)
    limits = None if wanted == "f8" else np.iinfo(wanted)
    fits = [float(n) == n if limits is None else limits.min <= n <= limits.max for n in numbers]
    if not all(fits):
        with pytest.raises(ConversionError, match="'c'"):
            exact.widen_into(out, column, "c")
        return
    exact.widen_into(out, column, "c")
    assert out.tolist() == numbers


@pytest.mark.parametrize("dtype", ["f4", "f8", "?"])
def test_numbers_of_files_that_are_no_integers_are_copied(dtype):
    out = np.empty(2)
    exact.widen_into(out, np.array([1, 0], dtype), "c")
    assert out.tolist() == [1.0, 0.0]


@given(pairs(), st.lists(st.booleans(), min_size=6, max_size=6))
def test_what_is_chosen_is_never_another_number(sides, conditions):
    left, right = sides
    condition = np.array(conditions[: len(left)])
    choices = {
        "where": [x if c else y for c, x, y in zip(conditions, left.tolist(), right.tolist(), strict=False)],
        "minimum": [_extreme(min, x, y) for x, y in zip(left.tolist(), right.tolist(), strict=True)],
        "maximum": [_extreme(max, x, y) for x, y in zip(left.tolist(), right.tolist(), strict=True)],
    }
    for name, wanted in choices.items():
        args = (condition, left, right) if name == "where" else (left, right)
        if all(isinstance(number, float) or int(float(number)) == number for number in wanted):
            np.testing.assert_array_equal(OPERATIONS[name].evaluate(*args), np.array(wanted, np.float64))
        else:
            with pytest.raises(ConversionError, match="would become"):
                OPERATIONS[name].evaluate(*args)


def _extreme(function, x, y):
    """Return the smaller or larger number, NaN where one is."""
    return float("nan") if math.isnan(x) or math.isnan(y) else function(x, y)


@given(st.lists(int64s, min_size=1, max_size=6), floats, floats)
def test_limits_count_as_what_they_are(numbers, low, high):
    wanted = [_extreme(min, _extreme(max, number, low), high) for number in numbers]
    column = np.array(numbers)
    if all(isinstance(number, float) or int(float(number)) == number for number in wanted):
        found = OPERATIONS["clip"].evaluate(column, np.float64(low), np.float64(high))
        np.testing.assert_array_equal(found, np.array(wanted, np.float64))
    else:
        with pytest.raises(ConversionError):
            OPERATIONS["clip"].evaluate(column, np.float64(low), np.float64(high))


def test_keys_are_equal_where_numbers_are():
    of_types = [
        (EDGES, np.int64),
        (UNSIGNED, np.uint64),
        (FLOATS, np.float64),
        ([0, 1, 255], np.uint8),
        ([False, True], np.bool_),
    ]
    keys = [
        (item, (int(word), int(kind)))
        for items, dtype in of_types
        for item, word, kind in zip(
            np.array(items, dtype).tolist(),
            exact.key_word(np.array(items, dtype)),
            exact.key_kind(np.array(items, dtype)),
            strict=True,
        )
    ]
    for one, key in keys:
        for other, another in keys:
            assert (key == another) == (one == other or (math.isnan(one) and math.isnan(other))), (one, other)


@given(st.lists(int64s, min_size=1, max_size=6), st.integers(1, 18))
def test_integers_are_rounded_to_tens_halves_to_even(numbers, places):
    unit = 10**places
    found = OPERATIONS["round"].evaluate(np.array(numbers), decimals=-places)
    # What no int64 holds wraps, as sums do.
    wanted = [_wrapped(round(number, -places)) for number in numbers]
    assert found.tolist() == wanted, unit


def _wrapped(number):
    return (number + 2**63) % 2**64 - 2**63


def test_rounding_to_tens_is_that_of_numpy():
    assert OPERATIONS["round"].evaluate(np.array([15, 25, -5]), decimals=-1).tolist() == [20, 20, 0]
    assert np.round([15, 25, -5], -1).tolist() == [20, 20, 0]
