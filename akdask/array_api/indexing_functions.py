"""Elements at positions."""

from __future__ import annotations

from akdask.array_api.array_object import StandardArray
from akdask.collections.functions import rearranging
from akdask.errors import ArgumentError


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
    return StandardArray(rearranging.take(x._array, indices._array, 0 if axis is None else axis))
