"""Casts, choices and roundings, and the step from any element-wise operation to its lazy result."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from akdask.collections.core.array import Array
from akdask.collections.core.operators import OperatorMethods, combine
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import class_asked_for, wrap
from akdask.errors import ArgumentError, ArgumentTypeError, ZeroDivisorError
from akdask.schema import STR, column_type

PLAIN = int | float | np.number | np.bool_ | Scalar
"""What stands for one number."""


def elementwise(operation: str, *items: Any, **params: Any) -> Any:
    """Return the lazy result of an operation on arrays and scalars, at least one of which is an array."""
    arrays = [item for item in items if isinstance(item, OperatorMethods)]
    if arrays:
        # Arrays with rules of their own, such as times or shapes, go before plain numbers, as in NumPy.
        owner = max(arrays, key=lambda array: array.__array_priority__)
        return owner._operate(operation, *items, **params)
    if not any(isinstance(item, Array) for item in items):
        kinds = ", ".join(type(item).__name__ for item in items)
        raise ArgumentTypeError(f"{operation} needs a lazy array, got {kinds}.", hint="make one with ak.array(…).")
    return wrap(*combine(operation, list(items), **params))


class ErrorMode(Enum):
    """What a cast does with text that is no number."""

    strict = "strict"
    ignore = "ignore"
    return_validity = "return_validity"


def cast(pda: Array, dt: Any, errors: ErrorMode | str = ErrorMode.strict) -> Any:
    """Return the elements converted to another type; lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        What to convert.
    dt : dtype-like
        The type wanted, by name, NumPy dtype or Python type; ``str`` and `Strings` give `Strings`, and `Categorical`,
        of Strings, a `Categorical`.  A Categorical becomes Strings only.
    errors : ErrorMode, or its name
        ``strict``: text that is not a number is an error when computed.  ``ignore``: it gives NaN, the smallest int,
        0 or False.  ``return_validity``: so it does, and of Strings a second array tells where the text is a number.

    Returns
    -------
    array, or (array, pdarray of bool)
        With the rows of `pda`.

    Raises
    ------
    ArgumentTypeError
        If no column can hold the type, or `pda` is no lazy array.
    ArgumentError
        If a Categorical is cast to something else than Strings, or `errors` is not a name of an `ErrorMode`.
    ConversionError
        When it is computed, if some text is no number.

    Examples
    --------
    >>> import akdask as ak
    >>> cast(ak.array([1.7, -2.2]), "int64").tolist()
    [1, -2]
    >>> numbers, valid = cast(ak.array(["1", "x"]), "float64", "return_validity")
    >>> numbers.tolist(), valid.tolist()
    ([1.0, nan], [True, False])
    """
    if not isinstance(pda, Array):
        raise ArgumentTypeError(f"cast needs a lazy array, got {type(pda).__name__}.", hint="use ak.array(…, dtype=…).")
    try:
        mode = ErrorMode(errors)
    except ValueError:
        raise ArgumentError(f"cast: errors={errors!r} is none of {', '.join(ErrorMode.__members__)}.") from None
    is_parsed = pda._value.dtype == STR and class_asked_for(dt) is None and column_type(dt) != STR
    if mode == ErrorMode.strict or not is_parsed:
        return pda.astype(dt)
    name = column_type(dt).name
    numbers = elementwise("cast", pda, dtype=name, errors="ignore")
    return numbers if mode == ErrorMode.ignore else (numbers, elementwise("is_number", pda, dtype=name))


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return elements of `x` where a condition holds and of `y` elsewhere; lazy.

    Parameters
    ----------
    condition : pdarray of bool
        The choice, row by row; one bool chooses for all.
    x, y : pdarray, Strings, Categorical or scalar
        What to choose from; numbers meet in their common type.  Of Categoricals, or of one and a str, the result is a
        Categorical.

    Raises
    ------
    ArgumentTypeError
        If one of them is a list or an array that is not lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(4)
    >>> where(a > 1, a, -1).tolist()
    [-1, -1, 2, 3]
    """
    for item in (condition, x, y):
        if isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim):
            raise ArgumentTypeError(
                f"where takes lazy arrays and scalars, not a {type(item).__name__}.",
                hint="make it an array with ak.array(…).",
            )
    if not any(isinstance(item, Array) for item in (condition, x, y)):
        if not isinstance(condition, bool | np.bool_):
            raise ArgumentTypeError(
                f"where takes a lazy condition, or a bool for all rows, not a {type(condition).__name__}.",
                hint="make it an array with ak.array(…).",
            )
        return x if condition else y
    labelled = next((item for item in (x, y) if hasattr(item, "_chosen")), None)
    if labelled is not None and all(isinstance(item, type(labelled) | str) for item in (x, y)):
        return labelled._chosen(condition, x, y)
    return elementwise("where", condition, x, y)


def clip(pda: Array, lo: Any, hi: Any) -> Any:
    """Return the elements bounded below by `lo` and above by `hi`; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements; the result has the type that they and the bounds have in common.
    lo, hi : pdarray, scalar or None
        The bounds; None for no bound.  Where `lo` is above `hi`, elements become `hi`.

    Raises
    ------
    ArgumentError
        If both are None.

    Examples
    --------
    >>> import akdask as ak
    >>> clip(ak.arange(5), 1, 3).tolist(), clip(ak.arange(5), None, 2).tolist()
    ([1, 1, 2, 3, 3], [0, 1, 2, 2, 2])
    """
    if lo is None and hi is None:
        raise ArgumentError("clip needs a bound.", hint="pass lo, hi or both.")
    if lo is None or hi is None:
        return elementwise("minimum", pda, hi) if lo is None else elementwise("maximum", pda, lo)
    return elementwise("clip", pda, lo, hi)


def round(pda: Array, decimals: int | None = None) -> Any:
    """Return the elements rounded to a number of decimals, half to even; float64 of bools.  Lazy."""
    return elementwise("round", pda, decimals=decimals or 0)


def divmod(x: Any, y: Any, where: Any = True) -> tuple[Any, Any]:
    """Return quotient and remainder; lazy.

    Parameters
    ----------
    x, y : pdarray or scalar
        Dividend and divisor, at least one of them an array.  Integers divided by a 0 in an array give 0 and 0.
    where : bool or pdarray of bool
        Where to divide; elsewhere both results are `x`.

    Raises
    ------
    ZeroDivisorError
        If `y` is the scalar 0.

    Examples
    --------
    >>> import akdask as ak
    >>> quotients, remainders = ak.divmod(ak.arange(5, 8), 3)
    >>> quotients.tolist(), remainders.tolist()
    ([1, 2, 2], [2, 0, 1])
    """
    if isinstance(y, int | float | np.number) and y == 0:
        raise ZeroDivisorError("divmod: the divisor is 0.")
    quotient, remainder = elementwise("floor_divide", x, y), elementwise("remainder", x, y)
    if where is True:
        return quotient, remainder
    return elementwise("where", where, quotient, x), elementwise("where", where, remainder, x)
