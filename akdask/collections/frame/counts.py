"""How often values and rows of a DataFrame occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.reductions import distinct_count
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import axis_number, names_of
from akdask.collections.frame.choice import ChoiceMethods
from akdask.collections.frame.sorting import FrameSortMethods
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import present
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.series.series import Series, by_column
from akdask.errors import SchemaError, UnsupportedError
from akdask.plan.run.run import run

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
        counts = run(*[distinct_count(_values(columns, name, dropna)).expr for name in columns.values])
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
        keys, counts = GroupBy([self._columns.array(name) for name in names], dropna=dropna).size()
        counted = self._of(ColumnSet.of({**dict(zip(names, keys, strict=True)), COUNT: counts}))
        if not sort:
            return counted
        return counted._of(counted.sort_values(COUNT, ascending=ascending)._columns.labelled(None))


def _values(columns: ColumnSet, name: str, dropna: bool) -> Array:
    """Return a column, without its missing values where they are left out."""
    array = columns.array(name)
    chosen: Array = array[pdarray(columns.frame, present(columns, name))] if dropna else array
    return chosen
