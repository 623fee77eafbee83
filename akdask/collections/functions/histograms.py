"""Histograms: counts and edges as lazy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.groups.base import projected
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import cast
from akdask.plan.reduce.bincount import Bincount
from akdask.plan.reduce.histogram import Edges, Histogram
from akdask.plan.run.alignment import align
from akdask.schema import FLOAT64

Range = tuple[float, float] | None


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
    counts, (edges,) = _counted("histogram", [pda], [bins], [range])
    return counts, edges


def histogram2d(
    x: pdarray, y: pdarray, bins: int | Sequence[int] = 10, range: tuple[Range, Range] | None = None
) -> tuple[Any, pdarray, pdarray]:
    """Count pairs of elements in bins of equal width; lazy.

    Parameters
    ----------
    x, y : pdarray
        The elements; they share rows.
    bins : int or (int, int), default 10
        Number of bins, for both or for each.
    range : ((low, high), (low, high)), optional
        First and last edges; see `histogram`.

    Returns
    -------
    counts : ArrayView of float64, shape (x bins, y bins)
    x_edges, y_edges : pdarray of float64

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.
    ArgumentError
        See `histogram`.

    Examples
    --------
    >>> import akdask as ak
    >>> counts, x_edges, y_edges = ak.histogram2d(ak.array([0, 1, 1]), ak.array([5, 6, 6]), bins=2)
    >>> counts.to_ndarray().tolist(), y_edges.tolist()
    ([[1.0, 0.0], [0.0, 2.0]], [5.0, 5.5, 6.0])
    """
    counts, (x_edges, y_edges) = histogramdd([x, y], bins, range)
    return counts, x_edges, y_edges


def histogramdd(
    sample: Sequence[pdarray], bins: int | Sequence[int] = 10, range: Sequence[Range] | None = None
) -> tuple[Any, list[pdarray]]:
    """Count rows of several arrays in bins of equal width; lazy.

    Parameters
    ----------
    sample : sequence of pdarray
        One array for each dimension; they share rows.
    bins : int or sequence of int, default 10
        Number of bins, for all or for each.
    range : sequence of (low, high) or None, optional
        First and last edges of each; see `histogram`.

    Returns
    -------
    counts : ArrayView of float64, with a dimension for each array
    edges : list of pdarray of float64

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.
    ArgumentError
        If there are not as many bins or ranges as arrays, and where `histogram` raises it.

    Examples
    --------
    >>> import akdask as ak
    >>> counts, edges = ak.histogramdd([ak.arange(4), ak.arange(4)], bins=[2, 2])
    >>> counts.to_ndarray().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    sample = list(sample)
    each = list(bins) if isinstance(bins, Sequence) else [bins] * len(sample)
    ranges = [None] * len(sample) if range is None else list(range)
    if not len(sample) == len(each) == len(ranges) > 0:
        raise ArgumentError(
            "histogramdd takes at least one array, and bins and a range for each.",
            details=[f"arrays: {len(sample)}, bins: {len(each)}, ranges: {len(ranges)}"],
        )
    counts, edges = _counted("histogramdd", sample, each, ranges)
    return counts.astype(np.float64).reshape(*each), edges


def bincount(x: pdarray, weights: pdarray | None = None, minlength: int = 0) -> pdarray:
    """Count how often each whole number from 0 on occurs; lazy, in one partition.

    Parameters
    ----------
    x : pdarray of int, uint or bool
        The numbers, none of them below 0.
    weights : pdarray, optional
        What each counts, 1 unless given; with the rows of `x`.
    minlength : int
        Fewest counts to return.

    Returns
    -------
    pdarray of int64, or of float64 with weights
        One count for each number up to the largest.

    Raises
    ------
    ArgumentTypeError
        If `x` has no integers.
    ArgumentError
        If `minlength` is below 0; when computed, if a number is, or is too large for a table of counts.

    Notes
    -----
    Follows ``numpy.bincount``; Arkouda has no such function.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.bincount(ak.array([3, 1, 1])).tolist()
    [0, 2, 0, 1]
    """
    given = [_number("bincount", x)]
    if given[0][1].dtype.kind not in ("int", "uint", "bool"):
        raise ArgumentTypeError(f"bincount needs a lazy array of integers, got {_kind(x)}.")
    if index(minlength) < 0:
        raise ArgumentError(f"bincount: minlength is a whole number from 0, not {minlength!r}.")
    if weights is not None:
        frame, value = _number("bincount", weights)
        given.append((frame, cast(value, FLOAT64)))
    frame, values = align("count", given)
    counted = Bincount(projected(frame, values), index(minlength))
    return pdarray(counted, counted.count)


def _counted(
    name: str, sample: Sequence[Any], bins: Sequence[int], ranges: Sequence[Range]
) -> tuple[pdarray, list[pdarray]]:
    frame, values = align(name, [_number(name, item) for item in sample])
    searched = tuple(value for value, bounds in zip(values, ranges, strict=True) if bounds is None)
    edges = tuple(
        Edges(frame, value, _bins(name, count), _bounds(name, bounds), searched if bounds is None else ())
        for value, count, bounds in zip(values, bins, ranges, strict=True)
    )
    counted = Histogram(edges)
    return pdarray(counted, counted.count), [pdarray(item, item.edge) for item in edges]


def _number(name: str, item: Any) -> tuple[Any, Any]:
    """Return numbers as frame and value, integers of any size as floats."""
    if not isinstance(item, pdarray):
        raise ArgumentTypeError(f"{name} needs lazy arrays of numbers, got {_kind(item)}.")
    value = item._value
    return item._frame, cast(value, FLOAT64) if value.dtype.kind == "bigint" else value


def _kind(item: Any) -> str:
    return item._describe() if isinstance(item, Array) else type(item).__name__


def _bins(name: str, bins: int) -> int:
    if index(bins) < 1:
        raise ArgumentError(f"{name}: bins is a whole number from 1, not {bins!r}.")
    return index(bins)


def _bounds(name: str, bounds: Range) -> Range:
    if bounds is None:
        return None
    low, high = map(float, bounds)
    if not low <= high:
        raise ArgumentError(f"{name}: the range {bounds!r} does not ascend.", hint="pass range=(low, high).")
    return low, high
