"""Arrays put together along dimensions, and taken apart; all lazy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.collections.arrays.creation import array as make_array
from akdask.collections.arrays.creation import full
from akdask.collections.arrays.shaped.along_axis import checked_axis
from akdask.collections.arrays.shaped.layout import Layout
from akdask.collections.arrays.shaped.ndarray import as_array, rearranged, reshaped
from akdask.collections.core.later import provides
from akdask.collections.functions.shapes.dimensions import expand_dims
from akdask.collections.text.concatenation import concatenate
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError

Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> Any:
    """Join arrays along the second dimension, those of one along the first; lazy.

    Parameters
    ----------
    tup : sequence of pdarray
        What to join; all but the length along that dimension agrees.
    dtype : dtype-like, optional
        The type of the result.
    casting : str
        Which conversions to `dtype` are allowed, by the words of ``numpy.can_cast``.

    Raises
    ------
    ArgumentError
        If there are no arrays, or their shapes do not fit.
    ArgumentTypeError
        If the conversion is not allowed.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.hstack([ak.arange(2), ak.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    arrays = [reshaped(item.flatten(), -1) if item.ndim == 0 else item for item in _several("hstack", tup)]
    return concatenate(_typed("hstack", arrays, dtype, casting), axis=0 if arrays[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> Any:
    """Join arrays along the first dimension, of one dimension as rows; lazy.  See `hstack`.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.vstack([ak.arange(2), ak.arange(2, 4)]).tolist()
    [[0, 1], [2, 3]]
    """
    arrays = [reshaped(item.flatten(), 1, -1) if item.ndim < 2 else item for item in _several("vstack", tup)]
    return concatenate(_typed("vstack", arrays, dtype, casting), axis=0)


@provides("stack")
def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new dimension; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray
        What to join.
    axis : int, default 0
        Where the new dimension is in the result.

    Raises
    ------
    ArgumentError
        If there are no arrays, or they have several shapes.

    Examples
    --------
    >>> import akdask as ak
    >>> stack([ak.arange(2), ak.arange(2, 4)], axis=1).tolist()
    [[0, 2], [1, 3]]
    """
    items = _several("stack", arrays)
    if len({item.shape for item in items}) > 1:
        raise ArgumentError("stack needs arrays of one shape.", details=[f"shapes: {[item.shape for item in items]}"])
    return concatenate(_typed("stack", [expand_dims(item, axis) for item in items], None, "safe"), axis=axis)


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Return the arrays at all positions along a dimension; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> [part.tolist() for part in unstack(ak.arange(4).reshape(2, 2), axis=1)]
    [[0, 2], [1, 3]]
    """
    array = as_array(x)
    number, layout = checked_axis("unstack", axis, array.ndim), Layout.of(array.shape)
    return tuple(rearranged(array, layout.at(number, position)) for position in range(array.shape[number]))


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return an array with values after its end; lazy.

    Parameters
    ----------
    arr, values : pdarray, or Strings and Categorical of one dimension
        What is put together.
    axis : int, optional
        The dimension along which they are joined; both are flat before unless it is given.

    Raises
    ------
    ArgumentError
        If the shapes do not fit.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.append(ak.arange(2), ak.array([[5], [6]])).tolist()
    [0, 1, 5, 6]
    """
    items = _several("append", [arr, values])
    if axis is None:
        items = [item.flatten() if item.ndim != 1 else item for item in items]
    elif items[0].ndim != items[1].ndim:
        raise ArgumentError(f"append(axis={axis}): arrays of {items[0].ndim} and {items[1].ndim} dimensions.")
    return concatenate(_typed("append", items, None, "safe"), axis=0 if axis is None else axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return an array without what is at some positions; lazy, but for counting what is left of several dimensions.

    Parameters
    ----------
    arr : pdarray, or Strings and Categorical of one dimension
        The elements.
    obj : int, slice, or array of int or bool
        Positions along the dimension.
    axis : int, optional
        The dimension; the array is flat before unless it is given.

    Raises
    ------
    PositionError
        If a position is not there.
    AlignmentError
        If a mask has another length than the dimension.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.delete(ak.arange(5), [0, 2]).tolist(), ak.delete(ak.arange(4).reshape(2, 2), 0, axis=1).tolist()
    ([1, 3, 4], [[1], [3]])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = (array if array.ndim == 1 else array.flatten()), 0
    number = checked_axis("delete", axis, array.ndim)
    length = array.shape[number]
    stays = full(length, True)
    chosen = make_array(obj) if isinstance(obj, list | tuple | np.ndarray) and np.ndim(obj) and len(obj) else obj
    if getattr(chosen, "dtype", None) == np.bool_ and np.ndim(chosen) and chosen.size != length:
        raise AlignmentError(f"a mask of {chosen.size} rows chooses of no dimension of {length}.")
    if not np.ndim(chosen) or len(chosen):
        stays[chosen] = False
    return array[stays] if array.ndim == 1 else array[(slice(None),) * number + (stays,)]


def _several(name: str, arrays: Any) -> list[Any]:
    if not isinstance(arrays, Sequence) or isinstance(arrays, str):
        raise ArgumentTypeError(f"{name} takes a list or tuple of arrays, not a {type(arrays).__name__}.")
    items = [as_array(item) for item in arrays]
    if not items:
        raise ArgumentError(f"{name} needs at least one array.")
    return items


def _typed(name: str, arrays: list[Any], dtype: Any, casting: Casting) -> list[Any]:
    """Return arrays of numbers in one type, that which is asked for or which they have in common."""
    if dtype is None:
        return arrays
    for array in arrays:
        if not np.can_cast(array.dtype, np.dtype(dtype), casting):
            raise ArgumentTypeError(f"{name}: {array.dtype} does not become {dtype} by casting={casting!r}.")
    return [array.astype(dtype) for array in arrays]
