"""Sort along a dimension; all lazy.  NaN come last in both directions."""

from __future__ import annotations

from akdask.array_api.array_object import StandardArray
from akdask.arrays import sorting


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
