"""Sums, means and extremes, running ones, tests of all elements, differences, integrals and padding; all lazy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from akdask.array_api.array_object import StandardArray, computed, flat, plain_array
from akdask.array_api.creation_functions import asarray, concat, full, reshape
from akdask.array_api.elementwise_functions import divide, multiply, sqrt
from akdask.arrays import functions, reductions, shapes
from akdask.arrays.axes import checked_axis, reduced_along
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
    return x if dtype is None else StandardArray(x._array.astype(dtype))


def sum(x: StandardArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> StandardArray:
    """Return sums: int64 of bools and integers, which wrap, uint64 and float64 of these, or `dtype`.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0).tolist()
    [4, 6]
    """
    return reduced("sum", _typed(x, dtype), axis, keepdims)


def prod(x: StandardArray, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> StandardArray:
    """Return products, of the types of sums."""
    return reduced("prod", _typed(x, dtype), axis, keepdims)


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
    >>> import akdask.array_api as xp
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
    >>> import akdask.array_api as xp
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
    found = StandardArray(getattr(reductions, name)(_typed(x, dtype)._array, number))
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


def clip(a: StandardArray, a_min: Any, a_max: Any, /) -> StandardArray:
    """Return the elements bounded below and above; None means no bound.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.clip(xp.arange(5), 1, 3).tolist()
    [1, 1, 2, 3, 3]
    """
    bounded = a if a_min is None else computed("maximum", a, a_min)
    return bounded if a_max is None else computed("minimum", bounded, a_max)


def diff(a: StandardArray, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> StandardArray:
    """Return the difference of each element and that before it along a dimension, `n` times.

    Examples
    --------
    >>> import akdask.array_api as xp
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
    >>> import akdask.array_api as xp
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
    >>> import akdask.array_api as xp
    >>> xp.pad(xp.asarray([1, 2]), 1).tolist()
    [0, 1, 2, 0]
    """
    return StandardArray(shapes.pad(array._array, pad_width, mode, **kwargs))
