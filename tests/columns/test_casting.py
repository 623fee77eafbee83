"""Which types can become which, and which they have together: NumPy's answers, but for integers of any size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

NAMES = ["bool", "int8", "int32", "int64", "uint8", "uint64", "float32", "float64"]


@pytest.mark.parametrize(("source", "target"), list(itertools.product(NAMES, NAMES)))
def test_types_of_numpy_go_by_numpy(source, target):
    assert ak.can_cast(source, target) is np.can_cast(source, target)
    assert ak.can_cast(np.dtype(source), target, "same_kind") is np.can_cast(source, target, "same_kind")
    assert ak.result_type(source, target) == np.result_type(source, target)


def test_arrays_and_types_stand_for_their_dtypes():
    a = ak.array([1.5])
    assert ak.can_cast(ak.arange(3), float)
    assert not ak.can_cast(a, ak.int64)
    assert ak.result_type(a, int) == ak.result_type(np.float64, ak.arange(3)) == np.float64
    assert ak.result_type(True, False) == np.bool_


@pytest.mark.parametrize(
    "spelling", [ak.bigint, "bigint", "BigInt", ak.bigint_, ak.bigint(5), 2**70, ak.array([2**70])]
)
def test_integers_of_any_size_take_all_integers_and_become_floats(spelling):
    assert ak.can_cast("int64", ak.bigint)
    assert ak.can_cast(np.uint8, ak.bigint)
    assert not ak.can_cast("float64", "bigint")
    assert ak.can_cast(spelling, ak.bigint)
    assert ak.can_cast(spelling, "float64")
    assert not ak.can_cast(spelling, "int64")
    assert ak.result_type(spelling, "int64") == ak.bigint
    assert ak.result_type(spelling, 1.5) == np.float64


@pytest.mark.parametrize(
    ("number", "target", "expected"),
    [
        (200, "uint8", True),
        (300, "uint8", False),
        (-1, "uint64", False),
        (2**63, "int64", False),
        (2**63, "uint64", True),
    ],
)
def test_single_integers_are_asked_whether_they_fit(number, target, expected):
    assert ak.can_cast(number, target) is expected


def test_single_integers_go_with_unsigned_ones():
    assert ak.result_type(np.uint32(3), 7) == np.uint32
    assert ak.result_type(np.uint32(3), -7) == np.int64


def test_rules_and_types_that_do_not_exist_are_refused():
    with pytest.raises(ArgumentError, match="no casting rule 'likely'"):
        ak.can_cast("int64", "float64", "likely")
    with pytest.raises(ArgumentTypeError):
        ak.can_cast("int64", "number")
    with pytest.raises(TypeError):
        ak.result_type("nothing")
