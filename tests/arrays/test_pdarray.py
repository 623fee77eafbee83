"""Operators by name, and scalars as text."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.arrays.pdarray import BETWEEN, IN_PLACE
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal


@pytest.mark.parametrize("op", [op for op in IN_PLACE if op != "/="])
def test_operators_change_an_array_in_place(op):
    a, plain = ak.arange(1, 6), np.arange(1, 6)
    kept = a.copy()
    assert a.opeq(2, op) is a
    plain = IN_PLACE[op](plain, 2)
    assert_equal(a, plain)
    a.opeq(kept, "+=")
    assert_equal(a, plain + np.arange(1, 6))


@pytest.mark.parametrize("op", [op for op in BETWEEN if op not in ("<<<", ">>>")])
def test_operators_are_found_by_their_text(op):
    plain = np.array([1, 2, 6])
    assert_equal(ak.array(plain)._binop(2, op), BETWEEN[op](plain, 2))
    assert_equal(ak.array(plain)._binop(ak.array([3, 1, 2]), op), BETWEEN[op](plain, np.array([3, 1, 2])))
    assert_equal(ak.array(plain)._r_binop(7, op), BETWEEN[op](7, plain))


def test_rotations_are_found_by_their_text():
    a = ak.array([1, 2**62])
    assert a._binop(2, "<<<").tolist() == [4, 1]
    assert a._binop(ak.array([1, 62]), ">>>").tolist() == [-(2**63), 1]
    assert ak.array([1, 3])._r_binop(5, "<<<").tolist() == [10, 40]
    assert a._binop(ak.Datetime(ak.arange(2)), "+") is NotImplemented
    for call in (a._binop, a._r_binop):
        with pytest.raises(ValueError, match="bad operator @"):
            call(2, "@")


def test_floats_are_divided_and_times_moved_in_place():
    a = ak.array([1.0, 2.0])
    a.opeq(2, "/=")
    assert a.tolist() == [0.5, 1.0]
    times = ak.Datetime(ak.arange(2))
    times.opeq(ak.Timedelta(ak.array([5, 5])), "+=")
    assert times.values.tolist() == [5, 6]


def test_there_are_only_pythons_operators():
    with pytest.raises(ArgumentError, match="no operator '@='"):
        ak.arange(3).opeq(2, "@=")
    with pytest.raises(TypeError):
        ak.arange(3).opeq(1.5, "+=")


@pytest.mark.parametrize(
    ("array", "other", "expected"),
    [
        (ak.arange(3), 5.9, "5"),
        (ak.zeros(3), 1, "1.00000000000000000"),
        (ak.array([True]), 1, "True"),
        (ak.array([2**70]), 2**80, str(2**80)),
    ],
)
def test_scalars_are_text_in_the_type_of_an_array(array, other, expected):
    assert array.format_other(other) == expected


def test_what_cannot_have_the_type_is_refused():
    with pytest.raises(ArgumentTypeError, match="'x' is no int64"):
        ak.arange(3).format_other("x")


def test_the_name_is_that_of_the_plan():
    a = ak.arange(3)
    assert a.name == ak.arange(3).name != (a + 1).name
    assert a.name == a.expr._name
