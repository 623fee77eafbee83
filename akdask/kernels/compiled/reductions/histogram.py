"""The loop of `akdask.kernels.reductions.histogram`, whose general path finds the same bins."""

from __future__ import annotations

from akdask.kernels.compiled.compiler import compiled
from akdask.typing import NumberArray


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
