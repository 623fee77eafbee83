"""Kernels of a few lines, each with the rows that tell one of its steps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from akdask.engine.operations import OPERATIONS
from akdask.errors import AkdaskError, ArgumentError
from akdask.operators.values import random

NAT = -(2**63)


def evaluate(operation, *args, **params):
    return OPERATIONS[operation].evaluate(*args, **params)


def lists(kind, *rows):
    return pa.array(rows, pa.large_list(kind))


def test_differences_of_integers_are_rounded_once_and_zero_has_no_sign():
    one = np.array([5, 3, 7, 2**63 - 1, -(2**63), 2**53 + 1])
    other = np.array([5, 7, 3, -(2**63), 2**63 - 1, 0])
    found = evaluate("difference", one, other)
    assert found.tolist() == [float(a - b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    assert not np.signbit(found[0])


@pytest.mark.parametrize(
    ("kind", "one", "other", "equal"),
    [
        (pa.float64(), [[1.0, np.nan], [0.0], [2.0]], [[1.0, np.nan], [-0.0], [3.0]], [False, True, False]),
        (pa.int64(), [[1, 2], [1], [2, 3], []], [[1, 2], [2], [2], [1]], [True, False, False, False]),
        (pa.large_string(), [["a", "b"], ["c"], [], ["é"]], [["a", "x"], ["c"], [], ["e"]], [False, True, True, False]),
        (pa.bool_(), [[True], [False], []], [[True], [True], []], [True, False, True]),
    ],
)  # fmt: skip
def test_lists_are_equal_where_their_values_are(kind, one, other, equal):
    left, right = lists(kind, *one), lists(kind, *other)
    assert evaluate("equal", left, right).tolist() == equal
    assert evaluate("not_equal", left, right).tolist() == [not item for item in equal]


@pytest.mark.parametrize("field", ["day", "month", "year", "is_leap_year"])
def test_fields_of_missing_times_are_those_of_the_first_day(field):
    """Who asks masks them; flags are False."""
    later = 86_400 * 10**9 * (365 * 2 + 31)
    given = np.array([NAT, later])
    first = np.array([0, later]).view("M8[ns]")
    pandas = {
        "day": lambda at: (at.astype("M8[D]") - at.astype("M8[M]")).astype(int) + 1,
        "month": lambda at: at.astype("M8[M]").astype(int) % 12 + 1,
        "year": lambda at: at.astype("M8[Y]").astype(int) + 1970,
        "is_leap_year": lambda at: (at.astype("M8[Y]").astype(int) + 1970) % 4 == 0,
    }[field]
    assert evaluate("calendar", given, field=field, missing=True).tolist() == pandas(first).tolist()
    with pytest.raises(AkdaskError):
        evaluate("calendar", given, field=field)
    assert evaluate("calendar", given[1:], field=field).tolist() == pandas(first[1:]).tolist()


@pytest.mark.parametrize("second", [None, 5, 1000])
@pytest.mark.parametrize("first", [0, 7])
def test_normal_numbers_are_made_of_two_uniform_ones(first, second):
    """The angle is of the next seed, or so many positions further in the stream of the same one."""
    found = random.standard_normal(first, 20, seed=3, second=second)
    radius = random.uniform(first, 20, seed=3)
    angle = random.uniform(first, 20, seed=4) if second is None else random.uniform(first + second, 20, seed=3)
    np.testing.assert_array_equal(found, np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * angle))


@pytest.mark.parametrize(
    ("values", "decimals", "rounded"),
    [
        ([15, 25, -15, 14, 16], -1, [20, 20, -20, 10, 20]),
        ([149, 150, 250, -150, -251], -2, [100, 200, 200, -200, -300]),
        ([5, 6], 2, [5, 6]), ([2**62], -18, [5 * 10**18]), ([4 * 10**18, -4 * 10**18], -19, [0, 0]), ([7], -25, [0]),
        ([5 * 10**18], -19, [0]),
    ],
)  # fmt: skip
def test_integers_are_rounded_to_tens_with_halves_to_even(values, decimals, rounded):
    assert evaluate("round", np.array(values), decimals=decimals).tolist() == rounded
    out = np.zeros(len(values), np.int64)
    assert evaluate("round", np.array(values), out=out, decimals=decimals) is out
    if min(values) >= 0 and max(values) < 200 and decimals > -20:
        assert evaluate("round", np.array(values, np.uint8), decimals=decimals).tolist() == rounded


def test_integers_beyond_half_of_the_largest_power_are_refused():
    for value in (5 * 10**18 + 1, -(5 * 10**18) - 1):
        with pytest.raises(ArgumentError, match="18 places"):
            evaluate("round", np.array([value]), decimals=-19)
    assert evaluate("round", np.array([1.25, -0.5, 2.5]), decimals=0).tolist() == [1.0, -0.0, 2.0]
    assert evaluate("round", np.array([True, False]), decimals=0).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        (0.0, 0.0, 0.0),
        (0.0, np.nan, np.nan),
        (2.0, 1.0, 0.0),
        (2.0, 0.0, -np.inf),
        (0.0, -1.0, 0.0),
        (3.0, np.e, 3.0),
        (0.0, np.inf, 0.0),
    ],
)
def test_products_with_logarithms_are_zero_where_the_factor_is(x, y, found):
    np.testing.assert_allclose(evaluate("xlogy", np.array([x]), np.array([y])), [found])


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        ("True", "bool", True), ("false", "bool", False), ("1", "bool", True), ("0", "bool", False),
        (" True", "bool", True),
        ("yes", "bool", None), ("", "bool", None), (" 5", "int64", 5), ("5.0", "int64", None),
        ("1e3", "float64", 1000.0),
        ("-7", "uint64", None), ("18446744073709551615", "uint64", 2**64 - 1),
    ],
)  # fmt: skip
def test_text_is_parsed_as_numbers_alone_and_beside_others(text, dtype, value):
    plain = {"bool": "True", "int64": "3", "uint64": "3", "float64": "3"}[dtype]
    for items in ([text], [plain, text]):
        column = pa.array(items, pa.large_string())
        if value is None:
            with pytest.raises(AkdaskError):
                evaluate("cast", column, dtype=dtype)
        else:
            assert evaluate("cast", column, dtype=dtype).tolist()[-1] == value
