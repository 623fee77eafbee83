"""Functions of the array API standard by subject: statistics, searches, sorts, sets, and of each element; lazy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

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


def signbit(x: Any, /) -> StandardArray:
    """Return which elements are negative, among them -0.0."""
    return computed("signbit", x)


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


def copysign(x1: Any, x2: Any, /) -> StandardArray:
    """Return the size of `x1` with the sign of `x2`, element by element."""
    return computed("copysign", x1, x2)


def hypot(x1: Any, x2: Any, /) -> StandardArray:
    """Return the length of the hypotenuse over `x1` and `x2`, element by element."""
    return computed("hypot", x1, x2)


def maximum(x1: Any, x2: Any, /) -> StandardArray:
    """Return the larger of both, NaN where one is, element by element."""
    return computed("maximum", x1, x2)


def minimum(x1: Any, x2: Any, /) -> StandardArray:
    """Return the smaller of both, NaN where one is, element by element."""
    return computed("minimum", x1, x2)


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
