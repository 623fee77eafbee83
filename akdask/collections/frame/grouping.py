"""Grouping the rows of a DataFrame: `DataFrame.groupby`, and one row of all that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, overload

from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled
from akdask.collections.core.column_names import names_of
from akdask.collections.core.later import later
from akdask.collections.frame.groupby import DataFrameGroupBy
from akdask.collections.frame_core.alignment import on_rows_of
from akdask.collections.frame_core.rows import RowMethods
from akdask.collections.groups.groupby import ColumnGroups, GroupBy
from akdask.deferred import is_pandas
from akdask.errors import ArgumentError


class GroupMethods(RowMethods):
    """Grouping by columns."""

    @overload
    def groupby(
        self,
        keys: Any = None,
        use_series: Literal[True] = True,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy[Self]: ...

    @overload
    def groupby(
        self,
        keys: Any,
        use_series: bool,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy[Self] | GroupBy: ...

    def groupby(
        self,
        keys: Any = None,
        use_series: bool = True,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy[Self] | GroupBy:
        """Return the rows grouped by one or more columns; lazy.

        Parameters
        ----------
        keys : str, array, Series or pandas.Grouper, or list of them
            Columns by name, or others with the rows of the frame, such as ``df["t"].floor("h")``; bins of time, such as
            ``ak.Grouper(key="t", freq="ME")``, of which the first and the last time are computed.
        use_series : bool
            Return a `DataFrameGroupBy`; otherwise a `GroupBy` of the columns alone.
        as_index : bool
            Label the rows of results by the keys where there is one key; otherwise keys are columns.
        dropna : bool
            Leave out rows with NaN among their keys.
        sort : bool
            Have groups in order of their keys; otherwise in the order of their first rows.
        level : {0, -1} or str, optional
            In place of `keys`: group by the labels of the rows.
        observed : bool, default True
            Leave out categories that no row has, as pandas does from version 3.  Otherwise reductions have a row for
            each category of a Categorical, of several keys for each combination, which counts them.
        group_keys : bool
            Whether what `apply` gives has the keys among its labels.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `keys` are no names.
        """
        if level is not None:
            keys = self._labels_as_key(keys, level)
        several = isinstance(keys, list | tuple)
        given = list(keys) if several else [keys]
        if any(is_pandas(key, "Grouper") for key in given):
            binned: DataFrameGroupBy[Self] = later("grouped by time", self, given, use_series, as_index, dropna)
            return binned
        names, arrays = self._keys(given)
        groups = ColumnGroups(arrays if several else arrays[0], dropna=dropna)
        if not use_series:
            return groups
        return DataFrameGroupBy(groups, self, names, as_index, observed, sort=sort, group_keys=group_keys)

    def _labels_as_key(self, keys: Any, level: Any) -> Any:
        if keys is not None:
            raise ArgumentError("rows are grouped either by keys or by a level of their labels.")
        labels: Any = self.index
        if level not in (0, -1, labels.name) or isinstance(level, bool):
            raise ArgumentError(f"the labels of a DataFrame have one level, and not {level!r}.", hint="pass level=0.")
        return labels

    def _keys(self, keys: Sequence[Any]) -> tuple[list[str], list[Array]]:
        """Return the names and arrays of keys, which are columns by name, or arrays with the rows of the frame."""
        names, arrays = [], []
        for number, key in enumerate(keys):
            item = on_rows_of(self._row_labels, key)
            if isinstance(item, Array):
                given = getattr(key, "name", None) if isinstance(key, Labelled) else None
                names.append(given if isinstance(given, str) else f"key_{number}")
                arrays.append(item)
            else:
                names += names_of(item)
                arrays += [self._columns.array(name) for name in names_of(item)]
        if not arrays:
            raise ArgumentError("rows are grouped by at least one column.", hint=f"columns: {', '.join(self.columns)}.")
        return names, arrays

    def GroupBy(self, keys: Any, use_series: bool = False, as_index: bool = True, dropna: bool = True) -> Any:
        """Return the rows grouped as `groupby` does, but as a `GroupBy` of the columns unless `use_series`; lazy."""
        return self.groupby(keys, use_series, as_index, dropna)

    def drop_duplicates(self, subset: str | Sequence[str] | None = None, keep: str = "first") -> Self:
        """Return the frame with one row of all that are equal, in the order of the rows; lazy.

        Parameters
        ----------
        subset : str or list of str, optional
            The columns that must be equal, all unless given.
        keep : {"first", "last"}
            Which row to keep.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentError
            If `keep` is something else.
        """
        if keep not in ("first", "last"):
            raise ArgumentError(f"keep={keep!r} is neither 'first' nor 'last'.")
        names = names_of(self.columns if subset is None else subset)
        if not names:
            return self._of(self._columns)
        groups = GroupBy([self._columns.array(name) for name in names], dropna=False)
        frame: Self = self._rows(groups.edge_rows(last=keep == "last"))
        return frame
