import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths


@given(st.data(), st.lists(st.integers(-(2**40), 2**40), max_size=9))
def test_functions_see_each_element_in_any_partitions(data, numbers):
    source = MemorySource({"x": np.array(numbers, np.int64)}, data.draw(partition_lengths(len(numbers))))
    x = source.arrays()["x"]
    assert_equal(ak.apply(x, lambda item: item * 2 - 1), np.array([2 * n - 1 for n in numbers], np.int64), lazy=True)
    assert_equal(ak.apply(x, lambda item: item / 2, "float64"), np.array([n / 2 for n in numbers], np.float64))
    assert_equal(ak.apply(x, lambda item: item > 0, bool), np.array([n > 0 for n in numbers], np.bool_))


def test_elements_are_objects_of_python():
    kinds = [ak.array([1]), ak.array([1.5]), ak.array([True]), ak.array(["a"]), ak.array([2**70])]
    found = [ak.apply(item, lambda one: type(one).__name__, str).tolist()[0] for item in kinds]
    assert found == ["int", "float", "bool", "str", "int"]


def test_text_that_is_missing_stays_so():
    s = ak.array(["a", None, "bc"])
    assert ak.apply(s, str.upper).tolist() == ["A", None, "BC"]
    with pytest.raises(ArgumentError, match="some of the text is missing"):
        ak.apply(s, len, "int64").tolist()
    assert ak.apply(s.fillna(""), len, "int64").tolist() == [1, 0, 2]


def test_functions_of_text_are_lambdas():
    assert ak.apply(ak.array([1, 2]), "lambda x,: x + 1").tolist() == [2, 3]
    assert ak.apply(ak.array([1, 2]), "lambda x: x * x").tolist() == [1, 4]
    for text in ("1 +", "x + 1", "lambda: 1", "lambda x, y: x"):
        with pytest.raises(ArgumentError):
            ak.apply(ak.array([1]), text)
    with pytest.raises(ArgumentTypeError, match="result_dtype must match"):
        ak.apply(ak.array([1]), "lambda x: x / 2", "float64")


def test_functions_may_use_what_is_around_them():
    factor = math.pi
    assert ak.apply(ak.array([2]), lambda x: x * factor, float).tolist() == [2 * math.pi]
    assert (ak.apply(ak.array([1, 2]), lambda x: x + 1) * 10)[ak.array([True, False])].tolist() == [20]
    assert ak.apply(ak.array([1, 2]), lambda x: x**70, ak.bigint).tolist() == [1, 2**70]
    assert ak.apply(ak.array([2**63 + 1]), lambda x: x - 1).tolist() == [2**63]
    assert ak.apply(ak.array([1, 2]), lambda x: 2**63 + x, "uint64").dtype == np.uint64
    assert ak.apply(ak.array(np.array([], np.int64)), lambda x: x / 0).tolist() == []


WRONG = [lambda x: x / 2, lambda x: "a", lambda x: [x, x], lambda x: None, lambda x: 2**65]


@pytest.mark.parametrize("function", WRONG)
def test_results_of_another_type_are_refused(function):
    with pytest.raises(ArgumentError, match="returns what is no int64"):
        ak.apply(ak.array([1, 2]), function).tolist()


def test_errors_of_the_function_come_through():
    with pytest.raises(ZeroDivisionError):
        ak.apply(ak.array([1, 0]), lambda x: 1 // x).tolist()


def test_what_is_no_function_or_no_array_is_refused():
    with pytest.raises(ArgumentTypeError, match="no function"):
        ak.apply(ak.array([1]), 3)
    with pytest.raises(ArgumentTypeError, match="applied to numbers or text"):
        ak.apply([1, 2], abs)


def test_functions_travel_with_the_plan():
    made = pickle.loads(pickle.dumps(ak.apply(ak.array([1, 2]), lambda x: 2 * x)))
    assert made.tolist() == [2, 4]
