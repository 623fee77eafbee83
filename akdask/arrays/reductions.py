"""Reductions of arrays to lazy scalars, and statistics that are made of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from akdask.arrays.array import Array, check_axis, wrap
from akdask.arrays.elementwise import elementwise
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import INT64, UINT64, ColumnType, TimeForm
from akdask.columns.exact import EXACT
from akdask.engine.missing import key_parts
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Constant
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, Element
from akdask.operators.reduce.quantiles import checked_quantiles


def reduced(array: Array, name: str, form: TimeForm | None = None, **params: Any) -> Scalar:
    """Return the lazy scalar of one reduction of an array; `form` converts the result if given."""
    return Scalar(Element(Aggregate(array._frame, (AggregateExpr(name, array._value, **params),)), 0, form))


def reduced_along_rows(array: Array, name: str, axis: int | None, keepdims: bool, **params: Any) -> Scalar:
    """Return a reduction of an array of one dimension; with `keepdims`, as an array of one element.

    Raises
    ------
    AxisError
        If the array does not have that axis.
    """
    check_axis(name, axis)
    if keepdims:
        from akdask.arrays.axes import reduced_along

        found: Scalar = reduced_along(array, array.shape, name, None, keepdims, **params)
        return found
    return reduced(array, name, **params)


def checked_ddof(array: Array, ddof: int) -> int:
    """Return what is subtracted from the number of elements.

    Raises
    ------
    ArgumentTypeError
        If it is no number.
    ArgumentError
        If it leaves nothing to divide by.
    """
    size = array.rows.size
    if not isinstance(ddof, int | float | np.number):
        raise ArgumentTypeError(f"ddof is a number, not {ddof!r:.100}.")
    if ddof < 0 or (size and ddof >= size):
        raise ArgumentError(f"ddof={ddof} leaves nothing to divide by, of {size} elements.", hint="ddof is 0 or 1.")
    return ddof


def quantiles(array: Any, q: float | Sequence[float], axis: int | None, method: str, keepdims: bool) -> Any:
    """Return one or several quantiles of an array; see `pdarray.quantile`."""
    wanted = checked_quantiles(q, method)
    if isinstance(wanted, float):
        return array._reduced("quantile", axis, keepdims, q=wanted, method=method)
    check_axis("quantile", axis)
    found = reduced(array, "quantile", q=wanted, method=method).value()
    several = wrap(*literal(as_column(found)))
    if not keepdims:
        return several
    from akdask.arrays.ndarray import reshaped

    return reshaped(several, len(wanted), 1)


def distinct_count(array: Array) -> Scalar:
    """Return the lazy number of distinct elements of an array; they are grouped, as there may be many."""
    from akdask.operators.group.plan import GroupAggregate

    groups = GroupAggregate.of(array._frame, key_parts(array._value))
    return Scalar(Element(Aggregate(groups, (AggregateExpr("count_nonzero", Constant(True)),)), 0, None))


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
        Leave out the correction for a sample, which takes three elements.

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
    """Return numbers, or distances of integers from one near their mean if the mean is so large that floats round."""
    if not isinstance(array, Array) or not hasattr(array, "mean") or hasattr(array, "_form"):
        raise ArgumentTypeError(f"{name} takes lazy arrays of numbers, got {type(array).__name__}.")
    dtype = array._value.dtype
    pivot = pivot_of(array.mean().value(), dtype) if dtype in (INT64, UINT64) else None
    return array if pivot is None else elementwise("difference", array, pivot)


def pivot_of(mean: Any, dtype: ColumnType) -> Any:
    """Return an integer near a mean, which is subtracted from each integer before it becomes a float.

    None if neighbouring floats are close enough near the mean.

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
