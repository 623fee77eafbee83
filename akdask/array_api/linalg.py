"""Products, norms and decompositions of vectors and matrices: products are lazy, decompositions compute in memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.array_api import functions
from akdask.array_api.array_object import StandardArray
from akdask.array_api.creation_functions import asarray, astype, expand_dims, reshape, result_type
from akdask.arrays import matrices
from akdask.arrays.shapes import checked_axis, swapaxes
from akdask.errors import ArgumentError

# ------------------------------------------------------------------------------------------------------------- products


def matmul(x1: StandardArray, x2: StandardArray, /) -> StandardArray:
    """Return the product of matrices, of stacks of them, or of a matrix and a vector; lazy.

    Examples
    --------
    >>> xp.matmul(xp.asarray([[1, 2]]), xp.asarray([[3], [4]])).tolist()
    [[11]]
    """
    return StandardArray(matrices.matmul(x1._array, x2._array))


def tensordot(x1: StandardArray, x2: StandardArray, /, *, axes: Any = 2) -> StandardArray:
    """Return sums of products along several dimensions: as many last of `x1` and first of `x2`, or named ones; lazy."""
    return StandardArray(matrices.tensordot(x1._array, x2._array, axes))


def matrix_transpose(x: StandardArray, /) -> StandardArray:
    """Return the matrices of the last two dimensions, transposed; lazy."""
    return StandardArray(swapaxes(x._array, -1, -2))


def vecdot(x1: StandardArray, x2: StandardArray, /, *, axis: int = -1) -> StandardArray:
    """Return the sums of products along a dimension, in the type that both have in common; lazy.

    Raises
    ------
    ArgumentError
        If the dimension has another length in one of them.

    Examples
    --------
    >>> xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1])).tolist()
    [3, 7]
    """
    for x in (x1, x2):
        checked_axis("vecdot", axis, x.ndim)
    if x1.shape[axis] != x2.shape[axis]:
        raise ArgumentError(f"vecdot: dimension {axis} has {x1.shape[axis]} elements, and {x2.shape[axis]}.")
    found, wanted = StandardArray(matrices.vecdot(x1._array, x2._array, axis)), result_type(x1, x2)
    return found if found.dtype == wanted else astype(found, wanted)


def outer(x1: StandardArray, x2: StandardArray, /) -> StandardArray:
    """Return the products of each element of a vector with each of another; lazy.

    Examples
    --------
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ArgumentError(f"outer is the product of vectors, not of {x1.ndim} and {x2.ndim} dimensions.")
    return functions.multiply(expand_dims(x1, axis=1), expand_dims(x2, axis=0))


def cross(x1: StandardArray, x2: StandardArray, /, *, axis: int = -1) -> StandardArray:
    """Return the cross products of vectors of three elements along a dimension; computes."""
    return _in_memory(np.linalg.cross, x1, x2, axis=axis)


def matrix_power(x: StandardArray, n: int, /) -> StandardArray:
    """Return square matrices multiplied `n` times by themselves, or by their inverses; computes."""
    return _in_memory(np.linalg.matrix_power, x, n)


# -------------------------------------------------------------------------------------------------- diagonals and norms


def diagonal(x: StandardArray, /, *, offset: int = 0) -> StandardArray:
    """Return diagonal `offset` of the matrices of the last two dimensions; lazy.

    Examples
    --------
    >>> xp.linalg.diagonal(xp.asarray([[1, 2, 3], [4, 5, 6]]), offset=1).tolist()
    [2, 6]
    """
    if x.ndim < 2:
        raise ArgumentError(f"an array of {x.ndim} dimensions has no matrices.")
    rows, columns = x.shape[-2:]
    first = offset if offset >= 0 else -offset * columns
    count = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    stop = first + count * (columns + 1)
    return reshape(x, (*x.shape[:-2], rows * columns))[..., first if count else 0 : stop if count else 0 : columns + 1]


def trace(x: StandardArray, /, *, offset: int = 0, dtype: Any = None) -> StandardArray:
    """Return the sums of diagonal `offset` of matrices, of the types of `sum`; lazy."""
    return functions.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: StandardArray, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> StandardArray:
    """Return the lengths of vectors along dimensions, or of all elements; lazy.

    Parameters
    ----------
    x : StandardArray
        The elements.
    axis : int or tuple of int, optional
        The dimensions.
    keepdims : bool
        Keep them, with length 1.
    ord : number
        The order of the norm: infinity for the largest element, 0 for the number of those that are not 0.

    Examples
    --------
    >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0])).item()
    5.0
    """
    sizes = functions.abs(astype(x, np.float64))
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if math.isinf(ord):
        return (functions.max if ord > 0 else functions.min)(sizes, **options)
    if ord == 0:
        return functions.sum(astype(functions.not_equal(sizes, 0), np.float64), **options)
    if ord == 1:
        return functions.sum(sizes, **options)
    if ord == 2:
        return functions.sqrt(functions.sum(functions.square(sizes), **options))
    return functions.pow(functions.sum(functions.pow(sizes, float(ord)), **options), 1 / ord)


def matrix_norm(x: StandardArray, /, *, keepdims: bool = False, ord: Any = "fro") -> StandardArray:
    """Return the norms of the matrices of the last two dimensions, by the orders of NumPy; computes."""
    return _in_memory(np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


# ------------------------------------------------------------------------------------------- equations, decompositions


def cholesky(x: StandardArray, /, *, upper: bool = False) -> StandardArray:
    """Return the triangular factors of symmetric positive definite matrices, lower by default; computes."""
    return _in_memory(np.linalg.cholesky, x, upper=upper)


def det(x: StandardArray, /) -> StandardArray:
    """Return the determinants of square matrices; computes.

    Examples
    --------
    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).item()
    6.0
    """
    return _in_memory(np.linalg.det, x)


def eigh(x: StandardArray, /) -> Any:
    """Return the eigenvalues, in order, and eigenvectors of symmetric matrices, as a named tuple; computes."""
    return _parts_in_memory(np.linalg.eigh, x)


def eigvalsh(x: StandardArray, /) -> StandardArray:
    """Return the eigenvalues of symmetric matrices, in order; computes."""
    return _in_memory(np.linalg.eigvalsh, x)


def inv(x: StandardArray, /) -> StandardArray:
    """Return the inverses of square matrices; computes.

    Raises
    ------
    ArgumentError
        If one has none.

    Examples
    --------
    >>> xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _in_memory(np.linalg.inv, x)


def matrix_rank(x: StandardArray, /, *, rtol: Any = None) -> StandardArray:
    """Return how many singular values of matrices are larger than `rtol` times the largest; computes."""
    return _in_memory(np.linalg.matrix_rank, x, rtol=rtol)


def pinv(x: StandardArray, /, *, rtol: Any = None) -> StandardArray:
    """Return the pseudoinverses of matrices, with singular values up to `rtol` times the largest as 0; computes."""
    return _in_memory(np.linalg.pinv, x, rtol=rtol)


def qr(x: StandardArray, /, *, mode: str = "reduced") -> Any:
    """Return the orthogonal and triangular factors Q and R of matrices, as a named tuple; computes."""
    return _parts_in_memory(np.linalg.qr, x, mode=mode)


def slogdet(x: StandardArray, /) -> Any:
    """Return sign and logarithm of the size of determinants, as a named tuple; computes."""
    return _parts_in_memory(np.linalg.slogdet, x)


def solve(x1: StandardArray, x2: StandardArray, /) -> StandardArray:
    """Return the solutions of linear equations with coefficients `x1` and right sides `x2`; computes.

    Raises
    ------
    ArgumentError
        If there is not exactly one.

    Examples
    --------
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    return _in_memory(np.linalg.solve, x1, x2)


def svd(x: StandardArray, /, *, full_matrices: bool = True) -> Any:
    """Return the factors U, S and Vh of matrices, S the singular values, as a named tuple; computes."""
    return _parts_in_memory(np.linalg.svd, x, full_matrices=full_matrices)


def svdvals(x: StandardArray, /) -> StandardArray:
    """Return the singular values of matrices, the largest first; computes."""
    return _in_memory(np.linalg.svdvals, x)


def _in_memory(function: Callable[..., Any], *items: Any, **params: Any) -> StandardArray:
    """Apply a function of NumPy to the elements."""
    return asarray(_called(function, *items, **params))


def _parts_in_memory(function: Callable[..., Any], *items: Any, **params: Any) -> Any:
    """Return the named tuple that a function of NumPy gives for the elements."""
    found = _called(function, *items, **params)
    return type(found)(*map(asarray, found))


def _called(function: Callable[..., Any], *items: Any, **params: Any) -> Any:
    plain = [item.to_ndarray() if isinstance(item, StandardArray) else item for item in items]
    options = {key: item.to_ndarray() if isinstance(item, StandardArray) else item for key, item in params.items()}
    try:
        return function(*plain, **options)
    except ValueError as error:
        raise ArgumentError(f"{function.__name__}: {error}") from error
