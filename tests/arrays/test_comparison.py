import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentTypeError
from akdask.testing.strategies import partitioned

NUMBERS = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])


def in_parts(plain):
    return partitioned(np.asarray(plain), [2, 0, len(plain) - 2])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (NUMBERS, NUMBERS),
        (NUMBERS, NUMBERS[::-1].copy()),
        (NUMBERS[:4], NUMBERS),
        (np.arange(5), np.arange(5)),
        (np.arange(5), np.arange(5.0)),
        (np.arange(5), np.arange(5) + 1),
        (np.arange(5) > 2, np.arange(5) > 2),
        (np.array(["a", "b"]), np.array(["a", "b"])),
        (np.array(["a", "b"]), np.array(["a", "c"])),
    ],
    ids=str,
)
def test_equal_arrays_are_those_that_numpy_finds_equal(left, right):
    assert ak.array_equal(in_parts(left), ak.array(right)) is np.array_equal(left, right)
    if left.dtype.kind == "f":
        assert ak.array_equal(in_parts(left), ak.array(right), True) is np.array_equal(left, right, equal_nan=True)


def test_text_is_not_equal_to_numbers_nor_one_shape_to_another():
    assert ak.array_equal(ak.array(["1"]), ak.array([1])) is False
    assert ak.array_equal(ak.array([[1, 2]]), ak.array([[1, 2]])) is True
    assert ak.array_equal(ak.array([[1, 2]]), ak.array([1, 2])) is False
    text = ak.array(["a", "b"])
    assert ak.array_equal(ak.Categorical(text), text) is True
    with pytest.raises(ArgumentTypeError, match="got list"):
        ak.array_equal(ak.arange(2), [0, 1])


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (NUMBERS, NUMBERS),
        (NUMBERS[[0, 2, 3, 4]], NUMBERS[[0, 2, 3, 4]]),
        (NUMBERS[2:4], -NUMBERS[2:4]),
        (np.array([1.0, 2.0]), np.array([1.0, np.inf])),
        (np.array([1e10, 1e-7]), np.array([1.00001e10, 1e-8])),
        (np.array([1e10, 1e-8]), np.array([1.00001e10, 1e-9])),
        (np.array([1, 2]), np.array([1.0, 2.0 + 1e-9])),
        (np.array([True, False]), np.array([1, 0])),
        (np.array([2**64 - 1, 5], "uint64"), np.array([-1, 5])),
    ],
    ids=str,
)
def test_close_arrays_are_those_that_numpy_finds_close(left, right, equal_nan):
    wanted = np.allclose(left, right, equal_nan=equal_nan)
    assert ak.allclose(in_parts(left), ak.array(right), equal_nan=equal_nan) is wanted


def test_a_number_is_compared_with_all_elements():
    assert ak.allclose(ak.array([1.0, 1.0 + 1e-9]), 1) is True
    assert ak.allclose(1, ak.array([1.0, 1.1])) is False
    assert ak.allclose(ak.array([1.0, 1.1]), 1, atol=0.2) is True
    assert ak.allclose(ak.array([[1.0, 2.0]]), ak.array([[1.0, 2.0]])) is True
    assert ak.allclose(ak.arange(3), ak.arange(3).max(), atol=5) is True
    with pytest.raises(AlignmentError):
        ak.allclose(ak.arange(3), ak.arange(4))
    with pytest.raises(ArgumentTypeError):
        ak.allclose(1, 2)
