"""`SeriesGroupBy`: values of a Series, grouped by other arrays or by its labels."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, Labelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.families import called, is_named, reduction, shown_by
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError, errors_end_at_caller
from akdask.frames.columnset import VALUES
from akdask.frames.dataframe import DataFrame
from akdask.frames.group_reductions import in_group_order
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.index import Index, MultiIndex
from akdask.frames.missing import present_among
from akdask.frames.series import Series, column_series

if TYPE_CHECKING:
    from akdask.frames.group_windows import GroupWindows


_OF_GROUPS = """
>>> ak.Series([2, 4, 3]).groupby(ak.array(["a", "a", "b"])).{name}().tolist()
{of_groups}
"""


@shown_by(_OF_GROUPS)
def _of_values(groups: SeriesGroupBy, name: str) -> Series:
    """Return {what} of each group; lazy."""
    return groups.agg(name)


@shown_by(_OF_GROUPS)
def _of_many_values(groups: SeriesGroupBy, name: str, *, min_count: int = 0) -> Series:
    """Return {what} of each group, missing where it has less than `min_count` values; lazy."""
    return _by_keys(groups, getattr(groups._groups, name)(VALUES, min_count=min_count))


@shown_by(_OF_GROUPS)
def _extreme_of_values(groups: SeriesGroupBy, name: str, *, min_count: int = -1) -> Series:
    """Return {what} of each group, missing where it has less than `min_count` values; lazy."""
    return _by_keys(groups, getattr(groups._groups, name)(VALUES, min_count=min_count))


@shown_by(_OF_GROUPS)
def _spread_of_values(groups: SeriesGroupBy, name: str, ddof: int = 1) -> Series:
    """Return {what} of each group, `ddof` subtracted from the number of values; lazy."""
    return _by_keys(groups, getattr(groups._groups, name)(VALUES, ddof=ddof))


@errors_end_at_caller
class SeriesGroupBy:
    """Values of a Series in groups, as `Series.groupby` gives them.

    Parameters
    ----------
    series : Series
        The values.
    keys : list of array
        The keys, on the same rows.
    names : list of hashable
        Names of the keys.
    dropna : bool
        Leave out rows whose keys are missing.
    groups : GroupBy, optional
        The groups of these keys, where they have been made already.
    observed : bool
        Whether reductions leave out categories of keys that no row has.
    sort : bool
        Have groups in order of their keys; otherwise in the order of their first rows.
    group_keys : bool
        Add the keys to the labels of results of `apply`.

    Notes
    -----
    Follows ``pandas.core.groupby.SeriesGroupBy``: reductions are Series labelled by the keys, all else has the labels
    of the rows.  All is lazy, but that some count rows; see the methods of `DataFrameGroupBy`.
    """

    def __init__(
        self,
        series: Series,
        keys: Sequence[Array],
        names: Sequence[Any],
        dropna: bool = True,
        *,
        groups: GroupBy | None = None,
        observed: bool = True,
        sort: bool = True,
        group_keys: bool = True,
    ) -> None:
        self._series = series
        self._names = list(names)
        self._keys = list(keys)
        # Keys of these names are no columns of the rows of a Series.
        self._key_names = [f"key {number}" for number in range(len(keys))]
        if groups is None:
            groups = ColumnGroups(keys[0] if len(keys) == 1 else list(keys), dropna=dropna)
        rows = DataFrameGroupBy(groups, series._labelled, self._key_names, observed=observed, sort=sort)
        self._groups: Any = rows[[VALUES]]
        self._group_keys = group_keys

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them, once."""
        return int(self._groups.ngroups)

    def __len__(self) -> int:
        return self.ngroups

    def __repr__(self) -> str:
        from akdask.arrays.display import counted

        keys = ", ".join(self._names_of_keys())
        return f"<{type(self).__name__} of {counted(self._series.rows, 'row')}; keys: {keys}; lazy>"

    def _repr_html_(self) -> str:
        found: str = self._groups.gb._html(type(self).__name__, self._names_of_keys())
        return found

    def _names_of_keys(self) -> list[str]:
        return [str(number if name is None else name) for number, name in enumerate(self._names)]

    # one value for each group

    sum = reduction("sum", _of_many_values)
    prod = reduction("prod", _of_many_values)
    mean = reduction("mean", _of_values)
    var = reduction("var", _spread_of_values)
    std = reduction("std", _spread_of_values)
    min = reduction("min", _extreme_of_values)
    max = reduction("max", _extreme_of_values)
    median = reduction("median", _of_values)

    def quantile(self, q: float | Sequence[float] = 0.5, interpolation: str = "linear") -> Series:
        """Return a quantile of each group; lazy.  Several are a further level of the labels, and counted."""
        return _quantiles(self, q, interpolation)

    def sem(self, ddof: int = 1) -> Series:
        """Return the standard error of the mean of each group; lazy.  `ddof` is 1."""
        if ddof != 1:
            raise ArgumentError(f"sem of groups has ddof=1, not {ddof!r}.")
        return self.agg("sem")

    def skew(self) -> Series:
        """Return the skewness of each group without bias, NaN of fewer than three values; lazy."""
        return self.agg("skew")

    def kurt(self) -> Series:
        """Return the excess kurtosis of each group without bias, NaN of fewer than four values; lazy."""
        return self.agg("kurt")

    def corr(self, other: Any) -> Series:
        """Return the correlation of the values of each group with another Series; lazy.

        Parameters
        ----------
        other : Series or pdarray
            Of the same rows.

        Raises
        ------
        AlignmentError
            If it has other rows.
        NonUniqueError
            If a label of the other Series comes twice, when it is computed.
        ArgumentTypeError
            If one of both has no numbers.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 1, 1], "x": [1, 2, 4], "y": [3, 2, 0]})
        >>> df.groupby("k")["x"].corr(df.y).tolist()
        [-1.0]
        """
        return _of_pair(self, "correlation", other)

    def cov(self, other: Any, ddof: int = 1) -> Series:
        """Return the covariance of the values of each group with another Series, with `ddof`; lazy.  See `corr`."""
        return _of_pair(self, "covariance", other, ddof=ddof)

    def mode(self) -> Series:
        """Return the commonest value of each group, of several the first; lazy."""
        return self.agg("mode")

    def idxmin(self, skipna: bool = True) -> Series:
        """Return the label of the first smallest value of each group; lazy.  See `DataFrameGroupBy.idxmin`."""
        return _by_keys(self, self._groups.idxmin(skipna=skipna))

    def idxmax(self, skipna: bool = True) -> Series:
        """Return the label of the first largest value of each group; lazy.  See `DataFrameGroupBy.idxmax`."""
        return _by_keys(self, self._groups.idxmax(skipna=skipna))

    def describe(self) -> DataFrame:
        """Return count, mean, standard deviation, extremes and quartiles of each group as a DataFrame; lazy."""
        from akdask.frames.reductions import QUARTILES, percentage

        found = {name: getattr(self, name)() for name in ("count", "mean", "std", "min")}
        found |= {percentage(q): self.quantile(q) for q in QUARTILES}
        return _as_table(self, {**found, "max": self.max()})

    def value_counts(
        self, sort: bool = True, *, normalize: bool = False, ascending: bool = False, dropna: bool = True
    ) -> Series:
        """Return how often each value occurs in each group, the commonest of a group first; lazy.

        Parameters
        ----------
        sort : bool, default True
            Put the commonest of a group first.
        normalize : bool, default False
            Return shares of the values of the group.
        ascending : bool, default False
            Put the rarest of a group first.
        dropna : bool, default True
            Leave out missing values, which count as one value of a group otherwise.

        Examples
        --------
        >>> ak.Series([5, 6, 6]).groupby(ak.array([0, 0, 0])).value_counts().tolist()
        [2, 1]
        """
        return _counts_of_values(self, sort, normalize=normalize, ascending=ascending, dropna=dropna)

    any = reduction("any", _of_values)
    all = reduction("all", _of_values)
    count = reduction("count", _of_values)

    def size(self) -> Series:
        """Return the number of values of each group; lazy."""
        return self.agg("size")

    first = reduction("first", _of_values)

    def last(self) -> Series:
        """Return the last value of each group that is not missing; lazy."""
        return _by_keys(self, self._groups.last(VALUES))

    def nunique(self, dropna: bool = True) -> Series:
        """Return the number of distinct values of each group, with `dropna=False` missing ones as one; lazy."""
        found = self.agg("nunique")
        return found if dropna else found._with(found.values + (self.size().values > self.count().values))

    def unique(self) -> Series:
        """Return the distinct values of each group, as lists; lazy."""
        return self.agg("unique")

    def agg(self, func: Any = None, **named: Any) -> Any:
        """Return a reduction of each group by its name, or a DataFrame of several; lazy.

        Parameters
        ----------
        func : str or callable, or list of them
            Names of reductions.  A function gets the values of each group as a pandas Series, in this process, so that
            all must fit into its memory; it computes.
        **named : str or callable
            Results by name: ``agg(lowest="min", highest="max")``.

        Raises
        ------
        ArgumentError
            If there is no such reduction.

        Examples
        --------
        >>> ak.Series([1, 2, 4], index=["a", "b", "a"]).groupby(level=0).agg(["sum", "max"]).to_pandas()
           sum  max
        a    5    4
        b    2    2
        """
        return _aggregated(self, func, named)

    aggregate = agg

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with each group in this process, and combine its results as pandas does; computes."""
        return _pandas_groups(self, sort=self._groups.sort).apply(func, *args, **kwargs)

    # values for all rows

    def transform(self, func: str | Callable[[Any], Any]) -> Series:
        """Return for each row the reduction of its group, or a running result; see `DataFrameGroupBy`.

        Examples
        --------
        >>> ak.Series([1, 2, 4]).groupby(ak.array([0, 1, 0])).transform("sum").tolist()
        [5, 2, 5]
        """
        from akdask.arrays.creation import array

        if not isinstance(func, str):
            return self._series._with(array(_pandas_groups(self).transform(func).to_numpy()))
        return self._of_rows(self._groups.transform(func))

    def shift(self, periods: int = 1, freq: None = None, fill_value: Any = None) -> Series:
        """Return the values `periods` rows further down in their groups; counts rows."""
        return self._of_rows(self._groups.shift(periods, freq, fill_value))

    def diff(self, periods: int = 1) -> Series:
        """Return the differences of successive values of each group; counts rows."""
        return self._of_rows(self._groups.diff(periods))

    def ffill(self, limit: int | None = None) -> Series:
        """Fill missing values with the last value before them in their group; counts rows."""
        return self._of_rows(self._groups.ffill(limit))

    def bfill(self, limit: int | None = None) -> Series:
        """Fill missing values with the next value after them in their group; counts rows."""
        return self._of_rows(self._groups.bfill(limit))

    def cumsum(self) -> Series:
        """Return the sum of each value and all before it in its group; counts rows."""
        return self._of_rows(self._groups.cumsum())

    def cumprod(self) -> Series:
        """Return the product of each value and all before it in its group; counts rows."""
        return self._of_rows(self._groups.cumprod())

    def cummin(self) -> Series:
        """Return the smallest of each value and all before it in its group; counts rows."""
        return self._of_rows(self._groups.cummin())

    def cummax(self) -> Series:
        """Return the largest of each value and all before it in its group; counts rows."""
        return self._of_rows(self._groups.cummax())

    def rank(
        self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False
    ) -> Series:
        """Return the rank of each value in its group, from 1; counts groups."""
        return self._of_rows(self._groups.rank(method, ascending, na_option, pct))

    def cumcount(self, ascending: bool = True) -> Series:
        """Return the number of each row within its group, from 0; counts rows."""
        return self._series._with(self._groups.cumcount(ascending).values)

    def ngroup(self, ascending: bool = True) -> Series:
        """Return the number of each row's group, in the order of the groups; counts groups."""
        return self._series._with(self._groups.ngroup(ascending).values)

    # some rows

    def head(self, n: int = 5) -> Series:
        """Return the first values of each group, in the order of the rows; lazy."""
        return self._series._moved(self._groups.head(n))

    def tail(self, n: int = 5) -> Series:
        """Return the last values of each group, in the order of the rows; lazy."""
        return self._series._moved(self._groups.tail(n))

    def nlargest(self, n: int = 5) -> Series:
        """Return the largest values of each group, group by group, the largest first; lazy."""
        return self._series._moved(self._groups.nlargest(n))

    def nsmallest(self, n: int = 5) -> Series:
        """Return the smallest values of each group, group by group, the smallest first; lazy."""
        return self._series._moved(self._groups.nsmallest(n))

    def get_group(self, name: Any) -> Series:
        """Return the values of one group, by its key; see `DataFrameGroupBy.get_group`."""
        return self._series._moved(self._groups.get_group(name))

    def nth(self, n: int) -> Series:
        """Return the value of number `n` of each group, counted from its end if negative; counts rows."""
        return self._series._moved(self._groups.nth(n))

    def pct_change(self, periods: int = 1) -> Series:
        """Return the relative change from the value `periods` rows before in its group; counts rows."""
        return self._of_rows(self._groups.pct_change(periods))

    # windows

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: None = None,
        origin: Any = "start_day",
        offset: Any = None,
    ) -> Any:
        """Return the values of each group in bins of the times that label them; see `DataFrameGroupBy.resample`."""
        if on is not None:
            raise ArgumentError(f"a Series has no column {on!r}.", hint="its labels are the times.")
        asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
        from akdask.frames.group_windows import resampler_of_column

        return resampler_of_column(self, rule, asked)

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: None = None,
        on: None = None,
        closed: str | None = None,
        method: str = "single",
    ) -> GroupWindows:
        """Return moving windows of each group: a number of rows, or a span of time; see `DataFrameGroupBy.rolling`.

        Examples
        --------
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]}).groupby("k")["x"].rolling(2).sum().tolist()
        [nan, nan, 4.0]
        """
        if on is not None:
            raise ArgumentError(f"a Series has no column {on!r}.", hint="its labels are the times.")
        windows = self._groups.rolling(window, min_periods, center, win_type, None, closed, method)
        return windows._with_results(self._of_rows)

    def expanding(self, min_periods: int = 1, method: str = "single") -> GroupWindows:
        """Return windows of each row and all rows of its group before it; see `DataFrameGroupBy.rolling`."""
        return self._groups.expanding(min_periods, method)._with_results(self._of_rows)

    def ewm(self, *args: Any, **kwargs: Any) -> GroupWindows:
        """Return windows of groups with weights that decay; see `DataFrameGroupBy.ewm`, whose arguments it takes."""
        return self._groups.ewm(*args, **kwargs)._with_results(self._of_rows)

    # how

    def _of_rows(self, rows: Any) -> Series:
        return self._series._with(rows._columns.array(VALUES))


def _of_pair(groups: SeriesGroupBy, name: str, other: Any, **params: Any) -> Series:
    """Return a statistic of the values and of another column in each group."""
    from akdask.frames import group_moments

    if isinstance(other, Series) and other._given_labels() is not None:
        # Rows of a label that comes twice belong to more than one group.
        other = other.reindex(groups._series.index)
    made = getattr(group_moments, name)(
        groups._groups.gb, groups._series.values, groups._series._on_rows(other), **params
    )
    keys = groups._groups.gb.unique_keys
    levels, found = in_group_order(groups._groups, keys if isinstance(keys, tuple) else (keys,), {VALUES: made})
    labels = MultiIndex(levels, names=groups._names) if len(levels) > 1 else Index(levels[0], groups._names[0])
    return Series(found[VALUES], groups._series.name, labels)


def _quantiles(groups: SeriesGroupBy, q: float | Sequence[float], interpolation: str) -> Series:
    from akdask.arrays.creation import arange, array
    from akdask.arrays.shapes import chained

    if not isinstance(q, list | tuple | np.ndarray):
        return _by_keys(groups, groups._groups.quantile(q, interpolation, colnames=VALUES))
    wanted = [float(one) for one in q]
    found = [groups.quantile(one, interpolation) for one in wanted]
    if not found:
        raise ArgumentError("quantile needs a number from 0 to 1, or several.")
    labels, count = found[0].index, len(found[0])
    levels = list(labels.levels) if isinstance(labels, MultiIndex) else [labels.values]
    # Of each group all quantiles, one below the other.
    row = arange(count * len(wanted))
    group, which = row // len(wanted), row % len(wanted)
    values = chained([one.values for one in found])[which * count + group]
    index = MultiIndex([*(level[group] for level in levels), array(wanted)[which]], names=[*groups._names, None])
    return Series(values, groups._series.name, index)


def _counts_of_values(groups: SeriesGroupBy, sort: bool, *, normalize: bool, ascending: bool, dropna: bool) -> Series:
    columns = [*groups._keys, groups._series.values]
    if dropna:
        there = groups._series.notna().values
        columns = [column[there] for column in columns]
    if groups._groups.gb.dropna and not dropna:
        there = reduce(operator.and_, [pdarray(key._frame, present_among(key, key._value)) for key in groups._keys])
        columns = [column[there] for column in columns]
    counted: Any = ColumnGroups(columns, dropna=groups._groups.gb.dropna and dropna)
    keys, counts = counted.size()
    first: dict[str, Any] = {}
    if isinstance(columns[-1], Categorical):
        keys, counts = _with_each_category(groups, columns[-1], keys, counts)
    elif sort:
        # Values that are as common come in the order of their first rows.
        first = {"first": counted.unique_key_idx}
    names = [*groups._key_names, VALUES]
    rows = DataFrame({**dict(zip(names, keys, strict=True)), "count": counts, **first})
    if sort:
        upwards = [*(True for _ in groups._keys), ascending, *(True for _ in first)]
        rows = rows.sort_values([*groups._key_names, "count", *first], upwards)
    index = MultiIndex([rows[name] for name in names], names=[*groups._names, groups._series.name])
    if not normalize:
        return Series(rows["count"], "count", index)
    counted = GroupBy([rows[name] for name in groups._key_names], dropna=False)
    return Series(rows["count"] / counted.broadcast(counted.sum(rows["count"])[1]), "proportion", index)


def _with_each_category(
    groups: SeriesGroupBy, values: Categorical, keys: Sequence[Any], counts: Any
) -> tuple[list[Any], Any]:
    """Return counts with 0 for categories that a group lacks; counts groups and categories."""
    from akdask.arrays.creation import arange, full
    from akdask.arrays.setops import contained
    from akdask.arrays.shapes import chained
    from akdask.arrays.sorting import coargsort

    each = values._each_category()
    found = groups._groups.gb.unique_keys
    levels = list(found) if isinstance(found, tuple) else [found]
    row, size = arange(int(levels[0].size) * int(each.size)), max(int(each.size), 1)
    all_of = [*(level[row // size] for level in levels), each[row % size]]
    lacking = contained(all_of, list(keys), invert=True)
    zeros = full(int(lacking.sum()), 0, dtype="int64")
    rows = [chained([one, other[lacking]]) for one, other in zip(keys, all_of, strict=True)]
    order = coargsort(rows)
    return [one[order] for one in rows], chained([counts, zeros])[order]


def _aggregated(groups: SeriesGroupBy, func: Any, named: dict[str, Any]) -> Any:
    if func is not None and not isinstance(func, list | tuple) and is_named(func):
        return _by_keys(groups, groups._groups.agg({VALUES: called(func)}))
    if callable(func):
        return _reduced_by_users(groups, func)
    wanted = {called(one): one for one in func or ()} | named
    if not wanted:
        raise ArgumentError("agg needs the name of a reduction.")
    return _as_table(groups, {name: groups.agg(one) for name, one in wanted.items()})


def _reduced_by_users(groups: SeriesGroupBy, func: Callable[[Any], Any]) -> Series:
    """Call a function of the user with each group; computes."""
    from akdask.arrays.creation import array

    keys, found = groups._groups.gb.unique_keys, array(_pandas_groups(groups).agg(func).to_numpy())
    levels, in_order = in_group_order(groups._groups, keys if isinstance(keys, tuple) else (keys,), {VALUES: found})
    labels = MultiIndex(levels, names=groups._names) if len(levels) > 1 else Index(levels[0], groups._names[0])
    return Series(in_order[VALUES], groups._series.name, labels)


def _as_table(groups: SeriesGroupBy, found: Mapping[str, Series]) -> DataFrame:
    """Return reductions as columns, labelled by the key, or beside the keys where these are several."""
    frame = DataFrame({name: series.values for name, series in found.items()})
    labels = next(iter(found.values())).index
    if not isinstance(labels, MultiIndex):
        return DataFrame({name: frame[name] for name in found}, labels)
    named = zip(groups._key_names, groups._names, labels.levels, strict=True)
    keys = {key if name is None else str(name): level for key, name, level in named}
    return DataFrame({**keys, **{name: frame[name] for name in found}})


def _by_keys(groups: SeriesGroupBy, rows: Any) -> Series:
    columns = rows._columns
    if len(groups._keys) == 1:
        labels = Index(columns.index_array(), groups._names[0])
    else:
        labels = MultiIndex([columns.array(name) for name in groups._key_names], names=groups._names)
    return Series(columns.array(VALUES), groups._series.name, labels)


def _pandas_groups(groups: SeriesGroupBy, *, sort: bool = True) -> Any:
    given = groups._series.to_pandas()
    arrays: list[Any] = [key.to_pandas() if isinstance(key, Categorical) else key.to_ndarray() for key in groups._keys]
    named = zip(arrays, groups._names, strict=True)
    keys = [pd.Series(key, index=given.index, name=name) for key, name in named]
    options = {"dropna": groups._groups.gb.dropna, "group_keys": groups._group_keys, "sort": sort}
    return given.groupby(keys[0] if len(keys) == 1 else keys, observed=True, **options)


def groups_of_column(groups: DataFrameGroupBy, name: str) -> SeriesGroupBy:
    """Return the groups of one column of a DataFrame."""
    series: Series = column_series(groups.df, name)
    options = {"sort": groups.sort, "group_keys": groups.group_keys, "observed": groups.observed}
    return SeriesGroupBy(series, groups.gb._arrays, groups.gb_key_names, groups=groups.gb, **options)


def groups_of(
    series: Series, by: Any = None, level: Any = None, dropna: bool = True, sort: bool = True, observed: bool = True
) -> SeriesGroupBy:
    """Return the values of a Series in groups; see `Series.groupby`."""
    from akdask.arrays.creation import array

    if (by is None) == (level is None):
        raise ArgumentError(
            "a Series is grouped either by arrays or by a level of its labels.", hint="pass by or level."
        )
    grouper = by[0] if isinstance(by, list) and len(by) == 1 else by
    if is_pandas(grouper, "Grouper"):
        from akdask.frames.resampling import values_grouped_by_time

        binned: SeriesGroupBy = values_grouped_by_time(series, grouper)
        return binned
    if level is not None:
        levels = [_level(series.index, one) for one in (level if isinstance(level, list | tuple) else [level])]
        values, names = [one.values for one in levels], [one.name for one in levels]
        return SeriesGroupBy(series, values, names, dropna, sort=sort, observed=observed)
    several = by if isinstance(by, list | tuple) else [by]
    arrays = [array(key) if isinstance(key, np.ndarray) else series._on_rows(key) for key in several]
    if not arrays or not all(isinstance(key, Array) for key in arrays):
        raise ArgumentTypeError(
            "a Series is grouped by arrays or Series on its rows.", hint="series.groupby(level=0) groups by labels."
        )
    names = [getattr(key, "name", None) if isinstance(key, Labelled) else None for key in several]
    return SeriesGroupBy(series, arrays, names, dropna, sort=sort, observed=observed)


def _level(index: Index, level: Any) -> Index:
    if isinstance(index, MultiIndex):
        return index.get_level_values(level)
    if level not in (0, -1, index.name):
        raise ArgumentError(f"the labels have one level, and not {level!r}.", hint="pass level=0.")
    return index
