"""Reductions and scans of arrays: to lazy scalars and to running results, and functions with the names of methods."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, check_axis, wrap
from akdask.arrays.elementwise import elementwise
from akdask.arrays.families import shown_as
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import INT64, UINT64, ColumnType, TimeForm, unlimited
from akdask.columns.exact import EXACT
from akdask.engine.alignment import align
from akdask.engine.missing import parts
from akdask.engine.rowwise import Project
from akdask.engine.run import compute
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Constant, Value, cast, column_in_errors, with_missing
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, Element

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


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
    """Return the number that is subtracted from the number of elements.

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
    from akdask.operators.reduce.quantiles import checked_quantiles

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

    groups = GroupAggregate.of(array._frame, [array._value])
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
    >>> round(float(ak.skew(ak.array([1, 1, 1, 5, 10]))), 12)
    0.944219339638
    """
    distances = _centred(near_zero("skew", pda))
    squares = elementwise("multiply", distances, distances)
    cubes = elementwise("multiply", squares, distances)
    third, second = compute(cubes.mean(), squares.mean())
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
    return dtype.numpy.type(builtins.min(builtins.max(int(mean), limits.min), limits.max))


def _centred(array: Any) -> Any:
    return elementwise("subtract", array, array.mean())


# scans


def cumsum(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the sum of each element and all before it; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements to sum; the result has the type of their sum, and their rows.
    axis : int, optional
        The dimension along which to sum an array of several dimensions; all elements in row-major order unless given.

    Examples
    --------
    >>> ak.cumsum(ak.array([1, 2, 3])).tolist(), ak.cumsum(ak.array([[1, 2], [3, 4]]), axis=0).tolist()
    ([1, 3, 6], [[1, 2], [4, 6]])
    """
    return _running("cumsum", pda, axis)


def cumprod(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the product of each element and all before it; lazy.  See `cumsum`.

    Examples
    --------
    >>> ak.cumprod(ak.array([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    return _running("cumprod", pda, axis)


def cummin(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the smallest of each element and all before it, NaN or NaT from the first one on; lazy.

    Parameters
    ----------
    pda : pdarray, Datetime or Timedelta
        The elements; the result has their kind and rows.
    axis : int, optional
        A dimension of an array of several; see `cumsum`.

    Notes
    -----
    Follows ``numpy.minimum.accumulate``; Arkouda has no such function.

    Examples
    --------
    >>> ak.cummin(ak.array([3, 1, 2])).tolist()
    [3, 1, 1]
    """
    return _running("cummin", pda, axis)


def cummax(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the largest of each element and all before it, NaN from the first NaN on; lazy.  See `cummin`.

    Examples
    --------
    >>> ak.cummax(ak.array([1, 3, 2])).tolist()
    [1, 3, 3]
    """
    return _running("cummax", pda, axis)


def _running(name: str, pda: Any, axis: int | None) -> Any:
    from akdask.operators.windows.kernels import SCANS
    from akdask.operators.windows.plan import RunningScan

    if isinstance(pda, Array) and pda.ndim != 1 and axis is not None:
        from akdask.arrays.axes import along_axis

        return along_axis(name, pda, axis)
    check_axis(name, axis)
    if isinstance(pda, Array) and pda.ndim == 1 and (apart := parts(pda._value)) is not None:
        return _running_with_gaps(name, pda, *apart)
    if not isinstance(pda, Array) or unlimited(pda._as_operand()[1].dtype) not in SCANS[name].types:
        given = pda._describe() if isinstance(pda, Array) else type(pda).__name__
        raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {given}.")
    if hasattr(pda, "_scanned"):
        return pda._scanned(name)
    frame = RunningScan(Project(pda._frame, (0,), (pda._value,)), name)
    if name in {"cummin", "cummax"}:
        # Extremes have the type of the elements: times stay times.
        return pda._like(frame, frame.result)
    dtype = pda._value.dtype
    return wrap(frame, cast(frame.result, dtype) if dtype.kind == "bigint" else frame.result)


def _running_with_gaps(name: str, pda: Array, integers: Value, missing: Value) -> Any:
    """Return running results of integers or bools, missing from the first missing one on, as NaN are."""
    found = _running(name, wrap(pda._frame, integers), None)
    some = _running("cummax", wrap(pda._frame, cast(missing, INT64)), None) > 0
    frame, (running, lacking) = align(name, [(found._frame, found._value), (some._frame, some._value)])
    return wrap(frame, with_missing(running, lacking, column_in_errors(pda._value)))


# functions with the names of methods


_shown = shown_as("ak.{name}(ak.array([2, 4, 3]))")


@_shown("np.int64(9)")
def sum(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of an array; lazy.  See `pdarray.sum`.

    Parameters
    ----------
    pda : pdarray, ArrayView or another object with a method of that name
        The elements to reduce.
    axis : int or tuple of int, optional
        Dimensions of an `ArrayView` that are reduced, all unless given.
    keepdims : bool, default False
        Leave the dimensions that are reduced in the result, with length 1.

    Raises
    ------
    ArgumentTypeError
        If `pda` has no such method.
    """
    return _called("sum", pda, axis=axis, keepdims=keepdims)


@_shown("np.int64(24)")
def prod(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the product of an array; lazy.  See `sum` and `pdarray.prod`."""
    return _called("prod", pda, axis=axis, keepdims=keepdims)


@_shown("np.int64(2)")
def min(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest element of an array; lazy.  See `sum` and `pdarray.min`."""
    return _called("min", pda, axis=axis, keepdims=keepdims)


@_shown("np.int64(4)")
def max(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest element of an array; lazy.  See `sum` and `pdarray.max`."""
    return _called("max", pda, axis=axis, keepdims=keepdims)


@_shown("np.float64(3.0)")
def mean(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean of an array; lazy.  See `sum` and `pdarray.mean`."""
    return _called("mean", pda, axis=axis, keepdims=keepdims)


@_shown("np.float64(0.666...)")
def var(pda: Any, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance of an array; lazy.  See `sum` and `pdarray.var`."""
    return _called("var", pda, axis=axis, keepdims=keepdims, ddof=ddof)


@_shown("np.float64(0.816...)")
def std(pda: Any, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation of an array; lazy.  See `sum` and `pdarray.std`."""
    return _called("std", pda, axis=axis, keepdims=keepdims, ddof=ddof)


@_shown("np.float64(3.0)")
def median(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the median of an array; lazy.  See `sum` and `pdarray.median`."""
    return _called("median", pda, axis=axis, keepdims=keepdims)


def quantile(a: Any, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Return one or several quantiles of an array; lazy if it is one.  See `sum` and `pdarray.quantile`.

    Examples
    --------
    >>> ak.quantile(ak.arange(5), 0.25)
    np.float64(1.0)
    """
    return _called("quantile", a, q=q, axis=axis, method=method, keepdims=keepdims)


def percentile(a: Any, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Return one or several percentiles of an array, from 0 to 100; see `quantile`.

    Examples
    --------
    >>> ak.percentile(ak.array([2, 4, 3]), 50)
    np.float64(3.0)
    """
    return quantile(a, np.true_divide(q, 100), axis, method, keepdims)


@_shown("np.True_")
def any(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element is not 0; lazy.  See `sum` and `pdarray.any`."""
    return _called("any", pda, axis=axis, keepdims=keepdims)


@_shown("np.True_")
def all(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether no element is 0; lazy.  See `sum` and `pdarray.all`."""
    return _called("all", pda, axis=axis, keepdims=keepdims)


@_shown("np.int64(0)")
def argmin(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first smallest element of an array; lazy.  See `sum` and `pdarray.argmin`."""
    return _called("argmin", pda, axis=axis, keepdims=keepdims)


@_shown("np.int64(1)")
def argmax(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first largest element of an array; lazy.  See `sum` and `pdarray.argmax`."""
    return _called("argmax", pda, axis=axis, keepdims=keepdims)


@_shown("np.False_")
def is_sorted(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether the elements are in ascending order; lazy.  See `sum` and `pdarray.is_sorted`."""
    return _called("is_sorted", pda, axis=axis, keepdims=keepdims)


def count_nonzero(pda: Any) -> Scalar:
    """Return the number of elements that are not zero, or of nonempty Strings, as int64; lazy.

    Examples
    --------
    >>> count_nonzero(ak.array([3, 0, 5])), count_nonzero(ak.array(["a", ""]))
    (np.int64(2), np.int64(1))
    """
    from akdask.arrays.strings import Strings

    if isinstance(pda, Strings):
        return _called("count_nonzero", pda != "")
    return _called("count_nonzero", pda)


def _called(name: str, pda: Any, **params: Any) -> Any:
    """Call a method by name with the given parameters; not all objects take all of them."""
    if not hasattr(pda, name) or isinstance(pda, np.ndarray):
        raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {type(pda).__name__}.")
    given = {param: value for param, value in params.items() if value is not None and value is not False}
    try:
        return getattr(pda, name)(**given)
    except (TypeError, NotImplementedError) as error:
        if isinstance(error, AkdaskError):
            raise
        raise ArgumentTypeError(
            f"{name} needs a lazy array of numbers, got {type(pda).__name__}.", details=[str(error)]
        ) from error
