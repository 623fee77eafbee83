"""Values of some rank in each group, without sorting: as many values are compared as there are, some times over."""

from __future__ import annotations

import numpy as np

from akdask.interruption import interruptible_ranges
from akdask.kernels import compiled
from akdask.typing import NumberArray

LARGE = 128
"""Values of a group from which on NumPy partitions each for itself; groups of fewer, those of a size together."""


def order_statistics(
    values: NumberArray, offsets: NumberArray, low: NumberArray, high: NumberArray
) -> tuple[NumberArray, NumberArray]:
    """Return of each group the values of two ranks in ascending order, counted from 0.

    Parameters
    ----------
    values : ndarray of float64
        Those of each group adjacent, none of them NaN; their order is changed.
    offsets : ndarray of int64, shape (ngroups + 1,)
        Where each group begins, and where the last ends.
    low, high : ndarray of int64
        The ranks, the second the same as the first or the next; of groups without values they mean nothing.

    Returns
    -------
    tuple of ndarray
        Anything for groups without values.

    Examples
    --------
    >>> order_statistics(np.array([5.0, 1.0, 3.0]), np.array([0, 3]), np.array([1]), np.array([2]))
    (array([3.]), array([5.]))
    """
    sizes = np.diff(offsets)
    found = np.zeros((2, len(sizes)), values.dtype)
    if compiled.should_compile(len(values)):
        from akdask.kernels.compiled.aggregates.order_statistics import select

        for first, stop in interruptible_ranges(offsets[1:]):
            select(values, offsets, low, high, found, first, stop)
        return found[0], found[1]
    for group in np.flatnonzero(sizes >= LARGE).tolist():
        rank = low[group]
        rows = values[offsets[group] : offsets[group + 1]]
        rows.partition(rank)
        found[:, group] = rows[rank]
        if high[group] > rank:
            found[1, group] = rows[rank + 1 :].min()
    for size in np.unique(sizes[(sizes > 0) & (sizes < LARGE)]).tolist():
        groups = np.flatnonzero(sizes == size)
        rows = values[offsets[groups, np.newaxis] + np.arange(size)]
        rows.sort(axis=1)
        found[:, groups] = rows[np.arange(len(groups)), [low[groups], high[groups]]]
    return found[0], found[1]
