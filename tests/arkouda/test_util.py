"""``ak.util`` and the small helpers of Arkouda's other modules."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import akdask as ak
from akdask.arkouda import helpers
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError


def test_what_is_numeric_is_told_of_arrays_and_indexes():
    floats, ints, text = ak.array([1.0]), ak.array([1]), ak.array(["1"])
    assert [ak.util.is_numeric(item) for item in (floats, ints, text, ak.Index(ints), [1])] == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert [ak.util.is_float(item) for item in (floats, ints, ak.Index(floats))] == [True, False, True]
    assert [ak.util.is_int(item) for item in (floats, ints, ak.array([2**70]))] == [False, True, True]
    assert not ak.util.is_numeric(ak.Categorical(text))


def test_values_are_mapped():
    assert ak.util.map(ak.array([2, 3, 2]), {3: 5.0, 2: 30.0}).tolist() == [30.0, 5.0, 30.0]
    assert ak.util.map(ak.Categorical(["a", "b"]), {"a": "x", "b": "y"}).tolist() == ["x", "y"]
    series = ak.Series([5, 6], index=["a", "b"])
    assert ak.util.map(ak.array(["b", "a", "b"]), series).tolist() == [6, 5, 6]
    with pytest.raises(ArgumentTypeError):
        ak.util.map(ak.array([1]), [1])


def test_objects_of_one_kind_are_joined():
    assert ak.util.generic_concat([ak.array([1]), ak.array([2, 3])]).tolist() == [1, 2, 3]
    assert ak.util.generic_concat([[1], [2]]) == [1, 2]
    assert ak.util.generic_concat([ak.Index([1]), ak.Index([2])]).tolist() == [1, 2]
    frames = [ak.DataFrame({"x": [1]}), ak.DataFrame({"x": [2]})]
    assert ak.util.generic_concat(frames)["x"].tolist() == [1, 2]
    lists = [ak.SegArray.from_multi_array([[1], [2, 3]])] * 2
    assert ak.util.generic_concat(lists).tolist() == [[1], [2, 3]] * 2
    for wrong in ([], [ak.array([1]), [1]]):
        with pytest.raises(TypeError, match="objects of one kind"):
            ak.util.generic_concat(wrong)


def test_numbers_become_what_an_array_is_of():
    times = ak.Datetime(ak.array([1, 2]))
    assert ak.util.get_callback(times)(times.values).equals(times)
    assert ak.util.get_callback("x")(5) == 5


def test_labels_are_written_out():
    assert isinstance(ak.util.convert_if_categorical(ak.Categorical(["a"])), ak.Strings)
    assert ak.util.convert_if_categorical(5) == 5


def test_sparse_arrays_are_added():
    one, two = np.array([0, 1, 3]), np.array([1, 3, 6])
    at, sums = ak.util.sparse_sum_help(ak.array(one), ak.array(two), ak.array(one), ak.array(two * 10))
    dense = np.zeros(7, int)
    dense[one] += one
    dense[two] += two * 10
    assert (at.tolist(), sums.tolist()) == ([0, 1, 3, 6], dense[[0, 1, 3, 6]].tolist())


def test_axes_are_counted_from_either_end():
    assert [ak.util.adjust_negs(axis, 3) for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert [ak.util.bounds_check(axis, 2) for axis in (-3, -2, 1, 2)] == [False, True, True, False]
    with pytest.raises(AxisError):
        ak.util.adjust_negs(3, 3)


def test_memory_is_told(capsys):
    assert ak.util.convert_bytes(2**21, "MB") == 2
    ak.util.report_mem("now")
    assert capsys.readouterr().out.startswith("now mem use: ")


def test_former_names_warn():
    with pytest.warns(DeprecationWarning, match="broadcast"):
        assert ak.util.expand(3, ak.array([0, 1]), ak.array([5, 6])).tolist() == [5, 6, 6]
    with pytest.warns(DeprecationWarning, match="mode"):
        assert ak.util.most_common(ak.GroupBy(ak.array([1, 1, 1])), ak.array([5, 6, 6]))[1].tolist() == [6]


def test_objects_are_registered_by_a_function():
    a = ak.util.register(ak.arange(3), "registered by util")
    assert a.is_registered()
    a.unregister()
    with pytest.raises(ArgumentTypeError, match="lazy objects are registered"):
        ak.util.register([1], "list")


def test_rows_of_several_arrays_are_found():
    a, b = [ak.array([1, 2]), ak.array(["x", "y"])], [ak.array([2]), ak.array(["y"])]
    assert ak.arkouda.numpy.pdarraysetops.in1dmulti(a, b).tolist() == [False, True]
    helpers.multiarray_setop_validation(a, b)
    for wrong in (b[:1], [ak.array([1]), ak.array(["y", "z"])], [ak.array(["x"]), ak.array(["y"])]):
        with pytest.raises(ArgumentError):
            helpers.multiarray_setop_validation(a, wrong)


def test_classes_get_operators():
    @helpers.unary_operators
    @helpers.natural_binary_operators
    class Number:
        value = 6

        @staticmethod
        def _make_binop(function):
            return lambda self, other: function(self.value, other)

        @staticmethod
        def _make_unaryop(function):
            return lambda self: function(self.value)

    assert (Number() + 1, Number() & 3, Number() <= 6, -Number(), ~Number()) == (7, 2, True, -6, operator.inv(6))


def test_small_helpers():
    assert helpers.apply_if_callable(lambda x, y: x + y, 1, y=2) == 3
    assert helpers.apply_if_callable(5, 1) == 5
    assert ak.arkouda.pdarrayclass.SUPPORTED_INDEX_REDUCTION_OPS == ["argmin", "argmax"]


def test_arrays_are_given_the_shape_that_they_have_in_common():
    row, column = ak.ones((1, 3)), ak.ones((2, 1))
    first, second, *were = helpers.broadcast_if_needed(row, column)
    assert (first.shape, second.shape, were) == ((2, 3), (2, 3), [True, True])
    assert helpers.broadcast_if_needed(row, row) == (row, row, False, False)
    with pytest.raises(ValueError, match="shape"):
        helpers.broadcast_if_needed(ak.ones(2), ak.ones(3))
