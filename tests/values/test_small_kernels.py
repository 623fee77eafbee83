"""Kernels of a few lines, each with the rows that tell one of its steps."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT8, UINT64
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import make_missing
from akdask.engine.operations import OPERATIONS
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, PositionError
from akdask.operators.values import bigint, elementwise, random

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


# ---- types of results

NUMBERS = (INT64, UINT64, FLOAT64, BOOL, UINT8)
SAMPLE = (*NUMBERS, STR, BIGINT)
TYPES = {
    "nearest_narrow": ({}, 1, lambda one: FLOAT64 if one in NUMBERS else None),
    "cast_exactly": ({"dtype": "int64"}, 1, lambda one: INT64 if one in (*NUMBERS, BIGINT) else None),
    "cast_exactly to bool": ({"dtype": "bool"}, 1, lambda one: BOOL if one in (*NUMBERS, BIGINT) else None),
    "cast_exactly to float64": ({"dtype": "float64"}, 1, lambda one: None),
    "cast_exactly to str": ({"dtype": "str"}, 1, lambda one: None),
    "is_number": ({"dtype": "float64"}, 1, lambda one: BOOL if one == STR else None),
    "is_number as str": ({"dtype": "str"}, 1, lambda one: None),
    "is_integer": ({"dtype": "int64"}, 1, lambda one: BOOL if one == STR else None),
    "missing_as_nan": (
        {}, 2, lambda one, lacks: FLOAT64 if one in (INT64, UINT64, BOOL, UINT8) and lacks == BOOL else None
    ),
    "strided": ({}, 2, lambda table, rows: table if rows == INT64 else None),
    "strided_position": ({}, 1, lambda rows: INT64 if rows == INT64 else None),
    "of_labelled": ({}, 2, lambda one, other: BOOL if one == other == BOOL else None),
    "range_length": ({}, 2, lambda one, other: INT64 if one == other == INT64 else None),
    "inverse_position": ({}, 3, lambda *types: INT64 if {*types} == {INT64} else None),
    "put_range": (
        {}, 3, lambda old, rows, item: old if old == item and old in NUMBERS and rows == INT64 else None
    ),
    "round": ({}, 1, lambda one: FLOAT64 if one == BOOL else one if one in NUMBERS else None),
    "difference": ({}, 2, lambda one, other: FLOAT64 if one == other else None),
}  # fmt: skip
"""Parameters, number of arguments and the type of the result by their types, None where they are refused."""


def test_types_of_results_are_those_of_the_table():
    for called, (params, count, result) in TYPES.items():
        operation = OPERATIONS[called.partition(" ")[0]]
        for types in product(SAMPLE, repeat=count):
            if any(dtype == BIGINT for dtype in types) and operation.name in ("round", "difference"):
                continue
            wanted = result(*types)
            if wanted is None:
                with pytest.raises(ArgumentTypeError):
                    operation.result_type(*types, **params)
            else:
                assert operation.result_type(*types, **params) == wanted, (called, types)


# ---- random bits and bounds of any stretch


@pytest.mark.parametrize(("first", "count"), [(0, 40), (3, 11), (17, 1), (39, 1), (20, 0)])
def test_short_random_numbers_depend_on_their_positions_alone(first, count):
    for draw in (
        partial(random.short_integers, seed=7, low=3, high=8), partial(random.short_integers, seed=7, low=0, high=128),
        partial(random.bools, seed=7),
    ):  # fmt: skip
        assert draw(first, count).tolist() == draw(0, 40)[first : first + count].tolist()


def test_short_random_numbers_are_all_of_their_range_equally():
    found = random.short_integers(0, 30_000, seed=5, low=3, high=8)
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == [3, 4, 5, 6, 7]
    assert abs(counts - 6000).max() < 400
    assert abs(random.bools(0, 30_000, seed=5).sum() - 15_000) < 500


# ---- limbs and truth of integers of any size

LARGE = [0, 1, -1, 2**63, -(2**63), 2**64, 2**64 + 5, -(2**100), 2**130 - 1]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_limbs_are_words_of_two_s_complement(number):
    found = bigint._limb(from_ints(LARGE), number=number)
    assert found.tolist() == [(item >> 64 * number) % 2**64 for item in LARGE]


def test_a_limb_is_put_below_others():
    high, low = [0, 1, -1, 2**64, -(2**70)], [5, 2**64 - 1, 0, 7, 1]
    found = bigint._append_limb(from_ints(high), np.array(low, np.uint64))
    assert list(to_ints(found)) == [(one << 64) + other for one, other in zip(high, low, strict=True)]


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor", "logical_not"])
def test_truth_of_integers_of_any_size_is_that_of_python(name):
    ufunc = getattr(np, name)
    for other in (np.arange(len(LARGE)) % 2, from_ints(LARGE[::-1]), np.int64(0), True):
        sides = (from_ints(LARGE),) if ufunc.nin == 1 else (from_ints(LARGE), other)
        plain = LARGE[::-1] if isinstance(other, pa.Array) else np.broadcast_to(other, len(LARGE)).tolist()
        wanted = ufunc(
            np.array([item != 0 for item in LARGE]),
            *([np.array([item != 0 for item in plain])] if ufunc.nin == 2 else []),
        )
        assert bigint._logical(ufunc)(*sides).tolist() == wanted.tolist()


# ---- text


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_text_is_compared_with_text_on_either_side(name):
    rows, others = ["b", "", "é", "aa", "b"], ["a", "", "z", "ab", "b"]
    ufunc = getattr(np, name)
    left, right = (pa.array(items, pa.large_string()) for items in (rows, others))
    wanted = [bool(ufunc(*pair)) for pair in zip(np.array(rows), np.array(others), strict=True)]
    assert evaluate(name, left, right).tolist() == wanted
    assert evaluate(name, left, "b").tolist() == [bool(ufunc(np.str_(item), np.str_("b"))) for item in rows]
    assert evaluate(name, "b", left).tolist() == [bool(ufunc(np.str_("b"), np.str_(item))) for item in rows]
    out = np.empty(5, np.bool_)
    evaluate(name, left, right, out=out)
    assert out.tolist() == wanted


@pytest.mark.parametrize("position", [0, 1, 2, np.int64(1), np.uint64(2)])
def test_one_row_of_a_table_is_a_single_value(position):
    missing = make_missing(pa.array(["a", "", "c"], pa.large_string()), np.array([False, True, False]))
    nullable = NullableColumn(np.array([2**60 + 1, 0, 3]), np.array([False, True, False]))
    for table, rows in (
        (missing, ["a", None, "c"]), (pa.array(["x", "", "é"], pa.large_string()), ["x", "", "é"]),
        (lists(pa.int64(), [1, 2], [], [3]), [[1, 2], [], [3]]), (np.array([0.5, 1.5, 2.5]), [0.5, 1.5, 2.5]),
        (np.array([True, False, True]), [True, False, True]),
    ):  # fmt: skip
        assert evaluate("lookup", table, position) == rows[position]
    found = evaluate("lookup", nullable, position)
    assert found == [2**60 + 1, None, 3][position] or (position == 1 and np.isnan(found))
    for outside in (-1, 3):
        with pytest.raises(PositionError, match="categories: 3"):
            evaluate("lookup", missing, outside)


@pytest.mark.parametrize(
    ("results", "dtype", "wanted"),
    [
        ([np.array(1), np.array(2)], UINT64, [1, 2]), ([np.array(-1), np.array(2)], UINT64, None),
        ([np.array(2**63, np.uint64)], INT64, None), ([np.array(7, np.uint64)], INT64, [7]), ([1, 2], UINT64, [1, 2]),
        ([-1], UINT64, None), ([2**63, 1], UINT64, [2**63, 1]), ([1.5], INT64, None), ([True], INT64, [1]),
        ([1, True], FLOAT64, [1.0, 1.0]), ([[1, 2]], INT64, None), (["a"], INT64, None),
    ],
)  # fmt: skip
def test_results_of_functions_fit_their_type_or_are_refused(results, dtype, wanted):
    if wanted is None:
        with pytest.raises(ArgumentError, match="returns what is no"):
            elementwise._column_of_results(results, dtype)
    else:
        found = elementwise._column_of_results(results, dtype)
        assert (found.dtype, found.tolist()) == (dtype.numpy, wanted)
