"""Sums of products of two arrays: covariance and correlation."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np

from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.core.array import Array
from akdask.errors import ArgumentTypeError


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
    total = elementwise("multiply", _centred("cov", x), _centred("cov", y)).sum().value()
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
    distances = _centred("skew", pda)
    squares = elementwise("multiply", distances, distances)
    cubes = elementwise("multiply", squares, distances)
    third, second = dask.compute(cubes.mean(), squares.mean())
    count = pda.size
    with np.errstate(all="ignore"):
        found = np.float64(third) / np.float64(second) ** 1.5
        return found if bias or count < 3 else np.sqrt((count - 1) * np.float64(count)) / (count - 2) * found


def _centred(name: str, array: Any) -> Any:
    if not isinstance(array, Array) or not hasattr(array, "mean"):
        raise ArgumentTypeError(f"{name} takes lazy arrays of numbers, got {type(array).__name__}.")
    return elementwise("subtract", array, array.mean())
