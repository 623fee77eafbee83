"""Loops of `akdask.operators.windows.kernels`, whose general paths add in the same order."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.typing import NumberArray


@compiled
def fill_sums(rows: NumberArray, width: int, phase: int, least: int, is_mean: bool, out: NumberArray) -> None:
    """Fill `out`; blocks begin at rows that are `phase` after a multiple of `width`."""
    sums, counts = np.zeros(width + 1), np.zeros(width + 1, np.int64)
    nrows = len(rows)
    begin = phase - width if phase > 0 else 0
    while begin + width <= nrows:
        # What the rows of this block from each one to its end come to.
        total, count = 0.0, 0
        for place in range(width - 1, -1, -1):
            row = begin + place
            if row >= 0 and np.isfinite(rows[row]):
                total += rows[row]
                count += 1
            sums[place], counts[place] = total, count
        total, count = 0.0, 0
        for place in range(width):
            start = begin + place
            if place > 0:
                last = start + width - 1
                if last >= nrows:
                    break
                if np.isfinite(rows[last]):
                    total += rows[last]
                    count += 1
            if start >= 0:
                known = count + counts[place]
                found = total + sums[place]
                if known < least or (is_mean and known == 0):
                    out[start] = np.nan
                else:
                    out[start] = found / known if is_mean else found
        begin += width


@compiled
def fill_extremes(rows: NumberArray, width: int, phase: int, least: int, sign: float, out: NumberArray) -> None:
    """Fill `out` with smallest values, or with largest where `sign` is -1."""
    extremes, counts = np.zeros(width + 1), np.zeros(width + 1, np.int64)
    nrows = len(rows)
    begin = phase - width if phase > 0 else 0
    while begin + width <= nrows:
        best, count = np.inf, 0
        for place in range(width - 1, -1, -1):
            row = begin + place
            if row >= 0 and np.isfinite(rows[row]):
                best = sign * rows[row] if sign * rows[row] < best else best
                count += 1
            extremes[place], counts[place] = best, count
        best, count = np.inf, 0
        for place in range(width):
            start = begin + place
            if place > 0:
                last = start + width - 1
                if last >= nrows:
                    break
                if np.isfinite(rows[last]):
                    best = sign * rows[last] if sign * rows[last] < best else best
                    count += 1
            if start >= 0:
                known = count + counts[place]
                is_known = known > 0 and known >= least
                found = extremes[place] if extremes[place] < best else best
                out[start] = sign * found if is_known else np.nan
        begin += width


@compiled
def fill_variances(
    rows: NumberArray, width: int, phase: int, least: int, ddof: int, is_root: bool, out: NumberArray
) -> None:
    """Fill `out`; counts, means and sums of squares of both blocks are merged as of partitions."""
    counts, means, squares = np.zeros(width + 1), np.zeros(width + 1), np.zeros(width + 1)
    nrows = len(rows)
    begin = phase - width if phase > 0 else 0
    while begin + width <= nrows:
        count, mean, square = 0.0, 0.0, 0.0
        for place in range(width - 1, -1, -1):
            row = begin + place
            if row >= 0 and np.isfinite(rows[row]):
                count += 1.0
                step = rows[row] - mean
                mean += step / count
                square += step * (rows[row] - mean)
            counts[place], means[place], squares[place] = count, mean, square
        count, mean, square = 0.0, 0.0, 0.0
        for place in range(width):
            start = begin + place
            if place > 0:
                last = start + width - 1
                if last >= nrows:
                    break
                if np.isfinite(rows[last]):
                    count += 1.0
                    step = rows[last] - mean
                    mean += step / count
                    square += step * (rows[last] - mean)
            if start >= 0:
                known = count + counts[place]
                if known < least or known <= ddof:
                    out[start] = np.nan
                else:
                    apart = mean - means[place]
                    merged = square + squares[place] + apart * apart * count * counts[place] / known
                    found = merged / (known - ddof)
                    out[start] = np.sqrt(found) if is_root else found
        begin += width


@compiled
def fill_running(
    kind: int,
    rows: NumberArray,
    groups: NumberArray,
    group: int,
    state: NumberArray,
    identity: NumberArray,
    out: NumberArray,
) -> None:
    """Fill `out`, and leave in `state` the result of the last group without its NaN."""
    running = state[0]
    for row in range(len(rows)):
        if groups[row] != group:
            group, running = groups[row], identity[0]
        value = rows[row]
        if value == value:
            if kind == 0:
                running += value
            elif kind == 1:
                running *= value
            elif kind == 2:
                running = value if value < running else running
            else:
                running = value if value > running else running
            out[row] = running
        else:
            out[row] = value
    state[0] = running
