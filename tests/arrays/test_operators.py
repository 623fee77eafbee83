import operator

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

COLUMNS = {
    "i": np.array([-3, 0, 2, 7, 5]),
    "u": np.array([1, 2, 3, 4, 2**63], dtype=np.uint64),
    "f": np.array([0.5, -1.0, np.nan, 2.0, np.inf]),
    "b": np.array([True, False, True, True, False]),
}
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
BITS = [operator.and_, operator.or_, operator.xor]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.fixture
def lazy():
    return MemorySource(COLUMNS, [2, 0, 3]).arrays()


@pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS], ids=lambda function: function.__name__)
def test_operators_on_numbers_are_numpys(lazy, function):
    with np.errstate(all="ignore"):
        for left in "iuf":
            for right in "iuf":
                assert_equal(function(lazy[left], lazy[right]), function(COLUMNS[left], COLUMNS[right]), lazy=True)
            for number in (2, 0.5, np.int64(3)):
                assert_equal(function(lazy[left], number), function(COLUMNS[left], number))
                assert_equal(function(number, lazy[left]), function(number, COLUMNS[left]))


@pytest.mark.parametrize("function", BITS, ids=lambda function: function.__name__)
def test_bit_operators_are_numpys(lazy, function):
    for name, scalar in [("i", 6), ("b", True), ("u", 1)]:
        assert_equal(function(lazy[name], lazy[name]), function(COLUMNS[name], COLUMNS[name]))
        assert_equal(function(lazy[name], scalar), function(COLUMNS[name], scalar))
        assert_equal(function(scalar, lazy[name]), function(scalar, COLUMNS[name]))


def test_shifts_and_powers_are_numpys(lazy):
    assert_equal(lazy["i"] << 2, COLUMNS["i"] << 2)
    assert_equal(lazy["i"] >> 1, COLUMNS["i"] >> 1)
    assert_equal(2 << abs(lazy["i"]), 2 << abs(COLUMNS["i"]))
    assert_equal(lazy["i"] ** 2, COLUMNS["i"] ** 2)
    assert_equal(2.0 ** lazy["f"], 2.0 ** COLUMNS["f"])


def test_unary_operators_are_numpys(lazy):
    assert_equal(-lazy["i"], -COLUMNS["i"])
    assert_equal(+lazy["f"], COLUMNS["f"])
    assert_equal(abs(lazy["i"]), abs(COLUMNS["i"]))
    assert_equal(~lazy["i"], ~COLUMNS["i"])
    assert_equal(~lazy["b"], ~COLUMNS["b"])
    assert isinstance(~lazy["b"], ak.pdarray)


def test_divmod_gives_quotient_and_remainder(lazy):
    for found, wanted in zip(divmod(lazy["i"], 2), divmod(COLUMNS["i"], 2), strict=True):
        assert_equal(found, wanted)


def test_data_at_hand_combine_with_lazy_arrays(lazy):
    numbers = [1, 2, 3, 4, 5]
    for other in (numbers, tuple(numbers), np.array(numbers)):
        assert_equal(lazy["i"] + other, COLUMNS["i"] + numbers, lengths=[2, 0, 3])
        assert_equal(other * lazy["i"], COLUMNS["i"] * numbers)
    assert_equal(lazy["i"] + np.array(7), COLUMNS["i"] + 7)


@pytest.mark.parametrize("ufunc", [np.sqrt, np.isnan, np.floor, np.sin, np.sign, np.square])
def test_numpys_functions_stay_lazy(lazy, ufunc):
    with np.errstate(all="ignore"):
        assert_equal(ufunc(lazy["f"]), ufunc(COLUMNS["f"]), lazy=True)


def test_numpys_functions_of_two_arguments_stay_lazy(lazy):
    assert_equal(np.maximum(lazy["i"], 1), np.maximum(COLUMNS["i"], 1), lazy=True)
    assert_equal(np.add(COLUMNS["i"], lazy["i"]), COLUMNS["i"] * 2, lazy=True)
    assert_equal(COLUMNS["i"] < lazy["i"], np.zeros(5, bool), lazy=True)


@pytest.mark.parametrize("function", [operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod])
def test_operators_in_place_change_the_array_and_not_what_it_was_made_of(lazy, function):
    a = lazy["i"].copy()
    b = function(a, 3)
    assert b is a
    wanted = COLUMNS["i"].copy()
    assert_equal(a, function(wanted, 3))
    assert_equal(lazy["i"], COLUMNS["i"])


def test_an_operator_in_place_keeps_the_type(lazy):
    with pytest.raises(ArgumentTypeError, match="would change the type from int64 to float64"):
        lazy["i"] += 0.5
    with pytest.raises(ArgumentTypeError, match="would change the type"):
        lazy["i"] /= 2
    assert_equal(lazy["i"], COLUMNS["i"])


def test_what_cannot_be_computed_with_is_refused(lazy):
    for other in ({}, None, object()):
        with pytest.raises(TypeError):
            lazy["i"] + other
    with pytest.raises(ArgumentTypeError, match="does not take arguments of type int64, str"):
        lazy["i"] + "x"
    with pytest.raises(ArgumentTypeError):
        lazy["i"] + ak.array(["a"] * 5)
    with pytest.raises(ArgumentTypeError):
        lazy["b"] - lazy["b"]
    with pytest.raises(AlignmentError):
        lazy["i"] + [1, 2]


@pytest.mark.lazy_only
def test_an_error_in_a_task_is_ours_and_not_dasks(lazy):
    powers = ak.array([2, 3]) ** ak.array([1, -1])
    with pytest.raises(ArgumentError, match="to the power of a negative integer"):
        powers.compute()


def test_arrays_have_no_hash_and_no_truth(lazy):
    with pytest.raises(TypeError):
        hash(lazy["i"])
    with pytest.raises(ValueError, match="truth value of an array of 5 elements is ambiguous"):
        bool(lazy["i"] > 1)
    assert ak.array([1]) == ak.array([1])
    assert not ak.array([0])


def test_no_array_equals_none(lazy):
    for array in (lazy["i"], ak.array(["a"])):
        assert (array == None) is False  # noqa: E711 - what is asked
        assert (array != None) is True  # noqa: E711
