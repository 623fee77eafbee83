"""Arithmetic on numbers that have not been computed: values and types of NumPy's scalars, found when asked for."""

import operator
import pickle
import warnings

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.arrays.scalar import Scalar
from akdask.testing.memory import MemorySource

COLUMNS = {
    "int": np.array([3, 1, 7]),
    "uint": np.array([3, 2**63, 7], np.uint64),
    "float": np.array([1.5, -2.0, 0.25]),
    "bool": np.array([True, False, True]),
}
PLAIN = [0, 1, 2, -1, 97, 2**40, 2**70, 1.5, True, np.int64(5), np.uint64(5), np.float64(2.5), np.bool_(True)]
NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift")
OPERATORS = [getattr(operator, name) for name in NAMES]


def _outcome(function):
    """Return type and representation of a value, or the type of what is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = function()
            value = value.value() if isinstance(value, Scalar) else value
        except (TypeError, ValueError, OverflowError) as error:
            return type(error)
    return type(value), repr(value)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("function", OPERATORS)
def test_results_are_those_of_scalars_of_numpy(kind, reduction, function):
    column = COLUMNS[kind]
    wanted = np.asarray(getattr(column, reduction)())[()]
    for plain in PLAIN:
        found = _outcome(lambda plain=plain: function(getattr(ak.array(column), reduction)(), plain))
        assert found == _outcome(lambda plain=plain: function(wanted, plain)), plain
        if not (function is operator.pow and isinstance(plain, np.generic)):
            # NumPy hands its own scalar's power to its function, which may differ in the last bit from the operator.
            turned = _outcome(lambda plain=plain: function(plain, getattr(ak.array(column), reduction)()))
            assert turned == _outcome(lambda plain=plain: function(plain, wanted)), plain


@pytest.fixture
def source():
    return MemorySource({"x": np.array([3, 1, 4, 1, 5])}, [3, 2])


def test_arithmetic_reads_nothing_until_its_value_is_asked_for(source):
    x = source.arrays()["x"]
    number = (x.mean() * 2 + 1) / x.max()
    assert isinstance(number, Scalar)
    assert number.dtype == np.float64
    shifted = x + (x.sum() % 4)
    assert source.reads == []
    assert float(number) == (2.8 * 2 + 1) / 5
    assert shifted.tolist() == [5, 3, 6, 3, 7]
    assert shifted.dtype == np.int64


def test_operators_in_place_give_the_name_to_the_result(source):
    total = before = source.arrays()["x"].sum()
    total += 1
    total *= 2
    assert (int(total), int(before)) == (30, 14)


def test_a_number_that_is_known_is_not_read_again(source):
    total = source.arrays()["x"].sum()
    assert total == 14
    source.reads.clear()
    assert total + 1 == 15
    assert source.reads == []


def test_names_do_not_depend_on_what_is_known(source):
    x = source.arrays()["x"]
    known = x.sum()
    assert known == 14
    assert (known + 1).expr._name == (x.sum() + 1).expr._name


def test_numbers_are_planned_pickled_and_computed_as_all_plans_are(source):
    x = source.arrays()["x"]
    number = (x.max() - x.min()) % 3
    assert pickle.loads(pickle.dumps(number.expr))._name == number.expr._name
    assert dask.compute(number, x.mean() * 2) == (1, 5.6)
    assert "remainder(…, 3)" in number.explain()
    total = x.sum()
    for _ in range(2000):
        total = total + 1
    assert int(total) == 2014


def test_graphs_of_plans_that_nobody_has_lowered_take_work_that_grows_as_they_do(source, calls):
    """Some releases of Dask ask plans as they are for their graphs."""

    def graph(steps):
        total = source.arrays()["x"].sum()
        for _ in range(steps):
            total = total + 1
        total.expr.__dask_graph__()

    graph(2)
    found = [calls(lambda steps=steps: graph(steps)) for steps in (50, 100, 200)]
    assert found[2] - found[1] < 2.5 * (found[1] - found[0]), found


def test_scalars_serve_where_numbers_are_wanted():
    three = ak.array([1, 2]).sum() + 0
    assert ak.full(2, three).tolist() == [3, 3]
    assert ak.arange(three).tolist() == [0, 1, 2]
    assert ak.SegArray(ak.array([0]), ak.arange(5)).get_jth(three, return_origins=False).tolist() == [3]
    assert ak.array(["a,b,c,d,e"]).peel(",", times=three)[1].tolist() == ["d,e"]
    assert ak.timedelta_range("1D", periods=three).size == 3
