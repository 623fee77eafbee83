"""What grouped reductions have in common: how rows are seen by group, and states that ufuncs merge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from akdask.columns import take_rows
from akdask.columns.bigint import from_ints, to_ints
from akdask.deferred import DeferredModule
from akdask.schema import ColumnType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.kernels.keys import sort
else:
    sort = DeferredModule("akdask.kernels.keys.sort")

GroupState: TypeAlias = tuple[Column, ...]
"""The state of a grouped reduction: columns with one row for each group."""


class RowGroups(Protocol):
    """Rows by group; what a grouped reduction needs to know of them."""

    count: int
    """Number of groups."""

    def sizes(self) -> NumberArray:
        """Return the number of rows of each group as int64."""
        ...

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        """Reduce the values of each group; groups without rows get the ufunc's neutral value."""
        ...

    def spread(self, values: NumberArray) -> NumberArray:
        """Return, for each row, the value of its group."""
        ...

    def adjacent(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        """Return the values with those of each group adjacent, in their order, behind where each begins and ends."""
        ...

    def pick(self, mask: NumberArray) -> NumberArray:
        """Return the position of the one row of each group where a mask holds, 0 for groups without rows."""
        ...


class AdjacentRowGroups(RowGroups, Protocol):
    """Groups whose rows follow each other."""

    segments: NumberArray
    """Where each group begins."""

    nrows: int
    """Number of rows."""


class MergeByUfuncs:
    """Merges each column of a state by a ufunc of its own.

    Parameters
    ----------
    *ufuncs : numpy.ufunc
        One for each column.
    skipping : sequence of numpy.ufunc, optional
        Those that are used instead where NaN are skipped.
    """

    def __init__(self, *ufuncs: np.ufunc, skipping: Sequence[np.ufunc] | None = None) -> None:
        self.ufuncs = ufuncs, ufuncs if skipping is None else tuple(skipping)

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> GroupState:
        """Return the state of groups of which several rows are merged."""
        ufuncs = self.ufuncs[skipna]
        return tuple(reduce_column(groups, ufunc, column) for ufunc, column in zip(ufuncs, state, strict=True))

    def in_place(self, skipna: bool, total: GroupState, more: GroupState) -> None:
        """Merge states of numbers of the same groups into the first of them."""
        for ufunc, column, other in zip(self.ufuncs[skipna], total, more, strict=True):
            ufunc(column, other, out=column)


def itself(result: Column) -> Column:
    """Return a state of one column as the result."""
    return result


def reduce_column(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce a column of numbers, or integers of any size as Python's."""
    if isinstance(column, np.ndarray):
        return groups.reduce(ufunc, column)
    return from_ints(groups.reduce(ufunc, np.array(to_ints(column), object)).tolist())


def reduce_by_rank(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce values that NumPy cannot compare by their ranks."""
    order = sort.argsort([column], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    # Groups without rows get anything.
    return take_rows(column, order.take(groups.reduce(ufunc, ranks), mode="clip"))


def missing_rows(column: Column, skipna: bool) -> NumberArray | None:
    """Return which rows are to be skipped, None if none are."""
    if not skipna or not isinstance(column, np.ndarray) or column.dtype != np.float64:
        return None
    missing = np.isnan(column)
    return missing if missing.any() else None


def count_rows_of_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
    """Return the number of rows of each group, whatever they hold."""
    return (groups.sizes(),)


def count_values(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
    """Return the number of values of each group that are not NaN."""
    missing = missing_rows(column, True)
    if missing is None:
        return (groups.sizes(),)
    return (groups.reduce(np.add, (~missing).astype(np.int64)),)


def totals(
    ufunc: np.ufunc, identity: float, types: Mapping[ColumnType, ColumnType]
) -> Callable[[RowGroups, Column, bool], GroupState]:
    """Return what adds up or multiplies the values of each group, in the types of the results."""
    wanted = {given.numpy: total.numpy for given, total in types.items() if given.is_number}

    def partial(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        if not isinstance(column, np.ndarray):
            return (reduce_column(groups, ufunc, column),)
        if skipna and column.dtype == np.float64:
            # Looking at the results is faster than looking for NaN among the rows.
            reduced = groups.reduce(ufunc, column)
            if not np.isnan(reduced).any():
                return (reduced,)
        missing = missing_rows(column, skipna)
        values = column if missing is None else np.where(missing, identity, column)
        return (groups.reduce(ufunc, values.astype(wanted[values.dtype], copy=False)),)

    return partial
