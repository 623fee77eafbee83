"""Running totals and extremes, and the few smallest and largest elements: all lazy."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any

from akdask.collections.core.array import Array, check_axis
from akdask.collections.core.selection import filter_columns
from akdask.collections.core.wrap import wrap
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.reductions.scan import SCANS
from akdask.plan.expr.missing_text import is_present, without_missing
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import cast
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.reduce.scan import RunningScan
from akdask.plan.reduce.top_k import TopK
from akdask.plan.task.align import align
from akdask.schema import unlimited

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


def cumsum(pda: pdarray, axis: int | None = None) -> pdarray:
    """Return the sum of each element and all before it; lazy.

    Parameters
    ----------
    pda : pdarray
        What to sum; the result has the type of its sum, and its rows.
    axis : None or 0
        There is only one axis.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.cumsum(ak.array([1, 2, 3])).tolist()
    [1, 3, 6]
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
    """Return the smallest of each element and all before it, NaN from the first NaN on; lazy.

    Parameters
    ----------
    pda : pdarray, Datetime or Timedelta
        The elements; the result is of its kind, and has its rows.
    axis : None or 0
        There is only one axis.

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
    check_axis(name, axis)
    if not isinstance(pda, Array) or unlimited(pda._as_operand()[1].dtype) not in SCANS[name].types:
        given = pda._describe() if isinstance(pda, Array) else type(pda).__name__
        raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {given}.")
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
        How many, at least 1.

    Returns
    -------
    pdarray, Strings or Categorical

    Examples
    --------
    >>> import akdask as ak
    >>> ak.mink(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 3]
    """
    return _extremes("mink", pda, k)


def maxk(pda: Any, k: int) -> Any:
    """Return the `k` largest elements in ascending order; all if there are fewer.  NaN counts as the largest.  Lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.maxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [5, 10]
    """
    return _extremes("maxk", pda, k)


def argmink(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` smallest elements, of the smallest first; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmink(ak.array([10, 5, 1, 3]), 2).tolist()
    [2, 3]
    """
    return _extremes("argmink", pda, k)


def argmaxk(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` largest elements, of the largest last; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmaxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 0]
    """
    return _extremes("argmaxk", pda, k)


def _extremes(name: str, pda: Any, k: int) -> Any:
    if not isinstance(pda, Array):
        raise ArgumentTypeError(f"{name} needs a lazy array, got {type(pda).__name__}.")
    if index(k) < 1:
        raise ArgumentError(f"{name}: k is a whole number from 1, not {k!r}.")
    frame, key = pda._sort_key()
    if key.dtype.nullable:
        return _extremes_there(name, pda, k)
    found = TopK.of(frame, key, -index(k) if "max" in name else index(k))
    positions: Any = wrap(found, found.positions)
    if name.startswith("arg"):
        return positions
    # What is ordered by something else has to be looked up.
    return pda._like(found, found.values) if key == pda._value else pda[positions]


def _extremes_there(name: str, pda: Array, k: int) -> Any:
    """Return extremes of strings without those that are missing, or their positions among all."""
    frame, value = pda._sort_key()
    frame, (value, row) = align("number", [(frame, value), row_numbers(frame)])
    there, (value, row) = filter_columns(frame, [without_missing(value), row], frame, is_present(value))
    found = _extremes(name, wrap(there, value), k)
    return wrap(there, row)[found] if name.startswith("arg") else found


class ExtremeMethods(Array):
    """The smallest and largest elements of an array."""

    mink: Callable[..., Any] = mink
    maxk: Callable[..., Any] = maxk
    argmink: Callable[..., Any] = argmink
    argmaxk: Callable[..., Any] = argmaxk
