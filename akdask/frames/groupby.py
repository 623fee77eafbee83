"""`DataFrameGroupBy`: rows grouped by some columns, and reductions of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import names_of
from akdask.arrays.creation import array
from akdask.arrays.group_columns import called, has_meaning
from akdask.arrays.group_columns import reduction_named as reduction_name
from akdask.arrays.groupby import GROUP_REDUCTIONS, GroupBy, reduces_at_once
from akdask.arrays.selection import known_lengths
from akdask.arrays.sorting import argsort, sort
from akdask.arrays.substitutes import missing_attribute
from akdask.engine.alignment import align
from akdask.engine.values import Call as ValueCall
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.diff import DiffAggregate
from akdask.frames.group_heads import GroupTopMethods, first_of_sorted_groups
from akdask.frames.group_rows import FrameGroupMethods
from akdask.frames.index import Index, MultiIndex
from akdask.frames.kinds import missing_rows
from akdask.frames.series import Series, series_of
from akdask.frames.unobserved import with_unobserved
from akdask.frames.windows import as_integer

Rows = TypeVar("Rows", bound=DataFrame)

Call = tuple[str, str, Any]
"""Name of the result, column, reduction: its name, or a function of users."""


EXTREMES = {"idxmin": "argmin", "idxmax": "argmax"}
"""Reductions that give labels of rows, by those that give their positions."""


class DataFrameGroupBy(GroupTopMethods[Rows], FrameGroupMethods[Rows], Generic[Rows]):
    """Rows of a DataFrame grouped by columns of it.

    Parameters
    ----------
    gb : GroupBy
        The groups.
    df : DataFrame
        The rows.
    gb_key_names : list of str, optional
        Names of the keys, which are the columns that the rows are grouped by; ``key_0`` and so on unless given.
    as_index : bool
        Label the rows of results by the keys where there is one key; otherwise keys are columns.
    observed : bool
        Whether reductions leave out categories of keys that no row has.
    sort : bool
        Have groups in order of their keys; otherwise in the order of their first rows.
    group_keys : bool
        Add the keys to the labels of results of `apply`.

    Notes
    -----
    Results are lazy DataFrames with one row for each group.  All reductions of one call are found in one pass, apart
    from medians, modes and distinct counts.

    Examples
    --------
    >>> import akdask as ak
    >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 2.0, 3.0]})
    >>> df.groupby("k", as_index=False).sum().to_pandas()
       k    x
    0  1  4.0
    1  2  2.0
    """

    def __init__(
        self,
        gb: GroupBy,
        df: Rows,
        gb_key_names: Sequence[str] | None = None,
        as_index: bool = True,
        observed: bool = True,
        *,
        sort: bool = True,
        group_keys: bool = True,
    ) -> None:
        self.gb = gb
        # The copy keeps the grouped columns, as later assignments may change the frame.
        self.df = df.copy()
        self.gb_key_names = (
            [f"key_{number}" for number in range(gb.nkeys)] if gb_key_names is None else list(gb_key_names)
        )
        self.as_index = as_index
        self.observed = observed or not any(isinstance(key, Categorical) for key in gb._arrays)
        if not (self.observed or sort):
            raise UnsupportedError(
                "groups of categories that no row has come in order.", hint="leave out sort=False, or observed=False."
            )
        self.sort = sort
        self.group_keys = group_keys
        self._chosen: list[str] | None = None

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Return the same groups with only some columns to reduce.

        As in pandas, one name gives a `SeriesGroupBy`, unless keys are columns of results.
        """
        if isinstance(names, str) and self.as_index:
            from akdask.frames.series_groupby import groups_of_column

            return groups_of_column(self, self._columns(names)[0])
        options = {"sort": self.sort, "group_keys": self.group_keys}
        chosen = DataFrameGroupBy(self.gb, self.df, self.gb_key_names, self.as_index, self.observed, **options)
        chosen._chosen = self._columns(names)
        return chosen

    def __getattr__(self, name: str) -> Any:
        """Return the groups of the column of that name: ``g.x`` for ``g["x"]``."""
        df = self.__dict__.get("df")
        if df is None or name not in df.columns:
            raise missing_attribute(type(self), name, of="attribute or column")
        return self[name]

    def persist(self) -> DataFrameGroupBy[Rows]:
        """Find the groups now and keep them in memory, as `GroupBy.persist` does; returns the object itself."""
        self.gb.persist()
        return self

    def __iter__(self) -> Iterator[tuple[Any, Rows]]:
        """Iterate over keys and the rows of each group, which are lazy; computes the keys."""
        keys = self.gb.unique_keys
        several, _ = self._as_grouped(keys if isinstance(keys, tuple) else (keys,), {})
        for key in zip(*(level.tolist() for level in several), strict=True):
            yield key if len(key) > 1 else key[0], self.get_group(key)

    def agg(self, func: Any = None, **named: Any) -> Rows:
        """Return several reductions of each group; lazy.

        Parameters
        ----------
        func : str, list of str, or mapping of column to str or list of str, optional
            Names of reductions, for all columns or for each.  Several of one column are called ``column_reduction``.
        **named : (str, str or callable)
            Results by name: ``total=("x", "sum")``.  A function gets the values of each group as a pandas Series, in
            this process, so that all of the column must fit into its memory; it computes.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        MissingColumnError
            If there is no such column.
        """
        columns = [] if func is None or isinstance(func, Mapping) else self._columns(None)
        return self._reduce(calls_of(func, named, columns))

    aggregate = agg

    def size(self, as_series: bool | None = None, sort_index: bool = True) -> Series | Rows:
        """Return the number of rows of each group, NaN included; lazy.

        Parameters
        ----------
        as_series : bool, optional
            Return a Series labelled by the keys; otherwise a DataFrame with the column ``size``.  As `as_index` of
            `DataFrame.groupby` says unless given.
        sort_index : bool, default True
            Accepted for compatibility with Arkouda; keys are in order in any case.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 2]})
        >>> df.groupby("k").size().to_pandas().to_dict()
        {1: 1, 2: 2}
        """
        grouped = self.gb._grouped(("size", None, {}))
        keys, sizes = self.gb._keys_of(grouped), self.gb._result(grouped)
        if not self.observed:
            keys, (sizes,) = with_unobserved(self.gb, keys, [sizes], ["size"])
        if not (self.as_index if as_series is None else as_series):
            return self._frame(keys, {"size": sizes})
        names = self.gb_key_names
        levels, found = self._as_grouped(keys if isinstance(keys, tuple) else (keys,), {"size": sizes})
        return Series(
            found["size"], index=MultiIndex(levels, names=names) if len(levels) > 1 else Index(levels[0], names[0])
        )

    def sum(self, colnames: Any = None, *, numeric_only: bool = True, min_count: int = 0) -> Rows:
        """Return the sum of each group; lazy.

        Parameters
        ----------
        colnames : str or list of str, optional
            The columns to reduce; all columns of numbers unless given.
        numeric_only : True
            Accepted for compatibility with pandas.
        min_count : int, default 0
            Groups that have fewer values are missing in the result.

        Returns
        -------
        DataFrame
            One row for each group, one column for each reduced column; types as in `GroupBy.sum`.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        return self._of_enough(self._each("sum", colnames), min_count)

    def prod(self, colnames: Any = None, *, numeric_only: bool = True, min_count: int = 0) -> Rows:
        """Return the product of each group; lazy.  See `sum` and `GroupBy.prod`."""
        return self._of_enough(self._each("prod", colnames), min_count)

    def mean(self, colnames: Any = None, *, numeric_only: bool = True) -> Rows:
        """Return the mean of each group; lazy.  See `sum` and `GroupBy.mean`."""
        return self._each("mean", colnames)

    def var(self, colnames: Any = None, *, numeric_only: bool = True, ddof: int = 1) -> Rows:
        """Return the variance of each group; lazy.  See `sum` and `GroupBy.var`."""
        return self._each("var", colnames, ddof=ddof)

    def std(self, colnames: Any = None, *, numeric_only: bool = True, ddof: int = 1) -> Rows:
        """Return the standard deviation of each group; lazy.  See `sum` and `GroupBy.std`."""
        return self._each("std", colnames, ddof=ddof)

    def min(self, colnames: Any = None, *, numeric_only: bool = True, min_count: int = -1) -> Rows:
        """Return the smallest value of each group; lazy.  See `sum` and `GroupBy.min`."""
        return self._of_enough(self._each("min", colnames), min_count)

    def max(self, colnames: Any = None, *, numeric_only: bool = True, min_count: int = -1) -> Rows:
        """Return the largest value of each group; lazy.  See `sum` and `GroupBy.max`."""
        return self._of_enough(self._each("max", colnames), min_count)

    def median(self, colnames: Any = None, *, numeric_only: bool = True) -> Rows:
        """Return the median of each group; lazy.  See `sum` and `GroupBy.median`."""
        return self._each("median", colnames)

    def quantile(self, q: float = 0.5, interpolation: str = "linear", colnames: Any = None) -> Rows:
        """Return a quantile of each group, NaN left out; lazy.  See `sum` and `GroupBy.quantile`."""
        return self._each("quantile", colnames, q=q, method=interpolation)

    def argmin(self, colnames: Any = None) -> Rows:
        """Return the row of the first smallest value of each group; lazy.  See `sum` and `GroupBy.argmin`."""
        return self._each("argmin", colnames)

    def argmax(self, colnames: Any = None) -> Rows:
        """Return the row of the first largest value of each group; lazy.  See `sum` and `GroupBy.argmax`."""
        return self._each("argmax", colnames)

    def idxmin(self, colnames: Any = None, *, skipna: bool = True) -> Rows:
        """Return the label of the row with the first smallest value of each group; lazy.  See `idxmax`."""
        return self._labels_at("idxmin", self.argmin(colnames), skipna)

    def idxmax(self, colnames: Any = None, *, skipna: bool = True) -> Rows:
        """Return the label of the row with the first largest value of each group; lazy.

        Parameters
        ----------
        colnames : str or list of str, optional
            The columns to look at; all columns of numbers unless given.
        skipna : bool, default True
            Leave missing values out; otherwise there must be none.

        Raises
        ------
        ArgumentError
            When it is computed, if a group has only missing values, or any without `skipna`.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [5, 6, 7]})
        >>> df.groupby("k").idxmax().to_pandas()["x"].tolist()
        [2, 1]
        """
        return self._labels_at("idxmax", self.argmax(colnames), skipna)

    def any(self, colnames: Any = None) -> Rows:
        """Return whether any value is not 0 in each group; lazy.  See `sum` and `GroupBy.any`."""
        return self._each("any", colnames)

    def all(self, colnames: Any = None) -> Rows:
        """Return whether no value is 0 in each group; lazy.  See `sum` and `GroupBy.all`."""
        return self._each("all", colnames)

    def or_(self, colnames: Any = None) -> Rows:
        """Return the bits that any integer has in each group; lazy.  See `sum` and `GroupBy.OR`."""
        return self._each("OR", colnames)

    def and_(self, colnames: Any = None) -> Rows:
        """Return the bits that all integers have in each group; lazy.  See `sum` and `GroupBy.AND`."""
        return self._each("AND", colnames)

    def xor(self, colnames: Any = None) -> Rows:
        """Return the bits that an odd number of integers have in each group; lazy.  See `sum` and `GroupBy.XOR`."""
        return self._each("XOR", colnames)

    def count(self, colnames: Any = None) -> Rows:
        """Return the number of values of each group that are not NaN; lazy."""
        return self._each("count", colnames, numbers=False)

    def first(self, colnames: Any = None) -> Rows:
        """Return the first value of each group, missing or not as in Arkouda (pandas: that is not missing); lazy."""
        return self._each("first", colnames, numbers=False)

    def nunique(self, colnames: Any = None) -> Rows:
        """Return the number of distinct values of each group; lazy."""
        return self._each("nunique", colnames, numbers=False)

    def unique(self, colnames: Any = None) -> Rows:
        """Return the distinct values of each group, as SegArrays; lazy."""
        return self._each("unique", colnames, numbers=False)

    def mode(self, colnames: Any = None) -> Rows:
        """Return the commonest value of each group; lazy."""
        return self._each("mode", colnames, numbers=False)

    def head(self, n: int = 5, sort_index: bool = True) -> Rows:
        """Return the first rows of each group; lazy.

        Parameters
        ----------
        n : int, default 5
            How many rows of each group, at most.
        sort_index : bool, default True
            Keep the order of the rows; otherwise rows of a group are adjacent.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [5, 6, 7]}).groupby("k").head(2).to_pandas()
           k  x
        0  1  5
        1  2  6
        2  1  7
        """
        found = first_of_sorted_groups(self.gb, self.df._columns, n, sort_index)
        if found is not None:
            return self.df._of(found)
        return self._some_rows(self.gb.head(self.gb._arrays[0], n)[1], sort_index)

    def tail(self, n: int = 5, sort_index: bool = True) -> Rows:
        """Return the last rows of each group; lazy.  See `head`."""
        return self._some_rows(self.gb.tail(self.gb._arrays[0], n)[1], sort_index)

    def sample(
        self,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
    ) -> Rows:
        """Return a random choice of the rows of each group; see `GroupBy.sample`."""
        odds = self.df._columns.array(weights) if isinstance(weights, str) else on_rows_of(self.df._row_labels, weights)
        some_keys = self.gb._arrays[0]
        chosen = self.gb.sample(some_keys, n, frac, replace, odds, random_state, True, permute_samples=True)
        return self._some_rows(chosen, sort_index=False)

    @overload
    def diff(self, colname: str) -> DiffAggregate: ...

    @overload
    def diff(self, colname: int | None = None, *, periods: int = 1) -> Rows: ...

    def diff(self, colname: Any = None, *, periods: int = 1) -> DiffAggregate | Rows:
        """Return the differences of successive values of a column in each group, to be reduced; counts rows.

        Parameters
        ----------
        colname : str, optional
            A column of numbers; an integer stands for `periods`, as in pandas.
        periods : int, default 1
            How many rows are between a value and the one that it is lessened by, without `colname`.

        Returns
        -------
        DiffAggregate, or without `colname` a DataFrame of the differences of all columns, as in pandas
            Its `values` are float64 with the rows of the frame, NaN for the first row of each group; its methods
            reduce them to Series labelled by the keys.

        Raises
        ------
        MissingColumnError
            If there is no such column.
        ArgumentTypeError
            If it has no numbers.

        Examples
        --------
        >>> import akdask as ak
        >>> groups = ak.DataFrame({"k": [1, 2, 2, 2], "x": [3, 9, 11, 27]}).groupby("k")
        >>> groups.diff("x").values.tolist()
        [nan, nan, 2.0, 16.0]
        >>> groups.diff("x").max().to_pandas()
        1     NaN
        2    16.0
        dtype: float64
        """
        if colname is None or isinstance(colname, int | np.integer):
            return self._differences(as_integer("periods", periods if colname is None else colname))
        return DiffAggregate(self.gb, self.df._columns.array(colname))

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: str | None = None,
        origin: Any = "start_day",
        offset: Any = None,
    ) -> Any:
        """Return the rows of each group in bins of time, to be reduced; counts groups.

        See `DataFrame.resample` for the parameters.

        Returns
        -------
        GroupResampler
            Its reductions have a row for each bin of a group from the first to the last time of that group.  They are
            DataFrames with the keys and times as columns, or of one column Series with both as labels.

        Raises
        ------
        UnsupportedError
            If bins by the calendar begin at another multiple in each group, such as ``"2ME"``.

        Examples
        --------
        >>> import akdask as ak
        >>> times = ak.Datetime(["2024-01-01", "2024-01-03", "2024-01-03"])
        >>> df = ak.DataFrame({"k": [1, 1, 2], "t": times, "x": [5, 6, 7]})
        >>> df.groupby("k").resample("D", on="t").sum()["x"].tolist()
        [5, 0, 6, 7]
        """
        asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
        from akdask.frames.group_resampling import resampler_of_groups

        return resampler_of_groups(self, rule, on, asked)

    def broadcast(self, x: Any, permute: bool = True) -> Any:
        """Spread one value per group back to the rows, as a Series with their labels; see `GroupBy.broadcast`."""
        return series_of(self.df._columns, self.gb.broadcast(unlabelled(x), permute))

    def _labels_at(self, called: str, found: Rows, skipna: bool) -> Rows:
        """Return the labels at the rows of extremes."""
        labels, columns = self.df._columns.index_array(), found._columns
        names = [name for name in columns.values if name not in self.gb_key_names]
        counted = {} if skipna else {name: self.count(names)._columns.array(name) for name in names}
        sizes = None if skipna else self.size(as_series=False)._columns.array("size")
        at = {}
        for name in names:
            positions = columns.array(name)
            at[name] = labels[demanded(called, positions, None if sizes is None else counted[name] == sizes)]
        if columns.index is None:
            keys = {name: columns.array(name) for name in columns.values if name in self.gb_key_names}
            return self.df._of(ColumnSet.of({**keys, **at}))
        return self.df._of(columns.beside(at))

    def _some_rows(self, positions: Any, sort_index: bool) -> Rows:
        rows: Rows = self.df._rows(sort(positions) if sort_index else positions)
        return rows

    def _each(self, reduction: str, colnames: Any, *, numbers: bool = True, **params: Any) -> Rows:
        names = self._columns(colnames)
        if colnames is None:
            arrays = {name: self.df._columns.array(name) for name in names}
            names = [name for name, array in arrays.items() if has_meaning(reduction, array)]
            if numbers:
                names = [name for name in names if _is_number_or_ordered(arrays[name])]
        return self._reduce([(name, name, reduction) for name in names], **params)

    def _of_enough(self, found: Rows, least: int) -> Rows:
        """Return results of groups, missing for groups with fewer values."""
        if least <= 0:
            return found
        names = [name for name in found._columns.values if name not in self.gb_key_names]
        counts: Any = self.count(names)._columns
        for name in names:
            array, lacks = found._columns.array(name), counts.array(name) < least
            frame, (value, lacking) = align("count", [(array._frame, array._value), (lacks._frame, lacks._value)])
            found = found._of(found._columns.having(name, missing_rows(array, frame, value, lacking)))
        return found

    def _columns(self, names: Any) -> list[str]:
        if names is None:
            others = [name for name in self.df.columns if name not in self.gb_key_names]
            return others if self._chosen is None else self._chosen
        names = names_of(names)
        self.df._columns.only(names)
        return names

    def _reduce(self, calls: Iterable[Call], **params: Any) -> Rows:
        calls = list(calls)
        by_label = {name: how for name, _, how in calls if how in EXTREMES}
        calls = [
            (name, column, how if callable(how) else EXTREMES.get(how) or GROUP_REDUCTIONS.get(how.lower(), how))
            for name, column, how in calls
        ]
        known = {*GROUP_REDUCTIONS.values(), "size", "last"}
        unknown = [how for _, _, how in calls if not callable(how) and how not in known]
        if unknown:
            raise ArgumentError(
                f"groups cannot be reduced by {unknown[0]!r}.",
                details=[f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"],
            )
        self._columns([column for _, column, _ in calls])
        given = {column: self.df._columns.array(column) for _, column, _ in calls}
        by_users = {name: (column, how) for name, column, how in calls if callable(how)}
        calls, order = [call for call in calls if not callable(call[2])], [name for name, _, _ in calls]
        one_pass = [call for call in calls if call[2] != "last" and reduces_at_once(call[2], given[call[1]])]
        arrays = [(given[column], how) for _, column, how in one_pass]
        keys, results = (
            self.gb.reduce_at_once(arrays, **(params if arrays else {}))
            if calls or not by_users
            else (self.gb.unique_keys, [])
        )
        found = {name: result for (name, _, _), result in zip(one_pass, results, strict=True)}
        for name, column, how in calls:
            if how == "last":
                found[name] = _beside(keys, self._edge_value(column, last=True)[1])
            elif name not in found:
                found[name] = _beside(keys, getattr(self.gb, how)(given[column], **params)[1])
        labels: Any = self.df._columns.index_array() if by_label else None
        found |= {name: labels[demanded(how, found[name])] for name, how in by_label.items()}
        for name, (column, function) in by_users.items():
            made = self._pandas_groups(columns=[column])[column].agg(function)
            found[name] = _beside(keys, array(made.to_numpy()))
        if not self.observed:
            by_name = {name: how for name, _, how in calls} | dict.fromkeys([*by_users, *by_label], "")
            keys, completed = with_unobserved(
                self.gb, keys, [found[name] for name in order], [by_name[name] for name in order]
            )
            found = dict(zip(order, completed, strict=True))
        return self._frame(keys, {name: found[name] for name in order})

    def _frame(self, keys: Any, results: Mapping[str, Array]) -> Rows:
        arrays, results = self._as_grouped(keys if isinstance(keys, tuple) else (keys,), results)
        if self.as_index and len(arrays) == 1:
            return self.df._of(ColumnSet.of(results, arrays[0], self.gb_key_names[0]))
        return self.df._of(ColumnSet.of({**dict(zip(self.gb_key_names, arrays, strict=True)), **results}))

    def _as_grouped(self, keys: Sequence[Array], results: Mapping[str, Array]) -> tuple[list[Array], dict[str, Array]]:
        """Return keys and results of groups in the order of their first rows, where they are not to be sorted."""
        if self.sort:
            return list(keys), dict(results)
        order = argsort(self.gb.unique_key_idx)
        return [key[order] for key in keys], {name: array[order] for name, array in results.items()}


def calls_of(func: Any, named: Mapping[str, Any], columns: Sequence[str]) -> list[Call]:
    """Parse the arguments of `DataFrameGroupBy.agg` into calls of reductions.

    Raises
    ------
    ArgumentTypeError
        If a named result is no pair.
    """
    calls: list[Call] = []
    for name, pair in named.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentTypeError(
                f"a named result is a pair of column and reduction, not {pair!r}.", hint='write total=("x", "sum").'
            )
        calls.append((name, pair[0], reduction_name(pair[1])))
    if isinstance(func, str | list | tuple) or callable(func):
        func = dict.fromkeys(columns, func)
    for column, reductions in (func or {}).items():
        if isinstance(reductions, list | tuple):
            calls += [(f"{column}_{called(reduction)}", column, reduction_name(reduction)) for reduction in reductions]
        else:
            calls.append((column, column, reduction_name(reductions)))
    return calls


def _is_number_or_ordered(array: Array) -> bool:
    return array._type_name() not in ("str", "Categorical") or getattr(array, "ordered", False)


def demanded(called: str, positions: Any, is_full: Any = None) -> Any:
    """Return positions of extremes, which raise at compute if a group has none, or is not full by `is_full`."""
    frame, values = align(
        called, [positions._as_operand(), (positions >= 0 if is_full is None else is_full)._as_operand()]
    )
    return positions._like(frame, ValueCall("of_extremes", *values, name=called, skipna=is_full is None))


def _beside(keys: Any, result: Array) -> Array:
    """Count groups whose partitions have other bounds, so that they can be combined."""
    key = keys[0] if isinstance(keys, tuple) else keys
    if not key.rows.same_rows(result.rows):
        known_lengths(key._frame)
        known_lengths(result._frame)
    return result
