"""Distinct elements, in ascending order; each NaN is distinct.  All lazy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from akdask.array_api.array_object import StandardArray
from akdask.arrays.concatenation import concatenate
from akdask.arrays.creation import array, full
from akdask.arrays.functions import diff
from akdask.arrays.ndarray import shaped
from akdask.arrays.scans import cumsum
from akdask.arrays.sorting import argsort, invert_permutation, sort
from akdask.arrays.strided_layout import nonzero_positions


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
    ordered = sort(_flat(x))
    return StandardArray(ordered[_begins(ordered)])


def unique_counts(x: StandardArray, /) -> UniqueCounts:
    """Return the distinct elements, and how often each occurs."""
    ordered = sort(_flat(x))
    begins = _begins(ordered)
    return UniqueCounts(StandardArray(ordered[begins]), StandardArray(_counts(begins)))


def unique_inverse(x: StandardArray, /) -> UniqueInverse:
    """Return the distinct elements, and the number of each element's one, in the shape of the array."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_all(x: StandardArray, /) -> UniqueAll:
    """Return the distinct elements, their first positions, the number of each element's one, and counts."""
    flat = _flat(x)
    order = argsort(flat)
    ordered = flat[order]
    begins = _begins(ordered)
    inverse = (cumsum(begins) - 1)[invert_permutation(order)]
    return UniqueAll(
        StandardArray(ordered[begins]),
        StandardArray(order[begins]),
        StandardArray(shaped(inverse, x.shape)),
        StandardArray(_counts(begins)),
    )


def _flat(x: StandardArray) -> Any:
    return x._array if x.ndim == 1 else x._array.flatten()


def _begins(ordered: Any) -> Any:
    """Return which elements differ from those before them."""
    if not ordered.size:
        return full(0, True)
    return concatenate([array(np.array([True])), ordered[1:] != ordered[:-1]])


def _counts(begins: Any) -> Any:
    (starts,) = nonzero_positions(begins)
    return diff(concatenate([starts, array(np.array([begins.size]))])) if begins.size else starts
