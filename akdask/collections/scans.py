"""Running totals, and the few smallest and largest elements: all lazy."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any

from akdask.collections.array import Array
from akdask.collections.wrap import wrap
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.kernels.reduce import TOTALS
from akdask.plan.extremes import Extremes
from akdask.plan.rowwise import Project
from akdask.plan.running import Running

if TYPE_CHECKING:
    from akdask.collections.pdarray import pdarray


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


def _running(name: str, pda: Any, axis: int | None) -> pdarray:
    if axis not in (None, 0, -1):
        raise UnsupportedError(f"{name}(axis={axis}): arrays have one dimension.", hint="leave axis.")
    _check_numbers(name, pda)
    frame = Running(Project(pda._frame, (0,), (pda._value,)), name)
    running: Any = wrap(frame, frame.result)
    return running


def mink(pda: pdarray, k: int) -> pdarray:
    """Return the `k` smallest elements in ascending order; all if there are fewer.  Lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.mink(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 3]
    """
    return _extremes("mink", pda, k)


def maxk(pda: pdarray, k: int) -> pdarray:
    """Return the `k` largest elements in ascending order; all if there are fewer.  NaN counts as the largest.  Lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.maxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [5, 10]
    """
    return _extremes("maxk", pda, k)


def argmink(pda: pdarray, k: int) -> pdarray:
    """Return the positions of the `k` smallest elements, of the smallest first; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmink(ak.array([10, 5, 1, 3]), 2).tolist()
    [2, 3]
    """
    return _extremes("argmink", pda, k)


def argmaxk(pda: pdarray, k: int) -> pdarray:
    """Return the positions of the `k` largest elements, of the largest last; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argmaxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 0]
    """
    return _extremes("argmaxk", pda, k)


def _extremes(name: str, pda: Any, k: int) -> pdarray:
    _check_numbers(name, pda)
    if index(k) < 1:
        raise ArgumentError(f"{name}: k is a whole number from 1, not {k!r}.")
    frame = Extremes.of(pda._frame, pda._value, -index(k) if "max" in name else index(k))
    found: Any = wrap(frame, frame.positions if name.startswith("arg") else frame.values)
    return found


def _check_numbers(name: str, pda: Any) -> None:
    if not isinstance(pda, Array) or pda._as_operand()[1].dtype not in TOTALS:
        raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {type(pda).__name__}.")


class ScanMethods(Array):
    """The smallest and largest elements of an array of numbers."""

    mink: Callable[..., Any] = mink
    maxk: Callable[..., Any] = maxk
    argmink: Callable[..., Any] = argmink
    argmaxk: Callable[..., Any] = argmaxk
