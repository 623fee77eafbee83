"""Arrays in another shape, in another order, repeated, put together and taken apart; all lazy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.array_api.array_object import StandardArray, plain_array
from akdask.collections.arrays.shaped.ndarray import reshaped
from akdask.collections.functions.shapes import broadcast, dimensions, joining, repetition
from akdask.collections.text import concatenation


def broadcast_arrays(*arrays: StandardArray) -> list[StandardArray]:
    """Return arrays in the one shape that they broadcast to."""
    return [StandardArray(item) for item in broadcast.broadcast_arrays(*map(plain_array, arrays))]


def broadcast_to(x: StandardArray, /, shape: Sequence[int]) -> StandardArray:
    """Return an array with its elements repeated to fill a shape."""
    return StandardArray(broadcast.broadcast_to(x._array, shape))


def concat(arrays: Sequence[StandardArray], /, *, axis: int | None = 0) -> StandardArray:
    """Return arrays joined along a dimension, flat ones if it is None.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.concat([xp.asarray([[1], [2]]), xp.asarray([[3], [4]])], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    items = [plain_array(item) for item in arrays]
    if axis is None:
        items = [item if item.ndim == 1 else item.flatten() for item in items]
    return StandardArray(concatenation.concatenate(items, axis=0 if axis is None else axis))


def stack(arrays: Sequence[StandardArray], /, *, axis: int = 0) -> StandardArray:
    """Return arrays of one shape joined along a new dimension."""
    return StandardArray(joining.stack([plain_array(item) for item in arrays], axis))


def unstack(x: StandardArray, /, *, axis: int = 0) -> tuple[StandardArray, ...]:
    """Return the arrays at all positions along a dimension."""
    return tuple(StandardArray(item) for item in joining.unstack(x._array, axis))


def expand_dims(x: StandardArray, /, *, axis: Any) -> StandardArray:
    """Return an array with further dimensions of length 1, where they are in the result."""
    return StandardArray(dimensions.expand_dims(x._array, axis))


def squeeze(x: StandardArray, /, axis: Any) -> StandardArray:
    """Return an array without some dimensions, which have the length 1."""
    return StandardArray(dimensions.squeeze(x._array, axis))


def flip(x: StandardArray, /, *, axis: Any = None) -> StandardArray:
    """Return an array with its elements in reverse order along some dimensions, all unless given."""
    return StandardArray(dimensions.flip(x._array, axis=axis))


def moveaxis(x: StandardArray, source: Any, destination: Any, /) -> StandardArray:
    """Return an array with some dimensions moved to other places, the others in their order."""
    return StandardArray(dimensions.moveaxis(x._array, source, destination))


def permute_dims(x: StandardArray, /, axes: Sequence[int]) -> StandardArray:
    """Return an array with its dimensions in another order.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.permute_dims(xp.asarray([[1, 2], [3, 4]]), (1, 0)).tolist()
    [[1, 3], [2, 4]]
    """
    return StandardArray(dimensions.transpose(x._array, axes))


def repeat(x: StandardArray, repeats: Any, /, *, axis: int | None = None) -> StandardArray:
    """Return an array with each element repeated, of the flat array unless a dimension is given."""
    return StandardArray(repetition.repeat(x._array, plain_array(repeats), axis))


def reshape(x: StandardArray, /, shape: Any, *, copy: bool | None = None) -> StandardArray:
    """Return the elements in another shape, in row-major order.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.reshape(xp.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    return StandardArray(reshaped(x._array.flatten(), shape))


def roll(x: StandardArray, /, shift: Any, *, axis: Any = None) -> StandardArray:
    """Return an array with its elements moved along some dimensions, those beyond the end to the start."""
    return StandardArray(dimensions.roll(x._array, shift, axis))


def tile(x: StandardArray, repetitions: Any, /) -> StandardArray:
    """Return an array that is repeated as a whole along dimensions."""
    return StandardArray(repetition.tile(x._array, repetitions))
