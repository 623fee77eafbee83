"""Functions of the array API standard by subject: statistics, searches, sorts, sets, and of each element; lazy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, NamedTuple, TypeVar

import numpy as np

from akdask.array_api.array_object import StandardArray, computed, flat, plain_array
from akdask.array_api.creation_functions import asarray, astype, concat, full, reshape, zeros_like
from akdask.arrays import creation, functions, reductions, shapes, sorting
from akdask.arrays.axes import reduced_along
from akdask.arrays.ndarray import shaped
from akdask.arrays.reductions import cumsum
from akdask.arrays.shapes import chained, checked_axis
from akdask.arrays.strided_layout import nonzero_positions
from akdask.errors import ArgumentError, UnsupportedError

Function = TypeVar("Function", bound=Callable[..., StandardArray])


def reduced(name: str, x: StandardArray, axis: Any, keepdims: bool, **params: Any) -> StandardArray:
    """Return a reduction of all elements, or along dimensions."""
    if not x.ndim and axis in (None, ()):
        # Without dimensions, none are kept.
        return StandardArray(getattr(x._array.flatten(), name)(**params))
    if axis == ():
        return reshape(reduced(name, reshape(x, (*x.shape, 1)), -1, False, **params), x.shape)
    return StandardArray(reduced_along(flat(x), x.shape, name, axis, keepdims, **params))


def _typed(x: StandardArray, dtype: Any) -> StandardArray:
    """Return the elements in the type that they are added up in: the widest of their kind by default."""
    if dtype is None and x.dtype == np.uint8:
        dtype = np.uint64
    return x if dtype is None else StandardArray(x._array.astype(dtype))


def _in_type(x: StandardArray, dtype: Any) -> StandardArray:
    return x if dtype is None or x.dtype == dtype else astype(x, dtype)


def sum(x: StandardArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> StandardArray:
    """Return sums: int64 of bools and integers, which wrap, uint64 and float64 of these, or `dtype`.

    Examples
    --------
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0).tolist()
    [4, 6]
    """
    return _in_type(reduced("sum", _typed(x, dtype), axis, keepdims), dtype)


def prod(x: StandardArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> StandardArray:
    """Return products, of the types of sums."""
    return _in_type(reduced("prod", _typed(x, dtype), axis, keepdims), dtype)


def max(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return the largest elements, NaN where there is one."""
    return reduced("max", x, axis, keepdims)


def min(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return the smallest elements, NaN where there is one."""
    return reduced("min", x, axis, keepdims)


def mean(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return means as float64."""
    return reduced("mean", x, axis, keepdims)


def mean_shim(
    x: StandardArray, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> StandardArray:
    """Return means with NumPy's parameters; `out` is not supported.

    Raises
    ------
    UnsupportedError
        If `out` is given.
    """
    if out is not None:
        raise UnsupportedError("mean_shim(out=…): arrays are not written to.", hint="take the result.")
    return mean(_typed(x, dtype), axis=axis, keepdims=keepdims)


def var(x: StandardArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> StandardArray:
    """Return variances as float64, with `correction` subtracted from the number of elements.

    Examples
    --------
    >>> xp.var(xp.asarray([1.0, 3.0]), correction=1).item()
    2.0
    """
    found = reduced("var", x, axis, keepdims, ddof=0)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, Sequence) else (axis,)
    count = math.prod(x.shape[index(number)] for number in axes)
    left = count - correction
    if not correction:
        return found
    return multiply(found, count / left if left > 0 else math.inf)


def std(x: StandardArray, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> StandardArray:
    """Return standard deviations as float64; see `var`."""
    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def cumulative_sum(
    x: StandardArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> StandardArray:
    """Return the sum of each element and all before it along a dimension.

    Parameters
    ----------
    x : StandardArray
        The elements.
    axis : int, optional
        The dimension, which need not be given of an array of one.
    dtype : dtype-like, optional
        Type to sum in; by default that of `sum`.
    include_initial : bool
        Whether 0 comes first, so that there is one more.

    Raises
    ------
    ArgumentError
        If `axis` is not given for an array of several dimensions, or it has none.

    Examples
    --------
    >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True).tolist()
    [0, 1, 3, 6]
    """
    return _accumulated("cumsum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: StandardArray, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> StandardArray:
    """Return the product of each element and all before it; see `cumulative_sum`; 1 comes first on request."""
    return _accumulated("cumprod", x, axis, dtype, include_initial)


def _accumulated(name: str, x: StandardArray, axis: int | None, dtype: Any, include_initial: bool) -> StandardArray:
    if not x.ndim or (axis is None and x.ndim > 1):
        raise ArgumentError(f"{name}: an array of {x.ndim} dimensions has no only one.", hint="pass axis.")
    number = 0 if axis is None else axis
    found = _in_type(StandardArray(getattr(reductions, name)(_typed(x, dtype)._array, number)), dtype)
    if not include_initial:
        return found
    number %= x.ndim
    first = (*x.shape[:number], 1, *x.shape[number + 1 :])
    return concat([full(first, int(name == "cumprod"), dtype=found.dtype), found], axis=number)


def all(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return whether no element is 0, of all or along dimensions."""
    return reduced("all", x, axis, keepdims)


def any(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return whether any element is not 0, of all or along dimensions."""
    return reduced("any", x, axis, keepdims)


def count_nonzero(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False) -> StandardArray:
    """Return how many elements are not 0, of all or along dimensions, as int64.

    Examples
    --------
    >>> xp.count_nonzero(xp.asarray([[1, 0], [2, 3]]), axis=0).tolist()
    [2, 1]
    """
    return sum(astype(x, np.dtype(np.bool_)), axis=axis, keepdims=keepdims)


def clip(x: StandardArray, /, min: Any = None, max: Any = None) -> StandardArray:
    """Return the elements bounded below and above, in the type of the array; None means no bound.

    Parameters
    ----------
    x : StandardArray
        The elements.
    min, max : number or StandardArray, optional
        The bounds.

    Examples
    --------
    >>> xp.clip(xp.arange(5), 1, 3).tolist(), xp.clip(xp.arange(3), max=1).tolist()
    ([1, 1, 2, 3, 3], [0, 1, 1])
    """
    bounded = positive(x) if min is None else computed("maximum", x, min)
    bounded = bounded if max is None else computed("minimum", bounded, max)
    return bounded if bounded.dtype == x.dtype else astype(bounded, x.dtype)


def diff(a: StandardArray, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> StandardArray:
    """Return the difference of each element and that before it along a dimension, `n` times.

    Examples
    --------
    >>> xp.diff(xp.asarray([1, 4, 9])).tolist()
    [3, 5]
    """
    return StandardArray(functions.diff(a._array, n, axis, plain_array(prepend), plain_array(append)))


def trapezoid(y: StandardArray, x: Any = None, dx: Any = 1.0, axis: int = -1) -> StandardArray:
    """Return the integral along a dimension by the trapezoidal rule.

    Parameters
    ----------
    y : StandardArray
        Values of the function.
    x : StandardArray, optional
        Positions of the samples; spaced by `dx` by default.
    dx : number, default 1.0
        The distance between values.
    axis : int, default -1
        The dimension.

    Examples
    --------
    >>> xp.trapezoid(xp.asarray([1, 2, 3])).item()
    4.0
    """
    number = checked_axis("trapezoid", axis, y.ndim)
    width: Any = dx
    if x is not None:
        positions = asarray(x)
        width = diff(positions, 1, number if positions.ndim == y.ndim else -1)
        if width.ndim == 1 != y.ndim:
            width = reshape(width, [-1 if axis == number else 1 for axis in range(y.ndim)])
    before = (slice(None),) * number
    heights = computed("add", y[(*before, slice(1, None))], y[(*before, slice(-1))])
    return sum(divide(multiply(width, heights), 2.0), axis=number)


def trapz(y: StandardArray, x: Any = None, dx: Any = 1.0, axis: int = -1) -> StandardArray:
    """Return the integral along a dimension; the older name of `trapezoid`."""
    return trapezoid(y, x, dx, axis)


def pad(array: StandardArray, pad_width: Any, mode: str = "constant", **kwargs: Any) -> StandardArray:
    """Return an array with further elements before and behind its own, by the modes and arguments of NumPy's `pad`.

    Examples
    --------
    >>> xp.pad(xp.asarray([1, 2]), 1).tolist()
    [0, 1, 2, 0]
    """
    return StandardArray(shapes.pad(array._array, pad_width, mode, **kwargs))


# ------------------------------------------------------------------------------------------ searching, sorting and sets


def argmax(x: StandardArray, /, *, axis: int | None = None, keepdims: bool = False) -> StandardArray:
    """Return the positions of the first largest elements along a dimension, or in row-major order; NaN are largest."""
    return reduced("argmax", x, axis, keepdims)


def argmin(x: StandardArray, /, *, axis: int | None = None, keepdims: bool = False) -> StandardArray:
    """Return the positions of the first smallest elements along a dimension; see `argmax`."""
    return reduced("argmin", x, axis, keepdims)


def nonzero(x: StandardArray, /) -> tuple[StandardArray, ...]:
    """Return the positions of nonzero elements along each dimension.

    Raises
    ------
    ArgumentError
        If there are no dimensions.

    Examples
    --------
    >>> [part.tolist() for part in xp.nonzero(xp.asarray([[0, 1], [1, 0]]))]
    [[0, 1], [1, 0]]
    """
    if not x.ndim:
        raise ArgumentError("nonzero: an array without dimensions has no positions.")
    return tuple(StandardArray(positions) for positions in nonzero_positions(x._array))


def where(condition: StandardArray, x1: Any, x2: Any, /) -> StandardArray:
    """Return elements of `x1` where a condition holds and of `x2` elsewhere; shapes broadcast.

    Examples
    --------
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0).tolist()
    [1, 0]
    """
    return computed("where", condition, x1, x2)


def searchsorted(
    x1: StandardArray,
    x2: StandardArray,
    /,
    *,
    side: str = "left",
    x2_sorted: bool = False,
    sorter: StandardArray | None = None,
) -> StandardArray:
    """Return where the elements of `x2` can be inserted into `x1` so that it stays sorted.

    Parameters
    ----------
    x1 : StandardArray
        Of one dimension, in order.
    x2 : StandardArray
        Values to insert; the result has their shape.
    side : {"left", "right"}
        Before or after elements that are equal.
    x2_sorted : bool
        Accepted for compatibility with Arkouda.
    sorter : StandardArray, optional
        The positions that put `x1` in order.

    Examples
    --------
    >>> xp.searchsorted(xp.asarray([10, 20, 30]), xp.asarray([[20], [99]])).tolist()
    [[1], [3]]
    """
    table = x1._array if sorter is None else x1._array[plain_array(sorter)]
    wanted = plain_array(x2)
    flat = wanted if wanted.ndim == 1 else wanted.flatten()
    return StandardArray(shaped(sorting.insertion_points(table, flat, side), wanted.shape))


def take(x: StandardArray, indices: StandardArray, /, *, axis: int | None = None) -> StandardArray:
    """Return the elements at some positions along a dimension; lazy.

    Raises
    ------
    ArgumentError
        If `axis` is not given for an array of several dimensions.

    Examples
    --------
    >>> xp.take(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1]), axis=1).tolist()
    [[2], [4]]
    """
    if axis is None and x.ndim != 1:
        raise ArgumentError(
            f"take: an array of {x.ndim} dimensions is taken from along one of them.", hint="pass axis."
        )
    return StandardArray(functions.take(x._array, indices._array, 0 if axis is None else axis))


def argsort(x: StandardArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> StandardArray:
    """Return the positions that sort elements along a dimension; the order of equal elements is kept.

    Examples
    --------
    >>> xp.argsort(xp.asarray([[3, 1, 2]])).tolist()
    [[1, 2, 0]]
    """
    return StandardArray(sorting.stable_argsort(x._array, axis, ascending=not descending))


def sort(x: StandardArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> StandardArray:
    """Return the elements in order along a dimension.

    Examples
    --------
    >>> xp.sort(xp.asarray([[3, 1], [2, 4]]), axis=0).tolist()
    [[2, 1], [3, 4]]
    """
    return StandardArray(sorting.in_order(x._array, axis, not descending))


class UniqueAll(NamedTuple):
    """Distinct elements, their first positions, the number of each element's distinct one, and counts."""

    values: StandardArray
    indices: StandardArray
    inverse_indices: StandardArray
    counts: StandardArray


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each occurs."""

    values: StandardArray
    counts: StandardArray


class UniqueInverse(NamedTuple):
    """Distinct elements, and the number of each element's distinct one."""

    values: StandardArray
    inverse_indices: StandardArray


def unique_values(x: StandardArray, /) -> StandardArray:
    """Return the distinct elements.

    Examples
    --------
    >>> xp.unique_values(xp.asarray([[3, 1], [3, 2]])).tolist()
    [1, 2, 3]
    """
    ordered = sorting.in_order(flat(x))
    return StandardArray(ordered[_begins(ordered)])


def unique_counts(x: StandardArray, /) -> UniqueCounts:
    """Return the distinct elements, and how often each occurs."""
    ordered = sorting.in_order(flat(x))
    begins = _begins(ordered)
    return UniqueCounts(StandardArray(ordered[begins]), StandardArray(_counts(begins)))


def unique_inverse(x: StandardArray, /) -> UniqueInverse:
    """Return the distinct elements, and the number of each element's one, in the shape of the array."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_all(x: StandardArray, /) -> UniqueAll:
    """Return the distinct elements, their first positions, the number of each element's one, and counts."""
    elements = flat(x)
    order = sorting.argsort(elements)
    ordered = elements[order]
    begins = _begins(ordered)
    inverse = (cumsum(begins) - 1)[sorting.invert_permutation(order)]
    return UniqueAll(
        StandardArray(ordered[begins]),
        StandardArray(order[begins]),
        StandardArray(shaped(inverse, x.shape)),
        StandardArray(_counts(begins)),
    )


def _begins(ordered: Any) -> Any:
    """Return which elements differ from the one before."""
    if not ordered.size:
        return creation.full(0, True)
    return chained([creation.array(np.array([True])), ordered[1:] != ordered[:-1]])


def _counts(begins: Any) -> Any:
    (starts,) = nonzero_positions(begins)
    return functions.diff(chained([starts, creation.array(np.array([begins.size]))])) if begins.size else starts


# ------------------------------------------------------------------------------------------------------ of each element


def _of_each(name: str, operation: str, what: str) -> Callable[[Any], StandardArray]:
    """Return the function of an operation on each element, and of its name."""

    def function(x: Any, /) -> StandardArray:
        return computed(operation, x)

    return _named(function, name, f"Return {what}.")


def _of_pairs(name: str, operation: str, what: str) -> Callable[[Any, Any], StandardArray]:
    """Return the function of an operation on the elements of two arrays, and of its name."""

    def function(x1: Any, x2: Any, /) -> StandardArray:
        return computed(operation, x1, x2)

    return _named(function, name, f"Return {what}, element by element.")


def _named(function: Function, name: str, documented: str) -> Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = documented
    return function


abs = _of_each("abs", "absolute", "the absolute value of each element")
acos = _of_each("acos", "arccos", "the angle whose cosine each element is")
acosh = _of_each("acosh", "arccosh", "the inverse hyperbolic cosine of each element")
asin = _of_each("asin", "arcsin", "the angle whose sine each element is")
asinh = _of_each("asinh", "arcsinh", "the inverse hyperbolic sine of each element")
atan = _of_each("atan", "arctan", "the angle whose tangent each element is")
atanh = _of_each("atanh", "arctanh", "the inverse hyperbolic tangent of each element")
signbit = _of_each("signbit", "signbit", "which elements are negative, among them -0.0")
bitwise_invert = _of_each("bitwise_invert", "invert", "each element with all bits inverted")
ceil = _of_each("ceil", "ceil", "each element rounded up")
cos = _of_each("cos", "cos", "the cosine of each element")
cosh = _of_each("cosh", "cosh", "the hyperbolic cosine of each element")
exp = _of_each("exp", "exp", "e to the power of each element")
expm1 = _of_each("expm1", "expm1", "e to the power of each element, less 1")
floor = _of_each("floor", "floor", "each element rounded down")
isfinite = _of_each("isfinite", "isfinite", "which elements are neither infinite nor NaN")
isinf = _of_each("isinf", "isinf", "which elements are infinite")
isnan = _of_each("isnan", "isnan", "which elements are NaN")
log = _of_each("log", "log", "the natural logarithm of each element")
log1p = _of_each("log1p", "log1p", "the natural logarithm of 1 plus each element")
log2 = _of_each("log2", "log2", "the logarithm to base 2 of each element")
log10 = _of_each("log10", "log10", "the logarithm to base 10 of each element")
logical_not = _of_each("logical_not", "logical_not", "which elements are 0")
negative = _of_each("negative", "negative", "each element with the other sign")
positive = _of_each("positive", "positive", "each element unchanged")


def round(x: Any, /) -> StandardArray:
    """Return each element rounded to a whole number, half to even."""
    return computed("round", x, decimals=0)


sign = _of_each("sign", "sign", "-1, 0 or 1 for the sign of each element")
sin = _of_each("sin", "sin", "the sine of each element")
sinh = _of_each("sinh", "sinh", "the hyperbolic sine of each element")


def nextafter(x1: Any, x2: Any, /) -> StandardArray:
    """Return the next float towards another for each element.

    Examples
    --------
    >>> xp.nextafter(xp.asarray([0.0]), xp.asarray([1.0])).tolist()
    [5e-324]
    """
    return computed("nextafter", x1, x2)


def reciprocal(x: Any, /) -> StandardArray:
    """Return 1 divided by each element.

    Examples
    --------
    >>> xp.reciprocal(xp.asarray([2.0, 0.0])).tolist()
    [0.5, inf]
    """
    return computed("divide", 1.0, x)


square = _of_each("square", "square", "the square of each element")
sqrt = _of_each("sqrt", "sqrt", "the square root of each element")
tan = _of_each("tan", "tan", "the tangent of each element")
tanh = _of_each("tanh", "tanh", "the hyperbolic tangent of each element")
trunc = _of_each("trunc", "trunc", "each element rounded towards 0")


def real(x: Any, /) -> StandardArray:
    """Return the real part of each element, which is the element: there are no complex numbers."""
    return positive(x)


def conj(x: Any, /) -> StandardArray:
    """Return the complex conjugate of each element, which is the element; see `real`."""
    return positive(x)


def imag(x: StandardArray, /) -> StandardArray:
    """Return the imaginary part of each element, which is 0; see `real`."""
    return zeros_like(x)


add = _of_pairs("add", "add", "sums")
atan2 = _of_pairs("atan2", "arctan2", "the angles of points with ordinates `x1` and abscissas `x2`")
bitwise_and = _of_pairs("bitwise_and", "bitwise_and", "the bits that both have")
bitwise_left_shift = _of_pairs("bitwise_left_shift", "left_shift", "bits moved up by `x2`")
bitwise_or = _of_pairs("bitwise_or", "bitwise_or", "the bits that either has")
bitwise_right_shift = _of_pairs("bitwise_right_shift", "right_shift", "bits moved down by `x2`")
bitwise_xor = _of_pairs("bitwise_xor", "bitwise_xor", "the bits that one of them has")
copysign = _of_pairs("copysign", "copysign", "the size of `x1` with the sign of `x2`")
hypot = _of_pairs("hypot", "hypot", "the length of the hypotenuse over `x1` and `x2`")
maximum = _of_pairs("maximum", "maximum", "the larger of both, NaN where one is")
minimum = _of_pairs("minimum", "minimum", "the smaller of both, NaN where one is")
divide = _of_pairs("divide", "divide", "quotients as float64")
equal = _of_pairs("equal", "equal", "where elements are equal")
floor_divide = _of_pairs("floor_divide", "floor_divide", "quotients rounded down")
greater = _of_pairs("greater", "greater", "where `x1` is greater")
greater_equal = _of_pairs("greater_equal", "greater_equal", "where `x1` is not less")
less = _of_pairs("less", "less", "where `x1` is less")
less_equal = _of_pairs("less_equal", "less_equal", "where `x1` is not greater")
logical_and = _of_pairs("logical_and", "logical_and", "where both are not 0")
logical_or = _of_pairs("logical_or", "logical_or", "where either is not 0")
logical_xor = _of_pairs("logical_xor", "logical_xor", "where one of them is not 0")
multiply = _of_pairs("multiply", "multiply", "products")
not_equal = _of_pairs("not_equal", "not_equal", "where elements differ")
pow = _of_pairs("pow", "power", "`x1` to the power of `x2`")
remainder = _of_pairs("remainder", "remainder", "remainders with the sign of `x2`")
subtract = _of_pairs("subtract", "subtract", "differences")


def logaddexp(x1: Any, x2: Any) -> StandardArray:
    """Return the logarithm of the sum of the exponentials of elements, without overflow."""
    return computed("logaddexp", x1, x2)
