"""Distinct elements of arrays, and how often they occur."""

from __future__ import annotations

from typing import Any

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.shaped.ndarray import ArrayView
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.groups.keys import is_several, lazy_array


def unique(pda: Any, return_groups: bool = False, assume_sorted: bool = False, return_indices: bool = False) -> Any:
    """Return the distinct elements of an array, or the distinct rows of several, in ascending order; lazy.

    Parameters
    ----------
    pda : pdarray, Strings, Categorical, or sequence of them
        All NaN are one element, after all others.  Arrays of several dimensions are taken as flat ones.
    return_groups : bool
        Return what groups equal elements as well.
    assume_sorted : bool
        Accepted for compatibility with Arkouda.
    return_indices : bool
        With `return_groups`, return the position of the first of each as well.

    Returns
    -------
    array, or tuple of arrays
        The distinct elements.  With `return_groups`, a tuple: the elements, the permutation that brings equal ones
        together, where each group begins in it, the number of arrays, and with `return_indices` the positions.

    Examples
    --------
    >>> import akdask as ak
    >>> unique(ak.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    groups = GroupBy(_flat("unique", pda), assume_sorted=assume_sorted, dropna=False)
    if not return_groups:
        return groups.unique_keys
    parts = (groups.unique_keys, groups.permutation, groups.segments, groups.nkeys)
    return (*parts, groups.unique_key_idx) if return_indices else parts


def value_counts(pda: Any) -> tuple[Any, pdarray]:
    """Return the distinct elements of an array in ascending order, and how often each occurs, as int64; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> elements, counts = value_counts(ak.array([2, 0, 2]))
    >>> elements.tolist(), counts.tolist()
    ([0, 2], [1, 2])
    """
    return GroupBy(_flat("value_counts", pda), dropna=False).size()


def _flat(operation: str, pda: Any) -> Any:
    if isinstance(pda, ArrayView):
        return pda.flatten()
    return pda if is_several(pda) else lazy_array(operation, pda)
