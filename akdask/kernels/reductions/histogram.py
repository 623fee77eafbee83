"""Histograms: edges of bins, and how many rows fall between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from akdask.errors import ArgumentError
from akdask.typing import NumberArray


def bin_edges(low: Any, high: Any, bins: int) -> NumberArray:
    """Return the edges of bins of equal width; around a single value, as NumPy does, they span 1.

    Raises
    ------
    ArgumentError
        If a bound is not finite, or the bins are too narrow for float64.
    """
    if not np.isfinite(low) or not np.isfinite(high):
        raise ArgumentError(
            f"histogram: there are no bins from {low} to {high}.", hint="pass range=(low, high), both finite."
        )
    try:
        return np.histogram_bin_edges(np.array([low, high], np.float64), bins)
    except ValueError as error:
        raise ArgumentError(
            f"histogram: float64 does not tell {bins} bins from {low} to {high} apart.", hint="ask for fewer bins."
        ) from error


def count_in_bins(columns: Sequence[NumberArray], edges: Sequence[NumberArray]) -> NumberArray:
    """Return the number of rows in each bin, in row-major order of the bins; last bins include their right edges.

    Parameters
    ----------
    columns : sequence of ndarray
        One for each dimension.
    edges : sequence of ndarray of float64
        Edges of bins of equal width in each dimension.

    Examples
    --------
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> count_in_bins([np.array([0, 2, 2]), np.array([1, 0, 0])], [edges, edges]).tolist()
    [0, 1, 2, 0]
    """
    columns = [column.view(np.uint8) if column.dtype == np.bool_ else column for column in columns]
    if len(columns) > 1:
        return count_in_any_bins(columns, edges)
    # NumPy has a faster way for bins of equal width than for given edges.
    (column,), (bounds,) = columns, edges
    counts: NumberArray = np.histogram(column, len(bounds) - 1, (bounds[0], bounds[-1]))[0]
    return counts


def count_in_any_bins(columns: Sequence[NumberArray], edges: Sequence[NumberArray]) -> NumberArray:
    """Return the same as `count_in_bins`, for any edges and any number of dimensions."""
    bins_of_rows = np.zeros(len(columns[0]), np.int64)
    inside = np.ones(len(columns[0]), np.bool_)
    for column, bounds in zip(columns, edges, strict=True):
        bins = len(bounds) - 1
        # NaN come after all edges, so that they are in no bin either.
        positions = bounds.searchsorted(column, "right") - 1
        positions[column == bounds[-1]] -= 1
        inside &= (positions >= 0) & (positions < bins)
        bins_of_rows = bins_of_rows * bins + positions
    return np.bincount(bins_of_rows[inside], minlength=prod(len(bounds) - 1 for bounds in edges))
