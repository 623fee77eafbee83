"""Intervals: look up the best interval that holds each value, of one column or several.

Values are compared with the bounds of all intervals at once. All values between two neighbouring bounds have the same
best interval. So the index finds it once for each such place, when it is built.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.table import Sized, concat_rows
from akdask.errors import ArgumentError
from akdask.operators.join.key_tables import SortedKeys
from akdask.typing import Column, NumberArray


class BoundOrder:
    """Ranks of values among sorted bounds: odd ranks equal a bound, even ranks are between two bounds.

    Examples
    --------
    >>> order = BoundOrder([np.array([1, 5, 1])])
    >>> order.ranks([np.array([0, 1, 2, 5, 9])]).tolist(), order.size
    ([0, 1, 2, 3, 4], 5)
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        distinct = [_distinct(column) for column in columns]
        self._keys = [SortedKeys(values) for values in distinct]
        self._widths = [2 * len(values) + 1 for values in distinct]
        self._prefixes: list[NumberArray] = []
        found = _rank(self._keys[0], columns[0])
        for number in range(1, len(columns)):
            combined = found * self._widths[number] + _rank(self._keys[number], columns[number])
            self._prefixes.append(np.unique(combined))
            found = _between(self._prefixes[-1], combined)
        self.size = 2 * len(self._prefixes[-1] if self._prefixes else distinct[0]) + 1

    def ranks(self, columns: Sequence[Column]) -> NumberArray:
        """Return the ranks of rows, compared by the first column first."""
        found = _rank(self._keys[0], columns[0])
        for number, prefix in enumerate(self._prefixes, 1):
            found = _between(prefix, found * self._widths[number] + _rank(self._keys[number], columns[number]))
        return found


def _distinct(column: Column) -> Column:
    return np.unique(column) if isinstance(column, np.ndarray) else from_ints(sorted(set(to_ints(column))))


def _rank(keys: SortedKeys, values: Column) -> NumberArray:
    return keys.search(values, "left") + keys.search(values, "right")


def _between(distinct: NumberArray, values: NumberArray) -> NumberArray:
    ranks: NumberArray = np.searchsorted(distinct, values, "left") + np.searchsorted(distinct, values, "right")
    return ranks


class IntervalIndex(Sized):
    """An index of closed intervals; see `interval_index`."""

    def find(self, columns: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the number of the best interval that holds each value, -1 without one."""
        raise NotImplementedError


class LineIntervals(IntervalIndex):
    """Intervals of rows that are compared by the first column first.

    Examples
    --------
    >>> index = LineIntervals([np.array([0, 3])], [np.array([4, 9])], np.array([0, 1]))
    >>> index.find([np.array([-1, 0, 3, 4, 5, 10])]).tolist()
    [-1, 0, 0, 0, 1, -1]
    """

    def __init__(self, lows: Sequence[Column], highs: Sequence[Column], by_rank: NumberArray) -> None:
        self._order = BoundOrder([concat_rows([low, high]) for low, high in zip(lows, highs, strict=True)])
        first, last = self._order.ranks(lows), self._order.ranks(highs)
        _check(first, last)
        if (np.diff(first) < 0).any():
            raise ArgumentError("intervals come in ascending order of their lower bounds.", hint="sort them first.")
        self._best = _best_by_place(first, last, by_rank, self._order.size)

    def find(self, columns: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        return self._best.take(self._order.ranks(columns), out=out, mode="clip")


class BoxIntervals(IntervalIndex):
    """Boxes: values lie within if each of their columns does.

    Examples
    --------
    >>> bounds = [np.array([0, 5]), np.array([0, 11])], [np.array([5, 9]), np.array([10, 20])]
    >>> BoxIntervals(*bounds, np.array([0, 1])).find([np.array([0, 0, 5]), np.array([0, 20, 15])]).tolist()
    [0, -1, 1]
    """

    def __init__(self, lows: Sequence[Column], highs: Sequence[Column], by_rank: NumberArray) -> None:
        pairs = list(zip(lows, highs, strict=True))
        self._orders = [BoundOrder([concat_rows([low, high])]) for low, high in pairs]
        self._first = [order.ranks([low]) for order, low in zip(self._orders, lows, strict=True)]
        self._last = [order.ranks([high]) for order, high in zip(self._orders, highs, strict=True)]
        for first, last in zip(self._first, self._last, strict=True):
            _check(first, last)
        self._by_rank = by_rank

    def find(self, columns: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        ranks = [order.ranks([column]) for order, column in zip(self._orders, columns, strict=True)]
        found = np.empty(len(ranks[0]), np.int64) if out is None else out
        found[...] = -1
        rows = np.argsort(ranks[0], kind="stable")
        ordered = ranks[0][rows]
        starts = np.searchsorted(ordered, self._first[0], "left")
        stops = np.searchsorted(ordered, self._last[0], "right")
        worst_first = self._by_rank[::-1]
        # The best interval is written last, and stays.
        for box in worst_first[(stops > starts)[worst_first]]:
            inside = rows[starts[box] : stops[box]]
            for rank, first, last in zip(ranks[1:], self._first[1:], self._last[1:], strict=True):
                inside = inside[(rank[inside] >= first[box]) & (rank[inside] <= last[box])]
            found[inside] = box
        return found


def interval_index(
    lows: Sequence[Column], highs: Sequence[Column], tiebreak: NumberArray | None, *, as_line: bool
) -> IntervalIndex:
    """Return closed intervals as an index.

    Parameters
    ----------
    lows, highs : sequence of columns
        The bounds, which belong to the intervals.
    tiebreak : ndarray, optional
        Among the intervals that hold a value, the one with the least number is the best. On ties, or without numbers,
        it is the first.
    as_line : bool
        Compare rows by the first column first; otherwise intervals of several columns are boxes.

    Raises
    ------
    ArgumentError
        If a bound is NaN, an upper bound is below the lower one, or the intervals of a line are in no order.
    """
    if any(
        isinstance(bound, np.ndarray) and bound.dtype.kind == "f" and np.isnan(bound).any() for bound in [*lows, *highs]
    ):
        raise ArgumentError("a bound of an interval is NaN, which is neither above nor below anything.")
    count = len(lows[0])
    by_rank = np.arange(count) if tiebreak is None else np.argsort(tiebreak, kind="stable")
    return (LineIntervals if as_line else BoxIntervals)(lows, highs, by_rank)


def _check(first: NumberArray, last: NumberArray) -> None:
    wrong = np.flatnonzero(last < first)
    if len(wrong):
        raise ArgumentError(
            "upper bounds of intervals are not below the lower ones.",
            details=[f"{len(wrong)} of {len(first)} are, the first is interval {wrong[0]}"],
        )


def _best_by_place(first: NumberArray, last: NumberArray, by_rank: NumberArray, size: int) -> NumberArray:
    """Return for each rank the best interval that spans it, -1 without one."""
    best = np.full(size, -1)
    lengths = last - first + 1
    if (first[1:] > last[:-1]).all():
        before = np.cumsum(lengths) - lengths
        best[np.repeat(first - before, lengths) + np.arange(lengths.sum())] = np.repeat(np.arange(len(first)), lengths)
        return best
    # Each rank goes to the first interval that claims it; `free` leads past ranks that are taken.
    free = list(range(size + 1))
    starts, stops = first.tolist(), last.tolist()
    for interval in by_rank.tolist():
        place = _free_from(free, starts[interval])
        while place <= stops[interval]:
            best[place] = interval
            free[place] = place + 1
            place = _free_from(free, place + 1)
    return best


def _free_from(free: list[int], place: int) -> int:
    """Return the first free rank from one on, and shorten the path to it."""
    end = place
    while free[end] != end:
        end = free[end]
    while free[place] != end:
        free[place], place = end, free[place]
    return end
