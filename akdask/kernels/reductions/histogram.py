"""Histograms: edges of bins, and how many rows fall between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from akdask.errors import ArgumentError
from akdask.kernels import compiled
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


def count_in_bins(counts: NumberArray, columns: Sequence[NumberArray], edges: Sequence[NumberArray]) -> None:
    """Add the number of rows in each bin to `counts`; last bins include their right edges.

    Parameters
    ----------
    counts : ndarray of int64
        What was counted before, in row-major order of the bins.
    columns : sequence of ndarray
        One for each dimension.
    edges : sequence of ndarray of float64
        Edges of bins of equal width in each dimension.

    Examples
    --------
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> counts = np.zeros(4, np.int64)
    >>> count_in_bins(counts, [np.array([0, 2, 2]), np.array([1, 0, 0])], [edges, edges])
    >>> counts.tolist()
    [0, 1, 2, 0]
    """
    columns = [column.view(np.uint8) if column.dtype == np.bool_ else column for column in columns]
    if len(columns) == 1:
        # NumPy has a faster way for bins of equal width than for given edges.
        (column,), (bounds,) = columns, edges
        counts += np.histogram(column, len(bounds) - 1, (bounds[0], bounds[-1]))[0]
    elif len(columns) == 2 and _have_steps(edges) and compiled.should_compile(len(columns[0])):
        count_pairs(counts, columns, edges)
    elif _have_steps(edges):
        add_numbered(counts, columns, edges, _bins_of_steps)
    else:
        add_numbered(counts, columns, edges, bins_between)


def count_pairs(counts: NumberArray, columns: Sequence[NumberArray], edges: Sequence[NumberArray]) -> None:
    """Do the same as `count_in_bins` for two columns, by a compiled loop."""
    from akdask.kernels.compiled.compiler import read_only
    from akdask.kernels.compiled.reductions.histogram import add_pairs

    x, y = (read_only(np.ascontiguousarray(column, np.float64)) for column in columns)
    add_pairs(counts, x, y, *(read_only(bounds) for bounds in edges))


Numbering = Callable[[NumberArray, NumberArray], NumberArray]


def add_numbered(
    counts: NumberArray, columns: Sequence[NumberArray], edges: Sequence[NumberArray], numbering: Numbering
) -> None:
    """Do the same as `count_in_bins`, for any number of dimensions; a function finds the bins in each."""
    bins_of_rows = np.zeros(len(columns[0]), np.int64)
    inside = np.ones(len(columns[0]), np.bool_)
    for column, bounds in zip(columns, edges, strict=True):
        bins = len(bounds) - 1
        numbers = numbering(column, bounds)
        inside &= (numbers >= 0) & (numbers < bins)
        bins_of_rows = bins_of_rows * bins + numbers
    np.add.at(counts, bins_of_rows[inside], 1)


def bins_between(column: NumberArray, bounds: NumberArray) -> NumberArray:
    """Return the bin of each row, of whatever width; a number that is none where it is in no bin."""
    # NaN come after all edges, so that they are in no bin either.
    numbers: NumberArray = bounds.searchsorted(column, "right") - 1
    numbers[column == bounds[-1]] -= 1
    return numbers


def _bins_of_steps(column: NumberArray, bounds: NumberArray) -> NumberArray:
    """Return the same as `bins_between` for bins of equal width: calculated, and corrected by the edges."""
    rows = column.astype(np.float64, copy=False)
    bins = len(bounds) - 1
    inside = (rows >= bounds[0]) & (rows <= bounds[-1])
    if not inside.all():
        rows = np.where(inside, rows, bounds[0])
    numbers: NumberArray = ((rows - bounds[0]) * _steps(bounds)).astype(np.int64)
    np.minimum(numbers, bins - 1, out=numbers)
    numbers -= rows < bounds[numbers]
    numbers += (rows >= bounds[numbers + 1]) & (numbers < bins - 1)
    numbers[~inside] = -1
    return numbers


def _steps(bounds: NumberArray) -> Any:
    """Return the bins for each 1 that numbers grow."""
    with np.errstate(over="ignore", divide="ignore"):
        return (len(bounds) - 1) / (bounds[-1] - bounds[0])


def _have_steps(edges: Sequence[NumberArray]) -> bool:
    """Whether the bins of rows can be calculated: not of bins that are as narrow or wide as float64 can tell."""
    return all(0 < _steps(bounds) < np.inf for bounds in edges)
