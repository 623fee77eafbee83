"""Scans and extremes, all lazy: `cumsum` and its relatives, and the few smallest or largest elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from akdask.arrays.along_axis import along_axis
from akdask.arrays.array import Array, check_axis, wrap
from akdask.arrays.ordering import few_extremes
from akdask.columns.dtypes import unlimited
from akdask.engine.rowwise import Project
from akdask.engine.values import cast
from akdask.errors import ArgumentTypeError
from akdask.operators.windows.expanding import RunningScan
from akdask.operators.windows.kernels import SCANS

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


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
    >>> import akdask as ak
    >>> ak.cumsum(ak.array([1, 2, 3])).tolist(), ak.cumsum(ak.array([[1, 2], [3, 4]]), axis=0).tolist()
    ([1, 3, 6], [[1, 2], [4, 6]])
    """
    return _running("cumsum", pda, axis)


def cumprod(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the product of each element and all before it; lazy.  See `cumsum`.

    Examples
    --------
    >>> import akdask as ak
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
    >>> import akdask as ak
    >>> ak.cummin(ak.array([3, 1, 2])).tolist()
    [3, 1, 1]
    """
    return _running("cummin", pda, axis)


def cummax(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the largest of each element and all before it, NaN from the first NaN on; lazy.  See `cummin`.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.cummax(ak.array([1, 3, 2])).tolist()
    [1, 3, 3]
    """
    return _running("cummax", pda, axis)


def _running(name: str, pda: Any, axis: int | None) -> Any:
    if isinstance(pda, Array) and pda.ndim != 1 and axis is not None:
        return along_axis(name, pda, axis)
    check_axis(name, axis)
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


def mink(pda: Any, k: int) -> Any:
    """Return the `k` smallest elements in ascending order; all if there are fewer.  Lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        The elements.
    k : int
        Number of elements, at least 1.

    Returns
    -------
    pdarray, Strings or Categorical

    Examples
    --------
    >>> import akdask as ak
    >>> ak.mink(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 3]
    """
    return few_extremes("mink", pda, k)


def maxk(pda: Any, k: int) -> Any:
    """Return the `k` largest elements in ascending order; all if there are fewer.  NaN counts as the largest.  Lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.maxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [5, 10]
    """
    return few_extremes("maxk", pda, k)


def argmink(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` smallest elements, of the smallest first; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmink(ak.array([10, 5, 1, 3]), 2).tolist()
    [2, 3]
    """
    return few_extremes("argmink", pda, k)


def argmaxk(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` largest elements, of the largest last; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmaxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 0]
    """
    return few_extremes("argmaxk", pda, k)
