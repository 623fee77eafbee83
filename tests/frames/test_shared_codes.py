import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal

numbers = st.lists(st.integers(-3, 3), max_size=8)


def lazy(items):
    return ak.array(np.array(items, np.int64))


@given(numbers, numbers)
def test_arrays_are_aligned_to_all_their_elements(one, other):
    elements = sorted({*one, *other})
    left, right = ak.align(lazy(one), lazy(other))
    assert_equal(left, np.array([elements.index(item) for item in one], np.int64), lazy=True)
    assert_equal(right, np.array([elements.index(item) for item in other], np.int64))
    assert_equal(ak.zero_up(lazy(one)), np.array([sorted(set(one)).index(item) for item in one], np.int64))


@given(numbers, numbers)
def test_arrays_are_aligned_to_the_elements_of_one(one, other):
    elements = sorted(set(other))
    keep, (left, right) = ak.right_align(lazy(one), lazy(other))
    assert keep.tolist() == [item in elements for item in one]
    assert left.tolist() == [elements.index(item) for item in one if item in elements]
    assert right.tolist() == [elements.index(item) for item in other]
    again = ak.left_align(lazy(other), lazy(one))
    assert [part.tolist() for part in (again[0], *again[1])] == [part.tolist() for part in (keep, left, right)]


def test_rows_of_several_arrays_are_aligned():
    left, right = [ak.array([2, 1]), ak.array(["a", "b"])], [ak.array([1, 2]), ak.array(["b", "c"])]
    assert [codes.tolist() for codes in ak.align(left, right)] == [[1, 0], [0, 2]]
    keep, (one, other) = ak.right_align(left, right)
    assert (keep.tolist(), one.tolist(), other.tolist()) == ([False, True], [0], [0, 1])
    assert ak.zero_up([ak.array([1, 1, 0]), ak.array([np.nan, 1.0, np.nan])]).tolist() == [2, 1, 0]


def test_arrays_that_do_not_go_together_are_refused():
    a = ak.arange(2)
    with pytest.raises(ArgumentError, match="as many each"):
        ak.align([a, a], a)
    with pytest.raises(ArgumentTypeError, match="arrays are aligned with arrays"):
        ak.align([a], a)
    with pytest.raises(ArgumentError, match="none"):
        ak.align()
