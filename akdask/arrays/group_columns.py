"""Rules for columns in groups: the reductions that a type of column has, and the form of their results.

Grouped reductions take times and spans as int64, with NaT as the smallest number.  These rules leave NaT out or make it
the result, as each reduction demands, and turn the results into times again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.timearray import CLASSES, TimeArray
from akdask.arrays.wrap import wrap
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, SPAN, TIME
from akdask.engine import times
from akdask.engine.missing import is_present, key_parts, named, negated, parts, with_missing
from akdask.engine.node import Frame
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentTypeError
from akdask.operators.reduce.reductions import REDUCTIONS

Make: TypeAlias = Callable[[Frame, Value], Any]

BY_ORDER = ("min", "max", "argmin", "argmax")
"""Reductions of Categoricals whose labels are in order."""

CHOICES = ("first", "min", "max")
"""Reductions that choose among the values, whose results are what the values are."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one column is reduced.

    Parameters
    ----------
    reductions : sequence of (str, Value)
        Names of reductions with a grouped form, and the value that each one reduces on the rows of the column.
    finish : callable
        Makes the result of theirs.
    make : callable
        Makes the user's array of it.
    """

    reductions: Sequence[tuple[str, Value]]
    finish: Callable[..., Value]
    make: Make


def column_rule(name: str, values: Array, skipna: bool) -> ColumnRule:
    """Return how a column is reduced.

    Raises
    ------
    ArgumentTypeError
        If the reduction has no meaning for such values.
    """
    if isinstance(values, TimeArray):
        return _of_times(name, values, skipna)
    if isinstance(values, Categorical) and values.ordered and name in BY_ORDER:
        return _of_ordered(name, values)
    # All reductions but the first value work on the elements, not on their codes.
    as_codes = isinstance(values, Categorical) and name in ("first", "size", "count")
    value = values._value if as_codes else values._as_operand()[1]
    if name in _OF_GAPS and len(key_parts(value)) > 1:
        return _of_integers(name, value, skipna)
    make: Make = values._like if name in CHOICES else wrap
    if name == "count" and value.dtype == NULLABLE_STR:
        return ColumnRule([("sum", cast(is_present(value), INT64))], _itself, wrap)
    known = REDUCTIONS[name].of_bools if value.dtype == BOOL else None
    return ColumnRule([(known or name, value)], lambda result: _limited(result, value), make)


_OF_GAPS = ("sum", "prod", "min", "max", "count", "first")
"""Reductions of integers of which some are missing that are found without making floats of them."""


def _of_integers(name: str, value: Value, skipna: bool) -> ColumnRule:
    """Return the reduction of integers with gaps: over integers, with neutral ones in the gaps."""
    apart = parts(value)
    assert apart is not None, "other values have no parts"
    integers, missing = apart
    present, lacking = cast(negated(missing), INT64), cast(missing, INT64)
    if name == "count":
        return ColumnRule([("sum", present)], _itself, wrap)
    column = named(value)
    if name == "first":
        reductions = [("first", integers), ("first", lacking)]
        return ColumnRule(reductions, lambda found, lacks: with_missing(found, _is_positive(lacks), column), wrap)
    limits = np.iinfo(integers.dtype.numpy)
    neutral = {"sum": 0, "prod": 1, "min": limits.max, "max": limits.min}[name]
    filled = Call("where", missing, Constant(integers.dtype.numpy.type(neutral)), integers)

    def finish(found: Value, there: Value, absent: Value) -> Value:
        if not skipna:
            return with_missing(found, _is_positive(absent), column)
        return with_missing(found, Call("equal", there, Constant(0)), column) if name in CHOICES else found

    return ColumnRule([(name, filled), ("sum", present), ("sum", lacking)], finish, wrap)


def _of_ordered(name: str, values: Categorical) -> ColumnRule:
    """Return the reduction of ordered labels: over their positions, with NaN for missing labels."""
    _, place = values._sort_key()
    if name in ("argmin", "argmax"):
        return ColumnRule([(name, place)], _itself, wrap)
    na_code = values._category_table.na_code

    def code(found: Value) -> Value:
        return Call("where", Call("isnan", found), na_code, cast(found, INT64))

    return ColumnRule([(name, place)], code, values._like)


def has_meaning(name: str, values: Array) -> bool:
    """Whether values of that type may be reduced so."""
    if isinstance(values, Categorical) and values.ordered and name in BY_ORDER:
        return True
    if isinstance(values, TimeArray) and name in values._refused:
        return False
    return REDUCTIONS[name].takes(values._as_operand()[1].dtype)


def _of_times(name: str, values: TimeArray, skipna: bool) -> ColumnRule:
    if name in values._refused or (name in ("any", "all") and values._is == TIME):
        raise ArgumentTypeError(f"{name} of groups has no meaning for a {type(values).__name__}.")
    value = values._value
    present = cast(times.is_present_time(value), INT64)
    like = values._like if name in ("first", "sum") else values._lacking()._like
    match name:
        case "mean":
            return ColumnRule([*_halves(value), *_counts(value)], partial(_mean, skipna), like)
        case "sum":
            return ColumnRule([*_halves(value), *_counts(value)], partial(_sum, skipna), like)
        case "std":
            numbers = times.as_floats(value)
            spans = partial(CLASSES[SPAN].of, form=values._form.of_span().lacking())
            return ColumnRule([(name, numbers)], times.of_floats, spans)
        case "count":
            return ColumnRule([("sum", present)], _itself, wrap)
        case "min" | "max" if skipna == (name == "min"):
            # NaT sorts on the other side of all values, so it is the result only in a group that has only NaT.
            return ColumnRule([(name, times.ordered(value))], times.of_order, like)
        case "argmin" | "argmax" if skipna:
            sought = times.ordered(value) if name == "argmin" else value
            return ColumnRule([(name, sought), ("sum", present)], _position, wrap)
        case "argmax":
            return ColumnRule([(name, times.ordered(value))], _itself, wrap)
    return ColumnRule([(name, value)], _itself, like if name in CHOICES else wrap)


def _halves(value: Value) -> list[tuple[str, Value]]:
    """Return the sums of both halves of times, without NaT; they do not overflow."""
    return [("sum", half) for half in times.halves(value)]


def _counts(value: Value) -> list[tuple[str, Value]]:
    return [("sum", cast(check(value), INT64)) for check in (times.is_present_time, times.is_missing_time)]


def _sum(skipna: bool, high: Value, low: Value, count: Value, missing: Value) -> Value:
    found = times.of_halves(high, low)
    return found if skipna else times.with_missing_times(found, _is_positive(missing))


def _mean(skipna: bool, high: Value, low: Value, count: Value, missing: Value) -> Value:
    """Divide sums of both halves by the number of times; fractions of a unit are dropped, as in pandas."""
    rest = Call("add", Call("left_shift", Call("remainder", high, count), times.HALF), low)
    down = Call(
        "add", Call("left_shift", Call("floor_divide", high, count), times.HALF), Call("floor_divide", rest, count)
    )
    is_above = Call(
        "bitwise_and", Call("less", down, Constant(0)), Call("not_equal", Call("remainder", rest, count), Constant(0))
    )
    found = Call("add", down, cast(is_above, INT64))
    lacks = Call("equal", count, Constant(0))
    return times.with_missing_times(found, lacks if skipna else Call("bitwise_or", lacks, _is_positive(missing)))


def _is_positive(count: Value) -> Value:
    return Call("greater", count, Constant(0))


def _position(position: Value, count: Value) -> Value:
    return Call("where", Call("equal", count, Constant(0)), Constant(-1), position)


def _itself(result: Value) -> Value:
    return result


def _limited(result: Value, value: Value) -> Value:
    """Return a result with the limit of bits of the integers that were reduced."""
    dtype = value.dtype
    return cast(result, dtype) if result.dtype.kind == dtype.kind == "bigint" and dtype.max_bits > 0 else result


def called(func: Any) -> str:
    """Return the name of a reduction.

    Examples
    --------
    >>> called("sum"), called(max)
    ('sum', 'max')
    """
    return func if isinstance(func, str) else getattr(func, "__name__", str(func))


def is_named(func: Any) -> bool:
    """Whether a reduction is named, by text or by one of NumPy's functions, and is no function of a user.

    Examples
    --------
    >>> import numpy as np
    >>> is_named(np.mean), is_named(lambda rows: 0)
    (True, False)
    """
    return not callable(func) or str(getattr(func, "__module__", "")).partition(".")[0] == "numpy"


def reduction_named(func: Any) -> Any:
    """Return the name of a reduction, or the function itself if users wrote it."""
    return called(func) if is_named(func) else func
