"""Expressions of times: comparisons and arithmetic with NaT, an order with NaT last, and changes of unit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from akdask.columns.dtypes import FLOAT64, INT64, NOT_A_TIME, PER_SECOND
from akdask.engine.values import Call, Constant, Value, cast

_LATEST = np.iinfo(np.int64).max
_ONE, _NAT = Constant(np.int64(1)), Constant(np.int64(NOT_A_TIME))

ALWAYS, NEVER = Constant(np.bool_(True)), Constant(np.bool_(False))
_SWAPPED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def not_a_time() -> Constant:
    """Return NaT."""
    return _NAT


def is_missing_time(value: Value) -> Value:
    """Return the mask of NaT."""
    return Call("equal", value, _NAT)


def is_present_time(value: Value) -> Value:
    """Return the mask of times that are not NaT."""
    return Call("not_equal", value, _NAT)


def with_missing_times(value: Value, lacks: Value) -> Value:
    """Return times with NaT in the masked rows."""
    return Call("where", lacks, _NAT, value)


def ordered(value: Value) -> Value:
    """Return numbers that order times, NaT last; subtracting one makes the smallest number the largest."""
    if isinstance(value, Call) and value.operation == "add" and value.args[1] == _ONE:
        return value.args[0]
    return Call("subtract", value, _ONE)


def of_order(value: Value) -> Value:
    """Return the times of numbers that `ordered` made."""
    if isinstance(value, Call) and value.operation == "subtract" and value.args[1] == _ONE:
        return value.args[0]
    return Call("add", value, _ONE)


def as_floats(value: Value) -> Value:
    """Return times as float64, NaN for NaT."""
    return Call("where", is_missing_time(value), Constant(np.nan), cast(value, FLOAT64))


def of_floats(value: Value) -> Value:
    """Return floats as times, truncated to integers as pandas does; NaN becomes NaT."""
    return Call("where", Call("isnan", value), _NAT, cast(Call("trunc", value), INT64))


def in_unit(value: Value, given: str, wanted: str, column: str = "") -> Value:
    """Return times in another unit; computing it raises if a finer unit cannot hold a time."""
    if given == wanted or value == _NAT:
        return value
    return Call("time_in_unit", value, given=given, wanted=wanted, **({"column": column} if column else {}))


def local(value: Value, zone: str | None, unit: str) -> Value:
    """Return the local times of a zone; without a zone, the times themselves."""
    return value if zone is None else Call("local_time", value, zone=zone, unit=unit)


def utc(value: Value, zone: str | None, unit: str, *flags: Value, **how: Any) -> Value:
    """Return the UTC times of local times in a zone; see `akdask.operators.values.times.utc`."""
    return value if zone is None else Call("utc_time", value, *flags, zone=zone, unit=unit, **how)


def compared(how: str, left: Value, right: Value, units: tuple[str, str]) -> Value:
    """Return a comparison of times: False where one is NaT, True for ``not_equal``.

    As NaT is the smallest number, most comparisons with it are false already, and at most one more is needed.
    """
    if _NAT in (left, right):
        return _with_nothing(how, right if left == _NAT else left)
    if units[0] != units[1]:
        return Call("compare_times", left, right, how=how, units=units)
    plain = Call(how, left, right)
    match how:
        case "less" | "less_equal":
            return _and_present(plain, left)
        case "greater" | "greater_equal":
            return _and_present(plain, right)
        case "equal":
            return _and_present(plain, left) if not isinstance(right, Constant) else plain
    if isinstance(left, Constant) or isinstance(right, Constant):
        return plain
    return Call("bitwise_or", plain, is_missing_time(left))


def _and_present(plain: Value, value: Value) -> Value:
    return plain if isinstance(value, Constant) else Call("bitwise_and", plain, is_present_time(value))


def _with_nothing(how: str, value: Value) -> Value:
    """Return a comparison with NaT, for each row of the other side."""
    return Call("greater_equal" if how == "not_equal" else "less", value, _NAT)


def compared_with(how: str, value: Value, number: int, units: tuple[str, str]) -> Value:
    """Return a comparison of times with a time that is not NaT, may have another unit, and may exceed 64 bits."""
    exact = Fraction(number * PER_SECOND[units[1]], PER_SECOND[units[0]])
    if how in ("equal", "not_equal"):
        if exact.denominator == 1 and NOT_A_TIME < exact <= _LATEST:
            return Call(how, value, Constant(np.int64(exact)))
        return _with_nothing(how, value)
    # Integers below a fraction are the integers up to the one below it.
    if exact.denominator != 1:
        how = {"less": "less_equal", "greater_equal": "greater"}.get(how, how)
    bound = math.floor(exact)
    if bound > _LATEST:
        return is_present_time(value) if how.startswith("less") else _with_nothing(how, value)
    if bound <= NOT_A_TIME:
        return _with_nothing(how, value) if how.startswith("less") else is_present_time(value)
    found = Call(how, value, Constant(np.int64(bound)))
    return _and_present(found, value) if how.startswith("less") else found


def swapped(how: str) -> str:
    """Return the comparison with its sides swapped."""
    return _SWAPPED.get(how, how)


def largest(left: Value, right: Value) -> Value:
    """Return the later of two times, NaT if either is."""
    return of_order(Call("maximum", ordered(left), ordered(right)))


def clipped(value: Value, low: Value, high: Value) -> Value:
    """Return times limited by bounds; a bound that is NaT has no effect, and NaT stays NaT."""
    below = Call("where", is_missing_time(high), Constant(np.int64(_LATEST)), high)
    return with_missing_times(Call("clip", value, low, below), is_missing_time(value))


HALF = Constant(np.int64(32))
_LOW = Constant(np.int64(2**32 - 1))


def halves(value: Value) -> tuple[Value, Value]:
    """Return the high and low halves of times, whose sums do not overflow; 0 for NaT."""
    there = Call("where", is_missing_time(value), Constant(np.int64(0)), value)
    return Call("right_shift", there, HALF), Call("bitwise_and", there, _LOW)


def of_halves(high: Value, low: Value) -> Value:
    """Return the sums of times from the sums of their halves; computing it raises if 64 bits do not hold a sum."""
    upper = Call("multiply_times", Call("add", high, Call("right_shift", low, HALF)), Constant(np.int64(2**32)))
    return Call("add_times", upper, Call("bitwise_and", low, _LOW))
