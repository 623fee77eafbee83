"""Elementwise functions: NumPy's, under Arkouda's names; all of them lazy."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from akdask.collections.arrays.ndarray import ArrayView, element_by_element
from akdask.collections.core.array import Array
from akdask.collections.core.operators import OperatorMethods, combine
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import class_asked_for, wrap
from akdask.errors import ArgumentError, ArgumentTypeError, ZeroDivisorError
from akdask.schema import STR, column_type


def elementwise(operation: str, *items: Any, **params: Any) -> Any:
    """Return the lazy result of an operation on arrays and scalars, at least one of which is an array."""
    shaped = next((item for item in items if isinstance(item, ArrayView)), None)
    if shaped is not None:
        return element_by_element(operation, partial(elementwise, operation, **params), items, shaped.shape)
    arrays = [item for item in items if isinstance(item, OperatorMethods)]
    if arrays:
        # Arrays with rules of their own, such as times, go before plain numbers, as in NumPy.
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


def cast(pda: Array | ArrayView, dt: Any, errors: ErrorMode | str = ErrorMode.strict) -> Any:
    """Return the elements converted to another type; lazy.

    Parameters
    ----------
    pda : pdarray, ArrayView, Strings or Categorical
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
        If a Categorical shall become something else than Strings, or `errors` is none of these.
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
    if not isinstance(pda, Array | ArrayView):
        raise ArgumentTypeError(f"cast needs a lazy array, got {type(pda).__name__}.", hint="use ak.array(…, dtype=…).")
    try:
        mode = ErrorMode(errors)
    except ValueError:
        raise ArgumentError(f"cast: errors={errors!r} is none of {', '.join(ErrorMode.__members__)}.") from None
    is_text = isinstance(pda, Array) and pda._value.dtype == STR
    is_parsed = is_text and class_asked_for(dt) is None and column_type(dt) != STR
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

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(4)
    >>> where(a > 1, a, -1).tolist()
    [-1, -1, 2, 3]
    """
    if not any(isinstance(item, Array | ArrayView) for item in (condition, x, y)):
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


PLAIN = int | float | np.number | np.bool_ | Scalar
"""What stands for one number."""

NO_MORE, WHERE, OUT = (), ("where",), ("out",)
"""What may be given by position behind the arrays; `where` may be named always."""

DESCRIPTIONS: dict[tuple[str, ...], str] = {
    NO_MORE: "where `where` holds if given",
    WHERE: "where `where` holds, and the first argument elsewhere",
    OUT: "into the array `out` if given, which stays as it is where `where` does not hold",
}


def _function(
    name: str,
    params: str = "pda",
    more: tuple[str, ...] = NO_MORE,
    *,
    operation: str | None = None,
    takes_plain: bool = False,
) -> Callable[..., Any]:
    """Return a function of one of the operations, with Arkouda's names of parameters."""
    required = params.split()
    positional = (*required, *more)
    allowed = {*positional, "where"}
    called = operation or name

    def function(*args: Any, **named: Any) -> Any:
        given = dict(zip(positional, args, strict=False)) | named
        is_complete = given.keys() >= set(required) and given.keys() <= allowed
        if not is_complete or len(given) < len(args) + len(named):
            raise ArgumentTypeError(
                f"{name} takes {len(required)} argument(s), got {len(args) + len(named)}.",
                details=[f"arguments: {', '.join(dict.fromkeys([*positional, 'where']))}"],
            )
        items = [given[param] for param in required]
        return _applied(called, items, given.get("where"), given.get("out"), takes_plain=takes_plain)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return ``numpy.{called}({', '.join(required)})`` row by row, {DESCRIPTIONS[more]}; lazy."
    return function


def _applied(operation: str, items: list[Any], where: Any, out: Any, *, takes_plain: bool) -> Any:
    if takes_plain and out is None and all(isinstance(item, PLAIN) for item in items):
        return getattr(np, operation)(*items)
    if isinstance(where, int | float | np.number) and not isinstance(where, bool):
        raise ArgumentTypeError(f"where is a bool or an array of bool, not {where!r}.")
    result = elementwise(operation, *items)
    if out is not None:
        return _put_into(out, result, where, operation)
    if where is None or where is True:
        return result
    first = next(item for item in items if isinstance(item, Array | ArrayView))
    return elementwise("where", where, result, first)


def _put_into(out: Any, result: Any, where: Any, operation: str) -> Any:
    if not isinstance(out, OperatorMethods):
        raise ArgumentTypeError(f"out is a lazy array, not {type(out).__name__}.")
    return out._become(elementwise("where", True if where is None else where, result, out), operation)


abs = _function("abs", operation="absolute")
fabs = _function("fabs")
sign = _function("sign")
square = _function("square", "pda", WHERE)
sqrt = _function("sqrt", "pda", WHERE)
exp = _function("exp")
expm1 = _function("expm1")
log = _function("log")
log10 = _function("log10")
log1p = _function("log1p")
log2 = _function("log2")
floor = _function("floor", "pda", OUT, takes_plain=True)
ceil = _function("ceil", "pda", OUT, takes_plain=True)
trunc = _function("trunc", "pda", OUT, takes_plain=True)
sin = _function("sin", "pda", WHERE)
cos = _function("cos", "pda", WHERE)
tan = _function("tan", "pda", WHERE)
arcsin = _function("arcsin", "pda", WHERE)
arccos = _function("arccos", "pda", WHERE)
arctan = _function("arctan", "pda", WHERE)
sinh = _function("sinh", "pda", WHERE)
cosh = _function("cosh", "pda", WHERE)
tanh = _function("tanh", "pda", WHERE)
arcsinh = _function("arcsinh", "pda", WHERE)
arccosh = _function("arccosh", "pda", WHERE)
arctanh = _function("arctanh", "pda", WHERE)
deg2rad = _function("deg2rad", "pda", WHERE)
rad2deg = _function("rad2deg", "pda", WHERE)
isnan = _function("isnan")
isinf = _function("isinf")
isfinite = _function("isfinite")
logical_not = _function("logical_not", "x")
popcount = _function("popcount")
parity = _function("parity")
clz = _function("clz")
ctz = _function("ctz")
power = _function("power", "pda pwr", WHERE)
mod = _function("mod", "dividend divisor", operation="remainder")
fmod = _function("fmod", "dividend divisor")
maximum = _function("maximum", "x1 x2", takes_plain=True)
minimum = _function("minimum", "x1 x2", takes_plain=True)
arctan2 = _function("arctan2", "x1 x2", OUT, takes_plain=True)
rotl = _function("rotl", "x rot")
rotr = _function("rotr", "x rot")
