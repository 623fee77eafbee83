"""Statistics of the distinct values of each group: number, the values themselves, commonest, median."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from akdask.columns import Table, take_rows
from akdask.columns.lists import lists_of
from akdask.errors import ArgumentTypeError
from akdask.kernels.group.aggregation import Aggregation, AggregationStep
from akdask.kernels.group.reductions import ANYTHING, NUMBERS
from akdask.kernels.group.row_groups import SortedGroups, group_sorted
from akdask.schema import FLOAT64, INT64, ColumnType, list_of, unlimited
from akdask.typing import Column, NumberArray

COUNT = (AggregationStep("size", ()),)
FIRST = (AggregationStep("min", (0,)),)
"""The number of the first row, where the numbers of the rows are carried."""


@dataclass(frozen=True, slots=True)
class DistinctStatistic:
    """A statistic of the distinct values of each group and how often each occurs.

    Parameters
    ----------
    name : str
        Its key in ``PAIR_STATISTICS``.
    types : mapping of ColumnType to ColumnType
        Type of the result for every type of column that it takes.
    compute : callable
        ``(groups, values, counts, missing)`` to the results; the values of each group ascend, and `missing` tells
        which are NaN.
    by_position : bool
        Whether the numbers of the rows are to be carried, and `compute` wants the first of each value behind the rest.
    """

    name: str
    types: Mapping[ColumnType, ColumnType]
    compute: Callable[..., Column]
    by_position: bool = False

    def result_type(self, dtype: ColumnType) -> ColumnType:
        """Return the type of the result for a column of type `dtype`.

        Raises
        ------
        ArgumentTypeError
            If the statistic does not take such columns.
        """
        result = self.types.get(unlimited(dtype))
        if result is None:
            raise ArgumentTypeError(
                f"{self.name} of groups does not take a column of type {dtype}.",
                details=[f"types that it takes: {', '.join(map(str, self.types))}"],
            )
        return result


@dataclass(frozen=True, slots=True)
class DistinctValues:
    """Tables of distinct (keys, value) with the number of rows of each, finished to a statistic for each group.

    Parameters
    ----------
    nkeys : int
        Number of keys; the value is one key more of the tables.
    statistic : str
        A key of ``PAIR_STATISTICS``.
    skipna : bool
        Whether NaN are left out.
    times : bool
        Whether values are times, of which the smallest number is left out instead.
    """

    nkeys: int
    statistic: str
    skipna: bool = True
    times: bool = False

    @property
    def cut_keys(self) -> int:
        """Number of keys that decide to which range of the result a row belongs: not the value."""
        return self.nkeys

    @property
    def rounds(self) -> bool:
        """Whether the last bits depend on the steps in which tables are merged: nothing is added up."""
        return False

    @property
    def reduces(self) -> bool:
        """Whether merging leaves fewer rows, the same whatever the order of the tables."""
        return True

    @property
    def collapse(self) -> Aggregation:
        """What makes the tables of rows."""
        return Aggregation(self.nkeys + 1, COUNT + FIRST if PAIR_STATISTICS[self.statistic].by_position else COUNT)

    def keys(self, table: Table) -> list[Column]:
        """Return the keys, without the value."""
        return self.collapse.keys(table)[: self.nkeys]

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several."""
        return self.collapse.merge(tables)

    def finish(self, table: Table) -> Table:
        """Return the keys and the statistic of each group."""
        columns = list(self.collapse.finish(table).columns.values())
        keys, (values, counts, *firsts) = columns[: self.nkeys], columns[self.nkeys :]
        missing = self._missing(values) if self.skipna else np.zeros(table.nrows, np.bool_)
        groups = group_sorted(keys)
        result = PAIR_STATISTICS[self.statistic].compute(groups, values, counts, missing, *firsts)
        columns = [*(take_rows(key, groups.segments) for key in keys), result]
        return Table(dict(enumerate(columns)), groups.count)

    def _missing(self, values: Column) -> NumberArray:
        """Return which values are left out."""
        if self.times:
            return np.equal(values, np.iinfo(np.int64).min)
        return np.isnan(values) if _is_float(values) else np.zeros(len(values), np.bool_)


def _is_float(column: Column) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == np.float64


def _nunique(groups: SortedGroups, values: Column, counts: NumberArray, missing: NumberArray) -> Column:
    return groups.reduce(np.add, (~missing).astype(np.int64))


def _unique(groups: SortedGroups, values: Column, counts: NumberArray, missing: NumberArray) -> Column:
    return lists_of(np.append(groups.segments, groups.nrows), values)


def _mode(
    groups: SortedGroups, values: Column, counts: NumberArray, missing: NumberArray, firsts: NumberArray
) -> Column:
    """Return the commonest value of each group, of several that which comes first."""
    counts = np.where(missing, 0, counts)
    are_commonest = counts == groups.spread(groups.reduce(np.maximum, counts))
    places = np.where(are_commonest, firsts, np.iinfo(np.int64).max)
    return take_rows(values, np.flatnonzero(places == groups.spread(groups.reduce(np.minimum, places))))


def _median(groups: SortedGroups, values: NumberArray, counts: NumberArray, missing: NumberArray) -> Column:
    """Find the one or two rows in the middle by how many come before."""
    counts = np.where(missing, 0, counts)
    until = np.cumsum(counts)
    rows = groups.reduce(np.add, counts)
    before = np.cumsum(rows) - rows
    last = np.maximum(rows - 1, 0)
    floats = values.astype(np.float64)
    low, high = (
        floats.take(np.searchsorted(until, before + place, "right"), mode="clip")
        for place in (last // 2, np.minimum(rows // 2, last))
    )
    with np.errstate(all="ignore"):
        # Not (low + high) / 2, which may overflow.
        middle = np.where(low == high, low, low * 0.5 + high * 0.5)
    middle[rows == 0] = np.nan
    if _is_float(values):
        # NaN that are not skipped are the last values of their groups.
        ends = groups.segments + groups.sizes() - 1
        middle[np.isnan(floats[ends]) & ~missing[ends]] = np.nan
    return middle


PAIR_STATISTICS = {
    statistic.name: statistic
    for statistic in (
        DistinctStatistic("nunique", dict.fromkeys(ANYTHING, INT64), _nunique),
        DistinctStatistic("unique", {t: list_of(t) for t in ANYTHING}, _unique),
        DistinctStatistic("mode", {t: t for t in ANYTHING}, _mode, by_position=True),
        DistinctStatistic("median", dict.fromkeys(NUMBERS, FLOAT64), _median),
    )
}
