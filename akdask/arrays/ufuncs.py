"""NumPy's element-wise functions under Arkouda's names of functions and parameters.

All of them are lazy and keep the rows.  At least one argument is a lazy array; others may be scalars.
`floor`, `ceil`, `trunc`, `maximum`, `minimum` and `arctan2` of scalars alone give NumPy's answer at once.

`where` is a bool, or a bool array with the same rows.  Where it is False, the result is the first argument, or `out` in
functions that take it, which need it then.  `out` is an array of the type of the result, and takes on the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.elementwise import PLAIN, ElementwiseArray, elementwise
from akdask.arrays.families import shown_as
from akdask.columns.dtypes import BOOL
from akdask.errors import ArgumentError, ArgumentTypeError

_shown_of_angles = shown_as("ak.{name}(ak.array([0, 1])).tolist()")


def abs(pda: Any, *, where: Any = True) -> Any:
    """Return the absolute value of each element, of the same type; lazy.

    Examples
    --------
    >>> ak.abs(ak.array([-2, 3])).tolist()
    [2, 3]
    """
    return _computed("absolute", pda, where=where)


def fabs(pda: Any, *, where: Any = True) -> Any:
    """Return the absolute value of each element as float64; lazy.

    Examples
    --------
    >>> ak.fabs(ak.array([-2, 3])).tolist()
    [2.0, 3.0]
    """
    return _computed("fabs", pda, where=where)


def sign(pda: Any, *, where: Any = True) -> Any:
    """Return -1, 0 or 1 for the sign of each element, of the same type, NaN for NaN; lazy.

    Not for bools and unsigned integers.

    Examples
    --------
    >>> ak.sign(ak.array([-2, 0, 5])).tolist()
    [-1, 0, 1]
    """
    if isinstance(pda, Array) and pda._value.dtype.kind == "uint":
        raise ArgumentTypeError("sign takes numbers that may be below 0.", hint="pda != 0 tells which are above it.")
    return _computed("sign", pda, where=where)


def square(pda: Any, where: Any = True) -> Any:
    """Return the square of each element, of the same type, which wraps; lazy.

    Examples
    --------
    >>> ak.square(ak.array([3, -4])).tolist()
    [9, 16]
    """
    return _computed("square", pda, where=where)


def sqrt(pda: Any, where: Any = True) -> Any:
    """Return the square root of each element as float64, NaN below 0; lazy.

    Examples
    --------
    >>> ak.sqrt(ak.array([4.0, 2.25])).tolist()
    [2.0, 1.5]
    """
    return _computed("sqrt", pda, where=where)


@_shown_of_angles("[1.0, 2.718...]")
def exp(pda: Any, *, where: Any = True) -> Any:
    """Return e to the power of each element as float64; lazy."""
    return _computed("exp", pda, where=where)


def expm1(pda: Any, *, where: Any = True) -> Any:
    """Return e to the power of each element, less 1, as float64, exact near 0; lazy.

    Examples
    --------
    >>> ak.expm1(ak.array([0.0, 1e-12])).tolist()
    [0.0, 1.000...e-12]
    """
    return _computed("expm1", pda, where=where)


def log(pda: Any, *, where: Any = True) -> Any:
    """Return the natural logarithm of each element as float64, -inf of 0, NaN below 0; lazy.

    Examples
    --------
    >>> ak.log(ak.array([1, 0])).tolist()
    [0.0, -inf]
    """
    return _computed("log", pda, where=where)


def log10(pda: Any, *, where: Any = True) -> Any:
    """Return the logarithm to base 10 of each element as float64; see `log`.

    Examples
    --------
    >>> ak.log10(ak.array([100, 1])).tolist()
    [2.0, 0.0]
    """
    return _computed("log10", pda, where=where)


def log1p(pda: Any, *, where: Any = True) -> Any:
    """Return the natural logarithm of 1 plus each element as float64, exact near 0; see `log`.

    Examples
    --------
    >>> ak.log1p(ak.array([0.0, 1e-12])).tolist()
    [0.0, 9.999...e-13]
    """
    return _computed("log1p", pda, where=where)


def log2(pda: Any, *, where: Any = True) -> Any:
    """Return the logarithm to base 2 of each element as float64; see `log`.

    Examples
    --------
    >>> ak.log2(ak.array([8, 1])).tolist()
    [3.0, 0.0]
    """
    return _computed("log2", pda, where=where)


def floor(pda: Any, /, out: Any = None, *, where: Any = None) -> Any:
    """Return each element rounded down to a whole number, of the same type; lazy.

    Examples
    --------
    >>> ak.floor(ak.array([1.5, -1.5])).tolist()
    [1.0, -2.0]
    """
    if out is None and where is None and isinstance(pda, PLAIN):
        return np.floor(pda)
    return _computed_into("floor", pda, where=where, out=out)


def ceil(pda: Any, /, out: Any = None, *, where: Any = None) -> Any:
    """Return each element rounded up to a whole number, of the same type; lazy.

    Examples
    --------
    >>> ak.ceil(ak.array([1.5, -1.5])).tolist()
    [2.0, -1.0]
    """
    if out is None and where is None and isinstance(pda, PLAIN):
        return np.ceil(pda)
    return _computed_into("ceil", pda, where=where, out=out)


def trunc(pda: Any, /, out: Any = None, *, where: Any = None) -> Any:
    """Return each element rounded towards 0 to a whole number, of the same type; lazy.

    Examples
    --------
    >>> ak.trunc(ak.array([1.5, -1.5])).tolist()
    [1.0, -1.0]
    """
    if out is None and where is None and isinstance(pda, PLAIN):
        return np.trunc(pda)
    return _computed_into("trunc", pda, where=where, out=out)


def sin(pda: Any, where: Any = True) -> Any:
    """Return the sine of each element, an angle in radians, as float64; lazy.

    Examples
    --------
    >>> ak.sin(ak.array([0, np.pi / 2])).tolist()
    [0.0, 1.0]
    """
    return _computed("sin", _not_bools("sin", pda), where=where)


def cos(pda: Any, where: Any = True) -> Any:
    """Return the cosine of each element, an angle in radians, as float64; lazy.

    Examples
    --------
    >>> ak.cos(ak.array([0, np.pi])).tolist()
    [1.0, -1.0]
    """
    return _computed("cos", _not_bools("cos", pda), where=where)


@_shown_of_angles("[0.0, 1.557...]")
def tan(pda: Any, where: Any = True) -> Any:
    """Return the tangent of each element, an angle in radians, as float64; lazy."""
    return _computed("tan", _not_bools("tan", pda), where=where)


@_shown_of_angles("[0.0, 1.570...]")
def arcsin(pda: Any, where: Any = True) -> Any:
    """Return the angle in radians whose sine each element is, as float64, NaN beyond -1 and 1; lazy."""
    return _computed("arcsin", _not_bools("arcsin", pda), where=where)


def arccos(pda: Any, where: Any = True) -> Any:
    """Return the angle in radians whose cosine each element is, as float64, NaN beyond -1 and 1; lazy.

    Examples
    --------
    >>> ak.arccos(ak.array([1, 0])).tolist()
    [0.0, 1.570...]
    """
    return _computed("arccos", _not_bools("arccos", pda), where=where)


@_shown_of_angles("[0.0, 0.785...]")
def arctan(pda: Any, where: Any = True) -> Any:
    """Return the angle in radians whose tangent each element is, as float64; lazy."""
    return _computed("arctan", _not_bools("arctan", pda), where=where)


@_shown_of_angles("[0.0, 1.175...]")
def sinh(pda: Any, where: Any = True) -> Any:
    """Return the hyperbolic sine of each element as float64; lazy."""
    return _computed("sinh", _not_bools("sinh", pda), where=where)


@_shown_of_angles("[1.0, 1.543...]")
def cosh(pda: Any, where: Any = True) -> Any:
    """Return the hyperbolic cosine of each element as float64; lazy."""
    return _computed("cosh", _not_bools("cosh", pda), where=where)


@_shown_of_angles("[0.0, 0.761...]")
def tanh(pda: Any, where: Any = True) -> Any:
    """Return the hyperbolic tangent of each element as float64; lazy."""
    return _computed("tanh", _not_bools("tanh", pda), where=where)


@_shown_of_angles("[0.0, 0.881...]")
def arcsinh(pda: Any, where: Any = True) -> Any:
    """Return the inverse hyperbolic sine of each element as float64; lazy."""
    return _computed("arcsinh", _not_bools("arcsinh", pda), where=where)


def arccosh(pda: Any, where: Any = True) -> Any:
    """Return the inverse hyperbolic cosine of each element as float64, NaN below 1; lazy.

    Examples
    --------
    >>> ak.arccosh(ak.array([1, 2])).tolist()
    [0.0, 1.316...]
    """
    return _computed("arccosh", _not_bools("arccosh", pda), where=where)


@_shown_of_angles("[0.0, inf]")
def arctanh(pda: Any, where: Any = True) -> Any:
    """Return the inverse hyperbolic tangent of each element as float64, NaN beyond -1 and 1; lazy."""
    return _computed("arctanh", _not_bools("arctanh", pda), where=where)


def deg2rad(pda: Any, where: Any = True) -> Any:
    """Return each element, an angle in degrees, in radians as float64; lazy.

    Examples
    --------
    >>> ak.deg2rad(ak.array([0, 180])).tolist()
    [0.0, 3.141...]
    """
    return _computed("deg2rad", pda, where=where)


def rad2deg(pda: Any, where: Any = True) -> Any:
    """Return each element, an angle in radians, in degrees as float64; lazy.

    Examples
    --------
    >>> ak.rad2deg(ak.array([0, np.pi])).tolist()
    [0.0, 180.0]
    """
    return _computed("rad2deg", pda, where=where)


def isnan(pda: Any, *, where: Any = True) -> Any:
    """Return which elements are NaN; lazy bool array.

    Examples
    --------
    >>> ak.isnan(ak.array([1.5, np.nan])).tolist()
    [False, True]
    """
    return _computed("isnan", pda, where=where)


def isinf(pda: Any, *, where: Any = True) -> Any:
    """Return which elements are infinite; lazy bool array.

    Examples
    --------
    >>> ak.isinf(ak.array([1.5, -np.inf])).tolist()
    [False, True]
    """
    return _computed("isinf", pda, where=where)


def isfinite(pda: Any, *, where: Any = True) -> Any:
    """Return which elements are neither infinite nor NaN; lazy bool array.

    Examples
    --------
    >>> ak.isfinite(ak.array([1.5, np.nan])).tolist()
    [True, False]
    """
    return _computed("isfinite", pda, where=where)


def logical_not(x: Any, *, where: Any = True) -> Any:
    """Return which elements are 0 or False; lazy bool array.

    Examples
    --------
    >>> ak.logical_not(ak.array([0, 3])).tolist()
    [True, False]
    """
    return _computed("logical_not", x, where=where)


def popcount(pda: Any, *, where: Any = True) -> Any:
    """Return the number of bits that are set in each integer, of the same type; lazy.

    Examples
    --------
    >>> ak.popcount(ak.array([5, 255])).tolist()
    [2, 8]
    """
    return _computed("popcount", pda, where=where)


def parity(pda: Any, *, where: Any = True) -> Any:
    """Return 1 for integers with an odd number of bits that are set, else 0, of the same type; lazy.

    Examples
    --------
    >>> ak.parity(ak.array([5, 7])).tolist()
    [0, 1]
    """
    return _computed("parity", pda, where=where)


def clz(pda: Any, *, where: Any = True) -> Any:
    """Return the number of leading zero bits of each 64-bit integer; lazy, of the same type.

    Examples
    --------
    >>> ak.clz(ak.array([1, 255])).tolist()
    [63, 56]
    """
    return _computed("clz", pda, where=where)


def ctz(pda: Any, *, where: Any = True) -> Any:
    """Return the number of trailing zero bits of each integer; lazy, of the same type.

    Examples
    --------
    >>> ak.ctz(ak.array([8, 6])).tolist()
    [3, 1]
    """
    return _computed("ctz", pda, where=where)


def power(pda: Any, pwr: Any, where: Any = True) -> Any:
    """Return each element raised to a power; lazy, of the type that both have in common.

    Examples
    --------
    >>> ak.power(ak.array([2, 3]), 2).tolist()
    [4, 9]
    """
    return _computed("power", pda, pwr, where=where)


def mod(dividend: Any, divisor: Any, *, where: Any = True) -> Any:
    """Return the remainder of a division, with the sign of the divisor; lazy, of the type that both have in common.

    Examples
    --------
    >>> ak.mod(ak.array([7, -7]), 3).tolist()
    [1, 2]
    """
    return _computed("remainder", dividend, divisor, where=where)


def fmod(dividend: Any, divisor: Any, *, where: Any = True) -> Any:
    """Return the remainder of a division, with the sign of the dividend; lazy, of the type that both have in common.

    Examples
    --------
    >>> ak.fmod(ak.array([7.5, -7.5]), 3).tolist()
    [1.5, -1.5]
    """
    given = [item.dtype if isinstance(item, Array) else np.asarray(item).dtype for item in (dividend, divisor)]
    if all(np.dtype(dtype).kind in "iub" for dtype in given if isinstance(dtype, np.dtype)):
        raise ArgumentTypeError("fmod takes an array of floats, or a float.", hint="mod takes integers.")
    return _computed("fmod", dividend, divisor, where=where)


def maximum(x1: Any, x2: Any, *, where: Any = True) -> Any:
    """Return the larger of two elements, row by row, NaN where either is.

    Lazy, of the type that both have in common.

    Examples
    --------
    >>> ak.maximum(ak.array([1, 5]), ak.array([4, 2])).tolist()
    [4, 5]
    """
    if isinstance(x1, PLAIN) and isinstance(x2, PLAIN):
        return np.maximum(x1, x2)
    return _computed("maximum", x1, x2, where=where)


def minimum(x1: Any, x2: Any, *, where: Any = True) -> Any:
    """Return the smaller of two elements, row by row, NaN where either is.

    Lazy, of the type that both have in common.

    Examples
    --------
    >>> ak.minimum(ak.array([1, 5]), ak.array([4, 2])).tolist()
    [1, 2]
    """
    if isinstance(x1, PLAIN) and isinstance(x2, PLAIN):
        return np.minimum(x1, x2)
    return _computed("minimum", x1, x2, where=where)


def arctan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = None) -> Any:
    """Return the angle in radians of the point with ordinate `x1` and abscissa `x2`, as float64; lazy.

    Examples
    --------
    >>> ak.arctan2(ak.array([0, 1]), ak.array([1, 1])).tolist()
    [0.0, 0.785...]
    """
    if out is None and where is None and isinstance(x1, PLAIN) and isinstance(x2, PLAIN):
        return np.arctan2(x1, x2)
    return _computed_into("arctan2", x1, x2, where=where, out=out)


def nextafter(x1: Any, x2: Any) -> Any:
    """Return for each element the next float64 towards another; lazy.

    Parameters
    ----------
    x1, x2 : pdarray or number
        The start, and the number to go towards; two numbers give one number.

    Examples
    --------
    >>> (ak.nextafter(ak.array([1.0, 1.0]), ak.array([2.0, 1.0])) - 1).tolist()
    [2.220446049250313e-16, 0.0]
    """
    if not isinstance(x1, Array) and not isinstance(x2, Array) and np.isscalar(x1) and np.isscalar(x2):
        return np.nextafter(x1, x2, dtype=np.float64)
    return elementwise("nextafter", x1, x2)


def xlogy(x: Any, y: Any) -> Any:
    """Return `x` times the natural logarithm of `y`, 0 where `x` is 0 and `y` is not NaN, as float64; lazy.

    Parameters
    ----------
    x, y : pdarray or number
        At least one is an array.

    Examples
    --------
    >>> ak.xlogy(ak.array([0.0, 2.0]), ak.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    return elementwise("xlogy", x, y)


def rotl(x: Any, rot: Any, *, where: Any = True) -> Any:
    """Return each integer with its 64 bits rotated left by `rot`, of the type of `x`; lazy.

    Examples
    --------
    >>> ak.rotl(ak.array([1, 2**62]), 2).tolist()
    [4, 1]
    """
    return _computed("rotl", x, rot, where=where)


def rotr(x: Any, rot: Any, *, where: Any = True) -> Any:
    """Return each integer with its 64 bits rotated right by `rot`, of the type of `x`; lazy.

    Examples
    --------
    >>> ak.rotr(ak.array([4, 1]), 2).tolist()
    [1, 4611686018427387904]
    """
    return _computed("rotr", x, rot, where=where)


def _not_bools(operation: str, item: Any) -> Any:
    """Return the operand of a function of angles and numbers, which Arkouda has for no bools."""
    if isinstance(item, Array) and item._value.dtype == BOOL:
        raise ArgumentTypeError(
            f"{operation} takes numbers, not bools.", hint="pda.astype(float) makes them 0.0 and 1.0."
        )
    return item


def _computed(operation: str, *items: Any, where: Any) -> Any:
    """Return the result of an operation where `where` holds, and the first array elsewhere."""
    _check_choice(where)
    result = elementwise(operation, *items)
    if where is True:
        return result
    first = next(item for item in items if isinstance(item, Array))
    return elementwise("where", where, result, first)


def _computed_into(operation: str, *items: Any, where: Any, out: Any) -> Any:
    """Return the result of an operation, or `out` with the result where `where` holds."""
    where = True if where is None else where
    _check_choice(where)
    if out is None and where is not True:
        raise ArgumentError(f"{operation}: where needs out, whose elements stay where it does not hold.")
    if out is None:
        return elementwise(operation, *items)
    if not isinstance(out, ElementwiseArray):
        raise ArgumentTypeError(f"out is a lazy array, not {type(out).__name__}.")
    if not any(isinstance(item, Array) for item in items):
        items = (elementwise("where", True, float(items[0]), out), *items[1:])
    return out._become(elementwise("where", where, elementwise(operation, *items), out), operation)


def _check_choice(where: Any) -> None:
    if isinstance(where, int | float | np.number) and not isinstance(where, bool):
        raise ArgumentTypeError(f"where is a bool or an array of bool, not {where!r}.")
    if isinstance(where, Array) and where._value.dtype != BOOL:
        raise ArgumentTypeError(f"where is a bool or an array of bool, not of {where.dtype}.")
