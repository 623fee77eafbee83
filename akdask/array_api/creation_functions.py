"""Arrays made of data at hand or by a rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.array_api.array_object import StandardArray, check_device, plain_array
from akdask.collections.arrays import creation
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.shaped.ndarray import as_array, shaped
from akdask.collections.core.scalar import Scalar, value_of
from akdask.collections.functions.shapes import broadcast, matrices
from akdask.errors import ArgumentError


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> StandardArray:
    """Return numbers, nested lists, arrays of NumPy or akdask, or what speaks DLPack, as an array.

    Parameters
    ----------
    obj : object
        The elements.
    dtype : dtype-like, optional
        Type to convert to; narrower ones than 64 bits widen.
    device : str, optional
        ``cpu``.
    copy : bool, optional
        Arrays are never changed by what is done to others, so that it does not matter.

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
    """Return data at hand for NumPy, which finds arrays among lists by itself."""
    if hasattr(item, "__array__") or not hasattr(item, "__dlpack__"):
        return item
    return np.from_dlpack(item)


def from_dlpack(x: Any, /) -> StandardArray:
    """Return the elements of an array of any library that speaks DLPack.

    Examples
    --------
    >>> import numpy as np
    >>> from_dlpack(np.arange(3)).tolist()
    [0, 1, 2]
    """
    return asarray(np.from_dlpack(x))


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> StandardArray:
    """Return evenly spaced numbers: up to `start` if that is all; takes no memory.

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
    """Return `num` evenly spaced numbers from `start` to `stop`, as float64 unless told otherwise.

    Examples
    --------
    >>> linspace(0, 1, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    check_device(device)
    return StandardArray(creation.linspace(start, stop, num, endpoint, np.float64 if dtype is None else dtype))


def full(shape: int | Sequence[int], fill_value: Any, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return an array of one value, of the value's type unless told otherwise; takes no memory.

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
    flat = creation.full(math.prod(lengths), value_of(fill_value), dtype)
    return StandardArray(shaped(flat, lengths))


def zeros(shape: int | Sequence[int], /, *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros, float64 unless told otherwise; takes no memory."""
    return full(shape, 0, dtype=np.float64 if dtype is None else dtype, device=device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return ones, float64 unless told otherwise; takes no memory."""
    return full(shape, 1, dtype=np.float64 if dtype is None else dtype, device=device)


def empty(shape: int | Sequence[int], *, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return zeros: an array that is not computed has nothing else to hold."""
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
    return [StandardArray(item) for item in broadcast.meshgrid(*map(plain_array, arrays), indexing=indexing)]


def tril(x: StandardArray, /, *, k: int = 0) -> StandardArray:
    """Return the elements of matrices on diagonal `k` and below, and 0 above it; lazy."""
    return StandardArray(matrices.tril(x._array, k))


def triu(x: StandardArray, /, *, k: int = 0) -> StandardArray:
    """Return the elements of matrices on diagonal `k` and above, and 0 below it; lazy."""
    return StandardArray(matrices.triu(x._array, k))
