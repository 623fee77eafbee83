"""How a column is reduced in groups: by which reductions, and what users see of their results.

Times and spans are int64 to the reductions of groups, and so is NaT, the smallest of all.  Here NaT becomes what each
reduction leaves out, and the results become times again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from akdask.collections.core.array import Array
from akdask.collections.core.wrap import wrap
from akdask.collections.text.categorical import Categorical
from akdask.collections.time.timearray import CLASSES, NOT_A_TIME, SPAN, TimeArray
from akdask.errors import ArgumentTypeError
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.plan.expr.missing_text import is_present
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Call, Constant, Value, cast
from akdask.schema import BOOL, FLOAT64, INT64, NULLABLE_STR

Make: TypeAlias = Callable[[Frame, Value], Any]

LATEST = np.iinfo(np.int64).max
CHOICES = ("first", "min", "max")
"""Reductions that choose among the values, whose results are what the values are."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one column is reduced.

    Parameters
    ----------
    reductions : sequence of (str, Value)
        Names of reductions with a grouped form, and what each reduces on the rows of the column.
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
    # Everything but the first value works on what the elements are, not on what stands for them.
    as_codes = isinstance(values, Categorical) and name in ("first", "size", "count")
    value = values._value if as_codes else values._as_operand()[1]
    make: Make = values._like if name in CHOICES else wrap
    if name == "count" and value.dtype == NULLABLE_STR:
        return ColumnRule([("sum", cast(is_present(value), INT64))], _itself, wrap)
    known = REDUCTIONS[name].of_bools if value.dtype == BOOL else None
    return ColumnRule([(known or name, value)], lambda result: _limited(result, value), make)


def has_meaning(name: str, values: Array) -> bool:
    """Whether values of that type may be reduced so."""
    if isinstance(values, TimeArray) and name in values._refused:
        return False
    return REDUCTIONS[name].takes(values._as_operand()[1].dtype)


def times_of(found: Value) -> Value:
    """Return float64 nanoseconds as int64, NaN as NaT."""
    return Call("where", Call("isnan", found), Constant(NOT_A_TIME), cast(Call("rint", found), INT64))


def _of_times(name: str, values: TimeArray, skipna: bool) -> ColumnRule:
    if name in values._refused:
        raise ArgumentTypeError(f"{name} of groups has no meaning for a {type(values).__name__}.")
    value = values._value
    missing = Call("equal", value, Constant(NOT_A_TIME))
    numbers = Call("where", missing, Constant(np.nan), cast(value, FLOAT64)) if skipna else cast(value, FLOAT64)
    match name:
        case "mean":
            return ColumnRule([(name, numbers)], times_of, values._like)
        case "std":
            return ColumnRule([(name, numbers)], times_of, CLASSES[SPAN].of)
        case "count":
            return ColumnRule([(name, numbers)], _itself, wrap)
        case "sum":
            return ColumnRule([(name, _instead(0, missing, value) if skipna else value)], _itself, values._like)
        case "min" if skipna:
            return ColumnRule([(name, _instead(LATEST, missing, value))], _without_latest, values._like)
        case "argmin" | "argmax":
            # NaT is before all others already.
            sought = _instead(LATEST, missing, value) if name == "argmin" else value
            return ColumnRule([(name, sought), ("count", numbers)], _position, wrap)
    return ColumnRule([(name, value)], _itself, values._like if name in CHOICES else wrap)


def _instead(number: int, missing: Value, value: Value) -> Value:
    return Call("where", missing, Constant(number), value)


def _without_latest(found: Value) -> Value:
    return Call("where", Call("equal", found, Constant(LATEST)), Constant(NOT_A_TIME), found)


def _position(position: Value, count: Value) -> Value:
    return Call("where", Call("equal", count, Constant(0)), Constant(-1), position)


def _itself(result: Value) -> Value:
    return result


def _limited(result: Value, value: Value) -> Value:
    """Return a result with the limit of bits of the integers that it was made of."""
    dtype = value.dtype
    return cast(result, dtype) if result.dtype.kind == dtype.kind == "bigint" and dtype.max_bits > 0 else result
