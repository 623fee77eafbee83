"""Pruning: which partitions can have rows after the filters, judged by the bounds of columns alone.

A predicate is evaluated on intervals instead of rows: for each partition, between which two values all results lie.  A
bool between False and False never holds, so that the partition need not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.plan.expr.node import Frame
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import Call, ColumnRef, Constant, Value, walk
from akdask.schema import BOOL, STR
from akdask.storage.data.source import text_prefix

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Bounds of the results of a partition, for each partition, or for all if the arrays are scalars.

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


def partitions_left(bases: Sequence[Frame], predicates: Sequence[Value]) -> Bools | None:
    """Return for each partition of some aligned frames whether all predicates may hold for one of its rows.

    None if no partition can be excluded.
    """
    scans = {base._name: base for base in bases if isinstance(base, Scan)}
    known: dict[str, Interval | None] = {}
    for part in walk(*predicates):
        known[part.token] = _interval(part, scans, [known[arg.token] for arg in part.args])
    found = [known[predicate.token] for predicate in predicates]
    left = [truth.high for truth in found if truth is not None]
    if not left:
        return None
    count = bases[0].npartitions
    may_hold: Bools = reduce(np.logical_and, left, np.ones(count, np.bool_))
    return None if may_hold.all() else may_hold


def _interval(value: Value, scans: Mapping[str, Scan], args: Sequence[Interval | None]) -> Interval | None:
    match value:
        case Constant():
            return _of_constant(value)
        case ColumnRef():
            return _of_column(value, scans)
        case Call():
            if value.operation in _LOGIC and all(arg.dtype == BOOL for arg in value.args):
                return _LOGIC[value.operation](*[arg or _DOUBT for arg in args])
            known = [arg for arg in args if arg is not None]
            if value.operation in _OF_VALUES and len(known) == len(args):
                return _OF_VALUES[value.operation](*known)
    return None


def _of_constant(value: Constant) -> Interval | None:
    if value.dtype != STR:
        return Interval(value.value, value.value, np.bool_(value.value != value.value))
    start = text_prefix(value.value)
    return None if start is None else Interval(np.bytes_(start), np.bytes_(start), exact=False)


def _of_column(column: ColumnRef, scans: Mapping[str, Scan]) -> Interval | None:
    scan = scans.get(column.source)
    bounds = None if scan is None else scan.source.bounds(str(column.name))
    return None if bounds is None else Interval(bounds.minima, bounds.maxima, bounds.nans, column.dtype.kind != "str")


# Bounds are compared by the ufuncs that compare rows: whatever those round, they round in order.


def _less(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    may = np.less(left.low, right.high) if exact else np.less_equal(left.low, right.high)
    return Interval(np.less(left.high, right.low) & ~(left.nans | right.nans), may)


def _less_equal(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    must = np.less_equal(left.high, right.low) if exact else np.less(left.high, right.low)
    return Interval(must & ~(left.nans | right.nans), np.less_equal(left.low, right.high))


def _equal(left: Interval, right: Interval) -> Interval:
    may = np.less_equal(left.low, right.high) & np.less_equal(right.low, left.high)
    if not (left.exact and right.exact):
        return Interval(np.False_, may)
    must = np.less_equal(left.high, right.low) & np.less_equal(right.high, left.low)
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

_OF_VALUES: dict[str, Callable[..., Interval]] = {
    "less": _less,
    "less_equal": _less_equal,
    "greater": lambda left, right: _less(right, left),
    "greater_equal": lambda left, right: _less_equal(right, left),
    "equal": _equal,
    "not_equal": lambda left, right: _not(_equal(left, right)),
    "isnan": _is_nan,
}
"""Operations that give bools."""
