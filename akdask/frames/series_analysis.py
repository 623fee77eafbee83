"""Analysis methods of a Series: descriptions, missing values, order, ranks and reductions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.concatenation import concatenate
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.operators import where
from akdask.arrays.ordering import few_extremes
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import distinct_count, reduced
from akdask.arrays.scans import argmaxk
from akdask.arrays.segarray import SegArray
from akdask.arrays.setops import in1d
from akdask.arrays.sorting import argsort, coargsort
from akdask.arrays.strings import Strings
from akdask.arrays.time_of_day import within_day
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64
from akdask.deferred import pd
from akdask.engine import missing
from akdask.engine.missing import negated
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.cells import CellMethods, between, is_nothing
from akdask.frames.columns import relabelled
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex, check_na_position, is_there
from akdask.frames.kinds import is_number
from akdask.frames.missing import present
from akdask.frames.reshaping import with_wide_integers
from akdask.frames.series_base import VALUES, SeriesBase, SeriesOperators
from akdask.frames.sorting import reindexed
from akdask.frames.summaries import (
    KEEPS,
    described_labels,
    described_numbers,
    described_times,
    quantiles_of,
    ranks,
    repeated,
    top_positions,
)
from akdask.operators.reduce.quantiles import checked_quantiles


class SeriesAnalysis(SeriesBase, CellMethods):
    """Descriptions, extremes, ranks; see the methods of `DataFrame` of the same names."""

    def describe(self, percentiles: Sequence[float] | None = None) -> pd.Series:
        """Return count, mean, standard deviation, extremes and quantiles of numbers; computes.

        Times have the same rows, without a standard deviation for points in time.  Text, Categoricals and bool have
        count, number of distinct values, the most common value and its count.

        Parameters
        ----------
        percentiles : sequence of float, optional
            Which quantiles, from 0 to 1; 25, 50 and 75 % unless given.

        Raises
        ------
        ArgumentTypeError
            If the values are of another kind.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 3, 4]).describe()["50%"]
        np.float64(2.5)
        """
        columns = self._value_columns()
        values = self.values
        if is_number(values) and values._value.dtype.kind != "bool":
            found = described_numbers(columns, [VALUES], quantiles_of(percentiles))
        elif isinstance(values, TimeArray):
            found = described_times(columns, [VALUES], quantiles_of(percentiles))
        elif isinstance(values, Strings | Categorical) or values._value.dtype.kind == "bool":
            found = described_labels(columns, [VALUES])
        else:
            raise ArgumentTypeError(f"describe takes numbers or text, not {values._type_name()}.")
        described: pd.Series = found[VALUES]
        described.name = self.name
        return described

    def nlargest(self, n: int = 5, keep: str = "first") -> Self:
        """Return the entries with the `n` largest values, the largest first; lazy.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {"first", "last"}
            Which of equal values to take where not all fit.

        Raises
        ------
        ArgumentTypeError
            If the values are neither numbers nor times.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([3, 9, 5]).nlargest(2).to_pandas().to_dict()
        {1: 9, 2: 5}
        """
        return self._few("nlargest", n, keep, largest=True)

    def nsmallest(self, n: int = 5, keep: str = "first") -> Self:
        """Return the entries with the `n` smallest values, the smallest first; lazy.  See `nlargest`."""
        return self._few("nsmallest", n, keep, largest=False)

    def rank(
        self, method: str = "average", ascending: bool = True, pct: bool = False, *, na_option: str = "keep"
    ) -> Self:
        """Return the rank of each value, from 1, as float64 with NaN for missing values; lazy.

        See `DataFrame.rank`.
        """
        return self._with(ranks(self.values, method, ascending, pct, na_option))

    def duplicated(self, keep: str | bool = "first") -> Self:
        """Return which values are equal to another one; lazy.  See `DataFrame.duplicated`."""
        return self._with(repeated([self.values], keep))

    def drop_duplicates(self, keep: str | bool = "first") -> Self:
        """Drop entries whose values are repeated; lazy.  See `duplicated`."""
        return self._moved(self._labelled._rows(~repeated([self.values], keep)))

    def unique(self) -> Any:
        """Return the distinct values, in the order in which they come first as in pandas, as an array; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([3, 1, 3]).unique().tolist()
        [3, 1]
        """
        return self.drop_duplicates().values

    def between(self, left: Any, right: Any, inclusive: str = "both") -> Self:
        """Return which values lie between two bounds; lazy.

        Parameters
        ----------
        left, right : scalar, array or Series
            The bounds.
        inclusive : {"both", "neither", "left", "right"}
            Which of them count as between.

        Raises
        ------
        ArgumentError
            If `inclusive` is something else.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 3]).between(2, 3).tolist()
        [False, True, True]
        """
        found: Self = between(self, left, right, inclusive)
        return found

    def groupby(
        self, by: Any = None, level: Any = None, dropna: bool = True, *, sort: bool = True, observed: bool = True
    ) -> Any:
        """Return the values in groups, to be reduced or transformed: ``series.groupby(level=0).sum()``; lazy.

        Parameters
        ----------
        by : array, Series or Index, or list of them
            Keys on the same rows.
        level : int, str, or list of them
            Or the levels of the labels.
        dropna : bool, default True
            Leave out rows whose keys are missing.
        sort : bool, default True
            Have groups in order of their keys; otherwise in the order of their first rows.
        observed : bool, default True
            Leave out categories that no row has, where keys are Categoricals; see `DataFrame.groupby`.

        Returns
        -------
        SeriesGroupBy

        Raises
        ------
        ArgumentError
            If both are given, or none, or there is no such level.
        ArgumentTypeError
            If `by` is no array.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 4], index=["a", "b", "a"]).groupby(level=0).sum().to_pandas().to_dict()
        {'a': 5, 'b': 2}
        """
        from akdask.frames.series_groupby import groups_of

        return groups_of(self, by, level, dropna, sort, observed)

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: None = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: bool = False,
    ) -> Any:
        """Return the values grouped by bins of the times that label them: ``s.resample("ME").mean()``; computes.

        See `DataFrame.resample`; a Series has no columns for `on`.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 4], index=ak.Datetime(ak.array([0, 30, 150]), unit="m")).resample("h").sum().tolist()
        [3, 0, 4]
        """
        if on is not None:
            raise ArgumentError(f"a Series has no column {on!r}.", hint="its labels are the times, or level= of them.")
        asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
        from akdask.frames.resampling import resampler_of_series

        return resampler_of_series(self, rule, level, asked)

    def asfreq(self, freq: Any, method: str | None = None, *, normalize: bool = False, fill_value: Any = None) -> Self:
        """Return the values at regular times from the first to the last label; computes these.

        See `DataFrame.asfreq`.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.Series([1, 2], index=ak.Datetime(["2024-01-31", "2024-03-31"]))
        >>> s.asfreq("ME", fill_value=0).tolist()
        [1, 0, 2]
        """
        if self._level_names:
            raise ArgumentError("asfreq takes labels of one level.")
        from akdask.frames.resampling import regular_rows

        return self._moved(regular_rows(self._labelled, freq, method, normalize, fill_value))

    def between_time(self, start_time: Any, end_time: Any, inclusive: str = "both") -> Self:
        """Return the entries whose labels lie between two times of day; lazy.  See `DataFrame.between_time`.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.Series([1, 2], index=ak.Datetime(["2024-01-31T08:00", "2024-02-01T10:00"]))
        >>> s.between_time("09:30", "17:00").tolist()
        [2]
        """
        chosen = within_day("between_time", self.index.values, start_time, end_time, inclusive)
        return self._moved(self._labelled._rows(chosen))

    def at_time(self, time: Any) -> Self:
        """Return the entries whose labels have a time of day; lazy.  See `DataFrame.between_time`."""
        return self._moved(self._labelled._rows(within_day("at_time", self.index.values, time, time)))

    def reindex(self, index: Any, fill_value: Any = None) -> Self:
        """Return the entries that have given labels, in their order, missing where there is none; counts rows.

        See `DataFrame.reindex`.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2], index=["a", "b"]).reindex(["b", "z"], fill_value=0).tolist()
        [2, 0]
        """
        if self._level_names:
            raise ArgumentError("labels of several levels are not looked for by reindex.", hint="use locate.")
        return self._moved(DataFrame._of(reindexed(self._labelled._columns, index, fill_value)))

    def unstack(self, level: Any = -1, fill_value: Any = None) -> Any:
        """Return a DataFrame with the labels of one level as columns and of the other levels as labels; computes.

        Parameters
        ----------
        level : int or str, default -1
            The level that becomes columns, named by the text of its labels.
        fill_value : scalar, optional
            Value of cells without an entry; missing unless given.

        Returns
        -------
        DataFrame
            Of several levels that remain, labels are columns.

        Raises
        ------
        ArgumentError
            If the labels have one level, or there is no such level, or entries have the same labels.

        Examples
        --------
        >>> import akdask as ak
        >>> labels = ak.MultiIndex([ak.array([1, 1, 2]), ak.array(["a", "b", "a"])])
        >>> ak.Series([5, 6, 7], index=labels).unstack(fill_value=0).to_pandas()
           a  b
        1  5  6
        2  7  0
        """
        if not self._level_names:
            raise ArgumentError("labels of one level are not unstacked.", hint="label by a MultiIndex.")
        try:
            table = with_wide_integers(self.to_pandas()).unstack(level, fill_value=fill_value)
        except (ValueError, KeyError, IndexError) as error:
            raise ArgumentError(f"the level {level!r} cannot become columns.", details=[str(error)]) from None
        table.columns = [str(name) for name in table.columns]
        return DataFrame(table.reset_index() if table.index.nlevels > 1 else table)

    def rename(self, name: Any = None, *, index: Any = None) -> Self:
        """Return the entries with another name of the values, or with other labels.

        Parameters
        ----------
        name : hashable, mapping or callable
            The name; a mapping or function has new labels by old ones, as in pandas.  A function computes.
        index : mapping or callable, optional
            The same as such a `name`.

        Raises
        ------
        ArgumentTypeError
            If new labels are of another type than the old ones.
        UnsupportedError
            If labels that are renamed have several levels.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2], index=[10, 20]).rename({10: 11}).to_pandas().to_dict()
        {11: 1, 20: 2}
        """
        names = name if index is None else index
        if isinstance(names, Mapping) or callable(names):
            if self._level_names:
                raise UnsupportedError("labels of several levels are not renamed.", hint="reset_index() makes columns.")
            return self._moved(DataFrame._of(relabelled(self._labelled._columns, names)))
        renamed = self._moved(self._labelled)
        renamed.name = name
        return renamed

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over labels and values; computes them all."""
        return iter(self.to_pandas().items())

    @property
    def empty(self) -> bool:
        """Whether there are no values."""
        return not len(self)

    @property
    def is_unique(self) -> bool:
        """Whether no value occurs twice; computes."""
        return not bool(repeated([self.values], "first").any())

    def _few(self, operation: str, n: int, keep: str, *, largest: bool) -> Self:
        values = self.values
        if keep not in KEEPS:
            raise ArgumentError(f"{operation}: keep={keep!r} is neither 'first' nor 'last'.")
        if not isinstance(values, TimeArray) and not is_number(values):
            raise ArgumentTypeError(f"{operation} needs numbers or times, not {values._type_name()}.")
        if n <= 0:
            return self._moved(self._labelled.head(0))
        at = top_positions(values, int(n), largest=largest, last=keep == "last")
        return self._moved(self._labelled._rows(at))


class SeriesMissing(SeriesOperators):
    """Finding, filling and dropping missing values."""

    def isna(self) -> Self:
        """Return where values are missing, as a Series of bool; lazy.

        Raises
        ------
        ArgumentTypeError
            If the values are lists.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan")], index=[5, 7]).isna().to_pandas().to_dict()
        {5: False, 7: True}
        """
        return self._marked(negated(self._present()))

    def notna(self) -> Self:
        """Return where values are not missing, as a Series of bool; lazy.  See `isna`."""
        return self._marked(self._present())

    def isnull(self) -> Self:
        """Return where values are missing; the same as `isna`."""
        return self.isna()

    def notnull(self) -> Self:
        """Return where values are not missing; the same as `notna`."""
        return self.notna()

    def hasnans(self) -> np.bool_:
        """Whether a value is missing; computes."""
        return np.bool_(bool(self.isna().values.any()))

    def count(self) -> Any:
        """Return the number of values that are not missing; lazy."""
        return self.notna().values.sum()

    def dropna(self) -> Self:
        """Return the entries whose values are not missing; lazy."""
        return self._moved(self._labelled._rows(self.notna().values))

    def fillna(self, value: Any) -> Self:
        """Replace missing values; lazy.

        Parameters
        ----------
        value : scalar, pdarray or Series
            One value, or one for each row.  A Series is aligned by labels; values without a label there stay missing.

        Returns
        -------
        Series
            Values that cannot be missing, such as integers, stay as they are.

        Raises
        ------
        ArgumentTypeError
            If text would be filled with something else, or numbers with text.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan"), 3.0]).fillna(100.0).tolist()
        [1.0, 100.0, 3.0]
        """
        values = self.values
        filling = self._on_rows(value)
        if isinstance(values, Strings | Categorical) and isinstance(filling, str):
            return self._with(values.fillna(filling))
        if isinstance(values, TimeArray):
            filled = where(~self.isna().values, values, filling)
            return self._with(filled if isinstance(filling, Array) else filled._lacking(False))
        if isinstance(values, Strings | Categorical):
            if isinstance(filling, str | Strings | Categorical):
                return self._with(where(self.isna().values, filling, values))
            raise ArgumentTypeError(
                f"missing elements of {values._describe()} are filled with text, not a {type(filling).__name__}.",
                hint="fillna('…') fills them.",
            )
        if values._value.dtype != FLOAT64:
            return self._with(values)
        if isinstance(filling, str | Strings):
            raise ArgumentTypeError("NaN is filled with a number, not with text.", hint="make text of it: astype(str).")
        return self._with(where(self.isna().values, filling, values))

    def _present(self) -> Value:
        if self._lacking is not None:
            return negated(self._lacking._value)
        if isinstance(self.values, SegArray):
            raise ArgumentTypeError("lists are never missing.", hint="ask for s.values.lengths == 0.")
        return present(self._labelled._columns, VALUES)

    def _marked(self, value: Value) -> Self:
        return self._with(pdarray(self._labelled._columns.frame, value))


class SeriesOrder(SeriesOperators):
    """Entries by their place, and values by their order."""

    def head(self, n: int = 10) -> Self:
        """Return the first `n` entries; lazy."""
        return self._moved(self._labelled.head(n))

    def tail(self, n: int = 10) -> Self:
        """Return the last `n` entries; lazy."""
        return self._moved(self._labelled.tail(n))

    def topn(self, n: int = 10) -> Self:
        """Return the `n` entries of the largest values, the largest first; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([3, 9, 5]).topn(2).to_pandas().to_dict()
        {1: 9, 2: 5}
        """
        return self._chosen(argmaxk(self.values, n)[::-1])

    def sort_index(self, ascending: bool = True, *, na_position: str = "last") -> Self:
        """Return the entries in the order of their labels; lazy."""
        if na_position == "first" and not isinstance(self.index, MultiIndex):
            labels = self.index.values
            return self._chosen(coargsort([is_there(labels), labels], ascending=[True, ascending]))
        check_na_position(na_position)
        return self._chosen(self.index.argsort(ascending=ascending))

    def sort_values(self, ascending: bool = True, *, na_position: str = "last", ignore_index: bool = False) -> Self:
        """Return the entries in the order of their values; lazy.  Equal values keep their order.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        na_position : {"last", "first"}
            Where missing values come.
        ignore_index : bool, default False
            Number the entries from 0.

        Raises
        ------
        ArgumentError
            If `na_position` is something else.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["b", None, "a"]).sort_values(na_position="first").tolist()
        [None, 'a', 'b']
        """
        if na_position not in ("first", "last"):
            raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
        if na_position == "last":
            ordered = self._chosen(argsort(self.values, ascending=ascending))
        else:
            ordered = self._chosen(coargsort([self.notna().values, self.values], ascending=[True, ascending]))
        return ordered.reset_index(drop=True) if ignore_index else ordered

    def value_counts(
        self, sort: bool = True, *, normalize: bool = False, ascending: bool = False, dropna: bool = True
    ) -> Self:
        """Return how often each value occurs, as int64 labelled by the values; lazy.

        As in pandas, the labels are called as the values are, and the result is called ``count`` or ``proportion``.

        Parameters
        ----------
        sort : bool, default True
            Put the commonest first.
        normalize : bool, default False
            Return parts of all values, as float64, not numbers of them.
        ascending : bool, default False
            Put the rarest first.
        dropna : bool, default True
            Leave out missing values; otherwise NaN are counted as well.

        Notes
        -----
        Equally common values, and without `sort` all values, are in order of first occurrence; labels of a Categorical
        are in order of its categories.  Categories without a value have the count 0, as in pandas.  The function
        ``ak.value_counts`` leaves them out.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([2, 0, 2]).value_counts().to_pandas().to_dict()
        {2: 2, 0: 1}
        """
        values, counts, first = _counted(self.values, dropna)
        keys = [*([counts] if sort else []), *([] if first is None else [first])]
        if keys:
            order = coargsort(keys, ascending=[*([ascending] if sort else []), *([] if first is None else [True])])
            values, counts = values[order], counts[order]
        found, name = (counts / counts.sum(), "proportion") if normalize else (counts, "count")
        return self._of(found, Index(values, self.name), name)

    def isin(self, lst: Any) -> Self:
        """Return which values are among some, as a Series of bool; lazy.

        Parameters
        ----------
        lst : pdarray, Strings, Series or list
            The values to look for.  A missing one stands for all that are missing, but None for no NaN, as in pandas.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["a", None, "b"]).isin(["a", None]).tolist()
        [True, True, False]
        """
        values = self.values
        if not isinstance(lst, list | tuple | set | frozenset):
            return self._with(in1d(values, lst.values if isinstance(lst, SeriesBase) else lst))
        there = [item for item in lst if not is_nothing(item)]
        is_number = isinstance(values, pdarray) and values._pandas_converter() is None
        others = type(None) if is_number else float if isinstance(values, TimeArray) else ()
        stands_for_missing = any(is_nothing(item) and not isinstance(item, others) for item in lst)
        found = in1d(values, there) if there else self.notna().values & False
        return self._with(found | self.isna().values if stands_for_missing else found)

    def add(self, b: SeriesBase) -> Self:
        """Return the sums of the values of each label, of both Series; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([10, 20], index=["b", "c"])
        >>> one.add(two).to_pandas().to_dict() == {"a": 1, "b": 12, "c": 20}
        True
        """
        if not isinstance(b, SeriesBase):
            raise ArgumentTypeError(f"add takes a Series, not {type(b).__name__}.", hint="s + 1 adds to every value.")
        index = self.index.concat(b.index)
        keys, sums = GroupBy(index.values).sum(concatenate([self.values, b.values]))
        return self._of(sums, Index.factory(keys))

    def _chosen(self, positions: Array) -> Self:
        return self._moved(self._labelled._rows(positions))


def _counted(values: Array, dropna: bool) -> tuple[Any, Any, Any]:
    """Return distinct values, their counts, and the row of their first occurrence; includes unused categories."""
    if not isinstance(values, Categorical):
        groups = ColumnGroups(values, dropna=dropna)
        return *groups.size(), groups.unique_key_idx
    # Each category is added once, so that categories without rows are counted too.
    each = values._each_category()
    keys, counts = ColumnGroups(concatenate([values, each]), dropna=dropna).size()
    return keys, where(keys.isna(), counts, counts - 1), None


class SeriesReductions(SeriesOperators):
    """Reductions to lazy numbers, independent of labels."""

    def sum(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the sum of the values; lazy.  See `pdarray.sum`.

        A missing value makes the sum missing, as in Arkouda.  `skipna` leaves missing values out, the default of
        pandas.

        Parameters
        ----------
        skipna : bool, optional
            Leave missing values out; Arkouda does not.
        **numpy : None
            Arguments that ``numpy.sum`` and its like pass to objects other than arrays, such as ``axis=None``.

        Raises
        ------
        ArgumentTypeError
            If other arguments are given.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.Series([1.0, float("nan"), 3.0])
        >>> float(s.sum()), float(s.sum(skipna=True))
        (nan, 4.0)
        """
        return self._there(skipna, numpy).sum()

    def prod(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the product of the values; lazy.  See `sum`."""
        return self._there(skipna, numpy).prod()

    def mean(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the mean of the values; lazy.  See `sum`."""
        return self._there(skipna, numpy).mean()

    def min(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the smallest value, missing if no value is left; computes for text and times.  See `sum`."""
        return self._extreme("min", skipna, numpy)

    def max(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the largest value, missing if no value is left; computes for text and times.  See `sum`."""
        return self._extreme("max", skipna, numpy)

    def std(self, ddof: int = 0, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the standard deviation; lazy.  `ddof` is 0 unless given, as in Arkouda.  See `sum`."""
        return self._there(skipna, numpy).std(ddof)

    def var(self, ddof: int = 0, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the variance of the values; lazy.  `ddof` is 0 unless given, as in Arkouda.  See `sum`."""
        return self._there(skipna, numpy).var(ddof)

    def any(self, *, skipna: bool = True) -> Any:
        """Return whether any value is not zero; lazy.  Missing values are left out if `skipna`."""
        return self._truths(skipna).any()

    def all(self, *, skipna: bool = True) -> Any:
        """Return whether no value is zero; lazy.  See `any`."""
        return self._truths(skipna).all()

    def argmin(self) -> Any:
        """Return the position of the first smallest value, or of the first that is NaN, as in Arkouda; lazy."""
        return self.values.argmin()

    def argmax(self) -> Any:
        """Return the position of the first largest value, or of the first that is NaN, as in Arkouda; lazy."""
        return self.values.argmax()

    def idxmin(self, *, skipna: bool = True) -> Any:
        """Return the label of the first smallest value; computes.  See `idxmax`."""
        return self._label_of("min", skipna)

    def idxmax(self, *, skipna: bool = True) -> Any:
        """Return the label of the first largest value; computes.

        Parameters
        ----------
        skipna : bool, default True
            Leave missing values out.

        Raises
        ------
        ArgumentError
            If there is no value, or one is missing and `skipna` is False.

        Examples
        --------
        >>> import akdask as ak
        >>> int(ak.Series([2.0, float("nan"), 3.0], index=[5, 6, 7]).idxmax())
        7
        """
        return self._label_of("max", skipna)

    def median(self, *, skipna: bool = True) -> Any:
        """Return the median of the values; lazy.  It is missing where a value is, if not `skipna`."""
        return self._there(skipna).median()

    def quantile(self, q: float | Sequence[float] = 0.5, method: str = "linear", *, interpolation: str = "") -> Any:
        """Return a quantile of the values that are not missing, lazy, or a Series of several by `q`, which computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        method : str
            How to choose between two elements, by the names of ``numpy.quantile``.
        interpolation : str, optional
            Name of `method` in pandas.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, or there is no such method.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan"), 2.0, 4.0]).quantile([0.5, 1]).to_dict()
        {0.5: 2.0, 1.0: 4.0}
        """
        there, method = self._there(True), interpolation or method
        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            return there.quantile(wanted, method=method)
        return self._of(there.quantile(wanted, method=method), Index(list(wanted)), self.name)

    def nunique(self, dropna: bool = True) -> Any:
        """Return the number of distinct values, missing ones counting as one if not `dropna`; lazy."""
        return distinct_count(self.dropna().values if dropna else self.values)

    def _there(self, skipna: bool | None, numpy: Mapping[str, Any] | None = None) -> Any:
        """Return the values, with `skipna` without missing ones, so that integers stay integers."""
        given = [name for name, value in (numpy or {}).items() if value not in (None, 0)]
        if given:
            raise ArgumentTypeError(f"a Series is reduced without {', '.join(given)}.")
        if not (self._rules.skipna if skipna is None else skipna):
            return self.values
        values = self.dropna().values
        apart = missing.parts(values._value)
        return values if apart is None else pdarray(values._frame, apart[0])

    def _truths(self, skipna: bool) -> Any:
        if not isinstance(self.values, pdarray) or isinstance(self.values, TimeArray):
            raise ArgumentTypeError(
                f"elements of {self.values._describe()} are neither true nor false.", hint="compare them first."
            )
        return self._there(skipna)

    def _extreme(self, name: str, skipna: bool | None, numpy: Mapping[str, Any]) -> Any:
        values = self._there(skipna, numpy)
        if isinstance(values, Strings):
            if not values.size or bool(self.isna().values.any() if values is self.values else False):
                return float("nan")
            return few_extremes(f"{name}k", values, 1).tolist()[0]
        if isinstance(values, TimeArray) and values is not self.values and not values.size:
            return pd.NaT
        if skipna is False and isinstance(values, Categorical) and values.ordered and bool(values.isna().any()):
            return float("nan")
        if values is self.values or not isinstance(values, pdarray) or values._pandas_converter() is not None:
            return getattr(values, name)()
        return reduced(values, name, nan_of_none=True)

    def _label_of(self, name: str, skipna: bool) -> Any:
        """Return the label of the first extreme."""
        there = self.dropna()
        count = len(there)
        if not count:
            raise ArgumentError(f"idx{name} of a Series finds no value that is not missing.", hint="use dropna first.")
        if not skipna and count < len(self):
            raise ArgumentError(f"idx{name}: some of the values are missing.", hint="pass skipna=True.")
        values = there._there(True)
        if isinstance(values, Strings):
            # Of equal ones the first has the label.
            return there[values == few_extremes(f"{name}k", values, 1).tolist()[0]].head(1).index[0]
        return there.index[int(getattr(values, f"arg{name}")())]
