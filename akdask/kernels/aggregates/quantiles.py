"""Quantiles and medians, by the methods of NumPy.

Of a whole column, all rows meet in the task that finishes: eight bytes for each, or sixteen for each distinct value of
a block where values repeat.  Of groups, the values of each group meet in one task: floats, of which few repeat, as
lists, of which only the wanted ranks are looked for; others as distinct values in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.columns import new_array
from akdask.columns.lists import lists_of, offsets_of, values_of
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError
from akdask.kernels import compiled
from akdask.kernels.aggregates.by_group import AdjacentRowGroups, GroupState, RowGroups
from akdask.kernels.aggregates.order_statistics import order_statistics
from akdask.kernels.aggregates.select import select_rows
from akdask.kernels.aggregates.specification import (
    NUMBERS,
    DistinctForm,
    GroupedForm,
    Reduction,
    ScalarForm,
    State,
    Types,
    giving,
    nonempty,
    themselves,
)
from akdask.schema import FLOAT64
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.kernels.aggregates import runs
else:
    runs = DeferredModule("akdask.kernels.aggregates.runs")

# ------------------------------------------------------------------------- ranks: where a quantile is among the rows


def _next_or_same(position: NumberArray, is_same: Callable[[NumberArray, NumberArray], NumberArray]) -> NumberArray:
    below = np.floor(position)
    return np.where(is_same(position - below, below), below, below + 1)


Positions = Callable[[NumberArray, NumberArray], NumberArray]
"""Number of rows and quantiles to positions among the rows in ascending order, counted from 0."""

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
    """Return the ranks of the two rows that a quantile of `n` rows is between, and the weight of the second."""
    last = np.maximum(n - 1, 0)
    position = np.clip((AT_ROWS.get(method) or BETWEEN_ROWS[method])(n, q), 0, last)
    low = np.floor(position).astype(np.int64)
    return low, np.minimum(low + 1, last), position - low


def _interpolated(low: NumberArray, high: NumberArray, weight: NumberArray) -> NumberArray:
    """Return floats between numbers of one type.

    Halfway it is their mean, so that medians are quantiles; elsewhere it is rounded as by NumPy.
    """
    start, end = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):
        # Integers may be further apart than their type holds.
        distance = end - start if low.dtype.kind == "f" else (_words(high) - _words(low)).astype(np.float64)
        found = np.where(weight < 0.5, start + distance * weight, end - distance * (1 - weight))
        is_wide = np.isinf(distance) & np.isfinite(start) & np.isfinite(end)
        found = np.where(is_wide | (weight == 0.5), start * (1 - weight) + end * weight, found)
    return np.where((low == high) | (weight == 0), start, found)


def _words(numbers: NumberArray) -> NumberArray:
    return numbers.view(np.uint64) if numbers.dtype.itemsize == 8 else numbers.astype(np.uint64)


# --------------------------------------------------------------------------------------------------------- two forms


def _finish(
    state: runs.SortedRuns, q: float | Sequence[float] = 0.5, method: str = "linear", skipna: bool = False
) -> Any:
    """Return one quantile, or an array of several; NaN where a row is NaN, unless these are skipped."""
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
    # Where nothing is left, what was skipped is the result.
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
    """Find the one or two rows of each group that a quantile is between, by how many come before.

    Returns
    -------
    low, high : ndarray
        Their values.
    weight : ndarray of float64
        That of the second one.
    rank : ndarray of int64
        The rank of the first one in its group.
    rows : ndarray of int64
        How many rows the group has.
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
    """Return the values of each group as lists, zeros without a sign."""
    offsets, values = groups.adjacent(column + 0.0)
    missing = np.isnan(values)
    if skipna and missing.any():
        until = np.append(0, np.cumsum(~missing))
        offsets, values = until[offsets], values[~missing]
    return (lists_of(offsets, values),)


def _merge_values(groups: RowGroups, skipna: bool, lists: Any) -> GroupState:
    """Put the lists of each group end to end."""
    rows, order = groups.adjacent(np.arange(len(lists)))
    offsets, values = offsets_of(lists), values_of(lists, FLOAT64)
    sizes = np.diff(offsets)[order]
    into = np.append(0, np.cumsum(sizes))
    if compiled.should_compile(len(values)):
        from akdask.kernels.compiled.aggregates.order_statistics import copy_lists
        from akdask.kernels.compiled.compiler import read_only

        moved = new_array(len(values), np.float64)
        copy_lists(read_only(offsets), read_only(values), order, into, moved)
    else:
        moved = values[np.arange(len(values)) + np.repeat(offsets[order] - into[:-1], sizes)]
    return (lists_of(into[rows], moved),)


def _of_lists(lists: Any, q: float = 0.5, method: str = "linear") -> NumberArray:
    """Find the one or two values of each group by their ranks."""
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
    return runs.SortedRuns.of(select_rows(column, mask))


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
