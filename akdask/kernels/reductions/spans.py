"""Reductions of windows that each have bounds of their own: spans of time, and windows that end with their group.

Every window is reduced by itself, some million values at a time, so that nothing is ever taken away from a sum.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from akdask.columns import new_array
from akdask.kernels.reductions.windows import reduced_integers
from akdask.typing import NumberArray

AT_ONCE = 1 << 21
"""Values of windows that are reduced at a time."""

MOST_POSITIONS = 1 << 62
"""Positions of rows that can be told apart by one number."""

SPANS = ("sum", "mean", "min", "max", "var", "std", "quantile")
"""Reductions, by name."""


def span_starts(groups: NumberArray, measure: NumberArray, span: int, *, with_bound: bool = False) -> NumberArray:
    """Return the first row of each row's window: of its group, and less than a span before it.

    Parameters
    ----------
    groups : ndarray of int64
        The number of each row's group; the rows of a group stand together.
    measure : ndarray of int64
        Where each row is, such as when it was; ascending in each group.
    span : int
        How far a window reaches back.
    with_bound : bool
        Whether what is exactly so far away is inside.

    Examples
    --------
    >>> span_starts(np.array([0, 0, 0, 1]), np.array([0, 5, 9, 9]), 5).tolist()
    [0, 1, 1, 3]
    """
    nrows = len(measure)
    side: Literal["left", "right"] = "left" if with_bound else "right"
    if not nrows:
        return new_array(0, np.int64)
    firsts = np.concatenate([[0], np.flatnonzero(groups[1:] != groups[:-1]) + 1])
    counts = np.diff(np.append(firsts, nrows))
    number, since = np.repeat(np.arange(len(firsts)), counts), measure - np.repeat(measure[firsts], counts)
    if int(since.min()) < 0:
        # More than 2**63 apart: rows are looked for by what they are, which bounds do not go beyond.
        lowest = np.iinfo(np.int64).min
        bounds = np.where(measure < lowest + min(span, -lowest - 1), lowest, measure - min(span, -lowest - 1))
        far = [
            first + np.searchsorted(measure[first:end], bounds[first:end], side=side)
            for first, end in zip(firsts.tolist(), [*firsts[1:].tolist(), nrows], strict=True)
        ]
        return np.concatenate(far)
    reach = min(span, int(since.max()) + 1)
    apart = int(since.max()) + max(reach, 0) + 1
    if len(firsts) * apart < MOST_POSITIONS:
        # Groups one after the other, further apart than a window reaches: one search among all rows.
        positions = number * apart + since
        found: NumberArray = np.searchsorted(positions, positions - reach, side=side)
        return found
    starts = new_array(nrows, np.int64)
    for first, count in zip(firsts.tolist(), counts.tolist(), strict=True):
        part = since[first : first + count]
        starts[first : first + count] = first + np.searchsorted(part, part - reach, side=side)
    return starts


def span_ends(groups: NumberArray, measure: NumberArray, ahead: int) -> NumberArray:
    """Return the first row after each row's window: not of its group, or more than `ahead` after it.

    Examples
    --------
    >>> span_ends(np.array([0, 0, 0, 1]), np.array([0, 5, 9, 9]), 4).tolist()
    [1, 3, 3, 4]
    """
    # The other way round: rows count backwards, and so does what measures them.
    backwards = span_starts(groups[::-1], -measure[::-1], ahead, with_bound=True)
    found: NumberArray = len(measure) - backwards[::-1]
    return found


def first_of_equals(groups: NumberArray, measure: NumberArray) -> NumberArray:
    """Return for each row the first one of its group that is where it is, as rows whose measure ascends stand.

    Examples
    --------
    >>> first_of_equals(np.array([0, 0, 0, 1]), np.array([5, 9, 9, 9])).tolist()
    [0, 1, 1, 3]
    """
    is_first = np.ones(len(measure), np.bool_)
    is_first[1:] = (groups[1:] != groups[:-1]) | (measure[1:] != measure[:-1])
    found: NumberArray = np.maximum.accumulate(np.where(is_first, np.arange(len(measure)), 0))
    return found


def reduced_spans(
    name: str,
    column: NumberArray,
    starts: NumberArray,
    wanted: slice,
    *,
    least: int,
    ddof: int = 1,
    q: float = 0.5,
    ends: NumberArray | None = None,
) -> NumberArray:
    """Return a reduction of each window of a column, as float64.

    Parameters
    ----------
    name : str
        One of `SPANS`.
    column : ndarray of float64, or for sums and means of integers
        The rows of all windows; NaN and infinite ones count as missing.
    starts : ndarray of int64
        The first row of each window.
    wanted : slice
        The rows that a result is wanted of.
    least : int
        Fewest rows that must not be missing; with fewer the result is NaN.
    ddof : int
        What the number of rows is lessened by in the divisor of a variance.
    q : float
        Which quantile, from 0 to 1.
    ends : ndarray of int64, optional
        The first row after each window, where that is not the one after its row.

    Examples
    --------
    >>> reduced_spans("sum", np.array([1.0, 2.0, 4.0]), np.array([0, 0, 2]), slice(0, 3), least=1).tolist()
    [1.0, 3.0, 4.0]
    """
    own = np.arange(wanted.start + 1, wanted.stop + 1)
    if column.dtype.kind != "f":
        upto = own if ends is None else ends[wanted]
        return reduced_integers(name, column, np.minimum(starts[wanted], upto), upto, least=least, before=(0, 0))
    if ends is None:
        return _windows_reduced(name, column, starts[wanted], own, least, ddof, q)
    ends = ends[wanted]
    begins = np.minimum(starts[wanted], ends)
    if (begins == ends).any():
        # Windows without rows have no place among those that are reduced together.
        found = np.full(len(ends), 0.0 if name == "sum" and least == 0 else np.nan)
        some = np.flatnonzero(begins < ends)
        found[some] = _windows_reduced(name, column, begins[some], ends[some], least, ddof, q)
        return found
    return _windows_reduced(name, column, begins, ends, least, ddof, q)


def _windows_reduced(  # noqa: PLR0917 - what the caller knows
    name: str, column: NumberArray, begins: NumberArray, ends: NumberArray, least: int, ddof: int, q: float
) -> NumberArray:
    sizes = ends - begins
    out = new_array(len(ends), np.float64)
    upto = np.cumsum(sizes)
    row = 0
    while row < len(ends):
        done = upto[row - 1] if row else 0
        stop = max(int(np.searchsorted(upto, done + AT_ONCE, side="right")), row + 1)
        few = sizes[row:stop]
        edges = np.concatenate([[0], np.cumsum(few)[:-1]])
        at = np.arange(int(few.sum())) + np.repeat(begins[row:stop] - edges, few)
        out[row:stop] = _reduced(name, column[at], edges, few, least, ddof, q)
        row = stop
    return out


def _reduced(  # noqa: PLR0917 - what both callers know
    name: str, values: NumberArray, edges: NumberArray, sizes: NumberArray, least: int, ddof: int, q: float
) -> NumberArray:
    there = np.isfinite(values)
    known = np.add.reduceat(there.astype(np.int64), edges)
    needed = {"sum": 0, "var": ddof + 1, "std": ddof + 1}.get(name, 1)
    with np.errstate(all="ignore"):
        if name in ("min", "max"):
            extreme, nothing = (np.minimum, np.inf) if name == "min" else (np.maximum, -np.inf)
            found = extreme.reduceat(np.where(there, values, nothing), edges)
        elif name == "quantile":
            found = _quantiles(np.where(there, values, np.inf), edges, sizes, known, q)
        else:
            found = np.add.reduceat(np.where(there, values, 0.0), edges)
            if name != "sum":
                found = found / known
            if name in ("var", "std"):
                apart = np.where(there, values - np.repeat(found, sizes), 0.0)
                found = np.add.reduceat(apart * apart, edges) / (known - ddof)
                found = np.sqrt(found) if name == "std" else found
        result: NumberArray = np.where(known >= max(least, needed), found, np.nan)
    return result


def _quantiles(
    values: NumberArray, edges: NumberArray, sizes: NumberArray, known: NumberArray, q: float
) -> NumberArray:
    windows = np.repeat(np.arange(len(edges)), sizes)
    ordered = values[np.lexsort((values, windows))]
    most = np.maximum(known - 1, 0)
    place = q * most
    below = place.astype(np.int64)
    low, high = ordered[edges + below], ordered[edges + np.minimum(below + 1, most)]
    found: NumberArray = low + (high - low) * (place - below)
    return found
