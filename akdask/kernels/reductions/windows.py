"""Reductions of moving windows, and running results that start anew with each group.

A window of `width` rows reaches over at most two of the blocks of `width` rows that a column is cut into.  Its result
is that of the end of the one and of the beginning of the other, each found in one pass.  So nothing is ever taken away
from a sum, rounding does not add up along the column, and results do not depend on partitions, since blocks are
counted from the first row of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns import new_array
from akdask.kernels import compiled
from akdask.typing import NumberArray

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
        Number of the first of these rows among all, which may be negative.
    least : int
        Fewest rows that must not be missing; with fewer the result is NaN.
    ddof : int
        What the number of rows is lessened by in the divisor of a variance.

    Examples
    --------
    >>> reduced_windows("sum", np.array([1.0, 2.0, 4.0, 8.0]), 2, 0, least=2).tolist()
    [3.0, 6.0, 12.0]
    """
    nrows = max(len(column) - width + 1, 0)
    rows = np.ascontiguousarray(column, np.float64)
    phase = -first % width
    if nrows and compiled.should_compile(len(rows)):
        out = new_array(nrows, np.float64)
        _fill(name, rows, width, phase, least=least, ddof=ddof, out=out)
        return out
    with np.errstate(all="ignore"):
        return _by_blocks(name, rows, width, phase, least=least, ddof=ddof)[:nrows]


def _fill(name: str, rows: NumberArray, width: int, phase: int, *, least: int, ddof: int, out: NumberArray) -> None:
    from akdask.kernels.compiled.compiler import read_only
    from akdask.kernels.compiled.reductions import windows as loops

    rows = read_only(rows)
    if name in ("sum", "mean"):
        loops.fill_sums(rows, width, phase, least, name == "mean", out)
    elif name in ("min", "max"):
        loops.fill_extremes(rows, width, phase, least, 1.0 if name == "min" else -1.0, out)
    else:
        loops.fill_variances(rows, width, phase, least, ddof, name == "std", out)


State = tuple[NumberArray, ...]
"""Of some rows of each block: how many are not missing, and what their reduction is found from."""


def _by_blocks(name: str, rows: NumberArray, width: int, phase: int, *, least: int, ddof: int) -> NumberArray:
    """Return the reductions of the windows that begin with each row; step by step, of all blocks at once."""
    above = width - phase if phase else 0
    blocks = -(-(above + len(rows)) // width)
    padded = np.full((blocks + 1) * width, np.nan)
    padded[above : above + len(rows)] = rows
    steps = np.ascontiguousarray(padded.reshape(-1, width).T)
    sign = -1.0 if name == "max" else 1.0
    family = _BY_NAME[name]
    ends: list[State] = []
    state = family.start(blocks + 1)
    for place in range(width - 1, -1, -1):
        state = family.add(state, sign * steps[place])
        ends.append(tuple(part[:-1] for part in state))
    out = np.empty((width, blocks))
    state = family.start(blocks)
    for place in range(width):
        if place:
            state = family.add(state, sign * steps[place - 1][1:])
        out[place] = sign * _finished(name, family.merge(state, ends[width - 1 - place]), least, ddof)
    return np.ascontiguousarray(out.T).reshape(-1)[above:]


@dataclass(frozen=True, slots=True)
class _Family:
    """How reductions of windows are found: the state of no rows, of one more in each block, and of two parts."""

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
    """Return the reductions of windows, NaN where too many rows are missing."""
    known, found = state[0], state[-1]
    needed = {"sum": 0, "var": ddof + 1, "std": ddof + 1}.get(name, 1)
    if name == "mean":
        found = found / known
    elif name in ("var", "std"):
        found = found / (known - ddof)
    result: NumberArray = np.where(known >= max(least, needed), np.sqrt(found) if name == "std" else found, np.nan)
    return result


def running_by_group(
    name: str, column: NumberArray, groups: NumberArray, before: tuple[int, Any] | None
) -> tuple[NumberArray, tuple[int, Any] | None]:
    """Return the running results of groups whose rows stand together, and group and result of the last row.

    Parameters
    ----------
    name : str
        One of `RUNNING`.
    column : ndarray
        Numbers; NaN stay NaN, and are left out otherwise.
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
    if compiled.should_compile(len(rows)):
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.reductions import windows as loops

        out = np.empty_like(rows)
        kind = RUNNING.index(name)
        loops.fill_running(
            kind, read_only(rows), read_only(groups), group, state, np.array([identity], rows.dtype), out
        )
    else:
        out = _run_each(name, rows, groups, group=group, state=state, identity=identity)
    return out, (int(groups[-1]), state[0])


def _run_each(
    name: str, rows: NumberArray, groups: NumberArray, *, group: int, state: NumberArray, identity: Any
) -> NumberArray:
    """Return the running results, group by group; leave that of the last one in `state`."""
    missing = np.isnan(rows) if rows.dtype.kind == "f" else np.zeros(len(rows), np.bool_)
    filled = np.where(missing, np.array(identity, rows.dtype), rows)
    starts = [0, *(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(), len(rows)]
    out = np.empty_like(rows)
    with np.errstate(all="ignore"):
        for start, stop in pairwise(starts):
            earlier = state[0] if groups[start] == group else np.array(identity, rows.dtype)[()]
            steps = np.concatenate([[earlier], filled[start:stop]]).astype(rows.dtype, copy=False)
            out[start:stop] = _UFUNCS[name].accumulate(steps, dtype=rows.dtype)[1:]
            group, state[0] = groups[start], out[stop - 1]
    out[missing] = rows[missing]
    return out


_UFUNCS = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.fmin, "cummax": np.fmax}


def _identity(name: str, dtype: np.dtype[Any]) -> Any:
    """Return what changes no result."""
    if name in ("cumsum", "cumprod"):
        return 0 if name == "cumsum" else 1
    if dtype.kind == "f":
        return np.inf if name == "cummin" else -np.inf
    limits = np.iinfo(dtype)
    return limits.max if name == "cummin" else limits.min
