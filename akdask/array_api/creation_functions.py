"""Create arrays from data in memory or by a rule, convert their types, and change their shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.array_api.array_object import StandardArray, check_device, plain_array
from akdask.arrays import creation, matrices, shapes
from akdask.arrays.ndarray import as_array, reshaped, shaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import Scalar, value_of
from akdask.errors import ArgumentError, ArgumentTypeError


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> StandardArray:
    """Return numbers, nested lists, arrays of NumPy or akdask, or objects with DLPack, as an array.

    Parameters
    ----------
    obj : object
        The elements.
    dtype : dtype-like, optional
        Type to convert to; narrower ones than 64 bits widen.
    device : str, optional
        ``cpu``.
    copy : bool, optional
        Ignored: arrays are never changed through other arrays.

    Raises
    ------
    ArgumentError
        If no column can hold the elements.

    Examples
    --------
    >>> asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    check_device(device)
    array = plain_array(obj)
    if isinstance(array, Scalar):
        array = plain_array(StandardArray(array))
    elif not isinstance(array, pdarray):
        items = np.asarray(_at_hand(array))
        array = plain_array(full((), items[()])) if not items.ndim else as_array(items)
    return StandardArray(array.copy() if dtype is None else array.astype(dtype))


def _at_hand(item: Any) -> Any:
    """Return data in memory for NumPy, which finds arrays among lists by itself."""
    if hasattr(item, "__array__") or not hasattr(item, "__dlpack__"):
        return item
    return np.from_dlpack(item)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> StandardArray:
    """Return the elements of an array of any library that speaks DLPack.

    Examples
    --------
    >>> from_dlpack(np.arange(3)).tolist()
    [0, 1, 2]
    """
    return asarray(np.from_dlpack(x), device=device, copy=copy)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> StandardArray:
    """Return evenly spaced numbers, from 0 to `start` if that is all; takes no memory.

    Examples
    --------
    >>> arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    check_device(device)
    first, last = (0, start) if stop is None else (start, stop)
    return StandardArray(creation.arange(first, last, step, dtype=dtype))


def linspace(
    start: float, stop: float, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> StandardArray:
    """Return `num` evenly spaced numbers from `start` to `stop`, float64 by default.

    Examples
    --------
    >>> linspace(0, 1, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    check_device(device)
    made = creation.linspace(start, stop, num, endpoint)
    if dtype is None or np.dtype(dtype) == np.float64:
        return StandardArray(made)
    return StandardArray((np.floor(made) if np.dtype(dtype).kind in "iu" else made).astype(dtype))


def full(shape: int | Sequence[int], fill_value: Any, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return an array of one value, by default of the value's type; takes no memory.

    Raises
    ------
    ArgumentError
        If a length is below 0.

    Examples
    --------
    >>> full((2, 2), 7).tolist(), full((), True).item()
    ([[7, 7], [7, 7]], True)
    """
    check_device(device)
    lengths = tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
    if min(lengths, default=0) < 0:
        raise ArgumentError(f"a shape is made of lengths from 0, not {lengths}.")
    flat = creation.filled(math.prod(lengths), value_of(fill_value), dtype)
    return StandardArray(shaped(flat, lengths))


def zeros(shape: int | Sequence[int], *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros, float64 by default; takes no memory."""
    return full(shape, 0, dtype=np.float64 if dtype is None else dtype, device=device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return ones, float64 by default; takes no memory."""
    return full(shape, 1, dtype=np.float64 if dtype is None else dtype, device=device)


def empty(shape: int | Sequence[int], *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros, since lazy arrays have no uninitialized memory."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: StandardArray, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return one value in the shape and type of an array.

    Examples
    --------
    >>> full_like(asarray([1, 2]), 5).tolist()
    [5, 5]
    """
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: StandardArray, /, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros in the shape and type of an array."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: StandardArray, /, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return ones in the shape and type of an array."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: StandardArray, /, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros in the shape and type of an array; see `empty`."""
    return zeros_like(x, dtype=dtype, device=device)


def eye(N: int, M: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return a matrix with ones on diagonal `k` and zeros elsewhere; takes no memory.

    Examples
    --------
    >>> eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    check_device(device)
    return StandardArray(matrices.eye(N, N if M is None else M, k, np.float64 if dtype is None else dtype))


def meshgrid(*arrays: StandardArray, indexing: str = "xy") -> list[StandardArray]:
    """Return for each array its elements at all points of the grid that they span; lazy.

    Examples
    --------
    >>> [item.tolist() for item in meshgrid(asarray([1, 2]), asarray([3]))]
    [[[1, 2]], [[3, 3]]]
    """
    return [StandardArray(item) for item in shapes.meshgrid(*map(plain_array, arrays), indexing=indexing)]


def tril(x: StandardArray, /, *, k: int = 0) -> StandardArray:
    """Return the elements of matrices on diagonal `k` and below, and 0 above it; lazy."""
    return StandardArray(matrices.tril(x._array, k))


def triu(x: StandardArray, /, *, k: int = 0) -> StandardArray:
    """Return the elements of matrices on diagonal `k` and above, and 0 below it; lazy."""
    return StandardArray(matrices.triu(x._array, k))


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The words of the standard for kinds of types, and NumPy's letters for them."""


def astype(x: StandardArray, dtype: Any, /, *, copy: bool = True, device: Any = None) -> StandardArray:
    """Return the elements converted to another type; lazy.

    Examples
    --------
    >>> xp.astype(xp.asarray([1.7, 0.0]), xp.int64).tolist()
    [1, 0]
    """
    check_device(device)
    return StandardArray(x._array.astype(dtype))


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a type, or that of an array, converts to another without loss.

    Examples
    --------
    >>> can_cast("int64", "float64"), can_cast("float64", "int64")
    (True, False)
    """
    return bool(np.can_cast(from_.dtype if isinstance(from_, StandardArray) else from_, to))


def finfo(type: Any, /) -> Any:
    """Return the limits of a type of floats, or of an array's type, as in NumPy."""
    return np.finfo(type.dtype if isinstance(type, StandardArray) else type)


def iinfo(type: Any, /) -> Any:
    """Return the limits of a type of integers, or of an array's type, as in NumPy."""
    return np.iinfo(type.dtype if isinstance(type, StandardArray) else type)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind, or of one of several.

    Parameters
    ----------
    dtype : dtype-like
        The type.
    kind : str, dtype-like, or tuple of them
        A word of the standard such as ``integral``, or another type.

    Raises
    ------
    ArgumentError
        If there is no such kind.

    Examples
    --------
    >>> isdtype("int64", "integral"), isdtype("int64", ("bool", "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return bool(np.dtype(dtype) == np.dtype(kind))
    if kind not in KINDS:
        raise ArgumentError(f"{kind!r} is no kind of types.", hint=f"kinds are {', '.join(KINDS)}.")
    return np.dtype(dtype).kind in KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the type that arrays, types and numbers have in common.

    Examples
    --------
    >>> result_type("int64", "float64")
    dtype('float64')
    """
    if not arrays_and_dtypes:
        raise ArgumentTypeError("result_type needs an array or a type.")
    return np.result_type(*(item.dtype if isinstance(item, StandardArray) else item for item in arrays_and_dtypes))


def broadcast_arrays(*arrays: StandardArray) -> list[StandardArray]:
    """Return arrays in the one shape that they broadcast to."""
    return [StandardArray(item) for item in shapes.broadcast_arrays(*map(plain_array, arrays))]


def broadcast_to(x: StandardArray, /, shape: Sequence[int]) -> StandardArray:
    """Return an array with its elements repeated to fill a shape."""
    return StandardArray(shapes.broadcast_to(x._array, shape))


def concat(arrays: Sequence[StandardArray], /, *, axis: int | None = 0) -> StandardArray:
    """Return arrays joined along a dimension, flat ones if it is None.

    Examples
    --------
    >>> xp.concat([xp.asarray([[1], [2]]), xp.asarray([[3], [4]])], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    items = [plain_array(item) for item in arrays]
    if axis is None:
        items = [item if item.ndim == 1 else item.flatten() for item in items]
    return StandardArray(shapes.chained(items, axis=0 if axis is None else axis))


def stack(arrays: Sequence[StandardArray], /, *, axis: int = 0) -> StandardArray:
    """Return arrays of one shape joined along a new dimension."""
    return StandardArray(shapes.stack([plain_array(item) for item in arrays], axis))


def unstack(x: StandardArray, /, *, axis: int = 0) -> tuple[StandardArray, ...]:
    """Return the arrays at all positions along a dimension."""
    return tuple(StandardArray(item) for item in shapes.unstack(x._array, axis))


def expand_dims(x: StandardArray, /, axis: Any = 0) -> StandardArray:
    """Return an array with further dimensions of length 1, where they are in the result."""
    return StandardArray(shapes.expand_dims(x._array, axis))


def squeeze(x: StandardArray, /, axis: Any) -> StandardArray:
    """Return an array without some dimensions, which have the length 1."""
    return StandardArray(shapes.squeeze(x._array, axis))


def flip(x: StandardArray, /, *, axis: Any = None) -> StandardArray:
    """Return an array with its elements in reverse order along some dimensions, all by default."""
    return StandardArray(shapes.flip(x._array, axis=axis))


def moveaxis(x: StandardArray, source: Any, destination: Any, /) -> StandardArray:
    """Return an array with some dimensions moved to other places, the others in their order."""
    return StandardArray(shapes.moveaxis(x._array, source, destination))


def permute_dims(x: StandardArray, /, axes: Sequence[int]) -> StandardArray:
    """Return an array with its dimensions in another order.

    Examples
    --------
    >>> xp.permute_dims(xp.asarray([[1, 2], [3, 4]]), (1, 0)).tolist()
    [[1, 3], [2, 4]]
    """
    return StandardArray(shapes.transpose(x._array, axes))


def repeat(x: StandardArray, repeats: Any, /, *, axis: int | None = None) -> StandardArray:
    """Return an array with each element repeated, of the flat array unless a dimension is given."""
    return StandardArray(shapes.repeat(x._array, plain_array(repeats), axis))


def reshape(x: StandardArray, /, shape: Any, *, copy: bool | None = None) -> StandardArray:
    """Return the elements in another shape, in row-major order.

    Examples
    --------
    >>> xp.reshape(xp.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    return StandardArray(reshaped(x._array.flatten(), shape))


def roll(x: StandardArray, /, shift: Any, *, axis: Any = None) -> StandardArray:
    """Return an array with its elements moved along some dimensions; elements beyond the end go to the start."""
    return StandardArray(shapes.roll(x._array, shift, axis))


def tile(x: StandardArray, repetitions: Any, /) -> StandardArray:
    """Return an array that is repeated as a whole along dimensions."""
    return StandardArray(shapes.tile(x._array, repetitions))
