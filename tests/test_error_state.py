"""What happens where numbers are divided by zero."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.error_state import KINDS, handle


@pytest.fixture(autouse=True)
def restored():
    before = ak.geterr(), ak.geterrcall()
    yield
    with pytest.MonkeyPatch.context():
        ak.seterr(**before[0])
        ak.seterrcall(before[1])


def test_nothing_happens_unless_told():
    assert ak.geterr() == dict.fromkeys(KINDS, "ignore")
    assert (ak.array([1.0, -1.0, 0.0]) / 0).tolist() == [np.inf, -np.inf, pytest.approx(np.nan, nan_ok=True)]


@pytest.mark.parametrize("divide", [lambda a, b: a / b, lambda a, b: a // b])
@pytest.mark.parametrize("divisor", [0, 0.0, np.int64(0), ak.array([1, 0, 2])])
def test_zeros_among_divisors_are_found(divide, divisor):
    with ak.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered"):
        divide(ak.arange(3), divisor)


def test_a_divided_number_counts_as_well_as_a_divided_array():
    with ak.errstate(divide="raise"), pytest.raises(FloatingPointError):
        1 / ak.arange(3)


def test_other_divisors_and_operations_are_let_through():
    with ak.errstate(divide="raise"):
        assert (ak.arange(3) / 2).tolist() == [0, 0.5, 1]
        assert (ak.arange(3) * 0).tolist() == [0, 0, 0]
        assert (ak.array([4, 6]) // ak.array([2, 3])).tolist() == [2, 2]


def test_each_mode_does_what_it_says(capsys, caplog):
    calls = []
    a = ak.array([1.0])
    with ak.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide: divide by zero"):
        a / 0
    with ak.errstate(divide="print"):
        a / 0
    with ak.errstate(divide="log"):
        a / 0
    with ak.errstate(divide="call", call=lambda kind, message: calls.append((kind, message))):
        a / 0
    with ak.errstate(divide="call"):
        a / 0
    assert capsys.readouterr().out == "divide: divide by zero encountered\n"
    assert [record.message for record in caplog.records] == ["divide: divide by zero encountered"]
    assert calls == [("divide", "divide by zero encountered")]


def test_settings_go_back_after_a_block_whatever_happens_in_it():
    function = print
    ak.seterr(divide="print")
    ak.seterrcall(function)
    with pytest.raises(ZeroDivisionError), ak.errstate(divide="raise", call=max):
        raise ZeroDivisionError
    assert (ak.geterr()["divide"], ak.geterrcall()) == ("print", function)
    assert ak.seterr(divide="ignore")["divide"] == "print"
    assert ak.seterrcall(None) is function


def test_kinds_without_effect_warn():
    with pytest.warns(UserWarning, match="'over' are not looked for"), ak.errstate(over="raise"):
        assert ak.geterr()["over"] == "raise"


def test_unknown_kinds_modes_and_handlers_are_refused():
    for wrong in ({"division": "raise"}, {"divide": "explode"}):
        with pytest.raises(ValueError, match=r"errors of kind"):
            ak.seterr(**wrong)
    with pytest.raises(TypeError, match="takes a function or None"):
        ak.seterrcall(5)
    with pytest.raises(ValueError, match="no errors of kind 'x'"):
        handle("x", "message")
    assert ak.arkouda.numpy.err.handle is handle
