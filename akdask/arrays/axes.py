"""Reductions along some dimensions of an array, as reductions of the groups of elements with the other positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from akdask.arrays.along_axis import LONGEST, PART, along_axis, along_parts
from akdask.arrays.creation import full
from akdask.arrays.elementwise import cast
from akdask.arrays.groupby import GroupBy
from akdask.arrays.ndarray import reshaped
from akdask.arrays.pdarray import pdarray
from akdask.columns.summation import HALF, LOW
from akdask.engine.sources import counted, row_numbers
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError
from akdask.operators.reduce.along_axis import AXIS_FUNCTIONS
from akdask.operators.reduce.reductions import REDUCTIONS

POSITIONS = frozenset({"argmin", "argmax"})

PARTS = frozenset({"sum", "min", "max", "any", "all", "mean"})
"""Reductions that are made of those of parts."""


def bounds_check(axis: int | Sequence[int], rank: int) -> bool:
    """Return whether an array of rank `rank` has the given dimensions; negative ones count from the end.

    Examples
    --------
    >>> bounds_check(-2, 2), bounds_check((0, 2), 2)
    (True, False)
    """
    return all(-rank <= one < rank for one in ([axis] if isinstance(axis, int) else axis))


def adjust_negs(axis: int | Sequence[int], rank: int) -> Any:
    """Return a dimension, or several in a list, counted from the first one; see `bounds_check`.

    Examples
    --------
    >>> adjust_negs(-1, 3), adjust_negs((0, -2), 3)
    (2, [0, 1])
    """
    if not bounds_check(axis, rank):
        raise AxisError(f"an array of {rank} dimensions has no axis {axis}.")
    if isinstance(axis, int):
        return axis + rank if axis < 0 else axis
    return [adjust_negs(one, rank) for one in axis]


def reduced_along(base: pdarray, shape: tuple[int, ...], name: str, axis: Any, keepdims: bool, **params: Any) -> Any:
    """Reduce an array along one or several of its dimensions; lazy.

    Parameters
    ----------
    base : pdarray
        The elements, in row-major order.
    shape : tuple of int
        Length of each dimension.
    name : str
        Which reduction.
    axis : int, sequence of int or None
        The dimensions, None for all.
    keepdims : bool
        Leave dimensions of length 1 where they were.
    **params
        Arguments of the reduction, such as ``ddof``.

    Returns
    -------
    Scalar, pdarray or ArrayView
        Types as in the reduction of all elements.  The first NaN is an extreme, as in NumPy.

    Raises
    ------
    AxisError
        If the array does not have a dimension.
    ArgumentError
        If a dimension comes twice, positions are wanted along several dimensions, or extremes of no elements.
    """
    axes = _checked_axes(name, axis, len(shape))
    left = [1 if number in axes else length for number, length in enumerate(shape) if keepdims or number not in axes]
    if len(axes) == len(shape) and (axis is None or not keepdims or name not in POSITIONS):
        found = getattr(base, name)(**params)
        if not keepdims or not shape:
            return found
        if type(base) is pdarray and base._value.dtype.is_number and base.size:
            return reshaped(pdarray(counted(1), found.as_value()), left)
    if name in POSITIONS and len(axes) > 1:
        raise ArgumentError(f"{name} gives positions along one axis, not {axes}.")
    if not base.size:
        return reshaped(_of_nothing(base, name, math.prod(left)), left)
    if name in POSITIONS or (name == "prod" and base._value.dtype.kind != "float"):
        # Groups skip NaN, and their products are float64, which cannot hold all integers.
        found = reduce(lambda array, axis: along_axis(name, array, axis), axes, reshaped(base, shape))
        return reshaped(found.flatten(), left)
    if axes and base._value.dtype.is_number and axes == tuple(range(axes[0], axes[-1] + 1)):
        before, behind = math.prod(shape[: axes[0]]), math.prod(shape[axes[-1] + 1 :])
        found = _of_blocks(base, (before, -1, behind), name, params)
        if found is not None:
            return reshaped(found, left)
    return reshaped(_of_groups(base, shape, name, axes, params), left)


def _checked_axes(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the selected dimensions, counted from the first, ascending."""
    given = range(ndim) if axis is None else axis if isinstance(axis, Sequence) else (axis,)
    try:
        numbers = [index(number) for number in given]
    except TypeError:
        raise ArgumentTypeError(f"{name}(axis={axis!r}): dimensions are named by whole numbers.") from None
    if not all(-ndim <= number < ndim for number in numbers):
        raise AxisError(f"{name}(axis={axis}): the array has {ndim} dimensions.")
    axes = tuple(sorted({number % ndim for number in numbers}))
    if len(axes) < len(numbers):
        raise ArgumentError(f"{name}(axis={axis}): a dimension comes twice.")
    return axes


def _of_blocks(base: pdarray, shape: tuple[int, int, int], name: str, params: dict[str, Any]) -> pdarray | None:
    """Return the reduction along the second of three dimensions, in row-major order; None if groups compute it faster.

    Parts of long dimensions are reduced first, whatever the partitions, so that results do not depend on partitions.
    """
    if name == "count_nonzero":
        name, base = "sum", base != 0
    before, _, behind = shape
    length = base.size // (before * behind)
    if name not in AXIS_FUNCTIONS:
        return None
    rows = PART // behind
    if length * behind <= (LONGEST if before > 1 or rows < 2 or name not in PARTS else PART):
        return along_axis(name, reshaped(base, shape), 1, **params).flatten()
    if before > 1 or rows < 2 or name not in PARTS:
        return None
    if name == "mean":
        total = _total(base, shape)
        return None if total is None else total / length
    return _of_blocks(along_parts(name, base, rows, behind), shape, name, params)


def _total(base: pdarray, shape: tuple[int, int, int]) -> Any:
    """Return the floats nearest to sums; sums of integers may wrap, sums of their halves do not."""
    if base.dtype == np.float64:
        return _of_blocks(base, shape, "sum", {})
    integers: Any = base if base.dtype == np.uint64 else cast(base, np.int64)
    high, low = (_of_blocks(cast(half, np.int64), shape, "sum", {}) for half in (integers >> HALF, integers & LOW))
    if high is None or low is None:
        return None
    return cast(high + (low >> HALF), np.float64) * 2.0**HALF + cast(low & LOW, np.float64)


def _of_groups(base: pdarray, shape: tuple[int, ...], name: str, axes: tuple[int, ...], params: dict[str, Any]) -> Any:
    numbers = pdarray(*row_numbers(base._frame))
    key = numbers * 0
    for dimension, length in enumerate(shape):
        if dimension not in axes:
            key = key * length + numbers // math.prod(shape[dimension + 1 :]) % length
    if name == "count_nonzero":
        name, base = "sum", base != 0
    return GroupBy(key).reduce_column(name, base, skipna=False, **params)


def _of_nothing(base: pdarray, name: str, count: int) -> Any:
    """Return the reduction of no elements, repeated `count` times."""
    identity = REDUCTIONS[name].identity
    if identity is None and count:
        raise ArgumentError(f"{name} of no elements: a dimension that is reduced has length 0.")
    return cast(full(count, identity or 0), getattr(base, name)().dtype)
