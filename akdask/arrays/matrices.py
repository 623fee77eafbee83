"""Lazy linear algebra: products of vectors and matrices, triangles, and `eye`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.axes import cut, in_blocks
from akdask.arrays.creation import row_count
from akdask.arrays.elementwise import cast, where
from akdask.arrays.ndarray import as_array, reshaped, shaped, spread
from akdask.arrays.shapes import broadcast_shapes, checked_axes, checked_axis, swapaxes, transpose
from akdask.columns.dtypes import column_type
from akdask.engine.operations import promote
from akdask.engine.rowwise import Project
from akdask.engine.sources import block_split, counted, partition_lengths, row_numbers
from akdask.engine.values import Constant
from akdask.engine.values import cast as cast_value
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.operators.reduce.along_axis import MatrixProduct


def dot(pda1: Any, pda2: Any) -> Any:
    """Return the sums of products along the last dimension of one array and the last but one of the other; lazy.

    Parameters
    ----------
    pda1, pda2 : pdarray or number
        A number multiplies each element of an array; two numbers give their product.

    Returns
    -------
    pdarray, or a lazy scalar for two arrays of one dimension

    Raises
    ------
    AlignmentError
        If the two dimensions differ in length.

    Examples
    --------
    >>> int(ak.dot(ak.array([1, 2, 3]), ak.array([4, 5, 6]))), ak.dot(ak.array([1, 2]), 5).tolist()
    (32, [5, 10])
    """
    if not all(isinstance(item, Array | np.ndarray | list) and np.ndim(item) for item in (pda1, pda2)):
        return pda1 * pda2
    left, right = as_array(pda1), as_array(pda2)
    if left.ndim == right.ndim == 1:
        product = left * right
        # NumPy's sum of products of bools is a bool.
        return product.any() if product.dtype == np.dtype(bool) else product.sum()
    return tensordot(left, right, ((left.ndim - 1,), (max(right.ndim - 2, 0),)))


def vecdot(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """Return the sums of products of two arrays along a dimension; lazy.

    Parameters
    ----------
    x1, x2 : pdarray
        Their shapes broadcast.
    axis : int, optional
        The dimension, counted in the shape after broadcasting; the last unless given.

    Returns
    -------
    pdarray, or a lazy scalar for arrays of one dimension

    Raises
    ------
    AlignmentError
        If the shapes do not broadcast.

    Examples
    --------
    >>> ak.vecdot(ak.array([[1, 2], [3, 4]]), ak.array([1, 10])).tolist()
    [21, 43]
    """
    left, right = as_array(x1), as_array(x2)
    number = checked_axis("vecdot", -1 if axis is None else axis, max(left.ndim, right.ndim))
    product = left * right
    return product.any(axis=number) if product.dtype == np.dtype(bool) else product.sum(axis=number)


def matmul(pda_L: Any, pda_R: Any) -> Any:
    """Return the product of two matrices, of stacks of them, or of a matrix and a vector; lazy.

    Parameters
    ----------
    pda_L, pda_R : pdarray
        The last two dimensions are matrices, all others broadcast.  An array of one dimension is a row on the
        left and a column on the right, and its dimension is not in the result.

    Returns
    -------
    pdarray, or a lazy scalar for two arrays of one dimension

    Raises
    ------
    AlignmentError
        If a row of the left matrix and a column of the right one have different lengths, or stacks do not broadcast.
    ArgumentTypeError
        If an array holds no numbers of fixed size, or is a scalar.

    Notes
    -----
    Every task multiplies some rows of one matrix by the whole of the other, smaller matrix, using NumPy's BLAS.

    Examples
    --------
    >>> ak.matmul(ak.arange(4).reshape(2, 2), ak.array([[1, 0], [0, 2]])).tolist()
    [[0, 2], [2, 6]]
    """
    left, right = as_array(pda_L), as_array(pda_R)
    if not left.ndim or not right.ndim:
        raise ArgumentTypeError("matmul multiplies matrices and vectors, no scalars.", hint="use `*`.")
    if left.ndim == right.ndim == 1:
        _check_common(left, right, 0)
        return dot(left, right)
    rows = reshaped(left, 1, -1) if left.ndim == 1 else left
    columns = reshaped(right, -1, 1) if right.ndim == 1 else right
    found = _of_matrices(rows, columns)
    gone = [found.ndim - 2] * (left.ndim == 1) + [found.ndim - 1] * (right.ndim == 1)
    return reshaped(found.flatten(), [n for axis, n in enumerate(found.shape) if axis not in gone]) if gone else found


def _check_common(left: Any, right: Any, axis: int) -> None:
    if left.shape[-1] != right.shape[axis]:
        raise AlignmentError(
            "matrices are multiplied whose rows and columns have one length.",
            details=[f"shapes: {left.shape}, {right.shape}"],
        )


def _of_matrices(left: Any, right: Any) -> Any:
    _check_common(left, right, -2)
    # Products have NumPy's type for products of elements: float64 of int64 by uint64.
    wanted = promote(left._value.dtype, right._value.dtype)
    if wanted is None or not wanted.is_number:
        raise ArgumentTypeError(f"matmul takes numbers, not {left._value.dtype} and {right._value.dtype}.")
    stacks = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    rows, common, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    shape = (*stacks, rows, columns)
    if not math.prod(shape) or not common:
        return shaped(wrap(counted(math.prod(shape)), cast_value(Constant(False), wanted)), shape)
    if right.ndim == 2 == left.ndim and right.size > left.size:
        # Every task gets the smaller matrix: the product is transposed, and its factors are exchanged.
        return swapaxes(_of_matrices(swapaxes(right, 0, 1), swapaxes(left, 0, 1)), 0, 1)
    if right.ndim > 2:
        left, right = (spread(item, (*stacks, *item.shape[-2:])) for item in (left, right))
    sizes = rows, common, columns
    flat = [cast(item, wanted.name).flatten() for item in (left, right)]
    product = _product(flat[0], flat[1], sizes, is_shared=right.ndim == 2)
    return shaped(wrap(product, product.result), shape)


def _product(left: Any, right: Any, sizes: tuple[int, int, int], is_shared: bool) -> MatrixProduct:
    rows, common, columns = sizes
    if is_shared:
        frame, value = in_blocks(left._frame, left._value, common)
        return MatrixProduct(Project(frame, (0,), (value,)), right._project(), sizes, is_shared)
    count = left.size // (rows * common)
    stacks = block_split(count, min(len(partition_lengths(left.size)), count))
    left_rows, right_rows = (
        cut(array._frame, array._value, [part * size for part in stacks])
        for array, size in ((left, rows * common), (right, common * columns))
    )
    return MatrixProduct(
        *(Project(frame, (0,), (value,)) for frame, value in (left_rows, right_rows)), sizes, is_shared
    )


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Return the sums of products of two arrays along several dimensions of each; lazy.

    Parameters
    ----------
    x1, x2 : pdarray
        The arrays.
    axes : int, or pair of sequences of int, default 2
        The number of last dimensions of `x1` and first dimensions of `x2`; or the dimensions of each.

    Returns
    -------
    pdarray
        With the dimensions of `x1` and `x2` that are left.

    Raises
    ------
    AlignmentError
        If the dimensions have different lengths.

    Examples
    --------
    >>> tensordot(ak.arange(4).reshape(2, 2), ak.arange(4).reshape(2, 2), 1).tolist()
    [[2, 3], [6, 11]]
    """
    left, right = as_array(x1), as_array(x2)
    pair = axes if isinstance(axes, Sequence) else (range(left.ndim - index(axes), left.ndim), range(index(axes)))
    of_left, of_right = (
        checked_axes("tensordot", list(given) if isinstance(given, Sequence) else given, array.ndim)
        for given, array in zip(pair, (left, right), strict=True)
    )
    lengths = [array.shape for array in (left, right)]
    if [lengths[0][axis] for axis in of_left] != [lengths[1][axis] for axis in of_right]:
        raise AlignmentError("tensordot: dimensions have different lengths.", details=[f"shapes: {lengths}"])
    rest = [
        [axis for axis in range(len(own)) if axis not in used]
        for own, used in zip(lengths, (of_left, of_right), strict=True)
    ]
    rows, columns = (tuple(own[axis] for axis in free) for own, free in zip(lengths, rest, strict=True))
    common = math.prod(lengths[0][axis] for axis in of_left)
    matrices = (
        reshaped(transpose(left, [*rest[0], *of_left]).flatten(), math.prod(rows), common),
        reshaped(transpose(right, [*of_right, *rest[1]]).flatten(), common, math.prod(columns)),
    )
    return reshaped(matmul(*matrices).flatten(), (*rows, *columns))


def tril(pda: Any, diag: int = 0) -> Any:
    """Return the elements of matrices on a diagonal and below, and 0 above it; lazy.

    Parameters
    ----------
    pda : pdarray
        At least two dimensions; the last two are the matrices.
    diag : int, default 0
        The number of the diagonal; above the main diagonal it is positive.

    Raises
    ------
    ArgumentError
        If the array has fewer dimensions.

    Examples
    --------
    >>> ak.tril(ak.ones((2, 2), int)).tolist()
    [[1, 0], [1, 1]]
    """
    return _triangle("tril", pda, lambda above: above <= index(diag))


def triu(pda: Any, diag: int = 0) -> Any:
    """Return the elements of matrices on a diagonal and above, and 0 below it; lazy.  See `tril`.

    Examples
    --------
    >>> ak.triu(ak.ones((2, 2), int)).tolist()
    [[1, 1], [0, 1]]
    """
    return _triangle("triu", pda, lambda above: above >= index(diag))


def _triangle(name: str, pda: Any, holds: Any) -> Any:
    array = as_array(pda)
    if array.ndim < 2:
        raise ArgumentError(f"{name} takes matrices: arrays of two dimensions or more, not of {array.ndim}.")
    if not array.size:
        return array
    flat = array.flatten()
    found = where(holds(_above_diagonal(wrap(*row_numbers(flat._frame)), *array.shape[-2:])), flat, 0)
    return shaped(cast(found, array.dtype), array.shape)


def _above_diagonal(numbers: Any, rows: int, columns: int) -> Any:
    """Return the distance of each element of matrices above the main diagonal."""
    return numbers % columns - numbers // columns % rows


def eye(N: Any, M: Any, k: int = 0, dt: Any = np.float64) -> Any:
    """Return a matrix with 1 on a diagonal and 0 elsewhere; takes no memory.

    Parameters
    ----------
    N, M : int
        Number of rows and columns.
    k : int, default 0
        The number of the diagonal; above the main diagonal it is positive.
    dt : dtype-like
        float64 unless given.

    Raises
    ------
    ArgumentError
        If a number is below 0.

    Examples
    --------
    >>> ak.eye(2, 3, 1, dt="int64").tolist()
    [[0, 1, 0], [0, 0, 1]]
    """
    rows, columns = row_count(N), row_count(M)
    positions = counted(rows * columns)
    numbers = wrap(positions, positions.position)
    if not rows * columns:
        return reshaped(cast(numbers, column_type(dt).name), rows, columns)
    return reshaped(cast(_above_diagonal(numbers, rows, columns) == index(k), column_type(dt).name), rows, columns)
