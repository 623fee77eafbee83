"""Arrays of several shapes brought to one, by NumPy's rules of broadcasting; lazy."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange
from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.shaped.layout import Layout
from akdask.collections.arrays.shaped.ndarray import as_array, rearranged, reshaped, spread
from akdask.collections.core.later import provides
from akdask.collections.functions.shapes.dimensions import moveaxis, swapaxes
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError


def broadcast_to(x: Any, shape: Any) -> Any:
    """Return an array with its elements repeated to fill a shape; lazy.

    Parameters
    ----------
    x : pdarray or number
        The elements.
    shape : int or sequence of int
        Its last dimensions have the lengths of those of `x`, where these are not 1.

    Raises
    ------
    AlignmentError
        If a dimension has another length.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.broadcast_to(ak.arange(2), (2, 2)).tolist()
    [[0, 1], [0, 1]]
    """
    lengths = tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
    return spread(as_array(x), lengths)


def broadcast_arrays(*arrays: Any) -> list[Any]:
    """Return arrays in the one shape that they broadcast to; lazy.

    Raises
    ------
    AlignmentError
        If there is none.

    Examples
    --------
    >>> import akdask as ak
    >>> [item.shape for item in ak.broadcast_arrays(ak.arange(3), ak.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    items = [as_array(item) for item in arrays]
    shape = broadcast_shapes(*(item.shape for item in items))
    return [spread(item, shape) for item in items]


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Return the shape that arrays of some shapes broadcast to.

    Raises
    ------
    AlignmentError
        If there is none.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise AlignmentError(
            "the shapes do not broadcast to one.",
            details=[f"shapes: {', '.join(map(str, shapes))}"],
            hint="dimensions, from the last on, have the same length or the length 1.",
        ) from None


def broadcast_dims(sa: Sequence[int], sb: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that arrays of two shapes broadcast to; see `broadcast_shapes`.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.broadcast_dims((5, 1), (1, 3))
    (5, 3)
    """
    return broadcast_shapes(tuple(sa), tuple(sb))


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    """Return for each array its elements at all points of the grid that they span; lazy.

    Parameters
    ----------
    *arrays : pdarray
        Of one dimension each.
    indexing : {"xy", "ij"}
        Whether the first two dimensions of the grid are exchanged, or those of the arrays in their order.

    Raises
    ------
    ArgumentError
        If `indexing` is neither, or an array has several dimensions.

    Examples
    --------
    >>> import akdask as ak
    >>> [item.tolist() for item in meshgrid(ak.arange(2), ak.arange(2))]
    [[[0, 1], [0, 1]], [[0, 0], [1, 1]]]
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing={indexing!r} is neither 'xy' nor 'ij'.")
    items = [as_array(item) for item in arrays]
    if any(item.ndim > 1 for item in items):
        raise ArgumentError("meshgrid takes arrays of one dimension.")
    items = [reshaped(item.flatten(), -1) for item in items]
    shape = tuple(item.size for item in items)
    found = []
    for axis, item in enumerate(items):
        steps = tuple(int(number == axis) for number in range(len(shape)))
        grid = rearranged(item, Layout(shape, steps))
        found.append(swapaxes(grid, 0, 1) if indexing == "xy" and len(shape) > 1 else grid)
    return found


def promote_to_common_dtype(arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the type that arrays have in common, and the arrays in it; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray
        Of numbers.

    Raises
    ------
    ArgumentTypeError
        If they are no lazy arrays of numbers.

    Examples
    --------
    >>> import akdask as ak
    >>> dtype, arrays = ak.promote_to_common_dtype([ak.arange(2), ak.zeros(2)])
    >>> dtype, arrays[0].tolist()
    (dtype('float64'), [0.0, 1.0])
    """
    items = list(arrays)
    if any(not hasattr(item, "astype") or getattr(item, "dtype", None) is None for item in items):
        raise ArgumentTypeError("promote_to_common_dtype takes lazy arrays of numbers.")
    common = np.result_type(*(item.dtype for item in items))
    return common, [item.astype(common) for item in items]


@provides("spaced between arrays")
def spaced_between(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> Any:
    """Return `num` numbers between each two elements, as float64 along a new dimension; lazy.

    Parameters
    ----------
    start, stop : pdarray or number
        The first numbers, and the last ones or what would follow them; their shapes broadcast.
    num : int
        How many.
    endpoint : bool
        Whether `stop` are the last.
    axis : int
        Where the new dimension is in the result.
    """
    span = (stop - start) * 1.0
    steps = arange(num).reshape(num, *[1] * span.ndim)
    found = start + steps * (span / max(num - endpoint, 1))
    if endpoint and num > 1:
        # The last number is what was asked for, whatever rounding made of it.
        found = where(steps == num - 1, stop + span * 0.0, found)
    return moveaxis(found, 0, axis)
