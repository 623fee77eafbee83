"""`groupby` of a DataFrame, choices of rows (membership, duplicates, samples), and counts of distinct values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, Literal, Self, overload

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import axis_number, names_of
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.keys import as_arrays, like
from akdask.arrays.pdarray import pdarray
from akdask.arrays.selection import sample_of
from akdask.arrays.setops import in1d
from akdask.deferred import is_pandas
from akdask.engine.missing import is_in_parts, key_parts, of_key_parts
from akdask.engine.node import Node
from akdask.engine.pipeline import SMALL_ROWS
from akdask.engine.run import run
from akdask.engine.values import Constant
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError, UnsupportedError
from akdask.frames.alignment import Matched, RowLabelled, as_labelled, on_rows_of
from akdask.frames.base import FrameBase
from akdask.frames.columns import ColumnMethods
from akdask.frames.columnset import ColumnSet
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.index import Index
from akdask.frames.missing import can_be_missing, present, present_among
from akdask.frames.rows import RowMethods
from akdask.frames.series import Series, by_column
from akdask.frames.series_base import SeriesBase
from akdask.frames.sorting import FrameSortMethods
from akdask.operators.group.aggregate import GroupAggregate
from akdask.operators.reduce.aggregate import Aggregate, AggregateExpr, Element


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
            Add the keys to the labels of results of `apply`.

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
            from akdask.frames.resampling import grouped_by_time

            binned: DataFrameGroupBy[Self] = grouped_by_time(self, given, use_series, as_index, dropna)
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


class ChoiceMethods(GroupMethods):
    """Membership, ranges of group sizes, and samples."""

    def isin(self, values: Any) -> Self:
        """Return which values are among given ones, as a DataFrame of bool; lazy.

        Parameters
        ----------
        values : array or sequence, mapping, Series, or DataFrame
            Values for all columns, or a mapping of values by column.  A Series, or the column of that name of a
            DataFrame, gives one value for each row, by labels.  Text never equals a number.

        Raises
        ------
        ArgumentTypeError
            If it is nothing to look among, such as one number or str.
        """
        columns = self._columns
        values = as_labelled(values)
        if isinstance(values, RowLabelled):
            return self._of(columns.beside(_equal_by_label(self, values)))
        found = {name: _is_in(columns.array(name), name, values) for name in columns.values}
        return self._of(columns.beside(found))

    def filter_by_range(self, keys: str | Sequence[str], low: int = 1, high: int | None = None) -> pdarray:
        """Return which rows have keys that occur in a given number of rows; lazy bool array.

        Parameters
        ----------
        keys : str or list of str
            The columns that must be equal.
        low, high : int
            Fewest and most rows, both included; no most if None.

        Returns
        -------
        pdarray of bool
            With the rows of the frame; False for rows with NaN among their keys, which are in no group.

        Raises
        ------
        ArgumentError
            If `low` is negative, or `high` is less than `low`.
        ArgumentTypeError
            If `keys` are no names.
        MissingColumnError
            If there is no column of a name.
        """
        if low < 0 or (high is not None and high < low):
            raise ArgumentError(f"group sizes range from low to high, neither below 0; got low={low}, high={high}.")
        groups = self.groupby(keys, use_series=False)
        sizes = groups.broadcast(groups.size()[1])
        # Rows that are in no group have the size 0.
        mask: pdarray = sizes >= max(low, 1)
        return mask if high is None else mask & (sizes <= high)

    def sample(self, n: int = 5, *, frac: float | None = None, random_state: Any = None) -> Self:
        """Return `n` rows chosen at random, all of them if there are no more; counts rows of unknown number.

        Parameters
        ----------
        n : int, default 5
            How many rows.
        frac : float, optional
            Or which part of them, from 0 to 1.
        random_state : int or numpy.random.Generator, optional
            Seed for a choice that can be repeated.

        Raises
        ------
        ArgumentError
            If there cannot be so many.
        ArgumentTypeError
            If numbers are none.
        """
        size = len(self)
        count, draw = sample_of(size, n, frac, random_state)
        chosen: Self = self if count >= size else self._rows(draw.choice(size, count, replace=False))
        return chosen


def intx(a: FrameBase, b: FrameBase) -> pdarray:
    """Return which rows of a DataFrame another one has too; lazy bool array with the rows of `a`.

    Raises
    ------
    ArgumentTypeError
        If one is no DataFrame.
    ArgumentError
        If their columns differ, in names or order.

    Examples
    --------
    >>> import akdask as ak
    >>> a, b = ak.DataFrame({"x": [1, 2], "y": [5, 6]}), ak.DataFrame({"x": [2, 1], "y": [6, 7]})
    >>> ak.intx(a, b).tolist()
    [False, True]
    """
    given: list[Any] = [a, b]
    if not all(isinstance(frame, FrameBase) for frame in given):
        raise ArgumentTypeError("rows are compared with those of another DataFrame.")
    if not a.columns or a.columns != b.columns:
        raise ArgumentError(
            "only rows with the same columns in the same order can be compared.",
            details=[", ".join(frame.columns) for frame in (a, b)],
        )
    lefts, rights = ([frame._columns.array(name) for name in frame.columns] for frame in (a, b))
    found: pdarray = in1d(lefts, rights)
    return found


def _equal_by_label(frame: ColumnMethods, given: Any) -> dict[str, pdarray]:
    """Return which elements of each column equal the value of a Series, or of a DataFrame's column, for their label."""
    own, labels = frame._columns, given._row_labels
    if isinstance(given, SeriesBase):
        sought = dict.fromkeys(own.values, given.values)
    else:
        sought = {name: given._columns.array(name) for name in own.values if name in given.columns}
    target = frame._row_labels
    if target.are_those_of(labels):
        return {name: _equal(own.array(name), sought.get(name)) for name in own.values}
    matched = Matched.of(target, labels, list(sought.values()))
    has_label = pdarray(matched.frame, matched.has_label)
    arrays = {name: matched.array(number) for number, name in enumerate(sought)}
    return {name: _equal(own.array(name), arrays.get(name)) & has_label for name in own.values}


def _equal(array: Any, sought: Any) -> pdarray:
    """Return which elements equal others, none where these are of another kind."""
    if sought is None or _is_number(array) != _is_number(sought):
        return pdarray(array._frame, Constant(np.False_))
    found: pdarray = array == sought
    return found


def _is_in(column: Array, name: str, values: Any) -> pdarray:
    """Return which elements of a column are among values as `isin` takes them."""
    sought: Any = values.get(name, []) if isinstance(values, Mapping) else values
    if isinstance(sought, Index):
        sought = sought.values
    if isinstance(sought, str) or not isinstance(sought, Array | Sized):
        raise ArgumentTypeError(
            f"isin looks among the values of an array, mapping or DataFrame, not of {type(sought).__name__}.",
            hint="put a single value into a list.",
        )
    if not isinstance(sought, Array):
        sought = as_arrays(like(column, sought))[0]
    if _is_number(column) != _is_number(sought):
        return pdarray(column._frame, Constant(np.False_))
    found: pdarray = in1d(column, sought)
    return found


def _is_number(array: Array) -> bool:
    return array._as_operand()[1].dtype.is_number


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
            Put the rows in order of their counts; rows of equal counts in order of the columns.
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
    """Count distinct values of all columns of few rows in one pass, without grouping most of them."""
    # Grouped are Categoricals, as several labels may mean missing, and nullable integers, which floats may not hold.
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
