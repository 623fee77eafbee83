"""Pruning: skips partitions and rows that filters must drop, judged by the bounds of columns.

A predicate is evaluated on intervals instead of rows. Partitions are excluded when tasks are made. Within a partition,
a task takes the bounds of smaller stretches, such as pages, from its inputs, and reads only the rows that may be left.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import BOOL
from akdask.columns.exact import compare
from akdask.columns.summation import UNIT
from akdask.engine import tuning
from akdask.engine.node import Frame
from akdask.engine.program import Apply, BroadcastInput, ConstantRows, Load, Mask, Program, Range, Recall, Selection
from akdask.engine.sources import Scan
from akdask.engine.values import Call, ColumnRef, Constant, Value, walk
from akdask.interruption import end_if_interrupted
from akdask.storage.source import Bounds, RowBounds, RowRanges, Stretch, text_prefix
from akdask.typing import NumberArray


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Bounds of values of some rows, for each partition or stretch of rows, or for all if the arrays are scalars.

    Parameters
    ----------
    low, high : ndarray
        Smallest and largest value. A bool result is undecided if its bounds are False and True.
    nans : ndarray of bool
        Whether a row may be NaN, which is in no interval.
    exact : bool
        False if low and high are prefixes of strings. Prefixes sort like the strings, but may tie.
    """

    low: Any
    high: Any
    nans: Any = np.False_
    exact: bool = True


def apply(operation: str, args: Sequence[Interval | None], *, of_bools: bool) -> Interval | None:
    """Return the interval of an operation's results, None if it is unknown.

    Parameters
    ----------
    operation : str
        The name of an operation of `akdask.engine.operations`.
    args : sequence of Interval
        Its arguments, None for unknown intervals.
    of_bools : bool
        Whether all arguments are bools.
    """
    if operation in _LOGIC and of_bools:
        return _LOGIC[operation](*[_DOUBT if arg is None else arg for arg in args])
    known = [arg for arg in args if arg is not None]
    return COMPARISONS[operation](*known) if operation in COMPARISONS and len(known) == len(args) else None


# Bounds are compared as rows are: integers with floats exactly.
_is_less, _is_at_most = partial(compare, np.less), partial(compare, np.less_equal)


def _less(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    may = _is_less(left.low, right.high) if exact else _is_at_most(left.low, right.high)
    return Interval(_is_less(left.high, right.low) & ~(left.nans | right.nans), may)


def _less_equal(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    must = _is_at_most(left.high, right.low) if exact else _is_less(left.high, right.low)
    return Interval(must & ~(left.nans | right.nans), _is_at_most(left.low, right.high))


def _equal(left: Interval, right: Interval) -> Interval:
    may = _is_at_most(left.low, right.high) & _is_at_most(right.low, left.high)
    if not (left.exact and right.exact):
        return Interval(np.False_, may)
    must = _is_at_most(left.high, right.low) & _is_at_most(right.high, left.low)
    return Interval(must & ~(left.nans | right.nans), may)


def _is_nan(value: Interval) -> Interval:
    return Interval(np.False_, value.nans)


def _not(value: Interval) -> Interval:
    return Interval(~value.high, ~value.low)


def _and(left: Interval, right: Interval) -> Interval:
    return Interval(left.low & right.low, left.high & right.high)


def _or(left: Interval, right: Interval) -> Interval:
    return Interval(left.low | right.low, left.high | right.high)


def _differ(left: Interval, right: Interval) -> Interval:
    return _or(_and(left, _not(right)), _and(_not(left), right))


_DOUBT = Interval(np.False_, np.True_)

_LOGIC: dict[str, Callable[..., Interval]] = {
    "bitwise_and": _and,
    "logical_and": _and,
    "bitwise_or": _or,
    "logical_or": _or,
    "bitwise_xor": _differ,
    "logical_xor": _differ,
    "invert": _not,
    "logical_not": _not,
}
"""Operations on bools."""

COMPARISONS: dict[str, Callable[..., Interval]] = {
    "less": _less,
    "less_equal": _less_equal,
    "greater": lambda left, right: _less(right, left),
    "greater_equal": lambda left, right: _less_equal(right, left),
    "equal": _equal,
    "not_equal": lambda left, right: _not(_equal(left, right)),
    "isnan": _is_nan,
}
"""Operations that give bools."""


Bools = npt.NDArray[np.bool_]


def partitions_left(bases: Sequence[Frame], predicates: Sequence[Value]) -> Bools | None:
    """Return for each partition of some aligned frames whether all predicates may hold for one of its rows.

    None if no partition can be excluded.
    """
    scans = {base._name: base for base in bases if isinstance(base, Scan)}
    known: dict[str, Interval | None] = {}
    for part in walk(*predicates):
        known[part.token] = _interval(part, scans, [known[arg.token] for arg in part.args])
    found = [known[predicate.token] for predicate in predicates]
    left = [truth.high for truth in found if truth is not None]
    if not left:
        return None
    count = bases[0].npartitions
    may_hold: Bools = reduce(np.logical_and, left, np.ones(count, np.bool_))
    return None if may_hold.all() else may_hold


def _interval(value: Value, scans: Mapping[str, Scan], args: Sequence[Interval | None]) -> Interval | None:
    match value:
        case Constant():
            return _of_constant(value.value)
        case ColumnRef():
            scan = scans.get(value.source)
            return None if scan is None else _of_bounds(scan.source.bounds(str(value.name)))
        case Call():
            return apply(value.operation, args, of_bools=all(arg.dtype == BOOL for arg in value.args))
    return None


def _of_constant(value: Any) -> Interval | None:
    if isinstance(value, str):
        start = text_prefix(value)
        return None if start is None else Interval(np.bytes_(start), np.bytes_(start), exact=False)
    return Interval(value, value, np.not_equal(value, value)) if isinstance(value, np.generic) else None


def _of_bounds(bounds: Bounds | None) -> Interval | None:
    return (
        None if bounds is None else Interval(bounds.minima, bounds.maxima, bounds.nans, bounds.minima.dtype.kind != "S")
    )


# ------------------------------------------------------------------------------------------------- rows of a partition

FindBounds: TypeAlias = Callable[[Load, RowRanges], RowBounds | None]
"""Returns the bounds of a column's values in stretches of rows: see `PartReader.row_bounds`."""


class RowPruning:
    """Which rows of the partitions of a pipeline its first filters may leave.

    Parameters
    ----------
    selections : sequence of Mask, ExpandMatches or Range
        The selections of the pipeline, in order.
    """

    def __init__(self, selections: Sequence[Selection]) -> None:
        self._predicates = list(_leading(selections))
        self._loads = list(dict.fromkeys(load for program in self._predicates for load in _compared(program)))

    def ranges(self, nrows: int, replicas: Sequence[Any], find: FindBounds) -> RowRanges | None:
        """Return the ranges of `nrows` rows that may be left, None for all.

        Two ranges are at least `UNIT` rows apart; smaller gaps are read along.
        """
        everything: RowRanges = np.array([[0, nrows]])
        if not self._loads or not nrows:
            return None
        # Bounds that are in memory come first; rows that they exclude need no further look-ups.
        left = self._left(everything, everything[:0], replicas, find)
        if len(left):
            left = self._left(left, left, replicas, find)
        return None if left.tolist() == everything.tolist() else left

    def _left(self, ranges: RowRanges, within: RowRanges, replicas: Sequence[Any], find: FindBounds) -> RowRanges:
        """Return the rest of some ranges, given the narrowest bounds within others."""
        found = {load: find(load, within) for load in self._loads}
        known = {load: bounds for load, bounds in found.items() if bounds is not None}
        if not known:
            return ranges
        starts = np.unique(np.concatenate([ranges[:, 0], *(bounds.starts for bounds in known.values())]))
        columns = {load: _of_bounds(_at(bounds, starts)) for load, bounds in known.items()}
        holds = _holds(self._predicates, columns, replicas)
        return ranges if holds is None else _joined(ranges, starts, np.broadcast_to(holds, starts.shape))


def _leading(selections: Sequence[Selection]) -> Iterator[Program]:
    """Yield the leading predicates, before which rows are neither repeated nor counted, except from the first row."""
    for number, selection in enumerate(selections):
        if isinstance(selection, Mask):
            yield selection.predicate
        elif number or not isinstance(selection, Range):
            return


def _compared(program: Program) -> Iterator[Load]:
    """Yield the columns whose bounds may decide some results."""
    for step in program.steps:
        if isinstance(step, Load) and step.dtype == BOOL:
            yield step
        elif isinstance(step, Apply) and step.operation in COMPARISONS:
            args = [program.steps[arg] for arg in step.args]
            if not any(isinstance(arg, Apply | Recall) for arg in args):
                yield from (arg for arg in args if isinstance(arg, Load))


def _at(bounds: RowBounds, starts: npt.NDArray[np.int64]) -> Bounds:
    """Return the bounds of the stretches that begin at some rows."""
    return bounds.bounds.take(np.searchsorted(bounds.starts, starts, "right") - 1)


def _holds(
    predicates: Sequence[Program], columns: Mapping[Load, Interval | None], replicas: Sequence[Any]
) -> Bools | None:
    """Return for each stretch of rows whether all predicates may hold, None if that is unknown."""
    handed_on: dict[int, Interval | None] = {}
    left: list[Any] = []
    for program in predicates:
        known: list[Interval | None] = []
        for step in program.steps:
            match step:
                case Load():
                    known.append(columns.get(step))
                case ConstantRows():
                    known.append(_of_constant(step.value))
                case BroadcastInput():
                    known.append(_of_constant(replicas[step.position][step.field]))
                case Recall():
                    known.append(handed_on[step.slot])
                case Apply():
                    # Operations on bools that give bools; other operations work on the bits of integers.
                    known.append(apply(step.operation, [known[arg] for arg in step.args], of_bools=step.dtype == BOOL))
        handed_on |= {slot: known[register] for register, slot in program.hands_on}
        left += [truth.high for register in program.outputs if (truth := known[register]) is not None]
    return reduce(np.logical_and, left) if left else None


def _joined(ranges: RowRanges, starts: npt.NDArray[np.int64], holds: Bools) -> RowRanges:
    """Drop stretches from ranges, and join ranges that are nearer to each other than a `UNIT`."""
    stops = np.append(starts[1:], ranges[-1, 1])
    # Each stretch begins in or before one range.
    number = np.maximum(np.searchsorted(ranges[:, 0], starts, "right") - 1, 0)
    stops = np.minimum(stops, ranges[number, 1])
    begins = np.maximum(starts, ranges[number, 0])
    remains = holds & (begins < stops)
    begins, stops = begins[remains], stops[remains]
    if not len(begins):
        return ranges[:0]
    apart = begins[1:] - stops[:-1] >= UNIT
    return np.column_stack([begins[np.append(True, apart)], stops[np.append(apart, True)]])


def windows(left: RowRanges | None, first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of the rows that are left between two rows; cuts are at multiples of `most`, as for all rows.

    Examples
    --------
    >>> list(windows(np.array([[5, 25], [70, 80]]), 0, 75, 10))
    [(5, 10), (10, 20), (20, 25), (70, 75)]
    """
    ranges = [(0, last)] if left is None else left.tolist()
    for begin, end in ((max(begin, first), min(end, last)) for begin, end in ranges):
        for start in range(begin - begin % most, end if begin < end else 0, most):
            end_if_interrupted()
            yield max(start, begin), min(start + most, end)


def near_rows(rows: NumberArray, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of ascending row numbers that are read together; no range spans more than `most` rows.

    Examples
    --------
    >>> list(near_rows(np.array([1, 3, 90_000, 90_001]), 2**16))
    [(0, 2), (2, 4)]
    """
    windows = np.diff(rows // most) > 0
    apart = windows | (np.diff(rows) > tuning.NEAR_ROWS)
    starts = np.flatnonzero(apart if np.count_nonzero(apart) < tuning.MOST_READS else windows) + 1
    yield from pairwise([0, *starts.tolist(), len(rows)] if len(rows) else [])


def leaves_few(left: RowRanges | None, nrows: int) -> bool:
    """Tell whether so few of the rows are left that reading them one by one pays.

    Examples
    --------
    >>> leaves_few(np.array([[20, 30]]), 1000), leaves_few(np.array([[20, 90]]), 1000), leaves_few(None, 1000)
    (True, False, False)
    """
    return left is not None and tuning.FEW_ROWS_LEFT * int(np.diff(left).sum()) <= nrows


def stretches_left(stretches: Sequence[Stretch], left: RowRanges | None, itemsize: int) -> Sequence[Stretch]:
    """Return the stretches of the rows that are left; each begins a unit of summation."""
    if left is None:
        return stretches
    found, row = list[Stretch](), 0
    for descriptor, offset, nrows, stored in stretches:
        width = np.dtype(stored).itemsize if stored else itemsize
        here = left[np.searchsorted(left[:, 1], row, "right") : np.searchsorted(left[:, 0], row + nrows)]
        for begin, end in (here - row).tolist():
            start = max(begin, 0) // UNIT * UNIT
            found.append(Stretch(descriptor, offset + start * width, min(end, nrows) - start, stored))
        row += nrows
    return found
