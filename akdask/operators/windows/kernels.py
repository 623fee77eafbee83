"""Window kernels: reductions of moving windows and of spans, recurrences, and running results of groups.

A column is cut into blocks of `width` rows, and a window of `width` rows reaches over at most two blocks. Its result
merges the end of one block and the beginning of the next, each found in one pass. So nothing is ever subtracted from a
sum, and rounding errors do not grow along the column. Blocks are counted from the first window, so results do not
depend on partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import BIGINT, ColumnType
from akdask.columns.exact import EXACT
from akdask.columns.memory import new_array
from akdask.columns.summation import sum_integers
from akdask.columns.table import type_of
from akdask.engine.reduction import TOTALS, themselves
from akdask.operators.reduce.extremes import without_sign_of_zero
from akdask.operators.windows import loops, tuning
from akdask.records import record
from akdask.typing import Column, NumberArray

WINDOWS = ("sum", "mean", "min", "max", "var", "std")
"""Reductions of windows, by name."""

RUNNING = ("cumsum", "cumprod", "cummin", "cummax")
"""Running results of groups, by name."""


def reduced_windows(
    name: str, column: NumberArray, width: int, first: int, *, least: int, ddof: int = 1
) -> NumberArray:
    """Return a reduction of each window of a column, as float64.

    Parameters
    ----------
    name : str
        One of `WINDOWS`.
    column : ndarray of float64
        The rows of all windows; NaN and infinite ones count as missing.
    width : int
        Rows of a window.
    first : int
        Number of the first window among those of all rows.
    least : int
        Fewest rows that must not be missing; with fewer the result is NaN.
    ddof : int
        Subtracted from the number of rows in the divisor of a variance.

    Examples
    --------
    >>> reduced_windows("sum", np.array([1.0, 2.0, 4.0, 8.0]), 2, 0, least=2).tolist()
    [3.0, 6.0, 12.0]
    """
    rows, phase = np.ascontiguousarray(column, np.float64), -first % width
    out = new_array(max(len(rows) - width + 1, 0), np.float64)
    if name in ("sum", "mean"):
        loops.fill_sums(rows, width, phase, least, name == "mean", out)
    elif name in ("min", "max"):
        loops.fill_extremes(rows, width, phase, least, 1.0 if name == "min" else -1.0, out)
    else:
        loops.fill_variances(rows, width, phase, least, ddof, name == "std", out)
    return out


def sums_of_integers(integers: NumberArray, begins: NumberArray, ends: NumberArray, before: int = 0) -> NumberArray:
    """Return the sum of each window of integers, as the nearest float.

    Sums of integers are exact, so here one total is subtracted from another.

    Parameters
    ----------
    integers : ndarray of int64 or uint64
        The rows of all windows.
    begins, ends : ndarray of int64
        The first row of each window, and the one after its last.
    before : int
        Added to all sums.

    Examples
    --------
    >>> sums_of_integers(np.array([2**53, 1, -(2**53)]), np.array([0, 0, 1]), np.array([2, 3, 3])).tolist()
    [9007199254740992.0, 1.0, -9007199254740991.0]
    """
    if _largest(integers) * len(integers) + abs(before) < 2**63:
        totals = _totals(integers)
        return (totals[ends] - totals[begins] + before).astype(np.float64)
    high, low = ((totals[ends] - totals[begins]) for totals in map(_totals, (integers >> 32, integers & 0xFFFFFFFF)))
    low += before & 0xFFFFFFFF
    high += (low >> 32) + (before >> 32)
    # The float of the upper half leaves a rest that is a float; only the last addition rounds.
    most = high.astype(np.float64)
    rest = ((high - most.astype(np.int64)) << 32) + (low & 0xFFFFFFFF)
    return most * 2.0**32 + rest


def are_exact_as_floats(parts: Sequence[NumberArray], width: int) -> bool:
    """Whether floats hold all sums of so many integers exactly; loops add floats faster.

    Examples
    --------
    >>> are_exact_as_floats([np.array([2**51, 1])], 4), are_exact_as_floats([np.array([1]), np.array([-(2**53)])], 2)
    (True, False)
    """
    return max(map(_largest, parts)) * min(width, sum(map(len, parts))) <= EXACT


def _largest(integers: NumberArray) -> int:
    return max(int(integers.max()), -int(integers.min())) if len(integers) else 0


def _totals(integers: NumberArray) -> NumberArray:
    """Return the sums of all rows before each row, and of all rows."""
    totals = np.zeros(len(integers) + 1, np.int64)
    np.cumsum(integers, out=totals[1:], dtype=np.int64)
    return totals


def reduced_integers(
    name: str, integers: NumberArray, begins: NumberArray, ends: NumberArray, *, least: int, before: tuple[int, int]
) -> NumberArray:
    """Return sums or means of windows of integers, NaN for fewer rows than `least`; see `sums_of_integers`.

    Parameters
    ----------
    name : {"sum", "mean"}
        The reduction.
    before : (int, int)
        Number and sum of earlier rows that belong to each window.

    Examples
    --------
    >>> rows = np.array([1, 2, 6])
    >>> reduced_integers("mean", rows, np.zeros(3, int), np.arange(1, 4), least=2, before=(0, 0)).tolist()
    [nan, 1.5, 3.0]
    """
    count, total = before
    found = sums_of_integers(integers, begins, ends, total)
    known = ends - begins + count
    if name == "mean":
        with np.errstate(all="ignore"):
            found = found / known
    found[known < (least if name == "sum" else max(least, 1))] = np.nan
    return found


INTEGER_WINDOWS = ("sum", "mean")
"""Reductions of windows that take integers exactly."""


State = tuple[NumberArray, ...]
"""For some rows of each block: the number of values, and the state of their reduction."""


@record
class _Family:
    """A reduction of windows: the state of no rows, of one more row in each block, and of two parts."""

    start: Callable[[int], State]
    add: Callable[[State, NumberArray], State]
    merge: Callable[[State, State], State]


def _add_to_sum(state: State, rows: NumberArray) -> State:
    count, total = state
    there = np.isfinite(rows)
    return count + there, np.where(there, total + np.where(there, rows, 0.0), total)


def _add_to_extreme(state: State, rows: NumberArray) -> State:
    count, best = state
    there = np.isfinite(rows)
    return count + there, np.where(there & (rows < best), rows, best)


def _add_to_squares(state: State, rows: NumberArray) -> State:
    count, mean, square = state
    there = np.isfinite(rows)
    step = np.where(there, rows, mean) - mean
    more = count + there
    moved = mean + step / np.maximum(more, 1)
    return more, np.where(there, moved, mean), np.where(there, square + step * (rows - moved), square)


def _merged_squares(one: State, other: State) -> State:
    known = one[0] + other[0]
    apart = one[1] - other[1]
    between = apart * apart * one[0] * other[0] / np.maximum(known, 1)
    return known, one[1], one[2] + other[2] + between


_SUMS = _Family(
    lambda blocks: (np.zeros(blocks), np.zeros(blocks)),
    _add_to_sum,
    lambda one, other: (one[0] + other[0], one[1] + other[1]),
)
_EXTREMES = _Family(
    lambda blocks: (np.zeros(blocks), np.full(blocks, np.inf)),
    _add_to_extreme,
    lambda one, other: (one[0] + other[0], np.where(other[1] < one[1], other[1], one[1])),
)
_SQUARES = _Family(
    lambda blocks: (np.zeros(blocks), np.zeros(blocks), np.zeros(blocks)), _add_to_squares, _merged_squares
)
_BY_NAME = {"sum": _SUMS, "mean": _SUMS, "min": _EXTREMES, "max": _EXTREMES, "var": _SQUARES, "std": _SQUARES}


def _finished(name: str, state: State, least: int, ddof: int) -> NumberArray:
    """Return the reductions of windows, NaN if too many rows are missing."""
    known, found = state[0], state[-1]
    needed = {"sum": 0, "var": ddof + 1, "std": ddof + 1}.get(name, 1)
    if name == "mean":
        found = found / known
    elif name in ("var", "std"):
        found = found / (known - ddof)
    result: NumberArray = np.where(known >= max(least, needed), np.sqrt(found) if name == "std" else found, np.nan)
    return result


def expanded_states(name: str, column: NumberArray) -> State:
    """Return for each row of a column the state of a reduction of it and all rows before it.

    Parameters
    ----------
    name : str
        One of `WINDOWS`.
    column : ndarray
        Numbers; NaN and infinite ones count as missing.

    Examples
    --------
    >>> [part.tolist() for part in expanded_states("sum", np.array([1.0, np.nan, 4.0]))]
    [[1.0, 1.0, 2.0], [1.0, 1.0, 5.0]]
    """
    family = _BY_NAME[name]
    steps, nrows = _in_blocks(column, np.nan), len(column)
    state = family.start(steps.shape[1])
    each: State = tuple(np.empty(steps.shape) for _ in state)
    with np.errstate(all="ignore"):
        for place, rows in enumerate(-steps if name == "max" else steps):
            state = family.add(state, rows)
            for part, found in zip(each, state, strict=True):
                part[place] = found
        before = tuple(np.empty(steps.shape[1]) for _ in state)
        total = family.start(1)
        for block in range(steps.shape[1]):
            for part, found in zip(before, total, strict=True):
                part[block] = found[0]
            total = merged_states(name, total, tuple(part[block : block + 1] for part in state))
        merged = merged_states(name, before, each)
    return tuple(part.T.ravel()[:nrows] for part in merged)


def merged_states(name: str, one: State, other: State) -> State:
    """Merge the states of the rows of both, `one` first."""
    merged = _BY_NAME[name].merge(one, other)
    if name not in ("var", "std"):
        return merged
    # Windows need no mean after a merge; here it must be the mean of all rows.
    share = other[0] / np.maximum(merged[0], 1)
    return merged[0], one[1] + (other[1] - one[1]) * share, merged[2]


def expanded_results(name: str, states: State, *, least: int, ddof: int) -> NumberArray:
    """Return the results of states, NaN if too many rows are missing; see `reduced_windows`."""
    with np.errstate(all="ignore"):
        found = _finished(name, states, least, ddof)
    return -found if name == "max" else found


def linear_recurrence(factors: NumberArray, terms: NumberArray) -> tuple[NumberArray, NumberArray]:
    """Return the products of all factors up to each row, and the results of ``y = factor * y + term``, from 0.

    For another start, add the start times the products to the results.

    Examples
    --------
    >>> products, results = linear_recurrence(np.array([0.5, 0.5, 0.5]), np.array([8.0, 0.0, 1.0]))
    >>> products.tolist(), results.tolist()
    ([0.5, 0.25, 0.125], [8.0, 4.0, 3.0])
    """
    products, results = new_array(len(terms), np.float64), new_array(len(terms), np.float64)
    loops.fill_recurrence(np.ascontiguousarray(factors), np.ascontiguousarray(terms), products, results)
    return products, results


def _in_blocks(column: NumberArray, fill: float) -> NumberArray:
    """Return the rows in columns of equal length, the last one padded, so that all take a step at once."""
    blocks = -(-len(column) // tuning.STEPS)
    padded = np.full(blocks * tuning.STEPS, fill)
    padded[: len(column)] = column
    return np.ascontiguousarray(padded.reshape(-1, tuning.STEPS).T)


def window_quantiles(column: NumberArray, width: int, q: float, *, least: int) -> NumberArray:
    """Return a quantile of each window of a column, with linear interpolation.

    Every window is sorted by itself.

    Parameters
    ----------
    column : ndarray of float64
        The rows of all windows; NaN and infinite ones count as missing.
    width : int
        Rows of a window.
    q : float
        The quantile, from 0 to 1.
    least : int
        Fewest rows that must not be missing; with fewer the result is NaN.

    Examples
    --------
    >>> window_quantiles(np.array([1.0, 9.0, 4.0, 8.0]), 3, 0.5, least=3).tolist()
    [4.0, 8.0]
    """
    nrows = max(len(column) - width + 1, 0)
    out = new_array(nrows, np.float64)
    if not nrows:
        return out
    rows = np.where(np.isfinite(column), column, np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(rows, width)
    at_once = max(tuning.WINDOW_VALUES // width, 1)
    for start in range(0, nrows, at_once):
        ordered = np.sort(windows[start : start + at_once], axis=1)
        known = width - np.isnan(ordered).sum(axis=1)
        place = q * np.maximum(known - 1, 0)
        below = place.astype(np.int64)
        number = np.arange(len(ordered))
        low, high = ordered[number, below], ordered[number, np.minimum(below + 1, np.maximum(known - 1, 0))]
        found = low + (high - low) * (place - below)
        out[start : start + at_once] = np.where(known >= max(least, 1), found, np.nan)
    return out


def running_by_group(
    name: str, column: NumberArray, groups: NumberArray, before: tuple[int, Any] | None
) -> tuple[NumberArray, tuple[int, Any] | None]:
    """Return the running results of groups with adjacent rows, and the group and result of the last row.

    Parameters
    ----------
    name : str
        One of `RUNNING`.
    column : ndarray
        Numbers; NaN stay NaN, and are otherwise ignored.
    groups : ndarray of int64
        The number of each row's group.
    before : (int, number), optional
        Group and result of the row before the first one.

    Examples
    --------
    >>> found, last = running_by_group("cumsum", np.array([1, 2, 4]), np.array([0, 1, 1]), (0, 10))
    >>> found.tolist(), int(last[1])
    ([11, 2, 6], 6)
    """
    if not len(column):
        return column, before
    rows = np.ascontiguousarray(column)
    identity = _identity(name, rows.dtype)
    group, start = (-1, identity) if before is None else before
    state = np.array([start], rows.dtype)
    out = np.empty_like(rows)
    loops.fill_running(
        RUNNING.index(name),
        rows,
        np.ascontiguousarray(groups),
        group,
        state,
        np.array([identity], rows.dtype),
        out,
    )
    return out, (int(groups[-1]), state[0])


def running_in_order(
    name: str, column: NumberArray, groups: NumberArray, count: int, before: NumberArray | None
) -> tuple[NumberArray, NumberArray]:
    """Return the running results of groups whose rows need not be adjacent, and what each group comes to.

    Parameters
    ----------
    name : str
        One of `RUNNING`.
    column : ndarray
        Numbers; NaN stay NaN, and are otherwise ignored.
    groups : ndarray of int64
        The number of each row's group, below `count`; negative for rows of none, which keep their values.
    count : int
        Number of groups.
    before : ndarray, optional
        What the groups come to in earlier rows.

    Examples
    --------
    >>> found, states = running_in_order("cumsum", np.array([1, 2, 4]), np.array([1, 0, 1]), 2, np.array([10, 0]))
    >>> found.tolist(), states.tolist()
    ([1, 12, 5], [12, 5])
    """
    rows = np.ascontiguousarray(column)
    states = np.full(count, _identity(name, rows.dtype), rows.dtype) if before is None else before.copy()
    out = np.empty_like(rows)
    loops.fill_running_in_order(RUNNING.index(name), rows, np.ascontiguousarray(groups), states, out)
    return out, states


def previous_in_group(
    groups: NumberArray, positions: NumberArray, count: int, before: NumberArray | None
) -> tuple[NumberArray, NumberArray]:
    """Return the positions of the rows before rows in their groups, -1 for none, and those of the last rows of groups.

    Parameters
    ----------
    groups : ndarray of int64
        The number of each row's group, below `count`; negative for rows of none.
    positions : ndarray of int64
        What the rows are called.
    count : int
        Number of groups.
    before : ndarray, optional
        The last rows of the groups among earlier rows.

    Examples
    --------
    >>> found, last = previous_in_group(np.array([0, 1, 0]), np.array([5, 6, 7]), 2, None)
    >>> found.tolist(), last.tolist()
    ([-1, -1, 5], [7, 6])
    """
    states = np.full(count, -1) if before is None else before.copy()
    out = new_array(len(groups), np.int64)
    loops.fill_previous(np.ascontiguousarray(groups), np.ascontiguousarray(positions), states, out)
    return out, states


def running_sums_by_group(integers: NumberArray, groups: NumberArray, before: tuple[int, int] | None) -> NumberArray:
    """Return the floats nearest to running sums of integers by group; see `running_by_group`.

    Examples
    --------
    >>> found = running_sums_by_group(np.array([2**53, 1, -1]), np.array([0, 1, 1]), (0, 2**70))
    >>> found.tolist() == [float(2**70 + 2**53), 1.0, 0.0]
    True
    """
    nrows = len(integers)
    if not nrows:
        return new_array(0, np.float64)
    is_first = np.ones(nrows, np.bool_)
    is_first[1:] = groups[1:] != groups[:-1]
    begins = np.maximum.accumulate(np.where(is_first, np.arange(nrows), 0))
    ends = np.arange(1, nrows + 1)
    found = sums_of_integers(integers, begins, ends)
    if before is not None and before[0] == groups[0]:
        # The first group continues from the earlier rows.
        count = int(np.count_nonzero(begins == 0))
        found[:count] = sums_of_integers(integers[:count], begins[:count], ends[:count], before[1])
    return found


def last_total(integers: NumberArray, groups: NumberArray) -> tuple[int, int] | None:
    """Return the group of the last row, and the sum of the integers of its rows; None without rows.

    Examples
    --------
    >>> last_total(np.array([5, 1, 2**62]), np.array([0, 1, 1])) == (1, 2**62 + 1)
    True
    """
    return (int(groups[-1]), sum_integers(integers[groups == groups[-1]])) if len(groups) else None


def _identity(name: str, dtype: np.dtype[Any]) -> Any:
    """Return the neutral value of a running result."""
    if name in ("cumsum", "cumprod"):
        return 0 if name == "cumsum" else 1
    if dtype.kind == "f":
        return np.inf if name == "cummin" else -np.inf
    limits = np.iinfo(dtype)
    return limits.max if name == "cummin" else limits.min


MOST_POSITIONS = 1 << 62
"""Positions of rows that one number can identify."""

SPANS = ("sum", "mean", "min", "max", "var", "std", "quantile")
"""Reductions, by name."""


def span_starts(groups: NumberArray, measure: NumberArray, span: int, *, with_bound: bool = False) -> NumberArray:
    """Return the first row of each row's window: a row of its group, less than a span before it.

    Parameters
    ----------
    groups : ndarray of int64
        The number of each row's group; the rows of a group are adjacent.
    measure : ndarray of int64
        The position of each row, such as its time; ascending in each group.
    span : int
        Length of a window.
    with_bound : bool
        Whether a row at exactly this distance is inside.

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
        # More than 2**63 apart: rows are searched by exact values, which bounds do not exceed.
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
        # Groups are moved further apart than a window reaches, so that one search among all rows suffices.
        positions = number * apart + since
        found: NumberArray = np.searchsorted(positions, positions - reach, side=side)
        return found
    starts = new_array(nrows, np.int64)
    for first, count in zip(firsts.tolist(), counts.tolist(), strict=True):
        part = since[first : first + count]
        starts[first : first + count] = first + np.searchsorted(part, part - reach, side=side)
    return starts


def span_ends(groups: NumberArray, measure: NumberArray, ahead: int) -> NumberArray:
    """Return the first row after each row's window: a row of another group, or more than `ahead` after it.

    Examples
    --------
    >>> span_ends(np.array([0, 0, 0, 1]), np.array([0, 5, 9, 9]), 4).tolist()
    [1, 3, 3, 4]
    """
    # Mirrored: rows count backwards, and so does their measure.
    backwards = span_starts(groups[::-1], -measure[::-1], ahead, with_bound=True)
    found: NumberArray = len(measure) - backwards[::-1]
    return found


def first_of_equals(groups: NumberArray, measure: NumberArray) -> NumberArray:
    """Return for each row the first row of its group with the same measure; measures ascend.

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
    blocks: NumberArray | None = None,
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
        The rows to compute results for.
    least : int
        Fewest rows that must not be missing; with fewer the result is NaN.
    ddof : int
        Subtracted from the number of rows in the divisor of a variance.
    q : float
        The quantile, from 0 to 1.
    ends : ndarray of int64, optional
        The first row after each window; by default the one after its row.
    blocks : ndarray of int64, optional
        The number of each row's block, as `span_blocks` gives them, with which wide windows cost no more than others.

    Examples
    --------
    >>> reduced_spans("sum", np.array([1.0, 2.0, 4.0]), np.array([0, 0, 2]), slice(0, 3), least=1).tolist()
    [1.0, 3.0, 4.0]
    """
    own = np.arange(wanted.start + 1, wanted.stop + 1)
    if column.dtype.kind != "f":
        upto = own if ends is None else ends[wanted]
        return reduced_integers(name, column, np.minimum(starts[wanted], upto), upto, least=least, before=(0, 0))
    reduce: Callable[..., NumberArray] = _windows_reduced
    if blocks is not None and name in RUNNING_IN_BLOCKS:
        reduce = partial(_reduced_by_blocks, blocks)
    if ends is None:
        return reduce(name, column, starts[wanted], own, least, ddof, q)
    ends = ends[wanted]
    begins = np.minimum(starts[wanted], ends)
    if (begins == ends).any():
        # Windows without rows have no place among the windows that are reduced together.
        found = np.full(len(ends), 0.0 if name == "sum" and least == 0 else np.nan)
        some = np.flatnonzero(begins < ends)
        found[some] = reduce(name, column, begins[some], ends[some], least, ddof, q)
        return found
    return reduce(name, column, begins, ends, least, ddof, q)


RUNNING_IN_BLOCKS = ("sum", "mean", "min", "max")
"""Reductions of windows that are found from running results of blocks of rows."""


def span_blocks(groups: NumberArray, measure: NumberArray, width: int) -> NumberArray:
    """Return the number of each row's block: rows of a group between multiples of a width of the measure.

    Windows of that width have rows of two adjacent blocks at most: the last ones of the first, and the first ones of
    the second.  Bounds of blocks do not depend on where partitions begin.

    Examples
    --------
    >>> span_blocks(np.array([0, 0, 0, 1]), np.array([1, 5, 9, 9]), 5).tolist()
    [0, 1, 1, 2]
    """
    number = measure // min(max(width, 1), MOST_POSITIONS)
    begins = np.ones(len(measure), np.int64)
    begins[1:] = (groups[1:] != groups[:-1]) | (number[1:] != number[:-1])
    found: NumberArray = np.cumsum(begins) - 1
    return found


def _reduced_by_blocks(  # noqa: PLR0917 - what the caller knows
    blocks: NumberArray,
    name: str,
    column: NumberArray,
    begins: NumberArray,
    ends: NumberArray,
    least: int,
    ddof: int,
    q: float,
) -> NumberArray:
    """Merge for each window the result of the last rows of a block with that of the first rows of the next one."""
    edges = np.append(np.flatnonzero(np.diff(blocks, prepend=-1)), len(blocks))
    if int((ends - begins).sum()) < tuning.BLOCK_VALUES * len(edges):
        return _windows_reduced(name, column, begins, ends, least, ddof, q)
    last = ends - 1
    first_of, end_of = edges[blocks], edges[blocks + 1]
    is_within = blocks[begins] == blocks[last]
    from_first, to_end = begins == first_of[begins], ends == end_of[last]
    crosses = blocks[begins] + 1 == blocks[last]
    there = np.isfinite(column)
    ufunc, nothing = {"min": (np.minimum, np.inf), "max": (np.maximum, -np.inf)}.get(name, (np.add, 0.0))
    values = np.where(there, column, nothing)
    upto, since = np.empty_like(values), np.empty_like(values)
    for first, end in pairwise(edges.tolist()):
        ufunc.accumulate(values[first:end], out=upto[first:end])
        ufunc.accumulate(values[first:end][::-1], out=since[first:end][::-1])
    found = np.where(crosses, ufunc(since[begins], upto[last]), np.where(from_first, upto[last], since[begins]))
    counts = np.append(0, np.cumsum(there))
    known = counts[ends] - counts[begins]
    needed = 0 if name == "sum" else 1
    with np.errstate(all="ignore"):
        if name == "mean":
            found = found / known
        found = np.where(known >= max(least, needed), found, np.nan)
    others = np.flatnonzero(~(crosses | (is_within & (from_first | to_end))))
    if len(others):
        found[others] = _windows_reduced(name, column, begins[others], ends[others], least, ddof, q)
    result: NumberArray = found
    return result


def _windows_reduced(  # noqa: PLR0917 - what the caller knows
    name: str, column: NumberArray, begins: NumberArray, ends: NumberArray, least: int, ddof: int, q: float
) -> NumberArray:
    sizes = ends - begins
    out = new_array(len(ends), np.float64)
    upto = np.cumsum(sizes)
    row = 0
    while row < len(ends):
        done = upto[row - 1] if row else 0
        stop = max(int(np.searchsorted(upto, done + tuning.WINDOW_VALUES, side="right")), row + 1)
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


@record
class PrefixScan:
    """A scan of a column.

    Parameters
    ----------
    name : str
        Its key in ``SCANS``.
    reduction : str
        The reduction of a row and all earlier rows that the scan computes.
    ufunc : ufunc
        Merges two results.
    types : mapping of ColumnType to ColumnType
        Type of the result for every supported type of column.
    """

    name: str
    reduction: str
    ufunc: np.ufunc
    types: Mapping[ColumnType, ColumnType]

    def accumulate(self, column: Column, before: Any, out: NumberArray | None = None) -> Column:
        """Return the running results; `before` is the result of all earlier rows, None without any.  Integers wrap.

        Numbers are written to `out` if it is given.
        """
        if not isinstance(column, np.ndarray):
            numbers = [] if before is None else [int(before)]
            running_numbers = self.ufunc.accumulate(np.array(numbers + to_ints(column), object))
            return from_ints(running_numbers[len(numbers) :].tolist())
        dtype = self.types[type_of(column)].numpy
        running = new_array(len(column), dtype) if out is None else out
        earlier = np.array([] if before is None else [before], dtype)
        if self.ufunc in (np.add, np.multiply):
            # Bits of sums and products are the same for either sign.
            given = np.ascontiguousarray(column, dtype), earlier, running
            loops.fill_scan(
                self.ufunc is np.add, *(part if dtype.kind == "f" else part.view(np.uint64) for part in given)
            )
            return running
        with np.errstate(all="ignore"):
            self.ufunc.accumulate(column, dtype=dtype, out=running)
            if len(earlier):
                self.ufunc(running, earlier, out=running)
        found: NumberArray = without_sign_of_zero(running)
        return found


ITSELF = themselves(*TOTALS)

SCANS: dict[str, PrefixScan] = {
    scan.name: scan
    for scan in (
        PrefixScan("cumsum", "sum", np.add, {**TOTALS, BIGINT: BIGINT}),
        PrefixScan("cumprod", "prod", np.multiply, TOTALS),
        PrefixScan("cummin", "min", np.minimum, ITSELF),
        PrefixScan("cummax", "max", np.maximum, ITSELF),
    )
}
"""The scans by name."""
