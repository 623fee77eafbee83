"""Elementwise functions: NumPy's, under Arkouda's names; all of them lazy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akdask.collections.array import Array
from akdask.collections.operators import OperatorMethods, combine
from akdask.collections.wrap import wrap
from akdask.errors import ArgumentTypeError
from akdask.kernels.operations import OPERATIONS
from akdask.schema import column_type


def elementwise(operation: str, *items: Any, **params: Any) -> Any:
    """Return the lazy result of an operation on arrays and scalars, at least one of which is an array."""
    arrays = [item for item in items if isinstance(item, OperatorMethods)]
    if arrays:
        # Arrays with rules of their own, such as times, go before plain numbers, as in NumPy.
        owner = max(arrays, key=lambda array: array.__array_priority__)
        return owner._operate(operation, *items, **params)
    if not any(isinstance(item, Array) for item in items):
        kinds = ", ".join(type(item).__name__ for item in items)
        raise ArgumentTypeError(f"{operation} needs a lazy array, got {kinds}.", hint="make one with ak.array(…).")
    return wrap(*combine(operation, list(items), **params))


def cast(pda: Array, dt: Any, errors: Any = "strict") -> Any:
    """Return the elements converted to another type; lazy.

    Parameters
    ----------
    pda : pdarray or Strings
        What to convert.
    dt : dtype-like
        The type wanted, by name, NumPy dtype or Python type; ``str`` gives `Strings`.
    errors : str
        ``strict``: text that is not a number is an error when computed.  ``ignore``: it gives NaN, the smallest int,
        0 or False.

    Raises
    ------
    ArgumentTypeError
        If no column can hold the type.

    Examples
    --------
    >>> import akdask as ak
    >>> cast(ak.array([1.7, -2.2]), "int64").tolist()
    [1, -2]
    """
    if errors == "strict" and isinstance(pda, Array):
        return pda.astype(dt)
    return elementwise("cast", pda, dtype=column_type(dt).name, errors=errors)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return elements of `x` where a condition holds and of `y` elsewhere; lazy.

    Parameters
    ----------
    condition : pdarray of bool
        The choice, row by row.
    x, y : pdarray, Strings or scalar
        What to choose from; numbers meet in their common type.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(4)
    >>> where(a > 1, a, -1).tolist()
    [-1, -1, 2, 3]
    """
    return elementwise("where", condition, x, y)


def clip(pda: Array, lo: Any, hi: Any) -> Any:
    """Return the elements bounded below by `lo` and above by `hi`, scalars or arrays; lazy."""
    return elementwise("clip", pda, lo, hi)


def round(pda: Array, decimals: int | None = None) -> Any:
    """Return the elements rounded to a number of decimals, half to even; lazy."""
    return elementwise("round", pda, decimals=decimals or 0)


def divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """Return quotient and remainder; lazy."""
    return elementwise("floor_divide", x, y), elementwise("remainder", x, y)


def _function(name: str, operation: str) -> Callable[..., Any]:
    arity = OPERATIONS[operation].arity
    params = "pda" if arity == 1 else "x, y"

    def function(*args: Any, where: Any = True) -> Any:
        if len(args) != arity:
            raise ArgumentTypeError(f"{name} takes {arity} argument(s), got {len(args)}.")
        result = elementwise(operation, *args)
        if where is True:
            return result
        first = next(item for item in args if isinstance(item, Array))
        return elementwise("where", where, result, first)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return ``numpy.{operation}({params})`` row by row, where `where` holds if given; lazy."
    return function


abs = _function("abs", "absolute")
fabs = _function("fabs", "fabs")
sign = _function("sign", "sign")
square = _function("square", "square")
sqrt = _function("sqrt", "sqrt")
exp = _function("exp", "exp")
expm1 = _function("expm1", "expm1")
log = _function("log", "log")
log10 = _function("log10", "log10")
log1p = _function("log1p", "log1p")
log2 = _function("log2", "log2")
floor = _function("floor", "floor")
ceil = _function("ceil", "ceil")
trunc = _function("trunc", "trunc")
sin = _function("sin", "sin")
cos = _function("cos", "cos")
tan = _function("tan", "tan")
arcsin = _function("arcsin", "arcsin")
arccos = _function("arccos", "arccos")
arctan = _function("arctan", "arctan")
sinh = _function("sinh", "sinh")
cosh = _function("cosh", "cosh")
tanh = _function("tanh", "tanh")
arcsinh = _function("arcsinh", "arcsinh")
arccosh = _function("arccosh", "arccosh")
arctanh = _function("arctanh", "arctanh")
deg2rad = _function("deg2rad", "deg2rad")
rad2deg = _function("rad2deg", "rad2deg")
isnan = _function("isnan", "isnan")
isinf = _function("isinf", "isinf")
isfinite = _function("isfinite", "isfinite")
logical_not = _function("logical_not", "logical_not")
popcount = _function("popcount", "popcount")
parity = _function("parity", "parity")
clz = _function("clz", "clz")
ctz = _function("ctz", "ctz")
power = _function("power", "power")
mod = _function("mod", "remainder")
fmod = _function("fmod", "fmod")
maximum = _function("maximum", "maximum")
minimum = _function("minimum", "minimum")
arctan2 = _function("arctan2", "arctan2")
rotl = _function("rotl", "rotl")
rotr = _function("rotr", "rotr")
