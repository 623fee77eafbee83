"""Dimensions of arrays: reductions, sorts and scans along one of them or several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from akdask.arrays import tuning
from akdask.arrays.array import wrap
from akdask.arrays.creation import arange, full
from akdask.arrays.creation import array as make_array
from akdask.arrays.elementwise import cast, elementwise
from akdask.arrays.ndarray import rearranged, reshaped, shaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.shapes import checked_axis
from akdask.arrays.strided_layout import Layout, Shape
from akdask.columns.summation import HALF, LOW
from akdask.engine.alignment import Realign
from akdask.engine.missing import lacks_numbers
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import block_split, counted, partition_lengths, row_numbers
from akdask.engine.values import Constant, Value
from akdask.engine.values import cast as cast_value
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError
from akdask.operators.reduce.along_axis import AXIS_FUNCTIONS, AlongAxis
from akdask.operators.reduce.reductions import REDUCTIONS

POSITIONS = frozenset({"argmin", "argmax"})

PARTS = frozenset({"sum", "min", "max", "any", "all", "mean", "var", "std"})
"""Reductions that merge the reductions of parts."""


def along_axis(name: str, array: Any, axis: Any, keepdims: bool = True, **params: Any) -> Any:
    """Return a function of `akdask.operators.reduce.along_axis` along a dimension of an array; lazy.

    Partitions end between positions of the dimensions before it.  If there are fewer such positions than partitions,
    and each is large for one task, the dimension becomes the last one first.

    Raises
    ------
    ArgumentTypeError
        If elements are no numbers of fixed size.
    AxisError
        If the array has no such dimension.
    """
    axis = checked_axis(name, axis, array.ndim)
    value = array._value
    if not value.dtype.is_number:
        raise ArgumentTypeError(f"{name} along a dimension takes numbers, not {value.dtype}.")
    function, shape = AXIS_FUNCTIONS[name], array.shape
    result_shape = (*shape[:axis], function.length(shape[axis]), *shape[axis + 1 :])
    if not array.size:
        return _along_nothing(name, array, result_shape, axis, keepdims)
    count = len(partition_lengths(array.size))
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    if outer < count and inner > 1 and shape[axis] * inner > tuning.AXIS_ELEMENTS:
        if name in POSITIONS and outer == 1 and shape[axis] > 1 and inner <= tuning.AXIS_PART // 2:
            return shaped(_positions_of_parts(name, array, inner), result_shape if keepdims else shape[1:])
        order = [*range(axis), *range(axis + 1, len(shape)), axis]
        found = along_axis(name, rearranged(array, Layout.of(shape).permuted(order)), -1, **params)
        back = rearranged(found, Layout.of(found.shape).permuted([order.index(number) for number in range(len(order))]))
        return back if keepdims else back.reshape(_without(result_shape, axis))
    frame, value = in_blocks(array._frame, value, shape[axis] * inner)
    node = AlongAxis(Project(frame, (0,), (value,)), name, shape[axis], inner, tuple(params.items()))
    flat = array._like(node, node.result) if function.chooses else wrap(node, node.result)
    return shaped(flat, result_shape if keepdims else _without(result_shape, axis))


def along_parts(name: str, array: Any, rows: int, inner: int) -> Any:
    """Return the reduction of each part of `rows` times `inner` elements; the last part may be shorter; lazy.

    Each task has whole parts, whatever the partitions of the array.
    """
    lengths = known_lengths(array._frame)
    full, rest = divmod(sum(lengths), rows * inner)
    wanted = [part * rows * inner for part in block_split(full, len(partition_lengths(sum(lengths))))]
    wanted[-1] += rest
    frame, value = cut(array._frame, array._value, wanted)
    node = AlongAxis(Project(frame, (0,), (value,)), name, rows, inner, ())
    return wrap(node, node.result)


def _positions_of_parts(name: str, array: Any, inner: int) -> Any:
    """Return the first positions of extremes along the first dimension, by those of its parts."""
    base, rows = array.flatten(), tuning.AXIS_PART // inner
    extremes, positions = (along_parts(function, base, rows, inner) for function in (name.removeprefix("arg"), name))
    part = along_axis(name, reshaped(extremes, (1, -1, inner)), 1).flatten()
    return part * rows + positions[part * inner + arange(inner)]


def in_blocks(frame: Frame, value: Value, block: int) -> tuple[Frame, Value]:
    """Return rows in partitions of whole blocks of rows; counts rows of unknown number."""
    lengths = known_lengths(frame)
    if all(length % block == 0 for length in lengths):
        return frame, value
    count = len(partition_lengths(sum(lengths)))
    return cut(frame, value, [part * block for part in block_split(sum(lengths) // block, count)])


def cut(frame: Frame, value: Value, wanted: Sequence[int]) -> tuple[Frame, Value]:
    """Return the same rows in partitions of given lengths; counts rows of unknown number."""
    lengths = known_lengths(frame)
    if lengths == tuple(wanted):
        return frame, value
    realigned = Realign(Project(frame, (0,), (value,)), lengths, tuple(wanted))
    return realigned, realigned.column(0)


def _without(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


def _along_nothing(name: str, array: Any, shape: Shape, axis: int, keepdims: bool) -> Any:
    """Return a function of an array without elements; an empty reduction gives 1 or True."""
    dtype = AXIS_FUNCTIONS[name].result_type(array._value.dtype)
    flat = wrap(counted(math.prod(shape)), cast_value(Constant(True), dtype))
    found = array._like(flat._frame, flat._value) if AXIS_FUNCTIONS[name].chooses else flat
    return shaped(found, shape if keepdims else _without(shape, axis))


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
        return reshaped(_of_no_elements(base, name, math.prod(left)), left)
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
    rows = tuning.AXIS_PART // behind
    if length * behind <= (tuning.AXIS_ELEMENTS if before > 1 or rows < 2 or name not in PARTS else tuning.AXIS_PART):
        return along_axis(name, reshaped(base, shape), 1, **params).flatten()
    if before > 1 or rows < 2 or name not in PARTS:
        return None
    if name == "mean":
        total = _total(base, shape)
        return None if total is None else total / length
    if name in ("var", "std"):
        found = _variance(cast(base, np.float64), rows, behind, length, **params)
        return found if name == "var" else elementwise("sqrt", found)
    return _of_blocks(along_parts(name, base, rows, behind), shape, name, params)


def _variance(base: pdarray, rows: int, behind: int, length: int, ddof: float = 0) -> Any:
    """Return variances of floats by parts of some rows: from the squares within, and from the means of parts."""
    means, squares = (along_parts(name, base, rows, behind) for name in ("mean", "squares"))
    parts = -(-length // rows)
    counts = np.full(parts, rows, np.float64)
    counts[-1] = length - (parts - 1) * rows
    sizes = make_array(np.repeat(counts, behind))
    shape = (1, parts, behind)
    mean = along_axis("sum", reshaped(means * sizes, shape), 1) / length
    apart = (reshaped(means, shape) - mean).flatten()
    found = along_axis("sum", reshaped(squares + apart * apart * sizes, shape), 1).flatten()
    return found / float(max(length - ddof, 0))


def _total(base: pdarray, shape: tuple[int, int, int]) -> Any:
    """Return the floats nearest to sums; sums of integers may wrap, sums of their halves do not."""
    if lacks_numbers(base._value.dtype):
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
    from akdask.arrays.groupby import GroupBy

    return GroupBy(key).reduce_column(name, base, skipna=False, **params)


def _of_no_elements(base: pdarray, name: str, count: int) -> Any:
    """Return the reduction of no elements, repeated `count` times."""
    identity = REDUCTIONS[name].identity
    if identity is None and count:
        raise ArgumentError(f"{name} of no elements: a dimension that is reduced has length 0.")
    return cast(full(count, identity or 0), getattr(base, name)().dtype)
