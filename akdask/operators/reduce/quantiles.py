"""Quantiles and medians, by the methods of NumPy.

For a whole column, all rows meet in the last task: eight bytes for each row, or sixteen for each distinct value of a
block if values repeat. A sample tells about where a rank is, and one pass keeps the rows around it. For groups, the
values of each group meet in one task. Floats rarely repeat, so they come as lists, in which only the wanted ranks are
searched. Other values come as distinct values in order.
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
from akdask.columns.memory import new_array, scratch
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
from akdask.interruption import end_if_interrupted, interruptible_ranges
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

LAST_WORD = 2**64 - 1
"""The largest key."""


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
        distance = (
            end - start
            if low.dtype.kind == "f"
            else (high.astype(np.uint64) - low.astype(np.uint64)).astype(np.float64)
        )
        found = np.where(weight < 0.5, start + distance * weight, end - distance * (1 - weight))
        is_wide = np.isinf(distance) & np.isfinite(start) & np.isfinite(end)
        found = np.where(is_wide | (weight == 0.5), start * (1 - weight) + end * weight, found)
    return np.where((low == high) | (weight == 0), start, found)


# --------------------------------------------------------------------------------------------------------- two forms


def _finish(state: RankedRows, q: float | Sequence[float] = 0.5, method: str = "linear", skipna: bool = False) -> Any:
    """Return one quantile, or an array of several; NaN if a row is NaN, unless these are skipped."""
    wanted, is_element = np.atleast_1d(np.asarray(q, np.float64)), method in AT_ROWS
    if (state.missing and not skipna) or (not state.nrows and (not is_element or state.dtype.kind == "f")):
        found: NumberArray = np.full(len(wanted), np.nan)
    else:
        nonempty(state.runs, "quantile")
        low, high, weight = ranks_of(np.full(len(wanted), state.nrows), wanted, method)
        found = state.select(low if is_element else np.concatenate([low, high]))
        if not is_element:
            found = _interpolated(found[: len(low)], found[len(low) :], weight)
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
    return RankedRows.of(select_rows(column, mask))


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
    """Normalized keys of some rows: those of a block as they come, or its distinct keys in order.

    Parameters
    ----------
    words : ndarray of uint64
        The keys.
    until : ndarray of int64, shape (len(words) + 1,), optional
        Number of rows before each key. Without it, every key stands for one row, and they have no order.
    """

    words: Words
    until: NumberArray | None = None

    @classmethod
    def of(cls, words: Words) -> Run:
        """Return the run of some keys, at least one; if many seem to be equal, of the distinct keys."""
        from akdask.operators.keys.keys import sort_words

        some = words[:: max(len(words) // tuning.SAMPLED_ROWS, 1)]
        if tuning.ROWS_OF_A_VALUE * len(np.unique(some)) > len(some):
            return cls(words)
        sort_words(words)
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        if tuning.ROWS_OF_A_VALUE * len(firsts) > len(words):
            return cls(words)
        return cls(words.take(firsts), np.append(firsts, len(words)))

    @classmethod
    def merge(cls, runs: Sequence[Run]) -> Run:
        """Merge runs with counts to one."""
        return cls.of_counts(
            np.concatenate([run.words for run in runs]),
            np.concatenate([np.diff(run.until) for run in runs if run.until is not None]),
        )

    @classmethod
    def of_counts(cls, words: Words, counts: NumberArray) -> Run:
        """Return the run of keys in any order, each with its number of rows; equal keys become one."""
        order = np.argsort(words, kind="stable")
        words, until = words.take(order), np.append(0, np.cumsum(counts.take(order)))
        firsts = np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1]]))
        return cls(words.take(firsts), until.take(np.append(firsts, len(words))))

    @property
    def can_merge(self) -> bool:
        """Whether merging it with others pays."""
        return self.until is not None and len(self.words) <= tuning.MOST_MERGED_VALUES

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return len(self.words) if self.until is None else int(self.until[-1])

    def between(self, low: int, high: int) -> tuple[int, Words, NumberArray | None]:
        """Return the number of rows below a key, the keys from there to another, and the rows of each if counted."""
        if self.until is None:
            found, counts = scratch(self.words.nbytes).view(np.uint64), np.empty(2, np.int64)
            loops.keep_between(self.words, low, high, found, counts)
            return int(counts[0]), found[: counts[1]].copy(), None
        start = self.words.searchsorted(np.uint64(low), "left")
        stop = self.words.searchsorted(np.uint64(high), "right")
        return int(self.until[start]), self.words[start:stop], np.diff(self.until[start : stop + 1])


@record
class RankedRows:
    """Numbers as runs of their keys; NaN are counted, and not in the runs.

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
    def of(cls, rows: NumberArray) -> RankedRows:
        """Return some rows as one run."""
        from akdask.operators.keys.keys import word

        missing = 0
        if rows.dtype.kind == "f":
            are_missing = np.isnan(rows)
            missing = int(np.count_nonzero(are_missing))
            rows = rows[~are_missing] if missing else rows
        return cls(rows.dtype, (Run.of(word(rows, 0)),) if len(rows) else (), missing)

    def __sizeof__(self) -> int:
        return sum(run.words.nbytes + (0 if run.until is None else run.until.nbytes) for run in self.runs)

    def __add__(self, other: RankedRows) -> RankedRows:
        runs = (*self.runs, *other.runs)
        counted = [run for run in runs if run.can_merge]
        if len(counted) >= engine_tuning.FAN_IN:
            runs = (*(run for run in runs if not run.can_merge), Run.merge(counted))
        return RankedRows(self.dtype, runs, self.missing + other.missing)

    @property
    def nrows(self) -> int:
        """Number of rows that are not NaN."""
        return sum(run.nrows for run in self.runs)

    def select(self, ranks: NumberArray) -> NumberArray:
        """Return the rows of some ranks in ascending order, counted from 0; all ranks must exist."""
        from akdask.operators.keys.keys import SIGN

        distinct, place = np.unique(ranks, return_inverse=True)
        # Neighbours, which quantiles are between, are looked for together.
        groups = np.split(distinct, np.flatnonzero(np.diff(distinct) > 1) + 1)
        if len(groups) > tuning.MOST_PASSES:
            words = self._among_all(distinct)
        else:
            sample = self._sample()
            words = np.concatenate([self._found(group, sample) for group in groups])
        words = words[place]
        match self.dtype.kind:
            case "f":
                return np.where(words >= SIGN, words ^ SIGN, ~words).view(np.float64)
            case "i":
                return (words ^ SIGN).view(np.int64)
        return words.astype(self.dtype)

    def _sample(self) -> Words:
        """Return some keys in ascending order, from everywhere."""
        step = max(self.nrows // tuning.SAMPLE, 1)
        wanted = [
            run.words[step // 2 :: step]
            if run.until is None
            else run.words[run.until.searchsorted(np.arange(step // 2, run.nrows, step), "right") - 1]
            for run in self.runs
        ]
        return np.sort(np.concatenate(wanted))

    def _found(self, ranks: NumberArray, sample: Words) -> Words:
        """Return the keys of ranks next to each other, looked for where the sample says."""
        share = len(sample) / self.nrows
        margin = 4 * math.sqrt(len(sample)) + 1
        first, last = int(ranks[0] * share - margin), math.ceil(ranks[-1] * share + margin)
        low = int(sample[first]) if first >= 0 else 0
        high = int(sample[last]) if last < len(sample) else LAST_WORD
        found = self._ranked(low, high, ranks)
        # Where the sample has misled, all rows are looked through.
        return self._among_all(ranks) if found is None else found

    def _among_all(self, ranks: NumberArray) -> Words:
        """Return the keys of ascending ranks."""
        found = self._ranked(0, LAST_WORD, ranks)
        assert found is not None, "every key is between the first and the last"
        return found

    def _ranked(self, low: int, high: int, ranks: NumberArray) -> Words | None:
        """Return the keys of ascending ranks, None if one is not between two keys."""
        from akdask.operators.keys.keys import sort_words

        parts = []
        before = 0
        for run in self.runs:
            end_if_interrupted()
            below, words, counts = run.between(low, high)
            parts.append((words, counts))
            before += below
        words, wanted = np.concatenate([part for part, _ in parts]), ranks - before
        counted = any(counts is not None for _, counts in parts)
        if counted:
            all_counts = np.concatenate([np.ones(len(part), np.int64) if n is None else n for part, n in parts])
            run = Run.of_counts(words, all_counts) if len(words) else Run(words, np.zeros(1, np.int64))
            words, ends = run.words, run.until
            assert ends is not None, "it has been counted"
            nrows, positions = int(ends[-1]), ends.searchsorted(wanted, "right") - 1
        else:
            nrows, positions = len(words), wanted
        if wanted[0] < 0 or wanted[-1] >= nrows:
            return None
        if not counted:
            words.partition(positions) if len(positions) <= tuning.MOST_PASSES else sort_words(words)
        return words.take(positions)
