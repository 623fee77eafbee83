"""Arkouda's functions that are methods too, and those that put arrays together."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from akdask.collections.arrays.ndarray import ArrayView
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array, check_axis
from akdask.collections.core.scalar import Scalar
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.kernels.core.rules import promote
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Value, cast
from akdask.plan.task.compact import MOST_PARTS, joined
from akdask.plan.task.concat import Concat


def _of_method(name: str) -> Callable[..., Scalar]:
    def function(pda: Any, *args: Any, **kwargs: Any) -> Scalar:
        if not hasattr(pda, name):
            raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {type(pda).__name__}.")
        result: Scalar = getattr(pda, name)(*args, **kwargs)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(pdarray, name).__doc__
    return function


sum = _of_method("sum")
prod = _of_method("prod")
min = _of_method("min")
max = _of_method("max")
mean = _of_method("mean")
var = _of_method("var")
std = _of_method("std")
any = _of_method("any")
all = _of_method("all")
argmin = _of_method("argmin")
argmax = _of_method("argmax")
is_sorted = _of_method("is_sorted")


def count_nonzero(pda: Any) -> Scalar:
    """Return the number of elements that are not zero, of Strings of those that are not empty, as int64; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> count_nonzero(ak.array([3, 0, 5])), count_nonzero(ak.array(["a", ""]))
    (np.int64(2), np.int64(1))
    """
    if isinstance(pda, Strings):
        return _count_nonzero(pda != "")
    return _count_nonzero(pda)


_count_nonzero = _of_method("count_nonzero")


def concatenate(arrays: Any, axis: int | None = 0, ordered: bool = True) -> Any:
    """Join arrays end to end; lazy, and the partitions stay what they are.

    Parameters
    ----------
    arrays : sequence of pdarray, or of Strings, Categorical, …
        At least one, of one type; ints and floats meet in their common type.  Arrays of several dimensions have the
        same lengths but for the first.
    axis : 0 or None
        Arrays are joined along the first axis; None makes them flat before.
    ordered : bool
        Accepted as Arkouda spells it; the order is always kept.

    Raises
    ------
    ArgumentError
        If there are none.
    ArgumentTypeError
        If the types do not go together, or are those of no lazy arrays.
    AxisError
        If arrays of one dimension shall be joined along another.

    Examples
    --------
    >>> import akdask as ak
    >>> concatenate([ak.arange(2), ak.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    if not isinstance(arrays, Sequence) or isinstance(arrays, str):
        raise ArgumentTypeError(f"concatenate takes a list or tuple of arrays, not a {type(arrays).__name__}.")
    arrays = list(arrays)
    if not arrays:
        raise ArgumentError("concatenate needs at least one array.")
    for item in arrays:
        if type(item) is not type(arrays[0]):
            kinds = ", ".join(type(array).__name__ for array in arrays)
            raise ArgumentTypeError(f"concatenate needs arrays of one kind, got {kinds}.")
    if isinstance(arrays[0], ArrayView):
        return concatenate([array.base for array in arrays]) if axis is None else _stacked(arrays, axis)
    if not isinstance(arrays[0], Array):
        raise ArgumentTypeError(f"concatenate needs lazy arrays, got {type(arrays[0]).__name__}.")
    check_axis("concatenate", axis)
    if hasattr(arrays[0], "concatenate"):
        return arrays[0].concatenate(arrays[1:], ordered=ordered)
    wanted = promote(*[array._value.dtype for array in arrays]) or arrays[0]._value.dtype
    values = [(array._frame, cast(array._value, wanted)) for array in arrays]
    parts = [part for frame, value in values for part in _parts(frame, value)]
    if len(parts) > MOST_PARTS:
        parts = [Project(frame, (0,), (value,)) for frame, value in values]
    frame = joined(parts)
    return arrays[0]._like(frame, frame.column(0))


def _stacked(arrays: Sequence[ArrayView], axis: int) -> ArrayView:
    """Join arrays of several dimensions along the first: their elements follow one another."""
    if axis % arrays[0].ndim:
        raise UnsupportedError(f"concatenate(axis={axis}): arrays are joined along the first axis.")
    if len({array.shape[1:] for array in arrays}) > 1:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ArgumentError("arrays that are joined differ in the first length only.", details=[f"shapes: {shapes}"])
    length = builtins.sum(array.shape[0] for array in arrays)
    return ArrayView(concatenate([array.base for array in arrays]), (length, *arrays[0].shape[1:]))


def _parts(frame: Frame, value: Value) -> tuple[Project, ...]:
    """Return the parts of what was joined before, so that joining in a loop does not nest."""
    if isinstance(frame, Concat) and frame.frames[0].names == (0,) and value == frame.column(0):
        return frame.frames
    return (Project(frame, (0,), (value,)),)
