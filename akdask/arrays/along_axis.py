"""Sorts and scans along one dimension of an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from akdask.arrays.array import wrap
from akdask.arrays.ndarray import rearranged, shaped
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.strided_layout import Layout, Shape
from akdask.engine.alignment import Realign
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import block_split, counted, partition_lengths
from akdask.engine.values import Constant, Value, cast
from akdask.errors import ArgumentTypeError, AxisError
from akdask.operators.reduce.along_axis import AXIS_FUNCTIONS, AlongAxis

LONGEST = 2**22
"""Elements that one task reduces at once; of more, parts are reduced first, whatever the partitions."""

PART = 2**18
"""Elements of the parts that are reduced first of what can be reduced so."""

LONGEST_SORTED = 2**20
"""Elements that one task puts in order or adds up along a dimension that is not the last."""


def checked_axis(name: str, axis: Any, ndim: int) -> int:
    """Return a dimension counted from the first.

    Raises
    ------
    ArgumentTypeError
        If it is no whole number.
    AxisError
        If the array has no such dimension.
    """
    try:
        number = index(axis)
    except TypeError:
        raise ArgumentTypeError(f"{name}(axis={axis!r}): dimensions are named by whole numbers.") from None
    if not -ndim <= number < ndim:
        raise AxisError(f"{name}(axis={axis}): the array has {ndim} dimensions.")
    return number % ndim


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
    result_shape = (*shape[:axis], 1, *shape[axis + 1 :]) if function.reduces else shape
    if not array.size:
        return _of_nothing(name, array, result_shape, axis, keepdims)
    count = len(partition_lengths(array.size))
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    if outer < count and inner > 1 and shape[axis] * inner > (LONGEST if function.reduces else LONGEST_SORTED):
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


def _of_nothing(name: str, array: Any, shape: Shape, axis: int, keepdims: bool) -> Any:
    """Return a function of an array without elements; an empty reduction gives 1 or True."""
    dtype = AXIS_FUNCTIONS[name].result_type(array._value.dtype)
    flat = wrap(counted(math.prod(shape)), cast(Constant(True), dtype))
    found = array._like(flat._frame, flat._value) if AXIS_FUNCTIONS[name].chooses else flat
    return shaped(found, shape if keepdims else _without(shape, axis))
