"""Integers of any size against Python's own."""

import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints, from_limbs, from_numbers, limbs_of, modulo_power, narrowed, with_limbs
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT64, bigint_of
from akdask.columns.table import concat_rows, to_objects
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError
from akdask.operators.reduce.reductions import ScalarReduction

pytestmark = pytest.mark.light

EXTREMES = [0, 1, -1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**64), 2**128 - 1, 2**200, -(2**200)]
numbers = st.sampled_from(EXTREMES) | st.integers(-(2**200), 2**200)
pairs = st.lists(st.tuples(numbers, numbers), max_size=8)
LIMITS = [-1, 1, 63, 64, 65, 128, 200]

BINARY = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": lambda a, b: a // b if b else 0,
    "remainder": lambda a, b: a % b if b else 0,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "minimum": min,
    "maximum": max,
}
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
UNARY = {
    "negative": operator.neg,
    "invert": operator.invert,
    "absolute": abs,
    "positive": operator.pos,
    "square": lambda a: a * a,
    "sign": lambda a: (a > 0) - (a < 0),
}


def limited(number, bits):
    return number % 2**bits if bits > 0 else number


@given(rows=st.lists(numbers, max_size=8))
def test_integers_are_what_they_were_at_any_width(rows):
    column = from_ints(rows)
    assert to_objects(column) == rows
    limbs = limbs_of(column)
    assert to_objects(from_limbs(with_limbs(limbs, limbs.shape[1] + 3))) == rows
    assert to_objects(from_limbs(narrowed(with_limbs(limbs, limbs.shape[1] + 3)))) == rows


@given(rows=st.lists(numbers, max_size=8), start=st.integers(0, 8), more=st.lists(numbers, max_size=4))
def test_slices_join_whatever_their_widths(rows, start, more):
    joined = concat_rows([from_ints(rows).slice(start), from_ints(more), from_ints([2**300])])
    assert to_objects(joined) == [*rows[start:], *more, 2**300]


@given(rows=st.lists(numbers, max_size=8), bits=st.integers(1, 260))
def test_the_remainder_of_a_power_of_two_is_pythons(rows, bits):
    kept = modulo_power(limbs_of(from_ints(rows)), bits)
    assert [int.from_bytes(row.tobytes(), "little") for row in kept] == [number % 2**bits for number in rows]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.bool_])
def test_numbers_are_taken_over_as_they_are(dtype):
    if dtype is np.bool_:
        rows = np.array([True, False])
    else:
        limits = np.iinfo(dtype)
        rows = np.array([limits.min, 0, limits.max], dtype)
    column = from_numbers(rows)
    expected = rows.tolist()
    rows[:] = 0
    assert to_objects(column) == expected


@pytest.mark.parametrize("name", BINARY)
@given(rows=pairs, single=numbers, bits=st.sampled_from(LIMITS))
def test_operations_are_pythons_modulo_the_limit(name, bits, rows, single):
    left, right = [limited(a, bits) for a, _ in rows], [limited(b, bits) for _, b in rows]
    operation, expected = OPERATIONS[name], BINARY[name]
    assert operation.result_type(bigint_of(bits), BIGINT) == bigint_of(bits)
    found = operation.evaluate(from_ints(left), from_ints(right), max_bits=bits)
    assert to_objects(found) == [limited(expected(a, b), bits) for a, b in zip(left, right, strict=True)]
    found = operation.evaluate(from_ints(left), single, max_bits=bits)
    assert to_objects(found) == [limited(expected(a, single), bits) for a in left]
    found = operation.evaluate(single, from_ints(right), max_bits=bits)
    assert to_objects(found) == [limited(expected(single, b), bits) for b in right]
    assert operation.evaluate(single, 2**70, max_bits=bits) == limited(expected(single, 2**70), bits)


@pytest.mark.parametrize("name", BINARY)
@given(rows=st.lists(st.tuples(numbers, st.integers(-(2**63), 2**63 - 1)), max_size=8))
def test_whole_numbers_of_other_types_join_in(name, rows):
    left, right = from_ints([a for a, _ in rows]), np.array([b for _, b in rows], np.int64)
    assert OPERATIONS[name].result_type(BIGINT, INT64) == BIGINT
    found = to_objects(OPERATIONS[name].evaluate(left, right))
    assert found == [BINARY[name](a, b) for a, b in rows]


@pytest.mark.parametrize("name", UNARY)
@given(rows=st.lists(numbers, max_size=8), bits=st.sampled_from(LIMITS))
def test_operations_on_one_column_are_pythons_modulo_the_limit(name, rows, bits):
    rows = [limited(number, bits) for number in rows]
    found = OPERATIONS[name].evaluate(from_ints(rows), max_bits=bits)
    assert to_objects(found) == [limited(UNARY[name](number), bits) for number in rows]


@pytest.mark.parametrize("name", COMPARISONS)
@given(rows=pairs, single=numbers | st.floats(allow_nan=True))
def test_comparisons_are_pythons_also_with_floats(name, rows, single):
    left, right = [a for a, _ in rows], [b for _, b in rows]
    compare = {"equal": operator.eq, "not_equal": operator.ne}.get(name) or getattr(
        operator, {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}[name]
    )
    operation = OPERATIONS[name]
    assert operation.result_type(BIGINT, FLOAT64) == BOOL
    found = operation.evaluate(from_ints(left), from_ints(right), max_bits=-1)
    assert found.tolist() == [compare(a, b) for a, b in rows]
    other = np.float64(single) if isinstance(single, float) else single
    assert operation.evaluate(from_ints(left), other).tolist() == [compare(a, single) for a in left]
    out = np.empty(len(rows), np.bool_)
    assert operation.evaluate(other, from_ints(left), out=out) is out
    assert out.tolist() == [compare(single, a) for a in left]


@given(rows=st.lists(st.tuples(numbers, numbers, st.booleans()), max_size=8))
def test_where_chooses_row_by_row(rows):
    mask = np.array([c for _, _, c in rows], np.bool_)
    x, y = from_ints([a for a, _, _ in rows]), from_ints([b for _, b, _ in rows])
    assert to_objects(OPERATIONS["where"].evaluate(mask, x, y)) == [a if c else b for a, b, c in rows]
    assert to_objects(OPERATIONS["where"].evaluate(mask, 2**70, np.int64(-1))) == [2**70 if c else -1 for *_, c in rows]


@given(rows=st.lists(numbers, max_size=8), count=st.integers(0, 300), bits=st.sampled_from([-1, 64, 200]))
def test_shifts_are_pythons_modulo_the_limit(rows, count, bits):
    rows = [limited(number, bits) for number in rows]
    column = from_ints(rows)
    found = OPERATIONS["left_shift"].evaluate(column, np.int64(count), max_bits=bits)
    assert to_objects(found) == [limited(number << count, bits) for number in rows]
    found = OPERATIONS["right_shift"].evaluate(column, np.int64(count), max_bits=bits)
    assert to_objects(found) == [number >> count for number in rows]


@given(number=st.integers(0, 2**70 - 1), count=st.integers(-200, 200))
def test_rotations_move_bits_round_the_limit(number, count):
    text = format(number, "070b")
    turned = text[count % 70 :] + text[: count % 70]
    found = OPERATIONS["rotl"].evaluate(from_ints([number]), np.int64(count), max_bits=70)
    assert to_objects(found) == [int(turned, 2)]
    back = OPERATIONS["rotr"].evaluate(found, np.int64(count), max_bits=70)
    assert to_objects(back) == [number]


@given(number=st.integers(0, 2**70 - 1))
def test_bits_are_counted_as_in_binary_notation(number):
    text, column = format(number, "070b"), from_ints([number])
    expected = {
        "popcount": text.count("1"),
        "parity": text.count("1") % 2,
        "clz": len(text) - len(text.lstrip("0")),
        "ctz": len(text) - len(text.rstrip("0")) if number else 0,
    }
    for name, count in expected.items():
        found = OPERATIONS[name].evaluate(column, max_bits=70)
        assert (found.tolist(), found.dtype) == ([count], np.uint64)


def test_what_needs_a_highest_bit_needs_a_limit():
    for name, types in {"clz": [BIGINT], "rotl": [BIGINT, INT64]}.items():
        with pytest.raises(ArgumentTypeError):
            OPERATIONS[name].result_type(*types)
    assert OPERATIONS["clz"].result_type(bigint_of(3)) == UINT64


@pytest.mark.parametrize("bits", [-1, 64])
def test_powers_are_exact_or_modular(bits):
    found = OPERATIONS["power"].evaluate(from_ints([0, 2, 3, 2**63]), np.array([0, 100, 50, 3]), max_bits=bits)
    assert to_objects(found) == [limited(n, bits) for n in (1, 2**100, 3**50, 2**189)]


def test_integers_that_would_fill_the_memory_are_refused():
    for name, other in [("left_shift", 2**40), ("power", 2**62)]:
        with pytest.raises(ArgumentError, match="max_bits"):
            OPERATIONS[name].evaluate(from_ints([3]), np.int64(other))
        OPERATIONS[name].evaluate(from_ints([3]), np.int64(other), max_bits=100)
    with pytest.raises(ArgumentError, match="negative"):
        OPERATIONS["power"].evaluate(from_ints([3]), np.int64(-1))


def test_dividing_gives_floats():
    found = OPERATIONS["divide"].evaluate(from_ints([2**1030, -1, 0, 1, 3]), from_ints([2**1029, 0, 0, 2**1100, 2]))
    np.testing.assert_array_equal(found, [2.0, -np.inf, np.nan, 0.0, 1.5])
    assert OPERATIONS["divide"].result_type(BIGINT, BIGINT) == FLOAT64


def test_with_floats_the_result_is_float():
    assert OPERATIONS["add"].result_type(BIGINT, FLOAT64) == FLOAT64
    found = OPERATIONS["add"].evaluate(from_ints([2**70, 2**2000, -1]), np.float64(0.5))
    assert found.tolist() == [2.0**70, np.inf, -0.5]
    with pytest.raises(ArgumentTypeError):
        OPERATIONS["bitwise_and"].result_type(BIGINT, FLOAT64)
    with pytest.raises(ArgumentTypeError):
        OPERATIONS["add"].result_type(BIGINT, STR)


def cast(column, dtype, **params):
    return OPERATIONS["cast"].evaluate(column, dtype=dtype, **params)


@given(rows=st.lists(numbers, max_size=8))
def test_casts_wrap_round_and_write_as_python_does(rows):
    column = from_ints(rows)
    assert cast(column, "int64").tolist() == [(n + 2**63) % 2**64 - 2**63 for n in rows]
    assert cast(column, "uint64").tolist() == [n % 2**64 for n in rows]
    assert cast(column, "float64").tolist() == [float(n) for n in rows]
    assert cast(column, "bool").tolist() == [n != 0 for n in rows]
    assert cast(column, "str").to_pylist() == [str(n) for n in rows]
    assert to_objects(cast(pa.array([str(n) for n in rows], pa.large_string()), "bigint")) == rows
    assert to_objects(cast(column, "bigint", max_bits=70)) == [n % 2**70 for n in rows]


def test_floats_lose_their_fraction_and_nan_is_no_integer():
    assert to_objects(cast(np.array([1.9, -1.9, 2.0**70]), "bigint")) == [1, -1, 2**70]
    for number in (np.nan, np.inf):
        with pytest.raises(ArgumentError, match="no integer"):
            cast(np.array([number]), "bigint")
    assert cast(2**70 + 1, "str") == str(2**70 + 1)
    assert cast(2**70 + 1, "int64") == 1


def reduce(name, pieces, bits=-1):
    reduction = ScalarReduction(name, bigint_of(bits))
    state = reduction.partial(from_ints(pieces[0]))
    for piece in pieces[1:]:
        state = reduction.merge(state, reduction.partial(from_ints(piece)))
    return reduction.finalize(state)


@given(pieces=st.lists(st.lists(numbers, max_size=5), min_size=1, max_size=4), bits=st.sampled_from([-1, 64, 200]))
def test_reductions_are_pythons_whatever_the_pieces(pieces, bits):
    pieces = [[limited(n, bits) for n in piece] for piece in pieces]
    rows = [n for piece in pieces for n in piece]
    product = 1
    for n in rows:
        product *= n
    assert reduce("sum", pieces, bits) == limited(sum(rows), bits)
    assert reduce("prod", pieces, bits) == limited(product, bits)
    assert reduce("any", pieces) == any(rows)
    assert reduce("all", pieces) == all(rows)
    assert reduce("nunique", pieces) == len(set(rows))
    assert reduce("count_nonzero", pieces) == sum(n != 0 for n in rows)
    assert reduce("is_sorted", pieces) == (rows == sorted(rows))
    assert to_objects(reduce("distinct", pieces)) == sorted(set(rows))
    if rows:
        assert (reduce("min", pieces), reduce("max", pieces)) == (min(rows), max(rows))
        assert reduce("argmin", pieces) == rows.index(min(rows))
        assert reduce("argmax", pieces) == rows.index(max(rows))
        assert reduce("mean", pieces) == sum(rows) / len(rows)
    else:
        assert np.isnan(reduce("mean", pieces))
        with pytest.raises(ArgumentError):
            reduce("min", pieces)


@given(pieces=st.lists(st.lists(st.integers(0, 2**200), max_size=5), min_size=1, max_size=4))
def test_limbs_are_as_many_as_the_largest_needs_and_at_least_one(pieces):
    largest = max((n for piece in pieces for n in piece), default=0)
    reduction = ScalarReduction("limbs", BIGINT)
    states = [reduction.partial(from_ints(piece)) for piece in pieces]
    assert max(states) == max(1, -(-largest.bit_length() // 64))


def test_integers_below_0_have_no_unsigned_limbs():
    with pytest.raises(SchemaError, match="max_bits"):
        ScalarReduction("limbs", BIGINT).partial(from_ints([1, -1]))


def test_a_product_that_would_fill_the_memory_is_refused_unless_it_is_modular():
    rows = [[2**64 - 1] * 20_000]
    with pytest.raises(ArgumentError, match="max_bits"):
        reduce("prod", rows)
    assert reduce("prod", rows, 64) == 1
