"""Dimensions in another order, reversed, added and dropped; lazy, and without a copy until elements are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.shaped.along_axis import checked_axis
from akdask.collections.arrays.shaped.layout import Layout
from akdask.collections.arrays.shaped.ndarray import as_array, rearranged, reshaped
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentError, ArgumentTypeError


def checked_axes(name: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """Return one or several dimensions counted from the first.

    Raises
    ------
    ArgumentError
        If a dimension comes twice.
    AxisError
        If the array has no such dimension.
    """
    given = axes if isinstance(axes, Sequence | np.ndarray) else (axes,)
    numbers = tuple(checked_axis(name, axis, ndim) for axis in given)
    if len(set(numbers)) < len(numbers):
        raise ArgumentError(f"{name}(axis={axes}): a dimension comes twice.")
    return numbers


def shape(a: Any) -> tuple[int, ...]:
    """Return the length of each dimension of an array, of a scalar none.

    Counts rows of unknown number.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.shape(ak.zeros((2, 3))), ak.shape(7)
    ((2, 3), ())
    """
    found: tuple[int, ...] = a.shape if hasattr(a, "shape") else np.shape(a)
    return tuple(found)


def transpose(pda: Any, axes: Sequence[int] | None = None) -> Any:
    """Return an array with its dimensions in another order; lazy.

    Parameters
    ----------
    pda : pdarray
        The array.
    axes : sequence of int, optional
        Which dimension of `pda` each of the result is; the reverse order unless given.

    Returns
    -------
    pdarray

    Raises
    ------
    ArgumentError
        If not every dimension is there once.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.transpose(ak.arange(6).reshape(2, 3)).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    array = as_array(pda)
    order = tuple(range(array.ndim))[::-1] if axes is None else checked_axes("transpose", axes, array.ndim)
    if len(order) != array.ndim:
        raise ArgumentError(f"transpose: {len(order)} axes for an array of {array.ndim} dimensions.")
    return rearranged(array, Layout.of(array.shape).permuted(order))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Return an array with some dimensions moved to other places, the others in their order; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    source, destination : int or sequence of int
        The dimensions that are moved, and where to; of as many entries.

    Raises
    ------
    ArgumentError
        If there are not as many of both.

    Examples
    --------
    >>> import akdask as ak
    >>> moveaxis(ak.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array(x)
    given = checked_axes("moveaxis", source, array.ndim)
    wanted = checked_axes("moveaxis", destination, array.ndim)
    if len(given) != len(wanted):
        raise ArgumentError(f"moveaxis: {len(given)} dimensions for {len(wanted)} places.")
    order = [number for number in range(array.ndim) if number not in given]
    for position, number in sorted(zip(wanted, given, strict=True)):
        order.insert(position, number)
    return transpose(array, order)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Return an array with two dimensions exchanged; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> swapaxes(ak.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = as_array(x)
    first, second = (checked_axis("swapaxes", axis, array.ndim) for axis in (axis1, axis2))
    order = list(range(array.ndim))
    order[first], order[second] = second, first
    return transpose(array, order)


def flip(x: Any, /, *, axis: int | Sequence[int] | None = None) -> Any:
    """Return an array with its elements in reverse order along some dimensions; lazy.

    Parameters
    ----------
    x : pdarray, Strings or Categorical
        The array.
    axis : int or sequence of int, optional
        The dimensions, all unless given.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.flip(ak.arange(4)).tolist(), ak.flip(ak.arange(4).reshape(2, 2), axis=1).tolist()
    ([3, 2, 1, 0], [[1, 0], [3, 2]])
    """
    array = as_array(x)
    axes = range(array.ndim) if axis is None else checked_axes("flip", axis, array.ndim)
    layout = Layout.of(array.shape)
    for number in axes:
        layout = layout.along(number, slice(None, None, -1))
    return rearranged(array, layout)


def squeeze(x: Any, /, axis: int | Sequence[int] | None = None) -> Any:
    """Return an array without dimensions of length 1; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    axis : int or sequence of int, optional
        The dimensions that go, all of length 1 unless given.

    Raises
    ------
    ArgumentError
        If one of them has another length.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.squeeze(ak.zeros((1, 3, 1))).shape
    (3,)
    """
    array = as_array(x)
    lengths = array.shape
    chosen = [number for number, length in enumerate(lengths) if length == 1]
    axes = chosen if axis is None else checked_axes("squeeze", axis, array.ndim)
    if any(lengths[number] != 1 for number in axes):
        raise ArgumentError(f"squeeze(axis={axis}): only dimensions of length 1 can go.", details=[f"shape: {lengths}"])
    return reshaped(array.flatten(), [length for number, length in enumerate(lengths) if number not in axes])


def expand_dims(x: Any, axis: int | Sequence[int]) -> Any:
    """Return an array with further dimensions of length 1; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    axis : int or sequence of int
        Where the new dimensions are in the result.

    Examples
    --------
    >>> import akdask as ak
    >>> expand_dims(ak.arange(3), 0).shape, expand_dims(ak.arange(3), -1).shape
    ((1, 3), (3, 1))
    """
    array = as_array(x)
    count = len(axis) if isinstance(axis, Sequence | np.ndarray) else 1
    axes = checked_axes("expand_dims", axis, array.ndim + count)
    lengths = iter(array.shape)
    return reshaped(array.flatten(), [1 if number in axes else next(lengths) for number in range(array.ndim + count)])


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return an array with its elements moved along some dimensions, those beyond the end to the start; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    shift : int or sequence of int
        By how many places, for each dimension.
    axis : int or sequence of int, optional
        The dimensions; all elements are moved in row-major order unless given.

    Raises
    ------
    ArgumentError
        If there are not as many shifts as dimensions.
    ArgumentTypeError
        If a shift is not whole.

    Examples
    --------
    >>> import akdask as ak
    >>> roll(ak.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    array = as_array(x)
    if axis is None:
        return reshaped(roll(array.flatten(), shift, 0), array.shape)
    shifts = tuple(shift) if isinstance(shift, Sequence) else (shift,)
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} dimensions.")
    for one, number in np.broadcast(np.asarray(shifts, object), np.asarray(axes, object)):
        array = _rolled(array, one, checked_axis("roll", number, array.ndim))
    return array


def _rolled(array: Any, shift: Any, axis: int) -> Any:
    length = array.shape[axis]
    try:
        start = -index(shift) % length if length else 0
    except TypeError:
        raise ArgumentTypeError(f"roll moves by whole numbers, not by {shift!r}.") from None
    if not start:
        return array
    layout = Layout.of(array.shape)
    parts = [rearranged(array, layout.along(axis, part)) for part in (slice(start, None), slice(start))]
    return concatenate(parts, axis=axis)
