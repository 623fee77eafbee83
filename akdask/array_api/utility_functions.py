"""Tests of all elements, clipping, differences, integrals and padding; all lazy."""

from __future__ import annotations

from typing import Any

from akdask.array_api.array_object import StandardArray, computed, plain_array
from akdask.array_api.creation_functions import asarray, reshape
from akdask.array_api.elementwise_functions import divide, multiply
from akdask.array_api.statistical_functions import reduced
from akdask.array_api.statistical_functions import sum as total
from akdask.arrays import functions, shapes
from akdask.arrays.along_axis import checked_axis


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
    return total(divide(multiply(width, heights), 2.0), axis=number)


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
