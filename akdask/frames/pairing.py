"""Pairs of rows of two arrays with equal elements, as positions, and the numbers of ranges."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.comparable_keys import as_array, as_arrays, like
from akdask.arrays.group_keys import projected
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import INT64
from akdask.engine.alignment import align
from akdask.engine.explain import is_small
from akdask.engine.values import Call, cast
from akdask.errors import ArgumentError
from akdask.frames.dataframe import DataFrame
from akdask.frames.join import inner_join, merge
from akdask.operators.rows.numbers import row_numbers
from akdask.operators.rows.plan import ConcatRanges, SegmentStarts

PREDICATES = ("true_dt", "abs_dt", "pos_dt")
PAIR_BYTES = 16
LEFT, RIGHT = "left", "right"


def left_join(left: Any, right: Any) -> tuple[pdarray, pdarray]:
    """Return the positions of all pairs of equal elements, and of the elements of `left` that have none; lazy.

    Parameters
    ----------
    left, right : array, or sequence of arrays
        Of several arrays, each row is an element.

    Returns
    -------
    left_positions : pdarray of int64
        Ascending, every position at least once.
    right_positions : pdarray of int64
        Ascending for each element of `left`; -1 without a match.

    Examples
    --------
    >>> import akdask as ak
    >>> lefts, rights = ak.left_join(ak.array([3, 5, 1]), ak.array([1, 3, 3]))
    >>> lefts.tolist(), rights.tolist()
    ([0, 0, 1, 2], [1, 2, -1, 0])
    """
    arrays = as_arrays(left)
    others = as_arrays(like(arrays[0], right))
    names = [f"key {number}" for number in range(len(arrays))]
    if len(arrays) != len(others):
        raise ArgumentError(
            "left_join needs as many arrays on both sides.", details=[f"given: {len(arrays)} and {len(others)}"]
        )
    numbered, others_numbered = _numbered(names, arrays, LEFT), _numbered(names, others, RIGHT)
    joined = merge(numbered, others_numbered, on=names, how="left", convert_ints=False, sort=False)
    # Positions count from 1 in the join, whose integers are 0 where there is no match.
    return joined[LEFT] - 1, joined[RIGHT] - 1


def join_on_eq_with_dt(
    a1: pdarray, a2: pdarray, t1: pdarray, t2: pdarray, dt: Any, pred: str, result_limit: int = 1000
) -> tuple[pdarray, pdarray]:
    """Return the positions of pairs of equal elements whose times are close to each other; lazy.

    Parameters
    ----------
    a1, a2 : pdarray
        The elements.
    t1, t2 : pdarray, Datetime or Timedelta
        The times of the elements of `a1` and `a2`.
    dt : int or span of time
        Largest distance of times.
    pred : {"true_dt", "abs_dt", "pos_dt"}
        Ignore times, pair times at most `dt` apart, or pair times of `a2` from 0 to `dt` after times of `a1`.
    result_limit : int, default 1000
        Most pairs.

    Returns
    -------
    left_positions : pdarray of int64
        Positions in `a1`, ascending, of the first of all pairs; an Arkouda server returns any pairs.
    right_positions : pdarray of int64
        Positions in `a2`.

    Raises
    ------
    ArgumentError
        If `pred` is something else, or `result_limit` is below 0.

    Examples
    --------
    >>> import akdask as ak
    >>> keys, times = ak.array([1, 1, 2]), ak.array([10, 20, 30])
    >>> lefts, rights = ak.join_on_eq_with_dt(keys, keys, times, times, 10, "pos_dt")
    >>> lefts.tolist(), rights.tolist()
    ([0, 0, 1, 2], [0, 1, 1, 2])
    """
    if pred not in PREDICATES:
        raise ArgumentError(f"pred={pred!r} is no predicate.", details=[f"predicates: {', '.join(PREDICATES)}"])
    if isinstance(dt, int | float | np.number) and dt < 0:
        raise ArgumentError(f"dt is a span from 0, not {dt!r}.")
    if index(result_limit) < 0:
        raise ArgumentError(f"result_limit is a whole number from 0, not {result_limit!r}.")

    def is_close(first: Any, second: Any) -> Any:
        later = (second >= first) & (second - first <= dt)
        return later if pred == "pos_dt" else later | ((first >= second) & (first - second <= dt))

    lefts, rights = inner_join(a1, a2) if pred == "true_dt" else inner_join(a1, a2, is_close, (t1, t2))
    return lefts.head(result_limit), rights.head(result_limit)


def compute_join_size(a: Any, b: Any) -> tuple[int, int]:
    """Return how many pairs an inner join of two arrays has, and how many bytes their positions take; computes.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.compute_join_size(ak.array([3, 1, 3]), ak.array([3, 3, 2]))
    (4, 64)
    """
    keys, counts = GroupBy(a, dropna=False).size()
    others, other_counts = GroupBy(b, dropna=False).size()
    lefts, rights = inner_join(keys, others)
    pairs = int((counts[lefts] * other_counts[rights]).sum())
    return pairs, PAIR_BYTES * pairs


def gen_ranges(starts: pdarray, ends: pdarray, stride: int = 1, return_lengths: bool = False) -> tuple[pdarray, ...]:
    """Return the numbers of many ranges, end to end; lazy.

    Parameters
    ----------
    starts, ends : pdarray of int
        The first number of each range, and its exclusive end.
    stride : int, default 1
        The distance of numbers of one range, at least 1.
    return_lengths : bool
        Return how many numbers each range has as well.

    Returns
    -------
    segments : pdarray of int64
        Where each range begins among the numbers.
    ranges : pdarray of int64
    lengths : pdarray of int64, with `return_lengths`

    Raises
    ------
    ArgumentError
        If `stride` is below 1, or a range ends before it starts.  Ranges of little data are checked at once, others
        when they are computed.

    Examples
    --------
    >>> import akdask as ak
    >>> segments, ranges = ak.gen_ranges(ak.array([0, 5]), ak.array([3, 7]))
    >>> segments.tolist(), ranges.tolist()
    ([0, 3], [0, 1, 2, 5, 6])
    """
    if index(stride) < 1:
        raise ArgumentError(f"the stride of ranges is a whole number from 1, not {stride!r}.")
    firsts, lasts = as_array(starts), as_array(ends)
    frame, (first, last) = align("generate ranges", [firsts._as_operand(), lasts._as_operand()])
    first, last = (cast(bound, INT64) if bound.dtype.kind == "uint" else bound for bound in (first, last))
    length = Call("range_length", first, last, stride=index(stride))
    if is_small(frame, [length]):
        # As scripts expect it, bounds in the wrong order are told where they are given, if that takes no time.
        pdarray(frame, length).to_ndarray()
    intervals = ConcatRanges(projected(frame, [first, length]), index(stride))
    begins = SegmentStarts(projected(frame, [length]))
    found = pdarray(begins, begins.starts), pdarray(intervals, intervals.number)
    return (*found, pdarray(frame, length)) if return_lengths else found


def _numbered(names: list[str], arrays: list[Array], number: str) -> DataFrame:
    """Return arrays as columns, with the number of each row, from 1, as one more."""
    frame, _ = align("left_join", [(array._frame, array._value) for array in arrays])
    return DataFrame.of({**dict(zip(names, arrays, strict=True)), number: pdarray(*row_numbers(frame)) + 1})
