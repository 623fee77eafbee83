"""Sums of products of two arrays: covariance and correlation."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np

from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.core.array import Array
from akdask.errors import ArgumentTypeError
from akdask.kernels.core.exact import EXACT
from akdask.schema import INT64, UINT64, ColumnType


def cov(x: Any, y: Any) -> np.float64:
    """Return the covariance of two arrays, NaN of fewer than two elements; computes.

    Parameters
    ----------
    x, y : pdarray
        Of one size.

    Raises
    ------
    AlignmentError
        If they are not.
    ArgumentTypeError
        If one of them is no array of numbers.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(10)
    >>> ak.cov(a, a * 2)
    np.float64(18.333333333333332)
    """
    x, y = near_zero("cov", x), near_zero("cov", y)
    total = elementwise("multiply", _centred(x), _centred(y)).sum().value()
    with np.errstate(all="ignore"):
        return np.float64(total) / (x.size - 1)


def corr(x: Any, y: Any) -> np.float64:
    """Return Pearson's correlation of two arrays, NaN where all elements of one are the same; computes.  See `cov`.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(10)
    >>> float(round(ak.corr(a, 5 - a), 12))
    -1.0
    """
    x, y = near_zero("corr", x), near_zero("corr", y)
    covariance = cov(x, y)
    with np.errstate(all="ignore"):
        return covariance / (x.std(ddof=1).value() * y.std(ddof=1).value())


def skew(pda: Any, bias: bool = True) -> np.float64:
    """Return the skewness of an array, NaN where all elements are the same; computes.

    Parameters
    ----------
    pda : pdarray
        The elements.
    bias : bool, default True
        Leave out what corrects the result of a sample, which takes three elements.

    Raises
    ------
    ArgumentTypeError
        If it is no array of numbers.

    Notes
    -----
    Follows ``scipy.stats.skew``.

    Examples
    --------
    >>> import akdask as ak
    >>> round(float(ak.skew(ak.array([1, 1, 1, 5, 10]))), 12)
    0.944219339638
    """
    distances = _centred(near_zero("skew", pda))
    squares = elementwise("multiply", distances, distances)
    cubes = elementwise("multiply", squares, distances)
    third, second = dask.compute(cubes.mean(), squares.mean())
    count = pda.size
    with np.errstate(all="ignore"):
        found = np.float64(third) / np.float64(second) ** 1.5
        return found if bias or count < 3 else np.sqrt((count - 1) * np.float64(count)) / (count - 2) * found


def near_zero(name: str, array: Any) -> Any:
    """Return numbers, or how far integers are from one near their mean where this is so large that floats have gaps."""
    if not isinstance(array, Array) or not hasattr(array, "mean"):
        raise ArgumentTypeError(f"{name} takes lazy arrays of numbers, got {type(array).__name__}.")
    dtype = array._value.dtype
    pivot = pivot_of(array.mean().value(), dtype) if dtype in (INT64, UINT64) else None
    return array if pivot is None else elementwise("difference", array, pivot)


def pivot_of(mean: Any, dtype: ColumnType) -> Any:
    """Return an integer near a mean, which is taken from each integer before it becomes a float.

    None where floats are near enough to each other there.

    Examples
    --------
    >>> pivot_of(2.0**60, INT64), pivot_of(5.5, INT64)
    (np.int64(1152921504606846976), None)
    """
    if not abs(mean) >= EXACT / 2:
        return None
    limits = np.iinfo(dtype.numpy)
    return dtype.numpy.type(min(max(int(mean), limits.min), limits.max))


def _centred(array: Any) -> Any:
    return elementwise("subtract", array, array.mean())
