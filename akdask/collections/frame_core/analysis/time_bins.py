"""Rows grouped by spans of time, with those in which there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Generic, TypeVar

import numpy as np

from akdask.collections.arrays.creation import arange, full
from akdask.collections.arrays.elementwise import cast, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import names_of
from akdask.collections.core.later import later
from akdask.collections.frame_core.analysis.kinds import is_number, missing_where, numbers_among
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.rows import RowMethods
from akdask.collections.groups.column_rules import has_meaning
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.groups.reductions import GROUP_REDUCTIONS
from akdask.collections.time.datetimes import Datetime
from akdask.collections.time.timearray import NOT_A_TIME, unit_of
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, MissingAttributeError
from akdask.kernels.rowwise.times import DAY
from akdask.plan.expr.values import Call, Constant
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.run import run
from akdask.plan.task.align import align

Rows = TypeVar("Rows", bound=RowMethods)

MOST_BINS = 2**31
"""Largest number of spans."""

ZERO_OF_NOTHING = {"sum": 0, "count": 0, "size": 0, "nunique": 0, "prod": 1}
"""What some reductions find of no rows; others find nothing."""


class ResampleMethods(RowMethods):
    """Grouping by spans of time."""

    def resample(self, rule: str, on: str | None = None) -> Resampler[Any]:
        """Return the rows grouped by spans of time, to be reduced: ``df.resample("h", on="t").mean()``.

        Parameters
        ----------
        rule : str
            The length of a span, such as ``"15min"``, ``"h"`` or ``"D"``: always the same, so not months or years.
        on : str, optional
            The column of times, the labels of the rows unless given.

        Returns
        -------
        Resampler
            Its reductions have one row for each span from the first to the last, also where there are no rows: 0 for
            sums and counts, otherwise missing.

        Raises
        ------
        ArgumentTypeError
            If the column has no times.
        ArgumentError
            If `rule` is no length of time.
        MissingColumnError
            If there is no column of that name.

        Notes
        -----
        Follows ``pandas.DataFrame.resample``: spans are counted from the midnight before the first time.  First and
        last time are computed.

        Examples
        --------
        >>> import akdask as ak
        >>> times = ak.Datetime(ak.array([0, 30, 150]), unit="m")
        >>> ak.DataFrame({"t": times, "x": [1, 2, 4]}).resample("h", on="t").sum().to_pandas()["x"].tolist()
        [3, 0, 4]
        """
        columns = self._columns
        times = columns.index_array() if on is None else columns.array(on)
        if not isinstance(times, Datetime):
            raise ArgumentTypeError(
                f"resample needs a column of times, not {times._type_name()}.",
                hint="name it: df.resample('h', on='t').",
            )
        label = columns.index_name if on is None else on
        return Resampler(self, times, _span(rule), on, label)


class Resampler(Generic[Rows]):
    """Rows grouped by spans of time, as `DataFrame.resample` gives them.

    Parameters
    ----------
    df : DataFrame
        The rows.
    times : Datetime
        When they were.
    span : int
        Nanoseconds of a span.
    on : str, optional
        The column of the times.
    label : str, optional
        What the labels of results are called.
    """

    def __init__(self, df: Rows, times: Datetime, span: int, on: str | None, label: Any) -> None:
        self._df = df
        self._label = label
        self._names = [name for name in df._columns.values if name != on]
        first, last = _extent(times)
        midnight = first // DAY * DAY
        self._start = midnight + (first - midnight) // span * span
        self._span = span
        self._count = 0 if last < first else (last - self._start) // span + 1
        if self._count > MOST_BINS:
            raise ArgumentError(f"resample would have {self._count:,} spans.", hint="take longer ones.")
        there = Call("not_equal", times._value, Constant(NOT_A_TIME))
        number = Call("floor_divide", Call("subtract", times._value, Constant(self._start)), Constant(span))
        # NaN is the key of no group.
        key = Call("where", there, Call("cast", number, dtype="float64"), Constant(np.nan))
        self._groups = GroupBy(pdarray(times._frame, key))

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Return the same spans with only some columns to reduce; of one name, results are Series.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        chosen = copy(self)
        chosen._names = names_of(names)
        self._df._columns.only(chosen._names)
        return _OfColumn(chosen, names) if isinstance(names, str) else chosen

    def __getattr__(self, name: str) -> Any:
        """Return the spans with only the column of that name to reduce: ``r.x`` for ``r["x"]``."""
        if name.startswith("_") or name not in self._df._columns.values:
            raise MissingAttributeError(f"spans of time have no reduction or column {name!r}.")
        return self[name]

    def agg(self, func: str | Mapping[str, str]) -> Rows:
        """Return a reduction of each span: one for all columns that it has a meaning for, or one for each named.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        MissingColumnError
            If there is no such column.
        """
        columns = self._df._columns
        if isinstance(func, Mapping):
            calls = dict(func)
            columns.only(calls)
        else:
            numbers = set(numbers_among(columns))
            wide = func in ("count", "first", "nunique")
            calls = {
                name: func
                for name in self._names
                if wide
                or (name in numbers and has_meaning(GROUP_REDUCTIONS.get(func.lower(), func), columns.array(name)))
            }
        unknown = [how for how in calls.values() if how.lower() not in GROUP_REDUCTIONS]
        if unknown:
            raise ArgumentError(
                f"spans are not reduced by {unknown[0]!r}.",
                details=[f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"],
            )
        results = {
            name: self._spread(how, self._groups.reduce_column(GROUP_REDUCTIONS[how.lower()], columns.array(name)))
            for name, how in calls.items()
        }
        return self._df._of(ColumnSet.of(results, self._labels(), self._label))

    aggregate = agg

    def size(self) -> Any:
        """Return the number of rows in each span, as a DataFrame with the column ``size``."""
        return self._df._of(
            ColumnSet.of({"size": self._spread("size", self._groups.size()[1])}, self._labels(), self._label)
        )

    def sum(self, numeric_only: bool = True) -> Rows:
        """Return the sum of each span, 0 where there are no rows."""
        return self.agg("sum")

    def mean(self, numeric_only: bool = True) -> Rows:
        """Return the mean of each span."""
        return self.agg("mean")

    def min(self, numeric_only: bool = True) -> Rows:
        """Return the smallest value of each span."""
        return self.agg("min")

    def max(self, numeric_only: bool = True) -> Rows:
        """Return the largest value of each span."""
        return self.agg("max")

    def std(self, numeric_only: bool = True) -> Rows:
        """Return the standard deviation of each span."""
        return self.agg("std")

    def var(self, numeric_only: bool = True) -> Rows:
        """Return the variance of each span."""
        return self.agg("var")

    def median(self, numeric_only: bool = True) -> Rows:
        """Return the median of each span."""
        return self.agg("median")

    def count(self) -> Rows:
        """Return the number of values of each span that are not missing."""
        return self.agg("count")

    def nunique(self) -> Rows:
        """Return the number of distinct values of each span."""
        return self.agg("nunique")

    def first(self) -> Rows:
        """Return the first value of each span, missing or not."""
        return self.agg("first")

    def _labels(self) -> Datetime:
        return Datetime(arange(self._count) * self._span + self._start)

    def _spread(self, how: str, found: Array) -> Array:
        """Return results of spans that have rows, with those of the others."""
        keys = cast(self._groups.unique_keys, np.int64)
        at: Any = full(self._count, -1, dtype="int64")
        at[keys] = arange(len(keys))
        lacks = at < 0
        if len(keys) == self._count:
            return found[at]
        taken = found[where(lacks, 0, at)]
        frame, (value, lacking) = align("resample", [(taken._frame, taken._value), (lacks._frame, lacks._value)])
        if how in ZERO_OF_NOTHING and is_number(found):
            filling = Constant(value.dtype.numpy.type(ZERO_OF_NOTHING[how]))
            return found._like(frame, Call("where", lacking, filling, value))
        return found._like(frame, missing_where(found, value, lacking))


class _OfColumn:
    """Spans of time of one column: reductions are Series labelled by the spans.

    Parameters
    ----------
    spans : Resampler
        The spans.
    name : str
        The column.
    """

    def __init__(self, spans: Resampler[Any], name: str) -> None:
        self._spans = spans
        self._name = name

    def __getattr__(self, reduction: str) -> Any:
        """Return the method of the spans of that name, whose results are Series."""
        if reduction.startswith("_"):
            raise AttributeError(reduction)
        method = getattr(self._spans, reduction)

        def call(*args: Any, **params: Any) -> Any:
            found = method(*args, **params)
            (name,) = found.columns
            return later("column Series", found, name)

        return call


def _span(rule: str) -> int:
    """Return the nanoseconds of a span."""
    if not isinstance(rule, str):
        raise ArgumentTypeError(f"resample takes the length of a span as text, not {type(rule).__name__}.")
    try:
        length: Any = pd.tseries.frequencies.to_offset(rule)
        span = int(pd.Timedelta(length).as_unit("ns").value)
    except (TypeError, ValueError):
        span = unit_of(rule)
    if span < 1:
        raise ArgumentError(f"resample: {rule!r} is no length of time.")
    return span


def _extent(times: Datetime) -> tuple[int, int]:
    """Return the first and the last time in nanoseconds, the last one less if there are none; computes."""
    there = Call("not_equal", times._value, Constant(NOT_A_TIME))
    limits = np.iinfo(np.int64)
    low, high = (Call("where", there, times._value, Constant(np.int64(limit))) for limit in (limits.max, limits.min))
    size = AggregateExpr("count_nonzero", there)
    ((count,),) = run(Aggregate(times._frame, (size,)))
    if not count:
        return 0, -1
    ((first, last),) = run(Aggregate(times._frame, (AggregateExpr("min", low), AggregateExpr("max", high))))
    return int(first), int(last)
