"""Arithmetic of intervals: between which two values the results of an operation lie, given those of its arguments.

A bool between False and False never holds: no row of which the interval tells need be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from akdask.kernels.core.exact import compare


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Bounds of values of some rows, for each partition or stretch of rows, or for all if the arrays are scalars.

    Parameters
    ----------
    low, high : ndarray
        Smallest and largest value.  Bool results lie between False and True, and are in doubt where these differ.
    nans : ndarray of bool
        Whether a row may be NaN, which is in no interval.
    exact : bool
        False if low and high are prefixes of strings: these order like the strings, but may tie.
    """

    low: Any
    high: Any
    nans: Any = np.False_
    exact: bool = True


def apply(operation: str, args: Sequence[Interval | None], *, of_bools: bool) -> Interval | None:
    """Return between which values the results of an operation lie, None if nothing is known of them.

    Parameters
    ----------
    operation : str
        The name of an operation of `akdask.kernels.rowwise.operations`.
    args : sequence of Interval
        Its arguments, None for those of which nothing is known.
    of_bools : bool
        Whether all arguments are bools.
    """
    if operation in _LOGIC and of_bools:
        return _LOGIC[operation](*[_DOUBT if arg is None else arg for arg in args])
    known = [arg for arg in args if arg is not None]
    return COMPARISONS[operation](*known) if operation in COMPARISONS and len(known) == len(args) else None


# Bounds are compared as rows are: integers and floats as what they are.
_is_less, _is_at_most = partial(compare, np.less), partial(compare, np.less_equal)


def _less(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    may = _is_less(left.low, right.high) if exact else _is_at_most(left.low, right.high)
    return Interval(_is_less(left.high, right.low) & ~(left.nans | right.nans), may)


def _less_equal(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    must = _is_at_most(left.high, right.low) if exact else _is_less(left.high, right.low)
    return Interval(must & ~(left.nans | right.nans), _is_at_most(left.low, right.high))


def _equal(left: Interval, right: Interval) -> Interval:
    may = _is_at_most(left.low, right.high) & _is_at_most(right.low, left.high)
    if not (left.exact and right.exact):
        return Interval(np.False_, may)
    must = _is_at_most(left.high, right.low) & _is_at_most(right.high, left.low)
    return Interval(must & ~(left.nans | right.nans), may)


def _is_nan(value: Interval) -> Interval:
    return Interval(np.False_, value.nans)


def _not(value: Interval) -> Interval:
    return Interval(~value.high, ~value.low)


def _and(left: Interval, right: Interval) -> Interval:
    return Interval(left.low & right.low, left.high & right.high)


def _or(left: Interval, right: Interval) -> Interval:
    return Interval(left.low | right.low, left.high | right.high)


def _differ(left: Interval, right: Interval) -> Interval:
    return _or(_and(left, _not(right)), _and(_not(left), right))


_DOUBT = Interval(np.False_, np.True_)

_LOGIC: dict[str, Callable[..., Interval]] = {
    "bitwise_and": _and,
    "logical_and": _and,
    "bitwise_or": _or,
    "logical_or": _or,
    "bitwise_xor": _differ,
    "logical_xor": _differ,
    "invert": _not,
    "logical_not": _not,
}
"""Operations on bools."""

COMPARISONS: dict[str, Callable[..., Interval]] = {
    "less": _less,
    "less_equal": _less_equal,
    "greater": lambda left, right: _less(right, left),
    "greater_equal": lambda left, right: _less_equal(right, left),
    "equal": _equal,
    "not_equal": lambda left, right: _not(_equal(left, right)),
    "isnan": _is_nan,
}
"""Operations that give bools."""
