"""Distinct values of groups, of which reductions that need whole groups are found; and distinct keys of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table, take_rows
from akdask.columns.missing_text import missing_rows
from akdask.deferred import is_arrow
from akdask.kernels.aggregates.distinct import distinct_numbers
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.kernels.aggregates.specification import DistinctForm
from akdask.kernels.group.aggregation import Aggregation, AggregationStep
from akdask.kernels.group.row_groups import group_sorted
from akdask.typing import Column, NumberArray

COUNT = (AggregationStep("size", ()),)
FIRST = (AggregationStep("min", (0,)),)
"""The number of the first row, where the numbers of the rows are carried."""


@dataclass(frozen=True, slots=True)
class DistinctValues:
    """Tables of distinct (keys, value) with the number of rows of each, finished to a value for each group.

    Parameters
    ----------
    nkeys : int
        Number of keys; the value is one key more of the tables.
    name : str
        A key of ``REDUCTIONS``, of a reduction with a form for distinct values.
    skipna : bool
        Whether NaN and missing text are left out.
    times : bool
        Whether values are times, of which the smallest number is left out instead.
    params : tuple of (str, object)
        Arguments of the reduction.
    """

    nkeys: int
    name: str
    skipna: bool = True
    times: bool = False
    params: tuple[tuple[str, Any], ...] = ()

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
    def aggregation(self) -> Aggregation:
        """What makes the tables of rows."""
        return Aggregation(self.nkeys + 1, COUNT + FIRST if self._form.by_position else COUNT)

    @property
    def _form(self) -> DistinctForm:
        form = REDUCTIONS[self.name].distinct
        assert form is not None, "only reductions with such a form are asked for"
        return form

    def keys(self, table: Table) -> list[Column]:
        """Return the keys, without the value."""
        return self.aggregation.keys(table)[: self.nkeys]

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several."""
        return self.aggregation.merge(tables)

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, None]:
        """Return one table of several; their grouping is not cached."""
        return self.merge(tables), None

    def finish(self, table: Table) -> Table:
        """Return the keys and the result of each group."""
        columns = list(self.aggregation.finish(table).columns.values())
        keys, (values, counts, *firsts) = columns[: self.nkeys], columns[self.nkeys :]
        missing = self._missing(values) if self.skipna else np.zeros(table.nrows, np.bool_)
        groups = group_sorted(keys)
        result = self._form.compute(groups, values, counts, missing, *firsts, **dict(self.params))
        columns = [*(take_rows(key, groups.segments) for key in keys), result]
        return Table(dict(enumerate(columns)), groups.count)

    def _missing(self, values: Column) -> NumberArray:
        """Return which values are left out."""
        if self.times:
            return np.equal(values, np.iinfo(np.int64).min)
        if is_arrow(values, "LargeStringArray"):
            return missing_rows(values)
        is_float = isinstance(values, np.ndarray) and values.dtype == np.float64
        return np.isnan(values) if is_float else np.zeros(len(values), np.bool_)


FEWER = 8
"""How many times fewer keys than rows a block has, at least, for this to go on."""

SORTED_FAST = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64)))
"""The types of keys that are sorted so fast."""


class DistinctKeys:
    """The keys of the blocks of a partition, each key of a block once, as long as few of them differ.

    For groups of which nothing but the key is wanted.  A block is sorted within the caches of a core, 3 to 4 ns a row,
    and what is left of it is grouped with what is left of all others.  Grouping all rows at once takes ten times as
    long where they are floats, or integers that lie far apart.
    """

    def __init__(self) -> None:
        self.closed = False
        self._parts: list[NumberArray] = []

    @property
    def has_rows(self) -> bool:
        """Whether any block was taken."""
        return bool(self._parts)

    def add(self, keys: NumberArray) -> bool:
        """Take the keys of a block, and tell whether they were taken: not once there was a block with many."""
        if not self.closed:
            found = distinct_numbers(keys)
            self.closed = len(found) * FEWER > len(keys)
            if not self.closed:
                self._parts.append(found)
        return not self.closed

    def with_others(self, keys: NumberArray) -> NumberArray:
        """Return the keys that were taken, and others behind them."""
        return np.concatenate([*self._parts, keys]) if self._parts else keys
