"""How often values and rows of a DataFrame occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from akdask.collections.core.column_names import axis_number, names_of
from akdask.collections.frame.choice import ChoiceMethods
from akdask.collections.frame.sorting import FrameSortMethods
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import can_be_missing, present, present_among
from akdask.collections.groups.groupby import ColumnGroups
from akdask.collections.series.series import Series, by_column
from akdask.collections.text.categorical import Categorical
from akdask.errors import SchemaError, UnsupportedError
from akdask.plan.expr.missing_integers import is_in_parts, key_parts, of_key_parts
from akdask.plan.expr.node import Node
from akdask.plan.expr.values import Constant
from akdask.plan.group.aggregate import GroupAggregate
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr, Element
from akdask.plan.run.run import run
from akdask.plan.task.batches import SMALL_ROWS

COUNT = "count"


class CountMethods(ChoiceMethods, FrameSortMethods):
    """Numbers of distinct values, and of equal rows."""

    def nunique(self, axis: int = 0, dropna: bool = True) -> Series:
        """Return the number of distinct values of each column; computes, all columns together.

        Parameters
        ----------
        axis : 0
            Accepted for compatibility with pandas; distinct values of a row are not counted.
        dropna : bool
            Leave out missing values, which are one value otherwise.

        Raises
        ------
        UnsupportedError
            If `axis` is 1.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 1, 2], "y": ["a", "b", "c"]}).nunique().to_dict()
        {'x': 2, 'y': 3}
        """
        if axis_number(axis):
            raise UnsupportedError("distinct values are counted in columns, not in rows.")
        columns = self._columns
        size = columns.frame.rows.size
        if size is not None and size <= SMALL_ROWS:
            counts = _distinct_counts_of_few(columns, dropna)
        else:
            counts = list(run(*[_distinct_count(columns, name, dropna) for name in columns.values]))
        return by_column(counts, columns.values, np.int64)

    def value_counts(
        self, subset: str | Sequence[str] | None = None, sort: bool = True, ascending: bool = False, dropna: bool = True
    ) -> Self:
        """Return the distinct rows, and in column ``count`` how often each occurs; lazy.

        Parameters
        ----------
        subset : str or list of str, optional
            The columns that must be equal, all unless given.
        sort : bool
            Put the rows in order of their counts, those of equal ones in order of the columns.
        ascending : bool
            Whether the rarest come first.
        dropna : bool
            Leave out rows with NaN or NaT.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        SchemaError
            If one of the columns is called ``count``.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [3, 1, 3]}).value_counts().to_pandas()
           x  count
        0  3      2
        1  1      1
        """
        names = names_of(self.columns if subset is None else subset)
        if COUNT in names:
            raise SchemaError(f"a column is called {COUNT!r}, as the counts are.", hint="rename it first.")
        keys, counts = ColumnGroups([self._columns.array(name) for name in names], dropna=dropna).size()
        counted = self._of(ColumnSet.of({**dict(zip(names, keys, strict=True)), COUNT: counts}))
        if not sort:
            return counted
        return counted._of(counted.sort_values(COUNT, ascending=ascending)._columns.labelled(None))


def _distinct_counts_of_few(columns: ColumnSet, dropna: bool) -> list[int]:
    """Return the numbers of distinct values of all columns of few rows: in one pass, without grouping most of them."""
    # Of a Categorical, several labels may stand for missing; some integers of which some are missing are no floats.
    grouped = [
        name
        for name, value in columns.values.items()
        if is_in_parts(value) or (dropna and isinstance(columns.kinds[name], Categorical))
    ]
    plain = {name: value for name, value in columns.values.items() if name not in grouped}
    nullable = [name for name in plain if dropna and can_be_missing(columns.kinds[name], plain[name])]
    reductions = [AggregateExpr("nunique", value) for value in plain.values()]
    reductions += [AggregateExpr("all", present(columns, name)) for name in nullable]
    plans: list[Node] = [_distinct_count(columns, name, dropna) for name in grouped]
    if reductions:
        plans.append(Aggregate(columns.frame, tuple(reductions)))
    results = list(run(*plans))
    found = results.pop() if reductions else []
    counts = dict(zip(grouped, results, strict=True)) | dict(zip(plain, found, strict=False))
    for name, all_present in zip(nullable, found[len(plain) :], strict=True):
        # All that are missing are one value.
        counts[name] -= 0 if all_present else 1
    return [counts[name] for name in columns.values]


def _distinct_count(columns: ColumnSet, name: str, dropna: bool) -> Element:
    """Return the number of distinct values of a column, which are grouped, for there may be many."""
    value = columns.values[name]
    keys = key_parts(value)
    groups = GroupAggregate.of(columns.frame, keys)
    found = of_key_parts(value, list(map(groups.key, range(len(keys)))))
    counted = present_among(columns.kinds[name], found) if dropna else Constant(True)
    return Element(Aggregate(groups, (AggregateExpr("count_nonzero", counted),)), 0, None)
