"""Products of vectors and matrices; all lazy."""

from __future__ import annotations

from typing import Any

from akdask.array_api.array_object import StandardArray
from akdask.arrays import matrices
from akdask.arrays.shapes import swapaxes


def matmul(x1: StandardArray, x2: StandardArray, /) -> StandardArray:
    """Return the product of matrices, of stacks of them, or of a matrix and a vector.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.matmul(xp.asarray([[1, 2]]), xp.asarray([[3], [4]])).tolist()
    [[11]]
    """
    return StandardArray(matrices.matmul(x1._array, x2._array))


def tensordot(x1: StandardArray, x2: StandardArray, /, *, axes: Any = 2) -> StandardArray:
    """Return the sums of products along several dimensions: as many last of `x1` and first of `x2`, or named ones."""
    return StandardArray(matrices.tensordot(x1._array, x2._array, axes))


def matrix_transpose(x: StandardArray) -> StandardArray:
    """Return the matrices of the last two dimensions, transposed."""
    return StandardArray(swapaxes(x._array, -1, -2))


def vecdot(x1: StandardArray, x2: StandardArray, /, *, axis: int = -1) -> StandardArray:
    """Return the sums of products along a dimension.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1])).tolist()
    [3, 7]
    """
    return StandardArray(matrices.vecdot(x1._array, x2._array, axis))
