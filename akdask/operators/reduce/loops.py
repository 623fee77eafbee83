"""Values of some rank in small groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.compiler import compiled, read_only
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


def sum_selected(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    """Return the sum of the integers where the mask holds, in the type of `zero`, which is theirs."""
    return _sum(read_only(column), read_only(mask), zero)


@compiled
def _sum(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    total = zero
    for row in range(len(column)):
        total += column[row] if mask[row] else zero
    return total


@compiled
def add_pairs(counts: NumberArray, x: NumberArray, y: NumberArray, x_edges: NumberArray, y_edges: NumberArray) -> None:
    """Add 1 to the bin of each pair of numbers; the edges have equal steps."""
    x_bins, y_bins = len(x_edges) - 1, len(y_edges) - 1
    x_low, x_high = x_edges[0], x_edges[x_bins]
    y_low, y_high = y_edges[0], y_edges[y_bins]
    x_steps, y_steps = x_bins / (x_high - x_low), y_bins / (y_high - y_low)
    for row in range(len(x)):
        one, other = x[row], y[row]
        # Not so where one is NaN.
        if x_low <= one <= x_high and y_low <= other <= y_high:
            place = min(int((one - x_low) * x_steps), x_bins - 1)
            if one < x_edges[place]:
                place -= 1
            elif place + 1 < x_bins and one >= x_edges[place + 1]:
                place += 1
            across = min(int((other - y_low) * y_steps), y_bins - 1)
            if other < y_edges[across]:
                across -= 1
            elif across + 1 < y_bins and other >= y_edges[across + 1]:
                across += 1
            counts[place * y_bins + across] += 1
