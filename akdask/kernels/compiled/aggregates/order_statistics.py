"""Values of some rank in small groups."""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.typing import NumberArray

ONE, FEW = np.uint64(1), np.uint64(16)
"""Values that are sorted by insertion."""


@compiled
def select(
    values: NumberArray,
    offsets: NumberArray,
    low: NumberArray,
    high: NumberArray,
    found: NumberArray,
    start_group: int,
    stop_group: int,
) -> None:
    """Find the values of two ranks, one next to the other or the same, of each group that has values.

    Those of a group are parted at the middle one of three until few are left around the lower rank.  Nothing is guessed
    on the way: each value changes places with the first that is not below the pivot, whether it is below or not.

    Parameters
    ----------
    values : ndarray of float64
        Those of each group adjacent, without NaN; their order is changed.
    offsets : ndarray of int64
        Where each group begins and ends.
    low, high : ndarray of int64
        The ranks.
    found : ndarray of float64, shape (2, ngroups)
        The results.
    start_group, stop_group : int
        Groups that are looked at.
    """
    for group in range(start_group, stop_group):
        first, end = np.uint64(offsets[group]), np.uint64(offsets[group + 1])
        if first == end:
            continue
        wanted = first + np.uint64(low[group])
        start, stop = first, end
        while stop - start > FEW:
            one, two, three = values[start], values[(start + stop) >> ONE], values[stop - ONE]
            pivot = max(min(one, two), min(max(one, two), three))
            below = start
            for row in range(start, stop):
                value = values[row]
                values[row] = values[below]
                values[below] = value
                below += np.uint64(value < pivot)
            if wanted < below:
                stop = below
                continue
            # Those that are equal to the pivot come next, so that many equal values are parted too.
            start = equal = below
            for row in range(start, stop):
                value = values[row]
                values[row] = values[equal]
                values[equal] = value
                equal += np.uint64(value <= pivot)
            if wanted < equal:
                stop = start = wanted
            else:
                start = equal
        for row in range(start + ONE, stop):
            value, before = values[row], np.uint64(row)
            while before > start and values[before - ONE] > value:
                values[before] = values[before - ONE]
                before -= ONE
            values[before] = value
        found[0, group] = found[1, group] = values[wanted]
        if high[group] > low[group]:
            least = values[wanted + ONE]
            for row in range(wanted + ONE, end):
                least = min(least, values[row])
            found[1, group] = least


@compiled
def copy_lists(
    offsets: NumberArray, values: NumberArray, order: NumberArray, into: NumberArray, moved: NumberArray
) -> None:
    """Put lists end to end in another order; `into` says where each begins, and the last ends."""
    for place in range(len(order)):
        start, first, size = offsets[order[place]], into[place], into[place + 1] - into[place]
        moved[first : first + size] = values[start : start + size]
