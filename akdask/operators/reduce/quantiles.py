"""Quantiles and medians, by the methods of NumPy.

For a whole column, all rows meet in the last task: eight bytes for each row, or sixteen for each distinct value of a
block if values repeat. For groups, the values of each group meet in one task. Floats rarely repeat, so they come as
lists, in which only the wanted ranks are searched. Other values come as distinct values in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.columns.arrow import lists_of, offsets_of, values_of
from akdask.columns.dtypes import FLOAT64
from akdask.columns.memory import new_array
from akdask.engine import tuning as engine_tuning
from akdask.engine.reduction import (
    NUMBERS,
    AdjacentRowGroups,
    DistinctForm,
    GroupedForm,
    GroupState,
    Reduction,
    RowGroups,
    ScalarForm,
    State,
    Types,
    giving,
    nonempty,
    select_rows,
    themselves,
)
from akdask.errors import ArgumentError
from akdask.interruption import interruptible_ranges
from akdask.operators.reduce import loops, tuning
from akdask.records import record
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.operators.keys.keys import Words


def order_statistics(
    values: NumberArray, offsets: NumberArray, low: NumberArray, high: NumberArray
) -> tuple[NumberArray, NumberArray]:
    """Return the values of two ranks in each group, in ascending order and counted from 0.

    Parameters
    ----------
    values : ndarray of float64
        The values with each group adjacent, without NaN; their order is changed.
    offsets : ndarray of int64, shape (ngroups + 1,)
        First position of each group, and the end of the last.
    low, high : ndarray of int64
        The ranks; the second is the first one or the next. They are ignored for groups without values.

    Returns
    -------
    tuple of ndarray
        The values; undefined for groups without values.

    Examples
    --------
    >>> order_statistics(np.array([5.0, 1.0, 3.0]), np.array([0, 3]), np.array([1]), np.array([2]))
    (array([3.]), array([5.]))
    """
    found = np.zeros((2, len(offsets) - 1))
    for first, stop in interruptible_ranges(offsets[1:]):
        loops.select_ranks(values, offsets, low, high, found, first, stop)
    return found[0], found[1]


# ------------------------------------------------------------------------- ranks: where a quantile is among the rows


def _next_or_same(position: NumberArray, is_same: Callable[[NumberArray, NumberArray], NumberArray]) -> NumberArray:
    below = np.floor(position)
    return np.where(is_same(position - below, below), below, below + 1)


Positions = Callable[[NumberArray, NumberArray], NumberArray]
"""Maps the number of rows and quantiles to positions among the ascending rows, counted from 0."""

AT_ROWS: dict[str, Positions] = {
    "lower": lambda n, q: np.floor((n - 1) * q),
    "higher": lambda n, q: np.ceil((n - 1) * q),
    "nearest": lambda n, q: np.around((n - 1) * q),
    "inverted_cdf": lambda n, q: _next_or_same(n * q - 1, lambda weight, _: weight == 0),
    "closest_observation": lambda n, q: _next_or_same(
        n * q - 1.5, lambda weight, below: (weight == 0) & (below % 2 == 1)
    ),
}
"""Methods whose results are elements of the column."""


def _between(alpha: float, beta: float) -> Positions:
    """Return the positions of Hyndman and Fan (1996) for two constants."""
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


BETWEEN_ROWS: dict[str, Positions] = {
    "linear": lambda n, q: (n - 1) * q,
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "averaged_inverted_cdf": lambda n, q: np.where(n * q % 1 == 0, n * q - 0.5, np.floor(n * q)),
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "median_unbiased": _between(1 / 3, 1 / 3),
    "normal_unbiased": _between(3 / 8, 3 / 8),
}
"""Methods that interpolate between two elements, so that results are float64."""

METHODS = (*BETWEEN_ROWS, *AT_ROWS)


def checked_quantiles(q: Any, method: str) -> float | tuple[float, ...]:
    """Return one or several quantiles as floats.

    Raises
    ------
    ArgumentError
        If one is not between 0 and 1, or there is no such method.
    """
    if method not in METHODS:
        raise ArgumentError(f"there is no method {method!r} of quantiles.", details=[f"methods: {', '.join(METHODS)}"])
    try:
        numbers = np.asarray(q, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"q={q!r} is neither a number nor a sequence of numbers.") from None
    if numbers.ndim > 1 or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ArgumentError(
            f"q={q!r}: quantiles are numbers from 0 to 1.", hint="percentile takes those from 0 to 100."
        )
    return float(numbers) if numbers.ndim == 0 else tuple(numbers.tolist())


def ranks_of(n: NumberArray, q: NumberArray, method: str) -> tuple[NumberArray, NumberArray, NumberArray]:
    """Return the ranks of the two rows around a quantile of `n` rows, and the weight of the second."""
    last = np.maximum(n - 1, 0)
    position = np.clip((AT_ROWS.get(method) or BETWEEN_ROWS[method])(n, q), 0, last)
    low = np.floor(position).astype(np.int64)
    return low, np.minimum(low + 1, last), position - low


def _interpolated(low: NumberArray, high: NumberArray, weight: NumberArray) -> NumberArray:
    """Return floats between numbers of one type.

    Halfway it is their mean, so that medians are quantiles. Elsewhere it is rounded as in NumPy.
    """
    # Quantiles are floats: each of the two numbers is rounded once.
    start, end = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):
        # The difference of integers may exceed their type.
        distance = end - start if low.dtype.kind == "f" else (_words(high) - _words(low)).astype(np.float64)
        found = np.where(weight < 0.5, start + distance * weight, end - distance * (1 - weight))
        is_wide = np.isinf(distance) & np.isfinite(start) & np.isfinite(end)
        found = np.where(is_wide | (weight == 0.5), start * (1 - weight) + end * weight, found)
    return np.where((low == high) | (weight == 0), start, found)


def _words(numbers: NumberArray) -> NumberArray:
    return numbers.view(np.uint64) if numbers.dtype.itemsize == 8 else numbers.astype(np.uint64)


# --------------------------------------------------------------------------------------------------------- two forms


def _finish(state: SortedRuns, q: float | Sequence[float] = 0.5, method: str = "linear", skipna: bool = False) -> Any:
    """Return one quantile, or an array of several; NaN if a row is NaN, unless these are skipped."""
    wanted, is_element = np.atleast_1d(np.asarray(q, np.float64)), method in AT_ROWS
    if (state.missing and not skipna) or (not state.nrows and (not is_element or state.dtype.kind == "f")):
        found: NumberArray = np.full(len(wanted), np.nan)
    else:
        nonempty(state.runs, "quantile")
        low, high, weight = ranks_of(np.full(len(wanted), state.nrows), wanted, method)
        found = state.select(low)
        found = found if is_element else _interpolated(found, state.select(high), weight)
    return found if np.ndim(q) else found[0]


def _of_groups(
    groups: AdjacentRowGroups,
    values: NumberArray,
    counts: NumberArray,
    missing: NumberArray,
    *,
    q: float = 0.5,
    method: str = "linear",
) -> NumberArray:
    of_low, of_high, weight, _, rows = ranked_rows(groups, values, counts, missing, q, method)
    found = of_low if method in AT_ROWS else _interpolated(of_low, of_high, weight)
    # If no rows are left, the skipped value is the result.
    nothing = rows == 0
    found[nothing] = values[groups.segments[nothing]] if method in AT_ROWS else np.nan
    if values.dtype == np.float64:
        # NaN that are not skipped are the last values of their groups.
        ends = groups.segments + groups.sizes() - 1
        found[np.isnan(values[ends]) & ~missing[ends]] = np.nan
    return found


def ranked_rows(  # noqa: PLR0917 - what a distinct form is given
    groups: AdjacentRowGroups, values: NumberArray, counts: NumberArray, missing: NumberArray, q: float, method: str
) -> tuple[NumberArray, NumberArray, NumberArray, NumberArray, NumberArray]:
    """Find the one or two rows of each group around a quantile, by the number of rows before.

    Returns
    -------
    low, high : ndarray
        Their values.
    weight : ndarray of float64
        Weight of the second one.
    rank : ndarray of int64
        The rank of the first one in its group.
    rows : ndarray of int64
        Number of rows of the group.
    """
    counts = np.where(missing, 0, counts)
    until = np.cumsum(counts)
    rows = groups.reduce(np.add, counts)
    before = np.cumsum(rows) - rows
    low, high, weight = ranks_of(rows, np.asarray(q), method)
    of_low, of_high = (values.take(np.searchsorted(until, before + rank, "right"), mode="clip") for rank in (low, high))
    return of_low, of_high, weight, low, rows


# -------------------------------------------------------------------------- groups of floats, by lists of their values


def _values(groups: RowGroups, column: NumberArray, skipna: bool) -> GroupState:
    """Return the values of each group as lists; zeros have no sign."""
    offsets, values = groups.adjacent(column + 0.0)
    missing = np.isnan(values)
    if skipna and missing.any():
        until = np.append(0, np.cumsum(~missing))
        offsets, values = until[offsets], values[~missing]
    return (lists_of(offsets, values),)


def _merge_values(groups: RowGroups, skipna: bool, lists: Any) -> GroupState:
    """Concatenate the lists of each group."""
    rows, order = groups.adjacent(np.arange(len(lists)))
    offsets, values = offsets_of(lists), values_of(lists, FLOAT64)
    into = np.append(0, np.cumsum(np.diff(offsets)[order]))
    moved = new_array(len(values), np.float64)
    loops.copy_lists(offsets, values, order, into, moved)
    return (lists_of(into[rows], moved),)


def _of_lists(lists: Any, q: float = 0.5, method: str = "linear") -> NumberArray:
    """Find the one or two values of each group around a quantile by their ranks."""
    offsets, given = offsets_of(lists), values_of(lists, FLOAT64)
    values = new_array(len(given), np.float64)
    values[:] = given
    sizes = np.diff(offsets)
    low, high, weight = ranks_of(sizes, np.asarray(q), method)
    missing = np.isnan(values)
    has_missing = np.zeros(len(sizes), np.bool_)
    if missing.any():
        has_missing = np.diff(np.append(0, np.cumsum(missing))[offsets]) > 0
        values[missing] = np.inf
    of_low, of_high = order_statistics(values, offsets, low, low if method in AT_ROWS else high)
    found = of_low if method in AT_ROWS else _interpolated(of_low, of_high, weight)
    found[(sizes == 0) | has_missing] = np.nan
    return found


_OF_LISTS = GroupedForm(_values, _merge_values, _of_lists, types=giving(FLOAT64, FLOAT64), keeps_values=True)


def _types(q: Any = 0.5, method: str = "linear", skipna: bool = False) -> Types:
    return themselves(*NUMBERS) if method in AT_ROWS else giving(FLOAT64)


def _runs(column: NumberArray, mask: NumberArray | None) -> State:
    return SortedRuns.of(select_rows(column, mask))


QUANTILE = Reduction(
    "quantile",
    giving(FLOAT64),
    types_with=_types,
    scalar=ScalarForm(_runs, add, _finish),
    grouped=_OF_LISTS,
    distinct=DistinctForm(_of_groups, of_numbers=True),
    identity=math.nan,
)

MEDIAN = Reduction(
    "median",
    giving(FLOAT64),
    scalar=ScalarForm(_runs, add, partial(_finish, q=0.5)),
    grouped=_OF_LISTS,
    distinct=DistinctForm(_of_groups, of_numbers=True),
    identity=math.nan,
)


@record
class Run:
    """Ascending normalized keys of some rows.

    Parameters
    ----------
    words : ndarray of uint64
        The keys.
    until : ndarray of int64, shape (len(words) + 1,), optional
        Number of rows before each key. Without it, every key stands for one row.
    """

    words: Words
    until: NumberArray | None = None

    @classmethod
    def of(cls, words: Words) -> Run:
        """Return a run of ascending keys, at least one; if many are equal, a run of the distinct keys."""
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        if tuning.ROWS_OF_A_VALUE * len(firsts) > len(words):
            return cls(words)
        return cls(words.take(firsts), np.append(firsts, len(words)))

    @classmethod
    def merge(cls, runs: Sequence[Run]) -> Run:
        """Merge runs with counts to one."""
        words = np.concatenate([run.words for run in runs])
        counts = np.concatenate([np.diff(run.until) for run in runs if run.until is not None])
        order = np.argsort(words, kind="stable")
        words, until = words.take(order), np.append(0, np.cumsum(counts.take(order)))
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        return cls(words.take(firsts), until.take(np.append(firsts, len(words))))

    @property
    def can_merge(self) -> bool:
        """Whether merging it with others pays."""
        return self.until is not None and len(self.words) <= tuning.MOST_MERGED_VALUES

    def rows_before(self, position: int) -> int:
        """Return the number of rows before a position."""
        return position if self.until is None else int(self.until[position])


@record
class SortedRuns:
    """Numbers in sorted runs; NaN are counted, and not in the runs.

    Parameters
    ----------
    dtype : numpy.dtype
        Type of the numbers.
    runs : tuple of Run
        In any order.
    missing : int
        Number of NaN.
    """

    dtype: np.dtype[Any]
    runs: tuple[Run, ...] = ()
    missing: int = 0

    @classmethod
    def of(cls, rows: NumberArray) -> SortedRuns:
        """Return some rows as one run."""
        from akdask.operators.keys.keys import word

        missing = 0
        if rows.dtype.kind == "f":
            are_missing = np.isnan(rows)
            missing = int(np.count_nonzero(are_missing))
            rows = rows[~are_missing] if missing else rows
        words = word(rows, 0)
        words.sort()
        return cls(rows.dtype, (Run.of(words),) if len(words) else (), missing)

    def __sizeof__(self) -> int:
        return sum(run.words.nbytes + (0 if run.until is None else run.until.nbytes) for run in self.runs)

    def __add__(self, other: SortedRuns) -> SortedRuns:
        runs = (*self.runs, *other.runs)
        counted = [run for run in runs if run.can_merge]
        if len(counted) >= engine_tuning.FAN_IN:
            runs = (*(run for run in runs if not run.can_merge), Run.merge(counted))
        return SortedRuns(self.dtype, runs, self.missing + other.missing)

    @property
    def nrows(self) -> int:
        """Number of rows that are not NaN."""
        return sum(run.rows_before(len(run.words)) for run in self.runs)

    def select(self, ranks: NumberArray) -> NumberArray:
        """Return the rows of some ranks in ascending order, counted from 0; all ranks must exist."""
        from akdask.operators.keys.keys import SIGN

        words = np.array([self._select(rank) for rank in ranks.tolist()], np.uint64)
        match self.dtype.kind:
            case "f":
                return np.where(words >= SIGN, words ^ SIGN, ~words).view(np.float64)
            case "i":
                return (words ^ SIGN).view(np.int64)
        return words.astype(self.dtype)

    def _select(self, rank: int) -> int:
        """Return the smallest key such that more than `rank` rows are not above it."""
        bounds = [(0, len(run.words)) for run in self.runs]
        low, high = min(int(run.words[0]) for run in self.runs), max(int(run.words[-1]) for run in self.runs)
        while low < high:
            middle = (low + high) // 2
            found = [
                start + int(run.words[start:stop].searchsorted(np.uint64(middle), "right"))
                for run, (start, stop) in zip(self.runs, bounds, strict=True)
            ]
            before = sum(run.rows_before(position) for run, position in zip(self.runs, found, strict=True))
            if before > rank:
                high = middle
                bounds = [(start, position) for (start, _), position in zip(bounds, found, strict=True)]
            else:
                low = middle + 1
                bounds = [(position, stop) for (_, stop), position in zip(bounds, found, strict=True)]
        return low
