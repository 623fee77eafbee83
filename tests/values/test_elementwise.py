from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT8, UINT64, column_type
from akdask.columns.exact import are_floats
from akdask.engine.operations import OPERATIONS, promote, scalar_type
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError
from akdask.operators.values.elementwise import COMPARISONS, UFUNCS

pytestmark = pytest.mark.light

EXTREMES = {
    "int64": np.array([0, 1, -1, 2, -7, 64, 63, -64, 2**53 + 1, 2**63 - 1, -(2**63), 1 - 2**63], np.int64),
    "uint64": np.array([0, 1, 2, 7, 63, 64, 65, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1], np.uint64),
    "float64": np.array([0.0, -0.0, 1.0, -1.5, 2.5, 7.0, 1e300, -1e300, 5e-324, np.nan, np.inf, -np.inf]),
    "bool": np.array([True, False, False, True, True, True, False, False, True, False, True, False]),
    "uint8": np.array([0, 1, 2, 7, 8, 9, 64, 127, 128, 200, 254, 255], np.uint8),
}
UNARY = [ufunc for ufunc in UFUNCS if ufunc.nin == 1]
BINARY = [ufunc for ufunc in UFUNCS if ufunc.nin == 2]
NARROW = {np.dtype(np.float16): np.float64, np.dtype(np.int8): np.uint8}


def by_numpy(ufunc, *args):
    """What NumPy computes, in the types that columns have."""
    with np.errstate(all="ignore"):
        expected = ufunc(*args)
    if expected.dtype in NARROW:
        wider = [arg.astype(NARROW[expected.dtype]) for arg in args]
        with np.errstate(all="ignore"):
            return ufunc(*wider)
    return expected


def assert_same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found[~np.isnan(expected)]), np.signbit(expected[~np.isnan(expected)]))


def check_against_numpy(ufunc, *args):
    operation = OPERATIONS[UFUNCS[ufunc]]
    types = [column_type(arg.dtype.name) for arg in args]
    try:
        expected = by_numpy(ufunc, *args)
    except TypeError:
        with pytest.raises(ArgumentTypeError, match=types[0].name):
            operation.result_type(*types)
        return
    assert operation.result_type(*types).numpy == expected.dtype
    if ufunc in COMPARISONS:
        # NumPy rounds integers to floats; Python compares both as what they are.
        with np.errstate(invalid="ignore"):
            expected = np.array(ufunc(*[np.asarray(arg).astype(object) for arg in args]), np.bool_)
    if ufunc in (np.minimum, np.maximum) and expected.dtype == np.float64 and not all(map(are_floats, args)):
        # What is no float is refused: see the tests of `akdask.columns.exact`.
        return
    assert_same(operation.evaluate(*args), expected)
    out = np.empty(expected.shape, expected.dtype)
    assert operation.evaluate(*args, out=out) is out
    assert_same(out, expected)


@pytest.mark.parametrize("dtype", EXTREMES)
@pytest.mark.parametrize("ufunc", UNARY, ids=lambda ufunc: ufunc.__name__)
def test_unary_operations_agree_with_numpy_on_extremes(ufunc, dtype):
    if ufunc in (np.floor, np.ceil, np.trunc):
        dtype = "float64"  # NumPy's type for others depends on its version; they are tested below
    check_against_numpy(ufunc, EXTREMES[dtype])
    check_against_numpy(ufunc, EXTREMES[dtype][:0])


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(("left", "right"), list(itertools.product(EXTREMES, EXTREMES)))
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_binary_operations_agree_with_numpy_on_all_pairs_of_extremes(ufunc, left, right):
    bits = ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift)
    if bits and {left, right} == {"int64", "uint64"}:
        right = left  # NumPy refuses the two together; they are tested below
    pairs = np.array(list(itertools.product(range(12), range(12))))
    x, y = EXTREMES[left][pairs[:, 0]], EXTREMES[right][pairs[:, 1]]
    if ufunc is np.power and promote(column_type(left), column_type(right)).kind == "int":
        x, y = x[y >= 0], y[y >= 0]
    check_against_numpy(ufunc, x, y)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.true_divide, np.less, np.maximum])
@given(
    x=npst.arrays(np.int64, 5),
    y=npst.arrays(np.uint64, 5),
    scalar=st.floats(width=64) | st.integers(-(2**63), 2**63 - 1),
)
def test_scalars_stand_for_every_row_and_numbers_of_all_types_meet(ufunc, x, y, scalar):
    scalar = scalar_type(scalar).numpy.type(scalar)
    check_against_numpy(ufunc, x, scalar)
    check_against_numpy(ufunc, scalar, y)
    check_against_numpy(ufunc, x, y)


def test_integers_divided_by_zero_are_zero_and_so_are_remainders():
    x, zero = EXTREMES["int64"], np.zeros(12, np.int64)
    for name in ("floor_divide", "remainder", "fmod"):
        assert OPERATIONS[name].evaluate(x, zero).tolist() == [0] * 12


def test_division_and_remainder_round_down():
    x, y = np.array([-7, 7, -7, 7]), np.array([2, -2, -2, 2])
    assert OPERATIONS["floor_divide"].evaluate(x, y).tolist() == [-4, -4, 3, 3]
    assert OPERATIONS["remainder"].evaluate(x, y).tolist() == [1, -1, -1, 1]


def test_int64_compares_exactly_with_uint64():
    signed, unsigned = np.array([-1, 2**53 + 1, 2**63 - 1]), np.array([2**64 - 1, 2**53, 2**63], np.uint64)
    assert OPERATIONS["equal"].evaluate(signed, unsigned).tolist() == [False, False, False]
    assert OPERATIONS["less"].evaluate(signed, unsigned).tolist() == [True, False, True]


def test_an_integer_to_a_negative_power_is_an_error_that_says_what_to_do():
    with pytest.raises(ArgumentError, match="astype"):
        OPERATIONS["power"].evaluate(np.array([2, 3]), np.array([1, -1]))
    assert OPERATIONS["power"].evaluate(np.array([2.0]), np.array([-1])).tolist() == [0.5]


def test_bits_of_int64_and_uint64_combine_in_the_type_of_the_left_one():
    signed, unsigned = np.array([-1, 5]), np.array([2**63, 2], np.uint64)
    for name, expected in [("bitwise_and", [-(2**63), 0]), ("bitwise_xor", [2**63 - 1, 7]), ("right_shift", [-1, 1])]:
        assert OPERATIONS[name].result_type(INT64, UINT64) == INT64
        found = OPERATIONS[name].evaluate(signed, unsigned, out=np.empty(2, np.int64))
        assert found.tolist() == expected
    assert OPERATIONS["left_shift"].result_type(UINT64, INT64) == UINT64
    assert OPERATIONS["left_shift"].evaluate(unsigned, np.array([64, 1])).tolist() == [0, 4]


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round"])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint8"])
def test_rounding_leaves_integers_as_they_are(name, dtype):
    assert OPERATIONS[name].result_type(column_type(dtype)) == column_type(dtype)
    assert_same(OPERATIONS[name].evaluate(EXTREMES[dtype]), EXTREMES[dtype])
    out = np.empty_like(EXTREMES[dtype])
    assert_same(OPERATIONS[name].evaluate(EXTREMES[dtype], out=out), EXTREMES[dtype])


@given(values=npst.arrays(np.float64, 6), decimals=st.integers(-3, 6))
def test_round_takes_decimals(values, decimals):
    out = np.empty(6)
    assert OPERATIONS["round"].evaluate(values, decimals=decimals, out=out) is out
    with np.errstate(all="ignore"):
        assert_same(out, np.round(values, decimals))


@example(values=np.zeros(6, np.int64), bounds=(0, -0.0))
@given(values=npst.arrays(np.int64, 6), bounds=st.tuples(st.integers(-100, 100), st.floats(-100, 100)))
def test_clip_bounds_below_and_above(values, bounds):
    low, high = np.int64(bounds[0]), np.float64(bounds[1])
    assert OPERATIONS["clip"].result_type(INT64, INT64, FLOAT64) == FLOAT64
    found = OPERATIONS["clip"].evaluate(values, low, high)
    assert found.dtype == np.float64
    # Of two zeros that are equal, either may be taken: only their values are compared.
    np.testing.assert_array_equal(found, np.minimum(np.maximum(values, low), high))


def test_xlogy_is_zero_where_x_is_zero():
    x, y = np.array([0.0, 0.0, 2.0, 0.0]), np.array([0.0, np.inf, np.e, np.nan])
    for out in (None, np.empty(4)):
        np.testing.assert_allclose(OPERATIONS["xlogy"].evaluate(x, y, out=out), [0.0, 0.0, 2.0, np.nan])


@pytest.mark.parametrize(("x", "y"), list(itertools.product(EXTREMES, EXTREMES)))
def test_where_chooses_bit_by_bit_as_numpy_does(x, y):
    condition, x, y = EXTREMES["bool"], EXTREMES[x], EXTREMES[y][::-1]
    expected = np.where(condition, x, y)
    operation = OPERATIONS["where"]
    assert operation.result_type(BOOL, column_type(x.dtype.name), column_type(y.dtype.name)).numpy == expected.dtype
    out = np.empty_like(expected)
    if expected.dtype == np.float64 and not (are_floats(x) and are_floats(y)):
        # NumPy's result would be floats that these integers are not.
        with pytest.raises(ConversionError, match="would become"):
            operation.evaluate(condition, x, y, out=out)
        return
    assert operation.evaluate(condition, x, y, out=out) is out
    for found in (out, operation.evaluate(condition, x, y)):
        assert_same(found, expected)
    for one, other in [(x[4], y), (x, y[4]), (x[4], y[4])]:
        assert_same(operation.evaluate(condition, one, other, out=out), np.where(condition, one, other))


def test_where_wants_a_bool_condition_and_values_that_go_together():
    for types in [(INT64, INT64, INT64), (BOOL, STR, INT64)]:
        with pytest.raises(ArgumentTypeError):
            OPERATIONS["where"].result_type(*types)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@given(data=st.data())
def test_bit_counts_and_rotations_agree_with_python_integers(dtype, data):
    values = data.draw(
        npst.arrays(dtype, 6, elements=st.sampled_from(EXTREMES[dtype].tolist()) | npst.from_dtype(np.dtype(dtype)))
    )
    counts = data.draw(npst.arrays(np.int64, 6, elements=st.integers(-130, 130)))
    bits = [format(int(value) % 2**64, "064b") for value in values]
    expected = {
        "popcount": [b.count("1") for b in bits],
        "parity": [b.count("1") % 2 for b in bits],
        "clz": [64 - len(b.lstrip("0")) for b in bits],
        "ctz": [(64 - len(b.rstrip("0"))) % 64 for b in bits],
    }
    for name, answer in expected.items():
        out = np.empty(6, dtype)
        assert OPERATIONS[name].evaluate(values, out=out) is out
        assert out.tolist() == OPERATIONS[name].evaluate(values).tolist() == answer
    for name, sign in [("rotl", 1), ("rotr", -1)]:
        turned = [int(b[k:] + b[:k], 2) for b, k in zip(bits, (sign * counts % 64).tolist(), strict=True)]
        found = OPERATIONS[name].evaluate(values, counts, out=np.empty(6, dtype))
        assert found.dtype == dtype
        assert found.view(np.uint64).tolist() == turned


def test_scalars_become_arkoudas_types():
    assert scalar_type(True) == BOOL
    assert scalar_type("text") == scalar_type(np.str_("text")) == STR
    assert scalar_type(np.float32(1)) == scalar_type(1.5) == FLOAT64
    assert scalar_type(np.int16(1)) == scalar_type(-1, UINT64) == INT64
    assert scalar_type(2**63) == scalar_type(1, UINT64) == scalar_type(np.uint64(1)) == UINT64


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_of_more_than_64_bits_are_bigint(value):
    assert scalar_type(value) == BIGINT


@pytest.mark.parametrize("value", [None, 1j, [1], np.datetime64("2020-01-01")])
def test_values_that_no_column_holds_are_refused(value):
    with pytest.raises(ArgumentTypeError):
        scalar_type(value)


def test_a_type_error_names_the_operation_and_the_types():
    with pytest.raises(ArgumentTypeError, match=r"^- does not take arguments of type bool, bool"):
        OPERATIONS["subtract"].result_type(BOOL, BOOL)
    with pytest.raises(ArgumentTypeError, match="which takes 1"):
        OPERATIONS["sqrt"].result_type(INT64, INT64)
    assert OPERATIONS["power"].result_type(BOOL, BOOL) == UINT8
