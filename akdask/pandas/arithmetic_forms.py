"""Lazy forms of the methods that are operators with more arguments: `add`, `rsub`, `le` and their like."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.labels import settled_operands
from akdask.pandas.refusals import NotLazyError

INTEGERS = tuple(map(np.dtype, ("int64", "uint64", "uint8", "bool")))


def check_division(dividend: Any, divisor: Any) -> None:
    """Refuse divisions as `check_divisor` does, if no side is encoded: such columns look at their divisors."""
    if not any(isinstance(side, Series) and hasattr(side.values, "coding") for side in (dividend, divisor)):
        check_divisor(divisor)


def check_divisor(divisor: Any) -> None:
    """Raise NotLazyError if integers are divided by a zero, since pandas makes floats of them; computes for columns."""
    if isinstance(divisor, DataFrame):
        for name in divisor._columns.values:
            check_divisor(divisor[name])
    elif not hasattr(divisor, "dtype") or not hasattr(divisor, "any"):
        if divisor == 0:
            raise NotLazyError("a divisor is zero")
    elif divisor.dtype in INTEGERS and bool((divisor == 0).any()):
        raise NotLazyError("a divisor is zero")


def method(operate: Callable[[Any, Any], Any], reflected: bool = False) -> Callable[..., Any]:
    """Return the lazy form of the method of an operator."""

    def form(own: Any, other: Any, axis: Any = None, level: Any = None, fill_value: Any = None) -> Any:
        if level is not None or fill_value is not None:
            raise NotLazyError("levels and values for missing operands have no lazy form")
        is_frame = isinstance(own, DataFrame)
        if isinstance(other, DataFrame | Series):
            if isinstance(other, DataFrame) != is_frame:
                raise NotLazyError("a Series beside a frame is lined up with its columns")
        elif not pandas.api.types.is_scalar(other) or pandas.isna(other):
            raise NotLazyError("the operand has no lazy form")
        # Comparisons by operators refuse other labels, and sides that change places pair repeated ones otherwise.
        is_exact = (reflected or operate in COMPARISONS.values()) and isinstance(other, Series | DataFrame)
        if is_exact and not own._row_labels.are_those_of(other._row_labels):
            raise NotLazyError("rows are lined up by their labels")
        if reflected and operate is operator.mod and isinstance(other, str):
            raise NotLazyError("text is formatted")
        if operate in (operator.floordiv, operator.mod):
            check_division(*((other, own) if reflected else (own, other)))
        own, other = settled_operands(operate.__name__, [own, other])
        return operate(other, own) if reflected else operate(own, other)

    return form


ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}

ALIASES = {"subtract": "sub", "multiply": "mul", "div": "truediv", "divide": "truediv", "rdiv": "rtruediv"}

COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}

_METHODS = {
    **{name: method(operate) for name, operate in (ARITHMETIC | COMPARISONS).items()},
    **{f"r{name}": method(operate, reflected=True) for name, operate in ARITHMETIC.items()},
}

FORMS: Mapping[str, Callable[..., Any]] = _METHODS | {alias: _METHODS[name] for alias, name in ALIASES.items()}
