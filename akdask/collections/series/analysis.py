"""What a Series has of pandas' ways to look at values: descriptions, extremes, ranks, functions of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from akdask.collections.core.later import later
from akdask.collections.frame_core.analysis.cells import CellMethods, between
from akdask.collections.frame_core.analysis.kinds import is_number
from akdask.collections.frame_core.analysis.reindexing import reindexed
from akdask.collections.frame_core.analysis.reshaping import with_wide_integers
from akdask.collections.frame_core.analysis.summaries import (
    KEEPS,
    described_labels,
    described_numbers,
    described_times,
    quantiles_of,
    ranks,
    repeated,
    top_positions,
)
from akdask.collections.frame_core.rename import relabelled
from akdask.collections.series.base import VALUES, LabelledRows, SeriesBase
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.collections.time.time_of_day import within_day
from akdask.collections.time.timearray import TimeArray
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError


class SeriesAnalysis(SeriesBase, CellMethods):
    """Descriptions, extremes, ranks; see the methods of `DataFrame` of the same names."""

    def describe(self, percentiles: Sequence[float] | None = None) -> pd.Series:
        """Return count, mean, standard deviation, extremes and quantiles of numbers; computes.

        Of times the same, but for the standard deviation of points in time.  Of text, Categoricals and bool: count,
        number of distinct values, the commonest one and how often it occurs.

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
        columns = self._analysed()
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
        """Return the rank of each value, from 1, as float64 with NaN for what is missing; lazy.

        See `DataFrame.rank`.
        """
        return self._with(ranks(self.values, method, ascending, pct, na_option))

    def duplicated(self, keep: str | bool = "first") -> Self:
        """Return which values are equal to another one; lazy.  See `DataFrame.duplicated`."""
        return self._with(repeated([self.values], keep))

    def drop_duplicates(self, keep: str | bool = "first") -> Self:
        """Return the entries without those whose values are repeated; lazy.  See `duplicated`."""
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
            What to group by, on the same rows.
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
        return later("groups of a Series", self, by, level, dropna, sort, observed)

    def resample(  # noqa: PLR0917 - pandas' signature
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
        return later("resampler of a Series", self, rule, level, asked)

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
        return self._moved(later("rows at regular times", self._labelled, freq, method, normalize, fill_value))

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
        return self._moved(LabelledRows._of(reindexed(self._labelled._columns, index, fill_value)))

    def unstack(self, level: Any = -1, fill_value: Any = None) -> Any:
        """Return a DataFrame with the labels of one level as its columns, those of the others as its labels; computes.

        Parameters
        ----------
        level : int or str, default -1
            The level that becomes columns, named by the text of its labels.
        fill_value : scalar, optional
            What stands where there is no entry, missing values unless given.

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
        return later("DataFrame", table.reset_index() if table.index.nlevels > 1 else table)

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
            return self._moved(LabelledRows._of(relabelled(self._labelled._columns, names)))
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
