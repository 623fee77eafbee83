"""Elements of arrays at other positions: `take`, `putmask` and `diff`."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange
from akdask.collections.arrays.creation import array as make_array
from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.arrays.shaped.along_axis import checked_axis
from akdask.collections.arrays.shaped.ndarray import as_array, shaped, spread
from akdask.collections.core.array import Array, check_axis
from akdask.collections.core.assignment import fitting
from akdask.collections.core.operators import OperatorMethods
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.rows.neighbours import Shifted


def take(a: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of an array at some positions; lazy.

    Parameters
    ----------
    a : pdarray, Strings or Categorical
        The elements.
    indices : int, or array of int
        Positions; negative ones count from the end.  An int gives the element itself.
    axis : int, optional
        The dimension along which an array of several is taken from, which is flat before unless it is given.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.take(ak.array([4, 3, 5, 7, 6, 8]), [0, 1, 4]).tolist()
    [4, 3, 6]
    >>> ak.take(ak.arange(6).reshape(2, 3), [2, 0], axis=1).tolist()
    [[2, 0], [5, 3]]
    """
    if not isinstance(a, Array):
        raise ArgumentTypeError(f"take needs a lazy array, got {type(a).__name__}.")
    if a.ndim == 1:
        check_axis("take", axis)
        return a[as_array(indices)] if np.ndim(indices) > 1 else a[indices]
    return a.take(indices, None if axis is None else checked_axis("take", axis, a.ndim))


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the difference of each element and that before it; lazy, but for counting rows of unknown number.

    Parameters
    ----------
    a : pdarray, Datetime or Timedelta
        The elements.  Of bools, the result tells where they change.
    n : int, default 1
        How often to take differences; each time there is one element less.
    axis : int, default -1
        The dimension along which differences are taken.
    prepend, append : array or scalar, optional
        What to put before and behind the elements first.

    Raises
    ------
    ArgumentError
        If `n` is below 0.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.diff(ak.array([1, 2, 4, 7, 0])).tolist(), ak.diff(ak.array([1, 2, 4, 7, 0]), n=2).tolist()
    ([1, 2, 3, -7], [1, 1, -10])
    """
    if not isinstance(a, Array):
        raise ArgumentTypeError(f"diff needs a lazy array, got {type(a).__name__}.")
    axis = checked_axis("diff", axis, a.ndim)
    if index(n) < 0:
        raise ArgumentError(f"diff: n is a whole number from 0, not {n!r}.")
    parts = [_beside(part, a, axis) for part in (prepend, a, append) if part is not None]
    found: Any = a if len(parts) == 1 else concatenate(parts, axis=axis)
    operation = "not_equal" if getattr(found, "dtype", None) == np.dtype(bool) else "subtract"
    before = (slice(None),) * axis
    for _ in range(index(n)):
        if found.ndim == 1 and found._value.dtype.is_number:
            found = elementwise(operation, found, _one_further(found))[1:]
        else:
            found = elementwise(operation, found[(*before, slice(1, None))], found[(*before, slice(-1))])
    return found


def _one_further(array: Array) -> Array:
    """Return the elements each a place further down: partitions hand on one, rather than be cut anew."""
    moved = Shifted(array._project(), 1, (0,))
    return array._like(moved, moved.column(moved.frame.names[0]))


def _beside(part: Any, array: Array, axis: int) -> Any:
    """Return what is put beside an array: of a scalar, as much as there is at one position along the dimension."""
    if isinstance(part, Array) and part.ndim:
        return part
    if np.ndim(part):
        return make_array(part)
    wanted = [1 if number == axis else length for number, length in enumerate(array.shape)]
    return spread(as_array(part).astype(array.dtype) if array.ndim > 1 else make_array([part]), wanted)


def putmask(A: Any, mask: Any, Values: Any) -> None:
    """Put values into an array where a mask holds: lazy, and what was derived from it before keeps the old values.

    Parameters
    ----------
    A : pdarray or Strings
        What is changed.
    mask : pdarray of bool
        With the rows of `A`.
    Values : array or scalar
        The element at position i gets that at position i too, and if there are fewer, they begin again.

    Raises
    ------
    ArgumentError
        If there are no values.
    ArgumentTypeError
        If the values do not fit the type of `A`, or that is no lazy array.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(6)
    >>> ak.putmask(a, a > 2, ak.array([30, 20]))
    >>> a.tolist()
    [0, 1, 2, 20, 30, 20]
    """
    if not isinstance(A, OperatorMethods):
        raise ArgumentTypeError(f"putmask changes a lazy array, not {type(A).__name__}.")
    if isinstance(Values, Array) and Values.size != A.size:
        if not Values.size:
            raise ArgumentError("putmask needs at least one value.")
        flat = Values if Values.ndim == 1 else Values.flatten()
        Values = flat[arange(A.size) % Values.size]
    if isinstance(Values, Array):
        Values = shaped(Values._like(Values._frame, fitting(Values._value, A._value.dtype)), A.shape)
    A._become(elementwise("where", mask, Values, A), "putmask")
