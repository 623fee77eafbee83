"""Reductions of the rows of each group, in three steps: partial for some rows, merge of partials, finalize.

The state of a reduction is a tuple of columns with one row for each group.  All rules are Arkouda's: NaN are skipped
unless asked for, sums of integers wrap, products and means are float64, positions are those of all rows.  Where
skipping NaN leaves a group nothing, sum and product are 0 and 1, count is 0, and the others are NaN, as in pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from akdask.columns import take_rows
from akdask.columns.bigint import from_ints, limbs_of, to_ints
from akdask.errors import ArgumentTypeError
from akdask.kernels.core.reduction import TOTALS
from akdask.kernels.group.row_groups import RowGroups
from akdask.kernels.keys.sort import argsort
from akdask.schema import BIGINT, BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, unlimited
from akdask.typing import Column, NumberArray

State: TypeAlias = tuple[Column, ...]

ROUNDING = frozenset({"sum", "prod", "mean", "var", "std"})
"""Reductions whose results as floats depend on the order in which rows are put together, and on the steps."""

NOWHERE = np.iinfo(np.int64).max
"""The position of a row that there is not."""


@dataclass(frozen=True, slots=True)
class GroupedReduction:
    """A reduction of a column to one value for each group.

    Parameters
    ----------
    name : str
        Its key in ``GROUPED``.
    types : mapping of ColumnType to ColumnType
        Type of the result for every type of column that it takes.
    block : callable
        ``(groups, column, skipna)`` to the state of some rows.
    join : callable
        ``(groups, *state)`` to the state of what was grouped again.
    final : callable
        ``(*state, **params)`` to the result.
    by_position : bool
        Whether `block` takes the numbers of the rows as a fourth argument.
    """

    name: str
    types: Mapping[ColumnType, ColumnType]
    block: Callable[..., State]
    join: Callable[..., State]
    final: Callable[..., Column]
    by_position: bool = False

    def result_type(self, dtype: ColumnType) -> ColumnType:
        """Return the type of the result for a column of type `dtype`.

        Raises
        ------
        ArgumentTypeError
            If the reduction does not take such columns.
        """
        result = self.types.get(unlimited(dtype))
        if result is None:
            raise ArgumentTypeError(
                f"{self.name} of groups does not take a column of type {dtype}.",
                details=[f"types that it takes: {', '.join(map(str, self.types))}"],
            )
        return result

    def partial(self, groups: RowGroups, column: Column, *positions: NumberArray, skipna: bool = True) -> State:
        """Return the state of some rows."""
        with np.errstate(all="ignore"):
            return self.block(groups, column, skipna, *positions)

    def merge(self, groups: RowGroups, *state: Column, skipna: bool = True) -> State:
        """Return the state of groups of which several rows of partial states have to be put together."""
        with np.errstate(all="ignore"):
            return self.join(groups, skipna, *state)

    @property
    def folds(self) -> bool:
        """Whether states of the same groups can be merged in place, column by column."""
        return isinstance(self.join, ByUfuncs)

    def fold(self, total: State, more: State, skipna: bool = True) -> None:
        """Merge states of the same groups into the first of them, in place; see `folds`."""
        assert isinstance(self.join, ByUfuncs), "only ufuncs work in place"
        with np.errstate(all="ignore"):
            self.join.fold(skipna, total, more)

    def finalize(self, *state: Column, **params: Any) -> Column:
        """Return the results."""
        with np.errstate(all="ignore"):
            return self.final(*state, **params)


NUMBERS = tuple(TOTALS)
ANYTHING = (*NUMBERS, STR, BIGINT)


def _giving(result: ColumnType, *types: ColumnType) -> dict[ColumnType, ColumnType]:
    return dict.fromkeys(types or NUMBERS, result)


def _itself(result: Column) -> Column:
    return result


# --------------------------------------------------------------------------------------------------- sums and counts


def _missing(column: Column, skipna: bool) -> NumberArray | None:
    """Return which rows are to be skipped, None if none are."""
    if not skipna or not isinstance(column, np.ndarray) or column.dtype != np.float64:
        return None
    missing = np.isnan(column)
    return missing if missing.any() else None


def _without_missing(column: NumberArray, skipna: bool, instead: float) -> NumberArray:
    missing = _missing(column, skipna)
    return column if missing is None else np.where(missing, instead, column)


def _count(groups: RowGroups, column: Column, skipna: bool) -> State:
    missing = _missing(column, True)
    if missing is None:
        return (groups.sizes(),)
    return (groups.reduce(np.add, (~missing).astype(np.int64)),)


def _reduced(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce a column of numbers, or integers of any size as Python's."""
    if isinstance(column, np.ndarray):
        return groups.reduce(ufunc, column)
    return from_ints(groups.reduce(ufunc, np.array(to_ints(column), object)).tolist())


def _size(groups: RowGroups, column: Column, skipna: bool) -> State:
    return (groups.sizes(),)


def _totals(ufunc: np.ufunc, instead: float, dtypes: Mapping[ColumnType, ColumnType]) -> Callable[..., State]:
    wanted = {given.numpy: total.numpy for given, total in dtypes.items()}

    def block(groups: RowGroups, column: Column, skipna: bool) -> State:
        if not isinstance(column, np.ndarray):
            return (_reduced(groups, ufunc, column),)
        if skipna and column.dtype == np.float64:
            # Looking at the results is faster than looking for NaN among the rows.
            reduced = groups.reduce(ufunc, column)
            if not np.isnan(reduced).any():
                return (reduced,)
        values = _without_missing(column, skipna, instead)
        return (groups.reduce(ufunc, values.astype(wanted[values.dtype], copy=False)),)

    return block


class ByUfuncs:
    """Merges each column of a state by a ufunc of its own.

    Parameters
    ----------
    *ufuncs : numpy.ufunc
        One for each column.
    skipping : sequence of numpy.ufunc, optional
        Those that are used instead where NaN are skipped.
    """

    def __init__(self, *ufuncs: np.ufunc, skipping: Sequence[np.ufunc] | None = None) -> None:
        self._ufuncs = ufuncs, ufuncs if skipping is None else tuple(skipping)

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> State:
        """Return the state of groups of which several rows are put together."""
        ufuncs = self._ufuncs[skipna]
        return tuple(_reduced(groups, ufunc, column) for ufunc, column in zip(ufuncs, state, strict=True))

    def fold(self, skipna: bool, total: State, more: State) -> None:
        """Merge states of numbers of the same groups into the first of them, in place."""
        for ufunc, column, other in zip(self._ufuncs[skipna], total, more, strict=True):
            ufunc(column, other, out=column)


_sum_floats = _totals(np.add, 0.0, _giving(FLOAT64))


def _mean(groups: RowGroups, column: NumberArray, skipna: bool) -> State:
    total = _sum_floats(groups, column, skipna)
    # A sum without NaN has none among what was added up: then all rows count.
    everything = not skipna or column.dtype != np.float64 or not np.isnan(groups.reduce(np.add, column)).any()
    count = _size(groups, column, skipna) if everything else _count(groups, column, skipna)
    return (*count, *total)


def _final_mean(count: NumberArray, total: NumberArray) -> NumberArray:
    return total / count


# ------------------------------------------------------------- variance: rows, their mean, squared distances from it


def _moments(groups: RowGroups, column: NumberArray, skipna: bool) -> State:
    count, total = _mean(groups, column, skipna)
    mean = total / np.maximum(count, 1)
    distances = column - groups.spread(mean)
    missing = _missing(column, skipna)
    if missing is not None:
        distances[missing] = 0
    return count, mean, groups.reduce(np.add, np.square(distances, out=distances))


def _merge_moments(
    groups: RowGroups, skipna: bool, count: NumberArray, mean: NumberArray, squares: NumberArray
) -> State:
    """Distances between the means are added to those within, which does not lose digits where means are large."""
    total = groups.reduce(np.add, count)
    common = groups.reduce(np.add, mean * (count / np.maximum(groups.spread(total), 1)))
    between = np.square(mean - groups.spread(common)) * count
    return total, common, groups.reduce(np.add, squares + between)


def _variance(count: NumberArray, mean: NumberArray, squares: NumberArray, ddof: float = 1) -> NumberArray:
    return np.where(count > ddof, squares / (count - ddof), np.nan)


def _deviation(count: NumberArray, mean: NumberArray, squares: NumberArray, ddof: float = 1) -> NumberArray:
    return np.sqrt(_variance(count, mean, squares, ddof))


# ------------------------------------------------------------------------------------------ extremes and positions


class GroupedExtremes(ByUfuncs):
    """Merges minima or maxima; those of integers of any size by their order."""

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> State:
        """Return the state of groups of which several rows are put together."""
        (column,) = state
        if not isinstance(column, np.ndarray):
            return (_extreme_row(groups, self._ufuncs[False][0], column),)
        return super().__call__(groups, skipna and column.dtype == np.float64, column)


def _extreme(name: str, strict: np.ufunc, skipping: np.ufunc) -> GroupedReduction:
    """Declare minimum or maximum; NaN wins unless it is skipped."""
    join = GroupedExtremes(strict, skipping=[skipping])

    def block(groups: RowGroups, column: Column, skipna: bool) -> State:
        return join(groups, skipna, column)

    types = {t: t for t in (INT64, UINT64, FLOAT64, UINT8, BIGINT)}
    return GroupedReduction(name, types, block, join, _itself)


def _extreme_row(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce values that NumPy cannot compare by their places in their order."""
    order = argsort([column], [True])
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    # Groups without rows get anything.
    return take_rows(column, order.take(groups.reduce(ufunc, places), mode="clip"))


def _position(name: str, extreme: np.ufunc, skipping: np.ufunc) -> GroupedReduction:
    """Declare argmin or argmax: the first row of the extreme one, -1 where all are NaN."""

    def block(groups: RowGroups, column: NumberArray, skipna: bool, positions: NumberArray) -> State:
        values = column.view(np.uint8) if column.dtype == np.bool_ else column
        best = groups.reduce(skipping if values.dtype == np.float64 else extreme, values)
        there = np.where(values == groups.spread(best), positions, NOWHERE)
        return best, groups.reduce(np.minimum, there)

    def join(groups: RowGroups, skipna: bool, best: NumberArray, positions: NumberArray) -> State:
        return block(groups, best, skipna, positions)

    def final(best: NumberArray, positions: NumberArray) -> NumberArray:
        return np.where(positions == NOWHERE, -1, positions)

    return GroupedReduction(name, _giving(INT64), block, join, final, by_position=True)


def _first(groups: RowGroups, column: Column, skipna: bool, positions: NumberArray) -> State:
    first = groups.reduce(np.minimum, positions)
    return take_rows(column, groups.pick(positions == groups.spread(first))), first


def _merge_first(groups: RowGroups, skipna: bool, column: Column, positions: NumberArray) -> State:
    return _first(groups, column, skipna, positions)


def _final_first(column: Column, positions: NumberArray) -> Column:
    return column


# ----------------------------------------------------------------------------------------------------- truth and bits


def _truth(ufunc: np.ufunc) -> Callable[..., State]:
    return lambda groups, column, skipna: (groups.reduce(ufunc, _nonzero(column).view(np.uint8)),)


def _nonzero(column: Column) -> NumberArray:
    nonzero: Any = column != 0 if isinstance(column, np.ndarray) else limbs_of(column).any(axis=1)
    return np.asarray(nonzero)


def _as_bool(column: NumberArray) -> NumberArray:
    return column.astype(np.bool_)


def _bits(name: str, ufunc: np.ufunc) -> GroupedReduction:
    def block(groups: RowGroups, column: Column, skipna: bool) -> State:
        return (_reduced(groups, ufunc, column),)

    return GroupedReduction(name, {t: t for t in (INT64, UINT64, BIGINT)}, block, ByUfuncs(ufunc), _itself)


GROUPED: dict[str, GroupedReduction] = {
    reduction.name: reduction
    for reduction in (
        GroupedReduction("size", _giving(INT64, *ANYTHING), _size, ByUfuncs(np.add), _itself),
        GroupedReduction("count", _giving(INT64, *ANYTHING), _count, ByUfuncs(np.add), _itself),
        GroupedReduction("sum", {**TOTALS, BIGINT: BIGINT}, _totals(np.add, 0.0, TOTALS), ByUfuncs(np.add), _itself),
        GroupedReduction(
            "prod", _giving(FLOAT64), _totals(np.multiply, 1.0, _giving(FLOAT64)), ByUfuncs(np.multiply), _itself
        ),
        GroupedReduction("mean", _giving(FLOAT64), _mean, ByUfuncs(np.add, np.add), _final_mean),
        GroupedReduction("var", _giving(FLOAT64), _moments, _merge_moments, _variance),
        GroupedReduction("std", _giving(FLOAT64), _moments, _merge_moments, _deviation),
        _extreme("min", np.minimum, np.fmin),
        _extreme("max", np.maximum, np.fmax),
        _position("argmin", np.minimum, np.fmin),
        _position("argmax", np.maximum, np.fmax),
        GroupedReduction("first", {t: t for t in ANYTHING}, _first, _merge_first, _final_first, by_position=True),
        GroupedReduction("any", _giving(BOOL, *NUMBERS, BIGINT), _truth(np.maximum), ByUfuncs(np.maximum), _as_bool),
        GroupedReduction("all", _giving(BOOL, *NUMBERS, BIGINT), _truth(np.minimum), ByUfuncs(np.minimum), _as_bool),
        _bits("OR", np.bitwise_or),
        _bits("AND", np.bitwise_and),
        _bits("XOR", np.bitwise_xor),
    )
}
