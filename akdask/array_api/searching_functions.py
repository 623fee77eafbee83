"""Positions, order and distinct elements: search, sort and sets; all lazy.  NaN come last, and each is distinct."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from akdask.array_api.array_object import StandardArray, computed, flat, plain_array
from akdask.array_api.statistical_functions import reduced
from akdask.arrays import functions, sorting
from akdask.arrays.creation import array, full
from akdask.arrays.functions import diff
from akdask.arrays.ndarray import shaped
from akdask.arrays.reductions import cumsum
from akdask.arrays.shapes import concatenate
from akdask.arrays.strided_layout import nonzero_positions
from akdask.errors import ArgumentError


def argmax(x: StandardArray, /, *, axis: int | None = None, keepdims: bool = False) -> StandardArray:
    """Return the positions of the first largest elements along a dimension, or in row-major order; NaN are largest."""
    return reduced("argmax", x, axis, keepdims)


def argmin(x: StandardArray, /, *, axis: int | None = None, keepdims: bool = False) -> StandardArray:
    """Return the positions of the first smallest elements along a dimension; see `argmax`."""
    return reduced("argmin", x, axis, keepdims)


def nonzero(x: StandardArray, /) -> tuple[StandardArray, ...]:
    """Return the positions of nonzero elements along each dimension.

    Raises
    ------
    ArgumentError
        If there are no dimensions.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> [part.tolist() for part in xp.nonzero(xp.asarray([[0, 1], [1, 0]]))]
    [[0, 1], [1, 0]]
    """
    if not x.ndim:
        raise ArgumentError("nonzero: an array without dimensions has no positions.")
    return tuple(StandardArray(positions) for positions in nonzero_positions(x._array))


def where(condition: StandardArray, x1: Any, x2: Any, /) -> StandardArray:
    """Return elements of `x1` where a condition holds and of `x2` elsewhere; shapes broadcast.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0).tolist()
    [1, 0]
    """
    return computed("where", condition, x1, x2)


def searchsorted(
    x1: StandardArray,
    x2: StandardArray,
    /,
    *,
    side: str = "left",
    x2_sorted: bool = False,
    sorter: StandardArray | None = None,
) -> StandardArray:
    """Return where the elements of `x2` can be inserted into `x1` so that it stays sorted.

    Parameters
    ----------
    x1 : StandardArray
        Of one dimension, in order.
    x2 : StandardArray
        Values to insert; the result has their shape.
    side : {"left", "right"}
        Before or after elements that are equal.
    x2_sorted : bool
        Accepted for compatibility with Arkouda.
    sorter : StandardArray, optional
        The positions that put `x1` in order.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.searchsorted(xp.asarray([10, 20, 30]), xp.asarray([[20], [99]])).tolist()
    [[1], [3]]
    """
    table = x1._array if sorter is None else x1._array[plain_array(sorter)]
    wanted = plain_array(x2)
    flat = wanted if wanted.ndim == 1 else wanted.flatten()
    return StandardArray(shaped(sorting.searchsorted(table, flat, side, x2_sorted), wanted.shape))


def take(x: StandardArray, indices: StandardArray, /, *, axis: int | None = None) -> StandardArray:
    """Return the elements at some positions along a dimension; lazy.

    Raises
    ------
    ArgumentError
        If `axis` is not given for an array of several dimensions.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.take(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1]), axis=1).tolist()
    [[2], [4]]
    """
    if axis is None and x.ndim != 1:
        raise ArgumentError(
            f"take: an array of {x.ndim} dimensions is taken from along one of them.", hint="pass axis."
        )
    return StandardArray(functions.take(x._array, indices._array, 0 if axis is None else axis))


def argsort(x: StandardArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> StandardArray:
    """Return the positions that sort elements along a dimension; the order of equal elements is kept.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.argsort(xp.asarray([[3, 1, 2]])).tolist()
    [[1, 2, 0]]
    """
    return StandardArray(sorting.argsort(x._array, axis=axis, ascending=not descending))


def sort(x: StandardArray, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> StandardArray:
    """Return the elements in order along a dimension.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.sort(xp.asarray([[3, 1], [2, 4]]), axis=0).tolist()
    [[2, 1], [3, 4]]
    """
    return StandardArray(sorting.sort(x._array, axis=axis, ascending=not descending))


class UniqueAll(NamedTuple):
    """Distinct elements, their first positions, the number of each element's distinct one, and counts."""

    values: StandardArray
    indices: StandardArray
    inverse_indices: StandardArray
    counts: StandardArray


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each occurs."""

    values: StandardArray
    counts: StandardArray


class UniqueInverse(NamedTuple):
    """Distinct elements, and the number of each element's distinct one."""

    values: StandardArray
    inverse_indices: StandardArray


def unique_values(x: StandardArray, /) -> StandardArray:
    """Return the distinct elements.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.unique_values(xp.asarray([[3, 1], [3, 2]])).tolist()
    [1, 2, 3]
    """
    ordered = sorting.sort(flat(x))
    return StandardArray(ordered[_begins(ordered)])


def unique_counts(x: StandardArray, /) -> UniqueCounts:
    """Return the distinct elements, and how often each occurs."""
    ordered = sorting.sort(flat(x))
    begins = _begins(ordered)
    return UniqueCounts(StandardArray(ordered[begins]), StandardArray(_counts(begins)))


def unique_inverse(x: StandardArray, /) -> UniqueInverse:
    """Return the distinct elements, and the number of each element's one, in the shape of the array."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_all(x: StandardArray, /) -> UniqueAll:
    """Return the distinct elements, their first positions, the number of each element's one, and counts."""
    elements = flat(x)
    order = sorting.argsort(elements)
    ordered = elements[order]
    begins = _begins(ordered)
    inverse = (cumsum(begins) - 1)[sorting.invert_permutation(order)]
    return UniqueAll(
        StandardArray(ordered[begins]),
        StandardArray(order[begins]),
        StandardArray(shaped(inverse, x.shape)),
        StandardArray(_counts(begins)),
    )


def _begins(ordered: Any) -> Any:
    """Return which elements differ from the one before."""
    if not ordered.size:
        return full(0, True)
    return concatenate([array(np.array([True])), ordered[1:] != ordered[:-1]])


def _counts(begins: Any) -> Any:
    (starts,) = nonzero_positions(begins)
    return diff(concatenate([starts, array(np.array([begins.size]))])) if begins.size else starts
