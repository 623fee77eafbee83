"""Integers and bool of which joins leave some missing: floats to compute with, but known exactly.

Such a column is an expression of two others, the integers and where they are missing.  What moves rows moves these two,
and so keeps integers that no float is equal to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from akdask.plan.expr.values import Call, Value
from akdask.schema import ColumnType

INTEGERS, MISSING = "integers", "missing"
"""What the two parts of a column are called beside its name, in projections."""

_OPERATION = "missing_as_nan"


def with_missing(integers: Value, missing: Value) -> Value:
    """Return integers as floats, NaN where they are missing."""
    apart = parts(integers)
    if apart is not None:
        integers, missing = apart[0], Call("logical_or", apart[1], missing)
    return Call(_OPERATION, integers, missing)


def parts(value: Value) -> tuple[Value, Value] | None:
    """Return the integers, and where they are missing; None for other values."""
    return (value.args[0], value.args[1]) if isinstance(value, Call) and value.operation == _OPERATION else None


def is_in_parts(value: Value) -> bool:
    """Whether a value is integers of which some may be missing."""
    return parts(value) is not None


def exact_type(value: Value) -> ColumnType:
    """Return the type of the integers where some may be missing, and otherwise that of the value."""
    apart = parts(value)
    return value.dtype if apart is None else apart[0].dtype


def separated(values: Iterable[Value]) -> list[Value]:
    """Return values, and for integers of which some are missing the two that they are made of."""
    given = list(values)
    if not _in_parts(given):
        return given
    return [part for value in given for part in parts(value) or (value,)]


def recombined(values: Iterable[Value], moved: Sequence[Value]) -> list[Value]:
    """Return values on other rows, of what `separated` gave of them; of more than that, the rest as it is."""
    given = list(values)
    if not _in_parts(given):
        return list(moved)
    found = iter(moved)
    made = [next(found) if parts(value) is None else with_missing(next(found), next(found)) for value in given]
    return [*made, *found]


def _in_parts(values: Sequence[Value]) -> list[Value]:
    """Return those that are in parts, with one call for all: most frames have none, and some thousands of columns."""
    return [value for value in values if isinstance(value, Call) and value.operation == _OPERATION]
