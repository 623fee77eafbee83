"""Element-wise functions of one array, or of two whose shapes broadcast; all lazy.

Either of two arguments may be a number.  Types of results are NumPy's.
"""

from __future__ import annotations

from typing import Any

from akdask.array_api.array_object import StandardArray, computed
from akdask.array_api.creation_functions import zeros_like


def abs(x: Any, /) -> StandardArray:
    """Return the absolute value of each element."""
    return computed("absolute", x)


def acos(x: Any, /) -> StandardArray:
    """Return the angle whose cosine each element is."""
    return computed("arccos", x)


def acosh(x: Any, /) -> StandardArray:
    """Return the inverse hyperbolic cosine of each element."""
    return computed("arccosh", x)


def asin(x: Any, /) -> StandardArray:
    """Return the angle whose sine each element is."""
    return computed("arcsin", x)


def asinh(x: Any, /) -> StandardArray:
    """Return the inverse hyperbolic sine of each element."""
    return computed("arcsinh", x)


def atan(x: Any, /) -> StandardArray:
    """Return the angle whose tangent each element is."""
    return computed("arctan", x)


def atanh(x: Any, /) -> StandardArray:
    """Return the inverse hyperbolic tangent of each element."""
    return computed("arctanh", x)


def bitwise_invert(x: Any, /) -> StandardArray:
    """Return each element with all bits inverted."""
    return computed("invert", x)


def ceil(x: Any, /) -> StandardArray:
    """Return each element rounded up."""
    return computed("ceil", x)


def cos(x: Any, /) -> StandardArray:
    """Return the cosine of each element."""
    return computed("cos", x)


def cosh(x: Any, /) -> StandardArray:
    """Return the hyperbolic cosine of each element."""
    return computed("cosh", x)


def exp(x: Any, /) -> StandardArray:
    """Return e to the power of each element."""
    return computed("exp", x)


def expm1(x: Any, /) -> StandardArray:
    """Return e to the power of each element, less 1."""
    return computed("expm1", x)


def floor(x: Any, /) -> StandardArray:
    """Return each element rounded down."""
    return computed("floor", x)


def isfinite(x: Any, /) -> StandardArray:
    """Return which elements are neither infinite nor NaN."""
    return computed("isfinite", x)


def isinf(x: Any, /) -> StandardArray:
    """Return which elements are infinite."""
    return computed("isinf", x)


def isnan(x: Any, /) -> StandardArray:
    """Return which elements are NaN."""
    return computed("isnan", x)


def log(x: Any, /) -> StandardArray:
    """Return the natural logarithm of each element."""
    return computed("log", x)


def log1p(x: Any, /) -> StandardArray:
    """Return the natural logarithm of 1 plus each element."""
    return computed("log1p", x)


def log2(x: Any, /) -> StandardArray:
    """Return the logarithm to base 2 of each element."""
    return computed("log2", x)


def log10(x: Any, /) -> StandardArray:
    """Return the logarithm to base 10 of each element."""
    return computed("log10", x)


def logical_not(x: Any, /) -> StandardArray:
    """Return which elements are 0."""
    return computed("logical_not", x)


def negative(x: Any, /) -> StandardArray:
    """Return each element with the other sign."""
    return computed("negative", x)


def positive(x: Any, /) -> StandardArray:
    """Return each element unchanged."""
    return computed("positive", x)


def round(x: Any, /) -> StandardArray:
    """Return each element rounded to a whole number, half to even."""
    return computed("round", x, decimals=0)


def sign(x: Any, /) -> StandardArray:
    """Return -1, 0 or 1 for the sign of each element."""
    return computed("sign", x)


def sin(x: Any, /) -> StandardArray:
    """Return the sine of each element."""
    return computed("sin", x)


def sinh(x: Any, /) -> StandardArray:
    """Return the hyperbolic sine of each element."""
    return computed("sinh", x)


def square(x: Any, /) -> StandardArray:
    """Return the square of each element."""
    return computed("square", x)


def sqrt(x: Any, /) -> StandardArray:
    """Return the square root of each element."""
    return computed("sqrt", x)


def tan(x: Any, /) -> StandardArray:
    """Return the tangent of each element."""
    return computed("tan", x)


def tanh(x: Any, /) -> StandardArray:
    """Return the hyperbolic tangent of each element."""
    return computed("tanh", x)


def trunc(x: Any, /) -> StandardArray:
    """Return each element rounded towards 0."""
    return computed("trunc", x)


def real(x: Any, /) -> StandardArray:
    """Return the real part of each element, which is the element: there are no complex numbers."""
    return positive(x)


def conj(x: Any, /) -> StandardArray:
    """Return the complex conjugate of each element, which is the element; see `real`."""
    return positive(x)


def imag(x: StandardArray, /) -> StandardArray:
    """Return the imaginary part of each element, which is 0; see `real`."""
    return zeros_like(x)


def add(x1: Any, x2: Any, /) -> StandardArray:
    """Return sums, element by element."""
    return computed("add", x1, x2)


def atan2(x1: Any, x2: Any, /) -> StandardArray:
    """Return the angles of points with ordinates `x1` and abscissas `x2`, element by element."""
    return computed("arctan2", x1, x2)


def bitwise_and(x1: Any, x2: Any, /) -> StandardArray:
    """Return the bits that both have, element by element."""
    return computed("bitwise_and", x1, x2)


def bitwise_left_shift(x1: Any, x2: Any, /) -> StandardArray:
    """Return bits moved up by `x2`, element by element."""
    return computed("left_shift", x1, x2)


def bitwise_or(x1: Any, x2: Any, /) -> StandardArray:
    """Return the bits that either has, element by element."""
    return computed("bitwise_or", x1, x2)


def bitwise_right_shift(x1: Any, x2: Any, /) -> StandardArray:
    """Return bits moved down by `x2`, element by element."""
    return computed("right_shift", x1, x2)


def bitwise_xor(x1: Any, x2: Any, /) -> StandardArray:
    """Return the bits that one of them has, element by element."""
    return computed("bitwise_xor", x1, x2)


def divide(x1: Any, x2: Any, /) -> StandardArray:
    """Return quotients as float64, element by element."""
    return computed("divide", x1, x2)


def equal(x1: Any, x2: Any, /) -> StandardArray:
    """Return where elements are equal, element by element."""
    return computed("equal", x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> StandardArray:
    """Return quotients rounded down, element by element."""
    return computed("floor_divide", x1, x2)


def greater(x1: Any, x2: Any, /) -> StandardArray:
    """Return where `x1` is greater, element by element."""
    return computed("greater", x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> StandardArray:
    """Return where `x1` is not less, element by element."""
    return computed("greater_equal", x1, x2)


def less(x1: Any, x2: Any, /) -> StandardArray:
    """Return where `x1` is less, element by element."""
    return computed("less", x1, x2)


def less_equal(x1: Any, x2: Any, /) -> StandardArray:
    """Return where `x1` is not greater, element by element."""
    return computed("less_equal", x1, x2)


def logical_and(x1: Any, x2: Any, /) -> StandardArray:
    """Return where both are not 0, element by element."""
    return computed("logical_and", x1, x2)


def logical_or(x1: Any, x2: Any, /) -> StandardArray:
    """Return where either is not 0, element by element."""
    return computed("logical_or", x1, x2)


def logical_xor(x1: Any, x2: Any, /) -> StandardArray:
    """Return where one of them is not 0, element by element."""
    return computed("logical_xor", x1, x2)


def multiply(x1: Any, x2: Any, /) -> StandardArray:
    """Return products, element by element."""
    return computed("multiply", x1, x2)


def not_equal(x1: Any, x2: Any, /) -> StandardArray:
    """Return where elements differ, element by element."""
    return computed("not_equal", x1, x2)


def pow(x1: Any, x2: Any, /) -> StandardArray:
    """Return `x1` to the power of `x2`, element by element."""
    return computed("power", x1, x2)


def remainder(x1: Any, x2: Any, /) -> StandardArray:
    """Return remainders with the sign of `x2`, element by element."""
    return computed("remainder", x1, x2)


def subtract(x1: Any, x2: Any, /) -> StandardArray:
    """Return differences, element by element."""
    return computed("subtract", x1, x2)


def logaddexp(x1: Any, x2: Any) -> StandardArray:
    """Return the logarithm of the sum of the exponentials of elements, without overflow."""
    return computed("logaddexp", x1, x2)
