"""Histograms: counts and edges as lazy arrays."""

from __future__ import annotations

from operator import index
from typing import Any

from akdask.collections.pdarray import pdarray
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.histogram import Edges, Histogram


def histogram(
    pda: pdarray,
    bins: int = 10,
    range: tuple[float, float] | None = None,
) -> tuple[pdarray, pdarray]:
    """Count the elements in bins of equal width; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements.
    bins : int, default 10
        Number of bins.
    range : (low, high), optional
        First and last edge, the smallest and the largest element unless given; elements outside are not counted.

    Returns
    -------
    counts : pdarray of int64, shape (bins,)
        The last bin includes its right edge.
    edges : pdarray of float64, shape (bins + 1,)

    Raises
    ------
    ArgumentError
        If the range is empty; when computed, if there are no elements to find it from, or one is NaN or infinite.

    Examples
    --------
    >>> import akdask as ak
    >>> counts, edges = ak.histogram(ak.arange(10), 3)
    >>> counts.tolist(), edges.tolist()
    ([3, 3, 4], [0.0, 3.0, 6.0, 9.0])
    """
    if not isinstance(pda, pdarray):
        raise ArgumentTypeError(f"histogram needs a lazy array of numbers, got {type(pda).__name__}.")
    if index(bins) < 1:
        raise ArgumentError(f"histogram: bins is a whole number from 1, not {bins!r}.")
    bounds: Any = None if range is None else (float(range[0]), float(range[1]))
    if bounds is not None and not bounds[0] <= bounds[1]:
        raise ArgumentError(f"histogram: the range {range!r} does not ascend.", hint="pass range=(low, high).")
    edges = Edges(pda._frame, pda._value, index(bins), bounds)
    counted = Histogram(edges)
    return pdarray(counted, counted.count), pdarray(edges, edges.edge)
